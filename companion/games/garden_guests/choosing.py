"""Garden Guests: a path that is told by choosing one space after the other."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.garden_guests.legal import actions
from companion.games.garden_guests.lines import costs, leads
from companion.games.garden_guests.paths import new_spaces
from companion.games.garden_guests.state import Action, LayPath, State


def besides(state: State) -> Iterator[Action]:
    """A path from each colony from which one leads somewhere, its next space not told yet."""
    lines = [action.spaces for action in actions(state) if isinstance(action, LayPath)]
    yield from (LayPath((end,)) for end in dict.fromkeys(end for line in lines for end in (line[0], line[-1])))


def further(state: State, action: Action) -> Iterator[LayPath]:
    """Over each space that the path may run over next and still come to a colony; or into one, where it ends."""
    if not isinstance(action, LayPath) or state.board is None:
        return
    line, colonies = action.spaces, state.colonies(state.turn.team)
    if len(line) > 1 and line[-1] in colonies:
        return
    flowers, near = costs(state, state.board, state.turn.team), state.board.near
    goals = {colony for colony in colonies if colony != line[0]}
    closed = {*line, *(space for space in near if space not in flowers and space not in goals)}
    new = bool(new_spaces(state, LayPath((*line, line[0]))))
    for there in near.get(line[-1], ()):
        if there not in closed and (there in goals) <= new and leads(near, [there], goals, closed):
            yield LayPath((*line, there))
