"""A flat board out of photographs: its corners found, its size measured, its picture upright, even and without glare.

A lens is taken out first, where it is known: then the sides of a board are straight lines.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.marked_sheets import COLOURS, RULER, TEACHING, MarkedSheet
from calibration.sheet_finding import found_sheet, seen_markers
from companion.observation import Calibration
from companion.vision.outline import outlines, unlike_table

Array = np.ndarray[Any, Any]

LOOKED_AT_PX = 640  # width at which outlines are looked for
LEAST_AREA = 0.04  # of the picture
SAMPLES, LEAST_SUPPORT = 60, 0.75  # along a side; and the share of them that must show an edge on a straight line
ON_LINE_PX = 1.5
EDGE_LEVELS, CLEAR_LEVELS = 6.0, 24.0  # by which an edge shows, per px; and by which it is as clear as need be
PAPERS_MM = ((210.0, 297.0), (215.9, 279.4))
PAPER_NEAR_MM = 8.0
MOSTLY = 0.6  # of what lies beyond a side of a board may look unlike the table
UNEVEN = 0.015  # by which opposite sides of a board may differ
MOST_PX_PER_MM = 4.0
WHITE_LEVEL = 243.0  # of paper, in the pictures of a kit
BLOCK_MM = 20.0  # light changes little over so much
GLARE, SMOOTH_MM = (
    0.04,
    1.5,
)  # a place by so much brighter than in another picture shows a lamp; after so much smoothing
CLIPPED = 250
BRIGHT, DARK = 0.06, 0.15  # beyond the slope of light, as its logarithm: glare, and a shadow
AS_FOUND = 0.1  # by how much more alike a board must be turned another way than it lies in the picture
LEAST_LIGHT = 0.02  # of white: darker than this, ratios are noise
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


def found_corners(photo: Straight) -> Array | str:
    """The corners (4, 2) px of the largest flat thing that stands out from the table, clockwise from the top left one.

    Our own sheets of paper are passed over.  `no-board` where nothing has four clear sides, `cut-off` where the largest
    that has reaches beyond the picture: what is printed inside it must not be taken for it.
    """
    height, width = photo.pixels.shape[:2]
    shrink = max(1.0, width / LOOKED_AT_PX)
    size = (round(width / shrink), round(height / shrink))
    small = cv2.resize(photo.pixels, size, interpolation=cv2.INTER_AREA)
    papers = [place for _, place in _papers(photo)]
    unlike, printed = unlike_table(small), False
    for paper in papers:
        cv2.fillConvexPoly(unlike, np.rint((paper + 0.5) / shrink - 0.5).astype(np.int32), (0,))
    best, most = None, 0.0  # area, by how clear the faintest side is
    least = LEAST_AREA * width * height
    for quads, _ in outlines(small):
        for quad in quads:
            rough = (quad + 0.5) * shrink - 0.5
            if abs(cv2.contourArea(rough.astype(np.float32))) < 0.8 * max(least, most):
                continue
            near = refined(photo.pixels, rough, 3 * shrink + 2, LEAST_SUPPORT / 2, papers)
            sides = None if near is None else refined(photo.pixels, near.corners, 4, LEAST_SUPPORT, papers)
            if sides is None or _is_paper(photo, sides.corners):
                continue
            if _is_print(unlike, (sides.corners + 0.5) / shrink - 0.5):
                printed = True
                continue
            area = abs(cv2.contourArea(sides.corners.astype(np.float32)))
            worth = area * min(1.0, sides.levels / CLEAR_LEVELS)
            if area > least and worth > most:
                best, most = sides.corners, worth
    if best is None:
        return "cut-off" if printed else "no-board"
    return from_top_left(best) if _inside(best, width, height) else "cut-off"


def _is_print(unlike: Array, corners: Array) -> bool:
    """Whether beyond one of the sides of four corners (4, 2) it goes on that is not the table.

    `unlike` (h, w) is not 0 where a picture is unlike its rim.  A frame printed on a board has board around it.
    """
    middle = corners.mean(axis=0)
    near, far = (middle + (corners - middle) * grown for grown in (1.02, 1.08))
    for i in range(4):
        strip = np.zeros(unlike.shape, np.uint8)
        outline = np.array([near[i], near[i - 3], far[i - 3], far[i]])
        cv2.fillConvexPoly(strip, np.rint(outline).astype(np.int32), (1,))
        if strip.any() and float((unlike[strip > 0] > 0).mean()) > MOSTLY:
            return True
    return False


def _inside(corners: Array, width: int, height: int) -> bool:
    low, high = corners.min(axis=0), corners.max(axis=0)
    return bool((low > 2).all() and high[0] < width - 3 and high[1] < height - 3)


def from_top_left(corners: Array) -> Array:
    """Corners (4, 2) clockwise, the one nearest to the picture's top left first."""
    middle = corners.mean(axis=0)
    around = corners[np.argsort(np.arctan2(*(corners - middle).T[::-1]))]
    return np.asarray(np.roll(around, -int(around.sum(axis=1).argmin()), axis=0))


@dataclass(frozen=True, eq=False)
class Sides:
    corners: Array  # (4, 2) px
    levels: float  # by how much the faintest of the sides stands out


def refined(
    pixels: Array, corners: Array, reach_px: float, least: float = LEAST_SUPPORT, papers: Sequence[Array] = ()
) -> Sides | None:
    """Corners (4, 2) moved to where the sides' edges are clearest.

    None where less than a share of one side shows an edge along a straight line, what lies under `papers` left out.
    """
    smooth = cv2.GaussianBlur(pixels, (0, 0), 0.8).astype(np.float32)
    lines, clear = [], []
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = end - start
        length = float(np.hypot(*along))
        if length < 20:
            return None
        normal = np.array([along[1], -along[0]]) / length
        share = np.linspace(0.03, 0.97, SAMPLES)
        steps = np.arange(-reach_px, reach_px + 0.5, 0.5)
        places = start + share[:, None, None] * along + steps[None, :, None] * normal
        x, y = places.astype(np.float32).transpose(2, 0, 1)
        seen = cv2.remap(smooth, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        edge = np.abs(seen[:, 2:] - seen[:, :-2]).max(axis=2)
        points = places[np.arange(SAMPLES), edge.argmax(axis=1) + 1]
        free = np.array([not any(_covers(paper, point) for paper in papers) for point in points])
        line = _line(points[free & (edge.max(axis=1) > EDGE_LEVELS)], least * max(int(free.sum()), SAMPLES // 3))
        if line is None:
            return None
        lines.append(line)
        clear.append(float(np.median(edge.max(axis=1)[free])) if free.any() else 0.0)
    meetings = [_meeting(lines[i - 1], lines[i]) for i in range(4)]
    return None if any(meeting is None for meeting in meetings) else Sides(np.array(meetings), min(clear))


def _covers(paper: Array, point: Array) -> bool:
    return cv2.pointPolygonTest(paper.astype(np.float32), (float(point[0]), float(point[1])), False) >= 0


def _line(points: Array, least: float) -> tuple[Array, Array] | None:
    """A point and a direction along which most of the points (N, 2) lie; None where fewer than `least` do."""
    for _ in range(6):
        if len(points) < max(least, 4):
            return None
        fit = cv2.fitLine(points.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01)
        vx, vy, x, y = (float(value) for value in np.ravel(fit))
        off = np.abs((points - [x, y]) @ np.array([-vy, vx]))
        near = off <= max(ON_LINE_PX, 2.5 * float(np.median(off)))
        if near.all():
            break
        points = points[near]
    enough = np.count_nonzero(off <= ON_LINE_PX) >= least
    return (np.array([x, y]), np.array([vx, vy])) if enough else None


def _meeting(one: tuple[Array, Array], other: tuple[Array, Array]) -> Array | None:
    ways = np.stack([one[1], -other[1]], axis=1)
    if abs(np.linalg.det(ways)) < 0.05:
        return None
    step = np.linalg.solve(ways, other[0] - one[0])
    return np.asarray(one[0] + step[0] * one[1])


def _is_paper(photo: Straight, corners: Array) -> bool:
    for sheet, _ in _papers(photo):
        place = found_sheet(photo.pixels, sheet, photo.markers)
        assert place is not None
        sides = sorted(_sides(cv2.perspectiveTransform(corners[None], np.linalg.inv(place))[0]))
        if any(max(abs(sides[0] - w), abs(sides[3] - h)) < PAPER_NEAR_MM for w, h in PAPERS_MM):
            return True
    return False


def _papers(photo: Straight) -> list[tuple[MarkedSheet, Array]]:
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


def _sides(corners: Array) -> list[float]:
    return [float(side) for side in np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)]


def measured_mm(photo: Straight, corners: Array) -> tuple[float, float, float] | None:
    """Width, height in mm by the ruler sheet in the picture, and how uneven opposite sides are; None without it."""
    place = found_sheet(photo.pixels, RULER, photo.markers)
    if place is None:
        return None
    top, right, low, left = _sides(cv2.perspectiveTransform(corners[None], np.linalg.inv(place))[0])
    uneven = max(abs(top - low) / max(top, low), abs(right - left) / max(right, left))
    return (top + low) / 2, (right + left) / 2, uneven


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
    for _, paper in _papers(photo):
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


def combined(flats: Sequence[Flat], px_per_mm: float, best: int = 0) -> Array:
    """One even picture out of several: light that differs is evened out, glare that only some have is left out.

    Its colours are those of the `best` picture.  With one picture there is nothing to compare: it is given as it is.
    """
    if len(flats) == 1:
        return flats[0].pixels
    gains = _gains(flats, px_per_mm, best)
    light = [to_linear(flat.pixels) / gain for flat, gain in zip(flats, gains, strict=True)]
    covered = np.stack([flat.bare == 0 for flat in flats])
    clipped = np.stack([flat.pixels.max(axis=2) >= CLIPPED for flat in flats])
    bright = np.stack([cv2.GaussianBlur(each.mean(axis=2), (0, 0), SMOOTH_MM * px_per_mm) for each in light])
    lowest = np.maximum(np.where(covered, np.inf, bright).min(axis=0), LEAST_LIGHT)
    weight = np.where(covered, 0.0, np.exp(-(((bright / lowest - 1) / GLARE) ** 2)) + 1e-6) * np.where(
        clipped, 1e-3, 1.0
    )
    weight[:, weight.sum(axis=0) == 0] = 1.0  # covered in all of them
    total = sum(each * share[..., None] for each, share in zip(light, weight, strict=True))
    return from_linear(np.asarray(total) / weight.sum(axis=0)[..., None])


def _gains(flats: Sequence[Flat], px_per_mm: float, best: int) -> list[Array]:
    """By how much each picture is brighter than the middle of all, by colour and smooth: (height, width, 3) each."""
    height, width = flats[0].bare.shape
    size = (max(2, round(width / px_per_mm)), max(2, round(height / px_per_mm)))
    small = []
    for flat in flats:
        light = to_linear(cv2.resize(flat.pixels, size, interpolation=cv2.INTER_AREA))
        seen = cv2.resize(flat.bare, size, interpolation=cv2.INTER_NEAREST) > 0
        small.append(np.where(seen[..., None], np.maximum(light, LEAST_LIGHT), np.nan))
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # a place that all cover
        whole = [np.nanmedian(each / small[best], axis=(0, 1)) for each in small]
        middle = np.nanmedian(np.stack([each / share for each, share in zip(small, whole, strict=True)]), axis=0)
        blocks = [np.dstack([_blocks(each[..., c] / middle[..., c]) for c in range(3)]) for each in small]
    return [np.maximum(cv2.resize(each, (width, height), interpolation=cv2.INTER_LINEAR), 0.1) for each in blocks]


def _blocks(ratio: Array) -> Array:
    """How light differs, by blocks of BLOCK_MM, float32: a smooth slope over the whole board.

    Glare is no such slope but a bright place on it: it adds to what is printed, dividing by it would take off print.
    """
    rows, columns = (max(1, round(side / BLOCK_MM)) for side in ratio.shape)
    bands = np.array_split(ratio, rows, axis=0)
    coarse = np.array([[np.nanmedian(part) for part in np.array_split(band, columns, axis=1)] for band in bands])
    y, x = (np.mgrid[:rows, :columns] + 0.5) / np.array([[[rows]], [[columns]]]) - 0.5
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=2).reshape(-1, 6)
    values = np.log(np.maximum(coarse, 0.05)).ravel()
    kept = ~np.isnan(values)
    fit = np.array([np.nanmedian(values), 0, 0, 0, 0, 0])
    for _ in range(8):
        off = values - terms @ fit
        near = kept & (off < BRIGHT) & (off > -DARK)
        if np.count_nonzero(near) < 12:
            break
        fit = np.linalg.lstsq(terms[near], values[near], rcond=None)[0]
    return np.asarray(np.exp(terms @ fit).reshape(rows, columns), np.float32)
