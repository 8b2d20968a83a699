"""Where a board ends in a photograph: the corners of the largest flat thing that stands out from the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.flatten import PAPER_NEAR_MM, PAPERS_MM, Straight, papers_in, sides_of
from calibration.sheet_finding import found_sheet
from companion.vision.outline import outlines, unlike_table

Array = np.ndarray[Any, Any]

LOOKED_AT_PX = 640  # width at which outlines are looked for
LEAST_AREA = 0.04  # of the picture
SAMPLES, LEAST_SUPPORT = 60, 0.75  # along a side; and the share of them that must show an edge on a straight line
ON_LINE_PX = 1.5
EDGE_LEVELS, CLEAR_LEVELS = 6.0, 24.0  # by which an edge shows, per px; and by which it is as clear as need be
MOSTLY = 0.6  # of what lies beyond a side of a board may look unlike the table
BEYOND = ((1.015, 1.04), (1.02, 1.08))  # by the board's size: from where to where that is looked at


def found_corners(photo: Straight) -> Array | str:
    """The corners (4, 2) px of the largest flat thing that stands out from the table, clockwise from the top left one.

    Our own sheets of paper are passed over.  `no-board` where nothing has four clear sides, `cut-off` where the largest
    that has reaches beyond the picture: what is printed inside it must not be taken for it.
    """
    height, width = photo.pixels.shape[:2]
    shrink = max(1.0, width / LOOKED_AT_PX)
    size = (round(width / shrink), round(height / shrink))
    small = cv2.resize(photo.pixels, size, interpolation=cv2.INTER_AREA)
    papers = [place for _, place in papers_in(photo)]
    unlike, printed = unlike_table(small), False
    for paper in papers:
        cv2.fillConvexPoly(unlike, np.rint((paper + 0.5) / shrink - 0.5).astype(np.int32), (0,))
    best, most = None, 0.0  # area, by how clear the faintest side is
    least = LEAST_AREA * width * height
    framed: list[Array] = []
    for quads, _ in outlines(small):
        for quad in quads:
            rough = (quad + 0.5) * shrink - 0.5
            if _area(rough) < 0.8 * max(least, most):
                continue
            sides = _sides(photo.pixels, rough, shrink, papers)
            if sides is None or _is_paper(photo, sides.corners):
                continue
            if _is_print(unlike, (sides.corners + 0.5) / shrink - 0.5):
                printed = True
                continue
            framed.append(sides.corners)
            area = _area(sides.corners)
            worth = area * min(1.0, sides.levels / CLEAR_LEVELS)
            if area > least and worth > most:
                best, most = sides.corners, worth
    if best is None:
        return "cut-off" if printed else "no-board"
    best = _outermost(best, framed, unlike, shrink)
    return from_top_left(best) if _inside(best, width, height) else "cut-off"


def _sides(pixels: Array, rough: Array, shrink: float, papers: Sequence[Array]) -> Sides | None:
    """The sides near four corners (4, 2) px that were seen in a smaller picture; None where there are none.

    Near by first: a clear line printed along a faint edge, or in the wood of a table, would draw them away.
    """
    for reach_px in (shrink + 1, 3 * shrink + 2):
        near = refined(pixels, rough, reach_px, LEAST_SUPPORT / 2, papers)
        sides = None if near is None else refined(pixels, near.corners, 4, LEAST_SUPPORT, papers)
        if sides is not None:
            return sides
    return None


def _outermost(best: Array, framed: Sequence[Array], unlike: Array, shrink: float) -> Array:
    """The largest frame (4, 2) px around another between which and that lies board, not table.

    A bright line along a board's faint edge is clearer than the edge itself.
    """
    for outer in sorted(framed, key=_area):
        if _around(outer, best, 2 * shrink) and _share_between(outer, best, unlike, shrink) > MOSTLY:
            best = outer
    return best


def _area(corners: Array) -> float:
    return abs(cv2.contourArea(corners.astype(np.float32)))


def _around(outer: Array, inner: Array, by_px: float) -> bool:
    """Whether each corner of the one lies inside the other, at least so far from its edge."""
    edge = outer.astype(np.float32)
    return min(cv2.pointPolygonTest(edge, (float(x), float(y)), True) for x, y in inner) >= by_px


def _share_between(outer: Array, inner: Array, unlike: Array, shrink: float) -> float:
    """How much of what lies between two frames is unlike the table."""
    between = np.zeros(unlike.shape, np.uint8)
    for corners, value in ((outer, 1), (inner, 0)):
        cv2.fillConvexPoly(between, np.rint((corners + 0.5) / shrink - 0.5).astype(np.int32), (value,))
    return float((unlike[between > 0] > 0).mean()) if between.any() else 0.5


def _is_print(unlike: Array, corners: Array) -> bool:
    """Whether beyond one of the sides of four corners (4, 2) it goes on that is not the table.

    `unlike` (h, w) is not 0 where a picture is unlike its rim.  A frame printed on a board has board around it.
    """
    middle = corners.mean(axis=0)
    for inner, outer in BEYOND:
        near, far = (middle + (corners - middle) * grown for grown in (inner, outer))
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
    for sheet, _ in papers_in(photo):
        place = found_sheet(photo.pixels, sheet, photo.markers)
        assert place is not None
        sides = sorted(sides_of(cv2.perspectiveTransform(corners[None], np.linalg.inv(place))[0]))
        if any(max(abs(sides[0] - w), abs(sides[3] - h)) < PAPER_NEAR_MM for w, h in PAPERS_MM):
            return True
    return False
