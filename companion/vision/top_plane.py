"""The plane on which dice's top faces lie, as a camera sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np

from companion.vision.view import View

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane over one board, as seen in a picture reduced by `factor`; faces on it have edges of `size_mm`."""

    view: View
    board: str
    height_mm: float
    size_mm: float
    factor: float = 1.0

    @cached_property
    def eye(self) -> Array:
        """Where the camera stands: (3,) mm along the board, and above this plane."""
        x, y, height = self.view.camera_mm(self.board)
        return np.array([x, y, height - self.height_mm])

    def to_mm(self, points_px: Array) -> Array:
        """Millimetres (N, 2) on the plane of points (N, 2) px of the reduced picture."""
        if not len(points_px):
            return np.zeros((0, 2))
        whole = (points_px + 0.5) / self.factor - 0.5
        rays = cv2.undistortPoints(whole.reshape(-1, 1, 2).astype(float), self.view.matrix, self.view.distortion)
        pose = self.view.poses[self.board]
        turn, _ = cv2.Rodrigues(pose.rotation)
        onto = np.column_stack([turn[:, 0], turn[:, 1], pose.translation - self.height_mm * turn[:, 2]])
        return cv2.perspectiveTransform(rays, np.linalg.inv(onto)).reshape(-1, 2)

    def to_px(self, points_mm: Array) -> Array:
        if not len(points_mm):
            return np.zeros((0, 2))
        seen = self.view.pixels(self.board, points_mm, self.height_mm)
        return (seen + 0.5) * self.factor - 0.5

    def axes(self, at_mm: Array, turn: Array) -> Array:
        return self.placed(at_mm, turn)[1]

    def placed(self, at_mm: Array, turn: Array) -> tuple[Array, Array]:
        """Centres (N, 2) px, and axes (N, 2, 2) px as columns, of faces of the dice's size at points, turned so."""
        along = np.stack([np.cos(turn), np.sin(turn)], axis=1) * self.size_mm / 2
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        right, low, middle = self.to_px(np.concatenate([at_mm + along, at_mm + across, at_mm])).reshape(3, -1, 2)
        return middle, 2 * np.stack([right - middle, low - middle], axis=2)
