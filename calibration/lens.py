"""A lens from views of the printed chart: which views are good, how much of the picture they cover, how well it fits.

Views are added one by one, so that a screen or a script can say at once what each is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.findings import Finding, cannot_be, hard
from calibration.marked_sheets import CHART_SQUARE_MM, CHART_SQUARES, chart
from companion.observation import Calibration

Array = np.ndarray[Any, Any]

LEAST_CORNERS = 12  # of the chart's 48, for a view to say something
LEAST_VIEWS, ENOUGH_VIEWS = 8, 25
COVERED_CELLS = (8, 6)  # of the picture, by which coverage is told
LEAST_COVERED = 0.7
LEAST_TILT_DEG = 15.0  # of some views: straight ones alone do not tell a far camera from a long lens
TILTED_VIEWS = 3
SAME_VIEW = 0.03  # of the picture's width: corners that moved by less show the chart where it was
BLURRED = 1 / 500  # of the picture's width: a blur (standard deviation) above this
NOISY = 12.0  # levels of noise in the chart's white
MOST_RESIDUAL_PX, MOST_FOCAL_DOUBT = 0.6, 0.005
FAR_WORSE = 3.0  # times the middle one: a view with such a residual was bent or moving
CUBIC_HELPS = 0.9  # k3 is taken where it makes the residual this much smaller


@dataclass(frozen=True, eq=False)
class Chart:
    """What is shown to the camera: its corners (N, 3) mm, by number, and how they are found in a grey picture."""

    points_mm: Array
    columns: int
    find: Callable[[Array], tuple[Array, Array]]  # numbers (N,) and places (N, 2) px


def printed_chart() -> Chart:
    """The ChArUco chart that `companion print` makes; any part of it will do."""
    detector = cv2.aruco.CharucoDetector(chart())

    def find(grey: Array) -> tuple[Array, Array]:
        corners, ids, _, _ = detector.detectBoard(grey)
        numbers = np.zeros(0, int) if ids is None else np.ravel(ids)
        return numbers, np.asarray(corners if len(numbers) else [], float).reshape(-1, 2)

    return Chart(np.asarray(chart().getChessboardCorners(), np.float32), CHART_SQUARES[0] - 1, find)


def chessboard(columns: int, rows: int) -> Chart:
    """A plain chessboard with so many inner corners; all of it must be seen."""
    y, x = np.divmod(np.arange(columns * rows), columns)
    points = np.stack([x, y, 0 * x], axis=1).astype(np.float32) * CHART_SQUARE_MM

    def find(grey: Array) -> tuple[Array, Array]:
        seen, corners = cv2.findChessboardCornersSB(grey, (columns, rows), flags=cv2.CALIB_CB_ACCURACY)
        numbers = np.arange(columns * rows) if seen else np.zeros(0, int)
        return numbers, np.asarray(corners if seen else [], float).reshape(-1, 2)

    return Chart(points, columns, find)


@dataclass(frozen=True, eq=False)
class View:
    """One picture of the chart: its corners' numbers (N,) and places (N, 2) px, and how it was taken."""

    name: str
    numbers: Array
    corners: Array
    blur_px: float
    noise: float


@dataclass(frozen=True)
class Seen:
    """What one more picture brought: `fault` is empty where the view is used."""

    name: str
    corners: int
    covered: float
    fault: str = ""  # size | blurred | no-chart | few-corners | noisy | same-view


@dataclass(frozen=True, eq=False)
class Lens:
    """A lens that was found, and what there is to say of it; it passes where nothing `cannot_be`."""

    calibration: Calibration
    residual_px: float
    focal_doubt: float  # standard deviation of the focal length, as a share of it
    views: int
    covered: float
    tilts_deg: tuple[float, ...]
    left_out: tuple[str, ...]  # views that did not fit


class Views:
    """The good views so far."""

    def __init__(self, chart: Chart | None = None) -> None:
        """Of our own printed chart, if no other is named."""
        self.chart = chart or printed_chart()
        self.size_px: tuple[int, int] | None = None
        self.views: list[View] = []
        self.faults: dict[str, int] = {}
        self._covered = np.zeros(COVERED_CELLS[::-1], bool)

    @property
    def covered(self) -> float:
        return float(self._covered.mean())

    @property
    def cells(self) -> Array:
        """In which parts of the picture the chart was seen: (6, 8) bool."""
        return self._covered.copy()

    def enough(self) -> bool:
        """Whether there is no need of more: also tilted ones are among them."""
        tilted = sum(tilt >= LEAST_TILT_DEG for tilt in self.rough_tilts_deg())
        enough = len(self.views) >= LEAST_VIEWS and self.covered >= LEAST_COVERED and tilted >= TILTED_VIEWS
        return enough or len(self.views) >= ENOUGH_VIEWS

    def rough_tilts_deg(self) -> list[float]:
        """How far each view is tilted, with a guess at the lens."""
        if self.size_px is None:
            return []
        width, height = self.size_px
        matrix = np.array([[0.85 * width, 0, width / 2], [0, 0.85 * width, height / 2], [0, 0, 1]])
        return [_tilt(view, self.chart, matrix, np.zeros(5)) for view in self.views]

    def add(self, name: str, pixels: Array) -> Seen:
        """Look at a picture (height, width, 3) uint8 BGR, and keep it where it is good for something."""
        size = (pixels.shape[1], pixels.shape[0])
        fault, count = "", 0
        if self.size_px is not None and size != self.size_px:
            fault = "size"
        else:
            self.size_px = size
            view = self._view(name, cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY))
            fault, count = (view, 0) if isinstance(view, str) else (self._fault(view), len(view.numbers))
            if isinstance(view, View) and not fault:
                self.views.append(view)
                cell = (view.corners / size * COVERED_CELLS).astype(int).clip(0, np.array(COVERED_CELLS) - 1)
                self._covered[cell[:, 1], cell[:, 0]] = True
        if fault:
            self.faults[fault] = self.faults.get(fault, 0) + 1
        return Seen(name, count, self.covered, fault)

    def _view(self, name: str, grey: Array) -> View | str:
        numbers, places = self.chart.find(grey)
        if len(numbers) == 0:
            return "blurred" if _is_blurred(grey) else "no-chart"
        blur, noise = _sharpness(grey, places)
        return View(name, numbers, places, blur, noise)

    def _fault(self, view: View) -> str:
        assert self.size_px is not None
        width = self.size_px[0]
        if view.blur_px > max(BLURRED * width, 1.2):
            return "blurred"
        if len(view.numbers) < LEAST_CORNERS or _in_a_row(view.numbers, self.chart.columns):
            return "few-corners"
        if view.noise > NOISY:
            return "noisy"
        return "same-view" if any(_moved(view, other) < SAME_VIEW * width for other in self.views) else ""


def _in_a_row(numbers: Array, columns_of_it: int) -> bool:
    """Whether all corners lie on one line of the chart: they place nothing."""
    rows, columns = np.divmod(numbers, columns_of_it)
    return len(set(rows.tolist())) < 2 or len(set(columns.tolist())) < 2


def _moved(one: View, other: View) -> float:
    """How far the corners that both have lie apart, px."""
    both, here, there = np.intersect1d(one.numbers, other.numbers, return_indices=True)
    if len(both) < LEAST_CORNERS // 2:
        return float("inf")
    return float(np.median(np.linalg.norm(one.corners[here] - other.corners[there], axis=1)))


def _is_blurred(grey: Array) -> bool:
    """Whether even the steepest edges of a picture are soft."""
    slope = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1))
    tile = max(16, grey.shape[1] // 24)
    height, width = (side // tile * tile for side in grey.shape)
    tiles = slope[:height, :width].reshape(height // tile, tile, -1, tile).swapaxes(1, 2).reshape(-1, tile * tile)
    steepest = np.argsort(tiles.max(axis=1))[-24:]
    inside = tiles[steepest].argmax(axis=1)
    across = width // tile
    places = np.stack([steepest % across * tile + inside % tile, steepest // across * tile + inside // tile], axis=1)
    return bool(_sharpness(grey, places)[0] > BLURRED * grey.shape[1])


def _sharpness(grey: Array, corners: Array) -> tuple[float, float]:
    """The blur (standard deviation, px) of the edges at the corners, and the noise (levels) of what is white there."""
    reach = 7
    blurs, noises = [], []
    for x, y in np.rint(corners).astype(int):
        patch = grey[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1].astype(np.float32)
        if min(patch.shape) < 2 * reach:
            continue
        low, high = np.percentile(patch, [5, 95])
        slope = np.hypot(cv2.Sobel(patch, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(patch, cv2.CV_32F, 0, 1) / 8)
        steepest = float(np.percentile(slope, 98))
        blurs.append(float(high - low) / max(steepest, 1e-3) / np.sqrt(2 * np.pi))
        bright = patch[patch > (low + high) / 2 + 0.3 * (high - low)]
        if len(bright) > 10:
            noises.append(float(np.median(np.abs(bright - np.median(bright))) * 1.4826))
    return float(np.median(blurs)) if blurs else 0.0, float(np.median(noises)) if noises else 0.0


def solve(views: Views) -> Lens | None:
    """The lens that fits the views best; None where there are too few to say anything."""
    kept = list(views.views)
    if views.size_px is None or len(kept) < 3:
        return None
    found = _fitted(kept, views.chart, views.size_px)
    middle = float(np.median(found[3]))
    worse = [view for view, each in zip(kept, found[3], strict=True) if each > max(FAR_WORSE * middle, 0.3)]
    if worse and len(kept) - len(worse) >= 3:
        kept = [view for view in kept if view not in worse]
        found = _fitted(kept, views.chart, views.size_px)
    residual, matrix, distortion, _, focal_doubt = found
    k1, k2, p1, p2, k3 = (float(value) for value in np.ravel(distortion)[:5])
    calibration = Calibration(
        views.size_px, float(matrix[0, 0]), (float(matrix[0, 2]), float(matrix[1, 2])), (k1, k2, p1, p2, k3)
    )
    tilts = tuple(round(_tilt(view, views.chart, matrix, np.ravel(distortion)), 1) for view in kept)
    left_out = tuple(view.name for view in worse)
    return Lens(calibration, residual, focal_doubt, len(kept), views.covered, tilts, left_out)


def _fitted(views: list[View], chart: Chart, size_px: tuple[int, int]) -> tuple[float, Array, Array, Array, float]:
    """Residual px, camera matrix, distortion, residual of each view, doubt of the focal length.  One focal length."""
    points = [chart.points_mm[view.numbers].reshape(-1, 1, 3) for view in views]
    places = [view.corners.astype(np.float32).reshape(-1, 1, 2) for view in views]
    guess = cv2.initCameraMatrix2D(points, places, size_px, 1.0)  # from a far one the fit ends somewhere else
    until = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 200, 1e-9)
    flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO
    fits = []
    for more in (cv2.CALIB_FIX_K3, 0):
        residual, matrix, distortion, _, _, doubts, _, each = cv2.calibrateCameraExtended(
            points, places, size_px, guess.copy(), np.zeros(5), flags=flags | more, criteria=until
        )
        doubt = float(max(np.ravel(doubts)[:2]) / matrix[0, 0])  # whichever of the two is not tied
        fits.append((float(residual), np.asarray(matrix), np.asarray(distortion), np.ravel(each), doubt))
    return fits[1] if fits[1][0] < CUBIC_HELPS * fits[0][0] else fits[0]


def _tilt(view: View, chart: Chart, matrix: Array, distortion: Array) -> float:
    corners = chart.points_mm[view.numbers].astype(float)
    found, turn, _ = cv2.solvePnP(corners, view.corners, matrix, distortion)
    if not found:
        return 0.0
    return float(np.degrees(np.arccos(np.clip(abs(cv2.Rodrigues(turn)[0][2, 2]), 0, 1))))


def judged(views: Views, lens: Lens | None) -> list[Finding]:
    """Why a lens does not pass, and what to do; nothing where it does."""
    found = [
        hard(f"view-{fault}", count=count)
        for fault, count in sorted(views.faults.items())
        if fault != "same-view" or len(views.views) < LEAST_VIEWS
    ]
    if len(views.views) < LEAST_VIEWS:
        found.append(cannot_be("few-views", count=len(views.views), least=LEAST_VIEWS))
    if lens is None:
        return found
    if lens.covered < LEAST_COVERED:
        found.append(cannot_be("coverage", covered=round(100 * lens.covered), least=round(100 * LEAST_COVERED)))
    if sum(tilt >= LEAST_TILT_DEG for tilt in lens.tilts_deg) < TILTED_VIEWS:
        found.append(cannot_be("straight", least=TILTED_VIEWS, degrees=round(LEAST_TILT_DEG)))
    if lens.residual_px > MOST_RESIDUAL_PX:
        found.append(cannot_be("residual", residual=round(lens.residual_px, 2), most=MOST_RESIDUAL_PX))
    if lens.focal_doubt > MOST_FOCAL_DOUBT:
        doubt, most = round(100 * lens.focal_doubt, 1), round(100 * MOST_FOCAL_DOUBT, 1)
        found.append(cannot_be("focal-doubt", doubt=doubt, most=most))
    if lens.left_out:
        found.append(hard("left-out", views=", ".join(lens.left_out)))
    return found
