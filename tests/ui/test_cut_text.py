"""Every screen there is, drawn and measured: no text is cut, none lies over another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.touchscreen import Touchscreen

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("size", ["800x480", "720x1280"])
def test_no_screen_has_cut_or_overlapping_text(screen: Touchscreen, size: str, tmp_path: Path) -> None:
    """All sizes have one of two shapes, and everything is in millimetres: the others are these with finer pixels."""
    command = [sys.executable, "-m", "companion", "screens", str(tmp_path), "--size", size, "--theme", "contrast"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / f"table-proposed-hu-{size}-contrast.png").stat().st_size > 10_000
