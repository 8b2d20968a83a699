"""How the memory of a process grows that follows one simulated game after another.  Nothing here fails.

`make benchmark ARGS=tests/benchmarks/test_memory.py` prints what it holds, every two thousand pictures.  MEMORY_FRAMES
says how many pictures are looked at: 100000 take hours.  They are small, which matters for the time and not for what is
kept: of pictures it is but the last few.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from random import Random

import cv2
import pytest

from companion.commands import own_kit
from companion.commands.follow import Follower
from companion.commands.games import shelf
from companion.games import NAMES, load_game
from companion.simulate.camera import SimulatedCamera
from companion.simulate.living import Play
from companion.simulate.players import choose, start
from companion.table import Seen, Table, Tell
from companion.vision.learned import knowledge_of
from companion.vision.watch import Watch

FRAMES = int(os.environ.get("MEMORY_FRAMES", "4000"))
EVERY = 2000
SIZE_PX = (480, 360)
MISTAKES = 0.1
STATUS = Path("/proc/self/status")


def held_mb() -> float:
    """What of this process is in memory now."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def followed() -> Iterator[str]:
    """A picture after the other is simulated and looked at; what lies there is confirmed where it stands clear."""
    watches = {name: Watch(kit, knowledge_of(kit)) for name in NAMES for kit in [own_kit(name)]}
    for seed in count(1):
        name = NAMES[seed % len(NAMES)]
        game, watch, random = load_game(name), watches[name], Random(seed)
        begun = start(game, 2, {}, random, watch.kit)
        play = Play(game, watch.kit, begun, choose, random, seed, mistakes=MISTAKES)
        camera = SimulatedCamera(play, SIZE_PX, ahead=0)
        with shelf().begin(game, begun, kit=str(watch.kit.folder)) as log:
            follower = Follower(Table(watch.kit, log), confirms=True)
            for shot in camera.shots():
                events = [*(Tell((action,)) for action in shot.tapped), Seen(watch.see(shot.frame))]
                list(follower.lines(shot.frame.name, events))
                yield name


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells it so")
def test_memory_over_many_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    cv2.setNumThreads(1)
    held: dict[int, float] = {}
    for number, name in enumerate(islice(followed(), FRAMES), 1):
        if number % EVERY == 0:
            held[number] = held_mb()
            print(f"\n{number} pictures ({name}): {held[number]:.1f} MB", end="", flush=True)
    early = held.get(20_000, next(iter(held.values()), 0.0))
    print(f"\n  at the end {held_mb() - early:+.1f} MB against {'20,000 pictures' if 20_000 in held else 'the first'}")
