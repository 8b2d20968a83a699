"""A picture in the making: flat pictures, prisms, their shadows, painted from far to near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.simulate.optics import Camera
from companion.simulate.room import Light
from companion.simulate.surfaces import to_linear

Array = np.ndarray[Any, Any]

FINE = 4  # edges are drawn so many times larger and shrunk
TABLE = 0  # who is seen in a pixel where nothing lies


@dataclass(frozen=True, eq=False)
class Picture:
    """A flat picture with its size; `outline_mm` (N, 2) is what is not transparent, from the picture's middle."""

    pixels: Array  # (height, width, 3) uint8 BGR; transparent parts continue the colours beside them
    alpha: Array  # (height, width) uint8
    size_mm: tuple[float, float]
    outline_mm: Array
    rim: Array  # (3,) float32 linear: the colour of its sides
    levels: dict[int, Array]  # smaller versions, made when they are wanted


def picture_of(pixels: Array, size_mm: tuple[float, float], shape: str = "square") -> Picture:
    """A picture of (height, width, 3 or 4) uint8; without transparency a disc is cut out as an ellipse."""
    if pixels.ndim == 2:
        pixels = cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR)
    height, width = pixels.shape[:2]
    alpha = pixels[..., 3].copy() if pixels.shape[2] == 4 else np.full((height, width), 255, np.uint8)
    if shape == "disc" and alpha.min() == 255:
        alpha[:] = 0
        cv2.ellipse(alpha, ((width - 1) / 2, (height - 1) / 2), (width - 1, height - 1), 0, 255, -1, cv2.LINE_AA)
    colours = _bled(pixels[..., :3], alpha)
    points = _outline_px(alpha)
    outline = (points + 0.5) / [width, height] * size_mm - np.array(size_mm) / 2
    inner = cv2.erode(alpha, np.ones((3, 3), np.uint8), iterations=max(1, width // 40))
    ring = (alpha > 200) & (inner < 200) if inner.min() < 200 else _frame(height, width)
    rim = to_linear(colours)[ring].mean(axis=0) if ring.any() else np.full(3, 0.3, np.float32)
    return Picture(colours, alpha, size_mm, outline, rim, {})


def _frame(height: int, width: int) -> Array:
    ring = np.ones((height, width), bool)
    edge = max(1, min(height, width) // 30)
    ring[edge:-edge, edge:-edge] = False
    return ring


def _bled(colours: Array, alpha: Array) -> Array:
    """Colours continued into what is transparent, so that edges do not darken when they are smoothed."""
    if alpha.min() > 250:
        return np.ascontiguousarray(colours)
    size = max(3, min(alpha.shape) // 12)
    weight = (alpha > 250).astype(np.float32)
    spread = cv2.blur(colours * weight[..., None], (size, size))
    share = cv2.blur(weight, (size, size))[..., None]
    mean = colours[weight > 0].mean(axis=0) if weight.any() else np.zeros(3)
    near = np.where(share > 1e-3, spread / np.maximum(share, 1e-3), mean)
    return np.where(alpha[..., None] > 250, colours, near).astype(np.uint8)


def _outline_px(alpha: Array) -> Array:
    """The hull of what is opaque: (N, 2) px, at most a few dozen points."""
    height, width = alpha.shape
    if alpha.min() > 127:
        return np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]])
    contours, _ = cv2.findContours((alpha > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(np.vstack(contours))
    fitted = cv2.approxPolyDP(hull, 0.004 * (height + width), True).reshape(-1, 2).astype(float)
    middle = fitted.mean(axis=0)
    away = fitted - middle  # contours run through pixels' centres: half a pixel is missing all around
    return np.asarray(middle + away * (1 + 0.5 / np.maximum(np.hypot(*away.T)[:, None], 1)))


@lru_cache(maxsize=300)
def picture_file(path: Path, size_mm: tuple[float, float], shape: str) -> Picture:
    pixels = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if pixels is None:
        raise ValueError(f"{path}: no picture that can be read")
    return picture_of(pixels, size_mm, shape)


def shrunk(picture: Picture, px_per_mm: float) -> Array:
    """The picture at about this scale, never much coarser: (h, w, 4) uint8 BGRA with a clear edge one pixel wide."""
    width, height = picture.alpha.shape[1], picture.alpha.shape[0]
    wanted = min(1.0, 1.1 * px_per_mm * picture.size_mm[0] / width)
    level = int(np.floor(-np.log(max(wanted, 0.01)) / np.log(1.2)))
    if level not in picture.levels:
        size = (max(2, round(width / 1.2**level)), max(2, round(height / 1.2**level)))
        colours = cv2.resize(picture.pixels, size, interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(picture.alpha, size, interpolation=cv2.INTER_AREA)
        edged = cv2.copyMakeBorder(colours, 1, 1, 1, 1, cv2.BORDER_REPLICATE)
        picture.levels[level] = np.dstack([edged, np.pad(alpha, 1)])
    return picture.levels[level]


@dataclass(frozen=True, eq=False)
class Canvas:
    """What is painted so far: reflected light (height, width, 3) float32, and who is seen (height, width) int16."""

    linear: Array
    owner: Array
    camera: Camera
    light: Light
    touched: list[tuple[slice, slice]] = field(default_factory=list)  # the windows painted so far

    def window(self, points_px: Array, margin: float = 1.5) -> tuple[slice, slice] | None:
        """The rows and columns around points; None where nothing of it is in the picture."""
        height, width = self.owner.shape
        left, top = np.floor(points_px.min(axis=0) - margin).astype(int)
        right, bottom = np.ceil(points_px.max(axis=0) + margin).astype(int) + 1
        left, top, right, bottom = max(0, left), max(0, top), min(width, right), min(height, bottom)
        return (slice(top, bottom), slice(left, right)) if left < right and top < bottom else None

    def blend(self, window: tuple[slice, slice], colour: Array, alpha: Array, owner: int) -> None:
        """Lay a colour (3,) or (h, w, 3) over a window by alpha (h, w) uint8."""
        self.touched.append(window)
        part = self.linear[window]
        over = colour - part
        over *= cv2.cvtColor(alpha, cv2.COLOR_GRAY2BGR) * np.float32(1 / 255)
        part += over
        np.putmask(self.owner[window], alpha > 127, owner)

    def darken(self, window: tuple[slice, slice], mask: Array, strength: float) -> None:
        """Take light away where the mask (h, w) uint8 is."""
        self.touched.append(window)
        self.linear[window] *= cv2.cvtColor(255 - mask * np.float32(strength), cv2.COLOR_GRAY2BGR) * np.float32(1 / 255)


def polygon_mask(points_px: Array, window: tuple[slice, slice]) -> Array:
    """How much of each pixel of a window a convex polygon covers: uint8."""
    return shrunk_polygons([(points_px, 255)], window)


def _rough_mask(points_px: Array, window: tuple[slice, slice]) -> Array:
    """As polygon_mask, quicker; its edge may be half a pixel wide of the mark."""
    rows, columns = window
    mask = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
    at = np.rint((points_px - [columns.start, rows.start]) * 16).astype(np.int32)
    return np.asarray(cv2.fillConvexPoly(mask, at, 255, cv2.LINE_AA, 4))


def shrunk_polygons(polygons: Sequence[tuple[Array, int]], window: tuple[slice, slice]) -> Array:
    """Convex polygons with their values, one over the other, drawn large and shrunk to a window: uint8."""
    rows, columns = window
    size = (columns.stop - columns.start, rows.stop - rows.start)
    large = np.zeros((size[1] * FINE, size[0] * FINE), np.uint8)
    for points_px, value in polygons:
        at = (points_px - [columns.start, rows.start] + 0.5) * (16 * FINE) - 8
        cv2.fillConvexPoly(large, np.rint(at).astype(np.int32), value, cv2.LINE_8, 4)
    return np.asarray(cv2.resize(large, size, interpolation=cv2.INTER_AREA))


def hull_of(points: Array) -> Array:
    return np.asarray(cv2.convexHull(points.astype(np.float32))).reshape(-1, 2)


def placed(points_mm: Array, at_mm: tuple[float, float], turn_deg: float) -> Array:
    """Points (N, 2) turned clockwise as seen from above, then moved."""
    angle = np.radians(turn_deg)
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points_mm @ np.array([[c, s], [-s, c]]) + np.array(at_mm))


@dataclass(frozen=True, eq=False)
class Finish:
    """How the face of one piece differs from its picture: its ink, how it lies to the light, how it shines."""

    gain: Array  # (3,) of its colours
    slope: Array  # (2,) of brightness, from its middle to its right and lower edge
    shine: tuple[float, float, float, float]  # where (−1…1 across and down), how wide, and how bright in linear light


PLAIN = Finish(np.ones(3, np.float32), np.zeros(2, np.float32), (0.0, 0.0, 1.0, 0.0))


def shaded(gain: float) -> Finish:
    """Of a face that is turned away from the light."""
    return Finish(np.full(3, gain, np.float32), PLAIN.slope, PLAIN.shine)


def random_finish(random: np.random.Generator) -> Finish:
    """As pieces of one box differ: worn, printed in other runs, bent a little, some glossy."""
    gain = random.normal(1, 0.06) * random.normal(1, 0.025, 3)
    bright = float(random.uniform(0.01, 0.12)) if random.random() < 0.3 else 0.0
    x, y = (float(value) for value in random.uniform(-1, 1, 2))
    shine = (x, y, float(random.uniform(0.3, 0.9)), bright)
    return Finish(np.clip(gain, 0.7, 1.3).astype(np.float32), random.normal(0, 0.06, 2).astype(np.float32), shine)


def _finished(colours: Array, finish: Finish) -> Array:
    """Linear colours (h, w, 3) of a face with its finish."""
    if finish is PLAIN:
        return colours
    height, width = colours.shape[:2]
    x, y = np.linspace(-1, 1, width, dtype=np.float32), np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    at_x, at_y, wide, bright = finish.shine
    lit = colours * finish.gain * (1 + x * finish.slope[0] + y * finish.slope[1])[..., None]
    if bright:
        lit = lit + bright * np.exp(-((x - at_x) ** 2 + (y - at_y) ** 2) / (2 * wide * wide))[..., None]
    return np.asarray(lit, np.float32)


def paint_picture(
    canvas: Canvas,
    picture: Picture,
    at_mm: tuple[float, float],
    turn_deg: float,
    height_mm: float,
    owner: int,
    finish: Finish = PLAIN,
    flip: bool = False,
) -> None:
    """A flat picture lying at a height, its middle at a point."""
    half_x, half_y = picture.size_mm[0] / 2, picture.size_mm[1] / 2
    box = np.array([[-half_x, -half_y], [half_x, -half_y], [half_x, half_y], [-half_x, half_y]])
    corners = canvas.camera.project(placed(box * ([-1, 1] if flip else [1, 1]), at_mm, turn_deg), height_mm)
    paint_on_quad(canvas, picture, corners, owner, finish)


def paint_on_quad(canvas: Canvas, picture: Picture, corners_px: Array, owner: int, finish: Finish = PLAIN) -> None:
    """A picture onto four corners (4, 2) in the photograph, from its top left corner on."""
    window = canvas.window(corners_px)
    if window is None:
        return
    area = 0.5 * abs(float(np.dot(corners_px[:, 0], np.roll(corners_px[:, 1], -1) - np.roll(corners_px[:, 1], 1))))
    scale = np.sqrt(area / (picture.size_mm[0] * picture.size_mm[1]))
    texture = shrunk(picture, float(scale))
    h, w = texture.shape[:2]
    source = np.array([[0.5, 0.5], [w - 1.5, 0.5], [w - 1.5, h - 1.5], [0.5, h - 1.5]], np.float32)
    rows, columns = window
    target = (corners_px - [columns.start, rows.start]).astype(np.float32)
    warp = cv2.getPerspectiveTransform(source, target)
    size = (columns.stop - columns.start, rows.stop - rows.start)
    seen = cv2.warpPerspective(texture, warp, size, flags=cv2.INTER_LINEAR)
    canvas.blend(window, _finished(to_linear(seen)[..., :3], finish), seen[..., 3], owner)


def cast_shadow(canvas: Canvas, outline_mm: Array, base_mm: float, height_mm: float, most: float = 1.0) -> None:
    """The soft shadow of a prism (its foot (N, 2) on the table) on the plane that it stands on."""
    light, camera = canvas.light, canvas.camera
    # What lies close darkens the crack around it, wherever the light comes from.
    shift = np.array(light.shadow) * height_mm
    swept = hull_of(np.vstack([outline_mm, outline_mm + shift]))
    seen = camera.project(swept, base_mm)
    scale = camera.focal_px / float(camera.place_mm[2])  # near enough for something blurred
    sigma = max(0.7, light.softness * height_mm * scale * 0.35)
    sigma = min(sigma, 60.0)
    window = canvas.window(seen, 2.5 * sigma + 1)
    if window is None:
        return
    mask = soft_mask(_rough_mask(seen, window), sigma)
    canvas.darken(window, mask, min(0.9, light.shadow_strength * most))


def soft_mask(mask: Array, sigma_px: float) -> Array:
    """A mask blurred; wide blurs on a smaller picture."""
    if sigma_px < 4:
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma_px))
    less = int(sigma_px // 2)
    h, w = mask.shape
    small = cv2.resize(mask, (max(1, w // less), max(1, h // less)), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(cv2.GaussianBlur(small, (0, 0), sigma_px / less), (w, h)))


def paint_prism(canvas: Canvas, outline_mm: Array, base_mm: float, height_mm: float, side: Array, owner: int) -> None:
    """The sides of an upright prism over a convex foot (N, 2); its top is left to be painted over."""
    n = len(outline_mm)
    both = np.vstack([outline_mm, outline_mm])
    seen = canvas.camera.project(both, np.repeat([base_mm, base_mm + height_mm], n))
    foot, top = seen[:n], seen[n:]
    whole = hull_of(seen)
    window = canvas.window(whole)
    if window is None:
        return
    if np.abs(top - foot).max() < 1.5:  # a sliver: one tone will do
        canvas.blend(window, side * np.float32(0.6), _rough_mask(whole, window), owner)
        return
    mask = polygon_mask(whole, window)
    tones = [(whole, _TONE)]
    for i, lit in _lit_facets(canvas, outline_mm):
        j = (i + 1) % n
        tones.append((np.array([foot[i], foot[j], top[j], top[i]]), round(_TONE / 0.6 * lit)))
    tone = shrunk_polygons(tones, window) * np.float32(0.6 / _TONE)
    tone /= np.maximum(mask * np.float32(1 / 255), np.float32(0.05))  # at the edge the tone is the facet's, not less
    canvas.blend(window, np.minimum(tone, 1)[..., None] * side, mask, owner)


_TONE = 140  # the grey that stands for a side of medium light


def outward(outline_mm: Array) -> Array:
    """Which way each side of a convex outline (N, 2) faces, the first from its first point on: (N, 2), of length 1."""
    following = np.roll(outline_mm, -1, axis=0)
    along = following - outline_mm
    orientation = np.sign(float(np.sum(outline_mm[:, 0] * following[:, 1] - following[:, 0] * outline_mm[:, 1])))
    normal = np.stack([along[:, 1], -along[:, 0]], axis=1) * orientation
    return np.asarray(normal / np.maximum(np.hypot(*normal.T)[:, None], 1e-9))


def _lit_facets(canvas: Canvas, outline_mm: Array) -> list[tuple[int, float]]:
    """The facets that the camera sees: from which point of the outline each runs, and its light."""
    normal = outward(outline_mm)
    towards = canvas.camera.place_mm[:2] - outline_mm
    sun = -np.array(canvas.light.shadow)
    lit = 0.62 + 0.3 * normal @ (sun / max(1.0, float(np.hypot(*sun))))
    return [(int(i), float(lit[i])) for i in np.flatnonzero((normal * towards).sum(axis=1) > 0)]
