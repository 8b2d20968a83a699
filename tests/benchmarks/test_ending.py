"""How long the companion with the touchscreen takes to end when it is told to, and that everything is on disk then.

`make benchmark ARGS=tests/benchmarks/test_ending.py` prints the figures.
"""

from __future__ import annotations

import signal
import socket
import time
from pathlib import Path

import pytest

from companion.commands.games import shelf
from tests.appliance.test_limits import PATIENCE_S, companion, frames, systemd

__all__ = ["frames", "systemd"]  # fixtures
MOST_S = 2.0


@pytest.mark.usefixtures("own_home")
@pytest.mark.parametrize("signs", [1, 2, 4, 6], ids=lambda signs: f"after {signs} signs of life")
def test_it_ends_within_two_seconds(signs: int, frames: Path, systemd: socket.socket) -> None:
    """At once when it is ready; while the eye learns the kit; while the table is watched."""
    with companion(frames, systemd, lambda: None) as process:
        systemd.settimeout(PATIENCE_S)
        for _ in range(signs):
            systemd.recv(100)
        begun_s = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 143
        took_s = time.monotonic() - begun_s
    with shelf().open(1) as log:
        print(f"\nended {took_s:.2f} s after SIGTERM, with {len(log.session.actions)} actions kept")
        assert log.mended is None
    assert took_s < MOST_S
