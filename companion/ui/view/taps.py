"""What there is to tap on the screens besides the table's, as values.

Each tap carries what it comes to: an event of the table, another screen, or the next step of what is being chosen.
Whoever draws it shows `text` large, `note` small below it, marks what is `chosen`, and hands on `to` when it is tapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

To = TypeVar("To", covariant=True)

# Screens that are gone to
NEW, PAST, KITS, HEALTH, SCORES = "new", "past", "kits", "health", "scores"


@dataclass(frozen=True)
class Tap(Generic[To]):
    text: str
    to: To
    note: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class Go:
    """Show another screen, of a kept game where it is about one."""

    screen: str
    game: int | None = None


@dataclass(frozen=True)
class Resume:
    """Go on with a kept game; it comes out of the archive."""

    game: int


@dataclass(frozen=True)
class Archive:
    """Put a kept game in the archive."""

    game: int


@dataclass(frozen=True)
class Speak:
    """Go on in another language."""

    language: str


Errand = Go | Resume | Archive | Speak
