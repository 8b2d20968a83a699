"""Garden Dice: the final score."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from companion.games.garden_dice.state import KINDS, VALUE, Options, Player, State

COLLECTION = {3: 10, 4: 15, 5: 20}
SET = 15


def unplanted(player: Player) -> int:
    """−5 for each seed left in front of the player, except the first."""
    return -5 * max(0, len(player.seeds) - 1)


def sets(counts: tuple[int, ...]) -> int:
    return SET * min(counts)


@cache
def collection(tiles: int, over_five: str) -> int:
    """What tiles of one kind give in collections of three to five, split as suits best, or at most one of them."""
    best = max((points for size, points in COLLECTION.items() if size <= tiles), default=0)
    if over_five == "cap":
        return best
    splits = (points + collection(tiles - size, over_five) for size, points in COLLECTION.items() if size <= tiles)
    return max(splits, default=0)


def collections(counts: tuple[int, ...], options: Options) -> int:
    return sum(collection(count, options.collections_over_five) for count in counts)


def sets_and_collections(counts: tuple[int, ...], options: Options) -> tuple[int, int]:
    """Points for sets and for collections; where a tile counts once only, the split that pays most."""
    if options.set_collection_overlap:
        return sets(counts), collections(counts, options)
    splits = []
    for number in range(min(counts) + 1):
        rest = tuple(count - number for count in counts)
        splits.append((number * SET, collections(rest, options)))
    return max(splits, key=lambda split: (sum(split), split[0]))


def unused_sun(player: Player) -> int:
    return 5 if player.sun else 0


def itemised(player: Player, options: Options) -> dict[str, Any]:
    held = Counter(player.harvested)
    for_sets, for_collections = sets_and_collections(tuple(held[kind] for kind in KINDS), options)
    items = {
        "track": player.score,
        "unplanted": unplanted(player),
        "sets": for_sets,
        "collections": for_collections,
        "sun": unused_sun(player),
    }
    tie = sum(VALUE[kind] for kind in player.harvested)
    return {"colour": player.colour, **items, "total": sum(items.values()), "tie": tie}


def winners(scores: list[dict[str, Any]], options: Options) -> list[str]:
    """Most points; then, unless ties are shared, the higher sum of harvested values; then together."""

    def rank(score: dict[str, Any]) -> tuple[int, int]:
        return score["total"], score["tie"] if options.tie_break == "harvest-value" else 0

    best = max(map(rank, scores))
    return [score["colour"] for score in scores if rank(score) == best]


def final_score(state: State) -> dict[str, Any]:
    scores = [itemised(player, state.options) for player in state.players]
    return {"players": scores, "winners": winners(scores, state.options)}
