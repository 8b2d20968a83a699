"""What lies on pieces: smaller ones, found where the pieces below do not explain what is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.vision.guess import Cover, Guess, align, find, grid_mm, joined, judge, siblings
from companion.vision.knowledge import PieceKnowledge
from companion.vision.rectify import turned
from companion.vision.sight import Sight
from companion.vision.templates import Group

Array = np.ndarray[Any, Any]

NEAR = 0.15  # of cost: classes that look so much worse than the one they resemble in small are told from it
TOP_FREE = 0.4  # what lies on a piece is lit as that is: see `align`


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
    """The likeliest piece on each of n bases: name, how badly it explains what it covers, lead before the next."""

    names: list[str]
    cost: Array  # (n,)
    margin: Array  # (n,)
    cover: Cover


def best_top(
    sight: Sight,
    known: PieceKnowledge,
    tops: tuple[int, ...],
    space: Array,
    centre: Array,
    height: Array,
    reach: float,
) -> Top:
    """The piece of the groups `tops` that fits best within `reach` of centres (n, 2) on bases of `height` (n,)."""
    n = len(space)
    names = [""] * n
    cost, margin = np.full(n, 1.0), np.zeros(n)
    foot, head, radius = centre.copy(), centre.copy(), np.zeros(n)
    for number in tops:
        group = known.groups[number]
        guess = find(sight, group, space, centre, height + group.height_mm, reach, 4)
        kept = len(guess) // n
        owner = np.repeat(np.arange(n), kept)
        guess = align(sight, group, guess, rounds=2, free=TOP_FREE)
        first = guess.rows(best_rows(owner, guess.cost, n))
        guess = joined(first.bare_rows(), siblings(group, first.bare_rows()))
        owner = np.concatenate([np.arange(n), np.repeat(np.arange(n), group.alike.shape[1])])
        guess = align(sight, group, guess, rounds=1, free=TOP_FREE)
        near = near_rows(guess, owner, n)
        guess, owner = judge(sight, group, guess.rows(near)), owner[near]
        lead = best_rows(owner, guess.cost, n)
        other = np.where(guess.kind == guess.kind[lead][owner], 2.0, guess.cost)
        second = guess.cost[best_rows(owner, other, n)]
        second = np.where(other[best_rows(owner, other, n)] < 2, second, 1.0)
        best = guess.rows(lead)
        worse = best.cost >= cost
        margin[worse] = np.minimum(margin[worse], best.cost[worse] - cost[worse])
        for k in np.flatnonzero(best.cost < cost):
            margin[k] = min(second[k], cost[k]) - best.cost[k]
            names[k], cost[k] = group.names[best.kind[k]], best.cost[k]
            foot[k], radius[k] = best.centre[k], group.reach_mm / 2
            head[k] = foot[k] + sight.lean(foot[k : k + 1], height[k : k + 1], best.height[k : k + 1])[0]
    return Top(names, cost, margin, Cover(foot, head, radius, np.ones(n, bool)))


def _spot(group: Group, bad: Array, radius_mm: float) -> tuple[Array, Array]:
    """Where in misfits (n, side, side) a round thing lies: (n, 2) mm from the middle, and the mean misfit there."""
    side = group.side
    k = max(3, 2 * round(radius_mm / group.reach_mm * side) - 1)
    y, x = np.mgrid[:k, :k] - (k - 1) / 2
    kernel = (np.hypot(x, y) <= k / 2).astype(np.float32)
    kernel /= kernel.sum()
    n = len(bad)
    pad = k
    tall = np.pad(bad.astype(np.float32), ((0, 0), (pad, 0), (0, 0))).reshape(-1, side)
    mean = cv2.filter2D(tall, -1, kernel, borderType=cv2.BORDER_CONSTANT).reshape(n, side + pad, side)[:, pad:]
    flat = mean.reshape(n, -1)
    best = flat.argmax(1)
    row, column = np.divmod(best, side)
    at = (np.stack([column, row], 1) + 0.5) / side - 0.5
    return at * group.reach_mm, flat[np.arange(n), best]


def spotted(sight: Sight, known: PieceKnowledge, number: int, tops: tuple[int, ...], base: Guess) -> tuple[Top, Array]:
    """The likeliest small piece on each base, where the base itself does not explain what is seen: and how badly."""
    group, n = known.groups[number], len(base)
    radius = max(known.groups[t].reach_mm for t in tops) / 2
    bad = base.misfits * group.masks[base.kind]
    first, first_seen = _spot(group, bad, radius)
    grid = grid_mm(group.side, group.reach_mm)
    apart = np.hypot(*np.moveaxis(grid[None] - first[:, None, None], -1, 0))
    second, second_seen = _spot(group, bad * (apart > radius), radius)
    spots, seen = np.concatenate([first, second]), np.concatenate([first_seen, second_seen])
    twice = np.tile(np.arange(n), 2)
    at = base.centre[twice] + turned(spots[:, None], base.turn[twice])[:, 0]
    top = best_top(sight, known, tops, base.space[twice], at, base.height[twice], 0.3 * radius)
    better = seen - top.cost
    chosen = np.where(better[n:] > better[:n], np.arange(n) + n, np.arange(n))
    return Top([top.names[k] for k in chosen], top.cost[chosen], top.margin[chosen], top.cover.rows(chosen)), seen[
        chosen
    ]


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
