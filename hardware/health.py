"""How the machine is, as plain values: what the kernel tells of it, None where it tells nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

POWER = ("steady", "was-low", "low")  # never too low since it was switched on; it was; it is
UNDER_VOLTAGE, UNDER_VOLTAGE_BEFORE = 0x1, 0x10000  # bits of what the firmware tells
SLOWED, SLOWED_BEFORE = 0x6, 0x60000  # its speed is capped or cut, for heat or for want of power


@dataclass(frozen=True)
class Machine:
    model: str | None = None
    temperature_c: float | None = None
    power: str | None = None  # one of POWER
    slowed: bool | None = None  # now
    disk_free_mb: float | None = None
    memory_free_mb: float | None = None


def machine(folder: Path, root: Path = Path("/")) -> Machine:
    """`folder` is where games are kept, or will be; `root` is where the kernel's files lie."""
    throttled = _throttled(root)
    return Machine(
        model=_read(root / "proc/device-tree/model"),
        temperature_c=_temperature(root),
        power=_power(root, throttled),
        slowed=None if throttled is None else bool(throttled & SLOWED),
        disk_free_mb=_disk(folder),
        memory_free_mb=_memory(root),
    )


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip("\0\n ")
    except OSError:
        return None


def _temperature(root: Path) -> float | None:
    """Of the processor; of whatever tells one where none is called so."""
    zones = sorted((root / "sys/class/thermal").glob("thermal_zone*"))
    zones.sort(key=lambda zone: _read(zone / "type") not in ("cpu-thermal", "x86_pkg_temp"))
    for zone in zones:
        told = _read(zone / "temp")
        if told is not None and told.lstrip("-").isdecimal():
            return int(told) / 1000
    return None


def _throttled(root: Path) -> int | None:
    """What a Raspberry Pi's firmware tells of power and heat, bit by bit."""
    for path in (root / "sys/devices/platform").glob("soc*/*firmware/get_throttled"):
        with suppress(ValueError):
            return int(_read(path) or "", 16)
    return None


def _power(root: Path, throttled: int | None) -> str | None:
    """By the firmware, and by the kernel's own alarm where it has one."""
    alarm = next(_volts(root), None)
    if throttled is None and alarm is None:
        return None
    if alarm == "1" or (throttled or 0) & UNDER_VOLTAGE:
        return "low"
    return "was-low" if (throttled or 0) & UNDER_VOLTAGE_BEFORE else "steady"


def _volts(root: Path) -> Iterator[str | None]:
    for sensor in (root / "sys/class/hwmon").glob("hwmon*"):
        if _read(sensor / "name") == "rpi_volt":
            yield _read(sensor / "in0_lcrit_alarm")


def _disk(folder: Path) -> float:
    """Room for games, in MB."""
    found = os.statvfs(next(filter(os.path.exists, (folder.absolute(), *folder.absolute().parents))))
    return found.f_bavail * found.f_frsize / 1e6


def _memory(root: Path) -> float | None:
    for line in (_read(root / "proc/meminfo") or "").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024 / 1e6
    return None
