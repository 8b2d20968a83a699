"""`companion play` as it is typed, on a simulated table: followed, kept, stopped, gone on with."""

from __future__ import annotations

import argparse
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from calibration.profile import Profile, profile_text
from companion.__main__ import main
from companion.commands import own_kit, play
from companion.commands.games import shelf
from companion.games import load_game
from companion.observation import Calibration
from companion.simulate.players import start

pytestmark = pytest.mark.usefixtures("own_home")

SMALL = ("--size", "640x480", "--calm", "--speed", "max")
COMPANION = (sys.executable, "-m", "companion")
ROOT = Path(__file__).parent.parent
MOST_S = 120.0  # that anything here may take on a machine that is busy with other things


def printed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def exported(capsys: pytest.CaptureFixture[str], *game: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["export", *game]) == 0
    return printed(capsys)[0]


def companion(*arguments: str, **more: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([*COMPANION, *arguments], stdout=subprocess.PIPE, text=True, env=environment, **more)


# Followed by itself


def test_a_game_is_followed_confirmed_and_kept_as_it_was_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "game.json"
    argv = ["play", "--camera", "simulated", "--display", "none", "--game", "garden-rush", "--seed", "7", *SMALL]
    assert main([*argv, "--turns", "3", "--confirm", "auto", "--json", "--record", str(record)]) == 0
    confirmed = [line for line in printed(capsys) if line.get("confirmed")]
    actions = [action for line in confirmed for action in line["proposal"]]
    assert [line["legal"] for line in confirmed] == [True] * 3
    assert [action["do"] for action in actions] == ["place", "place", "harvest"]
    assert exported(capsys)["actions"] == actions
    assert json.loads(record.read_text()) == exported(capsys, "1")
    assert main(["judge", str(record), "--json"]) == 0
    judged = printed(capsys)[0]
    assert judged["legal"] and judged["position"] == confirmed[-1]["position"]


def test_a_camera_that_is_not_the_one_of_its_profile_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["play", "--camera", "simulated", "--display", "none", "--game", "garden-rush", "--seed", "7", *SMALL]
    told = []
    for name, size_px in (("same", (1280, 960)), ("other", (1280, 720))):
        profile = tmp_path / f"{name}.toml"
        width, height = size_px
        lens = Calibration(size_px, 0.8 * width, (width / 2, height / 2), (0.0,) * 5)
        profile.write_text(profile_text(Profile(lens, "2026-05-31")), encoding="utf-8")
        main([*argv, "--turns", "1", "--new", "--camera-profile", str(profile)])
        told.append(capsys.readouterr().err.count("2026-05-31"))
    assert told == [0, 1]


def test_without_a_terminal_it_is_told_in_lines(capsys: pytest.CaptureFixture[str]) -> None:
    game, kit = load_game("garden-rush"), own_kit("garden-rush")
    shelf().begin(game, start(game, 2, {}, Random(1), kit), kit=str(kit.folder)).close()
    assert main(["play", "--game", "garden-rush", "--seed", "7", "--turns", "1", *SMALL[:3], "--lang", "hu"]) == 0
    out, err = capsys.readouterr()
    assert "no camera found: a simulated table" in err
    assert "no terminal to show it in: told in lines" in err
    assert "game 1 is not finished; companion play --resume 1 goes on with it" in err
    assert out.startswith("\nA rózsaszín lerak egy ") and out.endswith("A játék sorszáma a naplóban: 2.\n")


@pytest.mark.parametrize(
    ("terminal", "desktop", "display"),
    [(True, True, "touch"), (True, False, "terminal"), (False, True, "none"), (False, False, "none")],
)
def test_it_is_shown_on_a_desktop_else_in_the_terminal_else_in_lines(
    terminal: bool, desktop: bool, display: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: terminal, raising=False)
    if desktop:
        monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    parser = argparse.ArgumentParser()
    play.arguments(parser)
    args = parser.parse_args(["--camera", "simulated"])
    play.settle_display(args)
    assert args.display == display


def test_a_film_is_a_camera(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = ["--size", "640x480", "--calm", "--video"]
    assert main(["simulate", str(tmp_path / "out"), "--game", "garden-rush", "--seed", "7", "--turns", "1", *size]) == 0
    capsys.readouterr()
    film = tmp_path / "out" / "video.avi"
    argv = ["play", "--camera", f"video:{film}", "--display", "none", "--game", "garden-rush", "--speed", "max"]
    assert main([*argv, "--seed", "7", "--json"]) == 0
    lines = printed(capsys)
    assert [line["legal"] for line in lines if "proposal" in line] == [True]
    assert not [line["error"] for line in lines if "error" in line]


def test_a_folder_of_pictures_is_a_camera(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "frames"
    size = ["--size", "640x480", "--calm"]
    assert main(["simulate", str(folder), "--game", "garden-rush", "--seed", "7", "--turns", "1", *size]) == 0
    (folder / "000002.jpg").write_bytes(b"no picture")
    capsys.readouterr()
    argv = ["play", "--camera", f"folder:{folder}", "--display", "none", "--game", "garden-rush", "--speed", "max"]
    assert main([*argv, "--seed", "7", "--json"]) == 0
    lines = printed(capsys)
    assert [line["error"] for line in lines if "error" in line] == ["unreadable"]
    assert [line["legal"] for line in lines if "proposal" in line] == [True]
    assert not any(line.get("confirmed") for line in lines)
    assert exported(capsys)["actions"] == []


# Stopped, and gone on with


def read_confirmed(process: subprocess.Popen[str], count: int) -> list[dict[str, Any]]:
    """The actions of so many confirmed lines."""
    assert process.stdout is not None
    actions: list[dict[str, Any]] = []
    for line in process.stdout:
        told = json.loads(line)
        if told.get("confirmed"):
            actions += told["proposal"]
            count -= 1
        if not count:
            break
    return actions


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_game_that_is_stopped_loses_nothing_and_goes_on(
    number: signal.Signals, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["--display", "none", "--confirm", "auto", "--json", *SMALL]
    process = companion("play", "--game", "garden-rush", "--seed", "7", *argv, start_new_session=True)
    told = read_confirmed(process, 1)
    process.send_signal(number)
    assert process.stdout is not None
    rest = [json.loads(line) for line in process.stdout]
    told += [action for line in rest if line.get("confirmed") for action in line["proposal"]]
    assert process.wait(MOST_S) == status
    with pytest.raises(ProcessLookupError):  # nothing of it is left
        os.killpg(process.pid, 0)
    kept = exported(capsys)["actions"]
    assert kept[: len(told)] == told and len(kept) <= len(told) + 1
    if number == signal.SIGTERM:
        assert main(["play", "--resume", "1", "--seed", "8", "--turns", "1", *argv]) == 0
        lines = printed(capsys)
        assert next(line for line in lines if "resumed" in line) | {"frame": ""} == {
            "frame": "",
            "resumed": 1,
            "differs": {},
        }
        after = [action for line in lines if line.get("confirmed") for action in line["proposal"]]
        assert len(after) == 1 and exported(capsys)["actions"] == [*kept, *after]


# In a terminal


def test_a_game_is_played_through_with_the_keys_of_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    keyboard, terminal = pty.openpty()
    os.set_blocking(keyboard, False)
    argv = ["play", "--game", "garden-rush", "--seed", "7", "--turns", "2", *SMALL]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "vt100", "COLUMNS": "80", "LINES": "24"}
    process = subprocess.Popen(
        [*COMPANION, *argv], stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL, env=environment
    )
    os.close(terminal)
    shown, confirmed, asked = "", 0, False
    end = time.monotonic() + MOST_S
    while process.poll() is None and time.monotonic() < end:
        if not select.select([keyboard], [], [], 1.0)[0]:
            continue
        try:
            shown += os.read(keyboard, 65536).decode("utf-8", "replace")
        except OSError:
            break
        if "[c] " in shown:
            os.write(keyboard, b"c")
            shown, confirmed = "", confirmed + 1
        if "no more pictures" in shown and not asked:
            os.write(keyboard, b"qy")
            asked = True
    assert (process.wait(MOST_S), confirmed) == (0, 2)
    os.close(keyboard)
    assert [action["do"] for action in exported(capsys)["actions"]] == ["place", "place"]


def test_a_terminal_that_is_closed_ends_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    keyboard, terminal = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "vt100"}
    argv = ["play", "--game", "garden-rush", "--seed", "7", *SMALL]
    process = subprocess.Popen(
        [*COMPANION, *argv], stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL, env=environment
    )
    os.close(terminal)
    shown = b""
    while b"?1049h" not in shown:
        shown += os.read(keyboard, 1024)
    os.close(keyboard)
    assert process.wait(MOST_S) == 129
    assert exported(capsys)["actions"] == []


# What is not there


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--display", "touch"], "--json: lines and a display do not go together; use --display none"),
        (
            ["--camera", "picamera2"],
            "--camera: picamera2 found, but it is not installed: sudo apt install python3-picamera2",
        ),
        (["--camera", "v4l2:63"], "--camera: v4l2:63 found, but there is no /dev/video63"),
        (["--camera", "folder:nowhere"], "nowhere: cannot be read: No such file or directory"),
        (["--camera-profile", "nowhere.toml"], "nowhere.toml: cannot be read: No such file or directory"),
        (["--display", "terminal"], "--display: terminal found, but the output goes elsewhere; use none"),
        (["--resume", "7"], '"7": no such game'),
        (["--option", "tools"], "--option: 'tools' found; expected NAME=VALUE"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["play", "--game", "garden-rush", "--json", "--seed", "1", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == f"companion: {told}"
    assert not list(shelf().all()), "no game was begun for it"


@pytest.mark.parametrize("arguments", [["--camera", "v4l2:x"], ["--speed", "0"], ["--speed", "fast"]])
def test_arguments_that_make_no_sense(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", *arguments])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
