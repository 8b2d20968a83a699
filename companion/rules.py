"""The vocabulary of every game, and the one function that rules on an action.

A game is data: for each kind of action, what it *requires* and what *then* follows, both keyed by the clause of the
rulebook that says so.  Rulings are values that name clauses; sentences live in the rulebook and word catalogues.
Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from companion.change import Change, Pieces, Suggestion
from companion.document import Field

State = Any  # frozen dataclass; each game has its own
Action = Any  # frozen dataclass; each game has its own

FIRST_LANGUAGE = "en"  # what another language has no words for is told in it


def _languages() -> tuple[str, ...]:
    """Those that there is a word catalogue of: a new language is a new file."""
    names = (path.name.split(".") for path in files("companion").iterdir())
    found = {name[1] for name in names if len(name) == 3 and (name[0], name[2]) == ("words", "po")}
    return FIRST_LANGUAGE, *sorted(found - {FIRST_LANGUAGE})


LANGUAGES = _languages()


# What comes of an action


@dataclass(frozen=True, slots=True)
class Happened:
    """Something that happened, past tense; `name` is the key of its sentence in the game's words."""

    name: str
    clauses: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """Points given to a player (or team), for what lies at a space where there is one."""

    player: str
    points: int
    at: str | None
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bonus:
    """Points that a player gets, or loses, at the end of the game: an item of the score sheet, and for what pieces."""

    player: str
    item: str
    points: int
    clause: str
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A chain reached the space `at` from its neighbour `origin` (None: where the player began it)."""

    at: str
    origin: str | None
    clause: str
    value: int | None = None  # of what lies there


@dataclass(frozen=True, slots=True)
class Stop:
    """A chain ends before the space `at`, a neighbour of `origin`; `why` is a key of the game's words."""

    at: str
    origin: str
    clause: str
    why: str
    value: int | None = None  # of what lies there, where it has one


Event = Happened | Scored | Step | Stop


@dataclass(frozen=True, slots=True)
class Reach:
    """A way from `origin` to a place: over which spaces, with how many new pieces; else the clause that bars it."""

    origin: str
    spaces: tuple[str, ...]
    new: int
    clause: str | None = None


@dataclass(frozen=True, slots=True)
class Allowed:
    state: State
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    clause: str


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The referee cannot decide: what is `missing` (`patterns.tomato`, `draw`, `eat`)."""

    clause: str
    missing: tuple[str, ...]


Ruling = Allowed | Refused | Unsettled


@dataclass(frozen=True, slots=True)
class Missing:
    """A requirement's third answer: it would hold or not, depending on what nobody told."""

    what: tuple[str, ...]


Requirement = Callable[[State, Action], "bool | Missing"]
Effect = Callable[[State, Action], Ruling]  # Allowed; else a part of the action could not be carried out


@dataclass(frozen=True)
class Rule:
    """What one kind of action requires and what then follows, in order, each by its clause."""

    requires: Mapping[str, Requirement]
    then: Mapping[str, Effect]


@dataclass(frozen=True)
class Option:
    """A house rule of the position's `options`: its clause and its values, the default first."""

    name: str
    clause: str
    values: tuple[Any, ...]

    @property
    def default(self) -> Any:
        return self.values[0]


def read_options(make: Callable[..., Any], options: tuple[Option, ...]) -> Callable[[Field], Any]:
    """A reader of a position's `options`; what is left out has its default."""

    def read(field: Field) -> Any:
        found = field.keys([option.name for option in options])
        for option in options:
            if option.name in found and not any(_same(found[option.name].value, value) for value in option.values):
                raise found[option.name].fault("one of " + ", ".join(json.dumps(v) for v in option.values))
        return make(**{name: value.value for name, value in found.items()})

    return read


def written_options(chosen: Any, options: tuple[Option, ...]) -> dict[str, Any]:
    """The house rules that differ from the book."""
    values = {option.name: getattr(chosen, option.name) for option in options}
    return {option.name: values[option.name] for option in options if values[option.name] != option.default}


def _same(found: Any, value: Any) -> bool:
    """Equal as JSON: true is not 1."""
    return type(found) is type(value) and found == value


@dataclass(frozen=True)
class Seating:
    """Who may sit down to a game with a copy of it, and what chance lays out before the first turn.

    `sides` are the copy's colours or teams; `counts` says by the number of players how many sides they may form, the
    usual number first; `dealt` has what may lie on a place at the start, in the order of a header's `draw`.
    """

    sides: tuple[str, ...]
    counts: Mapping[int, tuple[int, ...]]
    teams: bool = False  # several players may be one side
    dealt: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def header(self, players: int, sides: tuple[str, ...], dealt: tuple[str, ...] = ()) -> dict[str, Any]:
        """What a record without `start` says of a new game; `sides` in turn order, the first one begins."""
        if self.teams:
            return {"players": players, "teams": list(sides)}
        return {"players": list(sides)} | ({"draw": list(dealt)} if self.dealt else {})


@dataclass(frozen=True, eq=False)
class Game:
    """A game as data.  `Field` is a place in a JSON document; a bad document raises `Fault`."""

    name: str
    package: str  # where rulebook.<lang>.md and words.<lang>.toml lie
    options: tuple[Option, ...]
    rules: Mapping[type, Rule]
    closing: Mapping[str, Effect]  # what follows every whole action
    clauses_within: Mapping[str, Callable[..., Any]]  # clauses that the above call on, or that set up and score
    informative: frozenset[str]  # clauses that define, and need no code
    seating: Callable[[Any], Seating]  # who may play, with a Kit or None
    set_up: Callable[[Field, Any], State]  # a record's header without `start`, a Kit or None
    read_position: Callable[[Field, Any], State]  # the shape checked; sense is `faults`
    write_position: Callable[[State], dict[str, Any]]
    faults: Callable[[State], list[str]]  # all that cannot be, a line each
    read_action: Callable[[Field, State], Action]
    write_action: Callable[[Action], dict[str, Any]]
    check_action: Callable[[State, Action], None]  # raises Fault: what no table can show (a token not in the sack)
    actions: Callable[[State], Iterable[Action]]  # every action that `companion legal` might list
    legal: Callable[[State], dict[str, Any]]  # what `companion legal` prints
    score: Callable[[State], dict[str, Any]]  # what `companion score` prints
    over: Callable[[State], bool]
    place: Callable[[Any], str | None]  # a Space of a kit to the game's name of that place; None for what is no place
    expected: Callable[[State], Mapping[str, Pieces]]  # what should lie on each place that is not empty
    relaid: Callable[[State, Mapping[str, Pieces]], State]  # the position if that lay on some places; sense is `faults`
    scores: Callable[[State], Mapping[str, int]]  # the score on which each marker's piece should stand
    suggest: Callable[[State, Change], list[Suggestion]]  # what would look like a change, legal or not; and nothing
    describe: Callable[[State, Action], tuple[str, Mapping[str, Any]]]  # key and facts of the action's sentence
    bonuses: Callable[[State], Iterable[Bonus]] = lambda state: ()  # what `score` adds up beside the track, one by one
    not_entered: Callable[[State], tuple[str, ...]] = lambda state: ()  # of the copy, by the keys that `Missing` has
    # For questions at the table:
    asked: Callable[[State, str], Iterable[Action]] = lambda state, about: ()  # what might be wanted with a place, or
    # with a kind of piece, legal or not
    reach: Callable[[State, str], Iterable[Reach]] = lambda state, at: ()  # ways of the side on turn to a place
    openly: Callable[[State], State] = lambda state: state  # without what one side alone may know
    answers: Callable[[State, Action, str], Iterable[Action]] = lambda state, action, missing: ()  # the action with
    # each thing that may have been what is missing
    # For actions that are told by choosing:
    besides: Callable[[State], Iterable[Action]] = lambda state: ()  # allowed, and left out of `actions`; or begun
    further: Callable[[State, Action], Iterable[Action]] = lambda state, action: ()  # a begun action with one die or
    # one space more; nothing once it is whole
    # An allowed action, with its ruling, anew with each bonus that it earns, in every way:
    extras: Callable[[State, Action, Allowed], Iterable[Action]] = lambda state, action, ruling: ()
    # What no camera sees, in the games that have it:
    unknown: Callable[[State, Action], tuple[str, tuple[Action, ...]] | None] = lambda state, action: None  # its name
    # and what the action might have been instead, itself first
    offers: Callable[[State], Iterable[Action]] = lambda state: ()  # what might have been done besides
    dice_left: Callable[[State], tuple[int, ...]] = lambda state: ()
    ends_turn: Callable[[Action], bool] = lambda action: True  # whether a player's turn is over with it
    implied: Callable[[State], tuple[Action, ...]] = lambda state: ()  # what then follows of itself: nothing else can
    throws: Callable[[Action], bool] = lambda action: False  # whether it only says what dice came to show
    owes: Callable[[tuple[Action, ...]], bool] = lambda actions: False  # refused only for want of what nobody saw
    shape: Callable[[tuple[Action, ...]], Any] = lambda actions: actions  # alike for the same with other dice or draws
    # What may have been done, and left no trace, just before an action that was confirmed, with the state that it met:
    overlooked: Callable[[State, Action, Change], Iterable[Action]] = lambda state, action, change: ()
    needs_dice: Callable[[State], bool] = lambda state: False  # nothing can be done before dice are known
    # The last action, with the state that it met, anew with a bonus that was taken since:
    grown: Callable[[State, Action, Change], list[Suggestion]] = lambda state, action, change: []


# Ruling


def objection(rule: Rule, state: State, action: Action) -> Refused | Unsettled | None:
    """What speaks against an action before it is carried out: a broken clause weighs more than an unknown."""
    unsettled: Unsettled | None = None
    for clause, holds in rule.requires.items():
        answer = holds(state, action)
        if isinstance(answer, Missing):
            unsettled = unsettled or Unsettled(clause, answer.what)
        elif not answer:
            return Refused(clause)
    return unsettled


def carry_out(rule: Rule, state: State, action: Action) -> Ruling:
    """Rule on one action, or one part of a nested action, by its own two tables."""
    return objection(rule, state, action) or follow(rule.then, state, action)


def follow(effects: Mapping[str, Effect], state: State, action: Action) -> Ruling:
    """Apply effects in order; the first that cannot be applied is the ruling."""
    events: tuple[Event, ...] = ()
    for effect in effects.values():
        ruling = effect(state, action)
        if not isinstance(ruling, Allowed):
            return ruling
        state, events = ruling.state, events + ruling.events
    return Allowed(state, events)


def judge(game: Game, state: State, action: Action) -> Ruling:
    """Rule on a whole action: allowed with what follows, refused, or not decidable; and by which clause."""
    ruling = carry_out(game.rules[type(action)], state, action)
    if not isinstance(ruling, Allowed) or not game.closing:
        return ruling
    closed = follow(game.closing, ruling.state, action)
    return Allowed(closed.state, ruling.events + closed.events) if isinstance(closed, Allowed) else closed


def legal_actions(game: Game, state: State) -> list[Action]:
    """Of `game.actions`, those whose requirements all hold."""
    return [action for action in game.actions(state) if objection(game.rules[type(action)], state, action) is None]


def clauses_of(ruling: Ruling) -> list[str]:
    """The clauses a ruling rests on, each once, in the order they came up."""
    if not isinstance(ruling, Allowed):
        return [ruling.clause]
    found: dict[str, None] = {}
    for event in ruling.events:
        found.update(dict.fromkeys(event.clauses if isinstance(event, Happened | Scored) else (event.clause,)))
    return list(found)
