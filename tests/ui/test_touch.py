"""The touchscreen: whole games by touches and by two buttons, and what is shown on it."""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from companion.commands.house import House
from companion.commands.touch import opened
from companion.document import Fault
from companion.table import PATIENCE
from companion.ui.view.steps import AtSpace
from companion.ui.view.wording import capital
from tests.ui.touchscreen import DemoHouse, Played, Touchscreen, actions_of, showing_of

ROOT = Path(__file__).parent.parent.parent


def proposed(screen: Touchscreen, played: Callable[[str, int], Played]) -> tuple[Played, Any]:
    """A game on the screen with something done on its table that shows, and how the game stands after that."""
    game = played("garden-guests", 0)
    screen.app.watch(showing_of(game))
    game.lies(game.state)
    before = game.game.expected(game.state)
    after = next(state for _, state in actions_of(game) if game.game.expected(state) != before)
    game.lies(after)
    screen.frames()
    return game, after


def test_one_touch_is_one_event(screen: Touchscreen, played: Callable[[str, int], Played]) -> None:
    from kivy.config import Config

    assert [name for name, _ in Config.items("input")] == ["mouse"]  # fingers come from the window itself,
    assert os.environ["SDL_TOUCH_MOUSE_EVENTS"] == "0"  # and not as a mouse besides
    game, _ = proposed(screen, played)
    assert game.events == 0
    screen.touch(screen.app.screen.ids.confirm)
    assert game.events == 1
    screen.frames(40)
    assert game.events == 1


def test_what_is_heard(
    screen: Touchscreen, played: Callable[[str, int], Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that was confirmed, something that is not allowed, a question: once each, and nothing else."""
    heard: list[str] = []
    monkeypatch.setattr(screen.app, "_sound", heard.append)
    game, after = proposed(screen, played)
    assert heard == []
    screen.touch(screen.app.screen.ids.confirm)
    assert heard == ["confirmed"]
    table = dict(game.game.expected(after))
    flower = next(space.id for space in game.kit.spaces if space.kind == "flower" and space.id not in table)
    game.lies(after, {flower: ("guest/black",)})  # a colony is founded on a pedestal
    for _ in range(PATIENCE + 1):
        game.lies(after, {flower: ("guest/black",)})
    screen.frames(40)
    assert heard == ["confirmed", "illegal"]


def test_a_game_is_begun_and_gone_on_with_by_touches(screen: Touchscreen, house: House) -> None:
    for text in ("New game", "Garden Rush, own print\nGarden Rush", "Begin"):
        screen.touch(screen.key(text))
    assert (screen.app.screen.name, screen.app.screen.turn) == ("table", "Pink is on turn.")
    for text in ("More", "First screen"):
        screen.touch(screen.key(text))
    resume = next(key for key in screen.there() if key.text.startswith("Go on: Garden Rush 1"))
    screen.touch(screen.key("New game"))
    assert screen.key("• Garden Rush, own print\nGarden Rush")  # what was played last
    for text in ("Garden Dice, own print\nGarden Dice", "Begin"):
        screen.touch(screen.key(text))
    assert screen.app.screen.turn == "Blue is on turn."
    screen.app.open("home")
    screen.frames()
    assert not resume.text.startswith("Go on: Garden Rush 2")
    other = next(key for key in screen.there() if key.text.startswith("Garden Rush 1"))
    screen.touch(other)
    assert (screen.app.screen.name, screen.app.screen.turn) == ("table", "Pink is on turn.")
    assert house.scores(None, "en").names == ("Pink", "Blue")


@pytest.mark.parametrize(
    ("choices", "turn", "sides"),
    [
        ((), "Blue is on turn.", 2),
        (("3",), "Blue is on turn.", 3),
        (("4",), "Blue is on turn.", 4),
        (("Garden Rush, own print\nGarden Rush",), "Pink is on turn.", 2),
        (("Garden Guests, own print\nGarden Guests",), "Black, player 1 is on turn.", 2),
        (("Garden Guests, own print\nGarden Guests", "4"), "Black, player 1 is on turn.", 2),
    ],
)
def test_a_new_game_takes_a_touch_for_each_choice_and_two_more(
    screen: Touchscreen, house: House, choices: tuple[str, ...], turn: str, sides: int
) -> None:
    """Nothing is scrolled for, and nothing asked that has a default: at four seconds a touch, 16 seconds at most."""
    for text in ("New game", *choices, "Begin"):
        screen.frames()
        there = {key.text: key for key in screen.there()}
        assert text in there, (text, list(there))
        screen.touch(there[text])
    table = screen.app.screen
    assert (table.name, table.turn, len(table.ids.sides.children)) == ("table", turn, sides)


def test_the_language_changes_with_a_touch(screen: Touchscreen, house: House) -> None:
    screen.touch(screen.key("Magyar"))
    assert screen.key("Új játék")
    screen.touch(screen.key("English"))
    assert screen.key("New game")


def test_a_space_that_is_touched_is_asked_about(screen: Touchscreen, played: Callable[[str, int], Played]) -> None:
    from kivy.tests.common import UnitTestTouch

    game = played("garden-guests", 0)
    screen.app.watch(showing_of(game))
    screen.frames()
    for space in ("0,0", "-4,2"):  # the first from the table, the second from there: it comes near before
        for _ in range(2):
            finger = UnitTestTouch(*screen.app.screen.ids.board.place_of(space))
            finger.touch_down()
            finger.touch_up()
            screen.frames()
        assert (screen.app.screen.name, screen.app.screen.title.rstrip(":.")) in {
            ("ask", f"On {space}"),
            ("ask", f"Nothing may be done on {space} now"),
        }
    for _ in range(3):  # the board from near is gone back to as well
        assert screen.app.screen.name == "ask"
        screen.app.back()
    assert screen.app.screen.name == "table"


def test_small_spaces_are_shown_from_near_before_one_is_picked(
    screen: Touchscreen, played: Callable[[str, int], Played]
) -> None:
    """Every space of every board can be hit by a fingertip of 9 mm, also on 7 inches."""
    for name, title in (("garden-rush", "What lies on Pink 3,3?"), ("garden-guests", "What lies on 0,0?")):
        game = played(name, 0)
        screen.app.watch(showing_of(game))
        screen.app.open("correct", step=AtSpace())
        screen.frames()
        board, look = screen.app.screen.ids.board, screen.app.look
        wanted = "pink-3,3" if name == "garden-rush" else "0,0"
        screen.drag(board.place_of(wanted), board.place_of(wanted))
        assert board.is_near and screen.app.screen.title == "Which space?"  # nothing is picked yet
        places = places_of(board, game)
        assert nearest_two(places) >= look.touch_px
        assert board.collide_point(*places[wanted])
        screen.drag(places[wanted], places[wanted])
        assert screen.app.screen.title == title and not screen.app.screen.ids.board.is_near
        screen.app.open("correct", step=AtSpace())
        screen.frames()
        screen.drag(board.place_of(wanted), board.place_of(wanted))
        screen.touch(screen.key("All of the board"))
        assert not board.is_near


def places_of(board: Any, game: Played) -> dict[str, tuple[float, float]]:
    """Where the middle of each space is, by its id."""
    spaces = [space for space in game.kit.spaces if game.game.place(space) is not None]
    return {space.id: board.place_of(space.id) for space in spaces}


def nearest_two(places: Mapping[str, tuple[float, float]]) -> float:
    return min(math.dist(one, other) for one, other in combinations(places.values(), 2))


@pytest.mark.parametrize(
    ("name", "wanted", "told"),
    [
        ("garden-rush", "pink-3,3", "Pink 3,3"),
        ("garden-rush", "blue-5,4", "Blue 5,4"),
        ("garden-guests", "0,0", "0,0"),
        ("garden-guests", "5,-1", "5,-1"),
    ],
)
def test_a_wet_finger_picks_any_space_from_the_table(
    screen: Touchscreen, played: Callable[[str, int], Played], name: str, wanted: str, told: str
) -> None:
    """It lands up to 4 mm beside the middle; on 7 inches of 800 × 480 that is another space of these boards."""
    game = played(name, 0)
    screen.app.watch(showing_of(game))
    screen.frames()
    beside = screen.app.look.mm(4) / math.sqrt(2)
    for _ in range(2):
        board = screen.app.screen.ids.board
        x, y = board.place_of(wanted)
        hit = (
            min(max(x + beside, board.x), board.right - 1),
            min(max(y - beside, board.y), board.top - 1),
        )
        screen.drag(hit, hit)
        assert screen.app.screen.name == "ask"
    assert screen.app.screen.title.rstrip(":.") in {f"On {told}", f"Nothing may be done on {told} now"}


def test_large_spaces_are_asked_about_with_one_touch(screen: Touchscreen, played: Callable[[str, int], Played]) -> None:
    game = played("garden-dice", 0)
    screen.app.watch(showing_of(game))
    screen.frames()
    board = screen.app.screen.ids.board
    assert nearest_two(places_of(board, game)) >= screen.app.look.touch_px
    screen.drag(board.place_of("3,4"), board.place_of("3,4"))
    assert screen.app.screen.name == "ask" and "3,4" in screen.app.screen.title


def test_a_space_is_asked_about_with_the_buttons_alone(
    screen: Touchscreen, played: Callable[[str, int], Played]
) -> None:
    game = played("garden-dice", 0)
    screen.app.watch(showing_of(game))
    screen.frames()
    for text in ("Ask", "3,4"):
        screen.press(screen.key(text))
    assert "3,4" in screen.app.screen.title


def opened_scene(screen: Touchscreen, scene: str, language: str = "en") -> Any:
    """The table's screen with a scene of the demo."""
    house = screen.app.house
    house.close()
    screen.app.watch(house.put_on_the_table(scene, language))
    screen.frames()
    return screen.app.screen


@pytest.mark.parametrize(
    ("language", "happened", "points", "other"),
    [
        ("en", "Blue harvests the carrot on 6,1 with a 4.", "points: Blue +2", "Something else?"),
        ("hu", "A kék leszedi a répát egy 4-essel: 6,1.", "pontok: kék +2", "Valami más?"),
    ],
)
def test_four_players_and_a_doubtful_proposal_stand_on_one_page(
    screen: Touchscreen, language: str, happened: str, points: str, other: str
) -> None:
    """On 7 inches of 800 × 480: what happened and what it brings in capitals of 5 mm, all else a tap away."""
    from companion.ui.parts import Words
    from companion.ui.theme import CAPITAL

    table = opened_scene(screen, "proposed", language)
    large = {
        label.text: label.font_size * CAPITAL / screen.app.look.px_per_mm
        for label in table.ids.body.walk()
        if isinstance(label, Words)
    }
    assert table.ids.body.pages == 1
    assert large[happened] >= 5.0 and large[points] >= 5.0
    assert len(table.ids.sides.children) == 4 and table.can_confirm
    screen.touch(screen.key(other))
    choices = [capital(choice.text) for choice in screen.app.showing.view.news.choices if choice.role != "confirm"]
    assert len(choices) == 6
    assert [key.text for key in screen.there() if key.text in choices] == choices  # without a page being turned
    screen.app.speak("en")


def test_what_happened_instead_is_two_taps_away(screen: Touchscreen) -> None:
    opened_scene(screen, "proposed")
    for text in ("Something else?", "Or: Blue harvests the carrot on 6,1 with a 5."):
        screen.touch(screen.key(text))
    assert screen.app.screen.name == "table"
    assert screen.app.showing.view.last == "Last: Blue harvests the carrot on 6,1 with a 5."


def test_the_clause_that_is_broken_is_a_tap_away(screen: Touchscreen) -> None:
    from companion.ui.parts import Words

    opened_scene(screen, "illegal")
    screen.touch(screen.key("Why not?"))
    told = [label.text for label in screen.app.screen.walk() if isinstance(label, Words)]
    assert any(text.startswith("water.value · ") for text in told)
    screen.app.back()
    assert screen.app.screen.name == "table"


def test_what_could_have_happened_instead_is_gone_with_the_table_it_was_about(
    screen: Touchscreen, played: Callable[[str, int], Played]
) -> None:
    game, after = proposed(screen, played)
    screen.app.open("otherwise")
    game.lies(after)  # as it was: nothing has changed
    screen.frames()
    assert screen.app.screen.name == "otherwise"
    game.lies(game.state)
    screen.frames()
    assert screen.app.screen.name == "table"


def test_dice_are_told_by_their_faces(screen: Touchscreen) -> None:
    house = screen.app.house
    house.close()
    screen.app.watch(house.put_on_the_table("dice-asked", "en"))
    screen.frames()
    screen.touch(screen.key("Tell the dice"))
    faces = {key.value: key for key in screen.there() if hasattr(key, "value")}
    for value in (3, 5, 6, 1):
        screen.touch(faces[value])
    assert screen.app.screen.name == "table"
    news = screen.app.showing.view.news
    assert news.kind == "proposed"
    assert any("5,6" in line for line in news.lines)


def test_what_is_cut_too_small_or_in_the_way_is_found(screen: Touchscreen) -> None:
    from kivy.uix.floatlayout import FloatLayout

    from companion.ui.measuring import faults_of
    from companion.ui.parts import Key, Words

    look = screen.app.look

    def faults(*widgets: Any) -> list[str]:
        space = FloatLayout(size=(800, 480))
        for widget in widgets:
            widget.size_hint = (None, None)
            space.add_widget(widget)
        screen.frames(2)
        return faults_of(space, look)

    assert faults(Key(text="Yes", pos=(0, 0), width=200)) == []
    assert "is the least" in faults(Key(text="Yes", pos=(0, 0), width=20))[0]
    assert any("wider than its place" in fault for fault in faults(Words(text="Megerősítésre", pos=(0, 0), width=60)))
    assert "lies over" in faults(Key(text="A", pos=(0, 0), width=99), Key(text="B", pos=(50, 9), width=99))[0]
    assert "outside" in faults(Key(text="Yes", pos=(700, 0), width=200))[0]


@pytest.mark.parametrize(("screens", "text"), [("past", "To the archive"), ("scores", "A table, as a file")])
def test_what_cannot_be_done_is_said(
    screen: Touchscreen, house: House, own_home: Path, screens: str, text: str
) -> None:
    for begin in ("New game", "Begin"):
        screen.touch(screen.key(begin))
    screen.app.open(screens)
    key = screen.key(text)
    next(own_home.glob("**/0001.game")).unlink()
    screen.touch(key)
    assert screen.app.screen.name == "said"
    screen.app.back()


def test_any_screen_that_can_be_asked_for_is_shown(screen: Touchscreen, house: House, tmp_path: Path) -> None:
    assert "ask" not in screen.app.openable
    for name in screen.app.openable:
        screen.app.open(name)
        assert screen.app.screen.name == name
    demo = DemoHouse(tmp_path)
    screen.app.house = demo
    screen.app.watch(demo.put_on_the_table("calm", "en"))
    assert "ask" in screen.app.openable
    for name in screen.app.openable:
        screen.app.open(name)
        assert screen.app.screen.name == name
    screen.app.watch(None)
    demo.close()


def test_every_screen_there_is_can_be_asked_for_with_demo_data(screen: Touchscreen, tmp_path: Path) -> None:
    before, demo = screen.app.house, DemoHouse(tmp_path)
    screen.app.house = demo
    screen.app.watch(None)
    for name in screen.app.names:
        shown = opened(argparse.Namespace(screen=name, demo=True, game=None, lang="en"), screen.app)
        shown()
        assert screen.app.screen.name == name
    with pytest.raises(Fault, match=r"--screen: 'helth' found; expected one of .*did you mean \"health\""):
        opened(argparse.Namespace(screen="helth", demo=True, game=None, lang="en"), screen.app)
    screen.app.watch(None)
    demo.close()
    screen.app.house = before


def test_a_screen_that_cannot_be_shown_is_told_in_one_line(screen: Touchscreen, own_home: Path) -> None:
    command = [sys.executable, "-m", "companion", "play", "--display", "touch", "--screen", "ask"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ)
    told = done.stderr.splitlines()[-1]
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (2, "", False)
    assert "--screen: 'ask' found; expected one of home" in told


def test_a_keyboard_types_what_is_searched(screen: Touchscreen) -> None:
    from kivy.core.window import Window

    house = screen.app.house
    house.close()
    screen.app.watch(house.put_on_the_table("proposed", "en"))
    screen.app.open("search")
    for sign in "Cüx":
        Window.dispatch("on_key_down", ord(sign), 0, sign, [])
    Window.dispatch("on_key_down", 8, 0, "\b", [])
    assert (screen.app.screen.name, screen.app.screen.title) == ("search", "cü")
    assert screen.app.showing.game.table.log.session.entries == ()  # c confirms on the other screens alone


def test_pictures_of_a_screen_that_is_not_there_are_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "companion", "screens", str(tmp_path), "--only", "helth"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "--only: 'helth' found" in done.stderr and "health" in done.stderr


def test_an_example_is_shown_without_what_lies_in_the_game(
    screen: Touchscreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    from companion.ui.board_widget import BoardWidget

    written: list[str] = []
    draw = BoardWidget._badge
    monkeypatch.setattr(BoardWidget, "_badge", lambda self, text, *at: (written.append(text), draw(self, text, *at)))
    house = screen.app.house
    house.close()
    screen.app.watch(house.put_on_the_table("calm", "en"))
    screen.frames()
    assert "2" in written  # discs under the rabbit
    written.clear()
    screen.app.open("clause", id="harvest.chain")
    screen.frames()
    assert written
    assert "2" not in written


def test_a_player_is_called_by_a_name_that_is_typed(screen: Touchscreen, house: House) -> None:
    from kivy.core.window import Window

    for text in ("New game", "Name"):
        screen.touch(screen.key(text))
    for letter in "ÁGI":
        screen.touch(screen.key(letter))
    for sign in " k":
        Window.dispatch("on_key_down", ord(sign), 0, sign, [])
    assert screen.app.screen.title == "Blue, called: Ági K"
    for text in ("Done", "Begin"):
        screen.touch(screen.key(text))
    assert screen.app.screen.turn == "Ági K is on turn."
    screen.app.speak("hu")
    assert screen.app.screen.turn == "Soron: Ági K."
    screen.app.speak("en")
