"""Guesses of what lies where: found coarsely in the learned space, then laid on the photograph exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from companion.vision.fitting import (
    INDEPENDENT,
    LIGHT,
    POSE,
    SHIFT_SD,
    TURN_SD,
    misfit,
    mixed,
    paired,
    relit,
    runs_of,
    smoothed,
    solve_known,
)
from companion.vision.rectify import turned
from companion.vision.sight import LOOSE_COST, OFF_PX, ROUGH_MOST, Sight
from companion.vision.templates import SMALL, Group, Learned

Array = np.ndarray[Any, Any]

COARSE_OFF_PX = 0.4  # by how much a coarse guess may be off
STILL_OFF_PX = (0.8, 0.5)  # by how much guesses may be off in the first round of aligning, and after it
PER_CLASS = (2, 4)  # turns of each class that are compared coarsely, where there are many and where few
PLACES = 24  # on a roomy space that are compared, those that look least bare
CANDIDATES = 24  # that are, of all classes
COVER_MARGIN = 1.08  # of its radius: what lies on a piece hides a little more of it than its own outline
NONE = np.zeros(0)
BareAt = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Guess:
    """Pieces of one group laid on patches: one row each."""

    space: Array  # (N,) int: the number of the space
    kind: Array  # (N,) int: the class's number in the group
    centre: Array  # (N, 2) mm
    turn: Array  # (N,) radians
    height: Array  # (N,) mm of the top face
    cost: Array = field(default_factory=lambda: NONE)  # (N,) 0…1, what others hide left out
    misfits: Array = field(default_factory=lambda: NONE)  # (N, side, side) 0…1
    clear: Array = field(default_factory=lambda: NONE)  # (N, side, side) 0…1: what nothing hides
    left: Array = field(default_factory=lambda: NONE)  # (N, 3, side, side) levels that the pictures do not explain
    light: Array = field(default_factory=lambda: NONE)  # (N, LIGHT) in standard deviations

    def __len__(self) -> int:
        return len(self.space)

    def rows(self, which: Array) -> Guess:
        return Guess(*(value[which] if len(value) else value for value in vars(self).values()))

    def bare_rows(self) -> Guess:
        """The same without what laying them told."""
        return replace(self, cost=NONE, misfits=NONE, clear=NONE, left=NONE, light=NONE)


def joined(a: Guess, b: Guess) -> Guess:
    return Guess(**{name: np.concatenate([value, vars(b)[name]]) for name, value in vars(a).items()})


@dataclass(frozen=True, eq=False)
class Cover:
    """What lies on each of N patches' planes and hides part of them: a round thing from `foot` to `top`, (N, 2) mm."""

    foot: Array
    top: Array
    radius_mm: Array  # (N,)
    there: Array  # (N,) bool

    def rows(self, which: Array) -> Cover:
        return Cover(self.foot[which], self.top[which], self.radius_mm[which], self.there[which])

    def hides(self, centre: Array, turn: Array, size_mm: float, side: int) -> Array:
        """Which pixels of patches around centres (N, 2), turned by (N,), are hidden: (N, side, side) bool."""
        hidden = np.zeros((len(centre), side * side), bool)
        some = np.flatnonzero(self.there)
        if len(some):
            ends = np.stack([self.foot[some] - centre[some], self.top[some] - self.foot[some]], 1)
            (fx, fy), (dx, dy) = turned(ends, -turn[some]).astype(np.float32).transpose(1, 2, 0)[..., None]
            x, y = _middles(side) * np.float32(size_mm)
            x, y = x - fx, y - fy
            share = np.clip((x * dx + y * dy) / (dx * dx + dy * dy + np.float32(1e-9)), 0, 1)
            x -= share * dx
            y -= share * dy
            reach = COVER_MARGIN * self.radius_mm[some].astype(np.float32)
            hidden[some] = x * x + y * y < (reach * reach)[:, None]
        return hidden.reshape(-1, side, side)


@cache
def _middles(side: int) -> Array:
    """Where the px of a patch of size 1 lie around its middle: (2, side²) float32."""
    at = (np.arange(side, dtype=np.float32) + 0.5) / side - 0.5
    return np.stack(np.meshgrid(at, at)).reshape(2, -1)


@dataclass(frozen=True, eq=False)
class Looked:
    """What is seen around n centres, and the places at which pieces of a group are looked for there."""

    seen: Array  # (n, 3 · side²)
    hidden: Array | None  # (n, side²) bool
    side: int
    first: Array  # (n, places): the px at which the window of each place begins
    shift: Array  # (n, places, 2) mm: how far off the centre a place lies
    bare: Array  # (n, places) 0…1: how badly the bare space explains it

    def windows(self, px: Array) -> Array:
        """The windows (n, places, 3 · px) around all places; `px` (2, px) are their rows and columns."""
        within = px[0] * self.side + px[1]
        colours = np.arange(3)[:, None] * (self.side * self.side)
        within = (colours + within).ravel()
        if len(self.first) > 1 and not self.first.strides[0]:  # the same places around each centre
            return np.asarray(np.take(self.seen, self.first[0, :, None] + within, 1))
        first = self.first + np.arange(len(self.first))[:, None] * self.seen.shape[1]
        return np.asarray(np.take(self.seen, first[..., None] + within))

    def hides(self, place: Array, px: Array) -> Array:
        """What of the windows around some places (n, few) is hidden: (n, few, px) bool."""
        assert self.hidden is not None
        rows = np.arange(len(place))[:, None]
        at = self.first[rows, place][..., None] + (px[0] * self.side + px[1])
        return np.asarray(self.hidden[rows[..., None], at])


def find(
    sight: Sight,
    group: Group,
    space: Array,
    centre: Array,
    height: Array,
    reach_mm: float,
    kept: int,
    cover: Cover | None = None,
    bare_at: BareAt | None = None,
    per_class: tuple[int, int] = PER_CLASS,
) -> Guess:
    """The likeliest places, classes and turns of a group's pieces around centres (N, 2): `kept` rows for each.

    `bare_at(points (N, m, 2), heights (N,))` tells how badly the bare space explains what is seen at points: (N, m).
    """
    looked = _look_around(sight, group, space, centre, height, reach_mm, cover, bare_at)
    windows = looked.windows(group.windows.px)
    by_turn = _apart(group.windows, windows)
    if bare_at is not None:
        by_turn *= (1 + 2 * (1 - looked.bare) ** 2).astype(np.float32)[..., None]
    point, place = _nearest(by_turn, len(group.names), per_class)
    cost = _compared(sight, group, space, looked, windows, point, place)
    rows, best = np.arange(len(space))[:, None], np.argsort(cost, 1)[:, :kept]
    turns = group.turns
    kind, turn = np.divmod(point[rows, best], turns)
    at = centre[:, None] + looked.shift[rows, place[rows, best]]
    again = best.shape[1]
    return Guess(
        np.repeat(space, again),
        kind.ravel(),
        at.reshape(-1, 2),
        (turn * (2 * np.pi / turns)).ravel(),
        np.repeat(height, again),
    )


@cache
def _steps(steps: int) -> tuple[Array, Array]:
    """Rows and columns of places up to so many px around a middle: every other one, as on a chessboard, and none in
    the corners."""
    row, column = np.mgrid[-steps : steps + 1, -steps : steps + 1].reshape(2, -1)
    few = ((row + column) % 2 == 0) & (np.hypot(row, column) <= steps + 0.5)
    return row[few], column[few]


def _look_around(
    sight: Sight,
    group: Group,
    space: Array,
    centre: Array,
    height: Array,
    reach_mm: float,
    cover: Cover | None,
    bare_at: BareAt | None,
) -> Looked:
    n, px_mm = len(space), group.reach_mm / group.coarse
    steps = max(1, int(np.ceil(reach_mm / px_mm)))
    side = group.coarse + 2 * steps
    seen = sight.cut(centre, np.zeros(n), height, px_mm * side, side, space).reshape(n, 3, -1)
    hidden = None
    if cover is not None:  # what is hidden shows what all classes have in common
        hidden = cover.hides(centre, np.zeros(n), px_mm * side, side).reshape(n, -1)
        seen = np.where(hidden[:, None], group.windows.colour[:, None], seen)
    row, column = _steps(steps)
    shift = np.broadcast_to(np.stack([column, row], 1) * px_mm, (n, len(row), 2))
    first = np.broadcast_to((row + steps) * side + column + steps, (n, len(row)))
    bare = np.zeros(first.shape, np.float32) if bare_at is None else bare_at(centre[:, None] + shift, height)
    if bare_at is not None and len(row) > PLACES:
        # A place where the bare space explains the photograph is no place for a piece.
        best = np.argpartition(-bare, PLACES, 1)[:, :PLACES]
        rows = np.arange(n)[:, None]
        first, shift, bare = first[rows, best], shift[rows, best], bare[rows, best]
    return Looked(seen.reshape(n, -1), hidden, side, first, shift, bare)


def _apart(space: Learned, windows: Array) -> Array:
    """Squared distances (n, places, points) in a learned space of windows (n, places, 3 · px)."""
    n, places, _ = windows.shape
    z = windows.reshape(n * places, -1) @ space.axes - space.origin
    # |z|² − 2 z·p + |p|² as one product.
    ones = np.ones((len(z), 1), np.float32)
    return np.asarray(
        (np.concatenate([z, np.einsum("ij,ij->i", z, z)[:, None], ones], 1) @ space.products).reshape(n, places, -1)
    )


def _nearest(by_turn: Array, classes: int, per_class: tuple[int, int]) -> tuple[Array, Array]:
    """The nearest points and their places, (n, CANDIDATES) each, of each class no more than `per_class`."""
    n, _, points = by_turn.shape
    turns = points // classes
    nearest = by_turn.min(1).reshape(n, classes, turns)
    fewest, most = per_class
    some = min(max(CANDIDATES // classes, fewest), most, turns)
    point = np.argpartition(nearest, some - 1, 2)[:, :, :some] + (np.arange(classes) * turns)[:, None]
    point = point.reshape(n, classes * some)
    few = min(CANDIDATES, point.shape[1])
    near = np.take_along_axis(nearest.reshape(n, -1), point, 1)
    point = np.take_along_axis(point, np.argsort(near, 1)[:, :few], 1)
    return point, np.take_along_axis(by_turn, point[:, None], 2).argmin(1)


def _compared(
    sight: Sight, group: Group, space: Array, looked: Looked, windows: Array, point: Array, place: Array
) -> Array:
    """How badly points (n, few) explain what is seen at places (n, few), by every other pixel: (n, few)."""
    n, few = point.shape
    rows, point = np.arange(n)[:, None], point.ravel()
    seen = windows.reshape(n, -1, 3, windows.shape[2] // 3)[rows, place, :, ::2].reshape(n * few, 3, -1)
    sigma = np.repeat(sight.sigma[space], few)[:, None]
    variance = 1.5 * sigma * sigma + COARSE_OFF_PX**2 * group.clean_rough[point]
    weight = np.ones(variance.shape, np.float32)
    if looked.hidden is not None:
        weight[looked.hides(place, group.windows.px[:, ::2]).reshape(weight.shape)] = 0
    bad = _relit_misfit(seen, group.clean[point], weight, variance)
    cost = ((bad * weight).sum(1) / (weight.sum(1) + 1e-3)).reshape(n, few)
    return np.asarray(cost - looked.bare[rows, place])


def _relit_misfit(seen: Array, clean: Array, weight: Array, variance: Array) -> Array:
    """Misfits (n, px) of pictures `clean` (n, 3, px) with what is seen, after each has found its gain and veil."""
    good = (1 - misfit(seen - clean, variance)) ** 2 * weight / variance
    total = good.sum(1)[:, None] + np.float32(1e-6)
    heavy = clean * good[:, None]
    mean, seen_mean = heavy.sum(2) / total, np.einsum("ncp,np->nc", seen, good) / total
    pull = 1000 * total[:, 0]
    both = np.einsum("ncp,ncp->n", heavy, seen) - (mean * seen_mean * total).sum(1)
    own = np.einsum("ncp,ncp->n", heavy, clean) - (mean * mean * total).sum(1)
    gain = np.clip((both + pull) / (own + pull), 0.5, 1.6)[:, None]
    off = gain[..., None] * clean
    np.subtract(seen, off, out=off)
    off -= (seen_mean - gain * mean)[..., None]
    return misfit(off, variance)


def align(
    sight: Sight, group: Group, guess: Guess, cover: Cover | None = None, *, rounds: int, free: float = 1.0
) -> Guess:
    """Align guesses with the photograph, find the light on them, and tell how badly their small pictures explain it.

    `free` is how far the light on them may differ from what the board tells, as a share of what it may do in general.
    """
    n = len(guess)
    if n == 0:
        return replace(guess.bare_rows(), light=np.zeros((0, LIGHT), np.float32))
    order = np.argsort(guess.kind, kind="stable")  # rows of one class stand together
    space, kind, height = guess.space[order], guess.kind[order], guess.height[order]
    centre, turn, runs = guess.centre[order], guess.turn[order], runs_of(kind)
    mask = group.small_masks[kind]
    if cover is not None:
        mask = mask * ~cover.rows(order).hides(centre, turn, group.reach_mm, SMALL).reshape(n, -1)
    own = (sight.sigma[space] ** 2)[:, None]
    rough, scaled_mask = group.small_rough[kind], mask * (INDEPENDENT / own)
    expected = np.minimum(group.small[kind], sight.most[space][..., None])
    scale = _scale(free)
    amounts = np.zeros((n, POSE + LIGHT), np.float32)
    for k in range(rounds):
        off = sight.cut(centre, turn, height, group.reach_mm, SMALL, space).reshape(n, 3, -1) - expected
        left = off - mixed(amounts[:, POSE:], group.basis[:, POSE:], runs) if k else off
        variance = own + np.float32(STILL_OFF_PX[min(k, len(STILL_OFF_PX) - 1)] ** 2) * rough
        weight = (1 - misfit(left, variance)) ** 2 * scaled_mask
        amounts = solve_known(off, group.basis, group.products, runs, weight, scale)
        centre, turn = _moved(centre, turn, amounts, group.reach_mm / SMALL)
    bad = misfit(off - mixed(amounts, group.basis, runs), variance) * mask
    cost = bad.sum(1) / (mask.sum(1) + 1e-6)
    back = np.empty_like(order)
    back[order] = np.arange(n)
    light = amounts[back, POSE:]
    return Guess(guess.space, guess.kind, centre[back], turn[back], guess.height, cost[back], light=light)


@cache
def _scale(free: float) -> Array:
    """By how much each picture of a basis counts where light is as free as that: (POSE + LIGHT,)."""
    return np.repeat(np.array([1, free], np.float32), (POSE, LIGHT))


def _moved(centre: Array, turn: Array, amounts: Array, px_mm: float) -> tuple[Array, Array]:
    """Centres (n, 2) and turns (n,) after a step by amounts (n, POSE + LIGHT), which is never a long one."""
    turn = turn - np.minimum(np.maximum(amounts[:, 2] * TURN_SD, -0.2), 0.2)
    shift = np.minimum(np.maximum(amounts[:, None, :2] * SHIFT_SD, -2), 2) * px_mm
    return centre - turned(shift, turn)[:, 0], turn


def judge(sight: Sight, group: Group, guess: Guess, cover: Cover | None = None) -> Guess:
    """How badly aligned guesses explain the photograph where nothing covers them, by their fine pictures."""
    n, side = len(guess), group.side
    if n == 0:
        return replace(
            guess,
            cost=NONE,
            misfits=np.zeros((0, side, side)),
            clear=np.zeros((0, side, side)),
            left=np.zeros((0, 3, side, side)),
        )
    mask = group.masks[guess.kind]
    if cover is not None:
        mask = mask * ~cover.hides(guess.centre, guess.turn, group.reach_mm, side)
    seen = sight.cut(guess.centre, guess.turn, guess.height, group.reach_mm, side, guess.space)
    off = relit(sight.blurred(group)[guess.kind], guess.light)
    np.minimum(off, sight.most[guess.space][..., None, None], out=off)
    np.subtract(seen, off, out=off)
    own = (sight.fine_sigma[guess.space] ** 2)[:, None, None]
    variance = own + _off_variance(group)[guess.kind]
    bad = misfit(smoothed(off), variance) + LOOSE_COST * np.log(variance / own)
    cost = (bad * mask).sum((1, 2)) / (mask.sum((1, 2)) + 1e-6)
    return replace(guess, cost=cost, misfits=bad, clear=mask, left=off)


@cache
def _off_variance(group: Group) -> Array:
    """The variance (classes, side, side) that comes of a piece's being laid a little off."""
    return np.minimum(OFF_PX**2 * group.rough, ROUGH_MOST)


def siblings(group: Group, guess: Guess) -> Guess:
    """The same places with the classes that look most alike."""
    some = group.alike.shape[1]
    again = np.repeat(np.arange(len(guess)), some)
    few = guess.rows(again)
    return replace(few, kind=group.alike[guess.kind].ravel())


def nearer(sight: Sight, group: Group, guess: Guess) -> tuple[Array, Array]:
    """How much nearer to each judged guess's own picture the photograph is than to those of all classes in its place.

    By the way along which they differ: ½ right on its own, −½ right on the other (n, classes), and how long that way
    is, in standard deviations (n, classes).  Against itself ½ and 0.
    """
    n, classes, rows = len(guess), len(group.names), np.arange(len(guess))
    weight = (guess.clear * np.maximum(1 - guess.misfits, 0.0) ** 2).astype(np.float32).reshape(n, 1, -1)
    total = weight.sum(2) + 1e-6
    left = guess.left.reshape(n, 3, -1)
    # A veil over all of it tells nothing: means are taken out, of what is left and of the ways.
    left = ((left - ((left * weight).sum(2) / total)[..., None]) * weight).reshape(n, -1)
    pictures = group.pictures.reshape(classes, 3, -1)
    along = left @ pictures.reshape(classes, -1).T
    products = paired(weight[:, 0] @ group.crossed, classes)
    middles = weight[:, 0] @ pictures.reshape(3 * classes, -1).T
    apart = middles.reshape(n, classes, 3) - middles.reshape(n, classes, 3)[rows, guess.kind][:, None]
    own = products[rows, guess.kind]
    square = own[rows, guess.kind][:, None] - 2 * own + np.einsum("nii->ni", products)
    square = np.maximum(square - (apart * apart / total[:, :1, None]).sum(2), 0)
    share = 0.5 + (along[rows, guess.kind][:, None] - along) / (square + 1e-3)
    share[rows, guess.kind] = 0.5
    return share, np.sqrt(square * INDEPENDENT) / sight.fine_sigma[guess.space][:, None]
