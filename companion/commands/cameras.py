"""The camera that `--camera` names: one of the machine's, a folder of pictures, or that of a simulated table."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from companion.commands.follow import frames_in
from companion.commands.read import content_of
from companion.document import Fault
from companion.live import Camera

SIMULATED, PICAMERA2 = "simulated", "picamera2"
MOST_WEBCAMS = 64


@dataclass(frozen=True)
class Source:
    """Where pictures come from: `simulated`, `picamera2`, `folder` with a path, or `v4l2` with a number."""

    kind: str
    place: str = ""
    looked_for: bool = False  # it is what was found


def source(text: str) -> Source:
    """What `--camera` says; `auto` takes the first webcam there is, else the simulated table."""
    kind, _, place = text.partition(":")
    if text == "auto":
        return Source(SIMULATED, "", True) if (found := webcam()) is None else Source("v4l2", found, True)
    if text in (SIMULATED, PICAMERA2) or (kind == "folder" and place) or re.fullmatch(r"v4l2:[0-9]{1,2}", text):
        return Source(kind, place)
    raise argparse.ArgumentTypeError(f"{text!r} found; expected auto, simulated, picamera2, folder:DIR or v4l2:N")


def webcam() -> str | None:
    """The number of the first camera that the system has."""
    numbers = (str(number) for number in range(MOST_WEBCAMS))
    return next((number for number in numbers if Path(f"/dev/video{number}").exists()), None)


def camera_of(source: Source) -> Camera:
    """A camera of the machine, or a folder of pictures.  Raises Fault."""
    match source:
        case Source("v4l2", number):
            from hardware.camera import Webcam  # OpenCV is loaded only where it is needed

            return Webcam(int(number))
        case Source("folder", folder):
            from companion.vision.picture import decode
            from hardware.camera import Folder

            return Folder(frames_in(Path(folder)), lambda path: decode(content_of(path), path.name))
    raise Fault(f"--camera: {source.kind} is not driven yet; use v4l2:N, folder:DIR or simulated")
