"""Garden Rush: tokens on one another, beds of no shape, bonuses that nobody earned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from random import Random

from companion.games.garden_rush.board import CELLS, COLOURS, SIDE
from companion.games.garden_rush.bonuses import PARTS
from companion.games.garden_rush.state import TOKENS, TOOLS, Action, Flip, Harvest, Mole, Move, Place, State, veggie_of
from companion.games.garden_rush.table import expected
from companion.rules import Allowed, Rule, follow

MOST_OF_A_KIND = 8  # that are thought of
MOST_CELLS = 4  # of a bed that is none


def conceivable(state: State, random: Random) -> Iterator[Action]:
    if state.over:
        return
    yield from _placings(state, random)
    yield from _beds(state, random)
    filled = [cell for cell in range(len(CELLS)) if state.own.garden[cell]]
    empty = [c for c in range(len(CELLS)) if state.own.garden[c] is None and state.board.has(state.own.colour, c)]
    for origin in filled:
        yield Move(origin, random.choice(empty or filled))
    for colour in COLOURS:
        # Only to its double side: turned to the single one it looks like a bed of one cell.
        garden = state.player(colour).garden
        yield from (Flip(colour, cell) for cell in range(len(CELLS)) if str(garden[cell]).endswith("/single"))


def _placings(state: State, random: Random) -> Iterator[Action]:
    """Any token of the hedge onto any cell; what is drawn then comes out of the sack."""
    draw = tuple(random.choices(TOKENS, state.sack)) if any(state.sack) else ()
    for _ in range(MOST_OF_A_KIND):
        column, cell = random.randint(1, SIDE), random.randrange(len(CELLS))
        if state.board.has(state.own.colour, cell) and state.hedge[column - 1]:
            yield Place(column, cell, draw=draw)
        if state.board.has(state.opponent.colour, cell) and state.hedge[column - 1] in TOOLS:
            yield Mole(column, cell, draw=draw)


def _beds(state: State, random: Random) -> Iterator[Harvest]:
    """Some cells of the own garden that bear vegetables, alike or not."""
    planted = [cell for cell in range(len(CELLS)) if veggie_of(state.own.garden[cell])]
    beds = [bed for count in range(1, MOST_CELLS + 1) for bed in combinations(planted, count)]
    yield from map(Harvest, random.sample(beds, min(MOST_OF_A_KIND, len(beds))))


def lying_after(rule: Rule, state: State, action: Action) -> dict[str, tuple[str, ...]]:
    """The table after the action; a token that was laid on another covers it."""
    done = follow(PARTS[type(action)].then, state._replace(draws=action.draw), replace(action, draw=()))
    assert isinstance(done, Allowed), "as many tokens are drawn as it takes, and it has no bonus"
    return expected(done.state)
