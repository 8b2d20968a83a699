"""What the first screen offers, and the list of past games; the values are worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.commands import own_kit
from companion.document import Fault, Field
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES
from companion.store.reading import Games
from companion.store.shelf import Shelf
from companion.ui.view.home import home, past
from companion.ui.view.taps import Archive, Go, Resume, Speak
from tests.ui.tables import DICE, RUSH

OVER = {"over": True, "supply": {}, "last_turn": True, "turn": {"player": "blue"}}


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    clock = iter(range(1_000_000, 2_000_000, 100))
    return Shelf(tmp_path, Games(NAMES, load_game), lambda: next(clock))


def begin(shelf: Shelf, position: dict[str, Any], name: str = "", **changes: Any) -> int:
    game = load_game(position["game"])
    state = game.read_position(Field({**position, **changes}), own_kit(game.name))
    with shelf.begin(game, state, name=name) as log:
        return log.number


def test_where_no_game_is_kept_only_a_new_one_can_begin() -> None:
    view = home([], None, {}, camera=True, language="en")
    assert view.resume is None and view.others == () and view.notices == ()
    assert view.empty == "No game is kept yet."
    assert [tap.text for tap in view.taps] == ["New game", "Kits and calibration", "How the device is"]
    assert [(tap.text, tap.to, tap.chosen) for tap in view.languages] == [
        ("English", Speak("en"), True),
        ("magyar", Speak("hu"), False),
    ]
    assert past([], {}, "hu").empty == "Még nincs elmentett játék."


def test_one_tap_goes_on_with_the_latest_game(shelf: Shelf) -> None:
    first, second = begin(shelf, DICE), begin(shelf, RUSH, name="Sunday")
    shelf.resume(first).close()
    view = home(shelf.all(), shelf.latest(), {}, camera=True, language="en")
    assert view.resume is not None
    assert view.resume.text == f"Go on: Garden Dice {first}"
    assert view.resume.to == Resume(first)
    assert view.resume.note == "Blue 12, Green 7 · next: Blue"
    assert [(tap.text, tap.to) for tap in view.others] == [("Sunday · Garden Rush", Resume(second))]
    assert view.empty == "" and Go("past") in [tap.to for tap in view.taps]
    hungarian = home(shelf.all(), shelf.latest(), {}, camera=True, language="hu").resume
    assert hungarian is not None and hungarian.text == f"Folytatás: Garden Dice {first}"
    assert hungarian.note == "kék 12, zöld 7 · következik: kék"


def test_a_game_that_is_over_or_archived_is_past(shelf: Shelf) -> None:
    over, away = begin(shelf, DICE, **OVER), begin(shelf, RUSH)
    with shelf.open(away) as log:
        log.archive()
    view = home(shelf.all(), shelf.latest(), {}, camera=True, language="en")
    assert view.resume is None and view.others == ()
    archived, finished = past(shelf.all(), {}, "en").games
    assert [tap.to for tap in archived.taps] == [Resume(away), Go("scores", away)]
    assert archived.lines[1].endswith("archived")
    assert [tap.to for tap in finished.taps] == [Go("scores", over), Archive(over)]
    assert "over, winner: Blue" in finished.lines[0]


def test_what_is_amiss_is_said(shelf: Shelf) -> None:
    number = begin(shelf, DICE, name="Sunday")
    found = [*shelf.all(), Fault("0007.game: damaged; nothing can be read")]
    view = home(found, number, {number: "no such folder"}, camera=False, language="en")
    assert view.resume is None
    assert view.notices == (
        "No camera found: a new game is played on a simulated table.",
        "Sunday · Garden Dice cannot go on, its kit cannot be read: no such folder",
        "A game cannot be read: 0007.game: damaged; nothing can be read",
    )
    (row,) = past(found, {number: "no such folder"}, "en").games
    assert Resume(number) not in [tap.to for tap in row.taps]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_errand_is_one_that_can_be_done(shelf: Shelf, language: str) -> None:
    numbers = {begin(shelf, position) for position in (DICE, RUSH, DICE, RUSH, DICE, RUSH)}
    view = home(shelf.all(), shelf.latest(), {}, camera=True, language=language)
    assert view.resume is not None and len(view.others) == 3
    taps = [view.resume, *view.others, *(tap for row in past(shelf.all(), {}, language).games for tap in row.taps)]
    assert {tap.to.game for tap in taps if isinstance(tap.to, Resume | Archive | Go)} <= numbers
    assert all(tap.text and "{" not in tap.text + tap.note for tap in taps)
