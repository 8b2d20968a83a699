"""The Raspberry Pi's own camera, by picamera2.

Two streams of one configuration that is never changed: the main one is for reading, the small one for the glance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import cv2
import numpy as np

from companion.observation import Frame
from hardware.camera import ABSENT, BROKEN, BUSY, MISSING, STALLED, CameraFault
from hardware.camera.exposure import HELD, LOOSE, Exposure

Array = np.ndarray[Any, Any]

PICTURES = {"buffer_count": 4, "queue": False}  # no picture is kept for later: each that is asked for is a new one
SMALL_WIDTH_PX = 320  # about
FIRST_S = 8.0  # a camera takes a while until its first picture
LEVEL_PX = 16  # of each so many rows and columns one tells how bright a picture is
COLOUR_PX = 160  # width at which the order of the colours is told
COLOURED, SURE = 4.0, 2.0  # by how much colours must differ from grey, and one order must fit better than the other
# How pixels lie in memory is the reverse of what libcamera calls a format.
TURNED: Mapping[str, Callable[[Array], Array]] = {
    "RGB888": lambda pixels: pixels,
    "BGR888": lambda pixels: pixels[:, :, ::-1],
    "XRGB8888": lambda pixels: pixels[:, :, :3],
    "XBGR8888": lambda pixels: pixels[:, :, 2::-1],
    "NV12": lambda pixels: cv2.cvtColor(pixels, cv2.COLOR_YUV2BGR_NV12),
    "YUV420": lambda pixels: cv2.cvtColor(pixels, cv2.COLOR_YUV2BGR_I420),
}
SET = {"exposure_us": "ExposureTime", "gain": "AnalogueGain", "focus_dioptres": "LensPosition"}  # by our names
GAINS = ("red_gain", "blue_gain")  # of the white balance: there they are one, "ColourGains"
TOLD = {  # what is handed on of a picture's metadata: its name there, and with us
    "ExposureTime": "exposure_us",
    "AnalogueGain": "gain",
    "Lux": "lux",
    "LensPosition": "focus_dioptres",
    "FocusFoM": "focus",
    "SensorTimestamp": "stamp_ns",
}


class PiCamera:
    """A camera on the Pi's own connector.

    Whatever goes wrong with it is a CameraFault; where it hangs, that is for whoever started this process.
    """

    def __init__(
        self,
        size_px: tuple[int, int],
        focus_dioptres: float | None = None,
        number: int = 0,
        prepare: Callable[[Any], None] = lambda camera: None,
        main_format: str = "RGB888",
    ) -> None:
        """`prepare` is called with picamera2's camera before it is configured."""
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            text = f"picamera2 is missing ({error}): sudo apt install python3-picamera2"
            raise CameraFault(MISSING, text) from None
        if not Picamera2.global_camera_info():
            raise CameraFault(ABSENT, "picamera2: no camera is connected")
        try:
            self._camera = Picamera2(number)
        except Exception as error:  # picamera2 raises RuntimeError, libcamera whatever it likes
            raise CameraFault(BUSY, f"picamera2: the camera cannot be opened: {error}") from None
        try:
            prepare(self._camera)
            self._configure(size_px, main_format, focus_dioptres)
            self._camera.start()
            self._reverse = False
            self._order_known = not self._has_small
            self.next(FIRST_S)
        except CameraFault:
            raise
        except Exception as error:
            self.close()
            raise CameraFault(BROKEN, f"picamera2: the camera cannot be started: {error}") from None

    def _configure(self, size_px: tuple[int, int], main_format: str, focus_dioptres: float | None) -> None:
        width, height = (side // 2 * 2 for side in size_px)
        by = max(1, round(width / SMALL_WIDTH_PX))
        small = {"size": (width // by // 2 * 2, height // by // 2 * 2), "format": "YUV420"}
        streams: dict[str, Any] = {"main": {"size": (width, height), "format": main_format}}
        if main_format == "RGB888":
            streams["lores"] = small
        self._camera.configure(self._camera.create_video_configuration(**streams, **PICTURES))
        self._exposure = Exposure(self._camera.camera_controls)
        if focus_dioptres is not None:
            self.adjust({"focus_dioptres": focus_dioptres})
        found = self._camera.camera_configuration()  # it may have been adjusted
        self._format, self._size_px = found["main"]["format"], found["main"]["size"]
        if self._format not in TURNED:
            raise CameraFault(BROKEN, f"picamera2: pictures come as {self._format}; none of {', '.join(TURNED)}")
        small_stream = found.get("lores")
        self._has_small = bool(small_stream)
        self._small_px = small_stream["size"] if small_stream else (0, 0)

    def next(self, wait_s: float) -> Frame:
        try:
            request = self._camera.capture_request(wait=wait_s)
        except TimeoutError:
            self._give_up()
            raise CameraFault(STALLED, f"picamera2: no picture for {wait_s:.0f} s; is the cable in?") from None
        try:
            pixels, metadata = request.make_array("main"), request.get_metadata()
            small = request.make_array("lores") if self._has_small else None
        finally:
            request.release()  # at once: the camera has few buffers
        return self._frame(pixels, small, metadata)

    def ranges(self) -> Mapping[str, tuple[float, float]]:
        known = self._camera.camera_controls
        found = {ours: known[name][:2] for ours, name in SET.items() if name in known}
        gains = dict.fromkeys(GAINS, known["ColourGains"][:2]) if "ColourGains" in known else {}
        return {name: (float(low), float(high)) for name, (low, high) in {**found, **gains}.items()}

    def adjust(self, settings: Mapping[str, float] | None) -> None:
        if settings is None:
            self._camera.set_controls(self._exposure.fix(None))
            return
        wanted: dict[str, Any] = {SET[name]: value for name, value in settings.items() if name in SET}
        if "ExposureTime" in wanted:
            wanted["ExposureTime"] = round(wanted["ExposureTime"])
        if "LensPosition" in wanted:
            wanted["AfMode"] = 0  # by hand
        if all(name in settings for name in GAINS):
            wanted["ColourGains"] = tuple(settings[name] for name in GAINS)
        there = self._camera.camera_controls
        possible = {name: value for name, value in wanted.items() if name in there}
        self._camera.set_controls({**possible, **self._exposure.fix(possible)})

    def _frame(self, pixels: Array, small: Array | None, metadata: Mapping[str, Any]) -> Frame:
        """Rows may be longer than the picture, and YUV420 has its grey picture on top."""
        width, height = self._size_px
        of_yuv = self._format in ("NV12", "YUV420")
        turned = TURNED[self._format](pixels if of_yuv else pixels[:height, :width])[:height, :width]
        grey = None if small is None else small[: self._small_px[1], : self._small_px[0]]
        if not self._order_known and grey is not None:
            order = colour_order(turned, grey)
            self._order_known, self._reverse = order is not None, order == "rgb"
        if self._reverse:
            turned = turned[:, :, ::-1]
        about = {ours: float(metadata[name]) for name, ours in TOLD.items() if metadata.get(name) is not None}
        about |= dict(zip(GAINS, map(float, metadata.get("ColourGains", ())), strict=False))
        if duration_us := metadata.get("FrameDuration"):
            about["rate"] = 1e6 / duration_us
        level = float(turned[::LEVEL_PX, ::LEVEL_PX].mean())
        if wanted := self._exposure.meet(metadata, level):
            self._camera.set_controls(wanted)
        if self._exposure.state != LOOSE:
            about["held"] = float(self._exposure.state == HELD)
        return Frame(np.ascontiguousarray(turned), small=grey, about=about)

    def relit(self) -> None:
        self._exposure.relit()

    def _give_up(self) -> None:
        """After a time-out `stop` would wait for ever, unless what is pending is thrown away first."""
        with suppress(Exception):
            self._camera.cancel_all_and_flush()

    def close(self) -> None:
        for end in (self._camera.cancel_all_and_flush, self._camera.stop, self._camera.close):
            with suppress(Exception):  # it is given up
                end()


def colour_order(pixels: Array, grey: Array) -> str | None:
    """Whether (H, W, 3) `pixels` are `bgr` or `rgb`, by the grey picture (h, w) that the camera made of the same view.

    None where the view has too little colour to tell.
    """
    size = (COLOUR_PX, max(1, COLOUR_PX * grey.shape[0] // grey.shape[1]))
    few = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    should = cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    as_bgr = cv2.cvtColor(few, cv2.COLOR_BGR2GRAY).astype(np.float32)
    as_rgb = cv2.cvtColor(few, cv2.COLOR_RGB2GRAY).astype(np.float32)
    if float(np.abs(as_bgr - as_rgb).mean()) < COLOURED:
        return None
    wrong = {name: _misfit(made, should) for name, made in (("bgr", as_bgr), ("rgb", as_rgb))}
    best = min(wrong, key=lambda name: wrong[name])
    return best if SURE * wrong[best] < max(wrong.values()) else None


def _misfit(made: Array, should: Array) -> float:
    """How far two grey pictures are apart, but for brightness and contrast: video leaves the ends of the range out."""
    slope, offset = np.polyfit(made.ravel(), should.ravel(), 1)
    return float(np.abs(slope * made + offset - should).mean())
