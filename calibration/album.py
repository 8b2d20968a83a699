"""Pictures that a step of calibrating has taken, in a folder, so that it can be gone on with; and its notes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.document import Fault, load_text, parse_json, write_whole
from companion.observation import Frame
from companion.vision.picture import decode

Array = np.ndarray[Any, Any]

NOTES = "notes.json"
QUICKLY = [cv2.IMWRITE_PNG_COMPRESSION, 1]


class Album:
    """The folder need not exist yet.  Anything that cannot be written raises Fault."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        return sorted(path.stem for path in self.folder.glob("*.png"))

    def frames(self) -> Iterator[Frame]:
        """The pictures in the order in which they were taken; one that cannot be read is left out."""
        for name in self.names():
            frame = decode(self._path(name).read_bytes(), name)
            if isinstance(frame, Frame):
                yield frame

    def add(self, pixels: Array) -> str:
        """Keep a picture (height, width, 3) BGR; its name."""
        names = self.names()
        name = f"{int(names[-1]) + 1 if names and names[-1].isdecimal() else 1:03}"
        self._make()
        write_whole(self._path(name), cv2.imencode(".png", pixels, QUICKLY)[1].tobytes())
        return name

    def drop(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def notes(self) -> dict[str, Any]:
        """What was noted last; nothing where there are no notes that can be read."""
        try:
            found = parse_json(load_text(self.folder / NOTES))
        except Fault:
            return {}
        return found if isinstance(found, dict) else {}

    def note(self, notes: dict[str, Any]) -> None:
        self._make()
        write_whole(self.folder / NOTES, json.dumps(notes).encode())

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Fault(f"{self.folder}: cannot be written: {error.strerror or error}") from None

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.png"
