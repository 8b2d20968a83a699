"""Games that play themselves: a start dealt by chance, and then a random legal action after another.

All chance comes from the `random.Random` that is handed in: the same seed gives the same game.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from random import Random
from typing import Any

from companion.document import Fault, Field
from companion.kit import Kit
from companion.rules import Action, Game, State

COLOURS = ("blue", "yellow", "green", "red")
VEGETABLES = ("carrot", "eggplant", "tomato", "broccoli", "potato")
SEATS = {"garden-dice": (2, 4), "garden-rush": (2, 2), "garden-guests": (2, 6)}


def header(game: Game, players: int, options: Mapping[str, Any], random: Random, kit: Kit) -> dict[str, Any]:
    """What a record without `start` says of a new game."""
    least, most = SEATS[game.name]
    if not least <= players <= most:
        raise Fault(f"--players: {players} found; {game.name} is for {least}" + (f" to {most}" if most > least else ""))
    match game.name:
        case "garden-dice":
            seats: dict[str, Any] = {"players": list(COLOURS[:players])}
        case "garden-rush":
            seats = {"players": ["pink", "blue"], "draw": random.sample([v for v in VEGETABLES for _ in range(12)], 6)}
        case _:
            homes = dict.fromkeys(space.tags["team"] for space in kit.of_kind("home"))
            seats = {"players": players, "teams": list(homes)[: 3 if players in (3, 5) else 2]}
    return seats | ({"options": dict(options)} if options else {})


def start(game: Game, players: int, options: Mapping[str, Any], random: Random, kit: Kit) -> State:
    """A new game on the boards of a kit."""
    return game.set_up(Field(header(game, players, options, random, kit)), kit)


def random_action(game: Game, state: State, random: Random) -> Action | None:
    """A legal action with all that chance decides; None when the game is over."""
    chosen: Action | None = import_module(f"{__package__}.{game.name.replace('-', '_')}").random_action(state, random)
    return chosen
