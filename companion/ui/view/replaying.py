"""Earlier actions put right: one that was missed, one that was another, one that never was; and what falls with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from companion.account import Teller
from companion.document import Field
from companion.kit import Kit
from companion.rules import Action, Allowed
from companion.session import Fallen, Impossible, Session, TableTaken
from companion.table import Correct, Tell
from companion.ui.view.choosing import Chooser, Menu
from companion.ui.view.steps import Consider, Earlier, Instead, Missed, One, To
from companion.ui.view.taps import Tap
from companion.ui.view.wording import say

A_PAGE = 8  # entries of the game
THROWS = ("roll", "reroll")


def menu(step: Missed | Earlier | One | Instead | Consider, session: Session, kit: Kit, teller: Teller) -> Menu[To]:
    match step:
        case Missed():
            return _missed(step, session, kit, teller)
        case Earlier(first):
            places = list(range(len(session.entries)))
            return Menu(said("which", teller), (), tuple(_paged(places, first, One, Earlier(), session, teller)))
        case One(at):
            never = Tap[To](said("never", teller), Consider(at, ()))
            otherwise = Tap[To](said("otherwise", teller), Instead(at))
            taken = isinstance(session.entries[at], TableTaken)
            return Menu(_entry(at, session, teller), (), (never,) if taken else (otherwise, never))
        case Instead(at, picked):
            instead = Chooser[To](
                session.states[at], kit, teller, lambda action: Consider(at, (action,)), lambda more: Instead(at, more)
            )
            return instead.menu(picked)
        case Consider():
            return _considered(step, session, teller)


def said(key: str, teller: Teller, **facts: object) -> str:
    return str(teller.common["correct"][key]).format(**facts)


def _missed(step: Missed, session: Session, kit: Kit, teller: Teller) -> Menu[To]:
    """Before which entry it was, then what: at the end it is told, elsewhere it takes an entry's place with it."""
    at, end = step.at, len(session.entries)
    if at is None:
        goes_on = step.first == 0 and not session.game.over(session.state)
        now = [Tap[To](said("now", teller), Missed(end))] if goes_on else []
        places = [number for number, entry in enumerate(session.entries) if not isinstance(entry, TableTaken)]
        taps = [*now, *_paged(places, step.first, Missed, Missed(), session, teller)]
        return Menu(said("before-which", teller), (), tuple(taps))

    def done(action: Action) -> To:
        return Tell((action,)) if at == end else Consider(at, (action, session.entries[at]))

    return Chooser[To](session.states[at], kit, teller, done, lambda more: Missed(at, more)).menu(step.picked)


def last_throw(session: Session) -> int | None:
    """The entry by which the dice of this turn were thrown, where it is one of the game."""
    for at in range(len(session.entries) - 1, -1, -1):
        entry = session.entries[at]
        if isinstance(entry, TableTaken):
            return None
        if session.game.write_action(entry)["do"] in THROWS:
            return at
    return None


def thrown_otherwise(at: int, dice: tuple[int, ...], session: Session) -> Consider:
    """The throw of an entry with other dice."""
    written = {**session.game.write_action(session.entries[at]), "dice": list(dice)}
    return Consider(at, (session.game.read_action(Field(written), session.states[at]),))


def _entry(at: int, session: Session, teller: Teller) -> str:
    entry = session.entries[at]
    taken = isinstance(entry, TableTaken)
    told = teller.common_words("table-taken") if taken else teller.action(session.states[at], entry)
    return f"{at + 1}. {told}"


def _paged(
    places: list[int], first: int, to: Callable[[int], To], page: Missed | Earlier, session: Session, teller: Teller
) -> Iterator[Tap[To]]:
    """A page of entries, the last ones first."""
    latest = places[::-1]
    for at in latest[first : first + A_PAGE]:
        yield Tap(_entry(at, session, teller), to(at))
    if first:
        yield Tap(said("later", teller), replace(page, first=max(0, first - A_PAGE)))
    if len(latest) > first + A_PAGE:
        yield Tap(said("still-earlier", teller), replace(page, first=first + A_PAGE))


def _considered(step: Consider, session: Session, teller: Teller) -> Menu[To]:
    """What would not stand any more; nothing to confirm where the actions themselves are not allowed."""
    correction = session.correct(step.at, step.actions)
    met = session.states[step.at]
    lines = [teller.action(met, step.actions[0])] if step.actions else [said("never-was", teller)]
    lines += [teller.refusal(ruling) for ruling in correction.rulings if not isinstance(ruling, Allowed)]
    if correction.rulings and not isinstance(correction.rulings[-1], Allowed):
        return Menu(_entry(step.at, session, teller), tuple(lines))
    lines += [_falls(gone, teller) for gone in correction.fallen] or [said("all-stands", teller)]
    confirm = Tap[To](say(teller, "confirm"), Correct(step.at, step.actions))
    return Menu(_entry(step.at, session, teller), tuple(lines), (confirm,))


def _falls(gone: Fallen, teller: Teller) -> str:
    why = gone.why.text if isinstance(gone.why, Impossible) else teller.refusal(gone.why)
    return say(teller, "fell", action=teller.action(gone.met, gone.action), why=why)
