"""Garden Rush: changes that look like an action which breaks a clause, or of which a part is still to be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from companion.change import ILLEGAL, UNFINISHED, Change, Pieces, Suggestion, Table
from companion.games.garden_rush.board import CELL, cells_of, column_of
from companion.games.garden_rush.openings import beds_to_harvest
from companion.games.garden_rush.placing import slid
from companion.games.garden_rush.state import (
    Flip,
    Harvest,
    Mole,
    Move,
    Place,
    State,
    turned_over,
    veggie_of,
)
from companion.games.garden_rush.table import SUPPLY, TRAMPOLINE, expected, supplied
from companion.rules import Game, Refused, judge

Cells = Mapping[tuple[str, int], str | None]  # garden and cell: the piece that lies there now
Attempt = tuple[Any, str | None, bool]  # an action, the clause it breaks if that is not its ruling, is it unfinished


def suggest(game: Game, state: State, change: Change) -> Iterator[Suggestion]:
    """One action that accounts for all that differs for sure."""
    if state.over:
        return
    before = expected(state)
    sure = {place: seen for place, seen in change.differing(before).items() if not change.doubtful(place)}
    cells: dict[tuple[str, int], str | None] = {}
    for place, pieces in sure.items():
        colour, _, name = place.partition("-")
        if place not in SUPPLY:
            cells[colour, CELL[name]] = pieces[0] if pieces else None
    supply = {place: change.seen[place].pieces for place in SUPPLY if place in change.seen}
    differs = any(place in sure for place in SUPPLY)
    for action, clause, unfinished in _attempts(state, cells, supply, differs, before):
        if clause is None and action is not None and isinstance(ruling := judge(game, state, action), Refused):
            clause = ruling.clause
        if clause is not None:
            price = UNFINISHED if unfinished else ILLEGAL
            table = {**before, **sure}
            yield Suggestion((), price, change.misfit(table), clause, action, unfinished)


def _attempts(
    state: State, cells: Cells, supply: Mapping[str, Pieces], differs: bool, before: Table
) -> Iterator[Attempt]:
    if differs:
        yield from _placed(state, cells, supply, before)
    elif cells:
        yield from _harvested(state, cells)
        yield from _changed_without_a_right(state, cells)


# Placing


def _supply_after(state: State, source: int) -> dict[str, Pieces]:
    """Hedge and trampoline after a token was taken and the rest slid; what was drawn is not known."""
    hedge = slid(state.hedge, source, state.board.arrow, state.trampoline)
    return {f"hedge-{column}": supplied(token) if token else () for column, token in enumerate(hedge, 1)}


def _is_resupplied(state: State, source: int, supply: Mapping[str, Pieces]) -> bool:
    """Whether hedge and trampoline lie as they do after the token of a column was taken."""
    as_after = all(supply.get(place, pieces) == pieces for place, pieces in _supply_after(state, source).items())
    return as_after and supply.get(TRAMPOLINE, ("?",)) != ()


def _is_under_way(state: State, source: int, supply: Mapping[str, Pieces], before: Table) -> bool:
    after = _supply_after(state, source)
    return all(pieces in ((), before.get(place, ()), after.get(place, pieces)) for place, pieces in supply.items())


def _placed(state: State, cells: Cells, supply: Mapping[str, Pieces], before: Table) -> Iterator[Attempt]:
    if len(cells) > 1:
        return
    taken = [source for source, token in enumerate(state.hedge, 1) if token is not None]
    resupplied = [source for source in taken if _is_resupplied(state, source, supply)]
    under_way = [source for source in taken if not resupplied and _is_under_way(state, source, supply, before)]
    if not cells and under_way:
        yield None, "place.resupply", True
    for (colour, cell), piece in cells.items():
        for source in (*resupplied, *under_way):
            token = state.hedge[source - 1]
            if piece is None or (piece.partition("/")[0] != token and piece != "mole"):
                continue
            action = Mole(source, cell) if piece == "mole" else Place(source, cell)
            if resupplied:
                yield from _wrongly_placed(state, action, colour, piece)
            elif _legal_place(state, action, colour, piece):
                yield action, "place.resupply", True
    if cells and supply.get(TRAMPOLINE) == () and state.trampoline in map(_token, cells.values()):
        (((_, cell), _),) = cells.items()
        yield Place(1, cell), "place.hedge", False


def _legal_place(state: State, action: Place | Mole, colour: str, piece: str) -> bool:
    if isinstance(action, Mole):
        return colour == state.opponent.colour
    side = "double" if action.source == column_of(action.to) else "single"
    right_side = veggie_of(piece) is None or piece.endswith(side)
    return colour == state.own.colour and state.own.garden[action.to] is None and right_side


def _wrongly_placed(state: State, action: Place | Mole, colour: str, piece: str) -> Iterator[Attempt]:
    if isinstance(action, Mole):
        yield action, "tool.mole" if colour == state.own.colour else None, False
    elif colour != state.own.colour:
        yield action, "tool.place" if veggie_of(piece) is None else "place.empty", False
    elif state.own.garden[action.to] is not None:
        yield action, "place.empty", False
    elif veggie_of(piece) and not piece.endswith("double" if action.source == column_of(action.to) else "single"):
        yield action, "place.column", False
    else:
        yield action, None, False


# Harvesting


def _reaped(piece: str | None) -> str | None:
    """What a token of a bed becomes."""
    return turned_over(piece) if piece and piece.endswith("/double") else None


def _harvested(state: State, cells: Cells) -> Iterator[Attempt]:
    gardens = {colour for colour, _ in cells}
    if len(gardens) > 1:
        return
    (colour,) = gardens
    garden = state.player(colour).garden
    bed = tuple(sorted(cell for _, cell in cells))
    veggies = {veggie_of(garden[cell]) for cell in bed}
    if None in veggies:
        return
    right = all(cells[colour, cell] == _reaped(garden[cell]) for cell in bed)
    if colour != state.own.colour:
        if right:
            yield Harvest(bed), "harvest.kind", False
        return
    for whole in map(cells_of, sorted(beds_to_harvest(state))):
        if right and set(bed) < set(whole):
            yield Harvest(whole), "harvest.pattern", True
        elif set(bed) == set(whole) and all(cells[colour, cell] is None for cell in bed) and not right:
            yield Harvest(whole), "harvest.tokens", False
    if right:
        yield Harvest(bed), None, False


# Bonuses that nobody has earned


def _changed_without_a_right(state: State, cells: Cells) -> Iterator[Attempt]:
    lay = {(colour, cell): state.player(colour).garden[cell] for colour, cell in cells}
    if len(cells) == 1:
        (((colour, cell), piece),) = cells.items()
        if veggie_of(lay[colour, cell]) and piece == turned_over(str(lay[colour, cell])):
            yield Flip(colour, cell), None, False
    if len(cells) == 2:
        (one, other) = cells
        for origin, to in ((one, other), (other, one)):
            piece = lay[origin]
            if piece and cells[origin] is None and _token(cells[to]) == _token(piece):
                clause = None if origin[0] == to[0] == state.own.colour else "bonus.move"
                yield Move(origin[1], to[1]), clause, False


def _token(piece: str | None) -> str | None:
    return piece.partition("/")[0] if piece else None
