"""Pips and the faces that they make: dots of a known size, and how well a patch of picture is one of the six faces.

A face is measured in its own units: its centre is (0, 0) and its edges lie at −½ and ½ on both axes.
"""

from __future__ import annotations

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
TURNS = 12  # tried over a quarter turn, where the pips do not tell it
MOST_PIPS = 2000
SPARSE = 16  # of so many rows one tells how strong the picture's dots are
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
_QUARTERS = [np.array([[cos, -sin], [sin, cos]]) for cos, sin in ((1, 0), (0, 1), (-1, 0), (0, -1))]
_TURNS = np.arange(TURNS) * (np.pi / 2 / TURNS)
_PLACE = np.eye(7)[:, :3]
_ALIKE = np.column_stack(
    [_PLACE, [0, 0, 0, 1, 0, 0, 1], [0, 0, 0, 0, -1, 1, 0]]
)  # and growth and turn, as rows of a nudge


@dataclass(frozen=True, eq=False)
class Pips:
    """Dots of a picture: `at` (N, 2) whole px, `strength` (N,) float32 grey levels, positive where lighter.

    `response` (H, W) uint8 is how much any place differs from what lies round it.
    """

    at: Array
    strength: Array
    response: Array

    def between(self, chosen: Array) -> Array:
        """Where between the pixels some of the dots (M,) lie: (M, 2) float32 px."""
        (x, y), width, shift = self.at[chosen].T, self.response.shape[1], []
        flat, place = self.response.reshape(-1), y * width + x
        there = flat.take(place).astype(np.float32)
        for step in (1, width):
            before, after = (flat.take(place + k * step).astype(np.float32) for k in (-1, 1))
            bend = before - 2 * there + after
            bend[bend == 0] = 1
            shift.append(np.clip(0.5 * (before - after) / bend, -0.5, 0.5))
        return np.stack([x + shift[0], y + shift[1]], axis=1).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Faces:
    """How N patches look as faces.

    `value` (N,) the best value; `fit` (N,) the share of the patch's variance that its pips explain; `rival` (N,) the
    same for the best other value; `contrast` (N,) grey levels between pip and face, positive for light pips; `depth`
    (N,) the same in the colour where it is largest, without a sign; `rest` (N,) grey levels of what the pips do not
    explain; `colour` (N, 3) of the face, BGR; `inside` (N,) whether the whole face lies in the picture; `off` (N, 6)
    by how much the pips are off: x and y in spacings, then what the axes grow by, as xx, xy, yx, yy.
    """

    value: Array
    fit: Array
    rival: Array
    contrast: Array
    depth: Array
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
    around = cv2.blur(spot, (size, size))
    strong = cv2.absdiff(spot, around)
    reach = 2 * max(1, round(radius_px * 0.8)) + 1
    square = cv2.getStructuringElement(cv2.MORPH_RECT, (reach, reach))
    peaks = cv2.compare(strong, cv2.dilate(strong, square), cv2.CMP_GE)
    peaks[[0, -1]] = 0
    peaks[:, [0, -1]] = 0
    y, x = np.divmod(np.flatnonzero(_strongest(strong, peaks)), spot.shape[1])
    strength = spot[y, x].astype(np.float32) - around[y, x]
    return Pips(np.stack([x, y], axis=1), strength, strong)


def _strongest(strong: Array, peaks: Array) -> Array:
    """About MOST_PIPS of the strongest peaks, as bool (H, W): some rows tell from how many grey levels on."""
    heights = cv2.bitwise_and(strong, peaks)
    levels = np.bincount(heights[::SPARSE].reshape(-1), minlength=256)
    above = SPARSE * np.cumsum(levels[::-1])[::-1]
    least = max(QUIETEST, int(np.argmax(above <= MOST_PIPS)))
    _, clear = cv2.threshold(heights, least - 1, 1, cv2.THRESH_BINARY)
    chosen: Array = clear.view(bool)
    return chosen


def ring(picture: Array, at: Array, axes: Array, radius: float, count: int = 12) -> Array:
    """Samples (count, N) on rings around points (N, 2) px; `axes` (N or 1, 2, 2) px are a face's, `radius` in faces."""
    angles = np.arange(count, dtype=np.float32) * np.float32(2 * np.pi / count)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1) * np.float32(radius)
    right, down = (circle @ np.asarray(axes[:, row].T, np.float32) for row in (0, 1))  # (count, N or 1)
    margin = int(max(np.abs(right).max(initial=0), np.abs(down).max(initial=0))) + 2
    around = cv2.copyMakeBorder(picture, margin, margin, margin, margin, cv2.BORDER_REPLICATE)
    x, y = np.asarray(at.T, np.float32) + np.float32(margin + 0.5)
    places = (y + down).astype(np.int32) * np.int32(around.shape[1]) + (x + right).astype(np.int32)
    samples: Array = around.reshape(-1).take(places)
    return samples.astype(np.int16)


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
    heights = parts[rows, :, best] * _heights()[best, None]
    rest = np.sqrt(spread * (1 - fit) / (3 * SAMPLES**2))
    one = np.einsum("nc,ncs->ns", parts[rows, :, best], flat)
    coefficients = np.matmul(_nudges()[best], one[:, :, None])[:, :, 0]
    off = np.clip(coefficients[:, 1:] / np.where(coefficients[:, :1] == 0, 1, coefficients[:, :1]), -0.3, 0.3)
    height, width = picture.shape[:2]
    corners = centres[:, :, None] + axes @ _CORNERS
    inside = ((corners >= 0) & (corners <= [[width - 1], [height - 1]])).all(axis=(1, 2))
    return Faces(value, fit, rival, heights.mean(axis=1), np.abs(heights).max(axis=1), rest, _middle(seen), inside, off)


def screen_faces(spot: Array, centres: Array, axes: Array, spacing: Array) -> tuple[Array, Array]:
    """The best value (N,) and its fit (N,) of patches of a smoothed grey picture (H, W): a first, quick judgement."""
    at = (centres[:, :, None] + (axes * spacing[:, None, None]) @ _grid()).astype(np.float32)
    if not len(at):
        return np.zeros(0, int), np.zeros(0)
    flat = cv2.remap(spot, at[:, 0], at[:, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    flat -= (flat @ _smooth()) @ _smooth().T
    shares = (flat @ _bank().T) ** 2 / ((flat**2).sum(axis=1, keepdims=True) + 1.0)
    best = shares.argmax(axis=1)
    return VALUES[best % len(LAYOUTS)], shares[np.arange(len(best)), best]


def colours_round(picture: Array, centres: Array, axes: Array, radius: float) -> Array:
    """Colours (N, 12, 3) of a picture (H, W, 3) on rings of a radius, in faces, round centres (N, 2) px."""
    angles = np.arange(12) * (np.pi / 6)
    return _sampled(picture, centres, axes, radius * np.stack([np.cos(angles), np.sin(angles)]))


def _middle(seen: Array) -> Array:
    """The middle colour (N, 3) of samples (N, M, 3): of every third, which does as well."""
    some = np.sort(seen[:, ::3], axis=1)
    middle: Array = some[:, some.shape[1] // 2]
    return middle


def edges(picture: Array, centres: Array, axes: Array, colour: Array) -> Array:
    """By how many grey levels what lies past each side differs from the face's colour (N, 3): (N, 4)."""
    seen = _sampled(picture, centres, axes, _rims()).reshape(len(centres), 4, len(RIM), len(ALONG), 3)
    middle = np.sort(seen, axis=3)[:, :, :, len(ALONG) // 2]  # the median: a pip past an edge is none
    away: Array = _away(middle, colour[:, None, None]).max(axis=2)
    return away


def _away(seen: Array, colour: Array) -> Array:
    """By how many grey levels samples (…, 3) differ from a colour, in the channel where they do most: (…)."""
    blue, green, red = (np.abs(seen[..., k] - colour[..., k]) for k in range(3))
    away: Array = np.maximum(np.maximum(blue, green), red)  # much faster than along the last axis
    return away


def spill(picture: Array, centres: Array, axes: Array, colour: Array, depth: Array) -> Array:
    """How far the rim just within the sides differs from the face's colour (N, 3), in parts of what lies past: (N,).

    A face fills its square: of the rim's samples the third quarter tells, of those past the sides the middle one, and
    where a die lies on its own colour half of how its pips differ (N,).
    """
    away = _away(_sampled(picture, centres, axes, _hems(7)), colour[:, None])
    within, past = np.split(np.sort(away.reshape(len(centres), 2, away.shape[1] // 2), axis=2), 2, axis=1)
    count = within.shape[2]
    filled: Array = within[:, 0, 3 * count // 4] / np.maximum(past[:, 0, count // 2], depth / 2)
    return filled


@cache
def _hems(count: int) -> Array:
    """Places just within the four sides of a face, then just past them: (2, 2 × sides × count)."""
    line = np.linspace(-0.36, 0.36, count)
    sides = [np.stack([line, np.full(count, -far)]) for far in (0.41, 0.6)]
    return np.concatenate([turn @ side for side in sides for turn in _QUARTERS], axis=1)


def best_turns(picture: Array, centres: Array, axes: Array, colour: Array, depth: Array) -> Array:
    """By how much to turn each face for it to fill its square and end there: (N,) radians within a quarter turn."""
    at = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)
    turns = np.stack([at, np.stack([-at[:, 1], at[:, 0]], axis=1)], axis=2)  # (TURNS, 2, 2)
    places = np.concatenate(list(turns @ _hems(5)), axis=1)
    away = _away(_sampled(picture, centres, axes, places), colour[:, None])
    away = np.minimum(away, depth[:, None] / 2).reshape(len(centres), TURNS, 2, 20).mean(axis=3)
    score = away[:, :, 1] - 1.5 * away[:, :, 0]
    best, rows = score.argmax(axis=1), np.arange(len(score))
    before, there, after = (score[rows, (best + step) % TURNS] for step in (-1, 0, 1))
    between = 0.5 * (before - after) / np.minimum(before - 2 * there + after, -1e-6)
    turn: Array = (best + np.clip(between, -0.5, 0.5)) * (np.pi / 2 / TURNS)
    return turn


@cache
def _rims() -> Array:
    """Places past the edges of a face: (2, sides × lines × samples along)."""
    side = np.stack(np.meshgrid(ALONG, RIM)).reshape(2, -1)
    return np.concatenate([turn @ side for turn in _QUARTERS], axis=1)
