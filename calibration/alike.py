"""What will be hard to read of a kit, measured on its pictures: pieces that look alike, boards that say too little."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.findings import Finding, cannot_be, hard
from companion.kit import Board, Kit, Piece
from companion.vision.picture import megapixels
from companion.vision.templates import flat

Array = np.ndarray[Any, Any]

MOST_MEGAPIXELS = 40.0  # as the eye takes them
STRETCHED = 0.03  # by how much more a picture may be stretched one way than the other
COARSE_PX_PER_MM = {"board": 1.5, "piece": 2.0}  # of a picture that is too coarse to learn from
SIDE, TURN_STEPS = 32, 36  # px and turns at which pieces are compared
SAME, NEARLY_SAME = 10.0, 18.0  # grey levels between two pictures that look the same, or nearly so, to the eye
MOST_GAIN, MOST_VEIL = 1.25, 25.0  # of the light left over, by which two pictures may differ and be the same
PLAIN = 6.0  # levels: a board's picture that varies by less has nothing to be found by
TURNED, TURNED_MM2 = 60.0, 60.0  # levels and area by which a board must differ from itself turned


def read_picture(path: Path) -> Array | None:
    """(height, width, 3 or 4) uint8 BGR(A); None where it is no picture, or too large a one to be opened."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if not 0 < megapixels(content) <= MOST_MEGAPIXELS:
        return None
    try:
        pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None
    if pixels is None:
        return None
    if pixels.dtype == np.uint16:
        pixels = np.asarray(pixels // 256, np.uint8)
    return cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR) if pixels.ndim == 2 else np.asarray(pixels)


def picture_findings(kit: Kit) -> list[Finding]:
    """All that is wrong with a kit's pictures, or hard about them."""
    pictures: dict[Path, Array] = {}
    found: list[Finding] = []
    things: list[Board | Piece] = [*kit.boards, *kit.pieces]
    for thing in things:
        picture = read_picture(thing.image)
        if picture is None:
            limit = f"{MOST_MEGAPIXELS:.0f}"
            found.append(cannot_be("no-picture", image=_inside(kit, thing.image), most=limit))
            continue
        pictures[thing.image] = picture
        found += _of_a_picture(kit, thing, picture)
    for board in kit.boards:
        if board.image in pictures:
            found += _of_a_board(kit, board, pictures[board.image])
    found += (pair.finding() for pair in look_alikes(kit, pictures) if pair.levels < NEARLY_SAME)
    return found


def _inside(kit: Kit, image: Path) -> str:
    return image.relative_to(kit.folder).as_posix()


def _of_a_picture(kit: Kit, thing: Board | Piece, picture: Array) -> Iterator[Finding]:
    what = "board" if isinstance(thing, Board) else "piece"
    image, size = _inside(kit, thing.image), list(thing.size_mm)
    height, width = picture.shape[:2]
    across, down = width / thing.size_mm[0], height / thing.size_mm[1]
    if max(across, down) > (1 + STRETCHED) * min(across, down):
        yield cannot_be("stretched", image=image, size_mm=size, size_px=[width, height])
    if min(across, down) < COARSE_PX_PER_MM[what]:
        yield hard("coarse", image=image, scale=round(min(across, down), 1), least=COARSE_PX_PER_MM[what])
    if picture.shape[2] == 4 and not (picture[..., 3] > 127).any():
        yield cannot_be("transparent", image=image)


def _of_a_board(kit: Kit, board: Board, picture: Array) -> Iterator[Finding]:
    width, height = (max(8, round(side)) for side in board.size_mm)
    bare = cv2.resize(picture[..., :3], (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    if float(bare.std(axis=(0, 1)).max()) < PLAIN:
        yield hard("plain-board", board=board.id)
        return
    spaces = [space for space in kit.spaces if space.board == board.id]
    if len(spaces) < 2 or any(marker.board == board.id for marker in kit.markers):
        return  # it does not matter which way it lies, or markers tell
    for space in spaces:
        (x, y), (w, h) = space.at_mm, space.size_mm
        bare[max(0, round(y - h / 2)) : round(y + h / 2), max(0, round(x - w / 2)) : round(x + w / 2)] = 128
    for quarters in (1, 2, 3):
        turned = np.rot90(bare, quarters)
        if turned.shape == bare.shape and (np.abs(turned - bare).max(axis=2) > TURNED).sum() < TURNED_MM2:
            yield hard("same-turned", board=board.id, degrees=90 * quarters)
            return


@dataclass(frozen=True)
class Alike:
    """Two classes, and by how many grey levels (root mean square) they differ when they look most alike."""

    one: str
    other: str
    levels: float

    def finding(self) -> Finding:
        key = "same" if self.levels < SAME else "alike"
        return hard(key, one=self.one, other=self.other, levels=round(self.levels, 1))


def look_alikes(kit: Kit, pictures: Mapping[Path, Array]) -> list[Alike]:
    """Every two classes that only their pictures tell apart, the most alike first."""
    fine = {piece.name: _fine(pictures[piece.image]) for piece in kit.pieces if piece.image in pictures}
    found = []
    for one, other in combinations([piece for piece in kit.pieces if piece.name in fine], 2):
        if one.shape == other.shape and _as_large(one, other):
            found.append(Alike(one.name, other.name, apart(fine[one.name], fine[other.name])))
    return sorted(found, key=lambda pair: pair.levels)


def _as_large(one: Piece, other: Piece) -> bool:
    return all(abs(a - b) <= 0.12 * max(a, b) for a, b in zip(one.size_mm, other.size_mm, strict=True))


@dataclass(frozen=True, eq=False)
class Looks:
    """A picture at every turn, in a round window; the first is as it is.  Colours are summed where none is named."""

    weight: Array  # (turns, px) opacity
    first: Array  # (turns, px) weighted colours
    second: Array  # (turns, px) weighted squares
    colours: Array  # (turns, px · 3) weighted colours


def _fine(picture: Array) -> Looks:
    """How a camera would show a picture at most."""
    colours, alpha = (cv2.resize(p, (SIDE, SIDE), interpolation=cv2.INTER_AREA) for p in flat(picture))
    both = np.dstack([cv2.GaussianBlur(colours, (0, 0), 0.7), alpha])
    y, x = np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2
    inside, middle = np.hypot(x, y) <= 0.47 * SIDE, ((SIDE - 1) / 2,) * 2
    turns = [cv2.getRotationMatrix2D(middle, turn, 1) for turn in np.arange(TURN_STEPS) * 360 / TURN_STEPS]
    edge = cv2.BORDER_REPLICATE
    turned = np.array([cv2.warpAffine(both, turn, (SIDE, SIDE), borderMode=edge)[inside] for turn in turns])
    weight, each = turned[..., 3], turned[..., :3] * turned[..., 3:]
    return Looks(weight, each.sum(2), (each * turned[..., :3]).sum(2), each.reshape(len(turns), -1))


def apart(one: Looks, other: Looks) -> float:
    """Grey levels between two pictures at the turn, and in the light, in which they look most alike."""
    own = one.weight[0]
    count = 3 * np.maximum(other.weight @ own, 1e-6)
    a, b = other.weight @ one.first[0] / count, other.first @ own / count
    aa = other.weight @ one.second[0] / count - a * a
    bb = other.second @ own / count - b * b
    ab = other.colours @ one.colours[0] / count - a * b
    gain = np.clip(ab / np.maximum(bb, 1e-6), 1 / MOST_GAIN, MOST_GAIN)
    beyond = np.maximum(0, np.abs(a - gain * b) - MOST_VEIL)
    left = aa - 2 * gain * ab + gain * gain * bb + beyond * beyond
    return float(np.sqrt(max(0.0, float(left.min()))))
