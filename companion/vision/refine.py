"""Placing boards exactly: patches of their pictures are aligned with a photograph, all boards and the lens together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from typing import Any

import cv2
import numpy as np

from companion.vision.fitting import middle_of
from companion.vision.geometry import (
    FOCAL_BY_WIDTH,
    FOCAL_DOUBT,
    LENS_PARAMETERS,
    Geometry,
    Projection,
    motions,
    moved,
    on_table,
    placed_motions,
    project,
    scale_of,
    spin,
)
from companion.vision.landmarks import PATCH, BoardKnowledge, Level, offsets_px

Array = np.ndarray[Any, Any]

# How far distortion may be from none and the lens's centre, by the picture's width, from the picture's own.
K1_DOUBT, K2_DOUBT, CENTRE_DOUBT = 0.06, 0.02, 0.012
COVERED_WEIGHT = 0.9  # its fourth power: how much a landmark on a space counts beside one on bare board
LEAST_TURNING = 5  # patches that are not round, for these to say how well patches agree
NO_MAP = np.empty(0, np.float32)  # OpenCV's second map, where the first holds both coordinates
ALL = 1000  # more landmarks than a board has
FEW, SOME, MANY = 40, 60, 100  # landmarks that place a board nearly, well, and as well as can be
POSE = 6  # parameters of where the anchor lies


class Lens(IntEnum):
    """How much of the lens may be worked out from the picture: so many of its parameters."""

    KNOWN = 0
    FOCAL = 1  # the boards are not placed well enough yet for more
    FREE = LENS_PARAMETERS


@dataclass(frozen=True)
class Stage:
    """Some steps of refining at one level of halving; with a reach, patches are sought so many samples around."""

    index: int
    steps: int
    reach: int = 0


@dataclass(frozen=True, eq=False)
class Photograph:
    """A picture (h, w) or (h, w, 3) BGR uint8, and what was worked out of it so far: halved again and again."""

    pixels: Array
    halves: list[Array]  # as the picture itself, from the first halving on
    greys: list[Array]  # the same in grey
    samples: Array  # the picture itself as it is sampled: grey, or as it is

    @staticmethod
    def of(pixels: Array, few: bool = True) -> Photograph:
        """With `few` only few patches will be looked at, which are made grey by themselves."""
        return Photograph(pixels, [], [], pixels if few else grey_of(pixels))

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        height, width = self.pixels.shape[:2]
        return width, height

    def half(self, index: int) -> Array:
        """The picture halved so many times, in its colours."""
        while len(self.halves) < index:
            self.halves.append(_halved(self.halves[-1] if self.halves else self.pixels))
        return self.halves[index - 1] if index else self.pixels

    def level(self, index: int) -> Array:
        """The same in grey; at full size as it is sampled."""
        if index == 0:
            return self.samples
        if not self.greys:
            self.greys.append(grey_of(self.half(1)))
        while len(self.greys) < index:
            self.greys.append(_halved(self.greys[-1]))
        return self.greys[index - 1]


def _halved(picture: Array) -> Array:
    # A last odd row or column is left out: halving exactly is far quicker.
    even = picture[: picture.shape[0] // 2 * 2 or 1, : picture.shape[1] // 2 * 2 or 1]
    size = (max(1, even.shape[1] // 2), max(1, even.shape[0] // 2))
    return cv2.resize(even, size, interpolation=cv2.INTER_AREA)


def grey_of(picture: Array) -> Array:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) if picture.ndim == 3 else picture


@dataclass(frozen=True, eq=False)
class Look:
    """Patches of one board as a photograph shows them where the geometry expects them."""

    board: int
    level: Level
    at: Projection
    inside: Array  # (N,) bool: in the picture
    likeness: Array  # (N,) correlation with the reference; −1 outside the picture
    shift_mm: Array  # (2, N) along the patches' own axes, how far what is seen lies beyond what is expected


@cache
def _basis(side: int) -> Array:
    """What takes (x by x, x by y, y by x, y by y, x, y) to where the samples of a patch lie: (6, side² · 2) float32."""
    offsets = offsets_px(side)
    basis = np.zeros((6, len(offsets), 2), np.float32)
    basis[0, :, 0], basis[1, :, 0] = offsets.T
    basis[2, :, 1], basis[3, :, 1] = offsets.T
    basis[4, :, 0] = basis[5, :, 1] = 1
    return basis.reshape(6, -1)


def sample(
    photograph: Photograph, index: int, at: Projection, across_mm: Array, side: int = PATCH
) -> tuple[Array, Array]:
    """Samples (N, side²) float32 of level `index` around points; which patches are in the picture.

    `across_mm` (2, 2), or (2, 2, N), has the steps on the plane to the next sample right and down in its columns.
    """
    picture = photograph.level(index)
    shrink = 2.0**-index
    if across_mm.ndim == 2:
        across_mm = across_mm[..., None]
    by = at.by_plane * shrink
    places = np.empty((6, at.plane.shape[1]))
    steps = places[:4].reshape(2, 2, -1)
    np.add(by[:, 0, None] * across_mm[0], by[:, 1, None] * across_mm[1], out=steps)
    places[4:] = (at.pixels + 0.5) * shrink - 0.5
    maps = (places.T.astype(np.float32) @ _basis(side)).reshape(-1, side * side, 2)
    samples = cv2.remap(picture, maps, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    samples = grey_of(samples)
    reach = np.abs(steps).sum(axis=1) * (PATCH // 2)
    height, width = picture.shape[:2]
    low, high = places[4:] - reach, places[4:] + reach
    inside = (low[0] >= 0) & (low[1] >= 0) & (high[0] <= width - 1) & (high[1] <= height - 1)
    return samples.astype(np.float32), inside


def look(photograph: Photograph, index: int, geometry: Geometry, board: int, level: Level) -> Look:
    """Compare patches with a photograph where the geometry expects them."""
    at = project(geometry, on_table(geometry, board, level.centres_mm))
    samples, inside = sample(photograph, index, at, _across(geometry, board, level))
    found = np.einsum("kij,ij->ki", level.filters, samples) / lengths_of(samples)
    return Look(board, level, at, inside, np.where(inside, found[0], -1), found[1:])


def _across(geometry: Geometry, board: int, level: Level) -> Array:
    return np.asarray(spin(geometry.placements[board, 0]) / level.per_mm)


def lengths_of(samples: Array) -> Array:
    """The lengths of patches (N, M) with their means taken out; a patch without any contrast is like nothing."""
    total = samples.sum(axis=1)
    power = np.einsum("ij,ij->i", samples, samples) - total * total / samples.shape[1]
    return np.asarray(np.sqrt(np.maximum(power, 1)))


def look_around(photograph: Photograph, index: int, geometry: Geometry, board: int, level: Level, reach: int) -> Look:
    """As `look`, but each patch is sought up to `reach` samples away from where it is expected."""
    at = project(geometry, on_table(geometry, board, level.centres_mm))
    across = _across(geometry, board, level)
    side, way = PATCH + 2 * reach, 2 * reach + 1
    samples, inside = sample(photograph, index, at, across, side)
    scores = _correlations(samples.reshape(-1, side, side), _slid(level, reach))
    count = len(scores)
    flat = scores.reshape(count, -1)
    best = flat.argmax(axis=1)
    y, x = np.divmod(best, way)
    row = np.arange(0, count * way * way, way * way)
    every = flat.ravel()
    # The summit between samples; at the rim of what was looked at, it is that of the next place inside.
    place, beside = np.array([x, y]), np.array([[1], [way]])
    inner = np.minimum(np.maximum(place, 1), way - 2)
    middle = row + best + (inner - place) * beside
    offset = _summit(every[middle - beside], every[middle], every[middle + beside]) * (inner == place)
    # What is seen farther right than expected is a part of the board farther left.
    right, down = (reach - x - offset[0]) / level.per_mm, (reach - y - offset[1]) / level.per_mm
    shift = (level.axes[:, 0] * right + level.axes[:, 1] * down) * level.told
    return Look(board, level, at, inside, np.where(inside, every[row + best], -1), shift)


@lru_cache(maxsize=24)  # the same few levels serve picture after picture
def _slid(level: Level, reach: int) -> Array:
    """Each row of the patches as the matrix that slides it along a row of a picture: (N, s, PATCH · way) float32."""
    count, side, way = len(level.free), PATCH + 2 * reach, 2 * reach + 1
    framed = np.zeros((count, PATCH, side + way - 1), np.float32)
    framed[:, :, way - 1 : way - 1 + PATCH] = level.filters[0].reshape(count, PATCH, PATCH)
    far, down, right = framed.strides
    slid = np.lib.stride_tricks.as_strided(
        framed[:, :, way - 1 :], (count, side, PATCH, way), (far, right, down, -right)
    )
    return slid.reshape(count, side, PATCH * way)


def _correlations(wide: Array, slid: Array) -> Array:
    """Patches, as `_slid`, against pictures (N, s, s) float32 at every shift within reach: (N, way, way)."""
    count, side, _ = wide.shape
    way = side - PATCH + 1
    rows = (wide @ slid).reshape(count, side, PATCH, way)  # products are far quicker than loops
    far, low, down, right = rows.strides
    scores = np.lib.stride_tricks.as_strided(rows, (count, way, PATCH, way), (far, low, low + down, right)).sum(axis=2)
    ones = _shifts(way)
    total, power = ones.T @ (wide @ ones), ones.T @ ((wide * wide) @ ones)
    return np.asarray(scores / np.sqrt(np.maximum(power - total * total / PATCH**2, 1)))


@cache
def _shifts(way: int) -> Array:
    """Which of a row's values each shift of a patch covers: (PATCH + way - 1, way)."""
    ones = np.zeros((PATCH + way - 1, way), np.float32)
    for shift in range(way):
        ones[shift : shift + PATCH, shift] = 1
    return ones


def _summit(before: Array, middle: Array, after: Array) -> Array:
    """Where parabolas through three scores have their top, in steps from the middle one."""
    bend = np.maximum(2 * middle - before - after, 1e-6)
    return np.asarray(np.minimum(np.maximum((after - before) / (2 * bend), -0.5), 0.5))


def _weights(seen: Look, doubt_mm: float) -> Array:
    """How much each patch's shift along its axes counts, (2, N) in 1/mm²: by how well it is placed and how alike."""
    noise = (2 * (1 - seen.likeness) + 0.02) * (12 / PATCH**2)
    alike = np.minimum(np.maximum((seen.likeness - 0.4) / 0.5, 0), 1)
    # A piece on a space may look much like the space's own art, but stands higher.
    alike[~seen.level.free] *= COVERED_WEIGHT
    alike *= alike
    alike *= alike
    told = seen.level.told
    # Never better than a fraction of a sample, however clear the patch: print, lens and light are not perfect.
    return np.asarray(told * told * alike / (seen.level.certain_mm2 * noise + doubt_mm**2))


def _robust(weights: Array, seen: Look) -> Array:
    """Weights with those that disagree with the rest of their board turned down (Cauchy); all where all disagree."""
    distance = (seen.shift_mm * seen.shift_mm * weights).sum(axis=0)
    some = weights.sum(axis=0) > 1e-9
    counted = distance[some & ~seen.level.round]
    if len(counted) < LEAST_TURNING:  # else what is round, which agrees with any turn, does not outvote the rest
        counted = distance[some]
    # The median of what two well-behaved numbers' squares add up to is 1.39.
    typical = max(middle_of(counted) / 1.39, 1.0) if len(counted) else 1.0
    return np.asarray(weights / (typical * (1 + distance / (4 * typical))))


def _prior(geometry: Geometry, size_px: tuple[int, int]) -> tuple[Array, Array]:
    """What was believed of the lens: weights (5,), and how far off they are (5,)."""
    width, height = size_px
    doubts = np.array([FOCAL_DOUBT, K1_DOUBT, K2_DOUBT, CENTRE_DOUBT * width, CENTRE_DOUBT * width])
    aside = np.array(geometry.centre) - ((width - 1) / 2, (height - 1) / 2)
    off = np.array([np.log(geometry.focal / (FOCAL_BY_WIDTH * width)), *geometry.distortion[:2], *aside])
    return doubts**-2.0, off


def step(
    looks: Sequence[Look], geometry: Geometry, size_px: tuple[int, int], lens: Lens, only: int | None = None
) -> Geometry:
    """One step of Gauss and Newton towards where the patches are seen; with `only`, of one further board alone."""
    further = 3 * (len(geometry.placements) - 1)
    asked = 3 if only else POSE + lens + further
    normal, right = np.zeros((asked, asked)), np.zeros(asked)
    for seen in looks:
        along = _along_axes(
            geometry, seen, placed_motions(geometry, seen.at, only) if only else _all(geometry, seen, lens)
        )
        weights = _robust(_weights(seen, 0.05 / seen.at.scale + 0.02 / seen.level.per_mm), seen)
        flat, heavy = along.reshape(asked, -1), (along * weights).reshape(asked, -1)
        normal += flat @ heavy.T
        right -= heavy @ seen.shift_mm.ravel()
    change = np.zeros(POSE + LENS_PARAMETERS + further)
    if only:
        change[POSE + LENS_PARAMETERS + 3 * (only - 1) :][:3] = _solved(normal, right)
        return moved(geometry, change)
    known = POSE + lens
    if lens:
        sure, off = _prior(geometry, size_px)
        normal.flat[POSE * (asked + 1) : known * asked : asked + 1] += sure[:lens]
        right[POSE:known] -= (sure * off)[:lens]
    found = _solved(normal, right)
    change[:known], change[POSE + LENS_PARAMETERS :] = found[:known], found[known:]
    return moved(geometry, change)


def _all(geometry: Geometry, seen: Look, lens: Lens) -> Array:
    """How far along the plane what patches show moves by each parameter asked for: (P, 2, N) mm."""
    own = motions(geometry, seen.at, lens)
    further = len(geometry.placements) - 1
    if not further:
        return own
    every = np.zeros((len(own) + 3 * further, *own.shape[1:]))
    every[: len(own)] = own
    if seen.board:
        every[len(own) + 3 * (seen.board - 1) :][:3] = placed_motions(geometry, seen.at, seen.board)
    return every


def _along_axes(geometry: Geometry, seen: Look, by: Array) -> Array:
    """Motions (P, 2, N) along the plane as those along the patches' own axes."""
    axes = seen.level.axes
    if seen.board:
        (a, b), (c, d) = spin(geometry.placements[seen.board, 0])
        turned = np.empty_like(axes)
        turned[:, 0], turned[:, 1] = a * axes[:, 0] + b * axes[:, 1], c * axes[:, 0] + d * axes[:, 1]
        axes = turned
    return np.asarray(by[:, None, 0] * axes[:, 0] + by[:, None, 1] * axes[:, 1])


def _solved(normal: Array, right: Array) -> Array:
    """The solution of normal equations; nothing is done to parameters of which they do not say anything."""
    root = np.sqrt(normal.diagonal() + 1e-9)
    system = normal / root[:, None] / root
    system.flat[:: len(root) + 1] = 1 + 1e-9
    return np.asarray(np.linalg.solve(system, right / root) / root)


def level_for(known: BoardKnowledge, geometry: Geometry, board: int, index: int) -> Level:
    return known.level(scale_of(geometry, board, known.size_mm) / 2.0**index)


def refine(
    photograph: Photograph,
    boards: Sequence[BoardKnowledge],
    geometry: Geometry,
    lens: Lens,
    stages: Sequence[Stage],
    most: int = ALL,
    only: int | None = None,
) -> Geometry:
    """Align boards with a photograph, by `most` landmarks of each; with `only`, that further board alone."""
    numbers = range(len(boards)) if only is None else [only]
    for stage in stages:
        levels = [level_for(boards[number], geometry, number, stage.index).first(most) for number in numbers]
        for _ in range(stage.steps):
            looks = [
                look_around(photograph, stage.index, geometry, number, level, stage.reach)
                if stage.reach
                else look(photograph, stage.index, geometry, number, level)
                for number, level in zip(numbers, levels, strict=True)
            ]
            geometry = step(looks, geometry, photograph.size_px, lens, only)
    return geometry


def residual_px(seen: Look) -> float:
    """Robust root mean square of the shifts of a board's patches that are alike."""
    good = seen.likeness > 0.6
    if not good.any():
        return float("inf")
    length = np.hypot(*seen.shift_mm[:, good]) * seen.at.scale
    return middle_of(length) / 1.1774 * 2**0.5  # of a two-sided normal spread
