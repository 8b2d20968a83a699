"""One game's log on disk.  What is confirmed is on disk before anybody is told so."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

from companion.document import Fault, Field
from companion.rules import Action, Allowed, Ruling, State
from companion.session import Correction, Fallen, Session
from companion.store.database import NotKept, add, connect, disconnect, not_kept
from companion.store.lines import Line, place_after, whole
from companion.store.mending import Mended, locked, sound
from companion.store.reading import Games, by_sqlite, story_of
from companion.store.story import as_written, checked_name, position_as_written


class Log:
    """A game that goes on: its session, and the file that each step is written to before it counts.

    Every step either is on disk when its method returns, or raises `NotKept` and has not happened.  Where the disk
    itself fails in the last instant nobody can tell which; the next step then asks the disk first.  Threads may take
    turns at it, one at a time.
    """

    def __init__(self, path: Path, games: Games, now: Callable[[], float]) -> None:
        """Open the game at `path`.  `mended` tells of damage, `fallen` what the rules do not allow any more."""
        self.path = path
        self.mended: Mended | None = None
        self.fallen: tuple[Fallen, ...] = ()
        self.saving_s: float | None = None  # that the last step took until it was on disk
        self._since_s: float | None = None  # when the one began that is being written
        self._games, self._now = games, now
        self._connection: sqlite3.Connection | None = None
        self._open()

    def _open(self) -> None:
        self._lock, alone = locked(self.path)
        try:
            if alone:
                self.path, lines, mended = sound(self.path)
                self.mended = mended or self.mended
            else:
                lines = whole(by_sqlite(self.path))
            self._read(lines)
        except Fault:
            self.close()
            raise

    def _read(self, lines: list[Line]) -> None:
        try:
            self._connection = connect(self.path)
        except sqlite3.Error as error:
            raise not_kept(self.path, error) from None
        fcntl.flock(self._lock, fcntl.LOCK_SH)  # others may open it too from here on
        self._place, self._count = place_after(lines), len(lines)
        self._file = self.path.stat().st_ino
        story = story_of(self.path, lines, self._games)
        self.about = story.about
        self.session, fallen = Session.replay(story.game, story.start, story.history)
        if fallen:
            self.fallen = fallen
            self._append({"do": "drop", "fallen": [gone.at for gone in fallen]})

    @property
    def number(self) -> int:
        """Of the game, among all that are kept."""
        return int(self.path.name.partition(".")[0])

    def close(self) -> None:
        if self._connection:
            disconnect(self.path, self._connection)
            self._connection = None
        self._lock.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def waits_s(self) -> float:
        """For how long the disk has been waited for; 0 where it is not."""
        since_s = self._since_s
        return 0.0 if since_s is None else monotonic() - since_s

    # The steps

    def confirm(self, *actions: Action) -> tuple[Ruling, ...]:
        """Add the actions as one step.  Where one is not allowed nothing happens; its ruling is the last."""
        self._ready()
        actions = as_written(self.session.game, self.session.start, actions)
        session, rulings = self.session.submit_all(actions)
        if session is not self.session:
            self._step(session, {"do": "confirm", "actions": self._written(actions)})
        return rulings

    def correct(self, at: int, *actions: Action) -> Correction:
        """Put actions in place of entry `at` (from 0); what falls is told.  Nothing happens if one is not allowed."""
        self._ready()
        actions = as_written(self.session.game, self.session.start, actions)
        correction = self.session.correct(at, actions)
        if all(isinstance(ruling, Allowed) for ruling in correction.rulings):
            fallen = [gone.at for gone in correction.fallen]
            line = {"do": "correct", "at": at, "actions": self._written(actions), "fallen": fallen}
            self._step(correction.session, line)
        return correction

    def take_table(self, position: State) -> list[str]:
        """Go on from a position as it is.  Where that cannot be, nothing happens; all that is wrong is told."""
        self._ready()
        game = self.session.game
        if faults := game.faults(position):
            return faults
        session, faults = self.session.take_table(position_as_written(game, position))
        if not faults:
            self._step(session, {"do": "table", "position": game.write_position(position)})
        return faults

    def undo(self) -> bool:
        """Take the last step back; False where there is none."""
        self._ready()
        return self._moved(self.session.undo(), "undo")

    def redo(self) -> bool:
        """Do again what was last undone; False where nothing was."""
        self._ready()
        return self._moved(self.session.redo(), "redo")

    def name(self, name: str) -> None:
        """Raises Fault where that is no name."""
        checked_name(name)
        self._note({"do": "name", "name": name})

    def archive(self) -> None:
        self._note({"do": "archive"})

    def resume(self, order: int) -> None:
        """The game to go on with, out of the archive where it was there."""
        self._note({"do": "resume", "order": order})

    # Writing

    def _written(self, actions: Sequence[Action]) -> list[dict[str, Any]]:
        return [self.session.game.write_action(action) for action in actions]

    def _moved(self, session: Session, way: str) -> bool:
        if session is self.session or session.history is self.session.history:
            return False
        self._step(session, {"do": way})
        return True

    def _step(self, session: Session, line: Line) -> None:
        self._append(line)
        self.session = session

    def _note(self, line: Line) -> None:
        self._ready()
        self._append(line)

    def _ready(self) -> None:
        """After a failed write the disk is asked what came of it, before anything else is done."""
        if self._connection is None:
            self._open()

    def _append(self, line: Line) -> None:
        """Write a line; it is on disk when this returns.  Raises NotKept, and then it is not in the game."""
        line = {**line, "clock": int(self._now())}
        self._since_s = begun_s = monotonic()
        try:
            while (place := self._add(line)) is None:
                before = self.session.history
                self.close()
                self._open()
                if self.session.history != before:
                    raise NotKept(self.path, "elsewhere", "the game has gone on in another program")
        finally:
            self._since_s = None
        self.saving_s = monotonic() - begun_s
        self._place, self._count = place, self._count + 1
        self.about = self.about.told(Field(line))

    def _add(self, line: Line) -> int | None:
        try:
            if self.path.stat().st_ino != self._file:
                raise FileNotFoundError(2, "another file stands in its place")
            assert self._connection is not None
            return add(self._connection, self._place, self._count, line)
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise not_kept(self.path, error) from None
