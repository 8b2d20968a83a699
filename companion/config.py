"""Where the companion keeps what it keeps, and what its owner has set: one folder, one file in it."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from companion.document import (
    Fault,
    Field,
    Form,
    Key,
    flag,
    format_1,
    integer,
    load_text,
    many,
    maybe,
    not_newer,
    number,
    one_of,
    text,
)

FILE = "config.toml"
THEMES = ("light", "dark", "contrast")
ROTATIONS = (0, 90, 180, 270)
HEADER_PINS = range(2, 28)
PINS = ("confirm_pin", "undo_pin", "right_led_pin", "wrong_led_pin", "buzzer_pin")


def home() -> Path:
    """`$COMPANION_HOME`, else the user's data folder by the XDG base directory rules.  It need not exist yet."""
    if own := os.environ.get("COMPANION_HOME"):
        return Path(own)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "garden-companion"


@dataclass(frozen=True)
class ScreenSettings:
    """The touchscreen.  `inches` is its diagonal, `size_px` that of its window on a desktop."""

    inches: float = 7.0
    theme: str = THEMES[0]
    rotation: int = 0  # degrees, of what is shown and of what is touched
    sounds: bool = True
    size_px: tuple[int, int] | None = None


@dataclass(frozen=True)
class CameraSettings:
    """The camera over the table.  `source` is as `--camera` has it; what the camera cannot give it comes near to."""

    source: str = "auto"
    size_px: tuple[int, int] = (2304, 1296)
    focus_dioptres: float | None = None  # of a lens that can be moved; None leaves it to the camera


@dataclass(frozen=True)
class PanelSettings:
    """Two buttons, lights and a buzzer: pins by their BCM numbers, None where there is none.

    `wanted` None: buttons are used where the machine has the pins of a Raspberry Pi.
    """

    wanted: bool | None = None
    confirm_pin: int = 17
    undo_pin: int = 27
    right_led_pin: int | None = None
    wrong_led_pin: int | None = None
    buzzer_pin: int | None = None
    steady_s: float = 0.03  # for so long a level must stand to be one
    hold_s: float = 1.0  # undo held for so long is the menu

    @property
    def pins(self) -> dict[str, int]:
        """The pins that are used, by their keys."""
        found = {name: getattr(self, name) for name in PINS}
        return {name: pin for name, pin in found.items() if pin is not None}


@dataclass(frozen=True)
class Config:
    screen: ScreenSettings = ScreenSettings()
    camera: CameraSettings = CameraSettings()
    panel: PanelSettings = PanelSettings()


def _pin(field: Field) -> int:
    """A pin of the header; those of the identification chip are no pins to use."""
    pin = field.integer(0, 99)
    if pin not in HEADER_PINS:
        raise field.fault(f"a BCM number of the header, {HEADER_PINS[0]} to {HEADER_PINS[-1]}")
    return pin


def _rotation(field: Field) -> int:
    if field.value not in ROTATIONS or isinstance(field.value, bool):
        raise field.fault(f"one of {', '.join(map(str, ROTATIONS))}")
    return int(field.value)


_SCREEN = Form(
    ScreenSettings,
    {
        "inches": Key(lambda field: field.number(3, 100), default=7.0),
        "theme": Key(one_of(THEMES), default=THEMES[0]),
        "rotation": Key(_rotation, default=0),
        "sounds": Key(flag, default=True),
        "size_px": Key(maybe(many(integer(320, 8192), 2, 2)), default=None),
    },
)
_CAMERA = Form(
    CameraSettings,
    {
        "source": Key(text, default="auto"),
        "size_px": Key(many(integer(320, 8192), 2, 2), default=[2304, 1296]),
        "focus_dioptres": Key(maybe(number(0, 32)), default=None),
    },
)
_PANEL = Form(
    PanelSettings,
    {
        "wanted": Key(maybe(flag), default=None),
        "confirm_pin": Key(_pin, default=17),
        "undo_pin": Key(_pin, default=27),
        "right_led_pin": Key(maybe(_pin), default=None),
        "wrong_led_pin": Key(maybe(_pin), default=None),
        "buzzer_pin": Key(maybe(_pin), default=None),
        "steady_s": Key(number(0.005, 0.2), default=0.03),
        "hold_s": Key(number(0.3, 10), default=1.0),
    },
)


def _panel(field: Field) -> PanelSettings:
    panel: PanelSettings = _PANEL.read(field)
    of_pin: dict[int, str] = {}
    for name, pin in panel.pins.items():
        if pin in of_pin:
            raise Fault(f"{field.at(name)}: {pin} found, but {of_pin[pin]} has it; each needs its own")
        of_pin[pin] = name
    return panel


_CONFIG = Form(
    lambda format, **parts: Config(**parts),
    {
        "format": Key(format_1, default=1),  # need not be said: a later version may have to
        "screen": Key(_SCREEN.read, default={}),
        "camera": Key(_CAMERA.read, default={}),
        "panel": Key(_panel, default={}),
    },
)


def config() -> Config:
    """What `config.toml` in the companion's folder says; where there is none, everything is at its default.

    Raises Fault with file, key and value in one line.
    """
    path = home() / FILE
    try:
        if not path.exists():
            return Config()
    except OSError as error:  # its name is too long, say
        raise Fault(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        try:
            document = tomllib.loads(load_text(path))
        except tomllib.TOMLDecodeError as error:
            raise Fault(f"no valid TOML: {error}") from None
        found: Config = _CONFIG.read(not_newer(Field(document)))
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    return found
