"""What reaches over a table and hides it: a hand with its arm, told from pieces by its shape and its way in."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit
from companion.vision.change import Change, Memory, about, cells_of, change_since, far_off, glance_at
from companion.vision.view import View

Array = np.ndarray[Any, Any]

ARM_MM2 = 900.0  # beside the spaces that changed, of what comes in from the picture's edge over a board
THING_MM2 = 3500.0  # of what covers that much of a board, comes from nowhere and cannot be read
FEW_BLIND, BLIND = 2, 0.15  # spaces that changed there of which nothing can be told, and their share
DETAIL_PX, SAME_DETAIL = (9, 9), 0.75  # what is finer than that; how alike it is where nothing covers it
ON_BOARD_MM2 = 100.0
TWITCH = 0.03  # of what lies still through a hand's visit, that looks otherwise at most: an arm moves its fingers
EDGE_PX = 2
SHOVED, MANY = 0.6, 12  # of a board's spaces, where it has so many: a hand covers a small board whole
JOINED = np.ones((3, 3), np.uint8)
Clear = tuple[Memory, Change]  # how a table looked where nothing reached in, and what differs from that
NARROW_MM = 8.0  # less wide than a finger: light that is not quite known joins what has nothing to do with one another
LIT = 0.06  # by how much light must have changed in a fair part of a picture to be told
FAIR = 0.2
FOLLOWED = 0.15  # by how much light may change for a change to be told without knowing by how much
AROUND = 1.25  # of a board's sides: within this motion matters


def relit(memory: Memory, pixels: Array) -> Memory:
    """The memory as if it had been taken under the light of another picture, as far as all of that changed alike."""
    now = cells_of(glance_at(pixels))
    if now.shape != memory.cells.shape:
        return memory
    gain = np.median(now / memory.cells, axis=(0, 1))
    if np.abs(gain - 1).max() < FOLLOWED:
        return memory
    glance = cv2.multiply(memory.glance, np.array([*map(float, gain), 1.0]), dtype=cv2.CV_8U)
    return replace(memory, glance=glance, cells=cells_of(glance))


def change_in(memory: Memory, pixels: Array) -> Change | None:
    """What differs from what is remembered, whatever became of the light as a whole."""
    return change_since(relit(memory, pixels), pixels)


def light_changed(before: Array, now: Array) -> bool:
    """Whether there is other light than before on a fair part of a table; both as `cells_of` a glance."""
    if before.shape != now.shape:
        return False
    gain = cv2.medianBlur(now / before, 5)
    return bool((np.abs(gain - 1).max(-1) > LIT).mean() > FAIR)


def surroundings(view: View, kit: Kit, shape: tuple[int, int], by: float, wide: float = AROUND) -> Array:
    """Where the boards and what is about them are in a picture made smaller `by`: (h, w) bool."""
    mask = np.zeros(shape, np.uint8)
    for board in kit.boards:
        if board.id in view.poses:
            middle = np.array(board.size_mm) / 2
            corners = middle + wide * middle * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            seen = np.rint(view.pixels(board.id, corners) / by).clip(-1e4, 1e4).astype(np.int32)
            cv2.fillConvexPoly(mask, seen, 1)
    return mask > 0


def covered(
    memory: Memory,
    change: Change,
    kit: Kit,
    unsure: frozenset[str] | None = None,
    earlier: Change | None = None,
    clear: Clear | None = None,
) -> bool:
    """Whether something reaches over a board, or with the changed spaces that are `unsure` lies there as no piece.

    An arm comes in from the picture's edge and changes much that is no space.  What stands on a board by itself is
    told from pieces only once the spaces were read: it is large, and of some spaces under it nothing can be told.
    With `earlier`, how the same table looked when it was last covered, what has lain still through a hand's visit since
    then covers nothing: it is a thing on the table, or the place from which one was taken.  Nor does that from which
    something has gone, so that nothing is over the board there that was not when it was `clear`.
    """
    parts = _not_gone(_covering(memory, change, kit, unsure), kit, unsure, clear)
    return any(earlier is None or not _stayed(here, memory, change, kit, earlier) for here in parts)


def under_things(
    memory: Memory, change: Change, kit: Kit, earlier: Change | None, clear: Clear | None = None
) -> frozenset[str]:
    """The spaces at what looks like an arm, but has lain still through a hand's visit since `earlier`, or for long."""
    wide = 2 * (_finger_px(memory, kit),)
    found: set[str] = set()
    for here in _not_gone(_covering(memory, change, kit, None), kit, None, clear):
        if earlier is None or _stayed(here, memory, change, kit, earlier):
            near = cv2.dilate(here.view(np.uint8), np.ones(wide, np.uint8)) > 0
            found |= _spaces_at(memory, near)
    return frozenset(found)


def _not_gone(parts: Iterator[Array], kit: Kit, unsure: frozenset[str] | None, clear: Clear | None) -> Iterator[Array]:
    """Those parts at which something is over a board that was not there when it was clear."""
    now: list[Array] | None = None
    for here in parts:
        if clear is None or clear[1].glance.shape[:2] != here.shape:
            yield here
            continue
        now = list(_covering(*clear, kit, unsure)) if now is None else now
        if any((here & there).any() for there in now):
            yield here


def clear_of_things(clear: Memory, now: Memory, pixels: Array, kit: Kit) -> Memory:
    """How a table looks, as it was read `now`, where nothing reaches in from the picture's edge; where something does,
    how it looked there before."""
    change = None if clear.view is not now.view else change_in(clear, pixels)
    if change is None:  # the boards lie elsewhere
        return now
    reaching = np.zeros(now.regions.shape, np.uint8)
    for here in _covering(clear, change, kit, None):
        reaching |= here.view(np.uint8)
    if not reaching.any():
        return now
    wide = cv2.dilate(reaching, np.ones(2 * (2 * _finger_px(now, kit),), np.uint8)) > 0
    glance = np.where(wide[..., None], change.expected, now.glance)
    return replace(now, glance=glance, cells=cells_of(glance))


def _covering(memory: Memory, change: Change, kit: Kit, unsure: frozenset[str] | None) -> Iterator[Array]:
    """Where an arm or a large thing may be over a board, each (h, w) bool of the glance."""
    regions = memory.regions
    mask = np.zeros(regions.shape, np.uint8)
    mask.ravel()[change.far // 3] = 1
    if not mask.any():
        return
    per_mm2 = _pixels_per_mm2(memory, kit)
    narrow = np.ones(2 * (_finger_px(memory, kit),), np.uint8)
    wide_parts = cv2.morphologyEx(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, JOINED), cv2.MORPH_OPEN, narrow)
    count, parts, stats, _ = cv2.connectedComponentsWithStats(wide_parts)
    board = surroundings(regions.view, kit, regions.shape, regions.shrink, 1.0)
    beside = (regions.owner == len(regions.spaces)) & ~about(regions, change)
    height, width = regions.shape
    for part in range(1, count):
        left, top, wide, high, _ = stats[part]
        here = parts == part
        if np.count_nonzero(here & board) < ON_BOARD_MM2 * per_mm2:
            continue
        at_edge = min(left, top) <= EDGE_PX or left + wide >= width - EDGE_PX or top + high >= height - EDGE_PX
        arm = at_edge and np.count_nonzero(here & beside) >= ARM_MM2 * per_mm2
        if arm and not _shows_through(change, here):
            yield here
        elif unsure is not None and np.count_nonzero(here & board) >= THING_MM2 * per_mm2:
            changed = _spaces_at(memory, here) & change.spaces
            if len(changed & unsure) >= max(FEW_BLIND, BLIND * len(changed)):
                yield here


def _stayed(here: Array, memory: Memory, change: Change, kit: Kit, earlier: Change) -> bool:
    """Whether a part of the picture looks as it did earlier, and something else does not: a hand came and went."""
    if earlier.glance.shape != change.glance.shape:
        return False
    apart = np.zeros(here.shape, np.uint8)
    apart.ravel()[far_off(change.glance, earlier.glance)[0] // 3] = 1
    if np.count_nonzero(apart[here]) > TWITCH * np.count_nonzero(here):
        return False
    elsewhere = cv2.morphologyEx(apart, cv2.MORPH_OPEN, JOINED)[~here]
    return bool(np.count_nonzero(elsewhere) >= ON_BOARD_MM2 * _pixels_per_mm2(memory, kit))


def _spaces_at(memory: Memory, here: Array) -> set[str]:
    spaces = memory.regions.spaces
    return {spaces[k].id for k in np.unique(memory.regions.owner[here]) if k < len(spaces)}


def may_have_moved(memory: Memory, change: Change) -> bool:
    """Whether most spaces of a board look otherwise, as they do where it was shoved: a hand leaves more."""
    boards = Counter(space.board for space in memory.regions.spaces)
    changed = Counter(space.board for space in memory.regions.spaces if space.id in change.spaces)
    return any(changed[board] > SHOVED * spaces for board, spaces in boards.items() if spaces >= MANY)


def _shows_through(change: Change, here: Array) -> bool:
    """Whether a part of the picture looks as it did but for its brightness, as where a shadow came or went."""
    rows, columns = (np.flatnonzero(here.any(axis)) for axis in (1, 0))
    part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    within = cv2.erode(here[part].astype(np.uint8), np.ones(DETAIL_PX, np.uint8)) > 0
    one, other = (_detail(glance[part])[within] for glance in (change.expected, change.glance))
    return bool(one @ other > SAME_DETAIL * np.sqrt((one @ one) * (other @ other)))


def _detail(glance: Array) -> Array:
    grey = cv2.cvtColor(glance, cv2.COLOR_BGR2GRAY).astype(np.float32)
    return np.asarray(grey - cv2.blur(grey, DETAIL_PX))


def _finger_px(memory: Memory, kit: Kit) -> int:
    return max(1, round(NARROW_MM * math.sqrt(_pixels_per_mm2(memory, kit))))


def _pixels_per_mm2(memory: Memory, kit: Kit) -> float:
    """Of the glance, in the middle of a board."""
    view = memory.view
    board = next(board for board in kit.boards if board.id in view.poses)
    scale = float(view.scale(board.id, (board.size_mm[0] / 2, board.size_mm[1] / 2)))
    return (scale / memory.regions.shrink) ** 2
