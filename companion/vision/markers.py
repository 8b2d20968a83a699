"""Boards found by printed ArUco markers.  OpenCV has had two interfaces for them, and may be built without either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np

from companion.kit import Board, Marker

Array = np.ndarray[Any, Any]


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
    """Each board with markers that are seen, and its corners (4, 2) px, from the top left one on."""
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
        if homography is not None:
            width, height = board.size_mm
            corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], dtype=float)
            yield board.id, cv2.perspectiveTransform(corners, homography)[0]
