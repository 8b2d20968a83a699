"""`companion follow`, as it is typed: a rendered game in a folder, and all that can be wrong with one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.__main__ import main
from companion.commands import own_kit
from companion.games import load_game
from companion.kit import Space
from companion.simulate.lying import Lying, Placements
from companion.simulate.things import Hand
from tests.vision.photographs import Wanted
from tests.vision.rendered_table import Table, pieces_alike

GAME, KIT = load_game("garden-dice"), own_kit("garden-dice")
CALM = Wanted(size_px=(1100, 825), most_tilt_deg=6, hands=0.0, light="overcast", fill=(0.0, 0.0), things=0.0, dice=0)
START: dict[str, Any] = {
    "game": "garden-dice",
    "players": [{"colour": "blue", "seeds": ["tomato"]}, {"colour": "green", "seeds": []}],
    "supply": {"squash": 3, "carrot": 3, "tomato": 3, "artichoke": 3, "eggplant": 3},
    "board": {
        "2,2": {"piece": "artichoke/seed", "owner": "blue"},
        "5,5": {"piece": "rabbit", "owner": "green"},
    },
    "turn": {"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]},
}
WATER = {"do": "water", "at": "2,2", "die": 4}
END = {"do": "end-turn"}


@pytest.fixture(autouse=True)
def _home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(home))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is learned of the kit is kept there."""
    return tmp_path_factory.mktemp("home")


def lying(board: dict[str, list[str]]) -> dict[str, tuple[Lying, ...]]:
    """Pieces on spaces, each disc a little off the middle of its tile."""
    return {
        space: tuple(Lying(piece, (0.0, 0.0) if number == 0 else (4.0, -6.0)) for number, piece in enumerate(pieces))
        for space, pieces in board.items()
    }


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Blue waters the artichoke with the last die; a hand reaches in to turn it over."""
    folder = tmp_path_factory.mktemp("frames")
    before = {"2,2": ["artichoke/seed", "disc/blue"], "5,5": ["rabbit", "disc/green"]}
    track: Space = next(space for space in KIT.of_kind("track") if space.tags["score"] == 0)
    markers = (Lying("disc/blue", (0.0, -8.0)), Lying("disc/green", (0.0, 8.0)))
    after = {**before, "2,2": ["artichoke/vegetable", "disc/blue"]}
    with pieces_alike():
        table = Table(KIT, 5, CALM)
        lies = [Placements(table.placements.boards, {**lying(t), track.id: markers}) for t in (before, after)]
        hand = replace(table.room, hands=(Hand((-60.0, -60.0), 270.0, 3),))
        shots = [(lies[0], table.room)] * 3 + [(lies[0], hand), (lies[1], hand)] + [(lies[1], table.room)] * 4
        for number, (placements, room) in enumerate(shots, 1):
            picture, _ = table.again(number, placements=placements, dice=[], room=room)
            cv2.imwrite(str(folder / f"{number:04}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
    (folder / "start.json").write_text(json.dumps(START))
    return folder


def follow(folder: Path, *more: str) -> int:
    return main(["follow", str(folder), "--kit", str(KIT.folder), "--start", str(folder / "start.json"), *more])


def printed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_turn_is_confirmed_kept_and_exported(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert follow(recorded, "--json", "--confirm", "auto") == 0
    lines = printed(capsys)
    told = [line for line in lines if "proposal" in line]
    assert [line["proposal"] for line in told] == [[WATER, END]]
    assert (told[0]["legal"], told[0]["confirmed"], told[0]["frame"]) == (True, True, "0008.jpg")
    assert told[0]["clauses"][-1] == "turn.order" and told[0]["confidence"] > 0.95
    assert told[0]["position"]["board"]["2,2"]["piece"] == "artichoke/vegetable"
    sights = [(line["frame"], line["sight"]) for line in lines if "sight" in line]
    assert sights[:2] == [("0001.jpg", "moving"), ("0002.jpg", "settled")]
    assert sights[-1] == ("0008.jpg", "settled")
    assert main(["export"]) == 0
    assert printed(capsys)[0]["actions"] == [WATER, END]


def test_without_confirming_a_proposal_stands_and_nothing_is_kept(
    recorded: Path, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    kept = sorted(home.glob("games/*"))
    assert follow(recorded, "--json") == 0
    told = [line for line in printed(capsys) if "proposal" in line]
    assert [line["proposal"] for line in told] == [[WATER, END]]
    assert "confirmed" not in told[0] and told[0]["alternatives"] == []
    assert sorted(home.glob("games/*")) == kept


def test_it_is_told_in_words(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert follow(recorded, "--confirm", "auto") == 0
    out = capsys.readouterr().out
    assert "0008.jpg: Confirmed: " in out and "waters" in out
    assert follow(recorded, "--confirm", "auto", "--lang", "hu") == 0
    assert "0008.jpg: Megerősítve: " in capsys.readouterr().out


def test_a_picture_that_cannot_be_read_is_told_and_passed_over(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in recorded.iterdir():
        (tmp_path / path.name).write_bytes(b"no picture" if path.name == "0007.jpg" else path.read_bytes())
    assert follow(tmp_path, "--json", "--confirm", "auto") == 1
    lines = printed(capsys)
    assert [line["error"] for line in lines if "error" in line] == ["unreadable"]
    assert [line["proposal"] for line in lines if "proposal" in line] == [[WATER, END]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one grey picture, in which no board is."""
    cv2.imwrite(str(tmp_path / "0001.png"), np.full((120, 160, 3), 90, np.uint8))
    (tmp_path / "start.json").write_text(json.dumps(START))
    return tmp_path


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("companion: ") and err.count("\n") == 1
    return err


def test_a_folder_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = ["--start", str(folder / "start.json")]
    assert main(["follow", str(folder / "none"), *start]) == 2
    assert "none: cannot be read" in complaint(capsys)


def test_a_folder_without_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "0001.png").unlink()
    assert follow(folder) == 2
    assert "no pictures in this folder" in complaint(capsys)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "line 1: no valid JSON"),
        ('\n{"frame": "0001.png"}', 'line 2: "actions" is missing'),
        ('{"frame": "0002.png", "actions": []}', 'line 1: frame: "0002.png" found'),
        ('{"frame": "0001.png", "actions": [{"do": "sell"}]}', 'line 1: actions[0].do: "sell" found'),
    ],
)
def test_taps_that_make_no_sense(folder: Path, capsys: pytest.CaptureFixture[str], text: str, told: str) -> None:
    (folder / "inputs.jsonl").write_text(text)
    assert follow(folder) == 2
    assert f"inputs.jsonl: {told}" in complaint(capsys)


def test_a_kit_of_another_game(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kit = str(own_kit("garden-rush").folder)
    assert main(["follow", str(folder), "--kit", kit, "--start", str(folder / "start.json")]) == 2
    assert "a game of garden-dice, but the kit" in complaint(capsys)
