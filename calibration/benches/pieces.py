"""Pieces, class by class: laid on the teaching sheet, several of a kind at once, cut out, looked at, kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.dialogue import CUT, LIVE, Afresh, Deed, Drop, Form, Job, Keep, Pick, PiecesStand, Said, Take
from calibration.findings import CANNOT_BE
from calibration.kit_making import begun
from calibration.marked_sheets import TEACHING, teaching_cells
from calibration.pieces import Cutting
from calibration.sheet_finding import found_sheet
from calibration.steps import keep_pieces
from companion.kit import Kit
from companion.observation import Calibration, Frame

Array = np.ndarray[Any, Any]

GAP_PX, GROUND = 20, (232, 241, 244)
COLUMNS = 4  # of cut-outs beside each other


class PiecesBench:
    """`model` is a kit of the same game: it says which classes there are, and how they are shaped as a rule."""

    def __init__(self, job: Job, folder: Path, model: Kit, lens: Calibration | None) -> None:
        self._folder, self._lens = folder, lens
        self._model = {piece.name: piece for piece in model.pieces}
        self._document = begun(folder, None, None)
        self._cutting: Cutting | None = None
        self.pictures: dict[str, Array] = {}
        there = {row["class"]: row for row in self._document["piece"]}
        names = dict.fromkeys([*self._model, *there])
        self.stand = PiecesStand(job, classes={name: name in there for name in names})
        self._next()

    def begin(self) -> None:
        """What was kept lies in the kit."""

    def look(self, frame: Frame) -> None:
        if self.stand.shows == LIVE:
            self.stand = replace(self.stand, sheet=found_sheet(frame.pixels, TEACHING) is not None)

    def do(self, deed: Deed, frame: Frame | None) -> None:
        match deed:
            case Take() if frame is not None:
                self._cut(frame)
            case Keep() if self._cutting is not None:
                self._keep(self._cutting)
            case Drop() | Afresh():
                self._show_live(Said("again", {}))
            case Pick(name) if name in self.stand.classes:
                self._pick(name)
                self._show_live(None)
            case Form(shape, height):
                self.stand = replace(self.stand, shape=shape, height_mm=height)

    def _next(self) -> None:
        """The next class that has no picture yet; where all have one, none."""
        names = list(self.stand.classes)
        begin = names.index(self.stand.piece) + 1 if self.stand.piece else 0
        waiting = [name for name in (*names[begin:], *names[:begin]) if not self.stand.classes[name]]
        self._pick(waiting[0] if waiting else "")

    def _pick(self, name: str) -> None:
        there = {row["class"]: row for row in self._document["piece"]}
        known, model = there.get(name), self._model.get(name)
        shape = known["shape"] if known else model.shape if model else "square"
        height = known["height_mm"] if known else model.height_mm if model else 2.0
        size = tuple(known["size_mm"]) if known else None
        self.stand = replace(self.stand, piece=name, shape=shape, height_mm=height, size_mm=size)

    def _show_live(self, said: Said | None) -> None:
        self._cutting = None
        self.stand = replace(self.stand, shows=LIVE, cut=0, last=said, findings=(), kept=False)

    def _cut(self, frame: Frame) -> None:
        """All cells may hold the piece; those that are empty are no fault as long as one isn't."""
        stand = self.stand
        cutting = Cutting([stand.piece] * len(teaching_cells()), self._lens, stand.shape, stand.height_mm)
        key, count = cutting.add(frame.name, frame.pixels)
        faults = [finding for finding in cutting.faults if finding.key != "cell-empty"]
        cutting.faults = faults
        said = Said(f"pieces-{key}", {"name": frame.name, "count": count}, key == "cut" and count > 0)
        if not count:
            empty = [finding for finding in (cutting.problems() if key == "cut" else ()) if finding.grade == CANNOT_BE]
            self._show_live(said)
            self.stand = replace(self.stand, findings=tuple(empty))
            return
        self._cutting = cutting
        cuts = cutting.cuts[stand.piece]
        self.pictures[CUT] = beside_each_other([cut.picture for cut in cuts])
        size = np.median([cut.size_mm for cut in cuts], axis=0)
        self.stand = replace(
            stand,
            shows=CUT,
            picture=stand.picture + 1,
            cut=count,
            size_mm=(round(float(size[0]), 1), round(float(size[1]), 1)),
            last=said,
            findings=tuple(cutting.problems()),
        )

    def _keep(self, cutting: Cutting) -> None:
        rows, found = keep_pieces(self._folder, self._document, cutting)
        name = self.stand.piece
        facts = {"piece": name, "width": rows[0]["size_mm"][0], "height": rows[0]["size_mm"][1]}
        self.stand = replace(self.stand, classes={**self.stand.classes, name: True})
        self._show_live(Said("piece", facts, True))
        alike = [f for f in found if name in (f.facts.get("one"), f.facts.get("other"), f.facts.get("piece"))]
        self.stand = replace(self.stand, findings=tuple(alike), kept=True)
        self._next()


def beside_each_other(cuts: list[Array]) -> Array:
    """Cut-outs (height, width, 4) BGRA on one picture (height, width, 3) BGR."""
    side = max(max(cut.shape[:2]) for cut in cuts) + GAP_PX
    columns = min(COLUMNS, len(cuts))
    whole = np.empty((-(-len(cuts) // columns) * side, columns * side, 3), np.uint8)
    whole[:] = GROUND
    for number, cut in enumerate(cuts):
        height, width = cut.shape[:2]
        top, left = number // columns * side + (side - height) // 2, number % columns * side + (side - width) // 2
        part = whole[top : top + height, left : left + width]
        share = cut[..., 3:].astype(np.float32) / 255
        part[:] = np.rint(cut[..., :3] * share + part * (1 - share)).astype(np.uint8)
    return whole
