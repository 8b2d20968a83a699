"""A device with a camera that a test feeds, a clock that it turns, a game that is kept, and a screen to look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from companion.commands.following import Following
from companion.commands.panel import joined
from companion.live import Inbox, Lookout
from companion.observation import Frame
from companion.pulse import Pulse
from companion.ui.showing import Showing
from companion.ui.terminal import Display
from companion.vision.watch import Sighting
from hardware.camera import CameraFault
from hardware.camera.tended import Tended
from hardware.contacts import Contacts
from tests.hardware.test_tended import Clock, Feed, Step
from tests.ui.tables import Seat

LAST_DIE = {"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]}
HARVESTED = {"6,1": ()}  # what a player did: the carrot on 6,1 is harvested


def pictures(count: int, seed: int = 0) -> list[Step]:
    """As many pictures that are all different."""
    random = np.random.default_rng(seed)
    return [Frame(random.integers(0, 255, (48, 64, 3), np.uint8), about={"rate": 30.0}) for _ in range(count)]


class Device:
    """`feeds` are what the camera gives each time it is begun; the last also every time after that."""

    def __init__(self, folder: Path, feeds: list[list[Step] | CameraFault], language: str = "en") -> None:
        self.seat = Seat(folder, "garden-dice", turn=LAST_DIE)
        self.clock = Clock()
        self.pulsed: list[float] = []
        self.pulse = Pulse(lambda line: self.pulsed.append(self.clock.now_s), now_s=self.clock)
        self.following = Following(self.seat.table, confirms=False)
        self.inbox: Inbox = self.following.inbox
        self.feeds: list[Feed] = []  # those that were begun
        self._feeds = feeds
        self.camera = Tended(self._begin, self.clock, self.clock.wait)
        eye = self.following.eye(lambda: self._see)
        self.lookout = Lookout(self.camera, eye, self.inbox, None, alive=self.pulse.beat, rests=self.pulse.rest)
        showing = Showing(self.following, self.seat.kit, self.seat.teller(language))
        self.display = Display(showing, "The game")
        self.see: Callable[[], Sighting] = lambda: self.seat.settles().sighting
        self._contacts = Contacts(0.03, 1.0)
        self._press = joined(self.inbox)

    def _begin(self) -> Feed:
        feed = self._feeds.pop(0) if len(self._feeds) > 1 else self._feeds[0]
        if isinstance(feed, CameraFault):
            raise feed
        self.feeds.append(Feed(self.clock, list(feed)))
        return self.feeds[-1]

    @property
    def begun(self) -> int:
        """How often the camera was."""
        return len(self.feeds)

    def _see(self, frame: Frame) -> Sighting:
        return self.see()

    def looks(self, count: int = 1) -> str:
        """After some more looks, what the screen says of the sight."""
        for _ in range(count):
            looked = self.lookout.look()
            assert looked is not None
            self.following.meet(looked)
            self.lookout.taken()
            self.clock.wait(0.1)
            self._round()
        return self.display.view.sight

    def presses(self, button: str) -> None:
        """A button goes down and up again, and the screen takes it up."""
        for after_s, down in ((0.0, set()), (0.1, {button}), (0.1, {button}), (0.1, set()), (0.1, set())):
            self.clock.wait(after_s)
            for told in self._contacts.feed(self.clock.now_s, down):
                self._press(told)
        self._round()

    def _round(self) -> None:
        """What a screen does again and again."""
        for message in self.inbox.take(0):
            self.display.meet(message)
        self.display._showing.look()
        self.pulse.beat("table")
        self.pulse.beat("screen")
        self.pulse.ping()

    @property
    def done(self) -> list[str]:
        return [self.seat.game.write_action(action)["do"] for action in self.seat.log.session.actions]

    @property
    def screen(self) -> str:
        return "\n".join(self.display.lines(24, 80))

    def close(self) -> None:
        self.camera.close()
        self.following.close()
        self.seat.close()
