"""Where the boards on a table lie before a camera, and where their points appear, with derivatives.

All boards lie on one table.  The first one found is the anchor; others are placed by a turn and a shift on its plane.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.vision.view import Pose, View

Array = np.ndarray[Any, Any]

# What is believed of a focal length before a picture has said anything, by the picture's width, as most small cameras
# have it; and how far its logarithm may be off.
FOCAL_BY_WIDTH, FOCAL_DOUBT = 0.8, 0.22
LENS_PARAMETERS = 5


@dataclass(frozen=True, eq=False)
class Geometry:
    """Where the anchor lies before the camera, where the others lie on its plane, and the lens."""

    focal: float
    centre: tuple[float, float]
    distortion: Array  # (5,) k1, k2, p1, p2, k3
    rotation: Array  # (3, 3)
    translation: Array  # (3,) mm
    placements: Array  # (boards, 3): turn in radians and shift in mm on the anchor's plane; zeros for the anchor

    @property
    def matrix(self) -> Array:
        cx, cy = self.centre
        return np.array([[self.focal, 0, cx], [0, self.focal, cy], [0, 0, 1.0]])


def corners_mm(size_mm: tuple[float, float]) -> Array:
    """The corners of a board, (4, 2), from the top left one on, clockwise."""
    width, height = size_mm
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=float)


def spin(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def turned_placement(geometry: Geometry, board: int) -> tuple[Array, Array]:
    """Rotation (3, 3) and translation (3,) of one board before the camera."""
    angle, x, y = geometry.placements[board]
    turn = np.eye(3)
    turn[:2, :2] = spin(angle)
    return geometry.rotation @ turn, geometry.rotation[:, 0] * x + geometry.rotation[:, 1] * y + geometry.translation


@dataclass(frozen=True, eq=False)
class Projection:
    """Where N points of the plane appear.  Coordinates come first in all of these: they are worked on one by one."""

    plane: Array  # (2, N) mm on the anchor's plane
    ray: Array  # (2, N) the same before the camera at a distance of one, without distortion
    pixels: Array  # (2, N)
    by_plane: Array  # (2, 2, N): change of the pixels by a step along the plane

    @property
    def scale(self) -> float:
        """Pixels by mm: the root of the mean by which areas grow."""
        (a, b), (c, d) = self.by_plane
        return math.sqrt(abs(float(np.vdot(a, d) - np.vdot(b, c))) / len(a))


def on_table(geometry: Geometry, board: int, points_mm: Array) -> Array:
    """Where points (2, N) of a board lie on the anchor's plane: (2, N) mm."""
    if board == 0:
        return points_mm
    angle, *shift = geometry.placements[board]
    return np.asarray(spin(angle) @ points_mm + np.array(shift)[:, None])


def project(geometry: Geometry, plane: Array) -> Projection:
    """Where points (2, N) of the anchor's plane appear."""
    flat = geometry.rotation[:, :2]
    place = flat @ plane + geometry.translation[:, None]
    deep = place[2]
    ray = place[:2] / deep
    by = (flat[:2, :, None] - ray[:, None] * flat[2][:, None]) / deep
    seen = ray
    if geometry.distortion.any():
        seen, bend = _distorted(geometry.distortion, ray)
        by = bend[:, 0, None] * by[0] + bend[:, 1, None] * by[1]
    pixels = geometry.focal * seen + np.array(geometry.centre)[:, None]
    return Projection(plane, ray, pixels, geometry.focal * by)


def _distorted(distortion: Array, ray: Array) -> tuple[Array, Array]:
    """Rays (2, N) as the lens bends them, and the change (2, 2, N) of these by the unbent ones."""
    k1, k2, p1, p2, k3 = distortion.tolist()
    x, y = ray
    xx, yy, xy = x * x, y * y, x * y
    r2 = xx + yy
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    slope = 2 * (k1 + r2 * (2 * k2 + r2 * (3 * k3)))
    bent, change = ray * radial, np.empty((2, 2, len(x)))
    change[0, 0], change[1, 1] = radial + xx * slope, radial + yy * slope
    change[0, 1] = xy * slope
    if p1 or p2:
        bent[0] += 2 * p1 * xy + p2 * (r2 + 2 * xx)
        bent[1] += p1 * (r2 + 2 * yy) + 2 * p2 * xy
        change[0, 0] += 2 * p1 * y + 6 * p2 * x
        change[0, 1] += 2 * p1 * x + 2 * p2 * y
        change[1, 1] += 6 * p1 * y + 2 * p2 * x
    change[1, 0] = change[0, 1]
    return bent, change


def motions(geometry: Geometry, at: Projection, lens: int) -> Array:
    """How far along the plane what a pixel shows moves by each parameter: (6 + lens, 2, N) mm.

    In order: a turn (3) about the anchor's axes and its origin, a shift (3) along them, the focal length's logarithm,
    k1, k2 and the centre (2), of which `lens` are wanted.  What a point does along its own ray does not show: to a
    step in depth belongs one towards the point below the camera, and the lens cancels out.
    """
    below = geometry.translation @ geometry.rotation
    x, y = at.plane
    towards = (at.plane + below[:2, None]) / below[2]
    by = np.zeros((6 + lens, 2, len(x)))
    by[0], by[1], by[5] = -y * towards, x * towards, -towards
    by[2, 0], by[2, 1] = -y, x
    by[3, 0] = by[4, 1] = 1
    if lens:
        back = _back(at.by_plane)
        # A longer lens farther away shows almost the same: taken together, or steps of either would be far too long.
        deeper = geometry.rotation[2] * geometry.translation[2]
        off = at.pixels - np.array(geometry.centre)[:, None]
        by[6] = back[:, 0] * off[0] + back[:, 1] * off[1] + deeper[:2, None] - deeper[2] * towards
    if lens > 1:
        r2 = (at.ray * at.ray).sum(axis=0) * geometry.focal
        off = at.ray * r2
        by[7] = back[:, 0] * off[0] + back[:, 1] * off[1]
        by[8] = by[7] * (r2 / geometry.focal)
        by[9], by[10] = back[:, 0], back[:, 1]
    return by


def placed_motions(geometry: Geometry, at: Projection, board: int) -> Array:
    """As `motions`, by a turn of a further board about its origin and a shift (2) of it along the plane: (3, 2, N)."""
    _, x, y = geometry.placements[board]
    by = np.zeros((3, 2, at.plane.shape[1]))
    by[0, 0], by[0, 1] = y - at.plane[1], at.plane[0] - x
    by[1, 0] = by[2, 1] = 1
    return by


def _back(by: Array) -> Array:
    """Inverses of matrices (2, 2, N)."""
    (a, b), (c, d) = by
    back = np.empty_like(by)
    back[0, 0], back[0, 1], back[1, 0], back[1, 1] = d, -b, -c, a
    back /= a * d - b * c
    return back


def moved(geometry: Geometry, step: Array) -> Geometry:
    """The geometry after a step of its parameters: those of `motions`, then of `placed_motions` for each board."""
    longer = math.exp(min(max(step[6], -0.15), 0.15))
    distortion, placements = geometry.distortion, geometry.placements
    if step[7] or step[8]:
        distortion = distortion + (step[7], step[8], 0, 0, 0)
    if len(placements) > 1:
        placements = placements.copy()
        placements[1:] += step[6 + LENS_PARAMETERS :].reshape(-1, 3)
    turn, _ = cv2.Rodrigues(step[:3])
    return Geometry(
        geometry.focal * longer,
        (geometry.centre[0] + float(step[9]), geometry.centre[1] + float(step[10])),
        distortion,
        geometry.rotation @ turn,
        geometry.translation * (1, 1, longer) + geometry.rotation @ step[3:6],
        placements,
    )


def placed_corners_px(geometry: Geometry, size_mm: tuple[float, float], placements: Sequence[Array]) -> Array:
    """Where the corners of a board at each of M placements (3,) on the anchor's plane appear: (M, 4, 2)."""
    every = np.array(placements).reshape(-1, 3)
    c, s, (x, y) = np.cos(every[:, :1]), np.sin(every[:, :1]), corners_mm(size_mm).T
    plane = np.stack([c * x - s * y + every[:, 1:2], s * x + c * y + every[:, 2:]])
    return project(geometry, plane.reshape(2, -1)).pixels.T.reshape(-1, 4, 2)


def scale_of(geometry: Geometry, board: int, size_mm: tuple[float, float]) -> float:
    """Pixels by millimetre about the middle of a board, but for distortion."""
    x, y = size_mm[0] / 2, size_mm[1] / 2
    if board:
        angle, right, down = geometry.placements[board].tolist()
        c, s = math.cos(angle), math.sin(angle)
        x, y = c * x - s * y + right, s * x + c * y + down
    turn, shift = geometry.rotation.tolist(), geometry.translation.tolist()
    ray = [a * x + b * y + t for (a, b, _), t in zip(turn, shift, strict=True)]
    along = sum(normal * part for (_, _, normal), part in zip(turn, ray, strict=True))
    # A plane that is seen aslant is shortened by the cosine of the angle between its normal and the ray.
    deep: float = ray[2]
    return math.copysign(math.sqrt(abs(along / deep)) * geometry.focal / deep, deep)


def view_of(geometry: Geometry, names: Sequence[str], residuals: Sequence[float]) -> View:
    poses = {}
    for index, name in enumerate(names):
        rotation, translation = turned_placement(geometry, index)
        poses[name] = Pose(cv2.Rodrigues(rotation)[0].reshape(3), translation, residuals[index])
    return View(geometry.matrix, geometry.distortion.copy(), poses)


def geometry_of(view: View, names: Sequence[str]) -> Geometry:
    """The geometry of a view's boards, the first of the names the anchor."""
    anchor = view.poses[names[0]]
    rotation, _ = cv2.Rodrigues(anchor.rotation)
    placements = []
    for name in names:
        pose = view.poses[name]
        turn = rotation.T @ cv2.Rodrigues(pose.rotation)[0]
        shift = rotation.T @ (pose.translation - anchor.translation)
        placements.append((float(np.arctan2(turn[1, 0], turn[0, 0])), shift[0], shift[1]))
    centre = (float(view.matrix[0, 2]), float(view.matrix[1, 2]))
    return Geometry(
        float(view.matrix[0, 0]), centre, view.distortion, rotation, anchor.translation, np.array(placements)
    )
