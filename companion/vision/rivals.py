"""Where else a board might lie: a space off, or upside down.

Rows of spaces look like themselves there.  Where little of a board shows it is looked for in these places, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from companion.vision.geometry import Geometry, placed_corners_px, scale_of
from companion.vision.landmarks import BoardKnowledge, Level
from companion.vision.refine import FEW, SOME, Lens, Photograph, Stage, level_for, refine
from companion.vision.verdict import (
    LEAST_SHARE,
    Verdict,
    best_turn,
    fits,
    likeness_at,
    look_at,
    placed_at,
    sane,
    turned_placement,
    verdict_of,
)

Array = np.ndarray[Any, Any]

FEW_LANDMARKS, FEW_BARE = 20, 8  # of all and of those that no piece hides: below, a level is no use at first
GLANCED = 20  # landmarks that tell where to look
CLEARLY, FAR_LESS = 0.03, 0.1  # by how much more alike one of two places must be; by how much less it is not looked at
PLAIN = 0.8  # share of a board's landmarks seen from which no other place is looked at
PROMISING = 0.6  # of what is alike in the one place, that much must be in another before anything is aligned there
BESIDE_PX = 2.5  # of the small picture: how far apart places are looked at beside where a board seems to lie


def coarse_index(geometry: Geometry, board: int, known: BoardKnowledge) -> int:
    """How often to halve the picture for the board to be some 170 pixels long; less if that shows too little of it."""
    scale = scale_of(geometry, board, known.size_mm)
    if not scale > 0:  # a plane that runs behind the camera
        return 0
    halvings = float(np.log2(scale * max(known.size_mm) / 170))
    index = min(max(round(halvings), 0), 5)
    while index > 0 and len(known.level(scale / 2.0**index).free) < FEW_LANDMARKS:
        index -= 1
    if index > halvings and index > 0:  # it is seen smaller than it might be
        bare, finer = (int(known.level(scale / 2.0**level).free.sum()) for level in (index, index - 1))
        if bare < FEW_BARE <= finer:  # pieces hide what is left of it there
            index -= 1
    return index


def plainer(
    photograph: Photograph, boards: Sequence[BoardKnowledge], geometry: Geometry, number: int, verdict: Verdict
) -> tuple[Geometry, Verdict] | None:
    """The geometry, or that with a board a space or so off or upside down if more of it shows there; and what does.

    None if neither shows clearly more.  Where rows of spaces are alike, a board may be taken for itself a space off
    and for itself upside down.
    """
    if verdict.shown > PLAIN:
        return geometry, verdict
    best, coarse = (geometry, verdict), coarse_index(geometry, number, boards[number])
    here = verdict_of(look_at(photograph, boards[number], geometry, number, coarse))
    for trial in _beside(photograph, boards[number], geometry, number, coarse):
        rival = _rival(photograph, boards, best[0], trial, number, coarse, here.alike - FAR_LESS)
        if rival is not None and rival[1].alike >= best[1].alike - CLEARLY:
            if rival[1].alike <= best[1].alike + CLEARLY:
                return None
            best = rival
    return best


def _same(one: Geometry, other: Geometry, number: int, known: BoardKnowledge) -> bool:
    """Whether a board lies in about the same place in two geometries: neither turned nor half a space off."""
    a, b = (placed_corners_px(each, known.size_mm, [each.placements[number]])[0] for each in (one, other))
    near = min(known.pitch_mm / 2 or np.inf, min(known.size_mm) / 2) * scale_of(one, number, known.size_mm)
    return bool(np.abs(a - b).max() < near)


def _rival(
    photograph: Photograph,
    boards: Sequence[BoardKnowledge],
    geometry: Geometry,
    trial: Geometry,
    number: int,
    coarse: int,
    least_alike: float,
) -> tuple[Geometry, Verdict] | None:
    """A board at another place, aligned, and what is seen of it there.

    None if it is in the same place as before after all, not right there, or less alike in small.
    """
    known, only = boards[number], number or None
    stages = [Stage(coarse + 1, 1, reach=5), Stage(coarse, 1, reach=4), Stage(coarse, 1, reach=2)]
    trial = refine(photograph, boards, trial, Lens.KNOWN, stages, FEW, only)
    there = verdict_of(look_at(photograph, known, trial, number, coarse))
    if _same(geometry, trial, number, known):
        return None
    if there.share < LEAST_SHARE or there.alike < least_alike:
        return None
    if best_turn(photograph, known, trial, number, coarse) not in (trial, None):
        return None  # so much is plain before it is placed well
    stages = [Stage(max(coarse - 2, 0), 1, reach=3), Stage(0, 2)]
    trial = refine(photograph, boards, trial, Lens.KNOWN, stages, SOME, only)
    rival = fits(photograph, known, trial, number) if sane(photograph, trial) else None
    if not rival or best_turn(photograph, known, trial, number, 0) is not trial:
        return None
    return trial, rival


def _beside(
    photograph: Photograph, known: BoardKnowledge, geometry: Geometry, number: int, index: int
) -> list[Geometry]:
    """A board about a space off, and upside down: each where most of it is seen in a picture halved so many times."""
    step_mm = BESIDE_PX * 2.0**index / scale_of(geometry, number, known.size_mm)
    upright = geometry.placements[number]
    # Also a whole space off, exactly: a board that was aligned to the next spaces lies so, and of fine print nothing
    # shows at places half a step beside that.
    reach = np.append(np.arange(step_mm, 1.2 * known.pitch_mm + step_mm, step_mm), known.pitch_mm)
    ways = upright[0] + np.deg2rad(np.arange(0, 360, 30))
    off = (reach[:, None, None] * np.stack([np.cos(ways), np.sin(ways)], 1)).reshape(-1, 2)
    found = []
    for quarters, far in ((0, 0.6 * known.pitch_mm), (2, 0.0)):
        level = _glanced(known, geometry, number, index, quarters)
        some = off[np.hypot(*off.T) >= far]
        if quarters:
            some = np.vstack([[0.0, 0.0], some])
        tried = turned_placement(upright, known.size_mm, quarters) + np.pad(some, ((0, 0), (1, 0)))
        likeness = likeness_at(photograph, index, geometry, level, [upright, *tried])
        here, *there = np.minimum(np.maximum((likeness - 0.4) / 0.5, 0), 1).sum(axis=1).tolist()
        if there and max(there) > PROMISING * here:
            found.append(placed_at(geometry, number, tried[int(np.argmax(there))]))
    return found


def _glanced(known: BoardKnowledge, geometry: Geometry, number: int, index: int, quarters: int) -> Level:
    """The landmarks that tell where to look for a board that is turned by so many quarters: those that tell so."""
    telling = known.telling_at(scale_of(geometry, number, known.size_mm) / 2.0**index) if quarters else None
    if telling is None or not (own := np.flatnonzero(telling.quarters == quarters)).size:
        return level_for(known, geometry, number, index).first(GLANCED)
    return telling.level.some(own[:GLANCED])
