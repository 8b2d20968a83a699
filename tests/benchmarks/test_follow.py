"""How well recorded and simulated games are followed.  `make benchmark` runs and prints this; nothing here fails.

FOLLOW_GAMES names folders, parted by colons, that hold such games (start.json, frames, truth.jsonl, actions.json); by
default the recorded ones beside the project, where they are at hand.  Confirmed is what stands clearly alone.

A change is named right where its first proposal leads to the position that was reached, whichever dice it took.  Each
game is followed twice from the same pictures: with nobody at the screen, and with a player (`person`) who answers what
is asked and puts right what was not named, so that one failure does not bring down what comes after it.

Simulated players put a mistake back after a second; what looks unfinished then is watched for as long as it takes to be
called, and counted apart. A mistake after which all lies as before the last action looks like that one taken back: by
the truth alone these are counted apart, too. So are, of those that are not called, the ones after which what was rolled
is asked, as not all dice can be seen, and the ones to whose table a legal way leads that is proposed: no rule says that
it was not gone.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.commands import own_kit
from companion.commands.follow import INPUTS, Follower, frames_in, inputs
from companion.commands.games import shelf
from companion.document import Field
from companion.games import load_game
from companion.kit import Kit, load_kit
from companion.observation import Frame
from companion.referee import Waiting, expected_table
from companion.rules import Action, Allowed, Game, State, judge
from companion.table import Seen, Table, Tell
from companion.vision.glance import Glance
from companion.vision.learned import knowledge_of
from companion.vision.picture import decode
from companion.vision.watch import Sighting, Watch
from tests.benchmarks.person import Person
from tests.referee.turns import told

SHARED = Path(__file__).parents[3] / "shared"
FOLDERS = [Path(name) for name in os.environ.get("FOLLOW_GAMES", str(SHARED / "sequences")).split(":")]
GAMES = sorted(start.parent for folder in FOLDERS for start in folder.glob("**/start.json"))
STILL = ("settled", "mistake")
TRACELESS = ("buy", "collect", "pass", "roll", "end-turn", "set-die")  # told, perhaps before what lies there is clear
MOST_STILL = 300  # pictures of a still table, from which its cost is told
Line = dict[str, Any]


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    cv2.setNumThreads(1)
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path_factory.getbasetemp() / "home"))


@dataclass
class Score:
    turns: int = 0
    named: int = 0  # right by the first proposal, dice aside,
    right: int = 0  # and confirmed with it
    confirmed: int = 0
    wrong: int = 0  # confirmed: the table does not look so, or a turn began otherwise
    during_hands: int = 0
    in_view: int = 0  # of these, right, of a table of which the hand hid nothing
    waits: list[int] = field(default_factory=list)  # still frames to the first proposal, from 1
    illegal: int = 0
    called: int = 0  # illegal, with some clause; and with the first that the truth names
    with_first: int = 0
    unfinished: int = 0  # not called so, but told as not finished yet, with the clause that it else breaks;
    in_time: int = 0  # of these called, had the table lain so for long enough
    like_undo: int = 0  # after which all lies as before the last action, under the same dice; and of these not called
    undo_uncalled: int = 0
    asked: int = 0  # not called but asked what was rolled, and those to whose table what is proposed leads, legally
    explained: int = 0
    accused: int = 0  # legal turns that were called illegal
    notes: list[str] = field(default_factory=list)


def kit_of(folder: Path, game: str) -> Kit:
    """The kit beside the games whose name the folder's begins with, or the project's own."""
    kits = [kit for kit in (folder.parent.parent / "kits").glob("*") if folder.name.startswith(kit.name)]
    return load_kit(kits[0]) if kits else own_kit(game)


def sightings(folder: Path, kit: Kit) -> Iterator[tuple[str, Sighting]]:
    """What is seen in each picture of a game, by its name."""
    watch = Watch(kit, knowledge_of(kit))
    for path in frames_in(folder):
        frame = decode(path.read_bytes(), path.name)
        assert isinstance(frame, Frame), f"{path}: {frame}"
        yield path.name, watch.see(frame)


def followed(folder: Path, kit: Kit, course: Course) -> tuple[list[Line], list[Line], Person]:
    """The lines that are told with nobody at the screen, and with a player there; and that player."""
    tapped = inputs(folder / INPUTS, set(course.truth), course.game, course.start)
    alone: list[Line] = []
    attended: list[Line] = []
    with ExitStack() as stack:
        logs = [stack.enter_context(shelf().begin(course.game, course.start, kit=str(kit.folder))) for _ in range(2)]
        lonely, other = (Follower(Table(kit, log), confirms=True) for log in logs)
        person = Person(course.game, other, course.same, course.looks)
        for name, sighting in sightings(folder, kit):
            events = [*(Tell(actions) for actions in tapped.get(name, ())), Seen(sighting)]
            alone += [line for line, _ in lonely.lines(name, events)]
            attended += [line for line, _ in other.lines(name, events)]
            if (truth := course.truth[name])["kind"] in STILL:
                attended += person.taps(name, truth, course.reached[name], name in course.last)
            if truth.get("mistake") and name in course.last:
                alone += stood(name, lonely, sighting)
                attended += stood(name, other, sighting)
    return alone, attended, person


def stood(name: str, follower: Follower, sighting: Sighting) -> list[Line]:
    """What more is told of a table that is not finished, for as long as it lies so."""
    lines: list[Line] = []
    while isinstance(follower.table.shown.finding, Waiting):
        more = follower.lines(name, [Seen(replace(sighting, fresh=False, light=False))])
        lines += [line | {"stood": True} for line, _ in more]
    return lines


def stretches(truth: list[Line]) -> Iterator[list[Line]]:
    """The pictures in which the same table lies still, one stretch for each table."""
    stretch: list[Line] = []
    for line in truth:
        if stretch and (line["kind"] not in STILL or key(line) != key(stretch[0])):
            yield stretch
            stretch = []
        if line["kind"] in STILL:
            stretch.append(line)
    if stretch:
        yield stretch


def key(line: Line) -> str:
    return json.dumps([line["position"], line.get("dice"), line.get("mistake")], sort_keys=True)


def scored(folder: Path) -> tuple[Score, Score, Person]:
    """How well a game is followed with nobody at the screen, and with a player there."""
    truth = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    game = load_game(truth[0]["position"]["game"])
    kit = kit_of(folder, game.name)
    alone, attended, person = followed(folder, kit, Course(game, kit, truth))
    return (*(score_of(lines, Course(game, kit, truth)) for lines in (alone, attended)), person)


def score_of(lines: list[Line], course: Course) -> Score:
    score = Score()
    for line in lines:
        course.take(line)
    score.wrong += len(course.astray)
    score.notes += course.astray
    before = course.table(course.start)
    for stretch in stretches([*course.truth.values()]):
        frames = [line["frame"] for line in stretch]
        lies = course.table(course.reached[frames[0]])
        said = [line for line in lines if line["frame"] in frames and ("proposal" in line or "unexplained" in line)]
        confirmed = [line for line in said if line.get("confirmed")]
        score.confirmed += len(confirmed)
        shown = [line for line in confirmed if any(a["do"] not in TRACELESS for a in line["proposal"])]
        bad = [line for line in shown if not _looks(course.table(course.read(line["position"])), lies, course.kit)]
        score.wrong += len(bad)
        score.notes += [f"{line['frame']}: confirmed and wrong: {line['proposal']}" for line in bad]
        if mistake := stretch[0].get("mistake"):
            score.illegal += 1
            refused = [line for line in said if line.get("legal") is False and "clauses" in line]
            called = [line["clauses"][0] for line in refused if not line.get("stood")]
            score.called += bool(called)
            like_undo = course.is_like_undo(stretch[0])
            score.like_undo += like_undo
            score.undo_uncalled += like_undo and not called
            score.with_first += mistake["clauses"][0] in called
            if not called:
                unfinished = [line["unfinished"] for line in lines if line["frame"] in frames and "unfinished" in line]
                score.unfinished += bool(unfinished)
                later = [line["clauses"][0] for line in refused]
                score.in_time += bool(later)
                how = f"unfinished: {unfinished[0]}, in time {later}" if unfinished else "not called"
                how += ", as if taken back" * like_undo
                if not (later or like_undo):
                    asked = any(line.get("asked") == "dice" and line["frame"] in frames for line in lines)
                    explained = any(course.leads_to(line, stretch[0]) for line in said)
                    score.asked += asked
                    score.explained += explained and not asked
                    how += ", dice asked" * asked + ", a legal way leads there" * explained
                score.notes.append(f"{frames[0]}: {how}: {mistake}, {len(frames)} frames")
            continue
        accused = [line for line in said if line.get("legal") is False]
        score.accused += bool(accused)
        score.notes += [f"{line['frame']}: accused: {line['clauses']} of {line['proposal']}" for line in accused]
        if lies == before:
            continue
        score.turns += 1
        before = lies
        moves = [line for line in said if "proposal" not in line or any(a["do"] != "roll" for a in line["proposal"])]
        named = bool(moves) and course.right(moves[0])
        score.named += named
        if named and moves[0].get("confirmed") and moves[0] not in bad:
            score.right += 1
            score.waits.append(frames.index(moves[0]["frame"]) + 1)
        else:
            first = moves[0].get("proposal", "unexplained") if moves else "nothing"
            score.notes.append(f"{frames[0]}: {'right, to be confirmed' if named else 'not named'}: {first}")
    kinds = {name: line["kind"] for name, line in course.truth.items()}
    in_hands = [line for line in lines if kinds.get(line["frame"]) == "hand" and "proposal" in line]
    score.during_hands = len(in_hands)
    score.in_view = sum(not course.truth[line["frame"]]["hidden"] and course.right(line) for line in in_hands)
    return score


class Course:
    """The positions that followed lines lead to, held against those that were reached."""

    def __init__(self, game: Game, kit: Kit, truth: list[Line]) -> None:
        self.game, self.kit = game, kit
        self.truth: Mapping[str, Line] = {line["frame"]: line for line in truth}
        self.start = game.read_position(Field(truth[0]["position"]), kit)
        self.reached = {line["frame"]: self.read(line["position"]) for line in truth}
        self.last = {stretch[-1]["frame"] for stretch in stretches(truth)}
        self._begun = {self._beginning(state) for state in self.reached.values()}
        self._dice = {line["frame"]: sorted(line["dice"]) for line in truth if line.get("dice")}
        self._state = self.start
        self._right: set[int] = set()  # lines, by their ids
        self._ends: dict[int, State] = {}  # where legal ones lead, by the same
        self.astray: list[str] = []

    def take(self, line: Line) -> None:
        """One more line, in its order."""
        state = self._after(line)
        if state is not None:
            self._ends[id(line)] = state
        if state is not None and self.same(state, self.reached[line["frame"]]):
            self._right.add(id(line))
        if line.get("taken"):
            self._state = self.read(line["position"])
        if line.get("confirmed"):
            self._state = self.read(line["position"])
            beginning, dice = self._beginning(self._state), sorted(self.game.dice_left(self._state))
            known = dice in ([], self._dice.get(line["frame"], dice))
            if beginning is not None and (beginning not in self._begun or not known):
                self.astray.append(f"{line['frame']}: confirmed, and no turn began so: {line.get('proposal')}")

    def right(self, line: Line) -> bool:
        return id(line) in self._right

    def same(self, one: State, other: State) -> bool:
        """Whether two positions come to the same, whichever dice are left."""
        one, other = (self._followed(state, ()) or state for state in (one, other))
        return self._told(one) == self._told(other)

    def looks(self, one: State, other: State) -> bool:
        """Whether two positions look the same on the table but for the score markers."""
        return _looks(self.table(one), self.table(other), self.kit)

    def leads_to(self, line: Line, mistake: Line) -> bool:
        """Whether what a line proposes is legal and leads to the table as it lies after a mistake."""
        if (state := self._ends.get(id(line))) is None:
            return False
        ends, lies = self.table(state), {space: tuple(pieces) for space, pieces in mistake["spaces"].items()}
        return _looks(ends, {space: lies.get(space, ()) for space in ends}, self.kit)

    def is_like_undo(self, line: Line) -> bool:
        """Whether after a mistake all lies as it did before the last action, under the same dice."""
        lies = {space: tuple(pieces) for space, pieces in line["spaces"].items()}
        now = self.table(self.reached[line["frame"]])
        for earlier in reversed([one for one in self.truth.values() if one["frame"] < line["frame"]]):
            then = self.table(self.reached[earlier["frame"]])
            if not _looks(then, now, self.kit):
                same_dice = sorted(earlier.get("dice") or ()) == sorted(line.get("dice") or ())
                return same_dice and _looks(then, {space: lies.get(space, ()) for space in then}, self.kit)
        return False

    def table(self, state: State) -> dict[str, tuple[str, ...]]:
        return dict(expected_table(self.game, state, self.kit))

    def _after(self, line: Line) -> State | None:
        """The position that a line leads to; None where it tells none."""
        if line.get("confirmed"):
            return self.read(line["position"])
        if not line.get("legal") or line.get("amends") or line.get("replaces_last"):
            return None
        return self._followed(self._state, [self.game.read_action(Field(a), self._state) for a in line["proposal"]])

    def read(self, position: Line) -> State:
        state = self.game.read_position(Field(position), self.kit)
        return self._followed(state, ()) or state

    def _followed(self, state: State, actions: Iterable[Action]) -> State | None:
        """After actions and what follows of itself; None where one of them is not legal."""
        left = list(actions)
        while left or (left := list(self.game.implied(state))):
            ruling = judge(self.game, state, left.pop(0))
            if not isinstance(ruling, Allowed):
                return None
            state = ruling.state
        return state

    def _told(self, state: State) -> str:
        return json.dumps(told(self.game, state), sort_keys=True)

    def _beginning(self, state: State) -> str | None:
        """A position in which a turn begins, rolled or not.  None for all others: in which order its actions are told
        is open."""
        rolled = self.kit.dice is not None and len(self.game.dice_left(state)) == self.kit.dice.count
        if self.kit.dice is None or not (rolled or self.game.needs_dice(state)):
            return None
        position = told(self.game, state)
        return json.dumps(position | {"turn": position["turn"][0]}, sort_keys=True)


def _looks(one: dict[str, tuple[str, ...]], other: dict[str, tuple[str, ...]], kit: Kit) -> bool:
    """Whether two tables look alike but for the score markers."""
    return all(one[s.id] == other[s.id] for s in kit.spaces if s.kind != "track" and s.id in one)


@pytest.mark.parametrize("folder", GAMES, ids=lambda folder: folder.name)
def test_games(folder: Path) -> None:
    alone, attended, person = scored(folder)
    print(f"\n{folder.name}, with nobody at the screen")
    tell(alone)
    print(f"{folder.name}, with a player there")
    tell(attended)
    print(f"  dice told {person.told_dice} times, {person.confirmed} confirmed by hand, {person.chosen} others chosen")
    print(f"  dice left put right {person.other_dice} times; the thread was lost {person.lost} times")


def tell(score: Score) -> None:
    print(f"  of {score.turns} changes {score.named} named right at first, {score.right} and confirmed")
    print(f"  {score.confirmed} confirmed, {score.wrong} of them wrong; {score.during_hands} named during hands,")
    print(f"  {score.in_view} of them right, of a table of which the hand hid nothing")
    if score.waits:
        print(f"  frames from hands gone to proposal: {sorted(score.waits)}")
    print(f"  of {score.illegal} illegal turns {score.called} called, {score.with_first} by the truth's first clause;")
    print(f"  {score.unfinished} told as not finished, {score.in_time} of these called in time;")
    print(f"  {score.like_undo} look like the last action taken back, {score.undo_uncalled} of these not called;")
    print(f"  after {score.asked} more that are not called dice were asked, to {score.explained} a legal way led")
    print(f"  {score.accused} legal turns called illegal")
    for note in score.notes:
        print(f"  {note}")


@pytest.mark.skipif(not GAMES, reason="no recorded game is at hand")
def test_a_still_table() -> None:
    """What a still table costs at ten frames a second, with the frames in memory, and how memory grows."""
    folder = GAMES[0]
    game = json.loads((folder / "start.json").read_text())["game"]
    kit = kit_of(folder, game)
    watch = Watch(kit, knowledge_of(kit))
    frames = [cv2.imread(str(path)) for path in sorted(folder.glob("*.jpg"))[:5]]
    for pixels in frames:
        watch.see(Frame(pixels))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    for number in range(MOST_STILL):
        watch.see(Frame(frames[number % len(frames)]))
    spent = time.process_time() - begun
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"\nstill table: {1000 * spent / MOST_STILL:.2f} ms a frame, {100 * 10 * spent / MOST_STILL:.1f} % of a core")
    print(f"  memory grew by {grown / 1024:.1f} MB over {MOST_STILL} frames")
    small = [np.ascontiguousarray(cv2.resize(pixels, (320, 240), interpolation=cv2.INTER_AREA)) for pixels in frames]
    glance = Glance()
    begun = time.process_time()
    for number in range(MOST_STILL):
        glance.see(small[number % len(small)])
    print(f"  a glance at 320 x 240: {1000 * (time.process_time() - begun) / MOST_STILL:.2f} ms")
