"""What a finding comes to, in words, with what may be tapped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from companion.account import Teller
from companion.change import Pieces
from companion.kit import Kit
from companion.referee import (
    Asked,
    Explanation,
    Illegal,
    Proposed,
    Unchanged,
    Undone,
    Unexplained,
    Waiting,
)
from companion.rules import Action, Allowed, State, judge
from companion.session import Session
from companion.table import Confirm, Shown, TakeTable, Tell, met_by
from companion.ui.view.shapes import (
    ASKED,
    CALM,
    CHOOSE,
    CONFIRM,
    DICE,
    ILLEGAL,
    PROPOSED,
    TAKE,
    UNDONE,
    UNEXPLAINED,
    UNFINISHED,
    Choice,
    News,
)
from companion.ui.view.wording import capital, in_a_row, pieces_text, place_name, points_text, say, sentences

MOST_OTHERS = 3
MOST_OFFERS = 5
THROWS = ("roll", "reroll")


def news_of(shown: Shown, kit: Kit, teller: Teller) -> News:
    """What is to be said of the table as it lies still; nothing while it does not."""
    finding, session = shown.finding, shown.session
    if finding is None or (isinstance(finding, Illegal | Unexplained) and not shown.firm):
        return News(CALM, "")
    match finding:
        case Unchanged():
            return News(CALM, say(teller, "unchanged"))
        case Proposed():
            return _proposed(finding, session, teller)
        case Illegal():
            return _illegal(finding, session, kit, teller, _take(shown, kit, teller)[0])
        case Waiting(clause=clause, to_do=to_do):
            headline = say(teller, "unfinished-yet" if to_do else "unfinished")
            return News(UNFINISHED, headline, (*_lay(teller, to_do, kit), say(teller, "left-so", clause=clause)))
        case Unexplained(differing=differing):
            take, why_not = _take(shown, kit, teller)
            return News(UNEXPLAINED, say(teller, "unexplained"), (*_differing(teller, differing, kit), *why_not), take)
        case Undone(steps=steps):
            headline = say(teller, "undone") if steps == 1 else say(teller, "undone-more", count=steps)
            undo = Choice(CONFIRM, say(teller, "undo"), Confirm())
            return News(UNDONE, headline, (), (undo, *_others(teller, session, finding.alternatives)))
        case Asked():
            return _asked(finding, session, kit, teller)


def _proposed(finding: Proposed, session: Session, teller: Teller) -> News:
    best, met = finding.best, met_by(session, finding.best)
    key = "proposed-anew" if best.replaces_last else "proposed" if finding.clear else "proposed-likely"
    lines = [*_overlooked(session, best, teller), *sentences(teller, met, best.actions)]
    if points := points_text(teller, best.points):
        lines.append(say(teller, "points", points=points))
    short = len(lines)
    if best.clauses:
        lines.append(say(teller, "clauses", clauses=", ".join(best.clauses)))
    told = tuple(_told_otherwise(teller, finding, met))
    if best.assumed:
        known = teller.common["view"]
        lines.append(say(teller, "assumed", what=", ".join(known.get(f"of-{what}", what) for what in best.assumed)))
    offers: tuple[Choice, ...] = ()
    if finding.dice_left and not _is_throw(teller, best):
        lines.append(say(teller, "dice-left-over", dice=_dice(finding.dice_left)))
        offers = tuple(_offers(teller, best.state, finding.offers))
    confirm = Choice(CONFIRM, say(teller, "confirm"), Confirm())
    others = _others(teller, session, (*finding.alternatives, *finding.ways))
    headline = say(teller, key, percent=int(100 * best.probability))
    return News(PROPOSED, headline, tuple(lines), (confirm, *told, *others, *offers), short=short)


def _overlooked(session: Session, best: Explanation, teller: Teller) -> Iterator[str]:
    """What nobody saw in an earlier turn, without which this could not be."""
    if best.amends is not None:
        before = session.states[len(session.entries) - best.amends.back]
        for unseen in sentences(teller, before, best.amends.actions[:-1]):
            yield say(teller, "amended", what=unseen)


def _illegal(finding: Illegal, session: Session, kit: Kit, teller: Teller, take: tuple[Choice, ...]) -> News:
    clause = teller.clauses[finding.clause]
    lines = [*sentences(teller, met_by(session, finding.best), finding.best.actions)]
    short = len(lines)
    lines += [f"{clause.id} · {clause.title}: {clause.text}", say(teller, "put-back")]
    lines += _lay(teller, finding.put_back, kit)
    others = _others(teller, session, finding.alternatives)
    return News(ILLEGAL, say(teller, "illegal"), tuple(lines), (*others, *take), short=short)


def _asked(finding: Asked, session: Session, kit: Kit, teller: Teller) -> News:
    if finding.what == "dice":
        return News(ASKED, say(teller, "dice-asked"), tuple(_differing(teller, finding.differing, kit)), (), DICE)
    best = finding.best
    lines = tuple(sentences(teller, met_by(session, best), best.actions)) if best else ()
    confirm = [Choice(CONFIRM, say(teller, "confirm"), Confirm())] if best and best.actions else []
    offers = _offers(teller, best.state if best else session.state, finding.offers)
    headline = say(teller, "dice-left", dice=_dice(finding.dice_left))
    return News(ASKED, headline, lines, (*confirm, *offers), short=len(lines))


def _others(teller: Teller, session: Session, alternatives: Sequence[Explanation]) -> Iterator[Choice]:
    """The other explanations that may be chosen: the legal ones."""
    for number, other in enumerate(alternatives[:MOST_OTHERS], 1):
        if other.legal:
            yield Choice(
                CHOOSE, say(teller, "other", actions=in_a_row(teller, met_by(session, other), other)), Confirm(number)
            )


def _told_otherwise(teller: Teller, finding: Proposed, met: State) -> Iterator[Choice]:
    """What was supposed of an action, as it may have been instead: the number of guests, a card."""
    actions = finding.best.actions
    for number, (_, ways) in finding.open.items():
        before = _after(teller, met, actions[:number])
        for way in ways[1 : MOST_OFFERS + 1]:
            yield Choice(CHOOSE, teller.action(before, way), Tell((*actions[:number], way, *actions[number + 1 :])))


def _after(teller: Teller, state: State, actions: Sequence[Action]) -> State:
    for action in actions:
        ruling = judge(teller.game, state, action)
        assert isinstance(ruling, Allowed)
        state = ruling.state
    return state


def _is_throw(teller: Teller, explanation: Explanation) -> bool:
    """Whether dice were only just thrown: nobody has had the time to do anything with them."""
    return bool(explanation.actions) and teller.game.write_action(explanation.actions[-1])["do"] in THROWS


def _offers(teller: Teller, met: State, offers: Sequence[Action]) -> Iterator[Choice]:
    """What may have been done with dice that are left; where that is a lot, each thing with one die only."""
    if len(offers) > MOST_OFFERS:
        by_thing = {teller.game.write_action(action).get("kind"): action for action in reversed(offers)}
        offers = list(reversed(by_thing.values()))
    for action in offers[:MOST_OFFERS]:
        yield Choice(CHOOSE, teller.action(met, action), Tell((action,)))


def _take(shown: Shown, kit: Kit, teller: Teller) -> tuple[tuple[Choice, ...], tuple[str, ...]]:
    """The table as it is; where no position looks like that, why not."""
    seen = shown.sighting.observation
    game, state = shown.session.game, shown.session.state
    if seen is None:
        return (), ()
    expected = game.expected(state)
    places = {place: space.id for space in kit.spaces if (place := game.place(space)) is not None}
    lying = {
        place: seen.spaces[space].pieces
        for place, space in places.items()
        if space in seen.spaces and seen.spaces[space].pieces != expected.get(place, ())
    }
    position = game.relaid(state, lying)
    if not lying:
        return (), ()
    if faults := game.faults(position):
        return (), (say(teller, "no-take", why=faults[0]),)
    return (Choice(TAKE, say(teller, "take"), TakeTable(position)),), ()


def _lay(teller: Teller, table: Mapping[str, Pieces], kit: Kit) -> tuple[str, ...]:
    return tuple(
        say(teller, "lay", at=capital(place_name(teller, at, kit)), pieces=pieces_text(teller, pieces))
        for at, pieces in table.items()
    )


def _differing(teller: Teller, differing: Mapping[str, tuple[Pieces, Pieces]], kit: Kit) -> Iterator[str]:
    for at, (should, seen) in differing.items():
        at = capital(place_name(teller, at, kit))
        yield say(teller, "should-be", at=at, should=pieces_text(teller, should), seen=pieces_text(teller, seen))


def _dice(dice: Sequence[int]) -> str:
    return ", ".join(map(str, dice))
