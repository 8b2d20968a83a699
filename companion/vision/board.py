"""Finding the boards of a kit in a photograph by their own pictures, and seeing whether they still lie where they did.

Guesses come from outlines and from matched points; whether a guess is right is decided by patches of the board's
picture alone: enough of them must be seen where they belong, and clearly more than with the board turned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit
from companion.observation import Calibration
from companion.vision.geometry import Geometry, corners_mm, geometry_of, project, scale_of, spin, view_of
from companion.vision.hypotheses import Guess, Outlined, Search, begin, guesses, ways
from companion.vision.landmarks import BoardKnowledge, learn_board
from companion.vision.others import placements, with_placement
from companion.vision.plane import COMPACT
from companion.vision.refine import Lens, Look, Photograph, Stage, gathered, levels_for, look, refine, residual_px
from companion.vision.verdict import ALIKE, best_turn, certain, fits, likeness_at, look_at, sane, stands, verdict_of
from companion.vision.view import View

Array = np.ndarray[Any, Any]

__all__ = ["BoardKnowledge", "find_boards", "learn_board", "verify_boards"]

FEW_LANDMARKS = 20  # below which a level is no use for a first alignment
LEAST_COARSE = 0.15  # share of a further board's landmarks that must be seen after a first alignment
VERIFIED = 40  # landmarks of each board that are looked at again
MOVED_PX = 0.7  # how far the landmarks may lie off before the boards are placed anew


def coarse_index(geometry: Geometry, board: int, known: BoardKnowledge) -> int:
    """How often to halve the picture for the board to be some 170 pixels long; less if that shows too little of it."""
    scale = scale_of(geometry, board, known.size_mm)
    if not scale > 0:  # a plane that runs behind the camera
        return 0
    index = int(np.clip(round(np.log2(scale * max(known.size_mm) / 170)), 0, 5))
    while index > 0 and len(known.level(scale / 2.0**index).centres_mm) < FEW_LANDMARKS:
        index -= 1
    return index


def _settled(search: Search, guess: Guess) -> Geometry | None:
    """A guess refined and found to be right, or None."""
    known = search.known[guess.board]
    geometry = search.geometry(known.size_mm, guess.corners_px)
    if geometry is None:
        return None
    coarse = coarse_index(geometry, 0, known)
    held = Lens.KNOWN if search.lens_known else Lens.FOCAL
    stages = [Stage(coarse, 1, reach=4), Stage(coarse, 1, reach=2)]
    geometry = refine(search.photograph, [known], geometry, held, stages, most=80)
    if not sane(search.photograph, geometry) or not certain(
        verdict_of(look_at(search.photograph, [known], geometry, coarse), 0)
    ):
        return None
    fine = max(coarse - 2, 0)
    if coarse > 0:
        stages = [Stage(fine, 1, reach=3), Stage(fine, 1, reach=1)]
        geometry = refine(search.photograph, [known], geometry, search.lens, stages, most=90)
    turned = best_turn(search.photograph, known, geometry, 0, fine) if sane(search.photograph, geometry) else None
    if turned is not None and fine > 0:
        turned = refine(search.photograph, [known], turned, search.lens, [Stage(0, 1, reach=2)])
    if turned is None:
        return None
    for again in (False, True):
        if again:  # a first alignment may have caught a part of the board only
            stages = [Stage(1, 1, reach=4), Stage(0, 2, reach=3)]
            turned = refine(search.photograph, [known], turned, search.lens, stages)
        if sane(search.photograph, turned) and fits(search.photograph, [known], turned, 0):
            return turned
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


def _larger(search: Search, name: str, geometry: Geometry, outlined: Outlined) -> tuple[str, Geometry]:
    """The largest board as the anchor in place of a smaller one that was found first, if it can be."""
    largest = max(search.known.values(), key=lambda known: known.area_mm2)
    if search.known[name].area_mm2 >= largest.area_mm2:
        return name, geometry
    corners = corners_mm(search.known[name].size_mm)
    first = project(geometry, np.zeros(4, int), corners, False).pixels
    quads: list[Array] | None = outlined.seen
    while quads is not None:
        for guess in guesses(search, quads, [largest.id]) if quads else ():
            settled = _settled(search, guess)
            if settled is not None:
                outlined.seen.insert(0, first)
                return largest.id, settled
        quads = outlined.further()
    return name, geometry


def _joined(search: Search, geometry: Geometry, boards: Sequence[BoardKnowledge], placement: Array) -> Geometry | None:
    """The geometry with the last of the boards added at a placement, or None if it does not lie there."""
    added, number = boards[-1], len(boards) - 1
    trial = with_placement(geometry, placement)
    photograph, coarse = search.photograph, coarse_index(trial, number, added)
    fine = max(coarse - 2, 0)
    trial = refine(photograph, boards, trial, Lens.KNOWN, [Stage(coarse, 1, reach=5)], most=60, only=number)
    # Where the anchor is the smaller one, its plane and lens are not known well enough to hold them.
    larger = added.area_mm2 > boards[0].area_mm2
    lens, only = (search.lens, None) if larger else (Lens.KNOWN, number)
    trial = refine(photograph, boards, trial, lens, [Stage(coarse, 1, reach=3)], most=90, only=only)
    if verdict_of(look_at(photograph, boards, trial, coarse), number).share < LEAST_COARSE:
        return None
    if larger or fine < coarse:
        stages = [Stage(fine, 1, reach=3), Stage(fine, 1, reach=1)]
        trial = refine(photograph, boards, trial, lens, stages, most=90, only=only)
    elif _compact(added):
        trial = _swung(photograph, boards, trial, number, coarse)
        trial = refine(photograph, boards, trial, lens, [Stage(coarse, 1, reach=2)], only=only)
    turned = best_turn(photograph, added, trial, number, fine)
    if turned is None or not sane(photograph, turned) or not fits(photograph, boards, turned, number):
        return None
    return turned


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

    What is round about a board says nothing about its turn, and outvotes the little that does.
    """
    half = np.array(boards[number].size_mm) / 2
    own, *shift = geometry.placements[number]
    middle = spin(own) @ half + shift
    level = levels_for(boards, geometry, index)[number]
    angles = own + np.deg2rad(np.arange(-8.0, 8.1, 2.0))
    swung = [np.array([angle, *(middle - spin(angle) @ half)]) for angle in angles]
    alike = np.clip(np.nan_to_num(likeness_at(photograph, index, geometry, level, swung)), 0, 1).sum(axis=1)
    placements_mm = geometry.placements.copy()
    placements_mm[number] = swung[int(alike.argmax())]
    return replace(geometry, placements=placements_mm)


def _others(
    search: Search, anchor: str, geometry: Geometry, outlined: Outlined
) -> tuple[list[BoardKnowledge], Geometry]:
    """The anchor and all further boards that are found on its plane."""
    boards = [search.known[anchor]]
    if len(search.known) > 1:
        geometry = refine(search.photograph, boards, geometry, search.lens, [Stage(0, 2, reach=1)], most=90)
    rest = [known for name, known in search.known.items() if name != anchor]
    for known in sorted(rest, key=lambda known: -known.area_mm2):
        for few in placements(search, geometry, known, boards, outlined):
            trials = (_joined(search, geometry, [*boards, known], placement) for placement in few)
            joined = next((trial for trial in trials if trial is not None), None)
            if joined is not None:
                boards, geometry = [*boards, known], joined
                break
    return boards, geometry


@np.errstate(all="ignore")  # wild guesses lead to wild numbers; they are turned down by what comes of them
def find_boards(
    pixels: Array, known: Mapping[str, BoardKnowledge], kit: Kit, calibration: Calibration | None
) -> View | None:
    """All boards that are found with certainty in a picture (h, w, 3) BGR or (h, w) grey uint8; None if not one is."""
    search = begin(pixels, known, calibration)
    outlined = Outlined(search.small, search.shrink)
    anchor = _anchor(search, outlined, kit)
    if anchor is None:
        return None
    boards, geometry = _others(search, *_larger(search, *anchor, outlined), outlined)
    stages = [Stage(0, 1, reach=2 if len(boards) > 1 else 1), Stage(0, 2)]
    geometry = refine(search.photograph, boards, geometry, search.lens, stages)
    for number in range(1, len(boards)):
        if _compact(boards[number]):  # it turns but slowly to where it lies, see `_swung`
            geometry = refine(search.photograph, boards, geometry, Lens.KNOWN, [Stage(0, 3)], only=number)
    seen = look_at(search.photograph, boards, geometry, 0)
    view = view_of(geometry, [board.id for board in boards], [residual_px(seen, i) for i in range(len(boards))])
    shown = {board.id for i, board in enumerate(boards) if fits(search.photograph, boards, geometry, i)}
    poses = {name: pose for name, pose in view.poses.items() if name in shown}
    return replace(view, poses=poses) if poses and sane(search.photograph, geometry) else None


def _still(boards: Sequence[BoardKnowledge], seen: Look) -> bool:
    """Whether all boards are seen, and just where they were."""
    for number in range(len(boards)):
        verdict = verdict_of(seen, number)
        if verdict.share < 0.25 or residual_px(seen, number) > MOVED_PX:
            return False
    alike = np.nan_to_num(seen.likeness) > ALIKE
    return bool(np.hypot(*np.median(seen.shift_mm[alike], axis=0)) * seen.scale < MOVED_PX / 2)


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
    few = gathered(levels_for(boards, geometry, 0), VERIFIED)
    given = Photograph([pixels])
    if _still(boards, look(given, 0, geometry, few)[0]) and all(
        stands(given, board, geometry, number) for number, board in enumerate(boards)
    ):
        return view
    photograph = Photograph([cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY) if pixels.ndim == 3 else pixels])
    stages = [Stage(2, 1, reach=4), Stage(2, 1, reach=2), Stage(0, 1, reach=2), Stage(0, 1, reach=1)]
    geometry = refine(photograph, boards, geometry, Lens.KNOWN, stages, most=2 * VERIFIED)
    for number, board in enumerate(boards):
        turned = best_turn(photograph, board, geometry, number, 0)
        if turned is not geometry or not fits(photograph, boards, geometry, number):
            return None
    seen = look_at(photograph, boards, geometry, 0)
    return view_of(geometry, names, [residual_px(seen, number) for number in range(len(boards))])
