"""Dice of one throw: which of the faces that were found are tops of dice, and which of those are in doubt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.vision.face_search import DOUBT, RING, Marks
from companion.vision.pips import colours_round
from companion.vision.prints import Prints
from companion.vision.top_plane import Plane

Array = np.ndarray[Any, Any]

TOUCHING = 0.92  # no two dice are nearer, in edges
STEEP = 0.45  # tangent of the angle off the vertical from which a side may look like a top
NEAT_ONE = 0.3  # what may spill over the edges of a one that is told against messier faces of more
NEAT = 0.2  # what may spill over the edges of a face whose outline shows that it is a top
ENDS = (0.49, 0.57)  # about where a die ends, from its middle in edges: no pip lies there
NEATER = 0.15  # and by how much less must spill over those of a one than of what it is a part of
ITS_OWN = 0.95  # how far from a face's middle the pips of a cocked die's other face may lie, in edges
SHADES = (0.4, 1.3)  # how much darker and lighter than a die's top its sides may be,
HUE = 0.08  # and by how much of its colour else they may differ,
DARKEST = 30.0  # in grey levels of at least so many
MOST_LEFT = 4  # groups of pips that no face explains
LEVEL = (0.0, 9.0, 9.0, 9.0, 0.09, 0.09, 0.14)  # by value: stretch of the pips of a die that lies flat
SQUARE_SIDE = 0.75  # tangent of that angle under which a side is too narrow to fill a square
SQUARE = 0.04  # stretch of many pips under which a face is no side
CLEARLY = 2.0  # by how much more trust a one is told against a face of more that it would lie in
MORE_PIPS = 3.0  # trust by which a four and more goes before less
PLAIN_ONE = 4.0  # trust from which a one needs no look at what lies beside it
SURE = 2.0  # trust of a die that others of its throw are measured by,
LIKENESS = 0.6  # and how much trust it lends them
FAINT = -4.0  # trust of a face that is told as unsure where it is like theirs
ALIKE = 0.3  # by how much the contrast, by how much of the contrast the face, of one throw's dice may differ


@dataclass(frozen=True, eq=False)
class Found:
    """A face: its centre (2,) mm and px, its value, how sure it is, its x axis' angle, and whether it is seen whole.

    `contrast` of its pips and the `face` round them in grey levels and its `colour` (3,) BGR tell dice of one throw;
    `spill` is how badly it fills its square; `stretch` is by how much more its pips are apart one way than the other,
    where they tell, and `level` whether it lies flat by what is seen beside it.
    """

    at_mm: Array
    at_px: tuple[float, float]
    value: int
    trust: float
    turn: float
    inside: bool
    contrast: float
    face: float
    spill: float
    stretch: float
    colour: Array
    level: bool = True

    @property
    def doubt(self) -> str | None:
        """Why it is not told, where it is not."""
        if not self.inside:
            return "out of the picture"
        if not self.level or self.stretch > LEVEL[self.value]:
            return "on edge"
        return None if self.trust >= 0 else "unclear"


def thrown(found: list[Found], marks: Marks, pixels: Array, plane: Plane, prints: Prints) -> list[Found]:
    """Which of the faces that look like a die's are the tops of a throw, in doubt or not."""
    found = [face for face in found if face.trust >= DOUBT] + _faint(found)
    found = _apart(_without_sides(found, plane), plane.size_mm)
    printed = prints.explain(np.array([face.at_px for face in found])) if found else ()
    found = [face for face, explained in zip(found, printed, strict=True) if not explained]
    found = _tops(_truly_one(_one_throw(found), marks, plane, prints), marks, plane, prints)
    found = [
        replace(face, trust=min(face.trust, DOUBT)) if _goes_on(face, found, marks, plane) else face for face in found
    ]
    return [replace(face, level=not _is_cocked(face, found, marks, pixels, plane, prints)) for face in found]


def _faint(found: list[Found]) -> list[Found]:
    """Faces hardly seen as such that look like a sure die's: in doubt, that it is known that a die lies there."""
    sure = [face for face in found if face.trust >= SURE and face.inside]
    return [
        replace(face, trust=DOUBT)
        for face in found
        if FAINT <= face.trust < DOUBT and any(_alike(face, die) and _same_hue(face.colour, die.colour) for die in sure)
    ]


def _same_hue(one: Array, other: Array) -> bool:
    """Whether two colours (3,) may be one, in more or less light."""
    gain = np.clip((one @ other) / (other @ other + 1), *SHADES)
    return bool(np.abs(one - gain * other).max() < HUE * max(float(one.max()), DARKEST))


def _is_cocked(face: Found, found: list[Found], marks: Marks, pixels: Array, plane: Plane, prints: Prints) -> bool:
    """Whether another face of the same die is seen beside one of few pips, where a die that lies flat has none."""
    if face.value > 3 or face.trust < 0:  # of more pips the stretch tells
        return False
    beside = _like_beside(face, found, marks, plane)
    if len(beside):
        beside = beside[_same_colour(pixels, face, beside, plane)]
    return len(beside) > 0 and not prints.busy(plane.to_px(beside)).all()


def _apart(found: list[Found], size_mm: float) -> list[Found]:
    """The surest of those that lie in one another.

    Two pips of a four look like a two, one of a two like a one, so more pips count for more; and a one that some
    other face contains is in doubt even where that face is none of those that are kept.
    """
    kept: list[Found] = []
    for face in sorted(found, key=lambda face: -face.trust - (MORE_PIPS if face.value > 3 and face.trust >= 0 else 0)):
        if all(math.dist(face.at_mm, other.at_mm) > TOUCHING * size_mm for other in kept):
            kept.append(face)
    doubted = (_in_another, _round_a_one)
    return [replace(face, trust=DOUBT) if any(of(face, found, size_mm) for of in doubted) else face for face in kept]


def _in_another(face: Found, found: list[Found], size_mm: float) -> bool:
    """Whether a one lies in a face of more that is about as sure, but for a neat one in a face that is none."""
    if face.value > 1:
        return False
    near = [other for other in found if other.value > 1 and math.dist(face.at_mm, other.at_mm) < 0.7 * size_mm]
    if face.spill < NEAT_ONE:
        near = [other for other in near if other.spill < face.spill + NEAT]
    return any(other.trust > max(DOUBT, face.trust - CLEARLY) for other in near)


def _round_a_one(face: Found, found: list[Found], size_mm: float) -> bool:
    """Whether a two or three that is not sure has a one in it that fills its square better: its side has the rest."""
    if face.value not in (2, 3) or face.trust >= SURE:
        return False
    ones = [other for other in found if other.value == 1 and math.dist(face.at_mm, other.at_mm) < 0.7 * size_mm]
    return any(one.spill < face.spill - NEATER for one in ones)


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


def _truly_one(found: list[Found], marks: Marks, plane: Plane, prints: Prints) -> list[Found]:
    """Ones beside which no like pip lies that no other face explains, but before the die, where its sides are seen."""
    kept = []
    for face in found:
        if face.value > 1 or face.trust >= PLAIN_ONE or face.spill < NEAT:
            kept.append(face)
            continue
        away = face.at_mm - plane.eye[:2]
        apart = marks.at_mm - face.at_mm
        far = np.hypot(*apart.T) / plane.size_mm
        before = apart @ (away / max(float(np.hypot(*away)), 1e-6)) / plane.size_mm < -0.5 * far
        near = (far > 0.3) & (far < 0.9) & ~before & (marks.contrast / face.contrast > 0.6)
        near &= np.abs(marks.face - face.face) < abs(face.contrast)
        for other in found:
            if other is not face and other.trust >= 0:
                near &= np.hypot(*(marks.at_mm - other.at_mm).T) > 0.55 * plane.size_mm
        doubted = _not_printed(marks.at_mm[near], plane, prints)
        kept.append(replace(face, trust=min(face.trust, DOUBT)) if doubted else face)
    return kept


def _goes_on(face: Found, found: list[Found], marks: Marks, plane: Plane) -> bool:
    """Whether dots like its pips lie where a die ends: a pattern goes on there."""
    far = np.hypot(*(marks.at_mm - face.at_mm).T) / plane.size_mm
    on = (far > ENDS[0]) & (far < ENDS[1])
    share = marks.contrast / face.contrast
    on &= (share > 0.6) & (share < 1.5) & (np.abs(marks.face - face.face) < 0.35 * abs(face.contrast))
    for other in found:
        if other is not face and other.trust >= 0 and on.any():
            on &= np.hypot(*(marks.at_mm - other.at_mm).T) > 0.45 * plane.size_mm
    return int(on.sum()) >= 2


def _steep(face: Found, plane: Plane) -> float:
    """The tangent of the angle off the vertical from which the camera sees a face."""
    return float(np.hypot(*(face.at_mm - plane.eye[:2])) / plane.eye[2])


def _behind(face: Found, plane: Plane) -> Array | None:
    """Where (2,) mm a face's top would lie if it were a side; None where the camera sees sides too slant for that."""
    away = face.at_mm - plane.eye[:2]
    far = max(float(np.hypot(*away)), 1e-6)
    steep = _steep(face, plane)
    place: Array = face.at_mm + away / far * plane.size_mm * (0.5 + 0.5 * steep)
    return place if steep > STEEP else None


def _without_sides(found: list[Found], plane: Plane) -> list[Found]:
    """Faces without those that are a side of another that was found; of many pips, only where they are stretched."""
    kept = []
    for face in found:
        few = face.value < 4
        behind = _behind(face, plane) if few or face.stretch > SQUARE else None
        tops = [other for other in found if other is not face and (few or other.trust >= 0)]
        if few and face.spill < NEAT and _steep(face, plane) < SQUARE_SIDE:
            tops = []
        if behind is None or all(math.dist(other.at_mm, behind) > 0.3 * plane.size_mm for other in tops):
            kept.append(face)
    return kept


def _tops(found: list[Found], marks: Marks, plane: Plane, prints: Prints) -> list[Found]:
    """Faces, in doubt those that may be a die's side: pips lie where its top would, and no other face explains them."""
    kept = []
    for face in found:
        behind = _behind(face, plane) if face.value < 4 and face.spill > NEAT else None
        if behind is None:
            kept.append(face)
            continue
        near = np.hypot(*(marks.at_mm - behind).T) < 0.45 * plane.size_mm
        near &= np.hypot(*(marks.at_mm - face.at_mm).T) > 0.55 * plane.size_mm
        near &= marks.contrast / face.contrast > 0.5
        for other in found:  # pips that another face explains, which is not the top that this one would belong to
            if other.trust >= 0 and math.dist(other.at_mm, behind) > 0.3 * plane.size_mm:
                near &= np.hypot(*(marks.at_mm - other.at_mm).T) > 0.55 * plane.size_mm
        doubted = _not_printed(marks.at_mm[near], plane, prints)
        kept.append(replace(face, trust=min(face.trust, DOUBT)) if doubted else face)
    return kept


def _not_printed(at_mm: Array, plane: Plane, prints: Prints) -> bool:
    """Whether of marks (N, 2) mm there is one that no board's picture explains."""
    return len(at_mm) > 0 and not prints.explain(plane.to_px(at_mm)).all()


def _like_beside(face: Found, found: list[Found], marks: Marks, plane: Plane) -> Array:
    """Where (N, 2) mm beside a face pips like its own lie, though no die that lies flat has a side there."""
    x, y = (marks.at_mm - face.at_mm).T
    near = x * x + y * y < (ITS_OWN * plane.size_mm) ** 2
    share = marks.contrast / face.contrast
    near &= (share > 0.4) & (share < 1.6) & (np.abs(marks.face - face.face) < 0.6 * abs(face.contrast))
    rest: Array = marks.at_mm[near]
    for other in found:
        if len(rest) and math.dist(other.at_mm, face.at_mm) < 3 * plane.size_mm:
            rest = rest[~_within(other, rest, plane)]
    return rest


def _within(face: Found, at_mm: Array, plane: Plane) -> Array:
    """Which points (N, 2) mm lie in a face or where the sides below it are seen: (N,) bool."""
    towards = (plane.eye[:2] - face.at_mm) / plane.eye[2]  # by how much what is an edge lower seems to lie off
    lower = np.linspace(0, 1.15 * plane.size_mm, 7)[:, None, None]
    x, y = np.moveaxis(at_mm - face.at_mm - lower * towards, 2, 0)  # (7, N)
    cos, sin = np.cos(face.turn), np.sin(face.turn)
    off = np.maximum(np.abs(x * cos + y * sin), np.abs(y * cos - x * sin))
    inside: Array = (off < 0.6 * plane.size_mm).any(axis=0)
    return inside


def _same_colour(pixels: Array, face: Found, at_mm: Array, plane: Plane) -> Array:
    """Whether what lies round points (N, 2) mm may be of a face's own die, lighter or darker: (N,) bool."""
    round_them = plane.placed(at_mm, np.zeros(len(at_mm)))
    colour = np.median(colours_round(pixels, *round_them, RING), axis=1)
    gain = np.clip((colour @ face.colour) / (face.colour @ face.colour + 1), *SHADES)
    off = np.abs(colour - gain[:, None] * face.colour).max(axis=1)
    same: Array = off < HUE * np.maximum(colour.max(axis=1), DARKEST)
    return same


def leftover(marks: Marks, found: list[Found], plane: Plane) -> list[tuple[float, float]]:
    """Where pips lie like those of the dice that were read, but of no face that was: dice on edge or half hidden."""
    told = [face for face in found if face.trust >= 0]
    if not told:
        return []
    contrast, face = np.array([[die.contrast, die.face] for die in told]).T
    like = np.abs(marks.contrast[:, None] - contrast) < ALIKE * np.abs(contrast)
    like &= np.abs(marks.face[:, None] - face) < ALIKE * np.abs(contrast)
    rest = np.flatnonzero(like.any(axis=1))
    at_mm = marks.at_mm[rest]
    steep = np.hypot(*(at_mm - plane.eye[:2]).T) / plane.eye[2]
    places = np.array([die.at_mm for die in found])
    apart = np.hypot(*(at_mm[:, None] - places).transpose(2, 0, 1)).min(axis=1)
    rest = rest[apart > plane.size_mm * (0.8 + steep)]
    groups: list[tuple[float, float]] = []
    while len(rest) > 2:
        near = np.hypot(*(marks.at_mm[rest] - marks.at_mm[rest[0]]).T) < plane.size_mm
        if near.sum() > 2:
            x, y = plane.to_px(marks.at_mm[rest[near]].mean(axis=0)[None])[0]
            groups.append((float(x), float(y)))
        rest = rest[~near]
    return groups if len(groups) <= MOST_LEFT else []  # as many come from the table's texture
