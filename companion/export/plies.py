"""A game as a table: a row for each action, what it scored and where everybody stands then."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from companion.account import Teller, standing
from companion.rules import Allowed, Scored, clauses_of, judge
from companion.session import Session, TableTaken


@dataclass(frozen=True)
class Ply:
    """One entry of a game, told; without a player where the table was taken as it is."""

    number: int
    player: str
    action: str
    clauses: tuple[str, ...]
    points: Mapping[str, int]  # what each player got, who got any
    totals: Mapping[str, int]  # where each player stands after it; nobody in a game without points


def plies(session: Session, teller: Teller) -> Iterator[Ply]:
    for number, (entry, met, after) in enumerate(
        zip(session.entries, session.states[:-1], session.states[1:], strict=True), 1
    ):
        totals = standing(session.game, after)
        if isinstance(entry, TableTaken):
            yield Ply(number, "", teller.common_words("table-taken"), (), {}, totals)
            continue
        ruling = judge(session.game, met, entry)
        points: dict[str, int] = {}
        for event in ruling.events if isinstance(ruling, Allowed) else ():
            if isinstance(event, Scored):
                points[event.player] = points.get(event.player, 0) + event.points
        told = teller.action(met, entry)
        yield Ply(number, teller.acting(met, entry), told, tuple(clauses_of(ruling)), points, totals)


def as_csv(session: Session, teller: Teller) -> str:
    """The table as comma-separated values, its first line the headings."""
    players = list(standing(session.game, session.start))
    headings = [teller.common["export"][key] for key in ("ply", "player", "action", "clauses")]
    for key in ("points", "total"):
        headings += [teller.common["export"][key].format(name=teller.name(player)) for player in players]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(headings)
    for ply in plies(session, teller):
        row = [ply.number, ply.player, ply.action, " ".join(ply.clauses)]
        points = [ply.points.get(player, "" if not ply.player else 0) for player in players]
        rows.writerow([*row, *points, *(ply.totals[player] for player in players)])
    return text.getvalue()
