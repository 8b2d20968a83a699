"""Further boards of a kit, once one has given the lens and the plane of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from companion.vision.geometry import Geometry, corners_mm, project, spin
from companion.vision.hypotheses import LEAST_WORTH, MOST_LIKELY, TRIED, Outlined, Search, matched, thumb_worths
from companion.vision.landmarks import BoardKnowledge
from companion.vision.plane import COMPACT, middles, placements_around, placements_of_outlines

Array = np.ndarray[Any, Any]

ASIDE, MOST_ANEW = 0.045, 40  # by the shorter side, how far beside shapes a compact board is sought; beside how many
LEAST_ROUND = 0.35  # correlation around the middle of a compact board
SAME_PLACE = 0.02  # how far apart two placements may be, by the board's shorter side, for one to stand for both


def _placed_outlines(search: Search, geometry: Geometry, known: BoardKnowledge, quads: Sequence[Array]) -> list[Array]:
    """Placements (3,) of a further board at outlines of its size, best first."""
    found = placements_of_outlines(geometry, quads, known.frames_mm)[:MOST_LIKELY]
    board, corners = len(geometry.placements), corners_mm(known.size_mm)
    seen = [project(with_placement(geometry, each), np.full(4, board), corners, False).pixels for each in found]
    worth = thumb_worths(search, known, seen)[:, 0]
    order = [i for i in np.argsort(-worth, kind="stable") if worth[i] > LEAST_WORTH / 2]
    return _different([found[i] for i in order], known)[:TRIED]


def _different(found: Sequence[Array], known: BoardKnowledge) -> list[Array]:
    """Placements (3,) without those that lie where an earlier one does, turned or not: turns are told later."""
    half = np.array(known.size_mm) / 2
    kept: list[Array] = []
    middles_mm: list[Array] = []
    for placement in found:
        middle = spin(placement[0]) @ half + placement[1:]
        near = [np.hypot(*(middle - other)) < SAME_PLACE * min(known.size_mm) for other in middles_mm]
        alike = [abs((placement[0] - other[0] + np.pi / 4) % (np.pi / 2) - np.pi / 4) < 0.05 for other in kept]
        if not any(a and b for a, b in zip(near, alike, strict=True)):
            kept.append(placement)
            middles_mm.append(middle)
    return kept


def _placed_shapes(
    search: Search, geometry: Geometry, known: BoardKnowledge, boards: Sequence[BoardKnowledge], anew: bool = False
) -> list[Array]:
    """Placements (3,) of a further, compact board around closed outlines that may be its own, or its piece's."""
    if max(known.size_mm) > COMPACT * min(known.size_mm):
        return []
    taken = [(placement, board.size_mm) for placement, board in zip(geometry.placements, boards, strict=True)]
    around = middles(geometry, search.pixels, known.size_mm, taken)
    if anew:  # what shows may be a piece that lies a little off, or a part
        aside = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]) * ASIDE * min(known.size_mm)
        around = (around[:MOST_ANEW, None] + aside).reshape(-1, 2)
    found = placements_around(geometry, search.photograph.level(1), around, known)
    return _different([placement for value, placement in found if value > LEAST_ROUND], known)[: 2 * TRIED]


def with_placement(geometry: Geometry, placement: Array) -> Geometry:
    return replace(geometry, placements=np.vstack([geometry.placements, placement]))


def placements(
    search: Search, geometry: Geometry, known: BoardKnowledge, boards: Sequence[BoardKnowledge], outlined: Outlined
) -> Iterator[list[Array]]:
    """Placements (3,) of a further board, quick ways of guessing first."""
    yield _placed_outlines(search, geometry, known, outlined.seen)
    yield _placed_shapes(search, geometry, known, boards)
    yield _placed_shapes(search, geometry, known, boards, anew=True)
    while (new := outlined.further()) is not None:
        yield _placed_outlines(search, geometry, known, new)
    yield placements_of_outlines(geometry, list(matched(search, known)), known.frames_mm[:1])
