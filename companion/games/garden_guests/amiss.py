"""Garden Guests: changes that look like an action which breaks a clause, or of which a part is still to be done."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from companion.change import ILLEGAL, UNFINISHED, Change, Node, Pieces, Suggestion
from companion.games.garden_guests.board import Board
from companion.games.garden_guests.faults import HAND
from companion.games.garden_guests.lines import costs, fewest_stones
from companion.games.garden_guests.state import Action, Colony, LayPath, State, Stone
from companion.games.garden_guests.table import expected
from companion.games.garden_guests.ways import colony_at, lines
from companion.rules import Allowed, Game, Refused, judge

TOO_DEAR = ("colony.cards", "path.cards")  # clauses that more cards would meet: drawn in a round that left no trace
Sure = Mapping[str, Pieces]
Attempt = tuple[Action | None, str | None, bool]  # an action, the clause that it breaks if not its ruling, unfinished


def suggest(game: Game, node: Node, change: Change) -> Iterator[Suggestion]:
    """One more action after those of a node that accounts for all that still differs for sure."""
    state: State = node.state
    sure = {at: seen for at, seen in change.differing(node.table).items() if not change.doubtful(at)}
    if not sure or state.over or state.board is None:
        return
    for action, clause, unfinished in _attempts(game, state, sure, change):
        if clause is None and action is not None and isinstance(ruling := judge(game, state, action), Refused):
            clause = ruling.clause
        if clause is not None and not (clause in TOO_DEAR and not unfinished and len(sure) <= HAND):
            price = node.price + (UNFINISHED if unfinished else ILLEGAL)
            table = {**node.table, **sure}
            yield Suggestion(node.actions, price, change.misfit(table), clause, action, unfinished)


def _attempts(game: Game, state: State, sure: Sure, change: Change) -> Iterator[Attempt]:
    team = state.turn.team
    stones = {at for at, pieces in sure.items() if pieces == (f"stone/{team}",) and state.at(at) != Stone(team)}
    unmarked = {at for at in sure.keys() - stones if _is_marker_off(state, at, sure[at])}
    if stones:
        yield from _path(game, state, stones, sure.keys() - stones - unmarked, unmarked, change)
    elif len(unmarked) == len(sure):
        yield None, "path.secure", True
    elif len(sure) == 1:
        ((at, pieces),) = sure.items()
        if pieces[:1] == (f"guest/{team}",):
            yield from _colony(game, state, at, pieces)
        if not pieces:
            yield from _taken_off(state, at)
    if len(sure) == 2:
        yield from _moved(state, sure)


# Paths


def _is_marker_off(state: State, at: str, seen: Pieces) -> bool:
    """Whether a colony of the team on turn has lost its marker, and nothing else."""
    piece = state.at(at)
    return isinstance(piece, Colony) and not piece.safe and seen == (f"guest/{piece.team}",) == _guest(state)


def _guest(state: State) -> Pieces:
    return (f"guest/{state.turn.team}",)


def _path(
    game: Game,
    state: State,
    stones: Collection[str],
    others: Collection[str],
    unmarked: Collection[str],
    change: Change,
) -> Iterator[Attempt]:
    """Stones that are no line yet, or none that is allowed; or a line whose colonies still carry their markers."""
    board = state.board
    assert board is not None
    if others:
        return
    spaces = tuple(sorted(stones))
    if any(board.by_id[at].kind != "flower" or state.at(at) is not None for at in stones):
        yield LayPath(spaces), "path.flowers-only", False
        return
    found = [LayPath(line) for line in lines(state, stones, change, markers_off=False)]
    for action in found:
        ruling = judge(game, state, action)
        if isinstance(ruling, Refused):
            yield action, None, False
        if isinstance(ruling, Allowed):
            still = expected(ruling.state)
            if change.differing(still).keys() - change.doubted:
                right_so_far = all(still.get(at) == _guest(state) for at in unmarked)
                yield action, "path.secure", right_so_far or _could_be_joined(state, stones)
    if found:
        return
    if len(stones) > HAND:
        yield LayPath(spaces), "path.cards", False
    elif _could_be_joined(state, stones):
        wanting = "path.ends" if _touch_each_other(board, stones) else "path.unbroken"
        yield LayPath(_completed(state, stones) or spaces), wanting, True
    else:
        yield LayPath(spaces), "path.ends", False


def _completed(state: State, stones: Collection[str]) -> tuple[str, ...] | None:
    """The line over all of these stones that takes the fewest more, of those that take the fewest between two
    colonies: what may still be to be laid."""
    board, team = state.board, state.turn.team
    assert board is not None
    cost = {**costs(state, board, team), **dict.fromkeys(stones, 0)}
    found = [line for line in fewest_stones(board, cost, state.colonies(team)) if {*line} >= {*stones}]
    return min(found, key=lambda line: sum(cost[at] for at in line[1:-1]), default=None)


def _touch_each_other(board: Board, stones: Collection[str]) -> bool:
    """Whether all of the stones hang together: what is wanting is a colony at an end."""
    left = {*stones}
    waiting = [left.pop()]
    while waiting:
        beside = left.intersection(board.near[waiting.pop()])
        left -= beside
        waiting += beside
    return not left


def _could_be_joined(state: State, stones: Collection[str]) -> bool:
    """Whether more stones could make a line from colony to colony of them."""
    board, team = state.board, state.turn.team
    assert board is not None
    free = {space.id for space in board.spaces if space.kind == "flower" and state.at(space.id) in (None, Stone(team))}
    colonies = {*state.colonies(team)}
    waiting, reached = [next(iter(stones))], {next(iter(stones))}
    while waiting:
        for there in board.near[waiting.pop()]:
            if there not in reached and (there in free or there in colonies):
                reached.add(there)
                if there in free:
                    waiting.append(there)
    return reached >= {*stones} and len(reached & colonies) >= 2


# Colonies


def _colony(game: Game, state: State, at: str, pieces: Pieces) -> Iterator[Attempt]:
    action = colony_at(state, at)
    ruling = judge(game, state, action)
    if isinstance(ruling, Refused):
        yield action, ruling.clause, False
    if isinstance(ruling, Allowed):
        still = expected(ruling.state)[at]
        yield action, "path.secure" if len(pieces) > len(still) else "colony.cards", len(pieces) < len(still)


def _taken_off(state: State, at: str) -> Iterator[Attempt]:
    match state.at(at):
        case Stone():
            yield None, "path.permanent", False
        case Colony(safe=True):
            yield None, "path.safe", False
        case Colony(team=team) if team != state.turn.team:
            yield None, "colony.knock-off", True


def _moved(state: State, sure: Sure) -> Iterator[Attempt]:
    """A stone or a safe colony that lay elsewhere before."""
    for origin, to in (tuple(sure), tuple(sure)[::-1]):
        piece = state.at(origin)
        if piece is None or sure[origin] or sure[to] != expected(state)[origin]:
            continue
        if isinstance(piece, Stone):
            yield None, "path.permanent", False
        elif piece.safe:
            yield None, "path.safe", False
