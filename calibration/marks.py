"""What the eye finds a board by, drawn as things of a garden: markers on wooden signs, patches as pebbles."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.kit_file import Kit
from calibration.marked_sheets import PATCHES
from calibration.sheet import Colour, Pen, shaded

DICTIONARY, MODULES = "4X4_50", 6  # across a marker with its black edge
WOOD: Colour = (150, 104, 66)
PAPER: Colour = (255, 255, 255)
INK: Colour = (0, 0, 0)
GREYS, COLOURS = PATCHES[:6], PATCHES[6:12]
PEBBLE_MM = 10.0


def sign(kit: Kit, board: str, pen: Pen, number: int, at_mm: tuple[float, float], size_mm: float) -> None:
    """A marker of a number on a board, on white as wide as one of its squares, framed in wood with a leaf."""
    here, square = pen.at(*at_mm), size_mm / MODULES
    white = size_mm + 2 * square
    for turn in (-35, 0, 35):
        leaf = here.at(white / 2, white / 2, 1, 135 + turn)
        leaf.ellipse(0, -white * 0.09, white * 0.05, white * 0.13, (70, 128, 62))
        leaf.line([(0, 0), (0, -white * 0.17)], white * 0.012, (120, 172, 96))
    frame = white + 0.7 * square
    here.box(0, 0, frame + 1.2, frame + 1.2, shaded(WOOD, 0.6), 0.9 * square)
    here.box(0, 0, frame, frame, WOOD, 0.8 * square)
    here.box(0, 0, white, white, PAPER)
    here.box(0, 0, size_mm, size_mm, INK)
    known = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{DICTIONARY}"))
    light = cv2.aruco.generateImageMarker(known, number, MODULES, borderBits=1) > 128
    for row, column in np.argwhere(light):
        x, y = ((float(place) + 0.5) * square - size_mm / 2 for place in (column, row))
        here.box(x, y, 1.004 * square, 1.004 * square, PAPER)
    kit.marker(board, DICTIONARY, number, at_mm, size_mm)


def pebbles(pen: Pen, colours: Sequence[Colour], columns: int = 6, pitch_mm: float = PEBBLE_MM + 2) -> None:
    """Patches in rows of so many from the pen's own place on, each a round pebble with an edge."""
    for number, colour in enumerate(colours):
        down, across = divmod(number, columns)
        stone = pen.at(across * pitch_mm, down * pitch_mm)
        stone.circle(0, 0, PEBBLE_MM / 2, (70, 60, 52))
        stone.circle(0, 0, PEBBLE_MM / 2 - 0.6, colour)
