"""What the player on turn may begin."""

from __future__ import annotations

from typing import Any

from companion.games.garden_rush.forms import write_action
from companion.games.garden_rush.openings import openings
from companion.games.garden_rush.state import Action, State
from companion.games.garden_rush.turn import RULES
from companion.rules import objection


def legal(state: State) -> dict[str, Any]:
    """Every legal place, mole and harvest; bonuses and what is drawn are not asked for."""
    return {"actions": [write_action(action) for action in legal_openings(state)]}


def legal_openings(state: State) -> list[Action]:
    return [action for action in openings(state) if objection(RULES[type(action)], state, action) is None]
