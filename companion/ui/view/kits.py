"""What is calibrated and what is not yet: the camera, and every copy of a game, with what there is to do next.

Draw each section as a heading, its lines and its taps beside each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calibration.dialogue import BOARD, CAMERA, CHECK, LENS, PIECES, Benches, Copy, Job
from companion.export.summary import title
from companion.ui.view.copies import Edit
from companion.ui.view.taps import Tap
from companion.ui.view.wording import capital, copy_name
from companion.ui.view.workbench import BAD, DOUBT, GOOD, Line, Told, Work

WITH_BEDS = "garden-rush"


@dataclass(frozen=True)
class NewCopy:
    """Begin a kit of a real copy of a game."""

    game: str


@dataclass(frozen=True)
class EditBeds:
    """Enter the shapes of the beds of a copy."""

    folder: str


To = Work | NewCopy | EditBeds | Edit


@dataclass(frozen=True)
class Section:
    name: str
    lines: tuple[Line, ...]
    taps: tuple[Tap[To], ...]


@dataclass(frozen=True)
class Kits:
    notice: str
    sections: tuple[Section, ...]


def kits(benches: Benches, language: str) -> Kits:
    told = Told(language, None)
    sections = [_camera(benches, told), *(_copy(copy, told) for copy in benches.copies)]
    new = tuple(Tap[To](title(game), NewCopy(game)) for game in benches.games)
    return Kits(benches.fault, (*sections, Section(told["new-copy"], (Line(told["new-how"]),), new)))


def _camera(benches: Benches, told: Told) -> Section:
    if benches.lens_day:
        facts = {"day": benches.lens_day, "px": benches.lens_residual_px}
        line = Line(told.filled(told["lens-known"], **facts), GOOD)
    else:
        line = Line(told["lens-unknown"], DOUBT)
    taps = (Tap[To](told["camera"], Work(Job(CAMERA))), Tap[To](told["lens"], Work(Job(LENS))))
    return Section(told["the-camera"].format(camera=benches.camera), (line,), taps)


def _copy(copy: Copy, told: Told) -> Section:
    name = f"{copy_name(copy.name, copy.game, told.language)} · {title(copy.game)}"
    if copy.fault:
        return Section(name, (Line(copy.fault, BAD),), (Tap(told.common["touch"]["more"], Edit(copy.folder)),))
    return Section(name, tuple(_lines(copy, told)), tuple(_taps(copy, told)))


def _lines(copy: Copy, told: Told) -> Iterator[Line]:
    boards = sum(copy.boards.values())
    yield _done(boards, len(copy.boards), told["boards-done"])
    yield _done(copy.pieces, copy.all_pieces, told["pieces-done"])
    if copy.accepted is None:
        yield Line(capital(told["unchecked"]), DOUBT)
    else:
        text = told["accepted-on"] if copy.accepted else told["refused-on"]
        yield Line(capital(text.format(day=copy.day)), GOOD if copy.accepted else BAD)


def _done(count: int, all_: int, text: str) -> Line:
    return Line(capital(text.format(count=count, all=all_)), GOOD if count >= all_ else DOUBT)


def _taps(copy: Copy, told: Told) -> Iterator[Tap[To]]:
    for board in copy.boards:
        yield Tap(capital(told.board(board)), Work(Job(BOARD, copy.folder, board)))
    if any(copy.boards.values()):
        yield Tap(told["pieces"], Work(Job(PIECES, copy.folder)))
    if any(copy.boards.values()) and copy.game == WITH_BEDS:
        yield Tap(told["beds"], EditBeds(copy.folder))
    if all(copy.boards.values()) and copy.pieces:
        yield Tap(told["check"], Work(Job(CHECK, copy.folder)))
    yield Tap(told.common["touch"]["more"], Edit(copy.folder))
