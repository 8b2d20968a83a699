"""Garden Dice: moving a bird or rabbit, and taking one off the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from companion.games.garden_dice.chain import guarded
from companion.games.garden_dice.clauses import true_six
from companion.games.garden_dice.state import INDEX, Move, Remove, State, Tile
from companion.rules import Allowed, Happened, Missing

# Moving a critter


def not_a_fixed_tile(state: State, action: Move) -> bool:
    tile = state.tile(action.origin)
    return tile is None or tile.piece in ("bird", "rabbit")


def own_critter(state: State, action: Move) -> bool:
    tile = state.tile(action.origin)
    return tile is not None and tile.piece in ("bird", "rabbit") and tile.owner == state.turn.player


def _way(action: Move) -> tuple[int, int]:
    """Rows down and columns right from where the critter is to where it goes."""
    (row, column), (to_row, to_column) = (divmod(INDEX[plot], 6) for plot in (action.origin, action.to))
    return to_row - row, to_column - column


def in_a_line(state: State, action: Move) -> bool:
    down, right = map(abs, _way(action))
    return down == 0 or right == 0 or (state.options.critter_diagonal and down == right)


def within_the_die(state: State, action: Move) -> bool:
    return 1 <= max(map(abs, _way(action))) <= action.die


def _between(action: Move) -> Iterator[int]:
    """The plots crossed, by index, without the first and the last; none where the way is no line."""
    down, right = _way(action)
    far = max(abs(down), abs(right))
    if far and all(abs(part) in (0, far) for part in (down, right)):
        step = down // far * 6 + right // far
        yield from range(INDEX[action.origin] + step, INDEX[action.to], step)


def _prey(state: State, action: Move) -> Tile | None:
    """The tile at the end of the way, where it is of the kind and side that this critter eats."""
    critter, tile = state.tile(action.origin), state.tile(action.to)
    if critter is None or tile is None:
        return None
    eats = {"bird": tile.is_seed, "rabbit": tile.is_vegetable}
    return tile if eats.get(critter.piece, False) else None


def way_is_free(state: State, action: Move) -> bool:
    if any(state.board[index] for index in _between(action)):
        return False
    return state.tile(action.to) is None or _prey(state, action) is not None


def eats_an_opponents(critter: str) -> Callable[[State, Move], bool]:
    """The requirement `move.bird` or `move.rabbit`: what the critter ends on is an opponent's."""

    def holds(state: State, action: Move) -> bool:
        mover, prey = state.tile(action.origin), _prey(state, action)
        return mover is None or mover.piece != critter or prey is None or prey.owner != state.turn.player

    return holds


def no_scarecrow_guards_the_seed(state: State, action: Move) -> bool:
    prey = _prey(state, action)
    return prey is None or not prey.is_seed or not guarded(state, action.to, prey.owner)


def disc_for_the_eater(state: State, action: Move) -> bool:
    return _prey(state, action) is None or state.free_discs(state.turn.player) > 0


def one_from_each_opponent(state: State, action: Move) -> bool:
    prey = _prey(state, action)
    return prey is None or prey.owner not in state.turn.eaten_from


def says_what_becomes_of_the_prey(state: State, action: Move) -> bool | Missing:
    if _prey(state, action) is None:
        return action.eat is None
    return Missing(("eat",)) if action.eat is None else True


def die_for_spitting(state: State, action: Move) -> bool | Missing:
    """Another die of at least the tile's value."""
    prey = _prey(state, action)
    if prey is None or action.eat != "spit":
        return True
    if action.spit_die is not None:
        return action.spit_die >= prey.value
    others = Counter(state.turn.dice) - Counter((action.die,))
    return Missing(("spit_die",)) if any(die >= prey.value for die in others) else False


def spat_out_as_bought(state: State, action: Move) -> bool:
    prey = _prey(state, action)
    counts = state.options.spit_counts_as_buy and action.eat == "spit" and prey is not None
    return not counts or prey is None or state.turn.bought.count(prey.kind) < 2


def eat(state: State, action: Move) -> Allowed:
    """Note whom the tile was eaten from, before the critter lies on it."""
    prey = _prey(state, action)
    if prey is None or prey.owner is None:
        return Allowed(state)
    turn = state.turn._replace(eaten_from=(*state.turn.eaten_from, prey.owner))
    clauses = ("move.bird" if prey.is_seed else "move.rabbit", "move.once-each")
    facts = {"piece": prey.piece, "owner": prey.owner, "at": action.to}
    return Allowed(state._replace(turn=turn), (Happened("eaten", clauses, facts),))


def swallow(state: State, action: Move) -> Allowed:
    """The tile leaves the game; a disc of the eater's lies on the critter."""
    critter = state.tile(action.origin)
    if action.eat != "swallow" or critter is None:
        return Allowed(state)
    heavier = critter._replace(discs=(critter.discs or 0) + 1)
    event = Happened("swallowed", ("move.swallow",), {"discs": heavier.discs})
    return Allowed(state.with_tiles([(action.origin, heavier)]), (event,))


def spit_out(state: State, action: Move) -> Allowed:
    """The tile lies seed side up in front of the eater, as if bought."""
    prey = _prey(state, action)
    if action.eat != "spit" or prey is None:
        return Allowed(state)
    eater = state.acting
    state = state.with_player(eater._replace(seeds=(*eater.seeds, prey.kind)))
    if state.options.spit_counts_as_buy:
        state = state._replace(turn=state.turn._replace(bought=(*state.turn.bought, prey.kind)))
    return Allowed(state, (Happened("spat-out", ("move.spit",), {"piece": prey.kind}),))


def go(state: State, action: Move) -> Allowed:
    critter = state.tile(action.origin)
    state = state.with_tiles([(action.origin, None), (action.to, critter)])
    return Allowed(state, (Happened("moved", ("move.line",), {"from": action.origin, "to": action.to}),))


# Taking a critter off


def a_critter(state: State, action: Remove) -> bool:
    tile = state.tile(action.at)
    return tile is not None and tile.piece in ("bird", "rabbit")


def dice_name_the_critter(state: State, action: Remove) -> bool:
    return len(action.dice) == 3 and sorted(action.become or action.dice[:2]) == sorted(map(int, action.at.split(",")))


def third_is_a_six(state: State, action: Remove) -> bool:
    """A six is left for the third, of the kind it must be; coordinates of 6 take one made with the sun first."""
    return len(action.dice) < 3 or (action.dice[2] == 6 and true_six(state))


def give_back(state: State, action: Remove) -> Allowed:
    tile = state.tile(action.at)
    assert tile is not None and tile.owner is not None, "remove.critter holds"
    state = state.with_player(state.player(tile.owner)._replace(critter=True))
    facts = {"piece": tile.piece, "owner": tile.owner, "discs": tile.discs}
    return Allowed(state.with_tiles([(action.at, None)]), (Happened("given-back", ("remove.return",), facts),))
