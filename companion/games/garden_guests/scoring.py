"""Who has won, or would have if the game ended now."""

from __future__ import annotations

from typing import Any

from companion.games.garden_guests.lines import connected
from companion.games.garden_guests.state import State


def winners(state: State) -> list[str]:
    if state.over:
        return [] if state.winner is None else [state.winner]
    board, left = state.board, [team.name for team in state.teams if not team.out]
    if len(state.teams) == 3 and len(left) == 1:
        return left
    return [team for team in left if board and connected(state, board, team)]


def score(state: State) -> dict[str, Any]:
    """Without a map nobody can tell who is connected: null."""
    board = state.board
    teams = [
        {"team": team.name, "connected": connected(state, board, team.name) if board else None, "out": team.out}
        for team in state.teams
    ]
    return {"teams": teams, "winners": winners(state)}
