"""A third language is a file: what it says is said, and what it lacks is told in English."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OWN = """
[home]
language = "rövarspråk"
new = "Nonytottot sospopelol"

[do]
buy = "kököpop"
"""
DICE = """
[actions]
roll = "{player} kokasostotaror {dice}."
"""
TOLD = """
from companion.account import Teller, words
from companion.games import load_game
from companion.rules import LANGUAGES
from companion.rulebook import rulebook
from companion.ui.view.home import home

print(*LANGUAGES)
shown = home([], None, {}, True, "xx")
print(*(tap.text for tap in shown.taps), sep="; ")
print(*(tap.text for tap in shown.languages), sep="; ")
print(words("companion", "xx")["do"]["buy"], words("companion", "xx")["do"]["harvest"])
game = load_game("garden-dice")
print(rulebook(game, "xx")["buy.value"].title == rulebook(game, "en")["buy.value"].title)
print(Teller(game, "xx").words["actions"]["roll"])
print(Teller(game, "xx").words["actions"]["buy"] == Teller(game, "en").words["actions"]["buy"])
"""


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """An environment in which the companion has a third language: one word file of its own, one of a game."""
    folder = tmp_path_factory.mktemp("spoken")
    for package in ("companion", "calibration", "hardware"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "companion" / "words.xx.toml").write_text(OWN, encoding="utf-8")
    (folder / "companion" / "games" / "garden_dice" / "words.xx.toml").write_text(DICE, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(folder), "COMPANION_HOME": str(folder / "home")}


def ran(command: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    folder = environment["PYTHONPATH"]
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, env=environment, cwd=folder
    )


def test_a_word_file_is_a_language(spoken: Mapping[str, str]) -> None:
    done = ran(["-c", TOLD], spoken)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "en hu xx",
        "Nonytottot sospopelol; Kits and calibration; How the device is",
        "English; magyar; rövarspråk",
        "kököpop harvest",
        "True",
        "{player} kokasostotaror {dice}.",
        "True",
    ]


def test_it_can_be_asked_for_on_the_command_line(spoken: Mapping[str, str], tmp_path: Path) -> None:
    done = ran(["-m", "companion", "games", "--lang", "xx"], spoken)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "No games are kept yet.", "")
    done = ran(["-m", "companion", "games", "--lang", "yy"], spoken)
    assert done.returncode == 2 and "'xx'" in done.stderr


def test_every_screen_is_whole_in_it(spoken: Mapping[str, str], tmp_path: Path) -> None:
    environment = {"SDL_VIDEODRIVER": "offscreen", **spoken}
    only = [word for name in ("home", "table-proposed", "more", "clause", "kits") for word in ("--only", name)]
    done = ran(
        ["-m", "companion", "screens", str(tmp_path), "--size", "800x480", "--theme", "dark", "--lang", "xx", *only],
        environment,
    )
    if "no window can be opened" in done.stderr:
        pytest.skip("no window can be drawn here (libegl1 libgl1 libgl1-mesa-dri)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(list(tmp_path.glob("*-xx-800x480-dark.png"))) == 5
