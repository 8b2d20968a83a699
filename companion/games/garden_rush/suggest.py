"""Garden Rush: which actions would look like a change of the table.

An action grows by its bonuses, one after the other, as long as they would change what still differs; what was drawn
out of the sack lies on trampoline and hedge.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from companion.change import LIKELY_WRONG, Change, Node, Pieces, Search, Step, Suggestion
from companion.games.garden_rush import amiss
from companion.games.garden_rush.board import CELLS, COLOURS, SIDE, VEGGIES, cells_of, column_of
from companion.games.garden_rush.bonuses import in_view_at_the_opponent
from companion.games.garden_rush.nesting import due, extended
from companion.games.garden_rush.openings import beds_to_harvest
from companion.games.garden_rush.state import (
    TOKENS,
    TOOLS,
    Action,
    Flip,
    Harvest,
    Hose,
    Mole,
    Move,
    MoveMole,
    Place,
    State,
    Toolbox,
    Trowel,
    Weedkiller,
    veggie_of,
)
from companion.games.garden_rush.supply import may_become, rows_drawn
from companion.games.garden_rush.table import SUPPLY, expected
from companion.rules import Allowed, Game, Unsettled, judge

PRICE = 2.5  # of an action
BONUS = 1.5  # of a bonus that it takes
NEXT_TURN = 0.7  # of the other player's action seen at the same time
MOST_NODES = {1: 60, 2: 45, 3: 60}  # by how many turns may have been taken
FIRST_GLANCE = 20  # nodes, where both gardens differ: then it was hardly one turn
PATIENCE = 12  # nodes that are looked at after one that fits exactly
SUPPLY_HINT = 0.1  # of what hedge and trampoline do not show yet
MARGIN = 2.9
HARM = 13.0  # of a part of an action that later parts make good
MOST_LATER = 2  # tokens taken after a part of an action
Differing = Mapping[str, Pieces]


class Course(NamedTuple):
    """What has been done: the state after it, and the last action with the state that it met, to grow by a bonus."""

    state: State
    met: State | None = None
    action: Action | None = None
    due: tuple[str, ...] = ()
    done: tuple[Action, ...] = ()  # before the last action

    @property
    def actions(self) -> tuple[Action, ...]:
        return self.done if self.action is None else (*self.done, self.action)


def suggest(game: Game, state: State, change: Change) -> list[Suggestion]:
    """Legal ways to what was seen, and ways that end with an action that breaks a clause."""
    both = _both_gardens_differ(change)
    nodes = _searched(game, Course(state), change, 1, FIRST_GLANCE if both else MOST_NODES[1])
    if nodes[0].misfit >= LIKELY_WRONG and both:
        nodes = _searched(game, Course(state), change, 2, MOST_NODES[2])
        likely: Course = nodes[0].state
        if nodes[0].misfit >= LIKELY_WRONG or any(action.bonus for action in likely.actions):
            # What looks like a bonus may have been a turn of its own.
            more = _searched(game, Course(state), change, 3, MOST_NODES[3])
            nodes = sorted((*nodes, *more), key=lambda node: node.cost)
    found = [Suggestion(node.state.actions, node.price, node.misfit) for node in nodes]
    if nodes[0].misfit > 0:
        found += amiss.suggest(game, state, change)
    return found


def _both_gardens_differ(change: Change) -> bool:
    """Whether both players may have taken their turns: each leaves a trace in the own garden, or a mole."""
    gardens = {place.partition("-")[0] for place in (*change.differing(change.before), *change.vague)}
    return gardens.issuperset(COLOURS)


def grown(game: Game, met: State, action: Action, change: Change) -> list[Suggestion]:
    """The action that met a state, with bonuses more that it had earned."""
    ruling = judge(game, met, action)
    if not isinstance(ruling, Allowed) or not due(ruling):
        return []
    nodes = _searched(game, Course(ruling.state, met, action, due(ruling)), change, 1, MOST_NODES[1])
    return [Suggestion(node.state.actions, node.price, node.misfit) for node in nodes if node.actions]


def _searched(game: Game, start: Course, change: Change, turns: int, most: int) -> list[Node]:
    gardens = replace(
        change,
        seen={place: sight for place, sight in change.seen.items() if place not in SUPPLY},
        unsure=change.unsure.difference(SUPPLY),
    )

    def hope(node: Node) -> float:
        """Hedge and trampoline mean little as long as another token may be taken."""
        course: Course = node.state
        more = course.due or len(course.actions) < turns
        if not more:
            return node.misfit
        in_gardens = gardens.misfit(node.table)
        return in_gardens + SUPPLY_HINT * (node.misfit - in_gardens)

    steps = partial(_steps, game, change, turns)
    search = Search(change, _shows, steps, _key, most, MARGIN, BONUS, HARM, hope, patience=PATIENCE)
    return search.run(start)


def _shows(course: Course) -> Mapping[str, Pieces]:
    return expected(course.state)


def _key(course: Course) -> Hashable:
    return course.state[:8], tuple(sorted(course.due)), len(course.actions)


def _steps(game: Game, change: Change, turns: int, node: Node, differing: Differing) -> Iterator[Step]:
    """The last action with one bonus more; or the next player's action."""
    course: Course = node.state
    for step in _all_steps(game, change, turns, course, Look(change, differing)):
        following: Course = step[1]
        more = following.due or len(following.actions) < turns
        if may_become(following.state, following.due, MOST_LATER if more else 0, change):
            yield step


def _all_steps(game: Game, change: Change, turns: int, course: Course, look: Look) -> Iterator[Step]:
    if course.met is not None and course.action is not None:
        acting = course.state._replace(turn=course.met.turn, over=False)
        for bonus in course.due:
            for part in _ways(acting, bonus, look):
                yield from _drawn(game, course.met, extended(course.action, part), course.done, change, BONUS)
    if len(course.actions) < turns and not course.state.over:
        price = PRICE + NEXT_TURN * len(course.actions)
        for action in _openings(course.state, look):
            yield from _drawn(game, course.state, action, course.actions, change, price)


def _drawn(
    game: Game, met: State, action: Action, done: tuple[Action, ...], change: Change, price: float
) -> Iterator[Step]:
    """The action with what may have been drawn for it, where it is legal then."""
    ruling = judge(game, met, action)
    if isinstance(ruling, Allowed):
        yield (action,), Course(ruling.state, met, action, due(ruling), done), price
    if not isinstance(ruling, Unsettled) or ruling.missing != ("draw",):
        return
    tried: set[tuple[str, ...]] = set()
    for row, extra in rows_drawn(change, met):
        for number in range(1, len(row) + 1):
            draw = (*action.draw, *row[-number:])
            if draw in tried:
                break
            if any(draw.count(token) > met.sack[TOKENS.index(token)] for token in draw):
                break
            drawn = replace(action, draw=draw)
            ruling = judge(game, met, drawn)
            if isinstance(ruling, Allowed):
                tried.add(draw)
                yield (drawn,), Course(ruling.state, met, drawn, due(ruling), done), price + extra
            if not isinstance(ruling, Unsettled) or ruling.missing != ("draw",):
                break


# What may be a part of it


class Look:
    """Where the table differs from a state, and where nobody can tell."""

    def __init__(self, change: Change, differing: Differing) -> None:
        self.change, self.differing = change, differing
        self.touched = {*differing, *change.vague}

    def at(self, colour: str, cell: int) -> bool:
        return f"{colour}-{CELLS[cell]}" in self.touched

    def differs(self, colour: str, *cells: int) -> bool:
        """Whether one of the cells surely shows something else."""
        return any(f"{colour}-{CELLS[cell]}" in self.differing for cell in cells)

    def shown(self, colour: str, cell: int) -> str | None:
        """The token that surely lies there now, if one does."""
        place = f"{colour}-{CELLS[cell]}"
        pieces = self.differing.get(place, ())
        return None if self.change.doubtful(place) or not pieces else pieces[0].partition("/")[0]


def _openings(state: State, look: Look) -> Iterator[Action]:
    yield from _placings(state, look, range(1, SIDE + 1))
    for bed in sorted(beds_to_harvest(state)):
        cells = cells_of(bed)
        if any(look.at(state.own.colour, cell) for cell in cells):
            yield Harvest(cells)


def _placings(state: State, look: Look, columns: Collection[int]) -> Iterator[Place | Mole]:
    """Tokens of the hedge placed where the table differs, or on a tool space, from where they may be gone again."""
    own, opponent = state.own, state.opponent
    tools = state.board.ground(own.colour).tools
    for cell in range(len(CELLS)):
        if own.garden[cell] is None and (look.at(own.colour, cell) or (tools and tools[cell])):
            shown = None if tools and tools[cell] else look.shown(own.colour, cell)
            yield from (Place(column, cell) for column in columns if shown is None or shown == state.hedge[column - 1])
        if opponent.garden[cell] is None and look.at(opponent.colour, cell):
            yield from (Mole(column, cell) for column in columns if state.hedge[column - 1] in TOOLS)


def _ways(state: State, bonus: str, look: Look) -> Iterator[Action]:
    """Ways to use a bonus that would change what differs."""
    own, opponent = state.own, state.opponent
    cells = range(len(CELLS))
    tools = state.board.ground(own.colour).tools or (None,) * len(CELLS)
    match bonus:
        case "place":
            yield from _placings(state, look, range(1, SIDE + 1))
        case "harvest":
            yield from (
                Harvest(cells_of(bed))
                for bed in sorted(beds_to_harvest(state))
                if any(look.at(own.colour, cell) for cell in cells_of(bed))
            )
        case "move":
            origins = [cell for cell in cells if own.garden[cell] and look.at(own.colour, cell)]
            goals = [c for c in cells if own.garden[c] is None and (look.at(own.colour, c) or tools[c])]
            pairs = ((origin, to) for origin in origins for to in goals if look.differs(own.colour, origin, to))
            yield from (Move(origin, to) for origin, to in pairs)
        case "flip":
            yield from (
                Flip(colour, cell)
                for colour in COLOURS
                for cell in cells
                if veggie_of(state.player(colour).garden[cell]) and look.at(colour, cell)
            )
        case "trowel":
            for one in range(1, SIDE):
                for placing in _placings(_swapped(state, one), look, (one, one + 1)):
                    yield Trowel((one, one + 1), placing)
        case "weedkiller":
            yield from (Weedkiller(veggie) for veggie in VEGGIES if veggie in state.hedge)
        case "hose":
            columns = {column_of(c) for c in cells for p in state.players if look.differs(p.colour, c) and p.garden[c]}
            yield from (Hose(column) for column in sorted(columns))
        case "toolbox":
            borrowed = dict.fromkeys(right.bonus for right in in_view_at_the_opponent(state))
            yield from (Toolbox(use) for other in borrowed if other != "toolbox" for use in _ways(state, other, look))
        case "move-mole":
            moles = [c for c in cells if own.garden[c] == "mole" and look.at(own.colour, c)]
            goals = [c for c in cells if opponent.garden[c] is None and look.at(opponent.colour, c)]
            seen = [to for to in goals if look.differs(opponent.colour, to)]
            yield from (MoveMole(mole, to) for mole in moles for to in seen or goals)


def _swapped(state: State, one: int) -> State:
    hedge = list(state.hedge)
    hedge[one - 1], hedge[one] = hedge[one], hedge[one - 1]
    return state._replace(hedge=tuple(hedge))
