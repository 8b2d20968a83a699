"""What calibrating has found of a camera is used wherever that camera is: in the terminal and by the doctor, too."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.profile import Profile, profile_text
from companion.__main__ import main
from companion.commands import cameras, checkup, own_camera, play
from companion.commands.cameras import Source
from companion.observation import Calibration, Frame

LENS = Calibration((1280, 960), 1000.0, (640.0, 480.0), (0.0,) * 5)
SET = {"exposure_us": 8000.0, "gain": 2.0, "focus_dioptres": 1.5}
PI, WEBCAM = Source("picamera2"), Source("v4l2", "0")


class Camera:
    """Gives some pictures, and then nothing."""

    def __init__(self, count: int = 20) -> None:
        self._left = count

    def read(self) -> Frame | None:
        self._left -= 1
        return Frame(np.full((960, 1280, 3), 128, np.uint8)) if self._left >= 0 else None

    def close(self) -> None:
        pass


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, float]]:
    """How each camera that was begun was set."""
    found: list[Mapping[str, float]] = []

    def begun(source: Source, settings: Any = None, fixed: Mapping[str, float] | None = None) -> Camera:
        found.append(dict(fixed or {}))
        return Camera()

    for module in (play, checkup):
        monkeypatch.setattr(module, "camera_of", begun)
    return found


def calibrated(home: Path, camera: str) -> None:
    profile = Profile(LENS, "2026-05-31", camera, 0.31, 20, SET)
    (home / "camera.toml").write_text(profile_text(profile), encoding="utf-8")


def played(camera: str, monkeypatch: pytest.MonkeyPatch) -> Path | None:
    """Play with a camera in lines; the lens that the eye was given."""
    lenses: list[Path | None] = []

    def eye(kit: object, args: Namespace) -> Callable[[Frame], Any]:
        lenses.append(args.camera_profile)
        return made(kit, Namespace(**{**vars(args), "camera_profile": None}))

    made = play.eye
    with monkeypatch.context() as patched:
        patched.setattr(play, "eye", eye)
        assert main(["play", "--camera", camera, "--display", "none", "--json", "--game", "garden-rush", "--new"]) == 0
    (lens,) = lenses
    return lens


@pytest.mark.parametrize(
    ("profile", "camera", "is_own"),
    [("v4l2:0", "v4l2:0", True), ("v4l2:1", "v4l2:0", False), ("any", "v4l2:0", True), ("v4l2:0", "any", True)],
)
def test_a_game_in_the_terminal_has_the_lens_and_the_settings_of_its_camera(
    profile: str,
    camera: str,
    is_own: bool,
    own_home: Path,
    asked: list[Mapping[str, float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another camera has neither; one that is taken because it is there goes by its own name."""
    monkeypatch.setattr(own_camera, "first_camera", lambda: WEBCAM)
    calibrated(own_home, profile)
    assert played(camera, monkeypatch) == (own_home / "camera.toml" if is_own else None)
    assert asked == [SET if is_own else {}]


@pytest.mark.parametrize(("profile", "is_own"), [("picamera2", True), ("any", True), ("v4l2:0", False)])
def test_the_doctor_looks_at_the_camera_as_it_is_set(
    profile: str,
    is_own: bool,
    own_home: Path,
    asked: list[Mapping[str, float]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for module in (own_camera, cameras):
        monkeypatch.setattr(module, "first_camera", lambda *_: PI)
    calibrated(own_home, profile)
    main(["doctor", "--camera", "auto"])
    assert asked == [SET if is_own else {}]
    assert "2026-05-31" in capsys.readouterr().out


def test_what_was_set_before_the_lens_was_known_is_used_too(
    own_home: Path, asked: list[Mapping[str, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    own_camera.set_before().note({"camera": "v4l2:0", "settings": SET})
    assert played("v4l2:0", monkeypatch) is None
    assert asked == [SET]


@pytest.mark.parametrize("text", ["", "nonsense = [", "size_px = [1, 1]"])
def test_a_profile_that_cannot_be_read_stands_in_nobodys_way(
    text: str, own_home: Path, asked: list[Mapping[str, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_home / "camera.toml").write_text(text, encoding="utf-8")
    assert played("v4l2:0", monkeypatch) is None
    assert asked == [{}]
