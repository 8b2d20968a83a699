"""A camera's profile: its lens, how it was set, when that was found, and how well.  One TOML file."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.kit_file import toml_of
from companion.document import Fault, Field, Form, Key, integer, load_text, many, mapping
from companion.observation import Calibration

RATIO, FOCAL = 0.01, 0.03  # a change of the picture's shape, and of the focal length by its size: another camera


@dataclass(frozen=True)
class Profile:
    """`settings` are those that were fixed, by the name that the camera has for them."""

    lens: Calibration
    made: str = ""  # the day, ISO 8601
    camera: str = ""
    residual_px: float | None = None
    views: int | None = None
    settings: Mapping[str, float] = field(default_factory=dict)


def _text(field: Field) -> str:
    if field.value == "":
        return ""
    return field.text(longest=80)


def _day(field: Field) -> str:
    try:
        return "" if field.value == "" else datetime.date.fromisoformat(field.text()).isoformat()
    except ValueError:
        raise field.fault("a day, as 2026-05-31") from None


def _profile(**values: Any) -> Profile:
    lens = {key: values.pop(key) for key in ("size_px", "focal_px", "centre_px", "distortion")}
    return Profile(Calibration(**lens), **values)


_FORM = Form(
    _profile,
    {
        "size_px": Key(many(integer(16, 100_000), 2, 2)),
        "focal_px": Key(lambda field: field.number(1, 1e6)),
        "centre_px": Key(many(lambda field: field.number(-1e5, 1e5), 2, 2)),
        "distortion": Key(many(lambda field: field.number(-100, 100), 5, 5)),
        "made": Key(_day, default=""),
        "camera": Key(_text, default=""),
        "residual_px": Key(lambda field: field.number(0, 1000), default=None),
        "views": Key(integer(1, 10_000), default=None),
        "settings": Key(mapping(_text, lambda field: field.number(-1e9, 1e9)), default={}),
    },
)


def load_profile(path: Path) -> Profile:
    """Raises Fault with file, key and value in one line."""
    try:
        profile: Profile = _FORM.read(Field(tomllib.loads(load_text(path))))
    except tomllib.TOMLDecodeError as error:
        raise Fault(f"{path}: no valid TOML: {error}") from None
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    return profile


def profile_text(profile: Profile) -> str:
    lens = profile.lens
    values = {
        "size_px": list(lens.size_px),
        "focal_px": round(lens.focal_px, 3),
        "centre_px": [round(value, 3) for value in lens.centre_px],
        "distortion": [round(value, 6) for value in lens.distortion],
        "made": profile.made,
        "camera": profile.camera,
        "residual_px": profile.residual_px,
        "views": profile.views,
    }
    told = {key: value for key, value in values.items() if value not in (None, "")}
    return toml_of({**told, **({"settings": dict(profile.settings)} if profile.settings else {})})


def has_changed(profile: Profile, seen: Calibration) -> bool:
    """Whether a lens as it shows now is another one, or another zoom, than that of the profile."""
    focal, other = (lens.focal_px / lens.size_px[0] for lens in (profile.lens, seen))
    return not fits(profile, seen.size_px) or abs(focal / other - 1) > FOCAL


def fits(profile: Profile, size_px: tuple[int, int]) -> bool:
    """Whether pictures of a size, (width, height), can be of the camera as it was: of the same shape."""
    before, now = (width / height for width, height in (profile.lens.size_px, size_px))
    return abs(before / now - 1) <= RATIO
