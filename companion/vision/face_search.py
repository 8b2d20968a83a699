"""Where faces of dice may lie in a picture, by dots that may be pips, and how sure a face is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from companion.vision.pips import NARROW, SPACING, Faces, Pips, ring

Array = np.ndarray[Any, Any]

PIP = 0.1  # radius of a pip, in edges of the die
DIAGONAL = (0.56, 0.9)  # distance of two pips in opposite corners of a face, in edges
RING = 0.17  # where round a pip nothing but face lies, in edges
HIDDEN = -0.9  # how far a face may be from what is seen round a pip, in parts of their contrast: blur hides it there
MOST_OFF = 4  # samples round a lone pip that are not face
FAINTEST = 13  # grey levels between pip and face
CLEAR = (0.0, 7.0, 6.0, 5.5, 5.2, 5.0, 4.8)  # by value: contrast of the pips to what they leave unexplained
TELLING = 0.7  # what a value leaves unexplained, in parts of what the next best leaves
BOUNDED = (0, 0, 1, 1, 2, 3, 3)  # by value: which of the sides, from the faintest, must end at an edge
STANDING_OUT = (8.0, 20.0)  # where pips stand out so much,
LEAST_EDGE = (12.0, 4.0)  # so many grey levels make an edge
WORTH_NUDGING = 0.3  # what pips must explain of a patch for it to be looked at more closely,
WORTH_A_LOOK = 0.5  # and then
DOUBT = -1.5  # faces that are less sure are not even told as unsure

# Places on a face, in spacings: the other corners, the columns' and the rows' middles, the centre, places with no pip.
_PROBES = np.array([[1, -1, 0, 0, 1, -1, 0, -0.5, 0.5, -0.5, 0.5], [-1, 1, -1, 1, 0, 0, 0, -0.5, -0.5, 0.5, 0.5]])
# Which of them (8 corners, 4 and 2 the middles, 1 the centre) a face has together.
_LAYOUTS = np.isin(np.arange(16), (0b0000, 0b0001, 0b1000, 0b1001, 0b1100, 0b1010))


class Ground(Protocol):
    """A plane on which faces of `size_mm` lie, as seen in a picture."""

    @property
    def size_mm(self) -> float: ...

    def to_mm(self, points_px: Array) -> Array: ...

    def to_px(self, points_mm: Array) -> Array: ...

    def axes(self, at_mm: Array, turn: Array) -> Array: ...


@dataclass(frozen=True, eq=False)
class Marks:
    """Dots that may be pips: `at_px` (N, 2), `at_mm` (N, 2), `contrast` (N,) to the `face` (N,) round them, in grey.

    `axes` (N, 2, 2) px, as columns, are a face's that lies there, not turned.
    """

    at_px: Array
    at_mm: Array
    axes: Array
    contrast: Array
    face: Array

    def of(self, chosen: Array) -> Marks:
        return Marks(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


@dataclass(frozen=True, eq=False)
class Guess:
    """Where faces may lie: `at_px` and `at_mm` (N, 2) the centres, `axes` (N, 2, 2) px those of a face not turned.

    `turn` (N,) is the x axis' angle and `spacing` (N,) that of the outer pips; `across` (N,) is the y of the corner
    pips in spacings, negative where the pair lies on the other diagonal, and 0 where one pip is the whole face;
    `contrast` and `face` (N, 2) are as of marks, of both pips.
    """

    at_px: Array
    at_mm: Array
    axes: Array
    turn: Array
    spacing: Array
    across: Array
    contrast: Array
    face: Array

    @property
    def alone(self) -> Array:
        """Which are faces of one pip: (N,) bool."""
        one: Array = self.across == 0
        return one

    @property
    def turned(self) -> Array:
        """Axes (N, 2, 2) px, as columns, of the faces as they are turned."""
        cos, sin = np.cos(self.turn), np.sin(self.turn)
        along = self.axes[:, :, 0] * cos[:, None] + self.axes[:, :, 1] * sin[:, None]
        across = self.axes[:, :, 1] * cos[:, None] - self.axes[:, :, 0] * sin[:, None]
        return np.stack([along, across], axis=2)

    def of(self, chosen: Array) -> Guess:
        return Guess(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def face_pips(spot: Array, pips: Pips, ground: Ground, edge_px: float) -> Marks:
    """Those dots of a smoothed grey picture that have one plain colour round them; dice have edges of `edge_px`."""
    height, width = spot.shape
    middle = ground.to_mm(np.array([[width / 2, height / 2]]))
    axes = ground.axes(middle, np.zeros(1))
    x, y = pips.at.T
    level, sign = spot[y, x].astype(np.int16), np.sign(pips.strength).astype(np.int16)
    # Most dots are texture: half the ring's samples tell that, and need no sorting of the whole.
    some = (level - ring(spot, pips.at, axes, RING, 6)) * sign
    dots = np.flatnonzero((some > FAINTEST // 2).sum(axis=0, dtype=np.uint8) > 3)
    at = pips.between(dots)
    around = np.sort(ring(spot, at, axes, RING), axis=0)
    face = (around[5] + around[6]) / 2
    contrast = level[dots] - face
    # In a corner a third of the ring may lie past the edges: eight of twelve neighbours in order must be alike.
    off = np.maximum(face - around[:5], around[7:] - face).min(axis=0)
    plain = off < 0.5 * np.abs(contrast)
    kept = np.flatnonzero(plain & (contrast * sign[dots] > FAINTEST))
    kept = kept[_single(at[kept], np.abs(pips.strength[dots[kept]]), edge_px * PIP)]
    at, contrast, face = at[kept], contrast[kept], face[kept]
    at_mm = ground.to_mm(at)
    return Marks(at, at_mm, ground.axes(at_mm, np.zeros(len(at))), contrast, face)


def lone(spot: Array, marks: Marks, hidden: float) -> Array:
    """Which dots have nothing but face round them, out to where other values would have pips: indices (M,).

    `hidden` is how far the face may be from what is seen close round a dot, as HIDDEN.
    """
    chosen, count = np.arange(len(marks.at_mm)), 0
    for radius in (0.42, 0.34, 0.26):  # most fall at the first
        around = ring(spot, marks.at_px[chosen], marks.axes[chosen], radius)
        level = (around - marks.face[chosen]) / marks.contrast[chosen]
        off = (level >= 0.5) | (level <= hidden)
        count = count + off.sum(axis=0)
        kept = np.flatnonzero(count <= MOST_OFF)
        chosen, count = chosen[kept], count[kept]
    return chosen


def guess_pairs(marks: Marks, size_mm: float) -> Guess:
    """Faces by two like pips in opposite corners."""
    i, j = _near_pairs(marks.at_mm, DIAGONAL[1] * size_mm)
    apart = marks.at_mm[j] - marks.at_mm[i]
    far = np.hypot(*apart.T) / size_mm
    a, b = marks.contrast[i], marks.contrast[j]
    least = np.minimum(np.abs(a), np.abs(b))
    alike = (a * b > 0) & (least > 0.4 * np.maximum(np.abs(a), np.abs(b)))
    alike &= np.abs(marks.face[i] - marks.face[j]) < 0.9 * least
    kept = (far > DIAGONAL[0]) & (far < DIAGONAL[1]) & alike
    i, j, apart, far = i[kept], j[kept], apart[kept], far[kept]
    at_px, at_mm, axes = ((of[i] + of[j]) / 2 for of in (marks.at_px, marks.at_mm, marks.axes))
    contrast = np.stack([marks.contrast[i], marks.contrast[j]], axis=1)
    face = np.stack([marks.face[i], marks.face[j]], axis=1)
    angle = np.arctan2(apart[:, 1], apart[:, 0])
    corner = np.arctan(NARROW)
    shapes = ((1.0, np.pi / 4), (NARROW, corner), (-NARROW, -corner))
    parts = [
        Guess(at_px, at_mm, axes, angle - off, far / 2 * np.cos(off), np.full(len(far), across), contrast, face)
        for across, off in shapes
    ]
    return joined(parts)


def guess_ones(marks: Marks) -> Guess:
    """Faces by their one pip, turned anyhow."""
    nothing = np.zeros(len(marks.at_mm))
    contrast, face = (np.stack([of, of], axis=1) for of in (marks.contrast, marks.face))
    return Guess(marks.at_px, marks.at_mm, marks.axes, nothing, nothing + SPACING, nothing, contrast, face)


def joined(parts: Sequence[Guess]) -> Guess:
    return Guess(*(np.concatenate([getattr(part, name) for part in parts]) for name in Guess.__dataclass_fields__))


def likely(spot: Array, guess: Guess) -> Guess:
    """Guesses whose face is plain between the pips' places, and whose places mirror one another."""
    if not len(guess.turn):
        return guess
    axes = guess.turned * guess.spacing[:, None, None]
    axes[:, :, 1] *= guess.across[:, None]
    height, width = spot.shape
    x, y = (guess.at_px[:, k] + _PROBES.T @ axes[:, k].T for k in (0, 1))  # (11, N)
    x = np.clip(x + 0.5, 0, width - 1).astype(np.intp)
    y = np.clip(y + 0.5, 0, height - 1).astype(np.intp)
    # Where light falls across a face, both pips tell how it does along their line.
    along = (1 + _PROBES.mean(axis=0)[:, None]) / 2
    face = guess.face[:, 0] + along * (guess.face[:, 1] - guess.face[:, 0])
    level = (spot[y, x] - face) / (guess.contrast[:, 0] + along * (guess.contrast[:, 1] - guess.contrast[:, 0]))
    plain = ((level[7:] < 0.55) & (level[7:] > HIDDEN)).sum(axis=0) > 2
    mirrored = (np.abs(level[0:6:2] - level[1:6:2]) < 0.8).all(axis=0)
    corner, column, row, middle = (
        level[0] + level[1] > 1,
        level[2] + level[3] > 1,
        level[4] + level[5] > 1,
        level[6] > 0.5,
    )
    layout = _LAYOUTS[corner * 8 + column * 4 + row * 2 + middle * 1]
    return guess.of(plain & mirrored & layout & ((guess.across == 1) | (column ^ row)))


def clearest(guess: Guess, most: int) -> Guess:
    """The guesses with the strongest pips."""
    return guess.of(np.argsort(-np.abs(guess.contrast).sum(axis=1), kind="stable")[:most])


def trust(faces: Faces, sides: Array, n: int) -> float:
    """How sure a face is: 0 at the limit of what is claimed.

    How far its pips stand out of what they do not explain; the fewer they are the more of it is asked.
    """
    value = int(faces.value[n])
    standing_out = float(abs(faces.contrast[n]) / faces.rest[n])
    telling = 20 * float(TELLING - (1 - faces.fit[n]) / (1 - faces.rival[n]))
    least = float(np.interp(standing_out, STANDING_OUT, LEAST_EDGE))
    bounded = 0.3 * (float(np.sort(sides[n])[BOUNDED[value]]) - least)
    return min(standing_out - CLEAR[value], telling, bounded)


def confidence(trust: float) -> float:
    """The chance that a face of this trust is told right."""
    return 1 - 0.05 * math.exp(-trust / 2)


def _near_pairs(at: Array, reach: float) -> tuple[Array, Array]:
    """Indices i, j of points (N, 2) no farther apart than `reach` along each axis, i above j."""
    order = np.argsort(at[:, 1], kind="stable")
    line = at[order]
    last = np.searchsorted(line[:, 1], line[:, 1] + reach, side="right")
    counts = last - np.arange(len(line)) - 1
    i = np.repeat(np.arange(len(line)), counts)
    j = i + 1 + np.arange(len(i)) - np.repeat(np.cumsum(counts) - counts, counts)
    near = np.abs(line[i, 0] - line[j, 0]) <= reach
    return order[i[near]], order[j[near]]


def _single(at: Array, strength: Array, reach: float) -> Array:
    """Which of points (N, 2) have no stronger one within reach: (N,) bool."""
    i, j = _near_pairs(at, reach)
    kept = np.ones(len(at), bool)
    kept[np.where(strength[i] < strength[j], i, j)] = False
    return kept
