"""A companion killed while it confirms.  `make benchmark ARGS=tests/benchmarks/test_kills.py` kills it 500 times."""

import subprocess
import sys
from pathlib import Path

import pytest

from companion.games import NAMES
from tests.store.kills import ROOT, kill


@pytest.mark.parametrize("name", NAMES)
def test_nothing_confirmed_is_lost_and_nothing_made_up(name: str, tmp_path: Path) -> None:
    count = kill(tmp_path, 4, 11, name)
    assert count.kills == 4 and count.confirmed >= 4
    assert (count.lost, count.invented) == (0, 0)


def test_with_a_touchscreen_neither() -> None:
    pytest.importorskip("kivy", reason="no Kivy on this machine")
    command = [sys.executable, "-m", "tests.store.kills", "2", "--seed", "11"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "no window can be opened" in done.stderr:
        pytest.skip(f"no window can be opened on this machine: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("Count(kills=2, ") and "lost=0, invented=0" in done.stdout
