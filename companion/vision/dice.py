"""Dice: their values, read off the top faces; what looks like a die but cannot be told is said to be unsure.

With a view it is known how large a die is and how its top face lies, a die's height above the table: a face must be a
square of that size there, all its pips in place.  What the boards' own pictures explain is printed, and no die.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import cv2
import numpy as np

from companion.kit import Dice
from companion.observation import Die, UnsureDie
from companion.vision.face_search import (
    DOUBT,
    PIP,
    WORTH_A_LOOK,
    WORTH_NUDGING,
    Marks,
    confidence,
    face_pips,
    guess_ones,
    guess_pairs,
    joined,
    likely,
    lone,
    trust,
)
from companion.vision.loose_dice import loose_dice
from companion.vision.pips import Faces, best_turns, edges, find_pips, judge_faces, screen_faces, smoothed, spill
from companion.vision.prints import Printed, Prints
from companion.vision.throw import Found, leftover, thrown
from companion.vision.top_plane import Plane
from companion.vision.view import View

__all__ = ["Printed", "read_dice"]

Array = np.ndarray[Any, Any]

SMALLEST_PX, LARGEST_PX = 12.0, 19.0  # the edge of a die in the picture that is searched,
WORKING_PX = 14.0  # and what it is brought to where halving the picture does not do
SPACINGS = (0.19, 0.33)  # how far outer pips may lie from the middle lines, in edges
MOST_GUESSES = 32  # of two and more pips, and
MOST_ONES = 20  # of one, that are looked at in the picture itself,
HIDDEN_ONE = -0.5  # how far round a lone pip blur may hide its face: more would let in the tops of pawns
LIKELY = 0.5  # and what pips must explain of them in the small one
LIKELY_ONE = 0.4
KNOWN = (0.0, -0.5, 0.4, 0.1, 0.2, 0.2, 0.2)  # by value: what it adds to the trust that a die's size is known
NEAT_ONE = 0.25  # what may spill over the edges of a one that is surer for it
FILLED = (0.0, 0.45, 0.65, 0.72, 0.85, 0.85, 0.8)  # by value: what may spill over a face's edges,
MESSY = ((12.0, 20.0), (0.58, 0.38))  # by its width in px, as blur spills too: from how much on pips must be clearer,
CLEARER = 2.0  # and by how much at most
SMALL_PX = 18.0  # width of a face from which that is enough to be no die


@dataclass(frozen=True, eq=False)
class Laid:
    """Where N faces lie on the plane: `at_mm` (N, 2) the centres, `turn` (N,) the x axis' angle, `spacing` of pips.

    `alone` (N,) are faces of one pip; `contrast` of pips and `face` round them (N,) are in grey levels.
    """

    at_mm: Array
    turn: Array
    spacing: Array
    alone: Array
    contrast: Array
    face: Array

    def of(self, chosen: Array) -> Laid:
        return Laid(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


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
    plane, small, edge_px = _reduced(grey, view, dice)
    spot = smoothed(small, edge_px * PIP)
    marks = face_pips(spot, find_pips(spot, edge_px * PIP), plane, edge_px)
    whole = replace(plane, factor=1.0)
    prints = Prints(grey, view, printed or {}, dice.size_mm)
    found = thrown(_faces(pixels, whole, _candidates(spot, marks, dice.size_mm)), marks, pixels, whole, prints)
    unsure = [UnsureDie(face.at_px, face.doubt, face.value) for face in found if face.doubt]
    left = leftover(marks, found, whole)
    if left:
        unsure += [UnsureDie(at, "on edge") for at in compress(left, ~prints.explain(np.array(left)))]
    return tuple(Die(face.value, face.at_px, confidence(face.trust)) for face in found if not face.doubt), tuple(unsure)


def _reduced(grey: Array, view: View, dice: Dice) -> tuple[Plane, Array, float]:
    """The plane of the top faces, the picture (H, W) uint8 at a working size, and a die's edge in it."""
    board = next(iter(view.poses))
    height, width = grey.shape[:2]
    plane = Plane(view, board, dice.size_mm, dice.size_mm)
    middle = plane.to_mm(np.array([[width / 2, height / 2]]))
    edge_px = float(np.sqrt(abs(np.linalg.det(plane.axes(middle, np.zeros(1))[0]))))
    small, factor = grey, 1.0
    while edge_px * factor > 2 * SMALLEST_PX and min(small.shape) > 2 * SMALLEST_PX:  # by far the cheapest way
        height, width = (side // 2 for side in small.shape)
        small = cv2.resize(small[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
        factor /= 2
    if not SMALLEST_PX * 0.9 < edge_px * factor < LARGEST_PX:
        more = float(np.clip(WORKING_PX / max(edge_px * factor, 1e-6), 0.5, 3.0))
        size = [max(1, round(more * side)) for side in small.shape[::-1]]
        small = cv2.resize(small, size, interpolation=cv2.INTER_LINEAR if more < 1 else cv2.INTER_CUBIC)
        factor *= more
    return replace(plane, factor=factor), small, edge_px * factor


def _candidates(spot: Array, marks: Marks, size_mm: float) -> Laid:
    """Where faces lie that look like such in the small picture already."""
    pairs = likely(spot, guess_pairs(marks, size_mm))
    ones = guess_ones(marks.of(lone(spot, marks, HIDDEN_ONE)))
    kept = []
    for guess, least, most in ((pairs, LIKELY, MOST_GUESSES), (ones, LIKELY_ONE, MOST_ONES)):
        value, fit = screen_faces(spot, guess.at_px, guess.turned, guess.spacing)
        best = np.argsort(np.where((value == 1) == guess.alone, -fit, 0), kind="stable")[:most]
        kept.append(guess.of(best[fit[best] > least]))
    guess = joined(kept)
    levels = (of.mean(axis=1) for of in (guess.contrast, guess.face))
    return Laid(guess.at_mm, guess.turn, guess.spacing, guess.alone, *levels)


def _nudged(laid: Laid, faces: Faces, size_mm: float) -> Laid:
    """Faces moved to where their pips are."""
    x, y, xx, xy, yx, yy = faces.off.T
    growth, turn = (xx + yy) / 2, (yx - xy) / 2
    cos, sin = np.cos(laid.turn), np.sin(laid.turn)
    shift = np.stack([cos * x - sin * y, sin * x + cos * y], axis=1) * (laid.spacing * size_mm)[:, None]
    return replace(laid, at_mm=laid.at_mm + shift, turn=laid.turn + turn, spacing=laid.spacing * (1 + growth))


def _faces(pixels: Array, plane: Plane, laid: Laid) -> list[Found]:
    """Faces in the picture itself, moved to where their pips are."""
    if not len(laid.turn):
        return []
    faces = judge_faces(pixels, *plane.placed(laid.at_mm, laid.turn), laid.spacing)
    chosen = np.flatnonzero((faces.fit > WORTH_NUDGING) & ((faces.value == 1) == laid.alone))
    faces = faces.of(chosen)
    laid = _nudged(laid.of(chosen), faces, plane.size_mm)
    ones = np.flatnonzero(laid.alone)
    if len(ones):  # their edges alone tell how they are turned
        places = plane.placed(laid.at_mm[ones], laid.turn[ones])
        laid.turn[ones] += best_turns(pixels, *places, faces.colour[ones], faces.depth[ones])
    places = plane.placed(laid.at_mm, laid.turn)
    faces = judge_faces(pixels, *places, laid.spacing)
    fitting = laid.alone | ((laid.spacing > SPACINGS[0]) & (laid.spacing < SPACINGS[1]))
    chosen = np.flatnonzero((faces.fit > WORTH_A_LOOK) & ((faces.value == 1) == laid.alone) & fitting)
    return _found(pixels, laid.of(chosen), places[0][chosen], places[1][chosen], faces.of(chosen))


def _found(pixels: Array, laid: Laid, places: Array, axes: Array, faces: Faces) -> list[Found]:
    """The faces one by one; `places` (N, 2) px are their centres."""
    sides = edges(pixels, places, axes, faces.colour)
    filled = spill(pixels, places, axes, faces.colour, faces.depth)
    widths_px = np.sqrt(np.abs(np.linalg.det(axes)))
    return [
        Found(
            laid.at_mm[n],
            (float(x), float(y)),
            value,
            _trust(trust(faces, sides, n), value, float(filled[n]), float(widths_px[n])),
            float(laid.turn[n]),
            bool(faces.inside[n]),
            float(laid.contrast[n]),
            float(laid.face[n]),
            float(filled[n]),
            float(np.hypot(faces.off[n, 2] - faces.off[n, 5], faces.off[n, 3] + faces.off[n, 4])),
            faces.colour[n],
        )
        for n, ((x, y), value) in enumerate(zip(places, faces.value.tolist(), strict=True))
    ]


def _trust(by_pips: float, value: int, filled: float, width_px: float) -> float:
    """How sure a face is, by its pips and by how it fills its square; a single pip is little without a neat square.

    Dots of a print may lie as pips do, but they are no cleaner than what else is printed round them.
    """
    neat = min(max(10 * (NEAT_ONE - filled), 0.0), 1.0) if value == 1 else 0.0
    messy = min(max(10 * (filled - float(np.interp(width_px, *MESSY))), 0.0), CLEARER)
    by_pips += KNOWN[value] + neat
    least = min(by_pips, DOUBT) if width_px < SMALL_PX else -math.inf  # of small faces blur may be all that is wrong
    return min(max(by_pips - messy, least), 20 * (FILLED[value] - filled))
