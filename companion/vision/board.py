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
from companion.vision.geometry import Geometry, geometry_of, placed_corners_px, scale_of, spin, view_of
from companion.vision.hypotheses import Guess, Outlined, Search, begin, ways
from companion.vision.landmarks import BoardKnowledge, learn_board
from companion.vision.others import placements, with_placement
from companion.vision.plane import COMPACT
from companion.vision.refine import (
    ALL,
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
from companion.vision.verdict import (
    ALIKE,
    LEAST_SHARE,
    Verdict,
    best_turn,
    certain,
    fits,
    likeness_at,
    look_at,
    placed_at,
    sane,
    stands,
    turned_placement,
    verdict_of,
)
from companion.vision.view import View

Array = np.ndarray[Any, Any]

__all__ = ["BoardKnowledge", "find_boards", "learn_board", "verify_boards"]

FEW_LANDMARKS, FEW_BARE = 20, 8  # of all and of those that no piece hides: below, a level is no use at first
GLANCED, FEW, SOME, MANY = (
    20,
    40,
    60,
    100,
)  # landmarks that tell where to look, landmarks that place a board nearly, well, and as well as can be
SWING = 0.5  # how much more of a board must be seen with it turned a little, by patches wholly alike
CLEARLY, FAR_LESS = 0.03, 0.1  # by how much more alike one of two places must be; by how much less it is not looked at
PLAIN = 0.8  # share of a board's landmarks seen from which no other place is looked at
PROMISING = 0.6  # of what is alike in the one place, that much must be in another before anything is aligned there
BESIDE_PX = 2.5  # of the small picture: how far apart places are looked at beside where a board seems to lie
LEAST_COARSE = 0.15  # share of a further board's landmarks that must be seen after a first alignment
VERIFIED = 40  # landmarks of each board that are looked at again
MOVED_PX = 0.7  # how far the landmarks may lie off before the boards are placed anew


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
            plainer = _plainer(photograph, [known], found, 0, verdict)
            return plainer[0] if plainer else None
    return None


def _plainer(
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
    level = level_for(known, geometry, number, index).first(GLANCED)
    step_mm = BESIDE_PX * 2.0**index / scale_of(geometry, number, known.size_mm)
    reach = np.arange(step_mm, 1.2 * known.pitch_mm + step_mm, step_mm)
    ways_ = np.deg2rad(np.arange(0, 360, 30))
    off = (reach[:, None, None] * np.stack([np.cos(ways_), np.sin(ways_)], 1)).reshape(-1, 2)
    upright = geometry.placements[number]
    found, least = [], 0.0
    for placement, far in ((upright, 0.6 * known.pitch_mm), (turned_placement(upright, known.size_mm, 2), 0.0)):
        some = np.vstack([[0.0, 0.0], off[np.hypot(*off.T) >= far]])
        tried = placement + np.pad(some, ((0, 0), (1, 0)))
        likeness = likeness_at(photograph, index, geometry, level, list(tried))
        alike = np.minimum(np.maximum((likeness - 0.4) / 0.5, 0), 1).sum(axis=1)
        if far:
            least, alike[0] = PROMISING * float(alike[0]), 0.0
        if alike.max() > least:
            found.append(placed_at(geometry, number, tried[int(alike.argmax())]))
    return found


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
    return _plainer(photograph, boards, found, number, verdict) if verdict else None


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
        if trial is not None and trial[1].shown > PLAIN:
            break
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
