"""What changed on a table since it was read, told from small pictures of it.

A small picture is blurred over some twelve pixels of the photograph, so that neither noise nor a board that shifted by
a third of a pixel counts as a change, but the smallest piece does.  It is kept as each place was when that was read:
what changes little by little is noticed as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit, Space
from companion.vision.fitting import middle_of
from companion.vision.light import Light
from companion.vision.view import View

Array = np.ndarray[Any, Any]

GLANCE_WIDTH = 360  # px of the small picture, about
LIGHT_CELLS = (20, 15)  # across and down, by which light that changed is told from things that did
LIGHT_REACH = 5  # of those, over which such a change is smooth
GAINS = (0.8, 1.25)  # how far light may change until all is read anew
SAME_LIGHT = 0.04  # by how much it may change for what was known of it to hold,
STEADY = 0.008  # and for nothing to be made of it
DARKEST = 4.0  # levels, below which no change of light is told
CHANGED = 3.5  # levels by which something differs that changed, and so many times the mean noise more
NOISES = 4.0
NOISE_ROWS = 7  # of the glance, between those that noise is measured on
NOISY = 1.5  # levels of mean noise, from which it is blurred once more to tell what changed beside the spaces,
NOISY_BLUR = (5, 5)  # px, by so much
FEW_VALUES = 50  # of a level, from which its own noise counts more than that of all
OWN = 0.96  # of a space's side: the rest is as much its neighbour's
WIDER = 1.3  # of a space's side that what lies on it may take up
LEAST_SHARE, LEAST = 0.03, 6  # of a space, and values of the glance, that must have changed in it
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
FAR = 1 << 19  # sixteenths of a pixel: nothing is drawn so far away
FEW_SPACES, FEW = 4, 0.03  # spaces, and of the glance, beyond which a hand or a shadow may have changed it
FACE = 24  # px a side of a small picture of a die
FACE_CHANGED, FACE_NOISES = 8, 4  # levels by which it differs where it changed, and so many times the noise more,
LEAST_FACE = 5  # in so many of its pixels
SAME_FACE = 8.0  # levels by which the whole of it differs at most where it is the same die
LEAST_BESIDE = 8  # values of the glance that must have changed beside the spaces


@dataclass(frozen=True, eq=False)
class Regions:
    """Where spaces are in a small picture."""

    view: View
    spaces: tuple[Space, ...]
    shrink: int  # of the photograph
    shape: tuple[int, int]  # rows and columns of the small picture

    @cached_property
    def owner(self) -> Array:
        """Which space each pixel belongs to, by its number, or the number of spaces where none: int16."""
        owner = np.full(self.shape, len(self.spaces), np.int16)
        for number, outline in enumerate(outlines(self.view, self.spaces, OWN, self.shrink)):
            cv2.fillConvexPoly(owner, outline, number, shift=4)
        return owner

    @cached_property
    def least(self) -> Array:
        """How many values of a space must differ for it to have changed: (spaces,)."""
        sizes = 3 * np.bincount(self.owner.ravel(), minlength=len(self.spaces) + 1)[:-1]
        return np.asarray(np.maximum(LEAST, LEAST_SHARE * sizes))


@dataclass(frozen=True, eq=False)
class Memory:
    """What a later look at the same table starts from."""

    regions: Regions
    glance: Array  # (h, w, 3) uint8, each place as it was when it was read
    cells: Array  # (rows, columns, 3) float32, its means by LIGHT_CELLS
    lights: Mapping[str, Light]  # by board
    dice: Array  # (N, FACE, FACE, 3) uint8: see `faces`

    @property
    def view(self) -> View:
        return self.regions.view


@dataclass(frozen=True, eq=False)
class Change:
    """What differs from what is remembered."""

    spaces: frozenset[str]
    far: Array  # (N,) int: which values of the glance differ, three to a pixel; clearly so where it is noisy
    gain: Array  # (rows, columns, 3) by how much brighter it is, smoothly
    expected: Array  # the glance as it would be had nothing changed but the light
    glance: Array  # as it is

    @property
    def local(self) -> bool:
        """Whether so little changed that the light on the boards is as it was."""
        few = len(self.spaces) <= FEW_SPACES and len(self.far) < FEW * self.glance.size
        return few and bool(np.abs(self.gain - 1).max() < SAME_LIGHT)


def shrink_of(pixels: Array) -> int:
    """An even number, for then a small pixel is the mean of four."""
    return 2 * max(1, round(float(pixels.shape[1]) / (2 * GLANCE_WIDTH)))


def glance_at(pixels: Array) -> Array:
    height, width = pixels.shape[:2]
    by = shrink_of(pixels)
    size = (max(1, width // by), max(1, height // by))
    return cv2.blur(cv2.resize(pixels[: size[1] * by, : size[0] * by], size, interpolation=cv2.INTER_LINEAR), (3, 3))


def cells_of(glance: Array) -> Array:
    few = cv2.resize(glance, (4 * LIGHT_CELLS[0], 4 * LIGHT_CELLS[1]), interpolation=cv2.INTER_LINEAR)
    return cv2.resize(few, LIGHT_CELLS, interpolation=cv2.INTER_AREA).astype(np.float32) + np.float32(DARKEST)


def outlines(view: View, spaces: Sequence[Space], wide: float, shrink: int) -> Array:
    """Spaces of boards of the view, `wide` times as wide, in the glance: (N, 4, 2) int32, sixteenths of its pixels."""
    found = np.empty((len(spaces), 4, 2), np.int32)
    boards = np.array([space.board for space in spaces])
    at = np.array([space.at_mm for space in spaces]).reshape(-1, 1, 2)
    corners = at + np.array([space.size_mm for space in spaces]).reshape(-1, 1, 2) * (wide / 2 * CORNERS)
    for board in view.poses:
        own = boards == board
        if not own.any():
            continue
        seen = view.pixels(board, corners[own].reshape(-1, 2))
        found[own] = np.clip(np.rint((seen + 0.5) * (16 / shrink) - 8), -FAR, FAR).reshape(-1, 4, 2)
    return found


def remember(pixels: Array, view: View, kit: Kit, lights: Mapping[str, Light], dice: Array) -> Memory:
    """A whole table as it was read; `dice` are the `faces` of those that were seen."""
    spaces = tuple(space for space in kit.spaces if space.board in view.poses)
    glance = glance_at(pixels)
    regions = Regions(view, spaces, shrink_of(pixels), glance.shape[:2])
    return Memory(regions, glance, cells_of(glance), lights, dice)


def change_since(memory: Memory, pixels: Array) -> Change | None:
    """What differs in a photograph that was taken from where the remembered one was; None if its size does."""
    glance = glance_at(pixels)
    if glance.shape != memory.glance.shape:
        return None
    gain = cv2.medianBlur(cells_of(glance) / memory.cells, LIGHT_REACH).clip(*GAINS)
    expected = memory.glance
    if np.abs(gain - 1).max() > STEADY:
        field = cv2.resize(gain, glance.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        expected = cv2.multiply(expected, field, dtype=cv2.CV_8U)
    far, noise = far_off(glance, expected)
    spaces = frozenset(_changed(memory.regions, far)) if len(far) >= LEAST else frozenset[str]()
    if noise > NOISY:
        far, _ = far_off(cv2.blur(glance, NOISY_BLUR), cv2.blur(expected, NOISY_BLUR))
    return Change(spaces, far, gain, expected, glance)


def far_off(now: Array, expected: Array) -> tuple[Array, float]:
    """Which values differ by more than noise, as their places (N,); and the mean of all differences."""
    apart = cv2.absdiff(now, expected)
    most, noise = _most_noise(expected, apart)
    return np.flatnonzero(apart > cv2.LUT(expected, most)), noise


def _changed(regions: Regions, far: Array) -> Iterator[str]:
    """The spaces in which enough values of the small picture differ."""
    counts = np.bincount(regions.owner.ravel()[far // 3], minlength=len(regions.spaces) + 1)
    return (regions.spaces[k].id for k in np.flatnonzero(counts[:-1] >= regions.least))


def _most_noise(expected: Array, apart: Array) -> tuple[Array, float]:
    """By how much values of each level differ at most where nothing changed: (256,) uint8; and the mean difference.

    Most values are of places that did not change; noise grows with the light.
    """
    level, off = (of[NOISE_ROWS // 2 :: NOISE_ROWS].ravel()[::4] for of in (expected, apart))
    off = np.minimum(off, np.uint8(min(3 * middle_of(off) + 3, 255)))
    count = np.bincount(level >> 4, minlength=16)
    mean = (np.bincount(level >> 4, off, 16) + FEW_VALUES * off.mean()) / (count + FEW_VALUES)
    return np.asarray(np.clip(CHANGED + NOISES * mean, 0, 255), np.uint8).repeat(16), float(off.mean())


def beside(memory: Memory, change: Change) -> bool:
    """Whether more changed than spaces and what sticks out of them."""
    if len(change.far) < LEAST_BESIDE:
        return False
    regions = memory.regions
    far = change.far[regions.owner.ravel()[change.far // 3] == len(regions.spaces)]
    if len(far) >= LEAST_BESIDE and change.spaces:
        far = far[~about(regions, change).ravel()[far // 3]]
    return len(far) >= LEAST_BESIDE


def faces(pixels: Array, points_px: Array, width_px: float) -> Array:
    """Small pictures (N, FACE, FACE, 3) uint8 of what is about points (N, 2) of a photograph, so wide."""
    steps = ((np.arange(FACE) + 0.5) / FACE - 0.5) * width_px
    across = (points_px[:, :1, None] + steps[None, None]).repeat(FACE, 1).reshape(-1, FACE).astype(np.float32)
    down = (points_px[:, 1:, None] + steps[None, :, None]).repeat(FACE, 2).reshape(-1, FACE).astype(np.float32)
    if not len(across):
        return np.zeros((0, FACE, FACE, 3), np.uint8)
    seen = cv2.remap(pixels, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cv2.blur(seen, (3, 3)).reshape(-1, FACE, FACE, 3)


def differ(before: Array, now: Array) -> bool:
    """Whether one of such pictures shows something else than before, another light on it apart."""
    if not len(now) or int(cv2.absdiff(now, before).max()) <= FACE_CHANGED:
        return False
    now, before = now.astype(np.float32), before.astype(np.float32)
    gain = (now.mean((1, 2)) + DARKEST) / (before.mean((1, 2)) + DARKEST)
    apart = np.abs(now - before * gain[:, None, None]).max(3)
    most = FACE_CHANGED + FACE_NOISES * np.median(apart, axis=(1, 2))
    return bool(((apart > most[:, None, None]).sum((1, 2)) >= LEAST_FACE).any())


def alike(before: Array, now: Array) -> Array:
    """Of each of such pictures whether it shows the same as before: (N,) bool."""
    apart = cv2.absdiff(now, before).reshape(len(now), -1).mean(1) if len(now) else np.zeros(0)
    same = [not differ(before[k : k + 1], now[k : k + 1]) for k in range(len(now))]
    return np.asarray((apart < SAME_FACE) & np.array(same, bool))


def carried(memory: Memory, view: View, kit: Kit) -> Memory:
    """The memory as if it had been taken with the boards where another view has them, all moved alike."""
    boards = [board for board in kit.boards if board.id in view.poses]
    corners = [np.concatenate([of.corners(board) for board in boards]) for of in (memory.view, view)]
    corners = [(of + 0.5) / memory.regions.shrink - 0.5 for of in corners]
    onto = cv2.findHomography(corners[0], corners[1])[0]
    size = memory.glance.shape[1::-1]
    glance = cv2.warpPerspective(memory.glance, onto, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    regions = replace(memory.regions, view=view)
    return replace(memory, regions=regions, glance=glance, cells=cells_of(glance), lights={})


def about(regions: Regions, change: Change) -> Array:
    """Where spaces that changed are, and what may stick out of them: (h, w) bool."""
    mask = np.zeros(regions.shape, np.uint8)
    spaces = [space for space in regions.spaces if space.id in change.spaces]
    for outline in outlines(regions.view, spaces, WIDER, regions.shrink):
        cv2.fillConvexPoly(mask, outline, 1, shift=4)
    return mask > 0


def read_anew(memory: Memory, change: Change, lights: Mapping[str, Light], dice: Array | None) -> Memory:
    """The memory once the spaces that changed were read; `dice` are the `faces` of the dice if these were too."""
    regions = memory.regions
    read = np.array([space.id in change.spaces for space in regions.spaces] + [dice is not None])
    again = read[regions.owner]
    if dice is None:
        again |= about(regions, change) & (regions.owner == len(regions.spaces))
    # In the light of the rest, so that the light on all of it changes smoothly.
    field = cv2.resize(change.gain, change.glance.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    glance, mask = memory.glance.copy(), again.view(np.uint8)
    left, top, wide, high = cv2.boundingRect(mask)
    part = slice(top, top + high), slice(left, left + wide)
    if wide:
        cv2.copyTo(cv2.divide(change.glance[part], field[part], dtype=cv2.CV_8U), mask[part], glance[part])
    dice = memory.dice if dice is None else dice
    return replace(memory, glance=glance, cells=cells_of(glance), lights=lights, dice=dice)
