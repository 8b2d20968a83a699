"""What breaks where nothing should: told once with its traceback, counted, and tried again after a pause.

It goes to the logger `companion`, which nobody needs to set up: standard error, and so the service's journal, has it.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import MemoryHandler

LOG = logging.getLogger("companion")
PAUSES = (1, 2, 4, 8, 16, 32, 64)  # pictures that are let pass before another try, the more the more often it broke
QUIET = 50  # pictures that go well, after which earlier faults are forgotten
MOST_TEXTS = 20  # tracebacks that are kept


class Mishaps:
    """Those of one part of the program.  Time is counted in pictures; there is no clock."""

    def __init__(self, part: str) -> None:
        self.count = 0  # since the game was put on the table
        self.texts: dict[str, str] = {}  # the traceback of the first in each place, by the place
        self._part = part
        self._row = self._well = self._pause = 0

    def met(self, error: Exception) -> None:
        """It broke once more."""
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{type(error).__name__} {frames[-1].filename}:{frames[-1].lineno}" if frames else repr(error)
        self.count, self._well = self.count + 1, 0
        self._pause = PAUSES[min(self._row, len(PAUSES) - 1)]
        self._row += 1
        if place not in self.texts and len(self.texts) < MOST_TEXTS:
            self.texts[place] = "".join(traceback.format_exception(error))
            LOG.error("%s broke", self._part, exc_info=error)

    def went_well(self) -> None:
        self._well += 1
        if self._well >= QUIET:
            self._row = 0

    def passes(self) -> bool:
        """Whether this picture is let pass."""
        if not self._pause:
            return False
        self._pause -= 1
        return True


@contextmanager
def held_back() -> Iterator[None]:
    """What is logged meanwhile is told at the end: a screen is drawn where it would stand."""
    handler = MemoryHandler(1000, logging.CRITICAL + 1, flushOnClose=False)
    LOG.addHandler(handler)
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        for record in handler.buffer:
            LOG.handle(record)
