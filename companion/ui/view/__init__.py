"""What a screen shows of a game, whatever the screen: `present` makes every decision, and draws nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from companion.account import Teller
from companion.change import Pieces
from companion.kit import TRACK, Kit
from companion.referee import expected_table
from companion.rules import Allowed, State
from companion.session import Impossible, Session, TableTaken
from companion.table import Shown
from companion.ui.view.news import news_of
from companion.ui.view.shapes import CALM, UNSURE, Choice, News, Side, View
from companion.ui.view.sides import letters_of, sides_of
from companion.ui.view.wording import kind_of, marker_text, may_be_done, say

__all__ = ["Choice", "News", "Side", "View", "present"]


def present(shown: Shown, kit: Kit, teller: Teller) -> View:
    """What a screen shows of a table."""
    session, state, game = shown.session, shown.session.state, shown.session.game
    position = game.write_position(state)
    news = news_of(shown, kit, teller)
    table, marks, should = _lying(shown, kit, news.kind)
    over = game.over(state)
    return View(
        turn=say(teller, "over") if over else say(teller, "on-turn", name=_on_turn(teller, position["turn"])),
        sight=_sight(shown, teller),
        sight_state=shown.sighting.state if shown.sighting.picture or shown.sighting.error else "",
        dice=() if over else tuple(position["turn"].get("dice", ())),
        spent=() if over else tuple(position["turn"].get("spent", ())),
        may=() if over else _may(teller, state),
        sides=tuple(sides_of(session, teller)),
        last=_last(session, teller),
        news=news,
        notices=tuple(_notices(shown, kit, teller)),
        table=table,
        marks=marks,
        counts=_counts(position, kit),
        should=should,
        letters=letters_of(kit, teller),
        result=tuple(teller.score(game.score(state), over)) if over else (),
    )


@lru_cache(maxsize=4)
def _may(teller: Teller, state: State) -> tuple[str, ...]:
    if teller.game.needs_dice(state):
        return (say(teller, "to-roll"),)
    return may_be_done(teller, state) or (say(teller, "nothing-left"),)


def _on_turn(teller: Teller, turn: Mapping[str, Any]) -> str:
    if "team" in turn:
        return say(teller, "seat", name=teller.name(turn["team"]), seat=turn["player"] + 1)
    return teller.name(turn["player"])


def _sight(shown: Shown, teller: Teller) -> str:
    sighting = shown.sighting
    if not sighting.picture and not sighting.error:
        return say(teller, "no-picture")
    told = str(teller.common["follow"][sighting.state])
    if sighting.state == "lost":
        return str(teller.common["not-seen"].get(sighting.error) or f"{told}. {sighting.advice}")
    return f"{told}; {teller.common['follow']['light']}" if sighting.light else told


def _last(session: Session, teller: Teller) -> str:
    """The last step in a sentence; nothing where none was done."""
    if not session.entries:
        return ""
    last = session.entries[-1]
    told = (
        teller.common_words("table-taken") if isinstance(last, TableTaken) else teller.action(session.states[-2], last)
    )
    return say(teller, "last", action=told)


def _notices(shown: Shown, kit: Kit, teller: Teller) -> Iterator[str]:
    """What else is amiss: markers, and why what was asked for cannot be."""
    for marker in getattr(shown.finding, "markers", ()):
        yield marker_text(teller, marker, kit)
    for ruling in shown.refused:
        if not isinstance(ruling, Allowed):
            yield teller.refusal(ruling)
    for fault in shown.faults:
        yield say(teller, "no-so", why=fault)
    for gone in shown.fallen:
        why = gone.why.text if isinstance(gone.why, Impossible) else teller.refusal(gone.why)
        yield say(teller, "fell", action=teller.action(gone.met, gone.action), why=why)
    if shown.waiting:
        actions = "; ".join(kind_of(teller, teller.game.write_action(action)["do"]) for action in shown.waiting)
        yield say(teller, "not-yet", actions=actions)


def _lying(shown: Shown, kit: Kit, kind: str) -> tuple[dict[str, Pieces], dict[str, str], dict[str, Pieces]]:
    """By space what is seen there, else what should lie there; what is to be said of a space; what should lie there."""
    state, game = shown.session.state, shown.session.game
    table = expected_table(game, state, kit)
    off_track = [space.id for space in kit.spaces if space.kind != TRACK and space.id in table]
    seen = shown.sighting.observation
    lying = {space: table[space] for space in off_track}
    marks: dict[str, str] = {}
    should: dict[str, Pieces] = {}
    if seen is None or kind == CALM:
        return lying, marks, should
    for space in off_track:
        reading = seen.spaces.get(space)
        if reading is None:
            marks[space] = UNSURE
        elif reading.pieces != table[space]:
            lying[space], marks[space], should[space] = reading.pieces, kind, table[space]
    return lying, marks, should


def _counts(position: Mapping[str, Any], kit: Kit) -> dict[str, int]:
    """How many guests are in a colony, how many discs under a critter: what a camera does not see."""
    lying = position.get("spaces") or position["board"]
    found = {at: entry.get("guests") or entry.get("discs") for at, entry in lying.items() if isinstance(entry, dict)}
    return {at: int(count) for at, count in found.items() if count}
