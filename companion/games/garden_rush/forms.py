"""The JSON forms of Garden Rush, both ways: positions, boards, actions, and the header of a record."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from companion.document import Choice, Fault, Field, Form, Key, flag, integer, many, mapping, maybe, one_of, shown
from companion.games.garden_rush.board import (
    ALL_CELLS,
    CELL,
    CELLS,
    COLOURS,
    SIDE,
    TOOL_SPACES,
    VEGGIES,
    Board,
    Ground,
    Shape,
    cells_of,
    mask_of,
)
from companion.games.garden_rush.state import (
    NAMES,
    OPTIONS,
    PIECES,
    TOKENS,
    TOOLS,
    TOOLS_EACH,
    VEGGIES_EACH,
    Action,
    Flip,
    Harvest,
    Hose,
    Mole,
    Move,
    MoveMole,
    Options,
    Place,
    Player,
    State,
    Stuck,
    Toolbox,
    Trowel,
    Weedkiller,
)
from companion.kit import Kit
from companion.rules import Seating, read_options, written_options

MOST_POINTS = 999
MOST_NESTED = 64  # no turn chains that many bonuses
MOST_TOKENS = len(VEGGIES) * VEGGIES_EACH + len(TOOLS) * TOOLS_EACH


def _cell(field: Field) -> int:
    if not isinstance(field.value, str) or field.value not in CELL:
        raise field.fault('a cell "row,column", each from 1 to 5')
    return CELL[field.value]


def _cell_name(cell: int) -> str:
    return CELLS[cell]


_colour, _veggie, _token, _column = one_of(COLOURS), one_of(VEGGIES), one_of(TOKENS), integer(1, SIDE)


# The board.  Read into a dict first, for a kit's entries come before a position's.


def _by_cell(found: Mapping[int, str | None]) -> tuple[str | None, ...]:
    return tuple(found.get(cell) for cell in range(len(CELLS)))


def _cells(field: Field) -> dict[str, int]:
    """The cells of each garden as a mask; a plain list holds for both."""
    read = many(_cell, 1, len(CELLS))
    listed = dict.fromkeys(COLOURS, field) if isinstance(field.value, list) else field.keys(COLOURS)
    return {colour: mask_of(read(cells)) for colour, cells in listed.items()}


def _tools(field: Field) -> dict[str, tuple[str | None, ...]]:
    read = maybe(mapping(_cell, one_of(TOOL_SPACES)))
    gardens = {colour: read(spaces) for colour, spaces in field.keys(COLOURS).items()}
    return {colour: _by_cell(spaces) for colour, spaces in gardens.items() if spaces is not None}


_shape = many(many(integer(0, 9), 2, 2), 1, len(CELLS))


def _patterns(field: Field) -> dict[str, tuple[Shape | None, ...]]:
    read = maybe(many(maybe(_shape), 0, 20))
    return {veggie: read(shapes) or () for veggie, shapes in field.keys(VEGGIES).items()}


def _arrow(field: Field) -> int:
    if field.value not in (1, SIDE) or isinstance(field.value, bool):
        raise field.fault(f"1 or {SIDE}, an end of the hedge")
    return int(field.value)


_BOARD = Form(
    dict,
    {
        "cells": Key(_cells, default={}),
        "tools": Key(_tools, default={}),
        "bonus_spaces": Key(many(integer(0, MOST_POINTS)), default=None),
        "patterns": Key(_patterns, default={}),
        "arrow": Key(_arrow, default=None),
    },
)


def _of_kit(kit: Kit) -> dict[str, Any]:
    """What the kit knows of the board, in the form that `_BOARD` reads into."""
    gardens: dict[str, dict[int, str | None]] = {}
    for cell in kit.of_kind("cell"):
        place = CELL[f"{cell.tags['row']},{cell.tags['column']}"]
        gardens.setdefault(cell.tags["garden"], {})[place] = cell.tags.get("tool")
    track = {space.tags["score"]: space.tags.get("bonus") for space in kit.of_kind("track") if space.tags["score"] > 0}
    entered = {score for score, bonus in track.items() if bonus is not None}
    where = str(kit.folder / "kit.toml")
    for veggie in kit.patterns:
        if veggie not in VEGGIES:
            raise Fault(f"{where}: patterns: {shown(veggie)} found; expected one of {', '.join(VEGGIES)}")
    return {
        "cells": {colour: mask_of(tools) for colour, tools in gardens.items()},
        "tools": {colour: _by_cell(tools) for colour, tools in gardens.items() if any(tools.values())},
        "bonus_spaces": tuple(sorted(score for score in entered if track[score])) if entered else None,
        "open_spaces": tuple(sorted(track.keys() - entered)) if entered else (),
        "entered": entered,
        "patterns": {veggie: shapes for veggie, shapes in kit.patterns.items() if shapes},
        "arrow": _end_by_the_trampoline(kit) if kit.arrow is None else _arrow(Field(kit.arrow, f"{where}: arrow")),
    }


def _end_by_the_trampoline(kit: Kit) -> int | None:
    """The hedge's end nearest to the trampoline, where one board shows both; boards of their own tell nothing."""
    for trampoline in kit.of_kind("trampoline"):
        ends = [s for s in kit.of_kind("hedge") if s.board == trampoline.board and s.tags["column"] in (1, SIDE)]
        if ends:
            nearest = min(ends, key=lambda space: math.dist(space.at_mm, trampoline.at_mm))
            return int(nearest.tags["column"])
    return None


def _board(told: Mapping[str, Any], kit: Kit | None) -> Board:
    """The board as the kit has it; what the kit leaves open is as told."""
    known = _of_kit(kit) if kit else {}
    cells, tools, patterns = ({**told[name], **known.get(name, {})} for name in ("cells", "tools", "patterns"))
    bonus_spaces, arrow = (told[n] if known.get(n) is None else known[n] for n in ("bonus_spaces", "arrow"))
    pink, blue = (Ground(cells.get(colour, ALL_CELLS), tools.get(colour)) for colour in COLOURS)
    open_spaces = known.get("open_spaces", ())
    if open_spaces and told["bonus_spaces"] is not None:
        entered = {space for space in told["bonus_spaces"] if space not in known["entered"]}
        bonus_spaces, open_spaces = tuple(sorted({*bonus_spaces, *entered})), ()
    by_veggie = tuple(patterns.get(veggie) for veggie in VEGGIES)
    return Board(pink, blue, bonus_spaces, open_spaces, by_veggie, arrow or SIDE)


def _write_board(board: Board) -> dict[str, Any]:
    grounds = {colour: board.ground(colour) for colour in COLOURS}
    written: dict[str, Any] = {}
    if any(ground.cells != ALL_CELLS for ground in grounds.values()):
        written["cells"] = {colour: [CELLS[cell] for cell in cells_of(g.cells)] for colour, g in grounds.items()}
    written["tools"] = {
        colour: {CELLS[cell]: tool for cell, tool in enumerate(ground.tools) if tool}
        for colour, ground in grounds.items()
        if ground.tools is not None
    }
    if board.bonus_spaces is not None and not board.open_spaces:
        written["bonus_spaces"] = list(board.bonus_spaces)
    written["patterns"] = {
        veggie: [shape and [list(cell) for cell in shape] for shape in shapes]
        for veggie, shapes in zip(VEGGIES, board.patterns, strict=True)
        if shapes is not None
    }
    return {**written, "arrow": board.arrow}


# Positions


def _garden(field: Field) -> tuple[str | None, ...]:
    return _by_cell(mapping(_cell, one_of(PIECES))(field))


def _sack(field: Field) -> tuple[int, ...]:
    found = mapping(_token, integer(0, MOST_TOKENS))(field)
    return tuple(found.get(token, 0) for token in TOKENS)


_PLAYER = Form(
    Player,
    {
        "colour": Key(_colour),
        "score": Key(integer(0, MOST_POINTS), default=0),
        "garden": Key(
            _garden, lambda garden: {CELLS[cell]: piece for cell, piece in enumerate(garden) if piece}, default={}
        ),
    },
)
_TURN = Form(dict, {"player": Key(_colour)})


def _turn(field: Field, over: bool) -> str | None:
    """Whose turn it is; once the game is over a turn means nothing, whatever stands there."""
    try:
        player: str = _TURN.read(field)["player"]
    except Fault:
        if over:
            return None
        raise
    return player


_POSITION = Form(
    dict,
    {
        "options": Key(read_options(Options, OPTIONS), default={}),
        "board": Key(_BOARD.read, default={}),
        "players": Key(many(_PLAYER.read, 2, 2)),
        "hedge": Key(many(maybe(_token), SIDE, SIDE)),
        "trampoline": Key(_token, default=None),
        "sack": Key(_sack, default={}),
        "discards": Key(many(_veggie, 0, MOST_TOKENS), default=[]),
        "turn": Key(lambda field: field, default=None),
        "final_turn": Key(flag, default=False),
        "over": Key(flag, default=False),
        "lost": Key(_colour, default=None),
    },
    fixed={"game": "garden-rush"},
)


def _check_colours(colours: list[str], field: Field) -> None:
    if colours[0] == colours[1]:
        raise Fault(f"{field.at('players')}: {shown(colours[0])} stands twice")


def read_position(field: Field, kit: Kit | None = None) -> State:
    values = _POSITION.read(field)
    colours = [player.colour for player in values["players"]]
    _check_colours(colours, field)
    told_turn = values.pop("turn")
    if told_turn is None and not values["over"]:
        raise Fault(f'{field.where or "the document"}: "turn" is missing')
    turn = _turn(told_turn or Field(None), values["over"])
    board = _board(values.pop("board"), kit)
    return State(board=board, turn=colours.index(turn) if turn else 0, **values)


def write_position(state: State) -> dict[str, Any]:
    tokens = TOKENS if state.options.tools else VEGGIES
    written = {
        "game": "garden-rush",
        "options": written_options(state.options, OPTIONS),
        "board": _write_board(state.board),
        "players": [_PLAYER.write(player) for player in state.players],
        "hedge": list(state.hedge),
        "trampoline": state.trampoline,
        "sack": {token: count for token, count in zip(TOKENS, state.sack, strict=True) if count or token in tokens},
        "discards": list(state.discards),
        "turn": {"player": state.own.colour},
        "final_turn": state.final_turn,
        "over": state.over,
    }
    return written if state.lost is None else {**written, "lost": state.lost}


_HEADER = Form(
    dict,
    {
        "players": Key(many(_colour, 2, 2)),
        "draw": Key(many(_veggie, SIDE + 1, SIDE + 1)),
        "options": Key(read_options(Options, OPTIONS), default={}),
    },
)


def seating(kit: Kit | None) -> Seating:
    """Two players; six veggies are drawn, the first to the trampoline."""
    places = ("trampoline", *(f"hedge-{column}" for column in range(1, SIDE + 1)))
    return Seating(COLOURS, {2: (2,)}, dealt=dict.fromkeys(places, VEGGIES))


def set_up(field: Field, kit: Kit | None = None) -> State:
    """The first position: one token on the trampoline, five on the hedge, all others in the sack."""
    header = _HEADER.read(field)
    _check_colours(list(header["players"]), field)
    trampoline, *hedge = header["draw"]
    return State(
        options=header["options"],
        board=_board(_BOARD.read(Field({})), kit),
        players=tuple(Player(colour) for colour in header["players"]),
        hedge=tuple(hedge),
        trampoline=trampoline,
        sack=sack_after(header["draw"], header["options"].tools),
        discards=(),
        turn=0,
    )


def sack_after(drawn: tuple[str, ...], tools: bool) -> tuple[int, ...]:
    """What the sack holds once the first six are drawn; the tools go in only then."""
    veggies = (VEGGIES_EACH - drawn.count(veggie) for veggie in VEGGIES)
    return (*veggies, *(TOOLS_EACH if tools else 0 for _ in TOOLS))


# Actions


def _nested(field: Field) -> Action:
    if field.where.count(".") > MOST_NESTED:
        raise Fault(f"{field.where[:40]}...: nested deeper than any turn goes")
    action: Action = _PARTS.read(field)
    return action


def _placing(field: Field) -> Place | Mole:
    action: Place | Mole = _PLACINGS.read(field)
    return action


def _write_nested(action: Action) -> dict[str, Any]:
    return _PARTS.write(action)


_AT = Key(_cell, _cell_name)
_KEYS: Mapping[type, Mapping[str, Key]] = {
    Place: {"from": Key(_column, attribute="source"), "to": _AT},
    Mole: {"from": Key(_column, attribute="source"), "to": _AT},
    Harvest: {"cells": Key(many(_cell, 1, len(CELLS)), lambda cells: [CELLS[cell] for cell in cells])},
    Stuck: {"ruling": Key(one_of(("pass", "lose")), default=None, omit_none=True)},
    Move: {"from": Key(_cell, _cell_name, attribute="source"), "to": _AT},
    Flip: {"garden": Key(_colour), "cell": _AT},
    Trowel: {"swap": Key(many(_column, 2, 2)), "place": Key(_placing, _write_nested)},
    Weedkiller: {"veggie": Key(_veggie)},
    Hose: {"column": Key(_column)},
    Toolbox: {"use": Key(_nested, _write_nested)},
    MoveMole: {"from": Key(_cell, _cell_name, attribute="source"), "to": _AT},
}
_BONUS = {"bonus": Key(_nested, _write_nested, default=None, omit_none=True)}
_DRAW = {"draw": Key(many(_token, 0, MOST_TOKENS), default=[])}


def _choice(kinds: Iterable[type], also: Mapping[str, Key]) -> Choice:
    return Choice("do", {NAMES[kind]: Form(kind, {**_KEYS[kind], **also}, {"do": NAMES[kind]}) for kind in kinds})


_WHOLE = _choice(_KEYS, {**_BONUS, **_DRAW})
_PARTS = _choice((kind for kind in _KEYS if kind is not Stuck), _BONUS)
_PLACINGS = _choice((Place, Mole), _BONUS)


def read_action(field: Field, state: State) -> Action:
    action: Action = _WHOLE.read(field)
    return action


def write_action(action: Action) -> dict[str, Any]:
    return {key: value for key, value in _WHOLE.write(action).items() if key != "draw" or value}


def check_action(state: State, action: Action) -> None:
    """Raises Fault where a token is drawn that the sack does not hold."""
    left = dict(zip(TOKENS, state.sack, strict=True))
    for at, token in enumerate(action.draw):
        if not left[token]:
            held = state.sack[TOKENS.index(token)]
            raise Fault(f"draw[{at}]: {shown(token)} found; the sack holds {held or 'none'} of this kind")
        left[token] -= 1
