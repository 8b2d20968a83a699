"""The sheets that calibrating works with, as they are printed and as they are found in a picture.

Places are mm from the top left corner of the sheet's own frame, which lies in the middle of a page of any size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]
Point = tuple[float, float]

CHART_SQUARES, CHART_SQUARE_MM, CHART_MARKER_MM = (7, 9), 26.0, 19.5  # its markers are the first 31 of the dictionary


@dataclass(frozen=True)
class MarkedSheet:
    """A sheet with markers, each by its number: the place of its middle, and how large it is."""

    name: str
    size_mm: tuple[float, float]
    marker_mm: float
    markers: Mapping[int, Point]

    def corners_mm(self, number: int) -> Array:
        """(4, 2), from the top left one on, clockwise."""
        return np.array(self.markers[number]) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * self.marker_mm / 2


RULER = MarkedSheet(
    "ruler", (180.0, 230.0), 30.0, {40: (15.0, 15.0), 41: (165.0, 15.0), 42: (165.0, 215.0), 43: (15.0, 215.0)}
)
COLOURS = MarkedSheet(
    "colours", (180.0, 230.0), 20.0, {50: (10.0, 10.0), 51: (170.0, 10.0), 52: (170.0, 220.0), 53: (10.0, 220.0)}
)
TEACHING_COLUMNS, TEACHING_ROWS, TEACHING_CELL_MM = 3, 4, 50.0
TEACHING = MarkedSheet(
    "teaching",
    (188.0, 230.0),
    15.0,
    {
        60 + 2 * row + side: (180.0 if side else 8.0, 15.0 + 25.0 + row * TEACHING_CELL_MM)
        for row in range(TEACHING_ROWS)
        for side in (0, 1)
    },
)

# Grey steps and colours, sRGB: known to a camera whose white and colours are to be judged.
PATCHES: tuple[tuple[int, int, int], ...] = (
    *(((243,) * 3, (200,) * 3, (160,) * 3, (122,) * 3, (85,) * 3, (52,) * 3)),
    (175, 54, 60),
    (231, 199, 31),
    (70, 148, 73),
    (56, 61, 150),
    (187, 86, 149),
    (8, 133, 161),
    (214, 126, 44),
    (94, 60, 108),
    (157, 188, 64),
    (115, 82, 68),
    (194, 150, 130),
    (98, 122, 157),
)
PATCH_COLUMNS, PATCH_MM = 3, 32.0


def patch_places() -> list[Point]:
    """The middles of the patches on their sheet, in the order of PATCHES, row by row."""
    left, top = (COLOURS.size_mm[0] - (PATCH_COLUMNS - 1) * 44) / 2, 30.0
    return [(left + 44 * (i % PATCH_COLUMNS), top + 34 * (i // PATCH_COLUMNS)) for i in range(len(PATCHES))]


def teaching_cells() -> list[Point]:
    """The middles of the cells of the teaching sheet, row by row."""
    left = (TEACHING.size_mm[0] - (TEACHING_COLUMNS - 1) * TEACHING_CELL_MM) / 2
    return [
        (left + column * TEACHING_CELL_MM, 40.0 + row * TEACHING_CELL_MM)
        for row in range(TEACHING_ROWS)
        for column in range(TEACHING_COLUMNS)
    ]


@cache
def dictionary() -> Any:
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)


@cache
def chart() -> Any:
    """OpenCV's ChArUco board in mm."""
    return cv2.aruco.CharucoBoard(CHART_SQUARES, CHART_SQUARE_MM, CHART_MARKER_MM, dictionary())


def marker_modules(number: int) -> Array:
    """A marker's black and white squares with its black edge: (7, 7) bool, True is black."""
    return np.asarray(cv2.aruco.generateImageMarker(dictionary(), number, 7, borderBits=1) < 128)
