"""Garden Dice: what players might want to do with a plot or a piece, whether or not they may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from companion.games.garden_dice.amiss import dice_for_removal, nearest_pair, pairs_for
from companion.games.garden_dice.clauses import holds
from companion.games.garden_dice.legal import PIECES, actions, moves, removals
from companion.games.garden_dice.state import (
    INDEX,
    KINDS,
    PLOTS,
    SPECIALS,
    Buy,
    Flip,
    Harvest,
    Move,
    Place,
    Remove,
    State,
    Tile,
    Water,
)


def asked(state: State, about: str) -> Iterator[Any]:
    """With each die that is left; where none is, with a six."""
    dice = sorted(set(state.turn.dice)) or [6]
    if about in INDEX:
        tile = state.tile(about)
        yield from _with_tile(state, about, tile, dice) if tile else _on_empty(state, about)
        yield from _onto(state, about, tile, dice)
    elif about in KINDS:
        yield from (Buy(about, die) for die in dice)
    if about in PIECES:
        yield from (action for action in actions(state) if isinstance(action, Place) and action.piece == about)


def _with_tile(state: State, plot: str, tile: Tile, dice: list[int]) -> Iterator[Any]:
    if tile.is_seed:
        yield from (Water(plot, die) for die in dice)
    elif tile.is_vegetable:
        yield from (Harvest(plot, die) for die in dice)
    elif tile.piece in SPECIALS:
        yield from (Flip(plot, die) for die in dice)
    if tile.piece in ("bird", "rabbit"):
        yield from list(removals(state, plot)) or [Remove(plot, dice_for_removal(state, plot))]
        yield from moves(state, plot)


def _on_empty(state: State, plot: str) -> Iterator[Place]:
    """What the player holds, with the dice that name the plot or come nearest; a seed where they hold nothing."""
    pairs = list(pairs_for(state, plot)) or [(nearest_pair(plot, state.turn.dice), None)]
    for piece in [piece for piece in PIECES if holds(state.acting, piece)] or KINDS[:1]:
        yield from (Place(piece, plot, dice, become) for dice, become in pairs)


def _onto(state: State, plot: str, tile: Tile | None, dice: list[int]) -> Iterator[Move]:
    """The player's own animals to the plot."""
    animals = [Tile(piece, state.turn.player) for piece in ("bird", "rabbit")]
    own = [at for at, lies in zip(PLOTS, state.board, strict=True) if lies and lies._replace(discs=None) in animals]
    for origin in own:
        found = [move for move in moves(state, origin) if move.to == plot]
        eat = "swallow" if tile and tile.value else None
        yield from found or (Move(origin, plot, die, eat) for die in dice if origin != plot)


def answers(state: State, action: Any, missing: str) -> Iterator[Move]:
    """What becomes of the tile that is eaten, and with which die."""
    if missing == "eat":
        yield from (replace(action, eat=eat) for eat in ("swallow", "spit"))
    elif missing == "spit_die":
        others = list(state.turn.dice)
        others.remove(action.die)
        yield from (replace(action, spit_die=die) for die in sorted(set(others)))
