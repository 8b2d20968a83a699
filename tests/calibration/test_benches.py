"""The steps of calibrating as they are gone through at a screen, from pictures made up without a renderer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event
from typing import Any

import cv2
import numpy as np
import pytest

from calibration import template
from calibration import workshop as working
from calibration.album import Album
from calibration.benches import check as checking
from calibration.benches.board import BoardBench
from calibration.benches.camera import CameraBench
from calibration.benches.check import CheckBench
from calibration.benches.pieces import PiecesBench
from calibration.dialogue import (
    CUT,
    LIVE,
    TAKEN,
    Afresh,
    BoardStand,
    ByHand,
    Deed,
    Drop,
    Group,
    Grow,
    Job,
    Keep,
    Lay,
    Mark,
    Move,
    Pick,
    Size,
    Take,
    Turn,
    Wrong,
)
from calibration.flatten import with_lens, without_lens
from calibration.layout import read_layout, spaces_of
from calibration.marked_sheets import TEACHING, teaching_cells
from calibration.steps import ACCEPTANCE
from calibration.workshop import Workshop
from companion.commands import own_kit
from companion.document import Fault, Field, load_text, parse_json
from companion.games import NAMES
from companion.kit import Kit, load_kit
from companion.observation import Calibration, Frame, NotSeen, Observation, Reading
from companion.simulate.practice import PAPER_MM, PX_PER_MM, PracticeCamera, sheet_picture

Array = np.ndarray[Any, Any]

DICE = "garden-dice"
SIZE_PX = (1200, 900)
CORNERS = ((330.0, 120.0), (910.0, 140.0), (940.0, 760.0), (300.0, 740.0))
JOB = Job("board", "ours", "board")


class Pictures:
    """A camera that gives these, one after the other."""

    def __init__(self, pictures: Iterable[Array | NotSeen]) -> None:
        self._pictures = iter(pictures)
        self.closed = False

    def read(self) -> Frame | NotSeen | None:
        found = next(self._pictures, None)
        return Frame(found, "seen") if isinstance(found, np.ndarray) else found

    def close(self) -> None:
        self.closed = True


def table(corners: tuple[tuple[float, float], ...] | None = CORNERS) -> Array:
    """A board on a dark table, or that table alone."""
    picture = np.full((SIZE_PX[1], SIZE_PX[0], 3), (60, 50, 40), np.uint8)
    picture += np.random.default_rng(1).integers(0, 8, picture.shape, np.uint8)
    if corners is not None:
        board = cv2.imread(str(own_kit(DICE).boards[0].image))
        assert board is not None
        small = cv2.resize(board, (832, 832), interpolation=cv2.INTER_AREA)
        there = np.array(corners, np.float32)
        onto = cv2.getPerspectiveTransform(np.array([[0, 0], [832, 0], [832, 832], [0, 832]], np.float32) - 0.5, there)
        laid = cv2.warpPerspective(small, onto, SIZE_PX)
        mask = cv2.warpPerspective(np.full((832, 832), 255, np.uint8), onto, SIZE_PX)
        picture[mask > 127] = laid[mask > 127]
    return picture


def done(workshop: Workshop, *deeds: Any) -> Any:
    """What the step stands at once these are done."""
    for deed in deeds:
        workshop.do(deed)
    workshop.turn()
    return workshop.stand


class Slow:
    """A step whose disk has to be waited for: meanwhile the same is pressed again."""

    def __init__(self) -> None:
        self.stand = BoardStand(JOB)
        self.pictures: dict[str, Array] = {}
        self.done: list[Deed] = []
        self.said: list[str] = []
        self.workshop = Workshop(Pictures([]), self)

    def begin(self) -> None:
        """There is nothing from before."""

    def look(self, frame: Frame) -> None:
        """Nothing is looked at."""

    def do(self, deed: Deed, frame: Frame | None) -> None:
        self.done.append(deed)
        self.said.append(self.workshop.stand.busy)
        if len(self.done) == 1:
            for again in (deed, deed, Drop()):
                self.workshop.do(again)


@pytest.mark.parametrize("deed", [Take(), Keep(), Afresh()])
def test_pressed_again_while_it_is_being_done_it_is_done_once(deed: Deed) -> None:
    slow = Slow()
    done(slow.workshop, deed)
    assert (slow.done, slow.said) == ([deed, Drop()], ["working"] * 2)
    done(slow.workshop, deed)
    assert slow.done[2:] == [deed], "another time is another time"
    done(slow.workshop, Grow(1.0), Grow(1.0), Turn(), Turn())
    assert slow.done[3:] == [Grow(1.0), Grow(1.0), Turn(), Turn()]


def test_whoever_goes_on_waits_until_what_was_left_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "END_S", 0.0)
    slow, begins, opens = Slow(), Event(), Event()
    written: list[bool] = []

    def do(deed: Deed, frame: Frame | None) -> None:
        begins.set()
        written.append(opens.wait(60))

    slow.do = do  # type: ignore[method-assign]
    slow.workshop.start()
    slow.workshop.do(Keep())
    assert begins.wait(60)
    slow.workshop.close()
    assert not written
    opens.set()
    slow.workshop.finish()
    assert written == [True]


@pytest.fixture
def board(tmp_path: Path) -> Callable[..., Workshop]:
    def begun(*pictures: Array) -> Workshop:
        album = Album(tmp_path / "album")
        bench = BoardBench(JOB, tmp_path / "kit", "Ours", own_kit(DICE), album, None)
        return Workshop(Pictures(pictures), bench, paced=True)

    return begun


def test_a_board_is_taken_measured_laid_and_kept(board: Callable[..., Workshop], tmp_path: Path) -> None:
    workshop = board(table(), table())
    stand: BoardStand = done(workshop)
    (outline,) = stand.outlines  # seen before anything is taken
    assert np.abs(np.array(outline.corners) * SIZE_PX - CORNERS).max() < 4
    stand = done(workshop, Take())
    assert (stand.last and stand.last.key, stand.size_mm) == ("board-no-ruler", None)
    stand = done(workshop, Size((416.0, 416.0)), Take())
    assert (stand.pictures, stand.size_mm, stand.measured) == (2, (416.0, 416.0), False)
    stand = done(workshop, Lay(True))
    assert stand.groups == ("plots", "track") and len(stand.outlines) == 136
    first = next(handle for handle in stand.handles if handle.name == "first")
    stand = done(workshop, Move("first", (first.at[0] + 0.01, first.at[1])), Mark("1,1", 1), Keep())
    assert stand.kept and not stand.cannot_be
    made = load_kit(tmp_path / "kit")
    own = {space.id: space for space in own_kit(DICE).spaces}
    at = {space.id: space for space in made.spaces}
    assert at["1,1"].at_mm == pytest.approx((own["1,1"].at_mm[0] + 4.16, own["1,1"].at_mm[1]), abs=0.1)
    assert at["6,6"].at_mm == pytest.approx(own["6,6"].at_mm, abs=0.1) and at["1,1"].tags["star"]
    flat, print_ = (cv2.imread(str(kit.boards[0].image)) for kit in (made, own_kit(DICE)))
    assert flat is not None and print_ is not None
    small = [cv2.resize(picture, (60, 60), interpolation=cv2.INTER_AREA).astype(float) for picture in (flat, print_)]
    assert np.corrcoef(small[0].ravel(), small[1].ravel())[0, 1] > 0.97

    again = board()  # another day: all of it is as it was left
    resumed: BoardStand = done(again)
    assert (resumed.pictures, resumed.size_mm, resumed.laid) == (2, (416.0, 416.0), True)
    assert (resumed.handles, resumed.are["1,1"]) == (stand.handles, ("plots", 1))
    assert done(again, Afresh()).pictures == 0 and not (tmp_path / "album").exists()
    assert load_kit(tmp_path / "kit").spaces == made.spaces  # what was kept stays


def test_corners_by_hand_where_none_are_found(board: Callable[..., Workshop]) -> None:
    workshop = board(table(None), table(None))
    stand = done(workshop, Size((416.0, 416.0)))
    stand = done(workshop, Take())
    assert (stand.last.key, stand.pictures) == ("board-no-board", 0)
    stand = done(workshop, ByHand(True))
    assert stand.shows == TAKEN and [handle.name for handle in stand.handles] == ["1", "2", "3", "4"]
    moves = [Move(str(number), (x / 1200, y / 900)) for number, (x, y) in enumerate(CORNERS, 1)]
    crossed = done(workshop, *moves[:1], Move("2", moves[2].to), Move("3", moves[1].to), Keep())
    assert (crossed.by_hand, crossed.last.key) == (True, "corners-crossed")
    stand = done(workshop, *moves, Keep())
    assert (stand.by_hand, stand.pictures, stand.shows) == (False, 1, LIVE)
    assert done(board()).pictures == 1  # the corners are kept with the picture
    assert done(workshop, Turn(), Drop()).pictures == 0


def test_a_board_is_turned_to_be_read(board: Callable[..., Workshop]) -> None:
    workshop = board(table((CORNERS[3], *CORNERS[:3])))  # it lies turned by a quarter
    done(workshop)
    done(workshop, Size((416.0, 416.0)), Take(), Lay(True))
    before = workshop.picture()
    done(workshop, Turn())
    after = workshop.picture()
    assert before is not None and after is not None
    assert np.abs(np.rot90(before, -1).astype(int) - after).mean() < 3


def test_what_cannot_be_written_is_told_and_the_step_goes_on(tmp_path: Path) -> None:
    (tmp_path / "album").write_text("in the way")
    bench = BoardBench(JOB, tmp_path / "kit", "Ours", own_kit(DICE), Album(tmp_path / "album"), None)
    workshop = Workshop(Pictures([table(None)]), bench, paced=True)
    done(workshop)
    assert "cannot be written" in done(workshop, Take()).trouble
    assert done(workshop, Group("track")).trouble == ""


def test_pictures_that_were_taken_before_wait_until_they_are_used(tmp_path: Path) -> None:
    bench = CameraBench(Job("camera"), object(), tmp_path / "camera.toml")
    camera = Pictures([table(None), NotSeen("too-dark", "")])
    workshop = Workshop(camera, bench, paced=True)
    assert done(workshop).picture == done(workshop).picture == 1
    assert (bench.stand.steps[-1].key, bench.stand.fixed) == ("no-colours", False)
    assert done(workshop, Take()).trouble == "too-dark"
    workshop.close()
    assert camera.closed


def test_a_camera_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    def gone() -> Iterable[Array]:
        yield table(None)
        raise Fault("pictures: cannot be read")

    bench = CameraBench(Job("camera"), object(), tmp_path / "camera.toml")
    workshop = Workshop(Pictures(gone()), bench)
    assert done(workshop).trouble == ""
    stand = done(workshop)
    assert (stand.trouble, stand.ended) == ("pictures: cannot be read", False)  # the last one was not taken yet
    assert done(workshop, Take()).ended


# Pieces


def laid(*names: str) -> Array:
    """The teaching sheet from straight above, with pieces in its first cells."""
    sheet = sheet_picture("teaching")
    pieces = {piece.name: piece for piece in own_kit(DICE).pieces}
    margin = [(paper - side) / 2 for paper, side in zip(PAPER_MM, TEACHING.size_mm, strict=True)]
    for name, (x, y) in zip(names, teaching_cells(), strict=False):
        picture = cv2.imread(str(pieces[name].image))
        assert picture is not None
        side = round(pieces[name].size_mm[0] * PX_PER_MM)
        left, top = (round((at + edge) * PX_PER_MM - side / 2) for at, edge in zip((x, y), margin, strict=True))
        sheet[top : top + side, left : left + side] = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.copyMakeBorder(sheet, 60, 60, 60, 60, cv2.BORDER_CONSTANT, value=(60, 50, 40)))


@pytest.fixture
def begun_kit(tmp_path: Path) -> Path:
    """A kit with its board and no pieces yet."""
    folder, own = tmp_path / "kit", own_kit(DICE)
    folder.mkdir()
    text = (own.folder / "kit.toml").read_text(encoding="utf-8")
    head, _, rest = text.partition("[[piece]]")
    (folder / "kit.toml").write_text(head + "[dice]" + rest.partition("[dice]")[2], encoding="utf-8")
    (folder / "board.png").write_bytes(own.boards[0].image.read_bytes())
    return folder


def test_pieces_are_taken_class_by_class_and_one_of_them_anew(begun_kit: Path) -> None:
    taken = [laid("squash/seed", "squash/seed"), laid(), laid("squash/vegetable"), laid("squash/vegetable")]
    workshop = Workshop(Pictures(taken), PiecesBench(Job("pieces", "ours"), begun_kit, own_kit(DICE), None), paced=True)
    stand = done(workshop)
    assert (stand.piece, stand.shape, stand.sheet) == ("squash/seed", "square", True)
    stand = done(workshop, Take())
    assert (stand.shows, stand.cut) == (CUT, 2)
    assert stand.size_mm == pytest.approx((40.0, 40.0), abs=0.5)
    assert not (begun_kit / "pieces").exists()  # not before it was looked at
    stand = done(workshop, Keep())
    assert (stand.piece, stand.classes["squash/seed"]) == ("squash/vegetable", True)
    assert [piece.name for piece in load_kit(begun_kit).pieces] == ["squash/seed"]
    stand = done(workshop, Take())
    assert (stand.shows, [finding.key for finding in stand.findings]) == (LIVE, ["no-pieces"])
    stand = done(workshop, Take(), Keep(), Pick("squash/seed"))
    assert (stand.piece, sum(stand.classes.values())) == ("squash/seed", 2)
    done(workshop, Take(), Keep())  # in the place of the other, by mistake
    resumed = PiecesBench(Job("pieces", "ours"), begun_kit, own_kit(DICE), None).stand
    assert (resumed.piece, sum(resumed.classes.values())) == ("carrot/seed", 2)


# The check


class StandIn:
    """Reads what it is told, of any picture."""

    def __init__(self, kit: Kit, lens: Calibration | None) -> None:
        self._seen: list[Observation | NotSeen] = [NotSeen("too-dark", "")]
        sure = {space.id: Reading((), 0.99) for space in kit.spaces} | {"2,2": Reading(("bird",), 0.99)}
        unsure = {space: sure.pop(space) for space in ("6,6", "5,5")}
        self._seen += [Observation({}, sure, dict.fromkeys(unsure, "hidden"))] * 9

    def look(self, frame: Frame) -> Observation | NotSeen:
        return self._seen.pop(0)


@pytest.mark.parametrize(("wrong", "accepted"), [(False, True), (True, False)])
def test_five_photographs_are_confirmed(
    wrong: bool, accepted: bool, tmp_path: Path, begun_kit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "Eye", StandIn)
    monkeypatch.setattr(checking, "draw", lambda frame, seen, kit: frame.pixels)
    monkeypatch.setattr(checking, "whole", lambda kit: [])
    monkeypatch.setattr("calibration.steps.whole", lambda kit: [])
    album, job = Album(tmp_path / "check"), Job("check", "ours")
    picture = np.zeros((90, 120, 3), np.uint8)
    workshop = Workshop(Pictures([picture] * 9), CheckBench(job, load_kit(begun_kit), album, None))
    assert done(workshop).busy == ""
    assert done(workshop, Take()).last.key == "not-seen-too-dark"
    stand = done(workshop, Take())
    assert (stand.waits, stand.read["2,2"], set(stand.untold)) == (True, ("bird",), {"6,6", "5,5"})
    stand = done(workshop, *[Wrong("2,2")] * (1 if wrong else 2), Keep())
    assert (stand.photographs, stand.errors, stand.right) == (1, int(wrong), 134 - wrong)
    assert not (begun_kit / ACCEPTANCE).exists()

    again = Workshop(Pictures([picture] * 9), CheckBench(job, load_kit(begun_kit), album, None))
    assert done(again).photographs == 1  # another day
    done(again, Take())
    for _ in range(4):
        stand = done(again, Take(), Keep())
    assert (stand.photographs, stand.accepted) == (5, accepted)
    assert "board-unseen" in {finding.key for finding in stand.findings}  # what reads here finds no board at all
    kept = parse_json(load_text(begun_kit / ACCEPTANCE))
    assert (kept["accepted"], kept["photographs"], kept["unread"]) == (accepted, 5, 2)
    assert (kept["right"], kept["wrong"], kept["unsure"]) == (670 - wrong, int(wrong), 10)


# Templates


@pytest.mark.parametrize("name", NAMES)
def test_a_template_of_a_kit_is_that_kit(name: str) -> None:
    own = own_kit(name)
    for board in own.boards:
        layout = template.template(own, board.id, board.size_mm)
        read = read_layout(Field(template.written(layout)), name)
        assert template.written(read) == template.written(layout)
        if name == "garden-guests":
            continue
        rows = {row["id"]: row for row in spaces_of(layout, name, board.id)}
        for space in (space for space in own.spaces if space.board == board.id):
            assert rows.pop(space.id)["at_mm"] == pytest.approx(space.at_mm, abs=0.3)
        assert not rows


def test_handles_of_a_map_move_it_and_stretch_it() -> None:
    own = own_kit("garden-guests")
    layout = template.template(own, "board", own.boards[0].size_mm)
    at = template.handles(layout, "map")
    moved = template.moved(layout, "map", "origin", (at["origin"][0] + 3, at["origin"][1] - 2))
    for name, (x, y) in template.handles(moved, "map").items():
        assert (x, y) == pytest.approx((at[name][0] + 3, at[name][1] - 2), abs=0.1)
    wider = template.moved(layout, "map", "q", (at["q"][0] + 8, at["q"][1]))
    step = np.array(layout["map"]["q_mm"]) - layout["map"]["origin_mm"]
    assert np.array(wider["map"]["q_mm"]) - wider["map"]["origin_mm"] == pytest.approx(step + [2, 0])  # four steps away
    with pytest.raises(Fault):
        read_layout(Field({"map": {"origin_mm": [0, 0]}}), "garden-guests")


def test_points_go_through_a_lens_and_back() -> None:
    lens = Calibration((1280, 960), 1010.0, (652.0, 470.0), (-0.11, 0.04, 0.0005, -0.0004, 0.0))
    points = np.array([[40.0, 30.0], [1200.0, 100.0], [640.0, 480.0], [100.0, 900.0]])
    assert without_lens(with_lens(points, (1280, 960), lens), (1280, 960), lens) == pytest.approx(points, abs=0.05)


def test_a_practice_table_shows_what_each_step_asks_for(tmp_path: Path) -> None:
    stands: list[Any] = []
    camera = PracticeCamera(own_kit(DICE), lambda: stands[-1])
    colours = CameraBench(Job("camera"), camera, lambda steps: None)
    stands.append(colours.stand)
    for _ in range(2):  # it is set first
        frame = camera.read()
        assert frame is not None
        colours.look(frame)
    assert [(step.key, step.passed) for step in colours.stand.steps][-1] == ("colours-right", True)
    again = camera.read()
    assert again is not None and (again.pixels == frame.pixels).all()  # nothing moves
    camera.close()
    assert camera.read() is None
