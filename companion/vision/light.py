"""The light on a board: what turns its picture's colours into the photograph's, place by place.

Colours are blue, green, red in 0…255.  At every place `observed = gain · printed + veil`, each (3,): the gain holds the
lamp's colour, falloff and soft shadows, the veil what glare and haze add.  Pictures by cells have their colours first,
(3, rows, columns), and all that is averaged over places is one product of matrices: numpy is slow in any other way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import cv2
import numpy as np

from companion.kit import Board
from companion.vision.fitting import middle_of, planar
from companion.vision.view import View

Array = np.ndarray[Any, Any]

CELLS = 96  # of the longer side of a board
LEAST_CELL_MM = 1.0  # light does not change within less
CELL_STEP = 2  # between the cells that the light is taken from
KNOT_CELLS = 2  # of those, between the knots that hold the light
SMOOTH_KNOTS = 5  # how far light is taken to be smooth: averaged over so many knots, twice
LEAST_SIGMA = 5.0  # levels of 255
HAZE = 20.0  # levels of the print, what is expected
PULL = 900.0  # levels² of the print: where it varies less, the haze is as bright in all colours as the light
VIEW_KNOTS = 25  # a side of a board, at which its place in the photograph is followed exactly
WHOLE_STEP = 2  # of those, between those from which one light for all is taken
WHOLE_ROUNDS, ROUNDS = 4, 2
HAZE_REACH = 24.0  # how far the haze of a place may lie from that of the board
HAZES = np.arange(0, 130, 8, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Light:
    """Gain and veil (rows, columns, 3) float32 at knots over a board, and the spread of what they leave, in levels."""

    gain: Array
    veil: Array
    spread: float
    cell_mm: float
    size_mm: tuple[float, float]

    def at(self, points_mm: Array) -> tuple[Array, Array]:
        """Gain and veil (N, 3) at points (N, 2) of the board."""
        rows, columns = self.gain.shape[:2]
        x = np.clip(points_mm[:, 0] * (columns / self.size_mm[0]) - 0.5, 0, columns - 1).astype(np.float32)
        y = np.clip(points_mm[:, 1] * (rows / self.size_mm[1]) - 0.5, 0, rows - 1).astype(np.float32)
        gain = cv2.remap(self.gain, x[:, None], y[:, None], cv2.INTER_LINEAR)
        veil = cv2.remap(self.veil, x[:, None], y[:, None], cv2.INTER_LINEAR)
        return gain.reshape(-1, 3), veil.reshape(-1, 3)

    def over(self, rows: int, columns: int, part: tuple[slice, slice]) -> tuple[Array, Array]:
        """Gain and veil over a part of the board, which has so many cells: (3, rows, columns) of the part."""
        down, across = _from_knots(self.gain.shape[0], rows)[part[0]], _from_knots(self.gain.shape[1], columns)[part[1]]
        gain, veil = (down @ planar(of) @ across.T for of in (self.gain, self.veil))
        return gain, veil


@cache
def spread_out(count: int, side: int) -> Array:
    """The matrix (side, count) that interpolates linearly from `count` even knots, ends included, to cell centres."""
    at = (np.arange(side) + 0.5) / side * (count - 1)
    low = np.clip(at.astype(int), 0, count - 2)
    matrix = np.zeros((side, count), np.float32)
    matrix[np.arange(side), low] = 1 - (at - low)
    matrix[np.arange(side), low + 1] = at - low
    return matrix


@cache
def _from_knots(count: int, side: int) -> Array:
    """The matrix (side, count) that interpolates linearly from the middles of `count` knots to those of cells."""
    at = np.clip((np.arange(side) + 0.5) / side * count - 0.5, 0, count - 1)
    return np.asarray(np.maximum(0, 1 - np.abs(at[:, None] - np.arange(count))), np.float32)


@cache
def _to_knots(side: int) -> Array:
    """The matrix (knots, side) that averages cells over about 2 · SMOOTH_KNOTS knots; none lie beyond the edges."""
    count = max(2, round(side / KNOT_CELLS))
    edges = np.arange(count + 1) * side / count
    near, far = np.arange(side), np.arange(1, side + 1)
    share = np.clip(np.minimum(edges[1:, None], far) - np.maximum(edges[:-1, None], near), 0, 1) * count / side
    apart = np.abs(np.arange(count)[:, None] - np.arange(count))
    box = (apart <= SMOOTH_KNOTS // 2) / SMOOTH_KNOTS
    return np.asarray(box @ box @ share, np.float32)


def board_grid(board: Board) -> tuple[int, int, float]:
    """Rows and columns of a board's light cells, and their size in mm."""
    width, height = board.size_mm
    cell_mm = max(max(width, height) / CELLS, LEAST_CELL_MM)
    return max(2, round(height / cell_mm)), max(2, round(width / cell_mm)), cell_mm


def shrink(picture: Array, board: Board) -> Array:
    """A board's picture (BGR uint8) by light cells: (3, rows, columns) float32."""
    rows, columns, _ = board_grid(board)
    return planar(cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float32))


@cache
def _knot_places(width: float, height: float) -> Array:
    x, y = np.meshgrid(np.linspace(0, width, VIEW_KNOTS), np.linspace(0, height, VIEW_KNOTS))
    return np.stack([x.ravel(), y.ravel()], 1)


@dataclass(frozen=True, eq=False)
class Cells:
    """A board as a photograph (BGR uint8) shows it, by light cells: each of it worked out when it is asked for."""

    pixels: Array
    view: View
    board: Board
    part: tuple[slice, slice] = (slice(None), slice(None))  # rows and columns of half light cells; black beyond it

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        """Where half light cells lie in the photograph: x and y (2 · rows, 2 · columns) float32 px."""
        rows, columns, _ = board_grid(self.board)
        corners = self.view.pixels(self.board.id, _knot_places(*self.board.size_mm)).astype(np.float32)
        across, down = spread_out(VIEW_KNOTS, 2 * columns), spread_out(VIEW_KNOTS, 2 * rows)
        x, y = (down @ corners[:, k].reshape(VIEW_KNOTS, VIEW_KNOTS) @ across.T for k in (0, 1))
        return x, y

    @cached_property
    def fine(self) -> Array:
        """By half light cells: (2 · rows, 2 · columns, 3) uint8."""
        x, y = self._places
        out = np.zeros((*x.shape, 3), np.uint8)  # memory that is not written to costs nothing
        x, y = (np.ascontiguousarray(of[self.part]) for of in (x, y))
        out[self.part] = cv2.remap(self.pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return out

    @property
    def seen(self) -> Array:
        """By light cells: (3, rows, columns) float32."""
        rows, columns, _ = board_grid(self.board)
        return planar(cv2.resize(self.fine, (columns, rows), interpolation=cv2.INTER_AREA)).astype(np.float32)

    @property
    def inside(self) -> Array:
        """Which light cells lie in the picture: (rows, columns) bool."""
        (h, w), (x, y) = self.pixels.shape[:2], (at[::2, ::2] for at in self._places)
        return np.asarray((x >= 0) & (x <= w - 1) & (y >= 0) & (y <= h - 1))


def _by_haze(moments: Array, hazes: Array) -> tuple[Array, Array]:
    """Gains (H, 3, ...) and squares left (H, ...) for each of `hazes`, from weighted means (15, ...) of what
    `_products` makes, relative to the brightness of the light."""
    mp, mo, mpp, mpo, moo = moments.reshape(5, 3, *moments.shape[1:])
    h = hazes.reshape((-1,) + (1,) * moments.ndim)
    both = mpo + h * mo
    gain = both / np.maximum(mpp + h * (2 * mp + h), 1.0)
    left = ((moo - both * gain) * (1e4 / (mo * mo + 25))).sum(1)
    return gain, left


def _products(seen: Array, printed: Array) -> Array:
    """Printed, seen, printed², printed · seen, seen² and 1, as (16, ...), from (3, ...) each."""
    out = np.empty((16, *seen.shape[1:]), np.float32)
    out[:3], out[3:6], out[15] = printed, seen, 1
    np.multiply(printed, printed, out=out[6:9])
    np.multiply(printed, seen, out=out[9:12])
    np.multiply(seen, seen, out=out[12:15])
    return out


def _most_off(off: Array) -> Array:
    """The largest of three colours' differences (3, ...), which are overwritten."""
    np.abs(off, out=off)
    return np.asarray(np.maximum(np.maximum(off[0], off[1]), off[2]))


def _believed(base: Array, off: Array, scale: float) -> Array:
    """Weights of cells that are `off` by so many levels: what does not fit counts little."""
    share = off * np.float32(1 / scale)
    share *= share
    share += 1
    share *= share
    return np.asarray(base / share)


def _whole(seen: Array, printed: Array, weight: Array) -> tuple[Array, float]:
    """One light for all cells (3, N) with weights (N,): gains (3,) and haze, so that seen ≈ gain · (printed + haze)."""
    products = _products(seen, printed)
    gain, haze = np.ones(3, np.float32), HAZE
    counted = np.flatnonzero(weight > 0)
    w = weight
    for _ in range(WHOLE_ROUNDS):
        sums = products @ w
        gains, left = _by_haze(sums[:15] / (sums[15] + 1e-3), HAZES)
        best = int(np.argmin(left + 0.02 * (HAZES - HAZE) ** 2))
        gain, haze = np.clip(gains[best], 0.02, 6), float(HAZES[best])
        off = _most_off(seen - gain[:, None] * (printed + haze))
        scale = 2 * middle_of(off[counted]) + 3 if len(counted) else 3.0
        w = _believed(weight, off, scale)
    return gain.astype(np.float32), haze


def _alike(seen: Array, printed: Array, base: Array, like: Light) -> Array:
    """How far cells are lit as those of another board, save for the brightness: (rows, columns) 0…1."""
    gain, veil = (of.mean((0, 1))[:, None, None] for of in (like.gain, like.veil))
    there = base > 0.5 * base.max()
    expected = printed * gain + veil
    bright = float(np.median((seen.sum(0) / (expected.sum(0) + 3))[there])) if there.any() else 1.0
    off = _most_off(seen - np.clip(bright, 0.5, 2.0) * expected)
    return _believed(np.ones_like(base), off, 25.0)


def _at_knots(products: Array, weight: Array, gain0: Array, haze0: float) -> tuple[Array, Array]:
    """Gain and veil (3, rows, columns) at knots, near one light for all where few cells count."""
    rows, columns = weight.shape
    sums = _to_knots(rows) @ (products * weight) @ _to_knots(columns).T
    total = sums[15] + 1e-4
    moments = sums[:15] / total
    hazes = HAZES[np.abs(HAZES - haze0) <= HAZE_REACH]
    gains, left = _by_haze(moments, hazes)
    best = np.argmin(left + (0.1 * (hazes - haze0) ** 2)[:, None, None], 0)
    shared = np.take_along_axis(gains, best[None, None], 0)[0]
    mp, mo, mpp, mpo = moments[:12].reshape(4, 3, *total.shape)
    gain = (mpo - mp * mo + PULL * shared) / (np.maximum(mpp - mp * mp, 0) + PULL)
    gain = np.clip(gain, 0.02, 6)
    veil = mo - gain * mp
    few = np.clip(total * 20, 0, 1)
    gain0 = gain0[:, None, None]
    return few * gain + (1 - few) * gain0, few * veil + (1 - few) * (gain0 * haze0)


def light_of(
    seen: Array, inside: Array, printed: Array, plain: Array, cell_mm: float, like: Light | None = None
) -> Light:
    """The light on a board from its cells as seen and as printed (3, rows, columns).

    `plain` (rows, columns) in 0…1 says where no piece is expected; the rest counts less, until it proves to fit.
    `like` is the light on another board beside it.  The haze is as bright in all colours as the light is, as far as
    the board does not show otherwise.
    """
    size_mm = (seen.shape[2] * cell_mm, seen.shape[1] * cell_mm)
    every = (slice(None, None, CELL_STEP),) * 2
    seen, printed = seen[:, *every], printed[:, *every]
    inside, plain = inside[every], plain[every]
    rows, columns = inside.shape
    dazzled = np.maximum(np.maximum(seen[0], seen[1]), seen[2]) >= 250
    base = (inside & ~dazzled) * (0.15 + 0.85 * plain)
    if like is not None:
        base = base * _alike(seen, printed, base, like)
    some = (slice(None, None, WHOLE_STEP),) * 2
    gain0, haze0 = _whole(
        seen[:, *some].reshape(3, -1), printed[:, *some].reshape(3, -1), np.ascontiguousarray(base[some]).ravel()
    )
    weight = _believed(base, _most_off(seen - gain0[:, None, None] * (printed + haze0)), 40.0)
    products = _products(seen, printed)
    counted = np.flatnonzero(base > 0)
    spread = LEAST_SIGMA
    for _ in range(ROUNDS):
        gain, veil = _at_knots(products, weight, gain0, haze0)
        off = _most_off(seen - over(gain, rows, columns) * printed - over(veil, rows, columns))
        spread = max(LEAST_SIGMA * 0.5, 1.5 * middle_of(off.ravel()[counted])) if len(counted) else 99.0
        weight = _believed(base, off, 2.5 * spread)
    gain, veil = (np.ascontiguousarray(np.moveaxis(of, 0, -1), np.float32) for of in (gain, veil))
    return Light(gain, veil, spread, cell_mm, size_mm)


def over(knots: Array, rows: int, columns: int) -> Array:
    """What holds at knots (3, ...) over so many cells: (3, rows, columns)."""
    return np.asarray(_from_knots(knots.shape[1], rows) @ knots @ _from_knots(knots.shape[2], columns).T)
