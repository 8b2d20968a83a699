"""The clauses about paths: a line of stones from one own colony to another, all at once."""

from __future__ import annotations

from itertools import pairwise

from companion.games.garden_guests.cards import in_hand, pays, play, with_wilds
from companion.games.garden_guests.colonies import BOARD, secure
from companion.games.garden_guests.state import Colony, LayPath, State, Stone
from companion.rules import Allowed, Happened, Missing, Ruling


def new_spaces(state: State, action: LayPath) -> list[str]:
    """Where the path lays stones: all spaces between its ends but those with an own stone."""
    own = Stone(state.turn.team)
    return [space for space in action.spaces[1:-1] if state.at(space) != own]


# What it requires


def between_two_own_colonies(state: State, action: LayPath) -> bool:
    first, last = action.spaces[0], action.spaces[-1]
    pieces = state.at(first), state.at(last)
    return first != last and all(isinstance(piece, Colony) and piece.team == state.turn.team for piece in pieces)


def over_flowers_that_no_other_team_holds(state: State, action: LayPath) -> bool | Missing:
    inner, own = action.spaces[1:-1], Stone(state.turn.team)
    if any(state.at(space) not in (None, own) for space in inner):
        return False
    if state.board is None:
        return BOARD
    spaces = state.board.by_id
    return all(space in spaces and spaces[space].kind == "flower" for space in inner)


def each_space_touches_the_one_before(state: State, action: LayPath) -> bool | Missing:
    """It is a line: it may wander, but visits no space twice."""
    if len(set(action.spaces)) < len(action.spaces):
        return False
    if state.board is None:
        return BOARD
    near = state.board.near
    return all(there in near.get(here, ()) for here, there in pairwise(action.spaces))


def over_own_stones_with_one_new(state: State, action: LayPath) -> bool:
    new = len(new_spaces(state, action))
    return new >= 1 and (state.options.path_reuse_own_stones or new == len(action.spaces) - 2)


def a_card_of_its_flower_for_each_stone(state: State, action: LayPath) -> bool | Missing:
    new = new_spaces(state, action)
    if not in_hand(state, len(new)) or (action.cards is not None and len(action.cards) != len(new)):
        return False
    if action.cards is None:
        return True
    if state.board is None:
        return BOARD
    spaces = state.board.by_id
    return pays(action.cards, [spaces[space].flower or "" for space in new if space in spaces])


# What then follows


def discard_its_cards(state: State, action: LayPath) -> Ruling:
    return play(state, len(new_spaces(state, action)))


def take_its_stones(state: State, action: LayPath) -> Ruling:
    """A supply that runs out is no bar: other pieces stand in."""
    team, new = state.mover, len(new_spaces(state, action))
    short = new - team.stones
    state = state.with_team(team._replace(stones=max(0, -short)))
    if short <= 0:
        return Allowed(state)
    return Allowed(state, (Happened("stand-ins", ("path.permanent",), {"team": team.name, "count": short}),))


def lay_all_of_it(state: State, action: LayPath) -> Ruling:
    new = new_spaces(state, action)
    over_own = ("path.reuse",) if len(new) < len(action.spaces) - 2 else ()
    facts = {"team": state.turn.team, "count": len(new)}
    laid = Happened("laid", with_wilds(action, "path.complete", "path.cards", *over_own), facts)
    return Allowed(state.with_pieces({space: Stone(state.turn.team) for space in new}), (laid,))


def secure_what_it_touches(state: State, action: LayPath) -> Ruling:
    reached = {action.spaces[0], action.spaces[-1]}
    if state.options.touch_secures and state.board:
        reached.update(*(state.board.near.get(stone, ()) for stone in action.spaces[1:-1]))
    return secure(state, reached)
