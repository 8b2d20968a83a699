"""What a screen shows, as values: every decision of what is shown is made, only the drawing is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.change import Pieces
from companion.table import Event

# What a finding comes to: nothing to say, or which kind of thing there is to say.
CALM, PROPOSED, ILLEGAL, UNFINISHED, UNEXPLAINED, UNDONE, ASKED = (
    "calm",
    "proposed",
    "illegal",
    "unfinished",
    "unexplained",
    "undone",
    "asked",
)
MARK_SIGNS = {PROPOSED: "+", ILLEGAL: "×", UNFINISHED: "…", UNEXPLAINED: "?", UNDONE: "<", ASKED: "?"}  # on a space
CONFIRM, CHOOSE, TAKE = "confirm", "choose", "take"
UNSURE = "unsure"
DICE = "dice"


@dataclass(frozen=True)
class Choice:
    """Something to tap, and the event that it is.  `role`: confirm; choose one of several; take the table as it is."""

    role: str
    text: str
    event: Event


@dataclass(frozen=True)
class Side:
    """A player or a team.  `points` are None where the game has none; `gain` is what the last step brought.

    `letter` stands for it where there is no room for its name; `side` is what its pieces are named by, as `disc/blue`.
    """

    name: str
    on_turn: bool
    points: int | None
    gain: int
    holds: tuple[str, ...]
    letter: str = ""
    side: str = ""


@dataclass(frozen=True)
class News:
    """What is to be said of the table: a headline, what there is to it, and what may be tapped.

    The first `short` of the lines say what happened and what it brings, the others more about it.  `asks` is `dice`
    where they are to be told.
    """

    kind: str
    headline: str
    lines: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    asks: str = ""
    short: int = 0


@dataclass(frozen=True)
class View:
    """Everything in words and in order, but for the pieces.

    `table` has by the kit's spaces what is seen there, or, where nothing can be told, what should lie there; `marks`
    says of a space that differs from the game what kind of news it is, or that it is `unsure`; `should` has what should
    lie on a space that differs; `counts` how many guests or discs lie there; `letters` whose a piece is.
    """

    turn: str
    sight: str
    sight_state: str  # moving, hidden, settled or lost; empty where there was no picture yet
    dice: tuple[int, ...]
    spent: tuple[int, ...]
    may: tuple[str, ...]
    sides: tuple[Side, ...]
    last: str
    news: News
    notices: tuple[str, ...]
    table: Mapping[str, Pieces]
    marks: Mapping[str, str]
    counts: Mapping[str, int] = field(default_factory=dict)
    should: Mapping[str, Pieces] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    result: tuple[str, ...] = ()  # the score sheet, once the game is over
