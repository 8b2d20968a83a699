"""The panel: two buttons, and where there are some two lights and a buzzer, on the pins of a Raspberry Pi."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread
from typing import Any

from companion.config import PanelSettings
from companion.document import Fault
from hardware.contacts import BUTTONS, Contacts

CHIP_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")  # of the header: Pi 5; Pi 4; Pi 3 and Zero 2 W
CHIP_INFO = 0x8044B401  # GPIO_GET_CHIPINFO_IOCTL: 32 bytes of name, 32 of label, 4 of how many lines
SAMPLE_S = 0.005  # between looks at a contact that moves,
REST_S = 0.25  # and at contacts at rest: an edge that went unnoticed costs this much
BEEP_S = 0.08
RIGHT, WRONG = "right", "wrong"  # what the lights tell


def header_chip(devices: Path = Path("/dev"), label_of: Callable[[Path], str] | None = None) -> int | None:
    """The number of the chip whose pins are on a Raspberry Pi's header; None where there is no such chip.

    It is found by its label: its number is another on each model and each kernel.
    """
    labels = {path: (label_of or chip_label)(path) for path in sorted(devices.glob("gpiochip[0-9]*"))}
    for wanted in CHIP_LABELS:
        for path, label in labels.items():
            if label == wanted:
                return int(path.name.removeprefix("gpiochip"))
    return None


def chip_label(path: Path) -> str:
    """What a chip calls itself; nothing where it may not be asked."""
    try:
        with path.open("rb") as chip:
            info = fcntl.ioctl(chip, CHIP_INFO, bytes(68))
    except OSError:
        return ""
    return info[32:64].rstrip(b"\0").decode("ascii", "replace")


class Panel:
    """Calls `press` with what is pressed, from a thread of its own: see `hardware.contacts`.

    Raises Fault, with the remedy, where the pins cannot be used; there is no falling back to another way to them.
    """

    def __init__(self, settings: PanelSettings, press: Callable[[str], None], factory: Any = None) -> None:
        """`factory` is gpiozero's; None: lgpio's, for the chip of the header."""
        self._press = press
        self._contacts = Contacts(settings.steady_s, settings.hold_s)
        self._edge, self._closed = Event(), Event()
        self._thread = Thread(target=self._watch, daemon=True, name="panel")
        self._told = ""
        with ExitStack() as stack:  # what was taken is given back where the rest cannot be had
            if factory is None:
                factory = _lgpio()
                stack.callback(factory.close)
            self._buttons: dict[str, Any] = {}
            self._lights: dict[str, Any] = {}
            self._take(settings, factory, stack)
            self._taken = stack.pop_all()

    def _take(self, settings: PanelSettings, factory: Any, stack: ExitStack) -> None:
        from gpiozero import LED, Button, Buzzer

        kinds = {"right_led_pin": LED, "wrong_led_pin": LED, "buzzer_pin": Buzzer}
        for key, pin in settings.pins.items():
            name = key.removesuffix("_pin").removesuffix("_led")
            try:
                if name in BUTTONS:
                    device = self._buttons[name] = Button(pin, pull_up=True, pin_factory=factory)
                    device.when_pressed = device.when_released = self._edge.set
                else:
                    device = self._lights[name] = kinds[key](pin, pin_factory=factory)
            except Exception as error:  # lgpio raises its own, which has no base but this
                raise Fault(f"panel.{key}: pin {pin} cannot be used: {error}; has another program got it?") from None
            stack.callback(device.close)

    def start(self) -> None:
        self._thread.start()

    def look(self, at_s: float) -> None:
        """Look at the buttons once, at an instant of a clock that only goes on."""
        for told in self._contacts.feed(at_s, {name for name, is_down in self.levels.items() if is_down}):
            self._press(told)

    @property
    def levels(self) -> dict[str, bool]:
        """Whether each button is down."""
        return {name: bool(button.is_pressed) for name, button in self._buttons.items()}

    def show(self, told: str) -> None:
        """Light up for `right` (something is to be confirmed) or `wrong`, which is also heard; nothing else: dark."""
        if told == self._told:
            return
        self._told = told
        for name in (RIGHT, WRONG):
            if name in self._lights:
                self._lights[name].value = name == told
        if told == WRONG and "buzzer" in self._lights:
            self._lights["buzzer"].blink(BEEP_S, BEEP_S, n=2, background=True)

    def close(self) -> None:
        self._closed.set()
        self._edge.set()
        if self._thread.is_alive():
            self._thread.join()
        self._taken.close()

    def _watch(self) -> None:
        while not self._closed.is_set():
            self._edge.wait(REST_S if self._contacts.at_rest else SAMPLE_S)
            self._edge.clear()
            self.look(time.monotonic())
            if not self._contacts.at_rest:
                self._closed.wait(SAMPLE_S)  # a contact that bounces rings for every edge


def _lgpio() -> Any:
    """gpiozero's way to the pins by lgpio.  Raises Fault."""
    os.environ.setdefault("LG_WD", tempfile.gettempdir())  # lgpio keeps files where it works
    try:
        import gpiozero  # noqa: F401
    except ImportError:
        raise Fault("panel: gpiozero is missing: sudo apt install python3-gpiozero python3-lgpio") from None
    chip = header_chip()
    if chip is None:
        raise Fault("panel: this machine has no pins of a Raspberry Pi, or they may not be used: be in the group gpio")
    try:
        from gpiozero.pins.lgpio import LGPIOFactory
    except ImportError:
        raise Fault("panel: lgpio is missing, and nothing else will do: sudo apt install python3-lgpio") from None
    try:
        return LGPIOFactory(chip)
    except Exception as error:  # as above
        raise Fault(f"panel: /dev/gpiochip{chip} cannot be opened: {error}; be in the group gpio") from None
