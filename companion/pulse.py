"""Which parts of a running companion are alive: each says so again and again, and all are needed.

Whoever supervises it (systemd's watchdog) is told so only while every part that is at work has said so in its time.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping

CAMERA, EYE, TABLE, SCREEN = "camera", "eye", "table", "screen"
LIMITS_S = {CAMERA: 25.0, EYE: 120.0, TABLE: 10.0, SCREEN: 10.0}  # learning a kit takes the eye a while
PING_S = 5.0  # between two pings


class Pulse:
    """`beat` may be called from any thread.  `tell` gets lines of systemd's protocol; by default nobody listens."""

    def __init__(
        self,
        tell: Callable[[str], None] = lambda line: None,
        limits_s: Mapping[str, float] = LIMITS_S,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell, self._limits_s, self._now_s = tell, limits_s, now_s
        self._beats: dict[str, float] = {}
        self._pinged_s = now_s() - PING_S

    def beat(self, part: str) -> None:
        """A part is alive; from now on it is expected to be."""
        self._beats[part] = self._now_s()

    def rest(self, *parts: str) -> None:
        """Parts have no work any more."""
        for part in parts:
            self._beats.pop(part, None)

    @property
    def silent(self) -> list[str]:
        """The parts that should have said something by now."""
        now_s = self._now_s()
        return [part for part, beat_s in dict(self._beats).items() if now_s - beat_s > self._limits_s[part]]

    def ping(self) -> None:
        """Tell the watchdog, where every part is alive and it is time."""
        if self._now_s() - self._pinged_s >= PING_S and not self.silent:
            self._pinged_s = self._now_s()
            self._tell("WATCHDOG=1")

    def ready(self) -> None:
        self._tell("READY=1")

    def ending(self) -> None:
        self._tell("STOPPING=1")


def notifier(environment: Mapping[str, str] = os.environ) -> Callable[[str], None]:
    """What tells systemd, by a datagram for each line; nothing where systemd did not start this."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return lambda line: None

    def tell(line: str) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as link:
            link.settimeout(1.0)
            try:
                link.sendto(line.encode(), "\0" + address[1:] if address[0] == "@" else address)
            except OSError:
                return  # systemd will notice by itself

    return tell
