"""What a webcam sets by itself, exposure, white balance and focus: found by it, and then held, so that a picture
changes where the table does.

A webcam does not say what a picture was taken with, and what many say of their exposure while they find it is an old
one.  Held is believed where two things agree: it says that it is set by hand, and its pictures stay as they were.  No
clock: time is counted in pictures.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np

from hardware.camera.exposure import ASKED, FINDING, HELD, LANDS, LOOSE, MOST, OTHER_LIGHT

Array = np.ndarray[Any, Any]

STILL = 15  # pictures over which nothing changes by more than `MOVES`: it is found
SAME = 4  # pictures that must then be as they were
TRIES = 4  # by turns without and with what it said of itself: a hand may come over the table meanwhile
# Of blue, green, red and sharpness the share by which they change
MOVES = np.array([0.02, 0.02, 0.02, 0.1])  # while a camera that has found its settings only wavers,
JUMPS = np.array([0.15, 0.15, 0.15, 0.3])  # and where it was set otherwise than it had set itself
FEW_PX = 8  # of each so many rows and columns one tells the colours


class Webcam(Protocol):
    """OpenCV's capture: settings by OpenCV's numbers, -1 where there is no such setting."""

    def get(self, setting: int, /) -> float: ...

    def set(self, setting: int, value: float, /) -> bool: ...


@dataclass(frozen=True)
class Automatic:
    """Something that a webcam does by itself: its switch, the ways to turn it on, and off."""

    switch: int
    on: tuple[float, ...]
    off: float
    sets: int | None = None  # what it sets, where that may be told it as well


EXPOSURE = Automatic(cv2.CAP_PROP_AUTO_EXPOSURE, (3.0, 0.0), 1.0, cv2.CAP_PROP_EXPOSURE)  # by Video4Linux's numbers:
# most webcams vary the time alone (3), a few the aperture as well (0).
WHITE = Automatic(cv2.CAP_PROP_AUTO_WB, (1.0,), 0.0, cv2.CAP_PROP_WB_TEMPERATURE)
FOCUS = Automatic(cv2.CAP_PROP_AUTOFOCUS, (1.0,), 0.0)  # a lens stays where it is; told an old place it would move


class Held:
    """Shown each picture it turns off what the webcam does by itself, once that has come to rest."""

    def __init__(self, webcam: Webcam) -> None:
        """One that was left set by hand, by a program that was killed, is set free first."""
        self._webcam = webcam
        self._can = [each for each in (EXPOSURE, WHITE, FOCUS) if self._turned_on(each)]
        self.state = FINDING if EXPOSURE in self._can else LOOSE  # half held would be worse than not at all
        self._seen: deque[Array] = deque(maxlen=STILL)
        self._pictures = self._tries = 0
        self._found: Array = np.zeros(4)  # how the pictures looked when it was found
        self._is_relit = self._is_freed = False

    def relit(self) -> None:
        """Who looks at the table says that its light is another; whether by enough, the next picture tells."""
        self._is_relit = True

    def free(self) -> None:
        """It is to be found anew."""
        self._is_freed = True

    def meet(self, pixels: Array) -> None:
        """After a picture, (height, width, 3) uint8 BGR."""
        if self._is_freed and self._can:
            self._begin_anew()
        match self.state:
            case "finding":
                self._find(_look(pixels))
            case "asked":
                self._check(_look(pixels))
            case "held" if self._is_relit:
                darker, lighter = sorted((_look(pixels)[:3].mean() + 1, self._found[:3].mean() + 1))
                if lighter > OTHER_LIGHT * darker:
                    self._begin_anew()
        self._is_relit = self._is_freed = False

    def let_go(self) -> None:
        """Leave it as other programs expect to find it."""
        for each in self._can:
            self._turned_on(each)

    def _begin_anew(self) -> None:
        self._tries = 0
        self._begin()

    def _begin(self) -> None:
        self.let_go()
        self.state, self._pictures = FINDING if EXPOSURE in self._can else LOOSE, 0
        self._seen.clear()

    def _find(self, now: Array) -> None:
        self._pictures += 1
        self._seen.append(now)
        still = len(self._seen) == STILL and all(_alike(before, now, MOVES) for before in self._seen)
        if still or self._pictures >= MOST:
            self._found = now
            self._hold()

    def _hold(self) -> None:
        """Turned off alone most stay as they are; some go to where they were last set by hand, and must be told."""
        self._tries += 1
        tells = self._tries % 2 == 0
        told = {each.sets: self._webcam.get(each.sets) for each in self._can if tells and each.sets is not None}
        for each in self._can:
            self._webcam.set(each.switch, each.off)
        for setting, value in told.items():
            if value >= 0:
                self._webcam.set(setting, value)
        self.state, self._pictures = ASKED, 0
        self._seen.clear()

    def _check(self, now: Array) -> None:
        self._pictures += 1
        self._seen.append(now)
        if self._pictures < LANDS:
            return
        says_so = all(self._webcam.get(each.switch) == each.off for each in self._can)
        if says_so and all(_alike(one, self._found, JUMPS) for one in list(self._seen)[-SAME:]):
            self.state = HELD
        elif self._tries < TRIES:
            self._begin()
        else:
            self.let_go()
            self.state = LOOSE

    def _turned_on(self, each: Automatic) -> bool:
        """Whether the webcam does that by itself now."""
        if self._webcam.get(each.switch) < 0:
            return False
        for on in each.on:
            self._webcam.set(each.switch, on)
            if self._webcam.get(each.switch) == on:
                return True
        return False


def _look(pixels: Array) -> Array:
    """How blue, green and red a picture is in the mean, and how sharp."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    sharp = float(np.abs(cv2.Laplacian(grey, cv2.CV_16S)).mean())
    return np.array([*pixels[::FEW_PX, ::FEW_PX].reshape(-1, 3).mean(axis=0), sharp])


def _alike(one: Array, other: Array, most: Array) -> bool:
    return bool((np.abs(one - other) <= most * np.maximum(other, 1.0)).all())
