"""Where a simulated game is played: how its boards lie, where its players sit, where the camera hangs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit
from companion.simulate.lying import BoardLies, Placements, on_table
from companion.simulate.optics import Camera, random_camera
from companion.simulate.room import Light, Sensor, random_light, random_sensor
from companion.simulate.surfaces import Surface, random_surface

Array = np.ndarray[Any, Any]
Generator = np.random.Generator
Point = tuple[float, float]

EDGE_PX = 0.02  # of the picture's width: what lies beyond does not count as in the picture
AWAY = 1.4  # from the middle of the table to a player's shoulder, in times of the boards' span
GAP_MM = 3.0  # between a die and what else lies about


@dataclass(frozen=True)
class Seat:
    """A player at the table: where the shoulder is, whose hand it is, which hand."""

    at_mm: Point
    hand: int
    left_handed: bool


@dataclass(frozen=True, eq=False)
class Setting:
    boards: tuple[BoardLies, ...]
    camera: Camera
    surface: Surface
    sensor: Sensor
    light: Light
    seats: tuple[Seat, ...]
    middle_mm: Array  # (2,)
    span_mm: float  # of all boards


def random_setting(
    kit: Kit, players: int, size_px: tuple[int, int], lights: Sequence[str], random: Generator
) -> Setting:
    """A table with a kit's boards, in one of some lights, seen from a camera that hangs about the right way up."""
    boards = boards_apart(kit, random)
    corners = corners_of(kit, boards)
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    span = float(np.ptp(corners, axis=0).max())
    room = 12.0 if kit.dice is None else 25.0  # beside the boards, where dice may come to lie
    around = middle + (corners - middle) * (1 + 2 * room / span)
    camera = random_camera(random, around, size_px, 20.0, (0.9, 0.98), upright=True)
    light = random_light(random, middle, span, str(random.choice(lights)))
    sensor = random_sensor(random, light.name)
    seats = tuple(_seat(number, players, middle, span, random) for number in range(players))
    return Setting(boards, camera, random_surface(random), sensor, light, seats, middle, span)


def _seat(number: int, players: int, middle: Array, span: float, random: Generator) -> Seat:
    """Clockwise as seen from above, the first player on the near side."""
    angle = np.radians(180 + 360 * number / players + random.normal(0, 6))
    x, y = middle + AWAY * span * np.array([np.sin(angle), -np.cos(angle)])
    return Seat((float(x), float(y)), int(random.integers(40)), bool(random.random() < 0.2))


def boards_apart(kit: Kit, random: Generator) -> tuple[BoardLies, ...]:
    """The first board in the middle, the others beside it, turned a little or by quarters, none on another."""
    lies: list[BoardLies] = []
    taken: list[Any] = []
    for board in kit.boards:
        w, h = board.size_mm
        thick = float(random.uniform(1.5, 3.0))
        for tries in range(1000):
            away = 0.0 if not lies else 40 + 4.0 * tries
            angle = random.uniform(0, 2 * np.pi)
            at = (float(away * np.cos(angle)), float(away * np.sin(angle)))
            turn = float(random.normal(0, 4)) + 90 * int(random.integers(4)) * bool(lies)
            outline = on_table(board, BoardLies(board.id, at, turn), np.array([[0, 0], [w, 0], [w, h], [0, h]]))
            rectangle = cv2.minAreaRect(outline.astype(np.float32))
            if not any(overlap(rectangle, other, 4.0) for other in taken):
                break
        lies.append(BoardLies(board.id, at, turn, thick))
        taken.append(rectangle)
    return tuple(lies)


def corners_of(kit: Kit, boards: Sequence[BoardLies]) -> Array:
    """The corners of all boards on the table: (4 N, 2) mm."""
    found = []
    for lie in boards:
        board = next(board for board in kit.boards if board.id == lie.board)
        w, h = board.size_mm
        found.append(on_table(board, lie, np.array([[0, 0], [w, 0], [w, h], [0, h]])))
    return np.vstack(found)


def overlap(one: Any, other: Any, gap_mm: float) -> bool:
    """Whether two rectangles, in the form of cv2.minAreaRect, come nearer to each other than a gap."""
    (at, (w, h), angle) = one
    return bool(cv2.rotatedRectangleIntersection((at, (w + gap_mm, h + gap_mm), angle), other)[0])


def in_view(camera: Camera, points_mm: Array, height_mm: float = 0.0) -> bool:
    """Whether all points (N, 2) are well within the picture."""
    seen = camera.project(points_mm, height_mm)
    edge, size = EDGE_PX * camera.size_px[0], np.array(camera.size_px)
    return bool((seen > edge).all() and (seen < size - edge).all())


def free_point(
    kit: Kit,
    camera: Camera,
    placements: Placements,
    taken: Sequence[tuple[float, float, float]],
    radius_mm: float,
    near_mm: float,
    random: Generator,
) -> Point | None:
    """A point in view beside the boards, at most so far from them, for something round; None where none was found.

    `taken` are circles: x, y, radius.
    """
    corners = corners_of(kit, placements.boards)
    low, high = corners.min(axis=0) - near_mm, corners.max(axis=0) + near_mm
    rectangles = [cv2.minAreaRect(board.astype(np.float32)) for board in np.split(corners, len(placements.boards))]
    ring = radius_mm * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    for _ in range(300):
        x, y = (float(value) for value in random.uniform(low, high))
        if any(np.hypot(x - cx, y - cy) < radius_mm + radius + GAP_MM for cx, cy, radius in taken):
            continue
        box = ((x, y), (2 * radius_mm, 2 * radius_mm), 0.0)
        if in_view(camera, ring + [x, y]) and not any(overlap(box, other, GAP_MM) for other in rectangles):
            return x, y
    return None
