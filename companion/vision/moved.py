"""Explanations moved to where they explain most: a piece, and what lies on it, by millimetres and degrees.

A claim is laid by its upper face in small; here all of it is drawn, its sides too, and the board round about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from companion.vision.alternatives import Explanation
from companion.vision.claims import Lying, Study
from companion.vision.drawn import Windows, windows
from companion.vision.knowledge import PieceKnowledge
from companion.vision.residue import OUTLYING, light_on, misfit_of

Array = np.ndarray[Any, Any]

STEP_MM, STEP_TURN = 0.03, 0.06  # of a piece's width, and radians, by which the drawings differ that tell the way
FREE_MM, FREE_TURN = 0.06, 0.12  # of its width, and radians: how far pieces lie off, as a rule
MOST = 2.5  # times as far they are moved at most
ROUNDS = 2
AT_ONCE = 8  # explanations that are moved, for all their drawings to stay in the processor's cache
BROAD = 3.0  # what is off by more is told by a broader measure than misfits have: edges are what is off


def moved(found: Study, known: PieceKnowledge, asked: list[tuple[int, Explanation]]) -> list[tuple[int, Explanation]]:
    """Explanations of spaces, by their numbers, each where it leaves less than where it was, or where it was."""
    out, rows = list(asked), [row for row, (_, one) in enumerate(asked) if one.base]
    for _ in range(ROUNDS):
        for part in (rows[first : first + AT_ONCE] for first in range(0, len(rows), AT_ONCE)):
            for row, one in zip(part, _moved_once(found, known, [out[row] for row in part]), strict=True):
                out[row] = (out[row][0], one)
    return out


def _moved_once(found: Study, known: PieceKnowledge, some: Sequence[tuple[int, Explanation]]) -> list[Explanation]:
    """One step of Gauss and Newton."""
    ones = [one for _, one in some]
    wide = np.array([known.group_of(one.pieces[0]).reach_mm for one in ones])
    steps = np.column_stack([wide * STEP_MM, wide * STEP_MM, np.full(len(wide), STEP_TURN)])[:, [0, 1, 2, 0, 1]]
    free = np.column_stack([wide * FREE_MM, wide * FREE_MM, np.full(len(wide), FREE_TURN)])[:, [0, 1, 2, 0, 1]]
    tried = [
        (k, _by(one, step * unit)) for (k, one), step in zip(some, steps, strict=True) for unit in np.eye(6, 5, -1)
    ]
    seen = windows(found, known, tried, [one for one in ones for _ in range(6)])
    planes = seen.drawn.reshape(len(ones), 6, 3, -1)
    at = seen.rows(slice(0, None, 6))
    gain, veil = light_on(at.seen.reshape(len(ones), 3, -1), planes[:, 0], at.sigma)
    left = at.seen.reshape(len(ones), 3, -1) - gain * planes[:, 0] - veil
    ways = ((planes[:, 1:] - planes[:, :1]) * gain[:, None]).reshape(len(ones), 5, -1)
    weight = np.repeat((1 - misfit_of(left, BROAD * at.sigma))[:, None] ** 2, 3, 1).reshape(len(ones), 1, -1)
    normal = (ways * weight) @ ways.swapaxes(1, 2)
    noise = OUTLYING * np.square(BROAD * at.sigma)[:, None]
    held = normal + (noise * np.square(steps / free))[:, :, None] * np.eye(5)
    along = np.linalg.solve(held, (ways * weight) @ left.reshape(len(ones), -1, 1))[..., 0]
    off = np.clip(along * steps, -MOST * free, MOST * free)
    new = [_by(one, by) for one, by in zip(ones, off, strict=True)]
    after = _misfit(windows(found, known, [(k, one) for (k, _), one in zip(some, new, strict=True)], ones))
    better = after < misfit_of(left, at.sigma).mean(1)
    return [there if gained else here for here, there, gained in zip(ones, new, better, strict=True)]


def _misfit(seen: Windows) -> Array:
    flat, drawn = (of.reshape(len(of), 3, -1) for of in (seen.seen, seen.drawn))
    gain, veil = light_on(flat, drawn, seen.sigma)
    return np.asarray(misfit_of(flat - gain * drawn - veil, seen.sigma).mean(1))


def _by(one: Explanation, by: Array) -> Explanation:
    """An explanation with its base moved by mm, mm and radians, and what lies on it by mm and mm."""
    assert one.base is not None
    x, y, turn, top_x, top_y = by.tolist()
    return replace(one, base=_shifted(one.base, x, y, turn), top=one.top and _shifted(one.top, top_x, top_y, 0.0))


def _shifted(lying: Lying, x: float, y: float, turn: float) -> Lying:
    return replace(lying, at_mm=(lying.at_mm[0] + x, lying.at_mm[1] + y), turn=lying.turn + turn)
