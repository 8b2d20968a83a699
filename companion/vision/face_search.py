"""Where faces of dice may lie in a picture, by dots that may be pips, and how sure a face is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from companion.vision.pips import NARROW, Faces, Pips, ring

Array = np.ndarray[Any, Any]

WORKING_PX = 20.0  # the edge of a die in the picture that is searched: others are brought to it
PIP = 0.1  # radius of a pip, in edges of the die
DIAGONAL = (0.56, 0.9)  # distance of two pips in opposite corners of a face, in edges
RING = 0.17  # where round a pip nothing but face lies, in edges
FAINTEST = 10  # grey levels between pip and face
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
    """Dots that may be pips: `at_px` (N, 2), `at_mm` (N, 2), `contrast` (N,) to the `face` (N,) round them, in grey."""

    at_px: Array
    at_mm: Array
    contrast: Array
    face: Array

    def of(self, chosen: Array) -> Marks:
        return Marks(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


@dataclass(frozen=True, eq=False)
class Guess:
    """Where faces may lie: `at_mm` (N, 2) the centres, `turn` (N,) the x axis' angle, `spacing` (N,) of outer pips.

    `across` (N,) is the y of the corner pips in spacings, negative where the pair lies on the other diagonal;
    `contrast` and `face` (N, 2) are as of marks, of both pips.
    """

    at_mm: Array
    turn: Array
    spacing: Array
    across: Array
    contrast: Array
    face: Array

    def of(self, chosen: Array) -> Guess:
        return Guess(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def face_pips(spot: Array, pips: Pips, ground: Ground) -> Marks:
    """Those dots of a smoothed grey picture that have one plain colour round them."""
    height, width = spot.shape
    middle = ground.to_mm(np.array([[width / 2, height / 2]]))
    axes = ground.axes(middle, np.zeros(1))
    around = np.sort(ring(spot, pips.at, axes, RING), axis=1)
    face = (around[:, 5] + around[:, 6]) / 2
    x, y = np.rint(pips.at).astype(np.intp).T
    contrast = spot[y, x] - face
    # In a corner a third of the ring may lie past the edges: eight of twelve neighbours in order must be alike.
    off = np.maximum(face[:, None] - around[:, :5], around[:, 7:] - face[:, None]).min(axis=1)
    plain = off < 0.5 * np.abs(contrast)
    kept = np.flatnonzero(plain & (np.abs(contrast) > FAINTEST) & (contrast * pips.strength > 0))
    kept = kept[_single(pips.at[kept], np.abs(pips.strength[kept]), WORKING_PX * PIP)]
    at = pips.at[kept]
    return Marks(at, ground.to_mm(at), contrast[kept], face[kept])


def lone(spot: Array, ground: Ground, marks: Marks) -> Array:
    """Which dots have nothing but face round them, out to where other values would have pips: (N,) bool."""
    axes = ground.axes(marks.at_mm, np.zeros(len(marks.at_mm)))
    around = np.concatenate([ring(spot, marks.at_px, axes, radius) for radius in (0.26, 0.34, 0.42)], axis=1)
    around = np.sort(np.abs(around - marks.face[:, None]), axis=1)
    plain: Array = around[:, -5] < 0.5 * np.abs(marks.contrast)
    return plain


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
    at = (marks.at_mm[i] + marks.at_mm[j]) / 2
    contrast = np.stack([marks.contrast[i], marks.contrast[j]], axis=1)
    face = np.stack([marks.face[i], marks.face[j]], axis=1)
    angle = np.arctan2(apart[:, 1], apart[:, 0])
    corner = np.arctan(NARROW)
    shapes = ((1.0, np.pi / 4), (NARROW, corner), (-NARROW, -corner))
    parts = [
        Guess(at, angle - off, far / 2 * np.cos(off), np.full(len(at), across), contrast, face)
        for across, off in shapes
    ]
    return Guess(*(np.concatenate([getattr(part, name) for part in parts]) for name in Guess.__dataclass_fields__))


def likely(spot: Array, ground: Ground, guess: Guess) -> Guess:
    """Guesses whose face is plain between the pips' places, and whose places mirror one another."""
    if not len(guess.turn):
        return guess
    axes = ground.axes(guess.at_mm, guess.turn) * guess.spacing[:, None, None]
    axes[:, :, 1] *= guess.across[:, None]
    places = ground.to_px(guess.at_mm)[:, :, None] + axes @ _PROBES
    height, width = spot.shape
    x = np.clip(np.rint(places[:, 0]), 0, width - 1).astype(np.intp)
    y = np.clip(np.rint(places[:, 1]), 0, height - 1).astype(np.intp)
    # Where light falls across a face, both pips tell how it does along their line.
    along = (1 + _PROBES.mean(axis=0)) / 2
    face = guess.face[:, :1] * (1 - along) + guess.face[:, 1:] * along
    level = (spot[y, x] - face) / (guess.contrast[:, :1] * (1 - along) + guess.contrast[:, 1:] * along)
    plain = np.sort(np.abs(level[:, 7:]), axis=1)[:, 2] < 0.55
    corner, column, row, middle = level[:, 0:2].T, level[:, 2:4].T, level[:, 4:6].T, level[:, 6]
    mirrored = np.abs(level[:, 0:6:2] - level[:, 1:6:2]).max(axis=1) < 0.8
    has = [side.mean(axis=0) > 0.5 for side in (corner, column, row)] + [middle > 0.5]
    layout = _LAYOUTS[has[0] * 8 + has[1] * 4 + has[2] * 2 + has[3] * 1]
    return guess.of(plain & mirrored & layout & ((guess.across == 1) | (has[1] ^ has[2])))


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
