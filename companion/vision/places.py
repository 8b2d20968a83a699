"""Where pieces of one group are looked for, and what is laid there: guesses with what may lie on them, told apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.vision.guess import PER_CLASS, BareAt, Cover, Guess, align, find, joined, judge, nearer
from companion.vision.knowledge import PieceKnowledge
from companion.vision.sight import Sight
from companion.vision.templates import Group
from companion.vision.tops import Top, best_rows, best_top, no_tops, spotted, worst_spot

Array = np.ndarray[Any, Any]

LEVELS = 4  # most pieces of one kind in a stack
LEVEL_MM = 5.0  # levels of a stack that appear closer together are not told apart
LARGE_TOP = 0.6  # a piece this large beside the one it lies on is looked for before that one
SPOT = 0.15  # the mean misfit of a base where something may lie on it
CLEAR_TOP = 0.4  # of its cost: what lies on a piece so clearly is not left out for a trial
TOP_BETTER = 0.08  # of cost: what lies on a piece explains its place so much better than the piece does
TOP_COST = 0.55  # of what is looked for on another piece
SPOTS = 2  # of plain colours, that are looked at on each space
MOST_MARGIN = 0.4  # of cost: that of a class beside which no other is laid
LIKE_ANOTHER, MOST_OTHERS = 0.4, 3  # see `nearer`: the classes that are so near are laid there too, so many of them
NOT_WELL = 0.25  # and whatever they are, where a piece explains no better than at this cost
KEPT = 3  # guesses that are laid on each space


def _levels(sight: Sight, group: Group, tops: tuple[int, ...], rows: Array) -> tuple[Array, Array]:
    """The spaces `rows` once for each height at which a stack of the group may end, and those heights."""
    spaces, heights = [rows], [np.full(len(rows), group.height_mm)]
    if tops and group.shape == "disc" and group.height_mm >= 0.2 * group.reach_mm:
        last = np.full(len(rows), group.height_mm)
        for level in range(2, LEVELS + 1):
            high = level * group.height_mm
            apart = np.hypot(*(sight.lean(sight.at[rows], last, high)).T)
            far = apart >= LEVEL_MM
            spaces.append(rows[far])
            heights.append(np.full(int(far.sum()), high))
            last[far] = high
    return np.concatenate(spaces), np.concatenate(heights)


@dataclass(frozen=True, eq=False)
class Places:
    """Where pieces of one group are looked for: on which space, how high their tops are, what lies on them."""

    space: Array  # (n,) int
    height: Array  # (n,) mm
    top: Top | None
    there: Array  # (n,) bool: whether the top is taken to lie there

    def __len__(self) -> int:
        return len(self.space)

    def rows(self, which: Array) -> Places:
        return Places(self.space[which], self.height[which], self.top and self.top.rows(which), self.there[which])

    @property
    def cover(self) -> Cover | None:
        return replace(self.top.cover, there=self.there) if self.top and self.there.any() else None


def places_of(sight: Sight, known: PieceKnowledge, number: int, rows: Array, reach_mm: float) -> Places:
    """Spaces `rows` for pieces of a base group, at every height that a stack may have, and what may lie on them."""
    group, tops = known.groups[number], known.tops[number]
    space, height = _levels(sight, group, tops, rows)
    size = max((known.groups[t].reach_mm for t in tops), default=0.0)
    large = size >= LARGE_TOP * group.reach_mm
    if not large:  # what is small is found where it hides what it lies on, unless its colour is plain
        tops = tuple(t for t in tops if known.groups[t].even)
    if not tops:
        nothing = np.zeros(len(space))
        no_top = no_tops(sight.at[space]) if known.tops[number] else None
        return Places(space, height, no_top, nothing > 0)
    off = reach_mm if large else (group.reach_mm - size) / 2 + 0.1 * size
    top = best_top(sight, known, tops, space, sight.at[space], height, off)
    there = top.cost < TOP_COST
    places = Places(space, height, top, there)
    # Both with and without what may lie there: a wrong piece on top hides much of the right one below.
    twice = np.flatnonzero(there & (large | (top.cost > CLEAR_TOP)))
    both = places.rows(np.concatenate([np.arange(len(space)), twice]))
    return replace(both, there=both.there & (np.arange(len(both)) < len(space)))


def small_tops(known: PieceKnowledge, number: int) -> tuple[int, ...]:
    """The groups that may lie on a group and are much smaller."""
    most = LARGE_TOP * known.groups[number].reach_mm
    return tuple(t for t in known.tops[number] if known.groups[t].reach_mm < most)


def uncovered(sight: Sight, known: PieceKnowledge, number: int, places: Places, guess: Guess) -> tuple[Places, Guess]:
    """Aligned guesses, one for each place, with what lies on them where they explain least, and aligned anew."""
    group = known.groups[number]
    small = small_tops(known, number)
    rows = np.flatnonzero(~places.there)
    if not small or not len(rows) or places.top is None:
        return places, guess
    size = max(known.groups[t].reach_mm for t in small)
    alone = judge(sight, group, guess.rows(rows))
    at, worst = worst_spot(group, alone, alone.clear, size)
    spots = np.flatnonzero(worst > SPOT)
    rows, at, worst = rows[spots], at[spots], worst[spots]
    if not len(rows):
        return places, guess
    found = best_top(sight, known, small, guess.space[rows], at, guess.height[rows], 0.25 * size)
    better = found.cost < worst - TOP_BETTER
    rows, found = rows[better], found.rows(np.flatnonzero(better))
    order, there = np.arange(len(places)), places.there.copy()
    order[rows], there[rows] = len(places) + np.arange(len(rows)), True
    places = replace(places, top=places.top.and_(found).rows(order), there=there)
    cover = places.cover.rows(rows) if places.cover else None
    again = align(sight, group, guess.rows(rows).bare_rows(), cover, rounds=2)
    return places, joined(guess, again).rows(order)


def told_apart(sight: Sight, group: Group, places: Places, best: Guess, leaders: int) -> tuple[Guess, Array]:
    """The likeliest class where each guess lies, as judged, and what tells it from the one most like it: (n, 3), the
    margin of cost before it, and its share and length as of `nearer`.

    `best` holds one aligned guess for each place; other classes are laid only beside those of the first `leaders`.
    """
    n, cover = len(best), places.cover
    guess = judge(sight, group, align(sight, group, best, cover, rounds=1), cover)
    share, apart = nearer(sight, group, guess)
    near = np.clip(share, -1, 1)
    near[np.arange(n), guess.kind] = np.inf
    close = near <= np.sort(near, 1)[:, min(MOST_OTHERS, near.shape[1]) - 1, None]
    close &= (near < LIKE_ANOTHER) | (guess.cost > NOT_WELL)[:, None]
    close[np.arange(n), guess.kind] = False
    close[leaders:] = False
    margin = np.full(n, MOST_MARGIN)
    owner, kind = np.nonzero(close)
    if len(owner):  # classes that the photograph is nearly as near to are laid there as well
        few = cover.rows(owner) if cover else None
        others = align(sight, group, replace(guess.rows(owner).bare_rows(), kind=kind), few, rounds=1)
        guess = joined(guess, judge(sight, group, others, few))
        owner = np.append(np.arange(n), owner)
        chosen = best_rows(owner, guess.cost, n)
        next_cost = np.where(guess.kind == guess.kind[chosen][owner], np.inf, guess.cost)
        np.minimum.at(margin, owner, next_cost - guess.cost[chosen][owner])
        guess = guess.rows(chosen)
        changed = np.flatnonzero(chosen >= n)
        if len(changed):
            share[changed], apart[changed] = nearer(sight, group, guess.rows(changed))
    deviant = np.where(apart > 0, np.clip(share, -1, 1) * apart, np.inf)
    nearest, rows = deviant.argmin(1), np.arange(n)
    if share.shape[1] == 1:  # there is no other class
        return guess, np.stack([margin, np.full(n, 0.5), np.full(n, np.inf)], 1)
    return guess, np.stack([margin, share[rows, nearest], apart[rows, nearest]], 1)


def laid(
    sight: Sight, group: Group, places: Places, reach_mm: float, bare_at: BareAt | None, crowd: bool
) -> tuple[Guess, Array]:
    """The likeliest guesses within reach of places, aligned, and whose each is."""
    cover = places.cover
    if crowd and group.even and group.shape == "disc":
        guess = spotted(sight, group, places.space, sight.at[places.space], places.height, reach_mm, SPOTS)
        return align(sight, group, guess, rounds=1), np.repeat(np.arange(len(places)), SPOTS)
    per_class = (1, 1) if crowd else PER_CLASS  # where several may lie, each is to come up
    at = sight.at[places.space]
    guess = find(sight, group, places.space, at, places.height, reach_mm, KEPT, cover, bare_at, per_class)
    owner = np.repeat(np.arange(len(places)), len(guess) // len(places))
    return align(sight, group, guess, cover.rows(owner) if cover else None, rounds=2), owner
