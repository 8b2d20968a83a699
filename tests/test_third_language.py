"""A third language is a file: what it says is said, and what it lacks is told in English."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OWN = """
msgctxt "home:language"
msgid "English"
msgstr "rövarspråk"

msgctxt "home:new"
msgid "New game"
msgstr "Nonytottot sospopelol"

msgctxt "do:buy"
msgid "buy"
msgstr "kököpop"
"""
DICE = """
msgctxt "actions:roll"
msgid "{player} rolls {dice}."
msgstr "{player} kokasostotaror {dice:tärning}."
"""
FORMS = """
["tärning"]
6 = "sexa"
"""
AMISS = """
msgctxt "new:begin"
msgid "Begin"
msgstr "Bob{ö}rorjoja"

msgctxt "games:next"
msgid "next: {who}"
msgstr "nonästota: {who}"
"""
TOLD = """
from companion.account import Teller
from companion.words import words
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
print(Teller(game, "xx").sentence.tell(Teller(game, "xx").words["actions"]["roll"], {"player": "red", "dice": (6, 5)}))
print(words("companion", "xx")["new"]["begin"], words("companion", "xx")["games"]["next"])
print(Teller(game, "xx").words["actions"]["buy"] == Teller(game, "en").words["actions"]["buy"])
"""


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """An environment in which the companion has a third language: one catalogue of its own, one of a game."""
    folder = tmp_path_factory.mktemp("spoken")
    for package in ("companion", "calibration", "hardware"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "companion" / "words.xx.po").write_text(OWN + AMISS, encoding="utf-8")
    dice = folder / "companion" / "games" / "garden_dice"
    (dice / "words.xx.po").write_text(DICE, encoding="utf-8")
    (dice / "forms.xx.toml").write_text(FORMS, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(folder), "COMPANION_HOME": str(folder / "home")}


def ran(command: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    folder = environment["PYTHONPATH"]
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, env=environment, cwd=folder
    )


def test_a_catalogue_is_a_language(spoken: Mapping[str, str]) -> None:
    done = ran(["-c", TOLD], spoken)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "en hu xx",
        "Nonytottot sospopelol; Kits and calibration; How the device is",
        "English; magyar; rövarspråk",
        "kököpop harvest",
        "True",
        "Red kokasostotaror sexa, 5.",
        "Begin next: {name}",
        "True",
    ]


def test_it_can_be_asked_for_on_the_command_line(spoken: Mapping[str, str], tmp_path: Path) -> None:
    done = ran(["-m", "companion", "games", "--lang", "xx"], spoken)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "No games are kept yet.", "")
    done = ran(["-m", "companion", "games", "--lang", "yy"], spoken)
    assert done.returncode == 2 and "'xx'" in done.stderr


def test_what_is_amiss_with_it_is_told_with_file_and_line(spoken: Mapping[str, str]) -> None:
    done = ran(["-m", "companion", "words", "xx"], spoken)
    words, begin = Path(spoken["PYTHONPATH"]) / "companion" / "words.xx.po", 2 + OWN.count("\n")
    assert done.stdout.splitlines()[:2] == [
        f'{words}, line {begin}: "new:begin": {{ö}} found; expected nothing to fill in',
        f'{words}, line {begin + 4}: "games:next": the English text is another now: "next: {{name}}"',
    ]
    assert (done.returncode, done.stderr) == (1, "")
    assert re.fullmatch(r"xx: 4 of \d{4} texts", done.stdout.splitlines()[2])
    done = ran(["-m", "companion", "words", "xx", "--missing"], spoken)
    assert "companion: home:resume is told in English" in done.stdout.splitlines()
    assert "companion: home:new is told in English" not in done.stdout.splitlines()


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("words.yy.po", b'msgctxt "home:new"\nmsgid "New game"\nmsgstr "\xff"\n', ", line 3: no UTF-8"),
        ("words.yy.toml", b"[home]\nnew = 'Nytt'\n", ": read no more; copy words.pot to words.yy.po"),
        ("forms.yy.toml", b"[t]\na = 1\n", ": t.a: 1 found; expected a text"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_a_line_and_no_reason_not_to_play(
    name: str, content: bytes, fault: str, spoken: Mapping[str, str]
) -> None:
    package = Path(spoken["PYTHONPATH"]) / "companion"
    (package / name).write_bytes(content)
    try:
        done = ran(["-m", "companion", "words", "yy"], spoken)
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.startswith(f"{package / name}{fault}") and done.stdout.count("\n") == 2
        done = ran(["-c", "from companion.words import words; print(words('companion', 'yy')['home']['new'])"], spoken)
        assert (done.returncode, done.stdout, done.stderr) == (0, "New game\n", "")
    finally:
        (package / name).unlink()


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
