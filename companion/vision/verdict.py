"""Whether a board lies where a geometry puts it, and which way it is turned: patches of its picture decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.vision.geometry import Geometry, project, scale_of, spin
from companion.vision.landmarks import BoardKnowledge, Level, turns_of
from companion.vision.refine import Look, Photograph, lengths_of, level_for, look, look_around, sample

Array = np.ndarray[Any, Any]

ALIKE = 0.6  # correlation from which a patch is taken for seen
BESIDE = 0.85  # correlation from which a patch is taken for seen elsewhere
HALVED_SHARE = 0.45  # of a board's landmarks that must be seen if only a halved picture shows enough of them
LEAST_SHARE = 0.3  # of a board's landmarks that must be seen
FEW_FREE, LEAST_FREE_SHARE = 4, 0.25  # of landmarks that no piece hides, where there are more than few
AROUND = 80  # landmarks that are looked for beside where they belong
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
    alike: float  # mean over those inside the picture: 1 for one that is as alike as can be, 0 for one that is not seen

    @property
    def share(self) -> float:
        return self.seen / max(self.looked, 1)

    @property
    def shown(self) -> float:
        """The share that tells most."""
        return self.free_share if self.free_looked >= FEW_FREE else self.share

    @property
    def free_share(self) -> float:
        return self.free_seen / max(self.free_looked, 1)


def turned_placement(placement: Array, size_mm: tuple[float, float], quarters: int) -> Array:
    """The placement (3,) with the same outline and the board in it turned clockwise by quarters."""
    own, *shift = placement
    turn, middle = spin(quarters * np.pi / 2), np.array(size_mm) / 2
    return np.array([own + quarters * np.pi / 2, *(spin(own) @ (middle - turn @ middle) + shift)])


def placed_at(geometry: Geometry, board: int, placement: Array) -> Geometry:
    """The same with a board at another placement (3,) on the plane; the first one takes the plane with it."""
    if board > 0:
        placements = geometry.placements.copy()
        placements[board] = placement
        return replace(geometry, placements=placements)
    rotation = np.eye(3)
    rotation[:2, :2] = spin(placement[0])
    shift = geometry.rotation[:, :2] @ placement[1:]
    return replace(geometry, rotation=geometry.rotation @ rotation, translation=geometry.translation + shift)


def turned(geometry: Geometry, board: int, size_mm: tuple[float, float], quarters: int) -> Geometry:
    """The same outline with the board in it turned clockwise by quarters."""
    return placed_at(geometry, board, turned_placement(geometry.placements[board], size_mm, quarters))


def likeness_at(
    photograph: Photograph, index: int, geometry: Geometry, level: Level, placements: Sequence[Array]
) -> Array:
    """How alike a level's N patches are with their board at each of M placements: (M, N), −1 outside the picture."""
    count = len(level.free)
    turns = np.array([spin(angle) for angle, _, _ in placements])  # (M, 2, 2)
    plane = (turns @ level.centres_mm + np.array(placements)[:, 1:, None]).transpose(1, 0, 2).reshape(2, -1)
    across = np.repeat(turns.transpose(1, 2, 0) / level.per_mm, count, axis=2)
    samples, inside = sample(photograph, index, project(geometry, plane), across)
    alike = np.einsum("mij,ij->mi", samples.reshape(len(turns), count, -1), level.filters[0]).ravel()
    return np.where(inside, alike / lengths_of(samples), -1).reshape(-1, count)


def verdict_of(seen: Look) -> Verdict:
    alike, free = seen.likeness > ALIKE, seen.level.free
    shown, looked = free & seen.inside, int(seen.inside.sum())
    how_alike = float(np.minimum(np.maximum((seen.likeness - 0.4) / 0.5, 0), 1).sum()) / max(looked, 1)
    return Verdict(int(alike.sum()), looked, int((alike & free).sum()), int(shown.sum()), how_alike)


def look_at(photograph: Photograph, known: BoardKnowledge, geometry: Geometry, board: int, index: int) -> Look:
    return look(photograph, index, geometry, board, level_for(known, geometry, board, index))


def certain(verdict: Verdict) -> bool:
    """Whether a board is certainly there: patches fall alike by chance at one in a hundred places or so."""
    shown = verdict.free_looked < FEW_FREE or verdict.free_share >= LEAST_FREE_SHARE
    return verdict.seen >= 8 and ((shown and verdict.share >= LEAST_SHARE) or verdict.free_share >= 0.4)


def off_by_spaces(verdict: Verdict) -> bool:
    """Whether spaces are seen, but little of what lies beside them: one space looks like another."""
    bare = verdict.free_looked >= FEW_FREE and verdict.free_share < verdict.share / 3
    return bare and verdict.share >= LEAST_SHARE


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
        alike, inside = np.minimum(np.maximum((own_likeness - 0.5) / 0.4, 0), 1), own_likeness > -1
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


def fits(
    photograph: Photograph, known: BoardKnowledge, geometry: Geometry, board: int, looked: Look | None = None
) -> Verdict | None:
    """What is seen of a board at full size, if it lies where the geometry puts it and none of it clearly beside.

    `looked` is what a look at full size showed, if there was one.
    """
    whole = Verdict(0, 0, 0, 0, 0.0)
    for index in (0, 1, 2):  # noise drowns faint print at full size; halved, the picture shows it better
        seen = look_at(photograph, known, geometry, board, index) if index or looked is None else looked
        verdict = verdict_of(seen)
        whole = verdict if index == 0 else whole
        if off_by_spaces(verdict):
            return None
        enough = certain(verdict) if index == 0 else certain(verdict) and verdict.share >= HALVED_SHARE
        if verdict.looked - verdict.seen <= DISPLACED * verdict.seen and enough:
            return whole
        around = look_around(photograph, index, geometry, board, seen.level.first(AROUND), 4)
        # A board that was fitted by a part of itself shows the rest a little off.
        far = np.hypot(*around.shift_mm) * around.at.scale > 1.5 * 2**index
        here = seen.likeness[:AROUND]
        beside = (around.likeness > BESIDE) & (here < ALIKE) & far
        if int(beside.sum()) > DISPLACED * max(int((here > ALIKE).sum()), 10):
            return None
        if enough:
            return whole
    return None


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
