"""Garden Guests: a path that is told by choosing one space after the other."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.garden_guests.legal import actions
from companion.games.garden_guests.lines import costs
from companion.games.garden_guests.paths import new_spaces
from companion.games.garden_guests.state import Action, LayPath, State


def besides(state: State) -> Iterator[Action]:
    """A path from each colony from which one leads somewhere, without its next space yet."""
    lines = [action.spaces for action in actions(state) if isinstance(action, LayPath)]
    yield from (LayPath((end,)) for end in dict.fromkeys(end for line in lines for end in (line[0], line[-1])))


def further(state: State, action: Action) -> Iterator[LayPath]:
    """Over each space that the path may run over next, or into another colony, where it ends."""
    if not isinstance(action, LayPath) or state.board is None:
        return
    line, colonies = action.spaces, state.colonies(state.turn.team)
    if len(line) > 1 and line[-1] in colonies:
        return
    flowers = costs(state, state.board, state.turn.team)
    new = bool(new_spaces(state, LayPath((*line, line[0]))))
    for there in state.board.near.get(line[-1], ()):
        if there not in line and (there in flowers or (new and there in colonies)):
            yield LayPath((*line, there))
