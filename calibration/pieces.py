"""Pieces cut out of pictures of the teaching sheet: each cell has one, in an order that was agreed on.

White paper around a piece says how light falls there, markers beside it say where everything lies and how large it is.
What stands higher than the paper is seen nearer to the camera: with a known lens that is taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.findings import Finding, cannot_be, hard
from calibration.flatten import WHITE_LEVEL, Straight, from_linear, straightened, to_linear
from calibration.marked_sheets import TEACHING, TEACHING_CELL_MM, teaching_cells
from calibration.piece_outline import PX_PER_MM, across, hex_turn, outlined, without_sides
from calibration.sheet_finding import found_sheet
from companion.observation import Calibration

Array = np.ndarray[Any, Any]

BORDER_MM = 4.0  # of a cell, that a piece leaves free
SAME_SIZE = 0.05  # sizes that differ by less are one size, measured several times
RIM_MM = 0.4  # of a piece's edge, in which paper shows
FULL = 0.93  # of its outline's box, that a square piece without round corners fills
ENOUGH_COPIES = 3  # of a class, to tell what colour they are on the whole
BROAD, LEAST_LIGHT = 0.25, 0.01  # by its width, over how much of a piece that is taken; of white, what tells none


@dataclass(frozen=True, eq=False)
class Cut:
    """A piece cut out: (height, width, 4) uint8 BGRA at PX_PER_MM, upright as it lay, and its size."""

    picture: Array
    size_mm: tuple[float, float]
    sharpness: float


@dataclass(frozen=True, eq=False)
class Plane:
    """A height above the teaching sheet: from its mm to px (3, 3), and how what stands up to it is seen.

    Of a piece that does not lie right under the camera one side is seen below its edge, towards the camera's foot.
    """

    onto: Array
    foot_mm: Array | None = None  # (2,) the place under the camera
    lift: float = 1.0  # by how much nearer the paper is to the foot than it is seen


def sheet_plane(photo: Straight, lens: Calibration | None, height_mm: float) -> Plane | None:
    """At a height above the paper; None where the sheet is not seen, the paper itself where the lens is not known."""
    flat = found_sheet(photo.pixels, TEACHING, photo.markers)
    if flat is None:
        return None
    if lens is None or height_mm == 0:
        return Plane(flat)
    own = [number for number in TEACHING.markers if number in photo.markers]
    points = np.concatenate([np.hstack([TEACHING.corners_mm(number), np.zeros((4, 1))]) for number in own])
    places = np.concatenate([photo.markers[number] for number in own])
    scale = photo.pixels.shape[1] / lens.size_px[0]
    (cx, cy), f = (value * scale for value in lens.centre_px), lens.focal_px * scale
    matrix = np.array([[f, 0, cx], [0, f, cy], [0, 0, 1.0]])
    found, turn, shift = cv2.solvePnP(points, places, matrix, np.zeros(5))
    if not found:
        return Plane(flat)
    rotation = cv2.Rodrigues(turn)[0]
    lifted = shift.ravel() - rotation[:, 2] * height_mm  # the sheet's z runs into the table
    foot = -rotation.T @ shift.ravel()
    above = abs(float(foot[2]))
    onto = matrix @ np.column_stack([rotation[:, 0], rotation[:, 1], lifted])
    return Plane(np.asarray(onto), foot[:2], above / max(above - height_mm, 1.0))


def cells(photo: Straight, plane: Plane) -> Iterator[tuple[Array, Array | None]]:
    """Each cell upright at PX_PER_MM, (side, side, 3) uint8 BGR, and the camera's foot in its px; row by row."""
    side = round(TEACHING_CELL_MM * PX_PER_MM)
    shift = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1.0]])
    for x, y in teaching_cells():
        corner = np.array([x, y]) - TEACHING_CELL_MM / 2
        from_px = np.array([[1 / PX_PER_MM, 0, corner[0]], [0, 1 / PX_PER_MM, corner[1]], [0, 0, 1]]) @ shift
        cell = cv2.warpPerspective(
            photo.pixels, plane.onto @ from_px, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        )
        yield cell, None if plane.foot_mm is None else (plane.foot_mm - corner) * PX_PER_MM - 0.5


def evened(cell: Array) -> Array:
    """A cell by the light on its paper: linear, 1 is white; (side, side, 3) float32."""
    light = to_linear(cell).astype(np.float32)
    side = light.shape[0]
    y, x = np.mgrid[:side, :side] / side - 0.5
    terms = np.stack([np.ones_like(x), x, y], axis=2).reshape(-1, 3)
    rim = (np.maximum(np.abs(x), np.abs(y)) > 0.5 - BORDER_MM / TEACHING_CELL_MM).ravel()
    paper = np.empty_like(light)
    for c in range(3):
        values, kept = light[..., c].ravel(), rim.copy()
        for _ in range(4):  # corner marks and shadows are darker than the paper
            fit = np.linalg.lstsq(terms[kept], values[kept], rcond=None)[0]
            kept = rim & (values > 0.92 * (terms @ fit))
        paper[..., c] = (terms @ fit).reshape(side, side)
    return np.asarray(light / np.maximum(paper, 0.02))


def cut_out(cell: Array, shape: str, foot: Array | None = None, lift: float = 1.0) -> Cut | str:
    """The piece in a cell: `empty` where there is none, `over-the-cell` where it reaches its edge."""
    light = evened(cell)
    hull = outlined(light)
    if hull is None:
        return "empty"
    side, margin = cell.shape[0], 2.0 * PX_PER_MM
    if hull.min() < margin or hull.max() > side - 1 - margin:
        return "over-the-cell"
    hull = without_sides(hull, foot, lift)
    middle, (w, h), turn = _box(hull, shape)
    size = (max(8, round(w)), max(8, round(h)))
    warp = cv2.getRotationMatrix2D(middle, turn, 1)
    warp[:, 2] += np.array([(size[0] - 1) / 2 - middle[0], (size[1] - 1) / 2 - middle[1]])
    white = to_linear(np.array([WHITE_LEVEL]))[0]
    pixels = from_linear(
        cv2.warpAffine(light, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) * white
    )
    alpha = _alpha(hull, warp, size, shape, _area(hull) / (w * h))
    pixels = _to_the_rim(pixels, alpha)
    sharp = float(np.abs(cv2.Laplacian(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), cv2.CV_32F)).mean())
    return Cut(np.dstack([pixels, alpha]), (w / PX_PER_MM, h / PX_PER_MM), sharp)


def _box(hull: Array, shape: str) -> tuple[tuple[float, float], tuple[float, float], float]:
    """The middle and size in px of the upright picture of what has an outline (N, 2), and its turn in degrees."""
    (x, y), _, turn = cv2.minAreaRect(hull.astype(np.float32))
    if shape == "disc":
        middle, wide = (hull.min(axis=0) + hull.max(axis=0)) / 2, np.sqrt(4 * _area(hull) / np.pi)
        return (float(middle[0]), float(middle[1])), (float(wide), float(wide)), 0.0
    turn = (turn + 45) % 90 - 45 if shape == "square" else hex_turn(hull)
    about = cv2.getRotationMatrix2D((x, y), turn, 1)
    upright = cv2.transform(hull[None], about)[0]
    if shape == "square":
        return (x, y), across(upright), turn
    low, high = upright.min(axis=0), upright.max(axis=0)
    middle = cv2.transform(((low + high) / 2)[None, None], cv2.invertAffineTransform(about))[0, 0]
    return (float(middle[0]), float(middle[1])), (float(high[0] - low[0]), float(high[1] - low[1])), turn


def _area(hull: Array) -> float:
    return float(cv2.contourArea(hull.astype(np.float32)))


def _alpha(hull: Array, warp: Array, size: tuple[int, int], shape: str, filled: float) -> Array:
    """How opaque a piece is, (height, width) uint8; its outermost half pixel belongs to the paper."""
    fine = 4
    alpha = np.zeros((size[1] * fine, size[0] * fine), np.uint8)
    if shape == "disc":
        centre = ((alpha.shape[1] - 1) // 2, (alpha.shape[0] - 1) // 2)
        cv2.ellipse(alpha, centre, (alpha.shape[1] // 2 - 1, alpha.shape[0] // 2 - 1), 0, 0, 360, (255,), -1)
    elif shape == "square" and filled > FULL:
        alpha[:] = 255
    else:
        there = (cv2.transform(hull[None], warp)[0] + 0.5) * fine
        cv2.fillConvexPoly(alpha, np.rint(there).astype(np.int32), (255,))
    return cv2.resize(alpha, size, interpolation=cv2.INTER_AREA)


def _to_the_rim(pixels: Array, alpha: Array) -> Array:
    """A piece's picture (height, width, 3), its outermost RIM_MM as what lies next to it: paper has blurred into it."""
    inside = cv2.copyMakeBorder(alpha, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=(0,)) > 127
    depth = cv2.distanceTransform(inside.astype(np.uint8), cv2.DIST_L2, 5)[1:-1, 1:-1]
    rim = (depth <= RIM_MM * PX_PER_MM).astype(np.uint8)
    if rim.all():
        return pixels
    _, labels = cv2.distanceTransformWithLabels(rim, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    of_label = np.zeros((int(labels.max()) + 1, 3), pixels.dtype)
    of_label[labels[rim == 0]] = pixels[rim == 0]
    return np.asarray(of_label[labels])


def _whole(cuts: Sequence[Cut]) -> list[Cut]:
    """Those about as large as the largest: of the others what is printed inside the rim was taken for all of it."""
    areas = [cut.size_mm[0] * cut.size_mm[1] for cut in cuts]
    return [cut for cut, area in zip(cuts, areas, strict=True) if area > (1 - 2 * SAME_SIZE) * max(areas)]


def _middle_of(copies: Sequence[Array]) -> Array:
    """The first picture (height, width, 4) of several of one class, as bright and of such a colour as all on the whole.

    Copies are printed a little differently, and none is the one that will be played with.  Of two nobody can tell which
    is the odd one.
    """
    if len(copies) < ENOUGH_COPIES:
        return copies[0]
    broad = BROAD * max(copies[0].shape[:2])
    tones = []
    for copy in copies:
        weight = copy[..., 3:].astype(np.float32) / 255
        light = np.dstack([to_linear(copy[..., :3]) * weight, weight]).astype(np.float32)
        soft = cv2.GaussianBlur(light, (0, 0), broad)
        tones.append(np.log(np.maximum(soft[..., :3] / np.maximum(soft[..., 3:], 1e-3), LEAST_LIGHT)))
    gain = np.exp(np.mean(tones, axis=0) - tones[0])
    return np.dstack([from_linear(to_linear(copies[0][..., :3]) * gain), copies[0][..., 3]])


class Cutting:
    """The pieces of one laying after the other; `order` names the class in each cell, `-` leaves it free."""

    def __init__(self, order: Sequence[str], lens: Calibration | None, shape: str, height_mm: float) -> None:
        self.order, self.lens, self.shape, self.height_mm = list(order), lens, shape, height_mm
        self.cuts: dict[str, list[Cut]] = {}
        self.faults: list[Finding] = []
        self._at = 0

    @property
    def complete(self) -> bool:
        return self._at >= len(self.order)

    def awaited(self) -> list[str]:
        """What should lie on the sheet next, cell by cell."""
        return self.order[self._at : self._at + len(teaching_cells())]

    def add(self, name: str, pixels: Array) -> tuple[str, int]:
        """Cut the next laying out of a picture: what came of it, and how many pieces."""
        photo = straightened(name, pixels, self.lens)
        plane = sheet_plane(photo, self.lens, self.height_mm)
        if plane is None:
            return "no-sheet", 0
        count = 0
        for number, (wanted, (cell, foot)) in enumerate(zip(self.awaited(), cells(photo, plane), strict=False), 1):
            if wanted == "-":
                continue
            cut = cut_out(cell, self.shape, foot, plane.lift)
            if isinstance(cut, str):
                self.faults.append(cannot_be(f"cell-{cut}", picture=name, cell=number, piece=wanted))
            else:
                self.cuts.setdefault(wanted, []).append(cut)
                count += 1
        self._at += len(teaching_cells())
        return "cut", count

    def rows(self, known: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, Array]]:
        """The rows of `[[piece]]` and the pictures by name; a size that is nearly that of a known row is that one."""
        rows, pictures = [], {}
        sizes = [tuple(row["size_mm"]) for row in known if row["shape"] == self.shape]
        measured = {name: np.median([cut.size_mm for cut in _whole(cuts)], axis=0) for name, cuts in self.cuts.items()}
        for name, cuts in self.cuts.items():
            like = [s for s in measured.values() if np.abs(s / measured[name] - 1).max() < SAME_SIZE]
            size = np.median(like, axis=0)
            if self.shape != "hex" and abs(size[0] / size[1] - 1) < SAME_SIZE:
                size = np.full(2, size.mean())
            near = [s for s in sizes if np.abs(np.array(s) / size - 1).max() < SAME_SIZE]
            final = near[0] if near else (round(float(size[0]), 1), round(float(size[1]), 1))
            sizes.append(final)
            image = f"pieces/{name.replace('/', '-')}.png"
            px = (round(final[0] * PX_PER_MM), round(final[1] * PX_PER_MM))
            whole = sorted(_whole(cuts), key=lambda cut: -cut.sharpness)
            pictures[image] = _middle_of([cv2.resize(c.picture, px, interpolation=cv2.INTER_LINEAR) for c in whole])
            row = {
                "class": name,
                "image": image,
                "size_mm": list(final),
                "height_mm": self.height_mm,
                "shape": self.shape,
            }
            rows.append(row)
        return rows, pictures

    def problems(self) -> list[Finding]:
        found = list(self.faults)
        if not self.cuts:
            found.append(cannot_be("no-pieces"))
        elif not self.complete:
            found.append(cannot_be("more-layings", pieces=", ".join(self.order[self._at :])))
        if self.lens is None and self.height_mm > 0:
            found.append(hard("no-lens-height"))
        for name, cuts in self.cuts.items():
            sizes = np.array([cut.size_mm for cut in cuts])
            if (np.ptp(sizes, axis=0) > 2 * SAME_SIZE * sizes.mean(axis=0)).any():
                found.append(hard("sizes-differ", piece=name))
        return found
