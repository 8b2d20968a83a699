"""Garden Rush: what of a position lies on the table, where a camera can see it."""

from __future__ import annotations

from collections.abc import Mapping

from companion.games.garden_rush.board import CELL, CELLS, SIDE, VEGGIES
from companion.games.garden_rush.state import TOKENS, State, laid, replaced, veggie_of
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


def relaid(state: State, lying: Mapping[str, tuple[str, ...]]) -> State:
    """The position with other pieces, or none, on some spaces: the sack holds what is not there."""
    for place in lying:
        state = _laid(state, place, None)
    for place, pieces in lying.items():
        if pieces:
            state = _laid(state, place, pieces[0])
    return state


def _laid(state: State, place: str, piece: str | None) -> State:
    """With a piece, or none, in place of what lies there."""
    if place == TRAMPOLINE:
        old, new = state.trampoline, _token(piece)
        state = state._replace(trampoline=new)
    elif place.startswith("hedge-"):
        column = int(place.removeprefix("hedge-")) - 1
        old, new = state.hedge[column], _token(piece)
        state = state._replace(hedge=replaced(state.hedge, column, new))
    else:
        colour, _, cell = place.partition("-")
        number = next(number for number, player in enumerate(state.players) if player.colour == colour)
        player = state.players[number]
        old, new = _token(player.garden[CELL[cell]]), _token(piece)
        state = state._replace(players=replaced(state.players, number, laid(player, (CELL[cell], piece))))
    sack = [n + (token == old) - (token == new) for token, n in zip(TOKENS, state.sack, strict=True)]
    discards = list(state.discards)
    for token, n in zip(TOKENS, sack, strict=True):
        if n < 0 and token in discards:
            discards.remove(token)
    return state._replace(sack=tuple(max(0, n) for n in sack), discards=tuple(discards))


def _token(piece: str | None) -> str | None:
    """What a piece is in the sack; a mole is the back of a token that nobody sees."""
    return None if piece == "mole" else veggie_of(piece) or piece
