"""Further boards of a kit, once one has given the lens and the plane of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from companion.vision.geometry import Geometry, placed_corners_px
from companion.vision.hypotheses import MOST_LIKELY, Outlined, Search, matched, thumb_worths
from companion.vision.landmarks import BoardKnowledge
from companion.vision.plane import COMPACT, middles, placements_around, placements_of_corners, placements_of_outlines
from companion.vision.verdict import turned_placement

Array = np.ndarray[Any, Any]

ASIDE, MOST_ANEW = 0.045, 40  # by the shorter side, how far beside shapes a compact board is sought; beside how many
SIDES_PX = 20, 40  # how large a compact board should be where its shape is looked for, at first and anew
LEAST_ROUND = 0.25
# How far apart two placements may be, by the board's shorter side and in radians, for one to stand for both.
SAME_PLACE, SAME_TURN = 0.02, 0.05
PLACES_TRIED = 8


def _ranked(search: Search, geometry: Geometry, known: BoardKnowledge, found: Sequence[Array]) -> list[Array]:
    """The best placements (3,) of a further board by what its small picture says of them."""
    seen = placed_corners_px(geometry, known.size_mm, found)
    worth = thumb_worths(search, known, seen)[:, 0]
    return _different([found[i] for i in np.argsort(-worth, kind="stable")], known, PLACES_TRIED)


def _different(found: Sequence[Array], known: BoardKnowledge, most: int) -> list[Array]:
    """The first placements (3,) that lie where no earlier one does, a compact board turned or not.

    Turns are told later; but upside down, rows of like spaces may lead a long board to where that cannot be told.
    """
    if not found:
        return []
    half = np.array(known.size_mm) / 2
    every = np.array(found)
    c, s = np.cos(every[:, 0]), np.sin(every[:, 0])
    middles_mm = every[:, 1:] + np.column_stack([c * half[0] - s * half[1], s * half[0] + c * half[1]])
    same = np.pi / 2 if max(known.size_mm) < COMPACT * min(known.size_mm) else 2 * np.pi
    left = np.ones(len(every), bool)
    kept: list[Array] = []
    while left.any() and len(kept) < most:
        index = int(left.argmax())
        kept.append(found[index])
        near = np.hypot(*(middles_mm - middles_mm[index]).T) < SAME_PLACE * min(known.size_mm)
        turned = np.abs((every[:, 0] - every[index, 0] + same / 2) % same - same / 2)
        left &= ~(near & (turned < SAME_TURN))
        left[index] = False
    return kept


def _placed_shapes(
    search: Search, geometry: Geometry, known: BoardKnowledge, boards: Sequence[BoardKnowledge], anew: bool = False
) -> list[Array]:
    """Placements (3,) of a further, compact board around closed outlines that may be its own, or its piece's."""
    if max(known.size_mm) >= COMPACT * min(known.size_mm):
        return []
    taken = [(placement, board.size_mm) for placement, board in zip(geometry.placements, boards, strict=True)]
    around = middles(geometry, search.photograph, known.size_mm, taken, SIDES_PX[anew])
    if anew:  # what shows may be a piece that lies a little off, or a part
        aside = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]) * ASIDE * min(known.size_mm)
        around = (around[:MOST_ANEW, None] + aside).reshape(-1, 2)
    found = placements_around(geometry, search.photograph.level(1), around, known)
    return _different([placement for value, placement in found if value > LEAST_ROUND], known, PLACES_TRIED)


def with_placement(geometry: Geometry, placement: Array) -> Geometry:
    return replace(geometry, placements=np.vstack([geometry.placements, placement]))


def _of_outlines(search: Search, geometry: Geometry, known: BoardKnowledge, quads: Sequence[Array]) -> list[Array]:
    found = placements_of_outlines(geometry, quads, known.frames_mm)[:MOST_LIKELY]
    return _ranked(search, geometry, known, found)


def placements(
    search: Search, geometry: Geometry, known: BoardKnowledge, boards: Sequence[BoardKnowledge], outlined: Outlined
) -> Iterator[list[Array]]:
    """Placements (3,) of a further board, quick ways of guessing first."""
    yield _of_outlines(search, geometry, known, outlined.seen)
    yield _placed_shapes(search, geometry, known, boards)
    yield _placed_shapes(search, geometry, known, boards, anew=True)
    while (new := outlined.further()) is not None:
        yield _of_outlines(search, geometry, known, new)
    # Of a side that is partly hidden or runs into another board, one end still shows.
    corners = placements_of_corners(geometry, outlined.corners, known.size_mm)
    yield _ranked(
        search, geometry, known, [turned_placement(each, known.size_mm, way) for each in corners for way in (0, 2)]
    )
    yield placements_of_outlines(geometry, list(matched(search, known)), known.frames_mm[:1])
