"""The companion with the touchscreen where memory or processors are scarce: real processes, as the service runs them.

What is drawn off screen takes memory that a graphics chip would save.  `pytest -s` prints the figures.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands.games import shelf
from tests.appliance.test_service import ROOT

PATIENCE_S = 600.0  # for anything at all
ENOUGH_MB, TOO_LITTLE_MB = 400, 120
GROUPS = ((Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"), (Path("/sys/fs/cgroup"), "memory.max"))
MOST_PINGS = 60  # five seconds between two
Prepare = Callable[[], None]


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A turn of a game, as a camera took it."""
    folder = tmp_path_factory.mktemp("frames") / "turn"
    made = ["simulate", str(folder), "--game", "garden-rush", "--seed", "3", "--turns", "1", "--calm"]
    assert main(made) == 0
    return folder


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    pytest.importorskip("kivy", reason="no Kivy on this machine")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
        link.bind(str(tmp_path / "notify"))
        yield link


@contextmanager
def companion(frames: Path, systemd: socket.socket, prepare: Prepare) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "companion", "play", "--display", "touch", "--camera", f"folder:{frames}"]
    command += ["--game", "garden-rush", "--seed", "3", "--confirm", "auto"]
    own = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "offscreen"}
    own |= {"NOTIFY_SOCKET": str(systemd.getsockname())}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=own, preexec_fn=prepare) as process:
        try:
            yield process
        finally:
            process.kill()


def plays(process: subprocess.Popen[str], systemd: socket.socket) -> float:
    """It comes up, sees what was done, keeps it, and ends when it is told to; the longest time between two pings."""
    ended, last_s, longest_s = os.pidfd_open(process.pid), 0.0, 0.0
    for _ in range(MOST_PINGS):
        came, _, _ = select.select([systemd, ended], [], [], PATIENCE_S)
        assert came, "nothing is heard of it"
        if systemd not in came:
            break
        told, now_s = systemd.recv(100), time.monotonic()
        longest_s, last_s = max(longest_s, now_s - last_s) if last_s else 0.0, now_s
        if told == b"WATCHDOG=1" and shelf().look(1).session.actions:
            break
    os.close(ended)
    if process.poll() is not None:
        assert process.stderr is not None
        text = process.stderr.read()
        if "no window can be opened" in text:
            pytest.skip(f"no window can be opened on this machine: {text[-300:]}")
        raise AssertionError(f"it ended with {process.returncode}: {text[-2000:]}")
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 143
    assert shelf().look(1).session.actions
    return longest_s


# Memory


@pytest.fixture
def memory() -> Iterator[Callable[[int], Path]]:
    """Makes a group whose processes have so many MB of memory together, where this user may make one."""
    made: list[Path] = []

    def group(limit_mb: int) -> Path:
        for root, file in GROUPS:
            folder = root / f"garden-companion-{os.getpid()}"
            try:
                folder.mkdir()
                made.append(folder)
                (folder / file).write_text(str(limit_mb * 1_000_000))
            except OSError:
                continue
            return folder
        pytest.skip("no group with a limit of memory can be made here")

    yield group
    for folder in made:
        folder.rmdir()


def within(group: Path) -> Prepare:
    def enter() -> None:
        (group / "cgroup.procs").write_text(str(os.getpid()))

    return enter


def killed_for_memory(group: Path) -> int:
    """How many processes of a group the system ended for want of memory."""
    told = next(group / name for name in ("memory.oom_control", "memory.events") if (group / name).exists())
    return int(dict(line.split() for line in told.read_text().splitlines())["oom_kill"])


@pytest.mark.usefixtures("own_home")
def test_400_mb_are_enough(frames: Path, systemd: socket.socket, memory: Callable[[int], Path]) -> None:
    group = memory(ENOUGH_MB)
    with companion(frames, systemd, within(group)) as process:
        plays(process, systemd)
    assert killed_for_memory(group) == 0


@pytest.mark.usefixtures("own_home")
def test_with_too_little_it_is_ended_and_the_game_is_kept(
    frames: Path, systemd: socket.socket, memory: Callable[[int], Path]
) -> None:
    """The system ends it without a word; what it had kept is whole, and with more memory it goes on."""
    with companion(frames, systemd, lambda: None) as process:
        plays(process, systemd)
    before = shelf().look(1).session
    group = memory(TOO_LITTLE_MB)
    with companion(frames, systemd, within(group)) as process:
        assert process.wait(PATIENCE_S) == -signal.SIGKILL
    assert killed_for_memory(group) == 1
    with shelf().open(1) as log:
        assert log.mended is None and log.session == before


# Processors


@pytest.mark.usefixtures("own_home")
def test_one_core_that_another_program_uses_as_well(frames: Path, systemd: socket.socket) -> None:
    """It is slower, and says that it is alive all the same."""
    core = {min(os.sched_getaffinity(0))}

    def alone() -> None:
        os.sched_setaffinity(0, core)

    with subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=alone) as other:
        try:
            with companion(frames, systemd, alone) as process:
                longest_s = plays(process, systemd)
        finally:
            other.kill()
    print(f"\nlongest time between two signs of life, half a core: {longest_s:.1f} s")
