"""`companion simulate`: what it writes is whole, is the same for the same seed, and fits together."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.__main__ import main
from companion.document import Field
from companion.simulate.camera import SimulatedCamera
from companion.simulate.recording import Recording
from tests.simulate.plays import a_play

ARGS = ["--size", "160x120", "--seed", "3", "--turns", "2"]


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def everything(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("game", ["garden-dice", "garden-rush", "garden-guests"])
def test_a_recording_fits_together(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert main(["simulate", str(folder), "--game", game, *ARGS, "--inputs", "--mistakes", "0.5"]) == 0
    out, err = capsys.readouterr()
    truth = lines(folder / "truth.jsonl")
    assert out == "" and f"{len(truth)} frames" in err
    frames = sorted(path.name for path in folder.glob("*.jpg"))
    assert frames == [each["frame"] for each in truth] == [f"{n:06}.jpg" for n in range(1, len(truth) + 1)]
    pictures = [cv2.imread(str(folder / name)) for name in frames]
    assert {picture.shape for picture in pictures} == {(120, 160, 3)}
    start = json.loads((folder / "start.json").read_text(encoding="utf-8"))
    assert truth[0]["position"] == start and truth[0]["kind"] == "settled"
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    assert [action for each in truth for action in each.get("done", [])] == record["actions"]
    turns = json.loads((folder / "actions.json").read_text(encoding="utf-8"))
    told = [action for turn in turns for action in turn["actions"]]
    assert len(turns) == 2
    assert told == [action for action in record["actions"] if action["do"] not in ("roll", "end-turn")]
    tapped = [action for line in lines(folder / "inputs.jsonl") for action in line["actions"]]
    assert all(action in record["actions"] for action in tapped)
    assert main(["judge", str(folder / "record.json"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["position"] == truth[-1]["position"]


def test_the_same_seed_writes_the_same(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert main(["simulate", str(tmp_path / name), *ARGS, "--lively"]) == 0
    assert everything(tmp_path / "one") == everything(tmp_path / "two")
    assert main(["simulate", str(tmp_path / "other"), *ARGS, "--lively", "--seed", "4"]) == 0
    assert (tmp_path / "one" / "000001.jpg").read_bytes() != (tmp_path / "other" / "000001.jpg").read_bytes()


def test_frames_differ_by_their_noise_alone_while_nothing_happens(tmp_path: Path) -> None:
    main(["simulate", str(tmp_path / "out"), *ARGS, "--calm"])
    one, other = (cv2.imread(str(tmp_path / "out" / f"00000{n}.jpg")).astype(int) for n in (1, 2))
    assert (one != other).any() and np.abs(one - other).mean() < 8


def test_a_video_holds_every_frame(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert main(["simulate", str(folder), *ARGS, "--video"]) == 0
    video = cv2.VideoCapture(str(folder / "video.avi"), cv2.CAP_OPENCV_MJPEG)
    count = 0
    while video.read()[0]:
        count += 1
    assert count == len(lines(folder / "truth.jsonl"))
    assert not list(folder.glob("*.jpg")) and not list(folder.glob("under-way*"))


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    main(["simulate", str(folder), *ARGS])
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    before = everything(folder)
    capsys.readouterr()
    assert main(["simulate", str(folder), *ARGS, "--turns", "1"]) == 2
    assert capsys.readouterr().err == (
        f"companion: {folder}: is not empty (000001.jpg); --force writes over an earlier recording\n"
    )
    assert everything(folder) == before
    assert main(["simulate", str(folder), *ARGS, "--turns", "1", "--force"]) == 0
    after = everything(folder)
    assert after["notes.txt"] == b"mine"
    assert len([name for name in after if name.endswith(".jpg")]) == len(lines(folder / "truth.jsonl"))


def test_enough_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C: what was recorded until then is whole and fits together."""
    add = Recording.add

    def interrupted(self: Recording, shot: Any) -> None:
        if self.frames == 20:
            signal.raise_signal(signal.SIGINT)
        add(self, shot)

    monkeypatch.setattr(Recording, "add", interrupted)
    folder = tmp_path / "out"
    assert main(["simulate", str(folder), *ARGS]) == 130
    assert len(list(folder.glob("*.jpg"))) == len(lines(folder / "truth.jsonl")) == 21
    assert "actions" in json.loads((folder / "record.json").read_text(encoding="utf-8"))
    assert not list(folder.glob("under-way*"))


def test_a_full_disk_is_told_and_leaves_whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, count = Path.write_bytes, 0

    def until_full(self: Path, content: bytes) -> int:
        nonlocal count
        count += 1
        if count > 12:
            write(self, content[: len(content) // 2])
            raise OSError(28, "No space left on device")
        return write(self, content)

    monkeypatch.setattr(Path, "write_bytes", until_full)
    folder = tmp_path / "out"
    assert main(["simulate", str(folder), *ARGS]) == 2
    assert len(list(folder.glob("*.jpg"))) == len(lines(folder / "truth.jsonl")) == 11
    assert not list(folder.glob("under-way*"))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--size", "1280"], "expected WIDTHxHEIGHT"),
        (["--size", "9x9"], "expected WIDTHxHEIGHT"),
        (["--mistakes", "2"], "expected a number from 0 to 1"),
        (["--mistakes", "often"], "expected a number from 0 to 1"),
        (["--turns", "0"], "expected 1 or more"),
        (["--calm", "--lively"], "not allowed with"),
        (["--players", "9"], "--players: 9 found"),
        (["--game", "garden-rush", "--kit", "KIT"], "is a kit of garden-dice, not of garden-rush"),
        (["--kit", "nowhere"], "nowhere/kit.toml"),
    ],
)
def test_bad_arguments_are_told_in_one_line(
    args: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = Path(__file__).parents[2] / "calibration" / "kits" / "garden-dice"
    folder = tmp_path / "out"
    try:
        status = main(["simulate", str(folder), *(str(kit) if arg == "KIT" else arg for arg in args)])
    except SystemExit as exit:  # from argparse
        status = int(exit.code or 0)
    err = capsys.readouterr().err
    assert status == 2 and said in err and err.count("\n") == 1
    assert not folder.exists()


def test_a_file_in_the_folder_s_place_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("mine", encoding="utf-8")
    assert main(["simulate", str(tmp_path / "out"), *ARGS]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_camera_that_is_closed_gives_no_more_frames() -> None:
    camera = SimulatedCamera(a_play("garden-rush", 1, 3), (160, 120))
    frame = camera.read()
    assert frame is not None and frame.pixels.shape == (120, 160, 3)
    camera.close()
    assert camera.read() is None
    unused = SimulatedCamera(a_play("garden-rush", 1, 3), (160, 120))
    unused.close()
    assert unused.read() is None


def test_what_goes_wrong_while_drawing_is_met_by_the_reader() -> None:
    play = a_play("garden-rush", 1, 3)

    def cheats(game: Any, state: Any, random: Any) -> Any:
        return game.read_action(Field({"do": "stuck"}), state)

    camera = SimulatedCamera(replace(play, choose=cheats), (160, 120))
    with pytest.raises(ValueError, match="not legal"):
        list(camera.frames())
    assert camera.read() is None
