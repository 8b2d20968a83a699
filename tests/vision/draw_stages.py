"""The stages of reading spaces in one picture, for docs/vision.md:  python -m tests.vision.draw_stages OUT.jpg"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.commands import own_kit
from companion.observation import Frame
from companion.vision.board import find_boards
from companion.vision.claims import Study
from companion.vision.learned import knowledge_of
from companion.vision.look import look
from companion.vision.overlay import draw
from companion.vision.pieces import studies
from tests.vision.photographs import Wanted, photograph

Array = np.ndarray[Any, Any]
PX_PER_MM = 1.6
HIGH_PX = 420


def upright(found: Study, size_mm: tuple[float, float]) -> Array:
    """The board as seen, turned upright."""
    width, height = (round(mm * PX_PER_MM) for mm in size_mm)
    x, y = np.meshgrid(np.arange(width) / PX_PER_MM, np.arange(height) / PX_PER_MM)
    at = found.sight.view.pixels(found.sight.board, np.stack([x.ravel(), y.ravel()], 1)).astype(np.float32)
    across, down = at[:, 0].reshape(height, width), at[:, 1].reshape(height, width)
    return cv2.remap(found.sight.photo.levels[0], across, down, cv2.INTER_LINEAR)


def without_light(found: Study, seen: Array) -> Array:
    """The same under the light of the kit's pictures."""
    height, width = seen.shape[:2]
    x, y = np.meshgrid(np.arange(width) / PX_PER_MM, np.arange(height) / PX_PER_MM)
    rows = [found.sight.light.at(np.stack(row, 1)) for row in zip(x, y, strict=True)]
    gain, veil = (np.array([row[k] for row in rows]) for k in (0, 1))
    return np.clip((seen - veil) / gain, 0, 255).astype(np.uint8)


def unlike_bare(found: Study, seen: Array) -> Array:
    """How unlike its bare self each space is: the brighter the more."""
    out = (seen * 0.25).astype(np.uint8)
    for k, space in enumerate(found.sight.spaces):
        side = round(max(space.size_mm) * PX_PER_MM)
        left, top = (round((at - max(space.size_mm) / 2) * PX_PER_MM) for at in space.at_mm)
        heat = cv2.applyColorMap(np.round(found.maps[k] * 255).astype(np.uint8), cv2.COLORMAP_INFERNO)
        room = out[max(top, 0) : top + side, max(left, 0) : left + side]
        room[:] = cv2.resize(heat, (side, side))[: room.shape[0], : room.shape[1]]
    return out


def explained(found: Study, seen: Array) -> Array:
    """Where the first claims lie: round what they explain, and a second time if something lies on it."""
    out = seen.copy()
    for claims in found.claims.values():
        middle = tuple(int(mm * PX_PER_MM) for mm in claims[0].head_mm)
        for piece in range(len(claims[0].pieces)):
            radius = int(claims[0].radius_mm * PX_PER_MM) - 4 * piece
            cv2.circle(out, middle, radius, (40, 40, 230) if piece else (60, 220, 60), 2, cv2.LINE_AA)
    return out


def main(path: Path) -> None:
    kit = own_kit("garden-dice")
    known = knowledge_of(kit)
    pixels, _ = photograph(kit, 77, 3, Wanted(hands=0.0, filled=(0.85, 0.97), fill=(0.5, 0.6)))
    view = find_boards(pixels, known.boards, kit, None)
    assert view is not None
    found = next(studies(pixels, view, known.pieces, kit))
    seen = upright(found, kit.boards[0].size_mm)
    told = draw(Frame(pixels), look(Frame(pixels), None, kit, known), kit)
    even = without_light(found, seen)
    rows = [[pixels, seen, even], [told, unlike_bare(found, even), explained(found, even)]]
    cv2.imwrite(str(path), np.vstack([_beside(row) for row in rows]), [cv2.IMWRITE_JPEG_QUALITY, 82])


def _beside(panels: list[Array]) -> Array:
    """Pictures side by side, of one height, framed in white."""
    wide = [round(panel.shape[1] * HIGH_PX / panel.shape[0]) for panel in panels]
    small = [cv2.resize(p, (w, HIGH_PX), interpolation=cv2.INTER_AREA) for p, w in zip(panels, wide, strict=True)]
    return np.hstack([cv2.copyMakeBorder(p, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=(255,) * 3) for p in small])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
