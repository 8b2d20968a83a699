"""What might be begun in a turn, before any rule has been asked."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.garden_rush.board import CELLS, VEGGIES, cells_of, mask_of
from companion.games.garden_rush.state import TOOLS, Action, Harvest, Mole, Place, Player, State, veggie_of


def openings(state: State) -> Iterator[Action]:
    """Every place, mole and harvest that could be legal, and some that are not."""
    for column, token in enumerate(state.hedge, 1):
        if token is not None:
            yield from (Place(column, cell) for cell in _empty_cells(state, state.own))
        if token in TOOLS:
            yield from (Mole(column, cell) for cell in _empty_cells(state, state.opponent))
    for bed in sorted(beds_to_harvest(state), key=cells_of):
        yield Harvest(cells_of(bed))


def _empty_cells(state: State, player: Player) -> list[int]:
    return [c for c in range(len(CELLS)) if player.garden[c] is None and state.board.has(player.colour, c)]


def beds_to_harvest(state: State) -> set[int]:
    """The beds of the entered shapes that stand complete in the own garden, as masks."""
    found: set[int] = set()
    for veggie in VEGGIES:
        if planted := mask_of(cell for cell, piece in enumerate(state.own.garden) if veggie_of(piece) == veggie):
            beds = state.board.beds(state.own.colour, veggie, state.options.mirror)
            found.update(bed for bed in beds if bed & planted == bed)
    return found
