"""The settings of a camera that isn't there: what it finds by itself, what is set, and what comes of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]

RIGHT: Mapping[str, float] = {  # with these a picture is as it was drawn
    "exposure_us": 9_000.0,
    "gain": 1.6,
    "red_gain": 1.9,
    "blue_gain": 1.5,
    "focus_dioptres": 2.4,
}
RANGES: Mapping[str, tuple[float, float]] = {
    "exposure_us": (50.0, 60_000.0),
    "gain": (1.0, 16.0),
    "red_gain": (0.0, 8.0),
    "blue_gain": (0.0, 8.0),
    "focus_dioptres": (0.0, 15.0),
}
FOUND_BY_ITSELF = ("exposure_us", "gain", "red_gain", "blue_gain")
LANDS_AFTER = 3  # pictures, until one is taken with what was set
FAR_OFF, NEARER, NEVER_STILL = 0.6, 0.6, 0.002  # how it begins, what is left of that in each picture, and for ever
GAMMA = 2.2
BLUR_PX = 1.2  # for each dioptre beside the right one, at a width of 1280


class Knobs:
    """`taken` is called for each picture; `metadata` says what the last one was taken with."""

    def __init__(self) -> None:
        self._now = {**RIGHT, "focus_dioptres": 1.0}
        self._fixed: set[str] = set()
        self._asked: list[tuple[int, Mapping[str, float]]] = []
        self._count = self._since = 0  # pictures; when it began to find exposure and white balance by itself

    def ranges(self) -> Mapping[str, tuple[float, float]]:
        return RANGES

    def metadata(self) -> Mapping[str, float]:
        return dict(self._now)

    def adjust(self, settings: Mapping[str, float]) -> None:
        """What is out of its range is set to the end of it."""
        kept = {name: min(max(value, RANGES[name][0]), RANGES[name][1]) for name, value in settings.items()}
        self._asked.append((self._count + LANDS_AFTER, kept))

    def automatic(self) -> None:
        self._fixed -= set(FOUND_BY_ITSELF)
        self._asked, self._since = [], self._count

    def taken(self, pixels: Array) -> Array:
        """A picture (height, width, 3) uint8 BGR as it is with the settings that it has by now."""
        self._count += 1
        for due, settings in self._asked:
            if due == self._count:
                self._now |= settings
                self._fixed |= set(settings)
        age = self._count - self._since
        for number, name in enumerate(FOUND_BY_ITSELF):
            if name not in self._fixed:
                off = FAR_OFF * NEARER**age + NEVER_STILL * math.sin(age + number)
                self._now[name] = RIGHT[name] * (1 - off)
        return _developed(pixels, {name: self._now[name] / RIGHT[name] for name in FOUND_BY_ITSELF}, self._blur(pixels))

    def _blur(self, pixels: Array) -> float:
        off = abs(self._now["focus_dioptres"] - RIGHT["focus_dioptres"])
        return float(BLUR_PX * off * pixels.shape[1] / 1280)


def _developed(pixels: Array, times: Mapping[str, float], blur_px: float) -> Array:
    """With so many times the light, and of red and blue, as when it was drawn."""
    light = times["exposure_us"] * times["gain"]
    levels = np.arange(256) / 255
    table = np.stack([levels * (light * times.get(name, 1.0)) ** (1 / GAMMA) for name in ("blue_gain", "", "red_gain")])
    shown = cv2.LUT(pixels, np.clip(np.rint(255 * table.T), 0, 255).astype(np.uint8)[None])
    return cv2.GaussianBlur(shown, (0, 0), blur_px) if blur_px > 0.1 else np.asarray(shown)
