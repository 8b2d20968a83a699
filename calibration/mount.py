"""How a camera hangs over a table, by the boards that it sees there."""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, degrees
from statistics import median

import cv2

from companion.vision.view import View

OTHER_HEIGHT, OTHER_TILT_DEG = 0.08, 6.0  # of the height, and of the slant, from which it was moved: no board does that


@dataclass(frozen=True)
class Mount:
    """The height of the lens above the boards' plane, and the angle between its axis and straight down."""

    height_mm: float
    tilt_deg: float

    def is_other(self, than: Mount) -> bool:
        height = abs(self.height_mm / than.height_mm - 1)
        return height > OTHER_HEIGHT or abs(self.tilt_deg - than.tilt_deg) > OTHER_TILT_DEG


def mount_of(view: View) -> Mount:
    """By the boards that were found, the middle of them: neither depends on where they lie."""
    turns = [cv2.Rodrigues(pose.rotation)[0] for pose in view.poses.values()]
    tilts = [degrees(acos(min(1.0, abs(float(turn[2, 2]))))) for turn in turns]
    heights = [float(view.camera_mm(board)[2]) for board in view.poses]
    return Mount(median(heights), median(tilts))
