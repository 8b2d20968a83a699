"""What stands in for picamera2 where there is none: the calls that the companion makes, and the faults that are known.

Set `FAULTS` before a camera is made.  Pictures are of `scene`, in the order of colours that the format has.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]
STRIDE = 64  # rows are as long as a whole number of these
RIGHT_US = 9_000  # the exposure that is right where the light is 1
LANDS = 3  # pictures until a control shows
CREEP = (0, 31, -17, 8, -26, 12)  # how far from there an exposure that is found creeps about, in µs
CONTROLS = {
    "AeEnable": (False, True, True),
    "AfMode": (0, 2, 0),
    "AwbEnable": (False, True, True),
    "AnalogueGain": (1.0, 16.0, 1.0),
    "ColourGains": (0.0, 32.0, None),
    "ExposureTime": (75, 11_767_556, 20_000),
    "LensPosition": (0.0, 15.0, 1.0),
}
FIRST = {"ExposureTime": 20_000, "AnalogueGain": 1.0, "ColourGains": (1.5, 1.9), "LensPosition": 1.0}


@dataclass
class Faults:
    absent: bool = False
    busy: bool = False
    stalls_after: int | None = None  # so many pictures; then `stop` hangs until what is pending was thrown away
    swapped: bool = False  # red and blue, against what the format says
    size_px: tuple[int, int] | None = None  # what the camera makes of any size
    format: str | None = None  # and of any format
    grey: bool = False  # nothing in the picture has a colour
    light: float = 1.0  # on the table
    deaf: bool = False  # takes no control, and says nothing of it
    lacks: tuple[str, ...] = ()  # controls that it has not; libcamera's virtual camera has none at all


FAULTS = Faults()


def scene(width: int, height: int, grey: bool = False) -> Array:
    """(height, width, 3) uint8 BGR: a red half and a blue half, lighter towards the bottom."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[:, : width // 2], picture[:, width // 2 :] = (30, 40, 200), (190, 60, 20)
    lighter = np.linspace(0.4, 1.0, height)[:, None, None]
    picture = np.asarray(picture * lighter, np.uint8)
    return picture if not grey else np.repeat(picture.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)


def padded(plane: Array) -> Array:
    """A plane whose rows are longer than what is in them."""
    row = -(-plane.shape[1] // STRIDE) * STRIDE
    wide = np.full((plane.shape[0], row, *plane.shape[2:]), 255, np.uint8)
    wide[:, : plane.shape[1]] = plane
    return wide


class Request:
    def __init__(self, camera: Picamera2, number: int, taken: dict[str, Any]) -> None:
        self._camera, self._number = camera, number
        self._told = {name: value for name, value in taken.items() if name in camera.camera_controls}
        self._bright = FAULTS.light * taken["ExposureTime"] / RIGHT_US

    def make_array(self, name: str) -> Array:
        stream = self._camera.camera_configuration()[name]
        width, height = stream["size"]
        picture = np.asarray((scene(width, height, FAULTS.grey) * self._bright).clip(0, 255), np.uint8)
        if name == "main":
            reverse = (stream["format"] == "BGR888") != FAULTS.swapped
            return picture[:, :, ::-1].copy() if reverse else picture  # picamera2 itself cuts these rows
        yuv = cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420)
        return padded(np.asarray(yuv[:height] * (219 / 255) + 16, np.uint8))  # luma as video has it, rows as they are

    def get_metadata(self) -> dict[str, Any]:
        return {"SensorTimestamp": self._number * 33_000_000, "FrameDuration": 33_333, **self._told}

    def release(self) -> None:
        self._camera.held -= 1


class Picamera2:
    made = 0

    @staticmethod
    def global_camera_info() -> list[dict[str, Any]]:
        return [] if FAULTS.absent else [{"Model": "stand-in", "Num": 0}]

    def __init__(self, number: int) -> None:
        if FAULTS.busy:
            raise RuntimeError("Failed to acquire camera: Device or resource busy")
        self.held = 0
        self.camera_controls = {name: CONTROLS[name] for name in CONTROLS if name not in FAULTS.lacks}
        self.set: dict[str, Any] = {}
        self._landing: list[tuple[int, dict[str, Any]]] = []
        self._taken: dict[str, Any] = dict(FIRST)
        self._automatic = True
        self.calls: list[str] = []
        self._config: dict[str, Any] = {}
        self._numbers, self._number = itertools.count(1), 0
        self._pending = False
        Picamera2.last = self

    last: Picamera2

    def create_video_configuration(
        self, main: Any, lores: Any = None, buffer_count: int = 6, queue: bool = True
    ) -> dict[str, Any]:
        assert not queue, "a picture would be older than the call"
        return {"main": main, "lores": lores, "buffer_count": buffer_count}

    def configure(self, config: dict[str, Any]) -> None:
        self.calls.append("configure")
        main = {**config["main"]}
        main["size"], main["format"] = FAULTS.size_px or main["size"], FAULTS.format or main["format"]
        self._config = {**config, "main": main}

    def camera_configuration(self) -> dict[str, Any]:
        return self._config

    def set_controls(self, controls: dict[str, Any]) -> None:
        unknown = controls.keys() - self.camera_controls.keys()
        if unknown:
            raise RuntimeError(f"Control {unknown.pop()} is not advertised by libcamera")
        self.set |= controls
        self._landing.append((self._number + LANDS, controls))

    def _expose(self) -> dict[str, Any]:
        """What the next picture is taken with."""
        while self._landing and self._landing[0][0] <= self._number and not FAULTS.deaf:
            landed = self._landing.pop(0)[1]
            self._automatic = landed.get("AeEnable", self._automatic)
            self._taken |= {name: value for name, value in landed.items() if name in self._taken}
        if self._automatic:
            towards = RIGHT_US / FAULTS.light - self._taken["ExposureTime"]
            step = towards * 0.4 if abs(towards) > 100 else towards + CREEP[self._number % len(CREEP)]
            self._taken |= {"ExposureTime": round(self._taken["ExposureTime"] + step)}
        return dict(self._taken)

    def start(self) -> None:
        self.calls.append("start")

    def capture_request(self, wait: float) -> Request:
        self._number = number = next(self._numbers)
        stalled = FAULTS.stalls_after is not None and number > FAULTS.stalls_after
        if stalled or self.held >= self._config["buffer_count"]:
            self._pending = True
            raise TimeoutError
        self.held += 1
        return Request(self, number, self._expose())

    def cancel_all_and_flush(self) -> None:
        self.calls.append("cancel_all_and_flush")
        self._pending = False

    def stop(self) -> None:
        assert not self._pending, "stop would wait for ever"
        self.calls.append("stop")

    def close(self) -> None:
        self.calls.append("close")
