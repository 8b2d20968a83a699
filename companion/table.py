"""The shell around a running game: what is seen and what is tapped goes in, what is to be shown comes out.

No thread and no clock: whoever has them hands in one event after another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from companion.change import Pieces
from companion.kit import Kit
from companion.observation import Die, Observation, Reading
from companion.referee import (
    Asked,
    Earlier,
    Explanation,
    Finding,
    Illegal,
    Proposed,
    Unchanged,
    Undone,
    Unexplained,
    Waiting,
    expected_table,
    reconcile,
)
from companion.rules import Action, Allowed, Ruling, State, judge
from companion.session import Fallen, Session, TableTaken
from companion.store.log import Log
from companion.vision.gather import one_die_px
from companion.vision.watch import Sighting

HELD = 0.99  # how sure it is that a space which looks as it did still holds what it held
LIKELY_DIE = 0.98  # how sure it is that a die in doubt shows what it seems to, where what was done with it fits
MOST_UNSEEN = 1  # turns that left no trace among those of a proposal that may be confirmed without asking
TOLD = 0.8  # how sure a proposal must be to be taken for right because of what was told after it
PATIENCE = 30  # still pictures after which an action that is not finished counts as all that was done
CLEARED = 4  # spaces that were emptied, and
CLEARED_SHARE = 0.5  # of those taken, from which a table is being cleared
THROWN = 3  # dice that lie elsewhere, from which they were thrown anew whatever they show
TRACK = "track"


# What happens at a table


@dataclass(frozen=True)
class Seen:
    """The table after one more picture."""

    sighting: Sighting


@dataclass(frozen=True)
class Confirm:
    """What was proposed is so; `choice` counts the alternatives from 1."""

    choice: int = 0


@dataclass(frozen=True)
class Tell:
    """What nobody could see was done: purchases, cards."""

    actions: tuple[Action, ...]


@dataclass(frozen=True)
class TellDice:
    """What was rolled, where the dice cannot be read."""

    dice: tuple[int, ...]


@dataclass(frozen=True)
class Undo:
    pass


@dataclass(frozen=True)
class Redo:
    pass


@dataclass(frozen=True)
class Correct:
    """Other actions in place of entry `at`, counted from 0; none: it never happened."""

    at: int
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class TakeTable:
    """Go on from this position, whatever was done."""

    position: State


Event = Seen | Confirm | Tell | TellDice | Undo | Redo | Correct | TakeTable


# What is to be shown


@dataclass(frozen=True)
class Done:
    """A step that is safe on disk: its actions, and how they came about."""

    actions: tuple[Action, ...]
    met: State  # the position before it
    explanation: Explanation | None = None
    replaces_last: bool = False
    undone: int = 0  # steps taken back


@dataclass(frozen=True)
class Shown:
    """What a screen shows.  `finding` is of the table as it lies still; `firm` is set once more pictures of it would
    tell no more, or need not."""

    session: Session
    sighting: Sighting
    finding: Finding | None = None
    firm: bool = False
    stood: int = 0  # pictures since the finding came up
    done: tuple[Done, ...] = ()  # by this event
    refused: tuple[Ruling, ...] = ()  # why what was told or chosen cannot be
    faults: tuple[str, ...] = ()  # why a table cannot be taken so
    fallen: tuple[Fallen, ...] = ()  # what a correction brought down
    waiting: tuple[Action, ...] = ()  # told, but not possible yet


@dataclass(frozen=True)
class Ground:
    """What each space held when it was last known to lie as the game says, and with which picture that was."""

    table: Mapping[str, Pieces]
    picture: Mapping[str, int] = field(default_factory=dict)
    dice: tuple[Die, ...] | None = None  # that lay there; None where nobody knows


class Table:
    """A game that is being played on a table; `log` is where what is confirmed goes first."""

    def __init__(self, kit: Kit, log: Log) -> None:
        self.kit, self.log, self.game = kit, log, log.session.game
        self._track = frozenset(space.id for space in kit.of_kind(TRACK))
        self._ground = Ground(expected_table(self.game, log.session.state, kit))
        self._dice: tuple[int, ...] = ()  # told
        self._shown = Shown(log.session, Sighting(0, "moving"))

    @property
    def shown(self) -> Shown:
        return self._shown

    def step(self, event: Event) -> Shown:
        """What is to be shown after an event.  Raises NotKept where nothing can be written: then it did not happen."""
        self._shown = replace(self._shown, done=(), refused=(), faults=(), fallen=())
        match event:
            case Seen(sighting):
                self._see(sighting)
            case Confirm(choice):
                self._confirm(choice)
            case Tell(actions):
                self._shown = replace(self._shown, waiting=(*self._shown.waiting, *actions))
                self._tell()
            case TellDice(dice):
                self._dice = dice
            case Undo():
                self._undo(1)
            case Redo():
                self.log.redo()
            case Correct(at, actions):
                correction = self.log.correct(at, *actions)
                refused = tuple(r for r in correction.rulings if not isinstance(r, Allowed))
                self._shown = replace(self._shown, refused=refused, fallen=correction.fallen)
            case TakeTable(position):
                self._take(position)
        if not isinstance(event, Seen):
            self._look_again()
        self._shown = replace(self._shown, session=self.log.session)
        return self._shown

    # Seeing

    def _see(self, sighting: Sighting) -> None:
        stood = self._shown.stood + (sighting.state == "settled")
        self._shown = replace(self._shown, sighting=sighting, stood=stood)
        if sighting.state != "settled":
            self._shown = replace(self._shown, finding=None, firm=False, stood=0)
        elif sighting.fresh or self._shown.finding is None:
            self._look_again()
        elif isinstance(self._shown.finding, Waiting) and stood >= PATIENCE:
            self._shown = replace(self._shown, finding=self._given_up(self._shown.finding), stood=0)

    def _look_again(self) -> None:
        """Hold the table as it was read last against the game."""
        sighting = self._shown.sighting
        if sighting.observation is None or sighting.state != "settled":
            self._shown = replace(self._shown, finding=None, firm=False)
            return
        if not self._ground.picture:  # it is the first sight: what cannot be told lies as the position says by now
            now = expected_table(self.game, self.log.session.state, self.kit)
            self._ground = replace(self._ground, table=now, picture=dict.fromkeys(now, sighting.picture))
        seen = self._weighed(sighting.observation)
        session = self.log.session
        finding = self._reconciled(seen)
        if isinstance(finding, Illegal) and finding.put_back.keys() & seen.guesses.keys():
            finding = self._reconciled(replace(seen, guesses={}))  # nobody is accused for what is only likely
        if isinstance(finding, Proposed):
            finding = replace(finding, clear=finding.clear and self._traceless(finding.best) <= MOST_UNSEEN)
        if isinstance(finding, Illegal | Waiting) and self._is_cleared(seen):
            finding = Unexplained(self._differing(seen), 0.0, finding.markers)
        if isinstance(finding, Unchanged):
            self._stands(session.state)
        firm = sighting.done or (isinstance(finding, Proposed) and finding.clear)
        stood = self._shown.stood if type(finding) is type(self._shown.finding) else 0
        self._shown = replace(self._shown, finding=finding, firm=firm, stood=stood)

    def _traceless(self, explanation: Explanation) -> int:
        """How many of the actions change nothing on a table; not where dice show that somebody played."""
        if self.kit.dice is not None or explanation.replaces_last:
            return 0
        tables = [self.game.expected(self.log.session.state)]
        tables += [self.game.expected(ruling.state) for ruling in explanation.rulings if isinstance(ruling, Allowed)]
        return sum(before == after for before, after in pairwise(tables))

    def _reconciled(self, seen: Observation) -> Finding:
        """What the referee says; where it needs dice that are in doubt, with what they show most likely."""
        session = self.log.session
        earlier, lay = earlier_steps(session), self._lay(seen)
        otherwise = self._otherwise()
        finding = reconcile(self.game, self.kit, session.state, seen, earlier, lay, otherwise=otherwise)
        if isinstance(finding, Unchanged | Undone) or (isinstance(finding, Proposed) and finding.clear):
            return finding
        likely = [Die(die.value, die.at_px, LIKELY_DIE) for die in seen.unsure_dice if die.value]
        if not likely or self.kit.dice is None or len(likely) + len(seen.dice) != self.kit.dice.count:
            return finding
        guessed = replace(seen, dice=(*seen.dice, *likely), unsure_dice=())
        other = reconcile(self.game, self.kit, session.state, guessed, earlier, lay, otherwise=otherwise)
        if not isinstance(other, Proposed) or self.game.expected(other.best.state) == self.game.expected(session.state):
            return finding  # a roll alone shows nothing that would speak for these dice
        chance = other.best.probability * LIKELY_DIE ** len(likely)
        return replace(other, best=replace(other.best, probability=chance))

    def _weighed(self, observation: Observation) -> Observation:
        """With what is known besides: spaces that look as they did hold what they held, dice were told."""
        looked = self._shown.sighting.changed_at
        held = {
            space: Reading(self._ground.table[space], HELD)
            for space in observation.unsure
            if space not in self._track and 0 < looked.get(space, 0) <= self._ground.picture.get(space, 0)
        }
        dice = tuple(Die(value, (0.0, 0.0), 1.0) for value in self._dice) or observation.dice
        return replace(
            observation,
            spaces={**observation.spaces, **held},
            unsure={space: reason for space, reason in observation.unsure.items() if space not in held},
            guesses={space: guess for space, guess in observation.guesses.items() if space not in held},
            dice=dice,
            unsure_dice=() if self._dice else observation.unsure_dice,
        )

    def _otherwise(self) -> frozenset[str]:
        """The spaces where something else seems to be than when the game was last in step with the table."""
        since = self._shown.sighting.otherwise_at
        return frozenset(space for space, picture in since.items() if picture > self._ground.picture.get(space, 0))

    def _lay(self, seen: Observation) -> tuple[int, ...] | None:
        """The dice that lay there when the game was last in step with the table; none where they were thrown anew."""
        before = self._ground.dice
        if before is None:
            return None
        reach = one_die_px(seen)
        elsewhere = sum(all(math.dist(die.at_px, old.at_px) > reach for old in before) for die in seen.dice)
        return () if elsewhere >= THROWN else tuple(die.value for die in before)

    def _stands(self, state: State) -> None:
        """The table lies as the state says, wherever it can be told; of the rest nothing more is known than before."""
        sighting = self._shown.sighting
        assert sighting.observation is not None
        seen = self._weighed(sighting.observation)
        table = expected_table(self.game, state, self.kit)
        readings = {**seen.guesses, **seen.spaces}
        told = {space for space, reading in readings.items() if reading.pieces == table.get(space)}
        self._ground = Ground(
            {space: table[space] if space in told else pieces for space, pieces in self._ground.table.items()},
            {**self._ground.picture, **dict.fromkeys(told, sighting.picture)},
            None if seen.unsure_dice else seen.dice,
        )

    def _differing(self, seen: Observation) -> dict[str, tuple[Pieces, Pieces]]:
        """By space what should lie there and what does, but for the score track."""
        table = expected_table(self.game, self.log.session.state, self.kit)
        return {
            space: (table[space], reading.pieces)
            for space, reading in seen.spaces.items()
            if space in table and space not in self._track and table[space] != reading.pieces
        }

    def _is_cleared(self, seen: Observation) -> bool:
        """Whether many spaces were emptied and hardly any filled: nothing of that is a move."""
        differing = self._differing(seen)
        emptied = sum(not now for _, now in differing.values())
        table = expected_table(self.game, self.log.session.state, self.kit)
        taken = sum(bool(pieces) for space, pieces in table.items() if space not in self._track)
        return emptied >= max(CLEARED, CLEARED_SHARE * taken) and len(differing) - emptied <= emptied / 4

    def _given_up(self, finding: Waiting) -> Illegal:
        """What was left unfinished so long is all that was done."""
        assert self._shown.sighting.observation is not None
        seen = self._weighed(self._shown.sighting.observation)
        should = expected_table(self.game, finding.best.state, self.kit)
        put_back = {
            space: should[space]
            for space, reading in seen.spaces.items()
            if space in should and space not in self._track and should[space] != reading.pieces
        }
        return Illegal(finding.best, put_back, (), finding.markers)

    # Doing

    def _confirm(self, choice: int) -> None:
        finding = self._shown.finding
        if isinstance(finding, Undone) and not choice:
            self._undo(finding.steps)
        elif isinstance(finding, Proposed | Undone | Illegal):
            best = (finding.best,) if isinstance(finding, Proposed) else ()
            others = (*finding.alternatives, *(finding.ways if isinstance(finding, Proposed) else ()))
            ways = (*best, *others) if best else (None, *others)
            chosen = ways[choice] if choice < len(ways) else None
            if chosen is not None and chosen.legal:
                self._commit(chosen)
        elif isinstance(finding, Asked) and finding.best is not None and finding.best.actions:
            self._commit(finding.best)

    def _commit(self, chosen: Explanation) -> None:
        session = self.log.session
        met = session.states[-2] if chosen.replaces_last else session.state
        if chosen.replaces_last:
            rulings = self.log.correct(len(session.entries) - 1, *chosen.actions).rulings
        else:
            rulings = self.log.confirm(*chosen.actions)
        if not all(isinstance(ruling, Allowed) for ruling in rulings):
            self._shown = replace(self._shown, refused=rulings[-1:])
            return
        done = Done(chosen.actions, met, chosen, chosen.replaces_last)
        waiting = list(self._shown.waiting)
        for action in chosen.actions:  # each as often as it stands there
            if action in waiting:
                waiting.remove(action)
        self._shown = replace(self._shown, done=(*self._shown.done, done), waiting=tuple(waiting))
        self._dice = ()
        self._stands(chosen.state)
        self._tell()

    def _tell(self) -> None:
        """Do what was told, in its order, as far as it is possible by now."""
        while self._shown.waiting:
            met = self.log.session.state
            rulings = self.log.confirm(self._shown.waiting[0])
            if not isinstance(rulings[-1], Allowed):
                if (proposed := self._said_with(self._shown.waiting[0])) is not None:
                    self._commit(proposed)
                    return
                self._shown = replace(self._shown, refused=rulings)
                return
            done = Done(self._shown.waiting[:1], met)
            self._shown = replace(self._shown, done=(*self._shown.done, done), waiting=self._shown.waiting[1:])

    def _said_with(self, action: Action) -> Explanation | None:
        """What is proposed, where an action that was told is a part of it or can only have come after it: so it was."""
        match self._shown.finding:
            case Proposed(best=best) if best.probability >= TOLD and not best.replaces_last:
                after = judge(self.game, best.state, action)
                return best if action in best.actions or isinstance(after, Allowed) else None
        return None

    def _undo(self, steps: int) -> None:
        met, taken = self.log.session.state, 0
        while taken < steps and self.log.undo():
            taken += 1
        if taken:
            self._shown = replace(self._shown, done=(*self._shown.done, Done((), met, undone=taken)))

    def _take(self, position: State) -> None:
        faults = tuple(self.log.take_table(position))
        self._shown = replace(self._shown, faults=faults)
        if not faults and self._shown.sighting.observation is not None:
            self._stands(position)


def earlier_steps(session: Session) -> tuple[Earlier, ...]:
    """The steps that were confirmed, the latest first, back to where the table was taken as it is or put right."""
    found = []
    for change in reversed(session.history.done):
        if change.out or any(isinstance(entry, TableTaken) for entry in change.put):
            break
        found.append(Earlier(session.states[change.at], change.put))
    return tuple(found)
