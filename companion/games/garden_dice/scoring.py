"""Garden Dice: the final score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from companion.games.garden_dice.state import KINDS, VALUE, Options, Player, State
from companion.rules import Bonus

COLLECTION = {3: 10, 4: 15, 5: 20}
SET = 15
UNPLANTED = -5


def unplanted(player: Player) -> int:
    """For each seed left in front of the player, except the first."""
    return UNPLANTED * max(0, len(player.seeds) - 1)


def sets(counts: tuple[int, ...]) -> int:
    return SET * min(counts)


@cache
def split(tiles: int, over_five: str) -> tuple[int, ...]:
    """The sizes of the collections that tiles of one kind are best split into, or of at most one of them."""
    sizes = [size for size in COLLECTION if size <= tiles]
    if over_five == "cap":
        return tuple(sizes[-1:])
    ways = ((size, *split(tiles - size, over_five)) for size in reversed(sizes))
    return max(ways, key=worth, default=())


def worth(sizes: tuple[int, ...]) -> int:
    return sum(COLLECTION[size] for size in sizes)


def collections(counts: tuple[int, ...], options: Options) -> int:
    """What tiles give in collections of three to five of a kind."""
    return sum(worth(split(count, options.collections_over_five)) for count in counts)


def sets_and_collections(counts: tuple[int, ...], options: Options) -> tuple[int, int]:
    """Points for sets and for collections; where a tile counts once only, the split that pays most."""
    used, number = best_sets(counts, options)
    return number * SET, collections(tuple(count - used for count in counts), options)


def best_sets(counts: tuple[int, ...], options: Options) -> tuple[int, int]:
    """How many tiles of each kind sets take from the collections, and how many sets there are."""
    if options.set_collection_overlap:
        return 0, sets(counts) // SET
    number = max(
        range(min(counts) + 1),
        key=lambda number: (number * SET + collections(tuple(c - number for c in counts), options), number),
    )
    return number, number


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


def bonuses(state: State) -> Iterator[Bonus]:
    """The score sheet's items one by one: each seed that costs something, each set, each collection, the sun."""
    for player in state.players:
        colour, held = player.colour, Counter(player.harvested)
        for _ in player.seeds[1:]:
            yield Bonus(colour, "unplanted", UNPLANTED, "end.unplanted")
        counts = tuple(held[kind] for kind in KINDS)
        used, number = best_sets(counts, state.options)
        for _ in range(number):
            yield Bonus(colour, "sets", SET, "end.set", KINDS)
        for kind, count in zip(KINDS, counts, strict=True):
            for size in split(count - used, state.options.collections_over_five):
                yield Bonus(colour, "collections", COLLECTION[size], "end.collection", (kind,) * size)
        if player.sun:
            yield Bonus(colour, "sun", unused_sun(player), "end.sun")


def winners(scores: list[dict[str, Any]], options: Options) -> list[str]:
    """Most points; then, unless ties are shared, the higher sum of harvested values; then together."""

    def rank(score: dict[str, Any]) -> tuple[int, int]:
        return score["total"], score["tie"] if options.tie_break == "harvest-value" else 0

    best = max(map(rank, scores))
    return [score["colour"] for score in scores if rank(score) == best]


def final_score(state: State) -> dict[str, Any]:
    scores = [itemised(player, state.options) for player in state.players]
    return {"players": scores, "winners": winners(scores, state.options)}
