"""Which classes of a group a piece may be of, and how turned, at a place that is known: all of them compared in small.

A claim names the classes that came first to mind; where something lies on a piece, or a shadow on it, its own need not
be among them.  Here nothing is left out, for little: only the middle of the upper face is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np

from companion.vision.residue import light_on, misfit_of
from companion.vision.sight import Sight
from companion.vision.templates import Group

Array = np.ndarray[Any, Any]

SIDE = 12  # px of a face's middle
AT_ONCE = 600  # faces that are compared: more would not stay in the processor's cache, nor in little memory
TURNS = {"square": 4, "hex": 6, "disc": 16}  # that a piece's outline leaves open
INSIDE = {"square": 0.9, "hex": 0.72, "disc": 0.68}  # of a piece's width: a square within its outline


@dataclass(frozen=True, eq=False)
class Faces:
    """Every class at every turn at n places, compared with what is seen there."""

    misfit: Array  # (n, classes, turns) 0…1
    turns: Array  # (turns,) radians, more than the place is turned
    left: Array  # (n, classes, turns, SIDE, SIDE) 0…1, px by px
    px_mm: float

    def rows(self, which: Sequence[int]) -> Faces:
        return replace(self, misfit=self.misfit[list(which)], left=self.left[list(which)])

    def where_clear(self, hidden: Array) -> Faces:
        """The same without what is hidden (n, SIDE, SIDE) of the places."""
        clear = (~hidden).astype(np.float32)[:, None, None]
        misfit = (self.left * clear).sum((3, 4)) / np.maximum(clear.sum((3, 4)), 1.0)
        return replace(self, misfit=misfit)

    def best(self, count: int) -> list[list[tuple[int, float]]]:
        """Of each place the `count` likeliest classes, each with the turn at which it does best."""
        turn, least = self.turns[self.misfit.argmin(2)], self.misfit.min(2)
        likeliest = np.argsort(least)[:, :count].tolist()
        return [[(kind, float(turn[k, kind])) for kind in some] for k, some in enumerate(likeliest)]


def faces_at(sight: Sight, group: Group, space: Array, at: Array, turn: Array, height: Array) -> Faces:
    """All of a group compared with upper faces at (n, 2) mm, turned (n,) radians, at heights (n,) mm."""
    drawn = _turned(group)
    classes, turns = drawn.shape[:2]
    size_mm = INSIDE[group.shape] * group.reach_mm
    seen = sight.cut(at, turn, height, size_mm, SIDE, space).reshape(len(space), 1, 3, -1)
    some = max(1, AT_ONCE // (classes * turns))
    parts = [slice(first, first + some) for first in range(0, len(space), some)]
    left = np.concatenate([_left(seen[part], drawn, sight.sigma[space[part]]) for part in parts])
    left = left.reshape(len(space), classes, turns, SIDE, SIDE)
    return Faces(left.mean((3, 4)), _steps(group), left, size_mm / SIDE)


def _left(seen: Array, drawn: Array, sigma: Array) -> Array:
    """How badly each of what is drawn (classes, turns, 3, ...) does for each that is seen (n, 1, 3, px): (…, px)."""
    faces = drawn.reshape(-1, 3, SIDE * SIDE)
    pairs = np.broadcast_to(seen, (len(seen), len(faces), *seen.shape[2:])).reshape(-1, 3, SIDE * SIDE)
    every = np.tile(faces, (len(seen), 1, 1))
    of_each = np.repeat(sigma, len(faces))
    gain, veil = light_on(pairs, every, of_each)
    return misfit_of(pairs - gain * every - veil, of_each)


def _steps(group: Group) -> Array:
    turns = 1 if group.even else TURNS[group.shape]
    return 2 * np.pi * np.arange(turns) / turns


@cache
def _turned(group: Group) -> Array:
    """The middle of every class's face at every turn: (classes, turns, 3, SIDE, SIDE) float32."""
    step = INSIDE[group.shape] * group.side / SIDE
    middle, half = (group.side - 1) / 2, (SIDE - 1) / 2
    out = []
    for picture in group.pictures:
        soft = cv2.blur(picture.transpose(1, 2, 0), (max(1, round(step)),) * 2)
        for turn in _steps(group):
            # A piece that is turned so shows there what lies as far the other way about in its picture.
            cos, sin = np.cos(turn) * step, np.sin(turn) * step
            matrix = np.array([[cos, sin, middle - half * (cos + sin)], [-sin, cos, middle - half * (cos - sin)]])
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            out.append(cv2.warpAffine(soft, matrix, (SIDE, SIDE), flags=flags, borderMode=cv2.BORDER_REPLICATE))
    shape = (len(group.names), len(_steps(group)), SIDE, SIDE, 3)
    return np.ascontiguousarray(np.array(out).reshape(shape).transpose(0, 1, 4, 2, 3), np.float32)
