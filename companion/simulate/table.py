"""A simulated table as it lives: what lies where, hands that move it, dice that roll, light that changes.

Each method yields the moments that the camera will see, ten a second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.kit import Kit
from companion.rules import Game, State
from companion.simulate.film import Carried, Scene
from companion.simulate.laying import laid, stacks, track_of
from companion.simulate.lying import BoardLies, Lying, Placements, on_table
from companion.simulate.moods import STILL_FRAMES, Mood
from companion.simulate.reaching import HIGH_MM, Arm, Stack, Stacks, touches
from companion.simulate.setting import Point, Seat, Setting, free_point, in_view
from companion.simulate.things import DICE_COLOURS, StandingDie
from companion.simulate.tumbling import Tumbling

Array = np.ndarray[Any, Any]
Generator = np.random.Generator

SETTLED, HAND, ROLLING, BUMP, LIGHT = "settled", "hand", "rolling", "bump", "light"
DIE_MM = 16.0
NEAR_MM = (70.0, 150.0, 300.0)  # beside the board: where dice come to rest, the nearest place first
THROWN_FROM = 0.34  # of the way to the shoulder, from the middle of the table
GRASP_MM = 45.0
TOGETHER = 5  # points that a die could roll to, of which it takes the one nearest to the others
HELD_BACK_MM = 9.0  # from the fingertip
DRIFTS_BACK = 0.05  # of what the light has strayed, in a frame


@dataclass(frozen=True, eq=False)
class Moment:
    """What the camera sees at an instant, and what is known of it."""

    scene: Scene
    kind: str


class Table:
    """What lies on a table, and the ways in which it changes."""

    def __init__(self, game: Game, kit: Kit, setting: Setting, mood: Mood, state: State, random: Generator) -> None:
        self.game, self.kit, self.setting, self.mood, self.random = game, kit, setting, mood, random
        self._spaces = {space.id: space for space in kit.spaces}
        self._boards = {board.id: board for board in kit.boards}
        self._track = frozenset(track_of(kit))
        self._look = int(random.integers(len(DICE_COLOURS)))
        spaces = {at: laid(kit, self._spaces[at], names, random) for at, names in stacks(game, kit, state).items()}
        self.scene = Scene(Placements(setting.boards, spaces), setting.light)

    # What lies there

    def stacks(self) -> dict[str, Stack]:
        return {space: tuple(each.piece for each in pile) for space, pile in self.scene.placements.spaces.items()}

    @property
    def lying(self) -> tuple[int, ...]:
        return tuple(die.value for die in self.scene.dice)

    def point_of(self, space: str) -> Point:
        """Where the middle of a space is on the table."""
        place = self._spaces[space]
        lie = next(lie for lie in self.scene.placements.boards if lie.board == place.board)
        x, y = on_table(self._boards[place.board], lie, np.array([place.at_mm]))[0]
        return float(x), float(y)

    def _put(self, space: str, names: Stack) -> None:
        """Other pieces on a space; what stays or is turned over lies as it lay, but for markers that make room."""
        there = list(self.scene.placements.spaces.get(space, ()))
        crowded = space in self._track and len(names) > 1
        pile: list[Lying] = []
        for new in laid(self.kit, self._spaces[space], names, self.random):
            same = next((old for old in there if old.piece == new.piece), None)
            old = same or next((old for old in there if _kind(old.piece) == _kind(new.piece)), None)
            if old is None or crowded:
                pile.append(new)
            else:
                there.remove(old)
                pile.append(replace(old, piece=new.piece))
        spaces = {at: lying for at, lying in self.scene.placements.spaces.items() if at != space}
        if pile:
            spaces[space] = tuple(pile)
        self.scene = replace(self.scene, placements=replace(self.scene.placements, spaces=spaces))

    # Moments

    def moment(self, kind: str = SETTLED, **seen: Any) -> Moment:
        """The next frame; `seen` is what of the scene is there for this frame alone."""
        strayed = np.array(self.scene.drift)
        strayed += self.random.normal(0, 0.25 * self.mood.drift) + self.random.normal(0, 0.1 * self.mood.drift, 3)
        strayed += DRIFTS_BACK * (1 - strayed)
        blue, green, red = (float(value) for value in strayed)
        self.scene = replace(self.scene, drift=(blue, green, red))
        return Moment(replace(self.scene, **seen), kind)

    def rest(self, frames: int | None = None) -> Iterator[Moment]:
        """A still table."""
        count = frames or STILL_FRAMES + int(self.random.integers(self.mood.more_still + 1))
        for _ in range(count):
            yield self.moment()

    # Hands

    def arm(self, seat: Seat) -> Arm:
        return Arm(self.setting, seat, self.mood.pace_mm * float(self.random.uniform(0.8, 1.2)))

    def held(self, arm: Arm, pieces: Stack = ()) -> Moment:
        """A frame with a hand in it, and perhaps pieces in the hand."""
        return self.moment(HAND, hands=(arm.hand(),), carried=_carried(arm, pieces))

    def reach(self, arm: Arm, target: Point, pieces: Stack = ()) -> Iterator[Moment]:
        """A hand goes to a point; one that comes from out of view may think better of it on its way."""
        if arm.is_out and self.random.random() < self.mood.hesitates:
            for _ in arm.reach(target, HIGH_MM, float(self.random.uniform(0.35, 0.7))):
                yield self.held(arm, pieces)
            for _ in range(int(self.random.integers(3, 8))):
                yield self.held(arm, pieces)
            if self.random.random() < self.mood.turns_back:
                yield from self.leave(arm, pieces)
                yield from self.rest()
        for _ in arm.reach(target):
            yield self.held(arm, pieces)

    def leave(self, arm: Arm, pieces: Stack = ()) -> Iterator[Moment]:
        """A hand goes out of view."""
        for _ in arm.leave():
            yield self.held(arm, pieces)

    def change_to(self, arm: Arm, wanted: Stacks) -> Iterator[Moment]:
        """A hand moves pieces until the table is as wanted; it stays in."""
        in_hand = _from_the_box(self.stacks(), wanted)
        for step in list(touches(self.stacks(), wanted, self._track)):
            there = self.stacks().get(step.space, ())
            gained, lost = Counter(step.pieces) - Counter(there), Counter(there) - Counter(step.pieces)
            shown = tuple(piece for piece in step.pieces if piece in gained and piece in in_hand) or tuple(in_hand[:1])
            yield from self.reach(arm, arm.over(self.point_of(step.space)), shown)
            self._put(step.space, step.pieces)
            in_hand += lost.elements()
            for piece in gained.elements():
                _let_go(in_hand, piece)
            for _ in range(int(self.random.integers(1, 3))):
                yield self.held(arm)

    # Dice

    def gather_dice(self, arm: Arm) -> Iterator[Moment]:
        """A hand takes the dice off the table, those that lie together at once."""
        while self.scene.dice:
            die = min(self.scene.dice, key=lambda die: _away(die.at_mm, arm.at_mm))
            yield from self.reach(arm, arm.over(die.at_mm))
            left = tuple(each for each in self.scene.dice if _away(each.at_mm, die.at_mm) > GRASP_MM)
            self.scene = replace(self.scene, dice=left)
            yield self.held(arm)

    def throw(self, arm: Arm, values: Sequence[int]) -> Iterator[Moment]:
        """A hand lets dice go and leaves; they roll and come to rest apart, in view."""
        lying = self._rests(values)
        x, y = self.setting.middle_mm + THROWN_FROM * (np.array(arm.seat.at_mm) - self.setting.middle_mm)
        release = (float(x), float(y))
        yield from self.reach(arm, release)
        frames = [int(self.random.integers(6, 10)) for _ in lying]
        leaving = arm.leave()
        for frame in range(max(frames) + 1):
            dice = tuple(
                Tumbling(die, release, max(0.0, 1 - frame / count), 1 / count, base)
                for (die, base), count in zip(lying, frames, strict=True)
            )
            next(leaving, None)
            yield self.moment(ROLLING if arm.is_out else HAND, tumbling=dice, hands=() if arm.is_out else (arm.hand(),))
        self.scene = replace(self.scene, dice=tuple(die for die, _ in lying))
        for _ in leaving:
            yield self.held(arm)

    def lay_dice(self, values: Sequence[int]) -> None:
        """Dice that lie there, whoever threw them."""
        self.scene = replace(self.scene, dice=tuple(die for die, _ in self._rests(values)))

    def turn_die(self, arm: Arm, number: int, value: int) -> Iterator[Moment]:
        """A hand turns a die to another value."""
        die = self.scene.dice[number]
        yield from self.reach(arm, arm.over(die.at_mm))
        dice = list(self.scene.dice)
        dice[number] = replace(die, value=value, turn_deg=float(self.random.uniform(0, 360)))
        self.scene = replace(self.scene, dice=tuple(dice))
        yield self.held(arm)

    def _rests(self, values: Sequence[int]) -> list[tuple[StandingDie, float]]:
        """Where dice will lie, with the height of what they lie on."""
        size = self.kit.dice.size_mm if self.kit.dice else DIE_MM
        found: list[tuple[StandingDie, float]] = []
        onto_board = self.random.random() < self.mood.onto_board
        for value in values:
            taken = self.circles() + [(*die.at_mm, 0.75 * size) for die, _ in found]
            point, base = self._spot(size, taken, onto_board, [die.at_mm for die, _ in found])
            found.append((StandingDie(value, point, float(self.random.uniform(0, 360)), size, self._look), base))
        return found

    def _spot(
        self, size: float, taken: list[tuple[float, float, float]], onto_board: bool, others: list[Point]
    ) -> tuple[Point, float]:
        """A point where a die may come to rest, rather near the others, and the height there."""
        radius = 0.75 * size
        bare = [space for space in self._spaces if space not in self.scene.placements.spaces]
        bare = [space for space in bare if min(self._spaces[space].size_mm) > 2 * radius]
        self.random.shuffle(bare)
        on = [
            point
            for point in map(self.point_of, bare)
            if all(_away(point, (x, y)) > radius + reach for x, y, reach in taken)
            and in_view(self.setting.camera, np.array([point]), size)
        ]
        if not (onto_board and on):
            for near in NEAR_MM:
                args = self.kit, self.setting.camera, self.scene.placements, taken, radius, near, self.random
                points = [point for _ in range(TOGETHER) if (point := free_point(*args)) is not None]
                if points:
                    return min(points, key=lambda point: _away(point, others[0]) if others else 0.0), 0.0
        thick = max(lie.thick_mm for lie in self.scene.placements.boards)
        return (on[0] if on else self.point_of(next(iter(self._spaces)))), thick

    def circles(self) -> list[tuple[float, float, float]]:
        """Around all pieces, dice and things on the table: x, y, radius."""
        sizes = {piece.name: 0.7 * max(piece.size_mm) for piece in self.kit.pieces}
        found = [(*self.point_of(space), max(sizes[each.piece] for each in pile) + 3)
                 for space, pile in self.scene.placements.spaces.items()]  # fmt: skip
        found += [(*die.at_mm, 0.75 * die.size_mm) for die in self.scene.dice]
        return found + [(*thing.at_mm, 60.0) for thing in self.scene.things]

    # Boards

    def shove(self, boards: tuple[BoardLies, ...], arm: Arm | None = None) -> Moment:
        """A frame in which the boards lie otherwise, with all that lies on them."""
        self.scene = replace(self.scene, placements=replace(self.scene.placements, boards=boards))
        return self.held(arm) if arm else self.moment(BUMP)


def _carried(arm: Arm, pieces: Stack) -> tuple[Carried, ...]:
    """Pieces under the fingertips."""
    hand = arm.hand()
    back = np.radians(hand.from_deg)
    x, y = np.array(hand.at_mm) + HELD_BACK_MM * np.array([np.sin(back), -np.cos(back)])
    return tuple(Carried(piece, (float(x), float(y)), hand.from_deg, hand.height_mm - 3) for piece in pieces)


def _kind(piece: str) -> str:
    """What a piece is, whichever side is up."""
    return piece.partition("/")[0]


def _from_the_box(before: Stacks, wanted: Stacks) -> list[str]:
    """The pieces that lie on the table only afterwards, but for those that are only turned over."""
    there, then = (Counter(piece for pile in table.values() for piece in pile) for table in (before, wanted))
    fresh = list((then - there).elements())
    for gone in (there - then).elements():
        _let_go(fresh, gone)
    return fresh


def _let_go(in_hand: list[str], piece: str) -> None:
    """Take a piece out of a hand, or one that is its other side."""
    alike = piece if piece in in_hand else next((each for each in in_hand if _kind(each) == _kind(piece)), None)
    if alike is not None:
        in_hand.remove(alike)


def _away(one: Point, other: Point) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))
