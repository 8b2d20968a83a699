"""What stands in for OpenCV's capture of a webcam: settings as Video4Linux has them, and what real ones do with them.

Set `FAULTS` before one is made.  The pictures are of a speckled grey wall that is right at `RIGHT`, so at that exposure
in light of 1, that white balance and that focus, and by then as bright as `LEVEL`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]

AUTO_EXPOSURE, EXPOSURE = cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_EXPOSURE
AUTO_WHITE, WHITE = cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_WB_TEMPERATURE
AUTO_FOCUS, FOCUS = cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS
SETS = {AUTO_EXPOSURE: EXPOSURE, AUTO_WHITE: WHITE, AUTO_FOCUS: FOCUS}
BY_HAND = {AUTO_EXPOSURE: 1.0, AUTO_WHITE: 0.0, AUTO_FOCUS: 0.0}
RIGHT = {EXPOSURE: 160.0, WHITE: 4600.0, FOCUS: 30.0}
FIRST = {EXPOSURE: 400.0, WHITE: 6500.0, FOCUS: 0.0}  # where one begins, and where it was last set by hand
LEVEL = 120.0
WAVERS = (0.0, 0.004, -0.006, 0.003, -0.002, 0.005)  # by how much what is found creeps about
SPECKLED = np.random.default_rng(7).normal(LEVEL, 30, (96, 128, 1)).clip(0, 255)


@dataclass
class Faults:
    lacks: tuple[int, ...] = ()  # switches that it has not, with what they set
    refuses: tuple[int, ...] = ()  # switches that cannot be turned off
    deaf: bool = False  # says that it is set by hand, and goes on by itself
    goes_back: tuple[int, ...] = ()  # switches that, turned off, bring back what was last set by hand
    says_old: bool = False  # what it finds by itself is not what it says of it
    left_by_hand: bool = False  # as a program left it that was killed
    aperture: bool = False  # what is automatic there is 0, and nothing else
    light: float = 1.0  # on the table


FAULTS = Faults()


class Capture:
    def __init__(self, number: int, driver: int) -> None:
        self.now = dict(FIRST)  # what pictures are taken with
        self.by_hand = dict(FIRST)
        self._on = {AUTO_EXPOSURE: 0.0 if FAULTS.aperture else 3.0, AUTO_WHITE: 1.0, AUTO_FOCUS: 1.0}
        self.switches = dict(BY_HAND if FAULTS.left_by_hand else self._on)
        self.set_by_us: list[tuple[int, float]] = []
        self.count = 0
        Capture.last = self

    last: Capture

    def isOpened(self) -> bool:  # OpenCV's own name
        return True

    def get(self, setting: int) -> float:
        if setting in FAULTS.lacks or setting in [SETS[switch] for switch in FAULTS.lacks]:
            return -1.0
        if setting in self.switches:
            return self.switches[setting]
        return (self.by_hand if FAULTS.says_old else self.now).get(setting, -1.0)

    def set(self, setting: int, value: float) -> bool:
        if setting in self.switches and setting not in FAULTS.lacks:
            self.set_by_us.append((setting, value))
            off = value == BY_HAND[setting]
            if (off and setting in FAULTS.refuses) or value not in (BY_HAND[setting], self._on[setting]):
                return False
            if off and self.switches[setting] != value and setting in FAULTS.goes_back:
                self.now[SETS[setting]] = self.by_hand[SETS[setting]]
            self.switches[setting] = value
            return True
        for switch, sets in SETS.items():
            if setting == sets and self.switches[switch] == BY_HAND[switch]:
                self.set_by_us.append((setting, value))
                self.now[setting] = self.by_hand[setting] = value
                return True
        return setting not in self.now

    def grab(self) -> bool:
        self.count += 1
        for switch, sets in SETS.items():
            if switch in FAULTS.lacks:
                self.now[sets] = RIGHT[sets] / (FAULTS.light if sets == EXPOSURE else 1.0)
            elif FAULTS.deaf or self.switches[switch] != BY_HAND[switch]:
                right = RIGHT[sets] / (FAULTS.light if sets == EXPOSURE else 1.0)
                self.now[sets] += 0.3 * (right - self.now[sets]) + WAVERS[self.count % len(WAVERS)] * right
        return True

    def retrieve(self) -> tuple[bool, Any]:
        blur = abs(self.now[FOCUS] - RIGHT[FOCUS]) / 10
        wall = cv2.GaussianBlur(SPECKLED, (0, 0), blur)[:, :, None] if blur > 0.1 else SPECKLED
        warm = self.now[WHITE] / RIGHT[WHITE]
        picture = wall * FAULTS.light * self.now[EXPOSURE] / RIGHT[EXPOSURE] * np.array([1 / warm, 1.0, warm])
        return True, picture.clip(0, 255).astype(np.uint8)

    def release(self) -> None:
        pass
