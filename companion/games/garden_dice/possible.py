"""Garden Dice: which actions of a turn would change a plot where the table differs, or make room for one that does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations, product
from typing import Any

from companion.change import Change, Pieces
from companion.games.garden_dice.chain import tile_points, walk
from companion.games.garden_dice.clauses import holds
from companion.games.garden_dice.critters import in_a_line
from companion.games.garden_dice.legal import moves, reachable, removals, sundial_ready
from companion.games.garden_dice.state import (
    BESIDE,
    INDEX,
    KINDS,
    PLOTS,
    SPECIALS,
    VALUE,
    Buy,
    EndTurn,
    Flip,
    Harvest,
    Move,
    Place,
    State,
    Tile,
    Water,
)
from companion.rules import Allowed, Game, Rule, judge, objection

PRICE = 1.5  # of an action: the dice are there to be spent
SUNDIAL = 0.3  # of its use
BOUGHT = 1.0  # of a purchase that nobody saw
DETOUR = 1.5  # of a move to a plot where nothing has changed
PASSED = 2.0  # of a plot where a critter was put down and taken up again in one go,
PASSED_LAST = 1.6  # and where that spends the last die, which would be left had it been placed where it lies
SCORED_ALONE = 2.5  # of three actions that leave a trace on the score track alone
AS_PLACED = {"rabbit": "bird", "scarecrow": "sundial"}
HELD = (*KINDS, "bird", "sundial", "rock")
Differing = Mapping[str, Pieces]
Acts = tuple[tuple[Any, ...], float]  # actions to be tried, and their price


def carried_out(game: Game, state: State, actions: tuple[Any, ...]) -> tuple[tuple[Any, ...], State] | None:
    """The actions and the state after them, where they are legal; a turn whose dice are used up ends."""
    done: list[Any] = []
    for action in actions:
        ruling = judge(game, state, action)
        if not isinstance(ruling, Allowed):
            return None
        done.append(action)
        state = ruling.state
        if state.turn.rolled and not state.turn.dice:
            ruling = judge(game, state, EndTurn())
            assert isinstance(ruling, Allowed), "a turn without dice may end"
            done.append(EndTurn())
            state = ruling.state
    return tuple(done), state


def on_the_board(game: Game, state: State, change: Change, differing: Differing) -> Iterator[Acts]:
    plots = [plot for plot in (*differing, *change.doubted.difference(differing)) if plot in INDEX]
    if not plots or not state.turn.dice:
        return
    yield from _placings(state, change, differing, plots)
    yield from _chains(state, {*plots})
    yield from _flips(state, plots)
    yield from _critters(game, state, change, differing)
    yield from _harvested_at_once(state, plots)


def ways_to_name(state: State, plot: str) -> Iterator[tuple[tuple[int, int], tuple[int, int] | None]]:
    """The pairs of dice that name a plot, with what the sundial makes of them where it must."""
    row, column = map(int, plot.split(","))
    wanted, ready = (min(row, column), max(row, column)), sundial_ready(state)
    for pair in sorted(set(combinations(sorted(state.turn.dice), 2))):
        become = reachable(state, pair, ready)
        if wanted in become:
            yield pair, become[wanted]


def _placings(state: State, change: Change, differing: Differing, plots: Collection[str]) -> Iterator[Acts]:
    for plot in plots:
        if state.tile(plot):
            continue
        pieces = differing.get(plot, ())
        shown = pieces[0] if pieces else ""
        named = AS_PLACED.get(shown, shown.partition("/")[0])
        own = len(pieces) < 2 or pieces[1] == f"disc/{state.turn.player}"
        wanted = HELD if change.doubtful(plot) else (named,) if own and named in HELD else ()
        for pair, become in ways_to_name(state, plot) if wanted else ():
            for piece in wanted:
                yield from _placing(state, Place(piece, plot, pair, become))


def _placing(state: State, action: Place) -> Iterator[Acts]:
    """Placing a piece; a seed that the player does not hold was bought before."""
    price = PRICE + SUNDIAL * (action.become is not None)
    if holds(state.acting, action.piece):
        yield (action,), price
    elif action.piece in KINDS:
        left = Counter(state.turn.dice) - Counter(action.dice)
        for die in sorted(left):
            if die >= VALUE[action.piece]:
                yield (Buy(action.piece, die), action), price + BOUGHT


def _chains(state: State, plots: Collection[str]) -> Iterator[Acts]:
    """Watering and harvesting from each own tile from which the chain reaches a plot that differs."""
    for at, tile in zip(PLOTS, state.board, strict=True):
        if tile is None or tile.owner != state.turn.player or not tile.value:
            continue
        kind, side = (Water, "/seed") if tile.is_seed else (Harvest, "/vegetable")
        steps, _ = walk(state.board, at, side, "", "")
        if any(step.at in plots for step in steps):
            for die in sorted(set(state.turn.dice)):
                if die >= tile.value:
                    yield (kind(at, die),), PRICE


def _flips(state: State, plots: Collection[str]) -> Iterator[Acts]:
    """Specials that differ; and a scarecrow that serves as a sundial for a while."""
    for plot in _own(state, *SPECIALS):
        if plot in plots and 6 in state.turn.dice:
            yield (Flip(plot, 6),), PRICE
    if state.turn.dice.count(6) > 1 and any(state.tile(plot) is None for plot in plots):
        yield from (((Flip(plot, 6),), PRICE) for plot in _own(state, "scarecrow") if plot not in plots)


def _own(state: State, *pieces: str) -> Iterator[str]:
    """The plots where such pieces of the player on turn lie."""
    for plot, tile in zip(PLOTS, state.board, strict=True):
        if tile and tile.piece in pieces and tile.owner == state.turn.player:
            yield plot


def _critters(game: Game, state: State, change: Change, differing: Differing) -> Iterator[Acts]:
    """Critters that went from, or to, a plot that differs; one may have been placed just before."""
    own = f"disc/{state.turn.player}"
    goals = {plot for plot, pieces in differing.items() if pieces[:1] in (("bird",), ("rabbit",)) and own in pieces}
    hidden = change.vague.difference(differing)
    eaten = any(not seen and plot in INDEX and (t := state.tile(plot)) and t.value for plot, seen in differing.items())
    for at, tile in zip(PLOTS, state.board, strict=True):
        if tile is None or tile.piece not in ("bird", "rabbit"):
            continue
        if at in differing or change.doubtful(at):
            yield from (((action,), PRICE) for action in removals(state, at))
        if tile.owner == state.turn.player and (at in differing or goals or eaten):
            ways = _moves(game.rules[Move], state, at, differing, goals, hidden)
            yield from (((move,), _price(move) + extra) for move, extra in ways)
    if goals and state.acting.critter and len(state.turn.dice) >= 3:
        yield from _placed_and_moved(game, state, goals)


def _moves(
    moving: Rule, state: State, at: str, differing: Differing, goals: Collection[str], hidden: Collection[str]
) -> list[tuple[Move, float]]:
    """To where the table differs, or out of sight; by a detour only where no die leads there straight."""
    legal = [move for move in moves(state, at) if in_a_line(state, move) and not objection(moving, state, move)]
    straight = [(move, 0.0) for move in legal if move.to in goals or move.to in differing]
    if straight:
        return straight
    return [(move, DETOUR) for move in legal if at in differing and (goals or move.to in hidden)]


def _price(move: Move) -> float:
    return PRICE + 0.5 * (move.eat == "spit")


def _placed_and_moved(game: Game, state: State, goals: Collection[str]) -> Iterator[Acts]:
    """A critter placed somewhere and moved on, straight to where one is seen; where none goes so, by detours."""
    straight = False
    placings = list(_placings_anywhere(state))
    last = len(state.turn.dice) == 3
    passed = {goal: PASSED_LAST if last and any(ways_to_name(state, goal)) else PASSED for goal in goals}
    for placed, goal, eat in product(placings, goals, (None, "swallow")):
        left = Counter(state.turn.dice) - Counter(placed.dice)
        for die in left:
            actions = (placed, Move(placed.at, goal, die, eat))
            if in_a_line(state, actions[1]) and carried_out(game, state, actions):
                straight = True
                yield actions, 2 * PRICE + SUNDIAL + passed[goal]
    if not straight and len(state.turn.dice) == 4:
        yield from (((placed,), PRICE) for placed in placings)


def _placings_anywhere(state: State) -> Iterator[Place]:
    for pair in sorted(set(combinations(sorted(state.turn.dice), 2))):
        for (a, b), become in reachable(state, pair, sundial_ready(state)).items():
            plots = dict.fromkeys((f"{a},{b}", f"{b},{a}"))
            yield from (Place("bird", plot, pair, become) for plot in plots if state.tile(plot) is None)


def _harvested_at_once(state: State, plots: Collection[str]) -> Iterator[Acts]:
    """A seed placed, watered and harvested with all four dice: only what it took along is gone."""
    if len(state.turn.dice) < 4:
        return
    beside = {PLOTS[index] for plot in plots if state.tile(plot) for index in BESIDE[INDEX[plot]]}
    for plot in beside:
        if state.tile(plot):
            continue
        for pair, become in ways_to_name(state, plot):
            left = sorted((Counter(state.turn.dice) - Counter(pair)).elements())
            for kind in dict.fromkeys(state.acting.seeds):
                yield (Place(kind, plot, pair, become), Water(plot, left[0]), Harvest(plot, left[1])), 3 * PRICE


def scored_alone(game: Game, state: State, change: Change) -> Iterator[Acts]:
    """A seed placed, watered and harvested with all four dice, of which nothing shows but the player's marker.

    On which plot that was nobody knows: on the first where it comes to the points that the marker shows.
    """
    gained = change.gained(f"disc/{state.turn.player}", state.acting.score)
    if not gained or len(state.turn.dice) < 4:
        return
    tried: set[str] = set()
    for pair in sorted(set(combinations(sorted(state.turn.dice), 2))):
        left = sorted((Counter(state.turn.dice) - Counter(pair)).elements())
        for (row, column), become in reachable(state, pair, sundial_ready(state)).items():
            for plot, kind in product((f"{row},{column}", f"{column},{row}"), dict.fromkeys(state.acting.seeds)):
                if kind in tried or state.tile(plot) or VALUE[kind] > left[0]:
                    continue
                vegetable = Tile(f"{kind}/vegetable", state.turn.player, 1)
                if tile_points(state, plot, vegetable).points == gained:
                    tried.add(kind)
                    yield (Place(kind, plot, pair, become), Water(plot, left[0]), Harvest(plot, left[1])), SCORED_ALONE
