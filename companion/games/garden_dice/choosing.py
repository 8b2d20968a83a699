"""Garden Dice: actions that are told by choosing, beside those that `legal` lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from companion.games.garden_dice.state import EndTurn, Reroll, Roll, SetDie, State
from companion.rules import Game, objection

DICE = 4


def besides(game: Game, state: State) -> Iterator[Any]:
    """Throws, without dice yet; a die set with the sun; the end of the turn; as far as they are allowed."""

    def allowed(action: Any) -> bool:
        return objection(game.rules[type(action)], state, action) is None

    for throw in (Roll(()), Reroll("sun", ()), Reroll("four-alike", ())):
        if allowed(replace(throw, dice=(1,) * DICE)):
            yield throw
    dice = sorted(set(state.turn.dice))
    settings = (SetDie(origin, to) for origin, to in product(dice, range(1, 7)) if origin != to)
    yield from (action for action in (*settings, EndTurn()) if allowed(action))


def further(state: State, action: Any) -> Iterator[Any]:
    if isinstance(action, Roll | Reroll) and len(action.dice) < DICE:
        yield from (replace(action, dice=(*action.dice, value)) for value in range(1, 7))
