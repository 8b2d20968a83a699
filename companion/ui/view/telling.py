"""What nobody could see was done, as choices: whatever is legal now, in the order in which the rules list it."""

from __future__ import annotations

from companion.account import Teller
from companion.document import Field
from companion.rules import State
from companion.table import Tell
from companion.ui.view.shapes import CHOOSE, Choice


def tellable(state: State, teller: Teller) -> tuple[Choice, ...]:
    """A choice for every legal action; none where the game is over or the dice are not known yet."""
    game = teller.game
    if game.over(state) or game.needs_dice(state):
        return ()
    actions = [game.read_action(Field(written), state) for written in game.legal(state)["actions"]]
    return tuple(Choice(CHOOSE, teller.action(state, action), Tell((action,))) for action in actions)
