"""Whole games on the touchscreen to the final score, by touches alone and by the two buttons alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.document import Field
from companion.rules import Action, Allowed, State, judge
from companion.table import Tell
from companion.ui.view.wording import capital
from tests.ui.touchscreen import Played, Touchscreen, actions_of, showing_of, told_by_taps

Press = Callable[[Any], None]


def follow(screen: Touchscreen, played: Played, press: Press) -> State:
    """Play a game to its end on the screen; what it should have come to."""
    screen.app.watch(showing_of(played))
    after = played.state
    played.lies(after)
    for action, after in actions_of(played):
        if played.state != after:  # else it was done with the last one: a turn ends with its last die
            _lay_and_confirm(screen, played, press, action, after)
            assert played.state in (after, _ended(played, after))
    return after


def _ended(played: Played, state: State) -> State | None:
    """The same with the turn ended; None where a turn does not end by itself, or not yet."""
    if played.game.name != "garden-dice":
        return None
    ruling = judge(played.game, state, played.game.read_action(Field({"do": "end-turn"}), state))
    return ruling.state if isinstance(ruling, Allowed) else None


def _lay_and_confirm(screen: Touchscreen, played: Played, press: Press, action: Action, after: State) -> None:
    played.lies(after)
    screen.frames()
    showing = screen.app.showing
    best = getattr(played.table.shown.finding, "best", None)
    if best is not None and best.state in (after, _ended(played, after)):
        press(screen.app.screen.ids.confirm)
        return
    for choice in showing.view.news.choices:
        if choice.event == Tell((action,)):
            if capital(choice.text) not in {key.text for key in screen.there()}:
                press(screen.key("Something else?"))
            press(screen.key(capital(choice.text)))
            return
    texts = told_by_taps(action, played.state, showing)  # nobody can see it
    press(screen.app.screen.ids.more)
    for text in (showing.teller.common["touch"]["tell"], *texts):
        press(screen.key(capital(text)))


@pytest.mark.parametrize(
    ("name", "seed", "way"),
    [
        ("garden-guests", 0, "touch"),
        ("garden-guests", 1, "press"),
        ("garden-rush", 0, "touch"),
        ("garden-rush", 1, "press"),
        ("garden-dice", 2, "touch"),
    ],
)
def test_a_whole_game_to_the_final_score(
    screen: Touchscreen, played: Callable[[str, int], Played], name: str, seed: int, way: str
) -> None:
    game = played(name, seed)
    after = follow(screen, game, getattr(screen, way))
    assert game.game.over(game.state)
    assert game.game.write_position(game.state) == game.game.write_position(after)
    assert screen.app.screen.turn == "The game is over."
