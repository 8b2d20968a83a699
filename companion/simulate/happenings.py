"""What happens at a table besides the game: lamps, sun, cups, elbows, hands that only point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import cv2
import numpy as np

from companion.simulate.lying import BoardLies
from companion.simulate.room import Light, random_light
from companion.simulate.setting import Point, Seat, corners_of, free_point, in_view, overlap
from companion.simulate.table import LIGHT, Moment, Table
from companion.simulate.things import Beside

CUP_MM, NEAR_MM = 45.0, 260.0
SHOVED_MM, TURNED_DEG = 30.0, 10.0
SUN_FRAMES = 6


def at_times(table: Table) -> Iterator[Moment]:
    """What happens between two actions, by the table's mood: mostly nothing."""
    mood, random = table.mood, table.random
    seat = table.setting.seats[int(random.integers(len(table.setting.seats)))]
    happenings: list[tuple[float, Callable[[Table, Seat], Iterator[Moment]]]] = [
        (mood.points, _point),
        (mood.lamp, _lamp),
        (mood.sun, _sun),
        (mood.cup, _cup),
        (mood.bump, _bump),
    ]
    for share, happening in happenings:
        if random.random() < share:
            yield from happening(table, seat)
            yield from table.rest()


def _point(table: Table, seat: Seat) -> Iterator[Moment]:
    """A hand covers one space for a while and changes nothing."""
    spaces = table.kit.spaces
    space = spaces[int(table.random.integers(len(spaces)))].id
    arm = table.arm(seat)
    yield from table.reach(arm, arm.over(table.point_of(space)))
    for _ in range(int(table.random.integers(3, 9))):
        yield table.held(arm)
    yield from table.leave(arm)


def _lamp(table: Table, seat: Seat) -> Iterator[Moment]:
    """A lamp is switched: from one frame to the next the light is another."""
    table.scene = replace(table.scene, light=_other_light(table))
    yield table.moment(LIGHT)


def _sun(table: Table, seat: Seat) -> Iterator[Moment]:
    """The sun comes out or goes in, within half a second or so."""
    light = _other_light(table)
    for frame in range(1, SUN_FRAMES + 1):
        yield table.moment(LIGHT, fading=(light, frame / (SUN_FRAMES + 1)))
    table.scene = replace(table.scene, light=light)


def _other_light(table: Table) -> Light:
    kinds = [name for name in table.mood.lights if name != table.scene.light.name]
    setting = table.setting
    return random_light(table.random, setting.middle_mm, setting.span_mm, str(table.random.choice(kinds)))


def _cup(table: Table, seat: Seat) -> Iterator[Moment]:
    """A cup is put down beside the boards, or the one that stands there is taken."""
    cups = table.scene.things
    setting = table.setting
    if cups:
        at: Point | None = cups[0].at_mm
    else:
        at = free_point(
            table.kit, setting.camera, table.scene.placements, table.circles(), CUP_MM, NEAR_MM, table.random
        )
    if at is None:
        return
    arm = table.arm(seat)
    yield from table.reach(arm, arm.over(at))
    cup = Beside("cup", at, float(table.random.uniform(0, 360)), int(table.random.integers(8)))
    table.scene = replace(table.scene, things=() if cups else (cup,))
    yield table.held(arm)
    yield from table.leave(arm)


def _bump(table: Table, seat: Seat) -> Iterator[Moment]:
    """A board is shoved or turned, with all that lies on it; a hand may be there or an elbow below the table."""
    placements, random = table.scene.placements, table.random
    number = int(random.integers(len(placements.boards)))
    lie = placements.boards[number]
    way = random.uniform(0, 2 * np.pi)
    shoved = random.random() < 0.6
    far = SHOVED_MM * float(random.uniform(0.5, 1.0)) * shoved
    turn = TURNED_DEG * float(random.uniform(-1, 1)) * (not shoved)
    end = replace(
        lie,
        at_mm=(lie.at_mm[0] + far * float(np.cos(way)), lie.at_mm[1] + far * float(np.sin(way))),
        turn_deg=lie.turn_deg + turn,
    )
    boards = (*placements.boards[:number], end, *placements.boards[number + 1 :])
    if not _has_room(table, boards):
        return
    with_hand = random.random() < 0.6
    arm = table.arm(seat)
    if with_hand:
        corner = min(
            map(tuple, corners_of(table.kit, (lie,)).tolist()), key=lambda c: np.hypot(*np.subtract(c, seat.at_mm))
        )
        yield from table.reach(arm, corner)
    frames = int(random.integers(2, 5))
    for frame in range(1, frames + 1):
        share = frame / frames
        between = replace(
            lie,
            at_mm=tuple(a + share * (b - a) for a, b in zip(lie.at_mm, end.at_mm, strict=True)),  # type: ignore[arg-type]
            turn_deg=lie.turn_deg + share * turn,
        )
        yield table.shove((*boards[:number], between, *boards[number + 1 :]), arm if with_hand else None)
    if with_hand:
        yield from table.leave(arm)


def _has_room(table: Table, boards: tuple[BoardLies, ...]) -> bool:
    """Whether boards so laid are in view, and lie on no other, no die and no cup; no die lies on one now."""
    corners = corners_of(table.kit, boards)
    rectangles = [cv2.minAreaRect(board.astype(np.float32)) for board in np.split(corners, len(boards))]
    apart = all(not overlap(one, other, 2.0) for i, one in enumerate(rectangles) for other in rectangles[:i])
    now = corners_of(table.kit, table.scene.placements.boards)
    old = [cv2.minAreaRect(board.astype(np.float32)) for board in np.split(now, len(boards))]
    loose = [(*die.at_mm, 0.75 * die.size_mm) for die in table.scene.dice]
    loose += [(*thing.at_mm, CUP_MM) for thing in table.scene.things]
    free = all(
        not overlap(((x, y), (2 * radius, 2 * radius), 0.0), board, 2.0)
        for x, y, radius in loose
        for board in (*rectangles, *old)
    )
    return apart and free and in_view(table.setting.camera, corners)
