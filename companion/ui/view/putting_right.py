"""Positions put right: a score, whose turn it is, a die, what lies on a space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from companion.account import Teller
from companion.change import Pieces
from companion.document import Fault, Field
from companion.kit import Kit
from companion.rules import State
from companion.ui.view.wording import say

ON_TOP = ("disc", "marker", "gnome")  # pieces that lie on others, or on a score track


def with_score(side: str, points: int, state: State, kit: Kit, teller: Teller) -> State:
    """With other points for a player.  Raises Fault where nobody of that name has any."""
    position = teller.game.write_position(state)
    for entry in position.get("players") or ():
        if entry["colour"] == side and "score" in entry:
            players = [{**each, "score": points} if each is entry else each for each in position["players"]]
            return _read(teller, position | {"players": players}, kit)
    raise Fault(say(teller, "no-side", text=repr(side)))


def scores_of(state: State, teller: Teller) -> dict[str, int]:
    """The points that a marker shows, by player."""
    players = teller.game.write_position(state).get("players") or ()
    return {entry["colour"]: entry["score"] for entry in players if "score" in entry}


def with_turn(side: str, state: State, kit: Kit, teller: Teller) -> State:
    """As somebody's turn begins.  Raises Fault where nobody of that name plays."""
    position = teller.game.write_position(state)
    if side in [entry.get("colour") for entry in position.get("players") or ()]:
        return _read(teller, position | {"turn": {"player": side}}, kit)
    if side in [entry["team"] for entry in position.get("teams", ())]:
        turn = {"team": side, "player": position["next_player"][side]}
        return _read(teller, position | {"turn": turn}, kit)
    raise Fault(say(teller, "no-side", text=repr(side)))


def with_die(number: int, value: int, state: State, kit: Kit, teller: Teller) -> State:
    """With another value on one of the dice that are left, counted from 0."""
    position = teller.game.write_position(state)
    turn = dict(position["turn"])
    turn["dice"] = [value if place == number else die for place, die in enumerate(turn["dice"])]
    if turn["sun_die"] not in (None, *turn["dice"]):
        turn["sun_die"] = value  # it is this die that was set with the sun
    return _read(teller, position | {"turn": turn}, kit)


def counted(place: str, state: State, teller: Teller) -> int | None:
    """How many guests, or discs, are where only a person can count them."""
    lying, key = _countable(teller.game.write_position(state))
    count: int | None = lying.get(place, {}).get(key)
    return count


def with_count(place: str, count: int, state: State, kit: Kit, teller: Teller) -> State | None:
    """With so many of them there, more or fewer of them with their owner; None where that cannot be."""
    position = teller.game.write_position(state)
    lying, key = _countable(position)
    entry = lying[place]
    changed = {**lying, place: {**entry, key: count}}
    more = count - entry[key]
    if key == "guests":
        teams = [
            {**team, "guests": team["guests"] - more} if team["team"] == entry["team"] else team
            for team in position["teams"]
        ]
        position = {**position, "teams": teams, "spaces": changed}
    else:
        position = {**position, "board": changed}
    try:
        made = _read(teller, position, kit)
    except Fault:
        return None
    return made if count > 0 and not teller.game.faults(made) else None


def _countable(position: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    return (position["spaces"], "guests") if "spaces" in position else (position["board"], "discs")


def _read(teller: Teller, position: Mapping[str, Any], kit: Kit) -> State:
    return teller.game.read_position(Field(dict(position)), kit)


def may_lie(place: str, state: State, kit: Kit, teller: Teller) -> Iterator[tuple[Pieces, State]]:
    """All that may lie on a place, nothing first, each with the position in which it does."""
    kinds = [piece.name for piece in kit.pieces]
    below = [name for name in kinds if name.partition("/")[0] not in ON_TOP]
    above = [name for name in kinds if name not in below]
    for pieces in ((), *((name,) for name in below), *product(below, above)):
        position = teller.game.relaid(state, {place: pieces})
        if teller.game.expected(position).get(place, ()) == pieces and _stands(position, kit, teller):
            yield pieces, position


def _stands(position: State, kit: Kit, teller: Teller) -> bool:
    """Whether it is a position: all its pieces are the game's, and there are no more of them than there can be."""
    if teller.game.faults(position):
        return False
    try:
        _read(teller, teller.game.write_position(position), kit)
    except Fault:
        return False
    return True
