"""Tables to sit at, cleared when the test is done, and the touchscreen."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.commands import play
from companion.commands.house import House
from companion.document import Fault
from tests.ui.tables import Seat
from tests.ui.touchscreen import DemoHouse, Played, Touchscreen


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Callable[..., Seat]]:
    seats: list[Seat] = []

    def begun(name: str, **changes: Any) -> Seat:
        seats.append(Seat(tmp_path, name, **changes))
        return seats[-1]

    yield begun
    for seat in seats:
        seat.close()


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Callable[[str, int], Played]]:
    games: list[Played] = []

    def begun(name: str, seed: int) -> Played:
        games.append(Played(tmp_path, name, seed))
        return games[-1]

    yield begun
    for game in games:
        game.close()


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
def house(screen: Touchscreen, own_home: Path) -> Iterator[House]:
    """The companion's own games in place of the demo's; no table is watched."""
    parser = argparse.ArgumentParser()
    play.arguments(parser)
    demo = screen.app.house
    with House(parser.parse_args(["--camera", "simulated", "--seed", "3"])) as own:
        own.watch = lambda: None  # type: ignore[method-assign]
        screen.app.house = own
        screen.app.watch(None)
        yield own
    screen.app.house = demo
    screen.app.watch(None)
