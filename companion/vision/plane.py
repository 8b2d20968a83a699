"""Further boards on the plane of one that was found: their scale is known, so only a turn and a shift are sought."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from companion.vision.geometry import Geometry, project, scale_of, spin
from companion.vision.landmarks import BoardKnowledge
from companion.vision.outline import compact_shapes
from companion.vision.refine import NO_MAP, Photograph

Array = np.ndarray[Any, Any]

SIZE_DOUBT = 0.12  # how far an outline's corners may lie from the board's, by its shorter side
SQUARE = 0.12  # cosine of the angle between two sides that may meet in a board's corner
RADII, ANGLES = 14, 90  # at which a compact board is compared around its middle
COMPACT = 1.4  # a board not longer than this by its width is also sought by its middle


def on_plane(geometry: Geometry, points_px: Array) -> Array:
    """Where pixels (N, 2) lie on the plane of the anchor: (N, 2) mm in its frame."""
    rays = cv2.undistortPoints(np.asarray(points_px, float).reshape(-1, 1, 2), geometry.matrix, geometry.distortion)
    flat = np.column_stack([geometry.rotation[:, :2], geometry.translation])
    seen = np.column_stack([rays.reshape(-1, 2), np.ones(len(points_px))]) @ np.linalg.inv(flat).T
    return np.asarray(seen[:, :2] / seen[:, 2:])


def placements_of_outlines(geometry: Geometry, quads_px: Sequence[Array], frames_mm: Array) -> list[Array]:
    """Placements (3,) of a board of which one of the outlines (4, 2) px may be one of its frames (F, 4, 2)."""
    if not len(quads_px):
        return []
    seen = on_plane(geometry, np.concatenate(quads_px)).reshape(-1, 1, 4, 2)
    turns = (np.arange(4)[:, None] + np.arange(4)) % 4
    seen = seen[:, :, turns].reshape(-1, 4, 4, 2)  # outline, which corner is first, corner
    found = []
    for frame in frames_mm:
        around = frame - frame.mean(axis=0)
        middle = seen.mean(axis=2)
        off = seen - middle[:, :, None]
        sine = (around[:, 0] * off[..., 1] - around[:, 1] * off[..., 0]).sum(axis=2)
        angle = np.arctan2(sine, (around * off).sum(axis=(2, 3)))
        c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
        turned = np.stack([c * around[:, 0] - s * around[:, 1], s * around[:, 0] + c * around[:, 1]], axis=3)
        apart = np.sqrt(((off - turned) ** 2).sum(axis=3)).max(axis=2)
        for index in zip(*np.nonzero(apart < SIZE_DOUBT * np.ptp(frame, axis=0).min()), strict=True):
            found.append(np.array([angle[index], *(middle[index] - spin(angle[index]) @ frame.mean(axis=0))]))
    return found


def placements_of_corners(geometry: Geometry, corners_px: Array, size_mm: tuple[float, float]) -> list[Array]:
    """Placements (3,) of a board of which corners (N, 3, 2) px, each with the ends of its two sides, may be one."""
    if not len(corners_px):
        return []
    at, *ends = on_plane(geometry, corners_px.reshape(-1, 2)).reshape(-1, 3, 2).transpose(1, 0, 2)
    sides = [end - at for end in ends]
    lengths = [np.hypot(*side.T) for side in sides]
    aslant = (sides[0] * sides[1]).sum(axis=1) / (lengths[0] * lengths[1])
    found = []
    for index in np.flatnonzero(np.abs(aslant) < SQUARE):
        one, other = (0, 1) if lengths[0][index] > lengths[1][index] else (1, 0)
        along = sides[one][index] / lengths[one][index]
        left, across = np.array([-along[1], along[0]]), sides[other][index]
        sign = 1 if left @ across > 0 else -1
        for long in (0, 1):  # which side of the board the longer one is
            fits = lengths[one][index] < 1.1 * size_mm[long] and lengths[other][index] < 1.1 * size_mm[1 - long]
            if not fits:
                continue
            middle = at[index] + along * (size_mm[long] / 2) + left * (sign * size_mm[1 - long] / 2)
            right = along if long == 0 else left
            angle = float(np.arctan2(right[1], right[0]))
            found.append(np.array([angle, *(middle - spin(angle) @ (np.array(size_mm) / 2))]))
    return found


def _rings(known: BoardKnowledge) -> Array:
    """Places around the middle of a compact board at which it is compared with the picture: (RADII, ANGLES, 2) mm."""
    away = np.linspace(0.22, 0.97, RADII)[:, None] * np.hypot(*known.size_mm) / 2
    way = np.arange(ANGLES) * (2 * np.pi / ANGLES)
    return np.stack([away * np.cos(way), away * np.sin(way)], axis=2)


def _polar(known: BoardKnowledge, rings_mm: Array) -> tuple[Array, Array]:
    """A board's picture and weight at rings around its middle: two (radii, angles) float32."""
    h, w = known.print_grey.shape
    at = (rings_mm * (w / known.size_mm[0]) + ((w - 1) / 2, (h - 1) / 2)).astype(np.float32)
    grey = cv2.remap(known.print_grey, at, NO_MAP, cv2.INTER_LINEAR)
    weight = cv2.remap(known.print_weight, at, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    weight = np.where(weight > 0.9, weight, 0.05 * weight)  # what may be covered says little
    return grey, weight * np.hypot(rings_mm[..., 0], rings_mm[..., 1]).astype(np.float32)


@dataclass(frozen=True, eq=False)
class _Turned:
    """A board's rings at every turn: what makes weighted correlations with rings that a picture shows."""

    weight: Array  # (radii · angles, angles), which add up to one for each turn
    expected: Array  # the same shape: the board's grey levels about their mean, weighted
    power: float  # levels²: how much they vary

    def alike(self, shown: Array) -> Array:
        """Correlations of rings (N, radii · angles) float32 with the board's, for every turn: (N, angles)."""
        mean = shown @ self.weight
        spread = np.sqrt(np.maximum((shown * shown) @ self.weight - mean * mean, 4.0))
        return np.asarray(shown @ self.expected / (spread * np.sqrt(self.power)))


@lru_cache(maxsize=8)  # the same few boards are sought in picture after picture
def _turned(known: BoardKnowledge) -> _Turned:
    grey, weight = _polar(known, _rings(known))
    angles = grey.shape[1]
    turns = (np.arange(angles) - np.arange(angles)[:, None]) % angles
    w = (weight / weight.sum())[:, turns].transpose(1, 0, 2).reshape(angles, -1).T  # by place and turn
    ref = grey - (weight * grey).sum() / weight.sum()
    expected = ref[:, turns].transpose(1, 0, 2).reshape(angles, -1).T * w
    return _Turned(w, expected, float((weight * ref * ref).sum() / weight.sum()))


def placements_around(
    geometry: Geometry, half: Array, middles_mm: Array, known: BoardKnowledge
) -> list[tuple[float, Array]]:
    """Placements (3,) of a compact board with its middle at one of (N, 2) mm, with their worth, best first.

    `half` is the grey picture at half its size.
    """
    if not len(middles_mm):
        return []
    rings = _rings(known)
    around = (middles_mm[:, None] + rings.reshape(1, -1, 2)).reshape(-1, 2)
    seen = (project(geometry, around.T).pixels.T + 0.5) / 2 - 0.5
    at = np.ascontiguousarray(seen, np.float32).reshape(len(middles_mm), -1, 2)
    shown = cv2.remap(half, at, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    found = []
    for middle, worth in zip(middles_mm, _turned(known).alike(shown), strict=True):
        peaks = np.flatnonzero((worth >= np.roll(worth, 1)) & (worth > np.roll(worth, -1)))
        for peak in peaks[np.argsort(-worth[peaks])][:2]:
            angle = float(peak * 2 * np.pi / ANGLES)
            shift = middle - spin(angle) @ (np.array(known.size_mm) / 2)
            found.append((float(worth[peak]), np.array([angle, *shift])))
    return sorted(found, key=lambda pair: -pair[0])


def _beside(
    middles_mm: Array, size_mm: tuple[float, float], taken: Sequence[tuple[Array, tuple[float, float]]]
) -> Array:
    """Which of (N, 2) may be the middle of a board of this size that lies on none of those taken: (N,) bool."""
    room = 0.3 * min(size_mm)  # the middle of another board lies farther off than its own edge
    good = np.ones(len(middles_mm), bool)
    for (angle, *shift), taken_mm in taken:
        own = (middles_mm - shift) @ spin(angle)
        good &= ~((own > -room) & (own < np.array(taken_mm) + room)).all(axis=1)
    return good


def middles(
    geometry: Geometry,
    photograph: Photograph,
    size_mm: tuple[float, float],
    taken: Sequence[tuple[Array, tuple[float, float]]],
    side_px: float,
) -> Array:
    """Where on the plane (N, 2) something lies that may be a board of this size, or the piece on it.

    `taken` are the placements and sizes of the boards that are found; nothing is sought on them.  The picture is
    halved as often as leaves `side_px` of the board's shorter side.
    """
    about = float(np.median([scale_of(geometry, 0, taken_mm) for _, taken_mm in taken[:1]]))
    index = max(0, int(np.log2(max(min(size_mm) * about / side_px, 1))))
    shrink = 2.0**index
    small = photograph.half(index)
    small = small if small.ndim == 3 else cv2.cvtColor(small, cv2.COLOR_GRAY2BGR)
    shapes = compact_shapes(small, 0.4 * min(size_mm) * about / shrink, 1.6 * max(size_mm) * about / shrink)
    if not len(shapes):
        return np.zeros((0, 2))
    shapes *= shrink
    shapes[:, :2] += (shrink - 1) / 2
    middle, rim = on_plane(geometry, shapes[:, :2]), on_plane(geometry, shapes[:, :2] + shapes[:, 2:])
    across = 2 * np.hypot(*(rim - middle).T)
    short, long = min(size_mm), max(size_mm)
    good = (across > 0.5 * short) & (across < 1.25 * long) & _beside(middle, size_mm, taken)
    kept: list[list[float]] = []
    for point in middle[good].tolist():
        if all(math.dist(point, other) > 0.05 * short for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, 2)
