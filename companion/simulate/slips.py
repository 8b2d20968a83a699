"""Mistakes that a camera can tell from anything that is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from companion.change import MOST_DOUBT, Change, Sight, Table
from companion.rules import Action, Game, Refused, State, judge
from companion.simulate.players import lying_after, mistaken

MOST_TRIES = 6


@dataclass(frozen=True)
class Mistake:
    action: Action
    clause: str  # that it breaks
    table: Table  # every place of the game that is not empty, as it lies then


def mistake(game: Game, state: State, lying: tuple[int, ...], random: Random) -> Mistake | None:
    """Something that the rules refuse, and no legal way, of several actions either, leads to such a table.

    `lying` are the dice on the table.  None where none was found.
    """
    if game.over(state):
        return None
    for _ in range(MOST_TRIES):
        action = mistaken(game, state, random)
        if action is None:
            return None
        ruling, table = judge(game, state, action), lying_after(game, state, action)
        if isinstance(ruling, Refused) and not _may_be_legal(game, state, table, lying):
            return Mistake(action, ruling.clause, table)
    return None


def _may_be_legal(game: Game, state: State, table: Table, lying: tuple[int, ...]) -> bool:
    before, lay = game.expected(state), tuple(sorted(lying))
    seen = {place: Sight(table.get(place, ()), MOST_DOUBT) for place in {*before, *table}}
    change = Change(before, seen, dice=lay, lay=lay)
    return any(way.broken is None and not way.misfit for way in game.suggest(state, change))
