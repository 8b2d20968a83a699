"""Tables as an eye might report them, made from positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.commands import own_kit
from companion.kit import Kit
from companion.observation import Die, Observation, Reading
from companion.referee import expected_table
from companion.rules import Game, State

SURE = 0.998

Table = Mapping[str, Sequence[str]]


def sight(table: Table, dice: Sequence[int] = (), unsure: Sequence[str] = (), confidence: float = SURE) -> Observation:
    spaces = {space: Reading(tuple(pieces), confidence) for space, pieces in table.items() if space not in unsure}
    seen = tuple(Die(value, (0.0, 0.0), confidence) for value in dice)
    return Observation({}, spaces, dict.fromkeys(unsure, "hidden"), seen)


def sight_of(game: Game, state: State, kit: Kit | None = None, **how: Any) -> Observation:
    """The table of a position, seen without a fault."""
    return sight(expected_table(game, state, kit or own_kit(game.name)), **how)


def misread(observation: Observation, space: str, pieces: Sequence[str], confidence: float) -> Observation:
    spaces = {**observation.spaces, space: Reading(tuple(pieces), confidence)}
    return Observation({}, spaces, observation.unsure, observation.dice)
