"""Pips and the faces that they make: dots of a known size, and how well a patch of picture is one of the six faces.

A face is measured in its own units: its centre is (0, 0) and its edges lie at −½ and ½ on both axes.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]

SAMPLES = 13  # on a side of a patch
FLAT = 1.6  # how far from the centre a patch reaches, in spacings: so far a face is flat
SPACING = 0.26  # of the outer pips from the middle lines, where the pips do not tell it: makers differ
RADII = (0.3, 0.38, 0.46)  # of a pip, in spacings
RIM = (0.5, 0.56, 0.62)  # where past the edge surroundings are looked at
ALONG = tuple(k * 0.09 for k in range(-3, 4))  # and where along it
TURNS = 10  # tried over a quarter turn, where the pips do not tell it
MOST_PIPS = 3500
QUIETEST = 9  # grey levels by which a dot must stand out of the blurred picture

# Layouts: which of the nine places carry a pip.  2 and 3 lie on a diagonal; a six has its full rows along x or along
# y, and on many dice they lie closer together than its corners do: so many spacings from the middle.
PLACES = {name: (x, y) for name, x, y in zip("abcdefghi", [-1, 0, 1] * 3, [-1] * 3 + [0] * 3 + [1] * 3, strict=True)}
LAYOUTS: tuple[tuple[int, str, float], ...] = (
    (1, "e", 1.0),
    (2, "ai", 1.0),
    (3, "aei", 1.0),
    (4, "acgi", 1.0),
    (5, "acegi", 1.0),
    *((6, rows, apart) for rows in ("abcghi", "adgcfi") for apart in (1.0, 0.78, 0.62)),
    (2, "cg", 1.0),
    (3, "ceg", 1.0),
)
VALUES = np.array([value for value, _, _ in LAYOUTS])
NARROW = 0.7  # about how far apart such close rows are
_CORNERS = np.array([[-0.5, 0.5, 0.5, -0.5], [-0.5, -0.5, 0.5, 0.5]])
_PLACE = np.eye(7)[:, :3]
_ALIKE = np.column_stack(
    [_PLACE, [0, 0, 0, 1, 0, 0, 1], [0, 0, 0, 0, -1, 1, 0]]
)  # and growth and turn, as rows of a nudge


@dataclass(frozen=True, eq=False)
class Pips:
    """Dots of a picture: `at` (N, 2) float32 px, `strength` (N,) float32 grey levels, positive where lighter."""

    at: Array
    strength: Array


@dataclass(frozen=True, eq=False)
class Faces:
    """How N patches look as faces.

    `value` (N,) the best value; `fit` (N,) the share of the patch's variance that its pips explain; `rival` (N,) the
    same for the best other value; `contrast` (N,) grey levels between pip and face, positive for light pips; `rest`
    (N,) grey levels of what the pips do not explain; `colour` (N, 3) of the face, BGR; `inside` (N,) whether the
    whole face lies in the picture; `off` (N, 6) by how much the pips are off: x and y in
    spacings, then what the axes grow by, as xx, xy, yx, yy.
    """

    value: Array
    fit: Array
    rival: Array
    contrast: Array
    rest: Array
    colour: Array
    inside: Array
    off: Array

    def of(self, chosen: Array) -> Faces:
        return Faces(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def smoothed(grey: Array, radius_px: float) -> Array:
    """A grey picture (H, W) uint8 without what is finer than a pip of this radius."""
    size = 2 * round(radius_px) + 1
    return cv2.GaussianBlur(grey, (size, size), radius_px * 0.5)


def find_pips(spot: Array, radius_px: float) -> Pips:
    """Light and dark dots of about this radius in a smoothed grey picture (H, W) uint8."""
    size = 2 * round(radius_px * 1.75) + 1
    response = cv2.addWeighted(spot, 1, cv2.blur(spot, (size, size)), -1, 128)  # bytes: much faster than floats
    reach = 2 * max(1, round(radius_px * 0.8)) + 1
    square = cv2.getStructuringElement(cv2.MORPH_RECT, (reach, reach))
    light: Array = cv2.compare(response, cv2.dilate(response, square), cv2.CMP_GE)
    dark = cv2.compare(response, cv2.erode(response, square), cv2.CMP_LE)
    either = cv2.bitwise_or(light, dark)
    either[[0, -1]] = 0
    either[:, [0, -1]] = 0
    strong = cv2.absdiff(response, np.full_like(response, 128))
    y, x = np.divmod(_set_bytes(_strongest(strong, either).reshape(-1)), spot.shape[1])
    strength = response[y, x].astype(np.float32) - 128
    at = np.stack([_peak(response, y, x, 0, 1) + x, _peak(response, y, x, 1, 0) + y], axis=1)
    return Pips(at.astype(np.float32), strength)


def _set_bytes(mask: Array) -> Array:
    """Indices of the bytes of a mask (N,) uint8 that are set, eight at a time: few are."""
    whole = len(mask) // 8 * 8
    words = np.flatnonzero(mask[:whole].view(np.uint64))
    word, byte = np.nonzero(mask[:whole].reshape(-1, 8)[words])
    return np.concatenate([words[word] * 8 + byte, np.flatnonzero(mask[whole:]) + whole])


def _strongest(strong: Array, chosen: Array) -> Array:
    """The mask of no more than the MOST_PIPS strongest of the chosen: counting some times is faster than sorting."""

    def of(least: int) -> Array:
        _, mask = cv2.threshold(strong, least - 1, 255, cv2.THRESH_BINARY)
        return cv2.bitwise_and(chosen, mask)

    levels = range(QUIETEST, 129)
    return of(levels[min(bisect_left(levels, 1, key=lambda n: cv2.countNonZero(of(n)) <= MOST_PIPS), len(levels) - 1)])


def _peak(response: Array, y: Array, x: Array, dy: int, dx: int) -> Array:
    """Where between the pixels the peaks lie along one axis: (N,) within ±½ px."""
    before, at, after = (response[y + k * dy, x + k * dx].astype(np.float32) for k in (-1, 0, 1))
    bend = before - 2 * at + after
    peak: Array = np.clip(0.5 * (before - after) / np.where(bend == 0, 1, bend), -0.5, 0.5)
    return peak


def ring(picture: Array, at: Array, axes: Array, radius: float) -> Array:
    """Samples (N, 12) on rings around points (N, 2) px; `axes` (N, 2, 2) px are a face's, `radius` in faces."""
    angles = np.arange(12) * (np.pi / 6)
    circle = np.stack([np.cos(angles), np.sin(angles)]) * radius
    places = at[:, :, None] + (axes @ circle).astype(np.float32)
    height, width = picture.shape[:2]
    x = np.clip(places[:, 0] + 0.5, 0, width - 1).astype(np.intp)
    y = np.clip(places[:, 1] + 0.5, 0, height - 1).astype(np.intp)
    return picture[y, x].astype(np.int16)


@cache
def _grid() -> Array:
    """The places of a patch's samples, in spacings: (2, SAMPLES²) float32."""
    line = np.linspace(-FLAT, FLAT, SAMPLES, dtype=np.float32)
    return np.stack(np.meshgrid(line, line)).reshape(2, -1)


@cache
def _smooth() -> Array:
    """What light does to a plain face: an orthonormal base (SAMPLES², 6) of planes and bowls."""
    x, y = _grid()
    return np.linalg.qr(np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1))[0].astype(np.float32)


def _template(layout: tuple[str, float], radius: float, points: Array) -> Array:
    """A face's pips, 1, on nothing, 0, at points (2, M) in spacings: (M,)."""
    names, apart = layout
    dots = np.array([PLACES[name] for name in names]) * ((1, apart) if names == "abcghi" else (apart, 1))
    away = np.linalg.norm(points.T[:, None] - dots[None], axis=2).min(axis=1)
    shape: Array = 1 / (1 + np.exp((away - radius) / 0.08))
    uneven: Array = shape - (shape @ _smooth()) @ _smooth().T
    return uneven


@cache
def _bank() -> Array:
    """Templates (radii × layouts, SAMPLES²), without what light does, of length 1."""
    flat = np.array(
        [_template((names, apart), radius, _grid()) for radius in RADII for _, names, apart in LAYOUTS], np.float32
    )
    bank: Array = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    return bank


@cache
def _nudges() -> Array:
    """For each template, what tells from a patch its height and how far it lies off: (radii × layouts, 7, SAMPLES²).

    The rows: height, then height times the shift in x and y, in spacings, and what the axes grow by, as
    ((xx, xy), (yx, yy)): xy is the y axis' growth along x.
    """
    d = 0.05
    x, y = _grid()
    moves = ((x - d, y), (x, y - d), (x - d * x, y), (x - d * y, y), (x, y - d * x), (x, y - d * y))
    back = ((x + d, y), (x, y + d), (x + d * x, y), (x + d * y, y), (x, y + d * x), (x, y + d * y))
    solvers = []
    for radius in RADII:
        for value, names, apart in LAYOUTS:
            layout = (names, apart)
            rows = [_template(layout, radius, _grid())]
            for there, here in zip(moves, back, strict=True):
                change = _template(layout, radius, np.stack(there)) - _template(layout, radius, np.stack(here))
                rows.append(change / (2 * d))
            # One pip tells but its place, pips in a line how they lie along it.
            known = _PLACE if value == 1 else _ALIKE if value < 4 else np.eye(7)
            solvers.append(known @ np.linalg.pinv(np.array(rows).T @ known, rcond=1e-3))
    return np.array(solvers, np.float32)


@cache
def _heights() -> Array:
    """The same templates' height between pip and face: (radii × layouts,)."""
    heights: Array = _bank().max(axis=1) - np.median(_bank(), axis=1)
    return heights


def _sampled(picture: Array, centres: Array, axes: Array, places: Array) -> Array:
    """Samples (N, M, 3) float32 of a picture at places (2, M) along axes (N, 2, 2) from centres (N, 2) px."""
    at = (centres[:, :, None] + axes @ places).astype(np.float32)
    if not len(at):
        return np.zeros((0, places.shape[1], 3), np.float32)
    seen = cv2.remap(picture, at[:, 0], at[:, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.astype(np.float32)


def judge_faces(picture: Array, centres: Array, axes: Array, spacing: Array) -> Faces:
    """How patches of a picture (H, W, 3) uint8 look as faces of a die, whose outer pips are so far out (N,)."""
    seen = _sampled(picture, centres, axes * spacing[:, None, None], _grid())
    flat = np.ascontiguousarray(seen.transpose(0, 2, 1))  # (N, 3, samples)
    flat = flat - (flat @ _smooth()) @ _smooth().T
    parts = flat @ _bank().T  # (N, 3, templates): grey levels times length
    spread = (flat**2).sum(axis=(1, 2)) + 1.0
    shares = (parts**2).sum(axis=1) / spread[:, None]
    by_layout = shares.reshape(len(shares), len(RADII), len(LAYOUTS))
    per_layout = by_layout.max(axis=1)
    layout = per_layout.argmax(axis=1)
    value = VALUES[layout]
    rows = np.arange(len(value))
    fit = per_layout[rows, layout]
    rival = np.where(VALUES[None] == value[:, None], 0, per_layout).max(axis=1)
    best = by_layout[rows, :, layout].argmax(axis=1) * len(LAYOUTS) + layout
    contrast = parts[rows, :, best].mean(axis=1) * _heights()[best]
    rest = np.sqrt(spread * (1 - fit) / (3 * SAMPLES**2))
    one = np.einsum("nc,ncs->ns", parts[rows, :, best], flat)
    coefficients = np.matmul(_nudges()[best], one[:, :, None])[:, :, 0]
    off = np.clip(coefficients[:, 1:] / np.where(coefficients[:, :1] == 0, 1, coefficients[:, :1]), -0.3, 0.3)
    height, width = picture.shape[:2]
    corners = centres[:, :, None] + axes @ _CORNERS
    inside = ((corners >= 0) & (corners <= [[width - 1], [height - 1]])).all(axis=(1, 2))
    return Faces(value, fit, rival, contrast, rest, _middle(seen), inside, off)


def _middle(seen: Array) -> Array:
    """The middle colour (N, 3) of samples (N, M, 3): of every third, which does as well."""
    some = np.sort(seen[:, ::3], axis=1)
    middle: Array = some[:, some.shape[1] // 2]
    return middle


def edges(picture: Array, centres: Array, axes: Array, colour: Array) -> Array:
    """By how many grey levels what lies past each side differs from the face's colour (N, 3): (N, 4)."""
    seen = _sampled(picture, centres, axes, _rims(1)).reshape(len(centres), 4, len(RIM), len(ALONG), 3)
    middle = np.sort(seen, axis=3)[:, :, :, len(ALONG) // 2]  # the median: a pip past an edge is none
    away: Array = np.abs(middle - colour[:, None, None]).max(axis=(2, 3))
    return away


def best_turns(picture: Array, centres: Array, axes: Array, colour: Array) -> Array:
    """By how much to turn each face for its edges to stand out most: (N,) radians within a quarter turn."""
    seen = _sampled(picture, centres, axes, _rims(TURNS)).reshape(len(centres), TURNS, 4, len(RIM) * len(ALONG), 3)
    away = np.abs(seen - colour[:, None, None, None]).max(axis=4)
    turn: Array = away.mean(axis=3).min(axis=2).argmax(axis=1) * (np.pi / 2 / TURNS)
    return turn


@cache
def _rims(turns: int) -> Array:
    """Places past the edges of faces turned more and more: (2, turns × sides × lines × samples along)."""
    side = np.stack(np.meshgrid(ALONG, RIM)).reshape(2, -1)
    places = []
    for angle in np.arange(turns) * (np.pi / 2 / turns):
        for quarter in range(4):
            cos, sin = np.cos(angle + quarter * np.pi / 2), np.sin(angle + quarter * np.pi / 2)
            places.append(np.array([[cos, -sin], [sin, cos]]) @ side)
    return np.concatenate(places, axis=1)
