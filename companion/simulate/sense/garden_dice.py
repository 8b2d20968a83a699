"""Garden Dice: what pays most for each die that it takes."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from companion.games.garden_dice import GAME
from companion.games.garden_dice.scoring import sets_and_collections
from companion.games.garden_dice.state import KINDS, EndTurn, Player, Reroll, Roll, State, Tile, dice_of
from companion.rules import Allowed, judge, legal_actions
from companion.simulate.garden_dice import dice_thrown

VEGETABLE, SEED, HELD = 0.9, 0.55, 0.3  # of a tile's value, on the board and in front of the player
SPECIAL = 1.5  # of a special that lies on the board
EACH_KIND, EACH_PAIR = 2.0, 2.0  # of harvested tiles on the way to a set and to collections
MOST_HELD, TOO_MANY = 3, 2.5  # seeds in front of a player, and what each one more costs
OTHERS = 0.5  # of what the others have
POOR = 2  # four equal dice of this or less are rolled again


def choose(state: State, random: Random) -> Any | None:
    """The action that pays most; the end of the turn where none pays and it may end.  None when the game is over."""
    if state.over:
        return None
    turn = state.turn
    if not turn.rolled:
        return Roll(dice_thrown(random))
    if not turn.spent and len(set(turn.dice)) == 1 and max(turn.dice) <= POOR and turn.sun_die is None:
        return Reroll("four-alike", dice_thrown(random))
    gains = {action: _gain(state, action) for action in legal_actions(GAME, state)}
    most = max(gains.values(), default=0.0)
    if most <= 0 and isinstance(judge(GAME, state, EndTurn()), Allowed):
        return EndTurn()
    return random.choice([action for action, gain in gains.items() if gain == most])


def _gain(state: State, action: Any) -> float:
    """What an action adds to the worth of a position, for each die that it takes."""
    ruling = judge(GAME, state, action)
    assert isinstance(ruling, Allowed), "it is one of the legal actions"
    return (worth(ruling.state, state.turn.player) - worth(state, state.turn.player)) / len(dice_of(action))


def worth(state: State, colour: str) -> float:
    """Points, and what the tiles may still bring, against half of what the others have."""
    shares = {player.colour: _share(state, player) for player in state.players}
    others = sum(shares.values()) - shares[colour]
    return shares[colour] - OTHERS * others / max(1, len(shares) - 1)


def _share(state: State, player: Player) -> float:
    own = (tile for tile in state.board if tile and tile.owner == player.colour)
    held = sum(1.0 + HELD * (KINDS.index(kind) + 1) for kind in player.seeds)
    surplus = TOO_MANY * max(0, len(player.seeds) - MOST_HELD)
    return player.score + _collected(state, player) + sum(map(_on_the_board, own)) + held - surplus


def _on_the_board(tile: Tile) -> float:
    if not tile.value:
        return SPECIAL
    return 1.0 + (VEGETABLE if tile.is_vegetable else SEED) * tile.value


def _collected(state: State, player: Player) -> float:
    held = Counter(player.harvested)
    counts = tuple(held[kind] for kind in KINDS)
    pairs = sum(count % 3 == 2 for count in counts)
    return sum(sets_and_collections(counts, state.options)) + EACH_KIND * len(held) + EACH_PAIR * pairs
