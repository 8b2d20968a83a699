"""The camera above a simulated table: where it hangs, what it sees of the table's plane, and where things appear.

The table's frame has x right and y down as seen from above, in mm, z into the table: heights are −z.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]
Generator = np.random.Generator

GRID_PX = 16  # the map of the plane is exact on this grid; between its points it bends by less than 0.05 px


@dataclass(frozen=True)
class Camera:
    """A lens and its pose; `rotation` (Rodrigues) and `translation` (mm) carry the table's frame to the camera's."""

    size_px: tuple[int, int]
    focal_px: float
    centre_px: tuple[float, float]
    distortion: tuple[float, float, float, float, float]  # OpenCV's k1, k2, p1, p2, k3
    rotation: tuple[float, float, float]
    translation: tuple[float, float, float]

    @cached_property
    def matrix(self) -> Array:
        """OpenCV's camera matrix, (3, 3) float64."""
        (cx, cy), f = self.centre_px, self.focal_px
        return np.array([[f, 0, cx], [0, f, cy], [0, 0, 1.0]])

    @cached_property
    def turn(self) -> Array:
        """The rotation as a matrix, (3, 3) float64."""
        return np.asarray(cv2.Rodrigues(np.array(self.rotation))[0])

    @cached_property
    def place_mm(self) -> Array:
        """Where it hangs in the table's frame: (3,) x, y and its height above the plane."""
        x, y, z = -self.turn.T @ np.array(self.translation)
        return np.array([x, y, -z])

    @property
    def tilt_deg(self) -> float:
        """The angle between the optical axis and the vertical."""
        return float(np.degrees(np.arccos(np.clip(self.turn[2, 2], -1, 1))))

    def project(self, points_mm: Array, height_mm: float | Array = 0.0) -> Array:
        """Where points (N, 2) of the table at heights (scalar or (N,)) appear: (N, 2) float64 px."""
        turn = self.turn
        lifted = np.asarray(height_mm, float)[..., None] * turn[:, 2]
        seen = points_mm @ turn[:, :2].T + (np.array(self.translation) - lifted)
        flat = seen[:, :2] / seen[:, 2:]
        k1, k2, p1, p2, k3 = self.distortion
        rr = (flat * flat).sum(axis=1, keepdims=True)
        bent = flat * (1 + rr * (k1 + rr * (k2 + rr * k3)))
        if p1 or p2:
            x, y = flat[:, :1], flat[:, 1:]
            bent += 2 * x * y * [p1, p2] + (rr + 2 * flat * flat) * [p2, p1]
        return np.asarray(bent * self.focal_px + self.centre_px)

    def scale(self, point_mm: Array, height_mm: float = 0.0) -> float:
        """Pixels per millimetre around a point (2,) of a plane."""
        corner = np.asarray(point_mm, float)
        a, b, c = self.project(np.array([corner, corner + [1, 0], corner + [0, 1]]), height_mm)
        return float(np.sqrt(abs((b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0])))


@lru_cache(maxsize=4)
def plane_map(camera: Camera) -> Array:
    """The table's point (mm, height 0) under every pixel: (height, width, 2) float32."""
    width, height = camera.size_px
    columns, rows = -(-width // GRID_PX) + 2, -(-height // GRID_PX) + 2
    # Centres of cells, one cell more on every side: cv2.resize puts pixels exactly between them.
    u = (np.arange(columns) - 0.5) * GRID_PX - 0.5
    v = (np.arange(rows) - 0.5) * GRID_PX - 0.5
    grid = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 1, 2)
    rays = cv2.undistortPoints(grid, camera.matrix, np.array(camera.distortion)).reshape(-1, 2)
    rays = np.hstack([rays, np.ones((len(rays), 1))]) @ camera.turn
    x, y, up = camera.place_mm
    steps = up / np.maximum(rays[:, 2:], 0.05)  # a ray towards the horizon ends far away
    plane = (np.array([x, y]) + rays[:, :2] * steps).reshape(rows, columns, 2).astype(np.float32)
    full = cv2.resize(plane, (columns * GRID_PX, rows * GRID_PX), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(full[GRID_PX : GRID_PX + height, GRID_PX : GRID_PX + width])


def at_height(camera: Camera, height_mm: float) -> Array:
    """The affine map (2, 3) from the plane's points to those that the same rays meet at a height."""
    x, y, up = camera.place_mm
    share = 1 - height_mm / up
    return np.array([[share, 0, (1 - share) * x], [0, share, (1 - share) * y]])


def hung(
    size_px: tuple[int, int],
    focal_px: float,
    target_mm: tuple[float, float],
    distance_mm: float,
    tilt_deg: float = 0.0,
    towards_deg: float = 0.0,
    roll_deg: float = 0.0,
    centre_px: tuple[float, float] | None = None,
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0),
) -> Camera:
    """A camera that looks at a point of the table; `towards` is the way it leans, `roll` how it is screwed on."""
    t, a, r = np.radians([tilt_deg, towards_deg, roll_deg])
    lean = np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]])

    def about_z(angle: float) -> Array:
        return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])

    turn = about_z(r) @ lean @ about_z(a)
    rotation = cv2.Rodrigues(turn)[0].reshape(3)
    translation = np.array([0, 0, distance_mm]) - turn @ np.array([*target_mm, 0.0])
    middle = centre_px or ((size_px[0] - 1) / 2, (size_px[1] - 1) / 2)
    rx, ry, rz = (float(value) for value in rotation)
    tx, ty, tz = (float(value) for value in translation)
    return Camera(size_px, focal_px, middle, distortion, (rx, ry, rz), (tx, ty, tz))


def random_camera(
    random: Generator,
    wanted_mm: Array,
    size_px: tuple[int, int] = (1280, 960),
    most_tilt_deg: float = 35.0,
    filled: tuple[float, float] = (0.75, 0.97),
    upright: bool = False,
) -> Camera:
    """A camera turned and tilted at random, as near as the wanted points (N, 2) of the table all stay in view.

    `filled` is the range for how much of the picture's width or height they take; an `upright` one is screwed on so
    that the table's y runs down the picture but for a few degrees.
    """
    width, height = size_px
    tilt = most_tilt_deg * random.beta(1.1, 2.2)
    focal = width * random.uniform(0.68, 1.05)
    jitter = random.uniform(-0.02, 0.02, 2) * width
    centre = ((width - 1) / 2 + float(jitter[0]), (height - 1) / 2 + float(jitter[1]))
    lens = (float(random.uniform(-0.07, 0.03)), float(random.uniform(-0.01, 0.03)), 0.0, 0.0, 0.0)
    towards, roll = (float(angle) for angle in random.uniform(0, 360, 2))
    if upright:
        roll = -towards + (roll - 180) / 30
    middle = (wanted_mm.min(axis=0) + wanted_mm.max(axis=0)) / 2 + random.uniform(-15, 15, 2)
    target = (float(middle[0]), float(middle[1]))
    fill = random.uniform(*filled)
    near, far = 100.0, 8000.0
    for _ in range(24):  # halving: the nearest distance at which everything lies within the filled part
        between = (near + far) / 2
        camera = hung(size_px, focal, target, between, tilt, towards, roll, centre, lens)
        fits = _within(camera, wanted_mm, fill)
        near, far = (near, between) if fits else (between, far)
    return hung(size_px, focal, target, far, tilt, towards, roll, centre, lens)


def _within(camera: Camera, points_mm: Array, fill: float) -> bool:
    """Whether all points lie before the camera and within the middle part of its picture."""
    ahead = np.hstack([points_mm, np.zeros((len(points_mm), 1))]) @ camera.turn.T + np.array(camera.translation)
    if (ahead[:, 2] < 50).any() or (np.hypot(ahead[:, 0], ahead[:, 1]) > 1.1 * ahead[:, 2]).any():
        return False
    width, height = camera.size_px
    seen = (camera.project(points_mm) - [(width - 1) / 2, (height - 1) / 2]) / [width / 2, height / 2]
    return bool((np.abs(seen) < fill).all())
