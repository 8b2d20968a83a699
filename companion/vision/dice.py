"""Dice: their values, read off the top faces; what looks like a die but cannot be told is said to be unsure.

With a view it is known how large a die is and how its top face lies, a die's height above the table: a face must be a
square of that size there, all its pips in place.  What the boards' own pictures explain is printed, and no die.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from companion.kit import Dice
from companion.observation import Die, UnsureDie
from companion.vision.face_search import (
    DOUBT,
    PIP,
    WORKING_PX,
    WORTH_A_LOOK,
    WORTH_NUDGING,
    Guess,
    Marks,
    clearest,
    confidence,
    face_pips,
    guess_pairs,
    likely,
    lone,
    trust,
)
from companion.vision.loose_dice import loose_dice
from companion.vision.pips import SPACING, Faces, best_turns, edges, find_pips, judge_faces, smoothed
from companion.vision.view import View

Array = np.ndarray[Any, Any]

TOUCHING = 0.92  # no two dice are nearer, in edges
SPACINGS = (0.19, 0.33)  # how far outer pips may lie from the middle lines, in edges
MOST_GUESSES = 120
MOST_ONES = 40
PLAINEST = 8.0  # spread, in grey levels, of print that could look like a die
PRINTED = 0.75  # correlation with the board's picture
STEEP = 0.6  # tangent of the angle off the vertical from which a side may look like a top
MOST_LEFT = 4  # groups of pips that no face explains
LEVEL = (0.0, 9.0, 9.0, 9.0, 0.09, 0.09, 0.14)  # by value: stretch of the pips of a die that lies flat
MORE_PIPS = 3.0  # trust by which a four and more goes before less
SURE = 2.0  # trust of a die that others of its throw are measured by,
PLAIN_ONE = 4.0  # trust from which a one needs no look at what lies beside it
LIKENESS = 0.6  # and how much trust it lends them
ALIKE = 0.3  # by how much the contrast, by how much of the contrast the face, of one throw's dice may differ


@dataclass(frozen=True, eq=False)
class Printed:
    """A board's own picture, BGR, and its size: what is printed there is no die."""

    picture: Array
    size_mm: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane over one board, as seen in a picture reduced by `factor`; faces on it have edges of `size_mm`."""

    view: View
    board: str
    height_mm: float
    size_mm: float
    factor: float = 1.0

    def to_mm(self, points_px: Array) -> Array:
        """Millimetres (N, 2) on the plane of points (N, 2) px of the reduced picture."""
        if not len(points_px):
            return np.zeros((0, 2))
        whole = (points_px + 0.5) / self.factor - 0.5
        rays = cv2.undistortPoints(whole.reshape(-1, 1, 2).astype(float), self.view.matrix, self.view.distortion)
        pose = self.view.poses[self.board]
        turn, _ = cv2.Rodrigues(pose.rotation)
        onto = np.column_stack([turn[:, 0], turn[:, 1], pose.translation - self.height_mm * turn[:, 2]])
        return cv2.perspectiveTransform(rays, np.linalg.inv(onto)).reshape(-1, 2)

    def to_px(self, points_mm: Array) -> Array:
        if not len(points_mm):
            return np.zeros((0, 2))
        seen = self.view.pixels(self.board, points_mm, self.height_mm)
        return (seen + 0.5) * self.factor - 0.5

    def axes(self, at_mm: Array, turn: Array) -> Array:
        """Axes (N, 2, 2) px, as columns, of faces of the dice's size at these points, turned so."""
        along = np.stack([np.cos(turn), np.sin(turn)], axis=1) * self.size_mm / 2
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        right, low, middle = self.to_px(np.concatenate([at_mm + along, at_mm + across, at_mm])).reshape(3, -1, 2)
        return 2 * np.stack([right - middle, low - middle], axis=2)


@dataclass(frozen=True, eq=False)
class Found:
    """A face: its centre (2,) mm and px, its value, how sure it is, and whether it lies in the picture whole.

    `contrast` of its pips and the `face` round them in grey levels tell dice of one throw; `stretch` is by how much
    more its pips are apart one way than the other, where they tell.
    """

    at_mm: Array
    at_px: tuple[float, float]
    value: int
    trust: float
    inside: bool
    contrast: float
    face: float
    stretch: float

    @property
    def doubt(self) -> str | None:
        """Why it is not told, where it is not."""
        if not self.inside:
            return "out of the picture"
        if self.stretch > LEVEL[self.value]:
            return "on edge"
        return None if self.trust >= 0 else "unclear"


def read_dice(
    pixels: Array,
    view: View | None,
    dice: Dice | None,
    printed: Mapping[str, Printed] | None = None,
) -> tuple[tuple[Die, ...], tuple[UnsureDie, ...]]:
    """The dice of a picture (H, W, 3) uint8 BGR, and what may be dice.

    Without a view dice of any size are looked for; with a view and no dice in the kit there are none.  `printed` holds
    the boards' pictures by their ids.
    """
    if view is None or not view.poses:
        return loose_dice(pixels)
    if dice is None:
        return (), ()
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    plane, small = _reduced(grey, view, dice)
    spot = smoothed(small, WORKING_PX * PIP)
    marks = face_pips(spot, find_pips(spot, WORKING_PX * PIP), plane)
    whole = replace(plane, factor=1.0)
    found = _many(pixels, whole, clearest(likely(spot, plane, guess_pairs(marks, plane.size_mm)), MOST_GUESSES))
    found += _ones(pixels, whole, marks.of(lone(spot, plane, marks)))
    printed = printed or {}
    found = _apart(_without_sides([face for face in found if face.trust >= DOUBT], whole), plane.size_mm)
    found = [face for face in found if not _is_printed(grey, whole, face.at_px, printed)]
    found = _tops(_truly_one(_one_throw(found), marks, whole), marks, whole)
    unsure = [UnsureDie(face.at_px, face.doubt) for face in found if face.doubt]
    unsure += [
        UnsureDie(at, "on edge") for at in _leftover(marks, found, whole) if not _is_printed(grey, whole, at, printed)
    ]
    return tuple(Die(face.value, face.at_px, confidence(face.trust)) for face in found if not face.doubt), tuple(unsure)


def _reduced(grey: Array, view: View, dice: Dice) -> tuple[Plane, Array]:
    """The plane of the top faces, and the picture (H, W) uint8, at the working size."""
    board = next(iter(view.poses))
    height, width = grey.shape[:2]
    whole = Plane(view, board, dice.size_mm, dice.size_mm)
    middle = whole.to_mm(np.array([[width / 2, height / 2]]))
    edge_px = np.sqrt(abs(np.linalg.det(whole.axes(middle, np.zeros(1))[0])))
    factor = float(np.clip(WORKING_PX / edge_px, 0.1, 3.0))
    if 0.85 < factor < 1.15:
        return whole, grey
    halved = grey
    while halved.shape[1] > 2 * factor * width:
        halved = cv2.resize(halved, (halved.shape[1] // 2, halved.shape[0] // 2), interpolation=cv2.INTER_AREA)
    size = (round(factor * width), round(factor * height))
    small = cv2.resize(halved, size, interpolation=cv2.INTER_LINEAR if factor < 1 else cv2.INTER_CUBIC)
    return replace(whole, factor=small.shape[1] / width), small


def _judge(pixels: Array, plane: Plane, guess: Guess) -> Faces:
    return judge_faces(pixels, plane.to_px(guess.at_mm), plane.axes(guess.at_mm, guess.turn), guess.spacing)


def _nudged(guess: Guess, faces: Faces, size_mm: float) -> Guess:
    """Guesses moved to where their pips are."""
    x, y, xx, xy, yx, yy = faces.off.T
    growth, turn = (xx + yy) / 2, (yx - xy) / 2
    cos, sin = np.cos(guess.turn), np.sin(guess.turn)
    shift = np.stack([cos * x - sin * y, sin * x + cos * y], axis=1) * (guess.spacing * size_mm)[:, None]
    return replace(guess, at_mm=guess.at_mm + shift, turn=guess.turn + turn, spacing=guess.spacing * (1 + growth))


def _many(pixels: Array, plane: Plane, guess: Guess) -> list[Found]:
    """Faces of two and more."""
    faces = _judge(pixels, plane, guess)
    chosen = np.flatnonzero((faces.fit > WORTH_NUDGING) & (faces.value > 1))
    guess = _nudged(guess.of(chosen), faces.of(chosen), plane.size_mm)
    faces = _judge(pixels, plane, guess)
    fitting = (guess.spacing > SPACINGS[0]) & (guess.spacing < SPACINGS[1])
    chosen = np.flatnonzero((faces.fit > WORTH_A_LOOK) & (faces.value > 1) & fitting)
    return _found(pixels, plane, guess.of(chosen), faces.of(chosen))


def _ones(pixels: Array, plane: Plane, marks: Marks) -> list[Found]:
    """Faces of one, around dots that have nothing but face round them."""
    strongest = np.argsort(-np.abs(marks.contrast), kind="stable")[:MOST_ONES]
    at, nothing = marks.at_mm[strongest], np.zeros(len(strongest))
    contrast, face = (np.stack([of[strongest]] * 2, axis=1) for of in (marks.contrast, marks.face))
    guess = Guess(at, nothing, nothing + SPACING, nothing + 1, contrast, face)
    faces = _judge(pixels, plane, guess)
    chosen = np.flatnonzero((faces.fit > WORTH_NUDGING) & (faces.value == 1))
    faces = faces.of(chosen)
    guess = _nudged(guess.of(chosen), faces, plane.size_mm)
    straight = plane.axes(guess.at_mm, guess.turn)
    guess = replace(guess, turn=best_turns(pixels, plane.to_px(guess.at_mm), straight, faces.colour))
    faces = _judge(pixels, plane, guess)
    chosen = np.flatnonzero((faces.fit > WORTH_A_LOOK) & (faces.value == 1))
    return _found(pixels, plane, guess.of(chosen), faces.of(chosen))


def _found(pixels: Array, plane: Plane, guess: Guess, faces: Faces) -> list[Found]:
    places = plane.to_px(guess.at_mm)
    sides = edges(pixels, places, plane.axes(guess.at_mm, guess.turn), faces.colour)
    return [
        Found(
            guess.at_mm[n],
            (float(x), float(y)),
            int(faces.value[n]),
            trust(faces, sides, n),
            bool(faces.inside[n]),
            float(guess.contrast[n].mean()),
            float(guess.face[n].mean()),
            float(np.hypot(faces.off[n, 2] - faces.off[n, 5], faces.off[n, 3] + faces.off[n, 4])),
        )
        for n, (x, y) in enumerate(places)
    ]


def _apart(found: list[Found], size_mm: float) -> list[Found]:
    """The surest of those that lie in one another.

    Two pips of a four look like a two, one of a two like a one, so more pips count for more; and a one that some
    other face contains is in doubt even where that face is none of those that are kept.
    """
    kept: list[Found] = []
    for face in sorted(found, key=lambda face: -face.trust - (MORE_PIPS if face.value > 3 and face.trust >= 0 else 0)):
        if all(np.hypot(*(face.at_mm - other.at_mm)) > TOUCHING * size_mm for other in kept):
            kept.append(face)
    return [replace(face, trust=DOUBT) if _in_another(face, found, size_mm) else face for face in kept]


def _in_another(face: Found, found: list[Found], size_mm: float) -> bool:
    others = [other for other in found if other.value > 1 and other.trust >= 0] if face.value == 1 else []
    return any(np.hypot(*(face.at_mm - other.at_mm)) < 0.7 * size_mm for other in others)


def _one_throw(found: list[Found]) -> list[Found]:
    """Faces that look like a sure die's are surer themselves: the dice of a throw are alike."""
    sure = [face for face in found if face.trust >= SURE and not face.doubt]
    return [
        replace(face, trust=face.trust + LIKENESS)
        if any(_alike(face, die) for die in sure if die is not face)
        else face
        for face in found
    ]


def _alike(face: Found, die: Found) -> bool:
    within = ALIKE * abs(die.contrast)
    return abs(face.contrast - die.contrast) < within and abs(face.face - die.face) < within


def _truly_one(found: list[Found], marks: Marks, plane: Plane) -> list[Found]:
    """Ones beside which no like pip lies that no other face explains, but before the die, where its sides are seen."""
    eye = plane.view.camera_mm(plane.board)
    kept = []
    for face in found:
        away = face.at_mm - eye[:2]
        apart = marks.at_mm - face.at_mm
        far = np.hypot(*apart.T) / plane.size_mm
        before = apart @ (away / max(float(np.hypot(*away)), 1e-6)) / plane.size_mm < -0.5 * far
        near = (far > 0.3) & (far < 0.9) & ~before & (marks.contrast / face.contrast > 0.6)
        near &= np.abs(marks.face - face.face) < abs(face.contrast)
        for other in found:
            if other is not face and other.trust >= 0:
                near &= np.hypot(*(marks.at_mm - other.at_mm).T) > 0.55 * plane.size_mm
        kept.append(
            replace(face, trust=min(face.trust, DOUBT))
            if face.value == 1 and face.trust < PLAIN_ONE and near.any()
            else face
        )
    return kept


def _behind(face: Found, plane: Plane) -> Array | None:
    """Where (2,) mm a face's top would lie if it were a side; None where the camera sees sides too slant for that."""
    eye = plane.view.camera_mm(plane.board)
    away = face.at_mm - eye[:2]
    far = max(float(np.hypot(*away)), 1e-6)
    steep = far / (eye[2] - plane.height_mm)
    place: Array = face.at_mm + away / far * plane.size_mm * (0.5 + 0.5 * steep)
    return place if steep > STEEP else None


def _without_sides(found: list[Found], plane: Plane) -> list[Found]:
    """Faces without those that are a side of another that was found."""
    kept = []
    for face in found:
        behind = _behind(face, plane)
        tops = [other for other in found if other is not face and other.trust >= 0] if behind is not None else []
        if all(np.hypot(*(top.at_mm - behind)) > 0.3 * plane.size_mm for top in tops):
            kept.append(face)
    return kept


def _tops(found: list[Found], marks: Marks, plane: Plane) -> list[Found]:
    """Faces, in doubt those that may be a die's side: pips lie where its top would, and no other face explains them."""
    kept = []
    for face in found:
        behind = _behind(face, plane)
        if behind is None:
            kept.append(face)
            continue
        near = np.hypot(*(marks.at_mm - behind).T) < 0.45 * plane.size_mm
        near &= np.hypot(*(marks.at_mm - face.at_mm).T) > 0.55 * plane.size_mm
        near &= marks.contrast / face.contrast > 0.5
        for other in found:  # pips that another face explains, which is not the top that this one would belong to
            if other.trust >= 0 and np.hypot(*(other.at_mm - behind)) > 0.3 * plane.size_mm:
                near &= np.hypot(*(marks.at_mm - other.at_mm).T) > 0.55 * plane.size_mm
        kept.append(replace(face, trust=min(face.trust, DOUBT)) if near.any() else face)
    return kept


def _leftover(marks: Marks, found: list[Found], plane: Plane) -> list[tuple[float, float]]:
    """Where pips lie like those of the dice that were read, but of no face that was: dice on edge or half hidden."""
    told = [face for face in found if face.trust >= 0]
    if not told:
        return []
    contrast, face = np.array([[die.contrast, die.face] for die in told]).T
    like = np.abs(marks.contrast[:, None] - contrast) < ALIKE * np.abs(contrast)
    like &= np.abs(marks.face[:, None] - face) < ALIKE * np.abs(contrast)
    eye = plane.view.camera_mm(plane.board)
    steep = np.hypot(*(marks.at_mm - eye[:2]).T) / (eye[2] - plane.height_mm)
    places = np.array([die.at_mm for die in found])
    apart = np.hypot(*(marks.at_mm[:, None] - places).transpose(2, 0, 1)).min(axis=1)
    rest = np.flatnonzero(like.any(axis=1) & (apart > plane.size_mm * (0.8 + steep)))
    groups: list[tuple[float, float]] = []
    while len(rest) > 2:
        near = np.hypot(*(marks.at_mm[rest] - marks.at_mm[rest[0]]).T) < plane.size_mm
        if near.sum() > 2:
            x, y = plane.to_px(marks.at_mm[rest[near]].mean(axis=0)[None])[0]
            groups.append((float(x), float(y)))
        rest = rest[~near]
    return groups if len(groups) <= MOST_LEFT else []  # as many come from the table's texture


def _is_printed(grey: Array, plane: Plane, at_px: tuple[float, float], printed: Mapping[str, Printed]) -> bool:
    """Whether a board's own picture shows just what is seen here: printed, so it is no die."""
    return any(
        _shows(grey, replace(plane, board=board, height_mm=0.0), at_px, own)
        for board, own in printed.items()
        if board in plane.view.poses
    )


def _shows(grey: Array, flat: Plane, at_px: tuple[float, float], own: Printed) -> bool:
    reach = 0.8 * flat.size_mm
    line = np.linspace(-reach, reach, 25)
    middle = flat.to_mm(np.array([at_px]))[0]
    if not ((middle > -reach) & (middle < np.array(own.size_mm) + reach)).all():
        return False
    places = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2) + middle
    at = flat.to_px(places).astype(np.float32).reshape(25, 25, 2)
    height, width = own.picture.shape[:2]
    there = (places * [width / own.size_mm[0], height / own.size_mm[1]] - 0.5).astype(np.float32).reshape(25, 25, 2)
    seen = cv2.remap(grey, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    known = cv2.remap(own.picture, there[..., 0], there[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    known = cv2.GaussianBlur(cv2.cvtColor(known, cv2.COLOR_BGR2GRAY), (3, 3), 0)
    if known.std() < PLAINEST:  # plain print explains no pips (and correlates with anything)
        return False
    alike = cv2.matchTemplate(seen, known[3:-3, 3:-3], cv2.TM_CCOEFF_NORMED)
    return bool(alike.max() > PRINTED)
