"""A camera that is kept going: when it fails it is ended and begun again, for as long as it takes."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Event, Lock
from typing import Protocol

from companion.observation import Frame, NotSeen
from hardware.camera import FROZEN, STALLED, CameraFault

STALL_S = 6.0  # without a picture: then the camera is taken for stuck,
FIRST_S = 15.0  # which takes longer before its first
CHECK_S = 0.2
PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)  # before it is begun again, the longer the more often it failed
QUIET = 50  # pictures after which earlier failures are forgotten
TELL_S = 1.0  # between two answers that there is no picture
SAME = 30  # pictures that are the very same: no camera sees that twice, whatever lies still
PLAIN = 8  # between the darkest and the lightest: the same in a dark room


class Feed(Protocol):
    """What gives pictures until it fails: see `hardware.camera.apart.Apart`."""

    ranges: Mapping[str, tuple[float, float]]

    def next(self, wait_s: float) -> Frame | None: ...

    def adjust(self, settings: Mapping[str, float] | None) -> None: ...

    def relit(self) -> None: ...

    def kill(self) -> None: ...


class Tended:
    """`read` gives the next picture, or why there is none just now; None once closed.  It never waits for long."""

    def __init__(
        self,
        begin: Callable[[], Feed],
        now_s: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> None:
        """`begin` may raise CameraFault.  `now_s` is a clock that only goes on, `wait` waits for some seconds.

        `fixed` are settings that the camera is to have, each time that it is begun.
        """
        self._begin, self._now_s = begin, now_s
        self._closed, self._reading = Event(), Lock()
        self._wait = wait or self._closed.wait
        self._feed: Feed | None = None
        self._fixed = dict(fixed or {})
        self._about: Mapping[str, float] = {}  # of the last picture
        self._failures = 0
        self._begin_at_s = now_s()
        self._since_s = now_s()  # when it was begun, or its last picture came
        self._count = self._of_this = self._same = 0
        self._print = 0
        self._trouble: CameraFault | None = None

    def read(self) -> Frame | NotSeen | None:
        with self._reading:
            return self._read()

    def _read(self) -> Frame | NotSeen | None:
        asked_s = self._now_s()
        while not self._closed.is_set():
            try:
                if frame := self._next():
                    return frame
            except CameraFault as fault:
                self._fail(fault)
                return NotSeen(fault.reason, str(fault))
            if self._trouble and self._now_s() - asked_s >= TELL_S:
                return NotSeen(self._trouble.reason, str(self._trouble))
        return None

    def metadata(self) -> Mapping[str, float]:
        """What the camera says of the last picture."""
        return self._about

    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """What can be set, from where to where; nothing before the first picture."""
        return self._feed.ranges if self._feed is not None else {}

    def adjust(self, settings: Mapping[str, float]) -> None:
        """Fix these, also once the camera had to be begun again; what is not named stays as it is."""
        self._set(self._fixed | dict(settings), settings)

    def automatic(self) -> None:
        """The camera finds exposure and white balance by itself again."""
        self._set({}, None)

    def _set(self, fixed: dict[str, float], settings: Mapping[str, float] | None) -> None:
        with self._reading:
            self._fixed = fixed
            if self._feed is not None:
                self._feed.adjust(settings)

    def relit(self) -> None:
        """The light on the table is another, says who looks at it."""
        with self._reading:
            if self._feed is not None:
                self._feed.relit()

    def close(self) -> None:
        """End the camera; a `read` in another thread ends first, in `CHECK_S` at the latest."""
        self._closed.set()
        with self._reading:
            self._end()

    def _next(self) -> Frame | None:
        if self._feed is None:
            if (early_s := self._begin_at_s - self._now_s()) > 0:
                self._wait(min(early_s, CHECK_S))
                return None
            self._feed = self._begin()
            self._since_s, self._of_this, self._same = self._now_s(), 0, 0
            if self._fixed:
                self._feed.adjust(self._fixed)
        frame = self._feed.next(CHECK_S)
        if frame is None:
            if self._now_s() - self._since_s >= (STALL_S if self._of_this else FIRST_S):
                raise CameraFault(STALLED, f"no picture for {self._now_s() - self._since_s:.0f} s")
            return None
        self._check(frame)
        self._since_s, self._trouble, self._about = self._now_s(), None, frame.about
        self._count, self._of_this = self._count + 1, self._of_this + 1
        if self._of_this >= QUIET:
            self._failures = 0
        return replace(frame, name=f"{self._count:06}")

    def _check(self, frame: Frame) -> None:
        few = frame.pixels[::8, ::8]
        now = zlib.crc32(few.tobytes())
        self._same = self._same + 1 if now == self._print and int(few.max()) - int(few.min()) > PLAIN else 0
        self._print = now
        if self._same >= SAME:
            raise CameraFault(FROZEN, f"the camera gives the same picture over and over ({SAME} times)")

    def _fail(self, fault: CameraFault) -> None:
        self._end()
        self._trouble = fault
        self._begin_at_s = self._now_s() + PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]
        self._failures += 1

    def _end(self) -> None:
        if self._feed is not None:
            self._feed.kill()
            self._feed = None
