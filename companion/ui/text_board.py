"""A table drawn in text: its spaces where the kit has them, one row of text for each row of spaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from companion.account import Teller
from companion.kit import Kit, Space
from companion.ui.view import View
from companion.ui.view.shapes import UNSURE
from companion.ui.view.wording import initial, piece_name

CELL = 7  # characters from one space to the next in a row, at most
MOST_WIDTH = 50  # characters of a row of spaces, without its label
SAME_ROW = 0.4  # of a space's size: what is no farther down is in the same row
SIDES = {"seed": str.lower, "vegetable": str.upper}
TURNED = {"double": "2", "single": "1"}


def drawn(view: View, kit: Kit, teller: Teller) -> list[str]:
    """The lines of every board that has spaces besides the score track.

    `>` stands before what differs from the game, `?` before what cannot be told.
    """
    spaces = [space for space in kit.spaces if space.id in view.table]
    found: list[str] = []
    for board in kit.boards:
        if mine := [space for space in spaces if space.board == board.id]:
            found += _board(mine, view, teller)
    return found


def _board(spaces: Sequence[Space], view: View, teller: Teller) -> list[str]:
    rows = _rows(spaces)
    left = min(space.at_mm[0] for space in spaces)
    gaps = [b.at_mm[0] - a.at_mm[0] for row in rows for a, b in pairwise(row)]
    step_mm = min(gaps, default=1.0)
    across = (max(space.at_mm[0] for space in spaces) - left) / step_mm + 1
    cell = min(CELL, int(MOST_WIDTH / across)) if gaps else CELL
    labels = [_label(row, teller) for row in rows]
    margin = max(map(len, labels)) + 1

    def column(space: Space) -> int:
        return margin + round((space.at_mm[0] - left) / step_mm * cell)

    heading = {column(space): f" {space.tags['column']}" for row in rows for space in row if "column" in space.tags}
    lines = [_placed(heading)] if heading else []
    for label, row in zip(labels, rows, strict=True):
        lines.append(_placed({0: label, **{column(space): cell_text(space, view, teller) for space in row}}))
    width = margin + round(across * cell)  # whatever lies there, what stands beside it does not move
    return [line.ljust(width) for line in lines]


def _rows(spaces: Sequence[Space]) -> list[list[Space]]:
    """From the top down, each from left to right."""
    rows: list[list[Space]] = []
    for space in sorted(spaces, key=lambda space: space.at_mm[1]):
        if rows and space.at_mm[1] - rows[-1][0].at_mm[1] < SAME_ROW * space.size_mm[1]:
            rows[-1].append(space)
        else:
            rows.append([space])
    return [sorted(row, key=lambda space: space.at_mm[0]) for row in rows]


def _label(row: Sequence[Space], teller: Teller) -> str:
    """What tells a row from the others: its number, with the garden where there are several, else its first space."""
    tags = row[0].tags
    if "row" in tags:
        return f"{teller.name(tags['garden'])} {tags['row']}" if "garden" in tags else str(tags["row"])
    return str(teller.common["ground"].get(row[0].kind, row[0].id))


def _placed(texts: Mapping[int, str]) -> str:
    line = ""
    for at, text in sorted(texts.items()):
        line = line.ljust(at)[: max(at, len(line))] + text
    return line


def cell_text(space: Space, view: View, teller: Teller) -> str:
    """A mark, and in a few letters what lies on a space; of an empty one what it is."""
    mark = {None: " ", UNSURE: "?"}.get(view.marks.get(space.id), ">")
    pieces = view.table[space.id]
    if not pieces:
        return mark + _ground(space, teller)
    count = view.counts.get(space.id, 0)
    return mark + "".join(_short(piece, count, teller) for piece in pieces)


def _short(piece: str, count: int, teller: Teller) -> str:
    kind, _, of = piece.partition("/")
    match kind:
        case "disc":
            return f":{initial(teller, of)}{count if count > 1 else ''}"
        case "guest":
            return f"{initial(teller, of)}{count or ''}"
        case "stone":
            return f"o{initial(teller, of).lower()}"
        case "marker":
            return "*"
    name = teller.name(kind)[:3]
    return SIDES.get(of, str)(name) + TURNED.get(of, "")


def _ground(space: Space, teller: Teller) -> str:
    """A star, a tool, a flower, a pedestal with its flower, a home; a dot for all else."""
    match space.kind:
        case "flower":
            return teller.name(space.tags["flower"])[:1].lower()
        case "pedestal":
            return f"({teller.name(space.tags['flower'])[:1].lower()}"
        case "home":
            return f"[{teller.name(space.tags['team'])[:1].lower()}"
        case "mushroom":
            return "^"
    if space.tags.get("star"):
        return "*"
    return f"({teller.name(space.tags['tool'])[:1].lower()}" if "tool" in space.tags else "."


def legend(kit: Kit, teller: Teller) -> Iterator[str]:
    """What the letters on the board stand for, a line each: what is printed there, and pieces."""
    grounds = teller.common["grounds"]
    yield from (str(grounds[kind]) for kind in dict.fromkeys(space.kind for space in kit.spaces) if kind in grounds)
    for piece in kit.pieces:
        yield f"{_short(piece.name, 0, teller):<6} {piece_name(teller, piece.name)}"
