"""The driver of the Pi's own camera: on a stand-in for picamera2, and on the real one where it is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import fix_exposure, fix_focus
from companion.observation import Frame
from hardware.camera import CameraFault
from hardware.camera.pi import PiCamera, colour_order
from tests.hardware import picamera2_stand_in as stand_in
from tests.hardware.contract import CONTRACT

ROOT = Path(__file__).parent.parent.parent
VIRTUAL = "COMPANION_VIRTUAL_CAMERA"  # a Debian root with the real picamera2 in it: see docs/appliance.md


@pytest.fixture(autouse=True)
def faults(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.setitem(sys.modules, "picamera2", stand_in)
    monkeypatch.setattr(stand_in, "FAULTS", stand_in.Faults())
    return lambda **changes: monkeypatch.setattr(stand_in, "FAULTS", replace(stand_in.FAULTS, **changes))


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_the_stand_in_keeps_the_contract(check: Callable[[Callable[[tuple[int, int]], PiCamera]], None]) -> None:
    check(PiCamera)


@pytest.mark.parametrize("check", [*(check.__name__ for check in CONTRACT), "settings_have_libcameras_names"])
def test_the_real_picamera2_keeps_the_contract(check: str) -> None:
    root = os.environ.get(VIRTUAL)
    if not root:
        pytest.skip(f"no {VIRTUAL}: the real picamera2 is tried on a virtual camera only where that was made")
    command = ["chroot", root, "env", "LD_PRELOAD=/opt/t/fakedmabuf.so", "PYTHONPATH=/opt/t/stubs:/opt/companion"]
    command += ["timeout", "60", "/opt/v/bin/python", "-m", "tests.hardware.real_picamera2", check]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["kept"]), done.stderr[-2000:]


def test_colours_come_as_blue_green_red_with_a_small_grey_picture() -> None:
    frame = PiCamera((1280, 720)).next(1.0)
    left, right = frame.pixels[700, 100], frame.pixels[700, 1200]
    assert left.argmax() == 2 and right.argmax() == 0  # red on the left, blue on the right
    assert frame.small is not None and frame.small.shape == (180, 320)
    assert frame.about["rate"] == pytest.approx(30, abs=0.01)


@pytest.mark.parametrize("as_format", ["RGB888", "BGR888"])
def test_colours_that_are_swapped_are_put_right(as_format: str, faults: Callable[..., None]) -> None:
    faults(swapped=True, format=as_format)
    frame = PiCamera((1280, 720)).next(1.0)
    assert frame.pixels[700, 100].argmax() == 2


def test_the_order_of_colours_is_told_once_there_are_some(faults: Callable[..., None]) -> None:
    faults(swapped=True, grey=True)
    camera = PiCamera((640, 480))
    camera.next(1.0)
    faults(grey=False)
    assert camera.next(1.0).pixels[400, 100].argmax() == 2


def test_the_order_of_colours_against_grey() -> None:
    picture = stand_in.scene(640, 480)
    grey = np.asarray(picture @ np.array([0.114, 0.587, 0.299]) * 0.8 + 20, np.uint8)
    assert colour_order(picture, grey) == "bgr"
    assert colour_order(picture[:, :, ::-1].copy(), grey) == "rgb"
    assert colour_order(stand_in.scene(640, 480, grey=True), grey) is None


def test_rows_that_are_longer_than_the_picture() -> None:
    """1296 pixels wide, a small picture 324 wide: its rows take 384 bytes, and 255 is in what is left over."""
    frame = PiCamera((1296, 972)).next(1.0)
    assert frame.small is not None and frame.small.shape == (242, 324)
    assert frame.small.max() < 255


def test_a_size_that_the_camera_makes_its_own(faults: Callable[..., None]) -> None:
    faults(size_px=(640, 360))
    assert PiCamera((1280, 720)).next(1.0).pixels.shape == (360, 640, 3)


def test_a_format_that_nobody_knows(faults: Callable[..., None]) -> None:
    faults(format="YVYU")
    with pytest.raises(CameraFault, match="pictures come as YVYU; none of RGB888") as fault:
        PiCamera((1280, 720))
    assert fault.value.reason == "camera-broken"


def test_focus_is_set_by_hand_where_it_is_wanted() -> None:
    PiCamera((640, 480), focus_dioptres=1.5)
    assert stand_in.Picamera2.last.set == {"LensPosition": 1.5, "AfMode": 0}
    PiCamera((640, 480))
    assert stand_in.Picamera2.last.set == {}


def shown(camera: PiCamera, pictures: int) -> list[dict[str, float]]:
    names = ("exposure_us", "gain", "red_gain", "blue_gain", "focus_dioptres")
    frames = [camera.next(1.0) for _ in range(pictures)]
    return [{name: frame.about[name] for name in names if name in frame.about} for frame in frames]


def test_what_is_fixed_shows_in_the_pictures_and_stays() -> None:
    camera = PiCamera((640, 480))
    assert len({one["exposure_us"] for one in shown(camera, 7)}) == 7  # it finds it by itself, ever anew
    assert camera.ranges()["gain"] == (1.0, 16.0) and camera.ranges()["blue_gain"] == (0.0, 32.0)
    fixed = {"exposure_us": 12_000.4, "gain": 3.0, "red_gain": 2.1, "blue_gain": 1.4, "focus_dioptres": 2.5}
    assert fixed.keys() == camera.ranges().keys()
    camera.adjust(fixed)
    assert shown(camera, 12)[-6:] == [{**fixed, "exposure_us": 12_000.0}] * 6
    assert stand_in.Picamera2.last.set["AeEnable"] is False and stand_in.Picamera2.last.set["AwbEnable"] is False
    camera.adjust({"gain": 4.0})  # what is not named stays
    assert shown(camera, 6)[-1] == {**fixed, "exposure_us": 12_000.0, "gain": 4.0}
    camera.adjust(None)
    assert len({one["exposure_us"] for one in shown(camera, 12)[-6:]}) > 1
    assert stand_in.Picamera2.last.set["AwbEnable"] is True


def test_what_a_camera_has_not_is_not_set(faults: Callable[..., None]) -> None:
    faults(lacks=("AfMode", "LensPosition", "ColourGains", "AwbEnable"))
    camera = PiCamera((640, 480), focus_dioptres=1.5)
    assert camera.ranges().keys() == {"exposure_us", "gain"}
    camera.adjust({"gain": 2.0, "red_gain": 1.0, "blue_gain": 1.0, "focus_dioptres": 3.0})
    camera.adjust(None)
    assert shown(camera, 6)[-1].keys() == {"exposure_us", "gain"}


def test_exposure_and_focus_are_fixed_as_calibrating_does_it() -> None:
    """Through everything but the process of its own: what was asked for is believed where the pictures show it."""

    class Near:
        def __init__(self) -> None:
            self._camera = PiCamera((640, 480))
            self.ranges, self._about = self._camera.ranges, {}

        def read(self) -> Frame:
            frame = self._camera.next(1.0)
            self._about = dict(frame.about)
            return frame

        def metadata(self) -> dict[str, float]:
            return self._about

        def adjust(self, settings: dict[str, float]) -> None:
            self._camera.adjust(settings)

        def automatic(self) -> None:
            self._camera.adjust(None)

    camera = Near()
    step = fix_exposure(camera)
    assert step.passed and step.settings.keys() == {"exposure_us", "gain", "red_gain", "blue_gain"}
    assert fix_focus(camera).key == "nothing-to-focus-on"  # what it sees is equally sharp everywhere


def test_no_camera_and_a_busy_one(faults: Callable[..., None]) -> None:
    faults(absent=True)
    with pytest.raises(CameraFault) as fault:
        PiCamera((640, 480))
    assert fault.value.reason == "camera-absent"
    faults(absent=False, busy=True)
    with pytest.raises(CameraFault, match="Device or resource busy") as fault:
        PiCamera((640, 480))
    assert fault.value.reason == "camera-busy"


def test_without_picamera2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraFault, match="sudo apt install python3-picamera2") as fault:
        PiCamera((640, 480))
    assert fault.value.reason == "camera-missing"


def test_a_camera_that_stalls_is_given_up_in_the_order_that_works(faults: Callable[..., None]) -> None:
    camera = PiCamera((640, 480))
    faults(stalls_after=3)
    with pytest.raises(CameraFault) as fault:
        list(iter(lambda: camera.next(1.0), None))
    assert fault.value.reason == "camera-stalled"
    camera.close()  # the stand-in's stop fails where what is pending was not thrown away first
    calls = stand_in.Picamera2.last.calls
    assert calls[:2] == ["configure", "start"] and calls.count("configure") == 1
    assert calls[-2:] == ["stop", "close"] and "cancel_all_and_flush" in calls[2:-2]
