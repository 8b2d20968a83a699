"""The lens, from views of the chart that is held before the camera: each picture is looked at as it comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.album import Album
from calibration.dialogue import Afresh, Deed, Job, Keep, LensStand, Said
from calibration.findings import CANNOT_BE
from calibration.lens import (
    LEAST_COVERED,
    LEAST_TILT_DEG,
    LEAST_VIEWS,
    MOST_RESIDUAL_PX,
    TILTED_VIEWS,
    Lens,
    Views,
    judged,
    solve,
)
from calibration.steps import keep_lens, passes
from companion.observation import Frame

FIRST_FIT = 4  # views from which on the lens is worked out after each


class LensBench:
    """`settings` are what the camera's own step has fixed, to be kept with its lens."""

    def __init__(
        self, job: Job, album: Album, profile: Path, camera: str, settings: Mapping[str, float] | None = None
    ) -> None:
        self._settings = settings or {}
        self._album, self._profile, self._camera = album, profile, camera
        self._views = Views()
        self.pictures: dict[str, Any] = {}  # there are none but those of the camera
        self._lens: Lens | None = None
        self.stand = LensStand(
            job,
            least_views=LEAST_VIEWS,
            least_covered=LEAST_COVERED,
            least_tilted=TILTED_VIEWS,
            most_residual_px=MOST_RESIDUAL_PX,
            busy="reading" if album.names() else "",
        )

    def begin(self) -> None:
        """Take up the views of an earlier time."""
        for frame in self._album.frames():
            self._views.add(frame.name, frame.pixels)
        self._work_out()

    def look(self, frame: Frame) -> None:
        """A view that is good for something is kept."""
        if self.stand.kept:
            return
        seen = self._views.add(frame.name, frame.pixels)
        facts = {"name": len(self._views.views), "corners": seen.corners, "covered": round(100 * seen.covered)}
        key = f"view-{seen.fault}" if seen.fault else "view"
        self.stand = replace(self.stand, last=Said(key, facts, not seen.fault))
        if not seen.fault:
            self._album.add(frame.pixels)
            self._work_out()

    def do(self, deed: Deed, frame: Frame | None) -> None:
        match deed:
            case Keep() if self._lens is not None and self.stand.passed:
                keep_lens(self._profile, self._lens, self._camera, self._settings)
                self._album.clear()
                self.stand = replace(self.stand, kept=True)
            case Afresh():
                self._album.clear()
                self._views, self._lens = Views(), None
                self.stand = replace(self.stand, kept=False, last=None)
                self._work_out()

    def _work_out(self) -> None:
        views = self._views
        self._lens = solve(views) if len(views.views) >= FIRST_FIT else None
        found = judged(views, self._lens)
        tilts = self._lens.tilts_deg if self._lens is not None else views.rough_tilts_deg()
        passed = self._lens is not None and passes(found)
        self.stand = replace(
            self.stand,
            busy="",
            views=len(views.views),
            covered=tuple(tuple(bool(cell) for cell in row) for row in views.cells),
            tilted=sum(tilt >= LEAST_TILT_DEG for tilt in tilts),
            residual_px=None if self._lens is None else round(self._lens.residual_px, 2),
            findings=tuple(finding for finding in found if finding.grade == CANNOT_BE),
            passed=passed,
        )
