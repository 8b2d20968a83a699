"""Calibrating on the touchscreen: its steps by touches and by two buttons."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from calibration.dialogue import Keep, Wrong
from calibration.kit_making import begun, keep
from calibration.profile import load_profile
from calibration.workshop import Workshop
from companion.commands import own_kit
from companion.commands.house import House
from companion.commands.own_camera import profile_path
from companion.kit import load_kit
from companion.simulate.practice import PracticeCamera
from companion.ui.view.workbench import Desk
from tests.ui.touchscreen import Touchscreen

COPY, LACKS = "garden-dice-1", ("bird", "rabbit")


@pytest.fixture
def deeds(screen: Touchscreen, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the demo's steps of calibrating were told to do."""
    told: list[Any] = []
    monkeypatch.setattr(screen.app.house, "deed", told.append)
    return told


def at_the_bench(screen: Touchscreen, name: str) -> Any:
    screen.app.house.close()
    screen.app.watch(None)
    screen.app.open("calibrate", desk=screen.app.house.lay_out(name))
    screen.frames()
    return screen.app.screen.ids.photo


def test_corners_are_dragged_and_moved_by_arrows(screen: Touchscreen, deeds: list[Any]) -> None:
    from kivy.core.window import Window

    photo = at_the_bench(screen, "board-corners")
    screen.drag(photo.place_of((0.1, 0.08)), photo.place_of((0.2, 0.3)))
    assert [deed.handle for deed in deeds] == ["1"] and deeds[0].to == pytest.approx((0.2, 0.3), abs=0.005)
    Window.dispatch("on_key_down", 275, 0, "", [])  # the corner that was dragged is chosen: an arrow moves it
    assert deeds[1].handle == "1" and deeds[1].to[0] > 0.1 and deeds[1].to[1] == 0.08
    screen.press(screen.key("That is right"))
    assert deeds[2] == Keep()
    screen.drag(photo.place_of((0.5, 0.5)), photo.place_of((0.9, 0.9)))  # where no handle is
    assert len(deeds) == 3


def test_spaces_of_a_photograph_are_touched(screen: Touchscreen, deeds: list[Any]) -> None:
    photo = at_the_bench(screen, "check-photograph")
    kit = own_kit("garden-dice")
    at = next(space.at_mm for space in kit.spaces if space.id == "3,4")
    place = photo.place_of((at[0] / kit.boards[0].size_mm[0], at[1] / kit.boards[0].size_mm[1]))
    screen.drag(place, place)
    screen.touch(screen.key("That is wrong"))
    assert deeds == [Wrong("3,4")]


def test_a_copy_is_begun_and_gone_on_with_by_touches(
    screen: Touchscreen, house: House, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the simulated table; what the camera of it sees is drawn elsewhere."""
    monkeypatch.setattr(Workshop, "start", lambda workshop: None)
    screen.touch(screen.key("Kits and calibration"))
    screen.touch(screen.key("Garden Rush"))
    assert (screen.app.screen.name, screen.app.screen.title) == ("calibrate", "Game board")
    screen.touch(screen.key("Type the size"))
    for sign in "54×54":
        screen.touch(screen.key(sign))
    screen.touch(screen.app.screen.ids.main)
    assert screen.app.screen.title == "Game board"
    screen.app.back()
    assert screen.app.screen.name == "kits" and house.bench(Desk(), "en") is None
    assert screen.key("Trampoline")
    assert [path.name for path in (own_home / "calibrating").iterdir()] == ["garden-rush-1"]


# From the camera to a kit that is accepted


@cache
def drawn(key: tuple[Any, ...], board: str) -> Any:
    """What the practice camera shows, drawn once for all tests."""
    return DRAW(CAMERAS[-1], key, STANDS[-1])


DRAW = PracticeCamera._draw
CAMERAS: list[PracticeCamera] = []
STANDS: list[Any] = []


@pytest.fixture
def practice(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Path:
    """A copy all of which is there but its board and two pieces; the test itself turns what works in a thread."""

    def draw(camera: PracticeCamera, key: tuple[Any, ...], stand: Any) -> Any:
        CAMERAS[:], STANDS[:] = [camera], [stand]
        return drawn(key, stand.job.board)

    monkeypatch.setattr(PracticeCamera, "_draw", draw)
    monkeypatch.setattr(Workshop, "start", lambda workshop: None)
    folder = own_home / "kits" / COPY
    shutil.copytree(own_kit("garden-dice").folder, folder)
    document = begun(folder, None, None)
    pieces = [row for row in document["piece"] if row["class"] not in LACKS]
    keep(folder, {**document, "name": "Own copy 1", "piece": pieces}, {})
    return folder


def goes_on(screen: Touchscreen, house: House, press: Callable[[Any], None], until: Callable[[], bool]) -> None:
    """Press what the screen offers as the next thing, for as long as it takes."""
    for _ in range(120):
        workshop = house._calibrating._workshop
        assert workshop is not None, screen.app.screen.name
        workshop.turn()
        screen.app.screen._look()
        screen.frames(2)
        if until():
            return
        if screen.app.screen.main is not None and not workshop.stand.busy:
            press(screen.app.screen.ids.main)
    raise AssertionError([line.text for line in screen.app.screen._bench.lines])


@pytest.mark.parametrize("way", ["touch", "press"])
def test_a_camera_and_a_copy_are_calibrated_to_the_end(
    screen: Touchscreen, house: House, practice: Path, way: str
) -> None:
    press = getattr(screen, way)

    def title() -> str:
        return str(screen.app.screen.title)

    for text in ("Kits and calibration", "Camera"):
        press(screen.key(text))
    goes_on(screen, house, press, lambda: title() == "Lens")
    goes_on(screen, house, press, lambda: screen.app.screen.main_text == "Kits and calibration")
    profile = load_profile(profile_path())
    assert profile.residual_px is not None and profile.residual_px < 0.6 and profile.settings["gain"] > 1
    press(screen.app.screen.ids.main)
    press(screen.key("Game board"))
    before = load_kit(practice)
    goes_on(screen, house, press, lambda: title().startswith("Pieces"))
    goes_on(screen, house, press, lambda: screen.app.screen.main_text == "Check")
    made = load_kit(practice)
    assert {piece.name for piece in made.pieces} - {piece.name for piece in before.pieces} == set(LACKS)
    assert made.boards[0].size_mm == pytest.approx(before.boards[0].size_mm, rel=0.005)
    press(screen.app.screen.ids.main)
    goes_on(screen, house, press, lambda: any("accepted" in line.text for line in screen.app.screen._bench.lines))
    assert screen.app.screen._bench.lines[0].text == "The kit is accepted."
    screen.app.back()
    assert screen.key("More") and house.kits("en").sections[1].lines[-1].text.startswith("Accepted on")
