"""How often players of some sense win against random ones, and how long they think.  Seeds 2000-2099, seats in turn."""

from __future__ import annotations

import time
from random import Random

import pytest

from companion.commands import own_kit
from companion.games import NAMES, load_game
from companion.rules import Allowed, judge
from companion.simulate.players import choose, start
from tests.test_players import winners

SEEDS = range(2000, 2100)


@pytest.mark.parametrize("name", NAMES)
def test_sense_against_chance(name: str) -> None:
    results = [winners(name, seed) for seed in SEEDS]
    won = sum([sensible] == best for sensible, best in results)
    shared = sum(len(best) != 1 for _, best in results)
    print(f"\n{name}: sense wins {won} of {len(results)} games against random play, {shared} have no one winner")


@pytest.mark.parametrize("name", NAMES)
def test_how_long_a_player_thinks(name: str) -> None:
    game, random = load_game(name), Random(2000)
    state = start(game, 2, {}, random, own_kit(name))
    seconds: list[float] = []
    while len(seconds) < 200:
        begun = time.process_time()
        action = choose(game, state, random)
        seconds.append(time.process_time() - begun)
        if action is None:
            break
        ruling = judge(game, state, action)
        assert isinstance(ruling, Allowed)
        state = ruling.state
    seconds.sort()
    middle, late = (1000 * seconds[int(share * (len(seconds) - 1))] for share in (0.5, 0.99))
    print(f"\n{name}: {len(seconds)} choices, {middle:.1f} ms in the median, 99 % within {late:.1f}")
