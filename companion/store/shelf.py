"""All the games that are kept: a folder with a file for each, numbered in the order in which they were begun."""

from __future__ import annotations

import fcntl
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from companion.document import Fault, nearest, shown
from companion.rules import Game, State
from companion.session import Session
from companion.store.database import make_folder, not_kept
from companion.store.lines import Line, whole
from companion.store.log import Log
from companion.store.mending import place_file
from companion.store.reading import Games, lines_of, migrated, story_of
from companion.store.story import About, begin_line, checked_name, read_about

MOST_DIGITS = 9  # of a game's number
_NAME = re.compile(r"(\d{4,9})(?:\.(\d{1,4}))?\.game(?:\.[a-z0-9-]+)?")


@dataclass(frozen=True)
class Kept:
    """A game as its file tells it; looking changes nothing."""

    number: int
    path: Path
    about: About
    session: Session
    whole: bool  # whether everything that was found in the file could be read


@dataclass(frozen=True)
class Shelf:
    """`games` are read and played by; `now` is the time in seconds, to be shown."""

    folder: Path
    games: Games
    now: Callable[[], float] = time.time

    def begin(
        self, game: Game, start: State, kit: str = "", name: str = "", names: Mapping[str, str] | None = None
    ) -> Log:
        """A new game; `names` are the players' own, by colour or team.  Raises NotKept."""
        for given in (*filter(None, (name,)), *(names or {}).values()):
            checked_name(given)
        try:
            make_folder(self.folder)
            with self._alone():
                number = max(self._numbers(), default=0) + 1
                path = self.folder / f"{number:04}.game"
                line = begin_line(game, start, self._next_order(), kit, name, names) | {"clock": int(self.now())}
                place_file(path, [line])
        except OSError as error:
            raise not_kept(self.folder, error) from None
        return Log(path, self.games, self.now)

    def open(self, number: int) -> Log:
        """A game to go on with.  It is mended where it is damaged.  Raises Fault."""
        return Log(self.path(number), self.games, self.now)

    def resume(self, number: int) -> Log:
        """The same, and from now on it is the latest."""
        order = self._next_order(but=number)
        log = self.open(number)
        try:
            if log.about.archived or log.about.order < order:
                log.resume(order)
        except Fault:
            log.close()
            raise
        return log

    def look(self, number: int) -> Kept:
        """A game, read without touching its file.  Raises Fault."""
        path = self.path(number)
        found = lines_of(path)
        lines = self._lines(path, found)
        story = story_of(path, lines, self.games)
        session, fallen = Session.replay(story.game, story.start, story.history)
        return Kept(number, path, story.about, session, not fallen and len(lines) == len(found))

    def all(self) -> Iterator[Kept | Fault]:
        """Every game by number; of one that cannot be read, why."""
        for number in sorted(self._paths()):
            try:
                yield self.look(number)
            except Fault as fault:
                yield fault

    def latest(self) -> int | None:
        """The number of the game that was last begun or resumed and is not archived."""
        there = [(about.order, number) for number, about in self._abouts() if not about.archived]
        return max(there)[1] if there else None

    def find(self, word: str) -> int:
        """The number of a game by its number or its name.  Raises Fault."""
        if word.isdecimal() and len(word) <= MOST_DIGITS and int(word) in self._paths():
            return int(word)
        names: dict[str, list[int]] = {}
        for number, about in self._abouts():
            if about.name:
                names.setdefault(about.name, []).append(number)
        found = names.get(word, [])
        if len(found) > 1:
            raise Fault(f"{shown(word)}: {len(found)} games have this name; say {' or '.join(map(str, found))}")
        if not found:
            raise Fault(f"{shown(word)}: no such game{nearest(word, names)}")
        return found[0]

    def _next_order(self, but: int | None = None) -> int:
        """One more than any other game's."""
        return max((about.order for number, about in self._abouts() if number != but), default=0) + 1

    def _abouts(self) -> Iterator[tuple[int, About]]:
        """Of every game that can be read, what is known of it besides its course."""
        for number, path in sorted(self._paths().items()):
            with suppress(Fault):
                yield number, read_about(self._lines(path, lines_of(path)))

    def _lines(self, path: Path, found: dict[int, Line]) -> list[Line]:
        lines = whole(found)
        if not lines:
            raise Fault(f"{path}: damaged; nothing can be read")
        return migrated(lines)

    def _names(self) -> Iterator[tuple[int, int, Path]]:
        """Number, generation and path of each file, those put aside too."""
        try:
            paths = sorted(self.folder.iterdir())
        except FileNotFoundError:
            return
        except OSError as error:
            raise Fault(f"{self.folder}: cannot be read: {error.strerror or error}") from None
        for path in paths:
            if name := _NAME.fullmatch(path.name):
                yield int(name[1]), int(name[2] or 0), path

    def _numbers(self) -> set[int]:
        return {number for number, _, _ in self._names()}

    def _paths(self) -> dict[int, Path]:
        """The file of each game: of several the newest, which was made because something was wrong with the others."""
        return {
            number: path
            for number, _, path in sorted(self._names(), key=lambda name: name[:2])
            if path.suffix == ".game"
        }

    def path(self, number: int) -> Path:
        try:
            return self._paths()[number]
        except KeyError:
            raise Fault(f"{number}: no such game") from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One companion at a time begins a game."""
        with (self.folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
