"""Cameras.  Each has `read`, which gives the next frame, or why there is none just now, or None once there is no more;
and `close`.  The simulated table's camera (`companion.simulate.camera`) has the same shape.

What drives a camera of the machine (`v4l2`, `pi`) is a *device*: it lives in a process of its own (`process`), which
`apart` starts, asks and kills, and `tended` starts again when it has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol

from companion.document import Fault
from companion.observation import Frame, NotSeen

ABSENT, BUSY, MISSING, STALLED, GONE, FROZEN, BROKEN = (
    f"camera-{what}" for what in ("absent", "busy", "missing", "stalled", "gone", "frozen", "broken")
)


class CameraFault(Fault):
    """A camera gives no picture; `reason` is a key of the companion's words for what is not seen."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Device(Protocol):
    """What drives a camera.  It is made in the process that has it; making one may raise CameraFault."""

    def next(self, wait_s: float) -> Frame:
        """A picture no older than the call, or nearly.  Raises CameraFault where none comes in time."""

    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """What can be set, from where to where, by the names that `Frame.about` has."""

    def adjust(self, settings: Mapping[str, float] | None) -> None:
        """Fix these settings, those that there are; None: the camera finds exposure and white balance by itself again.

        Pictures show it some frames later, and say so in `about`.
        """

    def relit(self) -> None:
        """The light on the table is said to be another: what is not fixed may have to be found anew."""

    def close(self) -> None: ...


class Folder:
    """The pictures of a folder, one after the other; one that cannot be read is told as `NotSeen`."""

    def __init__(self, paths: Iterable[Path], decode: Callable[[Path], Frame | NotSeen]) -> None:
        self._paths, self._decode = iter(paths), decode

    def read(self) -> Frame | NotSeen | None:
        path = next(self._paths, None)
        return None if path is None else self._decode(path)

    def close(self) -> None:
        self._paths = iter(())
