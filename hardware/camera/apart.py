"""A camera in a process of its own, from the side that reads it: it can be waited for, and it can be killed."""

from __future__ import annotations

import json
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from companion.observation import Frame
from hardware.camera import BROKEN, GONE, CameraFault
from hardware.camera.process import MOST_BYTES, RELIT

ROOT = Path(__file__).parent.parent.parent


class Apart:
    """Starts the process that has a camera (see `process`) and asks it for pictures."""

    def __init__(self, command: Sequence[str]) -> None:
        """`command` is handed the number of its end of the link as its last argument.  Raises CameraFault."""
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
            try:
                self._process = subprocess.Popen(
                    [*command, str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": path},
                )
            except OSError as error:
                self._link.close()
                raise CameraFault(BROKEN, f"the camera's process cannot be started: {error.strerror}") from None
        self._memory: mmap.mmap | None = None
        self._asked = False
        self._to_tell: list[Mapping[str, float] | str | None] = []
        self.ranges: Mapping[str, tuple[float, float]] = {}  # what can be set, known from the first picture on

    @property
    def pid(self) -> int:
        return self._process.pid

    def next(self, wait_s: float) -> Frame | None:
        """The picture that was asked for; None where it has not come yet.  Raises CameraFault."""
        try:
            if not self._asked:
                self._link.send(json.dumps(self._to_tell).encode())
                self._asked, self._to_tell = True, []
            if not select.select([self._link], [], [], wait_s)[0]:
                return None
            content, handles, _, _ = socket.recv_fds(self._link, MOST_BYTES, 1)
        except OSError as error:
            raise CameraFault(GONE, f"the camera's process has gone: {error.strerror or error}") from None
        for handle in handles:
            self._memory = mmap.mmap(handle, 0, prot=mmap.PROT_READ)
            os.close(handle)
        if not content:
            raise CameraFault(GONE, "the camera's process has ended")
        self._asked = False
        return self._frame(content)

    def _frame(self, content: bytes) -> Frame:
        told = json.loads(content)
        if "fault" in told:
            raise CameraFault(told["fault"], told["text"])
        self.ranges = {name: (low, high) for name, (low, high) in told["ranges"].items()}
        at, arrays = 0, []
        for shape in filter(None, (told["shape"], told["small"])):
            size = int(np.prod(shape))
            if self._memory is None or at + size > len(self._memory):
                raise CameraFault(BROKEN, "the camera's process tells of a picture that is not there")
            arrays.append(np.frombuffer(self._memory, np.uint8, size, at).reshape(shape).copy())
            at += size
        return Frame(arrays[0], small=arrays[1] if len(arrays) > 1 else None, about=told["about"])

    def adjust(self, settings: Mapping[str, float] | None) -> None:
        """See `hardware.camera.Device`; told with the next picture that is asked for."""
        self._to_tell.append(None if settings is None else dict(settings))

    def relit(self) -> None:
        """See `hardware.camera.Device`; told with the next picture that is asked for."""
        self._to_tell.append(RELIT)

    def kill(self) -> None:
        """End it, whatever it is doing."""
        self._link.close()
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()


def of_device(kind: str, number: int, size_px: tuple[int, int], focus_dioptres: float | None = None) -> Apart:
    """The process of a `v4l2` or `picamera2` camera."""
    focus = "" if focus_dioptres is None else str(focus_dioptres)
    arguments = [kind, str(number), *map(str, size_px), focus]
    return Apart([sys.executable, "-m", "hardware.camera.process", *arguments])
