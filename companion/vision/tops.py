"""What lies on pieces: smaller ones, found by their plain colour, or where the pieces below explain too little."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np

from companion.vision.guess import Cover, Guess, align, find, joined, judge, siblings
from companion.vision.knowledge import PieceKnowledge
from companion.vision.rectify import turned
from companion.vision.sight import Sight
from companion.vision.templates import Group

Array = np.ndarray[Any, Any]

NEAR = 0.05  # of cost: classes that look so much worse than the one they resemble in small are told from it
HOPELESS = 0.6  # of cost: what explains so badly in small is not looked at closely
KEPT_TOPS = 3  # guesses of what lies on a piece that are laid there
SPOT_PX = 6.0  # how wide a plain round piece is where it is looked for
SHADES = (0.55, 1.5)  # of its colour
LEAST_SQUARE = 1.0  # of a colour, levels²
SPOT_DOUBT = 1.5  # of the variance of a px
TOP_FREE = 0.7  # what lies on a piece is lit as that is: see `align`


def best_rows(owner: Array, score: Array, count: int) -> Array:
    """The row of least score for each of `count` owners, −1 where there is none."""
    best = np.full(count, -1)
    order = np.argsort(-score, kind="stable")
    best[owner[order]] = order
    return best


def near_rows(guess: Guess, owner: Array, count: int) -> Array:
    """The rows worth a close look: the first `count`, one for each owner, and of the rest those that come near it."""
    near = guess.cost < guess.cost[owner] + NEAR
    near[best_rows(owner[count:], guess.cost[count:], count) + count] = True
    near[:count] = True
    return np.flatnonzero(near)


@dataclass(frozen=True, eq=False)
class Top:
    """The likeliest piece on each of n bases."""

    names: Array  # (n,) of str
    cost: Array  # (n,) how badly it explains what it covers
    margin: Array  # (n,) of cost, before the next class
    turn: Array  # (n,) radians
    cover: Cover

    def rows(self, which: Array) -> Top:
        few = (self.names[which], self.cost[which], self.margin[which], self.turn[which])
        return Top(*few, self.cover.rows(which))

    def and_(self, other: Top) -> Top:
        cover = Cover(*(np.concatenate([value, vars(other.cover)[name]]) for name, value in vars(self.cover).items()))
        names, cost, margin, turn = (
            np.concatenate([vars(self)[name], vars(other)[name]]) for name in ("names", "cost", "margin", "turn")
        )
        return Top(names, cost, margin, turn, cover)


def no_tops(at: Array) -> Top:
    """Nothing on any of bases at (n, 2)."""
    one = np.ones(len(at))
    return Top(np.full(len(at), "", object), one, one, 0 * one, Cover(at, at, one, one < 0))


def best_top(
    sight: Sight, known: PieceKnowledge, tops: tuple[int, ...], space: Array, centre: Array, height: Array, reach: float
) -> Top:
    """The piece of the groups `tops` that fits best within `reach` of centres (n, 2) on bases of `height` (n,)."""
    best: Top | None = None
    for number in tops:
        top = _top_of(sight, known.groups[number], space, centre, height, reach)
        if best is None:
            best = top
            continue
        ahead = top.cost < best.cost
        order = np.where(ahead, len(space), 0) + np.arange(len(space))
        margin = np.minimum(np.where(ahead, top.margin, best.margin), np.abs(top.cost - best.cost))
        best = replace(best.and_(top).rows(order), margin=margin)
    assert best is not None
    return best


def _top_of(sight: Sight, group: Group, space: Array, centre: Array, height: Array, reach: float) -> Top:
    n = len(space)
    if group.even:
        first = spotted(sight, group, space, centre, height + group.height_mm, reach)
        hope = np.arange(n)
    else:
        guess = find(sight, group, space, centre, height + group.height_mm, reach, KEPT_TOPS)
        owner = np.repeat(np.arange(n), len(guess) // n)
        guess = align(sight, group, guess, rounds=2, free=TOP_FREE)
        first = guess.rows(best_rows(owner, guess.cost, n))
        hope = np.flatnonzero(first.cost < HOPELESS)
        first = first.bare_rows()
    guess = joined(first.rows(hope), siblings(group, first.rows(hope)))
    owner = np.concatenate([np.arange(len(hope)), np.repeat(np.arange(len(hope)), group.alike.shape[1])])
    guess = align(sight, group, guess, rounds=1, free=TOP_FREE)
    near = near_rows(guess, owner, len(hope))
    guess, owner = judge(sight, group, guess.rows(near)), owner[near]
    best = best_rows(owner, guess.cost, len(hope))
    other = np.where(guess.kind == guess.kind[best][owner], 1.0, guess.cost)
    next_cost = np.ones(len(hope))
    np.minimum.at(next_cost, owner, other)
    guess = guess.rows(best)
    names, cost, margin = np.full(n, group.names[0], object), np.ones(n), np.zeros(n)
    foot, turn = first.centre.copy(), first.turn.copy()
    names[hope], foot[hope], turn[hope] = np.array(group.names, object)[guess.kind], guess.centre, guess.turn
    cost[hope], margin[hope] = guess.cost, next_cost - guess.cost
    head = foot + sight.lean(foot, height, height + group.height_mm)
    return Top(names, cost, margin, turn, Cover(foot, head, np.full(n, group.reach_mm / 2), np.ones(n, bool)))


@cache
def _rings() -> tuple[Array, Array]:
    """Weights of the px inside a round thing SPOT_PX wide, and of those just around it."""
    half = int(np.ceil(0.75 * SPOT_PX))
    y, x = np.mgrid[-half : half + 1, -half : half + 1] / (0.5 * SPOT_PX)
    far = np.hypot(x, y)
    inside, around = (far <= 0.9).astype(np.float32), ((far > 1.12) & (far <= 1.5)).astype(np.float32)
    return inside / inside.sum(), around / around.sum()


@dataclass(frozen=True, eq=False)
class _Spots:
    """How clearly pieces of plain colours, n bases by classes by places, stand out from what is around them."""

    clear: Array  # (n, classes, places)
    at: Array  # (places, 2) mm off the middles
    apart: float  # mm: places that are nearer are of one piece

    def best(self) -> tuple[Array, Array]:
        """The class and place (n,) each that stand out most."""
        kind, place = np.divmod(self.clear.reshape(len(self.clear), -1).argmax(1), len(self.at))
        return kind, place

    def without(self, place: Array) -> _Spots:
        """The same but for what is near a place (n,) of each."""
        near = np.hypot(*(self.at - self.at[place][:, None]).transpose(2, 0, 1)) <= self.apart
        return replace(self, clear=np.where(near[:, None], -9.0, self.clear))


def _spots(sight: Sight, group: Group, space: Array, centre: Array, height: Array, reach: float) -> _Spots:
    """Round spots of a group's colours, and not around, within `reach` of centres (n, 2); their tops are at heights."""
    n, px_mm = len(space), group.reach_mm / SPOT_PX
    inside, around = _rings()
    margin, steps = len(inside) // 2, max(1, int(np.ceil(reach / px_mm)))
    side = 2 * (steps + margin) + 1
    seen = sight.cut(centre, np.zeros(n), height, px_mm * side, side, space).reshape(n, 3, -1)
    colours = group.colours
    # Whatever its brightness, a px has a colour if it lies near the line of all its shades; black has none.
    square = np.maximum((colours * colours).sum(1)[:, None], LEAST_SQUARE)
    along = colours @ seen
    gain = np.clip(along / square, *SHADES)  # (n, classes, px)
    off = (seen * seen).sum(1)[:, None] + gain * (gain * square - 2 * along)
    doubt = (12 * SPOT_DOUBT * sight.fine_sigma[space] ** 2)[:, None, None]
    off = (off / (off + doubt)).reshape(-1, side).astype(np.float32)
    stands_out = cv2.filter2D(off, -1, around - inside).reshape(n, -1, side, side)[..., margin:-margin, margin:-margin]
    y, x = np.mgrid[-steps : steps + 1, -steps : steps + 1].reshape(2, -1)
    clear = np.where(np.hypot(x, y) <= reach / px_mm + 0.5, stands_out.reshape(n, -1, x.size), -9.0)
    return _Spots(clear, np.stack([x, y], 1) * px_mm, 0.8 * SPOT_PX * px_mm)


def spotted(
    sight: Sight, group: Group, space: Array, centre: Array, height: Array, reach: float, kept: int = 1
) -> Guess:
    """Where within `reach` of centres (n, 2) pieces of plain colours lie, their tops at heights (n,): the `kept`
    clearest round spots of each, apart from one another."""
    spots = _spots(sight, group, space, centre, height, reach)
    kinds, places = [], []
    for _ in range(kept):
        kind, place = spots.best()
        kinds.append(kind)
        places.append(place)
        spots = spots.without(place)
    rows, kind, place = np.repeat(np.arange(len(space)), kept), np.stack(kinds, 1).ravel(), np.stack(places, 1).ravel()
    at = centre[rows] + spots.at[place]
    return Guess(space[rows], kind, at, np.zeros(len(rows)), height[rows])


def spotted_each(sight: Sight, group: Group, space: Array, centre: Array, height: Array, reach: float) -> Array:
    """As `spotted`: where each class would lie (n, classes, 2), mm."""
    spots = _spots(sight, group, space, centre, height, reach)
    return np.asarray(centre[:, None] + spots.at[spots.clear.argmax(2)])


@cache
def _blurred_twice(k_px: int, side: int, room_px: int) -> Array:
    """The matrix (side, side) that averages over `k_px` twice, so that its middle stands out.

    Beyond the edges is nothing; what spreads no more than `room_px` over them comes back.
    """
    at = np.arange(side + 2 * room_px)
    box = (np.abs(at[:, None] - at) <= k_px // 2).astype(np.float32) / np.float32(k_px)
    inside = slice(room_px, room_px + side)
    return np.asarray((box @ box)[inside, inside])


def worst_spot(group: Group, guess: Guess, clear: Array, size_mm: float) -> tuple[Array, Array]:
    """Where judged guesses explain least what is clear (n, side, side) of them: spots (n, 2) mm on the board, and the
    mean misfit (n,) over one `size_mm` wide."""
    side = group.side
    k = int(np.clip(round(0.6 * size_mm / group.reach_mm * side), 3, side)) | 1
    bad = (guess.misfits * clear).astype(np.float32)
    mean = _blurred_twice(k, side, k) @ bad @ _blurred_twice(k, side, 0).T
    flat = mean.reshape(len(bad), -1)
    best = flat.argmax(1)
    row, column = np.divmod(best, side)
    at = ((np.stack([column, row], 1) + 0.5) / side - 0.5) * group.reach_mm
    return guess.centre + turned(at[:, None], guess.turn)[:, 0], flat[np.arange(len(flat)), best]


def on(group: Group, guess: Guess, cover: Cover, owner: Array) -> tuple[Array, Array]:
    """Of each guess: the mean misfit below the top that lies on it, and the share of it that the top hides."""
    side = group.side
    top = turned((cover.top[owner] - guess.centre)[:, None], -guess.turn)[:, 0].astype(np.float32)
    at = ((np.arange(side, dtype=np.float32) + 0.5) / side - 0.5) * group.reach_mm
    x, y = (at - top[:, :1])[:, None], (at - top[:, 1:])[:, :, None]
    radius = cover.radius_mm[owner].astype(np.float32)[:, None, None]
    on = (x * x + y * y < radius * radius) * group.masks[guess.kind]
    below = (guess.misfits * on).sum((1, 2)) / (on.sum((1, 2)) + 1e-6)
    return below, on.sum((1, 2)) / (group.masks[guess.kind].sum((1, 2)) + 1e-6)
