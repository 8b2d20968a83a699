"""What may lie on the spaces of one board: every explanation that comes into question, and how well it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from companion.vision.bare import compare_bare, worst_blocks
from companion.vision.guess import BareAt, Cover, Guess, align, joined, judge
from companion.vision.knowledge import PieceKnowledge
from companion.vision.places import TOP_BETTER, Places, laid, places_of, small_tops, told_apart, uncovered
from companion.vision.sight import MODEL_SIGMA, Sight
from companion.vision.templates import Group
from companion.vision.tops import Top, best_rows, on, worst_spot

Array = np.ndarray[Any, Any]

SPOT_SHARE = 0.35  # of a piece's width: the part of it that is explained worst
COST_WEIGHT = 2.0  # a large piece that explains badly is no better than a small one that explains well
WHOLE = 0.25  # of gain for explaining as much of a space as its largest piece would
ALONE = 0.4  # of gain that it takes to believe that a piece lies alone that may lie on another one here
TOP_RATIO = 0.88  # of what a piece leaves unexplained where something lies on it: that leaves no more
ROOMY = 0.75  # a piece smaller than this share of its space may lie anywhere on it
NEAR_REACH = 0.15  # of its width: so far off its place a piece is looked for first,
POOR_COST = 0.3  # and farther where nothing explains a space better than this
CLEAR_COST, CLEAR_WORST = 0.2, 0.35  # of a piece that needs no rival of another make
CLOSE = 0.25  # of cost: another class, somewhere else on the space, is laid too if it is no worse than that
BEATEN = 0.45  # of gain: what looks so much worse than another explanation of a space in small is not looked at closely
BUSY = 0.45  # a space this unlike itself when bare is looked at closely,
BUSY_CROWD = 0.6  # one of small pieces only then, for what is printed there blurs and shifts more,
BUSY_SHARE = 0.6  # and each from this share on of what the least visible piece would make of it


@dataclass(frozen=True)
class Lying:
    """A piece where it is taken to lie: its class, its middle on the board, its turn, how high its upper face is."""

    name: str
    at_mm: tuple[float, float]
    turn: float
    height_mm: float


@dataclass(frozen=True)
class Explanation:
    """What may lie on a space: nothing, a piece, a piece and one on it."""

    base: Lying | None
    top: Lying | None = None
    wide_mm: float | None = None  # of what is looked at, where it is more than the piece

    @property
    def pieces(self) -> tuple[str, ...]:
        return tuple(lying.name for lying in (self.base, self.top) if lying)


@dataclass(frozen=True, eq=False)
class Claim:
    """One explanation of a space, and how well it does; all shares and costs are 0…1."""

    pieces: tuple[str, ...]
    base: Lying
    top: Lying | None  # what lies on it or is likeliest to
    holds: bool  # whether something much smaller may lie on it
    foot_mm: tuple[float, ...]
    head_mm: tuple[float, ...]  # where its upper face appears on the board's plane
    radius_mm: float
    gain: float  # how much better than the bare space it explains the part it covers, the larger the part the more
    bare: float  # how badly the bare space explains that part
    cost: float  # how badly it does
    base_cost: float  # how badly the base explains what is clear of it
    top_margin: float  # of cost: to the next class of the piece on top, and to its being there, or not
    margin: float  # of the base's cost, before the next class in its place
    nearer: float  # how much nearer the photograph is to it than to the class most like it: see `guess.nearer`
    apart: float  # how far the two are apart, in standard deviations
    worst: float  # how badly it explains the part of it that it explains worst
    whole: float  # how badly it explains the whole space, bare where it does not lie
    around: float  # how strange the board is around it

    @property
    def claimed_top(self) -> Lying | None:
        return self.top if len(self.pieces) > 1 else None


@dataclass(frozen=True, eq=False)
class Bareness:
    """How badly the bare board explains each space of a sight: misfits (N, side, side), and the spaces' sizes in mm."""

    sight: Sight
    maps: Array
    sizes: Array
    busy: Array  # the spaces that are looked at: no other is asked about
    blurred: dict[float, Array] = field(default_factory=dict)  # the maps blurred for pieces of a size

    def _blurred(self, reach_mm: float) -> Array:
        if reach_mm not in self.blurred:
            side = self.maps.shape[1]
            out = np.zeros_like(self.maps)
            wide = np.clip(np.rint(0.8 * reach_mm / self.sizes * side).astype(int), 1, side)
            for k_px in set(wide[self.busy].tolist()):
                rows = self.busy[wide[self.busy] == k_px]
                out[rows] = _mean_of(k_px, side) @ self.maps[rows] @ _mean_of(k_px, side).T
            self.blurred[reach_mm] = out
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


@cache
def _mean_of(k_px: int, side: int) -> Array:
    """The matrix (side, side) that averages rows over `k_px` of them, the edges repeated."""
    at = np.clip(np.arange(side)[:, None] - k_px // 2 + np.arange(k_px), 0, side - 1)
    return np.asarray((at[..., None] == np.arange(side)).sum(1) / k_px, np.float32)


def _reach(group: Group, space_mm: float, crowd: bool) -> float:
    """How far off the middle of a space a piece may lie."""
    size = group.reach_mm
    if crowd:
        return 0.55 * size
    return min(max((space_mm - size) / 2 + 0.06 * size, 0.25 * size), 0.35 * size)


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
    at = 0.3 * np.maximum(ring.sum((1, 2)) - 1, 0)
    low = at.astype(int)
    most = int(low.max(initial=0)) + 1
    ordered = np.sort(np.partition(np.where(ring, near, 1.0).reshape(len(foot), -1), most, 1)[:, : most + 1], 1)
    one, two = (np.take_along_axis(ordered, k[:, None], 1)[:, 0] for k in (low, low + 1))
    return np.asarray(one + (at - low) * (two - one))


def _gain(bare: Array, cost: Array, area: Array, alone: bool) -> Array:
    return (bare - COST_WEIGHT * cost + WHOLE) * area - WHOLE - (ALONE if alone else 0.0)


def _bare_at(bareness: Bareness, group: Group, guess: Guess) -> Array:
    """How badly the bare space explains what guesses cover: (n,)."""
    return bareness.around(guess.space, group.reach_mm)(guess.centre[:, None], guess.height)[:, 0]


def _claims(
    sight: Sight, known: PieceKnowledge, bareness: Bareness, number: int, rows: Array, crowd: bool, beaten: Array
) -> dict[int, list[Claim]]:
    """What pieces of a base group, and pieces on them, explain of spaces `rows`: claims by space.

    `beaten` (spaces,) is the best gain so far on each space, and is brought up to date.
    """
    group = known.groups[number]
    typical = float(np.median(bareness.sizes[rows]))
    reach = _reach(group, typical, crowd)
    places = places_of(sight, known, number, rows, reach)
    # Where a piece has room to lie elsewhere, a place that looks bare is none for it.
    roomy = group.reach_mm < ROOMY * typical
    bare_at = bareness.around(places.space, group.reach_mm) if roomy else None
    near = reach if roomy or crowd else min(reach, NEAR_REACH * group.reach_mm)
    guess, owner = laid(sight, group, places, near, bare_at, crowd)
    if near < reach:
        least = np.ones(len(places))
        np.minimum.at(least, owner, guess.cost)
        again = np.flatnonzero(least > POOR_COST)
        if len(again):
            further, owner_again = laid(sight, group, places.rows(again), reach, None, crowd)
            guess, owner = joined(guess, further), np.append(owner, again[owner_again])
    bare = _bare_at(bareness, group, guess)
    score = guess.cost - bare * roomy
    alone = any(number in known.tops[j] for k in np.unique(places.space) for j in known.bases[sight.spaces[k].id])
    if not crowd:
        gain = _gain(bare, guess.cost, _area(sight, known, group, guess.space), alone)
        np.maximum.at(beaten, guess.space, gain)
        hope = np.full(len(places), -9.0)
        np.maximum.at(hope, owner, gain)
        kept = np.flatnonzero(hope > beaten[places.space] - BEATEN)
        if not len(kept):
            return {}
        some = np.flatnonzero(np.isin(owner, kept))
        guess, score, owner = guess.rows(some), score[some], np.searchsorted(kept, owner[some])
        places = places.rows(kept)
    first = best_rows(owner, score, len(places))
    # The next class, somewhere else or turned otherwise, where it comes close.
    other = np.where(guess.kind == guess.kind[first][owner], np.inf, score)
    second = best_rows(owner, other, len(places))
    close = np.flatnonzero(other[second] < score[first] + CLOSE)
    places = places.rows(np.append(np.arange(len(places)), close))
    places, guess = uncovered(sight, known, number, places, guess.rows(np.append(first, second[close])))
    guess, telling = told_apart(sight, group, places, guess, len(first))
    return _weighed(sight, known, bareness, number, places, guess, telling, alone, beaten)


def _area(sight: Sight, known: PieceKnowledge, group: Group, space: Array) -> Array:
    """How much of what the largest piece would cover of spaces (n,) a group's pieces do: (n,)."""
    largest = np.array([known.largest[sight.spaces[k].id] for k in space])
    return np.asarray((group.reach_mm / largest) ** 2)


def _radius(group: Group) -> float:
    """Of a round piece, or of one as large, mm."""
    return group.reach_mm * (0.5 if group.shape == "disc" else 0.54)


def _whole(bareness: Bareness, space: Array, foot: Array, head: Array, radius_mm: float, cost: Array) -> Array:
    """How badly whole spaces (n,) are explained by pieces from foot to head (n, 2), and as bare beside them: 0…1."""
    n, side = len(space), bareness.maps.shape[1]
    off = (foot - bareness.sight.at[space]) / bareness.sizes[space][:, None]
    along = (head - foot) / bareness.sizes[space][:, None]
    cover = Cover(off, off + along, radius_mm / bareness.sizes[space], np.ones(n, bool))
    hidden = cover.hides(np.zeros((n, 2)), np.zeros(n), 1.0, side)
    maps = bareness.maps[space]
    return np.asarray(np.where(hidden, cost[:, None, None], maps).mean((1, 2)))


def _weighed(
    sight: Sight,
    known: PieceKnowledge,
    bareness: Bareness,
    number: int,
    places: Places,
    guess: Guess,
    telling: Array,
    alone: bool,
    beaten: Array,
) -> dict[int, list[Claim]]:
    """Guesses, one for each place, with what may lie on them, as claims by space."""
    group, top, n = known.groups[number], places.top, len(guess)
    bare = _bare_at(bareness, group, guess)
    cost, gap, on_top = guess.cost, np.ones(n), np.zeros(n, bool)
    if top is not None:
        below, share = on(group, guess, top.cover, np.arange(n))
        # Light taken from the rest of a base may be far off below: the base is asked once more with nothing on it.
        there = np.flatnonzero(places.there)
        bare_base = judge(sight, group, align(sight, group, guess.rows(there).bare_rows(), rounds=1))
        below[there] = np.minimum(below[there], on(group, bare_base, top.cover.rows(there), np.arange(len(there)))[0])
        ratio, better = top.cost / np.maximum(below, 0.05), below - top.cost
        on_top = places.there & (ratio < TOP_RATIO) & (better > TOP_BETTER)
        cost = np.where(places.there, cost * (1 - share) + np.where(on_top, top.cost, below) * share, cost)
        surely = np.minimum(0.5 * (TOP_RATIO - ratio), 0.8 * (better - 0.5 * TOP_BETTER))
        surely_not = 0.4 * (0.45 - below)  # where the base explains badly there is something, whatever it is
        gap = np.where(places.there, np.where(on_top, np.minimum(top.margin, surely), surely_not), 1.0)
    gain = _gain(bare, cost, _area(sight, known, group, guess.space), alone)
    np.maximum.at(beaten, guess.space, gain)
    clear = group.masks[guess.kind]
    if top is not None and on_top.any():
        hidden = top.cover.rows(on_top).hides(guess.centre[on_top], guess.turn[on_top], group.reach_mm, group.side)
        clear[on_top] *= ~hidden
    _, worst = worst_spot(group, guess, clear, SPOT_SHARE * group.reach_mm)
    head = guess.centre + sight.lean(guess.centre, 0.0, guess.height)
    around = np.zeros(n) if group.shape == "square" else _around(sight, guess.centre, head, group)
    whole = _whole(bareness, guess.space, guess.centre, head, _radius(group), cost)
    holds = bool(small_tops(known, number))
    figures = np.column_stack([gain, bare, cost, guess.cost, gap, telling, worst, whole, around]).tolist()
    feet, heads = guess.centre.tolist(), head.tolist()
    out: dict[int, list[Claim]] = {}
    for k, space in enumerate(guess.space.tolist()):
        pieces = (group.names[guess.kind[k]], *((top.names[k],) if on_top[k] and top is not None else ()))
        base = Lying(pieces[0], (feet[k][0], feet[k][1]), float(guess.turn[k]), float(guess.height[k]))
        lying_top = None if top is None else _lying_top(known, top, k, base.height_mm)
        claim = Claim(pieces, base, lying_top, holds, tuple(feet[k]), tuple(heads[k]), group.reach_mm / 2, *figures[k])
        out.setdefault(space, []).append(claim)
    return out


def _point(at: Array) -> tuple[float, float]:
    return float(at[0]), float(at[1])


def _lying_top(known: PieceKnowledge, top: Top, k: int, base_mm: float) -> Lying | None:
    name = str(top.names[k])
    if not name:
        return None
    return Lying(name, _point(top.cover.foot[k]), float(top.turn[k]), base_mm + known.group_of(name).height_mm)


def _in_view(sight: Sight) -> Array:
    """Which spaces lie wholly in the picture: (N,) bool."""
    half = 0.95 / 2 * np.array([space.size_mm for space in sight.spaces])
    corners = sight.at + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])[:, None]
    at = sight.view.pixels(sight.board, corners.reshape(-1, 2)).reshape(4, -1, 2)
    return np.asarray(((at >= 0) & (at <= np.array(sight.photo.size) - 1)).all((0, 2)))


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


def _clear(claims: list[Claim]) -> bool:
    """Whether one of the claims explains a space so well that pieces of other makes need not be tried."""
    return any(claim.cost < CLEAR_COST and claim.worst < CLEAR_WORST and claim.around < CLEAR_WORST for claim in claims)


def in_noise(signs: Array, sigma: Array) -> Array:
    """The least signs (N,) of pieces as they show among noise of a spread `sigma` (N,) in levels of the print.

    They were learned without: what is told from a bare space by a clear photograph may be lost in a dim one's noise.
    """
    told, left = signs * MODEL_SIGMA**2, (1 - signs) * np.maximum(sigma, MODEL_SIGMA) ** 2
    return np.asarray(told / np.maximum(told + left, 1e-6))


def study(sight: Sight, known: PieceKnowledge) -> Study:
    """Compare every space of a board with itself when bare, and those that differ with all that may lie there."""
    maps, sharp_maps, sight = compare_bare(sight, known.bares)
    worst = worst_blocks(maps)
    sharp = np.where(worst > BUSY, worst_blocks(sharp_maps), worst)
    sizes = np.array([max(space.size_mm) for space in sight.spaces])
    seen = _in_view(sight)
    claims: dict[int, list[Claim]] = {}
    beaten = np.full(len(sizes), -9.0)
    crowds = np.array([space.id in known.crowds for space in sight.spaces])
    signs = in_noise(np.array([known.signs[space.id] for space in sight.spaces]), sight.fine_sigma)
    busy = np.flatnonzero((worst > np.minimum(np.where(crowds, BUSY_CROWD, BUSY), BUSY_SHARE * signs)) & seen)
    bareness = Bareness(sight, maps, sizes, busy)
    for number in range(len(known.groups)):
        open_ = [k for k in busy if number in known.bases[sight.spaces[k].id] and not _clear(claims.get(int(k), []))]
        rows = np.array(open_, int)
        for crowd in (False, True):
            some = rows[crowds[rows] == crowd]
            if len(some):
                for k, found in _claims(sight, known, bareness, number, some, crowd, beaten).items():
                    claims.setdefault(k, []).extend(found)
    for found in claims.values():
        found.sort(key=lambda claim: -claim.gain)
    return Study(maps, worst, sharp, signs, seen, claims, sight)
