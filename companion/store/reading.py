"""Reading a game's file without touching it, whether SQLite can read it or not."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.document import Fault, is_endless
from companion.rules import Game
from companion.store.database import is_open_here, not_kept, rows, version_of
from companion.store.lines import Line, bytes_of, found, joined
from companion.store.story import MIGRATIONS, VERSION, Story, read_story


@dataclass(frozen=True)
class Games:
    """The games that there are, and how one is loaded."""

    names: tuple[str, ...]
    load: Callable[[str], Game]


def lines_of(path: Path) -> dict[int, Line]:
    """Every line that can be read of a game, by number.  Raises Fault."""
    return by_sqlite(path) if is_open_here(path) else contents(path)[1]


def by_sqlite(path: Path) -> dict[int, Line]:
    """The lines of a game that somebody has open and is adding to.  Raises Fault."""
    try:
        return joined(found("\n".join(rows(path)[0]).encode()))
    except sqlite3.Error as error:
        raise not_kept(path, error) from None


def contents(path: Path) -> tuple[bytes, dict[int, Line]]:
    """The bytes of a game's file and every line that stands in them.  Raises Fault where a newer version made it."""
    if is_endless(path):
        raise Fault(f"{path}: no file, but a pipe or a device")
    try:
        content = bytes_of(path)
    except OSError as error:
        raise Fault(f"{path}: cannot be read: {error.strerror or error}") from None
    lines = joined(found(content))
    version = lines[0].get("format") if 0 in lines else version_of(content)
    if isinstance(version, int) and version > VERSION:
        raise Fault(f"{path}: of format {version}, made by a newer version; this one reads up to {VERSION}")
    return content, lines


def migrated(lines: list[Line]) -> list[Line]:
    """The lines in today's format."""
    for version in range(lines[0]["format"], VERSION):
        lines = MIGRATIONS[version](lines)
    return lines


def story_of(path: Path, lines: list[Line], games: Games) -> Story:
    """What the lines of today's format tell.  Raises Fault."""
    try:
        return read_story(lines, games.names, games.load)
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
