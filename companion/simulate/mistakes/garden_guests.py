"""Garden Guests: colonies where none may stand, paths that are broken, lead nowhere or cost too much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from companion.games.garden_guests.lines import costs, fewest_stones
from companion.games.garden_guests.paths import new_spaces
from companion.games.garden_guests.state import Action, BuildColony, Colony, LayPath, State, Stone
from companion.games.garden_guests.table import expected
from companion.rules import Rule

MOST_COLONIES = 12  # that are thought of
LONGEST = 5  # of a path that leads nowhere


def conceivable(state: State, random: Random) -> Iterator[Action]:
    """Never more cards than a player holds: the table cannot tell that from cards drawn when nobody looked."""
    board, team = state.board, state.turn.team
    if state.over or board is None:
        return
    for space in random.sample(board.spaces, min(MOST_COLONIES, len(board.spaces))):
        there = state.at(space.id)
        guests = there.guests + 1 if isinstance(there, Colony) else 1
        if state.hand is None or guests <= state.hand:
            yield BuildColony(space.id, guests=guests)
    own = state.colonies(team)
    for line in fewest_stones(board, costs(state, board, team), own):
        if len(line) > 4:
            gap = random.randrange(2, len(line) - 2)
            yield LayPath((*line[:gap], *line[gap + 1 :]))
    for colony in own:
        yield LayPath(_stroll(state, colony, random))


def _stroll(state: State, start: str, random: Random) -> tuple[str, ...]:
    """From a colony on over whatever comes, not always to another."""
    assert state.board is not None
    line = [start]
    while len(line) < LONGEST and (on := [x for x in state.board.near.get(line[-1], ()) if x not in line]):
        line.append(random.choice(on))
    return tuple(line)


def lying_after(rule: Rule, state: State, action: Action) -> Mapping[str, tuple[str, ...]]:
    """The table after the action; a colony or a stone lies on whatever lay there."""
    team = state.turn.team
    if isinstance(action, LayPath):
        return expected(state.with_pieces({at: Stone(team) for at in new_spaces(state, action)}))
    assert isinstance(action, BuildColony)
    return expected(state.with_pieces({action.at: Colony(team, action.guests or 1, safe=False)}))
