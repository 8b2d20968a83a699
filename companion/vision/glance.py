"""Whether a table moves, told from small pictures of it, one after another.

The noise of the camera is taken from the pictures themselves: most of a table lies still.  Light that changed smoothly
over it is no motion; what has an edge is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.vision.change import LIGHT_REACH, STEADY, cells_of, far_off

Array = np.ndarray[Any, Any]

WIDTH_PX = 320  # of the small picture, about
BLUR_PX = (5, 5)
LEAST, CLUMP_PX = 6, 5  # pixels that must differ in a square so wide: noise is scattered
LIT = 0.06  # by how much all of the light must have changed
GAINS = (0.2, 5.0)  # how far light may change from one picture to the next


@dataclass(frozen=True)
class Motion:
    """What a picture shows against the first of those that were still: something moved, or the light did alone.

    `beside` is set where something moved outside of what matters.
    """

    moving: bool
    light: bool = False
    beside: bool = False


class Glance:
    """Looks at a camera's pictures in their order.

    Each is held against the first of the stretch in which nothing moved, so that what creeps is noticed as well.
    """

    def __init__(self) -> None:
        self._first: Array | None = None
        self._cells = np.zeros(0)

    def see(self, pixels: Array, within: Array | None = None, grey: Array | None = None) -> Motion:
        """The motion in a picture (H, W, 3) uint8; with `within`, (h, w) bool of the small picture, only there.

        `grey` is a small picture that the camera made of the same view, (h, w) uint8 of about the small one's size.
        """
        now = small(pixels) if grey is None else _as_small(grey, pixels)
        first, cells = self._first, cells_of(now)
        if first is None or first.shape != now.shape:
            return self._from(now, cells, Motion(True))
        gain = cv2.medianBlur(cells / self._cells, LIGHT_REACH).clip(*GAINS)
        expected = first
        if np.abs(gain - 1).max() > STEADY:
            field = cv2.resize(gain, now.shape[1::-1], interpolation=cv2.INTER_LINEAR)
            expected = cv2.multiply(first, field, dtype=cv2.CV_8U)
        far, _ = far_off(now, expected)
        if len(far) >= LEAST and _clumped(far, now.shape, within):
            return self._from(now, cells, Motion(True))
        if abs(float(np.median(gain)) - 1) > LIT:
            return self._from(now, cells, Motion(False, True))
        if within is not None and len(far) >= LEAST and _clumped(far, now.shape, None):
            now = np.where(within, first, now)
            return self._from(now, cells_of(now), Motion(False, beside=True))
        return Motion(False)

    def _from(self, now: Array, cells: Array, motion: Motion) -> Motion:
        """Told, and what follows is held against this picture."""
        self._first, self._cells = now, cells
        return motion


def shrink_by(pixels: Array) -> int:
    return max(1, round(float(pixels.shape[1]) / WIDTH_PX))


def small(pixels: Array) -> Array:
    """A small grey picture (h, w) uint8 of a photograph (H, W, 3) uint8 BGR, somewhat blurred."""
    by = shrink_by(pixels)
    height, width = (side // by for side in pixels.shape[:2])
    if by > 1:
        pixels = cv2.resize(pixels[: height * by, : width * by], (width, height), interpolation=cv2.INTER_LINEAR)
    return cv2.blur(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), BLUR_PX)


def _as_small(grey: Array, pixels: Array) -> Array:
    """What `small` would be, from what a camera made small."""
    by = shrink_by(pixels)
    return cv2.blur(cv2.resize(grey, (pixels.shape[1] // by, pixels.shape[0] // by)), BLUR_PX)


def _clumped(far: Array, shape: tuple[int, ...], within: Array | None) -> bool:
    """Whether enough of the pixels that differ lie close together."""
    mask = np.zeros(shape, np.float32)
    mask.ravel()[far] = 1
    if within is not None:
        mask *= within
    return float(cv2.boxFilter(mask, -1, (CLUMP_PX, CLUMP_PX), normalize=False).max()) > LEAST - 0.5
