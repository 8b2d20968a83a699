"""Laws of Garden Rush alone, over random play; and a count of play derived by hand."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from companion.document import Field
from companion.games import load_game
from companion.rules import legal_actions, objection
from tests.games.play import play

GAME = load_game("garden-rush")
seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, plies=st.integers(1, 80))
def test_what_is_listed_is_all_that_may_be_placed(seed: int, plies: int) -> None:
    """Of every placing and every mole that can be written down, judge allows those in the list."""
    state = play("garden-rush", seed, plies)[1][-1].after.state
    cells = [f"{row},{column}" for row in range(1, 6) for column in range(1, 6)]
    allowed = []
    for document in ({"do": do, "from": n, "to": to} for do in ("place", "mole") for n in range(1, 6) for to in cells):
        action = GAME.read_action(Field(document), state)
        if objection(GAME.rules[type(action)], state, action) is None:
            allowed.append(document)
    listed = [action for action in GAME.legal(state)["actions"] if action["do"] != "harvest"]
    assert sorted(map(str, allowed)) == sorted(map(str, listed))


@given(seed=seeds, plies=st.integers(1, 120))
def test_gnomes_never_share_a_space_and_never_step_back(seed: int, plies: int) -> None:
    for ply in play("garden-rush", seed, plies)[1]:
        before, after = (GAME.write_position(state)["players"] for state in (ply.before, ply.after.state))
        scores = [player["score"] for player in after]
        assert scores[0] != scores[1] or scores == [0, 0]
        assert all(now["score"] >= then["score"] for then, now in zip(before, after, strict=True))


@given(seed=seeds, plies=st.integers(1, 120))
def test_tools_and_moles_lie_as_they_were_placed_and_never_on_a_tool_space(seed: int, plies: int) -> None:
    tools = {"trowel", "weedkiller", "hose", "toolbox", "mole"}
    for ply in play("garden-rush", seed, plies)[1]:
        position = GAME.write_position(ply.after.state)
        for player in position["players"]:
            spaces = position["board"]["tools"][player["colour"]]
            assert not {cell for cell, piece in player["garden"].items() if piece in tools} & spaces.keys()


def test_counts_of_play() -> None:
    """Empty gardens of 21 cells, five vegetables on the hedge: 5 × 21 placings and nothing to harvest.

    With a hose among the five, and 4 tool spaces a garden: 4 × 21 + 17 placings, and the hose as a mole onto 17 cells.
    """
    tools = {colour: {"2,2": "place", "2,4": "harvest", "4,2": "move", "4,4": "flip"} for colour in ("pink", "blue")}
    position: dict[str, Any] = {
        "game": "garden-rush",
        "board": {"tools": tools, "bonus_spaces": [], "patterns": {"carrot": [[[0, 0]]]}},
        "players": [{"colour": "pink"}, {"colour": "blue"}],
        "hedge": ["carrot", "eggplant", "tomato", "broccoli", "potato"],
        "trampoline": "potato",
        "sack": {"carrot": 11},
        "turn": {"player": "pink"},
    }
    assert len(legal_actions(GAME, GAME.read_position(Field(position), None))) == 5 * 21
    position |= {"options": {"tools": True}, "hedge": ["carrot", "eggplant", "hose", "broccoli", "potato"]}
    assert len(legal_actions(GAME, GAME.read_position(Field(position), None))) == 4 * 21 + 17 + 17
