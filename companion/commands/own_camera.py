"""What calibrating has found of the device's own camera: its lens, and how it was set once and for all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from companion.commands.cameras import ANY, Source, first_camera
from companion.config import home
from companion.document import Fault

if TYPE_CHECKING:  # OpenCV is loaded only where it is needed
    from calibration.album import Album
    from calibration.profile import Profile

PROFILE = "camera.toml"


def profile_path() -> Path:
    """The profile of the device's own camera."""
    return home() / PROFILE


def set_before() -> Album:
    """Where it is noted down how the camera was set, as long as its lens is not known."""
    from calibration.album import Album

    return Album(home() / "calibrating" / "camera" / "before-the-lens")


def name_of(camera: Source | str) -> str:
    """A camera as it is named in its profile: whichever there is goes by its own name, however it was asked for."""
    return str(first_camera() or ANY) if str(camera) == ANY else str(camera)


def own_profile(camera: Source | str) -> Profile | None:
    """What was found of this camera; None of another, or where it cannot be read."""
    from calibration.profile import load_profile

    try:
        profile = load_profile(profile_path())
    except Fault:
        return None
    return profile if name_of(profile.camera) == name_of(camera) else None


def own_lens(camera: Source) -> Path | None:
    """The file of this camera's lens; None where it is not known.  Only a camera of the machine has one."""
    return profile_path() if camera.is_real and own_profile(camera) is not None else None


def settings_set(camera: Source | str) -> Mapping[str, float]:
    """How this camera was set once and for all; nothing where it was not."""
    if (profile := own_profile(camera)) is not None:
        return profile.settings
    noted = set_before().notes()
    found = noted.get("settings") if name_of(str(noted.get("camera"))) == name_of(camera) else None
    return found if isinstance(found, dict) and all(isinstance(v, float | int) for v in found.values()) else {}
