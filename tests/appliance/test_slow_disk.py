"""A disk that stands still while a step is confirmed: it is said, one press is one step, and nothing is told early.

No clock: the disk is held for as long as a test wants, the touchscreen's by `slow_disk.c` at every fsync.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from companion.commands import play
from companion.commands.following import Following
from companion.commands.narrating import Narrator
from companion.document import Fault
from companion.live import Ended, Looked, Pressed
from companion.rules import LANGUAGES
from companion.store import log
from companion.table import Table
from companion.ui.keeping import Keeping
from companion.ui.showing import Showing
from companion.ui.terminal import Display
from tests.appliance.test_service import MOST_S, ROOT
from tests.ui.tables import Seat

LAST_DIE = {"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]}


@pytest.fixture(scope="module")
def slow_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or pytest.skip("no C compiler on this machine")
    library = tmp_path_factory.mktemp("slow") / "slow_disk.so"
    source = ROOT / "tests" / "appliance" / "slow_disk.c"
    subprocess.run([str(compiler), "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    return library


def told_by(module: str, library: Path, folder: Path, *more: str) -> Any:
    """What a touchscreen in a process of its own, whose disk stands still for a while, told in the end."""
    pytest.importorskip("kivy", reason="no Kivy on this machine")
    gate = folder / "gate"
    own = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "offscreen"}
    own |= {"LD_PRELOAD": str(library), "SLOW_DISK": str(gate)}
    command = [sys.executable, "-m", f"tests.appliance.{module}", str(folder), str(gate), *more]
    done = subprocess.run(command, capture_output=True, text=True, env=own, timeout=5 * MOST_S, check=False)
    if "no window can be opened" in done.stderr:
        pytest.skip(f"no window can be opened on this machine: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("how", ["tapped", "seen"])
def test_on_the_touchscreen(how: str, slow_disk: Path, tmp_path: Path) -> None:
    told = told_by("slow_screen", slow_disk, tmp_path, how)
    before, meanwhile, afterwards = told["before"], told["meanwhile"], told["afterwards"]
    assert (before["saving"], before["steps"]) == ("", 0)
    assert meanwhile == {**before, "saving": "Saving …"}, "what is not on disk is not told as done"
    assert told["pulsed"] and not any(told["pulsed"]), "the screen is alive; of the table that is not said meanwhile"
    assert (afterwards["saving"], afterwards["steps"]) == ("", 1) and told["alive"] is True
    assert afterwards["headline"] == "The table lies as the game says."
    assert told["at_last"] == afterwards, "what was pressed meanwhile was meant for nothing"


@pytest.mark.parametrize(
    ("deed", "there", "made"),
    [
        ("game", {"screen": "new"}, {"screen": "table", "games": 1}),
        ("copy", {"screen": "kits"}, {"screen": "calibrate", "copies": ["garden-rush-1"]}),
        ("size", {"screen": "copy"}, {"screen": "copy", "size_mm": 17}),
    ],
)
def test_when_a_game_begins_or_a_kits_files_are_written(
    deed: str, there: dict[str, Any], made: dict[str, Any], slow_disk: Path, tmp_path: Path
) -> None:
    """The project's own dice are 16 mm wide; larger is by one."""
    told = told_by("slow_house", slow_disk, tmp_path, deed)
    before, meanwhile, afterwards = told["before"], told["meanwhile"], told["afterwards"]
    assert before == {"saving": "", "games": 0, "copies": [], "size_mm": 16, **there}
    assert (meanwhile["saving"], meanwhile["screen"]) == ("Saving …", there["screen"])
    assert afterwards == {**before, **made}, "once, however often it was pressed meanwhile"


class Keyboard:
    """A terminal with somebody at it who presses confirm again, and a button too, as soon as it says that it saves."""

    size = (24, 80)

    def __init__(self, seat: Seat, opens: Event, says: str) -> None:
        self._seat, self._opens, self._says = seat, opens, says
        self._out, self._into = os.pipe()
        self.said: list[str] = []
        self.steps: list[int] = []  # that were confirmed when it said so
        self.type("c")

    def type(self, keys: str) -> None:
        os.write(self._into, keys.encode())

    def fileno(self) -> int:
        return self._out

    def pressed(self) -> list[str]:
        return list(os.read(self._out, 100).decode())

    def draw(self, lines: Sequence[str]) -> None:
        if lines[-1].startswith(self._says):
            self.said.append(lines[0])
            self.steps.append(len(self._seat.log.session.history.done))
            self.type("cuc")
            self._seat.inbox.put(Pressed("undo"))
            self._opens.set()
        elif (self.said and lines[-1].endswith("(y/n)")) or lines[-1].endswith("(i/n)"):
            self.type("yi")
        elif self.said:
            self.type("q")


@pytest.mark.parametrize(("language", "says"), [("en", "Saving …"), ("hu", "Mentés …")])
def test_in_the_terminal(language: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {language} < set(LANGUAGES)
    seat, opens, add = Seat(tmp_path, "garden-dice", turn=LAST_DIE), Event(), log.add
    seat.settles({"6,1": []})

    def slow(*arguments: Any) -> int:
        assert opens.wait(MOST_S)
        return add(*arguments)

    monkeypatch.setattr(log, "add", slow)
    keyboard = Keyboard(seat, opens, says)
    assert seat.display(language).run(keyboard) == 0
    assert keyboard.said and keyboard.steps == [0]
    assert [seat.game.write_action(action)["do"] for action in seat.log.session.actions] == ["harvest", "end-turn"]
    seat.close()


# Steps that are confirmed by themselves


class Held:
    """A disk on which nothing gets before it was said that it saves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opens, self._add = Event(), log.add
        monkeypatch.setattr(log, "add", self._slow)

    def _slow(self, *arguments: Any) -> int:
        assert self.opens.wait(MOST_S)
        return self._add(*arguments)


def followed(folder: Path) -> tuple[Seat, Following]:
    """A game in which what is seen next stands clearly alone: a tomato was harvested with the last die."""
    seat = Seat(folder, "garden-dice", turn=LAST_DIE)
    seat.settles({"6,1": []})
    following = Following(Table(seat.kit, seat.log), True)
    following.inbox.put(Looked("000001", seat.table.shown.sighting))
    return seat, following


class Told(Narrator):
    """Lines that are collected; the disk goes on as soon as they say that it saves."""

    held: Held
    lines: list[str]

    def _print(self, text: str) -> None:
        self.lines += text.splitlines()
        if any(says in text for says in ("Saving", "Mentés", "saving")) and not self.held.opens.is_set():
            self.steps = len(self.following.table.log.session.history.done)
            self.held.opens.set()


@pytest.mark.parametrize(
    ("language", "as_json", "says", "over"),
    [
        ("en", False, "Saving …", None),
        ("hu", False, "Mentés …", None),
        ("en", True, '{"machine": "saving"}', '{"machine": "saving", "over": true}'),
    ],
)
def test_confirmed_by_itself_in_lines(
    language: str, as_json: bool, says: str, over: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {language} < set(LANGUAGES)
    seat, following = followed(tmp_path)
    following.inbox.put(Ended())
    told = Told(following, seat.teller(language), as_json)
    told.held, told.lines = Held(monkeypatch), []
    assert told.run() == 0
    assert told.lines.count(says) == 1 and told.steps == 0
    assert over is None or told.lines.index(over) > told.lines.index(says)
    assert [seat.game.write_action(action)["do"] for action in seat.log.session.actions] == ["harvest", "end-turn"]
    seat.close()


def test_confirmed_by_itself_on_a_disk_that_is_quick_nothing_is_said(tmp_path: Path) -> None:
    seat, following = followed(tmp_path)
    following.inbox.put(Ended())
    told = Told(following, seat.teller(), True)
    told.lines = []
    assert told.run() == 0 and not any("saving" in line for line in told.lines)
    assert len(seat.log.session.actions) == 2
    seat.close()


@pytest.mark.parametrize(("language", "says"), [("en", "Saving …"), ("hu", "Mentés …")])
def test_confirmed_by_itself_in_the_terminal(
    language: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat, following = followed(tmp_path)
    held = Held(monkeypatch)
    keyboard = Keyboard(seat, held.opens, says)
    os.read(keyboard.fileno(), 1)  # nothing is pressed
    teller = seat.teller(language)
    assert Display(Showing(following, seat.kit, teller), "Garden Dice").run(keyboard) == 0
    assert keyboard.said and keyboard.steps == [0]
    assert len(seat.log.session.actions) == 2
    seat.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_when_a_game_begins_without_a_touchscreen(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opens, said = Event(), list[str]()
    monkeypatch.setattr(play, "say", lambda text: (said.append(text), opens.set()))
    game: Any = object()
    assert play.kept_by(lambda: opens.wait(MOST_S) and game, language) is game
    assert said == [{"en": "Saving …", "hu": "Mentés …"}[language]]
    said.clear()
    assert play.kept_by(lambda: game, language) is game and not said


def test_how_long_the_disk_has_been_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seat, waited = Seat(tmp_path, "garden-dice", turn=LAST_DIE), list[float]()
    actions = seat.settles({"6,1": []}).finding.best.actions  # type: ignore[union-attr]

    def full(*arguments: Any) -> int:
        waited.append(seat.log.waits_s)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(log, "add", full)
    assert seat.log.waits_s == 0
    with pytest.raises(Fault):
        seat.log.confirm(*actions)
    assert waited[0] > 0 and seat.log.waits_s == 0
    seat.close()


def test_what_works_and_does_not_wait_for_the_disk_is_done_as_ever() -> None:
    """A referee that thinks is no slow disk: nothing is said, and nothing that is pressed is lost."""
    said, done, ends = list[bool](), list[str](), Event()

    def disk_s() -> float:
        ends.set()
        return 0.0

    keeping = Keeping(said.append)
    keeping.do(lambda: ends.wait(MOST_S) and "thought", done.append, disk_s)
    assert (done, said, keeping.is_busy) == (["thought"], [], False)


def test_one_deed_at_a_time_and_what_it_raises_comes_to_whoever_waits() -> None:
    said: list[bool] = []
    opens, done = Event(), list[str]()
    keeping = Keeping(said.append)
    keeping.do(lambda: "soon", done.append)
    assert (done, said, keeping.is_busy) == (["soon"], [], False)
    keeping.do(lambda: opens.wait(MOST_S), lambda _: done.append("late"))
    assert keeping.is_busy and said == [True]
    keeping.do(lambda: done.append("pressed again"))
    assert not keeping.take_up() and done == ["soon"]
    opens.set()
    keeping.wait()
    assert keeping.take_up() and done == ["soon", "late"] and said == [True, False]

    def fails() -> None:
        raise Fault("planted")

    with pytest.raises(Fault, match="planted"):
        keeping.do(fails)
    assert not keeping.is_busy and keeping.take_up()
