"""Players of some sense win against random ones; mistakes show on the table and are refused."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from companion.commands import own_kit
from companion.document import Fault
from companion.games import NAMES, load_game
from companion.rules import Allowed, Game, Refused, State, judge
from companion.simulate.players import choose, lying_after, mistaken, random_action, start

games = pytest.mark.parametrize("name", NAMES)
MOST_ACTIONS = 1500


def seats(game: Game, state: State) -> list[str]:
    written = game.write_position(state)
    if "teams" in written:
        return [team["team"] for team in written["teams"]]
    return [player["colour"] for player in written["players"]]


def on_turn(game: Game, state: State) -> str:
    turn: dict[str, str] = game.write_position(state)["turn"]
    return turn.get("team") or turn["player"]


def winners(name: str, seed: int) -> tuple[str, list[str]]:
    """Who plays with sense, the first in even games and the second in odd ones, and who wins."""
    game, random = load_game(name), Random(seed)
    state = start(game, 2, {}, random, own_kit(name))
    sensible = seats(game, state)[seed % 2]
    for _ in range(MOST_ACTIONS):
        player = choose if on_turn(game, state) == sensible else random_action
        action = player(game, state, random)
        if action is None:
            break
        ruling = judge(game, state, action)
        assert isinstance(ruling, Allowed), f"{action} is {ruling}"
        state = ruling.state
    return sensible, game.score(state)["winners"]


@pytest.mark.parametrize(
    ("name", "fewer", "sides", "known"),
    [("garden-guests", "team", 2, "2 or 4 or 6"), ("garden-dice", "disc", 3, "2 or 3")],
)
def test_more_players_than_a_copy_has_sides_for_are_refused(name: str, fewer: str, sides: int, known: str) -> None:
    game, kit = load_game(name), own_kit(name)
    kept = game.seating(kit).sides[:sides]
    spaces = tuple(space for space in kit.spaces if space.tags.get(fewer) in (None, *kept))
    pieces = tuple(piece for piece in kit.pieces if not piece.name.startswith(f"{fewer}/") or piece.name[5:] in kept)
    small = replace(kit, spaces=spaces, pieces=pieces)
    with pytest.raises(Fault, match=rf"^--players: {sides + 1} found; .* is for {known}$"):
        start(game, sides + 1, {}, Random(1), small)
    assert len(seats(game, start(game, sides, {}, Random(1), small))) == sides


@games
def test_players_of_some_sense_mostly_win_against_random_ones(name: str) -> None:
    results = [winners(name, seed) for seed in range(3)]
    assert sum([sensible] == won for sensible, won in results) >= 2


@games
def test_a_mistake_is_refused_and_shows_on_the_table(name: str) -> None:
    game, random = load_game(name), Random(7)
    state: Any = start(game, 2, {"tools": True} if name == "garden-rush" else {}, random, own_kit(name))
    clauses = set()
    for _ in range(60):
        mistake = mistaken(game, state, random)
        if mistake is not None:
            ruling = judge(game, state, mistake)
            assert isinstance(ruling, Refused)
            clauses.add(ruling.clause)
            assert lying_after(game, state, mistake) != game.expected(state)
        action = random_action(game, state, random)
        if action is None:
            break
        done = judge(game, state, action)
        assert isinstance(done, Allowed)
        state = done.state
    assert len(clauses) >= 4


def test_no_mistake_is_made_before_the_dice_are_thrown() -> None:
    game = load_game("garden-dice")
    state = start(game, 2, {}, Random(1), own_kit("garden-dice"))
    assert mistaken(game, state, Random(1)) is None
