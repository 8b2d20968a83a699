"""Random play by seed, for the laws that every game is held to."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from companion.commands import own_kit
from companion.games import load_game
from companion.rules import Action, Allowed, Game, State, judge
from companion.simulate.players import SEATS, random_action, start


class Ply(NamedTuple):
    before: State
    action: Action
    after: Allowed


def random_start(game: Game, random: Random) -> State:
    """A new game with random house rules and seats."""
    options: dict[str, Any] = {option.name: random.choice(option.values) for option in game.options}
    return start(game, random.randint(*SEATS[game.name]), options, random, own_kit(game.name))


def play(name: str, seed: int, plies: int) -> tuple[State, list[Ply]]:
    """The start and up to `plies` legal actions with their rulings."""
    game, random = load_game(name), Random(seed)
    state = begun = random_start(game, random)
    played: list[Ply] = []
    while len(played) < plies and (action := random_action(game, state, random)) is not None:
        ruling = judge(game, state, action)
        assert isinstance(ruling, Allowed), f"seed {seed}, ply {len(played)}: {action} is {ruling}"
        played.append(Ply(state, action, ruling))
        state = ruling.state
    return begun, played
