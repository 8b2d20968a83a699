"""Kills the whole companion while it follows a game, again and again, and each time goes on with what is on disk.

    python -m tests.appliance.kills_of_all none|touch KILLS [--seed 2026]

Without a screen it is known which steps were told as confirmed, and when: it is killed after some lines, or in the
middle of what comes after them.  With the touchscreen (drawn off screen) nothing is told: it is killed after some
work since it has said that it is ready, and no step may be gone that was there the time before.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from companion.__main__ import main
from companion.commands import play  # noqa: F401  # loaded once, before the forks
from companion.commands.games import shelf
from companion.rules import Action

PLAY = ("play", "--camera", "simulated", "--game", "garden-rush", "--speed", "max", "--size", "640x480", "--calm")
MOST_LINES, MOST_S = 40, 0.05  # until it is killed: so many lines, and then so long at most
IN_VAIN = 3  # kills in which nothing was confirmed, after which another game is begun
ON_SCREEN_S = 4.0  # the same with the touchscreen, of work: however busy the machine is
LOOK_S = 0.01
PATIENCE_S = 300.0  # for anything at all


@dataclass
class Count:
    kills: int = 0
    games: int = 0
    confirmed: int = 0  # actions on disk that were not there the time before
    told: int = 0  # of these were told as confirmed
    lost: int = 0  # were told, or on disk before, and are not there
    mended: int = 0  # files that had to be


class Child:
    """A companion in a process of its own, forked: what it is made of is loaded already."""

    def __init__(self, arguments: tuple[str, ...], notify: str = "") -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.dup2(writing, 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            sys.stdout = os.fdopen(1, "w", buffering=1)
            os.environ |= {"SDL_VIDEODRIVER": "offscreen", "KIVY_NO_ARGS": "1", "NOTIFY_SOCKET": notify}
            os._exit(main(arguments))
        os.close(writing)
        self.lines = os.fdopen(reading)

    def kill(self) -> str:
        """End it at once; what it had still told."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        with self.lines:
            return self.lines.read()


def of_none(arguments: tuple[str, ...], random: Random) -> int:
    """Run it until a random instant; how many actions it had told as confirmed."""
    child = Child((*arguments, "--display", "none", "--json"))
    told = [line for _, line in zip(range(random.randrange(MOST_LINES)), child.lines, strict=False)]
    select.select([], [], [], random.uniform(0, MOST_S))
    told += child.kill().splitlines(keepends=True)
    lines = [json.loads(line) for line in told if line.endswith("\n")]
    return sum(len(line["proposal"]) for line in lines if line.get("confirmed") and "proposal" in line)


def of_touch(arguments: tuple[str, ...], random: Random) -> int:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(f"{folder}/notify")
        child = Child((*arguments, "--display", "touch", "--confirm", "auto"), f"{folder}/notify")
        ended = os.pidfd_open(child.pid)
        select.select([systemd, ended], [], [], PATIENCE_S)
        most_s = worked_s(child.pid) + random.uniform(0, ON_SCREEN_S)
        while worked_s(child.pid) < most_s and not select.select([ended], [], [], LOOK_S)[0]:
            pass
        os.close(ended)
        child.kill()
    return 0


def worked_s(pid: int) -> float:
    """The time that a process has had of the processors."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


RUNS = {"none": of_none, "touch": of_touch}


def kill(folder: Path, display: str, kills: int, seed: int, report: Any = None) -> Count:
    """Raises AssertionError where something is lost."""
    os.environ["COMPANION_HOME"] = str(folder)
    random, count = Random(seed), Count()
    before: tuple[Action, ...] = ()
    number = in_vain = 0
    while count.kills < kills:
        goes_on = number and in_vain < IN_VAIN and not _is_over(number)
        arguments = (*PLAY, "--seed", str(seed + count.kills), *(("--resume", str(number)) if goes_on else ("--new",)))
        told = RUNS[display](arguments, random)
        count.kills += 1
        latest = shelf().latest() or 0
        if latest != number:
            number, before, count.games, in_vain = latest, (), count.games + 1, 0
        if not number:
            assert not told
            continue  # it was killed before it had begun a game
        with shelf().open(number) as log:
            count.mended += log.mended is not None
            now = log.session.actions
        count.lost += now[: len(before)] != before or len(now) - len(before) < told
        count.told, count.confirmed = count.told + told, count.confirmed + len(now) - len(before)
        assert not count.lost, f"kill {count.kills}: {count}"
        in_vain = 0 if len(now) > len(before) else in_vain + 1
        before = now
        if report and count.kills % 25 == 0:
            report(count)
    return count


def _is_over(number: int) -> bool:
    session = shelf().look(number).session
    return bool(session.game.over(session.state))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("display", choices=RUNS)
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--home", type=Path, help="the companion's folder (default: one for this run alone)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        home = args.home or Path(own)
        print(kill(home, args.display, args.kills, args.seed, lambda count: print(count, flush=True)))
