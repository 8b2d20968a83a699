"""Laws of Garden Dice alone, over random play; and counts of play derived by hand."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from companion.document import Field
from companion.games import load_game
from companion.rules import Allowed, State, judge, legal_actions
from tests.games.play import play

GAME = load_game("garden-dice")
seeds = st.integers(0, 2**32 - 1)
Json = dict[str, Any]


def turned(plot: str) -> str:
    """Where a plot comes to lie when the board is turned by 90° clockwise."""
    row, column = map(int, plot.split(","))
    return f"{column},{7 - row}"


def turned_position(position: Json) -> Json:
    board = {turned(plot): tile for plot, tile in position["board"].items()}
    return position | {"board": board, "stars": sorted(map(turned, position["stars"]))}


@given(seed=seeds, plies=st.integers(20, 200))
def test_turning_the_board_turns_chains_and_leaves_scores(seed: int, plies: int) -> None:
    """And so the order in which a chain is followed does not matter: the turned board is walked in another one."""
    state = play("garden-dice", seed, plies)[1][-1].after.state
    position = GAME.write_position(state)
    position["turn"] |= {"rolled": True, "dice": [6], "spent": [], "sun_die": None}
    position["over"] = False
    there, here = (read(turned_position(position)), read(position))
    for plot, tile in position["board"].items():
        if tile["piece"].partition("/")[2] and tile["owner"] == position["turn"]["player"]:
            do = "water" if tile["piece"].endswith("seed") else "harvest"
            one = after(here, {"do": do, "at": plot, "die": 6})
            other = after(there, {"do": do, "at": turned(plot), "die": 6})
            assert turned_position(one)["board"] == other["board"]
            for key in ("score", "seeds"):
                assert [p[key] for p in one["players"]] == [p[key] for p in other["players"]]
            assert [sorted(p["harvested"]) for p in one["players"]] == [
                sorted(p["harvested"]) for p in other["players"]
            ]


def read(position: Json) -> State:
    return GAME.read_position(Field(position), None)


def after(state: State, document: Json) -> Json:
    ruling = judge(GAME, state, GAME.read_action(Field(document), state))
    assert isinstance(ruling, Allowed)
    return GAME.write_position(ruling.state)


@given(seed=seeds)
def test_discs_are_never_negative_and_scores_never_fall(seed: int) -> None:
    for ply in play("garden-dice", seed, 120)[1]:
        for before, player in zip(ply.before.players, ply.after.state.players, strict=True):
            assert 0 <= ply.after.state.free_discs(player.colour) <= 8
            assert player.score >= before.score


@given(seed=seeds)
def test_every_turn_spends_four_dice_or_leaves_nothing_to_do(seed: int) -> None:
    """With `must_spend` by the book."""
    for ply in play("garden-dice", seed, 120)[1]:
        turn = ply.before.turn
        assert len(turn.dice) + len(turn.spent) == (4 if turn.rolled else 0)
        ends = ply.after.state.turn.player != turn.player or ply.after.state.over
        if ends and turn.dice and ply.before.options.must_spend == "enforce":
            assert legal_actions(GAME, ply.before) == []


def count(state: State, depth: int) -> int:
    """How many lines of play of so many actions there are within a turn."""
    if depth == 0:
        return 1
    lines = 0
    for action in legal_actions(GAME, state):
        ruling = judge(GAME, state, action)
        assert isinstance(ruling, Allowed)
        lines += count(ruling.state, depth - 1)
    return lines


def test_counts_of_play() -> None:
    """Two players, the first roll is 1 5 1 6.

    One action: a squash with a 1, five kinds with the 5, five with the 6: 11 purchases.  The pairs 1-1, 1-5, 1-6 and
    5-6 name 1 + 2 + 2 + 2 = 7 plots for the bird, the sundial and the rock: 21 placings.  11 + 21 = 32.

    Two actions.  After a squash (1) the dice 1 5 6 allow 11 purchases and 6 plots × 4 pieces: 35.  After a purchase
    with the 5, or the 6 (5 each), 1 1 6, or 1 1 5, allow 6 purchases and 3 plots × 4 pieces: 18 each, 180.
    After a placing the other two dice are left, two pieces in hand, and for
    - 1-1 on 1,1 (5 and 6 left; 10 purchases): rock 10 + 2 plots × 2 = 14; bird 14 + 20 moves + its flip = 35;
      sundial 10 + its flip + 10 plots within its reach × 2 = 31: 80.
    - 1-5 on 1,5 or 5,1 (1 and 6 left; 6 purchases): rock 6 + 4 = 10; bird 10 + 3 + 10 moves + flip = 24;
      sundial 6 + flip + 11 × 2 = 29: 63 each.
    - 1-6 on 1,6 or 6,1 (1 and 5 left; 6 purchases): rock 10; bird 10 + 2 + 10 moves = 22;
      sundial 6 + 15 × 2 = 36: 68 each.
    - 5-6 on 5,6 or 6,5 (1 and 1 left; 1 purchase): rock 1 + 2 = 3; bird 3 + 3 moves = 6;
      sundial 1 + 6 × 2 = 13: 22 each.
    35 + 180 + 80 + 126 + 136 + 44 = 601.
    """
    start = GAME.set_up(Field({"players": ["blue", "red"]}), None)
    rolled = judge(GAME, start, GAME.read_action(Field({"do": "roll", "dice": [1, 5, 1, 6]}), start))
    assert isinstance(rolled, Allowed)
    assert [count(rolled.state, depth) for depth in (1, 2)] == [32, 601]
