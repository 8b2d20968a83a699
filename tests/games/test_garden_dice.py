"""Garden Dice: the numbered worked examples of the rules, and cases at the edge of each clause.  Values by hand."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from companion.document import Fault, Field
from companion.games import load_game
from companion.rulebook import merged
from companion.rules import Allowed, Refused, Ruling, Scored, Step, Stop, Unsettled, judge

GAME = load_game("garden-dice")
TURN = {"player": "blue", "rolled": True, "dice": [1, 2, 3, 6], "spent": []}
BASE: dict[str, Any] = {
    "game": "garden-dice",
    "players": [
        {"colour": "blue", "seeds": ["artichoke"], "sun": True, "critter": True, "sundial": True},
        {"colour": "green", "critter": True, "sundial": True},
        {"colour": "red", "sundial": True},
        {"colour": "yellow", "sundial": True},
    ],
    "supply": {"squash": 5, "carrot": 5, "tomato": 5, "artichoke": 5, "eggplant": 5},
    "turn": TURN,
}


NOTHING = dict.fromkeys(("squash", "carrot", "tomato", "artichoke", "eggplant"), 0)


def position(**changes: Any) -> Any:
    """The base position with `changes` laid over it; `dice` and `by` are short for those of the turn.

    What lies on the board no longer lies in front of its player.
    """
    turn = {"dice": changes.pop("dice", TURN["dice"]), "player": changes.pop("by", "blue")}
    document = deepcopy(merged(merged(BASE, {"turn": turn}), changes))
    for player in document["players"] if "players" not in changes else ():
        own = [t["piece"] for t in document.get("board", {}).values() if t.get("owner") == player["colour"]]
        player |= {"critter": not {"bird", "rabbit"} & {*own}, "sundial": not {"sundial", "scarecrow"} & {*own}}
    state = GAME.read_position(Field(document), None)
    assert GAME.faults(state) == []
    return state


def ruled(state: Any, *actions: dict[str, Any]) -> Ruling:
    """The ruling on the last action; those before it must be allowed."""
    ruling: Ruling = Allowed(state)
    for action in actions:
        assert isinstance(ruling, Allowed), ruling
        ruling = judge(GAME, ruling.state, GAME.read_action(Field(action), ruling.state))
    return ruling


def after(ruling: Ruling) -> Any:
    assert isinstance(ruling, Allowed), ruling
    return GAME.write_position(ruling.state)


def points(ruling: Ruling) -> dict[str, int]:
    assert isinstance(ruling, Allowed), ruling
    totals: dict[str, int] = {}
    for event in ruling.events:
        if isinstance(event, Scored):
            totals[event.player] = totals.get(event.player, 0) + event.points
    return totals


def player(document: Any, colour: str) -> Any:
    return next(p for p in document["players"] if p["colour"] == colour)


def tile(piece: str, owner: str | None = None, **more: Any) -> dict[str, Any]:
    return {"piece": piece} | ({"owner": owner} if owner else {}) | more


# The worked examples of the rules, by number


def test_example_1_harvest() -> None:
    board = {
        "3,5": tile("tomato/vegetable", "yellow"),
        "3,4": tile("squash/vegetable", "yellow"),
        "4,5": tile("carrot/vegetable", "green"),
        "5,5": tile("squash/vegetable", "green"),
        "4,6": tile("squash/vegetable", "red"),
        "4,4": tile("scarecrow", "green"),
    }
    ruling = ruled(position(board=board, by="yellow", dice=[3]), {"do": "harvest", "at": "3,5", "die": 3})
    assert points(ruling) == {"yellow": 3 + 1 + 3, "green": (2 + 3) + (1 + 3), "red": 1 * 2}
    done = after(ruling)
    assert set(done["board"]) == {"4,4"}
    assert {p["colour"]: sorted(p["harvested"]) for p in done["players"]} == {
        "blue": [],
        "green": ["carrot", "squash"],
        "red": ["squash"],
        "yellow": ["squash", "tomato"],
    }


def test_example_2_final_score() -> None:
    harvested = ["squash"] * 2 + ["carrot"] * 3 + ["tomato"] * 4 + ["artichoke"] * 2 + ["eggplant"] * 2
    blue = {"colour": "blue", "score": 58, "seeds": ["squash"] * 4, "sun": True, "harvested": harvested}
    score = GAME.score(position(players=[blue, {"colour": "green"}], supply=NOTHING))
    assert score["players"][0] == {
        "colour": "blue",
        "track": 58,
        "unplanted": -15,
        "sets": 30,
        "collections": 25,
        "sun": 5,
        "total": 103,
        "tie": 38,
    }
    assert score["winners"] == ["blue"]


@pytest.mark.parametrize(("seeds", "expected"), [(0, 0), (1, 0), (2, -5), (3, -10), (4, -15), (5, -20)])
def test_example_3_unplanted(seeds: int, expected: int) -> None:
    score = GAME.score(position(players=[{"colour": "blue", "seeds": ["tomato"] * seeds}, {"colour": "green"}]))
    assert score["players"][0]["unplanted"] == expected


def test_example_4_watering() -> None:
    board = {
        "2,2": tile("artichoke/seed", "green"),
        "2,3": tile("tomato/seed", "blue"),
        "2,4": tile("squash/seed", "green"),
        "3,3": tile("carrot/seed", "yellow"),
        "1,2": tile("artichoke/seed", "blue"),
        "3,4": tile("carrot/seed", "red"),
    }
    ruling = ruled(position(board=board, by="green", dice=[5]), {"do": "water", "at": "2,2", "die": 5})
    turned = {plot for plot, there in after(ruling)["board"].items() if there["piece"].endswith("/vegetable")}
    assert turned == {"2,2", "2,3", "2,4", "3,3"}
    assert points(ruling) == {}
    assert isinstance(ruling, Allowed)
    assert {(e.at, e.origin) for e in ruling.events if isinstance(e, Step)} == {
        ("2,2", None),
        ("2,3", "2,2"),
        ("2,4", "2,3"),
        ("3,3", "2,3"),
    }
    stops = {(e.at, e.origin, e.why) for e in ruling.events if isinstance(e, Stop)}
    assert ("1,2", "2,2", "value") in stops
    assert ("3,4", "3,3", "value") in stops
    assert ("1,3", "2,3", "empty") in stops


def test_example_5_placing() -> None:
    listed = GAME.legal(
        position(dice=[1, 6], players=[{"colour": "blue", "seeds": ["artichoke"]}, {"colour": "green"}])
    )
    assert [a["at"] for a in listed["actions"] if a["do"] == "place"] == ["1,6", "6,1"]


def test_example_6_taking_off() -> None:
    state = position(board={"1,2": tile("rabbit", "red", discs=3)}, dice=[1, 2, 6])
    assert state.free_discs("red") == 8 - 3
    ruling = ruled(state, {"do": "remove", "at": "1,2", "dice": [1, 2, 6]})
    done = after(ruling)
    assert done["board"] == {}
    assert player(done, "red")["critter"] is True
    assert isinstance(ruling, Allowed)
    assert ruling.state.free_discs("red") == 8


def test_example_7_rabbit_eats_or_steps() -> None:
    board = {"2,2": tile("rabbit", "green"), "2,5": tile("eggplant/vegetable", "blue")}
    state = position(board=board, by="green", dice=[3, 5])
    spat = ruled(state, {"do": "move", "from": "2,2", "to": "2,5", "die": 3, "eat": "spit", "spit_die": 5})
    done = after(spat)
    assert done["board"] == {"2,5": {"piece": "rabbit", "owner": "green", "discs": 1}}
    assert player(done, "green")["seeds"] == ["eggplant"]
    assert isinstance(spat, Allowed)
    assert (spat.state.free_discs("blue"), spat.state.free_discs("green")) == (8 - 1, 8 - 2)
    assert (
        after(ruled(state, {"do": "move", "from": "2,2", "to": "3,2", "die": 3}))["board"]["3,2"]["piece"] == "rabbit"
    )


def test_example_7_bird_swallows() -> None:
    board = {"2,5": tile("bird", "yellow"), "2,2": tile("artichoke/seed", "green")}
    ruling = ruled(
        position(board=board, by="yellow", dice=[3]),
        {"do": "move", "from": "2,5", "to": "2,2", "die": 3, "eat": "swallow"},
    )
    done = after(ruling)
    assert done["board"] == {"2,2": {"piece": "bird", "owner": "yellow", "discs": 2}}
    assert player(done, "yellow")["seeds"] == []
    assert isinstance(ruling, Allowed)
    assert ruling.state.free_discs("green") == 8


@pytest.mark.parametrize(
    ("at", "scarecrow", "expected"),
    [("5,5", None, 10), ("2,2", "blue", 8), ("5,5", "blue", 8), ("5,5", "green", 10), ("2,2", "green", 5)],
)
def test_example_8_star_and_scarecrow(at: str, scarecrow: str | None, expected: int) -> None:
    row, column = map(int, at.split(","))
    board = {at: tile("eggplant/vegetable", "blue")}
    if scarecrow:
        board[f"{row + 1},{column + 1}"] = tile("scarecrow", scarecrow)
    players = [{"colour": "blue"}, {"colour": "green"}]
    ruling = ruled(position(board=board, dice=[5], players=players), {"do": "harvest", "at": at, "die": 5})
    assert points(ruling) == {"blue": expected}


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
def test_example_9_sets_and_collections(counts: tuple[int, ...], overlapping: int, apart: int) -> None:
    kinds = ("squash", "carrot", "tomato", "artichoke", "eggplant")
    harvested = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
    for overlap, expected in ((True, overlapping), (False, apart)):
        state = position(
            options={"set_collection_overlap": overlap},
            players=[{"colour": "blue", "harvested": harvested}, {"colour": "green"}],
            supply=NOTHING,
        )
        score = GAME.score(state)["players"][0]
        assert score["sets"] + score["collections"] == expected


@pytest.mark.parametrize(
    ("over_five", "expected"),
    [("best-split", [0, 0, 0, 10, 15, 20, 20, 25, 30, 35, 40]), ("cap", [0, 0, 0, 10, 15, 20, 20, 20, 20, 20, 20])],
)
def test_example_9_one_kind_only(over_five: str, expected: list[int]) -> None:
    found = []
    for count in range(11):
        players = [{"colour": "blue", "harvested": ["tomato"] * count}, {"colour": "green"}]
        options = {"collections_over_five": over_five}
        score = GAME.score(position(players=players, supply={"tomato": 0}, options=options))
        found.append(score["players"][0]["collections"])
    assert found == expected


# At the edge of the clauses

SUNDIAL = {"2,2": tile("sundial", "blue")}


@pytest.mark.parametrize(
    ("spent_on_sundial", "dice", "become", "verdict"),
    [
        ([], [6, 1], [6, 3], None),
        ([], [6, 1], [5, 2], None),
        ([], [6, 1], [6, 4], "sundial.once"),
        ([], [6, 1], [5, 3], "sundial.once"),
        ([1], [6, 1], [6, 2], None),
        ([1], [6, 1], [6, 3], "sundial.once"),
        ([1], [6, 1], [5, 2], "sundial.once"),
        ([2], [6, 1], [6, 2], "sundial.once"),
        ([1, 1], [6, 1], [6, 2], "sundial.once"),
        ([2], [6, 1], [1, 6], None),
        ([], [6, 1], [6, 6], "sundial.range"),
    ],
)
def test_the_sundial_changes_two_by_one_or_one_by_two_in_a_turn(
    spent_on_sundial: list[int], dice: list[int], become: list[int], verdict: str | None
) -> None:
    state = position(board=SUNDIAL, dice=dice, turn={"sundial": spent_on_sundial}, players=holder())
    at = f"{become[0]},{become[1]}"
    ruling = ruled(state, {"do": "place", "piece": "artichoke", "at": at, "dice": dice, "as": become})
    assert ruling == Refused(verdict) if verdict else isinstance(ruling, Allowed)


def holder() -> list[dict[str, Any]]:
    return [{"colour": "blue", "seeds": ["artichoke"], "sun": True}, {"colour": "green"}]


def test_the_sundial_may_turn_from_one_to_six_where_the_table_plays_so() -> None:
    action = {"do": "place", "piece": "artichoke", "at": "6,6", "dice": [6, 1], "as": [6, 6]}
    state = position(board=SUNDIAL, dice=[6, 1], options={"sundial_wrap": True}, players=holder())
    assert after(ruled(state, action))["turn"]["sundial"] == [1]


def test_a_sundial_works_from_the_moment_it_is_placed() -> None:
    state = position(dice=[2, 3, 1, 1])
    first = {"do": "place", "piece": "sundial", "at": "2,3", "dice": [2, 3]}
    second = {"do": "place", "piece": "artichoke", "at": "1,2", "dice": [1, 1], "as": [1, 2]}
    assert ruled(state, second) == Refused("sundial.placed")
    assert isinstance(ruled(state, first, second), Allowed)


def test_a_sundial_turned_to_its_scarecrow_changes_no_dice() -> None:
    state = position(board=SUNDIAL, dice=[6, 1, 1], players=holder())
    flip = {"do": "flip", "at": "2,2", "die": 6}
    place = {"do": "place", "piece": "artichoke", "at": "1,2", "dice": [1, 1], "as": [1, 2]}
    assert ruled(state, flip, place) == Refused("sundial.placed")


@pytest.mark.parametrize(("sun_six", "verdict"), [(True, None), (False, "flip.six")])
def test_a_six_made_with_the_sun(sun_six: bool, verdict: str | None) -> None:
    state = position(board=SUNDIAL, dice=[1, 2, 3, 4], options={"sun_six": sun_six}, players=holder())
    ruling = ruled(state, {"do": "set-die", "from": 1, "to": 6}, {"do": "flip", "at": "2,2", "die": 6})
    assert ruling == Refused(verdict) if verdict else isinstance(ruling, Allowed)


def test_of_equal_dice_the_one_set_with_the_sun_goes_first_unless_a_true_six_is_needed() -> None:
    state = position(board=SUNDIAL, dice=[6, 1, 2, 2], options={"sun_six": False}, players=holder())
    made = {"do": "set-die", "from": 1, "to": 6}
    bought = after(ruled(state, made, {"do": "buy", "kind": "squash", "die": 6}))
    assert (bought["turn"]["dice"], bought["turn"]["sun_die"]) == ([6, 2, 2], None)
    flipped = after(ruled(state, made, {"do": "flip", "at": "2,2", "die": 6}))
    assert (flipped["turn"]["dice"], flipped["turn"]["sun_die"]) == ([6, 2, 2], 6)


def test_four_alike_with_the_help_of_the_sun_do_not_count() -> None:
    state = position(dice=[4, 4, 4, 1], players=holder())
    again = {"do": "reroll", "with": "four-alike", "dice": [1, 2, 3, 4]}
    assert ruled(state, {"do": "set-die", "from": 1, "to": 4}, again) == Refused("turn.four-alike")
    with_sun = {"do": "reroll", "with": "sun", "dice": [4, 4, 4, 4]}
    assert after(ruled(state, with_sun, again))["turn"]["dice"] == [1, 2, 3, 4]


@pytest.mark.parametrize(("must_spend", "verdict"), [("enforce", "turn.spend-all"), ("warn", None), ("off", None)])
def test_ending_a_turn_with_dice_left(must_spend: str, verdict: str | None) -> None:
    ruling = ruled(position(dice=[1], options={"must_spend": must_spend}), {"do": "end-turn"})
    if verdict:
        assert ruling == Refused(verdict)
    else:
        assert isinstance(ruling, Allowed)
        assert ("dice-left" in [getattr(e, "name", "") for e in ruling.events]) == (must_spend == "warn")


def test_dice_that_nothing_can_be_done_with_need_not_be_spent() -> None:
    players = [{"colour": "blue", "sun": True}, {"colour": "green"}]
    done = after(ruled(position(dice=[1], players=players, supply=NOTHING), {"do": "end-turn"}))
    assert done["over"] is True  # the supply is empty: it was the last turn


def test_only_the_sundial_could_still_help_and_so_the_dice_are_owed() -> None:
    """Both plots that 1 and 2 name are taken; with the sundial the seed could still be placed."""
    board = SUNDIAL | {"1,2": tile("rock"), "2,1": tile("rock")}
    empty = NOTHING
    players = [{"colour": "blue", "seeds": ["artichoke"]}, {"colour": "green"}]
    state = position(board=board, dice=[1, 2], supply=empty, players=players)
    assert ruled(state, {"do": "end-turn"}) == Refused("turn.spend-all")
    used = position(board=board, dice=[1, 2], supply=empty, players=players, turn={"sundial": [2]})
    assert isinstance(ruled(used, {"do": "end-turn"}), Allowed)


@pytest.mark.parametrize(("counts", "verdict"), [(True, "buy.two"), (False, None)])
def test_whether_a_seed_spat_out_counts_as_bought(counts: bool, verdict: str | None) -> None:
    board = {"2,2": tile("bird", "blue"), "2,3": tile("tomato/seed", "green")}
    state = position(board=board, dice=[3, 3, 3, 3], options={"spit_counts_as_buy": counts})
    buy = {"do": "buy", "kind": "tomato", "die": 3}
    spit = {"do": "move", "from": "2,2", "to": "2,3", "die": 3, "eat": "spit", "spit_die": 3}
    ruling = ruled(state, buy, buy, spit)
    assert ruling == Refused(verdict) if verdict else isinstance(ruling, Allowed)
    bought = after(ruled(state, spit))["turn"]["bought"]
    assert bought == (["tomato"] if counts else [])


def test_what_becomes_of_a_tile_must_be_told() -> None:
    state = position(board={"2,2": tile("bird", "blue"), "2,3": tile("tomato/seed", "green")}, dice=[1, 2, 5])
    onto = {"do": "move", "from": "2,2", "to": "2,3", "die": 1}
    assert ruled(state, onto) == Unsettled("move.swallow", ("eat",))
    assert ruled(state, {**onto, "eat": "spit"}) == Unsettled("move.spit", ("spit_die",))
    assert ruled(state, {**onto, "eat": "spit", "spit_die": 2}) == Refused("move.spit")
    poor = position(board={"2,2": tile("bird", "blue"), "2,3": tile("tomato/seed", "green")}, dice=[1, 2])
    assert ruled(poor, {**onto, "eat": "spit"}) == Refused("move.spit")


@pytest.mark.parametrize(
    ("critter", "there", "verdict"),
    [
        ("bird", tile("tomato/seed", "blue"), {"move.bird", "move.blocked"}),
        ("bird", tile("tomato/vegetable", "green"), {"move.blocked", "move.bird"}),
        ("rabbit", tile("tomato/vegetable", "blue"), {"move.rabbit", "move.blocked"}),
        ("rabbit", tile("tomato/seed", "green"), {"move.blocked", "move.rabbit"}),
        ("rabbit", tile("scarecrow", "green"), {"move.blocked"}),
    ],
)
def test_what_no_critter_may_end_on(critter: str, there: dict[str, Any], verdict: set[str]) -> None:
    state = position(board={"2,2": tile(critter, "blue"), "2,3": there}, dice=[1])
    for eat in ({}, {"eat": "swallow"}):
        ruling = ruled(state, {"do": "move", "from": "2,2", "to": "2,3", "die": 1, **eat})
        assert isinstance(ruling, Refused)
        assert ruling.clause in verdict


def test_a_scarecrow_keeps_birds_from_its_owners_seeds_alone() -> None:
    board = {"2,2": tile("bird", "blue"), "2,4": tile("tomato/seed", "red"), "3,4": tile("scarecrow", "green")}
    fly = {"do": "move", "from": "2,2", "to": "2,4", "die": 2, "eat": "swallow"}
    assert isinstance(ruled(position(board=board, dice=[2]), fly), Allowed)
    board["3,4"] = tile("scarecrow", "red")
    assert ruled(position(board=board, dice=[2]), fly) == Refused("move.scarecrow")


def test_the_game_ends_with_the_turn_in_which_the_last_seed_is_taken() -> None:
    state = position(dice=[1, 1], supply=NOTHING | {"squash": 1})
    buy = {"do": "buy", "kind": "squash", "die": 1}
    assert after(ruled(state, buy))["last_turn"] is True
    assert after(ruled(state, buy))["over"] is False
    over = ruled(state, buy, {"do": "buy", "kind": "squash", "die": 1})
    assert over == Refused("buy.supply")
    ended = position(dice=[], turn={"spent": [1, 1, 1, 1]}, supply=NOTHING)
    done = ruled(ended, {"do": "end-turn"})
    assert after(done)["over"] is True
    assert ruled(ended, {"do": "end-turn"}, {"do": "roll", "dice": [1, 2, 3, 4]}) == Refused("end.trigger")


@pytest.mark.parametrize(("tie_break", "winners"), [("harvest-value", ["green"]), ("shared", ["blue", "green"])])
def test_a_tie_goes_to_the_higher_harvest_or_is_shared(tie_break: str, winners: list[str]) -> None:
    players = [
        {"colour": "blue", "score": 20, "harvested": ["squash"]},
        {"colour": "green", "score": 20, "harvested": ["carrot"]},
    ]
    assert GAME.score(position(players=players, options={"tie_break": tie_break}))["winners"] == winners


def test_the_family_plays_without_birds_and_rabbits() -> None:
    header = {"players": ["blue", "red"], "options": {"family": True}}
    start = GAME.write_position(GAME.set_up(Field(header), None))
    assert [p["critter"] for p in start["players"]] == [False, False]
    state = position(options={"family": True}, players=holder())
    placing = {"do": "place", "piece": "bird", "at": "1,2", "dice": [1, 2]}
    assert ruled(state, placing) == Refused("variant.family")


@pytest.mark.parametrize(("players", "supply", "rock"), [(2, 5, True), (3, 7, False), (4, 10, False)])
def test_set_up(players: int, supply: int, rock: bool) -> None:
    colours = ["red", "blue", "green", "yellow"][:players]
    start = GAME.write_position(GAME.set_up(Field({"players": colours}), None))
    assert set(start["supply"].values()) == {supply}
    assert [p["colour"] for p in start["players"]] == colours
    assert {p["rock"] for p in start["players"]} == {rock}
    assert start["turn"]["player"] == "red"
    assert start["stars"] == ["4,6", "5,5", "5,6", "6,4", "6,5", "6,6"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"supply": {"tomato": 11}}, "tomato: 11 tiles found"),
        ({"board": {"7,3": tile("tomato/seed", "blue")}}, "board.7,3: there is no such plot"),
        ({"board": {"1,1": tile("sundial", "blue")}}, "players[0]: 2 sundials or scarecrows of blue found"),
        ({"board": {"1,1": tile("bird", "green", discs=9)}}, "board.1,1.discs: 9 found"),
        ({"board": {"1,1": tile("tomato/seed", "red", discs=2)}}, "board.1,1.discs: 2 found"),
        ({"board": {"1,1": tile("tomato/seed")}}, "board.1,1.owner: nobody found"),
        ({"board": {"1,1": tile("rock")}}, "board.1,1.piece: a rock found, but rocks are for two players (4 play)"),
        ({"players": [{"colour": "blue", "seeds": ["tomato"] * 9}]}, "players[0]: 9 discs of blue found"),
        ({"players": [{"colour": "blue"}, {"colour": "blue"}]}, 'players[1].colour: "blue" stands twice'),
        ({"turn": {"dice": [1, 2, 3], "spent": [4, 5]}}, "turn: 5 dice found"),
        ({"turn": {"sun_die": 5}}, "turn.sun_die: 5 found, but no such die is left"),
        ({"turn": {"sundial": [2, 1]}}, "turn.sundial: [2, 1] found"),
        ({"turn": {"eaten_from": ["blue"]}}, 'turn.eaten_from: "blue" found'),
        ({"turn": {"rolled": False}}, "turn.rolled: false found, but dice lie there"),
    ],
)  # fmt: skip
def test_what_cannot_be_in_a_position_is_told_with_its_value(changes: dict[str, Any], told: str) -> None:
    faults = GAME.faults(GAME.read_position(Field(merged(BASE, changes)), None))
    assert any(fault.startswith(told) for fault in faults), faults


def test_all_faults_are_listed_at_once() -> None:
    changes = {"supply": {"tomato": 12, "carrot": 30}, "board": {"0,0": tile("rock"), "1,1": tile("rock", "blue")}}
    faults = GAME.faults(GAME.read_position(Field(merged(BASE, changes)), None))
    assert len(faults) == 5, faults


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"do": "watr", "at": "2,2", "die": 3}, 'did you mean "water"?'),
        ({"do": "water", "at": "2,7", "die": 3}, 'at: "2,7" found'),
        ({"do": "water", "at": "2,2", "die": 7}, "die: 7 found; expected a whole number from 1 to 6"),
        ({"do": "water", "at": "2,2"}, '"die" is missing'),
        ({"do": "move", "from": "2,2", "to": "2,3", "die": 1, "eat": "swallow", "spit_die": 3}, "spit_die: 3 found"),
    ],
)
def test_actions_that_cannot_be_read(document: dict[str, Any], told: str) -> None:
    with pytest.raises(Fault) as fault:
        GAME.read_action(Field(document), position())
    assert told in str(fault.value)
