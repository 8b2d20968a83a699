"""A camera that was moved after calibrating, or is another one: told in a line, and never in anybody's way.

How high a camera hangs and how much it looks aslant is laid down here; the views are worked out from that.
"""

from __future__ import annotations

from math import radians
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.mount import mount_of
from calibration.profile import Profile, profile_text
from companion.commands.mounting import CHANGED, FILE, MOVED, READS, noticing
from companion.observation import Calibration, Frame, NotSeen, Observation
from companion.rules import LANGUAGES
from companion.vision.view import Pose, View, lens_matrix
from companion.vision.watch import Sighting
from companion.words import words

LENS = Calibration((1280, 960), 1000.0, (640.0, 480.0), (0.0,) * 5)
WHERE_MM = ((0.0, 0.0, 0.0), (150.0, -80.0, 70.0), (-60.0, 200.0, 175.0))  # boards: along, down, and turned by degrees


def view(height_mm: float, tilt_deg: float, where: tuple[float, float, float] = WHERE_MM[0]) -> View:
    """A board somewhere on the table, the camera that high above the table, its axis that far from straight down."""
    x, y, turned = where
    tilt, turn = (
        cv2.Rodrigues(np.array(axis, float))[0] for axis in ((radians(tilt_deg), 0, 0), (0, 0, radians(turned)))
    )
    place = np.array([x, y, -height_mm])  # of the camera from the board's corner; its frame's z leads into the table
    rotation = tilt @ turn
    matrix, distortion = lens_matrix(LENS)
    return View(matrix, distortion, {"board": Pose(cv2.Rodrigues(rotation)[0].reshape(3), -rotation @ place)})


def sighting(of: View, number: int, fresh: bool = True) -> Sighting:
    seen = Observation({}, {}, {}, memory=SimpleNamespace(view=of))
    return Sighting(number, "settled", observation=seen, fresh=fresh)


class Game:
    """Games with one camera, one after the other."""

    def __init__(self, home: Path) -> None:
        self.profile, self.hangs = home / "camera.toml", True
        self.kit = home / "kit"
        self.calibrates("2026-05-31")

    def calibrates(self, day: str) -> None:
        self.profile.write_text(profile_text(Profile(LENS, day, "v4l2:0", 0.31)), encoding="utf-8")

    def told(self, *seen: Sighting | NotSeen, size_px: tuple[int, int] = (1280, 960)) -> list[str]:
        """What a game says in which that is seen."""
        told: list[str] = []

        def notice(key: str, **facts: object) -> None:
            told.append(key)
            assert facts == ({"wide": size_px[0], "tall": size_px[1], "day": "2026-05-31"} if key == CHANGED else {})

        answers = iter(seen)
        see = noticing(lambda: lambda frame: next(answers), self.profile, self.kit, self.hangs, notice)()
        for expected in seen:
            assert see(Frame(np.zeros((size_px[1], size_px[0], 3), np.uint8))) is expected
        return told

    def plays(self, *views: View, **more: Any) -> list[str]:
        return self.told(*(sighting(views[number % len(views)], number + 1) for number in range(2 * READS)), **more)


@pytest.fixture
def game(own_home: Path) -> Game:
    return Game(own_home)


@pytest.mark.parametrize("where", WHERE_MM)
@pytest.mark.parametrize(("height_mm", "tilt_deg"), [(500.0, 0.0), (700.0, 12.0), (1200.0, 35.0)])
def test_how_it_hangs_does_not_depend_on_where_the_board_lies(
    height_mm: float, tilt_deg: float, where: tuple[float, float, float]
) -> None:
    found = mount_of(view(height_mm, tilt_deg, where))
    assert (found.height_mm, found.tilt_deg) == pytest.approx((height_mm, tilt_deg), abs=1e-5)


@pytest.mark.parametrize(
    ("height_mm", "tilt_deg", "told"),
    [
        (700.0, 10.0, []),
        (730.0, 13.0, []),  # a thick cloth, a mount that sags
        (800.0, 10.0, [MOVED]),
        (600.0, 10.0, [MOVED]),
        (700.0, 22.0, [MOVED]),
        (700.0, 0.0, [MOVED]),
    ],
)
def test_a_camera_that_was_moved_is_told_once_in_each_game_until_it_is_calibrated_again(
    height_mm: float, tilt_deg: float, told: list[str], game: Game
) -> None:
    assert game.plays(view(700.0, 10.0)) == []
    elsewhere = [view(height_mm, tilt_deg, where) for where in WHERE_MM]
    assert game.plays(*elsewhere) == told
    assert game.plays(*elsewhere) == told
    game.calibrates("2026-06-01")
    assert game.plays(*elsewhere) == [] == game.plays(*elsewhere)


def test_a_single_look_that_went_wrong_tells_nothing(game: Game) -> None:
    right, wrong = view(700.0, 10.0), view(950.0, 30.0)
    assert game.plays(right) == []
    assert game.plays(right, right, wrong, right, wrong) == []


def test_what_is_not_read_anew_tells_nothing(game: Game) -> None:
    assert game.plays(view(700.0, 10.0)) == []
    moved = view(900.0, 10.0)
    lost = [NotSeen("board-not-found", ""), Sighting(1, "lost"), Sighting(2, "moving")]
    again = [sighting(moved, 3 + number, fresh=False) for number in range(3 * READS)]
    assert game.told(*lost, *again) == []


@pytest.mark.parametrize(("size_px", "told"), [((1280, 960), []), ((640, 480), []), ((1280, 720), [CHANGED])])
def test_pictures_of_another_shape_are_told_once(size_px: tuple[int, int], told: list[str], game: Game) -> None:
    assert game.plays(view(700.0, 10.0), size_px=size_px) == told


def test_two_kits_in_turns_are_each_compared_with_themselves(game: Game, own_home: Path) -> None:
    """The second's board is thicker, or larger than its file says: the camera seems nearer, and was not moved."""
    kits = {own_home / "one": view(700.0, 10.0), own_home / "other": view(640.0, 10.0)}
    for kit in kits:
        kit.mkdir()
        (kit / "kit.toml").write_text(f"name = '{kit.name}'")
    for _ in range(2):
        for game.kit, seen in kits.items():
            assert game.plays(seen) == []
    for game.kit, moved in zip(kits, (view(800.0, 10.0), view(740.0, 10.0)), strict=True):
        assert game.plays(moved) == [MOVED]
    (game.kit / "kit.toml").write_text("name = 'made anew'")
    assert game.plays(view(740.0, 10.0)) == [] == game.plays(view(740.0, 10.0))


def test_two_cameras_in_turns_are_each_compared_with_themselves(game: Game, own_home: Path) -> None:
    profiles = [own_home / "one.toml", own_home / "other.toml"]
    heights_mm = (700.0, 1000.0)
    for number, game.profile in enumerate(profiles):
        game.calibrates(f"2026-05-3{number}")
    for _ in range(2):
        for game.profile, height_mm in zip(profiles, heights_mm, strict=True):
            assert game.plays(view(height_mm, 10.0)) == []
    for game.profile, height_mm in zip(profiles, heights_mm, strict=True):
        assert game.plays(view(height_mm + 150.0, 10.0)) == [MOVED]


@pytest.mark.parametrize("text", ["", "[]", "nonsense", '{"height_mm": 0, "tilt_deg": 1, "profile": ""}'])
def test_what_was_kept_and_cannot_be_read_is_kept_anew(text: str, game: Game, own_home: Path) -> None:
    (own_home / FILE).write_text(text)
    assert game.plays(view(700.0, 10.0)) == []
    assert game.plays(view(900.0, 10.0)) == [MOVED]


def test_where_nothing_can_be_kept_the_game_goes_on(game: Game, own_home: Path) -> None:
    (own_home / FILE).mkdir()
    assert game.plays(view(700.0, 10.0)) == game.plays(view(900.0, 10.0)) == []


def test_pictures_of_a_folder_are_of_another_day(game: Game, own_home: Path) -> None:
    game.hangs = False
    assert game.plays(view(700.0, 10.0)) == game.plays(view(900.0, 10.0)) == []
    assert not (own_home / FILE).exists()


def test_without_a_profile_nothing_is_compared() -> None:
    def make() -> Any:
        return None

    assert noticing(make, None, Path(), True, lambda key: None) is make


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_said_with_what_to_do(language: str) -> None:
    told = words("companion", language)["machine"]
    again = {"en": "Calibrate it again", "hu": "Kalibráld újra"}[language]
    assert all(again in told[key] for key in (MOVED, CHANGED))
