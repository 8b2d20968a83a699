"""What a claim would look like: each explanation of a space drawn as the camera should see it.

A window lies on the plane of a piece's upper face, around it and a little more, WINDOW px wide, upright as the board's
picture.  The board, the pieces' sides and their upper faces are drawn into it by what is known of them, under the light
of the kit's pictures; beside it stands the same window of the photograph, brought under that light.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np

from companion.vision.claims import Explanation, Lying, Study
from companion.vision.knowledge import PieceKnowledge
from companion.vision.rectify import turned
from companion.vision.sight import Sight
from companion.vision.templates import Group

Array = np.ndarray[Any, Any]

WINDOW = 36  # px
WIDER = 1.5  # than the piece
SIDE_SHADE = 0.7  # of the colour of a piece's edge: its side
FRAME = 3  # px of nothing about a face: one before it, two after it, for OpenCV is slow at the edge of a picture
SHIFT = 4  # bits of a pixel's parts in what OpenCV fills


@dataclass(frozen=True, eq=False)
class Windows:
    """Explanations beside what they should explain."""

    seen: Array  # (n, 3, WINDOW, WINDOW) float32, levels of the print
    drawn: Array  # the same
    blur: Array  # (n,) px of the photograph by one of the window
    sigma: Array  # (n,) the spread of a pixel

    def rows(self, which: Array | slice) -> Windows:
        return Windows(**{name: value[which] for name, value in vars(self).items()})


def windows(found: Study, known: PieceKnowledge, asked: Sequence[tuple[int, Explanation]]) -> Windows:
    """The windows of explanations of spaces, by their numbers.  What has the same base has the same window."""
    sight = found.sight
    bases = list(dict.fromkeys((k, one.base, one.wide_mm) for k, one in asked))
    number = {base: row for row, base in enumerate(bases)}
    space = np.array([k for k, *_ in bases], int)
    planes = _planes_of(sight, known, bases)
    seen = np.empty((len(bases), 3, WINDOW, WINDOW), np.float32)
    for step in np.unique(planes.px_mm):
        rows = np.flatnonzero(planes.px_mm == step)
        centre, height = planes.centre[rows], planes.height_mm[rows]
        seen[rows] = sight.cut(centre, np.zeros(len(rows)), height, step * WINDOW, WINDOW, space[rows])
    below = _boards(sight, planes)
    _draw(below, planes, known, [(row, base, 0.0) for row, (_, base, _) in enumerate(bases) if base])
    owner = np.array([number[k, one.base, one.wide_mm] for k, one in asked], int)
    drawn, planes = below[owner], planes.rows(owner)
    tops = [(row, one.top, one.base.height_mm) for row, (_, one) in enumerate(asked) if one.base and one.top]
    _draw(drawn, planes, known, tops)
    levels = np.empty((len(asked), 3, WINDOW * WINDOW), np.float32)
    for colour, plane in enumerate(cv2.split(drawn)):
        np.minimum(plane, sight.most[space[owner], colour, None], out=levels[:, colour])
    blur = sight.view.scales(sight.board, sight.at[space])[owner] * planes.px_mm
    return Windows(seen[owner], levels.reshape(-1, *seen.shape[1:]), blur.astype(np.float32), sight.sigma[space[owner]])


@dataclass(frozen=True, eq=False)
class _Planes:
    """Windows: from points at any height of the board to their pixels."""

    camera: Array  # (3,) mm
    centre: Array  # (n, 2) mm
    height_mm: Array  # (n,)
    px_mm: Array  # (n,)

    def rows(self, which: Array) -> _Planes:
        return _Planes(self.camera, self.centre[which], self.height_mm[which], self.px_mm[which])

    def scale(self, height_mm: Array | float) -> Array:
        """How much larger what is at a height appears on each plane: (n,)."""
        return np.asarray((self.camera[2] - self.height_mm) / np.maximum(self.camera[2] - height_mm, 1.0))

    def px(self, points: Array, height_mm: Array | float) -> Array:
        """Where points (n, k, 2) at a height, or at heights (n,), are seen: (n, k, 2) px."""
        camera = self.camera[:2]
        on_plane = camera + (points - camera) * self.scale(height_mm)[:, None, None]
        return np.asarray((on_plane - self.centre[:, None]) / self.px_mm[:, None, None] + (WINDOW - 1) / 2)


def _planes_of(sight: Sight, known: PieceKnowledge, bases: Sequence[tuple[int, Lying | None, float | None]]) -> _Planes:
    """The windows on pieces, or on spaces with nothing on them."""
    centre = np.array([base.at_mm if base else sight.at[k] for k, base, _ in bases])
    height = np.array([base.height_mm if base else 0.0 for _, base, _ in bases])
    of_piece = [
        known.group_of(base.name).reach_mm if base else known.largest[sight.spaces[k].id] for k, base, _ in bases
    ]
    wide = [wide or own for (_, _, wide), own in zip(bases, of_piece, strict=True)]
    return _Planes(sight.camera, centre, height, WIDER * np.array(wide) / WINDOW)


def _boards(sight: Sight, planes: _Planes) -> Array:
    """The board as it is seen in n windows: (n, WINDOW², 3) uint8."""
    board, n = sight.known, len(planes.px_mm)
    step = (board.fine_mm * planes.scale(0.0) / planes.px_mm)[:, None]
    middle = planes.px(np.zeros((n, 1, 2)), 0.0)[:, 0] + step / 2  # of the first pixel of the board's picture
    maps = np.empty((2, n, WINDOW, WINDOW), np.float32)
    across, down = (((np.arange(WINDOW) - middle[:, k : k + 1]) / step).astype(np.float32) for k in (0, 1))
    maps[0], maps[1] = across[:, None], down[:, :, None]
    # A row for each window: OpenCV is slow where rows are short.
    x, y = maps.reshape(2, n, -1)
    return cv2.remap(board.fine, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _draw(out: Array, planes: _Planes, known: PieceKnowledge, lying: Sequence[tuple[int, Lying, float]]) -> None:
    """Pieces that stand at heights, each in the window of its row: their sides, and their upper faces over that."""
    by_group: dict[int, list[tuple[int, Lying, float]]] = {}
    for one in lying:
        by_group.setdefault(known.number_of(one[1].name), []).append(one)
    for number, some in by_group.items():
        rows = np.array([row for row, _, _ in some])
        _draw_group(out, rows, planes.rows(rows), known.groups[number], some)


def _draw_group(
    out: Array, rows: Array, planes: _Planes, group: Group, some: Sequence[tuple[int, Lying, float]]
) -> None:
    faces = _faces(group)
    kind = np.array([group.names.index(piece.name) for _, piece, _ in some])
    at, turn = np.array([piece.at_mm for _, piece, _ in some]), np.array([piece.turn for _, piece, _ in some])
    low, high = np.array([low for _, _, low in some]), np.array([piece.height_mm for _, piece, _ in some])
    points = turned(faces.outlines[kind], turn) + at[:, None]
    sides = np.concatenate([planes.px(points, low), planes.px(points, high)], 1)
    hulls, shades = (sides * (1 << SHIFT)).round().astype(np.int32), (faces.rims[kind] * SIDE_SHADE).tolist()
    pictures = out.reshape(-1, WINDOW, WINDOW, 3)
    for row, corners, shade in zip(rows.tolist(), hulls, shades, strict=True):
        cv2.fillConvexPoly(pictures[row], cv2.convexHull(corners), shade, cv2.LINE_8, SHIFT)
    scale = planes.scale(high) * group.reach_mm / group.side / planes.px_mm
    cos, sin = np.cos(turn) / scale, np.sin(turn) / scale
    x, y = planes.px(at[:, None], high)[:, 0].T
    middle = (group.side - 1) / 2
    to_face = np.array([[cos, sin, middle - cos * x - sin * y], [-sin, cos, middle + sin * x - cos * y]])
    across, down = to_face.transpose(0, 2, 1).astype(np.float32) @ _pixels()
    # One picture below the other, each framed by nothing: beyond its frame nothing is seen of it, nor of the next.
    for places in (across, down):
        np.clip(places, -1, group.side, out=places)
    down += (kind * (group.side + FRAME))[:, None].astype(np.float32)
    face = cv2.remap(faces.stacked, across + 1, down + 1, cv2.INTER_LINEAR)
    cover = cv2.extractChannel(face, 3) * np.float32(1 / 255)
    out[rows] = cv2.blendLinear(cv2.cvtColor(face, cv2.COLOR_BGRA2BGR), out[rows], cover, 1 - cover)


@cache
def _pixels() -> Array:
    """The columns and rows of a window's px, and ones: (3, WINDOW²) float32."""
    y, x = np.mgrid[:WINDOW, :WINDOW]
    return np.stack([x.ravel(), y.ravel(), np.ones(WINDOW * WINDOW)]).astype(np.float32)


@dataclass(frozen=True, eq=False)
class _Faces:
    """What the classes of a group are drawn from."""

    stacked: Array  # (classes · (side + FRAME), side + FRAME, 4) uint8: one below the other, colours and opacity
    rims: Array  # (classes, 3) the mean colours of their edges
    outlines: Array  # (classes, n, 2) mm, closed by repeating the first point


@cache
def _faces(group: Group) -> _Faces:
    faces, rims, outlines = [], [], []
    for picture, mask in zip(group.pictures, group.masks, strict=True):
        face = cv2.copyMakeBorder(picture.transpose(1, 2, 0), 1, FRAME - 1, 1, FRAME - 1, cv2.BORDER_REPLICATE)
        opacity = np.pad(255 * mask, (1, FRAME - 1))
        faces.append(np.dstack([face, opacity]).round().clip(0, 255).astype(np.uint8))
        solid = np.pad((mask > 0.5).astype(np.uint8), 1)
        edge = (solid - cv2.erode(solid, np.ones((3, 3), np.uint8)))[1:-1, 1:-1] > 0
        contour = max(cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0], key=cv2.contourArea)
        hull = cv2.convexHull(contour)[:, 0].astype(float)
        away = hull - (group.side + 1) / 2
        away *= 1 + 0.5 / np.maximum(np.hypot(*away.T), 1.0)[:, None]  # to the outer side of its pixels
        rims.append(picture[:, edge].mean(1) if edge.any() else picture.mean((1, 2)))
        outlines.append(away * group.reach_mm / group.side)
    most = max(len(outline) for outline in outlines)
    closed = [np.concatenate([outline, outline[:1].repeat(most - len(outline), 0)]) for outline in outlines]
    return _Faces(np.ascontiguousarray(np.concatenate(faces)), np.array(rims), np.array(closed))
