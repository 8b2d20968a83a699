"""The lines of a game's file, and finding them in its bytes.

A game's file is an SQLite database that is only ever added to.  Each line of the game is JSON with a number, cut into
pieces short enough that SQLite never spreads one over two pages.  A piece carries its number and a digest, so that it
can be found, and trusted, in a file that SQLite itself cannot read any more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

Line = Mapping[str, Any]

PAGE = 4096  # bytes of a page of the database
LONGEST_PIECE = 1000  # characters; four to a page at least
WAL = "-wal"  # SQLite adds this to a file's name for what is not in the file itself yet
WAL_HEADER, FRAME_HEADER = 32, 24  # bytes

_HEAD = re.compile(rb"GC(\d{1,7}) (\d{1,4})/(\d{1,4}) ([0-9a-f]{16}) (\d{1,4}) ")


def _digest(number: int, part: int, parts: int, text: bytes) -> str:
    return blake2b(b"%d %d/%d " % (number, part, parts) + text, digest_size=8).hexdigest()


def pieces(number: int, line: Line) -> list[str]:
    """A line as it is stored: `GC NUMBER PART/PARTS DIGEST LENGTH TEXT`, in ASCII."""
    text = json.dumps(line, separators=(",", ":"))
    cut = [text[at : at + LONGEST_PIECE] for at in range(0, len(text), LONGEST_PIECE)]
    return [
        f"GC{number} {part}/{len(cut)} {_digest(number, part, len(cut), piece.encode())} {len(piece)} {piece}"
        for part, piece in enumerate(cut, 1)
    ]


@dataclass(frozen=True)
class Piece:
    number: int
    part: int
    parts: int
    text: bytes


def found(content: bytes) -> Iterator[Piece]:
    """Every whole piece in some bytes."""
    for head in _HEAD.finditer(content):
        number, part, parts, length = (int(head[group]) for group in (1, 2, 3, 5))
        text = content[head.end() : head.end() + length]
        if head[4].decode() == _digest(number, part, parts, text):
            yield Piece(number, part, parts, text)


def joined(found_pieces: Iterable[Piece]) -> dict[int, Line]:
    """The whole lines among pieces, by number.  Where two differ, neither is believed."""
    texts: dict[int, dict[tuple[int, int], set[bytes]]] = {}
    for piece in found_pieces:
        texts.setdefault(piece.number, {}).setdefault((piece.part, piece.parts), set()).add(piece.text)
    lines = {}
    for number, parts in texts.items():
        counts = {count for _, count in parts}
        if len(counts) == 1 and len(parts) == counts.pop() and all(len(told) == 1 for told in parts.values()):
            lines[number] = json.loads(b"".join(min(parts[key]) for key in sorted(parts)))
    return lines


def committed(wal: bytes) -> bytes:
    """The pages of a write-ahead log up to the last that ends a transaction, as far as its frames can be told.

    A frame's header: page, size of the database where the frame ends a transaction (else 0), two salts, checksum.
    Frames of other salts are left from before the log was last begun anew.
    """
    frames = [wal[at : at + FRAME_HEADER + PAGE] for at in range(WAL_HEADER, len(wal), FRAME_HEADER + PAGE)]
    salts = [frame[8:16] for frame in frames]
    current = max((wal[16:24], *salts[:1]), key=salts.count)
    frames = [frame for frame, salt in zip(frames, salts, strict=True) if salt == current]
    while frames and not any(frames[-1][4:8]):
        frames.pop()
    return b"".join(frame[FRAME_HEADER:] for frame in frames)


def bytes_of(path: Path) -> bytes:
    """A game's bytes, of the write-ahead log and of the file.

    In this order: what another companion moves from one to the other meanwhile is then found in both, not in neither.
    Not while this process has the file open in SQLite: closing it here would take SQLite's lock away.
    """
    wal = path.with_name(path.name + WAL)
    waiting = committed(wal.read_bytes()) if wal.exists() else b""
    return path.read_bytes() + waiting


def whole(lines: Mapping[int, Line]) -> list[Line]:
    """The lines from the first on, as far as none is missing."""
    told: list[Line] = []
    while len(told) in lines:
        told.append(lines[len(told)])
    return told


def place_after(lines: Iterable[Line]) -> int:
    """How many pieces the lines are, which is the place of the last of them in the database."""
    return sum(len(pieces(number, line)) for number, line in enumerate(lines))
