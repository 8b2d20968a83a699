"""Where the companion keeps what it keeps, and what its owner has set: one folder, one file in it."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from companion.document import Fault, Field, Form, Key, flag, integer, load_text, many, maybe, one_of

FILE = "config.toml"
THEMES = ("light", "dark", "contrast")
ROTATIONS = (0, 90, 180, 270)


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
class Config:
    screen: ScreenSettings = ScreenSettings()


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
_CONFIG = Form(Config, {"screen": Key(_SCREEN.read, default={})})


def config() -> Config:
    """What `config.toml` in the companion's folder says; where there is none, everything is at its default.

    Raises Fault with file, key and value in one line.
    """
    path = home() / FILE
    if not path.exists():
        return Config()
    try:
        try:
            document = tomllib.loads(load_text(path))
        except tomllib.TOMLDecodeError as error:
            raise Fault(f"no valid TOML: {error}") from None
        found: Config = _CONFIG.read(Field(document))
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    return found
