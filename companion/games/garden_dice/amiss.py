"""Garden Dice: changes that look like an action which breaks a clause, or of which a part is still to be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from companion.change import ILLEGAL, UNFINISHED, Change, Node, Pieces, Suggestion
from companion.games.garden_dice.chain import walk
from companion.games.garden_dice.clauses import holds
from companion.games.garden_dice.legal import reachable, sundial_ready
from companion.games.garden_dice.state import (
    BESIDE,
    INDEX,
    OTHER_SIDE,
    PLOTS,
    EndTurn,
    Flip,
    Harvest,
    Move,
    Place,
    Remove,
    State,
    Tile,
    Turn,
    Water,
)
from companion.rules import Game, Refused, judge

MOST_PLOTS = 12
NO_DIE = 1.0  # price of an action for which no die is left: another use of the dice may have left one
Plots = Mapping[str, Pieces]
Attempt = tuple[Any, str | None, bool]  # an action, the clause it breaks if that is not its ruling, is it unfinished


def suggest(game: Game, node: Node, state: State, change: Change) -> Iterator[Suggestion]:
    """One more action after those of a node that accounts for all the plots that still differ for sure.

    What is only likely on others may tell which action it was; for what is left of one nobody waits because of that.
    """
    differing = {plot: seen for plot, seen in change.differing(node.table).items() if plot in INDEX}
    sure = {plot: seen for plot, seen in differing.items() if not change.doubtful(plot)}
    likely = {plot: seen for plot, seen in differing.items() if plot in sure or plot in change.guessed}
    if not sure or not _dice_are_known(node, state, change):
        return
    state = _still_in_turn(node, state)
    for plots in (sure,) if likely == sure else (sure, likely):
        for action, clause, unfinished in _attempts(state, plots) if len(plots) <= MOST_PLOTS else ():
            price = node.price + (UNFINISHED if unfinished else ILLEGAL)
            if clause is None and isinstance(ruling := judge(game, state, action), Refused):
                clause = ruling.clause
            if clause == "turn.die-once":
                price += NO_DIE
            if clause is not None and (plots is sure or not unfinished):
                actions = node.actions[:-1] if node.actions[-1:] == (EndTurn(),) else node.actions
                misfit = change.misfit({**node.table, **plots})
                yield Suggestion(actions, price, misfit, clause, action, unfinished)


def _dice_are_known(node: Node, state: State, change: Change) -> bool:
    """Where nothing was rolled it must be sure that no new dice lie there."""
    return state.turn.rolled or bool(node.actions) or (len(change.dice) == 4 and change.dice == change.lay)


def _still_in_turn(node: Node, state: State) -> State:
    """The state as it was before the turn ended, which it did of itself when the last die was spent."""
    if node.actions[-1:] != (EndTurn(),):
        return state
    colours = [player.colour for player in state.players]
    last = colours[colours.index(state.turn.player) - 1]
    return state._replace(turn=Turn(last, rolled=True))


def _attempts(state: State, plots: Plots) -> Iterator[Attempt]:
    tiles = {plot: state.tile(plot) for plot in plots}
    if len(plots) == 1:
        ((plot, pieces),) = plots.items()
        yield from _on_one_plot(state, plot, tiles[plot], pieces)
    if len(plots) == 2:
        yield from _moved(state, plots)
    turned = [t for plot, t in tiles.items() if t and t.is_seed and plots[plot][:1] == (f"{t.kind}/vegetable",)]
    if len(turned) == len(plots):
        yield from _chain(state, plots, Water)
    gone = [t for plot, t in tiles.items() if t and t.is_vegetable and not plots[plot]]
    if len(gone) == len(plots):
        yield from _chain(state, plots, Harvest)


def _most_of(state: State, count: int) -> tuple[int, ...]:
    """As many dice as an action takes, the highest left, or a 6 where none is left."""
    return (*sorted(state.turn.dice, reverse=True), 6, 6, 6)[:count]


def _on_one_plot(state: State, plot: str, tile: Tile | None, pieces: Pieces) -> Iterator[Attempt]:
    (die,) = _most_of(state, 1)
    turned = tile and pieces == (OTHER_SIDE.get(tile.piece), *_disc(tile))
    if pieces and not turned and (tile is None or tile.kind != pieces[0].partition("/")[0]):
        yield from _put_down(state, plot, tile, pieces)
    if tile is None:
        return
    if not pieces and tile.piece in ("bird", "rabbit") and tile.owner == state.turn.player and state.turn.dice:
        yield None, "move.line", True  # it may well be on its way
    elif not pieces and tile.piece in ("bird", "rabbit"):
        yield Remove(plot, dice_for_removal(state, plot)), None, False
    elif not pieces and not tile.value:
        yield Move(plot, plot, die), "place.fixed", False
    elif not pieces and tile.is_seed:
        yield Harvest(plot, die), None, False
    elif turned:
        yield Flip(plot, 6 if 6 in state.turn.dice else die), None, False


def _disc(tile: Tile) -> Pieces:
    return (f"disc/{tile.owner}",)


def _put_down(state: State, plot: str, tile: Tile | None, pieces: Pieces) -> Iterator[Attempt]:
    """A piece that came to lie on a plot, by whatever dice, on whichever side."""
    kind, _, side = pieces[0].partition("/")
    owner = pieces[1].partition("/")[2] if len(pieces) > 1 else None
    action = Place(kind, plot, nearest_pair(plot, state.turn.dice))
    if tile is not None:
        yield action, "place.empty", False
    elif owner not in (None, state.turn.player):
        yield action, "turn.order", False
    elif side == "vegetable":
        yield action, "place.side", False
    elif kind in ("bird", "sundial", "rock") or side:
        # With the right dice it would have been found among the legal ones if it were held.
        exact = [Place(kind, plot, pair, become) for pair, become in pairs_for(state, plot)]
        yield from ((one, None, False) for one in exact or [action])
        if exact and not holds(state.acting, kind):
            yield exact[0], "place.held", False
    else:
        yield action, None, False


def pairs_for(state: State, plot: str) -> Iterator[tuple[tuple[int, int], tuple[int, int] | None]]:
    row, column = sorted(map(int, plot.split(",")))
    for pair in sorted(set(combinations(sorted(state.turn.dice), 2))):
        reach = reachable(state, pair, sundial_ready(state))
        if (row, column) in reach:
            yield pair, reach[row, column]


def dice_for_removal(state: State, plot: str) -> tuple[int, int, int]:
    """The highest die left for the 6, and two of the others; what it would take where too few are left."""
    *others, highest = sorted(state.turn.dice) if len(state.turn.dice) >= 3 else (6,)
    return (*nearest_pair(plot, others), highest)


def nearest_pair(plot: str, dice: Sequence[int]) -> tuple[int, int]:
    """The two of the dice that come nearest to naming a plot; those that would name it where there are too few."""
    row, column = sorted(map(int, plot.split(",")))
    if len(dice) < 2:
        return row, column
    pairs = sorted(set(combinations(sorted(dice), 2)))
    return min(pairs, key=lambda pair: abs(pair[0] - row) + abs(pair[1] - column))


def _moved(state: State, plots: Plots) -> Iterator[Attempt]:
    """A piece that lay on one plot and lies on the other now."""
    for origin, to in (tuple(plots), tuple(plots)[::-1]):
        tile = state.tile(origin)
        if tile is None or plots[origin] or plots[to] != ((tile.piece, *_disc(tile)) if tile.owner else (tile.piece,)):
            continue
        prey = state.tile(to)
        eaten = "swallow" if prey and prey.value else None
        yield Move(origin, to, _most_of(state, 1)[0], eaten), None, False


def _chain(state: State, plots: Plots, kind: type[Water | Harvest]) -> Iterator[Attempt]:
    """Tiles that were turned, or taken, which is not what the chain from any of the player's own reaches."""
    side, name = ("/seed", "water") if kind is Water else ("/vegetable", "harvest")
    (die,) = _most_of(state, 1)
    owned = False
    for root, tile in zip(PLOTS, state.board, strict=True):
        if tile is None or tile.owner != state.turn.player or not tile.piece.endswith(side):
            continue
        reached = {step.at for step in walk(state.board, root, side, "", "")[0]}
        missing, extra = reached - plots.keys(), plots.keys() - reached
        owned = owned or root in plots
        if not extra and missing and tile.value <= die and state.turn.dice:
            yield kind(root, die), f"{name}.chain", True
        elif root in plots:
            yield from _overdone(kind(root, die), name, reached, missing, extra, len(plots) // 2)
    if not owned:
        yield kind(next(iter(plots)), die), None, False


def _overdone(
    action: Water | Harvest, name: str, reached: set[str], missing: set[str], extra: set[str], most: int
) -> Iterator[Attempt]:
    """What went on where the chain stops, or left out a tile as well; or a chain that is right but not its die."""
    beside = {PLOTS[index] for plot in reached for index in BESIDE[INDEX[plot]]}
    if not missing and not extra:
        yield action, None, False
    elif not missing and extra <= beside:
        yield action, f"{name}.stop", False
    elif extra and extra <= beside and len(missing) + len(extra) <= most:
        yield action, f"{name}.chain", False
