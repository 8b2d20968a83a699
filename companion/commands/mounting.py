"""Whether a camera hangs as it did when it was calibrated: told in a line once a table was read, and nobody is kept
from playing.

Boards are moved about; what stays is how high above their plane the camera is and by how much it looks at it aslant.
Another camera, or another zoom, seems to hang elsewhere too.  So does the same camera over another kit, whose board may
be thicker or a little larger than its file says: each profile is compared with itself, kit by kit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from calibration.mount import Mount, mount_of
from calibration.profile import Profile, fits, load_profile
from companion.config import home
from companion.document import Fault, load_text, parse_json, write_whole
from companion.live import See
from companion.observation import Frame, NotSeen
from companion.vision.watch import Sighting

FILE = "mount.json"
READS = 5  # of a settled table, whose middle counts
MOST = 20  # profiles with a kit each that are remembered
MOVED, CHANGED = "camera-moved", "camera-changed"  # keys of the words for what is to be known of the machine


class Mounting:
    """Compares what is read with how it was the first time after calibrating, which is kept beside the profile."""

    def __init__(self, profile: Profile, digest: str, hangs: bool, notice: Callable[..., None]) -> None:
        """`digest` is of the files of profile and kit: calibrated anew, the camera may hang anew too."""
        self._profile, self._digest, self._hangs, self._notice = profile, digest, hangs, notice
        self._sizes: set[tuple[int, int]] = set()
        self._found: list[Mount] = []

    def met(self, frame: Frame, seen: Sighting | NotSeen) -> None:
        height, width = frame.pixels.shape[:2]
        if (width, height) not in self._sizes:
            self._sizes.add((width, height))
            if not fits(self._profile, (width, height)):
                self._notice(CHANGED, wide=width, tall=height, day=self._profile.made or "?")
        if not self._hangs or len(self._found) == READS or not isinstance(seen, Sighting):
            return
        if seen.fresh and seen.observation is not None:
            self._found.append(mount_of(seen.observation.memory.view))
            if len(self._found) == READS:
                self._compare()

    def _compare(self) -> None:
        now = Mount(median(one.height_mm for one in self._found), median(one.tilt_deg for one in self._found))
        before = kept(self._digest)
        if before is None:
            _keep(self._digest, now)
        elif now.is_other(before):
            self._notice(MOVED)


def kept(digest: str) -> Mount | None:
    """How the camera hung when it was first used with that profile over that kit; None where nobody knows."""
    try:
        found = _all_kept()[digest]
        mount = Mount(float(found["height_mm"]), float(found["tilt_deg"]))
        return mount if mount.height_mm > 0 else None
    except (KeyError, TypeError, ValueError):
        return None


def _all_kept() -> dict[str, Any]:
    """What is kept, by the digest, the oldest first; nothing of what cannot be read."""
    try:
        found = parse_json(load_text(home() / FILE))
    except Fault:
        return {}
    return found if isinstance(found, dict) else {}


def _keep(digest: str, mount: Mount) -> None:
    others = [(key, row) for key, row in _all_kept().items() if key != digest and isinstance(row, dict)]
    rows = {**dict(others[1 - MOST :]), digest: asdict(mount)}
    try:
        write_whole(home() / FILE, (json.dumps(rows) + "\n").encode())
    except Fault:
        return  # a disk that is full stands in nobody's way: another time


def noticing(
    make: Callable[[], See], profile: Path | None, kit: Path, hangs: bool, notice: Callable[..., None]
) -> Callable[[], See]:
    """The same eye; once it has read something `notice` is called where the camera is not as in its profile.

    `kit` is the kit's folder.  `notice` is handed a key of the words, and what is to be known of pictures of another
    shape.

    `hangs`: it is a camera of the machine, and no folder of pictures.
    """
    if profile is None:
        return make

    def made() -> See:
        see = make()
        mounting = Mounting(load_profile(profile), _digest(profile, kit / "kit.toml"), hangs, notice)

        def seeing(frame: Frame) -> Sighting | NotSeen:
            seen = see(frame)
            mounting.met(frame, seen)
            return seen

        return seeing

    return made


def _digest(*files: Path) -> str:
    """Of what they say; a file that is gone says nothing."""
    return hashlib.sha256(b"\0".join(file.read_bytes() if file.is_file() else b"" for file in files)).hexdigest()
