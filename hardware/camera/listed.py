"""Which cameras the system knows of, told without opening any."""

from __future__ import annotations

from pathlib import Path

LISTED = Path("/sys/class/video4linux")
PI_SENSORS = ("unicam", "rp1-cfe")  # how the names of a Raspberry Pi's own camera begin,
PI_OTHERS = ("bcm2835", "pispbe", "rpi", "codec")  # and those of its video devices that are no camera at all


def pi_camera(listed: Path = LISTED) -> bool:
    """Whether a camera is on a Raspberry Pi's own connector."""
    return any(_told(entry, "name").startswith(PI_SENSORS) for entry in listed.glob("video*"))


def webcams(listed: Path = LISTED) -> list[int]:
    """The numbers of the machine's webcams; of the nodes of each only the first gives pictures."""
    return sorted(
        int(entry.name.removeprefix("video"))
        for entry in listed.glob("video*")
        if _told(entry, "index") == "0" and not _told(entry, "name").startswith((*PI_SENSORS, *PI_OTHERS))
    )


def _told(entry: Path, what: str) -> str:
    try:
        return (entry / what).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
