"""Placing boards exactly: patches of their pictures are aligned with a photograph, all boards and the lens together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

import cv2
import numpy as np

from companion.vision.geometry import (
    FOCAL_BY_WIDTH,
    FOCAL_DOUBT,
    LENS_PARAMETERS,
    Geometry,
    Projection,
    inverse,
    moved,
    project,
    scale_of,
)
from companion.vision.landmarks import PATCH, BoardKnowledge, Level, offsets_px

Array = np.ndarray[Any, Any]

# How far distortion may be from none and the lens's centre, by the picture's width, from the picture's own.
K1_DOUBT, K2_DOUBT, CENTRE_DOUBT = 0.06, 0.02, 0.012
COVERED_WEIGHT = 0.9  # its fourth power: how much a landmark on a space counts beside one on bare board
OFFSETS = offsets_px()
NO_MAP = np.empty(0, np.float32)  # OpenCV's second map, where the first holds both coordinates


class Lens(Enum):
    """What of the lens may be worked out from the picture."""

    KNOWN = "nothing: it is calibrated"
    FOCAL = "its focal length: the boards are not placed well enough yet for more"
    FREE = "focal length, distortion and centre"


@dataclass(frozen=True)
class Stage:
    """Some steps of refining at one level of halving; with a reach, patches are sought so many samples around."""

    index: int
    steps: int
    reach: int = 0


@dataclass(frozen=True, eq=False)
class Photograph:
    """A grey picture at full size and halved again and again; each (h, w) uint8.

    For a look at a few patches of full size alone, the first may be (h, w, 3) BGR: they are made grey by themselves.
    """

    levels: list[Array]

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        height, width = self.levels[0].shape[:2]
        return width, height

    def level(self, index: int) -> Array:
        while len(self.levels) <= index:
            last = self.levels[-1]
            size = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            self.levels.append(cv2.resize(last, size, interpolation=cv2.INTER_AREA))
        return self.levels[index]


@dataclass(frozen=True, eq=False)
class Look:
    """Patches of several boards as a photograph shows them where the geometry expects them."""

    board: Array  # (N,) int
    free: Array  # (N,) bool
    likeness: Array  # (N,) correlation with the reference, −1…1; NaN outside the picture
    shift_mm: Array  # (N, 2) how far along the board what is seen lies beyond what is expected
    scale: float  # px by mm about the landmarks, of the full picture


def _sample(
    photograph: Photograph, index: int, projection: Projection, spacing_mm: Array, offsets: Array = OFFSETS
) -> tuple[Array, Array]:
    """Samples (N, M) uint8 of level `index` at offsets (M, 2) around landmarks; which patches are in the picture."""
    picture = photograph.level(index)
    step = 2.0**index
    middle = ((projection.pixels + 0.5) / step - 0.5).astype(np.float32)
    across = (projection.by_mm * (spacing_mm[:, None, None] / step)).astype(np.float32)
    at = offsets @ across.transpose(0, 2, 1) + middle[:, None, :]
    samples = cv2.remap(picture, at, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if samples.ndim == 3:
        samples = cv2.cvtColor(samples, cv2.COLOR_BGR2GRAY)
    reach = np.abs(across).sum(axis=2) * (PATCH // 2)
    h, w = picture.shape[:2]
    inside = ((middle - reach >= 0) & (middle + reach <= (w - 1, h - 1))).all(axis=1)
    return samples, inside


@dataclass(frozen=True, eq=False)
class Patches:
    """The landmarks of several boards that one step of refining looks at, put together."""

    board: Array
    centres_mm: Array
    free: Array
    spacing_mm: Array
    patches: Array
    gradients: Array
    hessians: Array

    def of_board(self, board: int) -> Patches:
        own = self.board == board
        return Patches(*(getattr(self, field.name)[own] for field in fields(self)))


def gathered(levels: Sequence[Level], most: int | None = None) -> Patches:
    """Landmarks of one level for each board; with `most`, every so many-th of a board that has more."""
    picked = []
    for level in levels:
        count = len(level.centres_mm)
        picked.append(
            np.arange(count) if most is None or count <= most else np.linspace(0, count - 1, most).astype(int)
        )

    def together(name: str) -> Array:
        return np.concatenate([getattr(level, name)[pick] for level, pick in zip(levels, picked, strict=True)])

    counts = [len(pick) for pick in picked]
    return Patches(
        np.repeat(np.arange(len(levels)), counts),
        together("centres_mm"),
        together("free"),
        np.repeat([1 / level.per_mm for level in levels], counts),
        together("patches"),
        together("gradients"),
        together("hessians"),
    )


def look(
    photograph: Photograph, index: int, geometry: Geometry, patches: Patches, with_parameters: bool = False
) -> tuple[Look, Projection]:
    """Compare patches with a photograph where the geometry expects them."""
    projection = project(geometry, patches.board, patches.centres_mm, with_parameters)
    raw, inside = _sample(photograph, index, projection, patches.spacing_mm)
    samples = raw.astype(np.float32)
    samples -= samples.mean(axis=1, keepdims=True)
    length = np.sqrt(np.einsum("ij,ij->i", samples, samples))
    samples /= np.maximum(length, 1.0)[:, None]  # a patch without any contrast is like nothing
    likeness = np.einsum("ij,ij->i", samples, patches.patches)
    likeness[~inside] = np.nan
    pull = np.einsum("ikj,ij->ik", patches.gradients, samples - patches.patches)
    # Damped: along a line the shift stays 0, and `_weights` gives it no weight there.
    shift = (inverse(_damped(patches)) @ pull[:, :, None])[:, :, 0]
    return Look(patches.board, patches.free, likeness, shift, _mean_scale(projection)), projection


def _mean_scale(projection: Projection) -> float:
    by = projection.by_mm
    return float(np.sqrt(np.abs(by[:, 0, 0] * by[:, 1, 1] - by[:, 0, 1] * by[:, 1, 0])).mean())


def _damped(patches: Patches) -> Array:
    """The patches' hessians so that along a line, where nothing can be told, a shift comes out as none."""
    return np.asarray(patches.hessians + np.eye(2) * (0.02 / patches.spacing_mm**2)[:, None, None])


def look_around(
    photograph: Photograph, index: int, geometry: Geometry, patches: Patches, reach: int
) -> tuple[Look, Projection]:
    """As `look`, but each patch is sought up to `reach` samples away from where it is expected."""
    projection = project(geometry, patches.board, patches.centres_mm)
    side = PATCH + 2 * reach
    samples, inside = _sample(photograph, index, projection, patches.spacing_mm, offsets_px(side))
    scores = _correlations(samples.reshape(-1, side, side).astype(np.float32), patches.patches, reach)
    way = 2 * reach + 1
    best = scores.reshape(len(scores), -1).argmax(axis=1)
    y, x = best // way, best % way
    row = np.arange(len(scores))
    likeness = scores[row, y, x].astype(np.float64)
    likeness[~inside] = np.nan
    inner_x, inner_y = np.clip(x, 1, way - 2), np.clip(y, 1, way - 2)
    right = x - reach + _summit(*(scores[row, y, inner_x + step] for step in (-1, 0, 1))) * (x == inner_x)
    down = y - reach + _summit(*(scores[row, inner_y + step, x] for step in (-1, 0, 1))) * (y == inner_y)
    # What is seen farther right than expected is a part of the board farther left.
    shift = -np.stack([right, down], axis=1) * patches.spacing_mm[:, None]
    shift = (inverse(_damped(patches)) @ (patches.hessians @ shift[:, :, None]))[:, :, 0]
    return Look(patches.board, patches.free, likeness, shift, _mean_scale(projection)), projection


def _correlations(wide: Array, patches: Array, reach: int) -> Array:
    """Patches (N, PATCH²) against pictures (N, s, s) float32 at every shift within reach: (N, 2 reach + 1, same)."""
    count, side, _ = wide.shape
    way = 2 * reach + 1
    templates = patches.reshape(count, PATCH, PATCH)
    tall = wide.reshape(count * side, side)
    own = slice(PATCH // 2, PATCH // 2 + way)
    mean = cv2.boxFilter(tall, cv2.CV_32F, (PATCH, PATCH)).reshape(wide.shape)[:, own, own]
    power = cv2.sqrBoxFilter(tall, cv2.CV_32F, (PATCH, PATCH)).reshape(wide.shape)[:, own, own]
    length = np.sqrt(np.maximum(power - mean * mean, 1 / PATCH**2)) * PATCH
    scores = np.empty((count, way, way), np.float32)
    for y in range(way):
        for x in range(way):
            scores[:, y, x] = np.einsum("nij,nij->n", wide[:, y : y + PATCH, x : x + PATCH], templates)
    return np.asarray(scores / length)


def _summit(before: Array, middle: Array, after: Array) -> Array:
    """Where parabolas through three scores have their top, in steps from the middle one."""
    bend = np.maximum(2 * middle - before - after, 1e-6)
    return np.asarray(np.clip((after - before) / (2 * bend), -0.5, 0.5))


def _weights(seen: Look, patches: Patches, doubt_mm: float) -> Array:
    """How much each patch's shift counts, (N, 2, 2) in 1/mm²: by how well it is placed and how alike it is."""
    likeness = np.nan_to_num(seen.likeness, nan=-1.0)
    noise = (2 * (1 - likeness) + 0.02) / PATCH**2 * 12
    damped = _damped(patches)
    # Never better than a fraction of a sample, however clear the patch: print, lens and light are not perfect.
    certain = inverse(damped)
    weight = inverse(certain * noise[:, None, None] + np.eye(2) * doubt_mm**2)
    told = certain @ patches.hessians  # about the identity; along a line 0
    alike = np.clip((likeness - 0.4) / 0.5, 0, 1)
    # A piece on a space may look much like the space's own art, but stands higher.
    alike[~patches.free] *= COVERED_WEIGHT
    return np.asarray(told.transpose(0, 2, 1) @ weight @ told * (alike**4)[:, None, None])


def _robust(weights: Array, error_mm: Array, board: Array) -> Array:
    """Weights with those that disagree with the rest of their board turned down (Cauchy); all where all disagree."""
    distance = np.einsum("ni,nij,nj->n", error_mm, weights, error_mm)
    counted = weights[:, 0, 0] + weights[:, 1, 1] > 1e-9
    typical = np.ones(len(weights))
    for number in np.unique(board[counted]):
        own = board == number
        # The median of what two well-behaved numbers' squares add up to is 1.39.
        typical[own] = max(float(np.median(distance[own & counted])) / 1.39, 1.0)
    return np.asarray(weights / (typical * (1 + distance / (4 * typical)))[:, None, None])


def _prior(geometry: Geometry, size_px: tuple[int, int], lens: Lens, count: int) -> tuple[Array, Array]:
    """What was believed of the lens, as a diagonal (P,) and a pull (P,) of the normal equations."""
    width, height = size_px
    diagonal, pull = np.full(count, 1e-9), np.zeros(count)
    doubts = np.array([FOCAL_DOUBT, K1_DOUBT, K2_DOUBT, CENTRE_DOUBT * width, CENTRE_DOUBT * width])
    aside = np.array(geometry.centre) - ((width - 1) / 2, (height - 1) / 2)
    off = np.array([np.log(geometry.focal / (FOCAL_BY_WIDTH * width)), *geometry.distortion[:2], *aside])
    own = slice(6, 6 + LENS_PARAMETERS)
    diagonal[own] = 1 / doubts**2
    pull[own] = -off / doubts**2
    held = slice({Lens.KNOWN: 6, Lens.FOCAL: 7, Lens.FREE: own.stop}[lens], own.stop)
    diagonal[held], pull[held] = 1e12, 0
    return diagonal, pull


def step(
    seen: Look,
    projection: Projection,
    patches: Patches,
    geometry: Geometry,
    size_px: tuple[int, int],
    lens: Lens,
    only: int | None = None,
) -> Geometry:
    """One step of Gauss and Newton towards where the patches are seen; with `only`, of one further board alone."""
    weights = _weights(seen, patches, 0.05 / seen.scale + 0.02 * float(patches.spacing_mm.mean()))
    weights = _robust(weights, seen.shift_mm, seen.board)
    by = inverse(projection.by_mm) @ projection.by_parameter  # in mm of the board
    weighted = weights @ by
    diagonal, pull = _prior(geometry, size_px, lens, by.shape[2])
    if only is not None:
        held = np.ones(len(diagonal), bool)
        held[6 + LENS_PARAMETERS + 3 * (only - 1) :][:3] = False
        diagonal[held] = 1e12
    flat, heavy = by.reshape(-1, by.shape[2]), weighted.reshape(-1, by.shape[2])
    normal = flat.T @ heavy + np.diag(diagonal)
    right = pull - heavy.T @ seen.shift_mm.ravel()
    root = np.sqrt(np.diag(normal))
    change = np.linalg.solve(normal / np.outer(root, root) + 1e-12 * np.eye(len(root)), right / root) / root
    return moved(geometry, change)


def levels_for(boards: Sequence[BoardKnowledge], geometry: Geometry, index: int) -> list[Level]:
    return [known.level(scale_of(geometry, number, known.size_mm) / 2.0**index) for number, known in enumerate(boards)]


def refine(
    photograph: Photograph,
    boards: Sequence[BoardKnowledge],
    geometry: Geometry,
    lens: Lens,
    stages: Sequence[Stage],
    most: int | None = None,
    only: int | None = None,
) -> Geometry:
    """Align boards with a photograph, stage by stage; with `only`, just that further board."""
    for stage in stages:
        patches = gathered(levels_for(boards, geometry, stage.index), most)
        if only is not None:
            patches = patches.of_board(only)
        for _ in range(stage.steps):
            if stage.reach:
                seen, projection = look_around(photograph, stage.index, geometry, patches, stage.reach)
            else:
                seen, projection = look(photograph, stage.index, geometry, patches, with_parameters=True)
            geometry = step(seen, projection, patches, geometry, photograph.size_px, lens, only)
    return geometry


def residual_px(seen: Look, board: int) -> float:
    """Robust root mean square of the shifts of a board's patches that are alike."""
    good = (seen.board == board) & (np.nan_to_num(seen.likeness, nan=-1.0) > 0.6)
    if not good.any():
        return float("inf")
    length = np.hypot(*seen.shift_mm[good].T) * seen.scale
    return float(np.median(length) / 1.1774 * np.sqrt(2))  # of a two-sided normal spread
