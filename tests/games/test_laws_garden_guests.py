"""Laws of Garden Guests alone, over random play; and a count of play derived by hand."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from companion.document import Field
from companion.games import load_game
from companion.games.garden_guests.endings import cut_off
from companion.rules import Allowed, judge, legal_actions, objection
from tests.games.play import play

GAME = load_game("garden-guests")
seeds = st.integers(0, 2**32 - 1)


@given(seed=seeds, plies=st.integers(10, 150))
def test_blocked_stays_blocked(seed: int, plies: int) -> None:
    """Who can never connect any more never can again, and a team that is out stays out."""
    blocked: set[str] = set()
    out: set[str] = set()
    for ply in play("garden-guests", seed, plies)[1]:
        state = ply.after.state
        now = set(cut_off(state, [team.name for team in state.teams]))
        assert blocked <= now
        gone = {team.name for team in state.teams if team.out}
        assert out <= gone
        blocked, out = now, gone


@given(seed=seeds, plies=st.integers(10, 150))
def test_hands_hold_fifteen_cards_at_most_and_stones_stay(seed: int, plies: int) -> None:
    for ply in play("garden-guests", seed, plies)[1]:
        before, after = (GAME.write_position(state) for state in (ply.before, ply.after.state))
        assert all(0 <= hand <= 15 for team in after["teams"] for hand in team["hands"])
        assert all(team["guests"] >= 0 and team["stones"] >= 0 for team in after["teams"])
        stones = {at: piece for at, piece in before["spaces"].items() if piece.get("stone")}
        assert stones.items() <= after["spaces"].items()


@given(seed=seeds, plies=st.integers(1, 100))
def test_a_safe_colony_is_never_lost(seed: int, plies: int) -> None:
    safe: dict[str, str] = {}
    for ply in play("garden-guests", seed, plies)[1]:
        spaces = GAME.write_position(ply.after.state)["spaces"]
        assert all(spaces[at]["team"] == team and spaces[at]["safe"] for at, team in safe.items())
        safe = {at: piece["team"] for at, piece in spaces.items() if piece.get("safe")}


@given(seed=seeds, plies=st.integers(1, 80))
def test_what_is_listed_is_all_that_may_be_done(seed: int, plies: int) -> None:
    """Of every collect, pass and colony that can be written down, judge allows those in the list."""
    state = play("garden-guests", seed, plies)[1][-1].after.state
    conceivable: list[dict[str, Any]] = [{"do": "collect", "card": card} for card in (1, 2, 3, 4)]
    conceivable += [{"do": "pass", "card": card, "to": to} for card in (1, 2, 3, 4) for to in (0, 1, 2)]
    spaces = GAME.write_position(state)["board"]
    conceivable += [{"do": "colony", "at": at, "guests": guests} for at in spaces for guests in range(1, 16)]
    allowed = []
    for document in conceivable:
        action = GAME.read_action(Field(document), state)
        if objection(GAME.rules[type(action)], state, action) is None:
            allowed.append(document)
    listed = GAME.legal(state)["actions"]
    assert sorted(map(str, allowed)) == sorted(map(str, listed))


MAP = {
    "0,0": {"kind": "pedestal", "flower": "rose", "near": ["1,0", "-1,0"]},
    "1,0": {"kind": "home", "team": "black", "side": 0, "near": ["0,0"]},
    "-1,0": {"kind": "home", "team": "black", "side": 1, "near": ["0,0"]},
    "5,5": {"kind": "home", "team": "gold", "side": 0, "near": []},
    "6,6": {"kind": "home", "team": "gold", "side": 1, "near": []},
}


def test_counts_of_play() -> None:
    """Two players on a map of one pedestal and two homes a team, five cards each.

    Black may collect with the 1 or the 3, build on the pedestal with 1 to 5 guests or on one of two homes: 9.
    After a collect (2 ways) gold has its 4 and 2, 5 guests and 2 homes: 9 each, 18.  After black's home (2) likewise
    18.  After a colony of n on the pedestal, of which gold can knock off with n + 1 to 5: 4, 3, 2, 1, 0 ways; and 2
    collects and 2 homes: 8 + 7 + 6 + 5 + 4 = 30.  18 + 18 + 30 = 66.
    """
    start = GAME.write_position(GAME.set_up(Field({"players": 2, "teams": ["black", "gold"]}), None)) | {"board": MAP}
    state = GAME.read_position(Field(start), None)
    first = legal_actions(GAME, state)
    assert len(first) == 9
    second = 0
    for action in first:
        ruling = judge(GAME, state, action)
        assert isinstance(ruling, Allowed)
        second += len(legal_actions(GAME, ruling.state))
    assert second == 66
