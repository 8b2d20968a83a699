"""Boards found by printed ArUco markers.  OpenCV has had two interfaces for them, and may be built without either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np

from companion.kit import Board, Marker

Array = np.ndarray[Any, Any]


CORNER_PX = 0.5  # by how much a marker's corner is off, about
MOST_DOUBT = 0.005  # of a longest side in the picture; alignment finds its way from several times as far


def _detected(grey: Array, dictionary: str) -> dict[int, Array]:
    """The corners (4, 2) px of the markers of a dictionary that are seen once, by their number."""
    aruco: Any = getattr(cv2, "aruco", None)
    name = dictionary if dictionary.startswith("DICT_") else f"DICT_{dictionary}"
    if aruco is None or not hasattr(aruco, name):
        return {}
    known = aruco.getPredefinedDictionary(getattr(aruco, name))
    if hasattr(aruco, "ArucoDetector"):
        corners, ids, _ = aruco.ArucoDetector(known, aruco.DetectorParameters()).detectMarkers(grey)
    else:
        corners, ids, _ = aruco.detectMarkers(grey, known)
    numbers = [] if ids is None else [int(number) for number in np.ravel(ids)]
    seen = zip(numbers, corners, strict=True)
    return {number: np.asarray(four).reshape(4, 2) for number, four in seen if numbers.count(number) == 1}


def marked_outlines(grey: Array, boards: Sequence[Board], markers: Sequence[Marker]) -> Iterator[tuple[str, Array]]:
    """Each board that its seen markers place, and its corners (4, 2) px, from the top left one on.

    Markers at one side alone say little of the other side: a guess from them that is off by a tenth of the board may be
    drawn to where it fits in part.  Such a board is left to other ways of looking.
    """
    if not markers:
        return
    seen = {name: _detected(grey, name) for name in {marker.dictionary for marker in markers}}
    for board in boards:
        own = [marker for marker in markers if marker.board == board.id and marker.id in seen[marker.dictionary]]
        if not own:
            continue
        square = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
        places = np.concatenate([np.array(marker.at_mm) + square * marker.size_mm for marker in own])
        pixels = np.concatenate([seen[marker.dictionary][marker.id] for marker in own])
        homography, _ = cv2.findHomography(places, pixels, cv2.RANSAC, 5.0)
        if homography is None:
            continue
        width, height = board.size_mm
        corners_mm = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=float)
        corners = cv2.perspectiveTransform(corners_mm[None], homography)[0]
        longest = float(np.linalg.norm(np.roll(corners, 1, axis=0) - corners, axis=1).max())
        if _doubt_px(homography, places, corners_mm) < MOST_DOUBT * longest:
            yield board.id, corners


def _doubt_px(homography: Array, places: Array, corners_mm: Array) -> float:
    """How far the worst of a board's corners may be off, if each corner of the markers at `places` (N, 2) mm is."""
    scale = np.abs(corners_mm).max()  # so that all the unknowns are of like size
    h = homography @ np.diag([scale, scale, 1.0])
    known, wanted = (_slopes(h / h[2, 2], points / scale) for points in (places, corners_mm))
    spread = wanted @ np.linalg.pinv(known)
    return float(CORNER_PX * np.sqrt((spread**2).sum(axis=1).reshape(-1, 2).sum(axis=1).max()))


def _slopes(h: Array, points: Array) -> Array:
    """How the pixels of points (N, 2) change with the eight free numbers of a homography: (2 N, 8)."""
    ones = np.column_stack([points, np.ones(len(points))])
    seen = ones @ h.T
    u, v = (seen[:, :2] / seen[:, 2:]).T
    by, none = ones / seen[:, 2:], np.zeros_like(ones)
    rows = [np.hstack([by, none, -u[:, None] * by[:, :2]]), np.hstack([none, by, -v[:, None] * by[:, :2]])]
    return np.stack(rows, axis=1).reshape(-1, 8)
