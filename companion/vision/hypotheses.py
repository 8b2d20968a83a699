"""Guesses where boards may lie in a photograph, quick ways of guessing first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit
from companion.observation import Calibration
from companion.vision.geometry import FOCAL_BY_WIDTH, FOCAL_DOUBT, Geometry, corners_mm
from companion.vision.landmarks import BoardKnowledge, gradient_field
from companion.vision.markers import marked_outlines
from companion.vision.outline import outlines
from companion.vision.points import matched_outlines, points_of
from companion.vision.refine import Lens, Photograph, grey_of
from companion.vision.view import lens_matrix

Array = np.ndarray[Any, Any]

SMALL_WIDTH = 300  # px: from it to twice as many, outlines are looked for
SHAPE_DOUBT = 0.05  # how far from a rectangle of the board's shape an outline may be, for a guess
MOST_COST = 12.0  # of an outline as that of a board before a likely lens
MOST_LIKELY = 24  # outlines whose content is compared
LEAST_WORTH = 0.15  # correlation of an outline's content with a board's
_TURNS = np.array([[0, 1, 2, 3], [1, 2, 3, 0]])
TRIED = 4  # best guesses of one way of guessing that are worth a closer look
MOST_ROWS = 32_000  # of a picture that OpenCV bends


@dataclass(frozen=True, eq=False)
class Guess:
    """A board may lie with its corners here: (4, 2) px of the full picture, from the top left corner on, clockwise."""

    board: str
    corners_px: Array
    worth: float  # correlation of what is seen there with the board's picture
    order: float  # the higher, the sooner it is looked at


def _lens(size: tuple[int, int], calibration: Calibration | None) -> tuple[float, tuple[float, float], Array]:
    """Focal length, centre and distortion to begin with, in the pixels of a picture of size (width, height)."""
    width, height = size
    if calibration is None:
        return FOCAL_BY_WIDTH * width, ((width - 1) / 2, (height - 1) / 2), np.zeros(5)
    ratio = width / calibration.size_px[0]
    matrix, distortion = lens_matrix(calibration)
    cx, cy = (float(v) for v in matrix[:2, 2])
    return float(matrix[0, 0]) * ratio, ((cx + 0.5) * ratio - 0.5, (cy + 0.5) * ratio - 0.5), distortion


def homographies_of(boxes: Array, target: Array) -> Array:
    """The homographies (N, 3, 3) that take upright boxes (N, 4, 2) to four points (N, 4, 2) each.

    Where corners lie on a line there is none: numbers come out that are none, or no picture of a plane.
    """
    first, second, third, last = target.transpose(1, 2, 0)
    aside = first - second + third - last
    across, down = second - third, last - third
    size = across[0] * down[1] - down[0] * across[1]
    g = (aside[0] * down[1] - down[0] * aside[1]) / size
    h = (across[0] * aside[1] - aside[0] * across[1]) / size
    found = np.empty((3, 3, len(target)))  # of the unit square
    found[:2, 0], found[:2, 1], found[:2, 2] = second - first + g * second, last - first + h * last, first
    found[2, 0], found[2, 1], found[2, 2] = g, h, 1
    low, size = boxes[:, 0].T, (boxes[:, 2] - boxes[:, 0]).T
    found[:, :2] /= size
    found[:, 2] -= found[:, 0] * low[0] + found[:, 1] * low[1]
    return found.transpose(2, 0, 1)


def _through(homographies: Array, points: Array) -> Array:
    """Points (P, 2) as each of N homographies takes them: (N, P, 2)."""
    seen = np.column_stack([points, np.ones(len(points))]) @ homographies.transpose(0, 2, 1)
    return np.asarray(seen[..., :2] / seen[..., 2:])


def _focal_fits(homographies: Array, focal: float, known: bool) -> tuple[Array, Array]:
    """Focal lengths (N,) that explain homographies from mm to px about the centre best, and how badly they do."""
    focals = np.array([focal]) if known else focal * np.exp(np.linspace(-0.6, 0.6, 25))
    h = homographies[:, :, :2, None] / np.stack([focals, focals, np.ones_like(focals)])[None, :, None]
    a, b = (np.sqrt((h[:, :, i] ** 2).sum(axis=1)) for i in range(2))
    skew = (h[:, :, 0] * h[:, :, 1]).sum(axis=1) / (a * b)
    cost = (skew**2 + np.log(a / b) ** 2) / SHAPE_DOUBT**2 + (np.log(focals / focal) / FOCAL_DOUBT) ** 2
    best = cost.argmin(axis=1)
    return focals[best], cost[np.arange(len(cost)), best]


@dataclass(frozen=True, eq=False)
class Search:
    """One photograph, what is looked for in it, and what is known of its lens."""

    photograph: Photograph
    small: Array  # BGR
    halvings: int  # that lead to it
    known: Mapping[str, BoardKnowledge]
    focal: float
    centre: tuple[float, float]
    distortion: Array
    lens_known: bool
    points: list[tuple[Array, Array]] = field(default_factory=list)  # found when they are first asked for

    @property
    def lens(self) -> Lens:
        return Lens.KNOWN if self.lens_known else Lens.FREE

    def straight(self, points_px: Array) -> Array:
        """Pixels (N, 2) as the lens without distortion would show them."""
        if not self.distortion.any():
            return points_px
        cx, cy = self.centre
        matrix = np.array([[self.focal, 0, cx], [0, self.focal, cy], [0, 0, 1.0]])
        return cv2.undistortPoints(points_px.reshape(-1, 1, 2), matrix, self.distortion, P=matrix).reshape(-1, 2)

    def geometry(self, size_mm: tuple[float, float], corners_px: Array) -> Geometry | None:
        """The geometry that puts a board's corners here."""
        straight = self.straight(corners_px) - self.centre
        homography = homographies_of(corners_mm(size_mm)[None], straight[None])
        focal = float(_focal_fits(homography, self.focal, self.lens_known)[0][0])
        pose = np.diag([1 / focal, 1 / focal, 1.0]) @ homography[0]
        pose /= np.sqrt(np.linalg.norm(pose[:, 0]) * np.linalg.norm(pose[:, 1]))
        if not np.isfinite(pose).all():
            return None  # its corners lie on a line
        if pose[2, 2] < 0:
            pose = -pose
        across, down = pose[:, 0], pose[:, 1]
        u, _, vt = np.linalg.svd(np.stack([across, down, np.cross(across, down)], axis=1))
        rotation = u @ vt
        depths = corners_mm(size_mm) @ rotation[2, :2] + pose[2, 2]
        if np.linalg.det(rotation) < 0 or depths.min() <= 0 or rotation[2, 2] < 0.2:
            return None  # mirrored, partly behind the camera, or seen from its edge
        return Geometry(focal, self.centre, self.distortion, rotation, pose[:, 2], np.zeros((1, 3)))


def begin(pixels: Array, known: Mapping[str, BoardKnowledge], calibration: Calibration | None) -> Search:
    photograph = Photograph.of(pixels, few=len(known) == 1)
    width, height = photograph.size_px
    halvings = 0
    while width >> halvings >= 2 * SMALL_WIDTH:
        halvings += 1
    small = photograph.half(halvings)
    focal, centre, distortion = _lens((width, height), calibration)
    return Search(
        photograph,
        small if small.ndim == 3 else cv2.cvtColor(small, cv2.COLOR_GRAY2BGR),
        halvings,
        known,
        focal,
        centre,
        distortion,
        calibration is not None,
    )


def _thumbs(search: Search, shape: tuple[int, int], corners_px: Array) -> Array:
    """What M outlines (M, 4, 2) show, each shrunk to a small picture: (M · h, w) uint8, one below the other."""
    h, w = shape
    across = float(np.median(np.abs(np.diff(corners_px, axis=1)).max(axis=(1, 2))))
    index = search.halvings
    while across / 2**index > 2 * max(w, h):  # or what is sampled would leave out more than it shows
        index += 1
    squares = np.tile(corners_mm((1.0, 1.0)), (len(corners_px), 1, 1))
    homographies = homographies_of(squares, (corners_px + 0.5) / 2**index - 0.5)
    x, y = (np.arange(w) + 0.5) / w, (np.arange(h) + 0.5) / h
    grid = np.stack([np.tile(x, h), np.repeat(y, w), np.ones(w * h)]).astype(np.float32)
    seen = (homographies.astype(np.float32).transpose(1, 0, 2).reshape(-1, 3) @ grid).reshape(3, -1, w)
    grey = grey_of(search.photograph.level(index))
    across, down = seen[0] / seen[2], seen[1] / seen[2]
    return cv2.remap(grey, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def thumb_worths(search: Search, known: BoardKnowledge, corners_px: Array) -> Array:
    """Correlations of a board's small gradient picture with what outlines (M, 4, 2) show, and upside down: (M, 2)."""
    if not len(corners_px):
        return np.zeros((0, 2))
    h, w = known.thumb.shape[1:]
    if len(corners_px) > (most := MOST_ROWS // h):
        parts = [corners_px[start : start + most] for start in range(0, len(corners_px), most)]
        return np.concatenate([thumb_worths(search, known, part) for part in parts])
    # All at once; that neighbours touch in this tall picture is left out with the rows at the edge.
    shown = gradient_field(_thumbs(search, (h, w), corners_px)).reshape(2, -1, h * w)
    weight = known.thumb_weight.copy()
    weight[[0, 1, -2, -1]] = 0
    expected = (known.thumb * weight).reshape(2, -1)
    own = float((expected * known.thumb.reshape(2, -1)).sum())
    # In the second columns all is upside down, where gradients point the other way.
    both = sum(shown[axis] @ np.stack([expected[axis], -expected[axis, ::-1]], axis=1) for axis in (0, 1))
    power = (shown * shown).sum(axis=0) @ np.stack([weight.ravel(), weight.ravel()[::-1]], axis=1)
    return np.asarray(both / np.sqrt(power * own + 1e-9))


def _outlines_of(search: Search, known: BoardKnowledge, quads: Sequence[Array]) -> Array:
    """Where a board's corners (N, 4, 2) px may be if outlines (4, 2) are frames of it, as far as a lens allows it."""
    # Which of two opposite corners comes first makes no difference to how well a board's shape fits.
    every = np.stack(quads)[:, None, _TURNS].repeat(len(known.frames_mm), axis=1).reshape(-1, 4, 2)
    frames = np.tile(known.frames_mm.repeat(len(_TURNS), axis=0), (len(quads), 1, 1))
    straight = homographies_of(frames, search.straight(every.reshape(-1, 2)).reshape(-1, 4, 2) - search.centre)
    _, costs = _focal_fits(straight, search.focal, search.lens_known)
    likely = np.flatnonzero(costs < MOST_COST)[:MOST_LIKELY]  # no cost that is not a number
    seen = homographies_of(frames[likely], every[likely])
    return _through(seen, corners_mm(known.size_mm))


def guesses(search: Search, quads: Sequence[Array], names: Sequence[str]) -> list[Guess]:
    """What boards the outlines (4, 2) of the full picture may be, best first, large boards before small ones."""
    found = []
    largest = max(search.known[name].area_mm2 for name in names)
    for name in names:
        known = search.known[name]
        size = float(np.sqrt(known.area_mm2 / largest))
        likely = _outlines_of(search, known, quads)
        for outline, (upright, turned) in zip(likely, thumb_worths(search, known, likely).tolist(), strict=True):
            # Turned upside down is the same guess for whoever looks closer: turns are told there.
            first = np.roll(outline, 2, axis=0) if turned > upright else outline
            found.append(Guess(name, first, max(upright, turned), max(upright, turned) * size))
    return sorted((guess for guess in found if guess.worth > LEAST_WORTH), key=lambda guess: -guess.order)[:TRIED]


class Outlined:
    """The four-sided outlines of a photograph, in px of the full picture, looked for only as far as they are needed.

    `seen` are those so far.
    """

    def __init__(self, small: Array, shrink: int) -> None:
        self.seen: list[Array] = []
        self._corners: list[Callable[[], Array]] = []
        self._ways = outlines(small)
        self._shrink = shrink

    @property
    def corners(self) -> Array:
        """Where two sides meet, and where each of them ends: (N, 3, 2)."""
        found = [np.zeros((0, 3, 2)), *(of_one_way() for of_one_way in self._corners)]
        return np.asarray((np.concatenate(found) + 0.5) * self._shrink - 0.5)

    def further(self) -> list[Array] | None:
        """What one more way of looking shows; None when there is no further way."""
        new = next(self._ways, None)
        if new is None:
            return None
        quads = [(quad + 0.5) * self._shrink - 0.5 for quad in new[0]]
        self._corners.append(new[1])
        self.seen += quads
        return quads


def matched(search: Search, known: BoardKnowledge) -> Iterator[Array]:
    """Where a board's corners (4, 2) px may be by the points that it shows."""
    if not search.points:
        search.points.append(points_of(grey_of(search.photograph.pixels)))
    return matched_outlines(search.points[0], (known.points_mm, known.looks), corners_mm(known.size_mm))


def ways(search: Search, names: Sequence[str], outlined: Outlined, kit: Kit) -> Iterator[list[Guess]]:
    """Guesses where boards lie, quick ways first."""
    if kit.markers:
        marked = marked_outlines(grey_of(search.photograph.pixels), kit.boards, kit.markers)
        yield [Guess(board, corners, 1.0, 1.0) for board, corners in marked]
    while (new := outlined.further()) is not None:
        for few in (new[:6], new[6:]):  # the likeliest first, for they cost time
            if few:
                yield guesses(search, few, names)
    for name in names:
        for corners in matched(search, search.known[name]):
            yield [Guess(name, corners, 0.0, 0.0)]
