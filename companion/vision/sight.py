"""One board in one photograph, under the light that falls on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import cv2
import numpy as np

from companion.kit import Board, Space
from companion.vision.fitting import (
    misfit,
    planar,
    roughness,
    smoothed,
)
from companion.vision.light import Cells, Light, board_grid, light_of, shrink
from companion.vision.rectify import Photo, cut
from companion.vision.templates import Group
from companion.vision.view import View

Array = np.ndarray[Any, Any]

MOST_LEVEL = 252.0  # of a saturated pixel
NOISE_ROWS = 24  # of a photograph, enough to measure its noise by
FINE = 400  # px along the longer side of a board's picture that is kept for drawing it
OFF_PX = 0.3  # by how much a picture that was aligned may be off
ROUGH_MOST = 400.0  # levels²: no more variance than this comes from being off
LOOSE_COST = 0.04  # for each factor e by which a pixel's variance is larger: what fits anything tells little
SMOOTHED = 0.5  # of the noise is left in a mean of 3 × 3 px
BOX_VARIANCE = 2 / 3  # px², of a mean of 3 × 3 px
REACH = 2.0  # of a space: no further off its middle anything is looked at for it
NONE = np.zeros(0)
MODEL_SIGMA = 8.0  # levels of 255 by which a print differs from its picture under an even light


@dataclass(frozen=True, eq=False)
class BoardKnowledge:
    """A board's picture by light cells, and where on it no piece is expected (1) or may lie (0)."""

    printed: Array
    plain: Array
    half: Array  # the picture by half light cells, (3, 2 · rows, 2 · columns) float32
    half_rough: Array  # its roughness (2 · rows, 2 · columns)
    fine: Array  # the picture, FINE px along its longer side, (rows, columns, 3) uint8
    fine_mm: float  # of a px of it


def know_board(picture: Array, board: Board, spaces: Sequence[Space]) -> BoardKnowledge:
    """What the light is taken from: a board's picture (BGR uint8) and where its spaces are."""
    rows, columns, cell = board_grid(board)
    plain = np.ones((rows, columns), np.float32)
    for space in spaces:
        (x, y), (w, h) = space.at_mm, space.size_mm
        left, right = (max(0, round((x + way * w / 2) / cell)) for way in (-1, 1))
        above, below = (max(0, round((y + way * h / 2) / cell)) for way in (-1, 1))
        plain[above:below, left:right] = 0
    half = planar(cv2.resize(picture, (2 * columns, 2 * rows), interpolation=cv2.INTER_AREA).astype(np.float32))
    fine_mm = max(board.size_mm) / FINE
    size = round(board.size_mm[0] / fine_mm), round(board.size_mm[1] / fine_mm)
    fine = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return BoardKnowledge(shrink(picture, board), plain, half, roughness(half[None])[0], fine, fine_mm)


@dataclass(frozen=True, eq=False)
class Sight:
    """One board in one photograph, and its spaces that are to be read."""

    photo: Photo
    view: View
    board: str
    spaces: tuple[Space, ...]
    at: Array  # (N, 2) mm, the spaces' centres
    gain: Array  # (N, 3) of the light there
    veil: Array  # (N, 3)
    most: Array  # (N, 3) what a saturated pixel stands for there, in levels of the print
    sigma: Array  # (N,) the spread of a pixel to be expected, in levels of the print
    fine_sigma: Array  # (N,) the same for a mean of 3 × 3 px
    camera: Array  # (3,) mm, its height positive
    light: Light
    known: BoardKnowledge
    cells: Cells
    noise: float  # levels, one standard deviation
    missing: Array = field(default_factory=lambda: NONE)  # (N,) bool: no detail of the space is seen
    glare: Array = field(default_factory=lambda: NONE)  # (N,) the share of a space that is blown out
    blur_mm2: float = 0.0  # by how much more the photograph is blurred than the pictures: variance

    @cached_property
    def strange(self) -> Array:
        """How badly the bare board explains what is seen about the spaces, by half light cells: 0…1, 0 elsewhere."""
        known, (down, across) = self.known, around(self.at, self.spaces, self.light.cell_mm)
        rows, columns = known.half_rough.shape
        gain, veil = self.light.over(rows, columns, (down, across))
        off = smoothed(planar(self.cells.fine[down, across]) - veil - gain * known.half[:, down, across]) / gain
        grain = SMOOTHED * self.noise / gain.mean(0)
        rough = np.minimum(OFF_PX**2 * known.half_rough[down, across], 2 * ROUGH_MOST)
        out = np.zeros(known.half_rough.shape, np.float32)
        out[down, across] = misfit(off[None], (1.5 * MODEL_SIGMA) ** 2 + grain * grain + rough)[0]
        return out

    @cached_property
    def _unlit(self) -> tuple[Array, Array]:
        """By what colours are multiplied, and what is then taken off them, to take the light off: (N, 3, 1) each."""
        gain = 1 / self.gain[..., None]
        return gain, self.veil[..., None] * gain

    def blur_share(self, px_mm: float) -> float:
        """How much of a mean of 3 × 3 px of `px_mm` mm makes a picture as blurred as the photograph."""
        return float(np.clip(self.blur_mm2 / (BOX_VARIANCE * px_mm * px_mm), -0.5, 1.5))

    def blurred(self, group: Group) -> Array:
        """The pictures (classes, 3, side, side) of a group as blurred as the photograph."""
        if group not in self._blurred:
            share = np.float32(self.blur_share(group.reach_mm / group.side))
            self._blurred[group] = group.pictures + share * group.change
        return self._blurred[group]

    @cached_property
    def _blurred(self) -> dict[Group, Array]:
        return {}

    def cut(self, centre: Array, turn: Array, height: Array, size_mm: float, side: int, space: Array) -> Array:
        """Patches (n, 3, side, side) as they would look under the light of the kit's pictures; `space` (n,) whose."""
        n = len(space)
        out = np.empty((n, 3, side * side), np.float32)
        seen = cut(self.photo, self.view, self.board, centre, turn, height, size_mm, side)
        for colour, levels in enumerate(cv2.split(seen.reshape(n, -1, 3))):
            out[:, colour] = levels
        gain, veil = self._unlit
        out *= gain[space]
        out -= veil[space]
        return out.reshape(n, 3, side, side)

    def lean(self, at: Array, low_mm: Array | float, high_mm: Array | float) -> Array:
        """How far points (N, 2) at height `high_mm` appear shifted on the plane at `low_mm`: (N, 2) mm."""
        share = (np.asarray(high_mm) - low_mm) / np.maximum(self.camera[2] - high_mm, 1.0)
        return np.asarray((at - self.camera[:2]) * np.broadcast_to(share, (len(at),))[:, None])


def around(at: Array, spaces: Sequence[Space], cell_mm: float) -> tuple[slice, slice]:
    """Rows and columns of half light cells between which all lies that is looked at for spaces at (N, 2) mm."""
    reach = REACH * np.array([max(space.size_mm) for space in spaces])[:, None]
    low, high = (np.maximum(at / (cell_mm / 2), 0).astype(int) for at in ((at - reach).min(0), (at + reach).max(0)))
    return slice(low[1], high[1] + 1), slice(low[0], high[0] + 1)


def noise_of(pixels: Array) -> float:
    """The photograph's noise, one standard deviation in levels, from how much neighbours in a row bend."""
    step = max(1, len(pixels) // NOISE_ROWS)
    part = pixels[step // 2 :: step, :, 1].astype(np.int16)
    bend = np.abs(part[:, 4:] - 2 * part[:, 2:-2] + part[:, :-4])
    counts = np.bincount(bend.ravel())
    upto = np.cumsum(counts)
    half = int(np.searchsorted(upto, upto[-1] / 2))
    # Bends are whole levels: the median lies within those of one.
    median = half + 0.5 - (upto[half] - upto[-1] / 2) / counts[half] if half else 0.0
    return float(median) / (0.6745 * 6**0.5)


def look(
    photo: Photo,
    view: View,
    board: Board,
    spaces: Sequence[Space],
    known: BoardKnowledge,
    noise: float,
    like: Light | None = None,
    light: Light | None = None,
) -> Sight:
    """Take the light from the board, for reading these spaces of it; `like` is that on a larger board beside it.

    `light` is that on the board itself, where it is known.
    """
    at = np.array([space.at_mm for space in spaces], float).reshape(-1, 2)
    if light is None:
        cells = Cells(photo.levels[0], view, board)
        light = light_of(cells.seen, cells.inside, known.printed, known.plain, board_grid(board)[2], like)
    else:
        cells = Cells(photo.levels[0], view, board, around(at, spaces, light.cell_mm))
    gain, veil = light.at(at)
    grain = noise / gain.mean(1)
    sigma = np.sqrt(MODEL_SIGMA**2 + grain**2).astype(np.float32)
    fine_sigma = np.sqrt(MODEL_SIGMA**2 + (SMOOTHED * grain) ** 2).astype(np.float32)
    most = ((MOST_LEVEL - veil) / gain).astype(np.float32)
    return Sight(
        photo,
        view,
        board.id,
        tuple(spaces),
        at,
        gain,
        veil,
        most,
        sigma,
        fine_sigma,
        view.camera_mm(board.id),
        light,
        known,
        cells,
        noise,
    )
