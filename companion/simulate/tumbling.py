"""Dice on their way over the table: they roll, bounce, slow down and come to rest as they will lie.

A die's own frame has x right, y down, z up, as the table is seen from above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.simulate.canvas import (
    Canvas,
    cast_shadow,
    hull_of,
    paint_on_quad,
    polygon_mask,
    shaded,
)
from companion.simulate.surfaces import to_linear
from companion.simulate.things import BESIDE, DICE_COLOURS, HIDING, StandingDie, die_face

Array = np.ndarray[Any, Any]

LOOKS = 6  # a frame is the mean of so many looks: the dice are faster than the shutter
SHUTTER = 0.3  # of a frame's time
BOUNCE_MM = 30.0
SPIN = 2.6  # radians about the vertical, from the throw to the rest
LOW, HIGH = range(4), range(4, 8)  # corners, from the top left one clockwise
_SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
_CUBE = np.hstack([np.vstack([_SQUARE, _SQUARE]), np.repeat([[-1.0], [1.0]], 4, axis=0)])


@dataclass(frozen=True)
class Tumbling:
    """A die that was let go at a point; `left` of its time it is under way yet, from 1 to 0 where it lies as `die`.

    `pace` is how much of that time a frame takes.
    """

    die: StandingDie
    from_mm: tuple[float, float]
    left: float
    pace: float
    base_mm: float = 0.0  # the height of what it rolls on


def corners_of(tumbling: Tumbling, left: float) -> Array:
    """The corners of the die (8, 3) with so much of its time left: x, y and height, mm."""
    die = tumbling.die
    back = np.array(tumbling.from_mm) - np.array(die.at_mm)
    away = float(np.hypot(*back)) * left**2  # it slows down evenly
    half = die.size_mm / 2
    spun = np.radians(die.turn_deg) + SPIN * left**2
    c, s = np.cos(spun), np.sin(spun)
    cube = half * _CUBE @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    on = np.array([*-back, 0.0]) / max(1e-6, float(np.hypot(*back)))  # the way that it rolls
    rolled = -away / die.size_mm * np.pi / 2  # what it has yet to roll: a quarter turn for each of its sides
    along, up = cube @ on, cube[:, 2]
    cube += np.outer(along * (np.cos(rolled) - 1) + up * np.sin(rolled), on)
    cube[:, 2] += up * (np.cos(rolled) - 1) - along * np.sin(rolled)
    cube[:, 2] += tumbling.base_mm + BOUNCE_MM * left * abs(np.sin(7 * left)) - cube[:, 2].min()
    cube[:, :2] += np.array(die.at_mm) + back * left**2
    return np.asarray(cube)


def paint_tumbling(canvas: Canvas, dice: tuple[Tumbling, ...]) -> None:
    """Dice under way, blurred as far as they come while the shutter is open."""
    looks = [
        [(each.die, corners_of(each, min(1.0, each.left + shut * each.pace)), each.base_mm) for each in dice]
        for shut in np.linspace(0, SHUTTER, LOOKS)
    ]
    reach = np.vstack([corners for look in looks for _, corners, _ in look])
    seen = canvas.camera.project(reach[:, :2], reach[:, 2])
    window = canvas.window(np.vstack([seen, canvas.camera.project(reach[:, :2])]), 60)
    if window is None:
        return
    before, total = canvas.linear[window].copy(), np.zeros_like(canvas.linear[window])
    for look in looks:
        canvas.linear[window] = before
        for die, corners, base_mm in sorted(look, key=lambda each: float(each[1][:, 2].min())):
            _paint_cube(canvas, die, corners, base_mm)
        total += canvas.linear[window]
    canvas.linear[window] = total * np.float32(1 / LOOKS)


def _paint_cube(canvas: Canvas, die: StandingDie, corners: Array, base_mm: float) -> None:
    """A die in any attitude by its corners (8, 3) mm."""
    camera = canvas.camera
    bottom = float(corners[:, 2].min())
    cast_shadow(canvas, hull_of(corners[:, :2]), base_mm, die.size_mm + bottom - base_mm)
    seen = camera.project(corners[:, :2], corners[:, 2])
    outline = hull_of(seen)
    inner = outline.mean(axis=0) + (outline - outline.mean(axis=0)) * 0.96  # its edges are rounded
    window = canvas.window(inner)
    if window is None:
        return
    body = to_linear(np.array([[DICE_COLOURS[die.look][0]]], np.uint8))[0, 0]
    canvas.blend(window, body * np.float32(0.75), polygon_mask(inner, window), HIDING)
    sun = -np.array(canvas.light.shadow)
    sun = sun / max(1.0, float(np.hypot(*sun)))
    middle = corners.mean(axis=0)
    for value, quad in _faces(die.value):
        face = corners[quad].mean(axis=0)
        normal = (face - middle) / np.linalg.norm(face - middle)
        if normal @ (camera.place_mm - face) > 0:
            gain = 0.62 + 0.38 * max(0.0, float(normal[2])) + 0.25 * float(normal[:2] @ sun)
            paint_on_quad(canvas, die_face(value, die.look), seen[quad], HIDING, shaded(gain))


def _faces(value: int) -> list[tuple[int, list[int]]]:
    """The faces of a die that will lie with a value up: each value with its corners from the top left one."""
    right, front = BESIDE[value]
    sides = []
    for i, side in enumerate((7 - front, right, front, 7 - right)):  # as a die at rest is drawn
        j = (i + 1) % 4
        sides.append((side, [HIGH[i], HIGH[j], LOW[j], LOW[i]]))
    return [(value, list(HIGH)), (7 - value, list(LOW)), *sides]
