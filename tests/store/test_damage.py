"""Damaged files: what can be read is saved, nothing is made up, and the damaged file is kept."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from companion.document import Fault
from companion.session import Session
from companion.store.database import NotKept
from companion.store.lines import WAL
from companion.store.log import Log
from tests.store.steps import begun, played, shelf


@dataclass(frozen=True, repr=False)
class Left:
    """The files that a pulled plug leaves, and the sessions that led there."""

    folder: Path
    sessions: list[Session]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Left]:
    """Two games of 60 steps: of one all is in the file, of the other all is still in SQLite's log."""
    made = {}
    for name, closed in (("garden-dice", True), ("garden-rush", False)):
        folder = tmp_path_factory.mktemp(name)
        log, sessions = played(folder / "played", name, 7, 60)
        if closed:
            log.close()
        shutil.copytree(folder / "played", folder / "left")  # a copy of the files, as the disk holds them
        log.close()
        made[name] = Left(folder / "left", sessions)
    return made


def bytes_at(content: bytes, damage: list[tuple[float, bytes]]) -> bytes:
    changed = bytearray(content)
    for where, new in damage:
        at = int(where * len(changed))
        changed[at : at + len(new)] = new[: len(changed) - at]
    return bytes(changed)


def opened(folder: Path) -> tuple[Log | None, str]:
    try:
        return shelf(folder).open(1), ""
    except NotKept:
        raise
    except Fault as fault:
        return None, str(fault)


def same_game(session: Session, sessions: list[Session]) -> int:
    """Which of the sessions it is, the last if several."""
    return max(number for number, known in enumerate(sessions) if known.states == session.states)


@contextmanager
def copy_of(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(folder, Path(scratch) / "games")
        yield Path(scratch) / "games"


damages = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=40)), min_size=1, max_size=4
)


@pytest.mark.parametrize(("name", "which"), [("garden-dice", ""), ("garden-rush", ""), ("garden-rush", WAL)])
@given(damage=damages)
@example(damage=[(0.140625, b"\x80")])  # in the names of the tables
def test_bytes_overwritten_anywhere(
    games: dict[str, Left], name: str, which: str, damage: list[tuple[float, bytes]]
) -> None:
    """Each line is there twice: a few bytes in a few places seldom cost anything, and never invent anything."""
    left, sessions = games[name].folder, games[name].sessions
    with copy_of(left) as folder:
        path = folder / f"0001.game{which}"
        content = path.read_bytes()
        path.write_bytes(bytes_at(content, damage))
        log, why = opened(folder)
        if log is None:  # both copies of the first line are hit
            assert len(damage) > 1 and "put aside as 0001.game.damaged" in why
            return
        with log:
            number = same_game(log.session, sessions)
            if number < len(sessions) - 1:  # a loss is never silent
                assert log.mended is not None
            if log.mended:
                assert (log.mended.file, log.mended.aside) == ("0001.game", "0001.game.damaged")
                assert (folder / f"0001.game.damaged{which}").read_bytes() == bytes_at(content, damage)
            assert log.undo()
        with shelf(folder).open(1) as log:
            assert log.mended is None


@pytest.mark.parametrize(("name", "which"), [("garden-dice", ""), ("garden-rush", WAL)])
@pytest.mark.parametrize("seed", range(12))
def test_a_byte_anywhere_costs_nothing(games: dict[str, Left], name: str, which: str, seed: int) -> None:
    left, sessions = games[name].folder, games[name].sessions
    with copy_of(left) as folder:
        path = folder / f"0001.game{which}"
        random = Random(seed)
        at, content = random.random(), path.read_bytes()
        path.write_bytes(bytes_at(content, [(at, bytes([random.randrange(256)]))]))
        with shelf(folder).open(1) as log:
            assert log.session == sessions[-1]


@pytest.mark.parametrize(("name", "which"), [("garden-dice", ""), ("garden-rush", WAL)])
@given(where=st.floats(0, 1, exclude_max=True))
def test_a_file_cut_off_anywhere(games: dict[str, Left], name: str, which: str, where: float) -> None:
    """As much as is whole; where not even the first line is, one line says so and the file is kept."""
    left, sessions = games[name].folder, games[name].sessions
    with copy_of(left) as folder:
        path = folder / f"0001.game{which}"
        content = path.read_bytes()[: int(where * path.stat().st_size)]
        path.write_bytes(content)
        log, why = opened(folder)
        if log is None:
            assert not which and why.endswith("nothing can be saved from it; put aside as 0001.game.damaged")
            assert (folder / "0001.game.damaged").read_bytes() == content
            assert "\n" not in why and list(shelf(folder).all()) == []
        else:
            with log:
                assert log.session.states in [known.states for known in sessions]


def test_any_page_lost_costs_nothing(games: dict[str, Left]) -> None:
    left, sessions = games["garden-dice"].folder, games["garden-dice"].sessions
    pages = (left / "0001.game").stat().st_size // 4096
    assert pages > 5
    for page in range(pages):
        with copy_of(left) as folder:
            path = folder / "0001.game"
            path.write_bytes(bytes_at(path.read_bytes(), [(page / pages, b"\0" * 4096)]))
            with shelf(folder).open(1) as log:
                assert log.session == sessions[-1]


def test_looking_at_a_damaged_game_changes_nothing(games: dict[str, Left]) -> None:
    left, sessions = games["garden-rush"].folder, games["garden-rush"].sessions
    with copy_of(left) as folder:
        wal = folder / f"0001.game{WAL}"
        wal.write_bytes(bytes_at(wal.read_bytes(), [(0.3, b"damage")]))
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert shelf(folder).look(1).session == sessions[-1]
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("content", [b"", b"\0" * 8192, b"hello", b"SQLite format 3\0"])
def test_a_file_that_is_no_game_is_never_taken_for_a_new_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "0001.game").write_bytes(content)
    with pytest.raises(Fault, match="damaged; nothing can be read"):
        shelf(tmp_path).look(1)
    with pytest.raises(Fault, match=r"put aside as 0001\.game\.damaged"):
        shelf(tmp_path).open(1)
    assert (tmp_path / "0001.game.damaged").read_bytes() == content
    session = begun("garden-dice", 1)
    with shelf(tmp_path).begin(session.game, session.start) as log:
        assert log.number == 2  # a number is not given twice


@pytest.mark.parametrize("after", range(4))
def test_a_plug_pulled_while_mending(games: dict[str, Left], after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each of the renames of which mending consists; the game is there all the same."""
    from companion.store import mending

    left, sessions = games["garden-rush"].folder, games["garden-rush"].sessions
    with copy_of(left) as folder:
        wal, moved = folder / f"0001.game{WAL}", mending.move
        wal.write_bytes(bytes_at(wal.read_bytes(), [(0.3, b"damage")]))
        renames = iter(range(after))

        def pulled(source: Path, target: Path) -> None:
            if next(renames, None) is None:
                raise KeyboardInterrupt
            moved(source, target)

        with monkeypatch.context() as patched:
            patched.setattr(mending, "move", pulled)
            try:
                shelf(folder).open(1).close()
            except KeyboardInterrupt:
                assert after < 3
        assert shelf(folder).look(1).session == sessions[-1]
        with shelf(folder).open(1) as log:
            assert log.session == sessions[-1]
        assert len(list(shelf(folder).all())) == 1
