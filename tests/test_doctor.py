"""`companion doctor` as it is typed: every check with result and remedy, on any machine."""

from __future__ import annotations

import json
import re
from math import atan, degrees
from pathlib import Path
from queue import Queue

import numpy as np
import pytest

from calibration.profile import Profile, profile_text
from companion.__main__ import main
from companion.commands import checkup as module
from companion.commands.cameras import Source
from companion.commands.checkup import checkup
from companion.commands.doctor import _missing
from companion.observation import Calibration, Frame, NotSeen
from companion.rules import LANGUAGES
from companion.ui.view.health import BAD, FINE, UNKNOWN, WATCH, Item
from companion.words import words
from hardware.health import Machine
from hardware.mount import LENSES, Lens, mount

WEBCAM = Source("v4l2", "0")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


class Camera:
    """Gives some answers, and then nothing."""

    def __init__(self, *answers: Frame | NotSeen) -> None:
        self._answers = list(answers)
        self.closed = False

    def read(self) -> Frame | NotSeen | None:
        return self._answers.pop(0) if self._answers else None

    def close(self) -> None:
        self.closed = True


def checked(language: str = "en", source: Source = WEBCAM) -> dict[str, Item]:
    return dict(checkup(lambda: source, language))


def test_it_is_told_in_lines_and_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--camera", "simulated"]) == 0
    told = capsys.readouterr().out
    assert "Nothing stands in the way of a game." in told
    assert main(["doctor", "--camera", "simulated", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"python", "eye", "storage", "kits", "camera", "disk_free_mb", "power"} <= {line["check"] for line in lines}
    assert all(line["name"] in told for line in lines)
    assert all(line["to_do"] for line in lines if line["state"] != FINE)


def test_a_camera_that_gives_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = np.random.default_rng(0).integers(0, 255, (480, 640, 3), np.uint8)
    camera = Camera(*[Frame(picture, about={"rate": 29.7})] * 20)
    monkeypatch.setattr(module, "camera_of", lambda source, settings, fixed: camera)
    found = checked()
    assert (found["camera"].state, found["camera"].measured) == (FINE, "v4l2:0, 640 × 480")
    assert found["frames_a_second"].measured == "29.7" and found["light"].state == FINE
    assert camera.closed


def test_a_camera_is_given_the_time_to_find_its_exposure(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = np.random.default_rng(0).integers(0, 255, (480, 640, 3), np.uint8)
    finding, held = (Frame(picture, about={"held": value}) for value in (0.0, 1.0))
    for frames, state, told in (
        ([*[finding] * 40, held], FINE, "held for the game"),
        ([finding] * 200, WATCH, "the camera goes on changing it"),
        ([Frame(picture)] * 20, WATCH, "the camera goes on changing it"),
    ):
        monkeypatch.setattr(module, "camera_of", lambda source, settings, fixed, frames=frames: Camera(*frames))
        item = checked()["exposure"]
        assert (item.state, item.measured, bool(item.to_do)) == (state, told, state == WATCH)


@pytest.mark.parametrize(
    ("camera", "size_px", "state"),
    [
        ("v4l2:0", (1280, 960), FINE),
        ("v4l2:0", (640, 480), FINE),  # half as large is the same camera
        ("v4l2:0", (1280, 720), WATCH),
        ("v4l2:1", (1280, 960), WATCH),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_camera_that_is_not_the_one_that_was_calibrated(
    camera: str, size_px: tuple[int, int], state: str, language: str, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told by its name, and by the shape of its pictures."""
    seen = Frame(np.full((size_px[1], size_px[0], 3), 128, np.uint8))
    monkeypatch.setattr(module, "camera_of", lambda source, settings, fixed: Camera(*[seen] * 40))
    assert checked(language)["lens"].state == UNKNOWN
    own_folder.mkdir(parents=True)
    lens = Calibration((1280, 960), 1000.0, (640.0, 480.0), (0.0,) * 5)
    (own_folder / "camera.toml").write_text(profile_text(Profile(lens, "2026-05-31", camera, 0.31)), encoding="utf-8")
    item = checked(language)["lens"]
    residual = {"en": "0.31", "hu": "0,31"}[language]
    assert item.state == state and "2026-05-31" in item.measured and residual in item.measured
    assert bool(item.to_do) == (state == WATCH)


@pytest.mark.parametrize(
    ("language", "remedy"),
    [("en", "Another program uses the camera."), ("hu", "A kamerát egy másik program használja.")],
)
def test_a_camera_that_does_not(language: str, remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    camera = Camera(NotSeen("camera-busy", "it is busy"))
    monkeypatch.setattr(module, "camera_of", lambda source, settings, fixed: camera)
    item = checked(language)["camera"]
    assert (item.state, item.measured) == (BAD, "v4l2:0: it is busy") and item.to_do.startswith(remedy)
    assert camera.closed


def test_settings_that_cannot_be_read_are_told_and_the_rest_is_checked(
    own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_folder.mkdir()
    (own_folder / "config.toml").write_text("[panel]\nundo_pin = 17\n")
    assert main(["doctor", "--camera", "simulated"]) == 1
    told = capsys.readouterr().out
    assert "panel.undo_pin: 17 found, but confirm_pin has it; each needs its own" in told
    assert "Put the file right" in told and "free memory" in told and "Something is wrong: see above." in told


@pytest.mark.parametrize("home", ["file", "file/within", "x" * 300, "/proc/nowhere"])
def test_a_folder_that_cannot_be_is_told_and_the_rest_is_checked(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("no folder")
    monkeypatch.setenv("COMPANION_HOME", home)
    assert main(["doctor", "--camera", "simulated"]) == 1
    out, err = capsys.readouterr()
    assert "BAD" in out and ("Give the folder to the user who plays" in out or "File name too long" in out)
    assert "free memory" in out and out.endswith("Something is wrong: see above.\n") and err == ""


@pytest.mark.parametrize("place", ["nowhere", "file", "empty", "nothing-in-it"])
def test_a_folder_of_pictures_that_has_none_is_told_and_the_rest_is_checked(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("no folder")
    Path("empty").mkdir()
    Path("nothing-in-it").mkdir()
    (Path("nothing-in-it") / "notes.txt").write_text("no picture")
    assert main(["doctor", "--camera", f"folder:{place}"]) == 1
    out, err = capsys.readouterr()
    assert f"{place}: " in out and "free memory" in out and err == ""


def test_a_kit_is_named_for_the_mount_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--kit", "somewhere"]) == 2
    assert capsys.readouterr().err == "companion: --kit: it goes with --mount alone\n"


def test_games_that_cannot_be_read_and_kits_that_are_gone(own_folder: Path, tmp_path: Path) -> None:
    from random import Random

    from companion.commands import own_kit
    from companion.commands.games import shelf
    from companion.games import load_game
    from companion.simulate.players import start

    game, kit = load_game("garden-rush"), own_kit("garden-rush")
    shelf().begin(game, start(game, 2, {}, Random(1), kit), kit=str(tmp_path / "lent")).close()
    (own_folder / "games" / "0002.game").write_bytes(b"no game at all")
    found = checked(source=Source("simulated"))
    assert found["games"].state == BAD and "0002.game" in found["games"].measured
    assert found["kits"].measured == f"{tmp_path / 'lent'}: the folder is gone"


@pytest.mark.parametrize(
    ("machine", "state", "measured"),
    [
        (Machine(slowed=True), WATCH, "slowed down, for heat or for want of power"),
        (Machine(slowed=False), FINE, "full"),
    ],
)
def test_a_pi_that_runs_slower_than_it_could(
    machine: Machine, state: str, measured: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.health.machine", lambda folder: machine)
    item = checked(source=Source("simulated"))["speed"]
    assert (item.state, item.measured) == (state, measured)


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(module.tempfile, "TemporaryFile", refused)
    item = checked(source=Source("simulated"))["storage"]
    assert item.state == BAD and item.measured.endswith(": Read-only file system")


def test_a_card_that_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "monotonic", iter((5.0, 7.1)).__next__)
    item = checked(source=Source("simulated"))["storage"]
    assert item.state == BAD and item.measured.endswith(", a write takes 2.10 s")
    assert item.to_do.startswith("The card or disk is slow or worn out")


def test_without_pins_there_is_nothing_to_try(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from hardware import panel

    monkeypatch.setattr(panel, "header_chip", lambda: None)
    assert checked(source=Source("simulated"))["pins"].state == UNKNOWN
    assert main(["doctor", "--buttons"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_buttons_are_tried_until_each_was_seen(capsys: pytest.CaptureFixture[str]) -> None:
    told = words("companion", "en")["doctor"]["pressed"]
    pressed: Queue[str] = Queue()
    for press in ("confirm", "confirm", "undo-stuck", "undo-freed", "menu", "undo", "confirm"):
        pressed.put(press)
    assert list(_missing(pressed, told)) == []
    assert capsys.readouterr().out.splitlines() == [
        "confirm",
        "confirm",
        "undo sticks",
        "undo is free again",
        "menu (undo held)",
        "undo",
    ]
    assert list(_missing(pressed, told, 0)) == ["menu", "undo"]
    assert capsys.readouterr().out.splitlines() == ["confirm", "never seen: menu (undo held)", "never seen: undo"]


# The camera's mount


def test_a_height_worked_out_by_hand() -> None:
    """90° see twice the height: a table of 400 mm with 15 % more is 460 mm, so 230 mm above it."""
    found = mount(Lens("square", 90.0, 90.0), (400.0, 300.0), (920, 920))
    assert found.height_mm == pytest.approx(230)
    assert found.seen_mm == pytest.approx((460, 460)) and found.px_per_mm == pytest.approx(2.0)


@pytest.mark.parametrize("lens", LENSES, ids=lambda lens: lens.name)
@pytest.mark.parametrize("table_mm", [(416.0, 416.0), (357.0, 476.0), (900.0, 300.0)])
def test_all_of_a_table_is_seen_from_there_and_no_less_high(lens: Lens, table_mm: tuple[float, float]) -> None:
    height_mm = mount(lens, table_mm, (1640, 1232)).height_mm
    angles = sorted((lens.wide_deg, lens.tall_deg), reverse=True)
    needed = [2 * degrees(atan(1.15 * side / 2 / height_mm)) for side in sorted(table_mm, reverse=True)]
    assert all(need <= angle + 1e-9 for need, angle in zip(needed, angles, strict=True))
    assert any(need == pytest.approx(angle) for need, angle in zip(needed, angles, strict=True))


def test_the_mount_of_the_own_kits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--mount", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 9
    assert all(line["px_per_mm"] > 1 and 200 < line["height_mm"] < 1000 for line in lines)
    assert main(["doctor", "--mount", "--kit", "nowhere"]) == 2


# What only a Raspberry Pi can show


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_says_what_should_be_seen_and_that_nobody_has_seen_it(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--acceptance", "--lang", language]) == 0
    told = capsys.readouterr().out
    steps = re.findall(r"^\[ \] +(\d+)\. .+\n {8}\S.+$", told, re.MULTILINE)
    assert list(map(int, steps)) == list(range(1, 16))
    assert {"en": "has not run this list on one yet", "hu": "még nem futtatta le"}[language] in told


def test_both_languages_have_the_same_steps() -> None:
    of = {language: words("companion", language)["doctor"] for language in LANGUAGES}
    assert len({len(told["acceptance"]["steps"]) for told in of.values()}) == 1
    assert len({tuple(sorted(told["name"])) for told in of.values()}) == 1
    assert len({tuple(sorted(told["to-do"])) for told in of.values()}) == 1
