"""What the touchscreen can do besides the game on the table, before anything of it is drawn."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from companion import live
from companion.commands import house as commands
from companion.commands import play
from companion.commands.cameras import SIMULATED, Source
from companion.commands.following import Following
from companion.commands.house import House
from companion.document import Fault, Field
from companion.live import Looked, Lookout
from companion.observation import Frame, NotSeen
from companion.table import Tell
from companion.ui.view.scores import Write
from companion.vision.picture import decode
from companion.vision.watch import Sighting


class Pictures:
    def __init__(self, frames: list[Frame]) -> None:
        self._frames = iter(frames)

    def read(self) -> Frame | NotSeen | None:
        return next(self._frames, None)

    def close(self) -> None:
        """Nothing is open."""


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    play.arguments(parser)
    return parser.parse_args(["--camera", "simulated", *words])


def test_a_camera_that_was_looked_for_in_vain_is_told(own_home: Path) -> None:
    told = "No camera found: a new game is played on a simulated table."
    args = asked()
    assert told not in House(args).home("en").notices  # it was asked for
    args.camera = Source(SIMULATED, looked_for=True)
    assert told in House(args).home("en").notices
    args.camera = Source("v4l2", "0", looked_for=True)
    assert told not in House(args).home("en").notices


def test_a_game_begun_on_the_screen_is_played_on_a_simulated_table_without_a_seed(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "eye", lambda kit, args: lambda frame: Sighting(1, "moving"))
    with House(asked()) as house:
        begin = house.new_game(None, "en").begin
        assert begin is not None
        showing = house.begin(begin.to, "en")
        house.watch()
        (first, *_) = showing.game.inbox.take(60)
        assert isinstance(first, Looked)


def test_a_failure_bundle_has_all_that_was_confirmed_and_leaves_the_game_locked(own_home: Path) -> None:
    with House(asked("--seed", "3")) as house:
        begin = house.new_game(None, "en").begin
        assert begin is not None
        showing = house.begin(begin.to, "en")
        log = showing.game.table.log
        roll = log.session.game.read_action(Field({"do": "roll", "dice": [1, 2, 3, 5]}), log.session.state)
        showing.do(Tell((roll,)))
        assert "failure.zip" in house.bundle("en")
        with ZipFile(next(own_home.glob("**/failure.zip"))) as bundle:
            *_, last = bundle.read("game.jsonl").splitlines()
            position = json.loads(bundle.read("position.json"))
        assert position["turn"]["dice"] == [1, 2, 3, 5]
        assert b'"dice": [1, 2, 3, 5]' in last
        look = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version'); c.close()"
        subprocess.run([sys.executable, "-c", look, str(log.path)], check=True)
        assert log.path.with_name(log.path.name + "-wal").exists()  # whoever finds no lock puts it away when it ends


def test_the_last_pictures_are_in_the_bundle_and_counted_by_the_second(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One picture every two seconds is kept, with the newest; ten are looked at in a second."""
    clock = iter(range(0, 10**6, 100))
    now = [0.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    frames = [Frame(np.full((80, 100, 3), number, np.uint8), str(number)) for number in range(100)]
    with House(asked("--seed", "3")) as house:
        begin = house.new_game(None, "en").begin
        assert begin is not None
        following = house.begin(begin.to, "en").game
        assert isinstance(following, Following)
        lookout = Lookout(Pictures(frames), lambda frame: Sighting(1, "moving"), following.inbox, None)
        following._lookout = lookout
        for _ in frames:
            now[0] = next(clock) / 1000
            assert lookout.look() is not None
            lookout.taken()
        items = {item.name: item.measured for item in house.health("en").items}
        assert items["pictures a second"] == "10.0"
        house.bundle("en")
        following._lookout = None
        with ZipFile(next(own_home.glob("**/failure.zip"))) as bundle:
            names = sorted(name for name in bundle.namelist() if name.startswith("picture"))
            shown = [decode(bundle.read(name)) for name in names]
    assert [int(frame.pixels[0, 0, 0]) for frame in shown if isinstance(frame, Frame)] == [40, 60, 80, 99]


def test_what_was_played_last_is_offered_first_with_its_names(own_home: Path) -> None:
    with House(asked()) as house:
        draft = house.new_game(None, "en").draft
        begin = house.new_game(replace(draft, sides=("red", "blue"), names={"red": "Anna"}), "en").begin
        assert begin is not None
        assert house.begin(begin.to, "en").view.turn == "Anna is on turn."
        again = house.new_game(None, "en").draft
        assert (again.sides, again.names) == (("red", "blue"), {"red": "Anna"})
        assert house.scores(1, "en").names == ("Anna", "Blue")
    assert "Anna 0, Blue 0" in House(asked()).past("en").games[0].lines[0]


def test_a_game_goes_onto_a_stick_else_into_the_companions_own_folder(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "STICKS", (tmp_path / "media",))
    with House(asked()) as house:
        begin = house.new_game(None, "en").begin
        assert begin is not None
        house.begin(begin.to, "en")
        own = own_home / "exports" / "game-1.json"
        assert house.write(1, Write("json"), "en") == f"Written to {own}."
        assert json.loads(own.read_text())["game"] == "garden-dice"
        stick = tmp_path / "media" / "anna" / "STICK"
        stick.mkdir(parents=True)
        assert house.write(1, Write("csv"), "hu").endswith(f"{stick / 'game-1.csv'}.")
        assert (stick / "game-1.csv").read_text()
        (stick / "game-1.json").mkdir()  # what is there already cannot be written over
        assert house.write(1, Write("json"), "en") == f"Written to {own}."


def test_a_game_whose_record_cannot_be_written_is_put_away(own_home: Path, tmp_path: Path) -> None:
    args = asked("--record", str(tmp_path / "nowhere" / "record.json"))
    house = House(args)
    begin = house.new_game(None, "en").begin
    assert begin is not None
    house.begin(begin.to, "en")
    with pytest.raises(Fault, match=r"nowhere/record\.json: cannot be written"):
        house.resume(1, "en")
    assert house.resume(1, "en").game.table.log.number == 1  # nothing holds it any more
    with pytest.raises(Fault):
        house.leave()
