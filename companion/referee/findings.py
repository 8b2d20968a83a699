"""What the referee says of a table.  Values: spaces by the kit's ids, clauses by theirs, never a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.change import Pieces
from companion.rules import Action, Allowed, Refused, Ruling, Scored, State, clauses_of


@dataclass(frozen=True)
class Misplaced:
    """A score marker that does not stand where the score says."""

    piece: str
    at: str | None  # None: it was seen nowhere
    belongs_at: str


@dataclass(frozen=True)
class Amendment:
    """Actions to put in place of a confirmed one, so many back: 1 is the last (`Session.correct`)."""

    back: int
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class Explanation:
    """Actions in a possible order, each with its ruling; only the last may be refused.

    `assumed` names what nobody could see and was taken as the least that the rules allow.  With `amends` an earlier
    action has to be put right first: a purchase was overlooked without which these actions would not be legal.
    """

    actions: tuple[Action, ...]
    rulings: tuple[Ruling, ...]
    state: State  # after the last that is allowed
    probability: float
    assumed: tuple[str, ...] = ()
    replaces_last: bool = False  # the first action is the last confirmed one anew, with its bonus
    amends: Amendment | None = None
    guessed: bool = False  # a part of it was not seen and might be another: it never stands alone
    unseen_dice: bool = False  # dice were thrown of which not all were seen: nobody is accused by what they may be
    settled: int = 0  # that many of the first actions led beyond doubt to where the others began

    @property
    def legal(self) -> bool:
        return all(isinstance(ruling, Allowed) for ruling in self.rulings)

    @property
    def clauses(self) -> tuple[str, ...]:
        """Of an illegal one the broken clause alone."""
        rulings = self.rulings if self.legal else self.rulings[-1:]
        return tuple(dict.fromkeys(clause for ruling in rulings for clause in clauses_of(ruling)))

    @property
    def points(self) -> tuple[Scored, ...]:
        events = [event for ruling in self.rulings if isinstance(ruling, Allowed) for event in ruling.events]
        return tuple(event for event in events if isinstance(event, Scored))


@dataclass(frozen=True)
class Unchanged:
    """The table lies as the position says; `possible` is what may have been done all the same, the likeliest first."""

    probability: float
    markers: tuple[Misplaced, ...] = ()
    possible: tuple[Explanation, ...] = ()


@dataclass(frozen=True)
class Proposed:
    """Legal actions that explain the table; `clear` where they stand alone and all that they changed was seen.

    `alternatives` are other actions; `ways` are the same ones with other dice or draws.

    `open` says what a tap could tell: by the number of an action what was assumed of it (`guests`, `collect`), and the
    actions that it might have been, the assumed one first.  `offers` are those that could have been done besides
    without a trace, with the `dice_left`.  `possible` holds all that is worth to be borne in mind, the likeliest first.
    """

    best: Explanation
    alternatives: tuple[Explanation, ...]
    clear: bool
    ways: tuple[Explanation, ...] = ()
    open: Mapping[int, tuple[str, tuple[Action, ...]]] = field(default_factory=dict)
    dice_left: tuple[int, ...] = ()
    offers: tuple[Action, ...] = ()
    markers: tuple[Misplaced, ...] = ()
    possible: tuple[Explanation, ...] = ()


@dataclass(frozen=True)
class Illegal:
    """Something that breaks a clause, and what would have to lie where for it to be taken back."""

    best: Explanation
    put_back: Mapping[str, Pieces]
    alternatives: tuple[Explanation, ...] = ()
    markers: tuple[Misplaced, ...] = ()

    @property
    def clause(self) -> str:
        ruling = self.best.rulings[-1]
        assert isinstance(ruling, Refused)
        return ruling.clause


@dataclass(frozen=True)
class Waiting:
    """In the middle of an action of several steps: what is still to be done, and the clause that it else breaks."""

    best: Explanation
    clause: str
    to_do: Mapping[str, Pieces]
    markers: tuple[Misplaced, ...] = ()


@dataclass(frozen=True)
class Unexplained:
    """Nothing known looks like this: what should lie, and what was seen, on each space that differs."""

    differing: Mapping[str, tuple[Pieces, Pieces]]
    probability: float
    markers: tuple[Misplaced, ...] = ()


@dataclass(frozen=True)
class Undone:
    """The table lies as before the last confirmed steps; `alternatives` came to the same by going on."""

    steps: int
    probability: float
    alternatives: tuple[Explanation, ...] = ()
    markers: tuple[Misplaced, ...] = ()


@dataclass(frozen=True)
class Asked:
    """What nobody could see must be told first.

    `dice`: what was rolled, before a change can be judged.  `dice-left`: the next player has rolled, and this turn may
    not end before its dice are spent; `offers` are those actions that leave no trace, after those of `best`, and
    `possible` other ways to the table on which they were spent.
    """

    what: str
    differing: Mapping[str, tuple[Pieces, Pieces]]
    best: Explanation | None = None
    dice_left: tuple[int, ...] = ()
    offers: tuple[Action, ...] = ()
    markers: tuple[Misplaced, ...] = ()
    possible: tuple[Explanation, ...] = ()


Finding = Unchanged | Proposed | Illegal | Waiting | Unexplained | Undone | Asked
