"""A board found in a photograph by what other photographs of it show, where its edge alone does not tell."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from calibration.flatten import Straight

Array = np.ndarray[Any, Any]

LONGEST_PX = 1200  # of what is compared, on its longer side
MOST_FEATURES = 4000
CLEARLY = 0.75  # of the distance to the next best feature, at most
NEAR_PX = 3.0  # of where a feature must lie
LEAST_FEATURES, LEAST_SHARE = 25, 0.25  # that lie so: how many, and what share of those that look alike
LEAST_SPREAD = 0.25  # of the board, that lies between them


def found_again(photo: Straight, board: Array) -> Array | None:
    """The corners (4, 2) px in a photograph of a board whose flat picture (height, width, 3) BGR is known.

    In the order of the picture's own corners, the top left one first.  None where too little of the one lies in the
    other as on something flat, or where some of the board lies beyond the photograph.
    """
    there, seen = _features(photo.pixels), _features(board)
    if there is None or seen is None:
        return None
    pairs = cv2.BFMatcher().knnMatch(seen[1], there[1], k=2)
    near = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < CLEARLY * pair[1].distance]
    if len(near) < LEAST_FEATURES:
        return None
    own, others = seen[0][[match.queryIdx for match in near]], there[0][[match.trainIdx for match in near]]
    cv2.setRNGSeed(1)
    leads, fits = cv2.findHomography(own, others, cv2.RANSAC, NEAR_PX * max(1.0, _longest(photo.pixels) / LONGEST_PX))
    if leads is None or fits.sum() < max(LEAST_FEATURES, LEAST_SHARE * len(near)):
        return None
    height, width = board.shape[:2]
    hull = cv2.convexHull(own[fits.ravel() > 0].astype(np.float32))
    if cv2.contourArea(hull) < LEAST_SPREAD * width * height:
        return None
    edge = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], float) - 0.5
    corners = cv2.perspectiveTransform(edge, leads)[0]
    inside = (corners > 2).all() and (corners < np.array(photo.pixels.shape[1::-1]) - 3).all()
    return np.asarray(corners) if inside and cv2.isContourConvex(corners.astype(np.float32)) else None


def _longest(picture: Array) -> int:
    return int(max(picture.shape[:2]))


def _features(picture: Array) -> tuple[Array, Array] | None:
    """Where a picture's features lie (N, 2) px, and what they look like (N, 128); None of a picture without any."""
    grey, shrink = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), max(1.0, _longest(picture) / LONGEST_PX)
    size = (round(grey.shape[1] / shrink), round(grey.shape[0] / shrink))
    small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    points, looks = cv2.SIFT.create(nfeatures=MOST_FEATURES).detectAndCompute(small, None)
    if looks is None:
        return None
    return (np.array([point.pt for point in points]) + 0.5) * shrink - 0.5, looks
