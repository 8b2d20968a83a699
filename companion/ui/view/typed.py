"""Actions and corrections as people type them: `water 2,3 5`, `2,3 = tomato seed, blue disc`, `score blue 12`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from companion.account import Teller
from companion.change import Pieces
from companion.document import Fault, Field
from companion.kit import Kit
from companion.rules import Action, State
from companion.session import Session
from companion.table import Correct, TakeTable
from companion.ui.view.putting_right import with_score, with_turn
from companion.ui.view.wording import piece_name, place_name, say

# What follows an action's word, in order; a star takes all that is left, a question mark may be left out.
SPELLED: Mapping[str, Mapping[str, str]] = {
    "garden-dice": {
        "roll": "dice*",
        "reroll": "with dice*",
        "set-die": "from to",
        "buy": "kind die",
        "place": "piece at dice*",
        "water": "at die",
        "harvest": "at die",
        "flip": "at die",
        "move": "from to die eat? spit_die?",
        "remove": "at dice*",
        "end-turn": "",
    },
    "garden-rush": {"place": "from to draw*", "mole": "from to draw*", "harvest": "cells*", "stuck": "ruling?"},
    "garden-guests": {"collect": "card?", "colony": "at guests?", "path": "spaces*", "pass": "card to"},
}
EXAMPLES = {
    "garden-dice": ("water 2,3 5", "2,3 = tomato/seed disc/blue"),
    "garden-rush": ("place 3 3,3", "pink-3,3 = tomato/double"),
    "garden-guests": ("colony 2,-2 2", "2,-2 = guest/gold"),
}


def read_action(text: str, state: State, teller: Teller) -> Action:
    """An action as it is typed, or as JSON.  Raises Fault."""
    if text.lstrip().startswith("{"):
        return _checked(_json(text), state, teller)
    game = teller.game.name
    verb, *words = text.split() or [""]
    spoken = {str(word): do for do, word in teller.common["do"].items()}
    do = spoken.get(verb.lower(), verb.lower())
    if do not in SPELLED[game]:
        raise Fault(say(teller, "spelled", text=repr(text), example=EXAMPLES[game][0]))
    written: dict[str, Any] = {"do": do}
    for key in SPELLED[game][do].split():
        if key.endswith("*"):
            if words:
                written[key[:-1]] = [_value(word, teller) for word in _parted(words)]
            words = []
        elif words:
            written[key.rstrip("?")] = _value(words.pop(0), teller)
    if words:
        raise Fault(say(teller, "spelled", text=repr(text), example=EXAMPLES[game][0]))
    return _checked(written, state, teller)


def _checked(written: Any, state: State, teller: Teller) -> Action:
    action = teller.game.read_action(Field(written), state)
    teller.game.check_action(state, action)
    return action


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Fault(f"no valid JSON: {error}") from None


def read_dice(text: str, teller: Teller) -> tuple[int, ...]:
    """`1 5 1 6` or `1516`.  Raises Fault."""
    found = "".join(text.replace(",", " ").split())
    if not found or set(found) - set("123456"):
        raise Fault(say(teller, "no-change", text=repr(text), example="1 5 1 6"))
    return tuple(int(value) for value in found)


def _parted(words: list[str]) -> list[str]:
    """`1516` among dice is four of them."""
    return list(words[0]) if len(words) == 1 and words[0].isdecimal() else words


def _value(word: str, teller: Teller) -> Any:
    """A number, or a word; a piece's name in the player's language is that piece."""
    if word.isdecimal():
        return int(word)
    names = teller.words["names"].items()
    return next((key for key, name in names if str(name).lower() == word.lower()), word)


# Corrections


def read_correction(text: str, session: Session, kit: Kit, teller: Teller) -> Correct | TakeTable:
    """What is typed to put something right.  Raises Fault.

    `SPACE = PIECES` (nothing: it is empty), `score NAME N`, `turn NAME`, and `N: ACTION` for an earlier action
    (nothing: it never happened).
    """
    number, colon, action = text.partition(":")
    if colon and number.strip().isdecimal():
        return _earlier(int(number), action, session, teller)
    space, equals, pieces = text.partition("=")
    if equals:
        return TakeTable(_laid(space.strip(), pieces, session.state, kit, teller))
    match text.split():
        case ["score", name, points] if points.isdecimal():
            return TakeTable(with_score(_named(name, teller), int(points), session.state, kit, teller))
        case ["turn", name]:
            return TakeTable(with_turn(_named(name, teller), session.state, kit, teller))
    raise Fault(say(teller, "no-change", text=repr(text), example=EXAMPLES[teller.game.name][1]))


def _earlier(number: int, text: str, session: Session, teller: Teller) -> Correct:
    if not 1 <= number <= len(session.entries):
        raise Fault(say(teller, "no-entry", text=number, count=len(session.entries)))
    met = session.states[number - 1]
    return Correct(number - 1, (read_action(text, met, teller),) if text.strip() else ())


def place_of(text: str, kit: Kit, teller: Teller) -> str:
    """The game's name of a space, by that name, by the kit's or in words.  Raises Fault."""
    for space in kit.spaces:
        place = teller.game.place(space)
        if place is not None and text.lower() in (place, space.id, place_name(teller, space.id, kit).lower()):
            return place
    raise Fault(say(teller, "no-space", text=repr(text)))


def _laid(space: str, text: str, state: State, kit: Kit, teller: Teller) -> State:
    known = {piece.name: piece.name for piece in kit.pieces}
    known |= {piece_name(teller, name).lower(): name for name in known}
    parts = [part.strip() for part in text.split(",")] if "," in text or text.strip().lower() in known else text.split()
    pieces: list[str] = []
    for part in filter(None, parts):
        if part.lower() not in known:
            raise Fault(say(teller, "no-piece", text=repr(part)))
        pieces.append(known[part.lower()])
    lying: dict[str, Pieces] = {place_of(space, kit, teller): tuple(pieces)}
    return teller.game.relaid(state, lying)


def _named(name: str, teller: Teller) -> str:
    return str(_value(name, teller))
