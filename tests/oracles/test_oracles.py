"""The worked examples of the rules against the oracles, and the oracles' positions against the box."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random
from typing import Any

import pytest

from tests.oracles import garden_dice, garden_guests, garden_rush

# Garden Dice


def dice_position(board: dict[str, str], dice: list[int], player: str = "blue", **turn: Any) -> dict[str, Any]:
    """A board written as `plot: "piece owner discs"`, and the dice left in a turn."""
    colours = ("blue", "yellow", "green", "red")
    tiles: dict[str, dict[str, Any]] = {}
    for plot, words in board.items():
        piece, *rest = words.split()
        tiles[plot] = {"piece": piece}
        if rest:
            tiles[plot] |= {"owner": rest[0], "discs": int(rest[1]) if rest[1:] else 1}
    return {
        "game": "garden-dice",
        "players": [{"colour": colour} for colour in colours],
        "board": tiles,
        "turn": {"player": player, "rolled": True, "dice": dice, **turn},
    }


def listed(position: dict[str, Any], do: str) -> list[dict[str, Any]]:
    return [action for action in garden_dice.legal(position) if action["do"] == do]


def test_dice_1_harvest() -> None:
    board = {"3,5": "tomato/vegetable yellow", "3,4": "squash/vegetable yellow", "4,5": "carrot/vegetable green"}
    board |= {"5,5": "squash/vegetable green", "4,6": "squash/vegetable red", "4,4": "scarecrow green"}
    position = dice_position(board, [3], "yellow")
    assert garden_dice.chain(position, "3,5", "vegetable") == {"3,5", "3,4", "4,5", "5,5", "4,6"}
    assert garden_dice.harvest_points(position, "3,5") == {"yellow": 7, "green": 9, "red": 2}
    assert {"do": "harvest", "at": "3,5", "die": 3} in garden_dice.legal(position)


def test_dice_2_final_score() -> None:
    counts = {"squash": 2, "carrot": 3, "tomato": 4, "artichoke": 2, "eggplant": 2}
    harvested = [kind for kind, count in counts.items() for _ in range(count)]
    blue = {"colour": "blue", "score": 58, "seeds": ["squash"] * 4, "harvested": harvested, "sun": True}
    score = garden_dice.final_score({"players": [{"colour": "red", "score": 9}, blue], "turn": {"player": "red"}})
    line = {"track": 58, "unplanted": -15, "sets": 30, "collections": 25, "sun": 5, "total": 103, "tie": 38}
    assert score["players"][1] == {"colour": "blue", **line}
    assert score["winners"] == ["blue"]


@pytest.mark.parametrize(("left", "points"), [(0, 0), (1, 0), (2, -5), (3, -10), (4, -15), (5, -20)])
def test_dice_3_unplanted(left: int, points: int) -> None:
    position = {"players": [{"colour": "blue", "seeds": ["squash"] * left}], "turn": {"player": "blue"}}
    assert garden_dice.final_score(position)["players"][0]["unplanted"] == points


def test_dice_4_watering() -> None:
    board = {"3,3": "artichoke/seed green", "3,4": "tomato/seed blue", "3,5": "squash/seed green"}
    board |= {"4,4": "carrot/seed yellow", "5,4": "carrot/seed red", "2,3": "artichoke/seed red"}
    board |= {"3,2": "squash/vegetable blue", "4,3": "rock", "2,4": "eggplant/seed green"}
    position = dice_position(board, [5], "green")
    assert garden_dice.chain(position, "3,3", "seed") == {"3,3", "3,4", "3,5", "4,4"}
    waters = listed(position, "water")
    assert waters == [{"do": "water", "at": at, "die": 5} for at in ("2,4", "3,3", "3,5")]


def test_dice_5_placing() -> None:
    position = dice_position({}, [6, 1])
    position["players"][0]["seeds"] = ["artichoke"]
    place = {"do": "place", "piece": "artichoke", "dice": [1, 6]}
    assert listed(position, "place") == [{**place, "at": "1,6"}, {**place, "at": "6,1"}]
    position["board"]["1,6"] = {"piece": "rock"}
    assert listed(position, "place") == [{**place, "at": "6,1"}]


@pytest.mark.parametrize(
    ("dice", "at", "used", "becomes"),
    [
        ([1, 2], "2,3", [], [3, 2]),  # both are changed by two in all; one die is fewer than two
        ([3, 3], "2,4", [], [2, 4]),  # as good as [4, 2], and first
        ([1, 6], "1,4", [], [1, 4]),
        ([1, 6], "1,5", [1], [1, 5]),  # the other half of two dice by 1
        ([1, 6], "1,4", [1], None),
        ([1, 6], "1,5", [2], None),
        ([1, 6], "2,5", [], [2, 5]),
        ([1, 6], "2,5", [1], None),
        ([1, 6], "3,5", [], None),
        ([1, 6], "6,1", [2], []),
    ],
)
def test_dice_sundial(dice: list[int], at: str, used: list[int], becomes: list[int] | None) -> None:
    position = dice_position({"3,6": "sundial blue"}, dice, sundial=used)
    position["players"][0]["seeds"] = ["squash"]
    there = [action.get("as", []) for action in listed(position, "place") if action["at"] == at]
    assert there == ([] if becomes is None else [becomes])


def test_dice_sundial_wrap() -> None:
    position = dice_position({"3,6": "sundial blue"}, [6, 6])
    position["players"][0]["seeds"] = ["squash"]
    reached = {"4,6", "5,6", "6,4", "6,5", "6,6", "5,5"}
    assert {action["at"] for action in listed(position, "place")} == reached
    position["options"] = {"sundial_wrap": True}
    more = {"1,6", "2,6", "6,1", "6,2", "1,1", "1,5", "5,1"}
    assert {action["at"] for action in listed(position, "place")} == reached | more
    assert [action["as"] for action in listed(position, "place") if action["at"] == "6,1"] == [[1, 6]]


def test_dice_6_taking_off() -> None:
    position = dice_position({"1,2": "rabbit red 3", "5,5": "bird blue"}, [2, 6, 1])
    removes = listed(position, "remove")
    assert removes == [{"do": "remove", "at": "1,2", "dice": [1, 2, 6]}]
    position["turn"]["sun_die"] = 6
    assert removes[0] in garden_dice.legal(position)
    position["options"] = {"sun_six": False}
    assert removes[0] not in garden_dice.legal(position)
    position["turn"]["dice"].append(6)
    assert removes[0] in garden_dice.legal(position)


def test_dice_7_critters() -> None:
    board = {"2,2": "rabbit green", "2,5": "eggplant/vegetable blue", "1,2": "rock", "4,2": "rock", "2,1": "rock"}
    board |= {"6,5": "bird green", "6,2": "tomato/seed blue", "5,5": "rock", "6,6": "rock"}
    position = dice_position(board, [3, 5], "green")
    moves = [action for action in garden_dice.legal(position) if action["do"] == "move" and action["die"] == 3]
    rabbit, bird = ({"do": "move", "from": start, "die": 3} for start in ("2,2", "6,5"))
    assert sorted(moves, key=str) == sorted(
        [
            {**rabbit, "to": "2,3"},
            {**rabbit, "to": "2,4"},
            {**rabbit, "to": "3,2"},
            {**rabbit, "to": "2,5", "eat": "swallow"},
            {**rabbit, "to": "2,5", "eat": "spit", "spit_die": 5},
            {**bird, "to": "6,4"},
            {**bird, "to": "6,3"},
            {**bird, "to": "6,2", "eat": "swallow"},
            {**bird, "to": "6,2", "eat": "spit", "spit_die": 5},
        ],
        key=str,
    )
    position["board"]["5,1"] = {"piece": "scarecrow", "owner": "blue"}
    assert {action["to"] for action in garden_dice.legal(position) if action.get("eat")} == {"2,5"}
    position["turn"]["eaten_from"] = ["blue"]
    assert not [action for action in garden_dice.legal(position) if action.get("eat")]


@pytest.mark.parametrize(
    ("at", "scarecrow", "points"),
    [("5,5", None, 10), ("2,2", "blue", 8), ("5,5", "blue", 8), ("5,5", "red", 10), ("2,2", "red", 5)],
)
def test_dice_8_star_and_scarecrow(at: str, scarecrow: str | None, points: int) -> None:
    beside = {"5,5": "4,4", "2,2": "1,3"}[at]
    board = {at: "eggplant/vegetable blue"} | ({beside: f"scarecrow {scarecrow}"} if scarecrow else {})
    assert garden_dice.harvest_points(dice_position(board, [5]), at) == {"blue": points}


@pytest.mark.parametrize(
    ("counts", "overlapping", "apart"),
    [
        ((1, 1, 1, 1, 1), 15, 15),
        ((1, 1, 1, 1, 3), 25, 15),
        ((1, 1, 1, 1, 4), 30, 25),
        ((1, 1, 1, 1, 5), 35, 30),
        ((2, 2, 2, 2, 2), 30, 30),
        ((2, 3, 4, 2, 2), 55, 30),
        ((2, 5, 6, 2, 2), 70, 55),
        ((3, 3, 3, 3, 3), 95, 50),
        ((5, 5, 5, 5, 5), 175, 100),
        ((0, 3, 4, 0, 0), 25, 25),
    ],
)
def test_dice_9_sets_and_collections(counts: tuple[int, ...], overlapping: int, apart: int) -> None:
    assert sum(garden_dice.splits(counts, True, "best-split")) == overlapping
    assert sum(garden_dice.splits(counts, False, "best-split")) == apart


def test_dice_9_one_kind() -> None:
    best = [garden_dice.splits((count, 0, 0, 0, 0), True, "best-split")[1] for count in range(11)]
    cap = [garden_dice.splits((count, 0, 0, 0, 0), True, "cap")[1] for count in range(11)]
    assert best == [0, 0, 0, 10, 15, 20, 20, 25, 30, 35, 40]
    assert cap == [0, 0, 0, 10, 15, 20, 20, 20, 20, 20, 20]


def test_dice_winners() -> None:
    blue: dict[str, Any] = {"colour": "blue", "score": 6, "sun": True}
    position = {"players": [blue, {"colour": "red", "score": 11}], "turn": {"player": "red"}}
    assert garden_dice.final_score(position)["winners"] == ["blue", "red"]
    blue["harvested"] = ["squash"]
    assert garden_dice.final_score(position)["winners"] == ["blue"]
    shared = {**position, "options": {"tie_break": "shared"}}
    assert garden_dice.final_score(shared)["winners"] == ["blue", "red"]


def test_dice_buying() -> None:
    position = dice_position({"1,1": "bird blue 2"}, [2, 2, 3], bought=["squash", "squash"])
    position["supply"] = {"squash": 1, "carrot": 1, "artichoke": 1}
    carrot = {"do": "buy", "kind": "carrot"}
    assert listed(position, "buy") == [{**carrot, "die": 2}, {**carrot, "die": 3}]
    position["players"][0]["seeds"] = ["eggplant"] * 5
    assert listed(position, "buy")
    position["players"][0]["seeds"].append("eggplant")
    assert listed(position, "buy") == []


def test_dice_options_of_critters() -> None:
    position = dice_position({"1,1": "rabbit blue", "3,3": "squash/vegetable red"}, [2, 1], bought=["squash"] * 2)
    assert {action["to"] for action in listed(position, "move")} == {"1,2", "1,3", "2,1", "3,1"}
    position["options"] = {"critter_diagonal": True}
    assert {action["to"] for action in listed(position, "move")} == {"1,2", "1,3", "2,1", "3,1", "2,2", "3,3"}
    assert [action.get("spit_die") for action in listed(position, "move") if action["to"] == "3,3"] == [None, 1]
    position["options"]["spit_counts_as_buy"] = True
    assert [action.get("spit_die") for action in listed(position, "move") if action["to"] == "3,3"] == [None]
    position = dice_position({}, [1, 1])
    position["players"][0]["critter"] = True
    assert len(listed(position, "place")) == 1
    position["options"] = {"family": True}
    assert listed(position, "place") == []


def test_dice_flip_needs_a_true_six_without_sun_six() -> None:
    position = dice_position({"1,1": "scarecrow blue", "1,2": "sundial red"}, [6], sun_die=6)
    assert listed(position, "flip") == [{"do": "flip", "at": "1,1", "die": 6}]
    position["options"] = {"sun_six": False}
    assert listed(position, "flip") == []


def test_dice_nothing_without_a_roll() -> None:
    position = dice_position({"1,1": "squash/seed blue"}, [6])
    assert garden_dice.legal(position)
    assert garden_dice.legal({**position, "over": True}) == []
    position["turn"] |= {"rolled": False, "dice": []}
    assert garden_dice.legal(position) == []


def test_dice_positions_keep_to_the_box() -> None:
    done: Counter[str] = Counter()
    for seed in range(150):
        position = garden_dice.random_position(Random(seed))
        assert position == garden_dice.random_position(Random(seed))
        tiles: Counter[str] = Counter(position["supply"])
        for player in position["players"]:
            assert garden_dice.free_discs(position, player["colour"]) >= 0
            tiles.update(player["seeds"] + player["harvested"])
        names = [tile["piece"] for tile in position["board"].values()]
        tiles.update(name.split("/")[0] for name in names if "/" in name)
        assert max(tiles.values()) <= {2: 5, 3: 7, 4: 10}[len(position["players"])]
        assert ("rock" not in names) or len(position["players"]) == 2
        actions = garden_dice.legal(position)
        assert len({str(action) for action in actions}) == len(actions)
        done.update(action["do"] + action.get("eat", "") for action in actions)
        done.update("as" for action in actions if "as" in action)
    assert min(done[do] for do in ("buy", "place", "water", "harvest", "flip", "move", "remove", "as")) >= 5
    assert done["moveswallow"] and done["movespit"]


# Garden Rush


def rush_position(pink: dict[str, str], blue: dict[str, str], hedge: str = "CETBP", **more: Any) -> dict[str, Any]:
    """The board of the worked examples; the hedge by first letters."""
    patterns = {"carrot": [[[0, 0], [0, 1]]], "broccoli": [[[0, 0]], [[0, 0], [1, 0], [1, 1]]], "potato": [[[0, 0]]]}
    tools = {"2,2": "place", "2,4": "harvest", "4,2": "move", "4,4": "flip"}
    return {
        "game": "garden-rush",
        "board": {"tools": {"pink": tools, "blue": tools}, "bonus_spaces": [5, 12], "patterns": patterns, "arrow": 5},
        "players": [{"colour": "pink", "garden": pink}, {"colour": "blue", "garden": blue}],
        "hedge": letters(hedge),
        "turn": {"player": "pink"},
        **more,
    }


def letters(text: str) -> list[str | None]:
    names = {name[0].upper(): name for name in ("carrot", "eggplant", "tomato", "broccoli", "potato", "hose")}
    return [names.get(letter) for letter in text]


def refilled(hedge: str, trampoline: str, sack: int, draws: str, empty_sack: str = "freeze", arrow: int = 5) -> str:
    after = garden_rush.refill(hedge_of(hedge), trampoline, sack, arrow, tuple(draws), empty_sack)
    return "".join(token or "_" for token in (*after.hedge, "|", after.trampoline)) + ("!" if after.ended else "")


def hedge_of(text: str) -> list[str | None]:
    return [None if letter == "_" else letter for letter in text]


def test_rush_1_and_2_refill() -> None:
    assert refilled("CE_BP", "C", 9, "T") == "CEBPC|T"
    assert refilled("ETB_T", "C", 9, "E") == "ETBTC|E"
    assert refilled("ETBT_", "E", 9, "B") == "ETBTE|B"
    assert refilled("PB_EC", "C", 9, "T", arrow=1) == "CPBEC|T"


def test_rush_refill_with_the_sack_running_out() -> None:
    assert refilled("CE_BP", "C", 1, "T") == "CEBPC|T"
    assert refilled("CE_BP", "C", 0, "") == "CE_BP|C!"
    assert refilled("CE_BP", "C", 0, "", "push") == "CEBPC|_!"
    assert refilled("_E_B_", "C", 1, "T") == "EBC__|T!"
    assert refilled("_E_B_", "C", 1, "T", "push") == "EBCT_|_!"
    assert refilled("_E_B_", "C", 1, "T", arrow=1) == "__CEB|T!"
    assert refilled("_E_B_", "C", 5, "TPB") == "EBCTP|B"
    with pytest.raises(ValueError, match="too few"):
        refilled("_E_B_", "C", 5, "TP")


def test_rush_1_placing_anywhere_empty() -> None:
    actions = garden_rush.legal(rush_position({"3,3": "tomato/double"}, {}))
    assert len(actions) == 5 * 20
    assert {"do": "place", "from": 3, "to": "3,1"} in actions
    assert {"do": "place", "from": 3, "to": "3,3"} not in actions
    assert {"do": "place", "from": 4, "to": "2,2"} in actions


def test_rush_tools_stay_off_tool_spaces() -> None:
    actions = garden_rush.legal(rush_position({"3,3": "mole"}, {"1,2": "hose"}, "H"))
    cells = set(garden_rush.CELLS) - {"2,2", "2,4", "4,2", "4,4"}
    assert {action["to"] for action in actions if action["do"] == "place"} == cells - {"3,3"}
    assert {action["to"] for action in actions if action["do"] == "mole"} == cells - {"1,2"}


def test_rush_3_and_4_beds() -> None:
    broccoli = {"3,2": "broccoli/single", "3,3": "broccoli/double", "4,3": "broccoli/single"}
    beds = garden_rush.beds(rush_position(broccoli, {}), "pink")
    assert beds == {frozenset({cell}) for cell in broccoli} | {frozenset(broccoli)}
    position = rush_position({"4,4": "potato/single", "3,3": "carrot/single"}, {})
    assert garden_rush.beds(position, "pink") == {frozenset({"4,4"})}
    position["players"][0]["garden"]["2,3"] = "carrot/double"
    assert {"do": "harvest", "cells": ["2,3", "3,3"]} in garden_rush.legal(position)


def test_rush_shapes_are_as_the_owner_sees_them() -> None:
    shape = [[0, 0], [1, 0], [2, 0], [2, 1]]
    foot_up, foot_down = (("2,2", "3,2", "4,2", foot) for foot in ("4,3", "4,1"))
    for colour, right, wrong in (("pink", foot_up, foot_down), ("blue", foot_down, foot_up)):
        for cells, found in ((right, True), (wrong, False)):
            garden = dict.fromkeys(cells, "tomato/single")
            position = rush_position(garden, garden)
            position["board"]["patterns"] = {"tomato": [shape, None]}
            assert garden_rush.beds(position, colour) == ({frozenset(cells)} if found else set())
            position["options"] = {"mirror": True}
            assert garden_rush.beds(position, colour) == {frozenset(cells)}


def test_rush_positions_keep_to_the_box() -> None:
    done: Counter[str] = Counter()
    for seed in range(150):
        position = garden_rush.random_position(Random(seed))
        assert position == garden_rush.random_position(Random(seed))
        tokens: Counter[str] = Counter(position["sack"]) + Counter(position["discards"])
        tokens.update([token for token in (*position["hedge"], position["trampoline"]) if token])
        for player in position["players"]:
            spaces = position["board"]["tools"][player["colour"]]
            garden = player["garden"]
            assert not [cell for cell, token in garden.items() if "/" not in token and cell in spaces]
            tokens.update(token.split("/")[0] for token in garden.values())
        assert max(tokens[veggie] for veggie in garden_rush.VEGGIES) <= 12
        assert max(tokens[tool] for tool in garden_rush.TOOLS) <= 2
        most = 8 if position["options"].get("tools") else 0
        assert sum(tokens[tool] for tool in (*garden_rush.TOOLS, "mole")) <= most
        actions = garden_rush.legal(position)
        assert len({str(action) for action in actions}) == len(actions)
        done.update(action["do"] for action in actions)
    assert min(done[do] for do in ("place", "mole", "harvest")) >= 100


# Garden Guests


def guests_position(spaces: dict[str, str], teams: str = "AB", hand: int = 15) -> dict[str, Any]:
    """The test board of the rules, with pieces written as `space: "A 2"`, `"A 1 safe"` or `"A stone"`."""
    return {
        "game": "garden-guests",
        "board": guests_board(),
        "teams": [
            {"team": team, "collection": [1, 3], "guests": 15, "stones": 35, "hands": [hand], "deck": 9, "discards": 9}
            for team in teams
        ],
        "spaces": {space: piece(words) for space, words in spaces.items()},
        "turn": {"team": "A", "player": 0},
    }


def piece(words: str) -> dict[str, Any]:
    team, what, *safe = words.split()
    return {"team": team, "stone": True} if what == "stone" else {"team": team, "guests": int(what), "safe": bool(safe)}


def guests_board() -> dict[str, Any]:
    homes = {"A": ("4,-3 4,-2 4,-1", "-4,1 -4,2 -4,3"), "B": ("-3,4 -2,4 -1,4", "1,-4 2,-4 3,-4")}
    homes |= {"C": ("-3,-1 -2,-2 -1,-3", "1,3 2,2 3,1")}
    pedestals = {"-2,-1": 1, "-1,-2": 0, "1,2": 1, "2,1": 2, "2,-2": 3, "-2,2": 3}
    mushrooms = ["4,0", "0,4", "-4,4", "-4,0", "0,-4", "4,-4", "-1,2", "1,-2"]
    board: dict[str, Any] = {}
    for q in range(-4, 5):
        for r in range(max(-4, -4 - q), min(4, 4 - q) + 1):
            steps = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
            near = [(q + a, r + b) for a, b in steps if max(abs(q + a), abs(r + b), abs(q + a + r + b)) <= 4]
            facts: dict[str, Any] = {"kind": "flower", "flower": f"f{(q + 2 * r) % 4}"}
            board[f"{q},{r}"] = {**facts, "near": [f"{a},{b}" for a, b in near]}
    board = {space: facts | ({"kind": "mushroom"} if space in mushrooms else {}) for space, facts in board.items()}
    for space, flower in pedestals.items():
        board[space] |= {"kind": "pedestal", "flower": f"f{flower}"}
    for team, sides in homes.items():
        for side, text in enumerate(sides):
            for space in text.split():
                board[space] |= {"kind": "home", "team": team, "side": side}
    return board


WALL = ["-1,-1", "-1,0", "0,0", "0,1", "1,1"]


def test_guests_the_test_board() -> None:
    kinds = Counter(facts["kind"] for facts in guests_board().values())
    assert kinds == {"flower": 61 - 8 - 6 - 18, "mushroom": 8, "pedestal": 6, "home": 18}
    assert [guests_board()[space]["flower"] for space in WALL] == ["f1", "f3", "f0", "f2", "f3"]


def test_guests_1_colonies() -> None:
    empty, taken = guests_position({}), guests_position({"-2,-1": "A 2"})
    taken["turn"]["team"] = "B"

    def sizes(position: dict[str, Any], at: str) -> list[int]:
        actions = garden_guests.legal(position)["actions"]
        return [action["guests"] for action in actions if action["do"] == "colony" and action["at"] == at]

    assert sizes(empty, "-2,-1") == list(range(1, 16))
    assert sizes(taken, "-2,-1") == list(range(3, 16))
    assert (sizes(empty, "4,-3"), sizes(taken, "4,-3")) == ([1], [])
    taken["turn"]["team"] = "A"
    assert sizes(taken, "-2,-1") == []
    assert sizes(guests_position({"-2,-1": "B 1 safe"}), "-2,-1") == []


def test_guests_2_paths() -> None:
    ends = {"-2,-1": "A 2", "1,2": "A 3"}
    position = guests_position(ends)
    assert garden_guests.is_line(position, "A", WALL)
    assert not garden_guests.is_line(position, "A", [space for space in WALL if space != "0,0"])
    path = {"ends": ["-2,-1", "1,2"], "cards": 5}
    assert garden_guests.legal(guests_position(ends, hand=5))["paths"] == [path]
    assert garden_guests.legal(guests_position(ends, hand=4))["paths"] == []


def test_guests_3_connected() -> None:
    homes = {"-4,2": "A 1 safe", "4,-2": "A 1 safe"}
    line = ["-3,2", "-2,1", "-1,0", "0,0", "1,-1", "2,-1", "3,-2"]
    before, after = guests_position(homes), guests_position(homes | dict.fromkeys(line, "A stone"))
    assert garden_guests.is_line(before, "A", line)
    assert not garden_guests.connected(before, "A")
    assert garden_guests.connected(after, "A")
    assert not garden_guests.connected(after, "B")


def test_guests_4_eliminated() -> None:
    stones = dict.fromkeys(WALL, "A stone")
    safe = guests_position(stones | {"-2,-1": "A 1 safe", "1,2": "A 1 safe"}, "ABC")
    assert [garden_guests.can_still_connect(safe, team) for team in "ABC"] == [True, False, True]
    unsafe = guests_position(stones | {"-2,-1": "A 2", "1,2": "A 1 safe"}, "ABC")
    assert [garden_guests.can_still_connect(unsafe, team) for team in "ABC"] == [True, True, True]


def test_guests_5_collecting_and_passing() -> None:
    position = guests_position({}, hand=2)
    others = [action for action in garden_guests.legal(position)["actions"] if action["do"] != "colony"]
    assert others == [{"do": "collect", "card": 1}, {"do": "collect", "card": 3}]
    position["teams"][0]["hands"] = [2, 15]
    passes = [action for action in garden_guests.legal(position)["actions"] if action["do"] == "pass"]
    assert passes == [{"do": "pass", "card": 1, "to": 1}]


def test_guests_fewest_new_stones_with_nothing_left_aside() -> None:
    """On the smallest maps, against lines that are taken as any spaces in any order."""
    compared = 0
    for seed in range(400):
        position = garden_guests.random_position(Random(seed))
        if len(position["board"]) > 19:
            continue
        for team in (facts["team"] for facts in position["teams"]):
            price = garden_guests.open_to_line(position, team)
            own = garden_guests.colonies(position, team)
            if len(price) > 7 or len(own) < 2:
                continue
            a, b = own[0], own[-1]
            lines = [line for size in range(1, len(price) + 1) for line in permutations(price, size)]
            joins = [
                sum(price[space] for space in line)
                for line in lines
                if garden_guests.touching(position, a, line[0])
                and garden_guests.touching(position, b, line[-1])
                and garden_guests.is_line(position, team, list(line))
            ]
            assert garden_guests.fewest_new_stones(position, team, a, b) == min(joins, default=None)
            compared += 1
    assert compared >= 20


def test_guests_positions_keep_to_the_rules() -> None:
    done: Counter[str] = Counter()
    for seed in range(150):
        position = garden_guests.random_position(Random(seed))
        assert position == garden_guests.random_position(Random(seed))
        touch = position["options"].get("touch_secures", True)
        for facts in position["teams"]:
            assert facts["guests"] >= 0
            assert sum(facts["hands"]) + facts["deck"] + facts["discards"] == 52
            stones = [s for s, p in position["spaces"].items() if p.get("stone") and p["team"] == facts["team"]]
            for space in garden_guests.colonies(position, facts["team"]):
                beside = any(garden_guests.touching(position, space, stone) for stone in stones)
                if position["board"][space]["kind"] == "pedestal":
                    safe = position["spaces"][space]["safe"]
                    assert safe == beside if touch else beside or not safe
        shown = garden_guests.legal(position)
        done.update(action["do"] for action in shown["actions"])
        done.update("path" for _ in shown["paths"])
    assert min(done[do] for do in ("collect", "colony", "pass", "path")) >= 50
