"""Four-sided outlines in a photograph: where a board's edge shows against the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]

MOST_LINES = 9  # longest straight parts of a contour that may be a board's sides
LEAST_AREA = 0.004  # of the picture
MOST_OUTLINES = 80
MOST_CONTOURS = 8
NEAR_END, MOST_CORNERS = 0.25, 200  # by a side's length, how far from its end a corner may be; of the longest sides
FOURS = np.array(list(combinations(range(MOST_LINES), 4)))  # each way of taking four of the lines, in their order


def _edge_mask(small: Array, quantile: float, thick: int) -> Array:
    """Edges of whichever channel is strongest: (h, w) uint8."""
    smooth = cv2.GaussianBlur(small, (3, 3), 0)
    x, y = (cv2.split(cv2.Sobel(smooth, cv2.CV_16S, *way)) for way in ((1, 0), (0, 1)))
    strength = [np.abs(across) + np.abs(down) for across, down in zip(x, y, strict=True)]
    # The channel that shows the edge best may be any; a board can be as bright as its table.
    most, best_x, best_y = strength[1], x[1], y[1]
    for channel in (2, 0):
        stronger = cv2.compare(strength[channel], most, cv2.CMP_GT)
        for own, new in ((most, strength[channel]), (best_x, x[channel]), (best_y, y[channel])):
            cv2.copyTo(new, stronger, own)
    some = most[::2, ::3].ravel()
    place = int(quantile * (len(some) - 1))
    high = max(24.0, float(np.partition(some, place)[place]))
    edges = cv2.Canny(best_x, best_y, high * 0.4, high)
    return cv2.dilate(edges, np.ones((thick, thick), np.uint8)) if thick > 1 else edges


def unlike_table(small: Array) -> Array:
    """What differs from the picture's rim, which is table more often than not: (h, w) uint8, 0 or 255."""
    toned = cv2.cvtColor(cv2.GaussianBlur(small, (5, 5), 0), cv2.COLOR_BGR2LAB)
    rim = max(3, toned.shape[1] // 40)
    parts = (toned[:rim:2, ::2], toned[-rim::2, ::2], toned[::2, :rim:2], toned[::2, -rim::2])
    ring = np.concatenate([part.reshape(-1, 3) for part in parts]).astype(np.float32)
    middle = np.median(ring, axis=0)
    near = ring[(np.abs(ring - middle) < 40).all(axis=1)]
    spread = np.cov(near.T) + np.diag([16.0, 4.0, 4.0])
    root = np.linalg.cholesky(np.linalg.inv(spread)).T * 16
    planes = np.stack(cv2.split(toned)).reshape(3, -1).astype(np.float32)
    off = root.astype(np.float32) @ planes - (root @ middle)[:, None].astype(np.float32)
    far = cv2.convertScaleAbs(cv2.magnitude(cv2.magnitude(off[0], off[1]), off[2])).reshape(toned.shape[:2])
    _, mask = cv2.threshold(far, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    return cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))


def _sides(corners: Array) -> tuple[Array, Array]:
    """The longest sides of a polygon (N, 2), in their order along it: (MOST_LINES, 2, 2) from where to where; length.

    Where there are not so many, the last are of no length.
    """
    ends = np.concatenate([corners[1:], corners[:1]])
    lengths = np.hypot(*(ends - corners).T)
    least = max(8.0, 0.1 * float(lengths.max()))
    if len(lengths) > MOST_LINES:
        least = max(least, float(np.partition(lengths, -MOST_LINES)[-MOST_LINES]))
    long = np.flatnonzero(lengths >= least)[:MOST_LINES]
    lines, sized = np.zeros((MOST_LINES, 2, 2)), np.zeros(MOST_LINES)
    lines[: len(long), 0], lines[: len(long), 1], sized[: len(long)] = corners[long], ends[long], lengths[long]
    return lines, sized


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _meetings(lines: Array, lengths: Array) -> tuple[Array, Array]:
    """Where each two of lines (G, L, 2, 2) meet: (G, L, L, 2), and whether they stand apart enough to tell."""
    start, way = lines[:, :, 0], lines[:, :, 1] - lines[:, :, 0]
    across = _cross(way[:, :, None], way[:, None])
    clear = np.abs(across) > 0.17 * lengths[:, :, None] * lengths[:, None]
    along = _cross(start[:, None] - start[:, :, None], way[:, None]) / np.where(clear, across, 1)
    return start[:, :, None] + way[:, :, None] * along[..., None], clear


def _quads(meetings: Array, clear: Array, lengths: Array, shape: tuple[int, int]) -> Array:
    """Convex four-sided figures (N, 4, 2), clockwise, of lines of one group; those come first that they cover best."""
    h, w = shape
    before = np.roll(FOURS, 1, axis=1)
    group, four = np.nonzero(clear[:, before, FOURS].all(axis=2))
    corners = meetings[group[:, None], before[four], FOURS[four]]
    size = np.array([w, h])
    sides = np.roll(corners, -1, axis=1) - corners
    bends = _cross(sides, np.roll(sides, -1, axis=1))
    turn = np.sign(bends[:, 0])
    area = np.abs(_cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])) / 2
    good = (bends * turn[:, None] > 0).all(axis=1) & (area > LEAST_AREA * h * w)
    good &= ((corners > -0.5 * size) & (corners < 1.5 * size)).all(axis=(1, 2))
    corners, sides, turn = corners[good], sides[good], turn[good]
    length = np.hypot(sides[..., 0], sides[..., 1])
    cover = np.minimum(lengths[group[good, None], FOURS[four[good]]], length).sum(axis=1) / length.sum(axis=1)
    corners[turn < 0] = corners[turn < 0][:, ::-1]
    order = np.argsort(-cover - 0.25 * np.sqrt(area[good] / (h * w)), kind="stable")
    return np.asarray(corners[order])


def _corners(lines: Array, lengths: Array, meetings: Array, clear: Array) -> Array:
    """Where two lines of one group meet near an end of both, and their other ends: (N, 3, 2); longer ones first."""
    group, one, other = np.nonzero(np.triu(clear))
    at = meetings[group, one, other]
    found, good = [at], np.ones(len(at), bool)
    for index in (one, other):
        ends, length = lines[group, index], lengths[group, index]
        away = np.hypot(*(ends - at[:, None]).transpose(2, 0, 1))
        good &= away.min(axis=1) < NEAR_END * length
        found.append(ends[np.arange(len(at)), away.argmax(axis=1)])
    order = np.argsort(-(lengths[group, one] + lengths[group, other])[good], kind="stable")
    return np.stack(found, axis=1)[good][order[:MOST_CORNERS]]


def _of_mask(mask: Array) -> tuple[Array, Callable[[], Array]]:
    """Four-sided outlines (N, 4, 2) of what a mask shows, and what gives its corners (M, 3, 2)."""
    h, w = mask.shape
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    sized = [(abs(cv2.contourArea(contour)), contour) for contour in contours if len(contour) > 0.1 * w]
    sized = [(area, contour) for area, contour in sized if area > LEAST_AREA * h * w]
    groups = []
    for _, contour in sorted(sized, key=lambda pair: -pair[0])[:MOST_CONTOURS]:
        coarse = max(1.5, 0.008 * cv2.arcLength(contour, True))
        around = cv2.approxPolyDP(contour, coarse, True)
        hull = cv2.approxPolyDP(cv2.convexHull(around), 2 * coarse, True)
        groups += [_sides(polygon[:, 0].astype(float)) for polygon in (around, hull) if len(polygon) >= 4]
    if not groups:
        return np.zeros((0, 4, 2)), lambda: np.zeros((0, 3, 2))
    lines, lengths = (np.array(each) for each in zip(*groups, strict=True))
    meetings, clear = _meetings(lines, lengths)
    return _quads(meetings, clear, lengths, (h, w)), partial(_corners, lines, lengths, meetings, clear)


def outlines(small: Array) -> Iterator[tuple[list[Array], Callable[[], Array]]]:
    """Four-sided outlines in a small picture (h, w, 3) BGR: each (4, 2) px, clockwise; a list for each way of looking.

    Those whose sides show best come first, and larger ones before those that are printed inside them.  With each list
    comes what gives the corners (N, 3, 2) that were seen: where two sides meet, and where each of them ends.
    """
    ways: tuple[Callable[[], Array], ...] = (
        lambda: unlike_table(small),
        lambda: _edge_mask(small, 0.93, 3),
        lambda: _edge_mask(small, 0.8, 2),
    )
    kept: set[bytes] = set()
    for way in ways:
        quads, corners = _of_mask(way())
        new: list[Array] = []
        for quad, place in zip(quads, _places(quads, 0.01 * small.shape[1]), strict=True):
            if place not in kept:
                kept.add(place)
                new.append(quad)
            if len(new) == MOST_OUTLINES:
                break
        yield new, corners


def _places(quads: Array, step: float) -> list[bytes]:
    """For each of (N, 4, 2) outlines something that is the same for most that lie within a step."""
    first = quads.sum(axis=2).argmin(axis=1)
    turned = np.take_along_axis(quads, ((first[:, None] + np.arange(4)) % 4)[:, :, None], axis=1)
    return [place.tobytes() for place in np.round(turned / step).astype(np.int16)]


def compact_shapes(small: Array, least_px: float, most_px: float) -> Array:
    """Closed outlines about as wide as long in a picture (h, w, 3) BGR: (N, 4) px, middle and half its longer side.

    Only those are looked at whose upright box is as large as that.
    """
    contours, _ = cv2.findContours(_edge_mask(small, 0.8, 1), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    found = []
    for contour in contours:
        if len(contour) < max(24, 3 * least_px):
            continue
        _, _, wide, high = cv2.boundingRect(contour)
        if min(wide, high) < least_px or max(wide, high) > most_px:
            continue
        (x, y), (a, b), turn = cv2.minAreaRect(contour)
        if max(a, b) > 1.5 * min(a, b) or min(a, b) < 6:
            continue
        way = math.radians(turn + (0 if a >= b else 90))
        found.append([x, y, max(a, b) / 2 * math.cos(way), max(a, b) / 2 * math.sin(way)])
    return np.array(found).reshape(-1, 4)
