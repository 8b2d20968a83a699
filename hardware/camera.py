"""Cameras.  Each has `read`, which gives the next frame, or None once there is none, and `close`.

The simulated table's camera (`companion.simulate.camera`) has the same shape.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Condition, Thread
from typing import Any

import cv2
import numpy as np

from companion.document import Fault
from companion.observation import Frame, NotSeen

STALL_S = 5.0  # without a picture: then a camera is taken for gone


class Folder:
    """The pictures of a folder, one after the other; one that cannot be read is told as `NotSeen`."""

    def __init__(self, paths: Iterable[Path], decode: Callable[[Path], Frame | NotSeen]) -> None:
        self._paths, self._decode = iter(paths), decode

    def read(self) -> Frame | NotSeen | None:
        path = next(self._paths, None)
        return None if path is None else self._decode(path)

    def close(self) -> None:
        self._paths = iter(())


class Webcam:
    """A camera of the system, as `v4l2:0`.  Pictures that nobody took in time are let go: the newest is read."""

    def __init__(self, number: int, size_px: tuple[int, int] = (1280, 960)) -> None:
        """Raises Fault where there is no such camera."""
        self.name = f"v4l2:{number}"
        if not Path(f"/dev/video{number}").exists():
            raise Fault(f"--camera: {self.name} found, but there is no /dev/video{number}")
        self._capture = cv2.VideoCapture(number, cv2.CAP_V4L2)
        if not self._capture.isOpened():
            raise Fault(f"--camera: {self.name} cannot be opened; has another program got it?")
        for setting, value in (
            (cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG"))),
            (cv2.CAP_PROP_FRAME_WIDTH, float(size_px[0])),
            (cv2.CAP_PROP_FRAME_HEIGHT, float(size_px[1])),
            (cv2.CAP_PROP_BUFFERSIZE, 1.0),
        ):
            self._capture.set(setting, value)
        self._newest: np.ndarray[Any, Any] | None = None  # (height, width, 3) uint8 BGR
        self._count = 0
        self._closed = False
        self._changed = Condition()
        self._thread = Thread(target=self._grab, daemon=True, name=self.name)
        self._thread.start()

    def read(self) -> Frame | None:
        """The newest picture that has not been read; None once closed.  Raises Fault where none comes any more."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._closed or self._newest is not None, STALL_S):
                raise Fault(f"{self.name}: no picture for {STALL_S:.0f} s; is the cable in?")
            pixels, self._newest = self._newest, None
            return None if self._closed or pixels is None else Frame(pixels, f"{self._count:06}")

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(STALL_S)  # a driver may hang: then the thread ends with the program

    def _grab(self) -> None:
        while not self._closed:
            there, pixels = self._capture.read()
            if not there:
                time.sleep(0.05)
                continue
            with self._changed:
                self._newest, self._count = pixels, self._count + 1
                self._changed.notify_all()
        self._capture.release()
