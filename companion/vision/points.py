"""Boards found by points of their pictures (SIFT): far slower than outlines, but no edge of the board need show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]

LONGEST_PX = 800  # of a photograph in which points are sought
MOST_POINTS = 1500
LEAST_CONTRAST = 0.02
RATIO = 0.85  # of the distances to the best and to the second best match
LEAST_MATCHED = 8
TRIES = 3  # boards that different points may agree on


def _stretched(grey: Array) -> Array:
    """A dim or flat picture hides its points: grey levels stretched over the whole range, (h, w) uint8."""
    low, high = (float(level) for level in np.quantile(grey[::4, ::4], (0.01, 0.99)))
    gain = 230 / max(high - low, 12.0)
    return np.asarray(cv2.LUT(grey, np.clip((np.arange(256) - low) * gain, 0, 255).astype(np.uint8)))


def points_of(grey: Array, longest_px: int = LONGEST_PX, most: int = MOST_POINTS) -> tuple[Array, Array]:
    """Points (N, 2) in px of a grey picture (h, w) uint8 and what they look like, (N, 128) float32."""
    ratio = min(1.0, longest_px / max(grey.shape))
    small = cv2.resize(grey, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA) if ratio < 1 else grey
    found, looks = cv2.SIFT.create(most, 3, LEAST_CONTRAST).detectAndCompute(_stretched(small), None)
    if looks is None or not found:
        return np.zeros((0, 2)), np.zeros((0, 128), np.float32)
    # The roots of shares are compared: a few strong edges do not outweigh all else.
    shares = looks / np.maximum(looks.sum(axis=1, keepdims=True), 1e-6)
    points = (np.array([point.pt for point in found]) + 0.5) / ratio - 0.5
    return points, np.sqrt(shares).astype(np.float32)


def matched_outlines(seen: tuple[Array, Array], known: tuple[Array, Array], corners_mm: Array) -> Iterator[Array]:
    """Outlines (4, 2) px that matched points agree on, of a board whose points (M, 2) mm and their looks are known."""
    (points, looks), (places_mm, known_looks) = seen, known
    if len(points) < LEAST_MATCHED or len(places_mm) < LEAST_MATCHED:
        return
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(looks, known_looks, 2)
    good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < RATIO * pair[1].distance]
    source = places_mm[[match.trainIdx for match in good]].reshape(-1, 2)
    target = points[[match.queryIdx for match in good]].reshape(-1, 2)
    reach = 6.0 * max(1.0, float(np.ptp(points, axis=0).max()) / 1300)
    for _ in range(TRIES):
        if len(source) < LEAST_MATCHED:
            return
        homography, inside = cv2.findHomography(source, target, cv2.USAC_MAGSAC, reach, maxIters=3000)
        if homography is None or inside.sum() < LEAST_MATCHED:
            return
        yield cv2.perspectiveTransform(corners_mm[None], homography)[0]
        # What the first answer explains is left out of the next.
        source, target = source[inside.ravel() == 0], target[inside.ravel() == 0]
