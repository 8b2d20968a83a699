"""Garden Rush from outside: rulings worked out by hand from the rules."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.commands import own_kit
from companion.document import Fault, Field
from companion.games.garden_rush import GAME
from companion.rulebook import merged
from companion.rules import Allowed, Refused, Scored, Unsettled, clauses_of, judge
from companion.simulate.players import random_action, start
from tests.games.rush_table import CELLS, HEDGE, TOOLS, after, flip, gardens, harvest, move, place, ruled, scores, table
from tests.oracles.garden_rush import random_position

# Beds


@pytest.mark.parametrize(
    "cells",
    [
        ("3,2", "3,3", "4,3"),
        ("3,3", "3,2", "2,2"),
        ("2,2", "2,3", "3,2"),
        ("2,3", "3,3", "3,2"),
    ],
)
def test_a_bed_may_lie_any_way_round(cells: tuple[str, ...]) -> None:
    position = table(pink=dict.fromkeys(cells, "broccoli/single"))
    assert scores(after(position, harvest(*cells))) == [3, 0]


def test_the_cells_of_a_bed_come_in_any_order_but_each_once() -> None:
    position = table(pink={"3,2": "carrot/single", "3,3": "carrot/double"})
    assert gardens(after(position, harvest("3,3", "3,2")))[0] == {"3,3": "carrot/single"}
    assert ruled(position, harvest("3,3", "3,2", "3,3")) == Refused("harvest.pattern")
    alone = table(pink={"3,3": "potato/double"})
    assert ruled(alone, harvest("3,3", "3,3")) == Refused("harvest.pattern")


def test_shapes_may_have_gaps_and_need_not_begin_at_nought() -> None:
    position = table(
        pink={"2,2": "tomato/single", "4,4": "tomato/single"}, board={"patterns": {"tomato": [[[1, 3], [3, 1]]]}}
    )
    assert scores(after(position, harvest("2,2", "4,4"))) == [2, 0]


def test_a_shape_that_is_entered_counts_though_another_is_not() -> None:
    position = table(
        pink={"3,3": "potato/single", "3,4": "potato/single"}, board={"patterns": {"potato": [None, [[0, 0]]]}}
    )
    assert scores(after(position, harvest("3,3"))) == [1, 0]
    assert ruled(position, harvest("3,3", "3,4")) == Unsettled("harvest.pattern", ("patterns.potato",))
    assert ruled(position, harvest("3,3", "3,5")) == Refused("harvest.kind")


def test_an_empty_list_of_shapes_is_not_entered() -> None:
    position = table(pink={"3,3": "potato/single"}, board={"patterns": {"potato": []}})
    assert ruled(position, harvest("3,3")) == Unsettled("harvest.pattern", ("patterns.potato",))
    assert GAME.legal(GAME.read_position(Field(position), None))["actions"][-1]["do"] == "place"


def opposite(cell: str) -> str:
    return f"{cell[:2]}{6 - int(cell[2])}"


def turned(by_cell: dict[str, str]) -> dict[str, str]:
    return {opposite(cell): what for cell, what in by_cell.items()}


def other_seat(position: dict[str, Any]) -> dict[str, Any]:
    """The same table seen from the other side: colours changed, columns counted from the other end."""
    other = {"pink": "blue", "blue": "pink"}
    board, players = position["board"], position["players"]
    tools = {other[colour]: turned(spaces) for colour, spaces in board["tools"].items()}
    return position | {
        "board": board | {"tools": tools, "arrow": 6 - board["arrow"]},
        "players": [p | {"colour": other[p["colour"]], "garden": turned(p["garden"])} for p in players],
        "hedge": position["hedge"][::-1],
        "turn": {"player": other[position["turn"]["player"]]},
    }


def actions_from_the_other_seat(actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"do": "harvest", "cells": sorted(opposite(cell) for cell in action["cells"])}
        if action["do"] == "harvest"
        else action | {"from": 6 - action["from"], "to": opposite(action["to"])}
        for action in actions
    ]


@given(seed=st.integers(0, 2**32 - 1))
def test_both_seats_see_the_same_beds(seed: int) -> None:
    position = random_position(Random(seed))
    here, there = (GAME.legal(GAME.read_position(Field(p), None))["actions"] for p in (position, other_seat(position)))
    assert sorted(map(json.dumps, actions_from_the_other_seat(here))) == sorted(map(json.dumps, there))


# Chains of bonuses


def test_a_bonus_earned_by_a_move_onto_the_move_space_may_move_on() -> None:
    """track.bonus gives a move; the carrot reaches the move space and earns another, for any token."""
    position = table(pink={"3,3": "potato/single", "3,1": "carrot/double", "5,4": "tomato/double"}, scores=(4, 0))
    found = after(position, harvest("3,3", bonus=move("3,1", "4,2", bonus=move("5,4", "3,3"))))
    assert gardens(found)[0] == {"4,2": "carrot/double", "3,3": "tomato/double"}
    found = after(position, harvest("3,3", bonus=move("3,1", "4,2", bonus=move("4,2", "3,3"))))
    assert gardens(found)[0] == {"3,3": "carrot/double", "5,4": "tomato/double"}


def test_a_token_placed_by_a_bonus_onto_the_move_space_stays_there() -> None:
    position = table(pink={"3,1": "carrot/double"})
    placed = place(1, "2,2", "tomato", "tomato", bonus=place(2, "4,2", bonus=move("4,2", "5,2")))
    assert ruled(position, placed) == Refused("bonus.move")
    other = place(1, "2,2", "tomato", "tomato", bonus=place(2, "4,2", bonus=move("2,2", "5,2")))
    # the tomato has slid to column 2 when the bonus takes it
    assert gardens(after(position, other))[0] == {
        "3,1": "carrot/double",
        "5,2": "carrot/single",
        "4,2": "tomato/double",
    }


def test_a_moved_tool_is_not_used_again() -> None:
    position = table(pink={"3,1": "hose"}, options=TOOLS)
    moved = place(2, "4,2", "tomato", bonus=move("3,1", "3,3"))
    assert gardens(after(position, moved))[0] == {"3,3": "hose", "4,2": "eggplant/double"}
    moved["bonus"]["bonus"] = {"do": "hose", "column": 2}
    assert ruled(position, moved) == Refused("bonus.optional")


def test_a_trowel_places_a_tool_whose_bonus_follows() -> None:
    """Hedge C trowel weedkiller T T: the trowel goes, the weed killer is swapped and placed, and takes the tomatoes."""
    position = table(hedge=["carrot", "trowel", "weedkiller", "tomato", "tomato"], options=TOOLS | {"mirror": True})
    nested = place(3, "3,3", bonus={"do": "weedkiller", "veggie": "tomato"})
    action = place(
        2, "3,1", "potato", "broccoli", "potato", "eggplant", bonus={"do": "trowel", "swap": [3, 2], "place": nested}
    )
    found = after(position, action)
    # hedge C W T T C (P), swapped C T W T C, after the placing C T T C P (B), after the weed killer C C P B P (E)
    assert found["hedge"] == ["carrot", "carrot", "potato", "broccoli", "potato"]
    assert found["trampoline"] == "eggplant"
    assert gardens(found)[0] == {"3,1": "trowel", "3,3": "weedkiller"}
    assert scores(found) == [2, 0]


def test_a_trowel_may_place_a_mole_and_its_place_needs_a_cell() -> None:
    position = table(hedge=["carrot", "trowel", "hose", "tomato", "tomato"], options=TOOLS)
    nested = {"do": "mole", "from": 3, "to": "3,3"}
    action = place(2, "3,1", "potato", "broccoli", bonus={"do": "trowel", "swap": [2, 3], "place": nested})
    assert gardens(after(position, action)) == [{"3,1": "trowel"}, {"3,3": "mole"}]
    onto_tool_space = action | {"bonus": {"do": "trowel", "swap": [1, 2], "place": place(2, "3,1")}}
    assert ruled(position, onto_tool_space) == Refused("place.empty")


def test_a_toolbox_borrows_the_opponents_trowel() -> None:
    position = table(
        blue={"3,3": "trowel"}, hedge=["toolbox", "eggplant", "tomato", "broccoli", "potato"], options=TOOLS
    )
    # hedge E T B P C (first draw), swapped T E B P C; the tomato goes to 3,1
    use = {"do": "trowel", "swap": [1, 2], "place": place(1, "3,1")}
    found = after(position, place(1, "3,3", "potato", "potato", bonus={"do": "toolbox", "use": use}))
    assert gardens(found) == [{"3,1": "tomato/double", "3,3": "toolbox"}, {"3,3": "trowel"}]
    assert found["hedge"] == ["eggplant", "broccoli", "potato", "carrot", "potato"]


def test_a_toolbox_reaches_what_the_borrowed_bonus_reaches() -> None:
    position = table(
        pink={"3,2": "carrot/single"},
        blue={"3,2": "carrot/double", "3,3": "hose"},
        hedge=["toolbox", "eggplant", "hose", "broccoli", "potato"],
        options=TOOLS,
    )
    hosed = place(1, "3,3", "potato", bonus={"do": "toolbox", "use": {"do": "hose", "column": 2}})
    assert gardens(after(position, hosed)) == [
        {"3,2": "carrot/double", "3,3": "toolbox"},
        {"3,2": "carrot/single", "3,3": "hose"},
    ]
    a_mole = {"do": "mole", "from": 2, "to": "3,4"}  # the hose has slid to column 2
    moled = place(1, "3,3", "potato", "potato", bonus={"do": "toolbox", "use": a_mole})
    assert gardens(after(position, moled))[1] == {"3,2": "carrot/double", "3,3": "hose", "3,4": "mole"}


@pytest.mark.parametrize(
    "use",
    [
        {"do": "trowel", "swap": [1, 2], "place": {"do": "place", "from": 1, "to": "3,1"}},
        {"do": "move-mole", "from": "5,3", "to": "5,3"},
        {"do": "flip", "garden": "pink", "cell": "3,2"},
    ],
)
def test_a_toolbox_borrows_only_what_is_in_view(use: Any) -> None:
    position = table(
        pink={"3,2": "carrot/single", "5,3": "mole"},
        blue={"4,4": "carrot/double"},
        hedge=["toolbox", "eggplant", "hose", "broccoli", "potato"],
        options=TOOLS,
    )
    action = place(1, "3,3", "potato", "potato", bonus={"do": "toolbox", "use": use})
    assert ruled(position, action) == Refused("tool.toolbox")


def test_a_tool_in_the_own_garden_works_again_on_a_bonus_space() -> None:
    position = table(
        pink={"3,3": "potato/single", "3,1": "toolbox"}, blue={"3,3": "hose"}, scores=(4, 0), options=TOOLS
    )
    use = {"do": "toolbox", "use": {"do": "hose", "column": 1}}
    assert scores(after(position, harvest("3,3", bonus=use))) == [5, 0]
    trowel = {"do": "trowel", "swap": [1, 2], "place": place(1, "3,3")}
    assert ruled(position, harvest("3,3", bonus=trowel, draw=["carrot"])) == Refused("bonus.optional")


def test_the_skip_may_end_on_a_bonus_space() -> None:
    position = table(pink={"3,3": "potato/single", "3,4": "carrot/single"}, scores=(3, 4))
    found = after(position, harvest("3,3", bonus=flip("3,4")))
    assert (gardens(found)[0], scores(found)) == ({"3,4": "carrot/double"}, [5, 4])


@pytest.mark.parametrize(
    "action",
    [
        {"do": "mole", "from": 3, "to": "3,3", "draw": ["carrot"], "bonus": flip("3,4", "blue")},
        place(1, "4,4", "carrot", bonus=flip("4,4") | {"bonus": flip("4,4")}),
        place(3, "3,3", "carrot", bonus={"do": "hose", "column": 1, "bonus": {"do": "hose", "column": 1}}),
        harvest("3,1", bonus=flip("3,1")),
    ],
)
def test_a_bonus_where_none_is_earned_is_refused(action: Any) -> None:
    position = table(
        pink={"3,1": "broccoli/double"},
        blue={"3,4": "carrot/double"},
        hedge=["carrot", "eggplant", "hose", "broccoli", "potato"],
        options=TOOLS,
    )
    assert ruled(position, action) == Refused("bonus.optional")


# The hedge and the sack


def test_a_weed_killer_with_the_sack_empty_leaves_its_gaps() -> None:
    hedge = ["carrot", "weedkiller", "carrot", "broccoli", "potato"]
    kill = place(2, "3,3", bonus={"do": "weedkiller", "veggie": "carrot"})
    found = after(table(hedge=hedge, trampoline="tomato", sack=None, options=TOOLS), kill)
    assert (found["hedge"], found["trampoline"]) == ([None, None, None, "broccoli", "potato"], "tomato")
    assert (scores(found), found["final_turn"]) == ([2, 0], True)
    pushed = after(table(hedge=hedge, trampoline="tomato", sack=None, options=TOOLS | {"empty_sack": "push"}), kill)
    assert (pushed["hedge"], pushed["trampoline"]) == (["broccoli", "potato", "tomato", None, None], None)


def test_tokens_slide_away_from_an_arrow_at_column_1() -> None:
    hedge = ["carrot", "weedkiller", "carrot", "broccoli", "potato"]
    position = table(hedge=hedge, trampoline="tomato", board={"arrow": 1}, options=TOOLS)
    kill = place(2, "3,3", "potato", "broccoli", "eggplant", bonus={"do": "weedkiller", "veggie": "carrot"})
    # after the placing T C C B P (P); without the carrots - - T B P; then - P T B P (B), B P T B P (E)
    found = after(position, kill)
    assert found["hedge"] == ["broccoli", "potato", "tomato", "broccoli", "potato"]
    assert found["trampoline"] == "eggplant"


def test_a_push_closes_the_hedge_away_from_an_arrow_at_column_1() -> None:
    position = table(sack=None, board={"arrow": 1}, options={"empty_sack": "push"})
    assert after(position, place(4, "3,3"))["hedge"] == ["carrot", "carrot", "eggplant", "tomato", "potato"]


def test_a_second_gap_after_the_first_in_the_last_turn() -> None:
    position = table(
        sack=None, hedge=["carrot", None, "tomato", "broccoli", "potato"], turn={"player": "blue"}, final_turn=True
    )
    found = after(position, place(5, "3,3"))
    assert (found["hedge"], found["over"]) == (["carrot", None, "tomato", "broccoli", None], True)


def test_every_draw_must_be_told_and_none_too_many() -> None:
    two = table()
    assert ruled(two, place(2, "2,2", "potato", bonus=place(1, "3,3"))) == Unsettled("place.resupply", ("draw",))
    with pytest.raises(Fault, match=r"draw: 2 tokens given; expected 1"):
        ruled(two, place(3, "3,3", "potato", "potato"))
    with pytest.raises(Fault, match=r"draw\[0\]: \"hose\" found"):
        ruled(two, place(3, "3,3", "hose"))
    with pytest.raises(Fault, match=r"draw\[5\]: \"potato\" found; the sack holds 5"):
        ruled(two, place(3, "3,3", *["potato"] * 6))
    with pytest.raises(Fault, match="draw: 1 tokens given; expected 0"):
        ruled(table(pink={"3,3": "potato/single"}), harvest("3,3", draw=["carrot"]))
    assert ruled(two, place(3, "1,1")) == Refused("place.empty")  # whatever is drawn


# What is not entered


def test_without_the_bonus_spaces_a_bonus_is_unsettled_and_no_bonus_is_fine() -> None:
    position = table(pink={"3,3": "potato/single", "3,4": "carrot/single"}, board={"bonus_spaces": None})
    assert scores(after(position, harvest("3,3"))) == [1, 0]
    assert ruled(position, harvest("3,3", bonus=flip("3,4"))) == Unsettled("track.bonus", ("bonus_spaces",))
    assert ruled(position, harvest("3,3", bonus=flip("3,5"))) == Refused("bonus.flip")
    covered = merged(position, {"board": {"tools": {"pink": {"4,4": None, "3,4": "flip"}}}})
    assert ruled(covered, harvest("3,3", bonus=flip("3,4"))) == Refused("bonus.optional")
    nothing = merged(position, {"board": {"tools": None}})
    assert ruled(nothing, harvest("3,3", bonus=flip("3,4"))) == Unsettled("track.bonus", ("bonus_spaces", "tools.pink"))


def test_without_the_opponents_tools_moles_and_toolboxes_are_unsettled() -> None:
    hedge = ["toolbox", "eggplant", "tomato", "broccoli", "potato"]
    position = table(pink={"3,3": "potato/single"}, hedge=hedge, options=TOOLS, board={"tools": {"blue": None}})
    missing = ("tools.blue",)
    assert ruled(position, {"do": "mole", "from": 1, "to": "3,3", "draw": ["carrot"]}) == Unsettled(
        "tool.mole", missing
    )
    assert ruled(position, {"do": "mole", "from": 2, "to": "3,3", "draw": ["carrot"]}) == Refused("tool.mole")
    borrow = place(1, "3,1", "carrot", bonus={"do": "toolbox", "use": flip("3,3")})
    assert ruled(position, borrow) == Unsettled("tool.toolbox", missing)
    borrow["bonus"]["use"] = {"do": "hose", "column": 3}
    assert ruled(position, borrow) == Refused("tool.toolbox")


def test_legal_lists_nothing_that_is_not_certain() -> None:
    full = GAME.legal(GAME.read_position(Field(table(options=TOOLS, hedge=["hose", *HEDGE[1:]])), None))["actions"]
    assert len([action for action in full if action["do"] == "place"]) == 4 * 21 + 17
    assert len([action for action in full if action["do"] == "mole"]) == 17
    bare = table(pink={"3,3": "potato/double"}, options=TOOLS, hedge=["hose", *HEDGE[1:]], board=None)
    listed = GAME.legal(GAME.read_position(Field(bare), None))["actions"]
    assert {(action["do"], action["from"]) for action in listed} == {("place", column) for column in (2, 3, 4, 5)}


# Stuck


def test_who_can_still_lay_a_mole_is_not_stuck() -> None:
    full = dict.fromkeys(CELLS, "tomato/single")
    full |= dict.fromkeys([cell for cell in CELLS if (int(cell[0]) + int(cell[2])) % 2 == 0], "carrot/single")
    patterns = {"carrot": [[[0, 0], [0, 1]]], "tomato": [[[0, 0], [0, 1]]]}
    few = {"carrot": None, "tomato": None}
    stuck = table(
        pink=full,
        hedge=[None, "eggplant", "eggplant", "potato", None],
        trampoline="potato",
        sack=few,
        board={"patterns": patterns},
    )
    told = {"do": "stuck", "ruling": "pass"}
    assert after(stuck, told)["turn"] == {"player": "blue"}
    assert after(merged(stuck, {"options": {"stuck": "pass"}}), {"do": "stuck"})["turn"] == {"player": "blue"}
    assert ruled(merged(stuck, {"options": {"stuck": "pass"}}), {"do": "stuck", "ruling": "lose"}) == Refused(
        "turn.stuck"
    )
    lost = after(stuck, {"do": "stuck", "ruling": "lose"})
    assert (lost["over"], lost["lost"]) == (True, "pink")
    assert GAME.score(GAME.read_position(Field(lost), None))["winners"] == ["blue"]
    with_hose = merged(stuck, {"options": TOOLS, "hedge": ["hose", "eggplant", "eggplant", "potato", None]})
    assert ruled(with_hose, told) == Refused("turn.stuck")
    assert ruled(merged(with_hose, {"board": {"tools": {"blue": None}}}), told) == Unsettled(
        "turn.stuck", ("tools.blue",)
    )


def test_a_second_player_who_passes_in_the_last_turn_ends_the_game() -> None:
    none = table(scores=(40, 3), hedge=[None] * 5, trampoline=None, turn={"player": "blue"}, final_turn=True)
    found = after(none, {"do": "stuck", "ruling": "pass"})
    assert (found["over"], found.get("lost")) == (True, None)


# The end


def test_forty_counts_at_the_end_of_the_own_turn_only() -> None:
    found = after(table(scores=(3, 41)), place(3, "3,3", "carrot"))
    assert (found["final_turn"], found["over"]) == (False, False)


def test_points_of_an_action_add_up_to_the_gnomes_advance() -> None:
    position = table(pink={"3,3": "potato/single"}, scores=(38, 39))
    ruling = ruled(position, harvest("3,3"))
    assert isinstance(ruling, Allowed)
    points = [(event.points, event.clauses) for event in ruling.events if isinstance(event, Scored)]
    assert points == [(1, ("harvest.points",)), (1, ("track.skip",))]
    assert {"end.forty", "end.last-turn"} <= set(clauses_of(ruling))


def test_equal_scores_are_shared() -> None:
    state = GAME.read_position(Field(table(over=True)), None)
    assert GAME.score(state) == {
        "players": [{"colour": "pink", "total": 0}, {"colour": "blue", "total": 0}],
        "winners": ["pink", "blue"],
    }
    assert GAME.legal(state) == {"actions": []}


# The simulated players


def test_simulated_players_do_everything_that_the_rules_know() -> None:
    done: set[str] = set()
    for seed in range(40):
        random = Random(seed)
        state = start(GAME, 2, TOOLS, random, own_kit("garden-rush"))
        while (action := random_action(GAME, state, random)) is not None:
            done.update(word for word in json.dumps(GAME.write_action(action)).split('"') if word.isascii())
            ruling = judge(GAME, state, action)
            assert isinstance(ruling, Allowed)
            state = ruling.state
        assert GAME.over(state)
    kinds = {
        "place",
        "mole",
        "harvest",
        "move",
        "flip",
        "trowel",
        "weedkiller",
        "hose",
        "toolbox",
        "move-mole",
        "stuck",
    }
    assert kinds <= done
