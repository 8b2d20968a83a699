"""A disk that is full, read-only, failing or gone: one line says so, and the game is what was confirmed before."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from companion.document import Fault
from companion.rules import LANGUAGES
from companion.store.database import NotKept
from companion.store.log import Log
from companion.words import words
from tests.store.kills import ROOT, after
from tests.store.steps import begun, played, shelf, steps, take

REASONS = {"full", "read-only", "busy", "damaged", "elsewhere", "disk"}


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, where this user may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", disk], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no disk can be mounted here")
    yield disk
    subprocess.run(["umount", disk], check=True)


def until_refused(log: Log, seed: int, first: int) -> tuple[NotKept, int]:
    """Play on until a step is not saved; why, and how many were before it."""
    for number, (step, _) in enumerate(steps(log.session, seed, first)):
        try:
            take(log, step)
        except NotKept as refused:
            return refused, number
    raise AssertionError


def fill(disk: Path) -> None:
    with (disk / "ballast").open("wb", buffering=0) as ballast:
        try:
            while ballast.write(b"\0" * 4096):
                pass
        except OSError:
            pass


def test_a_full_disk(mounted: Path) -> None:
    log, sessions = played(mounted / "home" / "games", "garden-dice", 3, 20)
    with log:
        fill(mounted)
        refused, further = until_refused(log, 3, 20)
        assert str(refused) == f"{log.path}: not saved: the disk is full; free some space"
        assert refused.reason == "full"
        expected = after(sessions[-1], 3, 20, further)
        assert shelf(log.path.parent).look(1).session == expected
        fill(mounted)  # what the failed step held is free again
        with pytest.raises(NotKept):
            shelf(log.path.parent).begin(expected.game, expected.start)
        (mounted / "ballast").unlink()
        for step, later in islice(steps(expected, 3, 20 + further), 10):
            take(log, step)
            assert log.session == later
    with shelf(log.path.parent).open(1) as log:
        assert log.session == later and log.mended is None
    assert [kept.number for kept in shelf(log.path.parent).all()] == [1]  # type: ignore[union-attr]


def test_a_full_disk_when_a_game_goes_on(mounted: Path) -> None:
    log, sessions = played(mounted / "games", "garden-dice", 3, 8)
    log.close()
    fill(mounted)
    for attempt in (lambda: shelf(mounted / "games").resume(1), lambda: shelf(mounted / "games").open(1).archive()):
        with pytest.raises(NotKept, match="not saved: ") as refused:
            attempt()
        assert refused.value.reason == "full"
    assert shelf(mounted / "games").look(1).session == sessions[-1]
    (mounted / "ballast").unlink()
    with shelf(mounted / "games").resume(1) as log:
        assert log.session == sessions[-1] and log.mended is None


def test_a_disk_that_is_read_only(mounted: Path) -> None:
    """As a card becomes that is worn out: the games can still be looked at."""
    log, sessions = played(mounted / "games", "garden-guests", 3, 8)
    log.close()
    subprocess.run(["mount", "-o", "remount,ro", mounted], check=True)
    assert shelf(mounted / "games").look(1).session == sessions[-1]
    for attempt in (
        lambda: shelf(mounted / "games").open(1),
        lambda: shelf(mounted / "games").begin(sessions[0].game, sessions[0].start),
    ):
        with pytest.raises(NotKept, match="not saved: ") as refused:
            attempt()
        assert refused.value.reason == "read-only"
    subprocess.run(["mount", "-o", "remount,rw", mounted], check=True)
    with shelf(mounted / "games").open(1) as log:
        assert log.session == sessions[-1] and log.mended is None


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    log, sessions = played(tmp_path / "games", "garden-dice", 3, 8)
    log.close()
    (tmp_path / "games").chmod(0o500)
    try:
        assert shelf(tmp_path / "games").look(1).session == sessions[-1]
        with pytest.raises(NotKept):
            shelf(tmp_path / "games").open(1)
    finally:
        (tmp_path / "games").chmod(0o700)


LIMITED = """
import resource, signal, sys
from pathlib import Path
from tests.store.steps import shelf
from tests.store.test_disk import until_refused
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log = shelf(Path(sys.argv[1])).open(1)
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
refused, number = until_refused(log, 3, 8)
print(number, refused.reason, flush=True)
import os
os._exit(0)  # as if killed: nothing is closed
"""


def test_a_write_that_fails_half_way(tmp_path: Path) -> None:
    """A limit on the size of files stops it in the middle; then the plug is pulled."""
    log, sessions = played(tmp_path, "garden-dice", 3, 8)
    log.close()
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    number, reason = done.stdout.split()
    assert int(number) > 3 and reason in ("disk", "full")
    with shelf(tmp_path).open(1) as log:
        assert log.session == after(sessions[-1], 3, 8, int(number)) and log.mended is None


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (sqlite3.SQLITE_FULL, "full"),
        (sqlite3.SQLITE_IOERR_FSYNC, "disk"),
        (sqlite3.SQLITE_READONLY, "read-only"),
        (sqlite3.SQLITE_BUSY, "busy"),
    ],
)
def test_an_error_of_the_database(tmp_path: Path, code: int, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the database that fails once: the step has not happened and can be taken again."""
    log, sessions = played(tmp_path, "garden-rush", 3, 8)
    step, expected = next(steps(sessions[-1], 3, 8))

    def failing(*_: object) -> None:
        error = sqlite3.OperationalError("as told by the stand-in")
        error.sqlite_errorcode = code
        raise error

    with log:
        with monkeypatch.context() as patched:
            patched.setattr("companion.store.log.add", failing)
            with pytest.raises(NotKept, match="not saved") as refused:
                take(log, step)
        assert refused.value.reason == reason
        assert log.session == sessions[-1]
        take(log, step)
        assert log.session == expected
    with shelf(tmp_path).open(1) as log:
        assert log.session == expected


def test_a_step_that_was_saved_after_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk reports an error after the last byte: the next step asks the disk and goes on from there."""
    from companion.store import log as module

    log, sessions = played(tmp_path, "garden-dice", 3, 8)
    (first, one), (second, two) = islice(steps(sessions[-1], 3, 8), 2)
    whole_add = module.add

    def saved_and_failed(*given: object) -> None:
        whole_add(*given)  # type: ignore[arg-type]
        raise sqlite3.OperationalError("too late")

    with log:
        with monkeypatch.context() as patched:
            patched.setattr(module, "add", saved_and_failed)
            with pytest.raises(NotKept):
                take(log, first)
        take(log, second)
        assert log.session == two
    assert shelf(tmp_path).look(1).session == two != one


def test_a_file_that_is_taken_away_under_a_running_game(tmp_path: Path) -> None:
    log, sessions = played(tmp_path, "garden-dice", 3, 8)
    step, _ = next(steps(sessions[-1], 3, 8))
    with log:
        log.path.rename(tmp_path / "elsewhere")
        with pytest.raises(NotKept, match="not saved"):
            take(log, step)
        (tmp_path / "elsewhere").rename(log.path)
        take(log, step)


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "games").write_text("no folder", encoding="utf-8")
    session = begun("garden-dice", 1)
    with pytest.raises(NotKept):
        shelf(tmp_path / "games").begin(session.game, session.start)
    with pytest.raises(Fault, match="cannot be read"):
        list(shelf(tmp_path / "games").all())


def test_every_reason_has_words_for_players_in_both_languages() -> None:
    for language in LANGUAGES:
        assert set(words("companion", language)["not-kept"]) == REASONS
