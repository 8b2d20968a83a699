"""The camera of a simulated table: frames of a game that is being played, ten a second, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any

import numpy as np

from companion.observation import Frame
from companion.rules import Action
from companion.simulate.film import Film
from companion.simulate.living import Life, Play, Told

FRAMES_A_SECOND = 10
AHEAD = 8  # frames that are drawn before they are asked for
WAIT_S = 0.2


@dataclass(frozen=True, eq=False)
class Shot:
    """A frame and what is known of it."""

    frame: Frame
    told: Told
    scene: dict[str, Any]  # what lies where, as in the truth files of scenes

    @property
    def tapped(self) -> tuple[Action, ...]:
        return self.told.tapped


class SimulatedCamera:
    """A camera as the others are: `read` gives the next frame, None once there is none; `close` when done with it.

    Frames are drawn `ahead` by a thread of its own, which ends with the program that uses it; with none ahead each is
    drawn when it is asked for.
    """

    def __init__(self, play: Play, size_px: tuple[int, int] = (1280, 960), ahead: int = AHEAD) -> None:
        self.life = Life(play, size_px)
        setting = self.life.setting
        self._film = Film(play.kit, setting.camera, setting.surface, setting.sensor, play.seed)
        self._ahead = ahead
        self._drawn = self._draw_all()
        self._waiting: Queue[Shot | BaseException | None] = Queue(ahead)
        self._closed = Event()
        self._thread = Thread(target=self._draw, daemon=True, name="simulated camera")
        self.shot: Shot | None = None  # the last that was read

    def read(self) -> Frame | None:
        """The next frame, pixels (height, width, 3) uint8 BGR; None when the game is over or the camera closed."""
        if not self._ahead:
            self.shot = None if self._closed.is_set() else next(self._drawn, None)
            return self.shot.frame if self.shot else None
        if not self._closed.is_set() and self._thread.ident is None:
            self._thread.start()
        while not self._closed.is_set():
            try:
                shot = self._waiting.get(timeout=WAIT_S)
            except Empty:
                continue
            if isinstance(shot, BaseException):
                self.close()
                raise shot
            if shot is None:
                self.close()
                return None
            self.shot = shot
            return shot.frame
        return None

    def frames(self) -> Iterator[Frame]:
        while (frame := self.read()) is not None:
            yield frame

    def shots(self) -> Iterator[Shot]:
        """The frames with what is known of each."""
        while self.read() is not None and self.shot is not None:
            yield self.shot

    def close(self) -> None:
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join()

    def _draw_all(self) -> Iterator[Shot]:
        random = np.random.default_rng([self.life.play.seed, 1])
        for number, told in enumerate(self.life.told(), 1):
            pixels, scene = self._film.shoot(told.moment.scene, random)
            yield Shot(Frame(pixels, f"{number:06}"), told, scene)

    def _draw(self) -> None:
        try:
            for shot in self._drawn:
                if not self._put(shot):
                    return
            self._put(None)
        except Exception as error:  # it is for the reader to meet
            self._put(error)

    def _put(self, shot: Shot | Exception | None) -> bool:
        while not self._closed.is_set():
            try:
                self._waiting.put(shot, timeout=WAIT_S)
            except Full:
                continue
            return True
        return False
