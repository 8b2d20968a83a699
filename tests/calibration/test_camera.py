"""`companion calibrate lens` and `camera`: a known lens is found again, and bad views are told as what they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.album import Album
from calibration.benches.camera import CameraBench
from calibration.benches.lens import LensBench
from calibration.camera import Step, check_colours, fix_exposure, fix_focus
from calibration.dialogue import Afresh, Job, Keep
from calibration.profile import has_changed, load_profile, profile_text
from calibration.steps import keep_settings, settings_of
from calibration.workshop import Workshop
from companion.__main__ import main
from companion.commands import own_kit
from companion.document import Fault
from companion.observation import Calibration, Frame
from companion.simulate.practice import PracticeCamera
from companion.simulate.room import Light, Sensor
from companion.vision.picture import decode
from tests.calibration.photographing import (
    BENT,
    CENTRE_PX,
    CLEAN,
    FOCAL_PX,
    SIZE_PX,
    camera_at,
    chart_cameras,
    photographed,
    sheet_kit,
    write,
)

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with fourteen good pictures of the chart."""
    folder = tmp_path_factory.mktemp("chart")
    kit = sheet_kit(folder / "kit", "chart")
    return write(folder / "views", [photographed(kit, c, seed=i) for i, c in enumerate(chart_cameras())])


def lens(folder: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]]]:
    status = main(["calibrate", "lens", "--from", str(folder), "--out", str(out), "--json"])
    return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def keys(lines: list[dict[str, Any]]) -> set[str]:
    return {line["key"] for line in lines if "key" in line}


def off_px(lens: Calibration) -> float:
    """How far the lens that was found takes points to where the true one does not, px at most over the picture.

    A shift of all of them is that of a camera turned a little, which each picture finds for itself.
    """
    grid = np.stack(np.meshgrid(np.linspace(20, 1259, 12), np.linspace(20, 939, 9)), axis=-1).reshape(-1, 1, 2)
    true = np.array([[FOCAL_PX, 0, CENTRE_PX[0]], [0, FOCAL_PX, CENTRE_PX[1]], [0, 0, 1.0]])
    rays = cv2.undistortPoints(grid, true, np.array(BENT)).reshape(-1, 2)
    rays = np.hstack([rays, np.ones((len(rays), 1))])
    (cx, cy), f = lens.centre_px, lens.focal_px
    matrix = np.array([[f, 0, cx], [0, f, cy], [0, 0, 1.0]])
    again = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), matrix, np.array(lens.distortion))[0]
    off = again.reshape(-1, 2) - grid.reshape(-1, 2)
    return float(np.linalg.norm(off - off.mean(0), axis=1).max())


def test_a_known_lens_is_found_again(views: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = lens(views, tmp_path / "camera.toml", capsys)
    assert status == 0 and {"passed": True} in lines
    profile = load_profile(tmp_path / "camera.toml")
    assert profile.lens.size_px == SIZE_PX and profile.views == 14
    assert profile.lens.focal_px == pytest.approx(FOCAL_PX, rel=0.002)
    assert profile.lens.centre_px == pytest.approx(CENTRE_PX, abs=2.5)
    assert off_px(profile.lens) < 1.5
    assert profile.residual_px is not None and profile.residual_px < 0.2
    covered = [line["covered"] for line in lines if "view" in line]
    assert covered == sorted(covered) and covered[-1] > 0.7  # told as it grows


def test_the_same_view_over_and_over_is_no_calibration(
    views: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = sheet_kit(tmp_path / "kit", "chart")
    same = write(tmp_path / "same", [photographed(kit, camera_at(tilt_deg=20), seed=i) for i in range(10)])
    status, lines = lens(same, tmp_path / "camera.toml", capsys)
    assert status == 1 and not (tmp_path / "camera.toml").exists()
    assert {"few-views", "view-same-view"} <= keys(lines)
    assert [line["fault"] for line in lines if "view" in line] == ["", *["same-view"] * 9]


def test_too_few_views_and_never_a_tilt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kit = sheet_kit(tmp_path / "kit", "chart")
    straight = [camera_at((x, y), 480) for x in (-130, -45, 45, 130) for y in (-80, 0, 80)]
    few = write(tmp_path / "few", [photographed(kit, camera, seed=1) for camera in chart_cameras()[:4]])
    flat = write(tmp_path / "flat", [photographed(kit, camera, seed=1) for camera in straight])
    status, lines = lens(few, tmp_path / "camera.toml", capsys)
    assert status == 1 and "few-views" in keys(lines)
    status, lines = lens(flat, tmp_path / "camera.toml", capsys)
    assert status == 1 and "straight" in keys(lines)


@pytest.mark.parametrize(
    ("sensor", "fault"),
    [
        (replace(CLEAN, blur_px=3.5), "blurred"),
        (replace(CLEAN, blur_px=14.0), "blurred"),
        (replace(CLEAN, shot=0.02, read=0.06), "noisy"),
    ],
)
def test_a_bad_picture_is_told_as_what_it_is(
    sensor: Sensor, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = sheet_kit(tmp_path / "kit", "chart")
    folder = write(tmp_path / "views", [photographed(kit, camera_at(tilt_deg=15), sensor=sensor)])
    status, lines = lens(folder, tmp_path / "camera.toml", capsys)
    assert status == 1
    assert [line["fault"] for line in lines if "view" in line] == [fault]


def test_pictures_without_a_chart_and_files_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kit = sheet_kit(tmp_path / "kit", "colours")
    folder = write(tmp_path / "views", [photographed(kit, camera_at())])
    (folder / "zzz.png").write_bytes(b"no picture")
    status, lines = lens(folder, tmp_path / "camera.toml", capsys)
    assert status == 1 and keys(lines) == {"view-no-chart", "few-views"}
    assert {"error": "unreadable"} in lines


def test_a_view_with_a_bent_chart_is_left_out(views: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = [cv2.imread(str(path)) for path in sorted(views.iterdir())]
    height, width = pictures[4].shape[:2]
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    wave = 6 * np.sin(x / 90)
    bent = cv2.remap(pictures[4], x, y + wave.astype(np.float32), cv2.INTER_LINEAR)
    folder = write(tmp_path / "views", [*pictures[:4], bent, *pictures[5:]])
    status, lines = lens(folder, tmp_path / "camera.toml", capsys)
    assert status == 0
    assert next(line["views"] for line in lines if line.get("key") == "left-out") == "004.png"
    assert off_px(load_profile(tmp_path / "camera.toml").lens) < 1.5


def test_a_profile_says_when_another_lens_is_seen(views: Path, tmp_path: Path) -> None:
    main(["calibrate", "lens", "--from", str(views), "--out", str(tmp_path / "camera.toml")])
    profile = load_profile(tmp_path / "camera.toml")
    assert not has_changed(profile, profile.lens)
    assert not has_changed(profile, replace(profile.lens, size_px=(640, 480), focal_px=profile.lens.focal_px / 2))
    assert has_changed(profile, replace(profile.lens, focal_px=1.1 * profile.lens.focal_px))
    assert has_changed(profile, replace(profile.lens, size_px=(1280, 720)))


def test_calibrating_a_lens_anew_says_that_it_is_another_one(
    views: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Zoomed by a tenth since: what hangs on the old profile is to be looked over."""
    path = tmp_path / "camera.toml"
    _, lines = lens(views, path, capsys)
    assert "lens-changed" not in {line.get("key") for line in lines}
    _, lines = lens(views, path, capsys)
    assert "lens-changed" not in {line.get("key") for line in lines}
    found = load_profile(path)
    zoomed = replace(found, lens=replace(found.lens, focal_px=1.1 * found.lens.focal_px), made="2026-05-31")
    path.write_text(profile_text(zoomed), encoding="utf-8")
    status, lines = lens(views, path, capsys)
    assert status == 0 and any(line.get("key") == "lens-changed" and "2026-05-31" in line["text"] for line in lines)


@pytest.mark.parametrize(
    ("spoilt", "named"),
    [
        ("focal_px = nan", "focal_px"),
        ("made = 'yesterday'", "made"),
        ("residual_px = -1", "residual_px"),
        ("lens = 3", "lens"),
    ],
)
def test_a_bad_profile_is_one_line(spoilt: str, named: str, tmp_path: Path) -> None:
    text = "size_px = [1280, 960]\nfocal_px = 1000\ncentre_px = [640, 480]\ndistortion = [0, 0, 0, 0, 0]\n"
    key = spoilt.partition(" ")[0]
    lines = [line for line in text.splitlines() if not line.startswith(key)]
    (tmp_path / "camera.toml").write_text("\n".join([*lines, spoilt]))
    with pytest.raises(Fault, match=named):
        load_profile(tmp_path / "camera.toml")


# The camera's settings. A stand-in whose settings land three frames after they were asked for.


class StandIn:
    """Its exposure creeps to 8 ms, its picture is sharpest at a focus of 3.4."""

    def __init__(self, detail: bool = True, settles: bool = True, takes: bool = True) -> None:
        random = np.random.default_rng(2)
        self.scene = (random.uniform(0, 255, (120, 160, 3)) if detail else np.full((120, 160, 3), 128)).astype(np.uint8)
        self.settles, self.takes = settles, takes
        self.now = {"exposure_us": 1000.0, "gain": 1.0, "red_gain": 1.5, "blue_gain": 1.7, "focus_dioptres": 0.0}
        self.asked: list[tuple[int, dict[str, float]]] = []
        self.fixed: set[str] = set()
        self.frame = 0

    def ranges(self) -> Mapping[str, tuple[float, float]]:
        gains = {"gain": (1.0, 16.0), "red_gain": (0.0, 8.0), "blue_gain": (0.0, 8.0)}
        return {"exposure_us": (20.0, 60_000.0), **gains, "focus_dioptres": (0.0, 10.0)}

    def metadata(self) -> Mapping[str, float]:
        return dict(self.now)

    def adjust(self, settings: Mapping[str, float]) -> None:
        self.asked.append((self.frame + 3, dict(settings)))

    def automatic(self) -> None:
        self.fixed -= {"exposure_us", "gain", "red_gain", "blue_gain"}

    def read(self) -> Frame:
        self.frame += 1
        for due, settings in self.asked:
            if due == self.frame and self.takes:
                self.now.update(settings)
                self.fixed |= settings.keys()
        if "exposure_us" not in self.fixed:
            self.now["exposure_us"] *= 1.3 if not self.settles else (8000 / self.now["exposure_us"]) ** 0.3
        blur = 0.3 + abs(self.now["focus_dioptres"] - 3.4)
        return Frame(cv2.GaussianBlur(self.scene, (0, 0), blur))


def test_exposure_settles_before_it_is_fixed_and_the_metadata_say_so() -> None:
    camera = StandIn()
    step = fix_exposure(camera)
    assert step.passed and step.settings["exposure_us"] == pytest.approx(8000, rel=0.02)
    before = dict(camera.now)
    for _ in range(20):
        camera.read()
    assert camera.now == before


def test_the_focus_is_where_the_picture_is_sharpest() -> None:
    step = fix_focus(StandIn())
    assert step.passed and step.settings["focus_dioptres"] == pytest.approx(3.4, abs=0.1)


def test_the_practice_camera_is_set_by_what_its_pictures_show() -> None:
    """Its step of calibrating: it settles, is fixed and focused, and what it shows then is right."""
    kept: list[Any] = []
    workshop: Workshop | None = None
    camera = PracticeCamera(own_kit("garden-dice"), lambda: workshop.stand if workshop else None)
    workshop = Workshop(camera, CameraBench(Job("camera"), camera, kept.append))
    for _ in range(3):
        workshop.turn()
    assert [step.key for step in workshop.stand.steps] == ["exposure-fixed", "focus-fixed", "colours-right"]
    assert workshop.stand.fixed and workshop.stand.busy == ""
    before = camera.metadata()
    workshop.turn()
    assert camera.metadata() == before
    workshop.do(Keep())
    workshop.turn()
    settings = settings_of(kept[0])
    assert workshop.stand.kept and settings == {name: pytest.approx(value) for name, value in before.items()}
    camera.adjust({"exposure_us": settings["exposure_us"] / 3})  # somebody meddles with it
    for _ in range(5):
        workshop.turn()
    assert workshop.stand.steps[-1].key == "too-dim"
    workshop.do(Afresh())
    for _ in range(3):
        workshop.turn()
    assert [step.passed for step in workshop.stand.steps] == [True, True, True]


def test_a_camera_that_cannot_be_set_is_only_looked_at(tmp_path: Path) -> None:
    kit = sheet_kit(tmp_path / "kit", "colours")
    picture = photographed(kit, camera_at((20, -10), 520, 12, 40, 10), sensor=replace(CLEAN, exposure=0.8))
    bench = CameraBench(Job("camera"), SimpleNamespace(adjust=None, ranges=dict), lambda steps: None)
    assert bench.stand.busy == "setting"
    bench.look(Frame(picture))
    assert [step.key for step in bench.stand.steps] == ["colours-right"]
    assert (bench.stand.busy, bench.stand.fixed) == ("", False)


def test_a_lens_that_is_found_anew_keeps_how_its_camera_was_set(views: Path, tmp_path: Path) -> None:
    path = tmp_path / "camera.toml"
    bench = LensBench(Job("lens"), Album(tmp_path / "album"), path, "picamera2", {"gain": 2.0})
    fixed = [Step("exposure-fixed", True, settings={"gain": 3.0})]
    for settings, after in (({"gain": 2.0}, 2.0), (None, 3.0)):
        bench = LensBench(Job("lens"), Album(tmp_path / "album"), path, "picamera2", settings)
        bench.begin()
        for picture in sorted(views.glob("*.png")):
            frame = decode(picture.read_bytes())
            assert isinstance(frame, Frame)
            bench.look(frame)
        bench.do(Keep(), None)
        assert load_profile(path).settings == {"gain": after}
        keep_settings(path, fixed)


@pytest.mark.parametrize(
    ("step", "key"),
    [
        (lambda: fix_exposure(StandIn(settles=False)), "exposure-never-settled"),
        (lambda: fix_exposure(StandIn(takes=False)), "not-taken"),
        (lambda: fix_focus(StandIn(detail=False)), "nothing-to-focus-on"),
        (lambda: fix_focus(StandIn(takes=False)), "not-taken"),
    ],
    ids=["restless", "exposure not taken", "nothing to see", "focus not taken"],
)
def test_what_does_not_work_is_told(step: Any, key: str) -> None:
    found: Step = step()
    assert (found.passed, found.key) == (False, key)


@pytest.mark.parametrize(
    ("sensor", "light", "key"),
    [
        (replace(CLEAN, exposure=0.8), Light(), "colours-right"),
        (replace(CLEAN, exposure=0.3), Light(), "too-dim"),
        (replace(CLEAN, exposure=1.6), Light(), "too-bright"),
        (replace(CLEAN, exposure=0.75), Light(cast=(0.7, 1.0, 1.2)), "cast"),
    ],
)
def test_exposure_and_white_balance_show_on_the_sheet_of_colours(
    sensor: Sensor, light: Light, key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = sheet_kit(tmp_path / "kit", "colours")
    picture = photographed(kit, camera_at((20, -10), 520, 12, 40, 10), sensor=sensor, light=light)
    assert check_colours(picture).key == key
    status = main(["calibrate", "camera", "--from", str(write(tmp_path / "x", [picture])), "--lang", "hu"])
    assert status == (0 if key == "colours-right" else 1)
    assert "{" not in capsys.readouterr().out


def test_the_screen_comes_to_the_lens_of_the_command_and_goes_on_where_it_was_left(
    views: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _ = lens(views, tmp_path / "command.toml", capsys)
    frames = [decode(path.read_bytes(), path.stem) for path in sorted(views.glob("*.png"))]
    album, out = Album(tmp_path / "album"), tmp_path / "screen.toml"
    for part in (frames[:5], frames[5:]):  # on two days
        bench = LensBench(Job("lens"), album, out, "v4l2:0")
        bench.begin()
        for frame in part:
            assert isinstance(frame, Frame)
            bench.look(frame)
    assert (status, bench.stand.passed, bench.stand.views) == (0, True, len(frames))
    bench.do(Keep(), None)
    assert load_profile(out).lens == load_profile(tmp_path / "command.toml").lens
    assert load_profile(out).camera == "v4l2:0" and not album.names()
    bench.do(Afresh(), None)
    assert (bench.stand.views, bench.stand.passed, bench.stand.kept) == (0, False, False)
