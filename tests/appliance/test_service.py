"""The service: units that systemd finds sound and tight, installing and taking out, and what the watchdog is told."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands import installing
from companion.document import Fault
from companion.pulse import CAMERA, EYE, LIMITS_S, SCREEN, TABLE, Pulse, notifier

ROOT = Path(__file__).parent.parent.parent
UNITS = ("companion.service", "companion-safe.service")
MOST_EXPOSED = "2.0"
MOST_S = 120.0  # that a program may take here to begin

analyzed = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze on this machine")


# The units


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units as they are installed, for a program that is there."""
    for name, text in installing.texts("en", shutil.which("true") or "/bin/true").items():
        (tmp_path / name).write_text(text)
    return tmp_path


@analyzed
def test_systemd_finds_nothing_to_say_about_the_units(units: Path) -> None:
    """It takes an unknown key for no error: so nothing at all may be said."""
    command = ["systemd-analyze", "verify", "--man=no", *(str(units / name) for name in UNITS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@analyzed
def test_what_is_planted_in_a_unit_is_found(units: Path) -> None:
    path = units / UNITS[0]
    path.write_text(path.read_text().replace("WatchdogSec", "WatchdogSecs"))
    command = ["systemd-analyze", "verify", "--man=no", str(path)]
    assert "WatchdogSecs" in subprocess.run(command, capture_output=True, text=True, check=False).stderr


@analyzed
@pytest.mark.parametrize("name", UNITS)
def test_the_units_are_hardly_exposed(name: str, units: Path) -> None:
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={float(MOST_EXPOSED) * 10:.0f}"]
    done = subprocess.run([*command, str(units / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:]


def keys_of(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def test_a_service_that_fails_again_and_again_ends_in_the_safe_mode() -> None:
    """Restarts are limited, and within the limit's time so many come only where it fails at once, each time."""
    keys = {name: keys_of((ROOT / "systemd" / name).read_text()) for name in UNITS}
    service, safe = keys[UNITS[0]], keys[UNITS[1]]
    assert service["Restart"] == ["always"] and service["OnFailure"] == [UNITS[1]]
    assert int(service["StartLimitBurst"][0]) * float(service["RestartSec"][0]) < int(
        service["StartLimitIntervalSec"][0]
    )
    assert "Restart" not in safe and "OnFailure" not in safe
    assert service["Type"] == ["notify"] and float(service["WatchdogSec"][0]) > 2 * 5.0
    assert max(LIMITS_S[part] for part in (TABLE, SCREEN)) < float(service["WatchdogSec"][0])


def test_told_to_end_it_has_not_failed() -> None:
    """The exit status after SIGHUP, SIGINT and SIGTERM; else the safe mode would come up whenever it is stopped."""
    assert keys_of((ROOT / "systemd" / UNITS[0]).read_text())["SuccessExitStatus"] == ["129 130 143"]


def test_the_service_has_no_network_and_writes_to_one_folder() -> None:
    service = keys_of((ROOT / "systemd" / UNITS[0]).read_text())
    assert service["PrivateNetwork"] == ["yes"] and service["IPAddressDeny"] == ["any"]
    assert service["ProtectSystem"] == ["strict"] and "ReadWritePaths" not in service
    assert service["StateDirectory"] == ["garden-companion"]
    assert "COMPANION_HOME=%S/garden-companion" in service["Environment"]


def test_its_user_is_in_the_group_of_everything_that_it_may_use() -> None:
    """Raspberry Pi OS gives each kind of device to a group; what is allowed and not in reach is of no use."""
    groups = {"drm": {"video", "render"}, "video4linux": {"video"}, "media": {"video"}, "dma_heap": {"video"}}
    groups |= {
        "input": {"input"},
        "gpiochip": {"gpio"},
        "alsa": {"audio"},
        "tty": set(),
    }  # systemd hands it the console
    allowed = keys_of((ROOT / "systemd" / UNITS[0]).read_text())["DeviceAllow"]
    needed = set().union(*(groups[line.split()[0].removeprefix("char-")] for line in allowed))
    lines = (ROOT / "systemd" / "companion.sysusers").read_text().splitlines()
    member = {line.split()[2] for line in lines if line.startswith("m companion ")}
    assert member == needed == {line.split()[1] for line in lines if line.startswith("g ")}


# Installing


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment that the companion was installed into."""
    environment = tmp_path / "opt" / "garden-companion"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "companion").touch()
    monkeypatch.setattr(sys, "prefix", str(environment))
    return environment


def tree(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def test_it_is_installed_once_and_taken_out_again(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "root"
    games = root / "var/lib/garden-companion/games"
    games.mkdir(parents=True)
    (games / "0001.game").write_text("kept")
    assert main(["install", "--root", str(root), "--lang", "hu"]) == 0
    first = tree(root)
    assert set(first) == {*installing.PLACES.values(), "var/lib/garden-companion/games/0001.game"}
    service = first["etc/systemd/system/companion.service"]
    assert f"ExecStart={built}/bin/companion play --display touch --camera any --lang hu\n" in service
    assert not any(left in text for text in first.values() for left in ("@companion@", "@lang@", "@restart-mode@"))
    capsys.readouterr()
    assert main(["install", "--root", str(root), "--lang", "hu"]) == 0
    assert capsys.readouterr().out == "Minden úgy van, ahogy kell; nincs teendő.\n"
    assert tree(root) == first
    assert main(["uninstall", "--root", str(root)]) == 0
    assert tree(root) == {"var/lib/garden-companion/games/0001.game": "kept"}
    capsys.readouterr()
    assert main(["uninstall", "--root", str(root)]) == 0
    assert capsys.readouterr().out == "Everything is as it should be; there is nothing to do.\n"


@pytest.mark.parametrize(
    ("library", "direct"),
    [
        ("usr/lib/systemd/libsystemd-shared-252.so", False),  # Bookworm
        ("usr/lib/aarch64-linux-gnu/systemd/libsystemd-shared-257.so", True),  # Trixie
        ("usr/lib/x86_64-linux-gnu/systemd/libsystemd-shared-257.9-1~deb13u1.so", True),
        ("usr/lib/systemd/other.so", False),
    ],
)
def test_a_restart_is_no_failure_yet_for_any_version_of_systemd(library: str, direct: bool, tmp_path: Path) -> None:
    """Else the safe mode would come up at the first; an older version would complain about what it does not know."""
    (tmp_path / library).parent.mkdir(parents=True)
    (tmp_path / library).touch()
    service = keys_of(installing.texts("en", "/bin/true", tmp_path)["companion.service"])
    assert service.get("RestartMode") == (["direct"] if direct else None)


def test_a_file_that_was_changed_is_put_right(built: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    assert main(["install", "--root", str(root)]) == 0
    place = root / "etc/systemd/system/companion.service"
    before = place.read_text()
    place.write_text("spoilt")
    assert [step.path for step in installing.to_install("en", root, f"{built}/bin/companion")] == [place]
    assert main(["install", "--root", str(root)]) == 0
    assert place.read_text() == before


def test_a_dry_run_says_what_would_be_done_and_does_nothing(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "root"
    assert main(["install", "--root", str(root), "--dry-run"]) == 0
    *written, last = capsys.readouterr().out.splitlines()
    assert written == [f"write {root / place}" for place in installing.PLACES.values()]
    assert last == "Nothing was done: that is what would be." and not root.exists()


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_system_that_is_no_folder_is_refused(
    command: str, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    assert main([command, "--root", str(file), "--dry-run"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err == f"companion: --root: {file} found; expected the folder of a system\n"


@pytest.mark.parametrize("udev", [True, False])
def test_this_system_is_told_as_well(udev: bool, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing.shutil, "which", lambda name: f"/bin/{name}" if udev else None)
    steps = [str(step) for step in installing.to_install("en", Path("/"), f"{built}/bin/companion")]
    assert steps[5:] == [
        "systemd-sysusers companion.conf",
        "systemd-tmpfiles --create companion.conf",
        *(["udevadm control --reload"] if udev else []),
        "systemctl daemon-reload",
        "systemctl enable companion.service",
    ]


@pytest.mark.parametrize("prefix", ["/home/pi/garden/.venv", "/root/venv", "/nowhere"])
def test_what_the_service_could_not_see_is_refused(
    prefix: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(Path, "is_file", lambda path: not str(path).startswith("/nowhere"))
    with pytest.raises(Fault, match=r"into /opt \(systemd/README.md\)|into an environment of its own"):
        installing.program()


def test_a_command_that_fails_stops_the_rest(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="false: failed with exit status 1; nothing after it was done"):
        installing._do(installing.Step(("false",)))
    (tmp_path / "etc").write_text("no folder")
    with pytest.raises(Fault, match=r"Not a directory|File exists"):
        installing._do(installing.Step(path=tmp_path / "etc" / "x" / "y", text=""))


# The watchdog


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_the_watchdog_hears_of_it_only_while_every_part_is_alive() -> None:
    for silent in (CAMERA, EYE, TABLE, SCREEN):
        clock, told = Clock(), list[str]()
        pulse = Pulse(told.append, now_s=clock)
        for second in range(300):
            clock.now_s = float(second)
            for part in (CAMERA, EYE, TABLE, SCREEN):
                if part != silent or second < 100:
                    pulse.beat(part)
            pulse.ping()
        last_ping_s = 5 * (len(told) - 1)
        assert 95 <= last_ping_s <= 100 + LIMITS_S[silent] and pulse.silent == [silent]
        pulse.beat(silent)
        pulse.ping()
        assert len(told) == last_ping_s / 5 + 2


def test_what_has_no_work_need_not_say_anything() -> None:
    clock, told = Clock(), list[str]()
    pulse = Pulse(told.append, now_s=clock)
    pulse.beat(CAMERA)
    pulse.rest(CAMERA, EYE)
    clock.now_s = 1000.0
    pulse.ping()
    assert told == ["WATCHDOG=1"]


def test_systemd_is_told_by_datagrams(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(10)
        pulse = Pulse(notifier({"NOTIFY_SOCKET": str(tmp_path / "notify")}))
        pulse.ready()
        pulse.ping()
        pulse.ending()
        assert [systemd.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"STOPPING=1"]


def test_by_a_socket_without_a_file_too() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind("\0companion-test")
        systemd.settimeout(10)
        notifier({"NOTIFY_SOCKET": "@companion-test"})("READY=1")
        assert systemd.recv(100) == b"READY=1"


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": "/nowhere/notify"}, {"NOTIFY_SOCKET": "vsock:2:1"}])
def test_where_nobody_listens_nothing_breaks(environment: dict[str, str]) -> None:
    notifier(environment)("READY=1")


# The companion itself, as the service runs it


def started(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "companion", "play", "--display", "touch", *arguments]
    own = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=own)


@pytest.mark.usefixtures("own_home")
def test_it_tells_systemd_that_it_is_ready_alive_and_ending(tmp_path: Path) -> None:
    """Without a camera, too: that is told on the screen, and is no failure."""
    pytest.importorskip("kivy", reason="no Kivy on this machine")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(MOST_S)
        where = {"SDL_VIDEODRIVER": "offscreen", "NOTIFY_SOCKET": str(tmp_path / "notify")}
        with started("--camera", "any", "--game", "garden-rush", **where) as process:
            assert process.stderr is not None
            ended = os.pidfd_open(process.pid)
            select.select([systemd, ended], [], [], MOST_S)
            os.close(ended)
            if process.poll() is not None:
                pytest.skip(f"no window can be opened on this machine: {process.stderr.read()[-300:]}")
            assert systemd.recv(100) == b"READY=1"
            assert systemd.recv(100) == b"WATCHDOG=1"
            process.send_signal(signal.SIGTERM)
            while (told := systemd.recv(100)) != b"STOPPING=1":
                assert told == b"WATCHDOG=1"
            assert process.wait(MOST_S) == 143
            assert "Traceback" not in process.stderr.read()


@pytest.mark.usefixtures("own_home")
@pytest.mark.parametrize("given", [{"SDL_VIDEODRIVER": "nonsense"}, {"DISPLAY": ":4711"}])
def test_without_a_screen_it_says_so_in_one_line(given: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A desktop that is named and not there is none: SDL would draw where nobody sees it."""
    pytest.importorskip("kivy", reason="no Kivy on this machine")
    for name in ("SDL_VIDEODRIVER", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with started("--camera", "any", **given) as process:
        assert process.stderr is not None
        told = process.stderr.read()
        assert process.wait(MOST_S) == 2
        assert told == "companion: --display: touch found, but no window can be opened here; use terminal or none\n"
