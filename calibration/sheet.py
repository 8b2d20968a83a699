"""A sheet to draw on in millimetres: smooth polygons and lettering, drawn larger than wanted and then shrunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]
Colour = tuple[int, int, int]  # red, green, blue
Point = tuple[float, float]

FINE = 4
SHIFT = 4  # polygons are placed to a sixteenth of a fine pixel


@dataclass(frozen=True, eq=False)
class Pen:
    """Draws in coordinates of its own, x right and y down, which `onto` (3, 3) carries to the fine picture's."""

    canvas: Array  # (height, width, 4) uint8: blue, green, red, alpha
    onto: Array

    def at(self, x: float, y: float, scale: float = 1.0, turn_deg: float = 0.0, mirror: bool = False) -> Pen:
        """A pen with its origin here, larger by `scale`, turned clockwise."""
        c, s = np.cos(np.radians(turn_deg)) * scale, np.sin(np.radians(turn_deg)) * scale
        flip = np.diag([-1.0 if mirror else 1.0, 1.0, 1.0])
        return Pen(self.canvas, self.onto @ np.array([[c, -s, x], [s, c, y], [0, 0, 1]]) @ flip)

    def _there(self, points: Array) -> Array:
        return np.asarray(points @ self.onto[:2, :2].T + self.onto[:2, 2])

    def polygon(self, points: Sequence[Point] | Array, colour: Colour) -> None:
        there = np.rint(self._there(np.asarray(points, float)) * (1 << SHIFT)).astype(np.int32)
        cv2.fillPoly(self.canvas, [there], (*colour[::-1], 255), cv2.LINE_AA, SHIFT)

    def ellipse(self, x: float, y: float, rx: float, ry: float, colour: Colour, turn_deg: float = 0.0) -> None:
        self.at(x, y, 1, turn_deg).polygon(ring(72) * [rx, ry], colour)

    def circle(self, x: float, y: float, radius: float, colour: Colour) -> None:
        self.ellipse(x, y, radius, radius, colour)

    def line(self, points: Sequence[Point], width: float, colour: Colour) -> None:
        """A line with round ends and joints."""
        for (ax, ay), (bx, by) in pairwise(points):
            length = float(np.hypot(bx - ax, by - ay))
            pen = self.at(ax, ay, 1, float(np.degrees(np.arctan2(by - ay, bx - ax))))
            pen.polygon([(0, -width / 2), (length, -width / 2), (length, width / 2), (0, width / 2)], colour)
        for x, y in points:
            self.circle(x, y, width / 2, colour)

    def box(self, x: float, y: float, w: float, h: float, colour: Colour, corner: float = 0.0) -> None:
        """A box around a middle, its corners rounded."""
        self.polygon(rounded(w, h, corner) + [x, y], colour)

    def text(self, x: float, y: float, letters: str, height: float, colour: Colour, weight: float = 0.16) -> None:
        """Upright lettering around a middle; `height` is that of a capital letter."""
        scale_px = float(np.sqrt(abs(np.linalg.det(self.onto[:2, :2]))))
        font, tall = cv2.FONT_HERSHEY_DUPLEX, 22.0  # a capital of this font is 22 px high at scale 1
        size = height * scale_px / tall
        thickness = max(1, round(weight * height * scale_px))
        (w, _), _ = cv2.getTextSize(letters, font, size, thickness)
        cx, cy = self._there(np.array([[x, y]]))[0]
        at = (round(cx - w / 2), round(cy + height * scale_px / 2))
        cv2.putText(self.canvas, letters, at, font, size, (*colour[::-1], 255), thickness, cv2.LINE_AA)

    def letters_turned(self, x: float, y: float, letters: str, height: float, colour: Colour, turn_deg: float) -> None:
        """Lettering at an angle: drawn upright on a piece of its own, then laid onto the picture."""
        scale_px = float(np.sqrt(abs(np.linalg.det(self.onto[:2, :2]))))
        reach = max(1.0, 0.6 * len(letters)) * height
        piece = Sheet(2 * reach, 2 * reach, scale_px / FINE)
        piece.pen.text(reach, reach, letters, height, colour)
        side = piece.pen.canvas.shape[0]
        cx, cy = self._there(np.array([[x, y]]))[0]
        warp = cv2.getRotationMatrix2D(((side - 1) / 2, (side - 1) / 2), -turn_deg, 1.0)
        turned = cv2.warpAffine(piece.pen.canvas, warp, (side, side), flags=cv2.INTER_LINEAR)
        left, top = round(cx - side / 2), round(cy - side / 2)
        part = self.canvas[max(0, top) : top + side, max(0, left) : left + side]
        over = turned[max(0, -top) :, max(0, -left) :][: part.shape[0], : part.shape[1]]
        share = over[..., 3:] / 255.0
        part[..., :3] = np.rint(part[..., :3] * (1 - share) + np.array(colour[::-1]) * share)


class Sheet:
    """A picture of so many millimetres."""

    def __init__(self, width_mm: float, height_mm: float, px_per_mm: float, paper: Colour | None = None) -> None:
        self.size_px = (round(width_mm * px_per_mm), round(height_mm * px_per_mm))
        canvas = np.zeros((self.size_px[1] * FINE, self.size_px[0] * FINE, 4), np.uint8)
        if paper:
            canvas.view(np.uint32)[:] = np.array([*paper[::-1], 255], np.uint8).view(np.uint32)
        k = px_per_mm * FINE
        # The sheet's edge is the outer edge of the first pixel, half a pixel before its centre.
        self.pen = Pen(canvas, np.array([[k, 0, -0.5], [0, k, -0.5], [0, 0, 1]]))

    def pixels(self) -> Array:
        """The finished picture: (height, width, 3) uint8 BGR, or with alpha where something stayed transparent."""
        canvas = self.pen.canvas
        small = cv2.resize(canvas, self.size_px, interpolation=cv2.INTER_AREA)
        alpha = small[..., 3]
        if alpha.min() == 255:
            return np.ascontiguousarray(small[..., :3])
        weighted = (canvas[..., :3] * (canvas[..., 3:] / np.float32(255))).astype(np.float32)
        colours = cv2.resize(weighted, self.size_px, interpolation=cv2.INTER_AREA)
        clear = colours / np.maximum(alpha[..., None] / np.float32(255), np.float32(1e-3))
        return np.dstack([np.clip(np.rint(clear), 0, 255).astype(np.uint8), alpha])

    def save(self, path: Path, packing: int = 9) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not cv2.imwrite(str(path), self.pixels(), [cv2.IMWRITE_PNG_COMPRESSION, packing]):
            raise OSError(f"{path}: the picture could not be written")


def ring(points: int, start_deg: float = 0.0) -> Array:
    """Points (N, 2) on the unit circle, clockwise from the right."""
    angle = np.radians(start_deg) + np.linspace(0, 2 * np.pi, points, endpoint=False)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def rounded(w: float, h: float, corner: float) -> Array:
    """The outline (N, 2) of a box around the origin with rounded corners."""
    if corner <= 0:
        return np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    quarter = np.radians(np.linspace(0, 90, 10))
    arc = corner * np.stack([np.cos(quarter), np.sin(quarter)], axis=1)
    cx, cy = w / 2 - corner, h / 2 - corner
    return np.vstack(
        [
            arc + [cx, cy],
            arc[::-1] * [-1, 1] + [-cx, cy],
            arc * [-1, -1] + [-cx, -cy],
            arc[::-1] * [1, -1] + [cx, -cy],
        ]
    )


def star(points: int, inner: float, start_deg: float = -90.0) -> Array:
    """A star's outline (2 N, 2) within the unit circle."""
    outline = ring(2 * points, start_deg)
    outline[1::2] *= inner
    return outline


def shaded(colour: Colour, gain: float) -> Colour:
    r, g, b = (int(min(255, max(0, round(value * gain)))) for value in colour)
    return r, g, b
