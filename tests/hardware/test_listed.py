"""Which camera is taken where several video devices are there, as Linux lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.commands import cameras
from companion.commands.cameras import Source, camera_of, first_camera, source, source_set
from companion.config import CameraSettings
from companion.document import Fault
from hardware.camera.listed import pi_camera, webcams

PI_4 = {
    0: ("unicam-image", 0),
    10: ("bcm2835-codec-decode", 0),
    13: ("bcm2835-isp-output0", 0),
    19: ("rpi-hevc-dec", 0),
}
PI_5 = {0: ("rp1-cfe-csi2_ch0", 0), 20: ("pispbe-input", 0), 19: ("rpivid", 0)}
NO_SENSOR = {10: ("bcm2835-codec-decode", 0), 13: ("bcm2835-isp-output0", 0)}
WEBCAM = {2: ("HD Webcam: HD Webcam", 0), 3: ("HD Webcam: HD Webcam", 1)}


def listed(folder: Path, devices: dict[int, tuple[str, int]]) -> Path:
    for number, (name, index) in devices.items():
        entry = folder / f"video{number}"
        entry.mkdir()
        (entry / "name").write_text(name + "\n")
        (entry / "index").write_text(f"{index}\n")
    return folder


@pytest.mark.parametrize(
    ("devices", "of_pi", "others"),
    [
        (PI_4, True, []),
        (PI_5, True, []),
        (NO_SENSOR, False, []),
        (WEBCAM, False, [2]),
        (PI_5 | {8: ("HD Webcam: HD Webcam", 0), 9: ("HD Webcam: HD Webcam", 1)}, True, [8]),
        ({}, False, []),
    ],
)
def test_what_is_a_camera(devices: dict[int, tuple[str, int]], of_pi: bool, others: list[int], tmp_path: Path) -> None:
    folder = listed(tmp_path, devices)
    assert (pi_camera(folder), webcams(folder)) == (of_pi, others)


def test_the_pis_own_comes_first_where_it_can_be_driven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = listed(tmp_path, PI_4 | WEBCAM)
    monkeypatch.setattr(cameras, "find_spec", lambda name: object())
    assert first_camera(folder) == Source("picamera2")
    monkeypatch.setattr(cameras, "find_spec", lambda name: None)
    assert first_camera(folder) == Source("v4l2", "2")
    assert first_camera(tmp_path / "nowhere") is None


def test_a_camera_that_the_settings_name_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is typed and is not there is a slip; one that is set up may be plugged in later."""
    with pytest.raises(Fault, match="there is no /dev/video63"):
        camera_of(source("v4l2:63"))
    for waiting in (source_set(CameraSettings("v4l2:63")), source("any")):
        camera = camera_of(waiting)
        seen = camera.read()
        assert getattr(seen, "error", "") == "camera-absent"
        camera.close()


def test_settings_that_name_no_camera() -> None:
    with pytest.raises(Fault, match=r"^config.toml: camera.source: 'webcam' found; expected auto, any, simulated"):
        source_set(CameraSettings("webcam"))
