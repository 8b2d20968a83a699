"""A game's file as SQLite sees it: making one, adding to it, and whether it is sound."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from companion.document import Fault
from companion.store.lines import PAGE, WAL, Line, pieces

APPLICATION = int.from_bytes(b"GCom", "big")
TABLES = ("line", "copy")  # the same in both: one page can be lost without a loss
HEADER = b"SQLite format 3\0" + PAGE.to_bytes(2, "big") + bytes((2, 2, 0, 64, 32, 32))
SIDE_FILES = (WAL, "-shm", "-journal")
SIDE_BYTES = 32768  # the least that SQLite needs for them

_REASONS = {
    sqlite3.SQLITE_FULL: ("full", "the disk is full; free some space"),
    sqlite3.SQLITE_READONLY: ("read-only", "the disk or the folder is read-only"),
    sqlite3.SQLITE_CANTOPEN: ("read-only", "the file cannot be opened for writing: is the folder read-only or gone?"),
    sqlite3.SQLITE_PERM: ("read-only", "the file may not be written"),
    sqlite3.SQLITE_BUSY: ("busy", "another program holds the file"),
    sqlite3.SQLITE_CORRUPT: ("damaged", "the file is damaged; resume the game and it is mended"),
    sqlite3.SQLITE_NOTADB: ("damaged", "the file is damaged; resume the game and it is mended"),
}
OF_THE_DISK = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)
_ERRNO = {errno.ENOSPC: "full", errno.EDQUOT: "full", errno.EROFS: "read-only", errno.EACCES: "read-only"}


class NotKept(Fault):
    """Nothing was written, and what was confirmed before is as it was.

    `reason` is a key of the companion's words for players: full, read-only, busy, damaged, elsewhere, disk.
    """

    def __init__(self, path: Path, reason: str, text: str) -> None:
        super().__init__(f"{path}: not saved: {text}")
        self.reason = reason


def not_kept(path: Path, error: sqlite3.Error | OSError) -> NotKept:
    if isinstance(error, OSError):
        return NotKept(path, _ERRNO.get(error.errno or 0, "disk"), error.strerror or str(error))
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_IOERR and _is_full(path):  # that is what it says where its side files have no room
        code = sqlite3.SQLITE_FULL
    reason, text = _REASONS.get(code, ("disk", f"the disk reports an error ({error})"))
    return NotKept(path, reason, text)


def _is_full(path: Path) -> bool:
    try:
        found = os.statvfs(path.parent)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize < SIDE_BYTES


# Files that this process has open in SQLite, once for each connection.  Were one of them opened and closed by anything
# else in here, the system would take SQLite's locks away, and another program could delete the log under its hands.
_OPEN_HERE: Counter[Path] = Counter()


def is_open_here(path: Path) -> bool:
    return _OPEN_HERE[path.absolute()] > 0


def disconnect(path: Path, connection: sqlite3.Connection) -> None:
    connection.close()
    _OPEN_HERE[path.absolute()] -= 1


def connect(path: Path, read_only: bool = False) -> sqlite3.Connection:
    """A connection whose commits are on disk when they return.  Raises sqlite3.Error."""
    name = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
    connection = sqlite3.connect(name, uri=True, timeout=5, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        if not read_only:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except UnicodeDecodeError:  # SQLite's own message quotes what is damaged
        connection.close()
        raise sqlite3.DatabaseError("text that is none") from None
    except sqlite3.Error:
        connection.close()
        raise
    _OPEN_HERE[path.absolute()] += 1
    return connection


def write_file(path: Path, lines: Sequence[Line], version: int) -> None:
    """Make the file with these lines, at once on disk and with nothing beside it.  Raises sqlite3.Error, OSError."""
    for name in (path.name, *(path.name + side for side in SIDE_FILES)):
        path.with_name(name).unlink(missing_ok=True)
    path.touch(exist_ok=False)
    connection = connect(path)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {version}")
        for table in TABLES:
            connection.execute(f"CREATE TABLE {table} (place INTEGER PRIMARY KEY, piece TEXT NOT NULL)")
        place = 0
        for number, line in enumerate(lines):
            place = _insert(connection, place, pieces(number, line))
        connection.execute("COMMIT")
    finally:
        disconnect(path, connection)
    to_disk(path)


def _insert(connection: sqlite3.Connection, place: int, new: Sequence[str]) -> int:
    rows = list(enumerate(new, place + 1))
    for table in TABLES:
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
    return place + len(rows)


def add(connection: sqlite3.Connection, place: int, number: int, line: Line) -> int | None:
    """Write a line after the piece at `place`; it is on disk when this returns the place of its own last piece.

    None, and nothing is written, where somebody else has written meanwhile.  Raises sqlite3.Error.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        if last_place(connection) != place:
            connection.execute("ROLLBACK")
            return None
        place = _insert(connection, place, pieces(number, line))
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return place


def last_place(connection: sqlite3.Connection) -> int:
    place: int = connection.execute("SELECT coalesce(max(place), 0) FROM line").fetchone()[0]
    return place


def version_of(content: bytes) -> int | None:
    """The format that the database's own header names; None where it is no database of ours."""
    if content[:24] != HEADER or content[68:72] != APPLICATION.to_bytes(4, "big"):
        return None
    return int.from_bytes(content[60:64], "big")


def is_sound(path: Path, content: bytes, lines: Mapping[int, Line]) -> bool:
    """Whether SQLite finds nothing wrong and reads just these `lines`, twice.

    Asked before the file is opened for writing: SQLite would silently drop what comes after a damaged part of its log.
    Raises sqlite3.Error where the file cannot be opened at all.
    """
    if version_of(content) != lines.get(0, {}).get("format"):
        return False
    try:
        tables = rows(path, check=True)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in OF_THE_DISK:
            raise
        return False
    expected = [piece for number in range(len(lines)) for piece in pieces(number, lines.get(number, {}))]
    return all(table == expected for table in tables)


def rows(path: Path, check: bool = False) -> list[list[str]]:
    """The pieces in each of the tables, in order; with `check` after a look at every page.  Raises sqlite3.Error."""
    connection = connect(path, read_only=True)
    try:
        connection.text_factory = lambda text: text.decode("ascii", "replace")
        tables = [[row[0] for row in connection.execute(f"SELECT piece FROM {t} ORDER BY place")] for t in TABLES]
        if check and connection.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
            raise sqlite3.DatabaseError("the check found faults")
    except UnicodeDecodeError:
        raise sqlite3.DatabaseError("text that is none") from None
    finally:
        disconnect(path, connection)
    return tables


def to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, and wait until their names are on disk."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        to_disk(folder.parent)


def move(source: Path, target: Path) -> None:
    """Rename, and wait until the new name is on disk."""
    source.rename(target)
    to_disk(target.parent)
