"""What the touchscreen can do besides the game on the table, before anything of it is drawn."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from companion.commands import house as commands
from companion.commands import play
from companion.commands.house import House
from companion.live import Looked
from companion.vision.watch import Sighting


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    play.arguments(parser)
    return parser.parse_args(["--camera", "simulated", *words])


def test_a_game_begun_on_the_screen_is_played_on_a_simulated_table_without_a_seed(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "eye", lambda kit, args: lambda frame: Sighting(1, "moving"))
    with House(asked()) as house:
        begin = house.new_game(None, "en").begin
        assert begin is not None
        showing = house.begin(begin.to, "en")
        house.watch()
        (first, *_) = showing.game.inbox.take(60)
        assert isinstance(first, Looked)
