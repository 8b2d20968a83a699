"""Garden Dice played at random by the rules; chance comes from the `random` that is handed in."""

from __future__ import annotations

from random import Random
from typing import Any

from companion.games.garden_dice import GAME
from companion.games.garden_dice.state import Buy, EndTurn, Reroll, Roll, SetDie, State
from companion.rules import legal_actions


def dice_thrown(random: Random) -> tuple[int, ...]:
    return tuple(random.randint(1, 6) for _ in range(4))


def _with_the_sun_or_luck(state: State, random: Random) -> Any | None:
    """Sometimes the sun, and a reroll when four dice are alike."""
    turn = state.turn
    if not turn.spent and len(set(turn.dice)) == 1 and turn.sun_die is None and random.random() < 0.7:
        return Reroll("four-alike", dice_thrown(random))
    if state.acting.sun and turn.dice and random.random() < 0.02:
        if not turn.spent and random.random() < 0.5:
            return Reroll("sun", dice_thrown(random))
        return SetDie(random.choice(turn.dice), random.randint(1, 6))
    return None


def random_action(state: State, random: Random) -> Any | None:
    """A legal action, each kind about as often as the others; None when the game is over."""
    if state.over:
        return None
    if not state.turn.rolled:
        return Roll(dice_thrown(random))
    if special := _with_the_sun_or_luck(state, random):
        return special
    by_kind: dict[type, list[Any]] = {}
    for action in legal_actions(GAME, state):
        by_kind.setdefault(type(action), []).append(action)
    if not by_kind:
        return EndTurn()
    weights = [0.5 if kind is Buy else 1.0 for kind in by_kind]
    return random.choice(random.choices(list(by_kind.values()), weights)[0])
