"""A game in progress: a start and a log of actions, and the state they fold to.  Undo is replay without the last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from companion.document import Fault, Field, format_1, many, shown
from companion.kit import Kit
from companion.rules import Action, Allowed, Game, Ruling, State, judge

MOST_ACTIONS = 5000


@dataclass(frozen=True)
class Session:
    """`state` is what `actions` make of `start`; each action was allowed when it was submitted."""

    game: Game
    start: State
    actions: tuple[Action, ...]
    state: State

    @classmethod
    def begin(cls, game: Game, start: State) -> Session:
        return cls(game, start, (), start)

    def submit(self, action: Action) -> tuple[Session, Ruling]:
        """The session with the action added, where it is allowed; else the same session."""
        ruling = judge(self.game, self.state, action)
        if not isinstance(ruling, Allowed):
            return self, ruling
        return replace(self, actions=(*self.actions, action), state=ruling.state), ruling

    def undo(self) -> Session:
        """The game without its last action, replayed from the start."""
        return reduce(
            lambda session, action: session.submit(action)[0], self.actions[:-1], self.begin(self.game, self.start)
        )


@dataclass(frozen=True)
class Record:
    """A written-down game: where it starts and what was done, not yet judged."""

    game: Game
    start: State
    actions: tuple[Action, ...]


def read_record(document: Field, games: tuple[str, ...], load_game: Callable[[str], Game], kit: Kit | None) -> Record:
    """Read a record.  Its start's sense is not checked here: see `Game.faults`.  Raises Fault."""
    keys = document.keys()
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


def write_record(session: Session) -> dict[str, Any]:
    return {
        "format": 1,
        "game": session.game.name,
        "start": session.game.write_position(session.start),
        "actions": [session.game.write_action(action) for action in session.actions],
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
