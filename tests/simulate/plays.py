"""Games that are played on simulated tables, for the tests."""

from __future__ import annotations

from random import Random

from companion.commands import own_kit
from companion.games import load_game
from companion.simulate.living import Life, Play, Told
from companion.simulate.moods import USUAL, Mood
from companion.simulate.players import SEATS, choose, start

SMALL = (320, 240)


def a_play(
    name: str, seed: int, turns: int, mood: Mood = USUAL, mistakes: float = 0.0, players: int | None = None
) -> Play:
    game, kit, random = load_game(name), own_kit(name), Random(seed)
    begun = start(game, players or SEATS[name][0], {}, random, kit)
    return Play(game, kit, begun, choose, random, seed, mood, mistakes, turns)


def all_told(play: Play) -> list[Told]:
    return list(Life(play, SMALL).told())
