"""Spaces on which nothing but dice stand: a die is no piece, so these are bare where all that is seen of them is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from companion.kit import Kit, Space
from companion.observation import Die, Reading
from companion.vision.bare import compare_bare
from companion.vision.guess import Cover
from companion.vision.knowledge import PieceKnowledge
from companion.vision.light import Light
from companion.vision.rectify import Photo, halve
from companion.vision.sight import look, noise_of
from companion.vision.top_plane import Plane
from companion.vision.view import View

Array = np.ndarray[Any, Any]

SURE_DIE = 0.97  # a die's confidence, from which it explains what is seen of a space
RADIUS = 0.78  # of a die's edge: half its diagonal, and what blur and the edge of its shadow add
LEAST_CLEAR, MOST_CLEAR = 0.4, 0.95  # of a space that no die may hide: with more, no die explains it
PLAIN = 0.5  # the worst block of what is seen of a bare space,
SIGN = 0.7  # also by that of the least visible piece
OTHERS = 12  # bare spaces beside, by which the photograph's noise and blur are told
BLOCK = 0.29  # of a space, the side of a block
CONFIDENCE = 0.99


def bare_under_dice(
    pixels: Array,
    view: View,
    known: PieceKnowledge,
    kit: Kit,
    dice: Sequence[Die],
    readings: Mapping[str, Reading],
    unsure: Collection[str],
    lights: Mapping[str, Light],
) -> dict[str, Reading]:
    """Those of the unsure spaces that are bare but for dice, as readings; `lights` are those on the boards.

    What a die hides wholly, a disc no larger than it, is taken not to be there: nobody stands a die on that.
    """
    at_px = np.array([die.at_px for die in dice if die.confidence >= SURE_DIE])
    found: dict[str, Reading] = {}
    if kit.dice is None or not len(at_px):
        return found
    size = kit.dice.size_mm
    for board in kit.boards:
        if board.id not in lights or board.id not in view.poses:
            continue
        feet = Plane(view, board.id, size, size).to_mm(at_px)
        own = [space for space in kit.spaces if space.board == board.id]
        doubtful = [space for space in own if space.id in unsure and _reached(space, feet, size)]
        if doubtful:
            bare = [space for space in own if space.id in readings and not readings[space.id].pieces]
            spaces = [*doubtful, *bare[:: max(1, len(bare) // OTHERS)]]
            photo, light = Photo((pixels, halve(pixels))), lights[board.id]
            sight = look(photo, view, board, spaces, known.boards[board.id], noise_of(pixels), None, light)
            maps, _, sight = compare_bare(sight, known.bares)
            heads = feet + sight.lean(feet, 0.0, size)
            for k, space in enumerate(doubtful):
                clear = ~_hidden(space, feet, heads, size, maps.shape[1])
                plain = _worst(maps[k], clear) < min(PLAIN, SIGN * known.signs[space.id]) and not sight.missing[k]
                if plain and LEAST_CLEAR <= clear.mean() < MOST_CLEAR:
                    found[space.id] = Reading((), CONFIDENCE)
    return found


def under_dice(view: View, kit: Kit, at_px: Sequence[tuple[float, float]]) -> set[str]:
    """The spaces on which dice stand whose upper faces are seen at `at_px`."""
    if kit.dice is None or not at_px:
        return set()
    on: set[str] = set()
    for board in view.poses:
        feet = Plane(view, board, kit.dice.size_mm, kit.dice.size_mm).to_mm(np.array(at_px))
        own = [space for space in kit.spaces if space.board == board]
        at, half = np.array([space.at_mm for space in own]), np.array([space.size_mm for space in own]) / 2
        stands = (np.abs(feet - at[:, None]) < half[:, None]).all(2).any(1)
        on |= {space.id for space in compress(own, stands)}
    return on


def _reached(space: Space, feet: Array, size_mm: float) -> bool:
    """Whether a die stands on a space, or so near that it hides some of it."""
    off = np.abs(feet - space.at_mm) - np.array(space.size_mm) / 2
    return bool((off.max(1) < 2 * size_mm).any())


def _hidden(space: Space, feet: Array, heads: Array, size_mm: float, side: int) -> Array:
    """Which pixels of a space's map dice hide: (side, side) bool."""
    wide, n = max(space.size_mm), len(feet)
    cover = Cover(feet / wide, heads / wide, np.full(n, RADIUS * size_mm / wide), np.ones(n, bool))
    return np.asarray(cover.hides(np.repeat(np.array([space.at_mm]) / wide, n, 0), np.zeros(n), 1.0, side).any(0))


def _worst(bad: Array, clear: Array) -> float:
    """The mean misfit of the worst block of what is clear of a map (side, side)."""
    side = len(bad)
    near = np.abs(np.arange(side)[:, None] - np.arange(side)) <= max(3, round(BLOCK * side)) // 2
    box = near.astype(np.float32)
    weight = box @ clear @ box
    mean = box @ (bad * clear) @ box / np.maximum(weight, 1)
    return float(np.max(mean, where=weight > 0.5 * weight.max(initial=1.0), initial=0.0))
