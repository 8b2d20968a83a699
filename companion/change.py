"""What changed on a table: the places as seen, held against what should lie there.

A place is named by the game, not by the kit: `1,6`, `pink-2,3`, an id of a map.  Costs are in nats: how much less
likely one thing is than another, as a logarithm; they add up.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

Pieces = tuple[str, ...]  # from the bottom up, as a camera from above can tell
Table = Mapping[str, Pieces]  # a place that is not named is empty

MOST_DOUBT = 12.0  # however sure the eye is, a hand may have lain there
UNSEEN = 0.7  # for each place that would have changed where nobody could see it,
OTHERWISE = 2.3  # and, for each where something else seems to be, of saying that nothing changed
ILLEGAL, UNFINISHED = 5.5, 4.0  # of a last action that breaks a clause, or of which a part is still to be done
LIKELY_WRONG = 6.0  # a reading that costs less to contradict may well be a misreading


@dataclass(frozen=True, slots=True)
class Sight:
    """What was read on a place, and what it costs to say that something else lies there.

    Some things cost their own, and of others so does the piece that lies lowest.
    """

    pieces: Pieces
    doubt: float
    others: Mapping[Pieces, float] = field(default_factory=dict)
    bases: Mapping[str, float] = field(default_factory=dict)

    def against(self, pieces: Pieces) -> float:
        """What it costs to say that so lies there."""
        if pieces == self.pieces:
            return 0.0
        return self.others.get(pieces, self.bases.get(pieces[0], self.doubt) if pieces else self.doubt)


@dataclass(frozen=True)
class Change:
    """A table as seen, and what lay there before."""

    before: Table
    seen: Mapping[str, Sight]
    unsure: frozenset[str] = frozenset()
    dice: tuple[int, ...] = ()  # that show their value, ascending
    lay: tuple[int, ...] | None = None  # the dice that lay there before; None where nobody knows
    seeming: tuple[int, ...] = ()  # what each die in doubt seems to show; it may as well be another value
    guessed: frozenset[str] = frozenset()  # places of which nothing was claimed; what was seen is only likely
    otherwise: frozenset[str] = frozenset()  # places where something else seems to be than before
    markers: Mapping[str, int] = field(default_factory=dict)  # the score that each marker shows, where it is seen
    laps: int = 0  # spaces of the score track: past the last a marker goes on from the first

    @cached_property
    def doubted(self) -> frozenset[str]:
        """Places that were read, but where something else may well lie."""
        return frozenset(place for place, sight in self.seen.items() if sight.doubt < LIKELY_WRONG)

    @cached_property
    def vague(self) -> frozenset[str]:
        """Places of which nobody can be sure."""
        return self.unsure | self.doubted

    def misfit(self, table: Table) -> float:
        """What it costs to say that the table lies so."""
        cost = 0.0
        for place, sight in self.seen.items():
            cost += sight.against(table.get(place, ()))
        for place in self.unsure:
            if table.get(place, ()) != self.before.get(place, ()):
                cost += UNSEEN
            elif place in self.otherwise:
                cost += OTHERWISE
        return cost

    def gained(self, marker: str, score: int) -> int:
        """How many points more than a score the marker shows; 0 where it is not seen."""
        return (self.markers[marker] - score) % self.laps if marker in self.markers else 0

    def differing(self, table: Table) -> dict[str, Pieces]:
        """The places where something else was read, with what."""
        return {place: sight.pieces for place, sight in self.seen.items() if table.get(place, ()) != sight.pieces}

    def doubtful(self, place: str) -> bool:
        """Whether what was read there may well be something else."""
        return place in self.doubted or place not in self.seen


@dataclass(frozen=True)
class Suggestion:
    """Legal actions that would look like the change, and perhaps something after them that is not legal.

    `broken` is the clause that this breaks, and `attempt` what it looks like, where it looks like an action at all.
    With `unfinished` the attempt is legal but not all of it has been done, and `broken` is what it would break if it
    were left so.
    """

    actions: tuple[Any, ...]
    price: float  # how much less likely than nothing, before anything is seen
    misfit: float  # to what was seen
    broken: str | None = None
    attempt: Any = None
    unfinished: bool = False
    guessed: bool = False  # a part of it was not seen and might be another: it never stands alone


@dataclass(frozen=True)
class Node:
    """A position that legal actions lead to, and how well it looks like what was seen."""

    actions: tuple[Any, ...]
    state: Any
    table: Table
    price: float
    misfit: float

    @property
    def cost(self) -> float:
        return self.price + self.misfit


Step = tuple[tuple[Any, ...], Any, float]  # actions, the state after them, their price


@dataclass
class Search:
    """Best first from the position before: what was done is found by what it would have changed.

    `steps` of a node and what still differs there gives those actions alone that could be a part of the answer.
    """

    change: Change
    shows: Callable[[Any], Table]
    steps: Callable[[Node, Mapping[str, Pieces]], Iterable[Step]]
    key: Callable[[Any], Hashable]  # alike for positions that differ in nothing that matters
    most: int = 400  # nodes that are looked at
    margin: float = 4.0  # of cost above the best: what is less likely is not followed
    least: float = 0.0  # price of a step: what cannot be made good within the margin is not followed either
    harm: float = 7.0  # of misfit: a step that makes so much worse is not taken
    hope: Callable[[Node], float] = lambda node: node.misfit  # what will be left of it, where more is to follow
    nodes: list[Node] = field(default_factory=list)
    patience: int = 30  # nodes that are looked at after one that fits exactly
    given_up: bool = False  # there may be more: what is not found is not told from what cannot be

    def node(self, actions: tuple[Any, ...], state: Any, price: float) -> Node:
        table = self.shows(state)
        return Node(actions, state, table, price, self.change.misfit(table))

    def run(self, start: Any) -> list[Node]:
        """All nodes met, the likeliest first."""
        first = self.node((), start, 0.0)
        order = count()
        waiting = [(first.cost, next(order), first)]
        cheapest: dict[Hashable, float] = {self.key(start): 0.0}
        best, exact_at = first.cost, self.most
        while waiting and len(self.nodes) < min(self.most, exact_at + self.patience):
            _, _, node = heapq.heappop(waiting)
            if node.price + (self.least if node.misfit >= LIKELY_WRONG else 0.0) > best + self.margin:
                continue
            self.nodes.append(node)
            best = min(best, node.cost)
            if not node.misfit:
                exact_at = min(exact_at, len(self.nodes))
            for actions, state, price in self.steps(node, self.change.differing(node.table)):
                key, total = self.key(state), node.price + price
                if total > best + self.margin or cheapest.get(key, total + 1) <= total:
                    continue
                cheapest[key] = total
                following = self.node(node.actions + actions, state, total)
                if self.hope(following) > self.hope(node) + self.harm:
                    continue
                heapq.heappush(waiting, (following.price + self.hope(following), next(order), following))
        self.given_up = bool(waiting) and len(self.nodes) >= self.most
        return sorted(self.nodes, key=lambda node: node.cost)
