"""One look at a photograph: boards, spaces, dice.  With an earlier observation only what changed is read again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit, Space
from companion.observation import BoardSight, Calibration, Die, Frame, NotSeen, Observation, UnsureDie
from companion.vision.board import find_boards, verify_boards
from companion.vision.dice import read_dice
from companion.vision.learned import Knowledge
from companion.vision.pieces import read_spaces
from companion.vision.view import View

Array = np.ndarray[Any, Any]

DARK = 20.0  # grey level under which 98 % of a picture lies that is too dark to read
DETAIL_WIDTH = 640
SHARP = 1.5  # fine detail under which a picture is blurred: sharp ones have 7 and more, one blurred by 1/130 of it 1.2
GLANCE_WIDTH = 320  # px of the small picture that tells whether something beside the spaces changed
GRID = 14  # samples a side of a space that tell whether it changed
CHANGED = 5.0  # grey levels by which a tenth of the samples must differ, and so many times the noise
NOISES = 4.0
WIDER = 1.25  # how much more than the space is sampled: pieces stick out

ADVICE = {
    "too-dark": "Too little light to read anything: switch a lamp on, or let the camera expose longer.",
    "blurred": "The picture is out of focus or shaken: focus the camera and keep it still.",
    "board-not-found": "No board of this kit is recognised: show all of it from above, without hands or strong glare.",
}


@dataclass(frozen=True, eq=False)
class Memory:
    """What a later look at the same table starts from."""

    view: View
    places: Array  # (spaces, GRID, GRID, 2) float32: where each space's samples lie in the half-size grey picture
    samples: Array  # (spaces, GRID * GRID) float32 grey levels
    glance: Array  # the small grey picture, (height, GLANCE_WIDTH) float32


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
    if _fine_detail(pixels) < SHARP:
        return not_seen("too-dark" if _is_dark(pixels) else "blurred")
    view = find_boards(pixels, known.boards, kit, calibration)
    if view is None:
        return not_seen("too-dark" if _is_dark(pixels) else "board-not-found")
    spaces, unsure = read_spaces(pixels, view, known.pieces, kit)
    dice, unsure_dice = _dice(pixels, view, kit, known)
    return Observation(_sights(view, kit), spaces, unsure, dice, unsure_dice, _remember(pixels, view, kit))


def _look_again(pixels: Array, kit: Kit, known: Knowledge, previous: Observation) -> Observation | None:
    """The table from where it was; None where the boards do not lie there any more."""
    before = previous.memory
    if not isinstance(before, Memory):
        return None
    view = verify_boards(pixels, known.boards, kit, before.view)
    if view is None:
        return None
    now = _remember(pixels, view, kit, before if view is before.view else None)
    if now.glance.shape != before.glance.shape:
        return None
    ids = [space.id for space in _seen(view, kit)]
    again = {space for space, changed in zip(ids, _changed(now.samples, before.samples), strict=True) if changed}
    spaces, unsure = dict(previous.spaces), dict(previous.unsure)
    if again:
        new, new_unsure = read_spaces(pixels, view, known.pieces, kit, only=again)
        spaces = {space: reading for space, reading in spaces.items() if space not in again} | new
        unsure = {space: reason for space, reason in unsure.items() if space not in again} | new_unsure
    dice, unsure_dice = previous.dice, previous.unsure_dice
    places = [ids.index(space) for space in again if space in ids]
    if kit.dice and _beside_spaces(now, before, places, GLANCE_WIDTH / (pixels.shape[1] // 2)):
        dice, unsure_dice = _dice(pixels, view, kit, known)
    return Observation(_sights(view, kit), spaces, unsure, dice, unsure_dice, now)


def not_seen(error: str) -> NotSeen:
    return NotSeen(error, ADVICE[error])


def _is_dark(pixels: Array) -> bool:
    return bool(np.percentile(pixels[::4, ::4, 1], 98) < DARK)


def _fine_detail(pixels: Array) -> float:
    """How much of the picture's sharpest detail is finer than a blur, in grey levels at DETAIL_WIDTH."""
    height, width = pixels.shape[:2]
    size = (DETAIL_WIDTH, max(1, round(DETAIL_WIDTH * height / width)))
    grey = cv2.resize(pixels[:, :, 1], size, interpolation=cv2.INTER_AREA).astype(np.float32)
    fine = cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 1.5), cv2.CV_32F)
    return float(np.percentile(np.abs(fine), 98))


def _sights(view: View, kit: Kit) -> dict[str, BoardSight]:
    found = {}
    for board in kit.boards:
        if board.id in view.poses:
            a, b, c, d = ((float(x), float(y)) for x, y in view.corners(board))
            found[board.id] = BoardSight((a, b, c, d), view.poses[board.id].residual_px)
    return found


def _dice(pixels: Array, view: View, kit: Kit, known: Knowledge) -> tuple[tuple[Die, ...], tuple[UnsureDie, ...]]:
    return read_dice(pixels, view, kit.dice, known.printed) if kit.dice else ((), ())


# What changed since the last look


def _seen(view: View, kit: Kit) -> Iterator[Space]:
    return (space for space in kit.spaces if space.board in view.poses)


def _places(view: View, kit: Kit) -> Array:
    """Where the samples of each space lie in the half-size picture: (spaces, GRID, GRID, 2) float32."""
    steps = (np.arange(GRID) + 0.5) / GRID - 0.5
    unit = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    places = []
    for board in view.poses:
        spaces = [space for space in kit.spaces if space.board == board]
        points = np.concatenate([space.at_mm + unit * np.multiply(space.size_mm, WIDER) for space in spaces])
        places.append(view.pixels(board, points))
    order = [space.id for board in view.poses for space in kit.spaces if space.board == board]
    found = np.concatenate(places).reshape(len(order), GRID, GRID, 2)
    into = {space: number for number, space in enumerate(order)}
    return np.asarray((found[[into[space.id] for space in _seen(view, kit)]] - 0.5) / 2, np.float32)


def _remember(pixels: Array, view: View, kit: Kit, before: Memory | None = None) -> Memory:
    height, width = pixels.shape[:2]
    half = cv2.resize(pixels[:, :, 1], (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    places = before.places if before else _places(view, kit)
    across, down = np.moveaxis(places.reshape(len(places) * GRID, GRID, 2), 2, 0)
    samples = cv2.remap(half, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    small = cv2.resize(half, (GLANCE_WIDTH, max(1, round(height * GLANCE_WIDTH / width))), interpolation=cv2.INTER_AREA)
    return Memory(view, places, samples.reshape(len(places), -1).astype(np.float32), small.astype(np.float32))


def _changed(now: Array, before: Array) -> Array:
    """Which spaces' samples differ, each space's own change of light apart: bool (spaces,)."""
    gain = (now.mean(axis=1) + 4) / (before.mean(axis=1) + 4)
    apart = np.abs(now - before * np.clip(gain, 0.8, 1.25)[:, None])
    noise = float(np.median(apart))
    return np.asarray(np.quantile(apart, 0.9, axis=1) > max(CHANGED, NOISES * noise))


def _beside_spaces(now: Memory, before: Memory, read_again: list[int], shrink: float) -> bool:
    """Whether anything changed but the spaces read again, so that dice may have come, gone or turned.

    `shrink` leads from the half-size picture to the glance.
    """
    gain = float(np.median(now.glance + 4) / np.median(before.glance + 4))
    apart = cv2.GaussianBlur(np.abs(now.glance - before.glance * gain), (0, 0), 1.0)
    for place in read_again:
        corners = now.places[place].reshape(-1, 2) * shrink
        cv2.fillConvexPoly(apart, cv2.convexHull(np.round(corners).astype(np.int32)), 0.0)
    return bool(apart.max() > max(CHANGED, NOISES * float(np.median(apart))))
