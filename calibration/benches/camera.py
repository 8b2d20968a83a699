"""Exposure, white balance and focus set once, and the colours of the printed sheet judged as long as it lies there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from calibration.camera import Step, check_colours, fix_exposure, fix_focus
from calibration.dialogue import Afresh, CameraStand, Deed, Job, Keep, Said
from companion.observation import Frame


class CameraBench:
    """`device` is the camera itself; one that can be set is set first.  `keep` is handed what was set."""

    def __init__(self, job: Job, device: object, keep: Callable[[Sequence[Step]], None]) -> None:
        self._device, self._keep = device, keep
        self._set: list[Step] = []
        self.pictures: dict[str, Any] = {}  # there are none but those of the camera
        self._is_set = not hasattr(device, "adjust")
        self.stand = CameraStand(job, busy="" if self._is_set else "setting")

    def begin(self) -> None:
        """Nothing is left of an earlier time."""

    def look(self, frame: Frame) -> None:
        if not self._is_set:
            device: Any = self._device
            self._set = [fix_exposure(device), fix_focus(device)] if device.ranges() else []
            self._is_set = True
            if self._set:
                return  # what has been taken so far was taken before
        steps = [*self._set, check_colours(frame.pixels)]
        said = tuple(Said(step.key, step.facts, step.passed) for step in steps)
        self.stand = replace(self.stand, busy="", steps=said, fixed=any(step.settings for step in self._set))

    def do(self, deed: Deed, frame: Frame | None) -> None:
        match deed:
            case Keep():
                self._keep(self._set)
                self.stand = replace(self.stand, kept=True)
            case Afresh():
                self._is_set = not hasattr(self._device, "adjust")
                self.stand = replace(self.stand, kept=False, steps=(), busy="" if self._is_set else "setting")
