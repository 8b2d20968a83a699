"""Mistakes that players make with real pieces: what the rules refuse, and what it looks like on the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from companion.change import MOST_DOUBT, Change, Pieces, Sight
from companion.games.garden_dice import state as dice
from companion.games.garden_guests import state as guests
from companion.games.garden_rush import state as rush
from companion.games.garden_rush.board import CELLS, VEGGIES
from companion.rules import Action, Allowed, Game, Refused, State, follow, judge

MOST_TRIES = 12  # of each kind of action
Table = Mapping[str, Pieces]
# What may be illegal, the clause that it breaks if that is not its ruling, and the table then.
Attempts = Iterator[tuple[Action, str | None, Table]]


@dataclass(frozen=True)
class Mistake:
    action: Action
    clause: str  # that it breaks
    table: Table  # every place of the game that is not empty, as it lies then


def mistake(game: Game, state: State, lying: tuple[int, ...], random: Random) -> Mistake | None:
    """Something that the rules refuse and that can be seen: no legal way leads to such a table.

    `lying` are the dice on the table.  None where none was found.
    """
    if game.over(state) or game.name not in CAN_GO_WRONG:
        return None
    by_kind: dict[type, list[tuple[Action, str | None, Table]]] = {}
    for attempt in CAN_GO_WRONG[game.name](game, state):
        by_kind.setdefault(type(attempt[0]), []).append(attempt)
    for kind in random.sample(list(by_kind), len(by_kind)):
        for action, clause, table in random.sample(by_kind[kind], min(MOST_TRIES, len(by_kind[kind]))):
            if clause is None and isinstance(ruling := judge(game, state, action), Refused):
                clause = ruling.clause
            if clause is not None and not _may_be_legal(game, state, table, lying):
                return Mistake(action, clause, table)
    return None


def _may_be_legal(game: Game, state: State, table: Table, lying: tuple[int, ...]) -> bool:
    before, lay = game.expected(state), tuple(sorted(lying))
    seen = {place: Sight(table.get(place, ()), MOST_DOUBT) for place in {*before, *table}}
    change = Change(before, seen, dice=lay, lay=lay)
    return any(way.broken is None and not way.misfit for way in game.suggest(state, change))


def _as_if_allowed(game: Game, state: State, action: Action) -> Table | None:
    """The table after an action that is carried out although it may not be."""
    ruling = follow(game.rules[type(action)].then, state, action)
    return game.expected(ruling.state) if isinstance(ruling, Allowed) else None


def _of_garden_dice(game: Game, state: dice.State) -> Attempts:
    """A piece on a plot that its dice do not name, too low a die, a flip without a 6, a leap of a critter."""
    if not state.turn.rolled or not state.turn.dice:
        return
    best, mine = max(state.turn.dice), state.turn.player
    tries: list[Action] = []
    held = [*dict.fromkeys(state.acting.seeds), *(p for p in ("bird", "sundial", "rock") if _holds(state.acting, p))]
    empty = [plot for plot, tile in zip(dice.PLOTS, state.board, strict=True) if tile is None]
    if len(state.turn.dice) > 1:
        tries += [dice.Place(piece, plot, state.turn.dice[:2]) for piece in held for plot in empty]
    for plot, tile in zip(dice.PLOTS, state.board, strict=True):
        if tile is None:
            continue
        if tile.is_seed:
            tries.append(dice.Water(plot, best))
        elif tile.is_vegetable:
            tries.append(dice.Harvest(plot, best))
        elif tile.owner == mine:
            tries.append(dice.Flip(plot, best))
            tries += [dice.Move(plot, to, best) for to in empty if tile.piece in ("bird", "rabbit")]
    for action in tries:
        if (table := _as_if_allowed(game, state, action)) is not None:
            yield action, None, table


def _holds(player: dice.Player, special: str) -> bool:
    return {"bird": player.critter, "sundial": player.sundial, "rock": player.rock}[special]


def _of_garden_rush(game: Game, state: rush.State) -> Attempts:
    """A bed of no shape, a token with the wrong side up, a flip or a move that nobody has earned."""
    before, own = game.expected(state), state.own
    yield from _wrong_side_up(game, state)
    planted = [cell for cell, piece in enumerate(own.garden) if rush.veggie_of(piece)]
    for one in planted:
        piece = str(own.garden[one])
        yield rush.Flip(own.colour, one), None, {**before, _place(own, one): (rush.turned_over(piece),)}
        for other in planted:
            if other > one and rush.veggie_of(own.garden[other]) == rush.veggie_of(piece):
                bed = {_place(own, cell): _reaped(str(own.garden[cell])) for cell in (one, other)}
                yield rush.Harvest((one, other)), None, {**before, **bed}
        for to in range(len(CELLS)):
            if own.garden[to] is None:
                yield rush.Move(one, to), None, {**before, _place(own, one): (), _place(own, to): (piece,)}


def _wrong_side_up(game: Game, state: rush.State) -> Attempts:
    """A token of the hedge placed, and the hedge resupplied, all as it should be but for the token's side."""
    drawn = rush.TOKENS[max(range(len(state.sack)), key=lambda token: state.sack[token])]
    for source, token in enumerate(state.hedge, 1):
        for to in range(len(CELLS)):
            action = rush.Place(source, to, draw=(drawn,))
            if token in VEGGIES and isinstance(ruling := judge(game, state, action), Allowed):
                table, place = game.expected(ruling.state), _place(state.own, to)
                yield action, "place.column", {**table, place: (rush.turned_over(table[place][0]),)}


def _place(player: rush.Player, cell: int) -> str:
    return f"{player.colour}-{CELLS[cell]}"


def _reaped(piece: str) -> Pieces:
    return (rush.turned_over(piece),) if piece.endswith("/double") else ()


def _of_garden_guests(game: Game, state: guests.State) -> Attempts:
    """A guest on a flower or in another team's home, a stone where no path may lead."""
    before, team = game.expected(state), state.turn.team
    ends = state.colonies(team)[:2]
    for space in state.board.spaces if state.board else ():
        if state.at(space.id) is not None:
            continue
        if space.kind in ("flower", "home"):
            yield guests.BuildColony(space.id, guests=1), None, {**before, space.id: (f"guest/{team}",)}
        if space.kind in ("pedestal", "home") and len(ends) == 2:
            yield guests.LayPath((ends[0], space.id, ends[1])), None, {**before, space.id: (f"stone/{team}",)}


CAN_GO_WRONG: Mapping[str, Callable[[Game, Any], Attempts]] = {
    "garden-dice": _of_garden_dice,
    "garden-rush": _of_garden_rush,
    "garden-guests": _of_garden_guests,
}
