"""Something is put right: a space, a die, a score, whose turn it is, a missed action, an earlier one.

`corrections` is a sequence of menus that begins with `Start()`: what a tap carries is either the next step, to be
handed in again, or an event for the table, with which it is done.  Draw a menu as `choosing.Menu` says; whoever draws
keeps the steps to go back by.  Before an earlier action is changed, a menu says what will not stand any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.account import Teller
from companion.kit import Kit
from companion.session import Session
from companion.table import TakeTable, TellDice
from companion.ui.view import replaying
from companion.ui.view.choosing import Menu
from companion.ui.view.putting_right import counted, may_lie, scores_of, with_count, with_die, with_score, with_turn
from companion.ui.view.replaying import said
from companion.ui.view.steps import (
    AtSpace,
    Consider,
    Earlier,
    Instead,
    Missed,
    One,
    OneDie,
    Score,
    Start,
    Step,
    Thrown,
    To,
    Turn,
)
from companion.ui.view.taps import Tap
from companion.ui.view.wording import piece_name, pieces_text, place_name

MORE_OR_LESS = (-10, -5, -1, 1, 5, 10)
VALUES = range(1, 7)


def corrections(step: Step, session: Session, kit: Kit, teller: Teller) -> Menu[To]:
    """The menu of a step."""
    match step:
        case Start():
            return Menu(said("what", teller), (), tuple(_start(session, teller)))
        case AtSpace():
            return _space(step, session, kit, teller)
        case Thrown():
            return _thrown(step, session, kit, teller)
        case OneDie():
            return _one_die(step, session, kit, teller)
        case Score():
            return _score(step, session, kit, teller)
        case Turn():
            return Menu(said("whose-turn", teller), (), tuple(_turns(session, kit, teller)))
        case Missed() | Earlier() | One() | Instead() | Consider():
            return replaying.menu(step, session, kit, teller)


def _start(session: Session, teller: Teller) -> Iterator[Tap[To]]:
    """Once the game is over there are no dice and no turn to put right, only what was."""
    game, state = teller.game, session.state
    goes_on = not game.over(state)
    yield Tap(said("space", teller), AtSpace())
    if goes_on and game.needs_dice(state):
        yield Tap(said("dice", teller), Thrown(None))
    elif goes_on and game.dice_left(state):
        thrown = replaying.last_throw(session)
        yield Tap(said("dice", teller), OneDie() if thrown is None else Thrown(thrown))
    if scores_of(state, teller):
        yield Tap(said("score", teller), Score())
    if goes_on:
        yield Tap(said("turn", teller), Turn())
    if goes_on or session.entries:
        yield Tap(said("missed", teller), Missed())
    if session.entries:
        yield Tap(said("earlier", teller), Earlier())


# What lies somewhere


def _space(step: AtSpace, session: Session, kit: Kit, teller: Teller) -> Menu[To]:
    """Which space; what lies lowest on it; and what on that, where it may be several things."""
    places = {space.id: place for space in kit.spaces if (place := teller.game.place(space)) is not None}
    if step.space is None:
        spaces: dict[str, To] = {space: AtSpace(space) for space in places}
        named = tuple(Tap(place_name(teller, space, kit), to) for space, to in spaces.items())
        return Menu(said("which-space", teller), (), named, spaces)
    place, state = places[step.space], session.state
    now = teller.game.expected(state).get(place, ())
    found = [way for way in may_lie(place, state, kit, teller) if step.below in (None, *way[0][:1])]
    groups: dict[str, list[Tap[To]]] = {}
    for pieces, position in found:
        tap = Tap[To](pieces_text(teller, pieces), TakeTable(position), chosen=pieces == now)
        groups.setdefault(pieces[0] if pieces else "", []).append(tap)
    taps: list[Tap[To]] = []
    for below, ways in groups.items():
        several = len(ways) > 1 and step.below is None
        more = Tap[To](piece_name(teller, below), replace(step, below=below), chosen=now[:1] == (below,))
        taps += [more] if several else ways
    if step.below is None:
        taps = [*_counts(place, session, kit, teller), *taps]
    title = said("what-lies", teller, space=place_name(teller, step.space, kit))
    return Menu(title, (pieces_text(teller, now),), tuple(taps))


def _counts(place: str, session: Session, kit: Kit, teller: Teller) -> Iterator[Tap[To]]:
    """One more, or fewer, of what no camera counts: guests in a colony, discs on an animal."""
    now = counted(place, session.state, teller)
    for count in (now - 1, now + 1) if now is not None else ():
        position = with_count(place, count, session.state, kit, teller)
        if position is not None:
            yield Tap(said("count", teller, count=count), TakeTable(position))


# Dice, scores, the turn


def _thrown(step: Thrown, session: Session, kit: Kit, teller: Teller) -> Menu[To]:
    """One die after the other."""
    taps: list[Tap[To]] = []
    for value in VALUES:
        dice = (*step.dice, value)
        to: To = replace(step, dice=dice)
        if kit.dice is not None and len(dice) == kit.dice.count:
            to = TellDice(dice) if step.at is None else replaying.thrown_otherwise(step.at, dice, session)
        taps.append(Tap(str(value), to))
    return Menu(said("thrown", teller), (", ".join(map(str, step.dice)),) if step.dice else (), tuple(taps))


def _one_die(step: OneDie, session: Session, kit: Kit, teller: Teller) -> Menu[To]:
    """Of a throw that is no entry of the game."""
    dice = teller.game.dice_left(session.state)
    if step.number is None:
        return Menu(said("which-die", teller), (), tuple(Tap(str(die), OneDie(n)) for n, die in enumerate(dice)))
    positions = [(value, with_die(step.number, value, session.state, kit, teller)) for value in VALUES]
    taps = (
        Tap[To](str(value), TakeTable(position), chosen=value == dice[step.number]) for value, position in positions
    )
    return Menu(said("shows", teller), (), tuple(taps))


def _score(step: Score, session: Session, kit: Kit, teller: Teller) -> Menu[To]:
    """Whose; then more or less, until it is right."""
    now = scores_of(session.state, teller)
    if step.side is None:
        taps = (Tap[To](f"{teller.name(side)} {points}", Score(side, points)) for side, points in now.items())
        return Menu(said("whose-score", teller), (), tuple(taps))
    others = (
        Tap[To](f"{by:+d}", replace(step, points=step.points + by)) for by in MORE_OR_LESS if step.points + by >= 0
    )
    position = with_score(step.side, step.points, session.state, kit, teller)
    done = Tap[To](said("set", teller, points=step.points), TakeTable(position))
    allowed = () if teller.game.faults(position) or step.points == now[step.side] else (done,)
    return Menu(f"{teller.name(step.side)}: {step.points}", (), (*others, *allowed))


def _turns(session: Session, kit: Kit, teller: Teller) -> Iterator[Tap[To]]:
    game = teller.game
    turn = game.write_position(session.state)["turn"]
    entries = game.write_position(session.state)
    for entry in entries.get("players") or entries["teams"]:
        side = entry.get("colour") or entry["team"]
        position = with_turn(side, session.state, kit, teller)
        if not game.faults(position):
            on_turn = side == (turn.get("team") or turn["player"])
            yield Tap(teller.name(side), TakeTable(position), chosen=on_turn)
