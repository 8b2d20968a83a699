"""The calibration sheets on paper: chart for the lens, patches for colours, rulers, and a sheet to teach pieces on."""

from __future__ import annotations

from calibration.kit_pages import draw_marker
from calibration.marked_sheets import (
    CHART_SQUARE_MM,
    CHART_SQUARES,
    COLOURS,
    PATCH_MM,
    PATCHES,
    RULER,
    TEACHING,
    TEACHING_CELL_MM,
    MarkedSheet,
    chart,
    marker_modules,
    patch_places,
    teaching_cells,
)
from calibration.paper import BLACK, GREY, MARGIN_MM, Pages, Point


def sheet_pages(pages: Pages) -> None:
    _chart(pages)
    _colours(pages)
    _rulers(pages)
    _teaching(pages)


def _corner(pages: Pages, size_mm: tuple[float, float]) -> Point:
    """Where a frame's top left corner lies for it to be in the middle of the page."""
    room = pages.page.usable_mm
    return (pages.page.width_mm - size_mm[0]) / 2, MARGIN_MM + (room[1] - size_mm[1]) / 2


def _chart(pages: Pages) -> None:
    """OpenCV's ChArUco board: black squares, markers in the white ones."""
    columns, rows = CHART_SQUARES
    side = CHART_SQUARE_MM
    pages.begin(pages.words["chart"])
    x0, y0 = _corner(pages, (columns * side, rows * side))
    board = chart()
    for number, corners in zip(board.getIds().ravel(), board.getObjPoints(), strict=True):
        x, y = corners[:, :2].mean(axis=0)
        size = float(corners[:, 0].max() - corners[:, 0].min())
        draw_marker(pages, x0 + float(x), y0 + float(y), size, marker_modules(int(number)))
    for row in range(rows):
        for column in range(columns):
            if (row + column) % 2 == 0:
                pages.box(x0 + column * side, y0 + row * side, side, side, BLACK)


def _marked(pages: Pages, sheet: MarkedSheet, what: str) -> Point:
    pages.begin(pages.words[what])
    x0, y0 = _corner(pages, sheet.size_mm)
    for number, (x, y) in sheet.markers.items():
        draw_marker(pages, x0 + x, y0 + y, sheet.marker_mm, marker_modules(number))
    return x0, y0


def _colours(pages: Pages) -> None:
    x0, y0 = _marked(pages, COLOURS, "colours")
    for (x, y), colour in zip(patch_places(), PATCHES, strict=True):
        pages.box(x0 + x - PATCH_MM / 2, y0 + y - PATCH_MM / 2, PATCH_MM, PATCH_MM, colour)


def _rulers(pages: Pages) -> None:
    """A ruler along the top, one down the side, between the markers."""
    x0, y0 = _marked(pages, RULER, "rulers")
    width, height = RULER.size_mm
    for mm in range(151):
        long = 6 if mm % 10 == 0 else 4 if mm % 5 == 0 else 2.5
        pages.line((x0 + 15 + mm, y0 + 45), (x0 + 15 + mm, y0 + 45 + long))
        if mm % 10 == 0:
            pages.text(x0 + 15 + mm, y0 + 55, str(mm), 2.8, align="m")
    for mm in range(126):
        long = 6 if mm % 10 == 0 else 4 if mm % 5 == 0 else 2.5
        pages.line((x0 + width / 2, y0 + 65 + mm), (x0 + width / 2 + long, y0 + 65 + mm))
        if mm % 10 == 0:
            pages.text(x0 + width / 2 - 2, y0 + 66 + mm, str(mm), 2.8, align="r")
    pages.paragraph(x0 + 35, y0 + height - 25, width - 70, pages.words["rulers-how"], 3.4)


def _teaching(pages: Pages) -> None:
    x0, y0 = _marked(pages, TEACHING, "teaching")
    for x, y in teaching_cells():
        cx, cy, arm, half = x0 + x, y0 + y, 3.0, TEACHING_CELL_MM / 2
        for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            corner = (cx + dx * half, cy + dy * half)
            pages.line(corner, (corner[0] - dx * arm, corner[1]), colour=GREY)
            pages.line(corner, (corner[0], corner[1] - dy * arm), colour=GREY)
    pages.paragraph(x0 + 19, y0 + 4, 150, pages.words["teaching-how"], 3.2)
