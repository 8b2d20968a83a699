"""Whether a kit is read right: what looks alike, then photographs that are read and confirmed one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from calibration.acceptance import LEAST_PHOTOGRAPHS, Tally
from calibration.album import Album
from calibration.dialogue import LIVE, TAKEN, Afresh, CheckStand, Deed, Drop, Job, Keep, Outline, Said, Take, Wrong
from calibration.steps import checked, keep_acceptance, passes, whole
from companion.document import Fault, Field, integer, many
from companion.kit import Kit
from companion.observation import Calibration, Frame, NotSeen, Observation
from companion.vision.eye import Eye
from companion.vision.overlay import draw, space_corners

Array = np.ndarray[Any, Any]


class CheckBench:
    def __init__(self, job: Job, kit: Kit, album: Album, lens: Calibration | None) -> None:
        self._kit, self._album, self._lens = kit, album, lens
        self._eye: Eye | None = None
        self._seen: Observation | None = None
        self._total, self._boards = _noted(album.notes())
        self.pictures: dict[str, Array] = {}
        self.stand = CheckStand(job, busy="learning", least=LEAST_PHOTOGRAPHS, findings=tuple(whole(kit)))
        self._count()

    def begin(self) -> None:
        """Learn what the kit looks like."""
        self._eye = Eye(self._kit, self._lens)
        self.stand = replace(self.stand, busy="")

    def look(self, frame: Frame) -> None:
        """Pictures are read when they are taken."""

    def do(self, deed: Deed, frame: Frame | None) -> None:
        match deed:
            case Take() if frame is not None and self._eye is not None:
                self._read(self._eye, frame)
            case Wrong(space) if space in self.stand.read:
                self._mark(self.stand.wrong ^ {space})
            case Keep() if self._seen is not None:
                self._total = self._total.plus(self._seen, self.stand.wrong)
                self._boards |= set(self._seen.boards)
                self._album.note({**self._total.facts(), "boards": sorted(self._boards)})
                self._to_the_next(Said("confirmed", {"count": self._total.photographs}, True))
            case Drop():
                self._to_the_next(None)
            case Afresh():
                self._album.clear()
                self._total, self._boards = Tally(), set()
                self.stand = replace(self.stand, accepted=None, findings=tuple(whole(self._kit)))
                self._to_the_next(None)

    def _read(self, eye: Eye, frame: Frame) -> None:
        seen = eye.look(frame)
        if isinstance(seen, NotSeen):
            self._total = self._total.with_unread()
            self._to_the_next(Said(f"not-seen-{seen.error}", {}, False))
            return
        self._seen = seen
        self.pictures[TAKEN] = draw(frame, seen, self._kit)
        self.stand = replace(
            self.stand,
            shows=TAKEN,
            picture=self.stand.picture + 1,
            read={space: reading.pieces for space, reading in seen.spaces.items()},
            untold=tuple(seen.unsure),
            waits=True,
            last=None,
        )
        self._corners = space_corners(frame, seen, self._kit)
        self._mark(frozenset())

    def _mark(self, wrong: frozenset[str]) -> None:
        stand = self.stand
        outlines = []
        for space, corners in self._corners.items():
            state = "bad" if space in wrong else "doubt" if space in stand.untold else "fine"
            if state != "fine" or stand.read.get(space):
                outlines.append(Outline(corners, state, space))
            else:
                outlines.append(Outline(corners, "plain", space))
        self.stand = replace(stand, wrong=wrong, outlines=tuple(outlines))

    def _to_the_next(self, said: Said | None) -> None:
        self._seen = None
        empty: dict[str, tuple[str, ...]] = {}
        self.stand = replace(
            self.stand, shows=LIVE, waits=False, read=empty, untold=(), wrong=frozenset(), outlines=(), last=said
        )
        self._count()

    def _count(self) -> None:
        """Tell the counts; from the fifth photograph on the kit is accepted, or not."""
        total = self._total
        self.stand = replace(
            self.stand, photographs=total.photographs, right=total.right, errors=total.wrong, unsure=total.unsure
        )
        if total.photographs >= LEAST_PHOTOGRAPHS:
            found = checked(self._kit, total, self._boards)
            keep_acceptance(self._kit.folder, total, passes(found))
            self.stand = replace(self.stand, findings=tuple(found), accepted=passes(found), kept=True)


def _noted(notes: dict[str, Any]) -> tuple[Tally, set[str]]:
    """The counts of an earlier time, and the boards that were seen then."""
    names = Tally().facts()
    try:
        counts = {name: integer(0, 10**9)(Field(notes.get(name, 0))) for name in names}
        return Tally(**counts), set(many(lambda field: field.text(80))(Field(notes.get("boards", []))))
    except Fault:
        return Tally(), set()
