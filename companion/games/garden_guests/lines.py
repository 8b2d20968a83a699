"""Searches over the map: who is connected, who can still connect, and the cheapest line between two colonies."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from companion.games.garden_guests.board import Board, Ways
from companion.games.garden_guests.state import State, Stone

Spread = tuple[Mapping[str, int], Mapping[str, str]]
Door = tuple[str, bool]  # a space, and whether at its exit
Costs = Mapping[str, int]  # new stones for each space that a line may run over: 0 or 1


def leads(ways: Ways, starts: Collection[str], goals: Collection[str], closed: Collection[str]) -> bool:
    """Whether a chain of touching spaces, none of them `closed`, leads from a start to a goal."""
    waiting = [here for here in starts if here not in closed]
    seen = {*waiting, *closed}
    while waiting:
        here = waiting.pop()
        if here in goals:
            return True
        for there in ways.get(here, ()):
            if there not in seen:
                seen.add(there)
                waiting.append(there)
    return False


def _sides(board: Board, team: str) -> tuple[frozenset[str], frozenset[str]]:
    return board.homes.get((team, 0), frozenset()), board.homes.get((team, 1), frozenset())


def connected(state: State, board: Board, team: str) -> bool:
    """Own stones and colonies join a home colony of one side to one of the other."""
    own = {at for at, piece in state.spaces if piece.team == team}
    one, other = _sides(board, team)
    if own.isdisjoint(one) or own.isdisjoint(other):
        return False
    return leads({here: tuple(own.intersection(board.near.get(here, ()))) for here in own}, own & one, other, ())


def can_connect(state: State, board: Board, team: str) -> bool:
    """Nothing that stays for ever bars the way from one side's homes to the other's."""
    barred = {at for at, piece in state.spaces if piece.team != team and (isinstance(piece, Stone) or piece.safe)}
    return leads(board.ways.get(team, {}), *_sides(board, team), barred)


# The line of fewest new stones


def costs(state: State, board: Board, team: str) -> dict[str, int]:
    """The flower spaces that a path of the team may run over, with the stones that each takes."""
    found = {}
    for space in board.spaces:
        if space.kind == "flower":
            piece = state.at(space.id)
            if piece is None:
                found[space.id] = 1
            elif piece == Stone(team) and state.options.path_reuse_own_stones:
                found[space.id] = 0
    return found


def fewest_stones(board: Board, cost: Costs, ends: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """For each two of the ends that a line can join, one that lays the fewest stones, but at least one."""
    spreads = {end: _spread(board.near, cost, end) for end in ends}
    for start, end in combinations(ends, 2):
        total, before = spreads[start]
        last = min((x for x in board.near.get(end, ()) if x in total), key=lambda x: (total[x], x), default=None)
        if last is None:
            continue
        joined = total[last] == 0
        line = _detour(board.near, cost, spreads, start, end) if joined else (*_traced(before, last), end)
        if line is not None:
            yield line


def _spread(near: Ways, cost: Costs, start: str) -> Spread:
    """From `start` to each flower space within reach: the stones up to and on it, and the space before it."""
    total: dict[str, int] = {}
    before: dict[str, str] = {}
    waiting = deque([(0, start)])
    while waiting:
        spent, here = waiting.popleft()
        if spent > total.get(here, 0):
            continue  # a cheaper way was found meanwhile
        for there in near.get(here, ()):
            price = cost.get(there)
            if price is not None and (there not in total or spent + price < total[there]):
                total[there], before[there] = spent + price, here
                (waiting.append if price else waiting.appendleft)((spent + price, there))
    return total, before


def _traced(before: Mapping[str, str], last: str) -> list[str]:
    line = [last]
    while line[-1] in before:
        line.append(before[line[-1]])
    return line[::-1]


def _detour(near: Ways, cost: Costs, spreads: Mapping[str, Spread], start: str, end: str) -> tuple[str, ...] | None:
    """The line of fewest stones where own stones already join the ends.

    A line that lays a stone runs over some empty space, and from there to either end without meeting itself:
    so every empty space is tried, the most promising first.
    """
    there, back = spreads[start][0], spreads[end][0]
    least = {x: there[x] + back[x] - 1 for x in there if cost[x] == 1 and x in back}
    best: tuple[str, ...] | None = None
    fewest = len(cost) + 1
    for middle in sorted(least, key=lambda x: (least[x], x)):
        if least[middle] >= fewest:
            break
        one, two = (start, end) if there[middle] <= back[middle] else (end, start)
        first = _traced(spreads[one][1], middle)[::-1]
        line = _through(near, cost, first, two)
        if line is not None and (stones := sum(cost[x] for x in line[1:-1])) < fewest:
            best, fewest = line if line[0] == start else line[::-1], stones
    return best


def _through(near: Ways, cost: Costs, first: Sequence[str], goal: str) -> tuple[str, ...] | None:
    """The cheapest line that visits no space twice from the end of `first` through its beginning to the goal.

    Two ways that share no space lead out of the middle, to either end: a flow of two units.  `first` is the
    cheapest way to the nearer end; the second may push it aside, going back along it (Suurballe).
    """
    middle, nearer = first[0], first[-1]
    steps = set(pairwise(first))
    second = _second_way(near, cost, middle, goal, dict(steps))
    if second is None:
        return None
    for (here, leaving), (there, _) in pairwise(second):
        if here == there:
            continue
        if leaving:
            steps.add((here, there))
        else:
            steps.remove((there, here))
    before = {b: a for a, b in steps}
    return (*_traced(before, nearer)[::-1], *_traced(before, goal)[1:])


def _second_way(near: Ways, cost: Costs, middle: str, goal: str, after: Mapping[str, str]) -> list[Door] | None:
    """The cheapest way from `middle` to `goal` that the first leaves room for; it may undo steps of the first.

    A space has two doors: one enters by the first and pays to come out of the second.  On the first way's
    spaces the entrance leads only back along it, and coming out backwards returns the price.
    """
    before = {there: here for here, there in after.items()}
    open_to = {*cost, goal, *before}
    total: dict[Door, int] = {(middle, True): 0}
    came: dict[Door, Door] = {}
    waiting = deque([(middle, True)])
    while waiting:
        here = waiting.popleft()
        space, out = here
        doors: list[tuple[Door, int]] = []
        if out:
            doors = [((x, False), 0) for x in near.get(space, ()) if x in open_to and after.get(space) != x]
            if space in before:
                doors.append(((space, False), -cost[space]))
        elif space in before:
            doors = [((before[space], True), 0)]
        elif space != goal:
            doors = [((space, True), cost[space])]
        for door, price in doors:
            if door[0] != middle and total[here] + price < total.get(door, len(cost) + 1):
                total[door], came[door] = total[here] + price, here
                waiting.append(door)
    if (goal, False) not in total:
        return None
    doors_passed = [(goal, False)]
    while doors_passed[-1] in came:
        doors_passed.append(came[doors_passed[-1]])
    return doors_passed[::-1]
