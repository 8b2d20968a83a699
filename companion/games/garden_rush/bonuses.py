"""The clauses of the bonuses and tools, and the tables of all that may be a part of a turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.games.garden_rush.board import CELLS, column_of
from companion.games.garden_rush.harvesting import (
    one_vegetable_in_the_own_garden,
    score_a_point_for_each_space,
    take_singles_and_turn_doubles,
    the_bed_matches_a_shape,
)
from companion.games.garden_rush.placing import (
    a_token_of_the_hedge,
    a_tool_turned_onto_an_empty_cell_of_the_opponent,
    clear_of_tool_spaces,
    closed_up,
    draw_to_the_trampoline,
    earn_by_the_tool_space,
    find_the_sack_empty,
    is_empty,
    joined,
    lay_a_mole,
    lay_a_tool,
    lay_a_veggie,
    no_tool_onto_a_tool_space,
    onto_an_empty_cell_of_the_own_garden,
    resupply,
)
from companion.games.garden_rush.state import (
    Action,
    Flip,
    Harvest,
    Hose,
    Mole,
    Move,
    MoveMole,
    Place,
    Player,
    Right,
    State,
    Toolbox,
    Trowel,
    Weedkiller,
    advanced,
    laid,
    replaced,
    turned_over,
    veggie_of,
    with_opponent,
    with_own,
)
from companion.games.garden_rush.telling import facts_of
from companion.games.garden_rush.track import TRACK, by_the_space, earn, spaces_in_view, tools_in_view
from companion.rules import Allowed, Happened, Missing, Refused, Rule, Ruling, Scored, Unsettled, carry_out

# Which bonus an action is, and the clause that says what it does.
BONUS_OF: Mapping[type, tuple[str, str]] = {
    Place: ("place", "bonus.place"),
    Mole: ("place", "bonus.place"),
    Harvest: ("harvest", "bonus.harvest"),
    Move: ("move", "bonus.move"),
    Flip: ("flip", "bonus.flip"),
    Trowel: ("trowel", "tool.trowel"),
    Weedkiller: ("weedkiller", "tool.weedkiller"),
    Hose: ("hose", "tool.hose"),
    Toolbox: ("toolbox", "tool.toolbox"),
    MoveMole: ("move-mole", "track.variant"),
}


def use_the_bonus(state: State, action: Action) -> Ruling:
    """A bonus that is earned may be taken now and never later; it is carried out whole, with what it earns itself."""
    rights = state.due
    if rights:
        state = state._replace(due=())
    if action.bonus is None:
        return Allowed(state)
    if not _rights_to(rights, action.bonus):
        return Refused("bonus.optional")
    return exercise(state, rights, action.bonus, "bonus.optional")


def exercise(state: State, rights: Iterable[Right], action: Action, allowed_by: str) -> Ruling:
    """Carry out an action to which one of the rights is known to lead, or would lead if more were entered."""
    right = min(_rights_to(rights, action), key=lambda right: len(right.missing))
    ruling = carry_out(PARTS[type(action)], state._replace(kept=right.kept), action)
    if isinstance(ruling, Refused):
        return ruling
    if right.missing:
        return Unsettled(right.clause, right.missing)
    if isinstance(ruling, Unsettled):
        return ruling
    return Allowed(ruling.state, (_told(state, action, allowed_by), *ruling.events))


def _rights_to(rights: Iterable[Right], action: Action) -> list[Right]:
    return [right for right in rights if right.bonus == BONUS_OF[type(action)][0]]


def _told(state: State, action: Action, allowed_by: str) -> Happened:
    key, facts = facts_of(state, action)
    in_turn = ("bonus.order",) if action.bonus else ()  # it earns another, which comes after it
    return Happened(f"then-{key}", tuple(dict.fromkeys((allowed_by, BONUS_OF[type(action)][1], *in_turn))), facts)


# Move and flip


def a_move_to_another_empty_cell(state: State, action: Move) -> bool | Missing:
    piece = state.own.garden[action.source]
    if piece is None or action.source == state.kept or not is_empty(state, state.own, action.to):
        return False
    return veggie_of(piece) is not None or clear_of_tool_spaces(state, state.own.colour, action.to)


def move_the_token(state: State, action: Move) -> Allowed:
    piece = state.own.garden[action.source]
    state = with_own(state, laid(state.own, (action.source, None), (action.to, piece)))
    if veggie_of(piece) is None:
        return Allowed(state)
    return earn(state, by_the_space(state, action.to, "bonus.move"), "bonus.move")


def no_tool_or_mole(state: State, action: Flip) -> bool:
    piece = state.player(action.garden).garden[action.cell]
    return piece is None or veggie_of(piece) is not None


def a_veggie_to_flip(state: State, action: Flip) -> bool:
    return veggie_of(state.player(action.garden).garden[action.cell]) is not None


def flip_the_veggie(state: State, action: Flip) -> Allowed:
    player = state.player(action.garden)
    piece = turned_over(str(player.garden[action.cell]))
    told = Happened(f"flipped-{piece.partition('/')[2]}", ("bonus.flip",), {"piece": veggie_of(piece)})
    return Allowed(_with_player(state, laid(player, (action.cell, piece))), (told,))


def _with_player(state: State, player: Player) -> State:
    return with_own(state, player) if player.colour == state.own.colour else with_opponent(state, player)


# The tools


def two_neighbours_of_which_one_is_placed(state: State, action: Trowel) -> bool:
    one, other = action.swap
    both_there = state.hedge[one - 1] is not None and state.hedge[other - 1] is not None
    return abs(one - other) == 1 and both_there and action.place.source in action.swap


def swap_and_place(state: State, action: Trowel) -> Ruling:
    one, other = (column - 1 for column in action.swap)
    hedge = replaced(replaced(state.hedge, one, state.hedge[other]), other, state.hedge[one])
    return exercise(state._replace(hedge=hedge), (Right("place", "tool.trowel"),), action.place, "tool.trowel")


def the_hedge_shows_the_vegetable(state: State, action: Weedkiller) -> bool:
    return action.veggie in state.hedge


def clear_the_hedge_of_the_vegetable(state: State, action: Weedkiller) -> Ruling:
    points = state.hedge.count(action.veggie)
    hedge = tuple(None if token == action.veggie else token for token in state.hedge)
    discards = state.discards + (action.veggie,) * points
    state = with_own(state, advanced(state.own, points), hedge=hedge, discards=discards, owed=True)
    ruling = _refill(state)
    if not isinstance(ruling, Allowed):
        return ruling
    told = Happened("weeds-killed", ("tool.weedkiller",), {"piece": action.veggie, "count": points})
    return Allowed(ruling.state, (told, Scored(state.own.colour, points, None, ("tool.weedkiller",))))


def _refill(state: State) -> Ruling:
    """Slide and draw until the hedge is full; `owed` stays where the sack gives out before."""
    arrow = state.board.arrow
    while None in state.hedge and any(state.sack):
        if not state.draws:
            return Unsettled("tool.weedkiller", ("draw",))
        hedge = joined(closed_up(state.hedge, arrow), state.trampoline, arrow)
        state = draw_to_the_trampoline(state, hedge, owed=None in hedge)
    return Allowed(state)


def turn_a_column_over(state: State, action: Hose) -> Allowed:
    column = [cell for cell in range(len(CELLS)) if column_of(cell) == action.column]
    for player in state.players:
        veggies = ((cell, player.garden[cell]) for cell in column)
        turned = [(cell, turned_over(piece)) for cell, piece in veggies if piece and veggie_of(piece)]
        state = _with_player(state, laid(player, *turned))
    return Allowed(state, (Happened("hosed", ("tool.hose",), {"column": action.column}),))


def in_view_at_the_opponent(state: State) -> tuple[Right, ...]:
    """What a toolbox can borrow; the opponent's toolbox and moles it cannot."""
    tools = tools_in_view(state.opponent, "tool.toolbox")
    borrowed = (right for right in tools if right.bonus != "toolbox")
    return (*spaces_in_view(state, state.opponent, "tool.toolbox"), *borrowed)


def a_bonus_in_view_at_the_opponent(state: State, action: Toolbox) -> bool:
    return bool(_rights_to(in_view_at_the_opponent(state), action.use))


def borrow_the_bonus(state: State, action: Toolbox) -> Ruling:
    return exercise(state, in_view_at_the_opponent(state), action.use, "tool.toolbox")


def a_mole_onto_an_empty_cell_of_the_opponent(state: State, action: MoveMole) -> bool | Missing:
    if state.own.garden[action.source] != "mole" or not is_empty(state, state.opponent, action.to):
        return False
    return clear_of_tool_spaces(state, state.opponent.colour, action.to)


def send_the_mole_over(state: State, action: MoveMole) -> Allowed:
    state = with_own(state, laid(state.own, (action.source, None)))
    state = with_opponent(state, laid(state.opponent, (action.to, "mole")))
    return Allowed(state, (Happened("mole-moved", ("track.variant",), {"opponent": state.opponent.colour}),))


OPTIONAL_BONUS = {"bonus.optional": use_the_bonus}

PARTS: Mapping[type, Rule] = {
    Place: Rule(
        requires={
            "place.hedge": a_token_of_the_hedge,
            "place.empty": onto_an_empty_cell_of_the_own_garden,
            "tool.place": no_tool_onto_a_tool_space,
        },
        then={
            "place.column": lay_a_veggie,
            "tool.place": lay_a_tool,
            "place.resupply": resupply,
            "end.sack": find_the_sack_empty,
            "place.tool-space": earn_by_the_tool_space,
            **OPTIONAL_BONUS,
        },
    ),
    Mole: Rule(
        requires={
            "place.hedge": a_token_of_the_hedge,
            "tool.mole": a_tool_turned_onto_an_empty_cell_of_the_opponent,
        },
        then={
            "tool.mole": lay_a_mole,
            "place.resupply": resupply,
            "end.sack": find_the_sack_empty,
            **OPTIONAL_BONUS,
        },
    ),
    Harvest: Rule(
        requires={
            "harvest.kind": one_vegetable_in_the_own_garden,
            "harvest.pattern": the_bed_matches_a_shape,
        },
        then={
            "harvest.tokens": take_singles_and_turn_doubles,
            "harvest.points": score_a_point_for_each_space,
            **TRACK,
            **OPTIONAL_BONUS,
        },
    ),
    Move: Rule(
        requires={"bonus.move": a_move_to_another_empty_cell},
        then={"bonus.move": move_the_token, **OPTIONAL_BONUS},
    ),
    Flip: Rule(
        requires={"tool.fixed": no_tool_or_mole, "bonus.flip": a_veggie_to_flip},
        then={"bonus.flip": flip_the_veggie, **OPTIONAL_BONUS},
    ),
    Trowel: Rule(
        requires={"tool.trowel": two_neighbours_of_which_one_is_placed},
        then={"tool.trowel": swap_and_place, **OPTIONAL_BONUS},
    ),
    Weedkiller: Rule(
        requires={"tool.weedkiller": the_hedge_shows_the_vegetable},
        then={
            "tool.weedkiller": clear_the_hedge_of_the_vegetable,
            "end.sack": find_the_sack_empty,
            **TRACK,
            **OPTIONAL_BONUS,
        },
    ),
    Hose: Rule(requires={}, then={"tool.hose": turn_a_column_over, **OPTIONAL_BONUS}),
    Toolbox: Rule(
        requires={"tool.toolbox": a_bonus_in_view_at_the_opponent},
        then={"tool.toolbox": borrow_the_bonus, **OPTIONAL_BONUS},
    ),
    MoveMole: Rule(
        requires={"track.variant": a_mole_onto_an_empty_cell_of_the_opponent},
        then={"track.variant": send_the_mole_over, **OPTIONAL_BONUS},
    ),
}
