"""A kit on paper: its boards tiled over sheets that are joined, its pieces with lines to cut along and their backs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.alike import read_picture
from calibration.paper import BLACK, GREY, MARGIN_MM, WHITE, Pages, Paper, Point
from calibration.sheet import Sheet
from companion.document import Fault
from companion.kit import Board, Kit, Marker, Piece

Array = np.ndarray[Any, Any]
Drawings = Mapping[Path, Sheet]  # of a kit that was drawn by code: what its pictures were made from

FLAP_MM = 8.0  # what a sheet shows twice, for the next one to be glued onto
GAP_MM = 4.0  # between pieces
TICK_MM = 4.0
MOST_SHEETS = 400

# What lies on the back, and how many a box holds; of other games each piece is printed once.
BACKS = {
    "bird": "rabbit",
    "sundial": "scarecrow",
    "trowel": "mole",
    "weedkiller": "mole",
    "hose": "mole",
    "toolbox": "mole",
}
SIDES = {"seed": "vegetable", "double": "single"}
COUNTS = {
    "garden-dice": {"seed": 10, "bird": 4, "sundial": 4, "rock": 2, "sun": 4, "disc": 9},
    "garden-rush": {"double": 12, "trowel": 2, "weedkiller": 2, "hose": 2, "toolbox": 2, "gnome": 1},
    "garden-guests": {"stone": 35, "guest": 15, "marker": 4},
}


@dataclass(frozen=True)
class Printed:
    """A piece as it is printed: its face and, where it has one, its back."""

    face: Piece
    back: Piece | None


def check_pictures(kit: Kit) -> None:
    """Raise a Fault for the first picture that cannot be printed."""
    for path in (*(board.image for board in kit.boards), *(piece.image for piece in kit.pieces)):
        if read_picture(path) is None:
            raise Fault(f"{path}: no picture that can be printed")


def box_of(kit: Kit, copies: int | None) -> list[Printed]:
    """The pieces of a box, one entry for each that is cut out; of two sides that belong together one is the face."""
    pieces = {piece.name: piece for piece in kit.pieces}
    backs = {name: _back(name) for name in pieces if _back(name) in pieces}
    counts = COUNTS.get(kit.game, {})
    box: list[Printed] = []
    for piece in kit.pieces:
        if piece.name in backs.values():
            continue
        first, _, last = piece.name.partition("/")
        count = copies or counts.get(last, counts.get(first, 1))
        box += [Printed(piece, pieces[backs[piece.name]] if piece.name in backs else None)] * count
    return box


def _back(name: str) -> str:
    first, _, last = name.partition("/")
    return f"{first}/{SIDES[last]}" if last in SIDES else BACKS.get(name, "")


def tiles(length_mm: float, room_mm: float) -> list[tuple[float, float]]:
    """The stretches of a length that go onto one sheet each, as even as can be, a flap shown twice."""
    count = max(1, ceil((length_mm - FLAP_MM) / (room_mm - FLAP_MM)))
    step = (length_mm - FLAP_MM) / count if count > 1 else length_mm
    return [(i * step, min(length_mm, (i + 1) * step + FLAP_MM) if count > 1 else length_mm) for i in range(count)]


def board_pages(pages: Pages, kit: Kit, board: Board, drawings: Drawings) -> None:
    """A board over as few sheets as hold it, numbered from the top left: A1, A2 … to the right, B1 … below."""

    def tiled(across: bool) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        paper = pages.paper.across() if across else pages.paper
        return tiles(board.size_mm[0], paper.usable_mm[0]), tiles(board.size_mm[1], paper.usable_mm[1])

    across = min((False, True), key=lambda way: len(tiled(way)[0]) * len(tiled(way)[1]))
    columns, rows = tiled(across)
    if len(columns) * len(rows) > MOST_SHEETS:
        raise Fault(f"board {board.id}: {len(columns) * len(rows)} sheets; expected {MOST_SHEETS} at most")
    for i, (top, low) in enumerate(rows):
        for j, (left, right) in enumerate(columns):
            name = f"{_letters(i)}{j + 1}"
            last = f"{_letters(len(rows) - 1)}{len(columns)}"
            pages.begin(pages.words["board"].format(board=board.id, kit=kit.name, sheet=name, last=last), across)
            shown = (right - left, low - top)
            place = (MARGIN_MM + (pages.page.usable_mm[0] - shown[0]) / 2, MARGIN_MM)
            corner = (place[0] - left, place[1] - top)
            part = (place, (place[0] + shown[0], place[1] + shown[1]))
            _art(pages, drawings, board, *corner, part)
            _markers(pages, [m for m in kit.markers if m.board == board.id], corner, part)
            _cut_marks(pages, part)
            _flaps(pages, part, i + 1 < len(rows), j + 1 < len(columns))


def _art(
    pages: Pages, drawings: Drawings, thing: Board | Piece, x: float, y: float, part: tuple[Point, Point] | None = None
) -> None:
    """What a board or piece shows, with its top left corner at a place: as it was drawn, else its picture."""
    if sheet := drawings.get(thing.image):
        pages.drawing(thing.image.stem, sheet.outlines(), x, y, part)
    else:
        pages.picture(thing.image, x, y, thing.size_mm, part)


def _letters(number: int) -> str:
    return (_letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def _cut_marks(pages: Pages, part: tuple[Point, Point]) -> None:
    """Ticks beside the corners, outside the picture."""
    (x0, y0), (x1, y1) = part
    for x, out in ((x0, -1), (x1, 1)):
        for y in (y0, y1):
            pages.line((x + out, y), (x + out * (1 + TICK_MM), y))
    for y, out in ((y0, -1), (y1, 1)):
        for x in (x0, x1):
            pages.line((x, y + out), (x, y + out * (1 + TICK_MM)))


def _flaps(pages: Pages, part: tuple[Point, Point], below: bool, right: bool) -> None:
    """Where the next sheets begin: triangles on the flap, whose points touch the line, and ticks at its ends."""
    (x0, y0), (x1, y1) = part
    if right:
        line = x1 - FLAP_MM
        for y in np.linspace(y0, y1, 7)[1:-1]:
            pages.polygon([(line, y), (line + 3, y - 1.5), (line + 3, y + 1.5)], WHITE, BLACK)
        for y, out in ((y0, -1), (y1, 1)):
            pages.line((line, y + out), (line, y + out * (1 + TICK_MM)))
    if below:
        line = y1 - FLAP_MM
        for x in np.linspace(x0, x1, 7)[1:-1]:
            pages.polygon([(x, line), (x - 1.5, line + 3), (x + 1.5, line + 3)], WHITE, BLACK)
        for x, out in ((x0, -1), (x1, 1)):
            pages.line((x + out, line), (x + out * (1 + TICK_MM), line))


def _markers(pages: Pages, markers: list[Marker], corner: Point, part: tuple[Point, Point]) -> None:
    """The markers of a board that lie wholly on this sheet, on white."""
    for marker in markers:
        modules = _modules(marker)
        x, y = corner[0] + marker.at_mm[0], corner[1] + marker.at_mm[1]
        module = marker.size_mm / len(modules)
        reach = marker.size_mm / 2 + module
        (x0, y0), (x1, y1) = part
        if x0 <= x - marker.size_mm / 2 and x + marker.size_mm / 2 <= x1 and y0 <= y - marker.size_mm / 2:
            if y + marker.size_mm / 2 > y1:
                continue
            left, top = max(x0, x - reach), max(y0, y - reach)
            pages.box(left, top, min(x1, x + reach) - left, min(y1, y + reach) - top, WHITE)
            draw_marker(pages, x, y, marker.size_mm, modules)


def _modules(marker: Marker) -> Array:
    name = marker.dictionary if marker.dictionary.startswith("DICT_") else f"DICT_{marker.dictionary}"
    number = getattr(cv2.aruco, name, None)
    if number is None:
        raise Fault(f"marker {marker.id}: dictionary {marker.dictionary} found; expected one of ArUco's, as 4X4_50")
    known = cv2.aruco.getPredefinedDictionary(number)
    if marker.id >= len(known.bytesList):
        raise Fault(f"marker {marker.id}: {marker.dictionary} has only {len(known.bytesList)}")
    side = known.markerSize + 2
    return np.asarray(cv2.aruco.generateImageMarker(known, marker.id, side, borderBits=1) < 128)


def draw_marker(pages: Pages, x: float, y: float, size: float, modules: Array) -> None:
    """A marker around its middle, runs of black squares as one box: seams between boxes would show."""
    module = size / len(modules)
    left, top = x - size / 2, y - size / 2
    pages.box(left, top, size, size, BLACK)
    for row, line in enumerate(modules):
        for begin, end in _runs(~line):
            pages.box(left + begin * module, top + row * module, (end - begin) * module, module * 1.001, WHITE)


def _runs(line: Array) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(np.int8), [0]])))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def piece_pages(pages: Pages, kit: Kit, copies: int | None, drawings: Drawings) -> None:
    """All pieces of a box, those of one size together; after a page of faces that have backs the page of the backs.

    Printed on both sides, turned over the long edge, they lie back to back.
    """
    box = box_of(kit, copies)
    makes = dict.fromkeys((printed.face.size_mm, printed.back is not None) for printed in box)
    for size, two_sided in makes:
        same = [p for p in box if p.face.size_mm == size and (p.back is not None) == two_sided]
        spots = places(pages.paper, size)
        if len(same) > MOST_SHEETS * len(spots):
            raise Fault(f"{len(same)} pieces of {size} mm; expected {MOST_SHEETS * len(spots)} at most")
        for begin in range(0, len(same), len(spots)):
            on_page = list(zip(same[begin : begin + len(spots)], spots, strict=False))
            pages.begin(pages.words["faces" if two_sided else "pieces"].format(kit=kit.name))
            if two_sided:
                register(pages)
            for printed, (x, y) in on_page:
                _art(pages, drawings, printed.face, x - size[0] / 2, y - size[1] / 2)
                _cut_line(pages, printed.face, x, y)
            if two_sided:
                pages.begin(pages.words["backs"].format(kit=kit.name))
                register(pages)
                for printed, (x, y) in on_page:
                    assert printed.back is not None
                    back = printed.back.size_mm
                    x = pages.paper.width_mm - x
                    _art(pages, drawings, printed.back, x - back[0] / 2, y - back[1] / 2)


def places(paper: Paper, size: tuple[float, float]) -> list[Point]:
    """The middles of as many pieces as go onto a page, in even rows about its middle line."""
    room = paper.usable_mm
    columns, rows = (
        int((whole + GAP_MM - 2 * GAP_MM) / (side + GAP_MM)) for whole, side in zip(room, size, strict=True)
    )
    if columns < 1 or rows < 1:
        raise Fault(f"a piece of {size[0]:g} × {size[1]:g} mm does not go onto {paper.name}")
    wide, high = size[0] + GAP_MM, size[1] + GAP_MM
    middle = (paper.width_mm / 2, MARGIN_MM + room[1] / 2)
    return [
        (middle[0] + (column - (columns - 1) / 2) * wide, middle[1] + (row - (rows - 1) / 2) * high)
        for row in range(rows)
        for column in range(columns)
    ]


def register(pages: Pages) -> None:
    """Crosses near the upper corners: held against the light, those of both sides must meet."""
    for x in (MARGIN_MM / 2 + 1, pages.page.width_mm - MARGIN_MM / 2 - 1):
        pages.line((x - 3, MARGIN_MM), (x + 3, MARGIN_MM))
        pages.line((x, MARGIN_MM - 3), (x, MARGIN_MM + 3))


def _cut_line(pages: Pages, piece: Piece, x: float, y: float) -> None:
    """Along the outline of a piece's picture; squares get ticks, which a long knife follows."""
    w, h = piece.size_mm
    if piece.shape == "disc":
        pages.ring(x, y, w / 2, h / 2)
        return
    outline = _outline(piece)
    pages.polygon([(x + float(px), y + float(py)) for px, py in outline], edge=GREY, width=0.1)


def _outline(piece: Piece) -> Array:
    """The hull of what is not transparent: (N, 2) mm from the picture's middle."""
    w, h = piece.size_mm
    picture = read_picture(piece.image)
    if picture is None or picture.shape[2] == 3 or picture[..., 3].min() > 127 or not (picture[..., 3] > 127).any():
        return np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    alpha = cv2.copyMakeBorder((picture[..., 3] > 127).astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=[0.0])
    grown = cv2.resize(alpha, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST)
    contours, _ = cv2.findContours(grown, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(np.vstack(contours)).reshape(-1, 2)
    px = np.array(picture.shape[1::-1])
    return np.asarray(((hull + 0.5) / 2 - 1) / px * [w, h] - np.array([w, h]) / 2)
