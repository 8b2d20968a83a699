"""Where a marked sheet lies in a picture."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from calibration.marked_sheets import MarkedSheet, dictionary

Array = np.ndarray[Any, Any]

LEAST_MARKERS = 2


def seen_markers(pixels: Array) -> dict[int, Array]:
    """The corners (4, 2) px of each marker of our sheets in a picture (height, width, 3) BGR, by its number."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 3  # a larger one is drawn away by the squares beside
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary(), parameters).detectMarkers(grey)
    numbers = [] if ids is None else [int(number) for number in np.ravel(ids)]
    seen = zip(numbers, corners, strict=True)
    return {n: np.asarray(four, float).reshape(4, 2) for n, four in seen if numbers.count(n) == 1}


def found_sheet(pixels: Array, sheet: MarkedSheet, seen: dict[int, Array] | None = None) -> Array | None:
    """The homography (3, 3) from the sheet's mm to px; None where fewer than two of its markers are seen."""
    seen = seen_markers(pixels) if seen is None else seen
    own = [number for number in sheet.markers if number in seen]
    if len(own) < min(LEAST_MARKERS, len(sheet.markers)):
        return None
    here = np.concatenate([sheet.corners_mm(number) for number in own])
    there = np.concatenate([seen[number] for number in own])
    homography, _ = cv2.findHomography(here, there, cv2.RANSAC, 3.0)
    return None if homography is None else np.asarray(homography)
