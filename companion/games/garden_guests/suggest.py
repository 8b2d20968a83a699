"""Garden Guests: which actions would look like a change of the table.

Stones and guests tell what was done and by whom.  Who drew or passed cards leaves no trace: it is inferred where
a team has moved that was not next.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import partial
from itertools import groupby

from companion.change import Change, Node, Pieces, Search, Step, Suggestion
from companion.games.garden_guests import amiss
from companion.games.garden_guests.state import Action, Collect, LayPath, State, Stone
from companion.games.garden_guests.table import expected
from companion.games.garden_guests.ways import colony_at, lines, lines_within
from companion.rules import Allowed, Game, Refused, judge

PRICE = 2.5  # of an action
COLLECTED = 0.6  # of a turn without a trace, as half of them are
NEXT_TURN = 0.2  # of each turn after the first
QUIET_AFTER = 2.0  # of a turn without a trace since one that left a trace: that one would have been told by then
MOST_TURNS = 8
Differing = Mapping[str, Pieces]


def suggest(game: Game, state: State, change: Change) -> list[Suggestion]:
    """Legal ways to what was seen, and ways that end with an action that breaks a clause."""
    nodes = Search(change, expected, partial(_steps, game, change), _key).run(state)
    found = [
        Suggestion(node.actions, node.price, node.misfit, guessed=_is_guessed(state, node.actions))
        for node in nodes
        if not node.actions or not isinstance(node.actions[-1], Collect)
    ]
    if nodes[0].misfit > 0:
        found += [amis for node in nodes for amis in amiss.suggest(game, node, change)]
    return found


def _is_guessed(state: State, actions: tuple[Action, ...]) -> bool:
    """Whether a card was drawn that nobody told, or all teams in turn left no trace, which nobody can tell."""
    if any(isinstance(action, Collect) and action.card is not None for action in actions):
        return True
    runs = [len([*run]) for quiet, run in groupby(actions, lambda action: isinstance(action, Collect)) if quiet]
    return max(runs, default=0) >= sum(not team.out for team in state.teams)


def _key(state: State) -> Hashable:
    return state.teams, state.spaces, state.turn, state.over


def _steps(game: Game, change: Change, node: Node, differing: Differing) -> Iterator[Step]:
    state: State = node.state
    if state.over or state.board is None or len(node.actions) >= MOST_TURNS:
        return
    seen_before = any(not isinstance(action, Collect) for action in node.actions)
    next_turn = NEXT_TURN * bool(node.actions)
    too_dear = False
    for action, price in _acts(game, state, change, differing):
        ruling = judge(game, state, action)
        if isinstance(ruling, Allowed):
            yield (action,), ruling.state, price + next_turn
        too_dear = too_dear or (isinstance(ruling, Refused) and ruling.clause in amiss.TOO_DEAR)
    if too_dear or _another_has_moved(state, change, differing):
        # Cards for it may have been drawn in an earlier round; another team moves only when this one has.
        quiet = QUIET_AFTER if seen_before else 0.0
        ruling = judge(game, state, _collect(state))
        if isinstance(ruling, Allowed):
            yield (_collect(state),), ruling.state, COLLECTED + next_turn + quiet


def _collect(state: State) -> Collect:
    """What leaves no trace; with the card that gives most, where cards are counted."""
    uncounted = state.mover.hands is None and state.mover.deck is None
    return Collect(None if uncounted else max(state.mover.collection))


def _acts(game: Game, state: State, change: Change, differing: Differing) -> Iterator[tuple[Action, float]]:
    team = state.turn.team
    for at in (*differing, *change.doubted.difference(differing)):
        if differing.get(at, ())[:1] == (f"guest/{team}",) or (at in change.doubted and state.at(at) is None):
            yield colony_at(state, at), PRICE
    new = {at for at, pieces in differing.items() if pieces == (f"stone/{team}",) and state.at(at) is None}
    likely = dict.fromkeys([frozenset(new), frozenset(new.difference(change.doubted))]) if new else {}
    whole = [LayPath(line) for line in dict.fromkeys(line for some in likely for line in lines(state, some, change))]
    yield from ((path, PRICE) for path in whole)
    if new and not any(isinstance(judge(game, state, path), Allowed) for path in whole):
        yield from ((LayPath(line), PRICE) for line in lines_within(state, new))
    if _another_has_moved(state, change, differing):
        # Before another team's turn this one's may have left its trace where nobody can see it.
        hidden = (at for at in change.unsure if not isinstance(state.at(at), Stone))
        yield from ((colony_at(state, at), PRICE) for at in sorted(hidden))


def _another_has_moved(state: State, change: Change, differing: Differing) -> bool:
    team = state.turn.team
    others = (at for at, pieces in differing.items() if any(not piece.endswith(f"/{team}") for piece in pieces[:1]))
    return any(at not in change.doubted for at in others)
