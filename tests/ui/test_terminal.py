"""The display in a terminal: laid out in 80 × 24, and what the keys do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from companion.rules import LANGUAGES
from companion.table import Confirm
from companion.ui.keyboard import BACKSPACE, DOWN, ENTER, ESCAPE, HUNG_UP, read_keys
from companion.ui.layout import plain
from companion.ui.terminal import Display
from tests.ui.tables import STARTS, Seat

Sit = Callable[..., Seat]
FOUND: dict[str, list[dict[str, list[str]]]] = {  # for each game: a proposal, something wrong, something nobody knows
    "garden-dice": [
        {"6,1": []},
        {"5,6": ["tomato/seed", "disc/blue"]},
        {"3,3": ["squash/vegetable", "disc/green"], "5,1": ["eggplant/seed", "disc/green"]},
    ],
    "garden-rush": [
        {"hedge-3": [], "pink-4,3": ["tomato/double"]},
        {"pink-3,3": ["tomato/single"]},
        {"pink-1,2": ["mole"], "blue-3,3": ["trowel"], "hedge-1": ["potato/single"]},
    ],
    "garden-guests": [
        {"-4,2": ["guest/black", "marker/sunflower"]},
        {"-2,1": ["stone/black"]},
        {"0,0": ["guest/gold"], "-5,0": ["stone/gold"]},
    ],
}


def press(display: Display, *keys: str) -> None:
    for key in keys:
        display.press(key)


def typed(display: Display, prompt: str, text: str) -> None:
    press(display, prompt, *text, ENTER)


def text(display: Display, rows: int = 24, columns: int = 80) -> str:
    return "\n".join(display.lines(rows, columns))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", STARTS)
def test_everything_fits_into_the_window(sit: Sit, name: str, language: str) -> None:
    for lay in ({}, *FOUND[name]):
        seat = sit(name)
        seat.settles(lay)
        seat.waits(40)
        display = seat.display(language, resumed=True)
        for keys in ("", "h", "m", "?", "q"):
            press(display, *keys)
            for rows, columns in ((24, 80), (20, 60), (50, 132)):
                lines = display.lines(rows, columns)
                assert len(lines) <= rows
                assert max(map(len, lines)) <= columns
            press(display, ESCAPE)
        assert (display.view.news.kind == "calm") == (not lay)


def test_the_screen_of_a_proposal(sit: Sit) -> None:
    seat = sit("garden-dice", turn={"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]})
    seat.settles({"6,1": []})
    assert display_lines(seat) == [
        "The game · Blue is on turn.                                 the table lies still",
        "   1      2      3      4      5      6       > Blue 12",
        "1  .      .      .      .      .      .           seeds 1 · harvested 1 · sun",
        "2  .      art:B  .      .      .      .         Green 7",
        "3  .      .      .      .      .      .       Dice: 4 · spent: 1 2 3",
        "4  .      .      .      rab:G2 .      *       May now:",
        "5  .      .      .      .      *      *         buy: squash, carrot, tomato,",
        "6 >.      .      .      *      *      *         artichoke",
        "                                                water: 2,2",
        "                                                harvest: 6,1",
        "─" * 80,
        "Is this what happened?",
        "Blue harvests the carrot on 6,1 with a 4.",
        "Blue ends the turn.",
        "points: Blue +2",
    ]


def display_lines(seat: Seat) -> list[str]:
    return seat.display().lines(24, 80)[:15]


def test_confirm_undo_redo_and_another_explanation(sit: Sit) -> None:
    seat = sit("garden-dice", turn={"player": "blue", "rolled": True, "dice": [4, 5], "spent": [1, 2]})
    display = seat.display()
    press(display, "c")
    assert "There is nothing to confirm." in text(display)
    seat.settles({"6,1": []})
    display = seat.display()
    assert "[1] or: Blue harvests the carrot on 6,1 with a 5." in text(display)
    press(display, "1")
    assert [seat.game.write_action(action)["die"] for action in seat.log.session.actions] == [5]
    assert seat.agreed == 1 and "Last: Blue harvests the carrot on 6,1 with a 5." in text(display)
    press(display, "u")
    assert seat.log.session.actions == ()
    press(display, "r")
    assert len(seat.log.session.actions) == 1


def test_dice_and_purchases_are_told(sit: Sit) -> None:
    seat = sit("garden-dice", turn={"player": "blue"})
    seat.settles({"2,2": ["artichoke/vegetable", "disc/blue"]}, ())
    display = seat.display()
    typed(display, "d", "1x")
    assert "'1x' found; e.g. 1 5 1 6" in text(display)
    typed(display, "d", "4 1 1 2")
    assert "Blue waters the artichoke seed on 2,2 with a 4." in text(display)
    press(display, "c")
    typed(display, "t", "buy carrot 2")
    assert "Last: Blue buys a carrot seed with a 2." in text(display)
    typed(display, "t", "sell carrot 2")
    assert "'sell carrot 2' is no action; e.g. water 2,3 5" in text(display)


def test_a_dispute_is_settled_by_asking(sit: Sit) -> None:
    seat = sit("garden-dice", turn={"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]})
    display = seat.display()
    typed(display, "?", "2,2")
    assert text(display).splitlines()[1:3] == ["On 2,2:", "Blue waters the artichoke seed on 2,2 with a 4."]
    press(display, ENTER)
    typed(display, "?", "1,1")
    assert "Nothing may be done on 1,1 now." in text(display)
    press(display, ENTER)
    typed(display, "?", "harvest 2,2 4")
    assert "NOT ALLOWED · harvest." in text(display)
    press(display, ENTER)
    typed(display, "?", "harvest 6,1 4")
    assert "ALLOWED · Blue harvests the carrot on 6,1 with a 4." in text(display)
    assert "harvest.score · " in text(display)
    press(display, ENTER)
    typed(display, "?", "9,9")
    assert "'9,9' is no space of this board." in text(display)
    assert seat.log.session.actions == ()


def test_a_dispute_in_hungarian(sit: Sit) -> None:
    display = sit("garden-dice", turn={"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]}).display("hu")
    typed(display, "?", "öntözés 2,2 4")
    assert "SZABÁLYOS · " in text(display)
    press(display, ENTER)
    typed(display, "?", "aratás 2,2 4")
    assert "NEM SZABÁLYOS · harvest." in text(display)


@pytest.mark.parametrize(
    ("name", "said", "place", "piece"),
    [
        ("garden-dice", "1,1 = tomato/seed disc/green", "1,1", ("tomato/seed", "disc/green")),
        ("garden-dice", "1,1 = tomato seed, green disc", "1,1", ("tomato/seed", "disc/green")),
        ("garden-rush", "pink-3,3 = tomato/single", "pink-3,3", ("tomato/single",)),
        ("garden-rush", "hedge-2 =", "hedge-2", ()),
        ("garden-guests", "0,1 = Gold stone", "0,1", ("stone/gold",)),
    ],
)
def test_a_space_is_put_right_by_hand(sit: Sit, name: str, said: str, place: str, piece: tuple[str, ...]) -> None:
    seat = sit(name)
    typed(seat.display(), "k", said)
    assert seat.game.expected(seat.state).get(place, ()) == piece
    assert seat.game.faults(seat.state) == []


def test_score_turn_and_an_earlier_step_are_put_right(sit: Sit) -> None:
    seat = sit("garden-dice", turn={"player": "blue", "rolled": True, "dice": [4, 5], "spent": [1, 2]})
    display = seat.display()
    typed(display, "t", "buy carrot 5")
    typed(display, "k", "1: buy artichoke 5")
    assert seat.game.write_position(seat.state)["players"][0]["seeds"] == ["tomato", "artichoke"]
    typed(display, "k", "1:")
    assert seat.log.session.actions == ()
    typed(display, "k", "score Green 21")
    assert seat.game.write_position(seat.state)["players"][1]["score"] == 21
    typed(display, "k", "turn green")
    assert display.view.turn == "Green is on turn."
    typed(display, "k", "9: buy carrot 5")
    assert "9 found; expected an entry from 1 to 2" in text(display)
    typed(display, "k", "nonsense")
    assert "'nonsense' found; e.g. 2,3 = tomato/seed disc/blue" in text(display)


def test_the_end_is_asked_for_and_a_lost_terminal_is_one(sit: Sit) -> None:
    display = sit("garden-rush").display()
    press(display, "q")
    assert text(display).endswith("End here? The game is kept. (y/n)")
    press(display, "n")
    assert display.status is None
    press(display, "q", "y")
    assert display.status == 0
    display = sit("garden-rush").display()
    press(display, HUNG_UP)
    assert display.status == 129


def test_a_game_that_goes_on_is_first_compared_with_the_table(sit: Sit) -> None:
    seat = sit("garden-dice", turn={"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]})
    seat.settles({"6,1": []})
    display = seat.display(resumed=True)
    told = text(display)
    assert told.index("The table is not as it was kept:") < told.index("Is this what happened?")
    press(display, "c")
    assert "not as it was kept" not in text(display) and "The table lies as the game says." in text(display)
    seat.settles({"2,2": []})
    assert "not as it was kept" not in text(display)


def test_what_is_typed_can_be_mended_or_left(sit: Sit) -> None:
    display = sit("garden-rush").display()
    press(display, "?", "3", ",", "4", BACKSPACE, "3")
    assert text(display).endswith("A space or an action: 3,3_")
    press(display, ESCAPE)
    assert text(display).endswith("q quit")


def test_a_long_page_is_turned(sit: Sit) -> None:
    display = sit("garden-guests").display()
    press(display, "h")
    first = text(display)
    press(display, DOWN)
    assert text(display) != first and "How actions are typed" in text(display)
    press(display, "x")
    assert text(display).endswith("q quit")


def test_a_window_that_is_too_small_says_so(sit: Sit) -> None:
    assert sit("garden-rush").display().lines(5, 30) == ["The window is too small: at", "least 20 rows of 60 signs."]


def test_a_full_disk_is_told_and_nothing_is_claimed(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    seat = sit("garden-dice", turn={"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]})
    seat.settles({"6,1": []})
    display = seat.display()
    seat.log.path.rename(seat.log.path.with_suffix(".gone"))
    press(display, "c")
    assert "Not saved: " in text(display)
    assert seat.log.session.actions == () and seat.agreed == 0


def test_what_a_terminal_cannot_show() -> None:
    assert plain("ő · é – → \x1b[2J ─", False) == "o - e - > ?[2J -"
    assert plain("ő · \x07", True) == "ő · ?"


def test_keys_as_a_terminal_sends_them() -> None:
    assert list(read_keys("c\x1b[Bő\r\x7f\x1b")) == ["c", DOWN, "ő", ENTER, BACKSPACE, ESCAPE]


def test_a_game_is_confirmed_by_its_event(sit: Sit) -> None:
    seat = sit("garden-guests")
    seat.settles({"-4,2": ["guest/black", "marker/sunflower"]})
    assert seat.display().view.news.choices[0].event == Confirm()
