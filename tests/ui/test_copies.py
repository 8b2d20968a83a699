"""A copy of a game by itself: renamed, put right in what no picture tells, and put aside; on disk and on the screen."""

from __future__ import annotations

import argparse
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from calibration.dialogue import Copy
from companion.commands import own_kit, play
from companion.commands.house import House
from companion.document import Fault
from companion.kit import load_kit
from companion.rules import LANGUAGES
from companion.ui.view.copies import (
    CopyView,
    Edit,
    PutAside,
    Rename,
    SetArrow,
    SetDice,
    Titling,
    copy_view,
    lengthened,
    title_keyboard,
)
from tests.ui.touchscreen import Touchscreen

DICE = Copy("dice-1", "Ours", "garden-dice", {"board": True}, 19, 19, dice_mm=16.0)
RUSH = Copy("rush-1", "Theirs", "garden-rush", {"board": True}, 17, 17, arrow=5)


def taps(view: CopyView) -> Mapping[str, Any]:
    return {tap.text: tap.to for row in view.rows for tap in row} | (
        {view.main.text: view.main.to} if view.main else {}
    )


def shown(copy: Copy, leaves: bool = False, language: str = "en") -> CopyView:
    return copy_view(copy, Edit(copy.folder, leaves), "/var/lib/kept/aside", language)


def test_what_no_picture_tells_is_put_right() -> None:
    assert shown(DICE).lines == ("A die is 16 mm wide.",)
    assert taps(shown(DICE)) == {
        "Another name": Titling("dice-1", "Ours"),
        "Smaller dice": SetDice("dice-1", 15.0),
        "Larger dice": SetDice("dice-1", 17.0),
        "Put aside": Edit("dice-1", True),
    }
    assert shown(RUSH).lines == ("The hedge's arrow stands at column 5.",)
    assert taps(shown(RUSH))["At the other end"] == SetArrow("rush-1", 1)


def test_a_copy_is_put_aside_once_that_is_confirmed() -> None:
    view = shown(DICE, leaves=True)
    assert taps(view) == {"Put aside": PutAside("dice-1")} and " kept/aside" in view.lines[0]


def test_a_copy_that_cannot_be_read_can_still_be_put_aside() -> None:
    broken = Copy("dice-1", "dice-1", "", {}, 0, 0, fault="kit.toml: cannot be read")
    assert shown(broken).lines == ("kit.toml: cannot be read",)
    assert taps(shown(broken)) == {"Put aside": Edit("dice-1", True)}


def test_a_name_is_typed_with_capitals_and_numbers() -> None:
    titling = Titling("dice-1", "")
    for sign in "őszi  kert 2!":
        titling = lengthened(titling, sign)
    assert titling.text == "Őszi Kert 2"
    assert lengthened(titling, "").text == "Őszi Kert "
    assert title_keyboard(titling, "hu").done.to == Rename("dice-1", "Őszi Kert 2")
    assert len(lengthened(Titling("dice-1", 24 * "a"), "b").text) == 24


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_told_in_every_language(language: str) -> None:
    for copy in (DICE, RUSH):
        for leaves in (False, True):
            view = shown(copy, leaves, language)
            assert all(view.lines) and all(taps(view))


@pytest.fixture
def house(own_home: Path) -> Iterator[House]:
    """With a copy of each of two games, as if they had been calibrated; of one the pictures lie there, too."""
    for game in ("garden-dice", "garden-rush"):
        shutil.copytree(own_kit(game).folder, own_home / "kits" / f"{game}-1")
    album = own_home / "calibrating" / "garden-dice-1"
    album.mkdir(parents=True)
    (album / "notes.json").write_text('{"game": "garden-dice", "name": "Own copy 1"}')
    parser = argparse.ArgumentParser()
    play.arguments(parser)
    with House(parser.parse_args(["--camera", "simulated"])) as made:
        yield made


def written(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "kit.toml").read_text(encoding="utf-8"))


def test_changes_are_in_the_kit(house: House, own_home: Path) -> None:
    dice, rush = (own_home / "kits" / f"{game}-1" for game in ("garden-dice", "garden-rush"))
    before = {folder: written(folder) for folder in (dice, rush)}
    house.change_copy(Rename("garden-dice-1", "Nagyi kertje"), "en")
    house.change_copy(SetDice("garden-dice-1", 13.0), "en")
    house.change_copy(SetArrow("garden-rush-1", 1), "en")
    after = written(dice)
    assert after["name"] == "Nagyi kertje" and after["dice"]["size_mm"] == 13.0
    assert {**after, "name": "", "dice": ""} == {**before[dice], "name": "", "dice": ""}  # all else is as it was
    assert written(rush) == {**before[rush], "arrow": 1}
    assert load_kit(dice).name == "Nagyi kertje" and load_kit(rush).arrow == 1
    assert house.copy_view(Edit("garden-dice-1"), "en").lines == ("A die is 13 mm wide.",)
    house.change_copy(Rename("garden-dice-1", ""), "en")  # nothing typed: it is called as before
    assert load_kit(dice).name == "Nagyi kertje"


def test_a_copy_that_is_put_aside_is_gone_from_the_screen_and_whole_elsewhere(house: House, own_home: Path) -> None:
    whole = sorted(path.name for path in (own_home / "kits" / "garden-dice-1").iterdir())
    house.change_copy(PutAside("garden-dice-1"), "en")
    assert [section.name for section in house.kits("en").sections if "Garden Dice" in section.name] == []
    with pytest.raises(Fault, match="garden-dice-1: there is no such copy"):
        house.copy_view(Edit("garden-dice-1"), "en")
    aside = own_home / "aside" / "garden-dice-1-1"
    assert sorted(path.name for path in (aside / "kits").iterdir()) == whole
    assert (aside / "calibrating" / "notes.json").exists()
    shutil.copytree(own_kit("garden-dice").folder, own_home / "kits" / "garden-dice-1")
    house.change_copy(PutAside("garden-dice-1"), "en")  # another of that name does not take the place of the first
    assert (own_home / "aside" / "garden-dice-1-2" / "kits" / "kit.toml").exists()
    assert sorted(path.name for path in (aside / "kits").iterdir()) == whole


def test_copies_are_changed_and_put_aside_by_touches(screen: Touchscreen, house: House, own_home: Path) -> None:
    def touch(*texts: str) -> None:
        for text in texts:
            screen.touch(screen.key(text))

    def told() -> list[str]:
        from companion.ui.parts import Words

        return [label.text for label in screen.app.screen.walk() if isinstance(label, Words)]

    dice, rush = (own_home / "kits" / f"{game}-1" for game in ("garden-dice", "garden-rush"))
    size_mm = written(dice)["dice"]["size_mm"]
    demo, screen.app.house = screen.app.house, house
    try:
        screen.app.watch(None)
        touch("Kits and calibration", "More")  # the first is the one with dice
        touch("Larger dice", "Larger dice", "Smaller dice")
        assert written(dice)["dice"]["size_mm"] == size_mm + 1
        assert f"A die is {size_mm + 1:.0f} mm wide." in told()
        touch("Another name", "Space", "3", "Erase", "2", "Done")
        assert written(dice)["name"] == screen.app.screen.title == "Garden Dice, own print 2"
        touch("Put aside")
        assert dice.exists()  # that is asked first
        touch("Put aside")
        assert not dice.exists() and (own_home / "aside" / "garden-dice-1-1" / "kits" / "kit.toml").exists()
        assert screen.app.screen.name == "kits"
        arrow = written(rush)["arrow"]
        touch("More", "At the other end")
        assert {arrow, written(rush)["arrow"]} == {1, 5}
        assert f"The hedge's arrow stands at column {written(rush)['arrow']}." in told()
    finally:
        screen.app.house = demo
        screen.app.watch(None)


def test_what_is_being_played_with_stays(house: House, own_home: Path) -> None:
    view = house.new_game(None, "en")
    begin = next(tap.to for tap in view.kits if tap.to.kit.folder == own_home / "kits" / "garden-dice-1")
    chosen = house.new_game(begin, "en").begin
    assert chosen is not None
    house.begin(chosen.to, "en")
    with pytest.raises(Fault, match="being played with"):
        house.change_copy(PutAside("garden-dice-1"), "en")
    assert (own_home / "kits" / "garden-dice-1" / "kit.toml").exists()
    house.leave()
    house.change_copy(PutAside("garden-dice-1"), "en")
    assert not (own_home / "kits" / "garden-dice-1").exists()
