"""A game's log on disk: what was confirmed is there when the game is opened again, and nothing else is."""

from __future__ import annotations

import json
import sqlite3
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from companion.document import Fault, Field
from companion.games import NAMES, load_game
from companion.rules import Allowed, Option, Refused
from companion.session import Session, write_record
from companion.store import mending, reading, story
from companion.store.database import NotKept
from companion.store.lines import Line
from companion.store.log import Log
from tests.store.steps import begun, played, shelf, steps, take

all_games = pytest.mark.parametrize("name", NAMES)


@all_games
@pytest.mark.parametrize("seed", range(2))
def test_opened_again_after_every_step_the_game_is_the_same(name: str, seed: int, tmp_path: Path) -> None:
    """Undo, redo and corrections included; and what the file says equals what is in memory."""
    session = begun(name, seed)
    shelf(tmp_path).begin(session.game, session.start).close()
    for step, after in islice(steps(session, seed), 40):
        with shelf(tmp_path).open(1) as log:
            take(log, step)
            assert log.session == after
        with shelf(tmp_path).open(1) as log:
            assert log.session == after and log.mended is None and log.fallen == ()
        assert shelf(tmp_path).look(1).session == after


def test_the_file_is_written_through_at_every_commit(tmp_path: Path) -> None:
    log, _ = played(tmp_path, "garden-dice", 1, 3)
    with log:
        assert log._connection is not None
        assert log._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert log._connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_what_is_not_allowed_is_not_written(tmp_path: Path) -> None:
    session = begun("garden-dice", 1)
    log = shelf(tmp_path).begin(session.game, session.start)
    end = session.game.read_action(Field({"do": "end-turn"}), session.start)
    with log:
        assert log.confirm(end) == (Refused("turn.roll"),)
        assert log.session == session
        assert not log.undo() and not log.redo()
        assert log.take_table(session.start) == []
        with pytest.raises(Fault, match="expected an entry from 1 to 1"):
            log.correct(1, end)
    with shelf(tmp_path).open(1) as log:
        assert len(log.session.entries) == 1


def test_a_correction_is_kept_with_what_fell(tmp_path: Path) -> None:
    session = begun("garden-dice", 1)
    start = session.game.set_up(Field({"players": ["blue", "red"]}), None)

    def action(**written: Any) -> Any:
        return session.game.read_action(Field(written), start)

    with shelf(tmp_path).begin(session.game, start) as log:
        log.confirm(action(do="roll", dice=[5, 1, 3, 6]), action(do="buy", kind="tomato", die=5))
        log.confirm(action(do="place", piece="tomato", at="3,1", dice=[1, 3]))
        correction = log.correct(0, action(do="roll", dice=[5, 2, 3, 6]))
        assert [fallen.why for fallen in correction.fallen] == [Refused("turn.die-once")]
    record = write_record(shelf(tmp_path).look(1).session)
    assert record["actions"] == [{"do": "roll", "dice": [5, 2, 3, 6]}, {"do": "buy", "kind": "tomato", "die": 5}]
    with shelf(tmp_path).open(1) as log:
        assert log.undo() and len(log.session.entries) == 3
        assert log.undo() and log.undo() and log.session.entries == ()


def test_a_position_that_cannot_be_is_told_and_not_taken(tmp_path: Path) -> None:
    log, sessions = played(tmp_path, "garden-dice", 1, 5)
    with log:
        written = log.session.game.write_position(log.session.state) | {"supply": {"squash": 99}}
        assert log.take_table(log.session.game.read_position(Field(written), None)) != []
        assert log.session == sessions[-1]


def test_a_clock_that_jumps_changes_no_order(tmp_path: Path) -> None:
    """Backwards, to before 1970, and far ahead."""
    times = iter([2_000_000_000.0, 5.0, -3e9, 9e12, 1.5, 0.0, 1e9])
    session = begun("garden-rush", 4)
    kept = shelf(tmp_path)
    object.__setattr__(kept, "now", lambda: next(times))
    with kept.begin(session.game, session.start) as log:
        for step, after in islice(steps(session, 4), 6):
            take(log, step)
            assert log.session == after
    found = shelf(tmp_path).look(1)
    assert found.session == after
    assert (found.about.begun, found.about.touched) == (2_000_000_000, 1_000_000_000)


def test_two_who_have_the_same_game_open(tmp_path: Path) -> None:
    """A name given meanwhile is no hindrance; an action confirmed meanwhile is seen before the next one counts."""
    log, sessions = played(tmp_path, "garden-dice", 2, 6)
    (one, after_one), (two, after_two) = islice(steps(sessions[-1], 2, 6), 2)
    with log, shelf(tmp_path).open(1) as other:
        other.name("Sunday")
        take(log, one)
        assert log.session == after_one and log.about.name == "Sunday"
        with pytest.raises(NotKept, match="gone on in another program") as failed:
            other.take_table(sessions[0].state)
        assert failed.value.reason == "elsewhere"
        assert other.session == after_one
        take(other, two)
    assert shelf(tmp_path).look(1).session == after_two


def test_what_later_rules_do_not_allow_is_told_once_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The house rule of the start is changed in the file's first line: what stood then falls by its clause."""
    session = begun("garden-dice", 1)
    loose = session.game.set_up(Field({"players": ["blue", "red"], "options": {"must_spend": "warn"}}), None)
    actions = [
        {"do": "roll", "dice": [5, 1, 3, 6]},
        {"do": "end-turn"},
        {"do": "roll", "dice": [2, 2, 4, 4]},
    ]
    with shelf(tmp_path).begin(session.game, loose) as log:
        for action in actions:
            assert isinstance(log.confirm(session.game.read_action(Field(action), loose))[-1], Allowed)
    strict = session.game.set_up(Field({"players": ["blue", "red"]}), None)
    with monkeypatch.context() as patched:
        read = Session.replay
        patched.setattr(Session, "replay", lambda game, start, history: read(game, strict, history))
        with shelf(tmp_path).open(1) as log:
            assert [(fallen.at, fallen.why) for fallen in log.fallen] == [
                (1, Refused("turn.spend-all")),
                (2, Refused("turn.roll")),
            ]
            assert len(log.session.entries) == 1
    with shelf(tmp_path).open(1) as log:
        assert log.fallen == () and len(log.session.entries) == 1
        assert log.undo() and not log.undo()


def test_a_newer_format_is_refused_in_a_line_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer(monkeypatch)
    log, _ = played(tmp_path, "garden-dice", 1, 4)
    log.close()
    monkeypatch.undo()
    before = log.path.read_bytes()
    for read in (shelf(tmp_path).open, shelf(tmp_path).look):
        with pytest.raises(Fault) as refused:
            read(1)
        assert str(refused.value) == f"{log.path}: of format 2, made by a newer version; this one reads up to 1"
    assert log.path.read_bytes() == before


def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version of the format to come, which is told by a name."""

    def to_2(lines: list[Line]) -> list[Line]:
        return [{**lines[0], "format": 2, "name": "from 1"}, *lines[1:]]

    for module in (mending, reading, story):
        monkeypatch.setattr(module, "VERSION", 2)
    monkeypatch.setitem(story.MIGRATIONS, 1, to_2)


def test_an_older_format_is_brought_up_to_date_and_a_copy_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, sessions = played(tmp_path, "garden-guests", 1, 12)
    log.close()
    before = log.path.read_bytes()
    newer(monkeypatch)
    assert shelf(tmp_path).look(1).session == sessions[-1]
    with shelf(tmp_path).open(1) as log:
        assert log.session == sessions[-1] and log.about.name == "from 1"
    assert (tmp_path / "0001.game.format-1").read_bytes() == before
    with sqlite3.connect(log.path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    connection.close()
    assert [kept.session for kept in shelf(tmp_path).all()] == [sessions[-1]]  # type: ignore[union-attr]


def test_a_line_that_this_version_does_not_know_is_refused_in_a_line(tmp_path: Path) -> None:
    log, _ = played(tmp_path, "garden-dice", 1, 2)
    with log:
        log._append({"do": "dance"})
    with pytest.raises(Fault, match=r'line 4\.do: "dance" found; expected one of confirm') as refused:
        Log(log.path, reading.Games(NAMES, load_game), lambda: 0.0)
    assert "\n" not in str(refused.value)


def test_begun_games_are_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plug pulled after the file is written and before it has its name."""
    session = begun("garden-dice", 1)

    def pulled(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(mending, "move", pulled)
        with pytest.raises(KeyboardInterrupt):
            shelf(tmp_path).begin(session.game, session.start)
    assert list(shelf(tmp_path).all()) == []
    shelf(tmp_path).begin(session.game, session.start).close()
    assert [kept.number for kept in shelf(tmp_path).all()] == [1]  # type: ignore[union-attr]


def test_house_rules_and_a_custom_start_come_back(tmp_path: Path) -> None:
    for number, name in enumerate(NAMES, 1):
        session = begun(name, number)
        options = session.game.options
        assert options and all(isinstance(option, Option) for option in options)
        shelf(tmp_path).begin(session.game, session.start).close()
        assert json.dumps(write_record(shelf(tmp_path).look(number).session)) == json.dumps(write_record(session))


def test_players_own_names_are_kept_with_the_game(tmp_path: Path) -> None:
    session = begun("garden-dice", 1)
    shelf(tmp_path).begin(session.game, session.start, names={"blue": "Anna"}).close()
    shelf(tmp_path).begin(session.game, session.start).close()
    assert shelf(tmp_path).look(1).about.names == {"blue": "Anna"}
    with shelf(tmp_path).open(1) as log:
        assert log.about.names == {"blue": "Anna"} and log.session == session
    assert shelf(tmp_path).look(2).about.names == {}
    with pytest.raises(Fault, match="expected a name"):
        shelf(tmp_path).begin(session.game, session.start, names={"blue": "\n"})
