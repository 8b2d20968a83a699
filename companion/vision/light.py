"""The light on a board: what turns its picture's colours into the photograph's, place by place.

Colours are blue, green, red in 0…255.  At every place `observed = gain · printed + veil`, each (3,): the gain holds the
lamp's colour, falloff and soft shadows, the veil what glare and haze add.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.kit import Board
from companion.vision.view import View

Array = np.ndarray[Any, Any]

CELLS = 96  # of the longer side of a board
SMOOTH_CELLS = 13  # how far light is taken to be smooth: about a seventh of the board
LEAST_SIGMA = 5.0  # levels of 255
HAZE = 20.0  # levels of the print, what is expected
HAZES = np.arange(0, 130, 8, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Light:
    """Gain and veil (rows, columns, 3) float32 over a board, how sure (rows, columns), and the spread in levels."""

    gain: Array
    veil: Array
    trust: Array
    spread: float
    cell_mm: float

    def at(self, points_mm: Array) -> tuple[Array, Array]:
        """Gain and veil (N, 3) at points (N, 2) of the board."""
        rows, columns = self.gain.shape[:2]
        x = np.clip(points_mm[:, 0] / self.cell_mm - 0.5, 0, columns - 1).astype(np.float32)
        y = np.clip(points_mm[:, 1] / self.cell_mm - 0.5, 0, rows - 1).astype(np.float32)
        gain = cv2.remap(self.gain, x[:, None], y[:, None], cv2.INTER_LINEAR)
        veil = cv2.remap(self.veil, x[:, None], y[:, None], cv2.INTER_LINEAR)
        return gain.reshape(-1, 3), veil.reshape(-1, 3)


def spread_out(count: int, side: int) -> Array:
    """The matrix (side, count) that interpolates linearly from `count` even knots, ends included, to cell centres."""
    at = (np.arange(side) + 0.5) / side * (count - 1)
    low = np.clip(at.astype(int), 0, count - 2)
    matrix = np.zeros((side, count), np.float32)
    matrix[np.arange(side), low] = 1 - (at - low)
    matrix[np.arange(side), low + 1] = at - low
    return matrix


def board_grid(board: Board) -> tuple[int, int, float]:
    """Rows and columns of a board's light cells, and their size in mm."""
    width, height = board.size_mm
    cell_mm = max(width, height) / CELLS
    return max(2, round(height / cell_mm)), max(2, round(width / cell_mm)), cell_mm


def shrink(picture: Array, board: Board) -> Array:
    """A board's picture (BGR uint8) by light cells: (rows, columns, 3) float32."""
    rows, columns, _ = board_grid(board)
    return cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float32)


def seen_cells(pixels: Array, view: View, board: Board) -> tuple[Array, Array, Array]:
    """The board as the photograph shows it, by half light cells (2 · rows, 2 · columns, 3) uint8 and by light cells
    (rows, columns, 3) float32, and which cells lie in the picture."""
    rows, columns, _ = board_grid(board)
    knots = 25
    x, y = np.meshgrid(np.linspace(0, board.size_mm[0], knots), np.linspace(0, board.size_mm[1], knots))
    corners = view.pixels(board.id, np.stack([x.ravel(), y.ravel()], 1)).reshape(knots, knots, 2).astype(np.float32)
    across, down = spread_out(knots, 2 * columns), spread_out(knots, 2 * rows)
    at = [np.ascontiguousarray(down @ corners[..., k] @ across.T) for k in (0, 1)]
    fine = cv2.remap(pixels, at[0], at[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    seen = cv2.resize(fine, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float32)
    h, w = pixels.shape[:2]
    inside = (at[0] >= 0) & (at[0] <= w - 1) & (at[1] >= 0) & (at[1] <= h - 1)
    return fine, seen, inside[::2, ::2]


def _by_haze(moments: Array) -> tuple[Array, Array]:
    """Gains (H, ..., 3) and squares left (H, ...) for each of HAZES, from weighted means (..., 12) of printed, seen,
    printed², printed · seen … as `_moments` makes them, relative to the brightness of the light."""
    mp, mo, mpp, mpo, moo = (moments[..., 3 * k : 3 * k + 3] for k in range(5))
    h = HAZES.reshape((-1,) + (1,) * mp.ndim)
    lit = mpp + 2 * h * mp + h * h
    both = mpo + h * mo
    gain = both / np.maximum(lit, 1.0)
    left = ((moo - both * gain) / (mo * mo + 25)).sum(-1) * 1e4
    return gain, left


def _products(seen: Array, printed: Array) -> Array:
    return np.concatenate([printed, seen, printed * printed, printed * seen, seen * seen], -1)


def _whole(seen: Array, printed: Array, weight: Array) -> tuple[Array, float]:
    """One light for all cells (N, 3) with weights (N,): gains (3,) and haze, so that seen ≈ gain · (printed + haze)."""
    products = _products(seen, printed)
    gain, haze = np.ones(3, np.float32), HAZE
    w = weight
    for _ in range(6):
        gains, left = _by_haze((w @ products) / (w.sum() + 1e-3))
        best = int(np.argmin(left + 0.02 * (HAZES - HAZE) ** 2))
        gain, haze = np.clip(gains[best], 0.02, 6), float(HAZES[best])
        off = np.abs(seen - gain * (printed + haze)).max(1)
        scale = 2 * float(np.median(off[weight > 0])) + 3 if (weight > 0).any() else 3.0
        w = weight / (1 + (off / scale) ** 2) ** 2
    return gain.astype(np.float32), haze


def _alike(seen: Array, printed: Array, base: Array, like: Light) -> Array:
    """How far cells are lit as those of another board, save for the brightness: (rows, columns) 0…1."""
    gain, veil = like.gain.mean((0, 1)), like.veil.mean((0, 1))
    there = base > 0.5 * base.max()
    expected = printed * gain + veil
    bright = float(np.median(seen[there].mean(1) / (expected[there].mean(1) + 1))) if there.any() else 1.0
    off = np.abs(seen - np.clip(bright, 0.5, 2.0) * expected).max(2)
    return np.asarray(1 / (1 + (off / 25) ** 2) ** 2)


def _smooth(values: Array) -> Array:
    """Values (rows, columns, k) averaged over about 2 · SMOOTH_CELLS, at every fourth cell."""
    small = cv2.resize(values, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    k = SMOOTH_CELLS // 2 | 1
    once = cv2.blur(small, (k, k), borderType=cv2.BORDER_CONSTANT)
    return cv2.blur(once, (k, k), borderType=cv2.BORDER_CONSTANT)


def light_of(
    seen: Array, inside: Array, printed: Array, plain: Array, cell_mm: float, like: Light | None = None
) -> Light:
    """The light on a board from its cells as seen and as printed (rows, columns, 3).

    `plain` (rows, columns) in 0…1 says where no piece is expected; the rest counts less, until it proves to fit.
    `like` is the light on another board beside it.  The haze is as bright in all colours as the light is, as far as
    the board does not show otherwise.
    """
    rows, columns = seen.shape[:2]
    base = (inside & (seen.max(2) < 250)).astype(np.float32) * (0.15 + 0.85 * plain)
    if like is not None:
        base = base * _alike(seen, printed, base, like)
    part = (slice(None, None, 2), slice(None, None, 2))
    gain0, haze0 = _whole(seen[part].reshape(-1, 3), printed[part].reshape(-1, 3), base[part].ravel())
    off = np.abs(seen - gain0 * (printed + haze0)).max(2)
    weight = base / (1 + (off / 40) ** 2) ** 2
    products = _products(seen, printed)
    spread = LEAST_SIGMA
    for _ in range(3):
        w = weight[..., None]
        total = _smooth(weight)[..., None] + 1e-4
        moments = (
            np.concatenate(
                [
                    _smooth(np.ascontiguousarray(p))
                    for p in (
                        w * products[..., :3],
                        w * products[..., 3:6],
                        w * products[..., 6:9],
                        w * products[..., 9:12],
                        w * products[..., 12:],
                    )
                ],
                2,
            )
            / total
        )
        gains, left = _by_haze(moments)
        best = np.argmin(left + (0.1 * (HAZES - haze0) ** 2)[:, None, None], 0)
        shared = np.take_along_axis(gains, best[None, ..., None], 0)[0]
        mp, mo, mpp, mpo = (moments[..., 3 * k : 3 * k + 3] for k in range(4))
        pull = 900.0
        gain = (mpo - mp * mo + pull * shared) / (np.maximum(mpp - mp * mp, 0) + pull)
        gain = np.clip(gain, 0.02, 6)
        veil = mo - gain * mp
        few = np.clip(total * 20, 0, 1)
        gain, veil = few * gain + (1 - few) * gain0, few * veil + (1 - few) * gain0 * haze0
        gain = cv2.resize(gain.astype(np.float32), (columns, rows), interpolation=cv2.INTER_LINEAR)
        veil = cv2.resize(veil.astype(np.float32), (columns, rows), interpolation=cv2.INTER_LINEAR)
        off = np.abs(seen - gain * printed - veil).max(2)
        spread = max(LEAST_SIGMA * 0.5, 1.5 * float(np.median(off[base > 0]))) if (base > 0).any() else 99.0
        weight = base / (1 + (off / (2.5 * spread)) ** 2) ** 2
    trust = cv2.resize(np.clip(_smooth(weight), 0, 1), (columns, rows))
    return Light(gain, veil, trust, spread, cell_mm)
