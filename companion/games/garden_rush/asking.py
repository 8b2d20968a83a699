"""Garden Rush: what players might want to do with a cell or a token of the hedge, whether or not they may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.games.garden_rush.board import CELL, CELLS, SIDE, cells_of
from companion.games.garden_rush.openings import beds_to_harvest
from companion.games.garden_rush.state import TOKENS, TOOLS, Action, Harvest, Mole, Place, State, Stuck, veggie_of


def asked(state: State, about: str) -> Iterator[Action]:
    ground, _, place = about.partition("-")
    columns = [column for column, token in enumerate(state.hedge, 1) if token is not None]
    if ground == "hedge" and place.isdecimal() and 1 <= int(place) <= SIDE:
        yield from (Place(int(place), cell) for cell in _cells(state, state.own.colour))
        if state.hedge[int(place) - 1] in TOOLS:
            yield from (Mole(int(place), cell) for cell in _cells(state, state.opponent.colour))
    elif ground == state.own.colour and place in CELL:
        yield from _in_own_garden(state, CELL[place], columns)
    elif ground == state.opponent.colour and place in CELL and state.options.tools:
        yield from (Mole(column, CELL[place]) for column in columns)


def _cells(state: State, colour: str) -> list[int]:
    """The empty cells of a garden; where there are none, all."""
    cells = [cell for cell in range(len(CELLS)) if state.board.has(colour, cell)]
    return [cell for cell in cells if state.player(colour).garden[cell] is None] or cells


def _in_own_garden(state: State, cell: int, columns: list[int]) -> Iterator[Action]:
    """Every bed that the cell is a part of; where there is none, the cell alone."""
    if veggie_of(state.own.garden[cell]) is not None:
        beds = [bed for bed in beds_to_harvest(state) if bed >> cell & 1]
        yield from (Harvest(cells_of(bed)) for bed in sorted(beds, key=cells_of))
        if not beds:
            yield Harvest((cell,))
    else:
        yield from (Place(column, cell) for column in columns)


def answers(state: State, action: Action, missing: str) -> Iterator[Action]:
    """The next token out of the sack, of each kind that it still holds; what becomes of a player who is stuck."""
    if missing == "draw":
        for token, held in zip(TOKENS, state.sack, strict=True):
            if held > action.draw.count(token):
                yield replace(action, draw=(*action.draw, token))
    elif missing == "ruling" and isinstance(action, Stuck):
        yield from (replace(action, ruling=ruling) for ruling in ("pass", "lose"))
