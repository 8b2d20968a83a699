"""A small table of Garden Rush to try things on: positions and actions as JSON, and how they are ruled on."""

from __future__ import annotations

from typing import Any

from companion.document import Field
from companion.games.garden_rush import GAME
from companion.rulebook import merged
from companion.rules import Allowed, Ruling, judge

TOOL_SPACES = {"2,2": "place", "2,4": "harvest", "4,2": "move", "4,4": "flip"}
BOARD: dict[str, Any] = {
    "tools": {"pink": TOOL_SPACES, "blue": TOOL_SPACES},
    "bonus_spaces": [5, 12],
    "patterns": {
        "carrot": [[[0, 0], [0, 1]]],
        "eggplant": [[[0, 0], [1, 0], [2, 0], [2, 1]]],
        "broccoli": [[[0, 0]], [[0, 0], [1, 0], [1, 1]]],
        "potato": [[[0, 0]]],
    },
    "arrow": 5,
}
HEDGE = ["carrot", "eggplant", "tomato", "broccoli", "potato"]
CELLS = [f"{r},{c}" for r in range(1, 6) for c in range(1, 6) if f"{r},{c}" not in ("1,1", "1,5", "5,1", "5,5")]
Garden = dict[str, str]


def table(
    pink: Garden | None = None, blue: Garden | None = None, scores: tuple[int, int] = (0, 0), **changes: Any
) -> Any:
    """A position with pink to move, and what is said of it changed."""
    position = {
        "game": "garden-rush",
        "board": BOARD,
        "players": [
            {"colour": "pink", "score": scores[0], "garden": pink or {}},
            {"colour": "blue", "score": scores[1], "garden": blue or {}},
        ],
        "hedge": HEDGE,
        "trampoline": "carrot",
        "sack": dict.fromkeys(("carrot", "eggplant", "tomato", "broccoli", "potato"), 5),
        "turn": {"player": "pink"},
    }
    return merged(position, changes)


def ruled(position: Any, action: Any) -> Ruling:
    state = GAME.read_position(Field(position), None)
    assert GAME.faults(state) == []
    read = GAME.read_action(Field(action), state)
    GAME.check_action(state, read)
    return judge(GAME, state, read)


def after(position: Any, action: Any) -> dict[str, Any]:
    ruling = ruled(position, action)
    assert isinstance(ruling, Allowed), ruling
    return GAME.write_position(ruling.state)


def gardens(position: dict[str, Any]) -> list[Garden]:
    return [player["garden"] for player in position["players"]]


def scores(position: dict[str, Any]) -> list[int]:
    return [player["score"] for player in position["players"]]


def place(source: int, to: str, *draw: str, **more: Any) -> dict[str, Any]:
    return {"do": "place", "from": source, "to": to} | ({"draw": list(draw)} if draw else {}) | more


def harvest(*cells: str, **more: Any) -> dict[str, Any]:
    return {"do": "harvest", "cells": list(cells), **more}


def move(source: str, to: str, **more: Any) -> dict[str, Any]:
    return {"do": "move", "from": source, "to": to, **more}


def flip(cell: str, garden: str = "pink") -> dict[str, Any]:
    return {"do": "flip", "garden": garden, "cell": cell}


TOOLS = {"tools": True}
