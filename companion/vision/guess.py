"""Guesses of what lies where: found coarsely in the learned space, then laid on the photograph exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from companion.vision.fitting import LIGHT, POSE, SHIFT_SD, TURN_SD, misfit, relit, shrunk, smoothed, solve
from companion.vision.rectify import turned
from companion.vision.sight import LOOSE_COST, OFF_PX, ROUGH_MOST, Sight
from companion.vision.templates import SMALL, Group

Array = np.ndarray[Any, Any]

COARSE_OFF_PX = 0.4  # by how much a coarse guess may be off
STEP = 1  # px of the coarse pictures between places that are compared
PLACES = 30  # that are compared, of those within reach
PER_CLASS = 3  # turns of each class that are compared coarsely
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

    def __len__(self) -> int:
        return len(self.space)

    def rows(self, which: Array) -> Guess:
        few = {name: value[which] for name, value in vars(self).items() if len(value)}
        return replace(self, **few)

    def bare_rows(self) -> Guess:
        """The same without what laying them told."""
        return replace(self, cost=NONE, misfits=NONE, clear=NONE)


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

    def hides(self, points: Array) -> Array:
        """Which of points (N, ..., 2) mm are hidden: (N, ...) bool."""
        shape = (len(points),) + (1,) * (points.ndim - 2) + (2,)
        foot, along = self.foot.reshape(shape), (self.top - self.foot).reshape(shape)
        off = points - foot
        share = np.clip((off * along).sum(-1) / ((along * along).sum(-1) + 1e-9), 0, 1)
        apart = off - share[..., None] * along
        there = self.there.reshape(shape[:-1])
        return np.asarray(((apart * apart).sum(-1) < (COVER_MARGIN * self.radius_mm.reshape(shape[:-1])) ** 2) & there)


def grid_mm(side: int, size_mm: float) -> Array:
    """The centres of a patch's pixels around its own: (side, side, 2) mm."""
    at = ((np.arange(side) + 0.5) / side - 0.5) * size_mm
    return np.stack(np.meshgrid(at, at), -1)


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
) -> Guess:
    """The likeliest places, classes and turns of a group's pieces around centres (N, 2): `kept` rows for each.

    `bare_at(points (N, m, 2), heights (N,))` tells how badly the bare space explains what is seen at points: (N, m).
    """
    n = len(space)
    px_mm = group.reach_mm / group.coarse
    steps = max(1, int(np.ceil(reach_mm / px_mm / STEP)))
    side = group.coarse + 2 * STEP * steps
    seen = sight.cut(centre, np.zeros(n), height, px_mm * side, side, space)
    if cover is not None:
        hidden = cover.hides(grid_mm(side, px_mm * side)[None] + centre[:, None, None])
        seen = np.concatenate([seen, hidden[..., None].astype(np.float32)], -1)
    all_windows = np.lib.stride_tricks.sliding_window_view(seen, (group.coarse,) * 2, axis=(1, 2))
    windows = all_windows[:, ::STEP, ::STEP]
    step = (np.arange(windows.shape[1]) - steps) * float(STEP)
    shifts = np.stack(np.meshgrid(step, step), -1).reshape(-1, 2) * px_mm
    rows = np.arange(n)[:, None]
    bare = np.zeros((n, len(shifts)), np.float32)
    places = np.broadcast_to(np.arange(len(shifts)), (n, len(shifts)))
    if bare_at is not None:
        bare = bare_at(centre[:, None] + shifts[None], height)
        if len(shifts) > PLACES:
            # A place where the bare space explains the photograph is no place for a piece.
            places = np.argpartition(-bare, PLACES, 1)[:, :PLACES]
            bare = np.take_along_axis(bare, places, 1)
    down, across = np.divmod(places, len(step))
    y, x = np.nonzero(group.window)
    flat = windows[rows, down, across][..., y, x].transpose(0, 1, 3, 2)  # (n, places, px, 3 or 4)
    centred = flat[..., :3] - group.mean.reshape(-1, 3)
    if cover is not None:
        centred = centred * (1 - flat[..., 3:])
    z = centred.reshape(n * places.shape[1], -1) @ group.axes
    apart = (z * z).sum(1)[:, None] + (group.points * group.points).sum(1) - 2 * z @ group.points.T
    by_turn = apart.reshape(n, places.shape[1], -1)
    if bare_at is not None:
        by_turn = by_turn * (1 + 2 * (1 - bare[..., None]) ** 2)
    classes = len(group.names)
    turns = len(group.points) // classes
    best_place = by_turn.argmin(1)
    nearest = np.take_along_axis(by_turn, best_place[:, None], 1)[:, 0].reshape(n, classes, turns)
    some = min(PER_CLASS, turns)
    chosen = np.argpartition(nearest, some - 1, 2)[:, :, :some] + (np.arange(classes) * turns)[:, None]
    chosen = chosen.reshape(n, classes * some)
    place = np.take_along_axis(best_place, chosen, 1)
    seen_px, clean = flat[:, :, ::2][rows, place], group.clean[:, ::2][chosen]  # (n, candidates, px, 3 or 4)
    variance = (1.5 * sight.sigma[space] ** 2)[:, None, None] + COARSE_OFF_PX**2 * group.clean_rough[:, ::2][chosen]
    weight = np.ones(variance.shape, np.float32) if cover is None else 1 - seen_px[..., 3]
    bad = _relit_misfit(seen_px[..., :3], clean, weight, variance)
    cost = (bad * weight).sum(2) / (weight.sum(2) + 1e-3)
    if bare_at is not None:
        cost = cost - np.take_along_axis(bare, place, 1)
    kept = min(kept, classes * some)
    order = np.argsort(cost, 1)[:, :kept]
    kind, turn = np.divmod(np.take_along_axis(chosen, order, 1), turns)
    return Guess(
        np.repeat(space, kept),
        kind.ravel(),
        (centre[:, None] + shifts[np.take_along_axis(places, np.take_along_axis(place, order, 1), 1)]).reshape(-1, 2),
        (turn * (2 * np.pi / turns)).ravel(),
        np.repeat(height, kept),
    )


def _relit_misfit(seen: Array, clean: Array, weight: Array, variance: Array) -> Array:
    """Misfits (n, candidates, px) of pictures `clean` with what is seen, after each has found its gain and veil."""
    bad = misfit(seen - clean, variance)
    good = (1 - bad) ** 2 * weight / variance
    total = good.sum(2, keepdims=True)[..., None] + 1e-6
    seen = seen - np.einsum("ncp,ncpk->nck", good, seen)[:, :, None] / total
    clean = clean - np.einsum("ncp,ncpk->nck", good, clean)[:, :, None] / total
    both = np.einsum("ncp,ncpk,ncpk->nc", good, seen, clean)
    own = np.einsum("ncp,ncpk,ncpk->nc", good, clean, clean)
    pull = 1000.0 * total[:, :, 0, 0]
    gain = np.clip((both + pull) / (own + pull), 0.5, 1.6)[:, :, None, None]
    return misfit(seen - gain * clean, variance)


def lay(
    sight: Sight,
    group: Group,
    guess: Guess,
    cover: Cover | None = None,
    rounds: int = 3,
    fine: bool = True,
    free: float = 1.0,
) -> Guess:
    """Align guesses with the photograph, and tell how badly each explains it where nothing covers it.

    `free` is how far the light on them may differ from what the board tells, as a share of what it may do in general.
    Without `fine` the cost is that of the small pictures, and no misfits are told.
    """
    n, side = len(guess), group.side
    if n == 0:
        return replace(guess, cost=NONE, misfits=np.zeros((0, side, side)), clear=np.zeros((0, side, side)))
    small, basis = group.small[guess.kind], group.basis[guess.kind]
    if free != 1:
        basis = basis * np.repeat(np.array([1, free], np.float32), (POSE, LIGHT))[:, None]
    mask = group.masks[guess.kind]
    sigma = sight.sigma[guess.space]
    centre, turn = guess.centre.copy(), guess.turn.copy()
    if cover is not None:
        grid = np.broadcast_to(grid_mm(side, group.reach_mm).reshape(1, -1, 2), (n, side * side, 2))
        points = turned(grid, turn) + centre[:, None]
        mask = mask * ~cover.hides(points).reshape(n, side, side)
    small_mask = (shrunk(mask, SMALL) if cover is not None else group.small_masks[guess.kind]).reshape(n, -1)
    most = sight.most[guess.space][:, None, None]
    amounts = np.zeros((n, basis.shape[1]), np.float32)
    for k in range(rounds):
        seen = sight.cut(centre, turn, guess.height, group.reach_mm, SMALL, guess.space)
        off = (seen - np.minimum(small, most)).reshape(n, -1, 3)
        left = off - (amounts[:, None, POSE:] @ basis[:, POSE:]).reshape(off.shape) if k else off
        off_px = (0.8, 0.5, 0.3)[min(k, 2)]
        variance = (sigma * sigma)[:, None] + off_px**2 * group.small_rough[guess.kind]
        amounts = solve(off, basis, (1 - misfit(left, variance)) ** 2 * small_mask, sigma)
        turn = turn - np.clip(amounts[:, 2] * TURN_SD, -0.2, 0.2)
        shift = np.clip(amounts[:, None, :2] * SHIFT_SD, -2, 2) * (group.reach_mm / SMALL)
        centre = centre - turned(shift, turn)[:, 0]
    if not fine:
        left = off - (amounts[:, None] @ basis).reshape(off.shape)
        bad = misfit(left, variance) * small_mask
        return replace(guess, centre=centre, turn=turn, cost=bad.sum(1) / (small_mask.sum(1) + 1e-6))
    seen = sight.cut(centre, turn, guess.height, group.reach_mm, side, guess.space)
    pictures = sight.blurred(group.pictures, group.reach_mm / side)[guess.kind]
    off = seen - np.minimum(relit(pictures, amounts[:, POSE:] * free), most)
    own = (sight.fine_sigma[guess.space] ** 2)[:, None, None]
    variance = own + np.minimum(OFF_PX**2 * group.rough[guess.kind], ROUGH_MOST)
    bad = misfit(smoothed(off), variance) + LOOSE_COST * np.log(variance / own)
    cost = (bad * mask).sum((1, 2)) / (mask.sum((1, 2)) + 1e-6)
    return Guess(guess.space, guess.kind, centre, turn, guess.height, cost, bad, mask)


def siblings(group: Group, guess: Guess) -> Guess:
    """The same places with the classes that look most alike."""
    some = group.alike.shape[1]
    again = np.repeat(np.arange(len(guess)), some)
    few = guess.rows(again)
    return replace(few, kind=group.alike[guess.kind].ravel())
