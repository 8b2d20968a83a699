"""Frames printed in a board's picture: where its edge is lost against the table, one of them may be what shows."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from companion.vision.outline import outlines

Array = np.ndarray[Any, Any]

FRAMES_PX = 300  # longest side of the picture in which printed frames are sought
LEAST_FRAME = 0.25  # of the board's area
MOST_FRAMES = 4


def shrunk(picture: Array, per_mm: float, size_mm: tuple[float, float]) -> Array:
    """A picture of a board at a scale, whole pixels a side."""
    size = (max(2, round(size_mm[0] * per_mm)), max(2, round(size_mm[1] * per_mm)))
    shrinks = size[0] <= picture.shape[1]
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)


def frames_of(picture: Array, size_mm: tuple[float, float]) -> Array:
    """The outline of a board and the largest upright frames printed in it, (F, 4, 2) mm.

    Where a board's edge is lost against the table, such a frame is what shows.
    """
    colour = picture[:, :, :3] if picture.ndim == 3 else cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    around = 12
    small = shrunk(colour, FRAMES_PX / max(size_mm), size_mm)
    scale = np.array(size_mm) / small.shape[1::-1]
    framed = cv2.copyMakeBorder(small, around, around, around, around, cv2.BORDER_REPLICATE)
    low, high = np.zeros(2), np.array(size_mm)
    found = [(low, high)]
    for few, _ in outlines(framed):
        for quad in few:
            first, last = (quad.min(axis=0) - around + 0.5) * scale, (quad.max(axis=0) - around + 0.5) * scale
            box = np.array([first, (last[0], first[1]), last, (first[0], last[1])])
            corners = (quad - around + 0.5) * scale
            apart = min(float(np.abs(np.roll(corners, turn, axis=0) - box).max()) for turn in range(4))
            upright = apart < 0.015 * max(size_mm)
            inside = (first > -0.01 * high).all() and (last < 1.01 * high).all()
            new = all(max(np.abs(first - a).max(), np.abs(last - b).max()) > 0.02 * max(size_mm) for a, b in found)
            if upright and inside and new and np.prod(last - first) > LEAST_FRAME * np.prod(high):
                found.append((first, last))
    found.sort(key=lambda box: -float(np.prod(box[1] - box[0])))
    return np.array([[a, (b[0], a[1]), b, (a[0], b[1])] for a, b in found[:MOST_FRAMES]])
