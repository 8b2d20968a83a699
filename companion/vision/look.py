"""One look at a photograph: boards, spaces, dice.  With an earlier observation only what changed is read again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit
from companion.observation import BoardSight, Calibration, Die, Frame, NotSeen, Observation, Reading, UnsureDie
from companion.vision.board import find_boards, verify_boards
from companion.vision.change import CORNERS, Memory, beside, carried, change_since, differ, faces, read_anew, remember
from companion.vision.dice import read_dice
from companion.vision.learned import Knowledge
from companion.vision.light import Light
from companion.vision.pieces import read_spaces
from companion.vision.under_dice import bare_under_dice, under_dice
from companion.vision.view import View

Array = np.ndarray[Any, Any]

DARK = 20.0  # grey level under which 98 % of a picture lies that is too dark to read
COVERED = 0.6  # how likely a reading is right of a space on which a die stands
DETAIL_WIDTH = 640
BANDS, ROWS, ROWS_EDGE = 4, 8, 6  # of a picture by which it is told to be sharp, and rows beside them that a blur needs
SURELY_SHARP = 3.0  # fine detail of these by which it is sharp
SHARP = 1.5  # fine detail under which a picture is blurred: sharp ones have 7 and more, one blurred by 1/130 of it 1.2

ADVICE = {
    "too-dark": "Too little light to read anything: switch a lamp on, or let the camera expose longer.",
    "blurred": "The picture is out of focus or shaken: focus the camera and keep it still.",
    "board-not-found": "No board of this kit is recognised: show all of it from above, without hands or strong glare.",
}


def look(
    frame: Frame, calibration: Calibration | None, kit: Kit, known: Knowledge, previous: Observation | None = None
) -> Observation | NotSeen:
    """Read a whole table from one photograph.

    `known` is what was learned of the kit.  With `previous` the boards' places are verified instead of searched for,
    and only the spaces whose pixels changed are read again.
    """
    pixels = frame.pixels
    if previous is not None and (again := _look_again(pixels, kit, known, previous)) is not None:
        return again
    if _is_blurred(pixels):
        return not_seen("too-dark" if _is_dark(pixels) else "blurred")
    view = find_boards(pixels, known.boards, kit, calibration)
    if view is None:
        return not_seen("too-dark" if _is_dark(pixels) else "board-not-found")
    return _read(pixels, view, kit, known)


def _read(pixels: Array, view: View, kit: Kit, known: Knowledge) -> Observation:
    """All that is on boards of which it is known how they lie."""
    lights: dict[str, Light] = {}
    guesses: dict[str, Reading] = {}
    spaces, unsure = read_spaces(pixels, view, known.pieces, kit, lights=lights, guesses=guesses)
    dice, unsure_dice = _dice(pixels, view, kit, known)
    seen = Observation(_sights(view, kit), spaces, unsure, dice, unsure_dice, guesses)
    seen = _without_dice(pixels, view, kit, known, seen, unsure, lights)
    return replace(seen, memory=remember(pixels, view, kit, lights, _faces(pixels, view, kit, seen)))


def _look_again(pixels: Array, kit: Kit, known: Knowledge, previous: Observation) -> Observation | None:
    """The table from where it was; None where the boards do not lie there any more."""
    before, boards = previous.memory, previous.boards
    if not isinstance(before, Memory):
        return None
    view = verify_boards(pixels, known.boards, kit, before.view)
    if view is None:
        return None
    if view is not before.view:
        before, boards = carried(before, view, kit), _sights(view, kit)
    change = change_since(before, pixels)
    if change is None:
        return None
    more = beside(before, change)
    if more and len(view.poses) < len(kit.boards):
        return None  # what covered the missing board may have gone
    more = more or differ(before.dice, _faces(pixels, view, kit, previous))
    if not change.spaces and not more:
        return replace(previous, boards=boards, memory=before)
    lights = dict(before.lights) if change.local else {}
    seen, doubtful = _spaces_again(pixels, view, kit, known, replace(previous, boards=boards), change.spaces, lights)
    unsure, dice = seen.unsure, None
    if kit.dice and (more or (doubtful and any(_dice(*_part(pixels, view, kit, doubtful), kit, known)))):
        told, untold = _dice(pixels, view, kit, known)
        seen = replace(seen, dice=told, unsure_dice=untold)
        dice = _faces(pixels, view, kit, seen)
    asked = unsure if dice is not None else change.spaces
    seen = _without_dice(pixels, view, kit, known, seen, asked, lights)
    return replace(seen, memory=read_anew(before, change, lights, dice))


def _spaces_again(
    pixels: Array,
    view: View,
    kit: Kit,
    known: Knowledge,
    previous: Observation,
    again: Collection[str],
    lights: dict[str, Light],
) -> tuple[Observation, set[str]]:
    """The same with the spaces of `again` read anew, and on which of these a die may have changed it.

    It may have where the same pieces lie there though it looks otherwise, or where it cannot be told what does.
    """
    spaces = {space: reading for space, reading in previous.spaces.items() if space not in again}
    unsure = {space: reason for space, reason in previous.unsure.items() if space not in again}
    guesses = {space: guess for space, guess in previous.guesses.items() if space not in again}
    if not again:
        return previous, set()
    new, new_unsure = read_spaces(pixels, view, known.pieces, kit, only=again, lights=lights, guesses=guesses)
    old = {space: previous.spaces[space].pieces for space in again if space in previous.spaces}
    alike = {space for space, reading in new.items() if old.get(space) == reading.pieces}
    seen = replace(previous, spaces=spaces | new, unsure=unsure | new_unsure, guesses=guesses)
    return seen, alike | new_unsure.keys()


def _without_dice(
    pixels: Array,
    view: View,
    kit: Kit,
    known: Knowledge,
    seen: Observation,
    asked: Collection[str],
    lights: Mapping[str, Light],
) -> Observation:
    """The same with those of the spaces `asked` that only dice keep from being told as bare.

    What a die stands on is not told: too much of it may be hidden.
    """
    places = [*(die.at_px for die in seen.dice), *(die.at_px for die in seen.unsure_dice)]
    standing = under_dice(view, kit, places)
    covered = {space: seen.spaces[space] for space in standing if space in seen.spaces and seen.spaces[space].pieces}
    likely = {space: replace(told, confidence=COVERED) for space, told in covered.items()}
    seen = replace(
        seen,
        spaces={space: told for space, told in seen.spaces.items() if space not in covered},
        unsure={**seen.unsure, **dict.fromkeys(covered, "hidden")},
        guesses={**seen.guesses, **likely},
    )
    unsure = {space for space in asked if seen.unsure.get(space) in ("doubt", "hidden")}
    if not unsure or not seen.dice:
        return seen
    bare = bare_under_dice(pixels, view, known.pieces, kit, seen.dice, seen.spaces, unsure, lights)
    rest = {space: reason for space, reason in seen.unsure.items() if space not in bare}
    guesses = {space: guess for space, guess in seen.guesses.items() if space not in bare}
    return replace(seen, spaces={**seen.spaces, **bare}, unsure=rest, guesses=guesses)


def _part(pixels: Array, view: View, kit: Kit, spaces: Collection[str]) -> tuple[Array, View]:
    """The part of a picture that shows some spaces with what dice lie on them, and the view of it."""
    points = []
    high = kit.dice.size_mm if kit.dice else 0.0
    for space in kit.spaces:
        if space.id in spaces:
            corners = space.at_mm + (np.array(space.size_mm) / 2 + high) * CORNERS
            points += [view.pixels(space.board, corners, height) for height in (0.0, high)]
    left, top = np.maximum(np.min(points, (0, 1)), 0).astype(int)
    right, bottom = np.maximum(np.max(points, (0, 1)), 0).astype(int)
    matrix = view.matrix.copy()
    matrix[:2, 2] -= left, top
    return pixels[top : bottom + 1, left : right + 1], replace(view, matrix=matrix)


def _faces(pixels: Array, view: View, kit: Kit, seen: Observation) -> Array:
    """Small pictures of the dice that were seen, told or not."""
    return faces_of(pixels, view, kit, (*seen.dice, *seen.unsure_dice))


def faces_of(pixels: Array, view: View, kit: Kit, dice: Sequence[Die | UnsureDie]) -> Array:
    """Small pictures of some dice, as `change.faces` takes them."""
    size_px = 0.0
    if kit.dice and dice:
        board = next(board for board in kit.boards if board.id in view.poses)
        size_px = view.scale(board.id, (board.size_mm[0] / 2, board.size_mm[1] / 2)) * kit.dice.size_mm
    return faces(pixels, np.array([die.at_px for die in dice]).reshape(-1, 2), 1.5 * size_px)


def not_seen(error: str) -> NotSeen:
    return NotSeen(error, ADVICE[error])


def light_of(pixels: Array) -> float:
    """The grey value, 0 to 255, that two hundredths of a picture (H, W, 3) uint8 are brighter than."""
    return float(np.percentile(pixels[::4, ::4, 1], 98))


def _is_dark(pixels: Array) -> bool:
    return light_of(pixels) < DARK


def _is_blurred(pixels: Array) -> bool:
    """Whether nothing in a picture is sharp.  A few rows nearly always tell that something is."""
    return _detail_of_rows(pixels) < SURELY_SHARP and focus_of(pixels) < SHARP


def focus_of(pixels: Array) -> float:
    """How much of the picture's sharpest detail is finer than a blur, in grey levels at DETAIL_WIDTH."""
    height, width = pixels.shape[:2]
    size = (DETAIL_WIDTH, max(1, round(DETAIL_WIDTH * height / width)))
    return _sharpest(_fine(cv2.resize(cv2.extractChannel(pixels, 1), size, interpolation=cv2.INTER_AREA)))


def _detail_of_rows(pixels: Array) -> float:
    """About the same of a few rows, at DETAIL_WIDTH or somewhat more; 0 where the picture has too few."""
    by = max(1, pixels.shape[1] // DETAIL_WIDTH)
    rows, width = ROWS + 2 * ROWS_EDGE, pixels.shape[1] // by
    tall = rows * by
    if len(pixels) < BANDS * tall:
        return 0.0
    tops = (len(pixels) * (2 * np.arange(BANDS) + 1) // BANDS - tall) // 2
    parts = np.concatenate([cv2.extractChannel(pixels[top : top + tall, : width * by], 1) for top in tops])
    fine = _fine(cv2.resize(parts, (width, rows * BANDS), interpolation=cv2.INTER_AREA))
    return _sharpest(fine.reshape(BANDS, rows, width)[:, ROWS_EDGE:-ROWS_EDGE, ::2])


def _fine(grey: Array) -> Array:
    return cv2.Laplacian(cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 1.5), cv2.CV_32F)


def _sharpest(fine: Array) -> float:
    """Of the sharpest 2 % of places the dullest."""
    found = np.abs(fine).ravel()
    last = int(0.98 * (len(found) - 1))
    return float(np.partition(found, last)[last])


def _sights(view: View, kit: Kit) -> dict[str, BoardSight]:
    found = {}
    for board in kit.boards:
        if board.id in view.poses:
            a, b, c, d = ((float(x), float(y)) for x, y in view.corners(board))
            found[board.id] = BoardSight((a, b, c, d), view.poses[board.id].residual_px)
    return found


def _dice(pixels: Array, view: View, kit: Kit, known: Knowledge) -> tuple[tuple[Die, ...], tuple[UnsureDie, ...]]:
    return read_dice(pixels, view, kit.dice, known.printed) if kit.dice else ((), ())
