"""What the steps of calibrating look like, from plain values: no camera, no screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from calibration.dialogue import (
    CUT,
    Afresh,
    Benches,
    BoardStand,
    ByHand,
    CameraStand,
    CheckStand,
    Copy,
    Drop,
    Form,
    Handle,
    Job,
    Keep,
    Kind,
    Lay,
    LensStand,
    Mark,
    Move,
    Outline,
    Pick,
    PiecesStand,
    Said,
    Size,
    Stand,
    Take,
    Turn,
    Wrong,
)
from calibration.findings import cannot_be, hard
from companion.account import Teller
from companion.commands.demo_benches import demo_benches
from companion.games import load_game
from companion.rules import LANGUAGES
from companion.ui.view.benches import bench
from companion.ui.view.board_bench import read_size
from companion.ui.view.copies import Edit
from companion.ui.view.kits import NewCopy, kits
from companion.ui.view.workbench import BAD, GOOD, Bench, Desk, Work

LENS = LensStand(
    Job("lens"),
    views=7,
    least_views=8,
    covered=((True, True, True), (True, False, False)),
    least_covered=0.7,
    tilted=3,
    least_tilted=3,
    residual_px=0.84,
    most_residual_px=0.6,
)
SQUARE = ((0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5))


def shown(stand: Stand, desk: Desk | None = None, language: str = "en", game: str = "garden-dice") -> Bench:
    return bench(stand, desk or Desk(), language, Teller(load_game(game), language))


def taps(view: Bench) -> dict[str, Any]:
    """Everything that can be tapped, by its text."""
    return {tap.text: tap.to for row in view.taps for tap in row} | (
        {view.main.text: view.main.to} if view.main else {}
    )


def graded(view: Bench) -> Mapping[str, str]:
    return {line.text: line.grade for line in view.lines}


def test_a_lens_tells_what_passes_and_what_does_not_yet() -> None:
    view = shown(LENS)
    assert graded(view) | {
        "Good views: 7 of 8": BAD,
        "Picture covered: 67 % of 70 %": BAD,
        "Tilted views: 3 of 3": GOOD,
        "0.84 px off; at most 0.6": BAD,
    } == graded(view)
    assert view.main is None and taps(view) == {"Begin anew": Afresh()}
    assert view.cells == LENS.covered


def test_a_lens_that_passes_can_be_kept_and_is_then_left_alone() -> None:
    passed = replace(LENS, views=9, residual_px=0.3, passed=True)
    assert taps(shown(passed))["Keep"] == Keep()
    assert "Keep" not in taps(shown(replace(passed, kept=True)))
    assert graded(shown(replace(passed, kept=True)))["Kept."] == GOOD


def test_a_view_that_is_left_out_is_told_with_the_reason() -> None:
    view = shown(replace(LENS, last=Said("view-blurred", {"corners": 0}, False)))
    assert graded(view)["Left out: blurred"] == BAD


def test_no_camera_no_more_pictures_and_what_takes_a_while_come_first() -> None:
    view = shown(replace(LENS, trouble="camera-absent", busy="reading"))
    assert [line.text.partition(".")[0] for line in view.lines[:2]] == [
        "No camera is found",
        "The pictures are looked at …",
    ]
    assert shown(replace(LENS, ended=True)).lines[0].text == "There are no more pictures."
    assert shown(replace(LENS, trouble="camera.toml: cannot be written")).lines[0].text.endswith("cannot be written")


@pytest.mark.parametrize(("language", "game"), [("en", "game"), ("hu", "játék")])
@pytest.mark.parametrize("gone", ["absent", "busy", "missing", "stalled", "gone", "frozen", "broken"])
def test_a_camera_that_fails_while_calibrating_is_told_without_speaking_of_a_game(
    gone: str, language: str, game: str
) -> None:
    view = shown(replace(LENS, trouble=f"camera-{gone}"), language=language)
    assert view.lines[0].grade == BAD and len(view.lines[0].text) > 20
    assert game not in view.lines[0].text.casefold()


def test_the_camera_is_kept_only_where_all_passes_and_something_was_set() -> None:
    right, cast = (
        Said("colours-right", {"white": 212, "red": 0, "blue": 1}, True),
        Said("cast", {"red": 9, "blue": 0}, False),
    )
    job = Job("camera")
    keeps = CameraStand(job, steps=(Said("exposure-fixed", {}, True), right), fixed=True)
    assert taps(shown(keeps))["Keep"] == Keep()
    for other in (replace(keeps, steps=(cast,)), replace(keeps, fixed=False)):
        assert "Keep" not in taps(shown(other))
        assert taps(shown(other))["Lens"] == Work(Job("lens"))


# A board

BOARD = BoardStand(Job("board", "ours", "board"), pictures=2, enough=5, size_mm=(416.0, 416.04))


def test_spaces_are_laid_once_there_is_a_picture_and_a_size() -> None:
    assert "Spaces" not in taps(shown(replace(BOARD, size_mm=None)))
    assert "Spaces" not in taps(shown(replace(BOARD, pictures=0)))
    view = shown(BOARD)
    assert (view.main and view.main.to, taps(view)["Spaces"]) == (Take(), Lay(True))
    enough = shown(replace(BOARD, pictures=5))
    assert (enough.main and enough.main.to, taps(enough)["Take a picture"]) == (Lay(True), Take())
    assert graded(view)["Size: 416.0 × 416.0 mm"] == GOOD
    assert taps(view)["Turn it"] == Turn() and taps(view)["Throw the last away"] == Drop()


def test_a_board_that_is_not_found_is_told_with_the_remedy() -> None:
    view = shown(replace(BOARD, pictures=0, size_mm=None, last=Said("board-no-board", {"name": "001"}, False)))
    assert graded(view)["No board with four clear sides is seen: another table, nearer, or corners by hand."] == BAD
    assert taps(view)["Corners by hand"] == ByHand(True)


@pytest.mark.parametrize(
    ("typed", "size"),
    [
        ("416×416", (416.0, 416.0)),
        ("483.6×316", (483.6, 316.0)),
        ("483,6×316,25", (483.6, 316.25)),
        ("483,6,1×316", None),
        ("416", None),
        ("416×", None),
        ("×416", None),
        ("4×416", None),
        ("416×416×2", None),
        ("09×416", None),
    ],
)
def test_a_size_is_typed(typed: str, size: tuple[float, float] | None) -> None:
    assert read_size(typed) == size
    view = shown(BOARD, Desk("size", typed))
    assert (view.main.to if view.main else None) == (Size(size) if size else None)
    assert taps(view)["7"] == Desk("size", typed + "7")
    assert taps(view)["Erase"] == Desk("size", typed[:-1])
    assert taps(view)["By the ruler sheet"] == Size(None)


CORNERS = replace(
    BOARD,
    by_hand=True,
    handles=(Handle("1", (0.1, 0.1)), Handle("2", (0.9, 0.1)), Handle("3", (0.9, 0.9)), Handle("4", (0.1, 0.9))),
)


def test_corners_are_moved_without_dragging_too() -> None:
    assert taps(shown(CORNERS))["Corner 1"] == Desk(handle="1")
    first = shown(CORNERS, Desk(handle="1"))
    assert taps(first)["Corner 2"] == Desk(handle="2")
    assert taps(shown(CORNERS, Desk(handle="4")))["Corner 1"] == Desk(handle="1")
    to = first.nudges["right"]
    assert (to.handle, to.to[1]) == ("1", 0.1) and 0.1 < to.to[0] < 0.11
    assert taps(first)["▶"] == to
    near = shown(CORNERS, Desk(handle="1", near=True))
    assert near.near == (0.1, 0.1) and near.nudges["right"].to[0] - 0.1 < (to.to[0] - 0.1) / 5
    assert taps(first)["That is right"] == Keep() and taps(first)["Leave it"] == ByHand(False)


LAID = replace(
    BOARD,
    laid=True,
    groups=("plots", "track"),
    group="plots",
    kinds={"plots": (Kind("star"), Kind("star", "yes"))},
    are={"1,1": ("plots", 0), "4,6": ("plots", 1), "track-0": ("track", None)},
    handles=(Handle("first", (0.2, 0.2)), Handle("last", (0.8, 0.8))),
    outlines=(Outline(SQUARE, "fine", "1,1"),),
)


def test_a_space_that_is_tapped_is_told_what_it_is() -> None:
    view = shown(LAID)
    assert view.spaces == {
        "1,1": Desk("kind", space="1,1"),
        "4,6": Desk("kind", space="4,6"),
    }  # a track says nothing more
    asked = shown(LAID, Desk("kind", space="4,6"))
    assert asked.chosen == "4,6"
    assert {text: taps(asked)[text] for text in ("a star", "no star")} == {
        "a star": Mark("4,6", 1),
        "no star": Mark("4,6", 0),
    }
    assert [tap.text for row in asked.taps for tap in row if tap.chosen] == ["a star"]


def test_without_touching_the_picture_one_space_comes_after_the_other_the_doubtful_first() -> None:
    assert taps(shown(LAID))["Next space"] == Desk("kind", space="1,1")
    assert taps(shown(LAID, Desk("kind", space="1,1")))["Next space"] == Desk("kind", space="4,6")
    assert taps(shown(replace(LAID, doubtful=("4,6",))))["Next space"] == Desk("kind", space="4,6")


def test_a_board_that_is_kept_is_told_what_is_wrong_with_it_and_what_comes_next() -> None:
    wrong = cannot_be("over-the-edge", space="1,1", at_mm=[1, 1], size_mm=[45, 45])
    view = shown(replace(LAID, kept=True, findings=(wrong,)))
    assert [line.grade for line in view.lines[:2]] == [GOOD, BAD]
    assert view.main is not None and view.main.to == Work(Job("pieces", "ours"))


def test_a_map_of_which_nothing_is_known_asks_for_some_of_each_kind() -> None:
    are: dict[str, tuple[str, int | None]] = {"0,0": ("map", None), "1,0": ("map", None)}
    kinds = {"map": (Kind("flower", "rose"), Kind("mushroom"))}
    stand = replace(LAID, groups=("map",), group="map", are=are, kinds=kinds)
    view = shown(stand, game="garden-guests")
    assert view.title == "Spaces: 0"
    assert any(line.text.startswith("Tap one or two spaces of each kind") for line in view.lines)
    assert taps(shown(stand, Desk("kind", space="0,0"), game="garden-guests"))["mushroom"] == Mark("0,0", 1)


# Pieces

PIECES = PiecesStand(
    Job("pieces", "ours"),
    classes={"tomato/seed": True, "tomato/vegetable": False, "bird": False},
    piece="tomato/vegetable",
    shape="square",
    height_mm=2.0,
    sheet=True,
)


def test_pieces_are_prompted_class_by_class() -> None:
    view = shown(PIECES)
    assert view.title == "Pieces: 1 of 3"
    assert (
        view.lines[0].text
        == "Lay on the teaching sheet: tomato. One in each cell, upright; several at once are better."
    )
    assert graded(view)["The teaching sheet is seen"] == GOOD
    assert graded(shown(replace(PIECES, sheet=False)))["The teaching sheet is not seen"] == BAD
    assert taps(view)["Take a picture"] == Take()
    assert taps(view)["Shape: square"] == Form("disc", 2.0) and taps(view)["Thicker"] == Form("square", 3.0)
    assert taps(shown(replace(PIECES, height_mm=0.0)))["Thinner"] == Form("square", 0.0)


def test_what_was_cut_out_is_looked_at_before_it_is_kept() -> None:
    view = shown(replace(PIECES, shows=CUT, cut=4, size_mm=(40.2, 40.1)))
    assert view.lines[0].text.startswith("Tomato: 4 cut out, 40.2 × 40.1 mm.")
    assert taps(view)["That is right"] == Keep() and taps(view)["Again"] == Drop()


def test_any_piece_can_be_taken_anew() -> None:
    assert taps(shown(PIECES))["Other pieces"] == Desk("pieces")
    view = shown(PIECES, Desk("pieces"))
    assert [(tap.text, tap.to, tap.note) for row in view.taps for tap in row] == [
        ("tomato seed", Pick("tomato/seed"), "done"),
        ("tomato", Pick("tomato/vegetable"), ""),
        ("bird", Pick("bird"), ""),
    ]


def test_once_all_pieces_are_there_the_check_is_next() -> None:
    view = shown(replace(PIECES, classes={"bird": True}, piece=""))
    assert view.main is not None and view.main.to == Work(Job("check", "ours"))


# The check

CHECK = CheckStand(Job("check", "ours"), photographs=2, least=5, right=270, unsure=2)
WAITS = replace(
    CHECK,
    waits=True,
    read={"2,2": ("tomato/seed", "disc/blue"), "2,3": (), "3,3": ("bird",)},
    untold=("4,4",),
    outlines=(Outline(SQUARE, "fine", "2,2"),),
)


def test_look_alikes_are_told_with_advice() -> None:
    stand = replace(CHECK, findings=(hard("alike", one="bird", other="rabbit", levels=16.2),))
    assert stand.findings and taps(shown(stand))["What was found"] == Desk("findings")
    (line,) = shown(stand, Desk("findings")).lines
    assert line.text.startswith("Bird and rabbit look much alike (16.2 grey levels apart)")
    assert shown(CHECK, Desk("findings")).lines[0].grade == GOOD


def test_a_photograph_is_confirmed_space_by_space() -> None:
    view = shown(WAITS)
    assert view.title == "Photograph 3 of 5"
    assert (view.main and view.main.text, view.main and view.main.to) == ("All of it is right", Keep())
    assert set(view.spaces) == {"2,2", "2,3", "3,3", "4,4"}
    chosen = shown(WAITS, Desk(space="2,2"))
    assert "2,2: tomato seed, blue disc" in graded(chosen)
    assert taps(chosen)["That is wrong"] == Wrong("2,2")
    assert taps(chosen)["Next space"] == Desk(space="3,3")  # bare ones are passed over
    wrong = shown(replace(WAITS, wrong=frozenset({"2,2"})), Desk(space="2,2"))
    assert graded(wrong)["2,2: tomato seed, blue disc"] == BAD
    assert taps(wrong)["It is right after all"] == Wrong("2,2") and taps(wrong)["The rest is right"] == Keep()
    assert "That is wrong" not in taps(shown(WAITS, Desk(space="4,4")))  # nothing was claimed
    assert "2,3: empty" in graded(shown(WAITS, Desk(space="2,3")))


def test_a_kit_is_accepted_or_not() -> None:
    good = replace(CHECK, photographs=5, accepted=True)
    assert graded(shown(good))["The kit is accepted."] == GOOD
    found = (cannot_be("wrong-claims", count=3, spaces=680),)
    view = shown(replace(good, accepted=False, errors=3, findings=found))
    assert graded(view)["The kit is not accepted."] == BAD
    assert any(line.text.startswith("3 of 680 claims are wrong") for line in view.lines)
    assert taps(view)["Begin anew"] == Afresh()


def test_nothing_is_taken_while_the_kit_is_learned() -> None:
    assert shown(replace(CHECK, busy="learning")).main is None
    assert shown(replace(CHECK, last=Said("not-seen-too-dark", {}, False))).lines[-1].text.startswith("It is too dark")


# What there is


def test_kits_tell_what_is_there_and_what_to_do_next() -> None:
    begun = Copy("a", "Ours", "garden-dice", {"board": False}, 0, 19)
    boards = replace(begun, boards={"board": True})
    done = replace(boards, pieces=19, accepted=True, day="2026-11-30")
    benches = Benches("2026-11-30", 0.31, (begun, boards, done), ("garden-dice", "garden-rush"), "v4l2:0")
    camera, *copies, new = kits(benches, "en").sections
    assert camera.name == "Camera: v4l2:0"
    assert [line.text for line in camera.lines] == ["The lens is known since 2026-11-30, 0.31 px off."]
    assert [[tap.text for tap in copy.taps] for copy in copies] == [
        ["Game board", "More"],
        ["Game board", "Pieces", "More"],
        ["Game board", "Pieces", "Check", "More"],
    ]
    assert [line.text for line in copies[2].lines] == ["Boards: 1 of 1", "Pieces: 19 of 19", "Accepted on 2026-11-30"]
    assert [tap.to for tap in new.taps] == [NewCopy("garden-dice"), NewCopy("garden-rush")]
    broken = replace(begun, fault="kit.toml: cannot be read")
    (section,) = kits(replace(benches, copies=(broken,), lens_day=""), "en").sections[1:-1]
    assert [line.text for line in section.lines] == ["kit.toml: cannot be read"]
    assert [tap.to for tap in section.taps] == [Edit("a")]


def test_tenths_are_written_as_the_language_does() -> None:
    lens = replace(LENS, residual_px=0.31, most_residual_px=0.5)
    board = replace(BOARD, size_mm=(416.04, 415.5))
    said = replace(BOARD, last=Said("board-measured", {"name": "3", "measured": "416.0 × 415.5"}, True))
    for stand, english, hungarian in (
        (lens, "0.31 px", "0,31 px"),
        (board, "416.0 × 415.5 mm", "416,0 × 415,5 mm"),
        (said, "416.0 × 415.5 mm", "416,0 × 415,5 mm"),
    ):
        for language, told, other in (("en", english, hungarian), ("hu", hungarian, english)):
            lines = " ".join(line.text for line in shown(stand, language=language).lines)
            assert told in lines and other not in lines
    assert "," in taps(shown(BOARD, Desk("size"), "hu")) and "." in taps(shown(BOARD, Desk("size")))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", demo_benches())
def test_every_step_has_words_in_every_language(name: str, language: str) -> None:
    demo = demo_benches()[name]
    view = shown(demo.stand, demo.desk, language, demo.game)
    assert view.title and all(line.text for line in view.lines) and all(tap.text for row in view.taps for tap in row)


def test_a_move_is_what_dragging_would_be() -> None:
    assert all(isinstance(move, Move) for move in shown(LAID, Desk(handle="last")).nudges.values())
    assert shown(LAID).nudges == {}
