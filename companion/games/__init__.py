"""The games on the shelf.  A new game is one folder here and one name in this table."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from companion.rules import Game

NAMES = ("garden-dice", "garden-rush", "garden-guests")


@cache
def load_game(name: str) -> Game:
    """The game of a name in `NAMES`, loaded when first asked for."""
    game: Game = import_module(f"companion.games.{name.replace('-', '_')}").GAME
    return game
