"""The clauses of harvesting a bed."""

from __future__ import annotations

from companion.games.garden_rush.board import mask_of
from companion.games.garden_rush.state import Harvest, State, advanced, laid, turned_over, veggie_of, with_own
from companion.rules import Allowed, Happened, Missing, Scored


def harvested_veggie(state: State, action: Harvest) -> str | None:
    return veggie_of(state.own.garden[action.cells[0]])


def one_vegetable_in_the_own_garden(state: State, action: Harvest) -> bool:
    veggie = harvested_veggie(state, action)
    return veggie is not None and all(veggie_of(state.own.garden[cell]) == veggie for cell in action.cells)


def the_bed_matches_a_shape(state: State, action: Harvest) -> bool | Missing:
    veggie = harvested_veggie(state, action)
    bed = mask_of(action.cells)
    if veggie is None or bed.bit_count() < len(action.cells):  # a cell named twice
        return False
    if bed in state.board.beds(state.own.colour, veggie, state.options.mirror):
        return True
    return Missing((f"patterns.{veggie}",)) if state.board.lacks_shapes(veggie) else False


def take_singles_and_turn_doubles(state: State, action: Harvest) -> Allowed:
    pieces = {cell: piece for cell in action.cells if (piece := state.own.garden[cell])}
    singles = [cell for cell, piece in pieces.items() if piece.endswith("/single")]
    after = [(cell, None if cell in singles else turned_over(piece)) for cell, piece in pieces.items()]
    veggie = str(harvested_veggie(state, action))
    discards = state.discards + (veggie,) * len(singles)
    shape = state.board.shape_of(state.own.colour, veggie, mask_of(action.cells), state.options.mirror)
    facts = {"piece": veggie, "discarded": len(singles), "turned": len(pieces) - len(singles), "shape": shape}
    told = Happened("bed-harvested", ("harvest.tokens",), facts)
    return Allowed(with_own(state, laid(state.own, *after), discards=discards), (told,))


def score_a_point_for_each_space(state: State, action: Harvest) -> Allowed:
    points = len(action.cells)
    scored = Scored(state.own.colour, points, None, ("harvest.points",))
    return Allowed(with_own(state, advanced(state.own, points)), (scored,))
