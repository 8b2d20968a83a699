"""What cannot be in a position, a line each."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from companion.document import nearest, shown
from companion.games.garden_guests.board import Board
from companion.games.garden_guests.state import Colony, State, Stone, Team

GUESTS, STONES, CARDS, HAND = 15, 35, 52, 15
SEATS = ((1, 1), (2, 2), (3, 3), (1, 1, 1), (1, 2, 2), (2, 2, 2))  # players of each team, the smallest first


def faults(state: State) -> list[str]:
    """Everything that cannot be, with where it stands."""
    names = [team.name for team in state.teams]
    found = [*_board(state.board), *_spaces(state, names)] if state.board else [*_owners(state, names)]
    for i, team in enumerate(state.teams):
        found += [f"teams[{i}].{fault}" for fault in _team(state, team, names[:i])]
    return [*found, *_seats(state), *_turn(state, names)]


def _board(board: Board) -> Iterator[str]:
    for space in board.spaces:
        for name in space.near:
            other = board.by_id.get(name)
            if other is None:
                yield f"board.{space.id}.near: {shown(name)} found; no such space"
            elif other is space:
                yield f"board.{space.id}.near: {shown(name)} found; no space touches itself"
            elif space.id not in other.near:
                yield f"board.{space.id}.near: {shown(name)} found, whose own list lacks {shown(space.id)}"


def _owners(state: State, names: Collection[str]) -> Iterator[str]:
    for at, piece in state.spaces:
        if piece.team not in names:
            yield f"spaces.{at}.team: {_unknown(piece.team, names)}"


def _spaces(state: State, names: Collection[str]) -> Iterator[str]:
    yield from _owners(state, names)
    for at, piece in state.spaces:
        space = state.board.by_id.get(at) if state.board else None
        if space is None:
            yield f"spaces.{at}: no such space"
        elif isinstance(piece, Stone):
            if space.kind != "flower":
                yield f"spaces.{at}: a stone found on a {space.kind}"
        elif space.kind not in ("pedestal", "home"):
            yield f"spaces.{at}: guests found on a {space.kind} space"
        elif space.kind == "home" and space.team != piece.team:
            yield f"spaces.{at}: guests of {piece.team} found on a home of {space.team}"
        elif piece.guests > 1 and (piece.safe or space.kind == "home"):
            yield f"spaces.{at}.guests: {piece.guests} found; a safe colony keeps 1"


def _team(state: State, team: Team, earlier: Collection[str]) -> Iterator[str]:
    if team.name in earlier:
        yield f"team: {shown(team.name)} stands twice"
    if state.board and team.name not in state.board.teams:
        yield f"team: {_unknown(team.name, state.board.teams)}"
    if sorted(5 - n if n > 2 else n for n in team.collection) != [1, 2]:
        yield f"collection: {list(team.collection)} found; one card shows 1 or 4, the other 2 or 3"
    own = [piece for _, piece in state.spaces if piece.team == team.name]
    guests = team.guests + sum(piece.guests for piece in own if isinstance(piece, Colony))
    if guests > GUESTS:
        yield f"guests: {guests} found with those on the board; the box has {GUESTS}"
    stones = sum(isinstance(piece, Stone) for piece in own)
    if team.stones and team.stones + stones > STONES:  # once the supply is used up, other pieces stand in
        yield f"stones: {team.stones + stones} found with those on the board; the box has {STONES}"
    for player, hand in enumerate(team.hands or ()):
        if hand > HAND:
            yield f"hands[{player}]: {hand} found; expected {HAND} at most"
    cards = sum(team.hands or ()) + (team.deck or 0) + (team.discards or 0)
    if cards > CARDS:
        yield f"deck: {cards} cards found with hands and discards; the box has {CARDS}"


def _seats(state: State) -> Iterator[str]:
    seats = [len(team.hands) for team in state.teams if team.hands is not None]
    if len(seats) == len(state.teams) and tuple(sorted(seats)) not in SEATS:
        yield f"teams: hands of {', '.join(map(str, seats))} players found; no game seats them so"
    for team in state.teams:
        if team.hands is not None and team.next_player >= len(team.hands):
            yield f"next_player.{team.name}: {team.next_player} found; the team has {len(team.hands)} players, from 0"


def _turn(state: State, names: Collection[str]) -> Iterator[str]:
    if state.winner is not None and state.winner not in names:
        yield f"winner: {_unknown(state.winner, names)}"
    if state.winner is not None and not state.over:
        yield f"winner: {shown(state.winner)} found in a game that is not over"
    if state.over:
        return
    if state.turn.team not in names:
        yield f"turn.team: {_unknown(state.turn.team, names)}"
        return
    team = state.mover
    if team.out:
        yield f"turn.team: {shown(team.name)} found, which is out"
    if team.hands is not None and state.turn.player >= len(team.hands):
        yield f"turn.player: {state.turn.player} found; the team has {len(team.hands)} players, from 0"


def _unknown(name: str, known: Collection[str]) -> str:
    return f"{shown(name)} found; expected one of {', '.join(known)}{nearest(name, known)}"
