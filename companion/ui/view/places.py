"""The parts of an action, and the spaces of a kit that they name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from companion.kit import Kit
from companion.rules import Action, Game, State

Atom = tuple[str, str]  # a key of an action, after those of the bonuses that it stands in, and its value as JSON


def atoms(written: Mapping[str, Any], within: str = "") -> tuple[Atom, ...]:
    """The parts of an action in their order; those of a bonus after those of what it is a part of."""
    found: tuple[Atom, ...] = ()
    for key, value in written.items():
        if isinstance(value, dict):
            found += atoms(value, f"{within}{key}.")
        else:
            found += ((within + key, json.dumps(value)),)
    return found


def spaces_named(atom: Atom, action: Action, state: State, kit: Kit, game: Game) -> Iterator[str]:
    """The spaces of the kit that a part of an action names."""
    within, key = atom[0].rpartition(".")[::2]
    parts = ((*name.rpartition(".")[::2], json.loads(value)) for name, value in atoms(game.write_action(action)))
    part = {name: value for around, name, value in parts if around == within}
    position = game.write_position(state)
    turn = position["turn"].get("player")
    over_there = key == "to" and part.get("do") in ("mole", "move-mole")  # a mole goes to the other garden
    sides = [entry.get("colour") for entry in position.get("players", ())]
    garden = part.get("garden") or next((side for side in sides if (side != turn) == over_there), None)
    value = json.loads(atom[1])
    named: set[str] = set()
    for one in value if isinstance(value, list) else [value]:
        named |= {str(one), f"{garden}-{one}", f"hedge-{one}"}
    yield from (space.id for space in kit.spaces if game.place(space) in named)


def all_spaces(action: Action, state: State, kit: Kit, game: Game) -> tuple[str, ...]:
    """Every space that an action names, in its order."""
    parts = atoms(game.write_action(action))
    return tuple(dict.fromkeys(space for atom in parts for space in spaces_named(atom, action, state, kit, game)))
