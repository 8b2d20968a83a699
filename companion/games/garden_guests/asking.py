"""Garden Guests: what a team might want to do with a space, and how it gets there; nothing that depends on a hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.games.garden_guests.legal import actions
from companion.games.garden_guests.lines import costs, fewest_stones
from companion.games.garden_guests.paths import new_spaces
from companion.games.garden_guests.state import Action, BuildColony, Collect, Colony, LayPath, State
from companion.rules import Reach


def openly(state: State) -> State:
    """As if nobody counted cards: clauses about their number are taken as met."""
    teams = tuple(team._replace(hands=None, deck=None, discards=None) for team in state.teams)
    return replace(state, teams=teams)


def asked(state: State, about: str) -> Iterator[Action]:
    """Colonies of as many guests as the team has left, else of one; the paths from a colony of its own."""
    if state.board is None or about not in state.board.by_id:
        return
    found = [action for action in actions(openly(state)) if _is_about(action, about)]
    yield from found
    if not any(isinstance(action, BuildColony) for action in found):
        there = state.at(about)
        yield BuildColony(about, guests=there.guests + 1 if isinstance(there, Colony) else 1)


def _is_about(action: Action, at: str) -> bool:
    match action:
        case BuildColony(at=space):
            return space == at
        case LayPath(spaces):
            return at in (spaces[0], spaces[-1])
    return False


def reach(state: State, at: str) -> Iterator[Reach]:
    """From each other colony of the team on turn to a space: the line of fewest new stones.

    Where other teams' pieces are in the way, the line that would be there without them, and the clause.
    """
    board = state.board
    if board is None or at not in board.by_id:
        return
    open_to = costs(state, board, state.turn.team)
    flowers = {space.id: 1 for space in board.spaces if space.kind == "flower"}
    for origin in state.colonies(state.turn.team):
        if origin == at:
            continue
        line = next(fewest_stones(board, _but(open_to, at), (origin, at)), None)
        if line is not None:
            yield Reach(origin, line, len(new_spaces(state, LayPath(line))))
            continue
        line = next(fewest_stones(board, _but({**flowers, **open_to}, at), (origin, at)), None)
        if line is not None:
            yield Reach(origin, line, 0, "path.flowers-only")
        else:
            yield Reach(origin, (origin, at), 0, "path.unbroken")


def _but(cost: dict[str, int], at: str) -> dict[str, int]:
    return {space: price for space, price in cost.items() if space != at}


def answers(state: State, action: Action, missing: str) -> Iterator[Action]:
    """Which of the collection cards it was; how many guests came."""
    if missing == "card" and isinstance(action, Collect):
        yield from (replace(action, card=card) for card in state.mover.collection)
    elif missing == "guests" and isinstance(action, BuildColony):
        yield from (replace(action, guests=guests) for guests in range(1, state.mover.guests + 1))
