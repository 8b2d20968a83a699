"""Garden Guests from outside: positions, actions and rulings as JSON, with values worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.document import Fault, Field
from companion.games.garden_guests import GAME
from companion.kit import Kit, Space
from companion.rulebook import rulebook
from companion.rules import Allowed, Refused, Ruling, Unsettled, clauses_of, judge
from tests.games.play import play

BASE: dict[str, Any] = next(iter(rulebook(GAME, "en")["turn.one-action"].examples)).start  # the 61 spaces, three teams
COLLECTION = {"black": [1, 2], "gold": [1, 3], "teal": [4, 2]}
WALL = ["-2,-1", "-1,-1", "-1,0", "0,0", "0,1", "1,1", "1,2"]


def team(name: str, **changes: Any) -> dict[str, Any]:
    made = {"team": name, "collection": COLLECTION[name], "guests": 9, "stones": 20, "hands": [9], "deck": 43}
    return {**made, "discards": 0, "out": False, **changes}


def uncounted(name: str, **changes: Any) -> dict[str, Any]:
    return team(name, **{"hands": None, "deck": None, "discards": None, **changes})


def colony(of: str, guests: int = 1, safe: bool = False) -> dict[str, Any]:
    return {"team": of, "guests": guests, "safe": safe}


def stone(of: str) -> dict[str, Any]:
    return {"team": of, "stone": True}


def position(**changes: Any) -> dict[str, Any]:
    return {**BASE, "teams": [team("black"), team("gold"), team("teal")], **changes}


def own_board() -> dict[str, Any]:
    """The board of our own kit."""
    made: dict[str, Any] = json.loads(files("calibration").joinpath("garden-guests.json").read_text())
    return made


def read(document: Mapping[str, Any]) -> Any:
    return GAME.read_position(Field(dict(document)), None)


def rule(document: Mapping[str, Any], action: Mapping[str, Any]) -> Ruling:
    state = read(document)
    assert GAME.faults(state) == []
    return judge(GAME, state, GAME.read_action(Field(dict(action)), state))


def after(document: Mapping[str, Any], *actions: Mapping[str, Any]) -> dict[str, Any]:
    """The position that the actions lead to; each must be legal."""
    for action in actions:
        ruling = rule(document, action)
        assert isinstance(ruling, Allowed), ruling
        document = GAME.write_position(ruling.state)
    return dict(document)


def collect(card: int) -> dict[str, Any]:
    return {"do": "collect", "card": card}


# Set-up and turns


def begun(players: int, teams: list[str], **options: Any) -> dict[str, Any]:
    header = {"players": players, "teams": teams, "options": options}
    return GAME.write_position(GAME.set_up(Field(header), None))


@pytest.mark.parametrize(
    ("players", "teams", "options", "hands", "decks"),
    [
        (2, ["gold", "black"], {}, [[5], [5]], [47, 47]),
        (3, ["gold", "black", "teal"], {}, [[5], [5], [5]], [47, 47, 47]),
        (3, ["gold", "black", "teal"], {"three_player_c_hand": 7}, [[5], [5], [7]], [47, 47, 45]),
        (4, ["gold", "black"], {}, [[5, 5], [5, 5]], [42, 42]),
        (5, ["gold", "black", "teal"], {}, [[5, 5], [5, 5], [7]], [42, 42, 45]),
        (6, ["gold", "black"], {}, [[5, 5, 5], [5, 5, 5]], [37, 37]),
        (6, ["gold", "black", "teal"], {}, [[5, 5], [5, 5], [5, 5]], [42, 42, 42]),
    ],
)
def test_set_up_deals_hands_and_collection_cards(
    players: int, teams: list[str], options: dict[str, Any], hands: list[list[int]], decks: list[int]
) -> None:
    made = begun(players, teams, **options)
    assert [t["team"] for t in made["teams"]] == teams
    assert [t["hands"] for t in made["teams"]] == hands
    assert [t["deck"] for t in made["teams"]] == decks
    faces = [[1, 3], [4, 2]] if len(teams) == 2 else [[1, 2], [1, 3], [4, 2]]
    assert [t["collection"] for t in made["teams"]] == faces
    assert {(t["guests"], t["stones"], t["discards"]) for t in made["teams"]} == {(15, 35, 0)}
    assert made["turn"] == {"team": "gold", "player": 0}
    assert made["options"] == ({"three_player_c_hand": 7} if options else {})


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ({"players": 7, "teams": ["black", "gold"]}, "players: 7 found"),
        ({"players": 4, "teams": ["black", "gold", "teal"]}, "teams: 3 entries found; expected 2 for 4 players"),
        ({"players": 6, "teams": ["black"]}, "expected 2 or 3 for 6 players"),
        ({"players": 2, "teams": ["black", "black"]}, "teams[1]"),
        ({"players": 2}, '"teams" is missing'),
        ({"players": 2, "teams": ["black", "gold"], "option": {}}, 'did you mean "options"?'),
        ({"players": 2, "teams": ["black", "gold"], "options": {"touch_secures": 1}}, "touch_secures"),
    ],
)
def test_a_header_that_cannot_be_is_a_fault(header: dict[str, Any], told: str) -> None:
    with pytest.raises(Fault) as fault:
        GAME.set_up(Field(header), None)
    assert told in str(fault.value)


@pytest.mark.parametrize(
    ("players", "teams", "order"),
    [
        (2, 2, "A1 B1 A1 B1 A1"),
        (3, 3, "A1 B1 C1 A1 B1 C1 A1"),
        (4, 2, "A1 B1 A2 B2 A1"),
        (5, 3, "A1 B1 C1 A2 B2 C1 A1"),
        (6, 2, "A1 B1 A2 B2 A3 B3 A1"),
        (6, 3, "A1 B1 C1 A2 B2 C2 A1"),
    ],
)
def test_teams_alternate_and_so_do_their_players(players: int, teams: int, order: str) -> None:
    document = begun(players, ["A", "B", "C"][:teams])
    seen = []
    for _ in order.split():
        turn = document["turn"]
        seen.append(f"{turn['team']}{turn['player'] + 1}")
        faces = next(t["collection"] for t in document["teams"] if t["team"] == turn["team"])
        document = after(document, collect(faces[0]))
    assert " ".join(seen) == order


def test_where_hands_are_not_counted_a_team_has_the_players_that_its_turns_have_told_of() -> None:
    uncounted_teams = [uncounted("black"), uncounted("gold"), uncounted("teal")]
    made = after(position(teams=uncounted_teams, next_player={"gold": 1}), {"do": "collect"})
    assert made["turn"] == {"team": "gold", "player": 1}
    assert made["next_player"] == {"black": 0, "gold": 0, "teal": 0}  # gold has a second player, and then the first
    assert made["teams"][0]["collection"] == [1, 2]  # nobody knows which card was turned


# Cards


@pytest.mark.parametrize(
    ("before", "card", "expected"),
    [
        ({"hands": [0], "deck": 5, "discards": 0}, 2, {"hands": [2], "deck": 3, "discards": 0, "collection": [1, 3]}),
        ({"hands": [0], "deck": 0, "discards": 9}, 1, {"hands": [1], "deck": 8, "discards": 0, "collection": [4, 2]}),
        ({"hands": [0], "deck": 1, "discards": 0}, 2, {"hands": [1], "deck": 0, "discards": 0, "collection": [1, 3]}),
        ({"hands": [15], "deck": 1, "discards": 4}, 2, {"hands": [15], "deck": 3, "discards": 2, "collection": [1, 3]}),
        ({"hands": [5], "deck": None, "discards": 3}, 2, {"hands": [7], "deck": None, "discards": 3}),
        ({"hands": None, "deck": 6, "discards": 3}, 2, {"hands": None, "deck": 4, "discards": 3}),
        ({"hands": [5], "deck": 1, "discards": None}, 2, {"hands": [7], "deck": None, "discards": 0}),
    ],
)
def test_collecting_moves_cards_from_deck_to_hand(before: dict[str, Any], card: int, expected: dict[str, Any]) -> None:
    made = after(position(teams=[team("black", **before), team("gold"), team("teal")]), collect(card))
    assert expected.items() <= made["teams"][0].items()


def test_a_collect_without_its_card_is_undecided_where_cards_are_counted() -> None:
    for counted in ({"hands": [9]}, {"deck": 40}):
        teams = [uncounted("black", **counted), team("gold"), team("teal")]
        assert rule(position(teams=teams), {"do": "collect"}) == Unsettled("collect.card", ("card",))


def test_passing_moves_cards_within_the_team() -> None:
    three = [
        team("black", collection=[4, 3], hands=[4, 5, 14], deck=20, discards=2),
        team("gold", hands=[5, 5, 5], deck=37),
    ]
    document = position(teams=three, turn={"team": "black", "player": 1})
    made = after(document, {"do": "pass", "card": 4, "to": 2})["teams"][0]
    assert (made["hands"], made["discards"], made["deck"], made["collection"]) == ([4, 1, 15], 5, 20, [1, 3])
    assert rule(document, {"do": "pass", "card": 4, "to": 1}) == Refused("pass.teammate")
    assert isinstance(
        rule({**document, "turn": {"team": "black", "player": 0}}, {"do": "pass", "card": 4, "to": 1}), Allowed
    )


def test_uncounted_hands_let_a_known_teammate_be_passed_to() -> None:
    teams = [uncounted("black"), uncounted("gold"), uncounted("teal")]
    document = position(teams=teams, next_player={"black": 1})
    assert isinstance(rule(document, {"do": "pass", "card": 2, "to": 1}), Allowed)
    assert rule(document, {"do": "pass", "card": 2, "to": 0}) == Refused("pass.teammate")
    assert rule(document, {"do": "pass", "card": 2, "to": 2}) == Refused(
        "pass.teammate"
    )  # three teams: two players at most
    assert rule(position(teams=teams), {"do": "pass", "card": 2, "to": 1}) == Unsettled("pass.teammate", ("hands",))


# Colonies


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"at": "-2,-1", "cards": ["wild", "tulip", "wild"]}, None),
        ({"at": "-2,-1", "cards": []}, "colony.cards"),
        ({"at": "-2,-1", "guests": 0}, "colony.cards"),
        ({"at": "-2,-1", "guests": 2, "cards": ["tulip", "tulip"]}, None),
        ({"at": "-2,-1", "guests": 3, "cards": ["tulip", "tulip"]}, "colony.cards"),
        ({"at": "-2,-1", "guests": 9}, None),
        ({"at": "-2,-1", "guests": 10}, "colony.cards"),
        ({"at": "4,-1"}, None),
        ({"at": "4,-1", "guests": 2}, "colony.home"),
        ({"at": "4,-1", "cards": ["wild"]}, None),
        ({"at": "4,0", "guests": 1}, "colony.space"),
        ({"at": "3,1", "guests": 1}, "colony.space"),
        ({"at": "2,-2", "guests": 2}, "colony.knock-off"),
        ({"at": "2,-2", "guests": 3}, None),
        ({"at": "2,1", "guests": 4}, "path.safe"),
        ({"at": "1,2", "guests": 4}, "colony.never-add"),
        ({"at": "4,-3", "guests": 1}, "colony.never-add"),
    ],
)
def test_where_a_colony_may_stand_and_what_it_costs(action: dict[str, Any], expected: str | None) -> None:
    spaces = {
        "2,-2": colony("gold", 2),
        "2,1": colony("teal", 1, True),
        "1,2": colony("black", 3),
        "4,-3": colony("black"),
    }
    ruling = rule(position(spaces=spaces), {"do": "colony", **action})
    assert ruling == Refused(expected) if expected else isinstance(ruling, Allowed)


def test_no_hand_on_record_bounds_no_colony() -> None:
    teams = [uncounted("black"), team("gold"), team("teal")]
    assert isinstance(rule(position(teams=teams), {"do": "colony", "at": "-2,-1", "guests": 9}), Allowed)
    assert rule(position(teams=teams), {"do": "colony", "at": "-2,-1", "guests": 10}) == Refused("colony.guests")


def test_the_guests_knocked_off_go_home() -> None:
    made = after(position(spaces={"2,-2": colony("gold", 2)}), {"do": "colony", "at": "2,-2", "guests": 4})
    assert made["spaces"] == {"2,-2": colony("black", 4)}
    assert [t["guests"] for t in made["teams"]] == [5, 11, 9]
    assert [(t["hands"], t["discards"]) for t in made["teams"]] == [([5], 4), ([9], 0), ([9], 0)]


def test_a_colony_knocked_off_beside_an_own_stone_is_safe_at_once() -> None:
    spaces = {"2,-2": colony("gold", 2), "1,-1": stone("black")}
    made = after(position(spaces=spaces), {"do": "colony", "at": "2,-2", "guests": 3})
    assert made["spaces"]["2,-2"] == colony("black", 1, True)
    assert [t["guests"] for t in made["teams"]] == [8, 11, 9]
    ends_only = after(
        position(spaces=spaces, options={"touch_secures": False}), {"do": "colony", "at": "2,-2", "guests": 3}
    )
    assert ends_only["spaces"]["2,-2"] == colony("black", 3)


# Paths


def test_the_stones_that_run_out_stay_at_none() -> None:
    spaces = {"-2,-1": colony("black", 2), "1,2": colony("black", 3)}
    teams = [team("black", stones=0), team("gold", out=True), team("teal")]
    made = after(position(spaces=spaces, teams=teams), {"do": "path", "spaces": WALL})
    assert made["teams"][0]["stones"] == 0
    assert sum("stone" in piece for piece in made["spaces"].values()) == 5


@pytest.mark.parametrize(
    ("spaces", "expected"),
    [
        (["-2,-1", "-2,-1"], "path.ends"),
        (["-2,-1", "-1,-1", "-1,0"], "path.ends"),
        (["-2,-1", "-1,-1", "-2,0", "-1,-1", "-1,0", "0,0", "0,1", "1,1", "1,2"], "path.unbroken"),
        (["-2,-1", "-1,0", "0,0", "0,1", "1,1", "1,2"], "path.unbroken"),
        (["-2,-1", "-1,-2", "0,-2", "1,-2", "1,-1", "0,0", "0,1", "1,1", "1,2"], "path.flowers-only"),
        (["-2,-1", "1,2"], "path.unbroken"),
        (["1,2", "2,1"], "path.reuse"),
        (list(reversed(WALL)), None),
    ],
)
def test_a_path_is_an_unbroken_line_between_two_own_colonies(spaces: list[str], expected: str | None) -> None:
    lying = {"-2,-1": colony("black", 2), "1,2": colony("black"), "2,1": colony("black")}
    ruling = rule(position(spaces=lying), {"do": "path", "spaces": spaces})
    assert ruling == Refused(expected) if expected else isinstance(ruling, Allowed)


def test_only_new_stones_are_paid_for() -> None:
    spaces = {"-2,-1": colony("black", 2), "1,2": colony("black", 3), "-1,0": stone("black"), "0,0": stone("black")}
    path = {"do": "path", "spaces": WALL, "cards": ["wild", "daisy", "sunflower"]}  # tulip, daisy, sunflower are needed
    made = after(position(spaces=spaces), path)
    assert (made["teams"][0]["hands"], made["teams"][0]["stones"]) == ([6], 17)
    assert rule(position(spaces=spaces), {**path, "cards": ["wild", "daisy", "daisy"]}) == Refused("path.cards")
    assert rule(position(spaces=spaces, options={"path_reuse_own_stones": False}), path) == Refused("path.reuse")


# The end


def test_a_wall_shuts_out_the_team_that_did_not_act() -> None:
    spaces = {"-2,-1": colony("black", 2), "1,2": colony("black", 3)}
    made = after(position(spaces=spaces), {"do": "path", "spaces": WALL})
    assert [t["out"] for t in made["teams"]] == [False, True, False]
    assert made["turn"] == {"team": "teal", "player": 0}
    assert after(made, collect(4))["turn"] == {"team": "black", "player": 0}
    assert GAME.score(read(made))["teams"][1] == {"team": "gold", "connected": False, "out": True}


def test_an_eliminated_teams_unsafe_colony_may_still_be_knocked_off() -> None:
    teams = [team("black"), team("gold", out=True), team("teal")]
    made = after(position(teams=teams, spaces={"2,-2": colony("gold", 2)}), {"do": "colony", "at": "2,-2", "guests": 3})
    assert (made["teams"][1]["guests"], made["teams"][1]["out"]) == (11, True)


def test_of_two_teams_a_blocked_one_is_told_of_once_and_plays_on() -> None:
    spaces = {"-2,-1": colony("black", 2), "1,2": colony("black", 3)}
    document = position(spaces=spaces, teams=[team("black"), team("gold")])
    ruling = rule(document, {"do": "path", "spaces": WALL})
    assert "end.blocked" in clauses_of(ruling)
    made = after(document, {"do": "path", "spaces": WALL})
    assert (made["over"], made["turn"]["team"], made["teams"][1]["out"]) == (False, "gold", False)
    assert "end.blocked" not in clauses_of(rule(made, {"do": "colony", "at": "-2,4"}))


def test_a_finished_game_takes_no_action_and_has_its_winner() -> None:
    spaces = {"-4,2": colony("black"), "4,-2": colony("black")}
    line = ["-4,2", "-3,2", "-2,1", "-1,0", "0,0", "1,-1", "2,-1", "3,-2", "4,-2"]
    won = after(position(spaces=spaces), {"do": "path", "spaces": line})
    assert (won["over"], won["winner"]) == (True, "black")
    assert GAME.score(read(won))["winners"] == ["black"]
    assert GAME.legal(read(won)) == {"actions": [], "paths": []}
    for action in (collect(1), {"do": "colony", "at": "4,-1"}, {"do": "path", "spaces": line}):
        assert rule(won, action) == Refused("end.connected")
    drawn = position(over=True, teams=[team("black"), team("gold")])
    assert GAME.score(read(drawn))["winners"] == []


# What is not told


def test_without_a_map_what_depends_on_it_is_undecided() -> None:
    document = {k: v for k, v in position(spaces={"2,-2": colony("gold", 2)}).items() if k != "board"}
    assert isinstance(rule(document, collect(1)), Allowed)
    assert rule(document, {"do": "colony", "at": "-2,-1", "cards": ["tulip"]}) == Unsettled("colony.space", ("board",))
    assert rule(document, {"do": "colony", "at": "2,-2", "guests": 2}) == Refused("colony.knock-off")
    assert rule(document, {"do": "path", "spaces": WALL}) == Refused("path.ends")
    two = {**document, "spaces": {"-2,-1": colony("black"), "1,2": colony("black")}}
    assert rule(two, {"do": "path", "spaces": WALL}) == Unsettled("path.flowers-only", ("board",))
    assert GAME.legal(read(document)) == {"actions": [collect(1), collect(2)], "paths": []}
    assert {t["connected"] for t in GAME.score(read(document))["teams"]} == {None}


# Reading, writing, faults


def test_what_may_be_left_out_is_written_in_full() -> None:
    short: dict[str, Any] = {
        "game": "garden-guests",
        "board": {
            "0,0": {"kind": "flower", "flower": "tulip", "near": ["1,0"]},
            "1,0": {"kind": "home", "team": "black", "side": 1, "near": ["0,0"]},
        },
        "teams": [
            {"team": name, "collection": [1, 3], "guests": 3, "stones": 0, "hands": [5], "deck": 9} for name in "ab"
        ],
        "spaces": {"0,0": {"team": "a", "stone": True}, "1,0": {"team": "black", "guests": 1}},
        "turn": {"team": "a", "player": 0},
    }
    made = GAME.write_position(read(short))
    assert made == {
        **short,
        "options": {},
        "teams": [{**entry, "discards": 0, "out": False} for entry in short["teams"]],
        "spaces": {"0,0": {"team": "a", "stone": True}, "1,0": {"team": "black", "guests": 1, "safe": True}},
        "next_player": {"a": 0, "b": 0},
        "over": False,
        "winner": None,
    }


@pytest.mark.parametrize(
    "action",
    [
        {"do": "collect"},
        {"do": "collect", "card": 3},
        {"do": "colony", "at": "2,-2", "cards": ["tulip", "wild"]},
        {"do": "colony", "at": "2,-2", "guests": 2},
        {"do": "path", "spaces": ["-2,-1", "-1,-1", "0,0"]},
        {"do": "path", "spaces": ["-2,-1", "-1,-1", "0,0"], "cards": ["rose"]},
        {"do": "pass", "card": 2, "to": 1},
    ],
)
def test_actions_come_back_from_their_text(action: dict[str, Any]) -> None:
    assert GAME.write_action(GAME.read_action(Field(action), read(position()))) == action


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"spaces": {"9,9": stone("black")}}, "spaces.9,9: no such space"),
        ({"spaces": {"-2,-1": stone("black")}}, "spaces.-2,-1: a stone found on a pedestal"),
        ({"spaces": {"4,0": colony("black")}}, "spaces.4,0: guests found on a mushroom space"),
        ({"spaces": {"4,-3": colony("gold")}}, "spaces.4,-3: guests of gold found on a home of black"),
        ({"spaces": {"4,-3": colony("black", 2)}}, "spaces.4,-3.guests: 2 found"),
        ({"spaces": {"2,1": colony("black", 2, True)}}, "spaces.2,1.guests: 2 found"),
        ({"spaces": {"2,1": colony("red")}}, 'spaces.2,1.team: "red" found'),
        ({"spaces": {"2,1": colony("black", 7)}}, "teams[0].guests: 16 found"),
        ({"teams": [team("black"), team("black"), team("teal")]}, 'teams[1].team: "black" stands twice'),
        (
            {"teams": [team("black", team="red"), team("gold")], "turn": {"team": "gold", "player": 0}},
            'teams[0].team: "red"',
        ),
        ({"teams": [team("black", collection=[1, 4]), team("gold")]}, "teams[0].collection: [1, 4] found"),
        ({"teams": [team("black", hands=[16], deck=3), team("gold")]}, "teams[0].hands[0]: 16 found"),
        ({"teams": [team("black", deck=44), team("gold")]}, "teams[0].deck: 53 cards found"),
        ({"teams": [team("black", stones=36), team("gold")]}, "teams[0].stones: 36 found"),
        ({"teams": [team("black", hands=[3, 3]), team("gold")]}, "teams: hands of 2, 1 players found"),
        ({"teams": [team("black", out=True), team("gold"), team("teal")]}, 'turn.team: "black" found, which is out'),
        ({"turn": {"team": "red", "player": 0}}, 'turn.team: "red" found'),
        ({"turn": {"team": "black", "player": 1}}, "turn.player: 1 found"),
        ({"next_player": {"black": 1}}, "next_player.black: 1 found"),
        ({"winner": "black"}, 'winner: "black" found in a game that is not over'),
        ({"winner": "red", "over": True}, 'winner: "red" found; expected one of black, gold, teal'),
        (
            {"board": {**BASE["board"], "0,0": {"kind": "mushroom"}}},
            'board.-1,0.near: "0,0" found, whose own list lacks',
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_place(changes: dict[str, Any], told: str) -> None:
    found = GAME.faults(read(position(**changes)))
    assert any(told in fault for fault in found), found


def test_a_supply_that_other_pieces_stand_in_for_is_no_fault() -> None:
    board = own_board()
    flowers = [at for at, space in board.items() if space["kind"] == "flower"]
    spaces = {at: stone("black") for at in flowers[:36]}
    for stones, faults in ((0, 0), (1, 1)):
        document = position(board=board, spaces=spaces, teams=[team("black", stones=stones), team("gold")])
        assert len(GAME.faults(read(document))) == faults


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"spaces": {"0,0": {"team": "black"}}}, 'spaces.0,0: "guests" is missing'),
        ({"spaces": {"0,0": {"team": "black", "stone": True, "guests": 1}}}, "spaces.0,0.guests: 1 found"),
        ({"next_player": {"blck": 1}}, 'unknown key "blck"; did you mean "black"?'),
        ({"teams": [team("black")]}, "teams: 1 entries found"),
        ({"board": {"0,0": {"kind": "rock"}}}, 'board.0,0.kind: "rock" found'),
        ({"turn": {"team": "black", "player": True}}, "turn.player: true found"),
    ],
)
def test_a_document_of_another_shape_is_refused_at_its_first_fault(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(Fault) as fault:
        read(position(**changes))
    assert told in str(fault.value)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ({"do": "colony", "at": "9,9", "guests": 1}, 'at: "9,9" found; no such space'),
        ({"do": "path", "spaces": ["0,0", "9,9", "1,0"]}, 'spaces: "9,9" found; no such space'),
        ({"do": "colony", "at": "2,1", "cards": ["dasy"]}, 'did you mean "daisy"?'),
    ],
)
def test_an_action_that_names_what_the_map_does_not_have_is_a_fault(action: dict[str, Any], told: str) -> None:
    state = read(position())
    with pytest.raises(Fault) as fault:
        GAME.check_action(state, GAME.read_action(Field(action), state))
    assert told in str(fault.value)


# The map of a kit


def kit(*spaces: tuple[str, str, dict[str, Any]]) -> Kit:
    made = tuple(Space(at, "board", kind, (0, 0), (1, 1), tags) for at, kind, tags in spaces)
    return Kit(Path(), "garden-guests", "test", (), made, (), (), None, {}, None)


def test_a_kit_says_what_touches_what() -> None:
    found = kit(
        ("a", "flower", {"flower": "rose", "q": 0, "r": 0}),
        ("b", "pedestal", {"flower": "tulip", "q": 1, "r": 0}),
        ("c", "home", {"team": "black", "side": 0, "q": 1, "r": 1}),
        ("d", "mushroom", {"q": 0, "r": 1, "near": ["c"]}),
        ("tray", "supply", {}),
    )
    state = GAME.read_position(Field(position(spaces={}, teams=[team("black"), team("gold")])), found)
    board = GAME.write_position(state)["board"]
    assert {at: space["near"] for at, space in board.items()} == {
        "a": ["b"],
        "b": ["a", "c"],
        "c": ["b", "d"],
        "d": ["c"],
    }
    assert board["c"] == {"kind": "home", "team": "black", "side": 0, "near": ["b", "d"]}


# Legal actions


def test_legal_lists_collects_passes_and_colonies() -> None:
    teams = [team("black", collection=[1, 3], hands=[2, 6], deck=40, guests=3), team("gold", hands=[5, 5], deck=42)]
    spaces = {
        "2,-2": colony("gold", 2),
        "2,1": colony("gold", 1, True),
        "1,2": colony("gold", 1),
        "-2,2": colony("black", 1),
    }
    listed = GAME.legal(read(position(teams=teams, spaces=spaces)))
    homes = ["-4,1", "-4,2", "-4,3", "4,-1", "4,-2", "4,-3"]
    colonies = [("-1,-2", 1), ("-1,-2", 2), ("-2,-1", 1), ("-2,-1", 2), ("1,2", 2), *((home, 1) for home in homes)]
    assert listed["actions"][:3] == [collect(1), collect(3), {"do": "pass", "card": 1, "to": 1}]
    assert sorted((a["at"], a["guests"]) for a in listed["actions"][3:]) == sorted(colonies)
    assert listed["paths"] == []


def test_legal_names_each_two_colonies_with_the_fewest_new_stones() -> None:
    spaces = {"-2,-1": colony("black"), "-2,2": colony("black"), "4,-2": colony("black"), "-4,2": colony("black")}
    listed = GAME.legal(read(position(spaces=spaces)))["paths"]
    assert listed == [  # counted on the map; ids ascend as texts
        {"ends": ["-2,-1", "-2,2"], "cards": 2},
        {"ends": ["-2,-1", "-4,2"], "cards": 2},
        {"ends": ["-2,-1", "4,-2"], "cards": 5},
        {"ends": ["-2,2", "-4,2"], "cards": 1},
        {"ends": ["-2,2", "4,-2"], "cards": 5},
        {"ends": ["-4,2", "4,-2"], "cards": 7},
    ]
    short_of_cards = position(spaces=spaces, teams=[team("black", hands=[2]), team("gold"), team("teal")])
    assert [path["cards"] for path in GAME.legal(read(short_of_cards))["paths"]] == [2, 2, 1]


def lines(near: Mapping[str, list[str]], open_to: frozenset[str], start: str, end: str) -> Iterator[list[str]]:
    """Every line from start to end over open spaces, by brute force."""
    waiting = [[start]]
    while waiting:
        line = waiting.pop()
        for there in near[line[-1]]:
            if there == end:
                yield [*line, end]
            elif there in open_to and there not in line:
                waiting.append([*line, there])


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1), reuse=st.booleans())
def test_the_fewest_new_stones_are_those_of_brute_force(seed: int, reuse: bool) -> None:
    """On small maps of any shape, with own stones that may already join the ends."""
    random = Random(seed)
    ids = [f"{column},{row}" for column in range(4) for row in range(3)]
    near: dict[str, list[str]] = {at: [] for at in ids}
    for one, two in combinations(ids, 2):
        apart = abs(int(one[0]) - int(two[0])) + abs(int(one[2]) - int(two[2]))
        if random.random() < (0.75 if apart == 1 else 0.08):
            near[one].append(two)
            near[two].append(one)
    ends = sorted(random.sample(ids, 3))
    own = {at for at in ids if at not in ends and random.random() < 0.45}
    barred = {at for at in ids if at not in ends and at not in own and random.random() < 0.15}
    board: dict[str, Any] = {
        at: {"kind": "pedestal" if at in ends else "flower", "flower": "rose", "near": near[at]} for at in ids
    } | {f"home {name}": {"kind": "home", "team": name, "side": 0, "near": []} for name in ("black", "gold")}
    spaces = (
        {at: colony("black") for at in ends} | {at: stone("black") for at in own} | {at: stone("gold") for at in barred}
    )
    options = {"path_reuse_own_stones": reuse}
    document = position(board=board, spaces=spaces, teams=[uncounted("black"), uncounted("gold")], options=options)
    open_to = frozenset(ids) - set(ends) - barred - (set() if reuse else own)
    expected = []
    for one, two in combinations(ends, 2):
        new = [len(set(line[1:-1]) - own) for line in lines(near, open_to, one, two)]
        if fewest := min((n for n in new if n), default=None):
            expected.append({"ends": [one, two], "cards": fewest})
    assert GAME.legal(read(document))["paths"] == expected


@given(seed=st.integers(0, 2**32 - 1), plies=st.integers(0, 60))
def test_listed_paths_are_legal_and_cost_what_they_say(seed: int, plies: int) -> None:
    begun_with, played = play("garden-guests", seed, plies)
    state = played[-1].after.state if played else begun_with
    listed = GAME.legal(state)
    paths = [action for action in GAME.actions(state) if GAME.write_action(action)["do"] == "path"]
    assert [[path.spaces[0], path.spaces[-1]] for path in paths] == [entry["ends"] for entry in listed["paths"]]
    for path, entry in zip(paths, listed["paths"], strict=True):
        ruling = judge(GAME, state, path)
        assert isinstance(ruling, Allowed)
        before, now = GAME.write_position(state)["spaces"], GAME.write_position(ruling.state)["spaces"]
        assert len(now) - len(before) == entry["cards"]


def test_every_kind_of_action_comes_up_in_random_play() -> None:
    done = [GAME.write_action(ply.action)["do"] for seed in range(12) for ply in play("garden-guests", seed, 80)[1]]
    assert min(done.count(kind) for kind in ("collect", "colony", "path", "pass")) > 10


# The board for playing without a kit


def test_the_own_board_is_fair() -> None:
    """A turn by a third maps it onto itself: flowers stay, the teams change places."""
    board = own_board()
    assert len(board) == 91
    following = {"black": "gold", "gold": "teal", "teal": "black"}
    for at, space in board.items():
        q, r = map(int, at.split(","))
        turned = board[f"{-q - r},{q}"]
        assert (turned["kind"], turned.get("flower"), turned.get("side")) == (
            space["kind"],
            space.get("flower"),
            space.get("side"),
        )
        assert {following[space["team"]]} == {turned["team"]} if "team" in space else "team" not in turned
    flowers = [space["flower"] for space in board.values() if space["kind"] == "flower"]
    assert {flowers.count(flower) for flower in set(flowers)} == {12}
    assert GAME.faults(read({**BASE, "board": board})) == []
