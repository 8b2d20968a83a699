"""Guesses of what lies where: found coarsely in the learned space, then laid on the photograph exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
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
        few = {name: value[which] for name, value in vars(self).items() if len(value)}
        return replace(self, **few)

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
        hidden = np.zeros((len(centre), side, side), bool)
        some = np.flatnonzero(self.there)
        if len(some):
            back = -turn[some]
            foot = turned((self.foot - centre)[some][:, None], back)[:, 0].astype(np.float32)
            along = turned((self.top - self.foot)[some][:, None], back)[:, 0].astype(np.float32)
            at = ((np.arange(side, dtype=np.float32) + 0.5) / side - 0.5) * size_mm
            x, y = (at - foot[:, :1])[:, None], (at - foot[:, 1:])[:, :, None]
            dx, dy = along[:, 0, None, None], along[:, 1, None, None]
            share = np.clip((x * dx + y * dy) / (dx * dx + dy * dy + 1e-9), 0, 1)
            x, y = x - share * dx, y - share * dy
            reach = COVER_MARGIN * self.radius_mm[some].astype(np.float32)
            hidden[some] = x * x + y * y < (reach * reach)[:, None, None]
        return hidden


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
    n, coarse = len(space), group.coarse
    px_mm = group.reach_mm / coarse
    steps = max(1, int(np.ceil(reach_mm / px_mm)))
    side = coarse + 2 * steps
    seen = sight.cut(centre, np.zeros(n), height, px_mm * side, side, space)
    hidden = None
    if cover is not None:  # what is hidden shows what all classes have in common
        hidden = cover.hides(centre, np.zeros(n), px_mm * side, side)
        seen = np.where(hidden[:, None], group.windows.colour[:, None, None], seen)
    row, column = np.mgrid[-steps : steps + 1, -steps : steps + 1].reshape(2, -1)
    # Every other place, as on a chessboard, and none in the corners.
    few = ((row + column) % 2 == 0) & (np.hypot(row, column) <= steps + 0.5)
    row, column = np.broadcast_to(row[few], (n, few.sum())), np.broadcast_to(column[few], (n, few.sum()))
    shift = np.stack([column, row], -1) * px_mm
    bare = np.zeros(row.shape, np.float32) if bare_at is None else bare_at(centre[:, None] + shift, height)
    if bare_at is not None and row.shape[1] > PLACES:
        # A place where the bare space explains the photograph is no place for a piece.
        best = np.argpartition(-bare, PLACES, 1)[:, :PLACES]
        row, column, bare = (np.take_along_axis(of, best, 1) for of in (row, column, bare))
        shift = np.stack([column, row], -1) * px_mm
    windows = _windows(seen, row + steps, column + steps, coarse)
    by_turn = _apart(group.windows, windows)  # (n, points, places)
    if bare_at is not None:
        by_turn *= (1 + 2 * (1 - bare[:, None]) ** 2).astype(np.float32)
    chosen, place = _nearest(by_turn, len(group.names), per_class)
    few = chosen.shape[1]
    rows = np.arange(n)[:, None]
    picked = windows[rows, place][..., group.some].reshape(n * few, 3, -1)
    sigma = np.repeat(sight.sigma[space], few)[:, None]
    variance = 1.5 * sigma * sigma + COARSE_OFF_PX**2 * group.clean_rough[chosen.ravel()]
    weight = np.ones(variance.shape, np.float32)
    if hidden is not None:
        of_place = _windows(hidden[:, None], row[rows, place] + steps, column[rows, place] + steps, coarse)
        weight[of_place[..., group.some].reshape(weight.shape)] = 0
    bad = _relit_misfit(picked, group.clean[chosen.ravel()], weight, variance)
    cost = ((bad * weight).sum(1) / (weight.sum(1) + 1e-3)).reshape(n, few)
    cost = cost - bare[rows, place]
    kept = min(kept, few)
    order = np.argsort(cost, 1)[:, :kept]
    turns = len(group.windows.points) // len(group.names)
    kind, turn = np.divmod(chosen[rows, order], turns)
    return Guess(
        np.repeat(space, kept),
        kind.ravel(),
        (centre[:, None] + shift[rows, place[rows, order]]).reshape(-1, 2),
        (turn * (2 * np.pi / turns)).ravel(),
        np.repeat(height, kept),
    )


def _windows(seen: Array, row: Array, column: Array, side: int) -> Array:
    """Windows (n, places, k, side²) of pictures (n, k, …) from rows and columns (n, places) on."""
    views = np.lib.stride_tricks.sliding_window_view(seen, (side, side), axis=(2, 3)).transpose(0, 2, 3, 1, 4, 5)
    return views[np.arange(len(seen))[:, None], row, column].reshape(*row.shape, seen.shape[1], -1)


def _apart(space: Learned, windows: Array) -> Array:
    """Squared distances (n, points, places) in a learned space of windows (n, places, 3, px)."""
    n, places = windows.shape[:2]
    z = windows.reshape(n * places, -1) @ space.axes - space.mean @ space.axes
    # |z|² + |p|² − 2 z·p as one product, places last.
    ones = np.ones((len(z), 1), np.float32)
    z = np.concatenate([z, np.einsum("ij,ij->i", z, z)[:, None], ones], 1).reshape(n, places, -1)
    return np.asarray(space.products @ z.swapaxes(1, 2))


def _nearest(by_turn: Array, classes: int, per_class: tuple[int, int]) -> tuple[Array, Array]:
    """The nearest points and their places, (n, CANDIDATES) each, of each class no more than `per_class`."""
    n, points, _ = by_turn.shape
    turns = points // classes
    nearest = by_turn.min(2).reshape(n, classes, turns)
    some = min(int(np.clip(CANDIDATES // classes, *per_class)), turns)
    chosen = np.argpartition(nearest, some - 1, 2)[:, :, :some] + (np.arange(classes) * turns)[:, None]
    chosen = chosen.reshape(n, classes * some)
    few = min(CANDIDATES, chosen.shape[1])
    near = np.take_along_axis(nearest.reshape(n, -1), chosen, 1)
    chosen = np.take_along_axis(chosen, np.argsort(near, 1)[:, :few], 1)
    return chosen, by_turn[np.arange(n)[:, None], chosen].argmin(2)


def _relit_misfit(seen: Array, clean: Array, weight: Array, variance: Array) -> Array:
    """Misfits (n, px) of pictures `clean` (n, 3, px) with what is seen, after each has found its gain and veil."""
    bad = misfit(seen - clean, variance)
    good = (1 - bad) ** 2 * weight / variance
    total = good.sum(1) + 1e-6
    share = good / total[:, None]
    seen = seen - (seen * share[:, None]).sum(2, keepdims=True)
    clean = clean - (clean * share[:, None]).sum(2, keepdims=True)
    heavy = clean * good[:, None]
    both, own = np.einsum("ncp,ncp->n", heavy, seen), np.einsum("ncp,ncp->n", heavy, clean)
    pull = 1000.0 * total
    gain = np.clip((both + pull) / (own + pull), 0.5, 1.6)[:, None, None]
    return misfit(seen - gain * clean, variance)


def _sorted(group: Group, guess: Guess, cover: Cover | None) -> tuple[Guess, Cover | None, Array]:
    """The guesses by class, and where each was."""
    order = np.argsort(guess.kind, kind="stable")
    back = np.empty(len(order), int)
    back[order] = np.arange(len(order))
    return guess.rows(order), None if cover is None else cover.rows(order), back


def align(
    sight: Sight, group: Group, guess: Guess, cover: Cover | None = None, *, rounds: int, free: float = 1.0
) -> Guess:
    """Align guesses with the photograph, find the light on them, and tell how badly their small pictures explain it.

    `free` is how far the light on them may differ from what the board tells, as a share of what it may do in general.
    """
    n = len(guess)
    if n == 0:
        return replace(guess.bare_rows(), light=np.zeros((0, LIGHT), np.float32))
    guess, cover, back = _sorted(group, guess, cover)
    runs = runs_of(guess.kind)
    small = group.small[guess.kind]
    scale = np.repeat(np.array([1, free], np.float32), (POSE, LIGHT))
    sigma = sight.sigma[guess.space]
    centre, turn = guess.centre.copy(), guess.turn.copy()
    mask = group.small_masks[guess.kind]
    if cover is not None:
        mask = mask * ~cover.hides(centre, turn, group.reach_mm, SMALL).reshape(n, -1)
    rough = group.small_rough[guess.kind]
    expected = np.minimum(small, sight.most[guess.space][..., None])
    scaled_mask = mask * (INDEPENDENT / (sigma * sigma))[:, None]
    amounts = np.zeros((n, POSE + LIGHT), np.float32)
    for k in range(rounds):
        seen = sight.cut(centre, turn, guess.height, group.reach_mm, SMALL, guess.space)
        off = seen.reshape(n, 3, -1) - expected
        left = off - mixed(amounts[:, POSE:], group.basis[:, POSE:], runs) if k else off
        off_px = STILL_OFF_PX[min(k, len(STILL_OFF_PX) - 1)]
        variance = (sigma * sigma)[:, None] + np.float32(off_px**2) * rough
        weight = (1 - misfit(left, variance)) ** 2 * scaled_mask
        amounts = solve_known(off, group.basis, group.products, runs, weight, scale)
        turn = turn - np.clip(amounts[:, 2] * TURN_SD, -0.2, 0.2)
        shift = np.clip(amounts[:, None, :2] * SHIFT_SD, -2, 2) * (group.reach_mm / SMALL)
        centre = centre - turned(shift, turn)[:, 0]
    bad = misfit(off - mixed(amounts, group.basis, runs), variance) * mask
    cost = bad.sum(1) / (mask.sum(1) + 1e-6)
    out = replace(guess.bare_rows(), centre=centre, turn=turn, cost=cost, light=amounts[:, POSE:])
    return out.rows(back)


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
    pictures = sight.blurred(group.pictures, group.reach_mm / side)[guess.kind]
    off = seen - np.minimum(relit(pictures, guess.light), sight.most[guess.space][..., None, None])
    own = (sight.fine_sigma[guess.space] ** 2)[:, None, None]
    variance = own + np.minimum(OFF_PX**2 * group.rough, ROUGH_MOST)[guess.kind]
    bad = misfit(smoothed(off), variance) + LOOSE_COST * np.log(variance / own)
    cost = (bad * mask).sum((1, 2)) / (mask.sum((1, 2)) + 1e-6)
    return replace(guess, cost=cost, misfits=bad, clear=mask, left=off)


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
    products = (weight[:, 0] @ group.crossed).reshape(n, classes, classes)
    middles = weight[:, 0] @ pictures.reshape(3 * classes, -1).T
    apart = middles.reshape(n, classes, 3) - middles.reshape(n, classes, 3)[rows, guess.kind][:, None]
    own = products[rows, guess.kind]
    square = own[rows, guess.kind][:, None] - 2 * own + np.einsum("nii->ni", products)
    square = np.maximum(square - (apart * apart / total[:, :1, None]).sum(2), 0)
    share = 0.5 + (along[rows, guess.kind][:, None] - along) / (square + 1e-3)
    share[rows, guess.kind] = 0.5
    return share, np.sqrt(square * INDEPENDENT) / sight.fine_sigma[guess.space][:, None]
