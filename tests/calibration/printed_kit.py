"""A kit as it comes out of the printer: the pages of its PDF, rasterised, cut out and glued together."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2

from calibration.kit_pages import box_of
from companion.__main__ import main
from companion.commands import own_kit
from companion.kit import Board, Kit, load_kit

Array = np.ndarray[Any, Any]

PX_PER_MM = 6
FLAP_MM, FOOT_MM = 8.0, 24.0


def pages_of(file: Path, px_per_mm: float = PX_PER_MM, numbers: Sequence[int] | None = None) -> list[Array]:
    """The pages of a PDF, all or those of some numbers, as pictures (height, width, 3) uint8 BGR."""
    document = pypdfium2.PdfDocument(file)
    wanted = range(len(document)) if numbers is None else numbers
    scale = px_per_mm * 25.4 / 72
    return [np.asarray(document[i].render(scale=scale).to_numpy())[..., :3].copy() for i in wanted]


def printed_kit(game: str, folder: Path) -> Kit:
    """Our own kit of a game with pictures that were cut from its printed sheets, in a new folder."""
    kit = own_kit(game)
    shutil.copytree(kit.folder, folder)
    for part in ("boards", "pieces"):
        arguments = ["--only", part, "--copies", "1", "--game", game]
        assert main(["print", str(folder / f"{part}.pdf"), *arguments]) == 0
    boards = iter(pages_of(folder / "boards.pdf"))
    for board in kit.boards:
        cv2.imwrite(str(folder / board.image.name), _glued(boards, board))
    pieces = iter(pages_of(folder / "pieces.pdf"))
    box = box_of(kit, 1)
    for size, two_sided in dict.fromkeys((p.face.size_mm, p.back is not None) for p in box):
        same = [p for p in box if p.face.size_mm == size and (p.back is not None) == two_sided]
        sides = [[p.face for p in same], [p.back for p in same]] if two_sided else [[p.face for p in same]]
        for side, names in enumerate(sides):
            page = next(pieces)
            found = _cut_out(page[:, ::-1] if side else page)
            assert len(found) == len(names)
            for piece, cut in zip(names, found, strict=True):
                assert piece is not None
                name = piece.image.relative_to(kit.folder)
                cv2.imwrite(str(folder / name), _framed(cut[:, ::-1] if side else cut, piece.size_mm))
    return load_kit(folder)


def _framed(cut: Array, size_mm: tuple[float, float]) -> Array:
    """A cut piece in the middle of a picture as large as the kit says, transparent around it."""
    width, height = (round(mm * PX_PER_MM) for mm in size_mm)
    spare = [max(0, whole - own) for whole, own in zip((height, width), cut.shape[:2], strict=True)]
    framed = np.pad(cut, [(spare[0] // 2, spare[0] - spare[0] // 2), (spare[1] // 2, spare[1] - spare[1] // 2), (0, 0)])
    over = [(own - whole) // 2 for whole, own in zip((height, width), framed.shape[:2], strict=True)]
    return framed[over[0] : over[0] + height, over[1] : over[1] + width]


def _body(page: Array) -> Array:
    return page[: round(page.shape[0] - FOOT_MM * PX_PER_MM)]


def art_of(page: Array, px_per_mm: float = PX_PER_MM) -> Array:
    """A sheet's share of a board: what is not white, between the marks around it."""
    body = page[: round(page.shape[0] - FOOT_MM * px_per_mm)]
    full = (body.min(axis=2) < 215).astype(np.uint8)  # more than half a pixel of it
    solid = cv2.morphologyEx(full, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8))  # marks are thin
    left, top, width, height = cv2.boundingRect(cv2.findNonZero(solid))
    return body[top : top + height, left : left + width]


def _glued(pages: Any, board: Board) -> Array:
    """Sheets to the right until the board's width is there, then the rows below, each onto the flap before it."""
    flap, rows, high = round(FLAP_MM * PX_PER_MM), [], 0.0
    while high < board.size_mm[1] - 1:
        row, wide = art_of(next(pages)), 0.0
        wide = row.shape[1] / PX_PER_MM
        while wide < board.size_mm[0] - 1:
            row = np.hstack([row[:, :-flap], art_of(next(pages))])
            wide = row.shape[1] / PX_PER_MM
        rows = [*rows[:-1], rows[-1][:-flap], row] if rows else [row]
        high = sum(part.shape[0] for part in rows) / PX_PER_MM
    return np.vstack(rows)


def _cut_out(page: Array) -> list[Array]:
    """The pieces on a page, by rows, cut along their lines: each (height, width, 4)."""
    full = (_body(page).min(axis=2) < 235).astype(np.uint8)
    contours, _ = cv2.findContours(full, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    solid = [c for c in contours if cv2.contourArea(c) > (8 * PX_PER_MM) ** 2]
    boxes = sorted(((cv2.boundingRect(c), c) for c in solid), key=lambda b: (round(b[0][1] / (8 * PX_PER_MM)), b[0][0]))
    cuts = []
    for (x, y, w, h), contour in boxes:
        inside = cv2.drawContours(np.zeros(full.shape, np.uint8), [contour], -1, 255, -1)
        cuts.append(np.dstack([_body(page)[y : y + h, x : x + w], inside[y : y + h, x : x + w]]))
    return cuts
