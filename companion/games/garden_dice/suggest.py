"""Garden Dice: which actions would look like a change of the table.

A turn may be seen at once: its roll, all that its dice did in a possible order, and the next player's roll.  Only
actions are followed that change a plot where the table differs, or that make room for one that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, product
from typing import Any, NamedTuple

from companion.change import Change, Node, Pieces, Search, Sight, Step, Suggestion
from companion.games.garden_dice import amiss
from companion.games.garden_dice.possible import PRICE, Acts, Differing, carried_out, on_the_board, scored_alone
from companion.games.garden_dice.state import (
    KINDS,
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
from companion.rules import Game, Refused, judge

MOST_NODES = 250
MARGIN = 3.45
HARM = 13.0  # of a step: a plot that a later one makes good
THROWN, THROWN_ALIKE = 0.5, 4.0  # of a roll, where other dice lie there than before, or none other
BY_SUN = 3.0
NEXT_TURN = 1.0
OWED = 0.5  # of the end of a turn whose dice nobody saw spent
ONE_OTHER = 2.0  # of a roll that differs in one die from the one before
DICE, DICE_DOUBT = "dice", 6.0  # the dice on the table are held against the roll as pieces on a place are
THROW = 4  # dice
SEEMING = 2.5  # of a die in doubt that shows another value than it seems to
ANY = 1.8  # of each value that a die may show of which nothing is seen


class Course(NamedTuple):
    """A state on the way, and the dice that lie on the table then, ascending; None where nobody knows.

    `owed` counts the actions before the first end of a turn that still owed dice: what they bought nobody saw.
    """

    state: State
    lying: tuple[int, ...] | None
    owed: int | None = None


def suggest(game: Game, state: State, change: Change) -> list[Suggestion]:
    """Legal ways to what was seen, and ways that end with an action that breaks a clause."""
    lying = tuple(sorted(state.turn.dice + state.turn.spent)) if state.turn.rolled else _lying(change)
    rolls = _possible_rolls(change)
    if lying in rolls and change.lay != ():
        rolls = {lying: 0.0}  # that a die in doubt shows this has been weighed before
    if rolls:
        costs = {_as_pieces(dice): cost for dice, cost in rolls.items()}
        dice = Sight(min(costs, key=lambda pieces: costs[pieces]), DICE_DOUBT, costs)
        change = replace(change, seen={**change.seen, DICE: dice})
    steps = partial(_steps, game, change, state.turn.rolled)
    search = Search(change, _shows, steps, _key, MOST_NODES, MARGIN, PRICE, HARM)
    nodes = search.run(Course(state, lying))
    found = [_suggestion(node) for node in nodes]
    if nodes[0].misfit > 0 and not search.given_up:
        # Of several turns at once too much was not seen to accuse anybody.
        told = [node for node in nodes if node.state.owed is None and EndTurn() not in node.actions[1:-1]]
        found += [amis for node in told for amis in amiss.suggest(game, node, node.state.state, change)]
    return found


def _lying(change: Change) -> tuple[int, ...] | None:
    """The dice that lay there before this turn's roll: where all that were seen lie there still, so did the others."""
    return change.dice if len(change.dice) == THROW and _lie_as_they_lay(change) else change.lay


def _suggestion(node: Node) -> Suggestion:
    """What led to a node; where dice are owed on the way, up to the end of that turn, which must wait for them."""
    course: Course = node.state
    if course.owed is None:
        return Suggestion(node.actions, node.price, node.misfit, guessed=_is_guessed(node.actions))
    return Suggestion(node.actions[: course.owed], node.price, node.misfit, "turn.spend-all", EndTurn())


def _is_guessed(actions: tuple[Any, ...]) -> bool:
    """Whether a seed was placed and is gone again: the plot might as well have been another."""
    placed = set()
    for action in actions:
        if isinstance(action, Place):
            placed.add(action.at)
        elif isinstance(action, Harvest) and action.at in placed:
            return True
    return False


def _possible_rolls(change: Change) -> dict[tuple[int, ...], float]:
    """What the four dice on the table may show, with what each costs: one of those in doubt may be misread."""
    return _shown(change.dice, change.seeming) if len(change.dice) + len(change.seeming) == THROW else {}


def _shown(dice: tuple[int, ...], seeming: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """The dice that are seen with those in doubt, as they seem to be or with one of them otherwise."""
    found = {tuple(sorted((*dice, *seeming))): 0.0}
    for number, value in product(range(len(seeming)), range(1, 7)):
        others = (*seeming[:number], *seeming[number + 1 :])
        found.setdefault(tuple(sorted((*dice, *others, value))), SEEMING)
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
    return state.board, players, turn.player, turn.rolled, in_turn, turn.sun_die, state.supply, course[1:]


def _steps(game: Game, change: Change, was_rolled: bool, node: Node, differing: Differing) -> Iterator[Step]:
    course: Course = node.state
    state, lying = course.state, course.lying
    if state.over:
        return
    if state.turn.rolled:
        wanted = chain(
            _dice_anew(state, change, lying),
            on_the_board(game, state, change, differing),
            scored_alone(game, state, change),
        )
    else:
        wanted = chain(_rolls(change, node, lying, was_rolled))
    for actions, price in wanted:
        owed = course.owed
        after = carried_out(game, state, actions)
        if after is None and (after := _ended_all_the_same(game, state, actions)) is not None:
            owed, price = len(node.actions) if owed is None else owed, price + OWED
        if after is not None:
            thrown = [action.dice for action in actions if isinstance(action, Roll | Reroll)]
            now = tuple(sorted(thrown[-1])) if thrown else lying
            if isinstance(set_with_sun := actions[0], SetDie) and lying is not None:
                now = tuple(sorted((*(Counter(lying) - Counter((set_with_sun.origin,))).elements(), set_with_sun.to)))
            yield after[0], Course(after[1], now, owed), price


def _ended_all_the_same(game: Game, state: State, actions: tuple[Any, ...]) -> tuple[tuple[Any, ...], State] | None:
    """The next player's roll lies there though this turn still owes dice: what they were spent on left no trace."""
    if not isinstance(actions[0], EndTurn) or judge(game, state, EndTurn()) != Refused("turn.spend-all"):
        return None
    indulgent = state._replace(options=replace(state.options, must_spend="off"))
    after = carried_out(game, indulgent, actions)
    return after and (after[0], after[1]._replace(options=state.options))


# Dice


def _rolls(change: Change, node: Node, lying: tuple[int, ...] | None, was_rolled: bool) -> Iterator[Acts]:
    """The dice that lie there, rolled now; one that cannot be told may show anything."""
    dice, rolls = change.dice, _possible_rolls(change)
    alike = list(rolls) if _lie_as_they_lay(change) else [lying] if lying in rolls else []
    yield from (((Roll(roll),), THROWN) for roll in rolls if roll not in alike)
    if was_rolled or node.actions:
        return
    if alike:
        yield from (((Roll(roll),), THROWN_ALIKE) for roll in alike)
    elif len(dice) + len(change.seeming) == 3 and (not lying or Counter(dice) - Counter(lying)):
        for roll, cost in _shown(dice, change.seeming).items():
            yield from (((Roll(tuple(sorted((*roll, value)))),), THROWN + ANY + cost) for value in range(1, 7))


def _dice_anew(state: State, change: Change, lying: tuple[int, ...] | None) -> Iterator[Acts]:
    """Other dice lie there than those of this turn: rolled again, set with the sun, or the next player's."""
    rolls = _possible_rolls(change)
    if lying is None or (lying in rolls and change.lay != ()) or _lie_as_they_lay(change):
        return
    for dice in rolls:
        if dice != lying:
            yield from _other_dice(state, lying, dice)


def _lie_as_they_lay(change: Change) -> bool:
    """Whether all dice that were seen before lie there still: where there are more now, those were not seen."""
    return bool(change.lay) and not Counter(change.lay) - Counter(change.dice)


def _other_dice(state: State, lying: tuple[int, ...], dice: tuple[int, ...]) -> Iterator[Acts]:
    gone, new = Counter(lying) - Counter(dice), Counter(dice) - Counter(lying)
    yield (EndTurn(), Roll(dice)), NEXT_TURN + ONE_OTHER * (sum(new.values()) == 1)
    if not state.turn.spent:
        yield (Reroll("four-alike", dice),), THROWN
        yield (Reroll("sun", dice),), BY_SUN
    if sum(new.values()) == 1:
        (origin,), (to,) = gone, new
        yield (SetDie(origin, to),), BY_SUN


def overlooked(state: State, action: Any, change: Change) -> Iterator[Buy]:
    """Purchases with the dice that a turn ended with, of seeds of that player that lie on the board now."""
    if not isinstance(action, EndTurn) or not state.turn.dice:
        return
    disc = f"disc/{state.turn.player}"
    placed = {pieces for pieces in change.differing(change.before).values() if pieces[1:] == (disc,)}
    for kind in KINDS:
        fitting = [die for die in state.turn.dice if die >= VALUE[kind]]
        if fitting and not placed.isdisjoint(((f"{kind}/seed", disc), (f"{kind}/vegetable", disc))):
            yield Buy(kind, min(fitting))


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
