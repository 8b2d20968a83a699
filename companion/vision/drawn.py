"""What a claim would look like: each explanation of a space drawn as the camera should see it.

A window lies on the plane of a piece's upper face, around it and a little more, WINDOW px wide, upright as the board's
picture.  The board, the pieces' sides and their upper faces are drawn into it by what is known of them, under the light
of the kit's pictures; beside it stands the same window of the photograph, brought under that light.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np

from companion.vision.claims import Claim, Lying, Study
from companion.vision.knowledge import PieceKnowledge
from companion.vision.sight import Sight
from companion.vision.templates import Group
from companion.vision.tops import spotted_each

Array = np.ndarray[Any, Any]

WINDOW = 36  # px
WIDER = 1.5  # than the piece
OTHERS = 5  # claims on a space that are drawn; of the best of each group all that is like it is, too
FEW = 4  # classes of a group, of which all are drawn, however they are turned
SIDE_SHADE = 0.7  # of the colour of a piece's edge: its side
SHIFT = 4  # bits of a pixel's parts in what OpenCV fills


@dataclass(frozen=True)
class Explanation:
    """What may lie on a space: nothing, a piece, a piece and one on it."""

    base: Lying | None
    top: Lying | None = None

    @property
    def pieces(self) -> tuple[str, ...]:
        return tuple(lying.name for lying in (self.base, self.top) if lying)


def explanations(found: Study, known: PieceKnowledge, rows: Sequence[int]) -> list[tuple[int, Explanation]]:
    """All that is worth comparing with spaces `rows` on which there are claims; bare is always among it."""
    out: dict[tuple[int, Explanation], None] = {}
    mains: list[tuple[int, Claim]] = []
    for k in rows:
        claims = list({claim.pieces: claim for claim in reversed(found.claims[k])}.values())[::-1]
        for claim in claims[:OTHERS]:
            out[k, Explanation(claim.base, claim.claimed_top)] = None
        of_groups = {known.number_of(claim.base.name): claim for claim in reversed(claims)}
        mains += [(k, claim) for claim in of_groups.values()]
        out[k, Explanation(None)] = None
    for k, claim in mains:
        out.update(dict.fromkeys((k, one) for one in _like(claim, known)))
    out.update(dict.fromkeys(_with_plain_tops(found.sight, known, mains)))
    return list(out)


def _like(claim: Claim, known: PieceKnowledge) -> Iterator[Explanation]:
    """The same without what lies on it, other classes in its place, and others on it."""
    base, top, group = claim.base, claim.top, known.group_of(claim.base.name)
    yield Explanation(base)
    if group.even or len(group.names) <= FEW:
        for name in group.names:
            yield Explanation(replace(base, name=name), claim.claimed_top)
    if top is None or known.group_of(top.name).even:
        return
    for name in known.group_of(top.name).names:
        yield Explanation(base, replace(top, name=name))
    if claim.claimed_top:  # what is seen best is the piece on top: the other is below it
        for name in group.names if len(group.names) <= FEW else (base.name,):
            yield Explanation(replace(base, name=name, at_mm=top.at_mm), top)


def _with_plain_tops(
    sight: Sight, known: PieceKnowledge, claims: Sequence[tuple[int, Claim]]
) -> Iterator[tuple[int, Explanation]]:
    """The bases of claims with pieces of plain colours on them, each where it would lie."""
    by_base: dict[int, list[tuple[int, Claim]]] = {}
    for k, claim in claims:
        by_base.setdefault(known.number_of(claim.base.name), []).append((k, claim))
    for number, some in by_base.items():
        group = known.groups[number]
        for top in (known.groups[t] for t in known.tops[number] if known.groups[t].even):
            space, at = np.array([k for k, _ in some]), np.array([claim.base.at_mm for _, claim in some])
            height = np.array([claim.base.height_mm for _, claim in some]) + top.height_mm
            reach = (group.reach_mm - top.reach_mm) / 2 + 0.1 * top.reach_mm
            places = spotted_each(sight, top, space, at, height, reach)
            for row, (k, claim) in enumerate(some):
                for name, (x, y) in zip(top.names, places[row], strict=True):
                    yield k, Explanation(claim.base, Lying(name, (float(x), float(y)), 0.0, float(height[row])))


@dataclass(frozen=True, eq=False)
class Windows:
    """Explanations beside what they should explain."""

    seen: Array  # (n, 3, WINDOW, WINDOW) float32, levels of the print
    drawn: Array  # the same
    blur: Array  # (n,) px of the photograph by one of the window
    sigma: Array  # (n,) the spread of a pixel

    def rows(self, which: Array) -> Windows:
        return Windows(**{name: value[which] for name, value in vars(self).items()})


def windows(found: Study, known: PieceKnowledge, asked: Sequence[tuple[int, Explanation]]) -> Windows:
    """The windows of explanations of spaces, by their numbers.  What has the same base has the same window."""
    sight = found.sight
    bases = list(dict.fromkeys((k, one.base) for k, one in asked))
    number = {base: row for row, base in enumerate(bases)}
    space = np.array([k for k, _ in bases], int)
    planes = [_plane_of(sight, known, k, base) for k, base in bases]
    centre, height = np.array([plane.centre for plane in planes]), np.array([plane.height_mm for plane in planes])
    px_mm = np.array([plane.px_mm for plane in planes])
    seen = np.empty((len(bases), 3, WINDOW, WINDOW), np.float32)
    for step in np.unique(px_mm):
        rows = np.flatnonzero(px_mm == step)
        seen[rows] = sight.cut(centre[rows], np.zeros(len(rows)), height[rows], step * WINDOW, WINDOW, space[rows])
    below = [_draw_base(sight, known, base, plane) for (_, base), plane in zip(bases, planes, strict=True)]
    owner = np.array([number[k, one.base] for k, one in asked], int)
    drawn = np.empty((len(asked), 3, WINDOW, WINDOW), np.float32)
    for row, (_, one) in enumerate(asked):
        picture = below[owner[row]]
        if one.base and one.top:
            picture = picture.copy()
            _draw_piece(picture, planes[owner[row]], known, one.top, one.base.height_mm)
        drawn[row] = picture.transpose(2, 0, 1)
    np.minimum(drawn, sight.most[space[owner]][..., None, None], out=drawn)
    blur = np.array([sight.view.scale(sight.board, tuple(at)) for at in sight.at[space]]) * px_mm
    return Windows(seen[owner], drawn, blur[owner].astype(np.float32), sight.sigma[space[owner]])


@dataclass(frozen=True, eq=False)
class _Plane:
    """A window: from points at any height of the board to its pixels."""

    camera: Array
    centre: Array
    height_mm: float
    px_mm: float

    def scale(self, height_mm: float) -> float:
        return float((self.camera[2] - self.height_mm) / max(self.camera[2] - height_mm, 1.0))

    def px(self, points: Array, height_mm: float) -> Array:
        """Where points (n, 2) of so high are seen: (n, 2) px."""
        on_plane = self.camera[:2] + (points - self.camera[:2]) * self.scale(height_mm)
        return np.asarray((on_plane - self.centre) / self.px_mm + (WINDOW - 1) / 2)


def _plane_of(sight: Sight, known: PieceKnowledge, space: int, base: Lying | None) -> _Plane:
    """The window on a piece, or on a space with nothing on it."""
    if base:
        px_mm = WIDER * known.group_of(base.name).reach_mm / WINDOW
        return _Plane(sight.camera, np.array(base.at_mm), base.height_mm, px_mm)
    return _Plane(sight.camera, sight.at[space], 0.0, WIDER * known.largest[sight.spaces[space].id] / WINDOW)


def _draw_base(sight: Sight, known: PieceKnowledge, base: Lying | None, plane: _Plane) -> Array:
    """The board in a window and what lies on it, (WINDOW, WINDOW, 3) float32."""
    board = sight.known
    step = board.fine_mm * plane.scale(0.0) / plane.px_mm
    middle = plane.px(np.zeros((1, 2)), 0.0)[0] + step / 2  # of the first pixel of the board's picture
    matrix = np.array([[step, 0, middle[0]], [0, step, middle[1]]])
    out = cv2.warpAffine(board.fine, matrix, (WINDOW, WINDOW), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if base:
        _draw_piece(out, plane, known, base, 0.0)
    return out


def _draw_piece(out: Array, plane: _Plane, known: PieceKnowledge, lying: Lying, low_mm: float) -> None:
    """A piece that stands at `low_mm`: its side, and its upper face over that."""
    group = known.group_of(lying.name)
    face, rim, outline = _faces(group)[group.names.index(lying.name)]
    cos, sin = np.cos(lying.turn), np.sin(lying.turn)
    turn = np.array([[cos, -sin], [sin, cos]])
    points = outline @ turn.T + lying.at_mm
    sides = np.concatenate([plane.px(points, low_mm), plane.px(points, lying.height_mm)])
    hull = cv2.convexHull((sides * (1 << SHIFT)).round().astype(np.int32))
    cv2.fillConvexPoly(out, hull, (rim * SIDE_SHADE).tolist(), cv2.LINE_8, SHIFT)
    scale = plane.scale(lying.height_mm) * group.reach_mm / group.side / plane.px_mm
    at = plane.px(np.array([lying.at_mm]), lying.height_mm)[0]
    matrix = np.empty((2, 3))
    matrix[:, :2] = turn * scale
    matrix[:, 2] = at - matrix[:, :2] @ np.full(2, (group.side - 1) / 2)
    seen = cv2.warpAffine(face, matrix, (WINDOW, WINDOW), flags=cv2.INTER_LINEAR)
    cover = seen[..., 3:]
    out *= 1 - cover
    out += seen[..., :3]


@cache
def _faces(group: Group) -> list[tuple[Array, Array, Array]]:
    """Of each class: its picture with its opacity (side, side, 4), colours weighed by it; its edge's mean colour; its
    outline (n, 2) mm."""
    found = []
    for picture, mask in zip(group.pictures, group.masks, strict=True):
        face = np.concatenate([picture * mask, mask[None]]).transpose(1, 2, 0)
        solid = np.pad((mask > 0.5).astype(np.uint8), 1)
        edge = (solid - cv2.erode(solid, np.ones((3, 3), np.uint8)))[1:-1, 1:-1] > 0
        contour = max(cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0], key=cv2.contourArea)
        hull = cv2.convexHull(contour)[:, 0].astype(float)
        away = hull - (group.side + 1) / 2
        away *= 1 + 0.5 / np.maximum(np.hypot(*away.T), 1.0)[:, None]  # to the outer side of its pixels
        rim = picture[:, edge].mean(1) if edge.any() else picture.mean((1, 2))
        found.append((np.ascontiguousarray(face), rim, away * group.reach_mm / group.side))
    return found
