"""Whether a board lies where a geometry puts it, and which way it is turned: patches of its picture decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.vision.geometry import Geometry, scale_of, spin
from companion.vision.landmarks import BoardKnowledge, Level, turns_of
from companion.vision.refine import Look, Photograph, gathered, levels_for, look, look_around

Array = np.ndarray[Any, Any]

ALIKE = 0.6  # correlation from which a patch is taken for seen
BESIDE = 0.85  # correlation from which a patch is taken for seen elsewhere
HALVED_SHARE = 0.45  # of a board's landmarks that must be seen if only a halved picture shows enough of them
FEW_FREE, LEAST_FREE_SHARE = 4, 0.25  # of landmarks that no piece hides, where there are more than few
DISPLACED = 0.15  # share of a board's patches that may be seen beside where they belong
# By what share of the telling patches one turn of a board must be ahead of another: of those beside all spaces, of all.
TELLING_FREE, TELLING_ANY = 0.08, 0.25


@dataclass(frozen=True)
class Verdict:
    """How much of a board is seen where a geometry puts it."""

    seen: int  # landmarks alike
    looked: int  # landmarks inside the picture
    free_seen: int
    free_looked: int
    likeness: float  # median over the free ones

    @property
    def share(self) -> float:
        return self.seen / max(self.looked, 1)

    @property
    def free_share(self) -> float:
        return self.free_seen / max(self.free_looked, 1)


def turned_placement(placement: Array, size_mm: tuple[float, float], quarters: int) -> Array:
    """The placement (3,) with the same outline and the board in it turned clockwise by quarters."""
    own, *shift = placement
    turn, middle = spin(quarters * np.pi / 2), np.array(size_mm) / 2
    return np.array([own + quarters * np.pi / 2, *(spin(own) @ (middle - turn @ middle) + shift)])


def turned(geometry: Geometry, board: int, size_mm: tuple[float, float], quarters: int) -> Geometry:
    """The same outline with the board in it turned clockwise by quarters."""
    placement = turned_placement(geometry.placements[board], size_mm, quarters)
    if board > 0:
        placements = geometry.placements.copy()
        placements[board] = placement
        return replace(geometry, placements=placements)
    rotation = np.eye(3)
    rotation[:2, :2] = spin(placement[0])
    shift = geometry.rotation[:, :2] @ placement[1:]
    return replace(geometry, rotation=geometry.rotation @ rotation, translation=geometry.translation + shift)


def likeness_at(
    photograph: Photograph, index: int, geometry: Geometry, level: Level, placements: Sequence[Array]
) -> Array:
    """How alike a level's N patches are with their board at each of M placements: (M, N), NaN outside the picture."""
    patches, count = gathered([level] * len(placements)), len(geometry.placements)
    many = replace(geometry, placements=np.vstack([geometry.placements, *placements]))
    seen, _ = look(photograph, index, many, replace(patches, board=patches.board + count))
    return seen.likeness.reshape(len(placements), -1)


def verdict_of(seen: Look, board: int) -> Verdict:
    own = (seen.board == board) & ~np.isnan(seen.likeness)
    alike, free = own & (np.nan_to_num(seen.likeness) > ALIKE), seen.free
    middle = float(np.median(seen.likeness[own & free])) if (own & free).any() else 0.0
    return Verdict(int(alike.sum()), int(own.sum()), int((alike & free).sum()), int((own & free).sum()), middle)


def look_at(photograph: Photograph, boards: Sequence[BoardKnowledge], geometry: Geometry, index: int) -> Look:
    return look(photograph, index, geometry, gathered(levels_for(boards, geometry, index)))[0]


def certain(verdict: Verdict) -> bool:
    """Whether a board is certainly there: patches fall alike by chance at one in a hundred places or so."""
    shown = verdict.free_looked < FEW_FREE or verdict.free_share >= LEAST_FREE_SHARE
    return verdict.seen >= 8 and ((shown and verdict.share >= 0.3) or verdict.free_share >= 0.4)


@dataclass(frozen=True)
class Told:
    """Patches that tell a board from itself turned: how much of them is seen, and how many there are.

    One that is as alike as can be counts one, one that is alike by chance a little.
    """

    seen: float
    looked: int
    free_seen: float  # of those that no piece hides
    free_looked: int

    def against(self, other: Told) -> bool:
        """Whether this is clearly more than the same of another turn."""
        # Pieces lie on spaces: a few that look like the art elsewhere must not decide.
        free, every = self.free_seen - other.free_seen, self.seen - other.seen
        return (free >= max(1.0, TELLING_FREE * self.free_looked) and self.free_seen >= 1.5 * other.free_seen) or (
            every >= max(1.0, TELLING_ANY * self.looked) and self.seen >= 1.5 * other.seen
        )


def told(
    photograph: Photograph, known: BoardKnowledge, geometry: Geometry, board: int, index: int, ways: Sequence[int]
) -> dict[int, dict[int, Told]]:
    """With a board turned in each of the ways: what tells it from itself turned on by so many quarters, by quarters."""
    turns = turns_of(known.size_mm)
    telling = known.telling_at(scale_of(geometry, board, known.size_mm) / 2.0**index)
    if telling is None:
        return {way: dict.fromkeys(turns, Told(0, 0, 0, 0)) for way in ways}
    placements = [turned_placement(geometry.placements[board], known.size_mm, way) for way in ways]
    found: dict[int, dict[int, Told]] = {}
    likeness = likeness_at(photograph, index, geometry, telling.level, placements)
    for way, own_likeness in zip(ways, likeness, strict=True):
        alike, inside = np.clip((np.nan_to_num(own_likeness) - 0.5) / 0.4, 0, 1), ~np.isnan(own_likeness)
        found[way] = {}
        for turn in turns:
            own = (telling.quarters == turn) & inside
            bare = own & telling.level.free
            found[way][turn] = Told(float(alike[own].sum()), int(own.sum()), float(alike[bare].sum()), int(bare.sum()))
    return found


def best_turn(
    photograph: Photograph, known: BoardKnowledge, geometry: Geometry, board: int, index: int
) -> Geometry | None:
    """The turn of a placed board that explains the picture; None where that cannot be told for certain."""
    for halved in (index, index + 1):  # as for `fits`
        found = _best_turn_at(photograph, known, geometry, board, halved)
        if found is not None:
            return found
    return None


def _best_turn_at(
    photograph: Photograph, known: BoardKnowledge, geometry: Geometry, board: int, index: int
) -> Geometry | None:
    turns = (0, *turns_of(known.size_mm))
    seen = told(photograph, known, geometry, board, index, turns)
    for turn in turns:
        # Each other turn is compared by the patches that differ between just these two.
        rivals = [(seen[turn][(other - turn) % 4], seen[other][(turn - other) % 4]) for other in turns if other != turn]
        if all(mine.against(theirs) for mine, theirs in rivals):
            return turned(geometry, board, known.size_mm, turn) if turn else geometry
    return None


def fits(photograph: Photograph, boards: Sequence[BoardKnowledge], geometry: Geometry, board: int) -> bool:
    """Whether a board is seen where the geometry puts it, and none of it clearly beside that."""
    for index in (0, 1, 2):  # noise drowns faint print at full size; halved, the picture shows it better
        patches = gathered(levels_for(boards, geometry, index)).of_board(board)
        seen, _ = look(photograph, index, geometry, patches)
        verdict = verdict_of(seen, board)
        enough = certain(verdict) if index == 0 else certain(verdict) and verdict.share >= HALVED_SHARE
        if verdict.looked - verdict.seen <= DISPLACED * verdict.seen and enough:
            return True
        around, _ = look_around(photograph, index, geometry, patches, 4)
        # A board that was fitted by a part of itself shows the rest a little off.
        far = np.hypot(*around.shift_mm.T) * around.scale > 1.5 * 2**index
        beside = (np.nan_to_num(around.likeness) > BESIDE) & (np.nan_to_num(seen.likeness) < ALIKE) & far
        if int(beside.sum()) > DISPLACED * max(verdict.seen, 10):
            return False
        if enough:
            return True
    return False


def stands(photograph: Photograph, known: BoardKnowledge, geometry: Geometry, board: int) -> bool:
    """Whether a board's telling patches are seen at full size: at least it is not turned."""
    nothing = Told(0, 0, 0, 0)
    return all(each.against(nothing) for each in told(photograph, known, geometry, board, 0, (0,))[0].values())


def sane(photograph: Photograph, geometry: Geometry) -> bool:
    width, _ = photograph.size_px
    return bool(
        np.isfinite(geometry.translation).all()
        and geometry.translation[2] > 0
        and 0.3 * width < geometry.focal < 3 * width
        and abs(geometry.distortion[0]) < 0.3
    )
