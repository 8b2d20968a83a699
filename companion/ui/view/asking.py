"""A dispute: what may I do here, may I do that, and why not?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from companion.account import Teller
from companion.document import Fault, Field
from companion.kit import Kit
from companion.rules import Allowed, State, clauses_of, judge
from companion.ui.view.typed import place_of, read_action
from companion.ui.view.wording import say


def answer(question: str, state: State, kit: Kit, teller: Teller) -> tuple[str, ...]:
    """Of a space: what may be done there now.  Of an action: whether it may be, by which clause, and what it brings.

    Raises Fault where it is neither.
    """
    words = question.split()
    if len(words) == 1 and teller.common["do"].get(question.strip()) is None:
        try:
            return tuple(_here(place_of(words[0], kit, teller), state, teller))
        except Fault:
            if any(sign in words[0] for sign in ",-0123456789"):
                raise
    return tuple(_whether(question, state, teller))


def _here(place: str, state: State, teller: Teller) -> Iterator[str]:
    """Every legal action that has to do with a place."""
    legal = teller.game.legal(state)
    own = place.partition("-")[2] if "players" in teller.game.write_position(state) else place
    found = [written for written in legal["actions"] if {place, own} & set(_places(written))]
    paths = [path for path in legal.get("paths", ()) if place in path["ends"]]
    if not found and not paths:
        yield say(teller, "nothing-here", space=place)
        return
    yield say(teller, "here", space=place)
    for written in found:
        yield teller.action(state, teller.game.read_action(Field(written), state))
    yield from teller.paths(paths)


def _places(written: Mapping[str, Any]) -> Iterator[str]:
    for key in ("at", "to", "from", "cells"):
        match written.get(key):
            case str(place):
                yield place
            case int(column):
                yield f"hedge-{column}"
            case [*places]:
                yield from places


def _whether(question: str, state: State, teller: Teller) -> Iterator[str]:
    action = read_action(question, state, teller)
    ruling = judge(teller.game, state, action)
    if not isinstance(ruling, Allowed):
        yield from teller.lines(state, action, ruling)
        return
    yield say(teller, "allowed", action=teller.action(state, action))
    yield from teller.events(ruling)
    for id in clauses_of(ruling):
        yield f"{id} · {teller.clauses[id].title}: {teller.clauses[id].text}"
