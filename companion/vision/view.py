"""A camera's view of the boards on a table: from millimetres on a board to pixels, with height and lens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np

from companion.kit import Board
from companion.observation import Calibration

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a board lies before the camera: OpenCV's rotation and translation vectors (3,), in mm.

    The board's frame has x right and y down on its picture, so its z axis points into the table: heights are −z.
    """

    rotation: Array
    translation: Array
    residual_px: float = 0.0


@dataclass(frozen=True, eq=False)
class View:
    """One lens, and the pose of each board that was found, by its id."""

    matrix: Array  # (3, 3)
    distortion: Array  # (5,) k1, k2, p1, p2, k3
    poses: dict[str, Pose]

    @cached_property
    def _before_camera(self) -> dict[str, Array]:
        """By board the matrix (3, 4) that leads from x, y, height and 1 to right, down and away from the camera."""
        return {
            board: np.column_stack([cv2.Rodrigues(pose.rotation)[0] * (1, 1, -1), pose.translation])
            for board, pose in self.poses.items()
        }

    @cached_property
    def _bend(self) -> list[float]:
        return [float(k) for k in np.ravel(self.distortion)[:5]]

    @cached_property
    def _lens(self) -> tuple[Array, Array]:
        """Focal lengths and centre, (2, 1) px each."""
        return self.matrix[[0, 1], [0, 1]][:, None], self.matrix[:2, 2:]

    def pixels(self, board: str, points_mm: Array, height_mm: float | Array = 0.0) -> Array:
        """Where points (N, 2) of a board at heights (scalar or (N,)) above it appear: (N, 2) float64 px.

        As cv2.projectPoints, which takes most of its time for derivatives that nobody wants here.
        """
        at = np.ones((4, len(points_mm)))
        at[:2], at[2] = np.asarray(points_mm).T, height_mm
        seen = self._before_camera[board] @ at
        flat = seen[:2] / seen[2]
        squares = flat * flat
        square = squares[0] + squares[1]
        k1, k2, p1, p2, k3 = self._bend
        out = flat * (1 + square * (k1 + square * (k2 + square * k3)))
        if p1 or p2:
            out += 2 * flat[0] * flat[1] * [[p1], [p2]] + (square + 2 * squares) * [[p2], [p1]]
        focal, centre = self._lens
        out *= focal
        out += centre
        return np.asarray(out.T)

    def corners(self, board: Board) -> Array:
        """The corners of the board's picture: (4, 2) px, top left, top right, bottom right, bottom left."""
        width, height = board.size_mm
        return self.pixels(board.id, np.array([[0, 0], [width, 0], [width, height], [0, height]]))

    def scale(self, board: str, point_mm: tuple[float, float]) -> float:
        """Pixels per millimetre around a point of a board."""
        return float(self.scales(board, np.array([point_mm]))[0])

    def scales(self, board: str, points_mm: Array) -> Array:
        """The same around points (N, 2): (N,)."""
        beside = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        seen = self.pixels(board, (points_mm[:, None] + beside).reshape(-1, 2)).reshape(-1, 3, 2)
        across, down = seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0]
        return np.asarray(np.sqrt(np.abs(across[:, 0] * down[:, 1] - across[:, 1] * down[:, 0])))

    def camera_mm(self, board: str) -> Array:
        """Where the camera stands in the board's frame: (3,) with its height positive."""
        pose = self.poses[board]
        turn, _ = cv2.Rodrigues(pose.rotation)
        place = -turn.T @ pose.translation
        return np.array([place[0], place[1], -place[2]])


def lens_matrix(calibration: Calibration) -> tuple[Array, Array]:
    """OpenCV's camera matrix (3, 3) and distortion (5,) of a calibration."""
    (cx, cy), f = calibration.centre_px, calibration.focal_px
    return np.array([[f, 0, cx], [0, f, cy], [0, 0, 1.0]]), np.array(calibration.distortion)


def pose_of_corners(board: Board, corners_px: Array, matrix: Array, distortion: Array) -> Pose:
    """The pose that puts the board's corners (4, 2) where they were seen."""
    width, height = board.size_mm
    points = np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]], dtype=float)
    _, rotation, translation = cv2.solvePnP(points, np.asarray(corners_px, float), matrix, distortion)
    return Pose(rotation.reshape(3), translation.reshape(3))
