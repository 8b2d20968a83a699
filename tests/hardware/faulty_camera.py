"""A process that has a camera which fails in some way after some pictures: `HOW AFTER LINK`."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Mapping
from threading import Event

import numpy as np

from companion.observation import Frame
from hardware.camera import BUSY, GONE, CameraFault
from hardware.camera.process import serve

SIZE_PX = (48, 64)


class Faulty:
    """Picture n is of the value n all over, with n small ones beside it."""

    def __init__(self, how: str, after: int) -> None:
        if how == "busy":
            raise CameraFault(BUSY, "another program has it")
        self._how, self._after, self._count = how, after, 0
        self._set: dict[str, float] = {}

    def next(self, wait_s: float) -> Frame:
        self._count += 1
        if self._count > self._after:
            match self._how:
                case "hangs":
                    Event().wait()
                case "is killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "is pulled":
                    raise CameraFault(GONE, "the cable is out")
                case "breaks":
                    raise ValueError("a driver's own fault")
        pixels = np.full((*SIZE_PX, 3), self._count, np.uint8)
        if self._how == "grows" and self._count > self._after:
            pixels = np.full((480, 640, 3), self._count, np.uint8)
        return Frame(pixels, small=pixels[::4, ::4, 0], about={"rate": 30.0, **self._set})

    def ranges(self) -> Mapping[str, tuple[float, float]]:
        return {"gain": (1.0, 16.0)}

    def adjust(self, settings: Mapping[str, float] | None) -> None:
        self._set = {} if settings is None else {**self._set, **settings}

    def relit(self) -> None:
        self._count += 100

    def close(self) -> None:
        if self._how == "is pulled":
            Event().wait()  # as stopping a camera may do whose cable is out


if __name__ == "__main__":
    how, after, link = sys.argv[1:]
    os._exit(serve(lambda: Faulty(how, int(after)), socket.socket(fileno=int(link))))
