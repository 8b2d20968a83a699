"""Garden Rush beside the board: the pattern guide, on one page, with every shape of every vegetable of a kit."""

from __future__ import annotations

from calibration import icons
from calibration.draw_rush import GROUNDS
from calibration.paper import MARGIN_MM, Colour, Pages
from calibration.sheet import shaded
from calibration.tabletop import CREAM, INK, Told, icon, plate
from companion.kit import Kit

CELL_MM = 9.0
GREEN: Colour = (38, 92, 52)
Shape = tuple[tuple[int, int], ...]


def rush_tabletop(pages: Pages, told: Told, kit: Kit) -> None:
    said = told.texts["guide"]
    pages.begin(told.texts["extras"]["guide"])
    width, height = pages.page.usable_mm
    left, top, middle = MARGIN_MM, MARGIN_MM, pages.page.width_mm / 2
    plate(pages, middle, top + height / 2 - 2, (width, height - 4), GREEN, 6)
    plate(pages, middle, top + height / 2 - 2, (width - 4, height - 8), (214, 226, 190), 4.5)
    pages.text(left + 8, top + 14, said["title"], 7, GREEN, font="bold")
    pages.text(left + 8, top + 20.5, said["how"], 3.3, INK)
    pages.text(left + 8, top + 25.2, said["where"], 3.3, INK)
    row = (height - 38) / len(GROUNDS)
    for number, name in enumerate(GROUNDS):
        y = top + 29 + (number + 0.5) * row
        pale, deep = GROUNDS[name]
        plate(pages, middle, y, (width - 10, row - 2.5), shaded(deep, 0.8), 3)
        plate(pages, middle, y, (width - 11, row - 3.5), pale, 2.6)
        icon(pages, icons.VEGETABLES[name], left + 22, y - 3, 11)
        pages.text(left + 22, y + 14, told.names[name], 3.6, INK, align="m", font="bold")
        for place, shape in enumerate(kit.patterns[name]):
            x = left + 42 + (place + 0.5) * (width - 50) / 3
            _bed(pages, x, y, shape, name, said["points"].format(count=len(shape)))


def _bed(pages: Pages, x: float, y: float, shape: Shape, name: str, points: str) -> None:
    """A shape around a middle, its gaps empty, and what it brings."""
    rows, columns = (max(cell[way] for cell in shape) + 1 for way in (0, 1))
    pale, deep = GROUNDS[name]
    plate(pages, x + 20, y, (9, 7), deep, 3.5)
    pages.text(x + 20, y + 1.2, points, 3.2, INK, align="m", font="bold")
    for row in range(rows):
        for column in range(columns):
            at = (x - 4 + (column - (columns - 1) / 2) * CELL_MM, y + (row - (rows - 1) / 2) * CELL_MM)
            if (row, column) in shape:
                plate(pages, *at, (CELL_MM - 0.5, CELL_MM - 0.5), shaded(deep, 0.62), 1.4)
                plate(pages, *at, (CELL_MM - 1.3, CELL_MM - 1.3), CREAM, 1.1)
                icon(pages, icons.VEGETABLES[name], *at, 3.3)
            else:
                plate(pages, *at, (1.6, 1.6), shaded(pale, 0.82), 0.8)
