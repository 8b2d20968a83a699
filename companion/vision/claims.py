"""What may lie on the spaces of one board: every explanation that comes into question, and how well it does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from companion.vision.guess import BareAt, Guess, align, find, joined, judge, siblings
from companion.vision.knowledge import PieceKnowledge, is_crowd
from companion.vision.sight import Sight, compare_bare, worst_blocks
from companion.vision.templates import Group
from companion.vision.tops import Top, best_rows, best_top, near_rows, on, spotted

Array = np.ndarray[Any, Any]

LEVELS = 4  # most pieces of one kind in a stack
LEVEL_MM = 5.0  # levels of a stack that appear closer together are not told apart
LARGE_TOP = 0.6  # a piece this large beside the one it lies on is looked for before that one
SPOT = 0.15  # the mean misfit of a base where something may lie on it
COST_WEIGHT = 2.0  # a large piece that explains badly is no better than a small one that explains well
WHOLE = 0.25  # of gain for explaining as much of a space as its largest piece would
ALONE = 0.4  # of gain that it takes to believe that a piece lies alone that may lie on another one here
TOP_BETTER = 0.08  # and this much, of cost
TOP_RATIO = 0.88  # what lies on a piece explains its place this much better than the piece does
TOP_COST = 0.55  # of what is looked for on another piece
ROOMY = 0.75  # a piece smaller than this share of its space may lie anywhere on it
KEPT = 3  # guesses that are laid on each space
CLOSE = 0.25  # of cost: the same for the next class on a space, somewhere else
BEATEN = 0.6  # of gain: what looks so much worse than another explanation of a space in small is not looked at closely
BUSY_CROWD = 0.6  # the same for spaces of small pieces, whose numbers blur and shift more
BUSY_SHARE = 0.6  # of what the least visible piece would make of it
BUSY = 0.45  # a space this unlike itself when bare is looked at closely


@dataclass(frozen=True, eq=False)
class Claim:
    """One explanation of a space, and how well it does; all shares and costs are 0…1."""

    pieces: tuple[str, ...]
    gain: float  # how much better than the bare space it explains the part it covers, the larger the part the more
    bare: float  # how badly the bare space explains that part
    cost: float  # how badly it does
    base_cost: float  # how badly the base explains what is clear of it
    top_margin: float  # of cost: to the next class of the piece on top, and to its being there, or not
    lead: float  # where the base differs from the class most like it: of misfit
    told: float  # the share of the base that differs so
    around: float  # how strange the board is around it
    told_from: int  # the number of the place, in which siblings are compared
    foot_mm: tuple[float, ...]
    head_mm: tuple[float, ...]  # where its upper face appears on the board's plane
    radius_mm: float


@dataclass(frozen=True, eq=False)
class Bareness:
    """How badly the bare board explains each space of a sight: misfits (N, side, side), and the spaces' sizes in mm."""

    sight: Sight
    maps: Array
    sizes: Array
    blurred: dict[float, Array] = field(default_factory=dict)  # the maps blurred for pieces of a size

    def _blurred(self, reach_mm: float) -> Array:
        if reach_mm not in self.blurred:
            side = self.maps.shape[1]
            widths = [min(side, max(1, round(0.8 * reach_mm / size * side))) for size in self.sizes]
            self.blurred[reach_mm] = np.array(
                [
                    cv2.blur(one, (w, w), borderType=cv2.BORDER_REPLICATE)
                    for one, w in zip(self.maps, widths, strict=True)
                ]
            )
        return self.blurred[reach_mm]

    def around(self, space: Array, reach_mm: float) -> BareAt:
        """A function of points (n, m, 2) and heights (n,) on spaces (n,): the mean misfit about there, (n, m)."""
        blurred = self._blurred(reach_mm)
        side = self.maps.shape[1]

        def at(points: Array, height: Array) -> Array:
            n, m = points.shape[:2]
            flat = points.reshape(-1, 2)
            seen = (flat + self.sight.lean(flat, 0.0, np.repeat(height, m))).reshape(n, m, 2)
            grid = (seen - self.sight.at[space][:, None]) / self.sizes[space][:, None, None] + 0.5
            cell = np.clip((grid * side).astype(int), 0, side - 1)
            return np.asarray(blurred[space[:, None], cell[..., 1], cell[..., 0]])

        return at


def _reach(group: Group, space_mm: float, crowd: bool) -> float:
    """How far off the middle of a space a piece may lie."""
    size = group.reach_mm
    if crowd:
        return 0.55 * size
    return min(max((space_mm - size) / 2 + 0.06 * size, 0.25 * size), 0.35 * size)


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


def _around(sight: Sight, foot: Array, head: Array, group: Group) -> Array:
    """How badly the bare board explains what is seen around round pieces, their side and lean left out: (n,) 0…1."""
    cell = sight.light.cell_mm / 2
    rows, columns = sight.strange.shape
    radius = group.reach_mm / 2
    along = (head - foot).astype(np.float32)
    long = (along * along).sum(1)
    steps = int(np.ceil((radius + 4.0 + float(np.sqrt(long.max(initial=0.0))) / 2) / cell)) + 1
    step = np.arange(-steps, steps + 1)
    column, row = (((foot[:, k] + head[:, k]) / 2 / cell).astype(int)[:, None] + step for k in (0, 1))
    x = ((column + 0.5) * cell - foot[:, :1]).astype(np.float32)[:, None]
    y = ((row + 0.5) * cell - foot[:, 1:]).astype(np.float32)[:, :, None]
    dx, dy = along[:, 0, None, None], along[:, 1, None, None]
    share = np.clip((x * dx + y * dy) / (long[:, None, None] + 1e-9), 0, 1)
    apart = (x - share * dx) ** 2 + (y - share * dy) ** 2
    ring = (apart > (radius + 1.0) ** 2) & (apart < (radius + 4.0) ** 2)
    ring &= ((column >= 0) & (column < columns))[:, None] & ((row >= 0) & (row < rows))[:, :, None]
    near = sight.strange[np.clip(row, 0, rows - 1)[:, :, None], np.clip(column, 0, columns - 1)[:, None]]
    ordered = np.sort(np.where(ring, near, 1.0).reshape(len(foot), -1), 1)
    at = 0.3 * np.maximum(ring.sum((1, 2)) - 1, 0)
    low = at.astype(int)
    one, two = (np.take_along_axis(ordered, k[:, None], 1)[:, 0] for k in (low, low + 1))
    return np.asarray(one + (at - low) * (two - one))


def _telling(group: Group, guess: Guess, best: int, other: int) -> tuple[float, float]:
    """Where two classes in one place differ: by how much the best explains more there, and that share of the piece."""
    a, b = int(guess.kind[best]), int(guess.kind[other])
    differ = group.differ[a, b] * guess.clear[best]
    total = float(differ.sum())
    lead = float(((guess.misfits[other] - guess.misfits[best]) * differ).sum()) / (total + 1e-6)
    return lead, total / float(group.masks[a].sum())


def _gain(bare: Array, cost: Array, area: Array, alone: bool) -> Array:
    return (bare - COST_WEIGHT * cost + WHOLE) * area - WHOLE - (ALONE if alone else 0.0)


def _claims(
    sight: Sight, known: PieceKnowledge, bareness: Bareness, number: int, rows: Array, crowd: bool, beaten: Array
) -> dict[int, list[Claim]]:
    """What pieces of a base group, and pieces on them, explain of spaces `rows`: claims by space.

    `beaten` (spaces,) is the best gain so far on each space, and is brought up to date.
    """
    group = known.groups[number]
    space, height = _levels(sight, group, known.tops[number], rows)
    n = len(space)
    reach = _reach(group, float(np.median(bareness.sizes[rows])), crowd)
    large = tuple(t for t in known.tops[number] if known.groups[t].reach_mm >= LARGE_TOP * group.reach_mm)
    small = tuple(t for t in known.tops[number] if t not in large)
    top: Top | None = None
    there, seen = np.zeros(n, bool), np.ones(n)  # seen: how badly the base alone explains what may lie on it
    if large:
        top = best_top(sight, known, large, space, sight.at[space], height, reach)
        there = top.cost < TOP_COST
        # Both with and without what may lie there: a wrong piece on top hides most of the right one below.
        again = np.concatenate([np.arange(n), np.flatnonzero(there)])
        there, seen = np.arange(len(again)) >= n, np.ones(len(again))
        space, height, n = space[again], height[again], len(again)
        top = Top([top.names[k] for k in again], top.cost[again], top.margin[again], top.cover.rows(again))
    cover = replace(top.cover, there=there) if top else None
    # Where a piece has room to lie elsewhere, a place that looks bare is none for it.
    roomy = group.reach_mm < ROOMY * float(np.median(bareness.sizes[rows]))
    bare_at = bareness.around(space, group.reach_mm) if roomy else None
    guess = find(sight, group, space, sight.at[space], height, reach, KEPT, cover, bare_at)
    owner = np.repeat(np.arange(n), len(guess) // n)
    guess = align(sight, group, guess, cover.rows(owner) if cover else None)
    bare = bareness.around(guess.space, group.reach_mm)(guess.centre[:, None], guess.height)[:, 0]
    score = guess.cost - bare * roomy
    largest = np.array([max(known.groups[j].reach_mm for j in known.bases[space.id]) for space in sight.spaces])
    area = (group.reach_mm / largest) ** 2
    alone = any(number in known.tops[j] for k in np.unique(space) for j in known.bases[sight.spaces[k].id])
    if not crowd:
        gain = _gain(bare, guess.cost, area[guess.space], alone)
        np.maximum.at(beaten, guess.space, gain)
        hope = np.maximum.reduceat(gain, np.arange(0, len(gain), len(gain) // n))
        kept = np.flatnonzero(hope > beaten[space] - BEATEN)
        some = np.flatnonzero(np.isin(owner, kept))
        guess, score, owner = guess.rows(some), score[some], np.searchsorted(kept, owner[some])
        space, there, seen, n = space[kept], there[kept], seen[kept], len(kept)
        if n == 0:
            return {}
        if top and cover:
            top = Top([top.names[k] for k in kept], top.cost[kept], top.margin[kept], top.cover.rows(kept))
            cover = cover.rows(kept)
    first = best_rows(owner, score, n)
    best = guess.rows(first)
    same = guess.kind == best.kind[owner]
    second = best_rows(owner, np.where(same, score + 9, score), n)
    second = np.where(second < 0, first, second)
    close = np.flatnonzero((guess.kind[second] != best.kind) & (score[second] < score[first] + CLOSE))
    twice = np.concatenate([np.arange(n), close])
    both = judge(sight, group, joined(best, guess.rows(second[close])), cover.rows(twice) if cover else None)
    both_bare = bareness.around(both.space, group.reach_mm)(both.centre[:, None], both.height)[:, 0]
    score = both.cost - both_bare * roomy
    ahead, behind = np.arange(n), np.arange(n, n + len(close))
    swap = score[n:] < score[close]
    ahead[close[swap]], behind[swap] = behind[swap], close[swap]
    best, rival = both.rows(ahead), both.rows(behind)
    if small and not large:
        top, seen = spotted(sight, known, number, small, best)
        there = seen > SPOT
        cover = replace(top.cover, there=there)
    owner = np.repeat(np.arange(n), group.alike.shape[1])
    guess = joined(best.bare_rows(), siblings(group, best.bare_rows()))
    guess, owner = joined(guess, rival.bare_rows()), np.concatenate([np.arange(n), owner, close])
    in_place = np.arange(len(guess)) < len(guess) - len(close)
    guess = align(sight, group, guess, cover.rows(owner) if cover else None, rounds=2)
    near = near_rows(guess, owner, n)
    owner, in_place = owner[near], in_place[near]
    guess = judge(sight, group, guess.rows(near), cover.rows(owner) if cover else None)
    bare = bareness.around(guess.space, group.reach_mm)(guess.centre[:, None], guess.height)[:, 0]
    below, share = on(group, guess, cover, owner) if cover else (np.zeros(len(guess)), np.zeros(len(guess)))
    head = guess.centre + sight.lean(guess.centre, 0.0, guess.height)
    gap = np.ones(len(guess))
    cost = guess.cost
    on_top = np.zeros(len(guess), bool)
    if top is not None:
        ratio = top.cost[owner] / np.maximum(below, 0.05)
        better = below - top.cost[owner]
        on_top = there[owner] & (ratio < TOP_RATIO) & (better > TOP_BETTER)
        cost = np.where(there[owner], cost * (1 - share) + np.where(on_top, top.cost[owner], below) * share, cost)
        surely = np.minimum(0.5 * (TOP_RATIO - ratio), 0.8 * (better - 0.5 * TOP_BETTER))
        surely = np.minimum(surely, 0.5 * (seen[owner] - 0.02))
        surely_not = 0.4 * (0.45 - below)  # where the base explains badly there is something, whatever it is
        gap = np.where(on_top, np.minimum(top.margin[owner], surely), surely_not)
        gap = np.where(there[owner], gap, 1.0)
    gain = _gain(bare, cost, area[guess.space], alone)
    np.maximum.at(beaten, guess.space, gain)
    leaders = best_rows(owner, -gain, n)
    leading = gain >= gain[leaders][owner] - 1e-6
    around = np.zeros(len(guess))
    if group.shape != "square":
        around[leading] = _around(sight, guess.centre[leading], head[leading], group)
    out: dict[int, list[Claim]] = {}
    for k in range(len(guess)):
        o = int(owner[k])
        lead, told = 1.0 if in_place[k] else 0.0, 1.0
        if leading[k] and in_place[k]:
            for other in np.flatnonzero((owner == o) & (guess.kind != guess.kind[k]) & in_place):
                one = _telling(group, guess, k, int(other))
                if one[0] * one[1] ** 0.5 < lead * told**0.5:
                    lead, told = one
        names = (group.names[guess.kind[k]],)
        claim = Claim(
            (*names, top.names[o]) if on_top[k] and top is not None else names,
            float(gain[k]),
            float(bare[k]),
            float(cost[k]),
            float(guess.cost[k]),
            float(gap[k]),
            lead,
            told,
            float(around[k]),
            o * 100 + number if in_place[k] else -1 - k,
            tuple(guess.centre[k]),
            tuple(head[k]),
            group.reach_mm / 2,
        )
        out.setdefault(int(guess.space[k]), []).append(claim)
    return out


def _in_view(sight: Sight) -> Array:
    """Which spaces lie wholly in the picture: (N,) bool."""
    width, height = sight.photo.size
    half = np.array([[space.size_mm[0] / 2, space.size_mm[1] / 2] for space in sight.spaces])
    inside = np.ones(len(sight.spaces), bool)
    for way in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        at = sight.view.pixels(sight.board, sight.at + half * np.array(way) * 0.95)
        inside &= (at[:, 0] >= 0) & (at[:, 1] >= 0) & (at[:, 0] <= width - 1) & (at[:, 1] <= height - 1)
    return inside


@dataclass(frozen=True, eq=False)
class Study:
    """What was seen of one board: misfits of its bare spaces, worst blocks of them, and the claims on busy spaces."""

    maps: Array  # (N, side, side)
    worst: Array  # (N,)
    sharp: Array  # (N,) the worst block when smooth changes of light are left out
    signs: Array  # (N,) the worst block that the least visible piece would make
    seen: Array  # (N,) bool: wholly in the picture
    claims: dict[int, list[Claim]]  # by space, the best first
    sight: Sight


def study(sight: Sight, known: PieceKnowledge) -> Study:
    """Compare every space of a board with itself when bare, and those that differ with all that may lie there."""
    maps, sharp_maps, sight = compare_bare(sight, known.bares)
    worst = worst_blocks(maps)
    sharp = np.where(worst > BUSY, worst_blocks(sharp_maps), worst)
    sizes = np.array([max(space.size_mm) for space in sight.spaces])
    bareness = Bareness(sight, maps, sizes)
    seen = _in_view(sight)
    claims: dict[int, list[Claim]] = {}
    beaten = np.full(len(sizes), -9.0)
    crowds = np.array([is_crowd(known, space) for space in sight.spaces])
    signs = np.array([known.signs[space.id] for space in sight.spaces])
    busy = np.flatnonzero((worst > np.minimum(np.where(crowds, BUSY_CROWD, BUSY), BUSY_SHARE * signs)) & seen)
    for number in range(len(known.groups)):
        rows = np.array([k for k in busy if number in known.bases[sight.spaces[k].id]], int)
        for crowd in (False, True):
            some = rows[crowds[rows] == crowd]
            if len(some):
                for k, found in _claims(sight, known, bareness, number, some, crowd, beaten).items():
                    claims.setdefault(k, []).extend(found)
    for found in claims.values():
        found.sort(key=lambda claim: -claim.gain)
    return Study(maps, worst, sharp, signs, seen, claims, sight)
