"""The outline of a piece that lies on white paper: where it ends, what of it is its top, how it is turned."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]

PX_PER_MM = 5.0
LEAST_MM = 6.0  # across; less is a crumb or a shadow
DARKER, COLOURED = 0.72, 0.1  # by paper: so dark a grey, or so strong a colour, is no shadow on it
EDGE_PX = 4.0  # how far from where paper ends a piece's edge is looked for


def outlined(light: Array) -> Array | None:
    """The hull (N, 2) px of what lies in the middle of a cell; None where nothing does."""
    soft = cv2.GaussianBlur(light, (0, 0), 1.0)
    colour = (soft.max(axis=2) - soft.min(axis=2)) / np.maximum(soft.max(axis=2), 0.05)
    there = ((soft.max(axis=2) < DARKER**2.2) | (colour > COLOURED)).astype(np.uint8)
    edge = round(1.5 * PX_PER_MM)
    there[:edge] = there[-edge:] = 0
    there[:, :edge] = there[:, -edge:] = 0
    # A thin dark rim around pale print is closed and filled before what is thin beside a piece is taken off.
    there = cv2.morphologyEx(there, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    contours, _ = cv2.findContours(there, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    there = cv2.drawContours(np.zeros_like(there), contours, -1, (1,), cv2.FILLED)
    there = np.asarray(cv2.morphologyEx(there, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)))
    contours, _ = cv2.findContours(there, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)
    if cv2.contourArea(largest) < (LEAST_MM * PX_PER_MM) ** 2 / 2:
        return None
    return _to_the_edge(soft, np.asarray(cv2.convexHull(largest).reshape(-1, 2), float))


def _to_the_edge(light: Array, hull: Array) -> Array:
    """A hull (N, 2) drawn in or out, evenly, to where what is like paper begins most steeply.

    A dark rim on white has two edges as steep as each other: paper lies outside of one of them only.
    """
    middle = (hull.min(axis=0) + hull.max(axis=0)) / 2
    ends = np.roll(hull, -1, axis=0)
    share = np.linspace(0, 1, 12, endpoint=False)[1:]
    long = np.linalg.norm(ends - hull, axis=1) > EDGE_PX
    starts, along = hull[long], (ends - hull)[long]
    if len(starts) == 0:
        starts, along = hull, ends - hull
    points = (starts[:, None] + share[None, :, None] * along[:, None]).reshape(-1, 2)
    way = np.repeat(along / np.maximum(np.linalg.norm(along, axis=1), 1e-6)[:, None], len(share), axis=0)
    out = np.stack([way[:, 1], -way[:, 0]], axis=1)
    out *= np.sign(((points - middle) * out).sum(axis=1))[:, None]
    steps = np.arange(-EDGE_PX, EDGE_PX + 0.25, 0.25)
    x, y = (points[:, None] + steps[None, :, None] * out[:, None]).astype(np.float32).transpose(2, 0, 1)
    unlike = np.abs(light - 1).sum(axis=2)
    seen = cv2.remap(unlike, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    steep = seen[:, :-4] - seen[:, 4:]
    off = float(np.median(steps[2:-2][steep.argmax(axis=1)]))
    return np.asarray(middle + (hull - middle) * (1 + off / (np.ptp(hull, axis=0) / 2)))


def without_sides(hull: Array, foot: Array | None, lift: float) -> Array:
    """The outline (N, 2) of a piece's top out of that of all that is seen of it."""
    if foot is None:
        return hull
    low, high = hull.min(axis=0), hull.max(axis=0)
    top_low = np.where(foot < low, foot + (low - foot) * lift, low)
    top_high = np.where(foot > high, foot + (high - foot) * lift, high)
    return np.asarray(top_low + (hull - low) * (top_high - top_low) / (high - low))


def across(hull: Array) -> tuple[float, float]:
    """How wide and how high an upright square outline (N, 2) is by the middles of its sides.

    From its farthest points one that lies half a degree askew would be a hundredth too large.
    """
    low, high = hull.min(axis=0), hull.max(axis=0)
    fine = np.linspace(0, 1, 40, endpoint=False)[None, :, None]
    points = (hull[:, None] + fine * (np.roll(hull, -1, axis=0) - hull)[:, None]).reshape(-1, 2)
    share = (points - low) / (high - low)
    sides = []
    for axis in (0, 1):
        amid = np.abs(share[:, 1 - axis] - 0.5) < 0.3
        first, last = (points[amid & beyond, axis] for beyond in (share[:, axis] < 0.2, share[:, axis] > 0.8))
        sides.append(
            float(np.median(last) - np.median(first)) if len(first) and len(last) else float(high[axis] - low[axis])
        )
    return sides[0], sides[1]


def hex_turn(hull: Array) -> float:
    """By how many degrees the outline (N, 2) of a hexagon is turned; with a corner or a side on top it lies straight.

    Its three widths together are least where they are measured from side to side.
    """
    angles = np.arange(-15, 45, 0.25)
    ways = np.radians(angles[:, None] + [0, 60, 120])
    along = hull @ np.stack([np.cos(ways), np.sin(ways)]).reshape(2, -1)
    widths = np.ptp(along, axis=0).reshape(ways.shape).sum(axis=1)
    return float((angles[widths.argmin()] + 15) % 30 - 15)
