"""A dispute: what may I do here, may I do that, and why not?"""

from __future__ import annotations

from collections.abc import Iterator

from companion.account import Teller
from companion.document import Fault
from companion.kit import Kit
from companion.rules import Allowed, State, clauses_of, judge
from companion.ui.view.dispute import ask
from companion.ui.view.typed import place_of, read_action
from companion.ui.view.wording import place_name, say


def answer(question: str, state: State, kit: Kit, teller: Teller) -> tuple[str, ...]:
    """Of a space: what may be done there now.  Of an action: whether it may be, by which clause, and what it brings.

    Raises Fault where it is neither.
    """
    words = question.split()
    if question.strip().lower() in (place_name(teller, space.id, kit).lower() for space in kit.spaces):
        return tuple(_here(place_of(question.strip(), kit, teller), state, kit, teller))
    if len(words) == 1 and teller.common["do"].get(question.strip()) is None:
        try:
            return tuple(_here(place_of(words[0], kit, teller), state, kit, teller))
        except Fault:
            if any(sign in words[0] for sign in ",-0123456789"):
                raise
    return tuple(_whether(question, state, teller))


def _here(place: str, state: State, kit: Kit, teller: Teller) -> Iterator[str]:
    """What may be done at a place, with each die; where that is nothing, why not."""
    told = ask(place, state, kit, teller)
    yield told.headline
    for possible in told.may:
        yield from (teller.action(state, action) for action in possible.actions)
    if not told.may:
        yield from (f"{refusal.text} {refusal.why}" for refusal in told.may_not)
    yield from (way.text for way in told.ways)


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
