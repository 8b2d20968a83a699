"""A game followed as it is played: a camera is watched in a thread of its own, and all that comes in goes one way.

What crosses the thread is frozen; the game itself belongs to the reader of the inbox alone.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, RLock, Semaphore, Thread
from typing import Protocol, runtime_checkable

from companion.document import Fault
from companion.mishaps import Mishaps
from companion.observation import Frame, NotSeen
from companion.rules import Action
from companion.vision.watch import Sighting

FRAMES_A_SECOND = 10
MOST_UNREAD = 3  # sightings that wait in the inbox, before the lookout waits too
KEPT_FRAMES, KEPT_EVERY_S = 3, 2.0  # that are kept for whoever looks into a failure
RATED = 20  # pictures by which their rate is told
CHECK_S = 0.2
END_S = 0.5
EYE_FAILED = "eye-failed"  # a key of the words for what is not seen

See = Callable[[Frame], Sighting | NotSeen]


class Camera(Protocol):
    """`read` gives the next frame, or why it cannot be seen; None once there is no more."""

    def read(self) -> Frame | NotSeen | None: ...

    def close(self) -> None: ...


@runtime_checkable
class Exposing(Protocol):
    """A camera that holds its exposure, until it is told that the light on the table is another."""

    def relit(self) -> None: ...


@dataclass(frozen=True)
class Looked:
    """What a frame told, and what players tapped before it."""

    frame: str
    seen: Sighting | NotSeen
    tapped: tuple[Action, ...] = ()


@dataclass(frozen=True)
class Ended:
    """The camera has no more pictures; `fault` says why where something is wrong with it."""

    fault: BaseException | None = None


@dataclass(frozen=True)
class Stopped:
    """Somebody, or the system, wants an end; `status` is the exit status that goes with it."""

    status: int


@dataclass(frozen=True)
class Pressed:
    """A button of the panel: `confirm`, `undo` or `menu`."""

    button: str


@dataclass(frozen=True)
class Noticed:
    """Something about the machine that its players should know, a key of the words for it; `over`: not any more."""

    key: str
    over: bool = False


Message = Looked | Ended | Stopped | Pressed | Noticed


class Inbox:
    """What comes in, in its order, for one reader.  It may be put into from any thread and from a signal's handler.

    A button comes before the rest, and once: it is meant for what was shown when it was pressed, and who presses again
    while nothing happens wants nothing more.

    `fileno` can be read from as long as something waits, so that a reader may wait for a keyboard at the same time.

    Closed it takes nothing more: a look that takes long may end after its game, when the number of what rings here
    belongs to a file that was opened since, such as the next game's.
    """

    def __init__(self) -> None:
        self._waiting: deque[Message] = deque()
        self._is_closed, self._one = False, RLock()  # which a signal's handler may enter again
        self._bell, self._button = os.pipe()
        for end in (self._bell, self._button):
            os.set_blocking(end, False)

    def fileno(self) -> int:
        return self._bell

    def put(self, message: Message) -> None:
        with self._one:
            if self._is_closed:
                return
            self._waiting.append(message)
            with suppress(BlockingIOError):  # it rings already
                os.write(self._button, b".")

    def take(self, wait_s: float | None = None) -> list[Message]:
        """All that is there; where nothing is, what comes within a time (None: however long it takes)."""
        select.select([self._bell], [], [], wait_s)
        with suppress(BlockingIOError):
            os.read(self._bell, 4096)
        taken = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        presses = [message for message in taken if isinstance(message, Pressed)]
        return [*presses[:1], *(message for message in taken if not isinstance(message, Pressed))]

    def close(self) -> None:
        with self._one:
            if not self._is_closed:
                self._is_closed = True
                os.close(self._bell)
                os.close(self._button)


class Eye:
    """What looks at pictures, made with the first; where it breaks it is made anew, and a picture later tried again.

    What it remembers of the table is gone then, and its sightings count from 1 again.
    """

    def __init__(self, make: Callable[[], See], mishaps: Mishaps) -> None:
        """`make` may raise Fault, which is for whoever reads the inbox."""
        self._make, self._mishaps = make, mishaps
        self._see: See | None = None

    def __call__(self, frame: Frame) -> Sighting | NotSeen:
        failed = NotSeen(EYE_FAILED, "The eye broke, and is begun anew.")
        if self._mishaps.passes():
            return failed
        try:
            if self._see is None:
                self._see = self._make()
            seen = self._see(frame)
        except Fault:
            raise
        except Exception as error:  # a fault of the program ends no game
            self._see = None
            self._mishaps.met(error)
            return failed
        self._mishaps.went_well()
        return seen


class Lookout:
    """Watches a camera in a thread, and puts what it sees into an inbox.

    With a `speed` it looks ten times that often in a second, and at the newest picture; None takes every picture, each
    once the one before has been `taken` in.
    """

    def __init__(
        self,
        camera: Camera,
        see: See,
        inbox: Inbox,
        speed: float | None = 1.0,
        tapped: Callable[[], tuple[Action, ...]] = tuple,
        alive: Callable[[str], None] = lambda part: None,
        rests: Callable[[str], None] = lambda part: None,
    ) -> None:
        """`alive` is called with `camera` and `eye` as long as they are, `rests` with one that has nothing to do."""
        self._camera, self._see, self._inbox, self._tapped, self._alive = camera, see, inbox, tapped, alive
        self._rests = rests
        self.frame: Frame | None = None  # the newest that was looked at
        self.before: deque[Frame] = deque(maxlen=KEPT_FRAMES)  # some of those before it, the newest last
        self._kept_s = -KEPT_EVERY_S
        self._looked_s: deque[float] = deque(maxlen=RATED)  # when the last were looked at
        self._period_s = None if speed is None else 1 / (FRAMES_A_SECOND * speed)
        self._room = Semaphore(1 if speed is None else MOST_UNREAD)
        self._due_s = time.monotonic()
        self._closed = Event()
        self._thread = Thread(target=self._watch, daemon=True, name="lookout")

    def start(self) -> None:
        self._thread.start()

    def taken(self) -> None:
        """The reader has done with a `Looked`."""
        self._room.release()

    def close(self) -> None:
        """End it, and the camera; a look that takes long ends with the program."""
        self._closed.set()
        self._camera.close()
        self._thread.join(END_S)

    def _watch(self) -> None:
        """Nothing more to be seen, or a Fault that is told, is an end in order: camera and eye are missed by nobody.

        Where it broke they are, and whoever supervises the companion begins it anew.
        """
        fault: Exception | None = None
        try:
            for looked in iter(self.look, None):
                self._inbox.put(looked)
        except Exception as error:  # it is for the reader to meet
            fault = error
        if (fault is None or isinstance(fault, Fault)) and not self._closed.is_set():
            self._rests("camera")
            self._rests("eye")
        self._inbox.put(Ended(fault))

    def look(self) -> Looked | None:
        """What the next picture tells, once there is room for it; None where there is none any more."""
        while not self._room.acquire(timeout=CHECK_S):
            self._both_alive()
            if self._closed.is_set():
                return None
        frame, tapped = self._newest()
        self._both_alive()
        if frame is None or self._closed.is_set():
            return None
        if isinstance(frame, NotSeen):
            return Looked("", frame, tapped)
        is_first = self.frame is None
        self._keep(frame)
        self._rests("camera")  # a look may take long, the first above all: the camera says nothing meanwhile
        seen = self._see(frame)
        if is_first:  # what is recorded or simulated waits until the eye has learned the kit
            self._due_s = time.monotonic()
        if isinstance(seen, Sighting) and (seen.light or seen.state == "lost") and isinstance(self._camera, Exposing):
            self._camera.relit()  # where nothing can be read it may be too dark, or too bright
        self._both_alive()
        return Looked(frame.name, seen, tapped)

    def _keep(self, frame: Frame) -> None:
        now_s = time.monotonic()
        self._looked_s.append(now_s)
        self.frame = frame
        if now_s - self._kept_s >= KEPT_EVERY_S:
            self._kept_s = now_s
            self.before.append(frame)

    @property
    def frames_a_second(self) -> float | None:
        """As many pictures as really were looked at lately; None before there were two."""
        times = list(self._looked_s)
        since_s = time.monotonic() - times[0] if times else 0.0
        return (len(times) - 1) / since_s if len(times) > 1 and since_s > 0 else None

    def _both_alive(self) -> None:
        """A camera that has no picture is alive as long as it says so, and so is an eye that has nothing to see.

        Closed in the middle of a look they say nothing any more: nobody would go on saying it.
        """
        if self._closed.is_set():
            return
        self._alive("camera")
        self._alive("eye")

    def _newest(self) -> tuple[Frame | NotSeen | None, tuple[Action, ...]]:
        """The picture that is due, and all that was tapped until then."""
        frame, tapped = self._camera.read(), self._tapped()
        if self._period_s is None:
            return frame, tapped
        self._due_s += self._period_s
        while frame is not None and time.monotonic() > self._due_s + self._period_s:  # a newer one may be there
            began = time.monotonic()
            frame = self._camera.read()
            tapped += self._tapped()
            self._due_s += self._period_s
            if time.monotonic() - began > self._period_s / 2:  # it had to be waited for: the camera is no faster
                self._due_s = time.monotonic()
        self._closed.wait(max(0.0, self._due_s - time.monotonic()))
        return frame, tapped
