"""Five hundred kills while games are confirmed: what is lost (nothing), what made up (nothing); and what a step costs.

`make benchmark ARGS=tests/benchmarks/test_kills.py` prints the figures.
"""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from statistics import median

import pytest

from companion.games import NAMES
from tests.appliance.kills import kill_camera
from tests.store.kills import ROOT, kill
from tests.store.steps import begun, shelf, steps, take


@pytest.mark.parametrize(("name", "kills"), [("garden-dice", 168), ("garden-rush", 166), ("garden-guests", 166)])
def test_kills(name: str, kills: int, tmp_path: Path) -> None:
    count = kill(tmp_path, kills, 2026, name)
    print(
        f"\n{name}: {count.kills} kills, {count.confirmed} steps confirmed: {count.lost} lost, "
        f"{count.invented} made up; {count.in_flight} were being confirmed and are whole"
    )
    assert (count.kills, count.lost, count.invented) == (kills, 0, 0)


def test_kills_of_the_touchscreen() -> None:
    """In a process of its own, for it forks."""
    command = [sys.executable, "-m", "tests.store.kills", "150", "--seed", "2026"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(f"\ntouchscreen: {done.stdout}")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("Count(kills=150, ") and "lost=0, invented=0" in done.stdout


def test_kills_of_the_camera() -> None:
    count = kill_camera(500, 2026)
    print(f"\ncamera: {count.kills} kills, {count.begun} starts, {len(count.pictures)} pictures, none lost or doubled")
    assert (count.kills, count.begun, count.told) == (500, 501, {"camera-gone"})
    assert count.pictures == list(range(1, count.pictures[-1] + 1))


@pytest.mark.parametrize("name", NAMES)
def test_what_a_step_costs(name: str, tmp_path: Path) -> None:
    """Confirming, undoing, correcting, each on disk when it returns; and opening the game again."""
    session, times = begun(name, 5), []
    with shelf(tmp_path).begin(session.game, session.start) as log:
        for step, _ in islice(steps(session, 5), 300):
            start = time.perf_counter()
            take(log, step)
            times.append(time.perf_counter() - start)
    start = time.perf_counter()
    shelf(tmp_path).open(1).close()
    opening = time.perf_counter() - start
    print(
        f"\n{name}: a step on disk, median of 300: {median(times) * 1e3:.1f} ms, "
        f"worst {max(times) * 1e3:.0f} ms; opened again after 300: {opening * 1e3:.0f} ms"
    )
