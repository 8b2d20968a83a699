"""What was seen, drawn onto the photograph: legible from a step away, and so that the photograph stays visible."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from companion.kit import Kit, Space
from companion.observation import Frame, NotSeen, Observation
from companion.vision.change import Memory
from companion.vision.view import View

Array = np.ndarray[Any, Any]
Colour = tuple[int, int, int]  # blue, green, red

SURE, DOUBTFUL, BOARD, INK, PAPER = (96, 196, 70), (40, 150, 250), (250, 200, 60), (30, 30, 30), (255, 255, 255)
FONT = cv2.FONT_HERSHEY_SIMPLEX


def draw(frame: Frame, seen: Observation | NotSeen, kit: Kit | None) -> Array:
    """The photograph (height, width, 3) uint8 BGR with boards, pieces, doubts and dice marked."""
    picture = frame.pixels.copy()
    unit = max(picture.shape[1] / 1300, 0.5)  # line widths and letters are for 1300 px
    if isinstance(seen, NotSeen):
        _label(picture, (picture.shape[1] / 2, 40 * unit), f"{seen.error}: {seen.advice}", 0.6 * unit, DOUBTFUL)
        return picture
    for sight in seen.boards.values():
        _outline(picture, np.array(sight.corners_px), BOARD, 2 * unit)
    if kit and isinstance(seen.memory, Memory):
        _draw_spaces(picture, seen, kit, seen.memory.view, unit)
    for die in seen.dice:
        _disc(picture, die.at_px, 15 * unit, SURE, str(die.value), unit)
    for unsure in seen.unsure_dice:
        _disc(picture, unsure.at_px, 15 * unit, DOUBTFUL, "?", unit)
    return picture


def preview(frame: Frame, seen: Observation | None, kit: Kit, widest_px: int) -> Array:
    """The photograph for a screen, at most `widest_px` wide and high: uint8 BGR; what was seen, if anything, marked."""
    picture = draw(frame, seen, kit) if seen is not None else frame.pixels
    shrink = widest_px / max(picture.shape[:2])
    if shrink < 1:
        picture = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(picture)


def space_corners(frame: Frame, seen: Observation, kit: Kit) -> dict[str, tuple[tuple[float, float], ...]]:
    """The corners of each space of the boards that were seen, as shares of the picture's width and height."""
    if not isinstance(seen.memory, Memory):
        return {}
    view, (height, width) = seen.memory.view, frame.pixels.shape[:2]
    spaces = (space for space in kit.spaces if space.board in view.poses)
    quads = {space.id: _quad(space, view) / (width, height) for space in spaces}
    return {id: tuple((float(x), float(y)) for x, y in quad) for id, quad in quads.items()}


def _draw_spaces(picture: Array, seen: Observation, kit: Kit, view: View, unit: float) -> None:
    labels = []
    for space in kit.spaces:
        if space.board not in view.poses:
            continue
        quad = _quad(space, view)
        if space.id in seen.unsure:
            _hatch(picture, quad, unit)
        elif pieces := seen.spaces[space.id].pieces:
            _outline(picture, quad, SURE, 1.5 * unit)
            labels.append((quad, pieces))
    for quad, pieces in labels:  # after all outlines, so that none crosses a word
        room = 1.05 * float(np.linalg.norm(quad[1] - quad[0]))
        texts = [_short(piece, room / unit) for piece in reversed(pieces)]
        wide = max(cv2.getTextSize(text, FONT, 1.0, 1)[0][0] for text in texts)
        size = float(np.clip(room / wide, 0.3 * unit, 0.6 * unit))
        for row, text in enumerate(texts):
            x, y = quad.mean(axis=0)
            _label(picture, (x, y + (row - (len(texts) - 1) / 2) * 36 * size), text, size, SURE)


def _short(piece: str, room: float) -> str:
    """A piece's class by its first letters, as many as its space has room for (px at 1300 px width)."""
    family, _, member = piece.partition("/")
    if room < 30:
        return f"{family[0]}{member[:2]}"
    return f"{family[:3]} {member[:4]}" if member else family[:8]


def _quad(space: Space, view: View) -> Array:
    """The corners of a space: (4, 2) px."""
    half = np.array(space.size_mm) / 2
    return view.pixels(space.board, space.at_mm + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))


def _outline(picture: Array, quad: Array, colour: Colour, width: float) -> None:
    points = [np.round(quad * 16).astype(np.int32)]
    cv2.polylines(picture, points, True, INK, max(1, round(width + 2)), cv2.LINE_AA, shift=4)
    cv2.polylines(picture, points, True, colour, max(1, round(width)), cv2.LINE_AA, shift=4)


def _hatch(picture: Array, quad: Array, unit: float) -> None:
    """Slanted lines over a space that cannot be told."""
    for share in np.linspace(0.0, 1.0, 5):
        for corner, one, other in ((0, 1, 3), (2, 3, 1)):
            start = quad[corner] + (quad[one] - quad[corner]) * share
            end = quad[corner] + (quad[other] - quad[corner]) * share
            a, b = (np.round(point * 16).astype(int).tolist() for point in (start, end))
            cv2.line(picture, a, b, DOUBTFUL, max(1, round(unit)), cv2.LINE_AA, shift=4)
    _outline(picture, quad, DOUBTFUL, unit)


def _label(picture: Array, centre: tuple[float, float], text: str, size: float, colour: Colour) -> None:
    (width, height), _ = cv2.getTextSize(text, FONT, size, 1)
    pad = max(2, round(6 * size))
    x0, y0 = round(centre[0] - width / 2), round(centre[1] - height / 2)
    left, top = max(0, x0 - pad), max(0, y0 - pad)
    box = picture[top : y0 + height + pad, left : x0 + width + pad]
    box[:] = (box * 0.25 + np.array(PAPER) * 0.75).astype(np.uint8)
    cv2.line(picture, (left, y0 + height + pad), (x0 + width + pad, y0 + height + pad), colour, 1, cv2.LINE_AA)
    cv2.putText(picture, text, (x0, y0 + height), FONT, size, INK, 1, cv2.LINE_AA)


def _disc(picture: Array, at: tuple[float, float], radius: float, colour: Colour, text: str, unit: float) -> None:
    centre = (round(at[0]), round(at[1]))
    cv2.circle(picture, centre, round(radius) + 1, INK, -1, cv2.LINE_AA)
    cv2.circle(picture, centre, round(radius), colour, -1, cv2.LINE_AA)
    (width, height), _ = cv2.getTextSize(text, FONT, 0.6 * unit, 2)
    place = (centre[0] - width // 2, centre[1] + height // 2)
    cv2.putText(picture, text, place, FONT, 0.6 * unit, INK, 2, cv2.LINE_AA)
