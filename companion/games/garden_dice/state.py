"""Garden Dice: the state of a game and its actions, and their JSON forms both ways.

Plots are addressed `row,column` as in the rulebook and stand in `State.board` row by row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from companion.rules import Option

NAME = "garden-dice"
COLOURS = ("blue", "yellow", "green", "red")
KINDS = ("squash", "carrot", "tomato", "artichoke", "eggplant")
VALUE = {kind: value for value, kind in enumerate(KINDS, 1)}
SPECIALS = ("bird", "rabbit", "sundial", "scarecrow")
OTHER_SIDE = {"bird": "rabbit", "rabbit": "bird", "sundial": "scarecrow", "scarecrow": "sundial"}
TILES = (*(f"{kind}/{side}" for kind in KINDS for side in ("seed", "vegetable")), *SPECIALS, "rock")
DISCS = 8  # nine in the box; one marks the score
PLOTS = tuple(f"{row},{column}" for row in range(1, 7) for column in range(1, 7))
INDEX = {plot: index for index, plot in enumerate(PLOTS)}
DEFAULT_STARS = frozenset(("4,6", "5,5", "5,6", "6,4", "6,5", "6,6"))


def _within(row: int, column: int) -> bool:
    return 0 <= row < 6 and 0 <= column < 6


def _neighbours(steps: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    steps = tuple(steps)
    return tuple(
        tuple((row + down) * 6 + column + right for down, right in steps if _within(row + down, column + right))
        for row in range(6)
        for column in range(6)
    )


BESIDE = _neighbours(((-1, 0), (0, 1), (1, 0), (0, -1)))  # orthogonal neighbours of each plot, by index
AROUND = _neighbours((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right)


class Tile(NamedTuple):
    """A tile on the board; a rock has neither owner nor discs."""

    piece: str
    owner: str | None = None
    discs: int | None = None

    @property
    def kind(self) -> str:
        return self.piece.partition("/")[0]

    @property
    def value(self) -> int:
        """What a seed or vegetable is worth; 0 for all else."""
        return VALUE.get(self.kind, 0)

    @property
    def is_seed(self) -> bool:
        return self.piece.endswith("/seed")

    @property
    def is_vegetable(self) -> bool:
        return self.piece.endswith("/vegetable")


class Player(NamedTuple):
    """A player and what lies in front of them."""

    colour: str
    score: int = 0
    seeds: tuple[str, ...] = ()
    harvested: tuple[str, ...] = ()
    sun: bool = False
    critter: bool = False
    sundial: bool = False
    rock: bool = False


class Turn(NamedTuple):
    player: str
    rolled: bool = False
    dice: tuple[int, ...] = ()  # not yet spent
    spent: tuple[int, ...] = ()
    bought: tuple[str, ...] = ()
    eaten_from: tuple[str, ...] = ()
    sundial: tuple[int, ...] = ()  # by how much each die changed so far
    sun_die: int | None = None  # the value of an unspent die set with the sun


@dataclass(frozen=True, slots=True)
class Options:
    must_spend: str = "enforce"
    spit_counts_as_buy: bool = False
    critter_diagonal: bool = False
    sun_six: bool = True
    sundial_wrap: bool = False
    collections_over_five: str = "best-split"
    set_collection_overlap: bool = True
    tie_break: str = "harvest-value"
    family: bool = False


OPTIONS = (
    Option("must_spend", "turn.spend-all", ("enforce", "warn", "off")),
    Option("spit_counts_as_buy", "buy.two", (False, True)),
    Option("critter_diagonal", "move.line", (False, True)),
    Option("sun_six", "remove.six", (True, False)),
    Option("sundial_wrap", "sundial.range", (False, True)),
    Option("collections_over_five", "end.collection", ("best-split", "cap")),
    Option("set_collection_overlap", "end.overlap", (True, False)),
    Option("tie_break", "end.winner", ("harvest-value", "shared")),
    Option("family", "variant.family", (False, True)),
)

Board = tuple[Tile | None, ...]


class State(NamedTuple):
    options: Options
    stars: frozenset[str]
    players: tuple[Player, ...]  # in seat order, clockwise
    supply: tuple[int, ...]  # by KINDS
    board: Board  # by PLOTS
    turn: Turn
    last_turn: bool = False
    over: bool = False
    astray: tuple[str, ...] = ()  # plots that a written position names and no board has; only to be told as faults

    def tile(self, plot: str) -> Tile | None:
        return self.board[INDEX[plot]]

    def player(self, colour: str) -> Player:
        return next(player for player in self.players if player.colour == colour)

    @property
    def acting(self) -> Player:
        return self.player(self.turn.player)

    def free_discs(self, colour: str) -> int:
        """Discs in a player's stock: those neither on a seed in front of them nor on the board."""
        on_board = sum(tile.discs or 0 for tile in self.board if tile and tile.owner == colour)
        return DISCS - len(self.player(colour).seeds) - on_board

    def with_player(self, changed: Player) -> State:
        return self._replace(players=tuple(changed if p.colour == changed.colour else p for p in self.players))

    def with_tiles(self, changes: Iterable[tuple[str, Tile | None]]) -> State:
        board = list(self.board)
        for plot, tile in changes:
            board[INDEX[plot]] = tile
        return self._replace(board=tuple(board))


# Actions


@dataclass(frozen=True, slots=True)
class Roll:
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reroll:
    by: str  # sun or four-alike
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SetDie:
    origin: int
    to: int


@dataclass(frozen=True, slots=True)
class Buy:
    kind: str
    die: int


@dataclass(frozen=True, slots=True)
class Place:
    piece: str
    at: str
    dice: tuple[int, ...]
    become: tuple[int, ...] | None = None  # what the sundial makes of the dice

    @property
    def coordinates(self) -> tuple[int, ...]:
        return self.dice


@dataclass(frozen=True, slots=True)
class Water:
    at: str
    die: int


@dataclass(frozen=True, slots=True)
class Harvest:
    at: str
    die: int


@dataclass(frozen=True, slots=True)
class Flip:
    at: str
    die: int


@dataclass(frozen=True, slots=True)
class Move:
    origin: str
    to: str
    die: int
    eat: str | None = None  # swallow or spit
    spit_die: int | None = None


@dataclass(frozen=True, slots=True)
class Remove:
    at: str
    dice: tuple[int, ...]  # the two coordinates, then the 6
    become: tuple[int, ...] | None = None  # of the coordinates

    @property
    def coordinates(self) -> tuple[int, ...]:
        return self.dice[:2]


@dataclass(frozen=True, slots=True)
class EndTurn:
    pass


def dice_of(action: Place | Remove | Move | Buy | Water | Harvest | Flip) -> tuple[int, ...]:
    """The dice that an action spends, by the values they show."""
    match action:
        case Place() | Remove():
            return action.dice
        case Move(die=die, spit_die=int(other)):
            return (die, other)
    return (action.die,)
