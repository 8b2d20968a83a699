"""Garden Dice: what of a position lies on the table, where a camera can see it."""

from __future__ import annotations

from companion.games.garden_dice.state import PLOTS, State, Tile
from companion.kit import Space


def place(space: Space) -> str | None:
    """The plot that a space of a kit is; None for the track, mats and supplies."""
    return f"{space.tags['row']},{space.tags['column']}" if space.kind == "plot" else None


def lying(tile: Tile) -> tuple[str, ...]:
    """The tile and a disc of its owner; how many lie on a critter cannot be seen from above."""
    return (tile.piece, f"disc/{tile.owner}") if tile.owner else (tile.piece,)


def expected(state: State) -> dict[str, tuple[str, ...]]:
    """What should lie on each plot that is not empty."""
    return {plot: lying(tile) for plot, tile in zip(PLOTS, state.board, strict=True) if tile}


def scores(state: State) -> dict[str, int]:
    """Where each score marker should stand."""
    return {f"disc/{player.colour}": player.score for player in state.players}
