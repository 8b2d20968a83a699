"""At which pictures of a camera is looked: the newest, but none is missed while the eye is still learning."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from companion import live
from companion.live import Ended, Inbox, Looked, Lookout
from companion.observation import Frame, NotSeen

SPEED = 100.0  # a picture each thousandth of a second
NAMES = [f"{number:06}.jpg" for number in range(1, 9)]


class Recorded:
    """A folder of pictures."""

    def __init__(self) -> None:
        self._left = [Frame(np.zeros((1, 1, 3), np.uint8), name=name) for name in NAMES]

    def read(self) -> Frame | None:
        return self._left.pop(0) if self._left else None

    def close(self) -> None:
        """There is nothing to close."""


def looked_at(looks_s: Callable[[str], float], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the pictures that are looked at where looks take so long, by a clock that nothing else moves."""
    now_s = [0.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now_s[0])

    def see(frame: Frame) -> NotSeen:
        now_s[0] += looks_s(frame.name)
        return NotSeen("no-board", "")

    inbox = Inbox()
    lookout = Lookout(Recorded(), see, inbox, SPEED)
    lookout.start()
    names: list[str] = []
    while True:
        for message in inbox.take():
            if isinstance(message, Ended):
                lookout.close()
                inbox.close()
                return names
            if isinstance(message, Looked):
                names.append(message.frame)
                lookout.taken()


def test_nothing_is_missed_while_the_eye_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked_at(lambda name: 60.0 if name == NAMES[0] else 0.0, monkeypatch) == NAMES


def test_the_newest_is_looked_at_where_looks_take_longer_than_pictures_come(monkeypatch: pytest.MonkeyPatch) -> None:
    names = looked_at(lambda name: 0.0025, monkeypatch)
    assert names == sorted(names) and len(names) < len(NAMES)
