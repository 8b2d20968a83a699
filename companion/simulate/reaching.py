"""Hands at work: in which order they touch what changes on a table, and how they come, go and stop.

Pieces change only where a hand touches them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.simulate.setting import Point, Seat, Setting
from companion.simulate.things import Hand

Array = np.ndarray[Any, Any]
Stack = tuple[str, ...]  # pieces from the bottom up
Stacks = Mapping[str, Stack]  # by space; one that is not named is empty

STEP_MM = 30.0  # in such steps a place is looked for where the hand is out of view
BEYOND_MM = 10.0  # so far the longest finger reaches over what is touched
HIGH_MM, LOW_MM = 48.0, 16.0  # on its way, and where it touches


@dataclass(frozen=True)
class Touched:
    """A space that a hand touched, and what lies on it then."""

    space: str
    pieces: Stack


def touches(before: Stacks, after: Stacks, last: Collection[str] = ()) -> Iterator[Touched]:
    """How a hand makes one table of the other: takes and puts, a space cleared before other pieces come to it.

    Spaces of `last` (the score track) have their turn at the end.
    """
    table = {space: tuple(before.get(space, ())) for space in {**before, **after}}
    changed = [space for space in sorted(table) if table[space] != tuple(after.get(space, ()))]
    for some in ([s for s in changed if s not in last], [s for s in changed if s in last]):
        yield from _moved(table, {space: tuple(after.get(space, ())) for space in some})


def _moved(table: dict[str, Stack], after: Mapping[str, Stack]) -> Iterator[Touched]:
    """The touches that bring some spaces to what lies on them after; `table` is brought along."""
    lost = {space: _less(table[space], pieces) for space, pieces in after.items()}
    gained = {space: _less(pieces, table[space]) for space, pieces in after.items()}
    turned = {space for space in after if _is_turned(space, lost, gained)}
    yield from (_touch(table, space, after[space]) for space in sorted(turned))
    lifted: set[str] = set()
    waiting = [space for space in after if space not in turned and gained[space]]
    while waiting:
        target = min(waiting, key=lambda space: bool(lost[space]) and space not in lifted)
        waiting.remove(target)
        sources = _sources(after[target], table[target], lost, lifted | turned | {target})
        for space in [target, *sources]:
            if lost[space] and space not in lifted:
                lifted.add(space)
                yield _touch(table, space, _without(table[space], lost[space]))
        yield _touch(table, target, after[target])
    for space in after:  # what goes into the box
        if table[space] != after[space]:
            yield _touch(table, space, after[space])


def _is_turned(space: str, lost: Mapping[str, Stack], gained: Mapping[str, Stack]) -> bool:
    """Whether what was there is turned over: a tile's other side may have another name, and lies nowhere else."""
    gone, come = _kinds(lost[space]), _kinds(gained[space])
    if gone == come:
        return bool(gone)
    elsewhere = {kind for part in (lost, gained) for other in part if other != space for kind in _kinds(part[other])}
    return len(gone) == len(come) == 1 and not elsewhere & {*gone, *come}


def _touch(table: dict[str, Stack], space: str, pieces: Stack) -> Touched:
    table[space] = pieces
    return Touched(space, pieces)


def _less(pieces: Stack, others: Stack) -> Stack:
    """The pieces that are not among the others."""
    return tuple((Counter(pieces) - Counter(others)).elements())


def _without(pieces: Stack, lost: Stack) -> Stack:
    left, gone = [], Counter(lost)
    for piece in reversed(pieces):  # taken from the top
        if gone[piece]:
            gone[piece] -= 1
        else:
            left.append(piece)
    return tuple(reversed(left))


def _kinds(pieces: Stack) -> list[str]:
    """What pieces are, whichever side is up."""
    return sorted(piece.partition("/")[0] for piece in pieces)


def _sources(wanted: Stack, there: Stack, lost: Mapping[str, Stack], but: set[str]) -> list[str]:
    """The space on which most of the pieces lie that are to be put, if any does."""
    gains = Counter(_kinds(_less(wanted, there)))
    alike = {space: (gains & Counter(_kinds(pieces))).total() for space, pieces in lost.items() if space not in but}
    best = max(alike, key=lambda space: alike[space], default="")
    return [best] if alike.get(best) else []


class Arm:
    """The arm of somebody at the table: where the hand is, moved frame by frame; out of view as yet.

    `pace_mm` is how far it comes in a frame.
    """

    def __init__(self, setting: Setting, seat: Seat, pace_mm: float) -> None:
        self.setting, self.seat, self.pace_mm = setting, seat, pace_mm
        self.at_mm, self.height_mm, self.is_out = seat.at_mm, HIGH_MM, True

    def hand(self) -> Hand:
        """The hand, its forearm towards the shoulder."""
        out = np.array(self.seat.at_mm) - np.array(self.at_mm)
        towards = float(np.degrees(np.arctan2(out[0], -out[1])))
        return Hand(self.at_mm, towards, self.seat.hand, self.height_mm, self.seat.left_handed)

    def reach(self, target_mm: Point, height_mm: float = LOW_MM, share: float = 1.0) -> Iterator[None]:
        """Move there (or a share of the way), a step for each frame: it sets out and arrives gently."""
        if self.is_out:
            self.at_mm, self.height_mm, self.is_out = self._out_of_view(target_mm), HIGH_MM, False
        start, way = np.array(self.at_mm), share * (np.array(target_mm) - np.array(self.at_mm))
        frames, low = max(1, round(float(np.hypot(*way)) / self.pace_mm)), self.height_mm
        for frame in range(1, frames + 1):
            part = frame / frames
            eased = part * part * (3 - 2 * part)
            x, y = start + eased * way
            self.at_mm = (float(x), float(y))
            self.height_mm = low + (height_mm - low) * eased * share
            yield

    def leave(self) -> Iterator[None]:
        """Go out of view: a step for each frame in which the hand is there yet."""
        steps = list(self._steps_out())
        for self.at_mm in steps[:-1]:
            self.height_mm += 0.5 * (HIGH_MM - self.height_mm)
            yield
        self.is_out = True

    def _steps_out(self) -> Iterator[Point]:
        start, way = np.array(self.at_mm), np.array(self._out_of_view(self.at_mm)) - np.array(self.at_mm)
        frames = max(2, round(float(np.hypot(*way)) / self.pace_mm))
        for frame in range(1, frames + 1):
            x, y = start + way * (frame / frames) ** 1.5
            yield float(x), float(y)

    def _out_of_view(self, target_mm: Point) -> Point:
        """Where on the way from the shoulder to a target the hand is seen first."""
        camera, target = self.setting.camera, np.array(target_mm)
        way = np.array(self.seat.at_mm) - target
        steps = target + np.linspace(0, 1, max(2, round(float(np.hypot(*way)) / STEP_MM)))[:, None] * way
        seen = camera.project(steps, HIGH_MM)
        outside = ((seen < 0) | (seen > np.array(camera.size_px))).any(axis=1)
        x, y = steps[int(outside.argmax()) if outside.any() else -1]
        return float(x), float(y)

    def over(self, point_mm: Point) -> Point:
        """Where the fingertip is when the hand covers a point."""
        way = np.array(point_mm) - np.array(self.seat.at_mm)
        x, y = np.array(point_mm) + BEYOND_MM * way / max(1.0, float(np.hypot(*way)))
        return float(x), float(y)
