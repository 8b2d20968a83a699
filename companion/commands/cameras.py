"""The camera that `--camera` names: of the machine, of a simulated table, or a folder of pictures or a film."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from companion.commands.follow import frames_in
from companion.commands.read import content_of
from companion.config import CameraSettings
from companion.document import Fault
from companion.live import FRAMES_A_SECOND, Camera
from hardware.camera import ABSENT, CameraFault, Folder
from hardware.camera.apart import Apart, of_device
from hardware.camera.listed import LISTED, pi_camera, webcams
from hardware.camera.tended import Tended

SIMULATED, PICAMERA2, ANY = "simulated", "picamera2", "any"
WITH_A_PATH = ("folder", "video")
CAMERAS = "auto, any, simulated, picamera2, folder:DIR, video:FILE or v4l2:N"


@dataclass(frozen=True)
class Source:
    """Where pictures come from: `simulated`, `picamera2`, `folder` or `video` with a path, `v4l2` with a number, or
    `any` camera.

    `waits`: one that is not there yet is waited for.
    """

    kind: str
    place: str = ""
    looked_for: bool = False  # it is what was found
    waits: bool = False

    @property
    def is_real(self) -> bool:
        return self.kind not in (SIMULATED, *WITH_A_PATH)

    def __str__(self) -> str:
        return f"{self.kind}:{self.place}" if self.place else self.kind


def source(text: str) -> Source:
    """What `--camera` says; `auto` takes the first camera there is, else the simulated table."""
    kind, _, place = text.partition(":")
    if text == "auto":
        found = first_camera()
        return Source(SIMULATED, "", True) if found is None else replace(found, looked_for=True)
    if text in (SIMULATED, PICAMERA2) or (kind in WITH_A_PATH and place) or re.fullmatch(r"v4l2:[0-9]{1,2}", text):
        return Source(kind, place)
    if text == ANY:
        return Source(ANY, waits=True)
    raise argparse.ArgumentTypeError(f"{text!r} found; expected {CAMERAS}")


def source_set(settings: CameraSettings) -> Source:
    """What the settings say; a camera that they name is waited for.  Raises Fault."""
    try:
        return replace(source(settings.source), waits=True)
    except argparse.ArgumentTypeError as error:
        raise Fault(f"config.toml: camera.source: {error}") from None


def first_camera(listed: Path = LISTED) -> Source | None:
    """The Raspberry Pi's own camera where it has one and picamera2 is there, else the first webcam."""
    if find_spec("picamera2") and pi_camera(listed):
        return Source(PICAMERA2)
    numbers = webcams(listed)
    return Source("v4l2", str(numbers[0])) if numbers else None


def camera_of(
    source: Source, settings: CameraSettings | None = None, fixed: Mapping[str, float] | None = None
) -> Camera:
    """A camera of the machine, a folder of pictures or a film.  Raises Fault where that is not there.

    `fixed` are the settings that calibrating has found for it.
    """
    if source.kind == "folder":
        from companion.vision.picture import decode

        return Folder(frames_in(Path(source.place)), lambda path: decode(content_of(path), path.name))
    if source.kind == "video":
        from hardware.camera.film import Film

        return Film(Path(source.place), FRAMES_A_SECOND)
    if source.kind == "v4l2" and not source.waits and not Path(f"/dev/video{source.place}").exists():
        raise Fault(f"--camera: {source} found, but there is no /dev/video{source.place}")
    if source.kind == PICAMERA2 and not source.waits and not find_spec("picamera2"):
        raise Fault("--camera: picamera2 found, but it is not installed: sudo apt install python3-picamera2")

    wanted = settings or CameraSettings()

    def begin() -> Apart:
        found = first_camera() if source.kind == ANY else source
        if found is None:
            raise CameraFault(ABSENT, "no camera is connected")
        return of_device(found.kind, int(found.place or 0), wanted.size_px, wanted.focus_dioptres)

    return Tended(begin, fixed=fixed)
