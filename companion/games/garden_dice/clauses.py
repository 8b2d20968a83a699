"""Garden Dice: the clauses of turn and dice, buying, sundial, placing and flipping.

The tables in `__init__.py` say which function keeps which clause for which action.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from companion.games.garden_dice.state import (
    KINDS,
    OTHER_SIDE,
    SPECIALS,
    VALUE,
    Buy,
    EndTurn,
    Flip,
    Place,
    Player,
    Remove,
    Reroll,
    Roll,
    SetDie,
    State,
    Tile,
    Turn,
    dice_of,
)
from companion.rules import Allowed, Happened

# Dice


def game_goes_on(state: State, action: Any) -> bool:
    return not state.over


def nothing_rolled_yet(state: State, action: Roll) -> bool:
    return not state.turn.rolled and len(action.dice) == 4


def dice_are_rolled(state: State, action: Any) -> bool:
    return state.turn.rolled


def dice_are_unspent(state: State, action: Any) -> bool:
    dice, spends = state.turn.dice, dice_of(action)
    return all(dice.count(die) >= spends.count(die) for die in spends)


def roll(state: State, action: Roll) -> Allowed:
    turn = state.turn._replace(rolled=True, dice=action.dice)
    return Allowed(state._replace(turn=turn), (Happened("rolled", ("turn.roll",), {"dice": action.dice}),))


def spend(state: State, action: Any) -> Allowed:
    """Take the action's dice from the turn; a die set with the sun goes first, but not for a six that must be true."""
    dice, turn, spends = list(state.turn.dice), state.turn, dice_of(action)
    for die in spends:
        dice.remove(die)
    sun_die = turn.sun_die
    free = action.coordinates if isinstance(action, Remove) else () if isinstance(action, Flip) else spends
    if sun_die in (spends if state.options.sun_six else free):
        sun_die = None
    turn = turn._replace(dice=tuple(dice), spent=turn.spent + spends, sun_die=sun_die)
    return Allowed(state._replace(turn=turn))


def none_spent(state: State, action: Reroll) -> bool:
    return not state.turn.spent and len(state.turn.dice) == len(action.dice) == 4


def four_alike_as_rolled(state: State, action: Reroll) -> bool:
    if action.by != "four-alike":
        return True
    return none_spent(state, action) and len(set(state.turn.dice)) == 1 and state.turn.sun_die is None


def roll_again_with_four_alike(state: State, action: Reroll) -> Allowed:
    if action.by != "four-alike":
        return Allowed(state)
    event = Happened("rolled-again", ("turn.four-alike",), {"dice": action.dice})
    return Allowed(state._replace(turn=state.turn._replace(dice=action.dice)), (event,))


def sun_unused(state: State, action: Reroll | SetDie) -> bool:
    return state.acting.sun or (isinstance(action, Reroll) and action.by != "sun")


def at_the_start_with_the_sun(state: State, action: Reroll) -> bool:
    return action.by != "sun" or none_spent(state, action)


def use_up_sun(state: State, action: Reroll | SetDie) -> Allowed:
    if isinstance(action, Reroll) and action.by != "sun":
        return Allowed(state)
    return Allowed(state.with_player(state.acting._replace(sun=False)), (Happened("sun-used", ("sun.once",)),))


def roll_again_with_the_sun(state: State, action: Reroll) -> Allowed:
    if action.by != "sun":
        return Allowed(state)
    event = Happened("rolled-again", ("sun.reroll",), {"dice": action.dice})
    return Allowed(state._replace(turn=state.turn._replace(dice=action.dice)), (event,))


def die_to_set_is_unspent(state: State, action: SetDie) -> bool:
    return action.origin in state.turn.dice


def set_die(state: State, action: SetDie) -> Allowed:
    dice = list(state.turn.dice)
    dice[dice.index(action.origin)] = action.to
    turn = state.turn._replace(dice=tuple(dice), sun_die=action.to)
    event = Happened("die-set", ("sun.set",), {"from": action.origin, "to": action.to})
    return Allowed(state._replace(turn=turn), (event,))


# Buying


def die_reaches_value(state: State, action: Buy) -> bool:
    return VALUE[action.kind] <= action.die


def disc_for_the_seed(state: State, action: Buy) -> bool:
    return state.free_discs(state.turn.player) > 0


def two_of_a_kind_at_most(state: State, action: Buy) -> bool:
    return state.turn.bought.count(action.kind) < 2


def supply_holds_it(state: State, action: Buy) -> bool:
    return state.supply[KINDS.index(action.kind)] > 0


def take_from_supply(state: State, action: Buy) -> Allowed:
    supply = tuple(count - (kind == action.kind) for kind, count in zip(KINDS, state.supply, strict=True))
    turn = state.turn._replace(bought=(*state.turn.bought, action.kind))
    left = supply[KINDS.index(action.kind)]
    event = Happened("bought", ("buy.supply",), {"piece": action.kind, "left": left})
    return Allowed(state._replace(supply=supply, turn=turn), (event,))


def lay_seed_in_front(state: State, action: Buy) -> Allowed:
    buyer = state.acting
    buyer = buyer._replace(seeds=(*buyer.seeds, action.kind))
    return Allowed(state.with_player(buyer), (Happened("disc-on-seed", ("buy.disc",)),))


def last_seed_taken(state: State, action: Buy) -> Allowed:
    if any(state.supply):
        return Allowed(state)
    return Allowed(state._replace(last_turn=True), (Happened("last-turn", ("end.trigger",)),))


# The sundial, for placing and taking off


def distance(die: int, value: int, wrap: bool) -> int:
    """By how much the sundial would change a die."""
    apart = abs(die - value)
    return min(apart, 6 - apart) if wrap else apart


@cache
def changes(dice: tuple[int, ...], become: tuple[int, ...], wrap: bool) -> tuple[int, ...]:
    """By how much each die that changes does; an `as` that only reorders the dice changes none."""
    if sorted(dice) == sorted(become):
        return ()
    return tuple(by for by in map(distance, dice, become, (wrap, wrap)) if by)


def sundial_amounts(state: State, action: Place | Remove) -> tuple[int, ...]:
    become = action.become
    return changes(action.coordinates, become, state.options.sundial_wrap) if become else ()


def only_coordinates_change(state: State, action: Place | Remove) -> bool:
    return action.become is None or len(action.become) == len(action.coordinates) == 2


def stays_on_the_die(state: State, action: Place | Remove) -> bool:
    """No step from 6 to 1 or back, unless the table plays so."""
    if state.options.sundial_wrap or not sundial_amounts(state, action):
        return True
    return all(abs(die - value) <= 3 for die, value in zip(action.coordinates, action.become or (), strict=False))


def one_use_a_turn(state: State, action: Place | Remove) -> bool:
    """One die by up to 2, or two dice by 1 each, over the whole turn."""
    amounts = sundial_amounts(state, action)
    return not amounts or tuple(sorted((*state.turn.sundial, *amounts))) in ((1,), (2,), (1, 1))


def own_sundial_lies_on_board(state: State, action: Place | Remove) -> bool:
    if not sundial_amounts(state, action):
        return True
    return any(tile and tile.piece == "sundial" and tile.owner == state.turn.player for tile in state.board)


def note_sundial(state: State, action: Place | Remove) -> Allowed:
    amounts = sundial_amounts(state, action)
    if not amounts:
        return Allowed(state)
    turn = state.turn._replace(sundial=state.turn.sundial + amounts)
    facts = {"dice": action.coordinates, "become": action.become}
    return Allowed(state._replace(turn=turn), (Happened("sundial-used", ("sundial.once",), facts),))


# Placing


def dice_name_the_plot(state: State, action: Place) -> bool:
    return sorted(action.become or action.dice) == sorted(map(int, action.at.split(",")))


def plot_is_empty(state: State, action: Place) -> bool:
    return state.tile(action.at) is None


def on_its_first_side(state: State, action: Place) -> bool:
    return action.piece not in ("rabbit", "scarecrow")


def holds(player: Player, piece: str) -> bool:
    if piece in KINDS:
        return piece in player.seeds
    return {"bird": player.critter, "sundial": player.sundial, "rock": player.rock}.get(piece, False)


def player_holds_it(state: State, action: Place) -> bool:
    return holds(state.acting, action.piece)


def no_critters_in_the_family(state: State, action: Place) -> bool:
    return not (state.options.family and action.piece in ("bird", "rabbit"))


def disc_for_the_special(state: State, action: Place) -> bool:
    return action.piece not in SPECIALS or state.free_discs(state.turn.player) > 0


def put_down(state: State, action: Place) -> Allowed:
    """The piece leaves its player's hand and lies on the plot, first side up."""
    player, piece = state.acting, action.piece
    if piece in KINDS:
        seeds = list(player.seeds)
        seeds.remove(piece)
        player = player._replace(seeds=tuple(seeds))
        tile = Tile(f"{piece}/seed", player.colour, 1)
    elif piece == "rock":
        player, tile = player._replace(rock=False), Tile("rock")
    else:
        player = player._replace(critter=False) if piece == "bird" else player._replace(sundial=False)
        tile = Tile(piece, player.colour, 1)
    state = state.with_player(player).with_tiles([(action.at, tile)])
    return Allowed(state, (Happened("placed", ("place.side",), {"piece": tile.piece, "at": action.at}),))


# Flipping a special


def die_is_a_six(state: State, action: Flip) -> bool:
    return action.die == 6 and true_six(state)


def true_six(state: State) -> bool:
    """Whether a 6 is there that may serve where a 6 is asked for."""
    made = state.turn.sun_die == 6 and not state.options.sun_six
    return state.turn.dice.count(6) > made


def own_special(state: State, action: Flip) -> bool:
    tile = state.tile(action.at)
    return tile is not None and tile.piece in SPECIALS and tile.owner == state.turn.player


def flip(state: State, action: Flip) -> Allowed:
    tile = state.tile(action.at)
    assert tile is not None, "flip.own holds"
    turned = tile._replace(piece=OTHER_SIDE[tile.piece])
    event = Happened("flipped", ("flip.own",), {"piece": turned.piece, "at": action.at})
    return Allowed(state.with_tiles([(action.at, turned)]), (event,))


# The end of a turn


def pass_the_dice(state: State, action: EndTurn) -> Allowed:
    if state.over:
        return Allowed(state)
    colours = [player.colour for player in state.players]
    following = colours[(colours.index(state.turn.player) + 1) % len(colours)]
    return Allowed(state._replace(turn=Turn(following)), (Happened("passed", ("turn.order",), {"player": following}),))


def end_after_the_last_turn(state: State, action: EndTurn) -> Allowed:
    if not state.last_turn:
        return Allowed(state)
    return Allowed(state._replace(over=True), (Happened("over", ("end.trigger",)),))
