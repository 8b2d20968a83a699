"""Faults of the program planted in screens that are not about the table: told in a line, and gone home from there."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from companion.commands.house import House
from companion.rules import LANGUAGES
from companion.ui.view.health import FINE
from tests.ui.touchscreen import Touchscreen

pytestmark = pytest.mark.mishaps
FAILED = {"en": "This screen failed by a fault of the program", "hu": "A program hibája miatt ez a képernyő"}


def breaks(*_: object, **more: object) -> Any:
    raise IndexError("planted")


@pytest.fixture
def ends(screen: Touchscreen, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int | None]]:
    """The exit status with which the companion would have ended."""
    app, told = screen.app, list[int | None]()
    monkeypatch.setattr(app, "stop", lambda: told.append(app.status))
    yield told
    app.status = None


@pytest.fixture
def english(screen: Touchscreen) -> Iterator[None]:
    """As it is for the next test."""
    yield
    screen.app.speak("en")


def text_of(screen: Touchscreen) -> str:
    return " ".join(part.text for part in screen.app.screen.ids.body._all)


def begun(screen: Touchscreen) -> None:
    for text in ("New game", "Begin"):
        screen.touch(screen.key(text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", ["kits", "scores", "past", "new_game"])
def test_a_screen_that_breaks_is_left_and_the_game_goes_on(
    place: str,
    language: str,
    screen: Touchscreen,
    house: House,
    ends: list[int | None],
    english: None,
    mishaps: list[logging.LogRecord],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun(screen)
    showing = screen.app.showing
    screen.app.speak(language)
    with monkeypatch.context() as patched:
        patched.setattr(house, place, breaks)
        for _ in range(2):
            screen.app.open({"new_game": "new"}.get(place, place))
            screen.frames()
            assert screen.app.screen.name == "said" and text_of(screen).startswith(FAILED[language])
            screen.app.back()
            assert screen.app.screen.name == "table" and screen.app.showing is showing
    assert ends == [] and len(mishaps) == 1, "its traceback is told once"
    screen.app.open({"new_game": "new"}.get(place, place))
    assert screen.app.screen.name != "said", "another time it may go well"
    item = next(item for item in house.health("en").items if "faults" in item.name)
    assert item.measured == "2" and item.state != FINE


def test_the_rulebook_too_and_the_failure_file_has_what_broke(
    screen: Touchscreen, house: House, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(screen)
    with monkeypatch.context() as patched:
        patched.setattr("companion.ui.screens.rulebook.rulebook", breaks)
        for text in ("More", "Rulebook"):
            screen.touch(screen.key(text))
    assert text_of(screen).startswith(FAILED["en"])
    screen.app.open("health")
    screen.touch(screen.key("Write a failure file"))
    assert "failure.zip" in text_of(screen)
    with ZipFile(own_home / "exports" / "failure.zip") as file:
        assert b"IndexError: planted" in file.read("faults.txt")


def test_what_breaks_when_a_key_is_pressed_too(
    screen: Touchscreen, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "new_copy", breaks)
    for text in ("Kits and calibration", "Garden Rush"):
        screen.touch(screen.key(text))
    assert text_of(screen).startswith(FAILED["en"])
    screen.app.back()
    assert screen.app.screen.name == "home" and screen.key("New game")


def test_a_step_of_calibrating_that_breaks_is_left(
    screen: Touchscreen, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked ten times in a second how far it is: by the clock, not by a key."""
    from companion.ui.border import guarded
    from tests.ui.touchscreen import FRAMES

    monkeypatch.setattr("calibration.workshop.Workshop.start", lambda workshop: None)
    for text in ("Kits and calibration", "Garden Rush"):
        screen.touch(screen.key(text))
    assert screen.app.screen.name == "calibrate"
    with monkeypatch.context() as patched, guarded(screen.app):
        patched.setattr(house, "bench", breaks)
        while screen.app.screen.name == "calibrate":
            turned()
    assert text_of(screen).startswith(FAILED["en"]) and house._calibrating.stand is None
    screen.frames(FRAMES)
    screen.app.back()
    assert screen.app.screen.name == "home" and screen.key("New game")


def turned() -> None:
    """Kivy's loop, once round."""
    from kivy.base import EventLoop, ExceptionManager

    try:
        EventLoop.idle()
    except BaseException as error:
        if ExceptionManager.handle_exception(error) == ExceptionManager.RAISE:
            raise


def test_a_table_that_cannot_be_shown_is_put_away_and_can_be_gone_on_with(
    screen: Touchscreen, house: House, ends: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(screen)
    with monkeypatch.context() as patched:
        patched.setattr("companion.ui.screens.table.TableScreen.show", breaks)
        screen.app.open("table")
        assert text_of(screen).startswith(FAILED["en"])
        screen.app.back()
        assert screen.app.screen.name == "home" and ends == []
    screen.frames()
    screen.touch(next(key for key in screen.there() if key.text.startswith("Go on: ")))
    assert screen.app.screen.name == "table" and screen.app.screen.turn == "Blue is on turn."


def test_where_no_screen_can_be_shown_the_service_is_to_begin_it_anew(
    screen: Touchscreen, house: House, ends: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(house, "home", breaks)
        screen.app.open("home")
    assert ends == [1]


def test_what_breaks_again_and_again_while_that_is_told_ends_it_too(
    screen: Touchscreen, house: House, ends: list[int | None]
) -> None:
    from kivy.clock import Clock

    from companion.ui.border import guarded

    with guarded(screen.app):
        for number in range(1, 13):
            Clock.schedule_once(breaks, -1)  # Kivy itself takes what broke off its clock
            turned()
            assert ends == ([1] if number > 11 else []), number
    assert text_of(screen).startswith(FAILED["en"])


def test_what_comes_in_is_taken_up_again_after_it_broke(
    screen: Touchscreen, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from companion.live import Pressed

    with monkeypatch.context() as patched:
        patched.setattr(screen.app, "_met", breaks)
        house.inbox.put(Pressed("menu"))
        while screen.app.screen.name == "home":
            screen.frames(1)
    assert text_of(screen).startswith(FAILED["en"])
    house.inbox.put(Pressed("menu"))
    while screen.app.screen.name == "said":
        screen.frames(1)
    assert screen.app.screen.name == "home"


def test_whoever_wants_an_end_gets_it(screen: Touchscreen, house: House) -> None:
    from kivy.base import ExceptionManager

    from companion.ui.border import guarded

    with guarded(screen.app):
        assert ExceptionManager.handle_exception(KeyboardInterrupt()) == ExceptionManager.RAISE
