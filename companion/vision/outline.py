"""Four-sided outlines in a photograph: where a board's edge shows against the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]

MOST_LINES = 9  # longest straight parts of a contour that may be a board's sides
LEAST_AREA = 0.004  # of the picture
MOST_OUTLINES = 80
MOST_CONTOURS = 8
SHAPES_WIDTH = 800  # px about which small closed outlines are looked for


def _edge_mask(small: Array, quantile: float, thick: int) -> Array:
    """Edges of whichever channel is strongest: (h, w) uint8."""
    smooth = cv2.GaussianBlur(small, (3, 3), 0)
    x, y = cv2.Sobel(smooth, cv2.CV_16S, 1, 0), cv2.Sobel(smooth, cv2.CV_16S, 0, 1)
    # The channel that shows the edge best may be any; a board can be as bright as its table.
    size = np.abs(x) + np.abs(y)
    channels = [(size[:, :, i], x[:, :, i], y[:, :, i]) for i in range(3)]
    most, x, y = (np.ascontiguousarray(plane) for plane in channels[1])
    for other, other_x, other_y in (channels[2], channels[0]):
        stronger = other > most
        for own, new in ((most, other), (x, other_x), (y, other_y)):
            np.copyto(own, new, where=stronger)
    high = max(24.0, float(np.quantile(most[::2, ::2], quantile)))
    edges = cv2.Canny(x, y, high * 0.4, high)
    return cv2.dilate(edges, np.ones((thick, thick), np.uint8)) if thick > 1 else edges


def _unlike_table(small: Array) -> Array:
    """What differs from the picture's rim, which is table more often than not: (h, w) uint8, 0 or 255."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (5, 5), 0), cv2.COLOR_BGR2LAB).astype(np.float32)
    h, w = lab.shape[:2]
    rim = max(3, w // 40)
    ring = np.concatenate([lab[:rim].reshape(-1, 3), lab[-rim:].reshape(-1, 3),
                           lab[:, :rim].reshape(-1, 3), lab[:, -rim:].reshape(-1, 3)])[::3]  # fmt: skip
    middle = np.median(ring, axis=0)
    near = ring[np.abs(ring - middle).max(axis=1) < 40]
    spread = np.cov(near.T) + np.diag([16.0, 4.0, 4.0])
    root = np.linalg.cholesky(np.linalg.inv(spread))
    off = (lab.reshape(-1, 3) - middle.astype(np.float32)) @ root.astype(np.float32)
    far = np.minimum(np.sqrt((off * off).sum(axis=1)) * 16, 255).astype(np.uint8).reshape(h, w)
    _, mask = cv2.threshold(far, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    return cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))


def _sides(contour: Array, coarse: float) -> Array:
    """The longest straight parts of a contour, in their order along it: (N, 2, 2) from where to where."""
    corners = cv2.approxPolyDP(contour, coarse, True).reshape(-1, 2).astype(float)
    sides = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    lengths = np.hypot(*(sides[:, 1] - sides[:, 0]).T)
    long = np.flatnonzero(lengths >= max(8.0, 0.1 * lengths.max()))
    return np.asarray(sides[np.sort(long[np.argsort(-lengths[long], kind="stable")][:MOST_LINES])])


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _meeting(lines: Array, others: Array) -> tuple[Array, Array]:
    """Where lines (N, 2, 2) meet others: (N, 2), and whether they stand apart enough for that to be told."""
    first, second = lines[:, 1] - lines[:, 0], others[:, 1] - others[:, 0]
    across = _cross(first, second)
    clear = np.abs(across) > 0.17 * np.hypot(*first.T) * np.hypot(*second.T)
    along = _cross(others[:, 0] - lines[:, 0], second) / np.where(clear, across, 1)
    return lines[:, 0] + first * along[:, None], clear


def _quads(groups: list[Array], shape: tuple[int, int]) -> Array:
    """Convex four-sided figures (N, 4, 2), clockwise, of lines of one group; those come first that they cover best."""
    h, w = shape
    fours = [group[list(combinations(range(len(group)), 4))] for group in groups if len(group) >= 4]
    if not fours:
        return np.zeros((0, 4, 2))
    lines = np.concatenate(fours)  # (N, 4, 2, 2)
    corners, good = np.empty((len(lines), 4, 2)), np.ones(len(lines), bool)
    for i in range(4):
        corners[:, i], clear = _meeting(lines[:, i - 1], lines[:, i])
        good &= clear
    size = np.array([w, h])
    good &= ((corners > -0.5 * size) & (corners < 1.5 * size)).all(axis=(1, 2))
    sides = np.roll(corners, -1, axis=1) - corners
    bends = _cross(sides, np.roll(sides, -1, axis=1))
    turn = np.sign(bends[:, 0])
    good &= (bends * turn[:, None] > 0).all(axis=1)
    area = np.abs(_cross(corners, np.roll(corners, -1, axis=1)).sum(axis=1)) / 2
    good &= area > LEAST_AREA * h * w
    corners, lines, sides, turn = corners[good], lines[good], sides[good], turn[good]
    length = np.hypot(sides[..., 0], sides[..., 1])
    seen = lines[:, :, 1] - lines[:, :, 0]
    cover = np.minimum(np.hypot(seen[..., 0], seen[..., 1]), length).sum(axis=1) / length.sum(axis=1)
    corners[turn < 0] = corners[turn < 0][:, ::-1]
    order = np.argsort(-cover - 0.25 * np.sqrt(area[good] / (h * w)), kind="stable")
    return np.asarray(corners[order])


def _of_mask(mask: Array) -> Array:
    h, w = mask.shape
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    sized = [(abs(cv2.contourArea(contour)), contour) for contour in contours if len(contour) > 0.1 * w]
    sized = [(area, contour) for area, contour in sized if area > LEAST_AREA * h * w]
    groups = []
    for _, contour in sorted(sized, key=lambda pair: -pair[0])[:MOST_CONTOURS]:
        coarse = max(1.5, 0.008 * cv2.arcLength(contour, True))
        groups += [_sides(contour, coarse), _sides(cv2.convexHull(contour), 2 * coarse)]
    return _quads(groups, (h, w))


def outlines(small: Array) -> Iterator[list[Array]]:
    """Four-sided outlines in a small picture (h, w, 3) BGR: each (4, 2) px, clockwise; a list for each way of looking.

    Those whose sides show best come first, and larger ones before those that are printed inside them.
    """
    ways: tuple[Callable[[], Array], ...] = (
        lambda: _edge_mask(small, 0.93, 3),
        lambda: _unlike_table(small),
        lambda: _edge_mask(small, 0.8, 2),
    )
    kept: set[bytes] = set()
    for way in ways:
        quads = _of_mask(way())
        new: list[Array] = []
        for quad, place in zip(quads, _places(quads, 0.01 * small.shape[1]), strict=True):
            if place not in kept:
                kept.add(place)
                new.append(quad)
            if len(new) == MOST_OUTLINES:
                break
        yield new


def _places(quads: Array, step: float) -> list[bytes]:
    """For each of (N, 4, 2) outlines something that is the same for most that lie within a step."""
    first = quads.sum(axis=2).argmin(axis=1)
    turned = np.take_along_axis(quads, ((first[:, None] + np.arange(4)) % 4)[:, :, None], axis=1)
    return [place.tobytes() for place in np.round(turned / step).astype(np.int16)]


def compact_shapes(pixels: Array, least_px: float, most_px: float) -> Array:
    """Closed outlines about as wide as long in a picture (h, w, 3) BGR: (N, 4) px, middle and half its longer side.

    Only those are looked at whose upright box is as large as that.
    """
    shrink = max(1, round(pixels.shape[1] / SHAPES_WIDTH))
    h, w = pixels.shape[0] // shrink, pixels.shape[1] // shrink
    small = cv2.resize(pixels[: h * shrink, : w * shrink], (w, h), interpolation=cv2.INTER_AREA)
    contours, _ = cv2.findContours(_edge_mask(small, 0.8, 1), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    found = []
    for contour in contours:
        if len(contour) < 24:
            continue
        _, _, wide, high = cv2.boundingRect(contour)
        if min(wide, high) * shrink < least_px or max(wide, high) * shrink > most_px:
            continue
        (x, y), (a, b), turn = cv2.minAreaRect(contour)
        if max(a, b) > 1.5 * min(a, b) or min(a, b) < 6:
            continue
        way = np.deg2rad(turn + (0 if a >= b else 90))
        middle, half = np.array([x, y]), max(a, b) / 2 * np.array([np.cos(way), np.sin(way)])
        found.append([*((middle + 0.5) * shrink - 0.5), *(half * shrink)])
    return np.array(found).reshape(-1, 4)
