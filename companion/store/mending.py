"""Making a sound file of a game out of one that is damaged or of an older format; the old one is kept beside it.

The successor has a name of its own, `0007.1.game` after `0007.game`, so that the write-ahead log of the one can never
be taken for the other's, and so that at no instant the game is in neither.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from companion.document import Fault
from companion.store.database import is_sound, move, not_kept, write_file
from companion.store.lines import WAL, Line, whole
from companion.store.reading import contents, migrated
from companion.store.story import VERSION


def locked(path: Path) -> tuple[IO[bytes], bool]:
    """A game's lock, which is held as long as it is open, and whether nobody else has the game open.

    Only who is alone may judge a file damaged: next to a companion that is writing any file looks unfinished.
    Raises NotKept.
    """
    try:
        lock = path.with_name(f".{path.stem.split('.')[0]}.lock").open("ab")
    except OSError as error:
        raise not_kept(path, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.flock(lock, fcntl.LOCK_SH)
        return lock, False
    return lock, True


@dataclass(frozen=True)
class Mended:
    """A file that was damaged: its name, the name that it has now, and how many of its lines could be saved."""

    file: str
    aside: str
    saved: int
    lines: int  # at least so many there were


def sound(path: Path) -> tuple[Path, list[Line], Mended | None]:
    """A file of the game that is sound and of today's format, its lines, and what had to be mended.

    Raises Fault where nothing can be saved.
    """
    content, lines = contents(path)
    kept = whole(lines)
    try:
        if is_sound(path, content, lines):
            if kept[0]["format"] == VERSION:
                return path, kept, None
            return *_made_anew(path, migrated(kept), f"format-{kept[0]['format']}"), None
    except sqlite3.Error as error:
        raise not_kept(path, error) from None
    if not kept:
        aside = _put_aside(path, "damaged")
        raise Fault(f"{path}: damaged, nothing can be saved from it; put aside as {aside.name}")
    mended = Mended(path.name, f"{path.name}.damaged", len(kept), max(lines) + 1)
    return *_made_anew(path, migrated(kept), "damaged"), mended


def _made_anew(path: Path, lines: list[Line], ending: str) -> tuple[Path, list[Line]]:
    """Write the successor, then put the old file aside.  Raises NotKept."""
    stem, generation = (*path.stem.split("."), "0")[:2]
    successor = path.with_name(f"{stem}.{int(generation) + 1}.game")
    place_file(successor, lines)
    _put_aside(path, ending)
    return successor, lines


def place_file(path: Path, lines: Sequence[Line]) -> None:
    """Make a game's file; it is there whole, and on disk, or not at all.  Raises NotKept."""
    unfinished = path.with_name(f".{path.name}")
    try:
        write_file(unfinished, lines, VERSION)
        move(unfinished, path)
    except (sqlite3.Error, OSError) as error:
        raise not_kept(path, error) from None


def _put_aside(path: Path, ending: str) -> Path:
    """Rename the file, and what SQLite keeps beside it, to a name of its own.  Raises NotKept."""
    aside = path.with_name(f"{path.name}.{ending}")
    try:
        for side in (WAL, ""):  # the file last: as long as it has its name, the game is still looked for there
            source = path.with_name(path.name + side)
            if source.exists():
                move(source, aside.with_name(aside.name + side))
        path.with_name(path.name + "-shm").unlink(missing_ok=True)
    except OSError as error:
        raise not_kept(path, error) from None
    return aside
