"""What lies on the table of Garden Rush, and what a player may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from companion.games.garden_rush.board import CELLS, VEGGIES, Board
from companion.rules import Option

TOOLS = ("trowel", "weedkiller", "hose", "toolbox")
TOKENS = (*VEGGIES, *TOOLS)  # the order of State.sack
PIECES = (*(f"{veggie}/{side}" for veggie in VEGGIES for side in ("double", "single")), *TOOLS, "mole")
VEGGIES_EACH, TOOLS_EACH = 12, 2

OPTIONS = (
    Option("tools", "setup.tools", (False, True)),
    Option("mirror", "harvest.pattern", (False, True)),
    Option("empty_sack", "end.sack", ("freeze", "push")),
    Option("stuck", "turn.stuck", ("ask", "lose", "pass")),
)


@dataclass(frozen=True, slots=True)
class Options:
    tools: bool = False
    mirror: bool = False
    empty_sack: str = "freeze"
    stuck: str = "ask"


@dataclass(frozen=True, slots=True)
class Player:
    colour: str
    score: int = 0
    garden: tuple[str | None, ...] = (None,) * len(CELLS)  # a piece by cell


@dataclass(frozen=True, slots=True)
class Right:
    """A bonus that may be used now; `missing` is what would have to be known to be sure that it was earned."""

    bonus: str
    clause: str
    kept: int | None = None  # the cell of the token just placed, which a move may not take
    missing: tuple[str, ...] = ()


class State(NamedTuple):
    options: Options
    board: Board
    players: tuple[Player, ...]  # the first player first
    hedge: tuple[str | None, ...]
    trampoline: str | None
    sack: tuple[int, ...]  # in the order of TOKENS
    discards: tuple[str, ...]
    turn: int  # an index of players
    final_turn: bool = False
    over: bool = False
    lost: str | None = None
    # Within one turn only; never in a position.
    draws: tuple[str, ...] = ()  # told with the action, and not yet drawn
    owed: bool = False  # hedge and trampoline are to be resupplied
    due: tuple[Right, ...] = ()
    kept: int | None = None
    triggered: bool = False  # the end of the game, in this turn

    @property
    def own(self) -> Player:
        return self.players[self.turn]

    @property
    def opponent(self) -> Player:
        return self.players[1 - self.turn]

    def player(self, colour: str) -> Player:
        return self.own if self.own.colour == colour else self.opponent


# The actions.  A cell is an index of CELLS, a hedge space its column.  `draw` stands in the outermost one alone.


@dataclass(frozen=True, slots=True)
class Place:
    source: int
    to: int
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mole:
    source: int
    to: int
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Harvest:
    cells: tuple[int, ...]
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stuck:
    ruling: str | None = None
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Move:
    source: int
    to: int
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flip:
    garden: str
    cell: int
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trowel:
    swap: tuple[int, int]
    place: Place | Mole
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weedkiller:
    veggie: str
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hose:
    column: int
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Toolbox:
    use: Action
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MoveMole:
    source: int
    to: int
    bonus: Action | None = None
    draw: tuple[str, ...] = ()


Action = Place | Mole | Harvest | Stuck | Move | Flip | Trowel | Weedkiller | Hose | Toolbox | MoveMole
NAMES: dict[type, str] = {
    Place: "place",
    Mole: "mole",
    Harvest: "harvest",
    Stuck: "stuck",
    Move: "move",
    Flip: "flip",
    Trowel: "trowel",
    Weedkiller: "weedkiller",
    Hose: "hose",
    Toolbox: "toolbox",
    MoveMole: "move-mole",
}


# Small changes that many clauses make


def with_own(state: State, player: Player, **changes: Any) -> State:
    """The state with the player on turn changed, and what else changes."""
    return state._replace(players=_players(state.turn, player, state.opponent), **changes)


def with_opponent(state: State, player: Player, **changes: Any) -> State:
    return state._replace(players=_players(1 - state.turn, player, state.own), **changes)


def _players(seat: int, player: Player, other: Player) -> tuple[Player, ...]:
    return (player, other) if seat == 0 else (other, player)


def advanced(player: Player, points: int) -> Player:
    return Player(player.colour, player.score + points, player.garden)


def laid(player: Player, *changes: tuple[int, str | None]) -> Player:
    """The player with other pieces, or none, on some cells of the garden."""
    garden = list(player.garden)
    for cell, piece in changes:
        garden[cell] = piece
    return Player(player.colour, player.score, tuple(garden))


def replaced(entries: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*entries[:index], value, *entries[index + 1 :])


def veggie_of(piece: str | None) -> str | None:
    """The vegetable that a piece shows; None for a tool, a mole and an empty cell."""
    return piece.partition("/")[0] if piece and "/" in piece else None


def turned_over(piece: str) -> str:
    veggie, _, side = piece.partition("/")
    return f"{veggie}/{'single' if side == 'double' else 'double'}"
