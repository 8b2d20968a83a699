"""The touchscreen: whole games by touches and by two buttons, and what is shown on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.document import Fault
from companion.rules import Action, State
from companion.table import Tell
from companion.ui.view.wording import capital
from tests.ui.touchscreen import DemoHouse, Played, Touchscreen, actions_of, showing_of, told_by_taps

ROOT = Path(__file__).parent.parent.parent
Press = Callable[[Any], None]


@pytest.fixture(scope="session")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Touchscreen]:
    """The one window that a process can have, 7 inches of 800 × 480."""
    os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")
    folder = tmp_path_factory.mktemp("touch")
    try:
        from companion.ui.window import open_window

        open_window(folder / "kivy", (800, 480))
    except Fault as fault:
        pytest.skip(f"no window can be drawn here (libegl1 libgl1 libgl1-mesa-dri): {fault}")
    house = DemoHouse(folder / "games")
    yield Touchscreen(house)
    house.close()


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Callable[[str, int], Played]]:
    games: list[Played] = []

    def begun(name: str, seed: int) -> Played:
        games.append(Played(tmp_path, name, seed))
        return games[-1]

    yield begun
    for game in games:
        game.close()


def follow(screen: Touchscreen, played: Played, press: Press) -> State:
    """Play a game to its end on the screen; what it should have come to."""
    screen.app.watch(showing_of(played))
    after = played.state
    played.lies(after)
    for action, after in actions_of(played):
        _lay_and_confirm(screen, played, press, action, after)
        assert played.state == after
    return after


def _lay_and_confirm(screen: Touchscreen, played: Played, press: Press, action: Action, after: State) -> None:
    played.lies(after)
    screen.frames()
    showing = screen.app.showing
    best = getattr(played.table.shown.finding, "best", None)
    if best is not None and best.state == after:
        press(screen.app.screen.ids.confirm)
        return
    for choice in showing.view.news.choices:
        if choice.event == Tell((action,)):
            press(screen.key(capital(choice.text)))
            return
    texts = told_by_taps(action, played.state, showing)  # nobody can see it
    press(screen.app.screen.ids.more)
    for text in (showing.teller.common["touch"]["tell"], *texts):
        press(screen.key(capital(text)))


@pytest.mark.parametrize(("name", "seed", "way"), [("garden-guests", 0, "touch"), ("garden-guests", 1, "press")])
def test_a_whole_game_to_the_final_score(
    screen: Touchscreen, played: Callable[[str, int], Played], name: str, seed: int, way: str
) -> None:
    game = played(name, seed)
    after = follow(screen, game, getattr(screen, way))
    assert game.game.over(game.state)
    assert game.game.write_position(game.state) == game.game.write_position(after)
    assert screen.app.screen.turn == "The game is over."
