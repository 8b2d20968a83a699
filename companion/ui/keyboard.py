"""A terminal: keys are pressed, lines are drawn.  Plain ANSI and no colours, as ssh and a serial line have it."""

from __future__ import annotations

import codecs
import os
import re
import shutil
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from companion.ui.layout import plain

ENTER, ESCAPE, BACKSPACE, UP, DOWN, HUNG_UP = "enter", "escape", "backspace", "up", "down", "hung up"
NAMED = {"\r": ENTER, "\n": ENTER, "\x7f": BACKSPACE, "\x08": BACKSPACE, "\x1b": ESCAPE}
ARROWS = {"A": UP, "B": DOWN}
_SEQUENCE = re.compile(r"\x1b[\[O][0-9;]*([A-Za-z~])")
ON, OFF = "\x1b[?1049h\x1b[?25l\x1b[2J", "\x1b[?25h\x1b[?1049l"


class Terminal:
    """The terminal that a program was started in.  `fileno` can be waited for."""

    def __init__(self) -> None:
        self._input, self._output = sys.stdin.fileno(), sys.stdout.fileno()
        self._is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        self._decode = codecs.getincrementaldecoder("utf-8" if self._is_utf8 else "latin-1")("replace")
        self._drawn: list[str] = []
        self._size = (0, 0)

    def fileno(self) -> int:
        return self._input

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        columns, rows = shutil.get_terminal_size((80, 24))
        return rows, columns

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Keys come one by one, and the screen is another than the one before, until this ends."""
        before = termios.tcgetattr(self._input)
        try:
            tty.setcbreak(self._input)
            self._write(ON)
            yield
        finally:
            with suppress(OSError, termios.error):  # it may be gone
                self._write(OFF)
                termios.tcsetattr(self._input, termios.TCSADRAIN, before)

    def pressed(self) -> list[str]:
        """What was pressed: signs as they are, the other keys by name.  HUNG_UP where nobody is there any more."""
        try:
            got = os.read(self._input, 1024)
        except OSError:
            return [HUNG_UP]
        return list(read_keys(self._decode.decode(got))) if got else [HUNG_UP]

    def draw(self, lines: Sequence[str]) -> None:
        """Lines from the top, the first as a title; only those are written that are not there yet.  Raises OSError."""
        if self.size != self._size:
            self._size, self._drawn = self.size, []
        rows, columns = self._size
        text = "" if self._drawn else "\x1b[2J"
        shown = [plain(line, self._is_utf8)[:columns] for line in lines[:rows]]
        for number, line in enumerate(shown):
            if number >= len(self._drawn) or self._drawn[number] != line:
                body = f"\x1b[7m{line.ljust(columns)}\x1b[0m" if number == 0 else f"{line}\x1b[K"
                text += f"\x1b[{number + 1};1H{body}"
        if len(shown) < len(self._drawn):
            text += f"\x1b[{len(shown) + 1};1H\x1b[J"
        self._drawn = shown
        if text:
            self._write(text)

    def _write(self, text: str) -> None:
        left = text.encode("utf-8" if self._is_utf8 else "ascii", "replace")
        while left:
            left = left[os.write(self._output, left) :]


def read_keys(text: str) -> Iterator[str]:
    """The keys in what a terminal sent at once."""
    while text:
        if found := _SEQUENCE.match(text):
            if found[1] in ARROWS:
                yield ARROWS[found[1]]
            text = text[found.end() :]
            continue
        sign, text = text[0], text[1:]
        if sign in NAMED:
            yield NAMED[sign]
        elif sign.isprintable():
            yield sign
