"""A step of calibrating at work: its camera is read, what a person does is done, one after the other, in a thread.

Whoever draws it asks for `stand`, which is frozen, and for the picture that goes with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread
from typing import Any, Protocol

import cv2
import numpy as np

from calibration.dialogue import LIVE, Afresh, Deed, Drop, Keep, Stand, Take
from companion.document import Fault
from companion.observation import Frame, NotSeen

Array = np.ndarray[Any, Any]

LIVE_PX, LARGE_PX = 640, 2048  # the longer side of what is shown: while it is live, and of what was taken
PAUSE_S, END_S = 0.1, 2.0
ONCE = (Take, Keep, Drop, Afresh)  # pressed again while it waits, or is being done, such a deed is meant once


class Camera(Protocol):
    def read(self) -> Frame | NotSeen | None: ...

    def close(self) -> None: ...


class Bench(Protocol):
    """See `calibration.benches`."""

    stand: Any  # one of the stands of `calibration.dialogue`
    pictures: dict[str, Array]

    def begin(self) -> None: ...

    def look(self, frame: Frame) -> None: ...

    def do(self, deed: Deed, frame: Frame | None) -> None: ...


class Workshop:
    """`paced`: the camera's pictures were taken before; the next is shown once one was taken up."""

    def __init__(
        self, camera: Camera, bench: Bench, paced: bool = False, alive: Callable[[], None] = lambda: None
    ) -> None:
        self._camera, self._bench, self._paced, self._alive = camera, bench, paced, alive
        self._deeds: deque[Deed] = deque()
        self._doing: Deed | None = None
        self._begun = False
        self._frame: Frame | None = None
        self._taken = True  # the frame was taken up
        self._trouble, self._ended = "", False
        self._shown = 0  # counts the pictures that are live
        self._live: Array | None = None
        self._broke: Exception | None = None  # what the thread ended with
        self._closed = Event()
        self._thread = Thread(target=self._work, daemon=True, name="workshop")

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """End it, and the camera; what takes long goes on: see `finish`."""
        self._closed.set()
        self._camera.close()
        if self._thread.is_alive():
            self._thread.join(END_S)

    def finish(self) -> None:
        """Once it is closed: wait until what was being done, such as writing a kit's files, is over."""
        if self._thread.is_alive():
            self._thread.join()

    @property
    def stand(self) -> Any:
        """How far the step has come.  Raises what a camera, or a step, broke on."""
        if self._broke is not None:
            raise self._broke
        stand: Stand = self._bench.stand
        busy = stand.busy or ("working" if self._doing is not None or self._deeds else "")
        picture = self._shown if stand.shows == LIVE else stand.picture
        trouble = stand.trouble or (self._trouble if stand.shows == LIVE else "")
        return replace(stand, busy=busy, picture=picture, trouble=trouble, ended=self._ended and self._taken)

    def do(self, deed: Deed) -> None:
        """Let it be done as soon as what is being done is over."""
        if not (isinstance(deed, ONCE) and (deed == self._doing or deed in tuple(self._deeds))):
            self._deeds.append(deed)

    def picture(self) -> Array | None:
        """What is to be seen now: (height, width, 3) uint8 BGR; None before the first picture."""
        shows = self._bench.stand.shows
        if shows == LIVE:
            return self._live
        return fitting(self._bench.pictures[shows], LARGE_PX) if shows in self._bench.pictures else None

    def turn(self) -> None:
        """Once round: what was left of an earlier time, what is to be done, the next picture."""
        self._alive()
        if not self._begun:
            self._begun = True
            self._safely(self._bench.begin)
        while self._deeds:
            deed = self._doing = self._deeds[0]
            self._deeds.popleft()
            if isinstance(deed, Take) and not self._paced and not self._ended:
                self._read(looks=False)  # the hand that tapped may have been in the one before
            self._safely(lambda deed=deed: self._bench.do(deed, self._frame))  # type: ignore[misc]
            self._taken = self._taken or isinstance(deed, Take)
            self._doing = None
            self._alive()
        if not self._ended and (self._taken or not self._paced):
            self._read()

    def _read(self, looks: bool = True) -> None:
        try:
            frame = self._camera.read()
        except Fault as fault:
            frame, self._trouble = None, "\n".join(map(str, fault.args))
        if isinstance(frame, Frame):
            self._frame, self._trouble, self._taken = frame, "", False
            self._live = fitting(frame.pixels, LIVE_PX)
            self._shown += 1
            if looks:
                self._safely(lambda: self._bench.look(frame))
        elif frame is None:
            self._ended = True
        else:
            self._trouble = frame.error

    def _safely(self, deed: Callable[[], None]) -> None:
        """What cannot be is told; the step goes on."""
        try:
            deed()
        except Fault as fault:
            self._bench.stand = replace(self._bench.stand, trouble="\n".join(map(str, fault.args)), busy="")

    def _work(self) -> None:
        try:
            while not self._closed.is_set():
                self.turn()
                self._closed.wait(PAUSE_S)
        except Exception as error:  # it is for the reader to meet
            self._broke = None if self._closed.is_set() else error


def fitting(pixels: Array, most_px: int) -> Array:
    """A picture (height, width, 3) uint8 whose longer side is no longer than that."""
    shrink = most_px / max(pixels.shape[:2])
    if shrink < 1:
        pixels = cv2.resize(pixels, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(pixels)
