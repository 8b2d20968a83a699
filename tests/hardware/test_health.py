"""What the kernel tells of a machine, from files laid out as it does; and what is told of it during a game."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.commands.monitor import Monitor, news
from companion.live import Inbox, Noticed
from companion.ui.view.health import Readings
from hardware.health import Machine, machine


def lay(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


PI = {
    "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
    "proc/meminfo": "MemTotal:  3884336 kB\nMemAvailable:  1000000 kB\n",
    "sys/class/thermal/thermal_zone0/type": "cpu-thermal\n",
    "sys/class/thermal/thermal_zone0/temp": "51121\n",
    "sys/class/hwmon/hwmon1/name": "rpi_volt\n",
    "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "0\n",
}
THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"


def test_a_raspberry_pi(tmp_path: Path) -> None:
    found = machine(tmp_path / "not" / "there", lay(tmp_path, PI | {THROTTLED: "0\n"}))
    assert (found.model, found.temperature_c) == ("Raspberry Pi 4 Model B Rev 1.4", 51.121)
    assert (found.power, found.slowed, found.memory_free_mb) == ("steady", False, 1024.0)
    assert found.disk_free_mb is not None and found.disk_free_mb > 0


@pytest.mark.parametrize(
    ("told", "alarm", "power", "slowed"),
    [
        ("0", "0", "steady", False),
        ("50000", "0", "was-low", False),  # it was too low, and slow for it
        ("50005", "0", "low", True),
        ("1", "0", "low", False),
        ("0", "1", "low", False),  # the kernel's own alarm
        ("e0008", "0", "steady", False),  # near its limit of heat
        ("4", "0", "steady", True),
        ("nonsense", "0", "steady", None),
    ],
)
def test_power_and_speed(told: str, alarm: str, power: str, slowed: bool | None, tmp_path: Path) -> None:
    files = PI | {THROTTLED: told + "\n", "sys/class/hwmon/hwmon1/in0_lcrit_alarm": alarm + "\n"}
    found = machine(tmp_path, lay(tmp_path, files))
    assert (found.power, found.slowed) == (power, slowed)


def test_a_machine_that_tells_nothing(tmp_path: Path) -> None:
    found = machine(tmp_path, tmp_path)
    assert (found.model, found.temperature_c, found.power, found.slowed, found.memory_free_mb) == (None,) * 5
    assert machine(tmp_path / "x", tmp_path / "y") != Machine()  # a disk is there all the same


# During a game


def readings(**changes: object) -> Readings:
    well = {"temperature_c": 50.0, "disk_free_mb": 5000.0, "memory_free_mb": 900.0, "power": "steady"}
    return Readings(**(well | changes))  # type: ignore[arg-type]


def test_what_becomes_bad_is_told_once_and_taken_back_when_it_is_fine_again() -> None:
    inbox = Inbox()
    told = iter(
        [
            readings(),
            readings(temperature_c=84.0, power="low"),
            readings(temperature_c=85.0, power="low"),
            readings(temperature_c=76.0, power="was-low"),  # better, but not well
            readings(temperature_c=60.0, power="was-low"),
            readings(temperature_c=84.0),
        ]
    )
    monitor = Monitor(lambda: next(told), inbox)
    found = []
    for _ in range(6):
        monitor.look()
        found.append(inbox.take(0))
    assert found == [
        [],
        [Noticed("temperature_c"), Noticed("power")],
        [],
        [],
        [Noticed("temperature_c", over=True)],
        [Noticed("temperature_c"), Noticed("power", over=True)],
    ]
    inbox.close()


def test_what_cannot_be_measured_is_not_told() -> None:
    assert news(frozenset(), Readings()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("disk_free_mb", 10.0), ("memory_free_mb", 20.0), ("frames_a_second", 0.5), ("temperature_c", 90.0)),
        ("saving_s", 2.0),
    ],
)
def test_each_has_its_words(name: str, value: float) -> None:
    from companion.words import words

    assert news(frozenset(), readings(**{name: value})) == [Noticed(name)]
    assert all(words("companion", language)["machine"][name] for language in ("en", "hu"))
