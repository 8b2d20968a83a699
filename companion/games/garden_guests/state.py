"""What lies on the table and what a player may do, and the JSON of both (`formats.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from companion.document import Choice, Fault, Field, Form, Key, flag, integer, many, mapping, maybe
from companion.games.garden_guests.board import Board, read_board, write_board
from companion.rules import Option, read_options, written_options

WILD = "wild"
MOST = 999  # of anything in a file; what the box holds is checked in `faults`

OPTIONS = (
    Option("three_player_c_hand", "setup.hand", (5, 7)),
    Option("path_reuse_own_stones", "path.reuse", (True, False)),
    Option("touch_secures", "path.secure", (True, False)),
)


@dataclass(frozen=True, slots=True)
class Options:
    three_player_c_hand: int = 5
    path_reuse_own_stones: bool = True
    touch_secures: bool = True


# The position


class Colony(NamedTuple):
    """Guests on a pedestal or a home; a marker lies on top as long as they are not safe."""

    team: str
    guests: int
    safe: bool


class Stone(NamedTuple):
    team: str


Piece = Colony | Stone


class Team(NamedTuple):
    """A team's own things; counts of cards are None where nobody counts them."""

    name: str
    collection: tuple[int, ...]
    guests: int
    stones: int
    hands: tuple[int, ...] | None
    deck: int | None
    discards: int | None
    out: bool = False
    next_player: int = 0
    unseen: bool = False  # a collection card was turned over that nobody told


class Turn(NamedTuple):
    team: str
    player: int


@dataclass(frozen=True, slots=True)
class State:
    options: Options
    board: Board | None
    teams: tuple[Team, ...]  # in turn order
    spaces: tuple[tuple[str, Piece], ...]  # by id
    turn: Turn
    over: bool = False
    winner: str | None = None
    blocked: tuple[str, ...] = ()  # of two teams: follows from the pieces, kept so that it is told once
    _lying: Mapping[str, Piece] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_lying", dict(self.spaces))

    def at(self, space: str) -> Piece | None:
        return self._lying.get(space)

    def colonies(self, team: str) -> list[str]:
        """The spaces of a team's colonies, ascending."""
        return [at for at, piece in self.spaces if isinstance(piece, Colony) and piece.team == team]

    def team(self, name: str) -> Team:
        return next(team for team in self.teams if team.name == name)

    @property
    def mover(self) -> Team:
        """The team on turn."""
        return self.team(self.turn.team)

    @property
    def hand(self) -> int | None:
        """How many cards the player on turn holds."""
        hands = self.mover.hands
        return None if hands is None else hands[self.turn.player]

    @property
    def next_player(self) -> dict[str, int]:
        return {team.name: team.next_player for team in self.teams}

    def with_team(self, changed: Team) -> State:
        return self._with(tuple(changed if team.name == changed.name else team for team in self.teams), self.spaces)

    def with_pieces(self, laid: Mapping[str, Piece]) -> State:
        return self._with(self.teams, tuple(sorted({**self._lying, **laid}.items())))

    def with_turn(self, turn: Turn) -> State:
        return State(self.options, self.board, self.teams, self.spaces, turn, self.over, self.winner, self.blocked)

    def _with(self, teams: tuple[Team, ...], spaces: tuple[tuple[str, Piece], ...]) -> State:
        """As `replace` does, but several times as fast: every ruling comes through here."""
        return State(self.options, self.board, teams, spaces, self.turn, self.over, self.winner, self.blocked)


# The actions; all are the player's on turn


@dataclass(frozen=True, slots=True)
class Collect:
    card: int | None


@dataclass(frozen=True, slots=True)
class BuildColony:
    at: str
    cards: tuple[str, ...] | None = None
    guests: int | None = None


@dataclass(frozen=True, slots=True)
class LayPath:
    """A line from colony to colony, both included."""

    spaces: tuple[str, ...]
    cards: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PassFlowers:
    card: int
    to: int


Action = Collect | BuildColony | LayPath | PassFlowers


# JSON


def word(field: Field) -> str:
    return field.text(longest=80)


_count = integer(0, MOST)
_player = integer(0, 2)
_words = many(word, 0, 200)

_TEAM = Form(
    Team,
    {
        "team": Key(word, attribute="name"),
        "collection": Key(many(integer(1, 4), 2, 2)),
        "guests": Key(_count),
        "stones": Key(_count),
        "hands": Key(maybe(many(_count, 1, 3))),
        "deck": Key(maybe(_count)),
        "discards": Key(maybe(_count), default=0),
        "out": Key(flag, default=False),
    },
)
_TURN = Form(Turn, {"team": Key(word), "player": Key(_player)})
_COLONY = Form(
    lambda stone, **values: Colony(**values),
    {
        "team": Key(word),
        "guests": Key(integer(1, MOST)),
        "safe": Key(flag, default=False),
        "stone": Key(flag, default=False),
    },
)
_STONE = Form(
    lambda team, **none: Stone(team),
    {
        "team": Key(word),
        "guests": Key(maybe(integer(0, 0)), default=None),
        "safe": Key(flag, default=False),
        "stone": Key(flag),
    },
)


def _piece(field: Field) -> Piece:
    keys = field.keys(_STONE.keys)
    form = _STONE if "stone" in keys and keys["stone"].flag() else _COLONY
    piece: Piece = form.read(field)
    return piece


def _written(piece: Piece) -> dict[str, Any]:
    if isinstance(piece, Stone):
        return {"team": piece.team, "stone": True}
    return {"team": piece.team, "guests": piece.guests, "safe": piece.safe}


def _write_pieces(spaces: tuple[tuple[str, Piece], ...]) -> dict[str, Any]:
    return {at: _written(piece) for at, piece in spaces}


def _pieces(field: Field) -> tuple[tuple[str, Piece], ...]:
    return tuple(sorted(mapping(word, _piece)(field).items()))


def _state(next_player: Mapping[str, int], teams: tuple[Team, ...], **values: Any) -> State:
    return State(teams=tuple(t._replace(next_player=next_player.get(t.name, 0)) for t in teams), **values)


_POSITION = Form(
    _state,
    {
        "options": Key(read_options(Options, OPTIONS), lambda options: written_options(options, OPTIONS), default={}),
        "board": Key(read_board, write_board, default=None, omit_none=True),
        "teams": Key(many(_TEAM.read, 2, 3), lambda teams: [_TEAM.write(team) for team in teams]),
        "spaces": Key(_pieces, _write_pieces, default={}),
        "turn": Key(lambda field: field, default=None),
        "next_player": Key(mapping(word, _player), dict, default={}),
        "over": Key(flag, default=False),
        "winner": Key(maybe(word), default=None),
    },
    fixed={"game": "garden-guests"},
)


def _turn(field: Field, over: bool, teams: tuple[Team, ...]) -> Turn:
    """Whose turn it is; once the game is over a turn means nothing, whatever stands there."""
    try:
        turn: Turn = _TURN.read(field)
    except Fault:
        if over:
            return Turn(teams[0].name, 0)
        raise
    return Turn(teams[0].name, 0) if over and turn.team not in [team.name for team in teams] else turn


def read_position(field: Field) -> State:
    state: State = _POSITION.read(field)
    fields = field.keys()
    if "turn" not in fields and not state.over:
        raise Fault(f'{field.where or "the document"}: "turn" is missing')
    turn = fields.get("turn", Field(None))
    state = state.with_turn(_turn(turn, state.over, state.teams))
    if "next_player" in fields:
        fields["next_player"].keys([team.name for team in state.teams])
    return state


def write_position(state: State) -> dict[str, Any]:
    return {**_POSITION.write(state), "turn": _TURN.write(state.turn)}


_ACTION = Choice(
    "do",
    {
        "collect": Form(Collect, {"card": Key(integer(1, 4), default=None, omit_none=True)}, {"do": "collect"}),
        "colony": Form(
            BuildColony,
            {
                "at": Key(word),
                "cards": Key(_words, default=None, omit_none=True),
                "guests": Key(_count, default=None, omit_none=True),
            },
            {"do": "colony"},
        ),
        "path": Form(
            LayPath,
            {"spaces": Key(many(word, 2, 200)), "cards": Key(_words, default=None, omit_none=True)},
            {"do": "path"},
        ),
        "pass": Form(PassFlowers, {"card": Key(integer(1, 4)), "to": Key(_player)}, {"do": "pass"}),
    },
)


def read_action(field: Field, state: State) -> Action:
    action: Action = _ACTION.read(field)
    return action


def write_action(action: Action) -> dict[str, Any]:
    return _ACTION.write(action)
