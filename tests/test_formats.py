"""Files of a version to come are refused in one line, and stay as they are.  Games: `store/test_log.py`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands import own_kit
from tests.test_bad_files import SOUND

NEWER = "format: 2 found, made by a newer version; this one reads 1"


def refused(arguments: list[str], path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = path.read_bytes()
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", f"companion: {path}: {NEWER}\n")
    assert path.read_bytes() == before


def test_a_newer_kit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever else it has that is not known yet."""
    kit = tmp_path / "kit"
    shutil.copytree(own_kit("garden-rush").folder, kit)
    text = (kit / "kit.toml").read_text().replace("format = 1\n", "format = 2\nvoice = 3\n", 1)
    (kit / "kit.toml").write_text(text)
    refused(["kit", "check", str(kit)], kit / "kit.toml", capsys)


def test_a_newer_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps({"voice": 3, **SOUND["record"][0], "format": 2}))
    refused(["judge", str(path)], path, capsys)


def test_newer_settings(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = own_home / "config.toml"
    path.write_text("format = 2\n[voice]\nlanguage = 3\n")
    refused(["play", "--camera", "simulated", "--display", "none"], path, capsys)
