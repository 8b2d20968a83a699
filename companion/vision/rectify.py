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

KNOTS = 3  # the lens is followed exactly at KNOTS × KNOTS points of each patch, by a parabola between them


@dataclass(frozen=True, eq=False)
class Photo:
    """A photograph at one or two scales: `levels[k]` is shrunk by `2 ** k`."""

    levels: tuple[Array, ...]

    @property
    def size(self) -> tuple[int, int]:
        height, width = self.levels[0].shape[:2]
        return width, height


def halve(pixels: Array) -> Array:
    """The picture at half its size, averaged."""
    h, w = pixels.shape[0] // 2 * 2, pixels.shape[1] // 2 * 2
    return cv2.resize(pixels[:h, :w], (w // 2, h // 2), interpolation=cv2.INTER_AREA)


def turned(points: Array, turns: Array) -> Array:
    """Points (N, k, 2) turned by (N,) radians, x right, y down."""
    cos, sin = np.cos(turns)[:, None], np.sin(turns)[:, None]
    return np.stack([cos * points[..., 0] - sin * points[..., 1], sin * points[..., 0] + cos * points[..., 1]], -1)


def cut(
    photo: Photo, view: View, board: str, centres_mm: Array, turns: Array, heights_mm: Array, size_mm: float, side: int
) -> Array:
    """Patches (N, side, side, 3) uint8 around centres (N, 2), `size_mm` wide."""
    n = len(centres_mm)
    if n == 0:
        return np.zeros((0, side, side, 3), np.uint8)
    knots = np.linspace(-0.5, 0.5, KNOTS) * size_mm
    x, y = np.meshgrid(knots, knots)
    grid = np.broadcast_to(np.stack([x.ravel(), y.ravel()], 1), (n, KNOTS * KNOTS, 2))
    points = (turned(grid, turns) + centres_mm[:, None]).reshape(-1, 2)
    at = view.pixels(board, points, np.repeat(heights_mm, KNOTS * KNOTS)).reshape(n, KNOTS, KNOTS, 2)
    px_per_patch_px = float(np.median(np.abs(at[:, 0, -1] - at[:, 0, 0]).max(1))) / side
    level = min(len(photo.levels) - 1, 1 if px_per_patch_px > 1.8 else 0)
    scale = 0.5**level
    at = (at + 0.5) * scale - 0.5
    spread = _parabolas(side)
    across, down = ((at[..., k].astype(np.float32).reshape(n, -1) @ spread).reshape(n * side, side) for k in range(2))
    return _remap(photo.levels[level], across, down).reshape(n, side, side, 3)


@cache
def _parabolas(side: int) -> Array:
    """The matrix (KNOTS², side²) that leads from the knots of a patch to its pixels."""
    at = (np.arange(side) + 0.5) / side * 2 - 1
    along = np.stack([at * (at - 1) / 2, 1 - at * at, at * (at + 1) / 2]).astype(np.float32)
    return np.kron(along, along)


def _remap(picture: Array, across: Array, down: Array) -> Array:
    """cv2.remap for tall maps: it takes fewer than 32768 rows at a time."""
    rows = 32000
    parts = [
        cv2.remap(picture, across[k : k + rows], down[k : k + rows], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for k in range(0, len(across), rows)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
