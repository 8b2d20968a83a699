"""A game in progress: a start and a log of actions, and the states they fold to.  Undo is replay without the last.

A log has more than actions in it: where nobody can say any more what happened, the table is taken as it is, and an
earlier action may be put right.  Every such step can be undone and redone as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.document import Fault, Field, format_1, many, not_newer, shown
from companion.kit import Kit
from companion.rules import Action, Allowed, Game, Refused, Ruling, State, Unsettled, judge

MOST_ACTIONS = 5000


@dataclass(frozen=True)
class TableTaken:
    """The table taken as it is: `position` stands, whatever the actions before it made of the game."""

    position: State


Entry = Action | TableTaken


@dataclass(frozen=True)
class Change:
    """From entry `at` on, `put` took the place of `out`, which was all that followed."""

    at: int
    out: tuple[Entry, ...]
    put: tuple[Entry, ...]


@dataclass(frozen=True)
class History:
    """What was done, in order, and the steps that go back and forth in it.  Knows no rules."""

    entries: tuple[Entry, ...] = ()
    done: tuple[Change, ...] = ()
    undone: tuple[Change, ...] = ()

    def change(self, at: int, put: Sequence[Entry]) -> History:
        change = Change(at, self.entries[at:], tuple(put))
        return History((*self.entries[:at], *put), (*self.done, change))

    def correct(self, at: int, put: Sequence[Entry], fallen: Sequence[int]) -> History:
        """With `put` in place of entry `at`, and without those of the entries after it that `fallen` counts."""
        kept = [entry for place, entry in enumerate(self.entries) if place > at and place not in set(fallen)]
        return self.change(at, (*put, *kept))

    def without(self, fallen: Sequence[int]) -> History:
        """Without some entries, and with no way back to them: each that is left is a step of its own."""
        kept = tuple(entry for place, entry in enumerate(self.entries) if place not in set(fallen))
        return History(kept, tuple(Change(at, (), (entry,)) for at, entry in enumerate(kept)))

    def undo(self) -> History:
        if not self.done:
            return self
        last = self.done[-1]
        return History((*self.entries[: last.at], *last.out), self.done[:-1], (*self.undone, last))

    def redo(self) -> History:
        if not self.undone:
            return self
        next_one = self.undone[-1]
        return History((*self.entries[: next_one.at], *next_one.put), (*self.done, next_one), self.undone[:-1])


@dataclass(frozen=True)
class Impossible:
    """No ruling at all: the action needs what is not there to be had (a token that the sack does not hold)."""

    text: str


@dataclass(frozen=True)
class Fallen:
    """An action that does not stand any more: its place among the entries, the state it met, and why not."""

    at: int
    action: Action
    met: State
    why: Refused | Unsettled | Impossible


@dataclass(frozen=True)
class Correction:
    """What comes of a correction: the rulings on what was put in, and what fell because of it.

    Where one of the rulings is not `Allowed`, `session` is as it was.
    """

    session: Session
    rulings: tuple[Ruling, ...]
    fallen: tuple[Fallen, ...] = ()


@dataclass(frozen=True)
class Session:
    """`states` are the start and what each entry made of the one before; each action was allowed where it stands."""

    game: Game
    states: tuple[State, ...]
    history: History = History()

    @classmethod
    def begin(cls, game: Game, start: State) -> Session:
        return cls(game, (start,))

    @classmethod
    def replay(cls, game: Game, start: State, history: History) -> tuple[Session, tuple[Fallen, ...]]:
        """A game as it was written down, and what of it the rules do not allow (any more); that is left out."""
        states, fallen = _followed(game, start, history.entries)
        if fallen:
            history = history.without([gone.at for gone in fallen])
        return cls(game, (start, *states), history), fallen

    @property
    def start(self) -> State:
        return self.states[0]

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self.history.entries

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(entry for entry in self.entries if not isinstance(entry, TableTaken))

    def submit(self, action: Action) -> tuple[Session, Ruling]:
        """The session with the action added, where it is allowed; else the same session."""
        session, rulings = self.submit_all([action])
        return session, rulings[-1]

    def submit_all(self, actions: Sequence[Action]) -> tuple[Session, tuple[Ruling, ...]]:
        """All of the actions added, in one step; none of them where one is not allowed, whose ruling is the last.

        Raises Fault where an action names what the game does not have.
        """
        rulings = _ruled(self.game, self.state, actions)
        if not actions or not all(isinstance(ruling, Allowed) for ruling in rulings):
            return self, rulings
        states = (*self.states, *(ruling.state for ruling in rulings if isinstance(ruling, Allowed)))
        return replace(self, states=states, history=self.history.change(len(self.entries), actions)), rulings

    def take_table(self, position: State) -> tuple[Session, list[str]]:
        """Go on from `position`; where that cannot be, the same session and all that is wrong with it."""
        if faults := self.game.faults(position):
            return self, faults
        history = self.history.change(len(self.entries), (TableTaken(position),))
        return replace(self, states=(*self.states, position), history=history), []

    def correct(self, at: int, actions: Sequence[Action]) -> Correction:
        """Put `actions` in place of entry `at`, and replay from there.  No actions: it never happened.

        What is not allowed any more falls, each by its clause; the rest goes on without it.
        """
        if not 0 <= at < len(self.entries):
            raise Fault(f"{at + 1} found; expected an entry from 1 to {len(self.entries)}")
        rulings = _ruled(self.game, self.states[at], actions)
        if not all(isinstance(ruling, Allowed) for ruling in rulings):
            return Correction(self, rulings)
        states = [self.states[at], *(ruling.state for ruling in rulings if isinstance(ruling, Allowed))]
        after, fallen = _followed(self.game, states[-1], self.entries[at + 1 :], at + 1)
        history = self.history.correct(at, actions, [gone.at for gone in fallen])
        return Correction(replace(self, states=(*self.states[:at], *states, *after), history=history), rulings, fallen)

    def undo(self) -> Session:
        """The game without its last step, replayed; the same where nothing was done."""
        return self._moved(self.history.undo())

    def redo(self) -> Session:
        """The game with the step that was last undone; the same where nothing was."""
        return self._moved(self.history.redo())

    def _moved(self, history: History) -> Session:
        """Replayed from where the entries part; the same session where the rules (of today) stand in the way."""
        pairs = zip(self.entries, history.entries, strict=False)
        at = next((place for place, (old, new) in enumerate(pairs) if old is not new), None)
        if at is None:
            at = min(len(self.entries), len(history.entries))
        states, fallen = _followed(self.game, self.states[at], history.entries[at:])
        return self if fallen else replace(self, states=(*self.states[: at + 1], *states), history=history)


def _ruled(game: Game, state: State, actions: Sequence[Action]) -> tuple[Ruling, ...]:
    """The rulings on actions one after another, up to the first that is not allowed.  Raises Fault."""
    rulings: list[Ruling] = []
    for action in actions:
        game.check_action(state, action)
        ruling = judge(game, state, action)
        rulings.append(ruling)
        if not isinstance(ruling, Allowed):
            break
        state = ruling.state
    return tuple(rulings)


def _followed(
    game: Game, state: State, entries: Sequence[Entry], first: int = 0
) -> tuple[list[State], tuple[Fallen, ...]]:
    """The state after each entry that stands, and those that do not; `first` is the place of the first entry."""
    states: list[State] = []
    fallen: list[Fallen] = []
    for at, entry in enumerate(entries, first):
        if isinstance(entry, TableTaken):
            state = entry.position
            states.append(state)
            continue
        why: Ruling | Impossible
        try:
            why = _ruled(game, state, [entry])[0]
        except Fault as fault:
            why = Impossible(str(fault))
        if isinstance(why, Allowed):
            state = why.state
            states.append(state)
        else:
            fallen.append(Fallen(at, entry, state, why))
    return states, tuple(fallen)


@dataclass(frozen=True)
class Record:
    """A written-down game: where it starts and what was done, not yet judged."""

    game: Game
    start: State
    actions: tuple[Action, ...]


def read_record(document: Field, games: tuple[str, ...], load_game: Callable[[str], Game], kit: Kit | None) -> Record:
    """Read a record.  Its start's sense is not checked here: see `Game.faults`.  Raises Fault."""
    keys = not_newer(document).keys()
    for name in ("format", "game", "actions"):
        if name not in keys:
            raise Fault(f"the document: {shown(name)} is missing")
    format_1(keys["format"])
    game = load_game(keys["game"].one_of(games))
    if "start" in keys:
        document.keys(("format", "game", "start", "actions"))
        keys["start"].keys()
        named = {"game": game.name} | keys["start"].value  # the record names the game already
        start = game.read_position(Field(named, "start"), kit)
    else:
        header = {name: field.value for name, field in keys.items() if name not in ("format", "game", "actions")}
        start = game.set_up(Field(header), kit)
    actions = many(lambda field: game.read_action(field, start), 0, MOST_ACTIONS)(keys["actions"])
    return Record(game, start, actions)


def stretches(session: Session) -> list[tuple[State, tuple[Action, ...]]]:
    """The game in parts that can each be judged: a new one begins wherever the table was taken as it is."""
    parts: list[tuple[State, list[Action]]] = [(session.start, [])]
    for entry in session.entries:
        if isinstance(entry, TableTaken):
            parts.append((entry.position, []))
        else:
            parts[-1][1].append(entry)
    return [(start, tuple(actions)) for start, actions in parts]


def write_record(session: Session, part: int = -1) -> dict[str, Any]:
    """One of the `stretches` as a record, the last if none is named."""
    start, actions = stretches(session)[part]
    return {
        "format": 1,
        "game": session.game.name,
        "start": session.game.write_position(start),
        "actions": [session.game.write_action(action) for action in actions],
    }


def read_position(
    document: Field, games: tuple[str, ...], load_game: Callable[[str], Game], kit: Kit | None
) -> tuple[Game, State]:
    """Read a position and the game that it names.  Raises Fault."""
    keys = document.keys()
    if "actions" in keys:
        raise Fault("the document: a record found; expected a position (companion judge takes records)")
    if "game" not in keys:
        raise Fault('the document: "game" is missing')
    game = load_game(keys["game"].one_of(games))
    return game, game.read_position(document, kit)
