"""Kills a companion that confirms, at random instants, and compares what is on disk with what was confirmed.

    python -m tests.store.kills KILLS [--seed 2026]

kills one with a touchscreen, drawn off screen, and prints the count.  It forks: so it has a process to itself.
"""

from __future__ import annotations

import argparse
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

from companion.session import Session
from tests.store.steps import begun, shelf, steps

ROOT = Path(__file__).parent.parent.parent
MOST_STEPS = 400  # then the next game
LONGEST_S, LONGEST_ON_SCREEN_S = 0.08, 0.4  # from the first confirmed step to the kill
PATIENCE_S = 120  # for a screen to do one


@dataclass
class Count:
    kills: int = 0
    confirmed: int = 0
    lost: int = 0
    invented: int = 0
    in_flight: int = 0  # were being confirmed when the kill came, and are on disk, whole


def killed(folder: Path, number: int, seed: int, first: int, random: Random) -> int:
    """Let a child play on from step `first` and kill it; the number of steps that it told."""
    command = [sys.executable, "-m", "tests.store.child", str(folder), str(number), str(seed), str(first)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert os.read(child.stdout.fileno(), 1) == b"+"
        select.select([child.stdout], [], [], 30)
        time.sleep(random.uniform(0, LONGEST_S))
        os.kill(child.pid, signal.SIGKILL)
        return len(child.stdout.read())


def killed_on_screen(folder: Path, number: int, seed: int, first: int, random: Random) -> int:
    """The same with a touchscreen; forked, for what it is made of is loaded already."""
    from tests.store import screen_child

    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        os.dup2(writing, 1)
        os.environ["SDL_VIDEODRIVER"] = "offscreen"
        try:
            screen_child.play(folder, number, seed, first)
        finally:
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        assert os.read(told.fileno(), 1) == b"+", "there is no screen, or it broke"
        select.select([told], [], [], PATIENCE_S)
        time.sleep(random.uniform(0, LONGEST_ON_SCREEN_S))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return len(told.read())


def after(session: Session, seed: int, first: int, count: int) -> Session:
    """The session after so many steps."""
    return next(islice(steps(session, seed, first), count - 1, None))[1] if count else session


def kill(
    folder: Path, kills: int, seed: int, name: str, killed: Callable[[Path, int, int, int, Random], int] = killed
) -> Count:
    """Kill a companion so many times, every time going on with what is on disk."""
    random, count = Random(seed), Count()
    number, done = 0, MOST_STEPS
    while count.kills < kills:
        if done >= MOST_STEPS:
            number, done = number + 1, 0
            session = begun(name, seed + number)
            shelf(folder).begin(session.game, session.start).close()
        told = killed(folder, number, seed, done, random)
        known, further = after(session, seed, done, told), after(session, seed, done, told + 1)
        with shelf(folder).open(number) as log:
            assert log.mended is None
            found = log.session
        count.kills += 1
        count.confirmed += told
        if found == further:  # also where the step led back to the same session, as an undo of an undo may
            told, known = told + (further != known), further
            count.in_flight += 1
        elif found != known:
            earlier = any(found == step for _, step in islice(steps(session, seed, done), told))
            count.lost += earlier
            count.invented += not earlier
            raise AssertionError(f"kill {count.kills}: {count}")
        session, done = found, done + told
    return count


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        print(kill(Path(own), args.kills, args.seed, "garden-guests", killed_on_screen))
