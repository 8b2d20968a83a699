"""What the lines of a game's file say: the game they tell, and what is known about it.

    {"do": "begin", "format": 1, "game", "start": position, "kit", "order", "name", "names"?}   the first line
    {"do": "confirm", "actions": [...]}        in one step
    {"do": "table", "position": position}      the table taken as it is
    {"do": "correct", "at", "actions": [...], "fallen": [...]}   entry `at` (from 0) put right; the places of what fell
    {"do": "undo"}  {"do": "redo"}             the last step
    {"do": "drop", "fallen": [...]}            what the rules of a later version do not allow
    {"do": "name", "name"}  {"do": "archive"}  {"do": "resume", "order"}

Every line also has a `clock`, in seconds, which is shown and never asked for an order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from companion.document import Fault, Field, integer, many, mapping
from companion.rules import Action, Game, State
from companion.session import MOST_ACTIONS, History, TableTaken
from companion.store.lines import Line

VERSION = 1
ABOUT = ("name", "archive", "resume")  # lines that do not change the game
LONGEST_NAME = 80
_PLACE = integer(0, MOST_ACTIONS)
_NAMES = mapping(lambda field: field.text(LONGEST_NAME), lambda field: field.text(LONGEST_NAME))
_CLOCK = integer(-(10**15), 10**15)

# How the lines of an older format become those of the next, by the older one's number.
MIGRATIONS: dict[int, Callable[[list[Line]], list[Line]]] = {}


@dataclass(frozen=True)
class About:
    """What is known of a game besides its course.  `order` grows with each game begun or resumed."""

    order: int
    kit: str = ""
    name: str = ""
    names: Mapping[str, str] = field(default_factory=dict)  # the players' own, by colour or team
    archived: bool = False
    begun: int = 0  # seconds since 1970, by the clock of then
    touched: int = 0

    def told(self, line: Field) -> About:
        """With what one line adds."""
        keys = line.keys()
        about = replace(self, touched=_CLOCK(keys["clock"]))
        match keys["do"].value:
            case "name":
                return replace(about, name=keys["name"].value)
            case "archive":
                return replace(about, archived=True)
            case "resume":
                return replace(about, archived=False, order=keys["order"].integer(0, 10**9))
        return about


@dataclass(frozen=True)
class Story:
    game: Game
    start: State
    history: History
    about: About


def begin_line(
    game: Game, start: State, order: int, kit: str, name: str, names: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """`names` are the players' own; where there are none the line has no such key."""
    position = game.write_position(start)
    header = {"do": "begin", "format": VERSION, "game": game.name, "kit": kit, "order": order, "name": name}
    return header | ({"names": dict(names)} if names else {}) | {"start": position}


def as_written(game: Game, start: State, actions: Iterable[Action]) -> tuple[Action, ...]:
    """The actions as they will be read back."""
    return tuple(game.read_action(Field(game.write_action(action)), start) for action in actions)


def position_as_written(game: Game, state: State) -> State:
    """A position as it will be read back: what its JSON does not hold is gone."""
    return game.read_position(Field(game.write_position(state)), None)


def read_about(lines: Sequence[Line]) -> About:
    """What lines of today's format say besides the game's course; quick, for no game is read.  Raises Fault."""
    with _whole_lines():
        first, *others = (Field(line, f"line {number}") for number, line in enumerate(lines, 1))
        keys = first.keys()
        begun = _CLOCK(keys["clock"])
        order = keys["order"].integer(0, 10**9)
        names = _NAMES(keys["names"]) if "names" in keys else {}
        about = About(order, keys["kit"].value, keys["name"].value, names, begun=begun, touched=begun)
        for line in others:
            about = about.told(line)
    return about


def read_story(lines: Sequence[Line], games: tuple[str, ...], load_game: Callable[[str], Game]) -> Story:
    """Read the lines of today's format.  Raises Fault."""
    about = read_about(lines)
    with _whole_lines():
        first, *others = (Field(line, f"line {number}") for number, line in enumerate(lines, 1))
        keys = first.keys()
        game = load_game(keys["game"].one_of(games))
        start = game.read_position(keys["start"], None)
        history = History()
        for line in others:
            history = _happened(history, line, game, start)
    return Story(game, start, history, about)


@contextmanager
def _whole_lines() -> Iterator[None]:
    """A line without what a line of its kind has is a Fault."""
    try:
        yield
    except (KeyError, ValueError, IndexError) as error:
        raise Fault(f"no game that this version can read: {error}") from None


def _happened(history: History, line: Field, game: Game, start: State) -> History:
    """The history after one more line."""
    keys = line.keys()

    def actions() -> tuple[Action, ...]:
        return tuple(many(lambda field: game.read_action(field, start), 0, MOST_ACTIONS)(keys["actions"]))

    match keys["do"].one_of(("confirm", "table", "correct", "undo", "redo", "drop", *ABOUT)):
        case "confirm":
            return history.change(len(history.entries), actions())
        case "table":
            position = game.read_position(keys["position"], None)
            return history.change(len(history.entries), (TableTaken(position),))
        case "correct":
            return history.correct(_PLACE(keys["at"]), actions(), _fallen(keys["fallen"]))
        case "undo":
            return history.undo()
        case "redo":
            return history.redo()
        case "drop":
            return history.without(_fallen(keys["fallen"]))
    return history


def _fallen(field: Field) -> tuple[int, ...]:
    return tuple(many(_PLACE, 0, MOST_ACTIONS)(field))


def checked_name(name: str) -> str:
    """A name that a game can have.  Raises Fault."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable() or name.strip().isdecimal():
        raise Fault(f"{name[:100]!r} found; expected a name of 1 to {LONGEST_NAME} characters that is not a number")
    return name
