"""Every action that a player might take now, but for the cards that pay for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.games.garden_guests.clauses import RULES
from companion.games.garden_guests.lines import costs, fewest_stones
from companion.games.garden_guests.paths import new_spaces
from companion.games.garden_guests.state import (
    Action,
    BuildColony,
    Collect,
    Colony,
    LayPath,
    PassFlowers,
    State,
    write_action,
)


def _collects(state: State) -> Iterator[Action]:
    yield from (Collect(card) for card in state.mover.collection)


def _passes(state: State) -> Iterator[Action]:
    yield from (PassFlowers(card, to) for card in state.mover.collection for to in range(3))


def _colonies(state: State) -> Iterator[Action]:
    """From the fewest guests that may go there to the most that are left."""
    for space in state.board.spaces if state.board else ():
        if space.kind == "home":
            yield BuildColony(space.id, guests=1)
        elif space.kind == "pedestal":
            there = state.at(space.id)
            fewest = there.guests + 1 if isinstance(there, Colony) else 1
            most = state.mover.guests if state.hand is None else min(state.mover.guests, state.hand)
            yield from (BuildColony(space.id, guests=guests) for guests in range(fewest, most + 1))


def _paths(state: State) -> Iterator[LayPath]:
    """For each two own colonies a line of the fewest new stones."""
    if state.board is None:
        return
    team = state.turn.team
    yield from map(LayPath, fewest_stones(state.board, costs(state, state.board, team), state.colonies(team)))


def _may(state: State, action: Action) -> bool:
    return all(holds(state, action) is True for holds in RULES[type(action)].requires.values())


def actions(state: State) -> Iterator[Action]:
    """Every legal collect, pass and colony, and between each two own colonies the cheapest path; none names cards."""
    if not state.over:
        for found in (_collects, _passes, _colonies, _paths):
            yield from (action for action in found(state) if _may(state, action))


def legal(state: State) -> dict[str, Any]:
    """What `companion legal` prints.  Ids ascend as texts, within a pair and over all pairs."""
    found = list(actions(state))
    return {
        "actions": [write_action(action) for action in found if not isinstance(action, LayPath)],
        "paths": [
            {
                "ends": [action.spaces[0], action.spaces[-1]],
                "cards": len(new_spaces(state, action)),
            }
            for action in found
            if isinstance(action, LayPath)
        ],
    }


def unknown(state: State, action: Action) -> tuple[str, tuple[Action, ...]] | None:
    """What of an action leaves no trace on the table: guests under a marker, and which cards were drawn or passed."""
    if isinstance(action, BuildColony) and state.board and state.board.by_id[action.at].kind == "pedestal":
        others = [other for other in _colonies(state) if isinstance(other, BuildColony) and other.at == action.at]
        return "guests", tuple(dict.fromkeys((action, *(other for other in others if _may(state, other)))))
    if isinstance(action, Collect) and action.card is not None:
        quiet = (other for other in (*_collects(state), *_passes(state)) if _may(state, other))
        return "collect", tuple(dict.fromkeys((action, *quiet)))
    return None
