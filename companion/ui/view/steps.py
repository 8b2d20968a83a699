"""The steps by which something is put right, one menu after the other; see `corrections`."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules import Action
from companion.table import Event
from companion.ui.view.choosing import NOTHING_YET, Picked


@dataclass(frozen=True)
class Start:
    """What is to be put right?"""


@dataclass(frozen=True)
class AtSpace:
    """What lies on a space; `below` is the lowest piece, where several things may lie on it."""

    space: str | None = None
    below: str | None = None


@dataclass(frozen=True)
class Thrown:
    """What was thrown, as far as it is told: by entry `at`, else by the throw that nobody saw."""

    at: int | None
    dice: tuple[int, ...] = ()


@dataclass(frozen=True)
class OneDie:
    """Another value for one of the dice that are left."""

    number: int | None = None


@dataclass(frozen=True)
class Score:
    """The points of a player."""

    side: str | None = None
    points: int = 0


@dataclass(frozen=True)
class Turn:
    """Whose turn it is."""


@dataclass(frozen=True)
class Missed:
    """An action that nobody noted, before entry `at`; `first` counts the entries that are passed over, from the end."""

    at: int | None = None
    picked: Picked = NOTHING_YET
    first: int = 0


@dataclass(frozen=True)
class Earlier:
    """Which of the entries was wrong?"""

    first: int = 0


@dataclass(frozen=True)
class One:
    """What became of entry `at`: something else, or nothing?"""

    at: int


@dataclass(frozen=True)
class Instead:
    """What happened in place of entry `at`."""

    at: int
    picked: Picked = NOTHING_YET


@dataclass(frozen=True)
class Consider:
    """What comes of other actions in place of entry `at`."""

    at: int
    actions: tuple[Action, ...]


Step = Start | AtSpace | Thrown | OneDie | Score | Turn | Missed | Earlier | One | Instead | Consider
To = Step | Event
