"""An action's sentence: its key in the word catalogue and the facts that fill it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games.garden_rush.board import CELLS, column_of
from companion.games.garden_rush.state import (
    NAMES,
    TOOLS,
    Action,
    Flip,
    Harvest,
    Hose,
    Mole,
    Move,
    MoveMole,
    Place,
    State,
    Stuck,
    Toolbox,
    Trowel,
    Weedkiller,
    veggie_of,
)

NOTHING = "nothing"  # where an action names a space without a token


def facts_of(state: State, action: Action) -> tuple[str, Mapping[str, Any]]:
    """Holds for illegal actions too: a token that is not there is `nothing`."""
    return NAMES[type(action)], {
        "player": state.own.colour,
        "opponent": state.opponent.colour,
        **_own_facts(state, action),
    }


def _own_facts(state: State, action: Action) -> dict[str, Any]:
    match action:
        case Place(source, to):
            return {"piece": _as_placed(state.hedge[source - 1], source, to), "column": source, "at": CELLS[to]}
        case Mole(source, to):
            return {"piece": state.hedge[source - 1] or NOTHING, "column": source, "at": CELLS[to]}
        case Harvest(cells):
            veggie = veggie_of(state.own.garden[cells[0]])
            return {"piece": veggie or NOTHING, "cells": "; ".join(CELLS[cell] for cell in cells), "count": len(cells)}
        case Move(source, to) | MoveMole(source, to):
            return {"piece": state.own.garden[source] or NOTHING, "from": CELLS[source], "at": CELLS[to]}
        case Flip(garden, cell):
            return {"piece": state.player(garden).garden[cell] or NOTHING, "garden": garden, "at": CELLS[cell]}
        case Trowel((one, other)):
            return {"one": one, "other": other}
        case Weedkiller(veggie):
            return {"piece": veggie}
        case Hose(column):
            return {"column": column}
        case Toolbox() | Stuck():
            return {}


def _as_placed(token: str | None, source: int, to: int) -> str:
    if token is None or token in TOOLS:
        return token or NOTHING
    return f"{token}/{'double' if source == column_of(to) else 'single'}"
