"""A dispute, at a space or about a piece: what may I do here, what would come of it, what may I not do, and why.

Draw an `Answer` as what lies there, then `may`, then `may_not`; nothing there is an event, asking changes nothing.
When a `Possible` is tapped draw its preview over the board: the steps in their order, an arrow from `origin` to `at`
with the value; the stops crossed out, with their reason; `after` as it would lie then; the gains beside it.  When a
`Refusal` is tapped show its clause (`clause.said`) and the example, on the board where it has a table.  `ways` are
lines over the board, the barred ones broken.  It never depends on what one side alone holds in hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from companion.account import Teller
from companion.change import Pieces
from companion.document import Fault
from companion.kit import Kit
from companion.referee import expected_table
from companion.rules import (
    Action,
    Allowed,
    Event,
    Happened,
    Refused,
    Scored,
    State,
    Step,
    Stop,
    Unsettled,
    judge,
    objection,
)
from companion.ui.view.gains import Gain, gains_of
from companion.ui.view.putting_right import counted
from companion.ui.view.taps import Tap
from companion.ui.view.wording import piece_name, pieces_text, place_name, points_text, say

MEANS = ("die", "dice", "as", "spit_die", "guests", "draw")  # how an action is done, not what


@dataclass(frozen=True)
class Link:
    """A step of a chain: the chain came from `origin` (None: it begins here) to a piece of some value."""

    at: str
    origin: str | None
    piece: str
    value: int | None
    clause: str


@dataclass(frozen=True)
class Halt:
    """Where a chain stops, and why in a few words; `quiet` where that goes without saying."""

    at: str
    origin: str
    piece: str
    value: int | None
    why: str
    clause: str
    quiet: bool


@dataclass(frozen=True)
class Preview:
    """What would come of an action, as far as chance leaves it certain; `open` says what it leaves open."""

    steps: tuple[Link, ...]
    stops: tuple[Halt, ...]
    gains: tuple[Gain, ...]
    totals: str
    lines: tuple[str, ...]
    clauses: tuple[str, ...]
    after: Mapping[str, Pieces]
    open: tuple[str, ...]


@dataclass(frozen=True)
class Possible:
    """Something that may be done, and with which dice, or how many guests, it may be."""

    text: str
    means: tuple[str, ...]
    actions: tuple[Action, ...]
    preview: Preview


@dataclass(frozen=True)
class Refusal:
    """Something that may not be done, by which clause; or that cannot be judged, and what it would need."""

    text: str
    why: str
    clause: str
    judged: bool


@dataclass(frozen=True)
class Way:
    """A line from a colony to the space, in words; barred by a clause, or open."""

    text: str
    spaces: tuple[str, ...]
    barred: str | None


@dataclass(frozen=True)
class Answer:
    about: str
    lies: str
    headline: str
    may: tuple[Possible, ...]
    may_not: tuple[Refusal, ...]
    ways: tuple[Way, ...]


def ask(about: str, state: State, kit: Kit, teller: Teller) -> Answer:
    """What may be done at a space, by the kit's name or the game's, or with a kind of piece.  Raises Fault."""
    game = teller.game
    state = game.openly(state)
    places = {space.id: place for space in kit.spaces if (place := game.place(space)) is not None}
    known = {*places.values(), *(piece.name.partition("/")[0] for piece in kit.pieces)}
    place = places.get(about, about)
    if place not in known:
        raise Fault(say(teller, "no-space", text=repr(about)))
    legal, others = _sorted(place, state, teller)
    may = tuple(_possible(actions, state, kit, teller) for actions in _alike(legal, teller))
    may_not = tuple(_refusal(action, state, teller) for action in _nearest(legal, others, state, teller))
    ways = tuple(_ways(place, state, kit, teller))
    name = place_name(teller, about, kit) if place in places.values() else piece_name(teller, place)
    key = "here" if may else "nothing-here"
    return Answer(about, _lies(place, state, teller), say(teller, key, space=name), may, may_not, ways)


def askable(state: State, kit: Kit, teller: Teller) -> tuple[Tap[str], ...]:
    """The kinds of piece that can be asked about besides the spaces, as they lie in front of players or in a supply."""
    kinds = dict.fromkeys(piece.name.partition("/")[0] for piece in kit.pieces)
    found = [kind for kind in kinds if next(iter(teller.game.asked(state, kind)), None) is not None]
    return tuple(Tap(piece_name(teller, kind), kind) for kind in found)


def _lies(place: str, state: State, teller: Teller) -> str:
    """What lies on a place, and how many guests, or discs, where there are several."""
    pieces = pieces_text(teller, teller.game.expected(state).get(place, ()))
    count = counted(place, state, teller)
    return f"{pieces} ({count})" if count is not None and count > 1 else pieces


# What may be done


def _sorted(place: str, state: State, teller: Teller) -> tuple[list[Action], list[Action]]:
    """The actions that come to mind, each once: those that are allowed, and the others."""
    legal: list[Action] = []
    others: list[Action] = []
    for action in dict.fromkeys(teller.game.asked(state, place)):
        allowed = objection(teller.game.rules[type(action)], state, action) is None
        (legal if allowed else others).append(action)
    return legal, others


def _alike(legal: Sequence[Action], teller: Teller) -> Iterator[tuple[Action, ...]]:
    """Those that differ in their means alone, together."""

    def ends(action: Action) -> str:
        written = teller.game.write_action(action)
        return repr({key: value for key, value in written.items() if key not in MEANS})

    groups: dict[str, list[Action]] = {}
    for action in legal:
        groups.setdefault(ends(action), []).append(action)
    yield from map(tuple, groups.values())


def _possible(actions: tuple[Action, ...], state: State, kit: Kit, teller: Teller) -> Possible:
    means = tuple(dict.fromkeys(filter(None, (_means(action, teller) for action in actions))))
    return Possible(teller.action(state, actions[0]), means, actions, preview(actions[0], state, kit, teller))


def _means(action: Action, teller: Teller) -> str:
    """`4`, `2+3`, `2+3 → 2+4`; the number of guests."""
    written: Mapping[str, Any] = teller.game.write_action(action)
    if "guests" in written:
        return str(written["guests"])
    dice = written.get("dice") or [written[key] for key in ("die", "spit_die") if key in written]
    become = " → " + "+".join(map(str, written["as"])) if "as" in written else ""
    return "+".join(map(str, dice)) + become


def preview(action: Action, state: State, kit: Kit, teller: Teller) -> Preview:
    """What would come of an action that is allowed."""
    rulings, open_ = _outcomes(action, state, teller)
    first = rulings[0].events if rulings else ()
    certain = [event for event in first if all(event in other.events for other in rulings)]
    whole = Allowed(state, tuple(certain))
    tables = [expected_table(teller.game, ruling.state, kit) for ruling in rulings]
    now = expected_table(teller.game, state, kit)
    return Preview(
        steps=tuple(_links(certain, state, teller)),
        stops=tuple(_halts(certain, state, teller)),
        gains=tuple(gains_of(certain, teller)),
        totals=points_text(teller, [event for event in certain if isinstance(event, Scored)]),
        lines=tuple(teller.events(whole)),
        clauses=tuple(dict.fromkeys(id for event in certain for id in _clauses(event))),
        after={
            space: lies
            for space, lies in (tables[0] if tables else now).items()
            if lies != now[space] and all(table[space] == lies for table in tables)
        },
        open=open_,
    )


def _outcomes(action: Action, state: State, teller: Teller) -> tuple[list[Allowed], tuple[str, ...]]:
    """The rulings on all that an action may come to, and in words what is still open."""
    ruling = judge(teller.game, state, action)
    if not isinstance(ruling, Unsettled):
        return ([ruling] if isinstance(ruling, Allowed) else []), ()
    ways = (judge(teller.game, state, way) for way in teller.game.answers(state, action, ruling.missing[0]))
    return [way for way in ways if isinstance(way, Allowed)], tuple(map(teller.missing, ruling.missing))


def _clauses(event: Event) -> tuple[str, ...]:
    return event.clauses if isinstance(event, Happened | Scored) else (event.clause,)


def _links(events: Sequence[Event], state: State, teller: Teller) -> Iterator[Link]:
    for event in events:
        if isinstance(event, Step):
            yield Link(event.at, event.origin, _lies(event.at, state, teller), event.value, event.clause)


def _halts(events: Sequence[Event], state: State, teller: Teller) -> Iterator[Halt]:
    for event in events:
        if isinstance(event, Stop):
            lies, why = _lies(event.at, state, teller), teller.words["stops"][event.why]
            yield Halt(event.at, event.origin, lies, event.value, why, event.clause, event.why == "empty")


# What may not


def _nearest(legal: Sequence[Action], others: Sequence[Action], state: State, teller: Teller) -> Iterator[Action]:
    """Of each kind of which nothing is allowed the one that comes nearest, each clause once."""
    game, done = teller.game, {type(action) for action in legal}
    told: set[str] = set()
    by_kind = sorted(others, key=lambda action: list(game.rules).index(type(action)))
    for kind, group in groupby(by_kind, key=type):
        if kind in done:
            continue
        order = [*game.rules[kind].requires]
        found = {action: _ruling(action, state, teller) for action in group}
        nearest = max(found, key=lambda one: (isinstance(found[one], Unsettled), order.index(found[one].clause)))
        if (clause := found[nearest].clause) not in told:
            told.add(clause)
            yield nearest


def _ruling(action: Action, state: State, teller: Teller) -> Refused | Unsettled:
    ruling = objection(teller.game.rules[type(action)], state, action)
    assert ruling is not None, "only what is not allowed is asked why"
    return ruling


def _refusal(action: Action, state: State, teller: Teller) -> Refusal:
    ruling = _ruling(action, state, teller)
    return Refusal(teller.action(state, action), teller.refusal(ruling), ruling.clause, isinstance(ruling, Refused))


# How to get there


def _ways(place: str, state: State, kit: Kit, teller: Teller) -> Iterator[Way]:
    spaces = {teller.game.place(space): space.id for space in kit.spaces}
    for reach in teller.game.reach(state, place):
        key = "way-barred" if reach.clause else "way"
        barred = teller.clauses[reach.clause].title if reach.clause else ""
        text = str(teller.common["ask"][key]).format(origin=reach.origin, count=reach.new, clause=barred)
        line = tuple(spaces.get(at, at) for at in reach.spaces)
        yield Way(text, line, reach.clause)
