"""A film as a camera: its pictures one after the other, as many of a second as are looked at."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

import cv2

from companion.document import Fault
from companion.observation import Frame

MOST_PIXELS = 64_000_000  # of a picture
RATES = (1.0, 1000.0)  # pictures a second that a film may tell of itself; else each is taken
LOCAL = "protocol_whitelist;file"  # a list of films may name others: none is fetched from elsewhere


class Film:
    """A file of moving pictures; where it cannot be read any further it has ended."""

    def __init__(self, path: Path, a_second: float) -> None:
        """`a_second` pictures of each second are given, or all where it has fewer.  Raises Fault."""
        if not path.is_file():  # OpenCV would take it for an address, or for the names of many pictures
            raise Fault(f"{path}: no such film")
        os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = LOCAL
        self._capture = cv2.VideoCapture(str(path))
        pixels = self._capture.get(cv2.CAP_PROP_FRAME_WIDTH) * self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT)
        if not self._capture.isOpened() or not 0 < pixels <= MOST_PIXELS:
            self._capture.release()
            raise Fault(f"{path}: no film, a damaged one, or one of more than {MOST_PIXELS // 1_000_000} megapixels")
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        self._step = max(1, round(rate / a_second)) if RATES[0] <= rate <= RATES[1] else 1
        self._count = 0
        self._closed, self._one = False, Lock()

    def read(self) -> Frame | None:
        with self._one:
            return None if self._closed else self._read()

    def _read(self) -> Frame | None:
        for _ in range(self._step - 1 if self._count else 0):
            if not self._capture.grab():
                return None
        there, pixels = self._capture.read()
        self._count += there
        return Frame(pixels, name=f"{self._count:06}") if there else None

    def close(self) -> None:
        """From any thread: a picture that is being read comes first."""
        with self._one:
            self._closed = True
            self._capture.release()
