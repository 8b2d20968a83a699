"""A sheet to draw on in millimetres: smooth polygons and lettering, drawn larger than wanted and then shrunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
FONT, CAPITAL_PX = cv2.FONT_HERSHEY_DUPLEX, 22.0  # a capital of this font is 22 px high at scale 1
SHIFT = 4  # polygons are placed to a sixteenth of a fine pixel


@dataclass(frozen=True)
class Filled:
    """A polygon: (N, 2) in fine pixels."""

    points: Array
    colour: Colour


@dataclass(frozen=True)
class Lettered:
    """A line of lettering around a middle, in fine pixels; `stroke_px` is how thick its strokes are."""

    letters: str
    middle: Point
    height_px: float
    stroke_px: int
    colour: Colour


class Ground:
    """What was drawn, in its order, and the fine picture of it, which is made once somebody asks for it."""

    def __init__(self, size_px: tuple[int, int], paper: Colour | None) -> None:
        self.size_px, self.paper = size_px, paper
        self.drawn: list[Filled | Lettered] = []
        self._canvas: Array | None = None
        self._shown = 0

    @property
    def canvas(self) -> Array:
        """(height, width, 4) uint8: blue, green, red, alpha."""
        if self._canvas is None:
            self._canvas = np.zeros((self.size_px[1], self.size_px[0], 4), np.uint8)
            if self.paper:
                self._canvas.view(np.uint32)[:] = np.array([*self.paper[::-1], 255], np.uint8).view(np.uint32)
        for thing in self.drawn[self._shown :]:
            colour = (*thing.colour[::-1], 255)
            if isinstance(thing, Filled):
                there = np.rint(thing.points * (1 << SHIFT)).astype(np.int32)
                cv2.fillPoly(self._canvas, [there], colour, cv2.LINE_AA, SHIFT)
            else:
                _write(self._canvas, thing, colour)
        self._shown = len(self.drawn)
        return self._canvas

    def wipe(self) -> None:
        """Let the fine picture go, which is large."""
        self._canvas, self._shown = None, 0


def _write(canvas: Array, said: Lettered, colour: tuple[int, ...]) -> None:
    size = said.height_px / CAPITAL_PX
    (w, _), _ = cv2.getTextSize(said.letters, FONT, size, said.stroke_px)
    at = (round(said.middle[0] - w / 2), round(said.middle[1] + said.height_px / 2))
    cv2.putText(canvas, said.letters, at, FONT, size, colour, said.stroke_px, cv2.LINE_AA)


@dataclass(frozen=True, eq=False)
class Pen:
    """Draws in coordinates of its own, x right and y down, which `onto` (3, 3) carries to the fine picture's."""

    ground: Ground
    onto: Array

    @property
    def canvas(self) -> Array:
        return self.ground.canvas

    def at(self, x: float, y: float, scale: float = 1.0, turn_deg: float = 0.0, mirror: bool = False) -> Pen:
        """A pen with its origin here, larger by `scale`, turned clockwise."""
        c, s = np.cos(np.radians(turn_deg)) * scale, np.sin(np.radians(turn_deg)) * scale
        flip = np.diag([-1.0 if mirror else 1.0, 1.0, 1.0])
        return Pen(self.ground, self.onto @ np.array([[c, -s, x], [s, c, y], [0, 0, 1]]) @ flip)

    def _there(self, points: Array) -> Array:
        return np.asarray(points @ self.onto[:2, :2].T + self.onto[:2, 2])

    def polygon(self, points: Sequence[Point] | Array, colour: Colour) -> None:
        self.ground.drawn.append(Filled(self._there(np.asarray(points, float)), colour))

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
        thickness = max(1, round(weight * height * scale_px))
        cx, cy = self._there(np.array([[x, y]]))[0]
        self.ground.drawn.append(Lettered(letters, (float(cx), float(cy)), height * scale_px, thickness, colour))


class Sheet:
    """A picture of so many millimetres."""

    def __init__(self, width_mm: float, height_mm: float, px_per_mm: float, paper: Colour | None = None) -> None:
        self.size_px = (round(width_mm * px_per_mm), round(height_mm * px_per_mm))
        self.size_mm, self.paper, self._fine_px_per_mm = (width_mm, height_mm), paper, px_per_mm * FINE
        ground = Ground((self.size_px[0] * FINE, self.size_px[1] * FINE), paper)
        k = px_per_mm * FINE
        # The sheet's edge is the outer edge of the first pixel, half a pixel before its centre.
        self.pen = Pen(ground, np.array([[k, 0, -0.5], [0, k, -0.5], [0, 0, 1]]))

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
        how = [cv2.IMWRITE_PNG_COMPRESSION, packing]
        if hasattr(cv2, "IMWRITE_PNG_FILTER"):  # even colours are packed best as they are
            how += [cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_NONE]
        if not cv2.imwrite(str(path), self.pixels(), how):
            raise OSError(f"{path}: the picture could not be written")
        self.pen.ground.wipe()

    def outlines(self) -> Iterator[tuple[list[list[Point]], Colour]]:
        """All that was drawn as filled outlines, for paper: rings in mm (where they overlap is a hole), a colour."""
        if self.paper:
            w, h = self.size_mm
            yield [[(0, 0), (w, 0), (w, h), (0, h)]], self.paper
        for thing in self.pen.ground.drawn:
            rings = [thing.points] if isinstance(thing, Filled) else _letter_rings(thing)
            yield [[(float(x), float(y)) for x, y in (r + 0.5) / self._fine_px_per_mm] for r in rings], thing.colour


def _letter_rings(said: Lettered) -> list[Array]:
    """The outlines of lettering, traced where it is written large."""
    large = max(1.0, 160 / said.height_px)
    height, stroke = said.height_px * large, max(1, round(said.stroke_px * large))
    (w, _), below = cv2.getTextSize(said.letters, FONT, height / CAPITAL_PX, stroke)
    room = stroke + below + 2
    middle = (room + w / 2, room + height / 2)
    canvas = np.zeros((round(height) + 2 * room, w + 2 * room, 4), np.uint8)
    _write(canvas, Lettered(said.letters, middle, height, stroke, said.colour), (255,) * 4)
    found, _ = cv2.findContours(canvas[..., 3] // 128, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    smooth = [cv2.approxPolyDP(ring, 0.6, True).reshape(-1, 2) for ring in found]
    return [(ring - np.array(middle)) / large + said.middle for ring in smooth if len(ring) > 2]


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
