"""Garden Dice in JSON: positions, records' set-ups and actions, both ways."""

from __future__ import annotations

from typing import Any

from companion.document import Choice, Fault, Field, Form, Key, flag, integer, many, mapping, maybe, one_of
from companion.games.garden_dice import state as s
from companion.kit import Kit
from companion.rules import Seating, read_options, written_options

DIE = integer(1, 6)
DICE = many(DIE, 1, 4)
PLOT = one_of(s.PLOTS)
COLOUR = one_of(s.COLOURS)
KIND = one_of(s.KINDS)
PLACED = (*s.KINDS, *s.SPECIALS, "rock")


_MOVE = Form(
    s.Move,
    {
        "from": Key(PLOT, attribute="origin"),
        "to": Key(PLOT),
        "die": Key(DIE),
        "eat": Key(one_of(("swallow", "spit")), default=None, omit_none=True),
        "spit_die": Key(DIE, default=None, omit_none=True),
    },
    {"do": "move"},
)
_BECOME = Key(DICE, default=None, omit_none=True, attribute="become")
_AT_WITH_DIE = {"at": Key(PLOT), "die": Key(DIE)}
ACTIONS = Choice(
    "do",
    {
        "roll": Form(s.Roll, {"dice": Key(DICE)}, {"do": "roll"}),
        "reroll": Form(
            s.Reroll,
            {"with": Key(one_of(("sun", "four-alike")), attribute="by"), "dice": Key(DICE)},
            {"do": "reroll"},
        ),
        "set-die": Form(s.SetDie, {"from": Key(DIE, attribute="origin"), "to": Key(DIE)}, {"do": "set-die"}),
        "buy": Form(s.Buy, {"kind": Key(KIND), "die": Key(DIE)}, {"do": "buy"}),
        "place": Form(
            s.Place,
            {"piece": Key(one_of(PLACED)), "at": Key(PLOT), "dice": Key(DICE), "as": _BECOME},
            {"do": "place"},
        ),
        "water": Form(s.Water, _AT_WITH_DIE, {"do": "water"}),
        "harvest": Form(s.Harvest, _AT_WITH_DIE, {"do": "harvest"}),
        "flip": Form(s.Flip, _AT_WITH_DIE, {"do": "flip"}),
        "move": _MOVE,
        "remove": Form(s.Remove, {"at": Key(PLOT), "dice": Key(DICE), "as": _BECOME}, {"do": "remove"}),
        "end-turn": Form(s.EndTurn, {}, {"do": "end-turn"}),
    },
)


def read_action(field: Field, state: s.State) -> Any:
    action = ACTIONS.read(field)
    if isinstance(action, s.Move) and action.spit_die is not None and action.eat != "spit":
        raise Fault(f'{field.at("spit_die")}: {action.spit_die} found; it goes with "eat": "spit" alone')
    return action


# Positions

_OPTIONS = Key(
    read_options(s.Options, s.OPTIONS),
    lambda chosen: written_options(chosen, s.OPTIONS),
    default={},
    attribute="options",
)
_STARS = many(PLOT, 0, 36)
_PLAYER = Form(
    s.Player,
    {
        "colour": Key(COLOUR),
        "score": Key(integer(0, 100_000), default=0),
        "seeds": Key(many(KIND, 0, 99), default=[]),
        "harvested": Key(many(KIND, 0, 99), default=[]),
        **{name: Key(flag, default=False) for name in ("sun", "critter", "sundial", "rock")},
    },
)
_TURN = Form(
    s.Turn,
    {
        "player": Key(COLOUR),
        "rolled": Key(flag, default=False),
        "dice": Key(many(DIE, 0, 99), default=[]),
        "spent": Key(many(DIE, 0, 99), default=[]),
        "bought": Key(many(KIND, 0, 99), default=[]),
        "eaten_from": Key(many(COLOUR, 0, 99), default=[]),
        "sundial": Key(many(integer(1, 2), 0, 99), default=[]),
        "sun_die": Key(maybe(DIE), default=None),
    },
)
_TILE = Form(
    s.Tile,
    {
        "piece": Key(one_of(s.TILES)),
        "owner": Key(COLOUR, default=None, omit_none=True),
        "discs": Key(integer(0, 99), default=None, omit_none=True),
    },
)


def _read_tile(field: Field) -> s.Tile:
    tile: s.Tile = _TILE.read(field)
    if tile.piece == "rock":
        return tile._replace(discs=tile.discs or None)
    return tile._replace(discs=1) if tile.discs is None else tile


def _read_supply(field: Field) -> tuple[int, ...]:
    counts = mapping(KIND, integer(0, 999))(field)
    return tuple(counts.get(kind, 0) for kind in s.KINDS)


def _turn(field: Field | None, over: bool, players: tuple[s.Player, ...]) -> s.Turn | None:
    """The turn that is told, if one is; once the game is over it means nothing, whatever stands there."""
    try:
        turn: s.Turn | None = _TURN.read(field) if field else None
    except Fault:
        if over:
            return None
        raise
    if over and turn is not None and turn.player not in [player.colour for player in players]:
        return None
    return turn


def _make(
    game: str,
    board: dict[str, s.Tile],
    supply: tuple[int, ...],
    last_turn: bool,
    turn: Field | None,
    over: bool,
    players: tuple[s.Player, ...],
    stars: tuple[str, ...] | None,
    **others: Any,
) -> s.State:
    return s.State(
        board=tuple(board.get(plot) for plot in s.PLOTS),
        astray=tuple(plot for plot in board if plot not in s.INDEX),
        supply=supply,
        last_turn=last_turn or not any(supply),
        turn=_turn(turn, over, players) or s.Turn(players[0].colour),
        over=over,
        players=players,
        stars=s.DEFAULT_STARS if stars is None else frozenset(stars),
        **others,
    )


_POSITION = Form(
    _make,
    {
        "game": Key(one_of((s.NAME,))),
        "options": _OPTIONS,
        "stars": Key(_STARS, default=None),
        "players": Key(many(_PLAYER.read, 1, 4)),
        "supply": Key(_read_supply, default={}),
        "board": Key(mapping(lambda f: f.text(longest=20), _read_tile), default={}),
        "turn": Key(lambda field: field, default=None),
        "last_turn": Key(flag, default=False),
        "over": Key(flag, default=False),
    },
)


def _stars(kit: Kit | None, otherwise: frozenset[str]) -> frozenset[str]:
    """The stars are printed on the board, so a kit decides them."""
    if kit is None:
        return otherwise
    return frozenset(
        f"{space.tags['row']},{space.tags['column']}" for space in kit.of_kind("plot") if space.tags["star"]
    )


def read_position(field: Field, kit: Kit | None) -> s.State:
    state: s.State = _POSITION.read(field)
    return state._replace(stars=_stars(kit, state.stars))


def write_position(state: s.State) -> dict[str, Any]:
    return {
        "game": s.NAME,
        "options": written_options(state.options, s.OPTIONS),
        "stars": sorted(state.stars),
        "players": [_PLAYER.write(player) for player in state.players],
        "supply": dict(zip(s.KINDS, state.supply, strict=True)),
        "board": {plot: _TILE.write(tile) for plot, tile in zip(s.PLOTS, state.board, strict=True) if tile},
        "turn": _TURN.write(state.turn),
        "last_turn": state.last_turn,
        "over": state.over,
    }


def seating(kit: Kit | None) -> Seating:
    """A player for each colour of which the copy has discs."""
    pieces = {piece.name for piece in kit.pieces} if kit else {f"disc/{colour}" for colour in s.COLOURS}
    colours = tuple(colour for colour in s.COLOURS if f"disc/{colour}" in pieces)
    return Seating(colours, {players: (players,) for players in range(2, len(colours) + 1)})


_SET_UP = Form(dict, {"players": Key(many(COLOUR, 2, 4)), "options": _OPTIONS})


def set_up(field: Field, kit: Kit | None) -> s.State:
    """The start of a game: `setup.supply` and `setup.player`."""
    header = _SET_UP.read(field)
    colours, options = header["players"], header["options"]
    if len(set(colours)) < len(colours):
        raise Fault(f"{field.at('players')}: {', '.join(colours)} found; expected each colour once")
    return s.State(
        options=options,
        stars=_stars(kit, s.DEFAULT_STARS),
        players=tuple(player_at_start(colour, len(colours), options) for colour in colours),
        supply=supply_at_start(len(colours)),
        board=(None,) * 36,
        turn=s.Turn(colours[0]),
    )


def supply_at_start(players: int) -> tuple[int, ...]:
    return ({2: 5, 3: 7, 4: 10}[players],) * len(s.KINDS)


def player_at_start(colour: str, players: int, options: s.Options) -> s.Player:
    return s.Player(colour, sun=True, critter=not options.family, sundial=True, rock=players == 2)
