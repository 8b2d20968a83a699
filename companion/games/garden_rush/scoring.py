"""Who has won, or would if the game ended now."""

from __future__ import annotations

from typing import Any

from companion.games.garden_rush.state import State


def winners(state: State) -> list[str]:
    """The player with the most points, both where they are equal; whoever lost by being stuck has not won."""
    if state.lost is not None:
        return [player.colour for player in state.players if player.colour != state.lost]
    most = max(player.score for player in state.players)
    return [player.colour for player in state.players if player.score == most]


def score(state: State) -> dict[str, Any]:
    totals = [{"colour": player.colour, "total": player.score} for player in state.players]
    return {"players": totals, "winners": winners(state)}
