"""Exposure, white balance and focus set once, and the colours of the printed sheet judged as long as it lies there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.camera import Step, check_colours, fix_exposure, fix_focus
from calibration.dialogue import Afresh, CameraStand, Deed, Job, Keep, Said
from calibration.steps import keep_settings
from companion.observation import Frame


class CameraBench:
    """`device` is the camera itself; one that can be set is set first."""

    def __init__(self, job: Job, device: object, profile: Path) -> None:
        self._device, self._profile = device, profile
        self._set: list[Step] = []
        self.pictures: dict[str, Any] = {}  # there are none but those of the camera
        self._is_set = not hasattr(device, "adjust")
        self.stand = CameraStand(job, busy="" if self._is_set else "setting", profile=profile.exists())

    def begin(self) -> None:
        """Nothing is left of an earlier time."""

    def look(self, frame: Frame) -> None:
        if not self._is_set:
            self._set = [fix_exposure(self._device), fix_focus(self._device)]  # type: ignore[arg-type]
            self._is_set = True
        steps = [*self._set, check_colours(frame.pixels)]
        said = tuple(Said(step.key, step.facts, step.passed) for step in steps)
        self.stand = replace(self.stand, busy="", steps=said, fixed=any(step.settings for step in self._set))

    def do(self, deed: Deed, frame: Frame | None) -> None:
        match deed:
            case Keep():
                keep_settings(self._profile, self._set)
                self.stand = replace(self.stand, kept=True)
            case Afresh():
                self._is_set = not hasattr(self._device, "adjust")
                self.stand = replace(self.stand, kept=False, steps=(), busy="" if self._is_set else "setting")
