"""Points in words: who got how many, for what, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from companion.account import Teller
from companion.rules import Event, Scored


@dataclass(frozen=True)
class Gain:
    """What somebody got: points, for what, and where there is one the place."""

    name: str
    points: int
    source: str
    at: str


def gains_of(events: Iterable[Event], teller: Teller) -> Iterator[Gain]:
    for event in events:
        if isinstance(event, Scored):
            yield Gain(teller.name(event.player), event.points, source_of(event, teller), event.at or "")


def source_of(event: Scored, teller: Teller) -> str:
    """What points are for: the last of their clauses is the one that tells most."""
    clause = event.clauses[-1]
    return str(teller.words.get("reasons", {}).get(clause) or teller.clauses[clause].title)
