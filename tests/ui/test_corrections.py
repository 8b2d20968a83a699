"""Putting something right by taps; values worked out by hand, laws held over random taps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.account import Teller
from companion.commands import own_kit
from companion.document import Field
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES
from companion.session import TableTaken
from companion.store.reading import Games
from companion.store.shelf import Shelf
from companion.table import Correct, Table, TakeTable, Tell, TellDice
from companion.ui.view.choosing import Menu
from companion.ui.view.corrections import corrections
from companion.ui.view.steps import Consider, Start, Step, To
from tests.games.play import play
from tests.ui.tables import Seat

Sit = Callable[..., Seat]
games = pytest.mark.parametrize("name", NAMES)
seeds = st.integers(0, 2**32 - 1)
EVENTS = (Correct, TakeTable, Tell, TellDice)


def menu_of(seat: Seat, step: Step, language: str = "en") -> Menu[To]:
    return corrections(step, seat.log.session, seat.kit, seat.teller(language))


def tap(seat: Seat, *texts: str, language: str = "en") -> Any:
    """What tapping one text after the other comes to."""
    to: Any = Start()
    for text in texts:
        menu = menu_of(seat, to, language)
        found = [tap.to for tap in menu.taps if tap.text == text]
        assert found, f"{text!r} is not among {[tap.text for tap in menu.taps]}"
        to = found[0]
    return to


def tell(seat: Seat, *written: dict[str, Any]) -> None:
    for action in written:
        seat.table.step(Tell((seat.game.read_action(Field(action), seat.state),)))
        assert seat.table.shown.refused == ()


def position(seat: Seat) -> Any:
    return seat.game.write_position(seat.state)


def test_what_lies_on_a_space(sit: Sit) -> None:
    seat = sit("garden-dice")
    event = tap(seat, "a space", "1,1", "squash seed", "squash seed, green disc")
    assert not seat.table.step(event).faults
    assert position(seat)["board"]["1,1"] == {"piece": "squash/seed", "owner": "green", "discs": 1}
    assert position(seat)["supply"]["squash"] == 2
    assert isinstance(seat.log.session.entries[-1], TableTaken)
    there = menu_of(seat, tap(seat, "egy mezőt", "1,1", language="hu"), "hu")
    assert there.title == "Mi van itt: 1,1?" and there.lines == ("tökvetőmag, zöld korong",)
    assert [tap.text for tap in there.taps if tap.chosen] == ["tökvetőmag"]
    seat.table.step(tap(seat, "a space", "1,1", "empty"))
    assert "1,1" not in position(seat)["board"]


def test_how_many_discs_lie_under_an_animal(sit: Sit) -> None:
    seat = sit("garden-dice")
    assert not seat.table.step(tap(seat, "a space", "4,4", "there are 3")).faults
    assert position(seat)["board"]["4,4"]["discs"] == 3


def test_the_score_and_the_turn(sit: Sit) -> None:
    seat = sit("garden-dice")
    seat.table.step(tap(seat, "a score", "Green 7", "+5", "-1", "it is 11"))
    assert [player["score"] for player in position(seat)["players"]] == [12, 11]
    seat.table.step(tap(seat, "whose turn it is", "Green"))
    assert position(seat)["turn"]["player"] == "green" and not position(seat)["turn"]["rolled"]


def test_dice_that_nobody_saw_and_dice_that_were_misread(sit: Sit) -> None:
    seat = sit("garden-dice", turn={"player": "blue"})
    assert tap(seat, "the dice", "5", "1", "6", "1") == TellDice((5, 1, 6, 1))
    tell(seat, {"do": "roll", "dice": [2, 3, 4, 5]}, {"do": "harvest", "at": "6,1", "die": 5})
    considered = tap(seat, "the dice", "2", "3", "4", "4")
    menu = menu_of(seat, considered)
    assert menu.title == "1. Blue rolls 2, 3, 4, 5."
    assert menu.lines[0] == "Blue rolls 2, 3, 4, 4."
    assert menu.lines[1].startswith("No longer stands: Blue harvests the carrot on 6,1 with a 5. ")
    assert "turn.die-once" in menu.lines[1]
    seat.table.step(menu.taps[0].to)
    assert seat.table.shown.refused == () and position(seat)["turn"]["dice"] == [2, 3, 4, 4]
    unnoted = sit("garden-dice")  # the dice of its start are no entry
    unnoted.table.step(tap(unnoted, "the dice", "3", "6"))
    assert position(unnoted)["turn"]["dice"] == [2, 6, 4, 5]


def test_an_action_that_was_missed_is_put_before_another(sit: Sit) -> None:
    seat = sit("garden-dice")
    tell(seat, {"do": "water", "at": "2,2", "die": 4})
    first = tap(
        seat, "an action that was missed", "1. Blue waters the artichoke seed on 2,2 with a 4.", "buy", "tomato"
    )
    menu = menu_of(seat, first)
    considered = next(tap.to for tap in menu.taps if tap.text == "Blue buys a tomato seed with a 3.")
    assert isinstance(considered, Consider)
    assert menu_of(seat, considered).lines[1] == "All that was done since still stands."
    seat.table.step(menu_of(seat, considered).taps[0].to)
    assert [seat.game.write_action(action)["do"] for action in seat.log.session.actions] == ["buy", "water"]
    now = tap(seat, "an action that was missed", "now, at the end", "Blue ends the turn.")
    assert isinstance(now, Tell)
    seat.table.step(now)
    assert position(seat)["turn"]["player"] == "green"


def test_an_earlier_action_never_happened(sit: Sit) -> None:
    seat = sit("garden-dice")
    tell(seat, {"do": "water", "at": "2,2", "die": 4}, {"do": "harvest", "at": "2,2", "die": 5})
    entry = "1. Blue waters the artichoke seed on 2,2 with a 4."
    menu = menu_of(seat, tap(seat, "an earlier action", entry, "it never happened"))
    assert menu.lines[0] == "It never happened." and "harvest.own" in menu.lines[1]
    seat.table.step(menu.taps[0].to)
    assert seat.log.session.actions == () and len(seat.table.shown.fallen) == 1


def test_once_it_is_over_only_what_was_can_be_put_right(sit: Sit) -> None:
    seat = sit("garden-dice", over=True, supply={}, last_turn=True, turn={"player": "blue"})
    assert [tap.text for tap in menu_of(seat, Start()).taps] == ["a space", "a score"]
    assert not seat.table.step(tap(seat, "a score", "Green 7", "+1", "it is 8")).faults
    taken = menu_of(seat, tap(seat, "an earlier action"))
    assert [tap.text for tap in taken.taps] == ["1. The table is taken as it is."]
    never = menu_of(seat, tap(seat, "an earlier action", "1. The table is taken as it is.", "it never happened"))
    seat.table.step(never.taps[0].to)
    assert position(seat)["players"][1]["score"] == 7


def walk(table: Table, language: str, random: Random, taps: int) -> None:
    """Random taps; every event that is reached is taken by the table."""
    teller = Teller(table.game, language)
    step: Any = Start()
    for _ in range(taps):
        menu = corrections(step, table.log.session, table.kit, teller)
        assert menu.title and all(tap.text and "{" not in tap.text for tap in menu.taps)
        assert all("{" not in line for line in menu.lines)
        assert set(menu.spaces) <= {space.id for space in table.kit.spaces}
        if not menu.taps:
            step = Start()
            continue
        step = random.choice(menu.taps).to
        if isinstance(step, EVENTS):
            shown = table.step(step)
            assert (shown.refused, shown.faults, shown.waiting) == ((), (), ())
            assert table.game.faults(shown.session.state) == [], step
            step = Start()


@games
@settings(max_examples=10)  # every event goes to disk
@given(seed=seeds, plies=st.integers(0, 40), language=st.sampled_from(LANGUAGES))
def test_every_event_that_is_offered_is_taken(
    tmp_path_factory: pytest.TempPathFactory, name: str, seed: int, plies: int, language: str
) -> None:
    begun, played = play(name, seed, plies)
    shelf = Shelf(Path(tmp_path_factory.mktemp("games")), Games(NAMES, load_game), lambda: 0.0)
    with shelf.begin(load_game(name), begun) as log:
        for ply in played:
            log.confirm(ply.action)
        walk(Table(own_kit(name), log), language, Random(seed), 25)
