"""The fault matrix: what goes wrong with a device, what its players see, and that nothing confirmed is lost.

Rows that need more than a device have their tests elsewhere; docs/appliance.md lists them all.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.__main__ import main
from companion.commands import own_kit
from companion.commands.games import shelf
from companion.commands.monitor import news, readings_of
from companion.games import load_game
from companion.live import Noticed
from companion.pulse import EYE, LIMITS_S
from companion.rules import LANGUAGES
from companion.simulate.players import start
from companion.ui.view.health import WATCH, Readings, health
from companion.vision.watch import Sighting
from hardware.camera import CameraFault
from hardware.health import Machine
from tests.appliance.device import HARVESTED, Device, pictures
from tests.appliance.kills import kill_camera
from tests.hardware.test_tended import Step
from tests.store.steps import GAMES, Shelf, played
from tests.store.steps import shelf as shelf_in

ROOT = Path(__file__).parent.parent.parent
Make = Callable[..., Device]
ABSENT = CameraFault("camera-absent", "no camera is connected")
GONE = CameraFault("camera-gone", "the camera's process has ended")


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Device] = []

    def device(*feeds: list[Step] | CameraFault, language: str = "en") -> Device:
        made.append(Device(tmp_path, list(feeds), language))
        return made[-1]

    yield device
    for one in made:
        one.close()


def kept(device: Device) -> list[str]:
    """The actions that are on disk, read anew by somebody else."""
    found = Shelf(device.seat.log.path.parent, GAMES, lambda: 0.0).look(1).session
    return [found.game.write_action(action)["do"] for action in found.actions]


# Camera


@pytest.mark.parametrize(
    ("language", "says"), [("en", "No camera is found. Plug its cable in"), ("hu", "Nincs kamera. Dugd be a kábelét")]
)
def test_absent_at_the_start(language: str, says: str, make: Make) -> None:
    device = make(ABSENT, ABSENT, ABSENT, pictures(20), language=language)
    assert device.looks().startswith(says)
    device.presses("confirm")
    assert device.done == []
    device.seat.lay |= HARVESTED
    for _ in range(10):
        sight = device.looks()
    assert not sight.startswith(says)
    device.presses("confirm")
    assert device.done == kept(device) == ["harvest", "end-turn"]


def test_it_vanishes_in_mid_game_and_is_back_after_30_s(make: Make) -> None:
    device = make([*pictures(5), GONE], *[ABSENT] * 6, pictures(200, 1))
    device.seat.lay |= HARVESTED
    device.looks(5)
    device.presses("confirm")
    assert device.done == ["harvest", "end-turn"]
    gone_s = device.clock.now_s
    assert device.looks().startswith("The camera is cut off. Check its cable")
    while device.begun == 1:
        assert device.looks().startswith(("The camera is cut off", "No camera is found", "the table")), device.screen
        device.presses("confirm")
    assert 23 < device.clock.now_s - gone_s < 45  # six more tries, and the one that finds it
    assert device.done == kept(device) == ["harvest", "end-turn"]
    assert device.looks() == "the table lies still"
    device.presses("undo")
    assert device.done == kept(device) == []


def test_it_stalls_and_is_begun_again(make: Make) -> None:
    device = make(pictures(3), pictures(50, 1))
    device.looks(3)
    assert device.looks().startswith("The camera gives no pictures any more and is started again.")
    assert device.looks(2) == "the table lies still" and device.begun == 2


def test_it_freezes_and_is_begun_again(make: Make) -> None:
    device = make(pictures(1) * 40, pictures(50, 1))
    told = [device.looks() for _ in range(35)]
    assert sum(sight.startswith("The camera shows the same picture over and over") for sight in told) == 1
    assert told[-1] == "the table lies still"


@pytest.mark.parametrize(
    ("changes", "told"),
    [({}, False), ({"light": True}, True), ({"state": "lost", "error": "too-dark"}, True)],
    ids=["as before", "another light", "dark"],
)
def test_the_camera_is_told_that_the_light_is_another(changes: dict[str, Any], told: bool, make: Make) -> None:
    device = make(pictures(9))
    device.looks(1)
    device.see = lambda: replace(device.seat.settles().sighting, **changes)
    device.looks(2)
    assert device.feeds[-1].was_relit is told


@pytest.mark.parametrize(("language", "says"), [("en", "It is too dark to read the table."), ("hu", "Túl sötét van")])
def test_black_it_is_told_and_what_was_seen_before_cannot_be_confirmed(language: str, says: str, make: Make) -> None:
    device = make(pictures(60), language=language)
    device.seat.lay |= HARVESTED
    device.looks(3)
    light = device.see
    device.see = lambda: Sighting(99, "lost", error="too-dark")
    assert device.looks().startswith(says)
    device.presses("confirm")
    assert device.done == []
    device.see = light
    device.looks(2)
    device.presses("confirm")
    assert device.done == kept(device) == ["harvest", "end-turn"] and device.begun == 1


def test_two_pictures_a_second_are_enough_to_play_with(make: Make) -> None:
    """Half a second between two: that is no stall."""
    slow: list[Step] = []
    for picture in pictures(20):
        slow += [None, None, None, picture]  # a fifth of a second is waited for each that does not come
    device = make(slow)
    device.seat.lay |= HARVESTED
    begun_s = device.clock.now_s
    assert device.looks(5) == "the table lies still"
    assert device.clock.now_s - begun_s > 5 * 0.6 and device.begun == 1
    device.presses("confirm")
    assert device.done == kept(device) == ["harvest", "end-turn"]


def test_two_pictures_a_second_are_worth_watching_and_said_so() -> None:
    row = next(item for item in health(Readings(frames_a_second=2.0), "en").items if item.name == "pictures a second")
    assert row.state == WATCH and "let the device cool down" in row.to_do


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_of_a_camera_has_its_words(language: str, make: Make) -> None:
    for reason in ("absent", "busy", "missing", "stalled", "gone", "frozen", "broken"):
        device = make(CameraFault(f"camera-{reason}", "in English only"), language=language)
        sight = device.looks()
        assert len(sight) > 30 and "English" not in sight


def test_while_it_is_tended_the_watchdog_is_told_that_all_is_well(make: Make) -> None:
    """A camera that is gone is no reason to begin the companion anew."""
    device = make(ABSENT)
    device.looks(100)
    gaps = [after - before for before, after in pairwise(device.pulsed)]
    assert max(gaps) < 15


def test_an_eye_that_hangs_is_a_reason_and_one_that_learns_a_kit_is_none(make: Make) -> None:
    """A look that takes long: the camera, which is not asked meanwhile, is not missed before the eye is."""
    device = make(pictures(50))
    device.looks(3)

    def takes(seconds: float) -> list[float]:
        """When the watchdog was told during a look that takes so long."""
        before = len(device.pulsed)

        def see() -> Sighting:
            for _ in range(round(10 * seconds)):
                device.clock.wait(0.1)
                device._round()
            return device.seat.table.shown.sighting

        device.see = see
        device.looks(1)
        return device.pulsed[before:]

    learning = takes(LIMITS_S[EYE] - 10)
    assert max(after - before for before, after in pairwise(learning)) < 10 and len(learning) > 15
    begun_s = device.clock.now_s
    hanging = [at_s for at_s in takes(300) if at_s < begun_s + 299]
    assert LIMITS_S[EYE] - 10 < hanging[-1] - begun_s < LIMITS_S[EYE] + 10


def test_its_process_is_killed_at_random_and_every_time_begun_again() -> None:
    """Real processes.  `tests/benchmarks/test_kills.py` kills five hundred."""
    count = kill_camera(8, 7)
    assert (count.kills, count.told) == (8, {"camera-gone"}) and count.begun == 9
    assert count.pictures == sorted(set(count.pictures))


# Disk


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (sqlite3.SQLITE_FULL, "Not saved: the disk is full. Free some space and confirm again."),
        (sqlite3.SQLITE_READONLY, "Not saved: the card or disk is read-only. Switch off and on;"),
        (sqlite3.SQLITE_IOERR, "Not saved: the card or disk reports an error. Confirm again;"),
    ],
    ids=["full", "read-only", "failing"],
)
def test_a_step_that_cannot_be_kept_is_told_and_not_taken_for_done(
    code: int, says: str, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = make(pictures(50))
    device.seat.lay |= HARVESTED
    device.looks(3)

    def refused(*_: object) -> None:
        error = sqlite3.OperationalError("as SQLite would say it")
        error.sqlite_errorcode = code
        raise error

    with monkeypatch.context() as patched:
        patched.setattr("companion.store.log.add", refused)
        device.presses("confirm")
        assert says in " ".join(device.screen.split())
        assert device.done == kept(device) == []
    device.looks(1)
    device.presses("confirm")
    assert device.done == kept(device) == ["harvest", "end-turn"]


def test_a_slow_disk_is_waited_for_and_the_watchdog_stays_calm(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seconds for each step to be on disk."""
    from companion.store import log

    def told() -> list[Noticed]:
        found = news(frozenset(), readings_of(Machine(), None, device.seat.log.saving_s))
        for message in found:
            device.inbox.put(message)
        device.looks(1)
        return found

    device = make(pictures(500))
    device.seat.lay |= HARVESTED
    add = log.add
    monkeypatch.setattr(log, "monotonic", device.clock)
    assert told() == []

    def slow(*arguments: object) -> object:
        device.clock.wait(2.0)
        return add(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(log, "add", slow)
    for _ in range(10):
        device.looks(2)
        device.presses("confirm")
        device.presses("undo")
    assert kept(device) == device.done == []
    assert device.pulse.silent == []
    assert max(after - before for before, after in pairwise(device.pulsed)) < 15
    assert told() == [Noticed("saving_s")]
    assert "Saving takes long: wait after each press. The card is slow or worn out." in " ".join(device.screen.split())


def test_what_is_wrong_with_the_machine_is_on_the_screen_until_it_is_not(make: Make) -> None:
    device = make(pictures(50))
    for key in ("temperature_c", "power"):
        device.inbox.put(Noticed(key))
    device.looks(1)
    assert "The device is too hot" in device.screen and "The power supply is too weak" in device.screen
    device.inbox.put(Noticed("temperature_c", over=True))
    device.looks(1)
    assert "too hot" not in device.screen and "too weak" in device.screen


# Process


def test_the_clock_is_set_back_a_year(tmp_path: Path) -> None:
    """The order of games and steps is counted; a clock is only shown."""
    year_s = 365 * 86_400
    log, sessions = played(tmp_path, "garden-rush", 3, 5)
    log.close()
    earlier = Shelf(tmp_path, GAMES, now=lambda: 1_700_000_000 - year_s)
    game = load_game("garden-rush")
    earlier.begin(game, start(game, 2, {}, Random(1), own_kit("garden-rush"))).close()
    assert earlier.latest() == 2 and [one.number for one in earlier.all()] == [1, 2]  # type: ignore[union-attr]
    with earlier.resume(1) as again:
        assert again.session == sessions[-1]
    assert earlier.latest() == 1
    assert shelf_in(tmp_path).look(1).session == sessions[-1]


@pytest.mark.usefixtures("own_home")
def test_told_to_end_it_ends_in_order_while_it_waits_for_a_camera() -> None:
    command = [sys.executable, "-m", "companion", "play", "--camera", "any", "--display", "none", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*command, "--game", "garden-rush"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        first = process.stdout.readline()
        assert '"error": "camera-absent"' in first
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
        assert "Traceback" not in process.stderr.read()
    assert shelf().look(1).session.actions == ()


# Input


@pytest.mark.usefixtures("own_home")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[panel]\nconfirm = 17\n", 'panel: unknown key "confirm"; did you mean "confirm_pin"?'),
        ("[panel]\nundo_pin = 40\n", "panel.undo_pin: 40 found; expected a BCM number of the header, 2 to 27"),
        ("[panel]\nundo_pin = 17\n", "panel.undo_pin: 17 found, but confirm_pin has it; each needs its own"),
        ("\x00", "no valid TOML: Invalid statement (at line 1, column 1)"),
    ],
)
def test_settings_that_cannot_be(text: str, told: str, own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own_home / "config.toml").write_text(text)
    assert main(["play", "--camera", "simulated", "--display", "none"]) == 2
    assert capsys.readouterr().err == f"companion: {own_home / 'config.toml'}: {told}\n"
    assert list(own_home.glob("games/*.game")) == []


@pytest.mark.usefixtures("own_home")
def test_a_kit_that_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, kit = load_game("garden-rush"), own_kit("garden-rush")
    shelf().begin(game, start(game, 2, {}, Random(1), kit), kit=str(tmp_path / "lent")).close()
    assert main(["play", "--camera", "simulated", "--display", "none", "--resume", "1"]) == 2
    err = capsys.readouterr().err.splitlines()
    assert err[-1].startswith(f"companion: {tmp_path / 'lent' / 'kit.toml'}: cannot be read")
    assert shelf().look(1).session.actions == ()
