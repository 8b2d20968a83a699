"""Kills the process that has a camera, again and again, between two pictures and in the middle of one."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from companion.observation import NotSeen
from hardware.camera import CameraFault
from hardware.camera.apart import Apart
from hardware.camera.tended import Tended


@dataclass
class Count:
    kills: int = 0
    begun: int = 0
    pictures: list[int] = field(default_factory=list)  # their numbers, as they came
    told: set[str] = field(default_factory=set)  # why there was none


def kill_camera(kills: int, seed: int) -> Count:
    """Kill it so many times and go on until a picture comes again; pauses are left out."""
    random, count, now_s = Random(seed), Count(), [0.0]
    feeds: list[Apart] = []

    def begin() -> Apart:
        feeds.append(Apart([sys.executable, "-m", "tests.hardware.faulty_camera", "works", "0"]))
        return feeds[-1]

    def wait(seconds: float) -> None:
        now_s[0] += seconds

    camera = Tended(begin, lambda: now_s[0], wait)
    last = False
    while not last:
        answer = camera.read()
        if isinstance(answer, NotSeen):
            count.told.add(answer.error)
        elif answer is not None:
            count.pictures.append(int(answer.name))
            last = count.kills == kills
            if not last and random.random() < 0.5:
                if random.random() < 0.5:
                    with suppress(CameraFault):
                        feeds[-1].next(0)  # it is making one
                os.kill(feeds[-1].pid, signal.SIGKILL)
                count.kills += 1
    camera.close()
    count.begun = len(feeds)
    return count
