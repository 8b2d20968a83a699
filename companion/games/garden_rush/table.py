"""Garden Rush: what of a position lies on the table, where a camera can see it."""

from __future__ import annotations

from companion.games.garden_rush.board import CELLS, SIDE, VEGGIES
from companion.games.garden_rush.state import State
from companion.kit import Space

TRAMPOLINE = "trampoline"
SUPPLY = frozenset((TRAMPOLINE, *(f"hedge-{column}" for column in range(1, SIDE + 1))))


def place(space: Space) -> str | None:
    """A cell as `pink-2,3`, a hedge space as `hedge-3`, the trampoline; None for the track."""
    match space.kind:
        case "cell":
            return f"{space.tags['garden']}-{space.tags['row']},{space.tags['column']}"
        case "hedge":
            return f"hedge-{space.tags['column']}"
        case "trampoline":
            return TRAMPOLINE
    return None


def supplied(token: str) -> tuple[str, ...]:
    """How a token lies on hedge and trampoline: double side up."""
    return (f"{token}/double",) if token in VEGGIES else (token,)


def expected(state: State) -> dict[str, tuple[str, ...]]:
    """What should lie on each space that is not empty."""
    lying: dict[str, tuple[str, ...]] = {
        f"{player.colour}-{name}": (piece,)
        for player in state.players
        for name, piece in zip(CELLS, player.garden, strict=True)
        if piece
    }
    lying.update({f"hedge-{column}": supplied(token) for column, token in enumerate(state.hedge, 1) if token})
    if state.trampoline:
        lying[TRAMPOLINE] = supplied(state.trampoline)
    return lying


def scores(state: State) -> dict[str, int]:
    """Where each gnome should stand."""
    return {f"gnome/{player.colour}": player.score for player in state.players}
