"""A flat board out of a photograph: its size measured, its picture upright and white as under even light.

A lens is taken out first, where it is known: then the sides of a board are straight lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.marked_sheets import COLOURS, RULER, TEACHING, MarkedSheet
from calibration.sheet_finding import found_sheet, seen_markers
from companion.observation import Calibration

Array = np.ndarray[Any, Any]

PAPERS_MM = ((210.0, 297.0), (215.9, 279.4))
PAPER_NEAR_MM = 8.0
UNEVEN = 0.015  # by which opposite sides of a board may differ
STRETCHED = 0.05  # by which a board may seem wider or higher by its measured size than it is
MOST_PX_PER_MM = 4.0
WHITE_LEVEL = 243.0  # of paper, in the pictures of a kit
AS_FOUND = 0.1  # by how much more alike a board must be turned another way than it lies in the picture
PAPER_FOOT_MM = 7.0  # a page has its ruler below: the sheet's frame lies so much above its middle


@dataclass(frozen=True, eq=False)
class Straight:
    """A photograph without its lens: (height, width, 3) BGR; and what was seen of our sheets in it."""

    name: str
    pixels: Array
    markers: dict[int, Array]


def straightened(name: str, pixels: Array, lens: Calibration | None) -> Straight:
    if lens is not None:
        scale = pixels.shape[1] / lens.size_px[0]
        cx, cy = (value * scale for value in lens.centre_px)
        matrix = np.array([[lens.focal_px * scale, 0, cx], [0, lens.focal_px * scale, cy], [0, 0, 1.0]])
        pixels = cv2.undistort(pixels, matrix, np.array(lens.distortion))
    return Straight(name, pixels, seen_markers(pixels))


def without_lens(points_px: Array, size_px: tuple[int, int], lens: Calibration | None) -> Array:
    """Points (N, 2) of a photograph as they lie in its straightened picture."""
    if lens is None:
        return points_px
    scale = size_px[0] / lens.size_px[0]
    cx, cy = (value * scale for value in lens.centre_px)
    matrix = np.array([[lens.focal_px * scale, 0, cx], [0, lens.focal_px * scale, cy], [0, 0, 1.0]])
    straight = cv2.undistortPoints(points_px.reshape(-1, 1, 2), matrix, np.array(lens.distortion), P=matrix)
    return np.asarray(straight.reshape(-1, 2))


def with_lens(points_px: Array, size_px: tuple[int, int], lens: Calibration | None) -> Array:
    """Points (N, 2) of a straightened picture as they are seen in the photograph: `without_lens` the other way."""
    if lens is None:
        return points_px
    scale = size_px[0] / lens.size_px[0]
    centre, focal = np.array(lens.centre_px) * scale, lens.focal_px * scale
    rays = np.column_stack([(points_px - centre) / focal, np.ones(len(points_px))])
    matrix = np.array([[focal, 0, centre[0]], [0, focal, centre[1]], [0, 0, 1.0]])
    seen, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), matrix, np.array(lens.distortion))
    return np.asarray(seen.reshape(-1, 2))


def papers_in(photo: Straight) -> list[tuple[MarkedSheet, Array]]:
    """Our sheets in a picture, and the corners (4, 2) px of the paper around each, somewhat larger than it is."""
    found = []
    for sheet in (RULER, TEACHING, COLOURS):
        place = found_sheet(photo.pixels, sheet, photo.markers)
        if place is not None:
            (w, h), (pw, ph) = sheet.size_mm, np.max(PAPERS_MM, axis=0) + PAPER_NEAR_MM
            left, top = (w - pw) / 2, (h - ph) / 2 + PAPER_FOOT_MM
            paper = np.array([[[left, top], [left + pw, top], [left + pw, top + ph], [left, top + ph]]])
            found.append((sheet, cv2.perspectiveTransform(paper, place)[0]))
    return found


def sides_of(corners: Array) -> list[float]:
    return [float(side) for side in np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)]


def measured_mm(photo: Straight, corners: Array) -> tuple[float, float, float] | None:
    """Width, height in mm by the ruler sheet in the picture, and how uneven opposite sides are; None without it."""
    place = found_sheet(photo.pixels, RULER, photo.markers)
    if place is None:
        return None
    top, right, low, left = sides_of(cv2.perspectiveTransform(corners[None], np.linalg.inv(place))[0])
    uneven = max(abs(top - low) / max(top, low), abs(right - left) / max(right, left))
    return (top + low) / 2, (right + left) / 2, uneven


def stretched(corners: Array, size_mm: tuple[float, float], photo: Straight, lens: Calibration) -> float:
    """By how much four corners (4, 2) px of something flat are those of another shape than that of a size: 0 of none.

    Through a known lens a rectangle shows how wide it is by its height, however it lies.
    """
    w, h = size_mm
    onto = cv2.getPerspectiveTransform(
        np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32), corners.astype(np.float32)
    )
    scale = photo.pixels.shape[1] / lens.size_px[0]
    rays = (onto[:2] - np.outer(np.array(lens.centre_px) * scale, onto[2])) / (lens.focal_px * scale)
    across, down = np.linalg.norm(np.vstack([rays, onto[2]])[:, :2], axis=0)
    return float(abs(np.log(across / down)))


@dataclass(frozen=True, eq=False)
class Flat:
    """A board upright: (height, width, 3) uint8 BGR; `bare` (height, width) uint8 is 0 where a sheet of ours lies."""

    pixels: Array
    bare: Array


def flattened(photo: Straight, corners: Array, size_mm: tuple[float, float], px_per_mm: float) -> Flat:
    """The board upright, its edges the picture's edges."""
    width, height = (round(side * px_per_mm) for side in size_mm)
    there = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    homography = cv2.getPerspectiveTransform(corners.astype(np.float32), there)
    pixels = cv2.warpPerspective(
        photo.pixels, homography, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    bare = np.full((height, width), 1, np.uint8)
    for _, paper in papers_in(photo):
        on_board = cv2.perspectiveTransform(paper[None], homography.astype(float))[0]
        cv2.fillPoly(bare, [np.rint(on_board).astype(np.int32)], (0,))
    return Flat(pixels, bare)


def px_per_mm(corners: Array, size_mm: tuple[float, float]) -> float:
    """About as many as the photograph has, a quarter more, so that nothing is lost."""
    area = abs(cv2.contourArea(corners.astype(np.float32)))
    return float(min(MOST_PX_PER_MM, 1.25 * np.sqrt(area / (size_mm[0] * size_mm[1]))))


def turned_like(photo: Straight, corners: Array, reference: Flat, size_mm: tuple[float, float]) -> Array:
    """The corners of a board rolled so that it lies as in a flat picture that is there already."""
    scale = reference.pixels.shape[1] / size_mm[0]
    alike = []
    for turn in range(4):
        trial = flattened(photo, np.roll(corners, turn, axis=0), size_mm, scale)
        both = _shrunk(reference.bare) * _shrunk(trial.bare) > 0.99
        alike.append(float((_toned(trial.pixels) * _toned(reference.pixels))[both].mean()) if both.any() else 0.0)
    alike[0] += AS_FOUND
    return np.roll(corners, int(np.argmax(alike)), axis=0)


def _shrunk(mask: Array) -> Array:
    return cv2.resize(mask.astype(np.float32), (96, 96), interpolation=cv2.INTER_AREA)


def _toned(picture: Array) -> Array:
    grey = cv2.resize(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (96, 96), interpolation=cv2.INTER_AREA)
    levels = grey.astype(np.float32)
    levels -= cv2.GaussianBlur(levels, (0, 0), 12)
    return np.asarray(levels / (levels.std() + 1e-6))


def paper_white(photo: Straight) -> Array | None:
    """The colour (3,) BGR of the paper beside the markers of a sheet of ours; None where none is seen."""
    found = []
    for four in photo.markers.values():
        middle = four.mean(axis=0)
        for corner in four:
            x, y = np.rint(middle + (corner - middle) * 1.18).astype(int)
            if 1 <= x < photo.pixels.shape[1] - 1 and 1 <= y < photo.pixels.shape[0] - 1:
                found.append(photo.pixels[y - 1 : y + 2, x - 1 : x + 2].reshape(-1, 3).mean(axis=0))
    return np.median(found, axis=0) if found else None


def whitened(picture: Array, white: Array | None) -> Array:
    """A picture under the light in which paper is white, in linear light; as it is where that is not known."""
    if white is None:
        return picture
    gain = to_linear(np.full(3, WHITE_LEVEL)) / np.maximum(to_linear(white), 1e-3)
    return from_linear(to_linear(picture) * gain)


def to_linear(levels: Array) -> Array:
    share = np.asarray(levels, np.float32) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def from_linear(light: Array) -> Array:
    share = np.clip(light, 0, 1)
    levels = np.where(share <= 0.0031308, share * 12.92, 1.055 * share ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(levels * 255), np.uint8)
