"""The scores of a game: turn by turn, by what they are for, as a chart, and how the game ended.

Draw `series` as a line for each side over the turns, from the start's points on, and each turn of `turns` as a row with
who gained what for what.  `sources` is a table with a column for each side; its last row is the sum of those above.
Once the game is over `ending` is told one step after the other, each with the points so far; the last step names who
has won.  `result` is the text of a QR code that any telephone shows, `record` of one that holds the whole game, where
it fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from companion.account import Teller, sides, standing
from companion.export.code import as_code
from companion.export.plies import Ply, plies
from companion.export.summary import title
from companion.rules import Allowed, Happened, State, judge
from companion.session import Session, TableTaken, stretches, write_record
from companion.ui.view.gains import Gain, gains_of
from companion.ui.view.taps import Tap
from companion.ui.view.wording import initial

FORMS = ("json", "csv", "png")  # as `companion export` writes them
NO_POINTS = ("total", "tie")  # items of a score sheet that add nothing to it


@dataclass(frozen=True)
class Write:
    """Write the game to a file, in one of `FORMS`."""

    form: str


@dataclass(frozen=True)
class Turn:
    """`name` is empty where the table was taken as it is; `totals` are the points after it, by `Scores.names`."""

    name: str
    lines: tuple[str, ...]
    gains: tuple[Gain, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True)
class Source:
    """What points were for, and how many of them each side got."""

    text: str
    points: tuple[int, ...]


@dataclass(frozen=True)
class Told:
    """A step of the ending: a heading, a line for each thing, and the points of each side after it."""

    heading: str
    lines: tuple[str, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True)
class Scores:
    """All that goes by side is in the order of `names`; in a game without points it is empty, but for the names."""

    names: tuple[str, ...]
    letters: tuple[str, ...]  # that stand for them where there is no room for names
    heading: str
    series: tuple[tuple[int, ...], ...]
    turns: tuple[Turn, ...]
    sources: tuple[Source, ...]
    ending: tuple[Told, ...]
    verdict: str
    taps: tuple[Tap[Write], ...]
    result: str
    record: str | None


def scores(session: Session, teller: Teller) -> Scores:
    game, state = session.game, session.state
    score, over = game.score(state), game.over(state)
    heading, *_, verdict = sheet = teller.score(score, over)
    turns = tuple(_turns(session, teller))
    first = tuple(standing(game, session.start).values())
    told = teller.common["scores"]
    parts = len(stretches(session))
    cut = ("json",) if parts > 1 else ()
    return Scores(
        names=tuple(map(teller.name, sides(score))),
        letters=tuple(initial(teller, side) for side in sides(score)),
        heading=heading,
        series=tuple(zip(first, *(turn.totals for turn in turns), strict=True)),
        turns=turns,
        sources=tuple(_sources(session, turns, teller)),
        ending=tuple(_ending(session, teller)) if over else (),
        verdict=verdict,
        taps=tuple(Tap(told[form], Write(form), told["in-parts"] if form in cut else "") for form in FORMS),
        result="\n".join([title(game.name), *sheet]),
        record=as_code(write_record(session)) if parts == 1 else None,
    )


def _turns(session: Session, teller: Teller) -> Iterator[Turn]:
    """One player's actions in a row are a turn."""
    rows = zip(plies(session, teller), session.entries, session.states[:-1], strict=True)
    for name, group in groupby(rows, key=lambda row: row[0].player):
        turn = list(group)
        gains = [gain for _, entry, met in turn for gain in _gains(session, entry, met, teller)]
        last: Ply = turn[-1][0]
        yield Turn(name, tuple(ply.action for ply, _, _ in turn), tuple(gains), tuple(last.totals.values()))


def _gains(session: Session, entry: Any, met: State, teller: Teller) -> Iterator[Gain]:
    if isinstance(entry, TableTaken):
        before, after = standing(session.game, met), standing(session.game, entry.position)
        for side, total in after.items():
            if by := total - before.get(side, 0):
                yield Gain(teller.name(side), by, teller.common["scores"]["put-right"], "")
        return
    ruling = judge(session.game, met, entry)
    yield from gains_of(ruling.events if isinstance(ruling, Allowed) else (), teller)


def _sources(session: Session, turns: Sequence[Turn], teller: Teller) -> Iterator[Source]:
    """A row for the points at the start, one for each source, and the sum."""
    first = standing(session.game, session.start)
    names = [teller.name(side) for side in first]
    if not names:
        return
    if any(first.values()):
        yield Source(teller.common["scores"]["at-start"], tuple(first.values()))
    table: dict[str, dict[str, int]] = {}
    for gain in (gain for turn in turns for gain in turn.gains):
        row = table.setdefault(gain.source, {})
        row[gain.name] = row.get(gain.name, 0) + gain.points
    for text, row in table.items():
        yield Source(text, tuple(row.get(name, 0) for name in names))
    yield Source(teller.common["scores"]["sum"], tuple(standing(session.game, session.state).values()))


# The ending


def _ending(session: Session, teller: Teller) -> Iterator[Told]:
    """How the game came to its end, the track, each kind of bonus, what breaks a tie, and who has won."""
    game, told = session.game, teller.common["scores"]
    score = game.score(session.state)
    entries = sides(score)
    if how := tuple(_how_it_ended(session, teller)):
        yield Told(told["the-end"], how, tuple(standing(game, session.state).values()))
    totals = dict.fromkeys(entries, 0)
    for item, label in teller.words["score"].items():
        values = {side: entry[item] for side, entry in entries.items() if item in entry}
        if (
            item in NO_POINTS
            or not values
            or any(isinstance(value, bool) or value is None for value in values.values())
        ):
            continue
        totals = {side: total + values[side] for side, total in totals.items()}
        if lines := tuple(_items(session, item, values, teller)):
            yield Told(label, lines, tuple(totals.values()))
    final = tuple(entry["total"] for entry in entries.values() if "total" in entry)
    if tie := _tie(score, entries, teller):
        yield Told(told["tie"], tie, final)
    _, *sheet, verdict = teller.score(score, True)
    yield Told(verdict, tuple(line.strip() for line in sheet), final)


def _how_it_ended(session: Session, teller: Teller) -> Iterator[str]:
    """What the last action brought about, by the clauses of the end."""
    if not session.entries or isinstance(session.entries[-1], TableTaken):
        return
    ruling = judge(session.game, session.states[-2], session.entries[-1])
    for event in ruling.events if isinstance(ruling, Allowed) else ():
        if isinstance(event, Happened) and event.clauses[0].startswith("end."):
            yield from teller.events(Allowed(session.state, (event,)))


def _items(session: Session, item: str, values: Mapping[str, int], teller: Teller) -> Iterator[str]:
    """A line for each bonus of a kind; where they are not told one by one, for each side that gets any."""
    bonuses = [bonus for bonus in session.game.bonuses(session.state) if bonus.item == item]
    for bonus in bonuses:
        facts = {"count": len(bonus.pieces), "piece": bonus.pieces[0] if bonus.pieces else ""}
        what = teller.sentence.vformat(teller.words["bonuses"][item], (), facts)
        yield f"{teller.name(bonus.player)} {bonus.points:+d}: {what}"
    if not bonuses:
        yield from (f"{teller.name(side)} {points:+d}" for side, points in values.items() if points)


def _tie(score: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]], teller: Teller) -> tuple[str, ...]:
    """What each of those with equally many points has to break the tie; nothing where it is not broken."""
    totals = {side: entry["total"] for side, entry in entries.items() if "tie" in entry}
    first = [side for side, total in totals.items() if total == max(totals.values())]
    if len(first) < 2 or sorted(first) == sorted(score["winners"]):
        return ()
    label = teller.words["score"]["tie"]
    return tuple(f"{teller.name(side)}: {label} {entries[side]['tie']}" for side in first)
