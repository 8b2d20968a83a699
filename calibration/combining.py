"""One picture of a board out of several: those that contradict the others left out, light evened, glare taken off."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.flatten import Flat, from_linear, to_linear

Array = np.ndarray[Any, Any]

BLOCK_MM = 20.0  # light changes little over so much
GLARE, SMOOTH_MM = 0.04, 1.5  # a place so much brighter than in another picture shows a lamp; smoothed by so much
CLIPPED = 250
BRIGHT, DARK = 0.06, 0.15  # beyond the slope of light, as its logarithm: glare, and a shadow
LEAST_LIGHT = 0.02  # of white: darker than this, ratios are noise
LOOKED_AT_PX, DETAIL_PX = 400, 6.0  # the longer side at which pictures are compared, and what is broader than detail
ROUNDS, SETTLED = 40, 1e-4  # of moving one picture onto another
ALIKE = 0.5  # correlation of two pictures of one board, light left out
OFF_MM = 2.0  # by which the corners of two pictures of one board may differ


@dataclass(frozen=True, eq=False)
class Agreed:
    """Pictures of one board, each moved to where it fits the first of them; `odd` are the numbers of the others."""

    flats: tuple[Flat, ...]
    kept: tuple[int, ...]
    odd: tuple[int, ...]

    @property
    def decided(self) -> bool:
        """Whether more pictures agree than do not: which of two is right nobody can tell."""
        return len(self.kept) > len(self.odd)


def agreed(flats: Sequence[Flat], px_per_mm: float) -> Agreed:
    """The most pictures that show the same board: one whose corners were taken elsewhere would blur all of them."""
    scale = min(1.0, LOOKED_AT_PX / max(flats[0].bare.shape))
    details, most_px = [_detail(flat, scale) for flat in flats], OFF_MM * px_per_mm * scale
    best: dict[int, Array] = {}
    for own in range(len(flats)):
        found = {other: _onto(details[own], details[other], most_px) for other in range(len(flats))}
        fitting = {other: onto for other, onto in found.items() if onto is not None}
        if len(fitting) > len(best):
            best = fitting
        if 2 * len(best) > len(flats):
            break
    fine, coarse = np.diag([1 / scale, 1 / scale, 1.0]), np.diag([scale, scale, 1.0])
    moved = [_moved(flats[n], fine @ onto @ coarse) for n, onto in best.items()]
    return Agreed(tuple(moved), tuple(best), tuple(n for n in range(len(flats)) if n not in best))


def _detail(flat: Flat, scale: float) -> tuple[Array, Array]:
    """A picture's grey detail (height, width) float32 beside its broad light, and where it is bare of our sheets."""
    height, width = (round(side * scale) for side in flat.bare.shape)
    grey = cv2.cvtColor(cv2.resize(flat.pixels, (width, height), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    levels = grey.astype(np.float32)
    broad = cv2.GaussianBlur(levels, (0, 0), DETAIL_PX)
    bare = cv2.resize(flat.bare, (width, height), interpolation=cv2.INTER_NEAREST)
    return levels - broad, bare


def _onto(own: tuple[Array, Array], other: tuple[Array, Array], most_px: float) -> Array | None:
    """Leads (3, 3) from the places of one picture to those of another of the same board; None where it is not that."""
    if own is other:
        return np.eye(3)
    both, start = np.minimum(own[1], other[1]), np.eye(3, dtype=np.float32)
    until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, ROUNDS, SETTLED)
    try:
        alike, onto = cv2.findTransformECC(own[0], other[0], start, cv2.MOTION_HOMOGRAPHY, until, both, 5)
    except cv2.error:  # nothing of the one is found in the other
        return None
    height, width = own[0].shape
    corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float32)
    off = np.abs(cv2.perspectiveTransform(corners, onto) - corners).max()
    return np.asarray(onto, float) if alike >= ALIKE and off <= most_px else None


def _moved(flat: Flat, onto: Array) -> Flat:
    size = flat.bare.shape[1::-1]
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    pixels = cv2.warpPerspective(flat.pixels, onto, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    return Flat(pixels, cv2.warpPerspective(flat.bare, onto, size, flags=flags, borderMode=cv2.BORDER_REPLICATE))


def combined(flats: Sequence[Flat], px_per_mm: float, best: int = 0) -> Array:
    """One even picture out of several: light that differs is evened out, glare that only some have is left out.

    Its colours are those of the `best` picture.  With one picture there is nothing to compare: it is given as it is.
    """
    if len(flats) == 1:
        return flats[0].pixels
    gains = _gains(flats, px_per_mm, best)
    light = [to_linear(flat.pixels) / gain for flat, gain in zip(flats, gains, strict=True)]
    covered = np.stack([flat.bare == 0 for flat in flats])
    clipped = np.stack([flat.pixels.max(axis=2) >= CLIPPED for flat in flats])
    bright = np.stack([cv2.GaussianBlur(each.mean(axis=2), (0, 0), SMOOTH_MM * px_per_mm) for each in light])
    lowest = np.maximum(np.where(covered, np.inf, bright).min(axis=0), LEAST_LIGHT)
    weight = np.where(covered, 0.0, np.exp(-(((bright / lowest - 1) / GLARE) ** 2)) + 1e-6) * np.where(
        clipped, 1e-3, 1.0
    )
    weight[:, weight.sum(axis=0) == 0] = 1.0  # covered in all of them
    total = sum(each * share[..., None] for each, share in zip(light, weight, strict=True))
    return from_linear(np.asarray(total) / weight.sum(axis=0)[..., None])


def _gains(flats: Sequence[Flat], px_per_mm: float, best: int) -> list[Array]:
    """By how much each picture is brighter than the middle of all, by colour and smooth: (height, width, 3) each.

    What reflects next to nothing of a colour tells nothing of how much of it there is.
    """
    height, width = flats[0].bare.shape
    size = (max(2, round(width / px_per_mm)), max(2, round(height / px_per_mm)))
    small = []
    for flat in flats:
        light = to_linear(cv2.resize(flat.pixels, size, interpolation=cv2.INTER_AREA))
        seen = cv2.resize(flat.bare, size, interpolation=cv2.INTER_NEAREST) > 0
        small.append(np.where(seen[..., None] & (light > LEAST_LIGHT), light, np.nan))
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # a place that all cover
        whole = [np.nan_to_num(np.nanmedian(each / small[best], axis=(0, 1)), nan=1.0) for each in small]
        middle = np.nanmedian(np.stack([each / share for each, share in zip(small, whole, strict=True)]), axis=0)
        blocks = [np.dstack([_blocks(each[..., c] / middle[..., c]) for c in range(3)]) for each in small]
    return [np.maximum(cv2.resize(each, (width, height), interpolation=cv2.INTER_LINEAR), 0.1) for each in blocks]


def _blocks(ratio: Array) -> Array:
    """How light differs, by blocks of BLOCK_MM, float32: a smooth slope over the whole board.

    Glare is no such slope but a bright place on it: it adds to what is printed, dividing by it would take off print.
    """
    rows, columns = (max(1, round(side / BLOCK_MM)) for side in ratio.shape)
    bands = np.array_split(ratio, rows, axis=0)
    coarse = np.array([[np.nanmedian(part) for part in np.array_split(band, columns, axis=1)] for band in bands])
    y, x = (np.mgrid[:rows, :columns] + 0.5) / np.array([[[rows]], [[columns]]]) - 0.5
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=2).reshape(-1, 6)
    values = np.log(np.maximum(coarse, 0.05)).ravel()
    kept = ~np.isnan(values)
    fit = np.array([np.nanmedian(values) if kept.any() else 0.0, 0, 0, 0, 0, 0])
    for _ in range(8):
        off = values - terms @ fit
        near = kept & (off < BRIGHT) & (off > -DARK)
        if np.count_nonzero(near) < 12:
            break
        fit = np.linalg.lstsq(terms[near], values[near], rcond=None)[0]
    return np.asarray(np.exp(terms @ fit).reshape(rows, columns), np.float32)
