"""Garden Dice: every action that the dice left allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any

from companion.games.garden_dice.clauses import distance, holds
from companion.games.garden_dice.state import (
    KINDS,
    PLOTS,
    SPECIALS,
    Buy,
    Flip,
    Harvest,
    Move,
    Place,
    Remove,
    State,
    Water,
)

PIECES = (*KINDS, "bird", "sundial", "rock")
Pair = tuple[int, int]


def _targets(state: State, die: int) -> Iterator[tuple[int, int]]:
    """What a coordinate die may become with what is left of the sundial, and by how much: (value, amount)."""
    most = max(0, 2 - sum(state.turn.sundial))
    return ((value, by) for value in range(1, 7) if (by := distance(die, value, state.options.sundial_wrap)) <= most)


def reachable(state: State, pair: Pair, with_sundial: bool) -> Mapping[Pair, Pair | None]:
    """The coordinates (ascending) that a pair of dice can name, each with its best `as` (None: by themselves).

    Best is least total change, then fewest dice changed, then ascending.
    """
    first, second = pair
    reach: dict[Pair, Pair | None] = {pair: None}
    if not with_sundial:
        return reach
    ranked: dict[Pair, tuple[int, int, Pair]] = {}
    for (a, by_a), (b, by_b) in product(_targets(state, first), _targets(state, second)):
        if (max(by_a, by_b) == 2 and min(by_a, by_b)) or by_a + by_b == 0:
            continue
        named, rank = (min(a, b), max(a, b)), (by_a + by_b, (by_a > 0) + (by_b > 0), (a, b))
        if by_a + by_b + sum(state.turn.sundial) <= 2 and (named not in ranked or rank < ranked[named]):
            ranked[named] = rank
    return {named: become for named, (_, _, become) in ranked.items()} | reach


def sundial_ready(state: State) -> bool:
    return any(tile and tile.piece == "sundial" and tile.owner == state.turn.player for tile in state.board)


def _placings(state: State) -> Iterator[Place]:
    held = [piece for piece in PIECES if holds(state.acting, piece)]
    ready = sundial_ready(state)
    for pair in sorted(set(combinations(sorted(state.turn.dice), 2))):
        for (a, b), become in reachable(state, pair, ready).items():
            plots = (f"{a},{b}",) if a == b else (f"{a},{b}", f"{b},{a}")
            for at, piece in product((plot for plot in plots if not state.tile(plot)), held):
                yield Place(piece, at, pair, become)


def moves(state: State, origin: str) -> Iterator[Move]:
    dice = sorted(set(state.turn.dice))
    for to, die in product(PLOTS, dice):
        tile = state.tile(to)
        if tile is None:
            yield Move(origin, to, die)
        elif tile.value:
            yield Move(origin, to, die, "swallow")
            others = list(state.turn.dice)
            others.remove(die)
            yield from (Move(origin, to, die, "spit", other) for other in sorted(set(others)))


def removals(state: State, at: str) -> Iterator[Remove]:
    if 6 not in state.turn.dice:
        return
    others = sorted(state.turn.dice)
    others.remove(6)
    row, column = map(int, at.split(","))
    wanted, ready = (min(row, column), max(row, column)), sundial_ready(state)
    for pair in sorted(set(combinations(others, 2))):
        reach = reachable(state, pair, ready)
        if wanted in reach:
            yield Remove(at, (*pair, 6), reach[wanted])


def actions(state: State) -> Iterator[Any]:
    """Candidates of every kind, each once, in the form that `companion legal` prints; their clauses are not asked."""
    dice = sorted(set(state.turn.dice))
    yield from (Buy(kind, die) for kind, die in product(KINDS, dice))
    yield from _placings(state)
    for at, tile in zip(PLOTS, state.board, strict=True):
        if tile is None:
            continue
        own = tile.owner == state.turn.player
        if own and tile.is_seed:
            yield from (Water(at, die) for die in dice)
        elif own and tile.is_vegetable:
            yield from (Harvest(at, die) for die in dice)
        elif own and tile.piece in SPECIALS and 6 in dice:
            yield Flip(at, 6)
        if tile.piece in ("bird", "rabbit"):
            yield from removals(state, at)
            if own:
                yield from moves(state, at)
