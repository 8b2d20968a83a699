"""The clauses about colonies: where they may stand, what they cost, whom they knock off, when they are safe."""

from __future__ import annotations

from collections.abc import Collection

from companion.games.garden_guests.board import Space
from companion.games.garden_guests.cards import in_hand, pays, play, with_wilds
from companion.games.garden_guests.state import BuildColony, Colony, State, Stone
from companion.rules import Allowed, Happened, Missing, Ruling

BOARD = Missing(("board",))
GUESTS = Missing(("guests",))


def _space(state: State, at: str) -> Space | None:
    return state.board.by_id.get(at) if state.board else None


def _is(state: State, at: str, kind: str) -> bool:
    space = _space(state, at)
    return space is not None and space.kind == kind


def guests_placed(state: State, action: BuildColony) -> int | None:
    """As many guests as cards; on a home one, even where nobody says so."""
    if action.cards is not None:
        return len(action.cards)
    return 1 if action.guests is None and _is(state, action.at, "home") else action.guests


# What it requires


def on_a_pedestal_or_an_own_home(state: State, action: BuildColony) -> bool | Missing:
    if state.board is None:
        return BOARD
    space = _space(state, action.at)
    return space is not None and (space.kind == "pedestal" or space.team == state.turn.team)


def never_onto_an_own_colony(state: State, action: BuildColony) -> bool:
    piece = state.at(action.at)
    return piece is None or piece.team != state.turn.team


def never_onto_a_safe_colony(state: State, action: BuildColony) -> bool:
    piece = state.at(action.at)
    return not (isinstance(piece, Colony) and piece.safe)


def one_card_on_a_home(state: State, action: BuildColony) -> bool | Missing:
    if state.board is None:
        return BOARD
    return not _is(state, action.at, "home") or guests_placed(state, action) == 1


def one_guest_more_than_lies_there(state: State, action: BuildColony) -> bool | Missing:
    there, count = state.at(action.at), guests_placed(state, action)
    if not isinstance(there, Colony) or there.team == state.turn.team:
        return True
    return GUESTS if count is None else count > there.guests


def a_card_of_its_flower_for_each_guest(state: State, action: BuildColony) -> bool | Missing:
    count = guests_placed(state, action)
    if count is None:
        return GUESTS
    if count == 0 or not in_hand(state, count) or action.guests not in (None, count):
        return False
    if action.cards is None:
        return True
    if state.board is None:
        return BOARD
    space = _space(state, action.at)
    return space is None or space.flower is None or pays(action.cards, [space.flower] * count)


def no_more_guests_than_are_left(state: State, action: BuildColony) -> bool | Missing:
    count, left = guests_placed(state, action), state.mover.guests
    if count is None:
        return left > 0 and GUESTS
    return count <= left


# What then follows


def discard_its_cards(state: State, action: BuildColony) -> Ruling:
    return play(state, guests_placed(state, action) or 0)


def take_an_empty_pedestal(state: State, action: BuildColony) -> Ruling:
    if not _is(state, action.at, "pedestal") or state.at(action.at) is not None:
        return Allowed(state)
    count = guests_placed(state, action) or 0
    facts = {"team": state.turn.team, "at": action.at, "count": count}
    founded = Happened("founded", with_wilds(action, "colony.empty", "colony.cards"), facts)
    return Allowed(_with_guests(state, action.at, Colony(state.turn.team, count, safe=False)), (founded,))


def knock_off_what_lies_there(state: State, action: BuildColony) -> Ruling:
    there = state.at(action.at)
    if not isinstance(there, Colony) or there.team == state.turn.team:
        return Allowed(state)
    other = state.team(there.team)
    state = state.with_team(other._replace(guests=other.guests + there.guests))
    facts = {"team": state.turn.team, "other": other.name, "at": action.at, "count": there.guests}
    knocked_off = Happened("knocked-off", with_wilds(action, "colony.knock-off", "colony.cards"), facts)
    count = guests_placed(state, action) or 0
    return Allowed(_with_guests(state, action.at, Colony(state.turn.team, count, safe=False)), (knocked_off,))


def settle_at_home(state: State, action: BuildColony) -> Ruling:
    if not _is(state, action.at, "home"):
        return Allowed(state)
    settled = Happened("home", ("colony.home",), {"team": state.turn.team, "at": action.at})
    return Allowed(_with_guests(state, action.at, Colony(state.turn.team, 1, safe=True)), (settled,))


def _with_guests(state: State, at: str, colony: Colony) -> State:
    team = state.mover
    return state.with_pieces({at: colony}).with_team(team._replace(guests=team.guests - colony.guests))


def secure_beside_an_own_stone(state: State, action: BuildColony) -> Ruling:
    touching = state.board.near.get(action.at, ()) if state.board else ()
    joined = state.options.touch_secures and any(state.at(space) == Stone(state.turn.team) for space in touching)
    return secure(state, {action.at} if joined else ())


def secure(state: State, reached: Collection[str]) -> Ruling:
    """The unsafe own colonies among the spaces `reached` lose their marker and all guests but one."""
    team = state.mover
    safe = {
        at: piece
        for at, piece in state.spaces
        if at in reached and isinstance(piece, Colony) and piece.team == team.name and not piece.safe
    }
    if not safe:
        return Allowed(state)
    secured = [
        Happened("secured", ("path.secure",), {"team": team.name, "at": at, "count": piece.guests - 1})
        for at, piece in safe.items()
    ]
    back = sum(piece.guests - 1 for piece in safe.values())
    state = state.with_pieces({at: Colony(team.name, 1, safe=True) for at in safe})
    return Allowed(state.with_team(team._replace(guests=team.guests + back)), tuple(secured))
