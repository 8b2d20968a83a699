"""What the eye knows of a kit: learned from its pictures once, kept in the companion's own folder by content hash."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.config import home
from companion.document import Fault
from companion.kit import Kit
from companion.vision.board import BoardKnowledge, learn_board
from companion.vision.dice import Printed
from companion.vision.pieces import PieceKnowledge, learn_pieces

Array = np.ndarray[Any, Any]

MOST_PIXELS = 40_000_000
PRINTED_PX_PER_MM = 2.0  # of the boards' pictures that are kept beside what was learned


@dataclass(frozen=True, eq=False)
class Knowledge:
    boards: Mapping[str, BoardKnowledge]
    pieces: PieceKnowledge
    printed: Mapping[str, Printed]  # the boards' pictures at PRINTED_PX_PER_MM: what no die is


def _picture(path: Path, content: bytes) -> Array:
    """A kit's picture as (height, width, 4) uint8 BGRA.  Raises Fault."""
    try:
        pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        pixels = None
    if pixels is None or pixels.shape[0] * pixels.shape[1] > MOST_PIXELS:
        raise Fault(f"{path}: no picture, or one larger than {MOST_PIXELS // 1_000_000} megapixels")
    if pixels.dtype == np.uint16:
        pixels = np.asarray(pixels // 256, np.uint8)
    if pixels.ndim == 2:
        return cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGRA)
    return cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA) if pixels.shape[2] == 3 else pixels


def _contents(kit: Kit) -> dict[Path, bytes]:
    paths = [kit.folder / "kit.toml", *(b.image for b in kit.boards), *(p.image for p in kit.pieces)]
    try:
        return {path: path.read_bytes() for path in dict.fromkeys(paths)}
    except OSError as error:
        raise Fault(f"{error.filename}: cannot be read: {error.strerror}") from None


def _learn(kit: Kit, contents: Mapping[Path, bytes]) -> Knowledge:
    boards = {board.id: _picture(board.image, contents[board.image]) for board in kit.boards}
    pieces = {piece.name: _picture(piece.image, contents[piece.image]) for piece in kit.pieces}
    printed = {}
    for board in kit.boards if kit.dice else ():
        size = tuple(round(mm * PRINTED_PX_PER_MM) for mm in board.size_mm)
        picture = cv2.resize(boards[board.id][:, :, :3], size, interpolation=cv2.INTER_AREA)
        printed[board.id] = Printed(picture, board.size_mm)
    known = {
        board.id: learn_board(board, [space for space in kit.spaces if space.board == board.id], boards[board.id])
        for board in kit.boards
    }
    return Knowledge(known, learn_pieces(kit, boards, pieces), printed)


def _digest(contents: Mapping[Path, bytes]) -> str:
    """Of the kit's files and of what learns from them: another version of the eye learns anew."""
    digest = hashlib.sha256(f"{cv2.__version__} {np.__version__}".encode())
    code = {path: path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))}
    for path, content in (*code.items(), *contents.items()):
        digest.update(path.name.encode() + len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()[:32]


def knowledge_of(kit: Kit) -> Knowledge:
    """Learned now, or as learned before.  A cache that cannot be read or written costs time and nothing else."""
    contents = _contents(kit)
    kept = home() / "cache" / f"kit-{_digest(contents)}"
    try:
        with kept.open("rb") as stream:
            known = pickle.load(stream)
        if isinstance(known, Knowledge):
            return known
    except Exception:  # whatever is wrong with a cached file, it is learned anew and replaced
        pass
    known = _learn(kit, contents)
    _keep(kept, known)
    return known


def _keep(path: Path, known: Knowledge) -> None:
    """Write beside, then rename: a reader finds the whole file or none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as stream:
            pickle.dump(known, stream, protocol=pickle.HIGHEST_PROTOCOL)
        os.replace(stream.name, path)
    except OSError:
        return
