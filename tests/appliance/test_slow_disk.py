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

from companion.document import Fault
from companion.live import Pressed
from companion.rules import LANGUAGES
from companion.store import log
from companion.ui.keeping import Keeping
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


def test_on_the_touchscreen(slow_disk: Path, tmp_path: Path) -> None:
    pytest.importorskip("kivy", reason="no Kivy on this machine")
    gate = tmp_path / "gate"
    own = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "offscreen"}
    own |= {"LD_PRELOAD": str(slow_disk), "SLOW_DISK": str(gate)}
    command = [sys.executable, "-m", "tests.appliance.slow_screen", str(tmp_path), str(gate)]
    done = subprocess.run(command, capture_output=True, text=True, env=own, timeout=5 * MOST_S, check=False)
    if "no window can be opened" in done.stderr:
        pytest.skip(f"no window can be opened on this machine: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    before, meanwhile, afterwards = told["before"], told["meanwhile"], told["afterwards"]
    assert (before["saving"], before["steps"]) == ("", 0)
    assert meanwhile == {**before, "saving": "Saving …"}, "what is not on disk is not told as done"
    assert told["pulsed"] and not any(told["pulsed"]), "the screen is alive; of the table that is not said meanwhile"
    assert (afterwards["saving"], afterwards["steps"]) == ("", 1) and told["alive"] is True
    assert afterwards["headline"] == "The table lies as the game says."
    assert told["at_last"] == afterwards, "what was pressed meanwhile was meant for nothing"


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
