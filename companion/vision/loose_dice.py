"""Dice in a picture without a board: how large they are and how steeply the camera looks is found out too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from companion.observation import Die, UnsureDie
from companion.vision.face_search import (
    DOUBT,
    HIDDEN,
    PIP,
    WORTH_A_LOOK,
    WORTH_NUDGING,
    clearest,
    confidence,
    face_pips,
    guess_pairs,
    likely,
    lone,
    trust,
)
from companion.vision.pips import SPACING, Faces, best_turns, edges, find_pips, judge_faces, smoothed

Array = np.ndarray[Any, Any]

WORKING_PX = 20.0  # the edge of a die in the picture that is searched: larger ones are brought to it
LARGEST = 0.45  # edge of the largest, in parts of the picture's shorter side
STEP = 1.35  # from one size to the next
SMALLEST_PX = 22.0 / STEP**2  # edge of the smallest dice that are looked for: two steps below those that are read well
SLANTS = (1.0, 0.75)  # how far top faces are foreshortened, from above, where cameras that look aslant stand lower
SIZES = (0.85, 0.95, 1.06, 1.18)  # of a die with one pip, around the size that is looked for
LARGER = (1.0, 1.12, 1.25)  # where the edges may be, the spacing of the pips being no exact measure of the die
MOST_GUESSES = 80  # for one size and slant
MOST_ONES = 16
CERTAIN = (0.0, 0.83, 0.83, 0.83, 0.78, 0.75, 0.72)  # by value: what the pips must explain where sizes are free
FLATTEST = 0.55  # how far a top face may be foreshortened
SAME_DIE = 0.8  # how near two faces of one die are, in edges
LONELY = 2.0  # trust that ones lose where there is no other die
ALIKE = 1.45  # by how much the dice of a picture differ in size


@dataclass(frozen=True, eq=False)
class Flat:
    """A plane seen from far; its unit is the edge that is looked for."""

    linear: Array  # (2, 2) px
    size_mm: float = 1.0

    def to_mm(self, points_px: Array) -> Array:
        points: Array = points_px @ np.linalg.inv(self.linear).T
        return points

    def to_px(self, points_mm: Array) -> Array:
        points: Array = points_mm @ self.linear.T
        return points

    def axes(self, at_mm: Array, turn: Array) -> Array:
        turned: Array = self.linear @ _turns(turn)
        return turned


@dataclass(frozen=True, eq=False)
class Loose:
    """A face somewhere: centre (2,) and axes (2, 2) px, as columns, value, how sure it is, whether it is seen whole."""

    at: Array
    axes: Array
    value: int
    trust: float
    inside: bool

    @property
    def at_px(self) -> tuple[float, float]:
        return float(self.at[0]), float(self.at[1])

    @property
    def edge(self) -> float:
        """The length of its edges, in px."""
        return float(np.sqrt(abs(np.linalg.det(self.axes))))


def loose_dice(pixels: Array) -> tuple[tuple[Die, ...], tuple[UnsureDie, ...]]:
    """The dice of a picture (H, W, 3) uint8 BGR, of whatever size, and what may be dice."""
    dice, unsure = [], []
    for face in find_faces(pixels):
        if face.trust >= 0 and face.inside:
            dice.append(Die(face.value, face.at_px, confidence(face.trust)))
        else:
            unsure.append(UnsureDie(face.at_px, "unclear" if face.inside else "out of the picture"))
    return tuple(dice), tuple(unsure)


def find_faces(pixels: Array) -> list[Loose]:
    """Faces of dice in a picture (H, W, 3) uint8 BGR, none of them in another."""
    height, width = pixels.shape[:2]
    found: list[Loose] = []
    size, level = SMALLEST_PX, pixels
    while size < LARGEST * min(height, width):
        edge_px = min(size, WORKING_PX)
        factor = edge_px / size
        if factor < 1:
            level = cv2.resize(level, (round(width * factor), round(height * factor)), interpolation=cv2.INTER_LINEAR)
        faces = _of_size(level, edge_px)
        found += [replace(face, at=(face.at + 0.5) / factor - 0.5, axes=face.axes / factor) for face in faces]
        size *= STEP
    return _alike(_apart(found))


def _of_size(picture: Array, edge_px: float) -> list[Loose]:
    """Faces with edges of about this size."""
    spot = smoothed(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), edge_px * PIP)
    pips = find_pips(spot, edge_px * PIP)
    many, ones = [], []
    for slant in SLANTS:
        flat = Flat(np.diag([1.0, slant]) * edge_px)
        marks = face_pips(spot, pips, flat, edge_px)
        guess = clearest(likely(spot, guess_pairs(marks, 1.0)), MOST_GUESSES)
        scale = (guess.spacing / SPACING)[:, None, None]
        many.append((guess.at_px, guess.turned * scale))
        alone = marks.of(lone(spot, marks, HIDDEN))
        at = alone.at_px[np.argsort(-np.abs(alone.contrast), kind="stable")[:MOST_ONES]]
        for size in SIZES:
            ones.append((at, np.broadcast_to(flat.linear * size, (len(at), 2, 2))))
    return _many(picture, *_joined(many)) + _ones(picture, *_joined(ones))


def _joined(parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    return np.concatenate([at for at, _ in parts]), np.concatenate([axes for _, axes in parts])


def _many(picture: Array, at: Array, axes: Array) -> list[Loose]:
    """Faces of two and more, fitted to their pips."""
    faces = _judge(picture, at, axes)
    for limit in (WORTH_NUDGING, WORTH_A_LOOK):
        chosen = np.flatnonzero((faces.fit > limit) & (faces.value > 1))
        at, axes = _moved(at[chosen], axes[chosen], faces.of(chosen))
        faces = _judge(picture, at, axes)
    chosen = np.flatnonzero((faces.fit > WORTH_A_LOOK) & (faces.value > 1) & _square(axes))
    return _loose(picture, at[chosen], axes[chosen], faces.of(chosen))


def _ones(picture: Array, at: Array, axes: Array) -> list[Loose]:
    """Faces of one, turned so that they end at edges."""
    faces = _judge(picture, at, axes)
    chosen = np.flatnonzero((faces.fit > WORTH_NUDGING) & (faces.value == 1))
    at, axes = _moved(at[chosen], axes[chosen], faces.of(chosen))
    axes = axes @ _turns(best_turns(picture, at, axes, faces.colour[chosen], faces.depth[chosen]))
    faces = _judge(picture, at, axes)
    chosen = np.flatnonzero((faces.fit > WORTH_A_LOOK) & (faces.value == 1))
    return _loose(picture, at[chosen], axes[chosen], faces.of(chosen))


def _turns(angles: Array) -> Array:
    """Rotations (N, 2, 2)."""
    cos, sin = np.cos(angles), np.sin(angles)
    return np.array([[cos, -sin], [sin, cos]]).transpose(2, 0, 1)


def _judge(picture: Array, at: Array, axes: Array) -> Faces:
    return judge_faces(picture, at, axes, np.full(len(at), SPACING))


def _moved(at: Array, axes: Array, faces: Faces) -> tuple[Array, Array]:
    """Centres and axes moved to where the pips are."""
    at = at + (axes @ (faces.off[:, :2, None] * SPACING))[:, :, 0]
    return at, axes @ (np.eye(2) + faces.off[:, 2:].reshape(-1, 2, 2))


def _square(axes: Array) -> Array:
    """Whether the faces may be squares seen from above: (N,) bool."""
    stretch = np.linalg.svd(axes, compute_uv=False)
    fine: Array = stretch[:, 1] > FLATTEST * stretch[:, 0]
    return fine


def _loose(picture: Array, at: Array, axes: Array, faces: Faces) -> list[Loose]:
    sizes = np.stack([edges(picture, at, axes * size, faces.colour) for size in LARGER], axis=1)  # (N, sizes, 4)
    best = np.sort(sizes, axis=2)[:, :, 1].argmax(axis=1)
    sides = sizes[np.arange(len(at)), best]
    sure = [min(trust(faces, sides, n), 50 * float(faces.fit[n] - CERTAIN[faces.value[n]])) for n in range(len(at))]
    return [Loose(at[n], axes[n], int(faces.value[n]), sure[n], bool(faces.inside[n])) for n in range(len(at))]


def _apart(found: list[Loose]) -> list[Loose]:
    """One face of those that lie in one another or belong to one die: the one that explains the most pips."""
    kept: list[Loose] = []
    for face in sorted(found, key=lambda face: (face.trust < 0, -face.value, -face.trust)):
        apart = [np.hypot(*(face.at - other.at)) > SAME_DIE * max(face.edge, other.edge) for other in kept]
        if face.trust >= DOUBT and all(apart):
            kept.append(face)
    return kept


def _alike(found: list[Loose]) -> list[Loose]:
    """Those of about one size: dice that lie together are."""
    told = [face for face in found if face.trust >= 0]
    if all(face.value == 1 for face in told):  # nothing tells a die's size by then: dots may be anything
        found = [replace(face, trust=face.trust - LONELY) for face in found]
        told = [face for face in found if face.trust >= 0]
    if not told:
        return found
    sizes = np.array([face.edge for face in told])
    weight = np.array([face.value * min(face.trust, 4.0) for face in told])
    near = np.abs(np.log(sizes[:, None] / sizes)) < np.log(ALIKE)
    usual = sizes[np.argmax(near @ weight)]
    return [face for face in found if abs(np.log(face.edge / usual)) < np.log(ALIKE)]
