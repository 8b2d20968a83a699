"""Garden Dice: which actions would look like a change of the table.

A turn may be seen at once: its roll, all that its dice did in a possible order, and the next player's roll.  Only
actions are followed that change a plot where the table differs, or that make room for one that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, product
from typing import Any, NamedTuple

from companion.change import Change, Node, Pieces, Search, Sight, Step, Suggestion
from companion.games.garden_dice import amiss
from companion.games.garden_dice.chain import walk
from companion.games.garden_dice.clauses import holds
from companion.games.garden_dice.critters import in_a_line
from companion.games.garden_dice.legal import moves, reachable, removals, sundial_ready
from companion.games.garden_dice.state import (
    BESIDE,
    INDEX,
    KINDS,
    PLOTS,
    SPECIALS,
    VALUE,
    Buy,
    EndTurn,
    Flip,
    Harvest,
    Move,
    Place,
    Remove,
    Reroll,
    Roll,
    SetDie,
    State,
    Water,
)
from companion.games.garden_dice.table import expected
from companion.rules import Allowed, Game, Refused, Rule, judge, objection

MOST_NODES = 250
MARGIN = 3.0
HARM = 13.0  # of a step: a plot that a later one makes good
PRICE = 1.5  # of an action: the dice are there to be spent
SUNDIAL = 0.3  # of its use
BOUGHT = 1.0  # of a purchase that nobody saw
THROWN, THROWN_ALIKE = 0.5, 4.0  # of a roll, where other dice lie there than before, or none other
BY_SUN = 3.0
NEXT_TURN = 1.0
DICE, DICE_DOUBT = "dice", 6.0  # the dice on the table are held against the roll as pieces on a place are
AS_PLACED = {"rabbit": "bird", "scarecrow": "sundial"}
HELD = (*KINDS, "bird", "sundial", "rock")
Differing = Mapping[str, Pieces]
Acts = tuple[tuple[Any, ...], float]  # actions to be tried, and their price


class Course(NamedTuple):
    """A state on the way, and the dice that lie on the table then, ascending; None where nobody knows."""

    state: State
    lying: tuple[int, ...] | None


def suggest(game: Game, state: State, change: Change) -> list[Suggestion]:
    """Legal ways to what was seen, and ways that end with an action that breaks a clause."""
    lying = tuple(sorted(state.turn.dice + state.turn.spent)) if state.turn.rolled else change.lay
    if len(change.dice) == 4:
        dice = Sight(_as_pieces(change.dice), DICE_DOUBT)
        change = replace(change, seen={**change.seen, DICE: dice})
    steps = partial(_steps, game, change, state.turn.rolled)
    search = Search(change, _shows, steps, _key, MOST_NODES, MARGIN, PRICE, HARM)
    nodes = search.run(Course(state, lying))
    found = [Suggestion(node.actions, node.price, node.misfit) for node in nodes]
    if nodes[0].misfit > 0 and not search.given_up:
        found += [amis for node in nodes for amis in amiss.suggest(game, node, node.state.state, change)]
        found += [ended for node in nodes if (ended := _ended_early(game, node, change))]
    return found


def _as_pieces(dice: tuple[int, ...]) -> Pieces:
    return tuple(map(str, dice))


def _shows(course: Course) -> Mapping[str, Pieces]:
    return {**expected(course.state), DICE: ("?",) if course.lying is None else _as_pieces(course.lying)}


def _key(course: Course) -> Hashable:
    """What a position holds, whatever the order in which it came about."""
    state, turn = course.state, course.state.turn
    players = tuple((p.score, *p[4:], *sorted(p.seeds), "", *sorted(p.harvested)) for p in state.players)
    in_turn = tuple(tuple(sorted(part)) for part in (turn.dice, turn.bought, turn.eaten_from, turn.sundial))
    return state.board, players, turn.player, turn.rolled, in_turn, turn.sun_die, state.supply, course.lying


def _steps(game: Game, change: Change, was_rolled: bool, node: Node, differing: Differing) -> Iterator[Step]:
    state, lying = node.state
    if state.over:
        return
    if state.turn.rolled:
        wanted = chain(_dice_anew(state, change, lying), _on_the_board(game, state, change, differing))
    else:
        wanted = chain(_rolls(change, node, lying, was_rolled))
    for actions, price in wanted:
        if (after := carried_out(game, state, actions)) is not None:
            thrown = [action.dice for action in actions if isinstance(action, Roll | Reroll)]
            now = tuple(sorted(thrown[-1])) if thrown else lying
            now = change.dice if isinstance(actions[0], SetDie) else now
            yield after[0], Course(after[1], now), price


def carried_out(game: Game, state: State, actions: tuple[Any, ...]) -> tuple[tuple[Any, ...], State] | None:
    """The actions and the state after them, where they are legal; a turn whose dice are used up ends."""
    done: list[Any] = []
    for action in actions:
        ruling = judge(game, state, action)
        if not isinstance(ruling, Allowed):
            return None
        done.append(action)
        state = ruling.state
        if state.turn.rolled and not state.turn.dice:
            ruling = judge(game, state, EndTurn())
            assert isinstance(ruling, Allowed), "a turn without dice may end"
            done.append(EndTurn())
            state = ruling.state
    return tuple(done), state


# Dice


def _rolls(change: Change, node: Node, lying: tuple[int, ...] | None, was_rolled: bool) -> Iterator[Acts]:
    """The dice that lie there, rolled now; one that cannot be told may show anything."""
    dice = change.dice
    if len(dice) == 4 and dice != lying:
        yield (Roll(dice),), THROWN
    elif was_rolled or node.actions:
        return
    elif len(dice) == 4:
        yield (Roll(dice),), THROWN_ALIKE
    elif len(dice) == 3:
        for value in range(1, 7):
            yield (Roll(tuple(sorted((*dice, value)))),), THROWN + 1.8


def _dice_anew(state: State, change: Change, lying: tuple[int, ...] | None) -> Iterator[Acts]:
    """Other dice lie there than those of this turn: rolled again, set with the sun, or the next player's."""
    dice = change.dice
    if len(dice) < 4 or lying is None or dice == lying:
        return
    gone, new = Counter(lying) - Counter(dice), Counter(dice) - Counter(lying)
    yield (EndTurn(), Roll(dice)), NEXT_TURN
    if not state.turn.spent:
        yield (Reroll("four-alike", dice),), THROWN
        yield (Reroll("sun", dice),), BY_SUN
    if sum(new.values()) == 1:
        (origin,), (to,) = gone, new
        yield (SetDie(origin, to),), BY_SUN - NEXT_TURN


def _ended_early(game: Game, node: Node, change: Change) -> Suggestion | None:
    """The next player's dice lie there, and this one's were not all spent: what they bought nobody saw."""
    state, lying = node.state
    if not state.turn.rolled or len(change.dice) < 4 or change.dice == lying:
        return None
    ruling = judge(game, state, EndTurn())
    if not isinstance(ruling, Refused):
        return None
    table = {**node.table, DICE: _as_pieces(change.dice)}
    price = node.price + NEXT_TURN + BOUGHT
    return Suggestion(node.actions, price, change.misfit(table), ruling.clause, EndTurn())


# On the board


def _on_the_board(game: Game, state: State, change: Change, differing: Differing) -> Iterator[Acts]:
    plots = [plot for plot in (*differing, *change.doubted.difference(differing)) if plot in INDEX]
    if not plots or not state.turn.dice:
        return
    yield from _placings(state, change, differing, plots)
    yield from _chains(state, {*plots})
    yield from _flips(state, plots)
    yield from _critters(game, state, change, differing)
    yield from _harvested_at_once(state, plots)


def ways_to_name(state: State, plot: str) -> Iterator[tuple[tuple[int, int], tuple[int, int] | None]]:
    """The pairs of dice that name a plot, with what the sundial makes of them where it must."""
    row, column = map(int, plot.split(","))
    wanted, ready = (min(row, column), max(row, column)), sundial_ready(state)
    for pair in sorted(set(combinations(sorted(state.turn.dice), 2))):
        become = reachable(state, pair, ready)
        if wanted in become:
            yield pair, become[wanted]


def _placings(state: State, change: Change, differing: Differing, plots: Collection[str]) -> Iterator[Acts]:
    for plot in plots:
        if state.tile(plot):
            continue
        pieces = differing.get(plot, ())
        shown = pieces[0] if pieces else ""
        named = AS_PLACED.get(shown, shown.partition("/")[0])
        own = len(pieces) < 2 or pieces[1] == f"disc/{state.turn.player}"
        wanted = HELD if change.doubtful(plot) else (named,) if own and named in HELD else ()
        for pair, become in ways_to_name(state, plot) if wanted else ():
            for piece in wanted:
                yield from _placing(state, Place(piece, plot, pair, become))


def _placing(state: State, action: Place) -> Iterator[Acts]:
    """Placing a piece; a seed that the player does not hold was bought before."""
    price = PRICE + SUNDIAL * (action.become is not None)
    if holds(state.acting, action.piece):
        yield (action,), price
    elif action.piece in KINDS:
        left = Counter(state.turn.dice) - Counter(action.dice)
        for die in sorted(left):
            if die >= VALUE[action.piece]:
                yield (Buy(action.piece, die), action), price + BOUGHT


def _chains(state: State, plots: Collection[str]) -> Iterator[Acts]:
    """Watering and harvesting from each own tile from which the chain reaches a plot that differs."""
    for at, tile in zip(PLOTS, state.board, strict=True):
        if tile is None or tile.owner != state.turn.player or not tile.value:
            continue
        kind, side = (Water, "/seed") if tile.is_seed else (Harvest, "/vegetable")
        steps, _ = walk(state.board, at, side, "", "")
        if any(step.at in plots for step in steps):
            for die in sorted(set(state.turn.dice)):
                if die >= tile.value:
                    yield (kind(at, die),), PRICE


def _flips(state: State, plots: Collection[str]) -> Iterator[Acts]:
    """Specials that differ; and a scarecrow that serves as a sundial for a while."""
    for plot in _own(state, *SPECIALS):
        if plot in plots and 6 in state.turn.dice:
            yield (Flip(plot, 6),), PRICE
    if state.turn.dice.count(6) > 1 and any(state.tile(plot) is None for plot in plots):
        yield from (((Flip(plot, 6),), PRICE) for plot in _own(state, "scarecrow") if plot not in plots)


def _own(state: State, *pieces: str) -> Iterator[str]:
    """The plots where such pieces of the player on turn lie."""
    for plot, tile in zip(PLOTS, state.board, strict=True):
        if tile and tile.piece in pieces and tile.owner == state.turn.player:
            yield plot


def _critters(game: Game, state: State, change: Change, differing: Differing) -> Iterator[Acts]:
    """Critters that went from, or to, a plot that differs; one may have been placed just before."""
    own = f"disc/{state.turn.player}"
    goals = {plot for plot, pieces in differing.items() if pieces[:1] in (("bird",), ("rabbit",)) and own in pieces}
    hidden = change.vague.difference(differing)
    eaten = any(not seen and plot in INDEX and (t := state.tile(plot)) and t.value for plot, seen in differing.items())
    for at, tile in zip(PLOTS, state.board, strict=True):
        if tile is None or tile.piece not in ("bird", "rabbit"):
            continue
        if at in differing or change.doubtful(at):
            yield from (((action,), PRICE) for action in removals(state, at))
        if tile.owner == state.turn.player and (at in differing or goals or eaten):
            ways = _moves(game.rules[Move], state, at, differing, goals, hidden)
            yield from (((move,), _price(move)) for move in ways)
    if goals and state.acting.critter and len(state.turn.dice) >= 3:
        yield from _placed_and_moved(game, state, goals)


def _moves(
    moving: Rule, state: State, at: str, differing: Differing, goals: Collection[str], hidden: Collection[str]
) -> list[Move]:
    """To where the table differs, or out of sight; by a detour only where no die leads there straight."""
    legal = [move for move in moves(state, at) if in_a_line(state, move) and not objection(moving, state, move)]
    straight = [move for move in legal if move.to in goals or move.to in differing]
    if straight:
        return straight
    return [move for move in legal if at in differing and (goals or move.to in hidden)]


def _price(move: Move) -> float:
    return PRICE + 0.5 * (move.eat == "spit")


def _placed_and_moved(game: Game, state: State, goals: Collection[str]) -> Iterator[Acts]:
    """A critter placed somewhere and moved on, straight to where one is seen; where none goes so, by detours."""
    straight = False
    placings = list(_placings_anywhere(state))
    for placed, goal, eat in product(placings, goals, (None, "swallow")):
        left = Counter(state.turn.dice) - Counter(placed.dice)
        for die in left:
            actions = (placed, Move(placed.at, goal, die, eat))
            if in_a_line(state, actions[1]) and carried_out(game, state, actions):
                straight = True
                yield actions, 2 * PRICE + SUNDIAL
    if not straight and len(state.turn.dice) == 4:
        yield from (((placed,), PRICE) for placed in placings)


def _placings_anywhere(state: State) -> Iterator[Place]:
    for pair in sorted(set(combinations(sorted(state.turn.dice), 2))):
        for (a, b), become in reachable(state, pair, sundial_ready(state)).items():
            plots = dict.fromkeys((f"{a},{b}", f"{b},{a}"))
            yield from (Place("bird", plot, pair, become) for plot in plots if state.tile(plot) is None)


def _harvested_at_once(state: State, plots: Collection[str]) -> Iterator[Acts]:
    """A seed placed, watered and harvested with all four dice: only what it took along is gone."""
    if len(state.turn.dice) < 4:
        return
    beside = {PLOTS[index] for plot in plots if state.tile(plot) for index in BESIDE[INDEX[plot]]}
    for plot in beside:
        if state.tile(plot):
            continue
        for pair, become in ways_to_name(state, plot):
            left = sorted((Counter(state.turn.dice) - Counter(pair)).elements())
            for kind in dict.fromkeys(state.acting.seeds):
                yield (Place(kind, plot, pair, become), Water(plot, left[0]), Harvest(plot, left[1])), 3 * PRICE


def shape(actions: tuple[Any, ...]) -> Hashable:
    """What was done, whatever dice it took; a turn ends by itself."""
    return tuple(_without_dice(action) for action in actions if not isinstance(action, EndTurn))


def _without_dice(action: Any) -> Any:
    match action:
        case Place() | Remove():
            return replace(action, dice=(), become=None)
        case Move():
            return replace(action, die=0, spit_die=None)
        case Buy() | Water() | Harvest() | Flip():
            return replace(action, die=0)
    return action
