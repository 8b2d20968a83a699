"""Garden Guests: the colony or the path that new pieces on the board would be."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from companion.change import Change
from companion.games.garden_guests.board import Ways
from companion.games.garden_guests.lines import costs, fewest_stones
from companion.games.garden_guests.state import BuildColony, Colony, State, Stone

MOST_STEPS = 2000  # of a search for lines
WANDERING = (0, 2, 5, 12, 50)  # spaces of a line besides its new stones, tried one after the other
MOST_LINES = 6


def colony_at(state: State, at: str) -> BuildColony:
    """With the fewest guests that the rules allow there: how many lie under a marker cannot be seen."""
    there = state.at(at)
    return BuildColony(at, guests=there.guests + 1 if isinstance(there, Colony) else 1)


def lines(state: State, new: Collection[str], change: Change, markers_off: bool = True) -> list[tuple[str, ...]]:
    """Lines from colony to colony of the team on turn over all the new stones, its own, and spaces out of sight.

    With `markers_off` the colonies at the ends must have lost their markers, as they do in the end.  Those that
    wander least are found.
    """
    board, team = state.board, state.turn.team
    assert board is not None
    colonies = state.colonies(team)
    starts, ends = _ends(state, change) if markers_off else (colonies, {*colonies})
    own = {at for at, piece in state.spaces if piece == Stone(team) and state.options.path_reuse_own_stones}
    flowers = {at for at in change.vague if at in board.by_id and board.by_id[at].kind == "flower"}
    covered = {at for at in flowers if state.at(at) is None}
    rank = {**dict.fromkeys(covered, 2), **dict.fromkeys(own, 1), **dict.fromkeys(new, 0)}
    for more in WANDERING:
        search = _Lines(board.near, rank, ends, covered, len(new) + more)
        for start in starts:
            search.follow([start], {*new})
        if search.found:
            return list(search.found.values())
    return []


def lines_within(state: State, new: Collection[str]) -> list[tuple[str, ...]]:
    """For each two colonies of the team on turn the line that takes the fewest of the new stones, but at least one.

    Where all of them are no path of one turn they may be those of several.
    """
    board, team = state.board, state.turn.team
    assert board is not None
    cost = {at: price for at, price in costs(state, board, team).items() if not price or at in new}
    return list(fewest_stones(board, cost, state.colonies(team)))


@dataclass
class _Lines:
    """A search for lines of at most so many spaces between their ends."""

    near: Ways
    rank: Mapping[str, int]  # spaces that a line may run over; the lowest are tried first
    ends: Collection[str]
    covered: Collection[str]
    longest: int
    found: dict[frozenset[str], tuple[str, ...]] = field(default_factory=dict)
    steps: int = 0

    def follow(self, path: list[str], left: set[str]) -> None:
        self.steps += 1
        room = self.longest + 1 - len(path)
        if self.steps > MOST_STEPS or len(self.found) >= MOST_LINES or room < len(left):
            return
        near = self.near[path[-1]]
        if not left and len(path) > 1:
            for end in near:
                if end in self.ends and end != path[0]:
                    # Lines over the same stones between the same colonies come to the same.
                    key = frozenset({path[0], end, *(at for at in path if at in self.covered)})
                    self.found.setdefault(key, (*path, end))
        if room:
            for there in sorted((x for x in near if x in self.rank and x not in path), key=self._order):
                self.follow([*path, there], left - {there})

    def _order(self, space: str) -> tuple[int, str]:
        return self.rank[space], space


def _ends(state: State, change: Change) -> tuple[list[str], set[str]]:
    """Where a line may begin and end.  A colony at its end is safe then: one that still has a marker is none."""
    unsafe = {at for at in state.colonies(state.turn.team) if not _safe(state, at)}
    marked = {at for at in unsafe if at in change.seen and len(change.seen[at].pieces) > 1}
    ends = [at for at in state.colonies(state.turn.team) if at not in marked]
    secured = [at for at in ends if at in unsafe and at in change.seen]
    if not secured or state.options.touch_secures:
        return ends, {*ends}
    return secured[:1], {*secured[1:2]} or {*ends}


def _safe(state: State, at: str) -> bool:
    piece = state.at(at)
    return isinstance(piece, Colony) and piece.safe
