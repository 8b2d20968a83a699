"""Cutting many small upright pictures out of a photograph with one warp.

A patch is a square piece of a plane above a board: centre and size in mm on the board, turn in radians (clockwise as
one looks at the board's picture), height in mm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np

from companion.vision.view import View

Array = np.ndarray[Any, Any]

FINER = 1.8  # pixels of a photograph by one of a patch, from which it is taken from the half-size picture
KNOTS = 3  # the lens is followed exactly at KNOTS × KNOTS points of each patch, by a parabola between them


@dataclass(frozen=True, eq=False)
class Photo:
    """A photograph at one or two scales: `levels[k]` is shrunk by `2 ** k`."""

    levels: tuple[Array, ...]

    @property
    def size(self) -> tuple[int, int]:
        height, width = self.levels[0].shape[:2]
        return width, height


def halve(pixels: Array, box: tuple[int, int, int, int] | None = None) -> Array:
    """The picture at half its size, averaged; black where a `box` (left, top, right, bottom) is given and beyond it."""
    h, w = pixels.shape[0] // 2, pixels.shape[1] // 2
    left, top, right, bottom = (max(0, side // 2) for side in box) if box else (0, 0, w, h)
    right, bottom = min(w, right + 1), min(h, bottom + 1)
    part = pixels[2 * top : 2 * bottom, 2 * left : 2 * right]
    if not part.size:
        return np.zeros((h, w, 3), np.uint8)
    small = cv2.resize(part, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    if (right - left, bottom - top) == (w, h):
        return small
    out = np.zeros((h, w, 3), np.uint8)  # memory that is not written to costs nothing
    out[top:bottom, left:right] = small
    return out


def turned(points: Array, turns: Array) -> Array:
    """Points (N, k, 2) turned by (N,) radians, x right, y down."""
    # As complex numbers: one product in place of four.
    flat = np.ascontiguousarray(points, float).view(complex)[..., 0] * np.exp(1j * turns)[:, None]
    return flat.view(float).reshape(*flat.shape, 2)


def cut(
    photo: Photo, view: View, board: str, centres_mm: Array, turns: Array, heights_mm: Array, size_mm: float, side: int
) -> Array:
    """Patches (N, side, side, 3) uint8 around centres (N, 2), `size_mm` wide."""
    n = len(centres_mm)
    if n == 0:
        return np.zeros((0, side, side, 3), np.uint8)
    points = np.ascontiguousarray(centres_mm, float).view(complex) + np.exp(1j * turns)[:, None] * (_knots() * size_mm)
    at = view.pixels(board, points.view(float).reshape(-1, 2), np.repeat(heights_mm, KNOTS * KNOTS)).T.reshape(2, n, -1)
    wide = np.abs(at[:, :, KNOTS - 1] - at[:, :, 0]).max(0) > FINER * side
    level = min(len(photo.levels) - 1, int(2 * np.count_nonzero(wide) >= n))
    scale = 0.5**level
    at = ((at + 0.5) * scale - 0.5).astype(np.float32)
    across, down = (at.reshape(2 * n, -1) @ _parabolas(side)).reshape(2, n, -1)
    # A row for each patch: OpenCV is slow where rows are short.
    seen = cv2.remap(photo.levels[level], across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.reshape(n, side, side, 3)


@cache
def _knots() -> Array:
    """The knots of a patch of size 1 around its middle, x + iy: (KNOTS²,)."""
    at = np.linspace(-0.5, 0.5, KNOTS)
    return (at + 1j * at[:, None]).ravel()


@cache
def _parabolas(side: int) -> Array:
    """The matrix (KNOTS², side²) that leads from the knots of a patch to its pixels."""
    at = (np.arange(side) + 0.5) / side * 2 - 1
    along = np.stack([at * (at - 1) / 2, 1 - at * at, at * (at + 1) / 2]).astype(np.float32)
    return np.kron(along, along)
