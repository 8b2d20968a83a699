"""Garden Guests: whatever brings one's own two sides nearer to each other, or keeps the others' apart."""

from __future__ import annotations

from collections import deque
from random import Random

from companion.games.garden_guests import GAME
from companion.games.garden_guests.board import Board
from companion.games.garden_guests.legal import actions
from companion.games.garden_guests.state import Action, BuildColony, Collect, Colony, LayPath, State, Stone
from companion.rules import Allowed, judge

CUT_OFF = 40  # spaces to go for a team that can never connect; more than any way on a map is long
OTHERS = 0.3  # of how far the others have to go
STRONG = 1  # guests more than a colony needs, where there are cards to spare
SPARE = 8  # cards


def choose(state: State, random: Random) -> Action | None:
    """The colony or path that brings most; cards where none brings anything.  None once the game is over."""
    found = list(actions(state))
    if not found:
        return None
    before = worth(state, state.turn.team)
    gains = {action: _worth_after(state, action) - before for action in _worth_a_look(state, found)}
    most = max(gains.values(), default=0.0)
    if most > 0:
        return random.choice([action for action, gain in gains.items() if gain == most])
    collects = [action for action in found if isinstance(action, Collect)]
    return max(collects, key=lambda action: action.card or 0) if collects else random.choice(found)


def _worth_a_look(state: State, found: list[Action]) -> list[Action]:
    """Paths, and colonies of the fewest guests; of one more where cards can be spared."""
    chosen: dict[str, BuildColony] = {}
    more = STRONG if (state.hand or 0) >= SPARE else 0
    for action in found:
        if isinstance(action, BuildColony):
            fewest = chosen.setdefault(action.at, action)
            if (action.guests or 0) <= (fewest.guests or 0) + more:
                chosen[action.at] = action
    return [*chosen.values(), *(action for action in found if isinstance(action, LayPath))]


def _worth_after(state: State, action: Action) -> float:
    ruling = judge(GAME, state, action)
    assert isinstance(ruling, Allowed), "it is one of the legal actions"
    return worth(ruling.state, state.turn.team)


def worth(state: State, team: str) -> float:
    """How much farther the others have to go than the team."""
    if state.board is None:
        return 0.0
    left = {other.name: spaces_to_go(state, state.board, other.name) for other in state.teams if not other.out}
    own = left.pop(team, CUT_OFF)
    return OTHERS * sum(left.values()) - own


def spaces_to_go(state: State, board: Board, team: str) -> int:
    """The fewest spaces that the team still has to take to join its two sides; a colony to knock off counts twice."""
    ways, goals = board.ways.get(team, {}), board.homes.get((team, 1), frozenset())
    best: dict[str, int] = {}
    waiting = deque(sorted((_price(state, home, team), home) for home in board.homes.get((team, 0), ())))
    while waiting:
        spent, here = waiting.popleft()
        if spent >= best.get(here, CUT_OFF):
            continue
        best[here] = spent
        for there in ways.get(here, ()):
            total = spent + _price(state, there, team)
            if total < best.get(there, CUT_OFF):
                (waiting.append if total > spent else waiting.appendleft)((total, there))
    return min((best[goal] for goal in goals if goal in best), default=CUT_OFF)


def _price(state: State, space: str, team: str) -> int:
    piece = state.at(space)
    if piece is None:
        return 1
    if piece.team == team:
        return 0
    barred = isinstance(piece, Stone) or (isinstance(piece, Colony) and piece.safe)
    return CUT_OFF if barred else 2
