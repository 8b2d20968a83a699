"""Webcams, on a stand-in for what OpenCV makes of one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from hardware.camera import CameraFault
from hardware.camera import v4l2 as module
from hardware.camera.v4l2 import V4l2


class Capture:
    """Gives picture after picture, as fast as they are asked for."""

    opens, gives, hangs = True, True, Event()

    def __init__(self, number: int, driver: int) -> None:
        self.settings: dict[int, float] = {}
        self.count, self.handed, self.gone = 0, 0, Event()
        Capture.last = self

    last: Capture

    def isOpened(self) -> bool:  # OpenCV's own name
        return Capture.opens

    def set(self, setting: int, value: float) -> None:
        self.settings[setting] = value

    def get(self, setting: int) -> float:
        return -1.0  # there is nothing that it sets by itself: see test_webcam_settings

    def grab(self) -> bool:
        if not Capture.hangs.is_set():
            Capture.hangs.wait()
        self.count += 1
        return Capture.gives

    def retrieve(self) -> tuple[bool, Any]:
        self.handed = self.count
        return True, np.full((4, 6, 3), 7, np.uint8)

    def release(self) -> None:
        self.gone.set()


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(module.cv2, "VideoCapture", Capture)
    monkeypatch.setattr(Path, "exists", lambda path: str(path) == "/dev/video0")
    monkeypatch.setattr(Capture, "opens", True)
    monkeypatch.setattr(Capture, "gives", True)
    going = Event()
    going.set()
    monkeypatch.setattr(Capture, "hangs", going)
    yield
    going.set()


def reason(fault: pytest.ExceptionInfo[CameraFault]) -> str:
    return fault.value.reason


def test_each_picture_is_the_newest_at_the_call_or_a_later_one() -> None:
    webcam = V4l2(0, (1280, 960))
    for _ in range(20):
        before = Capture.last.count
        assert webcam.next(30.0).pixels.shape == (4, 6, 3)
        assert Capture.last.handed >= before  # the newest may come off the driver while the call is made
    webcam.close()
    assert Capture.last.gone.wait(60)
    assert Capture.last.settings[module.cv2.CAP_PROP_FRAME_WIDTH] == 1280


def test_a_webcam_that_is_not_there_and_one_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CameraFault, match="there is no /dev/video1") as fault:
        V4l2(1, (640, 480))
    assert reason(fault) == "camera-absent"
    monkeypatch.setattr(Capture, "opens", False)
    with pytest.raises(CameraFault, match="cannot be opened; has another program got it") as fault:
        V4l2(0, (640, 480))
    assert reason(fault) == "camera-busy"


def test_a_cable_that_is_pulled(monkeypatch: pytest.MonkeyPatch) -> None:
    webcam = V4l2(0, (640, 480))
    monkeypatch.setattr(Capture, "gives", False)
    with pytest.raises(CameraFault, match="gives no more pictures; is the cable in") as fault:
        list(iter(lambda: webcam.next(30.0), None))
    assert reason(fault) == "camera-gone"
    webcam.close()


def test_a_driver_that_hangs() -> None:
    webcam = V4l2(0, (640, 480))
    webcam.next(30.0)
    Capture.hangs.clear()
    with pytest.raises(CameraFault) as fault:
        list(iter(lambda: webcam.next(0.1), None))
    assert reason(fault) == "camera-stalled"
    Capture.hangs.set()
    webcam.close()
