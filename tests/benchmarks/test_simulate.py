"""How fast a simulated table is drawn, in frames a second.  `make benchmark` prints this; nothing here fails.

The processor's time of one thread says what one core can do; the clock's, with JPEG and two threads, what a recording
takes on this machine, other work included.
"""

from __future__ import annotations

import time
from collections import defaultdict

import cv2
import numpy as np
import pytest

from companion.simulate.camera import SimulatedCamera
from companion.simulate.film import Film
from companion.simulate.living import Life
from companion.simulate.moods import CALM, LIVELY, USUAL, Mood
from tests.simulate.plays import a_play

SIZE = (1280, 960)
TURNS = {"garden-dice": 4, "garden-rush": 4, "garden-guests": 8}
JPEG = [cv2.IMWRITE_JPEG_QUALITY, 90]


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("mood", [CALM, USUAL, LIVELY], ids=["calm", "usual", "lively"])
def test_on_one_core(name: str, mood: Mood) -> None:
    """By kind of frame; `*` marks those in which pieces, dice or light have changed."""
    cv2.setNumThreads(1)
    life = Life(a_play(name, 1, TURNS[name], mood, mistakes=0.1), SIZE)
    setting, random = life.setting, np.random.default_rng(1)
    film = Film(life.play.kit, setting.camera, setting.surface, setting.sensor, 1)
    spent: dict[str, list[float]] = defaultdict(list)
    last = None
    for told in life.told():
        scene = told.moment.scene
        still = scene.placements, scene.dice, scene.light
        kind = told.moment.kind + ("" if last and all(a is b for a, b in zip(still, last, strict=True)) else "*")
        begun = time.process_time()
        film.shoot(scene, random)
        spent[kind].append(time.process_time() - begun)
        last = still
    frames, total = sum(map(len, spent.values())), sum(map(sum, spent.values()))
    print(f"\n{name}: {frames / total:.0f} frames a second of one core, {frames} frames")
    for kind, times in sorted(spent.items()):
        print(f"  {kind:9} {1000 * np.mean(times):6.1f} ms, {len(times)} of them")


@pytest.mark.parametrize("name", TURNS)
def test_recorded_on_two_cores(name: str) -> None:
    cv2.setNumThreads(2)
    camera = SimulatedCamera(a_play(name, 1, TURNS[name], mistakes=0.1), SIZE)
    begun, spent, frames = time.monotonic(), time.process_time(), 0
    for frame in camera.frames():
        cv2.imencode(".jpg", frame.pixels, JPEG)
        frames += 1
    took, spent = time.monotonic() - begun, time.process_time() - spent
    print(
        f"\n{name}: {frames / took:.0f} frames a second by the clock, {1000 * spent / frames:.0f} ms of processor each"
    )
