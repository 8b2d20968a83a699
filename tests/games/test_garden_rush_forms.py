"""Garden Rush at the border: positions, actions, headers and kits read and written, and what cannot be."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.document import Fault, Field
from companion.games.garden_rush import GAME
from companion.kit import Kit, Space
from tests.games.rush_table import BOARD, CELLS, HEDGE, TOOL_SPACES, TOOLS, place, table
from tests.oracles.garden_rush import random_position


def test_set_up_draws_the_first_six_from_the_sack() -> None:
    header = {"players": ["blue", "pink"], "draw": ["tomato", *HEDGE], "options": TOOLS}
    position = GAME.write_position(GAME.set_up(Field(header), None))
    assert [player["colour"] for player in position["players"]] == ["blue", "pink"]
    assert (position["trampoline"], position["hedge"]) == ("tomato", HEDGE)
    assert position["sack"] == {
        "carrot": 11, "eggplant": 11, "tomato": 10, "broccoli": 11, "potato": 11,
        "trowel": 2, "weedkiller": 2, "hose": 2, "toolbox": 2,
    }  # fmt: skip
    assert (position["turn"], position["board"]) == ({"player": "blue"}, {"tools": {}, "patterns": {}, "arrow": 5})


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ({"players": ["pink", "pink"], "draw": ["tomato", *HEDGE]}, 'players: "pink" stands twice'),
        ({"players": ["pink", "blue"], "draw": HEDGE}, "draw: 5 entries found; expected 6"),
        ({"players": ["pink", "blue"], "draw": ["hose", *HEDGE]}, 'draw[0]: "hose" found'),
        ({"players": ["pink", "blue"], "draw": ["tomato", *HEDGE], "decks": 1}, 'unknown key "decks"'),
        ({"players": ["pink", "blue"]}, '"draw" is missing'),
    ],
)
def test_a_bad_header_is_told(header: Any, told: str) -> None:
    with pytest.raises(Fault) as fault:
        GAME.set_up(Field(header), None)
    assert told in str(fault.value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"players": [{"colour": "pink"}]}, "players: 1 entries found; expected 2"),
        ({"players": [{"colour": "pink"}, {"colour": "pink"}]}, 'players: "pink" stands twice'),
        (
            {"players": [{"colour": "pink", "garden": {"6,1": "hose"}}, {"colour": "blue"}]},
            'players[0].garden.6,1: "6,1" found',
        ),
        ({"hedge": HEDGE[:4]}, "hedge: 4 entries found; expected 5"),
        ({"discards": ["hose"]}, 'discards[0]: "hose" found'),
        ({"turn": None}, '"turn" is missing'),
        ({"board": {"arrow": 3}}, "board.arrow: 3 found; expected 1 or 5"),
        ({"board": {"patterns": {"tomatos": []}}}, 'did you mean "tomato"?'),
        ({"options": {"mirror": 1}}, "options.mirror: 1 found"),
        ({"draws": []}, 'unknown key "draws"'),
    ],
)
def test_a_bad_position_is_told(changes: Any, told: str) -> None:
    with pytest.raises(Fault) as fault:
        GAME.read_position(Field(table(**changes)), None)
    assert told in str(fault.value)


@pytest.mark.parametrize(
    "action",
    [
        {"do": "place", "from": 6, "to": "3,3"},
        {"do": "place", "from": 1, "to": "3,6"},
        {"do": "harvest", "cells": []},
        {"do": "stuck", "ruling": "win"},
        place(1, "2,2", bonus=place(1, "3,3", "carrot")),
        place(1, "2,2", bonus={"do": "stuck"}),
        {"do": "plant"},
        {"do": "move", "from": "3,3", "to": "3,4", "at": "3,5"},
    ],
)
def test_a_bad_action_is_told(action: Any) -> None:
    with pytest.raises(Fault):
        GAME.read_action(Field(action), GAME.read_position(Field(table()), None))


def test_bonuses_nested_without_end_are_a_fault_and_no_crash() -> None:
    action = place(1, "2,2")
    for _ in range(120):
        action = place(1, "2,2", bonus=action)
    with pytest.raises(Fault, match="nested deeper"):
        GAME.read_action(Field(action), GAME.read_position(Field(table()), None))


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({"pink": {"1,1": "carrot/double"}}, ["players[0].garden.1,1: carrot/double found; no such cell"]),
        ({"blue": {"3,3": "hose"}}, ["tools and moles: 1 found in all; none are in play without the option tools"]),
        (
            {"blue": {"2,2": "mole"}, "options": TOOLS},
            ["players[1].garden.2,2: mole found; no tool or mole lies on a tool space"],
        ),
        ({"sack": {"carrot": 11}}, ["carrot: 13 found in all; the box holds 12"]),
        ({"discards": ["potato"] * 7}, ["potato: 13 found in all; the box holds 12"]),
        ({"sack": {"hose": 3}, "options": TOOLS}, ["hose: 3 found in all; the box holds 2"]),
        (
            {
                "pink": dict.fromkeys(("3,1", "3,2", "3,3"), "mole"),
                "sack": dict.fromkeys(("hose", "trowel", "toolbox"), 2),
                "options": TOOLS,
            },
            ["tools and moles: 9 found in all; the box holds 8"],
        ),
        ({"scores": (7, 7)}, ["players[1].score: 7 found; two gnomes share no space but 0"]),
        ({"final_turn": True}, ["turn.player: pink found; the final turn is the second player's"]),
        ({"lost": "blue"}, ["lost: blue found; the game is not over"]),
        ({"board": {"tools": {"pink": {"5,5": "flip"}}}}, ["board.tools.pink.5,5: flip found; no such cell"]),
    ],
)
def test_what_cannot_be_is_told(changes: Any, faults: list[str]) -> None:
    assert GAME.faults(GAME.read_position(Field(table(**changes)), None)) == faults


def test_a_position_is_written_in_full_and_read_with_its_defaults_left_out() -> None:
    least = {"players": [{"colour": "blue"}, {"colour": "pink"}], "hedge": [None] * 5, "turn": {"player": "pink"}}
    written = GAME.write_position(GAME.read_position(Field(least), None))
    assert written == {
        "game": "garden-rush",
        "options": {},
        "board": {"tools": {}, "patterns": {}, "arrow": 5},
        "players": [{"colour": "blue", "score": 0, "garden": {}}, {"colour": "pink", "score": 0, "garden": {}}],
        "hedge": [None] * 5,
        "trampoline": None,
        "sack": dict.fromkeys(("carrot", "eggplant", "tomato", "broccoli", "potato"), 0),
        "discards": [],
        "turn": {"player": "pink"},
        "final_turn": False,
        "over": False,
    }


@given(seed=st.integers(0, 2**32 - 1))
def test_a_position_comes_back_as_it_was(seed: int) -> None:
    position = random_position(Random(seed))
    written = GAME.write_position(GAME.read_position(Field(position), None))
    for each in (written, position):
        each["sack"] = {token: count for token, count in each["sack"].items() if count}
    assert written == position


@pytest.mark.parametrize("listed", [["3,3", "3,4", "1,1"], {"pink": ["3,3", "3,4", "1,1"], "blue": CELLS}])
def test_a_garden_may_have_other_cells(listed: Any) -> None:
    position = table(board={"cells": listed, "tools": None})
    state = GAME.read_position(Field(position), None)
    assert {action["to"] for action in GAME.legal(state)["actions"]} == {"3,3", "3,4", "1,1"}
    assert GAME.read_position(Field(GAME.write_position(state)), None) == state


# The kit


def kit(*more: tuple[str, dict[str, Any]], **known: Any) -> Kit:
    cells = [
        ("cell", {"garden": colour, "row": 3, "column": column}) for colour in ("pink", "blue") for column in (1, 2)
    ]
    spaces = [Space(str(n), "board", kind, (0, 0), (1, 1), tags) for n, (kind, tags) in enumerate((*cells, *more))]
    nothing: dict[str, Any] = {"patterns": {}, "arrow": None}
    return Kit(Path(), "garden-rush", "a kit", (), tuple(spaces), (), (), None, **nothing | known)


def test_the_board_comes_from_the_kit_and_what_it_leaves_open_from_the_position() -> None:
    known = kit(
        ("cell", {"garden": "pink", "row": 3, "column": 3, "tool": "flip"}),
        ("track", {"score": 0}),
        ("track", {"score": 1, "bonus": True}),
        ("track", {"score": 2, "bonus": False}),
        patterns={"potato": (((0, 0), (0, 1)),)},
        arrow=1,
    )
    board = GAME.write_position(GAME.read_position(Field(table(board={"cells": None})), known))["board"]
    assert board["cells"] == {"pink": ["3,1", "3,2", "3,3"], "blue": ["3,1", "3,2"]}
    assert board["tools"] == {"pink": {"3,3": "flip"}, "blue": TOOL_SPACES}
    assert (board["bonus_spaces"], board["arrow"]) == ([1], 1)
    assert board["patterns"] == BOARD["patterns"] | {"potato": [[[0, 0], [0, 1]]]}


def test_one_track_space_without_bonus_leaves_the_bonus_spaces_open() -> None:
    open_kit = kit(("track", {"score": 1, "bonus": True}), ("track", {"score": 2}))
    header = Field({"players": ["pink", "blue"], "draw": ["tomato", *HEDGE]})
    assert "bonus_spaces" not in GAME.write_position(GAME.set_up(header, open_kit))["board"]
    told = GAME.read_position(Field(table()), open_kit)
    assert GAME.write_position(told)["board"]["bonus_spaces"] == [1, 5, 12]  # 1 by the kit, the others as told
