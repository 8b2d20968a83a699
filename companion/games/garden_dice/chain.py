"""Garden Dice: watering and harvesting.  The chain of both is one walk over the board."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from companion.games.garden_dice.state import AROUND, BESIDE, INDEX, PLOTS, Board, Harvest, State, Tile, Water
from companion.rules import Allowed, Scored, Step, Stop


def _why_not(tile: Tile | None, value: int, side: str) -> str | None:
    """Why the chain stops before this neighbour of a tile worth `value`: a key of the words; None where it goes on."""
    if tile is None:
        return "empty"
    if not tile.value:
        return "special"
    if not tile.piece.endswith(side):
        return "other-side"
    return None if tile.value < value else "value"


def walk(board: Board, at: str, side: str, goes_on: str, stops_at: str) -> tuple[tuple[Step, ...], tuple[Stop, ...]]:
    """Follow the chain among tiles lying on `side` (`seed` or `vegetable`) from the tile at `at`.

    Every neighbour of strictly lower value than the tile before it is reached, whatever the order; `goes_on` and
    `stops_at` are the clauses that say so.
    """
    begun = INDEX[at]
    first = board[begun]
    reached: dict[int, Step] = {begun: Step(at, None, goes_on, first.value if first else None)}
    ends: list[tuple[int, Stop]] = []
    waiting = deque((begun,))
    while waiting:
        here = waiting.popleft()
        tile = board[here]
        assert tile is not None, "only tiles are reached"
        for there in BESIDE[here]:
            if there in reached:
                continue
            neighbour = board[there]
            value = neighbour.value or None if neighbour else None
            if why := _why_not(neighbour, tile.value, side):
                ends.append((there, Stop(PLOTS[there], PLOTS[here], stops_at, why, value)))
            else:
                reached[there] = Step(PLOTS[there], PLOTS[here], goes_on, value)
                waiting.append(there)
    stops = (stop for there, stop in ends if there not in reached)
    return tuple(reached.values()), tuple(stops)


# Watering


def own_seed(state: State, action: Water) -> bool:
    tile = state.tile(action.at)
    return tile is not None and tile.is_seed and tile.owner == state.turn.player


def die_reaches_the_tile(state: State, action: Water | Harvest) -> bool:
    tile = state.tile(action.at)
    return tile is None or tile.value <= action.die


def watering_stops(state: State, action: Water) -> Allowed:
    return Allowed(state, walk(state.board, action.at, "/seed", "water.chain", "water.stop")[1])


def water_the_chain(state: State, action: Water) -> Allowed:
    steps, _ = walk(state.board, action.at, "/seed", "water.chain", "water.stop")
    turned = [(step.at, state.board[INDEX[step.at]]) for step in steps]
    grown = [(at, tile._replace(piece=f"{tile.kind}/vegetable")) for at, tile in turned if tile]
    return Allowed(state.with_tiles(grown), steps)


# Harvesting


def own_vegetable(state: State, action: Harvest) -> bool:
    tile = state.tile(action.at)
    return tile is not None and tile.is_vegetable and tile.owner == state.turn.player


def harvest_stops(state: State, action: Harvest) -> Allowed:
    return Allowed(state, walk(state.board, action.at, "/vegetable", "harvest.chain", "harvest.stop")[1])


def _reaped(state: State, action: Harvest) -> Iterator[tuple[str, Tile, str]]:
    """Plot, tile and owner of all that the chain harvests."""
    for step in walk(state.board, action.at, "/vegetable", "harvest.chain", "harvest.stop")[0]:
        tile = state.tile(step.at)
        if tile and tile.owner:
            yield step.at, tile, tile.owner


def guarded(state: State, at: str, owner: str | None) -> bool:
    """Whether `owner` has a scarecrow on one of the eight plots around."""
    around = (state.board[index] for index in AROUND[INDEX[at]])
    return any(tile and tile.piece == "scarecrow" and tile.owner == owner for tile in around)


def on_a_star(state: State, at: str) -> bool:
    return at in state.stars


def tile_points(state: State, at: str, tile: Tile) -> Scored:
    """What one harvested tile gives its owner: with a scarecrow 3 more; else, on a star, twice its value."""
    owner = tile.owner or ""
    if guarded(state, at, owner):
        return Scored(owner, tile.value + 3, at, ("harvest.score", "harvest.scarecrow"))
    if on_a_star(state, at):
        return Scored(owner, tile.value * 2, at, ("harvest.score", "harvest.star"))
    return Scored(owner, tile.value, at, ("harvest.score",))


def score_tiles(state: State, action: Harvest) -> Allowed:
    points = tuple(tile_points(state, at, tile) for at, tile, _ in _reaped(state, action))
    for scored in points:
        owner = state.player(scored.player)
        state = state.with_player(owner._replace(score=owner.score + scored.points))
    return Allowed(state, points)


def bonus_for_the_harvester(state: State, action: Harvest) -> Allowed:
    """A point for each opponent's tile."""
    chooser = state.acting
    foreign = [at for at, _, owner in _reaped(state, action) if owner != chooser.colour]
    bonus = tuple(Scored(chooser.colour, 1, at, ("harvest.bonus",)) for at in foreign)
    return Allowed(state.with_player(chooser._replace(score=chooser.score + len(bonus))), bonus)


def gather(state: State, action: Harvest) -> Allowed:
    """Each tile goes to its owner, face up; its disc is free again."""
    steps, _ = walk(state.board, action.at, "/vegetable", "harvest.chain", "harvest.stop")
    for _, tile, colour in list(_reaped(state, action)):
        owner = state.player(colour)
        state = state.with_player(owner._replace(harvested=(*owner.harvested, tile.kind)))
    return Allowed(state.with_tiles((step.at, None) for step in steps), steps)
