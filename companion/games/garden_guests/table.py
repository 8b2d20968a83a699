"""Garden Guests: what of a position lies on the table, where a camera can see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from companion.games.garden_guests.state import Colony, Piece, State, Stone
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


def relaid(state: State, lying: Mapping[str, tuple[str, ...]]) -> State:
    """The position with other pieces, or none, on some spaces; a colony that is new there has as few as can be."""
    before = {space: state.at(space) for space in lying}
    kept = tuple((space, piece) for space, piece in state.spaces if space not in lying)
    teams = {team.name: team for team in state.teams}
    pieces: dict[str, Piece] = {}
    for space, names in lying.items():
        if names:
            pieces[space] = _piece(names, before[space])
    for piece, more in [*((old, 1) for old in before.values() if old), *((new, -1) for new in pieces.values())]:
        if team := teams.get(piece.team):
            guests = team.guests + more * (piece.guests if isinstance(piece, Colony) else 0)
            stones = team.stones + more * isinstance(piece, Stone)
            teams[team.name] = team._replace(guests=guests, stones=stones)
    counted = tuple(team._replace(guests=max(0, team.guests), stones=max(0, team.stones)) for team in teams.values())
    return replace(state, teams=counted, spaces=tuple(sorted({**dict(kept), **pieces}.items())))


def _piece(names: tuple[str, ...], before: Piece | None) -> Piece:
    kind, _, team = names[0].partition("/")
    if kind == "stone":
        return Stone(team)
    same = isinstance(before, Colony) and before.team == team
    return Colony(team, before.guests if same and isinstance(before, Colony) else 1, len(names) == 1)
