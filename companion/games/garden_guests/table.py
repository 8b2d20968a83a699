"""Garden Guests: what of a position lies on the table, where a camera can see it."""

from __future__ import annotations

from companion.games.garden_guests.state import State, Stone
from companion.kit import Space


def place(space: Space) -> str | None:
    """The spaces of the map go by the kit's own ids."""
    return space.id if space.kind in ("flower", "pedestal", "home", "mushroom") else None


def expected(state: State) -> dict[str, tuple[str, ...]]:
    """What should lie on each space that is not empty.

    A colony that is not safe carries a marker of its pedestal's flower; how many guests are under it cannot be seen.
    """
    spaces = state.board.by_id if state.board else {}
    lying: dict[str, tuple[str, ...]] = {}
    for at, piece in state.spaces:
        if isinstance(piece, Stone):
            lying[at] = (f"stone/{piece.team}",)
        else:
            flower = spaces[at].flower if at in spaces and not piece.safe else None
            lying[at] = (f"guest/{piece.team}", f"marker/{flower}") if flower else (f"guest/{piece.team}",)
    return lying


def scores(state: State) -> dict[str, int]:
    """Nothing is scored."""
    return {}
