"""The screen itself: closed in mid-game, and turned.  Real windows, drawn off screen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.commands.games import shelf
from tests.appliance.test_service import MOST_S, ROOT
from tests.appliance.turned import COLOURS

# SDL is asked to close the window, as the cross of a window and a desktop that ends do.
CLOSED = """
import ctypes, re, sys
from companion.__main__ import main
from companion.pulse import Pulse

def close(pulse):
    library = next(re.finditer(r"\\S*libSDL2-2\\S*", open("/proc/self/maps").read())).group()
    event = (ctypes.c_uint32 * 32)(0x100)  # SDL_QUIT
    assert ctypes.CDLL(library).SDL_PushEvent(event) == 1

Pulse.ready = close
sys.exit(main(["play", "--display", "touch", "--camera", "any", "--game", "garden-rush"]))
"""
TURNED = """
import sys
from pathlib import Path
from companion.ui.window import open_window
open_window(Path(sys.argv[1]), (800, 480), int(sys.argv[2]))
from kivy.core.window import Window
from companion.ui.theme import LIGHT, Look
print(*Window.size, Look(LIGHT, Window.width, Window.height, 7.0).is_upright)
"""


def run(code: str, *arguments: str, flag: str = "-c") -> subprocess.CompletedProcess[str]:
    pytest.importorskip("kivy", reason="no Kivy on this machine")
    own = {**os.environ, "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "offscreen"}
    command = [sys.executable, flag, code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=own, timeout=5 * MOST_S, check=False)
    if "no window can be opened" in done.stderr:
        pytest.skip(f"no window can be opened on this machine: {done.stderr[-300:]}")
    return done


@pytest.mark.usefixtures("own_home")
def test_closed_it_ends_in_order_and_the_game_is_kept() -> None:
    """The service begins it again then: see `Restart` in its unit."""
    done = run(CLOSED)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr[-2000:]
    with shelf().open(1) as log:
        assert log.mended is None
    assert "Restart=always\n" in (ROOT / "systemd" / "companion.service").read_text()


@pytest.mark.parametrize(
    ("rotation", "told"),
    [(0, "800 480 False"), (90, "480 800 True"), (180, "800 480 False"), (270, "480 800 True")],
)
def test_turned_the_screens_are_laid_out_for_how_it_hangs(rotation: int, told: str, tmp_path: Path) -> None:
    done = run(TURNED, str(tmp_path), str(rotation))
    assert done.stdout.splitlines()[-1:] == [told], done.stderr[-2000:]


@pytest.mark.parametrize(
    ("rotation", "size"), [(0, [800, 480]), (90, [480, 800]), (180, [800, 480]), (270, [480, 800])]
)
def test_turned_what_is_touched_is_what_is_seen_there(rotation: int, size: list[int], tmp_path: Path) -> None:
    """A finger or a mouse on the panel presses the key whose pixels are there, once, and no other."""
    done = run("tests.appliance.turned", str(tmp_path), str(rotation), flag="-m")
    told = json.loads((done.stdout.splitlines() or ["null"])[-1])
    assert told is not None, done.stderr[-2000:]
    assert told["screen"] == size
    each = {name: [name] for name in COLOURS}
    assert (told["finger"], told["mouse"]) == (each, each)
