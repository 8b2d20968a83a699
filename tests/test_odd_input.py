"""Whatever is named on the command line, wherever the companion's folder lies: one line that says what is wrong, exit
status 2, and no game begun.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands import own_kit
from companion.commands.games import shelf

ROOT = Path(__file__).parent.parent
RUSH = str(own_kit("garden-rush").folder)
LONG, HUGE = "x" * 300, "9" * 5000  # longer than a file's name can be; more digits than Python will read

ODD = ["missing", "folder", "empty", "binary", "list.json", "loop", "large", "/dev/null", "/dev/zero", "n\udcffn", LONG]


@pytest.fixture(autouse=True)
def odd_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    Path("folder").mkdir()
    Path("empty").touch()
    Path("binary").write_bytes(b"\xff\xfe\0bad")
    Path("list.json").write_text("[]")
    Path("loop").symlink_to("loop")
    with Path("large").open("wb") as file:
        file.truncate(70_000_000)


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that is said of them."""
    try:
        status = main(arguments)
    except SystemExit as ended:  # of the parser
        status = ended.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, ""), err
    assert err.startswith("companion") and err.endswith("\n") and err.count("\n") == 1
    return err


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "command",
    [
        "judge ODD",
        "read missing --kit ODD",
        "kit check ODD",
        "kit pack ODD new.kit.zip",
        "kit unpack ODD new",
        "follow ODD --start list.json",
        "follow folder --start ODD",
        "play --camera folder:ODD --display none",
        "play --camera video:ODD --display none",
        "play --camera simulated --display none --kit ODD",
        "play --camera simulated --display none --camera-profile ODD",
        "play --camera simulated --display none --resume ODD",
        "doctor --mount --kit ODD",
        "export ODD",
        "games resume ODD",
        "games name ODD new",
        "games archive ODD",
        "print sheet.pdf --kit ODD",
        "calibrate lens --from ODD --out new.toml",
        "calibrate board --from ODD --out new --game garden-rush --name new",
        "simulate new --kit ODD",
    ],
)
def test_a_file_that_is_none_of_ours(command: str, odd: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused([word.replace("ODD", odd) for word in command.split()], capsys)
    assert not list(shelf().all()) and not Path("new").exists()


@pytest.mark.parametrize("odd", ["empty", "binary", "list.json", "large", "/dev/null", "/dev/zero"])
def test_what_is_no_photograph_is_told_as_one_that_cannot_be_read(odd: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Others may follow it: it is the same as with a photograph that shows no board."""
    assert main(["read", odd, "--kit", RUSH]) == 1
    out, err = capsys.readouterr()
    assert out.startswith(f"{odd}: ".replace("/dev/", "")) and out.count("\n") == 1 and err == ""


@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize("odd", ["empty", "binary", "list.json", "large", "/dev/null"])
def test_a_system_that_is_none(command: str, odd: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert odd in refused([command, "--dry-run", "--root", odd], capsys)


@pytest.mark.parametrize(
    "arguments",
    [
        "--turns 0", "--turns -1", "--players x", "--seed x", "--speed nan", "--speed 1e999", "--size 0x0",
        "--size 99999x99999", "--size axb", "--mistakes 2", "--mistakes nan", "--players 0", f"--players {HUGE[:20]}",
        "--option a", "--option =", "--option a=b", "--resume 0", "--resume -3", f"--resume {HUGE}", "--camera v4l2:-1",
        "--camera v4l2:999999", "--camera x", "--camera folder:", "--demo", "--screen x", "--lang xx", "--game chess",
    ],
)  # fmt: skip
def test_values_that_cannot_be(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused(["play", "--camera", "simulated", "--display", "none", *arguments.split()], capsys)
    assert not list(shelf().all())


@pytest.mark.parametrize("command", ["games", "doctor --camera simulated", "export 1", "games resume 1"])
def test_a_pipe_among_what_is_kept_holds_nobody_up(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody writes into it: who reads there waits for ever."""
    Path("home/games").mkdir(parents=True)
    os.mkfifo("home/games/0001.game")
    Path("home/games/0002.game").symlink_to("/dev/zero")
    assert main(command.split()) in (1, 2)
    out, err = capsys.readouterr()
    assert "0001.game: no file, but a pipe or a device" in out + err


@pytest.mark.parametrize("command", ["kit check made", "play --camera simulated --display none --kit made"])
def test_a_kit_that_is_a_pipe(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("made").mkdir()
    os.mkfifo("made/kit.toml")
    assert "kit.toml: no file, but a pipe or a device" in refused(command.split(), capsys)


def test_a_record_may_come_by_a_pipe() -> None:
    line = f'echo "[]" | "{sys.executable}" -m companion judge /dev/stdin'
    own = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=own, check=False)
    assert (done.returncode, done.stderr) == (2, "companion: /dev/stdin: the document: [] found; expected an object\n")


@pytest.mark.parametrize("home", ["empty", "empty/within", "/dev/null/within", "loop", LONG])
@pytest.mark.parametrize(
    "command",
    ["games", "games resume 1", "games name 1 new", "export 1", "play --camera simulated --display none --resume 1"],
)
def test_a_folder_of_the_companion_that_cannot_be(
    command: str, home: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMPANION_HOME", home)
    assert home in refused(command.split(), capsys)


@pytest.mark.parametrize("command", ["games", "doctor --mount", "words", "kit check " + RUSH])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_nobody_who_listens(command: str, closed: str) -> None:
    line = f'exec "{sys.executable}" -m companion {command} {closed}'
    own = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=own, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (">&-" in closed.replace("2>&-", "") and done.stdout)


def test_what_can_be_written_no_more_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    line = f'exec "{sys.executable}" -m companion doctor --acceptance >/dev/full'
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert done.stderr == "companion: the output cannot be written: No space left on device\n"
