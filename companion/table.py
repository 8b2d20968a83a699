"""The shell around a running game: what is seen and what is tapped goes in, what is to be shown comes out.

No thread and no clock: whoever has them hands in one event after another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from companion.change import Pieces
from companion.evidence import Evidence, unsure_since
from companion.kit import TRACK, Kit
from companion.observation import Observation
from companion.referee import (
    Asked,
    Explanation,
    Finding,
    Illegal,
    Proposed,
    Unchanged,
    Undone,
    Unexplained,
    Waiting,
    expected_table,
    may_accuse,
)
from companion.rules import Action, Allowed, Ruling, State, judge
from companion.session import Fallen, Session
from companion.store.log import Log
from companion.vision.watch import Sighting

MOST_UNSEEN = 1  # turns that left no trace among those of a proposal that may be confirmed without asking
TOLD = 0.8  # how sure a proposal must be to be taken for right because of what was told after it
PATIENCE = 30  # still pictures after which an action that is not finished counts as all that was done
BLIND = 2  # spaces that changed and cannot be told, from which a hand may still be over them: they are looked at longer
CLEARED = 4  # spaces that were emptied, and
CLEARED_SHARE = 0.5  # of those taken, from which a table is being cleared


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


class Table:
    """A game that is being played on a table; `log` is where what is confirmed goes first."""

    def __init__(self, kit: Kit, log: Log) -> None:
        self.kit, self.log, self.game = kit, log, log.session.game
        self._track = frozenset(space.id for space in kit.of_kind(TRACK))
        self._evidence = Evidence(kit, self.game, log.session.state)
        self._possible: tuple[Explanation, ...] = ()  # what may have been done though nothing changed
        self._lay = 0  # the last picture before the table moved
        self._shown = Shown(log.session, Sighting(0, "moving"))

    @property
    def shown(self) -> Shown:
        return self._shown

    def step(self, event: Event) -> Shown:
        """What is to be shown after an event.  Raises NotKept where nothing can be written: then it did not happen."""
        self._shown, session = replace(self._shown, done=(), refused=(), faults=(), fallen=()), self.log.session
        match event:
            case Seen(sighting):
                self._see(sighting)
            case Confirm(choice):
                self._confirm(choice)
            case Tell(actions):
                self._shown = replace(self._shown, waiting=(*self._shown.waiting, *actions))
                self._tell()
            case TellDice(dice):
                self._evidence.told_dice = dice
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
        if self.log.session is not session:
            self._evidence.forget()
        if not isinstance(event, Seen):
            self._look_again()
        self._shown = replace(self._shown, session=self.log.session)
        return self._shown

    def begin_anew(self, error: str) -> Shown:
        """Something broke: nothing that was seen or weighed stands any more.  The game does, and what was told.

        `error` is a key of the words for what is not seen.
        """
        told_dice = self._evidence.told_dice
        self._evidence, self._possible = Evidence(self.kit, self.game, self.log.session.state), ()
        self._evidence.told_dice = told_dice
        sighting = Sighting(self._shown.sighting.picture, "lost", error=error)
        self._shown = Shown(self.log.session, sighting, waiting=self._shown.waiting)
        return self._shown

    # Seeing

    def _see(self, sighting: Sighting) -> None:
        if sighting.state != "settled" and self._shown.firm:
            self._suppose()
        if sighting.state != "settled" and self._shown.sighting.state == "settled":
            self._lay = self._shown.sighting.picture
        stood = self._shown.stood + (sighting.state == "settled")
        self._shown = replace(self._shown, sighting=sighting, stood=stood)
        if sighting.state != "settled":
            self._shown = replace(self._shown, finding=None, firm=False, stood=0)
        elif sighting.fresh or self._shown.finding is None:
            self._look_again()
            self._told_before()
        elif isinstance(self._shown.finding, Waiting) and stood >= PATIENCE:
            self._shown = replace(self._shown, finding=self._given_up(self._shown.finding), stood=0)

    def _suppose(self) -> None:
        """Bear in mind what may have led to the table that moves now."""
        finding, possible = self._shown.finding, self._possible
        if isinstance(finding, Proposed | Asked) and finding.possible:
            self._evidence.suppose(finding.possible, self._shown.sighting, self._shown.waiting)
        elif possible:
            self._evidence.suppose(possible, self._shown.sighting, self._shown.waiting)

    def _look_again(self) -> None:
        """Hold the table as it was read last against the game."""
        sighting = self._shown.sighting
        if sighting.observation is None or sighting.state != "settled":
            self._shown = replace(self._shown, finding=None, firm=False)
            return
        session = self.log.session
        self._evidence.begin(session.state, sighting)
        seen, finding = self._evidence.seen(sighting), self._evidence.finding(session, sighting)
        if isinstance(finding, Proposed):
            finding = replace(finding, clear=finding.clear and self._traceless(finding.best) <= MOST_UNSEEN)
        if isinstance(finding, Illegal | Waiting) and self._is_cleared(seen):
            finding = Unexplained(self._differing(seen), 0.0, finding.markers)
        self._possible = ()
        if isinstance(finding, Unchanged):
            self._evidence.stands(session.state, sighting)
            self._possible = tuple(self._evidence.may_have_rolled(finding.possible))
            if self._shown.waiting and self.game.needs_dice(session.state):  # who tells what was bought has rolled
                finding = Asked("dice", {}, markers=finding.markers)
        may_be_covered = unsure_since(sighting, self._lay) >= BLIND
        firm = sighting.done or (isinstance(finding, Proposed) and finding.clear and not may_be_covered)
        stood = self._shown.stood if type(finding) is type(self._shown.finding) else 0
        self._shown = replace(self._shown, finding=finding, firm=firm, stood=stood)

    def _traceless(self, explanation: Explanation) -> int:
        """How many of the actions change nothing on a table; not where dice show that somebody played."""
        if self.kit.dice is not None or explanation.replaces_last:
            return 0
        tables = [self.game.expected(self.log.session.state)]
        tables += [self.game.expected(ruling.state) for ruling in explanation.rulings if isinstance(ruling, Allowed)]
        return sum(before == after for before, after in pairwise(tables))

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

    def _given_up(self, finding: Waiting) -> Illegal | Unexplained:
        """What was left unfinished so long is all that was done."""
        seen = self._evidence.seen(self._shown.sighting)
        if not may_accuse(self.game, finding.best):
            return Unexplained(self._differing(seen), 0.0, finding.markers)
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
        session, met = self.log.session, met_by(self.log.session, chosen)
        if chosen.amends is not None:
            self.log.correct(len(session.entries) - chosen.amends.back, *chosen.amends.actions)
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
        self._shown = replace(self._shown, finding=None, done=(*self._shown.done, done), waiting=tuple(waiting))
        self._evidence.told_dice = ()
        self._evidence.stands(chosen.state, self._shown.sighting, chosen.actions)
        self._tell()

    def _tell(self) -> None:
        """Do what was told, in its order, as far as it is possible by now."""
        while self._shown.waiting:
            met = self.log.session.state
            actions = self._with_implied(self._shown.waiting[0])
            rulings = () if self._is_of_a_later_roll(actions[0]) else self.log.confirm(*actions)
            if not rulings or not isinstance(rulings[-1], Allowed):
                if (proposed := self._said_with(self._shown.waiting[0])) is not None:
                    self._commit(proposed)
                    return
                self._shown = replace(self._shown, refused=rulings)
                return
            done = Done(actions, met)
            self._shown = replace(self._shown, done=(*self._shown.done, done), waiting=self._shown.waiting[1:])

    def _is_of_a_later_roll(self, told: Action) -> bool:
        """Whether the table shows a later roll than the one that is confirmed, and what is told belongs to that."""
        finding, session = self._shown.finding, self.log.session
        if self.kit.dice is None or self.game.needs_dice(session.state):
            return False
        match finding:
            case Proposed(best=best):
                return any(map(self.game.throws, best.actions))
            case Asked(what="dice-left", offers=offers):
                return told not in offers
            case Illegal() | Waiting() | Unexplained():
                return self._evidence.thrown_anew(self._shown.sighting)
        return finding is None and self._evidence.supposes_a_throw()

    def _with_implied(self, action: Action) -> tuple[Action, ...]:
        """The action, and what follows of itself: with its last die a turn is over."""
        ruling = judge(self.game, self.log.session.state, action)
        return (action, *(self.game.implied(ruling.state) if isinstance(ruling, Allowed) else ()))

    def _told_before(self) -> None:
        """What was told before the table was understood may tell which of several ways led to it."""
        finding, waiting = self._shown.finding, self._shown.waiting
        unclear = self._shown.firm and isinstance(finding, Proposed) and not finding.clear
        if unclear and waiting and (said := self._said_with(waiting[0])) is not None:
            self._commit(said)
            self._look_again()

    def _said_with(self, action: Action) -> Explanation | None:
        """What is proposed, where an action that was told is a part of it or can only have come after it: so it was.

        Of several ways to the table that action may tell which: no die is spent twice.
        """
        finding = self._shown.finding
        if not isinstance(finding, Proposed) or finding.best.replaces_last or finding.best.amends:
            return None
        if self._has_guessed_dice():
            return None
        ways = (finding.best, *finding.ways, *finding.alternatives)
        fitting = [way for way in ways if self._goes_with(way, action)]
        chosen = max(fitting, key=lambda way: way.probability, default=None)
        known, fit = (sum(way.probability for way in some) for some in (ways, fitting))
        sure = chosen is not None and not chosen.guessed and known >= TOLD and chosen.probability >= TOLD * fit
        return chosen if sure else None

    def _has_guessed_dice(self) -> bool:
        """Whether dice were rolled of which not all were seen: what is proposed has made up the others to fit."""
        if self.kit.dice is None or not self.game.needs_dice(self.log.session.state):
            return False
        return len(self._evidence.seen(self._shown.sighting).dice) < self.kit.dice.count

    def _goes_with(self, way: Explanation, action: Action) -> bool:
        return action in way.actions or isinstance(judge(self.game, way.state, action), Allowed)

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
            self._evidence.stands(position, self._shown.sighting, ())


def met_by(session: Session, explanation: Explanation | None) -> State:
    """The position in which an explanation begins, with what it puts right before."""
    if explanation is not None and explanation.amends is not None:
        at = len(session.entries) - explanation.amends.back
        return session.correct(at, explanation.amends.actions).session.state
    return session.states[-2] if explanation is not None and explanation.replaces_last else session.state
