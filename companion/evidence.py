"""What is known of a table besides the last read: what lay there, what was told, what may have been done since."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.change import Pieces
from companion.kit import TRACK, Kit
from companion.observation import Die, Observation, Reading, UnsureDie
from companion.referee import (
    Earlier,
    Explanation,
    Finding,
    Illegal,
    Proposed,
    Supposed,
    Unchanged,
    Undone,
    expected_table,
    reconcile,
)
from companion.rules import Action, Allowed, Game, State, judge
from companion.session import Session, TableTaken
from companion.vision.gather import one_die_px
from companion.vision.watch import Sighting

NOT_FOUND = "board-not-found"  # why a space is unsure of which nothing was seen at all
HELD = 0.99  # how sure it is that a space which looks as it did still holds what it held
MOST_EARLIER = 2  # explanations of the table before that one
SETTLED = 0.99  # how likely what was supposed must be for somebody to be accused of what comes after it
MOST_MISSING = 1  # dice of a roll of which nothing is seen at all, where it is weighed what they may show
CONTRADICTS = 0.01  # of an explanation after which what was told cannot be done
THROWN = 3  # dice that lie elsewhere, from which they were thrown anew whatever they show


@dataclass(frozen=True)
class Ground:
    """What each space held when it was last known to lie as the game says, and with which picture that was."""

    table: Mapping[str, Pieces]
    picture: Mapping[str, int] = field(default_factory=dict)
    dice: tuple[Die | UnsureDie, ...] | None = None  # that lay there; None where nobody knows

    def weighed(self, sighting: Sighting, track: Collection[str]) -> Observation:
        """What was seen, where spaces that look as they did hold what they held; score markers may go unnoticed.

        Of a space whose board is not found nobody knows how it looks.
        """
        seen, looked = sighting.observation, sighting.changed_at
        assert seen is not None
        held = {
            space: Reading(self.table[space], HELD)
            for space, reason in seen.unsure.items()
            if space not in track and reason != NOT_FOUND and 0 < looked.get(space, 0) <= self.picture.get(space, 0)
        }
        return replace(
            seen,
            spaces={**seen.spaces, **held},
            unsure={space: reason for space, reason in seen.unsure.items() if space not in held},
            guesses={space: guess for space, guess in seen.guesses.items() if space not in held},
        )

    def otherwise(self, sighting: Sighting) -> frozenset[str]:
        """The spaces where something else seems to be since."""
        since = sighting.otherwise_at
        return frozenset(space for space, picture in since.items() if picture > self.picture.get(space, 0))

    def lay(self, seen: Observation) -> tuple[int, ...] | None:
        """The dice that lay there, as far as they were told; none where they were thrown anew."""
        if self.dice is None or (self.dice and not any(isinstance(die, Die) for die in self.dice)):
            return None
        before, reach = self.dice, one_die_px(seen)
        now = [*(die.at_px for die in seen.dice), *(die.at_px for die in seen.unsure_dice)]
        elsewhere = sum(all(math.dist(at, old.at_px) > reach for old in before) for at in now)
        return () if elsewhere >= THROWN else tuple(die.value for die in before if isinstance(die, Die))

    def stands(self, seen: Observation, table: Mapping[str, Pieces], picture: int) -> Ground:
        """With a table that lies as it should, wherever it can be told; of the rest nothing more is known than before.

        `seen` is weighed.
        """
        readings = {**seen.guesses, **seen.spaces}
        told = {space for space, reading in readings.items() if reading.pieces == table.get(space)}
        return Ground(
            {space: table[space] if space in told else pieces for space, pieces in self.table.items()},
            {**self.picture, **dict.fromkeys(told, picture)},
            (*seen.dice, *seen.unsure_dice),
        )


class Evidence:
    """What speaks for what at a table, one sighting after the other."""

    def __init__(self, kit: Kit, game: Game, state: State) -> None:
        self._kit, self._game = kit, game
        self._track = frozenset(space.id for space in kit.of_kind(TRACK))
        self._ground = Ground(expected_table(game, state, kit))
        self._supposed: tuple[tuple[Explanation, Ground], ...] = ()  # what may have led to the table before,
        self._earlier: tuple[tuple[Explanation, Ground], ...] = ()  # and to the one before that
        self._thrown = False  # dice since what was confirmed last, of which not all were seen
        self.told_dice: tuple[int, ...] = ()

    def begin(self, state: State, sighting: Sighting) -> None:
        """At first sight what cannot be told lies as the position says by now."""
        if not self._ground.picture:
            now = expected_table(self._game, state, self._kit)
            self._ground = replace(self._ground, table=now, picture=dict.fromkeys(now, sighting.picture))

    def seen(self, sighting: Sighting) -> Observation:
        """The table as it was read last, with what is known besides."""
        return self._weighed(self._ground, sighting)

    def finding(self, session: Session, sighting: Sighting) -> Finding:
        """What the referee says of a settled table; nobody is accused for what is only likely.

        Where what is sure breaks a clause by itself, what is likely may tell what was done.
        """
        finding = self._reconciled(session, sighting, True)
        if isinstance(finding, Illegal) and finding.put_back.keys() & self.seen(sighting).guesses.keys():
            surely = self._reconciled(session, sighting, False)
            told_more = isinstance(surely, Illegal) and surely.put_back.keys() <= finding.put_back.keys()
            return finding if told_more else surely
        return finding

    def stands(self, state: State, sighting: Sighting, done: Sequence[Action] | None = None) -> None:
        """The game is in step with the table, after what was `done` or as it was."""
        anew = bool(sighting.observation and sighting.observation.dice) and self.thrown_anew(sighting)
        thrown = anew or self._thrown if done is None else anew and not any(map(self._game.throws, done))
        self._thrown = self._game.needs_dice(state) and thrown
        self._ground = self._ground_of(state, sighting)
        if self.seen(sighting).unsure_dice:  # they may lie there since the turn before, or be thrown
            self._ground = replace(self._ground, dice=None)
        self.forget()

    def thrown_anew(self, sighting: Sighting) -> bool:
        """Whether other dice lie there than when the game was in step with the table."""
        return self._ground.lay(self.seen(sighting)) == ()

    def suppose(self, possible: Sequence[Explanation], sighting: Sighting, told: Sequence[Action] = ()) -> None:
        """What was proposed and not confirmed, or rolled and not seen, may be what happened until now, with what was
        told after it."""
        followed = [_followed(self._game, explanation, told) for explanation in possible]
        whole = sum(explanation.probability for explanation in followed) or 1.0
        known = sum(explanation.probability for explanation in possible)
        weighed = [replace(one, probability=one.probability * known / whole) for one in followed]
        surely = [replace(one, settled=len(one.actions)) if one.probability >= SETTLED else one for one in weighed]
        self._earlier = self._supposed[:MOST_EARLIER]
        self._supposed = tuple((one, self._ground_of(one.state, sighting)) for one in surely)

    def supposes_a_throw(self) -> bool:
        """Whether what most likely led to the table before has a roll in it."""
        return bool(self._supposed) and any(map(self._game.throws, self._supposed[0][0].actions))

    def may_have_rolled(self, possible: Sequence[Explanation]) -> list[Explanation]:
        """Of a table on which nothing changed but dice that were thrown, and not all seen: what they may show."""
        known = sum(explanation.probability for explanation in possible)
        return [replace(one, probability=one.probability / known) for one in possible if self._thrown]

    def forget(self) -> None:
        """Nothing that was supposed holds any more."""
        self._supposed = self._earlier = ()

    def _ground_of(self, state: State, sighting: Sighting) -> Ground:
        """What is known if the table lies as a state says."""
        table = expected_table(self._game, state, self._kit)
        return self._ground.stands(self.seen(sighting), table, sighting.picture)

    def _weighed(self, ground: Ground, sighting: Sighting) -> Observation:
        seen = ground.weighed(sighting, self._track)
        if self._kit.dice is not None and len(seen.dice) == self._kit.dice.count:
            seen = replace(seen, unsure_dice=())  # there are no more
        if not self.told_dice:
            return seen
        return replace(seen, dice=tuple(Die(value, (0.0, 0.0), 1.0) for value in self.told_dice), unsure_dice=())

    def _reconciled(self, session: Session, sighting: Sighting, guesses: bool) -> Finding:
        """What the referee says; where it needs dice that are in doubt, with what they may show."""
        finding = self._held_against(session, sighting, guesses, dice=False)
        if isinstance(finding, Unchanged | Undone) or (isinstance(finding, Proposed) and finding.clear):
            return finding
        seen = self.seen(sighting)
        likely = sum(die.value is not None for die in seen.unsure_dice)
        if not likely or self._kit.dice is None or likely + len(seen.dice) < self._kit.dice.count - MOST_MISSING:
            return finding
        other = self._held_against(session, sighting, guesses, dice=True)
        shown = self._game.expected
        if not isinstance(other, Proposed) or shown(other.best.state) == shown(session.state):
            return finding  # a roll alone shows nothing that would speak for these dice
        return other

    def _held_against(self, session: Session, sighting: Sighting, guesses: bool, dice: bool) -> Finding:
        """What the referee says, with what is only likely on spaces or not, and with what dice in doubt may show."""

        def weighed(ground: Ground) -> Observation:
            seen = self._weighed(ground, sighting)
            seen = seen if dice else replace(seen, unsure_dice=())
            return seen if guesses else replace(seen, guesses={})

        supposed: list[Supposed] = []
        for explanation, ground in (*self._supposed, *self._earlier):
            lies, earlier = weighed(ground), len(supposed) >= len(self._supposed)
            supposed.append(Supposed(explanation, lies, ground.lay(lies), ground.otherwise(sighting), earlier))
        seen = weighed(self._ground)
        return reconcile(
            self._game,
            self._kit,
            session.state,
            seen,
            earlier_steps(session),
            () if self._thrown else self._ground.lay(seen),
            amend=True,
            otherwise=self._ground.otherwise(sighting),
            supposed=supposed,
        )


def unsure_since(sighting: Sighting, picture: int) -> int:
    """How many spaces look otherwise than at a picture, and nobody can tell how."""
    unsure = sighting.observation.unsure if sighting.observation else {}
    return sum(sighting.changed_at.get(space, 0) > picture for space in unsure)


def _followed(game: Game, explanation: Explanation, told: Sequence[Action]) -> Explanation:
    """The explanation with what was told and can be done after it, and what follows of itself; less likely where not
    all can be done."""
    further = list(told)
    for action in explanation.actions:  # each as often as it stands there
        if action in further:
            further.remove(action)
    while steps := (*game.implied(explanation.state), *further):
        ruling = judge(game, explanation.state, steps[0])
        if not isinstance(ruling, Allowed):
            return replace(explanation, probability=explanation.probability * CONTRADICTS)
        actions, rulings = (*explanation.actions, steps[0]), (*explanation.rulings, ruling)
        explanation = replace(explanation, actions=actions, rulings=rulings, state=ruling.state)
        further = list(steps[1:])
    return explanation


def earlier_steps(session: Session) -> tuple[Earlier, ...]:
    """The steps that were confirmed, the latest first, back to where the table was taken as it is or put right."""
    found = []
    for change in reversed(session.history.done):
        if change.out or any(isinstance(entry, TableTaken) for entry in change.put):
            break
        found.append(Earlier(session.states[change.at], change.put))
    return tuple(found)
