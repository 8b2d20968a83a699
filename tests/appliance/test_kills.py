"""The whole companion killed while it follows a game: `python -m tests.appliance.kills_of_all` does it for longer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.appliance.test_service import ROOT


def test_killed_at_random_instants_nothing_that_was_told_is_lost(learned: Path, tmp_path: Path) -> None:
    """In a process of its own, for it forks; what is known of the kits is there already."""
    (tmp_path / "cache").symlink_to(learned)
    command = [sys.executable, "-m", "tests.appliance.kills_of_all", "none", "5"]
    command += ["--seed", "11", "--home", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("Count(kills=5, ") and done.stdout.rstrip().endswith("lost=0, mended=0)")
