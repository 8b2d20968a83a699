"""Garden Dice: what of a position lies on the table, where a camera can see it."""

from __future__ import annotations

from collections.abc import Mapping

from companion.games.garden_dice.state import KINDS, PLOTS, State, Tile
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


def relaid(state: State, lying: Mapping[str, tuple[str, ...]]) -> State:
    """The position with other pieces, or none, on some plots: what is taken off goes back to where it came from."""
    for plot in lying:
        if tile := state.tile(plot):
            state = _held(state, tile, 1).with_tiles([(plot, None)])
    for plot, pieces in lying.items():
        if pieces:
            owner = next((disc.partition("/")[2] for disc in pieces[1:]), None)
            tile = _tile(pieces[0], owner or state.turn.player)
            state = _held(state, tile, -1).with_tiles([(plot, tile)])
    return state


def _tile(piece: str, owner: str) -> Tile:
    return Tile(piece) if piece == "rock" else Tile(piece, owner, 1)


def _held(state: State, tile: Tile, more: int) -> State:
    """With one tile of this kind more, or fewer, off the board: a plant's in the supply or among the owner's seeds."""
    if tile.value:
        owner = next((player for player in state.players if player.colour == tile.owner), None)
        if more < 0 and owner and tile.kind in owner.seeds:
            seeds = list(owner.seeds)
            seeds.remove(tile.kind)
            return state.with_player(owner._replace(seeds=tuple(seeds)))
        return state._replace(
            supply=tuple(max(0, n + more * (kind == tile.kind)) for kind, n in zip(KINDS, state.supply, strict=True))
        )
    for player in state.players:
        match tile.piece:
            case "bird" | "rabbit" if player.colour == tile.owner:
                return state.with_player(player._replace(critter=more > 0))
            case "sundial" | "scarecrow" if player.colour == tile.owner:
                return state.with_player(player._replace(sundial=more > 0))
            case "rock" if more < 0 and player.rock:
                return state.with_player(player._replace(rock=False))
    return state
