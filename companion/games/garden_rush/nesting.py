"""An action with the bonuses that it earns, one inside the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from companion.games.garden_rush.state import Action, Toolbox, Trowel
from companion.rules import Allowed, Happened

Part = TypeVar("Part", bound=Action)


def due(ruling: Allowed) -> tuple[str, ...]:
    """The bonuses that the last part of an action has earned."""
    earned: tuple[str, ...] = ()
    for event in ruling.events:
        if isinstance(event, Happened) and event.name.startswith("then-"):
            earned = ()
        elif isinstance(event, Happened) and event.name == "bonus-earned":
            earned += event.facts["bonuses"]
    return earned


def extended(action: Part, bonus: Action) -> Part:
    """The bonus goes to the innermost part, which earned it."""
    if action.bonus is not None:
        return replace(action, bonus=extended(action.bonus, bonus))
    if isinstance(action, Trowel):
        return replace(action, place=extended(action.place, bonus))
    if isinstance(action, Toolbox):
        return replace(action, use=extended(action.use, bonus))
    return replace(action, bonus=bonus)
