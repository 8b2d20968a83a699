"""What every game owes the rest of the program, over random play."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.account import Teller
from companion.document import Field
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES, Scored, legal_actions, objection
from companion.session import Session
from tests.games.play import play

games = pytest.mark.parametrize("name", NAMES)
seeds = st.integers(0, 2**32 - 1)


def pieces(name: str, position: dict[str, Any]) -> Counter[str]:
    """All pieces of a position by kind, counted from its JSON; what has left the game is not there."""
    counts: Counter[str] = Counter()
    match name:
        case "garden-dice":
            counts.update(position["supply"])
            for player in position["players"]:
                counts.update([*player["seeds"], *player["harvested"]])
                counts.update(thing for thing in ("critter", "sundial", "rock") if player[thing])
            sides = {"bird": "critter", "rabbit": "critter", "scarecrow": "sundial"}
            kinds = [tile["piece"].partition("/")[0] for tile in position["board"].values()]
            counts.update(sides.get(kind, kind) for kind in kinds)
        case "garden-rush":
            tokens = [*position["hedge"], position["trampoline"], *position["discards"]]
            tokens += [token for player in position["players"] for token in player["garden"].values()]
            counts.update(position["sack"])
            counts.update(token.partition("/")[0] for token in tokens if token)
            tools = [counts.pop(tool, 0) for tool in ("trowel", "weedkiller", "hose", "toolbox", "mole")]
            counts["tool or mole"] = sum(tools)
        case _:
            for team in position["teams"]:
                on_board = [p for p in position["spaces"].values() if p["team"] == team["team"]]
                counts[f"guests {team['team']}"] = team["guests"] + sum(p.get("guests", 0) for p in on_board)
                counts[f"cards {team['team']}"] = sum(team["hands"]) + team["deck"] + team["discards"]
    return +counts


@games
@given(seed=seeds, plies=st.integers(1, 150))
def test_pieces_are_conserved(name: str, seed: int, plies: int) -> None:
    """No piece comes from nowhere; only what a critter swallows leaves the game."""
    game = load_game(name)
    begun, played = play(name, seed, plies)
    before = pieces(name, game.write_position(begun))
    for ply in played:
        after = pieces(name, game.write_position(ply.after.state))
        swallowed = Counter[str]()
        if getattr(ply.action, "eat", None) == "swallow":
            swallowed[game.write_position(ply.before)["board"][ply.action.to]["piece"].partition("/")[0]] = 1
        assert after == before - swallowed
        before = after


@games
@given(seed=seeds, plies=st.integers(0, 150))
def test_a_position_reached_by_the_rules_has_no_fault_and_comes_back_from_its_text(
    name: str, seed: int, plies: int
) -> None:
    game = load_game(name)
    begun, played = play(name, seed, plies)
    state = played[-1].after.state if played else begun
    assert game.faults(state) == []
    text = json.dumps(game.write_position(state))
    assert game.read_position(Field(json.loads(text)), None) == state
    for ply in played[-10:]:
        text = json.dumps(game.write_action(ply.action))
        assert game.read_action(Field(json.loads(text)), ply.before) == ply.action


@games
@given(seed=seeds, plies=st.integers(1, 60))
def test_undo_is_replay_without_the_last(name: str, seed: int, plies: int) -> None:
    begun, played = play(name, seed, plies)
    session = Session.begin(load_game(name), begun)
    for ply in played:
        session, _ = session.submit(ply.action)
    assert session.state == played[-1].after.state
    undone = session.undo()
    assert undone.state == played[-1].before
    assert undone.actions == session.actions[:-1]


@games
@given(seed=seeds, plies=st.integers(1, 150))
def test_points_told_are_points_given(name: str, seed: int, plies: int) -> None:
    """What a ruling says is scored is what the scores have gained."""
    game = load_game(name)
    for ply in play(name, seed, plies)[1]:
        told = Counter[str]()
        for event in ply.after.events:
            if isinstance(event, Scored):
                told[event.player] += event.points
        scores = [
            {p["colour"]: p["score"] for p in game.write_position(state).get("players", [])}
            for state in (ply.before, ply.after.state)
        ]
        assert {c: scores[1][c] - scores[0][c] for c in scores[0]} == {c: told[c] for c in scores[0]}


@games
@given(seed=seeds, plies=st.integers(1, 150))
def test_listed_actions_are_each_legal_and_listed_once(name: str, seed: int, plies: int) -> None:
    game = load_game(name)
    _, played = play(name, seed, plies)
    state = played[-1].after.state
    listed = game.legal(state)["actions"]
    assert len({json.dumps(action, sort_keys=True) for action in listed}) == len(listed)
    for document in listed:
        action = game.read_action(Field(document), state)
        assert objection(game.rules[type(action)], state, action) is None
    allowed = [game.write_action(action) for action in legal_actions(game, state)]
    assert [action for action in allowed if action["do"] != "path"] == listed  # paths are listed by their ends


@games
@given(seed=seeds, plies=st.integers(1, 150))
def test_every_ruling_can_be_told_in_every_language(name: str, seed: int, plies: int) -> None:
    game = load_game(name)
    tellers = [Teller(game, language) for language in LANGUAGES]
    for ply in play(name, seed, plies)[1]:
        for teller in tellers:
            text = teller.ruling(ply.before, ply.action, ply.after)
            assert text and "{" not in text and "None" not in text


@games
@given(seed=seeds)
def test_the_same_seed_is_the_same_game(name: str, seed: int) -> None:
    assert play(name, seed, 30) == play(name, seed, 30)
