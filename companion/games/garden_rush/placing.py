"""The clauses of placing a token or a mole, and of the hedge's resupply."""

from __future__ import annotations

from companion.games.garden_rush.board import SIDE, VEGGIES, column_of
from companion.games.garden_rush.state import (
    TOKENS,
    TOOLS,
    Mole,
    Place,
    Player,
    Right,
    State,
    Weedkiller,
    laid,
    replaced,
    with_opponent,
    with_own,
)
from companion.games.garden_rush.track import by_the_space, earn, is_tool_space
from companion.rules import Allowed, Happened, Missing, Ruling, Unsettled


def token_on_the_hedge(state: State, action: Place | Mole) -> str | None:
    return state.hedge[action.source - 1]


def is_empty(state: State, player: Player, cell: int) -> bool:
    return state.board.has(player.colour, cell) and player.garden[cell] is None


def clear_of_tool_spaces(state: State, colour: str, cell: int) -> bool | Missing:
    there = is_tool_space(state, colour, cell)
    return there if isinstance(there, Missing) else not there


# What placing requires


def a_token_of_the_hedge(state: State, action: Place | Mole) -> bool:
    return token_on_the_hedge(state, action) is not None


def onto_an_empty_cell_of_the_own_garden(state: State, action: Place) -> bool:
    return is_empty(state, state.own, action.to)


def no_tool_onto_a_tool_space(state: State, action: Place) -> bool | Missing:
    is_tool = token_on_the_hedge(state, action) in TOOLS
    return not is_tool or clear_of_tool_spaces(state, state.own.colour, action.to)


def a_tool_turned_onto_an_empty_cell_of_the_opponent(state: State, action: Mole) -> bool | Missing:
    is_tool = token_on_the_hedge(state, action) in TOOLS
    if not is_tool or not is_empty(state, state.opponent, action.to):
        return False
    return clear_of_tool_spaces(state, state.opponent.colour, action.to)


# What follows


def lay_a_veggie(state: State, action: Place) -> Allowed:
    veggie = token_on_the_hedge(state, action)
    if veggie not in VEGGIES:
        return Allowed(state)
    side = "double" if action.source == column_of(action.to) else "single"
    own = laid(state.own, (action.to, f"{veggie}/{side}"))
    state = with_own(state, own, hedge=replaced(state.hedge, action.source - 1, None), owed=True)
    return Allowed(state, (Happened(f"lies-{side}", ("place.column",), {"piece": veggie}),))


def lay_a_tool(state: State, action: Place) -> Allowed:
    tool = token_on_the_hedge(state, action)
    if tool not in TOOLS:
        return Allowed(state)
    own = laid(state.own, (action.to, tool))
    state = with_own(state, own, hedge=replaced(state.hedge, action.source - 1, None), owed=True)
    return earn(state, (Right(tool, "tool.place"),), "tool.place")


def lay_a_mole(state: State, action: Mole) -> Allowed:
    hedge = replaced(state.hedge, action.source - 1, None)
    state = with_opponent(state, laid(state.opponent, (action.to, "mole")), hedge=hedge, owed=True)
    return Allowed(state, (Happened("mole-laid", ("tool.mole",), {"opponent": state.opponent.colour}),))


def resupply(state: State, action: Place | Mole) -> Ruling:
    """Close the gap at `action.source`; with an empty sack it stays for `find_the_sack_empty`."""
    if not any(state.sack):
        return Allowed(state)
    if not state.draws:
        return Unsettled("place.resupply", ("draw",))
    drawn = state.draws[0]
    hedge = slid(state.hedge, action.source, state.board.arrow, state.trampoline)
    state = draw_to_the_trampoline(state, hedge, owed=False)
    return Allowed(state, (Happened("resupplied", ("place.resupply",), {"piece": drawn}),))


def earn_by_the_tool_space(state: State, action: Place) -> Allowed:
    if state.own.garden[action.to] in TOOLS:
        return Allowed(state)
    return earn(state, by_the_space(state, action.to, "place.tool-space"), "place.tool-space")


def find_the_sack_empty(state: State, action: Place | Mole | Weedkiller) -> Allowed:
    """The trampoline was to be resupplied and the sack held nothing: the last turns begin."""
    if not state.owed:
        return Allowed(state)
    state = state._replace(owed=False, triggered=True)
    if state.options.empty_sack == "push":
        closed = closed_up(state.hedge, state.board.arrow)
        state = state._replace(hedge=joined(closed, state.trampoline, state.board.arrow), trampoline=None)
    return Allowed(state, (Happened("sack-empty", ("end.sack",)),))


# The hedge.  Seen from its far end the tokens slide toward index 0, and the arrow stands behind the last.


def _from_the_far_end(hedge: tuple[str | None, ...], arrow: int) -> tuple[str | None, ...]:
    return hedge if arrow == SIDE else hedge[::-1]


def slid(hedge: tuple[str | None, ...], gap: int, arrow: int, token: str | None) -> tuple[str | None, ...]:
    """The tokens between the gap's column and the arrow one space on, and `token` on the space at the arrow."""
    at = gap - 1 if arrow == SIDE else SIDE - gap
    row = _from_the_far_end(hedge, arrow)
    return _from_the_far_end((*row[:at], *row[at + 1 :], token), arrow)


def closed_up(hedge: tuple[str | None, ...], arrow: int) -> tuple[str | None, ...]:
    """All tokens away from the arrow, the gaps at it."""
    row = [token for token in _from_the_far_end(hedge, arrow) if token is not None]
    return _from_the_far_end((*row, *[None] * (SIDE - len(row))), arrow)


def joined(hedge: tuple[str | None, ...], token: str | None, arrow: int) -> tuple[str | None, ...]:
    """`token` on the first gap of a hedge that is closed up."""
    row = _from_the_far_end(hedge, arrow)
    return _from_the_far_end(replaced(row, row.index(None), token), arrow)


def draw_to_the_trampoline(state: State, hedge: tuple[str | None, ...], owed: bool) -> State:
    """The trampoline's token has gone into `hedge`; the first token of the draws takes its place."""
    drawn = state.draws[0]
    kind = TOKENS.index(drawn)
    sack = replaced(state.sack, kind, state.sack[kind] - 1)
    return state._replace(hedge=hedge, trampoline=drawn, sack=sack, draws=state.draws[1:], owed=owed)
