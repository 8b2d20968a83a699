"""What positions and kits leave open, and what people are told of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from companion.__main__ import main
from companion.commands import own_kit
from companion.document import Field
from companion.games import load_game
from companion.kit import load_kit
from companion.rules import Allowed, Unsettled, judge

GUESTS = load_game("garden-guests")
Json = dict[str, Any]


def guests(**changes: Any) -> Json:
    """Two teams whose cards nobody counts."""
    uncounted = {"hands": None, "deck": None, "discards": None}
    teams = [{"team": name, "collection": [1, 3], "guests": 10, "stones": 30} | uncounted for name in ("A", "B")]
    return {"game": "garden-guests", "teams": teams, "turn": {"team": "A", "player": 0}} | changes


def turns(position: Json, count: int) -> list[tuple[str, int]]:
    """Who is on turn after each of so many collects that nobody told the card of."""
    state, seen = GUESTS.read_position(Field(position), None), []
    for _ in range(count):
        ruling = judge(GUESTS, state, GUESTS.read_action(Field({"do": "collect"}), state))
        assert isinstance(ruling, Allowed)
        state = ruling.state
        seen.append((state.turn.team, state.turn.player))
    return seen


def test_players_take_turns_though_nobody_counts_cards() -> None:
    two_each = guests(next_player={"A": 1, "B": 0})
    assert turns(two_each, 5) == [("B", 0), ("A", 1), ("B", 1), ("A", 0), ("B", 0)]
    assert turns(guests(), 3) == [("B", 0), ("A", 0), ("B", 0)]


def test_after_a_card_was_turned_unseen_another_face_is_no_fault() -> None:
    state = GUESTS.read_position(Field(guests()), None)
    for document in ({"do": "collect"}, {"do": "collect", "card": 1}):
        ruling = judge(GUESTS, state, GUESTS.read_action(Field(document), state))
        assert isinstance(ruling, Allowed)
        state = ruling.state
    asked = judge(GUESTS, state, GUESTS.read_action(Field({"do": "collect", "card": 4}), state))
    assert asked == Unsettled("collect.card", ("card",))


@pytest.mark.parametrize(
    "turn", [{}, {"turn": {}}, {"turn": {"player": "yellow"}}, {"turn": {"team": "teal"}}, {"turn": {"player": "?"}}]
)
@pytest.mark.parametrize(
    "position",
    [
        {"game": "garden-dice", "players": [{"colour": "blue", "score": 3}, {"colour": "green"}]},
        {"game": "garden-rush", "players": [{"colour": "pink"}, {"colour": "blue"}], "hedge": [None] * 5},
        {"game": "garden-guests", "teams": guests()["teams"], "winner": "A"},
    ],
    ids=lambda position: position["game"],
)
def test_once_a_game_is_over_its_turn_means_nothing(position: Json, turn: Json) -> None:
    game = load_game(position["game"])
    state = game.read_position(Field(position | {"over": True} | turn), None)
    assert game.faults(state) == []
    assert game.score(state)["winners"] and not game.legal(state)["actions"]


RUSH = load_game("garden-rush")


def edited_kit(folder: Path, *changes: tuple[str, str]) -> Any:
    """Our own Garden Rush kit with parts of its `kit.toml` replaced."""
    kit = own_kit("garden-rush")
    text = (kit.folder / "kit.toml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    for picture in {*(b.image for b in kit.boards), *(p.image for p in kit.pieces)}:
        target = folder / picture.relative_to(kit.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, target)
    (folder / "kit.toml").write_text(text)
    return load_kit(folder)


def harvested(kit: Any, score: int) -> Any:
    """The ruling on a harvest of two spaces from `score`, with the flip bonus taken."""
    garden = {"2,1": "potato/single", "3,3": "potato/single", "4,3": "carrot/single"}
    position = {
        "game": "garden-rush",
        "players": [{"colour": "pink", "score": score, "garden": garden}, {"colour": "blue"}],
        "hedge": [None] * 5,
        "turn": {"player": "pink"},
    }
    state = RUSH.read_position(Field(position), kit)
    flip = {"do": "flip", "garden": "pink", "cell": "4,3"}
    return judge(RUSH, state, RUSH.read_action(Field({"do": "harvest", "cells": ["2,1", "3,3"], "bonus": flip}), state))


def test_a_track_space_not_entered_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    """Our own kit has the potato shape of two spaces that is harvested here."""
    whole = own_kit("garden-rush")
    bonus = sorted(space.tags["score"] for space in whole.of_kind("track") if space.tags["bonus"])
    first, far = bonus[0], bonus[-1]
    text = (whole.folder / "kit.toml").read_text()
    line = next(part for part in text.split("[[space]]") if f"\nscore = {far}\n" in part)
    kit = edited_kit(tmp_path, (line, line.replace("bonus = true\n", "")))
    assert isinstance(harvested(kit, first - 2), Allowed)
    assert harvested(kit, far - 2) == Unsettled("track.bonus", ("bonus_spaces",))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [("arrow = 5", "arrow = 3", "arrow: 3 found"), ("[patterns]", "[patterns]\nspud = [[[0, 0]]]", '"spud" found')],
)
def test_what_is_wrong_with_a_kit_is_told_of_the_kit(
    old: str, new: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "kit"
    folder.mkdir()
    edited_kit(folder, (old, new))
    record = tmp_path / "record.json"
    draw = ["carrot", "carrot", "tomato", "tomato", "potato", "potato"]
    record.write_text(
        json.dumps({"format": 1, "game": "garden-rush", "players": ["pink", "blue"], "draw": draw, "actions": []})
    )
    assert main(["judge", str(record), "--kit", str(folder)]) == 2
    line = capsys.readouterr().err
    assert "kit.toml" in line
    assert told in line


def test_names_reach_programs_in_utf8_whatever_the_terminal_speaks(tmp_path: Path) -> None:
    position = guests()
    position["teams"][0]["team"] = position["turn"]["team"] = "őrző"
    (tmp_path / "position.json").write_text(json.dumps(position))
    command = [sys.executable, "-m", "companion", "score", str(tmp_path / "position.json"), "--json"]
    environment = {"PYTHONIOENCODING": "cp1252", "PYTHONPATH": str(Path(__file__).parents[2])}
    printed = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    assert json.loads(printed.decode())["teams"][0]["team"] == "őrző"


def test_listed_actions_can_be_told_apart_by_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    position = {
        "game": "garden-dice",
        "players": [{"colour": "blue"}, {"colour": "green"}],
        "board": {"1,1": {"piece": "bird", "owner": "blue"}, "1,2": {"piece": "tomato/seed", "owner": "green"}},
        "turn": {"player": "blue", "rolled": True, "dice": [1, 3, 5]},
    }
    path = tmp_path / "position.json"
    path.write_text(json.dumps(position))
    for language in ("en", "hu"):
        assert main(["legal", str(path), "--lang", language]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == len(set(lines)) > 5


def test_the_arrow_is_the_end_of_the_hedge_beside_the_trampoline(tmp_path: Path) -> None:
    """Where one board shows both and the kit does not say it outright."""
    whole = own_kit("garden-rush")
    text = (whole.folder / "kit.toml").read_text()
    trampoline = next(part for part in text.split("[[space]]") if '\nkind = "trampoline"\n' in part)
    (first,) = (space for space in whole.of_kind("hedge") if space.tags["column"] == 1)
    at = f"[{first.at_mm[0]}, {first.at_mm[1] + 20}]"
    lines = ['board = "board"' if line.startswith("board") else f"at_mm = {at}" if line.startswith("at_mm") else line
             for line in trampoline.splitlines()]  # fmt: skip
    kit = edited_kit(tmp_path, (trampoline, "\n".join(lines) + "\n"), ("arrow = 5\n", ""))
    header = {"players": ["pink", "blue"], "draw": ["carrot", "carrot", "tomato", "tomato", "potato", "potato"]}
    assert RUSH.write_position(RUSH.set_up(Field(header), kit))["board"]["arrow"] == 1


def test_what_is_not_known_is_told_as_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "position.json"
    path.write_text(json.dumps(guests()))
    assert main(["score", str(path)]) == 0
    assert "connected unknown" in capsys.readouterr().out


def test_turns_are_counted_from_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", "--turns", "-3"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
