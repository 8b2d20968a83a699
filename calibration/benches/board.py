"""A board of an own copy: pictures of it empty, its corners, its size, and the spaces laid over it until they fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration import template
from calibration.album import Album
from calibration.board import ENOUGH_PICTURES, Flattening
from calibration.dialogue import (
    FLAT,
    LIVE,
    TAKEN,
    Afresh,
    BoardStand,
    ByHand,
    Deed,
    Drop,
    Group,
    Grow,
    Handle,
    Job,
    Keep,
    Kind,
    Lay,
    Mark,
    Move,
    Outline,
    Point,
    Said,
    Size,
    Take,
    Turn,
)
from calibration.edges import found_corners
from calibration.findings import worst
from calibration.flatten import straightened, with_lens
from calibration.kit_making import begun
from calibration.layout import read_layout, spaces_of
from calibration.map_tracing import places_of, traced
from calibration.steps import keep_board
from companion.document import Fault, Field, many, number
from companion.kit import Kit
from companion.observation import Calibration, Frame

Array = np.ndarray[Any, Any]
Row = dict[str, Any]

LOOKED_AT_PX = 960  # width at which the board is looked for while nothing is taken
INSET = 0.15  # of the picture, at which corners lie that nobody has found
CORNERS = ("1", "2", "3", "4")  # from the top left one of the print on, clockwise
USED = ("used", "measured", "no-ruler")  # a board is seen in the picture
_corners = many(many(number(-1e5, 1e5), 2, 2), 4, 4)


class BoardBench:
    """`name` is that of a kit that is begun; `model` one of its game, whose board says how the spaces lie as a rule."""

    def __init__(self, job: Job, folder: Path, name: str, model: Kit, album: Album, lens: Calibration | None) -> None:
        self._job, self._folder, self._model, self._album, self._lens = job, folder, model, album, lens
        self._name, self._notes = name, album.notes()
        self._flat = Flattening(lens, None, None)
        self._newest: Frame | None = None  # that was taken, whatever came of it
        self._layout: template.Layout | None = None
        self._rows: list[Row] = []
        self.pictures: dict[str, Array] = {}
        self.stand = BoardStand(job, enough=ENOUGH_PICTURES, busy="reading" if album.names() else "")

    def begin(self) -> None:
        """Take up the pictures of an earlier time."""
        self._read_anew()
        if self._notes.get("laid") is True and self._flat.pictures:
            self._lay(True)

    def look(self, frame: Frame) -> None:
        """While pictures are taken it is shown where a board is seen."""
        if self.stand.shows != LIVE:
            return
        shrink = max(1.0, frame.pixels.shape[1] / LOOKED_AT_PX)
        size = (round(frame.pixels.shape[1] / shrink), round(frame.pixels.shape[0] / shrink))
        small = cv2.resize(frame.pixels, size, interpolation=cv2.INTER_AREA)
        found = found_corners(straightened(frame.name, small, self._lens))
        outlines = () if isinstance(found, str) else (Outline(self._shares(found, size), "fine"),)
        self.stand = replace(self.stand, outlines=outlines)

    def do(self, deed: Deed, frame: Frame | None) -> None:
        self.stand = replace(self.stand, trouble="")
        match deed:
            case Take() if frame is not None:
                self._take(frame)
            case Drop() if self._album.names():
                self._drop(self._album.names()[-1])
            case Afresh():
                self._album.clear()
                self._notes, self._layout = {}, None
                self.stand = BoardStand(self._job, enough=ENOUGH_PICTURES)
                self._read_anew()
            case ByHand(wanted):
                self._by_hand(wanted)
            case Size(size_mm):
                self._noted(size_mm=None if size_mm is None else list(size_mm))
                self._read_anew()
            case Turn():
                self._turn()
            case Lay(wanted):
                self._noted(laid=wanted)
                self._lay(wanted)
            case Keep() if self.stand.by_hand:
                self._keep_corners()
            case Keep() if self.stand.laid:
                self._keep()
            case Move() | Group() | Grow() | Mark():
                self._fit(deed)

    # Pictures

    def _take(self, frame: Frame) -> None:
        """Keep a picture in which a board is seen; corners may still be given for one in which none is."""
        name = self._album.add(frame.pixels)
        self._newest = Frame(frame.pixels, name)
        if self._see(self._newest) not in USED:
            self._album.drop(name)

    def _see(self, frame: Frame) -> str:
        key, facts = self._flat.add(frame.name, frame.pixels, self._given().get(frame.name))
        said = Said(f"board-{key}", {"name": frame.name, **facts}, key in USED)
        self.stand = replace(self.stand, last=said)
        self._count()
        return key

    def _read_anew(self) -> None:
        size = self._notes.get("size_mm")
        try:
            size_mm = None if size is None else many(number(10, 3000), 2, 2)(Field(size))
        except Fault:
            size_mm = None
        turn = self._notes.get("turn")
        self._flat = Flattening(self._lens, size_mm, None, turn if turn in (90, 180, 270) else 0)
        last = self.stand.last
        for frame in self._album.frames():
            self._newest = frame
            self._see(frame)
        self.stand = replace(self.stand, last=last, busy="")
        self._count()

    def _count(self) -> None:
        flat = self._flat
        seen = len(self._album.names())
        findings = tuple(flat.problems()) if seen else ()
        self.stand = replace(
            self.stand, pictures=len(flat.pictures), size_mm=flat.size_mm, measured=flat.measured, findings=findings
        )

    def _drop(self, name: str) -> None:
        self._album.drop(name)
        self._noted(corners={other: at for other, at in self._given().items() if other != name})
        self.stand = replace(self.stand, last=None)
        self._read_anew()

    def _turn(self) -> None:
        """By which corner of the first picture is the print's top left one."""
        names, given = self._album.names(), self._given()
        if names and names[0] in given:
            corners = given[names[0]]
            self._noted(corners={**given, names[0]: [corners[-1], *corners[:-1]]})
        else:
            turn = self._notes.get("turn")
            self._noted(turn=((turn if isinstance(turn, int) else 0) + 90) % 360)
        self._read_anew()
        self._lay(self.stand.laid)

    # Corners by hand

    def _by_hand(self, wanted: bool) -> None:
        if not wanted or self._newest is None:
            self.stand = replace(self.stand, by_hand=False, shows=LIVE, handles=(), outlines=())
            return
        frame = self._newest
        size = (frame.pixels.shape[1], frame.pixels.shape[0])
        found = found_corners(straightened(frame.name, frame.pixels, self._lens))
        inside = ((INSET, INSET), (1 - INSET, INSET), (1 - INSET, 1 - INSET), (INSET, 1 - INSET))
        corners = inside if isinstance(found, str) else self._shares(found, size)
        self.pictures[TAKEN] = frame.pixels
        self._show_corners(dict(zip(CORNERS, corners, strict=True)))
        self.stand = replace(self.stand, by_hand=True, shows=TAKEN, picture=self.stand.picture + 1)

    def _show_corners(self, corners: Mapping[str, Point]) -> None:
        handles = tuple(Handle(name, at) for name, at in corners.items())
        self.stand = replace(self.stand, handles=handles, outlines=(Outline(tuple(corners.values()), "fine"),))

    def _keep_corners(self) -> None:
        frame = self._newest
        assert frame is not None
        height, width = frame.pixels.shape[:2]
        corners = [[x * width, y * height] for x, y in (handle.at for handle in self.stand.handles)]
        if not _goes_round(corners):
            self.stand = replace(self.stand, last=Said("corners-crossed", {}, False))
            return
        name = frame.name if frame.name in self._album.names() else self._album.add(frame.pixels)
        self._newest = Frame(frame.pixels, name)
        self._noted(corners={**self._given(), name: corners})
        self._by_hand(False)
        self._read_anew()
        self.stand = replace(self.stand, last=Said("board-used", {"name": name}, True))

    def _given(self) -> dict[str, list[Point]]:
        """The corners that were put right by hand, by the picture."""
        try:
            rows = Field(self._notes.get("corners", {})).keys()
            return {name: _corners(field) for name, field in rows.items()}
        except Fault:
            return {}

    def _shares(self, corners: Array, size_px: tuple[int, int]) -> tuple[Point, ...]:
        """Corners (4, 2) px of a straightened picture as they are seen in the picture that was taken."""
        seen = with_lens(corners, size_px, self._lens) / np.array(size_px)
        return tuple((float(x), float(y)) for x, y in seen)

    # Spaces

    def _lay(self, wanted: bool) -> None:
        flat = self._flat
        if not wanted or not flat.pictures or flat.size_mm is None:
            self.stand = replace(self.stand, laid=False, shows=LIVE, handles=(), outlines=())
            return
        self.pictures[FLAT] = flat.picture()
        self.stand = replace(self.stand, laid=True, shows=FLAT, picture=self.stand.picture + 1)
        self._layout = self._noted_layout() or template.template(self._model, self._job.board, flat.size_mm)
        self._show_spaces()

    def _noted_layout(self) -> template.Layout | None:
        """The layout as far as it was fitted before, where it is of a board as large."""
        if self._notes.get("layout_mm") != list(self._flat.size_mm or ()):
            return None
        try:
            return read_layout(Field(self._notes.get("layout")), self._model.game)
        except Fault:
            return None

    def _fit(self, deed: Deed) -> None:
        stand, layout, size = self.stand, self._layout, self._flat.size_mm
        if isinstance(deed, Move) and stand.by_hand:
            corners = {handle.name: handle.at for handle in stand.handles}
            self._show_corners(corners | {deed.handle: deed.to} if deed.handle in corners else corners)
        elif stand.laid and layout is not None and size is not None:
            match deed:
                case Group(name) if name in stand.groups:
                    self.stand = replace(stand, group=name)
                case Move(handle, (x, y)) if handle in template.handles(layout, stand.group):
                    self._layout = template.moved(layout, stand.group, handle, (x * size[0], y * size[1]))
                case Grow(by_mm):
                    self._layout = template.grown(layout, stand.group, by_mm)
                case Mark(space, kind):
                    self._mark(layout, space, kind)
            self._noted(layout=template.written(self._layout or layout), layout_mm=list(size))
            self.stand = replace(self.stand, kept=False)
            self._show_spaces()

    def _mark(self, layout: template.Layout, space: str, kind: int) -> None:
        group = self.stand.are.get(space, ("", None))[0]
        kinds = template.kinds_of(self._model, group) if group else []
        if 0 <= kind < len(kinds):
            row = next((row for row in self._rows if row["id"] == space), {"id": space})
            self._layout = template.marked(layout, group, row, kinds[kind])

    def _show_spaces(self) -> None:
        """Lay them over the picture as the layout says."""
        layout, size = self._layout, self._flat.size_mm
        assert layout is not None and size is not None
        self._rows, doubtful, beside = self._spaces(layout, size)
        names = template.groups(layout)
        group = self.stand.group if self.stand.group in names else names[0]
        kinds = {name: template.kinds_of(self._model, name) for name in names}
        are: dict[str, tuple[str, int | None]] = dict.fromkeys(beside, ("map", None))
        outlines = [Outline(_box(at, layout["map"]["size_mm"], size), "plain", name) for name, at in beside.items()]
        for row in self._rows:
            of = template.group_of(row)
            kind = next((number for number, each in enumerate(kinds[of]) if template.is_of(row, each)), None)
            are[row["id"]] = (of, kind)
            state = "doubt" if row["id"] in doubtful else "fine" if of == group else "plain"
            outlines.append(Outline(_box(row["at_mm"], row["size_mm"][0], size), state, row["id"]))
        at = template.handles(layout, group)
        self.stand = replace(
            self.stand,
            groups=tuple(names),
            group=group,
            kinds={name: tuple(map(_kind, each)) for name, each in kinds.items() if each},
            are=are,
            doubtful=tuple(doubtful),
            outlines=tuple(outlines),
            handles=tuple(Handle(name, (x / size[0], y / size[1])) for name, (x, y) in at.items()),
        )

    def _spaces(
        self, layout: template.Layout, size_mm: tuple[float, float]
    ) -> tuple[list[Row], list[str], dict[str, Sequence[float]]]:
        """The rows of the spaces, those to be confirmed, and the places of a map of which nothing is known."""
        if self._model.game != "garden-guests":
            return spaces_of(layout, self._model.game, self._job.board), [], {}
        rows: list[Row] = []
        doubtful: list[str] = []
        beside: dict[str, Sequence[float]] = {}
        try:
            beside = {f"{q},{r}": [float(v) for v in at] for (q, r), at in places_of(layout, size_mm)}
            layout["examples"] = {name: kind for name, kind in layout["examples"].items() if name in beside}
            if layout["examples"]:
                rows, doubtful = traced(self.pictures[FLAT], size_mm, layout, self._job.board)
        except Fault as fault:
            self.stand = replace(self.stand, trouble=str(fault))
        for row in rows:
            del beside[row["id"]]
        return rows, doubtful, beside

    def _keep(self) -> None:
        document = begun(self._folder, self._model.game, self._name)
        size = self._flat.size_mm
        assert size is not None
        _, found = keep_board(self._folder, document, self._job.board, self.pictures[FLAT], size, self._rows)
        findings = tuple(worst([*self._flat.problems(), *found]))
        facts = {
            "board": self._job.board,
            "size_mm": f"{size[0]:.1f} × {size[1]:.1f}",
            "spaces": len(self._rows),
            "pictures": len(self._flat.pictures),
        }
        self.stand = replace(self.stand, kept=True, findings=findings, last=Said("board", facts, True))

    def _noted(self, **notes: Any) -> None:
        self._notes = {**self._notes, **notes}
        self._album.note(self._notes)


def _box(at_mm: Sequence[float], side_mm: float, size_mm: tuple[float, float]) -> tuple[Point, ...]:
    """A space's corners as shares of the board."""
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return tuple(
        ((at_mm[0] + x * side_mm / 2) / size_mm[0], (at_mm[1] + y * side_mm / 2) / size_mm[1]) for x, y in corners
    )


def _kind(tags: Mapping[str, Any]) -> Kind:
    key, value = next(iter(tags.items()))
    if key == "kind":
        return Kind(str(value), str(tags.get("flower") or tags.get("team") or ""))
    return Kind(key, str(value or "") if key == "tool" else "yes" if value else "")


def _goes_round(corners: Sequence[Sequence[float]]) -> bool:
    """Whether four corners follow each other clockwise around something."""
    points = np.array(corners)
    along = np.roll(points, -1, axis=0) - points
    after = np.roll(along, -1, axis=0)
    return bool((along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0] > 0).all())
