"""Where the boards on a table lie before a camera, and where their points appear, with derivatives.

All boards lie on one table.  The first one found is the anchor; others are placed by a turn and a shift on its plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def turned_placement(geometry: Geometry, board: int) -> tuple[Array, Array]:
    """Rotation (3, 3) and translation (3,) of one board before the camera."""
    angle, x, y = geometry.placements[board]
    turn = np.eye(3)
    turn[:2, :2] = spin(angle)
    return geometry.rotation @ turn, geometry.rotation[:, 0] * x + geometry.rotation[:, 1] * y + geometry.translation


def _distort(geometry: Geometry, x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Distorted normalised coordinates and their derivative (N, 2, 2) by the undistorted ones."""
    k1, k2, p1, p2, k3 = geometry.distortion
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    slope = 2 * (k1 + r2 * (2 * k2 + r2 * 3 * k3))
    u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    change = np.empty((len(x), 2, 2))
    change[:, 0, 0] = radial + x * x * slope + 2 * p1 * y + 6 * p2 * x
    change[:, 0, 1] = change[:, 1, 0] = x * y * slope + 2 * p1 * x + 2 * p2 * y
    change[:, 1, 1] = radial + y * y * slope + 6 * p1 * y + 2 * p2 * x
    return u, v, change


@dataclass(frozen=True, eq=False)
class Projection:
    pixels: Array  # (N, 2)
    by_mm: Array  # (N, 2, 2): change of the pixels by a step on the board
    by_parameter: (
        Array  # (N, 2, P): rotation 3, translation 3, log focal, k1, k2, centre 2, and 3 for each further board
    )
    # P is 0 where that was not asked for.


def project(geometry: Geometry, board: Array, points_mm: Array, with_parameters: bool = True) -> Projection:
    """Where points (N, 2) of boards (N,) appear, with derivatives."""
    angle = geometry.placements[board, 0]
    c, s = np.cos(angle), np.sin(angle)
    px, py = points_mm[:, 0], points_mm[:, 1]
    plane = np.stack([c * px - s * py, s * px + c * py], axis=1)
    by_angle = np.stack([-plane[:, 1], plane[:, 0]], axis=1)
    flat = geometry.rotation[:, :2]
    turned = (plane + geometry.placements[board, 1:]) @ flat.T
    place = turned + geometry.translation
    z = place[:, 2]
    x, y = place[:, 0] / z, place[:, 1] / z
    u, v, bend = _distort(geometry, x, y)
    f = geometry.focal
    pixels = np.stack([f * u + geometry.centre[0], f * v + geometry.centre[1]], axis=1)

    by_place = np.empty((len(z), 2, 3))
    by_place[:, :, :2] = bend * (f / z)[:, None, None]
    by_place[:, :, 2] = -by_place[:, :, 0] * x[:, None] - by_place[:, :, 1] * y[:, None]
    by_plane = by_place @ flat
    # A step along the board is one along the plane, turned.
    by_mm = np.stack(
        [by_plane[:, :, 0] * c[:, None] + by_plane[:, :, 1] * s[:, None],
         by_plane[:, :, 1] * c[:, None] - by_plane[:, :, 0] * s[:, None]], axis=2
    )  # fmt: skip
    if not with_parameters:
        return Projection(pixels, by_mm, np.zeros((len(z), 2, 0)))
    boards = len(geometry.placements)
    by = np.zeros((len(z), 2, 6 + LENS_PARAMETERS + 3 * (boards - 1)))
    for axis in range(3):  # the cross product of where a point lies and what it does
        after, last = (axis + 1) % 3, (axis + 2) % 3
        by[:, :, axis] = turned[:, None, after] * by_place[:, :, last] - turned[:, None, last] * by_place[:, :, after]
    by[:, :, 3:6] = by_place
    # A longer lens farther away shows almost the same: taken together, or steps of either would be far too long.
    by[:, :, 6] = pixels - geometry.centre + by_place[:, :, 2] * geometry.translation[2]
    r2 = (x * x + y * y)[:, None]
    ray = np.stack([x, y], axis=1)
    by[:, :, 7], by[:, :, 8] = f * ray * r2, f * ray * r2 * r2
    by[:, 0, 9] = by[:, 1, 10] = 1
    for index in range(1, boards):
        own = board == index
        at = 6 + LENS_PARAMETERS + 3 * (index - 1)
        by[own, :, at] = (by_plane[own] @ by_angle[own][:, :, None])[:, :, 0]
        by[own, :, at + 1 : at + 3] = by_plane[own]
    return Projection(pixels, by_mm, by)


def moved(geometry: Geometry, step: Array) -> Geometry:
    """The geometry after a step of its parameters, in the order of `Projection.by_parameter`."""
    longer = float(np.exp(np.clip(step[6], -0.15, 0.15)))
    turn, _ = cv2.Rodrigues(step[:3])
    distortion = geometry.distortion.copy()
    distortion[:2] += step[7:9]
    placements = geometry.placements.copy()
    placements[1:] += step[6 + LENS_PARAMETERS :].reshape(-1, 3)
    return replace(
        geometry,
        focal=geometry.focal * longer,
        centre=(geometry.centre[0] + float(step[9]), geometry.centre[1] + float(step[10])),
        distortion=distortion,
        rotation=turn @ geometry.rotation,
        translation=geometry.translation * (1, 1, longer) + step[3:6],
        placements=placements,
    )


def inverse(matrices: Array) -> Array:
    """Inverses of matrices (N, 2, 2)."""
    a, b, c, d = (matrices[:, i, j] for i in (0, 1) for j in (0, 1))
    adjoint = np.empty_like(matrices)
    adjoint[:, 0, 0], adjoint[:, 0, 1], adjoint[:, 1, 0], adjoint[:, 1, 1] = d, -b, -c, a
    return np.asarray(adjoint / (a * d - b * c)[:, None, None])


def scale_of(geometry: Geometry, board: int, size_mm: tuple[float, float]) -> float:
    """Pixels by millimetre about the middle of a board, but for distortion."""
    angle, *shift = geometry.placements[board]
    middle = spin(angle) @ (np.array(size_mm) / 2) + shift
    ray = geometry.rotation[:, :2] @ middle + geometry.translation
    # A plane that is seen aslant is shortened by the cosine of the angle between its normal and the ray.
    aslant = abs(float(geometry.rotation[:, 2] @ ray)) / float(ray[2])
    return geometry.focal / float(ray[2]) * float(np.sqrt(aslant))


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
