"""Finding the boards of a kit in a photograph by their own pictures, and seeing whether they still lie where they did.

Guesses come from outlines and from matched points; whether a guess is right is decided by patches of the board's
picture alone: enough of them must be seen where they belong, and clearly more than with the board turned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from companion.kit import Kit
from companion.observation import Calibration
from companion.vision.fitting import middle_of
from companion.vision.geometry import Geometry, geometry_of, spin, view_of
from companion.vision.hypotheses import Guess, Outlined, Search, begin, ways
from companion.vision.landmarks import BoardKnowledge, learn_board
from companion.vision.others import placements, with_placement
from companion.vision.plane import COMPACT
from companion.vision.refine import (
    ALL,
    FEW,
    MANY,
    SOME,
    Lens,
    Look,
    Photograph,
    Stage,
    level_for,
    look,
    refine,
    residual_px,
    step,
)
from companion.vision.rivals import coarse_index, plainer
from companion.vision.verdict import (
    ALIKE,
    LEAST_SHARE,
    Verdict,
    best_turn,
    certain,
    fits,
    likeness_at,
    look_at,
    sane,
    stands,
    verdict_of,
)
from companion.vision.view import View

Array = np.ndarray[Any, Any]

__all__ = ["BoardKnowledge", "find_boards", "learn_board", "verify_boards"]

SWING = 0.5  # how much more of a board must be seen with it turned a little, by patches wholly alike
SETTLED = 0.5  # share of a further board's landmarks seen from which it is not looked for anywhere else
LEAST_COARSE = 0.15  # share of a further board's landmarks that must be seen after a first alignment
VERIFIED = 40  # landmarks of each board that are looked at again
MOVED_PX = 0.7  # how far the landmarks may lie off before the boards are placed anew


def _begun(search: Search, guess: Guess) -> tuple[Geometry, int] | None:
    """A guess brought near in a picture halved so many times, or None if little of the board is seen there."""
    known, photograph = search.known[guess.board], search.photograph
    geometry = search.geometry(known.size_mm, guess.corners_px)
    if geometry is None:
        return None
    coarse = coarse_index(geometry, 0, known)
    held = Lens.KNOWN if search.lens_known else Lens.FOCAL
    for reach in (4, 2):
        geometry = refine(photograph, [known], geometry, held, [Stage(coarse, 1, reach)], most=FEW)
        if not sane(photograph, geometry):
            return None
        seen = look_at(photograph, known, geometry, 0, coarse)
        verdict = verdict_of(seen)
        if certain(verdict):
            return step([seen], geometry, photograph.size_px, held), coarse
        if verdict.share < LEAST_COARSE:
            return None
    return None


def _settled(search: Search, guess: Guess) -> Geometry | None:
    """A guess refined and found to be right, or None."""
    known, photograph, lens = search.known[guess.board], search.photograph, search.lens
    begun = _begun(search, guess)
    if begun is None:
        return None
    geometry, coarse = begun
    fine = max(coarse - 2, 0)
    geometry = refine(photograph, [known], geometry, lens, [Stage(fine, 1, reach=3), Stage(fine, 1)], most=SOME)
    found = best_turn(photograph, known, geometry, 0, fine) if sane(photograph, geometry) else None
    if found is None:
        return None
    if fine > 0:
        found = refine(photograph, [known], found, lens, [Stage(0, 2)], most=SOME)
    for again in (False, True):
        if again:  # a first alignment may have caught a part of the board only
            stages = [Stage(1, 1, reach=4), Stage(0, 2, reach=3)]
            found = refine(photograph, [known], found, lens, stages)
        verdict = fits(photograph, known, found, 0) if sane(photograph, found) else None
        if verdict:
            likeliest = plainer(photograph, [known], found, 0, verdict)
            return likeliest[0] if likeliest else None
    return None


def _anchor(search: Search, outlined: Outlined, kit: Kit) -> tuple[str, Geometry] | None:
    """The first board that is found with certainty."""
    area = {name: known.area_mm2 for name, known in search.known.items()}
    # A board much smaller than another is looked for on its plane; it says too little by itself.
    names = [name for name in sorted(area, key=lambda name: -area[name]) if area[name] > 0.1 * max(area.values())]
    for few in ways(search, names, outlined, kit):
        for guess in few:
            settled = _settled(search, guess)
            if settled is not None:
                return guess.board, settled
    return None


def _joined(
    search: Search, geometry: Geometry, boards: Sequence[BoardKnowledge], placement: Array
) -> tuple[Geometry, Verdict] | None:
    """The geometry with the last of the boards added at a placement, and what shows of it; None if it is not there."""
    added, number = boards[-1], len(boards) - 1
    trial = with_placement(geometry, placement)
    photograph, coarse = search.photograph, coarse_index(trial, number, added)
    fine = max(coarse - 2, 0)
    # Where the anchor is the smaller one, its plane and lens are not known well enough to hold them.
    larger = added.area_mm2 > boards[0].area_mm2
    lens, only = (search.lens, None) if larger else (Lens.KNOWN, number)
    trial = refine(photograph, boards, trial, Lens.KNOWN, [Stage(coarse, 1, reach=5)], most=SOME, only=number)
    seen = look_at(photograph, added, trial, number, coarse)
    if larger or verdict_of(seen).share < LEAST_SHARE:
        most = MANY if larger else FEW
        trial = refine(photograph, boards, trial, lens, [Stage(coarse, 1, reach=3)], most, only)
        seen = look_at(photograph, added, trial, number, coarse)
        if verdict_of(seen).share < LEAST_COARSE:
            return None
    else:
        trial = step([seen], trial, photograph.size_px, lens, only)
    if larger or fine < coarse:
        stages = [Stage(fine, 1, reach=3), Stage(fine, 1)]
        trial = refine(photograph, boards, trial, lens, stages, most=SOME, only=only)
    elif _compact(added):
        trial = _swung(photograph, boards, trial, number, coarse)
        trial = refine(photograph, boards, trial, lens, [Stage(coarse, 1, reach=2)], most=SOME, only=only)
    found = best_turn(photograph, added, trial, number, fine)
    if found is None or not sane(photograph, found):
        return None
    verdict = fits(photograph, added, found, number)
    return plainer(photograph, boards, found, number, verdict) if verdict else None


def _compact(known: BoardKnowledge) -> bool:
    return max(known.size_mm) < COMPACT * min(known.size_mm)


def _swung(
    photograph: Photograph,
    boards: Sequence[BoardKnowledge],
    geometry: Geometry,
    number: int,
    index: int,
) -> Geometry:
    """The geometry with a further board turned a little about its middle, to where most of it is seen.

    What is round about the board says nothing about its turn.
    """
    half = np.array(boards[number].size_mm) / 2
    own, *shift = geometry.placements[number]
    middle = spin(own) @ half + shift
    level = level_for(boards[number], geometry, number, index)
    turning = level.some(~level.round)
    angles = own + np.deg2rad(np.arange(-14.0, 14.1, 2.0))
    swung = [np.array([angle, *(middle - spin(angle) @ half)]) for angle in angles]
    likeness = likeness_at(photograph, index, geometry, turning, swung)
    alike = np.minimum(np.maximum((likeness - 0.4) / 0.5, 0), 1).sum(axis=1)
    best = int(alike.argmax())
    if alike[best] < alike[len(angles) // 2] + SWING:
        return geometry
    placements_mm = geometry.placements.copy()
    placements_mm[number] = swung[best]
    return replace(geometry, placements=placements_mm)


def _others(
    search: Search, anchor: str, geometry: Geometry, outlined: Outlined
) -> tuple[list[BoardKnowledge], Geometry]:
    """The anchor and all further boards that are found on its plane."""
    boards = [search.known[anchor]]
    if len(search.known) > 1:
        geometry = refine(search.photograph, boards, geometry, search.lens, [Stage(0, 1)], most=SOME)
    rest = [known for name, known in search.known.items() if name != anchor]
    for known in sorted(rest, key=lambda known: -known.area_mm2):
        for few in placements(search, geometry, known, boards, outlined):
            joined = _best_joined(search, geometry, [*boards, known], few)
            if joined is not None:
                boards, geometry = [*boards, known], joined
                break
    return boards, geometry


def _same_place(placement: Array, found: Array, known: BoardKnowledge) -> bool:
    """Whether a placement (3,) most likely leads to one that was found."""
    turn = abs((placement[0] - found[0] + np.pi) % (2 * np.pi) - np.pi)
    return bool(turn < 0.1 and np.hypot(*(placement - found)[1:]) < 0.1 * min(known.size_mm))


def _best_joined(
    search: Search, geometry: Geometry, boards: Sequence[BoardKnowledge], few: Sequence[Array]
) -> Geometry | None:
    """The geometry with the last of the boards added at that of a few placements where most of it is seen, if any."""
    best, most = None, 0.0
    for placement in few:
        if best is not None and _same_place(placement, best.placements[-1], boards[-1]):
            continue
        trial = _joined(search, geometry, boards, placement)
        if trial is not None and trial[1].alike > most:
            best, most = trial[0], trial[1].alike
        if trial is not None and trial[1].shown > SETTLED:
            break  # where it may lie instead was looked at
    return best


@np.errstate(all="ignore")  # wild guesses lead to wild numbers; they are turned down by what comes of them
def find_boards(
    pixels: Array, known: Mapping[str, BoardKnowledge], kit: Kit, calibration: Calibration | None
) -> View | None:
    """All boards that are found with certainty in a picture (h, w, 3) BGR or (h, w) grey uint8; None if not one is."""
    search = begin(pixels, known, calibration)
    outlined = Outlined(search.small, 2**search.halvings)
    anchor = _anchor(search, outlined, kit)
    if anchor is None:
        return None
    boards, geometry = _others(search, *anchor, outlined)
    # What one board alone says of the lens is little enough to take all of it.
    most = MANY if len(boards) > 1 else ALL
    geometry = refine(search.photograph, boards, geometry, search.lens, [Stage(0, 2)], most)
    for number in range(1, len(boards)):
        if _compact(boards[number]):  # it turns but slowly to where it lies, see `_swung`
            geometry = refine(search.photograph, boards, geometry, Lens.KNOWN, [Stage(0, 2)], only=number)
    looks = [look_at(search.photograph, board, geometry, i, 0) for i, board in enumerate(boards)]
    view = view_of(geometry, [board.id for board in boards], [residual_px(seen) for seen in looks])
    # They did fit; it is left to see that they still do.
    shown = {
        board.id
        for i, board in enumerate(boards)
        if certain(verdict_of(looks[i])) or fits(search.photograph, board, geometry, i, looks[i])
    }
    poses = {name: pose for name, pose in view.poses.items() if name in shown}
    return replace(view, poses=poses) if poses and sane(search.photograph, geometry) else None


def _still(looks: Sequence[Look]) -> bool:
    """Whether all boards are seen, and just where they were."""
    off = []
    for seen in looks:
        alike = seen.likeness > ALIKE
        if np.count_nonzero(alike) < 0.25 * np.count_nonzero(seen.inside) or residual_px(seen) > MOVED_PX:
            return False
        axes, shift = seen.level.axes[..., alike], seen.shift_mm[:, alike]
        aside = (axes * shift[:, None]).sum(axis=0)  # on the board, whichever axes a patch has
        off.append(np.hypot(middle_of(aside[0]), middle_of(aside[1])) * seen.at.scale)
    return bool(max(off) < MOVED_PX / 2)


@np.errstate(all="ignore")
def verify_boards(pixels: Array, known: Mapping[str, BoardKnowledge], kit: Kit, view: View) -> View | None:
    """The boards of a view found again in another picture of the same table, or None where they are not there.

    It is the same view where nothing has moved, another where all moved together by some pixels.
    """
    names = sorted(view.poses, key=lambda name: -known[name].area_mm2)
    if not names:
        return None
    boards = [known[name] for name in names]
    geometry = geometry_of(view, names)
    photograph = Photograph.of(pixels)
    looks = [
        look(photograph, 0, geometry, number, level_for(board, geometry, number, 0).first(VERIFIED))
        for number, board in enumerate(boards)
    ]
    if _still(looks) and all(stands(photograph, board, geometry, number) for number, board in enumerate(boards)):
        return view
    geometry = refine(photograph, boards, geometry, Lens.KNOWN, [Stage(2, 1, reach=4)], most=SOME)
    if verdict_of(look_at(photograph, boards[0], geometry, 0, 2)).share < LEAST_COARSE:
        return None  # moved too far for this, or gone
    stages = [Stage(2, 1, reach=2), Stage(0, 1, reach=2), Stage(0, 2)]
    geometry = refine(photograph, boards, geometry, Lens.KNOWN, stages, most=MANY)
    for number, board in enumerate(boards):
        if best_turn(photograph, board, geometry, number, 0) is not geometry:
            return None
        if not fits(photograph, board, geometry, number):
            return None
    looks = [look_at(photograph, board, geometry, number, 0) for number, board in enumerate(boards)]
    return view_of(geometry, names, [residual_px(seen) for seen in looks])
