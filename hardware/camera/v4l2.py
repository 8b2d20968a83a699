"""Webcams, by Video4Linux through OpenCV."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from threading import Condition, Thread
from typing import Any

import cv2

from companion.observation import Frame
from hardware.camera import ABSENT, BUSY, GONE, STALLED, CameraFault
from hardware.camera.exposure import HELD, LOOSE
from hardware.camera.webcam_settings import Held

REFUSED = 20  # pictures one after another that do not come: it is gone
RATE_OVER = 20  # pictures over which it is told how many come in a second


class V4l2:
    """A webcam.  A thread takes every picture off the driver, so that the one that is asked for is a new one.

    That thread alone sets the camera, between two pictures.
    """

    def __init__(self, number: int, size_px: tuple[int, int]) -> None:
        self._name = f"v4l2:{number}"
        if not Path(f"/dev/video{number}").exists():
            raise CameraFault(ABSENT, f"{self._name}: there is no /dev/video{number}")
        self._capture = cv2.VideoCapture(number, cv2.CAP_V4L2)
        if not self._capture.isOpened():
            raise CameraFault(BUSY, f"{self._name} cannot be opened; has another program got it?")
        for setting, value in (
            (cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG"))),
            (cv2.CAP_PROP_FRAME_WIDTH, float(size_px[0])),
            (cv2.CAP_PROP_FRAME_HEIGHT, float(size_px[1])),
            (cv2.CAP_PROP_BUFFERSIZE, 1.0),
        ):
            self._capture.set(setting, value)
        self._held = Held(self._capture)
        self._wanted = self._gone = self._closed = False
        self._taken: Any = None  # (height, width, 3) uint8 BGR
        self._about: dict[str, float] = {}
        self._rate = 0.0
        self._changed = Condition()
        self._thread = Thread(target=self._grab, daemon=True, name=self._name)
        self._thread.start()

    def next(self, wait_s: float) -> Frame:
        with self._changed:
            self._wanted, self._taken = True, None
            came = self._changed.wait_for(lambda: self._taken is not None or self._gone, wait_s)
            if self._gone:
                raise CameraFault(GONE, f"{self._name}: the camera gives no more pictures; is the cable in?")
            if not came:
                raise CameraFault(STALLED, f"{self._name}: no picture for {wait_s:.0f} s")
            return Frame(self._taken, about=self._about)

    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """Nothing: webcams mean each its own by the numbers that they take."""
        return {}

    def adjust(self, settings: Mapping[str, float] | None) -> None:
        """There is nothing to set but to find exposure, white balance and focus anew."""
        if settings is None:
            self._held.free()

    def relit(self) -> None:
        self._held.relit()

    def close(self) -> None:
        self._closed = True
        self._thread.join(1.0)  # a driver may hang: then it ends with the process

    def _grab(self) -> None:
        refused, count, since_s = 0, 0, time.monotonic()
        while not self._closed and refused < REFUSED:
            if not self._capture.grab():
                refused += 1
                time.sleep(0.05)
                continue
            refused, count = 0, count + 1
            if count == RATE_OVER:
                now_s = time.monotonic()
                self._rate, count, since_s = count / (now_s - since_s), 0, now_s
            if self._wanted:
                self._hand_over()
        with self._changed:
            self._gone = True
            self._changed.notify_all()
        self._held.let_go()
        self._capture.release()

    def _hand_over(self) -> None:
        there, pixels = self._capture.retrieve()
        if there:
            self._held.meet(pixels)
            with self._changed:
                self._wanted, self._taken = False, pixels
                self._about = {"rate": self._rate}
                if self._held.state != LOOSE:
                    self._about["held"] = float(self._held.state == HELD)
                self._changed.notify_all()
