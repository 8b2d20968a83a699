"""The machine watched while a game goes on: what is wrong with it is told, and told no more once it is well again."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

from companion import __version__
from companion.live import Inbox, Noticed
from companion.observation import Frame
from companion.ui.view.health import BAD, FINE, LIMITS, POWER, Readings
from companion.vision.look import focus_of, light_of
from hardware.health import Machine

EVERY_S = 10.0
# Of what is measured; the eye tells the rest.
TOLD = ("temperature_c", "disk_free_mb", "memory_free_mb", "frames_a_second", "power", "saving_s")


def readings_of(machine: Machine, frame: Frame | None, saving_s: float | None = None) -> Readings:
    """What is known of a machine, of the newest picture of its camera, and of how long the last step took to keep."""
    return Readings(
        frames_a_second=frame.about.get("rate") if frame else None,
        light=light_of(frame.pixels) if frame else None,
        focus=focus_of(frame.pixels) if frame else None,
        temperature_c=machine.temperature_c,
        disk_free_mb=machine.disk_free_mb,
        version=__version__,
        memory_free_mb=machine.memory_free_mb,
        power=machine.power,
        slowed=machine.slowed,
        saving_s=saving_s,
    )


def states(readings: Readings) -> dict[str, str]:
    """How each of what is told stands; nothing of what cannot be measured."""
    measured = {name: getattr(readings, name) for name in TOLD}
    return {
        name: POWER[value] if name == "power" else LIMITS[name].state(value)
        for name, value in measured.items()
        if value is not None
    }


def news(told: frozenset[str], readings: Readings) -> list[Noticed]:
    """What is to be told after `told`: what has become bad, and what is fine again; between the two nothing changes."""
    now = states(readings)
    worse = [Noticed(name) for name, state in now.items() if state == BAD and name not in told]
    return worse + [Noticed(name, over=True) for name in sorted(told) if now.get(name) == FINE]


class Monitor:
    """Looks every ten seconds, in a thread of its own."""

    def __init__(self, read: Callable[[], Readings], inbox: Inbox) -> None:
        self._read, self._inbox = read, inbox
        self._told: frozenset[str] = frozenset()
        self._closed = Event()
        self._thread = Thread(target=self._watch, daemon=True, name="monitor")

    def start(self) -> None:
        self._thread.start()

    def look(self) -> None:
        for message in news(self._told, self._read()):
            self._told = self._told - {message.key} if message.over else self._told | {message.key}
            self._inbox.put(message)

    def close(self) -> None:
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        while not self._closed.wait(EVERY_S):
            self.look()
