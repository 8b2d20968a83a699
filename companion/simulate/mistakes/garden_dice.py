"""Garden Dice: tiles of the wrong plot, value or owner, critters that stray, sixes that are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

from companion.games.garden_dice.clauses import holds
from companion.games.garden_dice.legal import PIECES
from companion.games.garden_dice.state import (
    KINDS,
    PLOTS,
    SPECIALS,
    Flip,
    Harvest,
    Move,
    Place,
    Remove,
    State,
    Water,
    dice_of,
)
from companion.games.garden_dice.table import expected
from companion.rules import Allowed, Rule, follow

MOST_PLACINGS = 12  # that are thought of


def conceivable(state: State, random: Random) -> Iterator[Any]:
    """With the highest dice left: whoever errs with a low one could have taken a higher."""
    if not state.turn.rolled or not state.turn.dice:
        return
    dice = sorted(state.turn.dice, reverse=True)
    yield from _placings(state, dice, random)
    for plot, tile in zip(PLOTS, state.board, strict=True):
        if tile is None:
            continue
        if tile.value:
            yield Water(plot, dice[0])
            yield Harvest(plot, dice[0])
        if tile.piece in SPECIALS:
            yield Flip(plot, dice[0])
        if tile.piece in ("bird", "rabbit") and len(dice) >= 3:
            yield Remove(plot, (dice[1], dice[2], dice[0]))
        if tile.piece != "rock":
            yield from _strayings(state, plot, dice[0], random)


def _placings(state: State, dice: list[int], random: Random) -> Iterator[Place]:
    """What the player holds, a seed out of the supply, and specials wrong side up, on any plot."""
    held = [piece for piece in PIECES if holds(state.acting, piece)]
    turned = {"bird": "rabbit", "sundial": "scarecrow"}
    pieces = [*held, random.choice(KINDS), *(turned[piece] for piece in held if piece in turned)]
    if len(dice) >= 2:
        pairs = list(product(pieces, PLOTS))
        for piece, plot in random.sample(pairs, min(MOST_PLACINGS, len(pairs))):
            yield Place(piece, plot, (dice[1], dice[0]))


def _strayings(state: State, origin: str, die: int, random: Random) -> Iterator[Move]:
    """To some plot, mostly empty ones; what is eaten there is swallowed."""
    for to in random.sample(PLOTS, 4):
        tile = state.tile(to)
        if to != origin:
            yield Move(origin, to, die, "swallow" if tile and tile.value else None)


def lying_after(rule: Rule, state: State, action: Any) -> dict[str, tuple[str, ...]]:
    """The table after the action, as if the player had the dice and the piece for it."""
    lacking = Counter(dice_of(action)) - Counter(state.turn.dice)
    dice = (*state.turn.dice, *lacking.elements())
    state = state._replace(turn=state.turn._replace(dice=dice))
    if isinstance(action, Place):
        if action.piece in ("rabbit", "scarecrow"):
            on_first_side = {"rabbit": "bird", "scarecrow": "sundial"}[action.piece]
            laid = lying_after(rule, state, replace(action, piece=on_first_side))
            return laid | {action.at: (action.piece, *laid[action.at][1:])}
        if action.piece in KINDS and not holds(state.acting, action.piece):
            state = state.with_player(state.acting._replace(seeds=(*state.acting.seeds, action.piece)))
    done = follow(rule.then, state, action)
    assert isinstance(done, Allowed), "effects of Garden Dice are always carried out"
    return expected(done.state)
