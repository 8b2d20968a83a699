"""How the device is: each thing that can be wrong, how it stands, and what to do about it.

Draw the headline, `pressed` for as long as it is so, then a row for each item: its state as a sign as well as a
colour, its name, what was measured, what to do.  What is wrong stands first, then what is to be watched.  `bundle` is
the tap that writes everything that helps to find a failure into one file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from companion.ui.view.taps import Tap
from companion.ui.view.wording import capital
from companion.words import filled, words

FINE, WATCH, BAD, UNKNOWN = "fine", "watch", "bad", "unknown"


@dataclass(frozen=True)
class Readings:
    """What was measured; None where nothing could be.

    `light`: the grey value (0-255) that two hundredths of a picture are brighter than.  `focus`: the fine detail of its
    sharpest parts in grey levels; both as `companion read` measures them.  `residual_px`: how far the boards' pictures
    lie from where they are seen.  `buttons`: whether each is pressed.  `power`: `steady`, `was-low` or `low`.
    `saving_s`: how long the last step took until it was on disk.  `faults`: how often eye, referee or a screen broke.
    `slowed`: whether the processor runs slower than it could, for heat or for want of power.
    """

    camera: str | None = None  # its name; empty where none is found
    frames_a_second: float | None = None
    light: float | None = None
    focus: float | None = None
    residual_px: float | None = None
    buttons: Mapping[str, bool] | None = None
    temperature_c: float | None = None
    disk_free_mb: float | None = None
    version: str | None = None
    memory_free_mb: float | None = None
    power: str | None = None
    saving_s: float | None = None
    faults: float | None = None
    slowed: bool | None = None


@dataclass(frozen=True)
class Limits:
    """From which value on a thing is no longer fine, and from which it is bad; `low` where small values are bad."""

    watch: float
    bad: float
    low: bool = False

    def state(self, value: float) -> str:
        def beyond(limit: float) -> bool:
            return value < limit if self.low else value > limit

        return BAD if beyond(self.bad) else WATCH if beyond(self.watch) else FINE


LIMITS: Mapping[str, Limits] = {
    "frames_a_second": Limits(5.0, 1.0, low=True),  # ten a second are asked for; a still table shows in five
    "light": Limits(60.0, 20.0, low=True),  # below the second no picture is read
    "focus": Limits(4.0, 1.5, low=True),  # below the second no picture is read; sharp ones have 7 and more
    "residual_px": Limits(0.7, 2.0),  # from the first on the boards are looked for anew
    "temperature_c": Limits(70.0, 80.0),  # from the second on a Raspberry Pi slows itself down
    "disk_free_mb": Limits(500.0, 50.0, low=True),  # a game takes less than one
    "memory_free_mb": Limits(150.0, 50.0, low=True),  # the companion takes up to 350 of it
    "faults": Limits(0.5, 2.5),  # of the program: one is worth a failure file, more stand in the way
    "saving_s": Limits(0.5, 1.5),  # the screen stands still meanwhile; a sound card takes less than a tenth
}
MEASURED = tuple(LIMITS)
ONCE = ("saving_s", "faults")  # these have no row before there is something to measure
URGENT = (BAD, WATCH)  # what stands above all else, in this order
SIGNS = {FINE: "OK", WATCH: "!", BAD: "×", UNKNOWN: "–"}
POWER: Mapping[str, str] = {"steady": FINE, "was-low": WATCH, "low": BAD}


@dataclass(frozen=True)
class Item:
    """A thing that can be wrong.  `sign` stands for the state where colours are not told apart."""

    name: str
    state: str
    sign: str
    measured: str
    to_do: str


@dataclass(frozen=True)
class Bundle:
    """Write everything that helps to find a failure into one file."""


@dataclass(frozen=True)
class Health:
    headline: str
    state: str  # the worst of all that could be measured
    items: tuple[Item, ...]
    buttons: tuple[tuple[str, bool], ...]
    pressed: str  # which of them are down, in words; empty where there are none
    bundle: Tap[Bundle]


def health(readings: Readings, language: str) -> Health:
    told = words("companion", language)["health"]
    items = [
        _camera(readings.camera, told),
        *(_measured(name, getattr(readings, name), language) for name in MEASURED if name not in ONCE),
        *(_measured(name, getattr(readings, name), language) for name in ONCE if getattr(readings, name) is not None),
        _power(readings.power, told),
        *(() if readings.slowed is None else (_speed(readings.slowed, told),)),
        _buttons(readings.buttons, told),
        _item("version", UNKNOWN if readings.version is None else FINE, readings.version or "", told),
    ]
    items.sort(key=lambda item: URGENT.index(item.state) if item.state in URGENT else len(URGENT))
    states = {item.state for item in items}
    worst = next((state for state in (BAD, WATCH, FINE) if state in states), UNKNOWN)
    buttons = tuple((told["button"].get(name, name), down) for name, down in (readings.buttons or {}).items())
    pressed = (told["pressed" if down else "released"].format(button=name) for name, down in buttons)
    return Health(
        headline=told["headline"][worst],
        state=worst,
        items=tuple(items),
        buttons=buttons,
        pressed=" · ".join(map(capital, pressed)),
        bundle=Tap(told["bundle"], Bundle()),
    )


def _camera(camera: str | None, told: Mapping[str, Any]) -> Item:
    if camera is None:
        return _item("camera", UNKNOWN, "", told)
    return _item("camera", FINE if camera else BAD, camera or told["none"], told)


def _measured(name: str, value: float | None, language: str) -> Item:
    told = words("companion", language)["health"]
    if value is None:
        return _item(name, UNKNOWN, "", told)
    measured = filled(told["measured"][name], language, value=float(value)) if isfinite(value) else told["none"]
    return _item(name, LIMITS[name].state(value), measured, told)


def _power(power: str | None, told: Mapping[str, Any]) -> Item:
    if power is None:
        return _item("power", UNKNOWN, "", told)
    return _item("power", POWER[power], told["power"][power], told)


def _speed(slowed: bool, told: Mapping[str, Any]) -> Item:
    return _item("speed", WATCH if slowed else FINE, told["speed"]["slowed" if slowed else "full"], told)


def _buttons(buttons: Mapping[str, bool] | None, told: Mapping[str, Any]) -> Item:
    """None is no fault: all of it can be done on the screen."""
    if buttons is None:
        return _item("buttons", UNKNOWN, "", told)
    return _item("buttons", FINE, str(len(buttons)) if buttons else told["none"], told)


def _item(name: str, state: str, measured: str, told: Mapping[str, Any]) -> Item:
    to_do = {FINE: "", UNKNOWN: told["unmeasured"]}.get(state) or told["to-do"].get(name, "")
    return Item(told["name"][name], state, SIGNS[state], measured, "" if state == FINE else to_do)
