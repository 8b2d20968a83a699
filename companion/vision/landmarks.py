"""What finding a board needs to know of it: small patches of its picture at many scales, worked out once from a kit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from companion.kit import Board, Space
from companion.vision.frames import frames_of, shrunk
from companion.vision.points import points_of

Array = np.ndarray[Any, Any]

PATCH = 15  # samples a side of a patch; odd, so that a landmark lies on its middle sample
MOST_FREE = 110  # landmarks where no piece lies, at one scale
MOST_COVERED = 60  # landmarks on spaces: often hidden, so fewer
TELLING_TOUCHED = 0.65  # share of a telling patch that may lie on spaces for a piece not to hide it
MOST_TELLING = 45  # patches that tell a board from itself turned
TELLING = 0.4  # correlation with what lies there on the turned board, below which a patch tells
COVERED_WORTH = 0.2  # of a landmark on a space beside one on bare board, for which to look at first
ROUND_DEG, ROUND = 8.0, 0.8  # a turn of the board's picture; correlation with it from which a patch is round
ROUND_WORTH = 0.3
FINEST_PX = 1800  # longest side of the finest scale
COARSEST_PX = 56
MOST_TOUCHED = 0.12  # share of a free patch that may lie on spaces
LEAST_SPREAD = 1.2  # grey levels: standard deviation below which a patch is taken for bare colour
GAMMA = 2.2
BLUR_PX = 0.6  # of an ordinary small camera in focus
POINTS_PX = 700  # longest side of the picture in which points are sought
THUMB_PX = 48  # longest side of the picture that coarse hypotheses are compared with
PRINT_PX = 72  # and of that which is turned about a compact board's middle


@dataclass(frozen=True, eq=False)
class Level:
    """Landmarks at one scale.  A patch has its samples 1 / per_mm apart, rows first.

    Any number of them from the first on are spread over the board.  Each has two axes of its own: along one it is
    placed best, along the other worst.  What is round about the board's middle is placed towards it and away only.
    """

    per_mm: float
    centres_mm: Array  # (2, N) float64
    free: Array  # (N,) bool: no piece is meant to lie there
    round: Array  # (N,) bool: it looks the same with the board turned a little about its middle
    filters: Array  # (3, N, PATCH²) float32: the patch, mean 0 and length 1, and what gives the shift along its axes
    axes: Array  # (2, 2, N) float64: first the axis, then x and y on the board
    told: Array  # (2, N) what of a shift along an axis shows: 1, along a line 0
    certain_mm2: Array  # (2, N) variance of a shift, by that of the samples

    def first(self, most: int) -> Level:
        """As many landmarks, or all where there are not more."""
        return self if most >= len(self.free) else _first(self, most)

    def some(self, which: Any) -> Level:
        """The landmarks of an index."""
        return Level(
            self.per_mm,
            self.centres_mm[:, which],
            self.free[which],
            self.round[which],
            self.filters[:, which],
            self.axes[..., which],
            self.told[:, which],
            self.certain_mm2[:, which],
        )


@lru_cache(maxsize=64)  # the same few levels serve picture after picture
def _first(level: Level, most: int) -> Level:
    return level.some(slice(most))


@dataclass(frozen=True, eq=False)
class Telling:
    """Patches at one scale that differ from what lies there when the board is turned by `quarters` (N,)."""

    level: Level
    quarters: Array


def turns_of(size_mm: tuple[float, float]) -> tuple[int, ...]:
    """By how many quarter turns a board of this size may lie without its outline changing."""
    return (1, 2, 3) if abs(size_mm[0] / size_mm[1] - 1) < 0.04 else (2,)


@dataclass(frozen=True, eq=False)
class BoardKnowledge:
    """All that finding one board needs; numpy arrays only, so that it can be kept in a file."""

    id: str
    size_mm: tuple[float, float]
    levels: tuple[Level, ...]  # finest first, each √2 coarser than the one before
    telling: tuple[Telling, ...]  # one for each scale; none for a board that looks the same turned
    frames_mm: Array  # (F, 4, 2): outlines that may show, the board's own first; clockwise from the top left corner
    thumb: Array  # (2, h, w) float32: the board's gradients, small; see `gradient_field`
    thumb_weight: Array  # (h, w) float32: less on spaces, nothing outside the outline
    print_grey: Array  # (h, w) float32: a larger picture of it
    print_weight: Array  # (h, w) float32
    points_mm: Array  # (M, 2) float64: where its picture has points
    looks: Array  # (M, 128) float32: what they look like
    pitch_mm: float  # from a space to the next, as most lie; 0 where there are not two

    @property
    def area_mm2(self) -> float:
        return self.size_mm[0] * self.size_mm[1]

    def level(self, per_mm: float) -> Level:
        """The level whose scale is nearest to a picture's."""
        return self.levels[_nearest(self._halfway, per_mm)]

    def telling_at(self, per_mm: float) -> Telling | None:
        return self.telling[_nearest(self._halfway_telling, per_mm)] if self.telling else None

    @cached_property
    def _halfway(self) -> list[float]:
        return _halfway([level.per_mm for level in self.levels])

    @cached_property
    def _halfway_telling(self) -> list[float]:
        return _halfway([telling.level.per_mm for telling in self.telling])


def _halfway(scales: Sequence[float]) -> list[float]:
    """The scales halfway between each of some, finest first, and the next."""
    return [math.sqrt(fine * coarse) for fine, coarse in pairwise(scales)]


def _nearest(halfway: Sequence[float], per_mm: float) -> int:
    """Which scale is nearest to a picture's; the finest where that is none, for a plane may run behind the camera."""
    return sum(per_mm < scale for scale in halfway) if per_mm > 0 else 0


def offsets_px(side: int = PATCH) -> Array:
    """Where the samples of a patch lie around its landmark: (side², 2) float32, in samples."""
    half = side // 2
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    return np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float32)


def gradient_field(grey: Array) -> Array:
    """Gradients of a small grey picture (h, w), divided by their strength around: (2, h, w) float32, free of light."""
    smooth = cv2.GaussianBlur(grey, (3, 3), 0)
    x = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3)
    y = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3)
    strength = cv2.sqrt(cv2.blur(x * x + y * y, (7, 7)) + 36)
    return np.stack([x / strength, y / strength])


def grey_and_outline(picture: Array) -> tuple[Array, Array]:
    """A picture, BGR(A) or grey uint8, as grey (h, w) uint8 and where it is opaque (h, w) uint8, 0 or 255."""
    if picture.ndim == 2:
        return picture, np.full_like(picture, 255)
    if picture.shape[2] == 3:
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        return grey, np.full_like(grey, 255)
    alpha = picture[:, :, 3]
    return cv2.cvtColor(picture[:, :, :3], cv2.COLOR_BGR2GRAY), np.where(alpha > 127, 255, 0).astype(np.uint8)


def _space_mask(board: Board, spaces: Sequence[Space], shape: tuple[int, int], per_mm: float) -> Array:
    """Where pieces may lie: (h, w) uint8, 0 or 255."""
    mask = np.zeros(shape, np.uint8)
    for space in spaces:
        if space.board != board.id:
            continue
        middle, half = np.array(space.at_mm), np.array(space.size_mm) / 2
        low, high = np.round((middle - half) * per_mm).astype(int), np.round((middle + half) * per_mm).astype(int)
        cv2.rectangle(mask, tuple(map(int, low)), tuple(map(int, high)), 255, -1)
    return mask


def _spread_out(score: Array, cell: int, most: int) -> Array:
    """The best place of each cell of a score map, the best `most` of them: (N, 2) int, x and y."""
    h, w = score.shape
    rows, columns = -(-h // cell), -(-w // cell)
    padded = np.zeros((rows * cell, columns * cell), np.float32)
    padded[:h, :w] = score
    cells = padded.reshape(rows, cell, columns, cell).transpose(0, 2, 1, 3).reshape(rows * columns, cell * cell)
    best = cells.argmax(axis=1)
    value = cells[np.arange(len(cells)), best]
    y = np.arange(len(cells)) // columns * cell + best // cell
    x = np.arange(len(cells)) % columns * cell + best % cell
    order = np.argsort(-value, kind="stable")
    order = order[value[order] > 0][:most]
    return np.stack([x[order], y[order]], axis=1)


def _texture(grey: Array) -> tuple[Array, Array]:
    """How well a patch around each pixel can be placed, and its spread in grey levels: two (h, w) float32."""
    x = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3) / 8
    y = cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3) / 8
    box = (PATCH, PATCH)
    xx, yy, xy = cv2.blur(x * x, box), cv2.blur(y * y, box), cv2.blur(x * y, box)
    apart = np.sqrt((xx - yy) ** 2 / 4 + xy**2)
    least, most = (xx + yy) / 2 - apart, (xx + yy) / 2 + apart
    mean = cv2.blur(grey, box)
    spread = np.sqrt(np.maximum(cv2.blur(grey * grey, box) - mean * mean, 0))
    # A line places a patch across itself only; that is still worth something where there is nothing better.
    return np.sqrt(np.maximum(least, 0) + 0.04 * most), spread


def _round(grey: Array, places: Array) -> Array:
    """Which places (N, 2) of a grey picture float32 look the same with the picture turned a little: (N,) bool."""
    h, w = grey.shape
    found = np.ones(len(places), bool)
    for angle in (-ROUND_DEG, ROUND_DEG):
        turn = cv2.getRotationMatrix2D(((w - 1) / 2, (h - 1) / 2), angle, 1.0)
        other = cv2.warpAffine(grey, turn, (w, h), borderMode=cv2.BORDER_REPLICATE)
        found &= _likeness(grey, other)[places[:, 1], places[:, 0]] > ROUND
    return found


def _axes(gradients: Array, round_: Array, away: Array) -> tuple[Array, Array]:
    """For gradients (N, 2, M) of patches their axes (N, 2, 2), in columns, and how strong they are along these (N, 2).

    `away` (N, 2) leads from the board's middle to them.
    """
    both = gradients @ gradients.transpose(0, 2, 1)
    strength, axes = np.linalg.eigh(both)
    x, y = (away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)).T
    radial = np.stack([np.stack([x, y], axis=1), np.stack([-y, x], axis=1)], axis=2)
    along = np.einsum("nia,nij,nja->na", radial, both, radial) * (1, 0)
    return np.where(round_[:, None, None], radial, axes), np.where(round_[:, None], along, strength)


def _cut(grey: Array, places: Array, per_mm: float, size_mm: tuple[float, float], free: Array, round_: Array) -> Level:
    """The patches around places (N, 2) of a grey picture float32, ready for alignment."""
    half = PATCH // 2
    wide = np.stack([grey[y - half - 1 : y + half + 2, x - half - 1 : x + half + 2] for x, y in places])
    patch = wide[:, 1:-1, 1:-1].reshape(len(places), -1).astype(np.float64)
    across = (wide[:, 1:-1, 2:] - wide[:, 1:-1, :-2]).reshape(len(places), -1) / 2 * per_mm
    down = (wide[:, 2:, 1:-1] - wide[:, :-2, 1:-1]).reshape(len(places), -1) / 2 * per_mm
    patch -= patch.mean(axis=1, keepdims=True)
    length = np.linalg.norm(patch, axis=1, keepdims=True)
    patch /= length
    gradients = np.stack([across, down], axis=1) / length[:, None]
    # What light and contrast can do is taken out.
    gradients -= gradients.mean(axis=2, keepdims=True)
    gradients -= (gradients @ patch[:, :, None]) * patch[:, None, :]
    centres_mm = (places + 0.5) * (np.array(size_mm) / grey.shape[::-1])  # sides are whole pixels, so not quite per_mm
    axes, strength = _axes(gradients, round_, centres_mm - np.array(size_mm) / 2)
    # Damped: a shift along a line, where nothing can be told, comes out as none.
    certain = 1 / (strength + 0.02 * per_mm**2)
    shifts = (axes.transpose(0, 2, 1) @ gradients) * certain[:, :, None]
    return Level(
        per_mm,
        centres_mm.T.copy(),
        free,
        round_,
        np.stack([patch, shifts[:, 0], shifts[:, 1]]).astype(np.float32),
        np.ascontiguousarray(axes.transpose(2, 1, 0)),
        np.ascontiguousarray((strength * certain).T),
        np.ascontiguousarray(certain.T),
    )


def _level(grey: Array, outline: Array, spaces: Array, per_mm: float, size_mm: tuple[float, float]) -> Level | None:
    """Landmarks of a grey picture (h, w) uint8 at its own scale; None where nothing can be placed."""
    grey = grey.astype(np.float32)
    score, spread = _texture(grey)
    size = (PATCH + 2, PATCH + 2)
    # Nothing but the board's own picture may lie in a patch, with one sample around it for the gradients.
    inside = cv2.erode(outline, np.ones(size, np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
    if not inside.any():
        return None
    score[(spread < LEAST_SPREAD) | ~inside] = 0
    score[score < 0.08 * np.quantile(score[inside], 0.97)] = 0
    # Leaving out just the samples on spaces would not do: lines cut in half seem to lie farther off when blurred.
    covered = cv2.blur((spaces > 0).astype(np.float32), (PATCH, PATCH)) > MOST_TOUCHED
    cell = max(PATCH * 2 // 3, int(np.sqrt(score.size / 140)))
    free = _spread_out(np.where(covered, 0, score), cell, MOST_FREE)
    bare = _spread_out(np.where(covered, score, 0), cell, MOST_COVERED)
    places = np.concatenate([free, bare])
    if len(places) < 4:
        return None
    worth = score[places[:, 1], places[:, 0]]
    round_ = _round(grey, places)
    worth[len(free) :] *= COVERED_WORTH
    worth[round_] *= ROUND_WORTH
    order = _far_apart(places, worth)
    return _cut(grey, places[order], per_mm, size_mm, order < len(free), round_[order])


def _far_apart(places: Array, worth: Array) -> Array:
    """An order of places (N, 2) in which the first ones are far apart, and those of greater worth rather first."""
    share = np.sqrt(np.sqrt(worth / worth.max()))
    order = [int(worth.argmax())]
    near = np.full(len(places), np.inf)
    for _ in range(len(places) - 1):
        near = np.minimum(near, np.hypot(*(places - places[order[-1]]).T))
        order.append(int((near * share).argmax()))
    return np.array(order)


def _likeness(grey: Array, other: Array) -> Array:
    """Correlation of the patches around each pixel of two pictures float32 of one size: (h, w) float32."""
    box = (PATCH, PATCH)
    mean, mean_other = cv2.blur(grey, box), cv2.blur(other, box)
    power = cv2.blur(grey * grey, box) - mean * mean
    power_other = cv2.blur(other * other, box) - mean_other * mean_other
    both = cv2.blur(grey * other, box) - mean * mean_other
    # As in a photograph, what has hardly any contrast is like nothing.
    return np.asarray(both / np.sqrt(np.maximum(power, 1) * np.maximum(power_other, 1)))


def _telling(grey: Array, outline: Array, spaces: Array, per_mm: float, size_mm: tuple[float, float]) -> Telling | None:
    """Patches of a grey picture (h, w) uint8 that tell it from itself under every turn that its outline allows."""
    grey = grey.astype(np.float32)
    _, spread = _texture(grey)
    size = (PATCH + 2, PATCH + 2)
    inside = cv2.erode(outline, np.ones(size, np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0) > 0
    touched = cv2.blur((spaces > 0).astype(np.float32), (PATCH, PATCH))
    places = []
    turns = turns_of(size_mm)
    for turn in turns:
        other = cv2.resize(np.rot90(grey, -turn), grey.shape[::-1], interpolation=cv2.INTER_LINEAR)
        score = spread * (TELLING + 0.2 - _likeness(grey, other))
        score[(spread < LEAST_SPREAD) | ~inside | (score < 0.2 * spread)] = 0
        places.append(_spread_out(score * (1 - 0.8 * touched), PATCH // 2, MOST_TELLING // len(turns)))
    quarters = np.repeat(turns, [len(found) for found in places])
    found = np.concatenate(places)
    if not len(found):
        return None
    free = touched[found[:, 1], found[:, 0]] < TELLING_TOUCHED
    return Telling(_cut(grey, found, per_mm, size_mm, free, np.zeros(len(found), bool)), quarters)


def _as_seen(grey: Array, per_mm: float, size_mm: tuple[float, float]) -> Array:
    """A grey picture as a camera shows it at a scale: (h, w) uint8.

    Lenses mix light, not grey levels: bright parts spread over dark ones, which moves the edges between them.
    """
    light = (np.arange(256, dtype=np.float32) / 255) ** GAMMA
    mixed = cv2.GaussianBlur(shrunk(cv2.LUT(grey, light), per_mm, size_mm), (0, 0), BLUR_PX)
    return np.round(255 * np.clip(mixed, 0, 1) ** (1 / GAMMA)).astype(np.uint8)


def _small(grey: Array, outline: Array, board: Board, spaces: Sequence[Space], long_px: int) -> tuple[Array, Array]:
    """A grey picture shrunk, (h, w) uint8, and how much its pixels say: less on spaces, nothing outside the outline."""
    per_mm = long_px / max(board.size_mm)
    small, inside = shrunk(grey, per_mm, board.size_mm), shrunk(outline, per_mm, board.size_mm)
    weight = np.where(_space_mask(board, spaces, small.shape, per_mm) > 0, 0.35, 1.0) * (inside > 200)
    return small, weight.astype(np.float32)


def _pitch_mm(spaces: Sequence[Space]) -> float:
    at = np.array([space.at_mm for space in spaces]).reshape(-1, 2)
    apart = np.hypot(*(at[:, None] - at).transpose(2, 0, 1)) + np.diag(np.full(len(at), np.inf))
    return float(np.median(apart.min(1))) if len(at) > 1 else 0.0


def learn_board(board: Board, spaces: Sequence[Space], picture: Array) -> BoardKnowledge:
    """Work out what finding a board needs from its picture, BGR(A) uint8."""
    grey, outline = grey_and_outline(picture)
    long_mm = max(board.size_mm)
    per_mm = min(max(picture.shape[:2]), FINEST_PX) / long_mm
    levels: list[Level] = []
    telling: list[Telling] = []
    while per_mm * long_mm >= COARSEST_PX:
        small, inside = _as_seen(grey, per_mm, board.size_mm), shrunk(outline, per_mm, board.size_mm)
        mask = _space_mask(board, spaces, small.shape[:2], per_mm)
        inside = np.where(inside > 250, 255, 0).astype(np.uint8)
        level = _level(small, inside, mask, per_mm, board.size_mm)
        tell = _telling(small, inside, mask, per_mm, board.size_mm)
        if tell is not None:
            telling.append(tell)
        if level is not None:
            levels.append(level)
        per_mm /= math.sqrt(2)
    thumb, thumb_weight = _small(grey, outline, board, spaces, THUMB_PX)
    larger, larger_weight = _small(grey, outline, board, spaces, PRINT_PX)
    points, looks = points_of(shrunk(grey, POINTS_PX / long_mm, board.size_mm), POINTS_PX, 2000)
    return BoardKnowledge(
        board.id,
        board.size_mm,
        tuple(levels),
        tuple(telling),
        frames_of(picture, board.size_mm),
        gradient_field(thumb),
        thumb_weight,
        larger.astype(np.float32),
        larger_weight,
        (points + 0.5) * long_mm / POINTS_PX,
        looks,
        _pitch_mm(spaces),
    )
