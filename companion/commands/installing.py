"""The service put into a system and taken out again: what is to be done is worked out first, told, and then done."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from companion.document import Fault
from companion.rules import LANGUAGES
from companion.words import words

SERVICE = "companion.service"
PLACES = {  # of each file
    SERVICE: "etc/systemd/system/companion.service",
    "companion-safe.service": "etc/systemd/system/companion-safe.service",
    "companion.sysusers": "etc/sysusers.d/companion.conf",
    "companion.tmpfiles": "etc/tmpfiles.d/companion.conf",
    "60-garden-companion.rules": "etc/udev/rules.d/60-garden-companion.rules",
}
TAKE_UP: tuple[tuple[str, ...], ...] = (
    ("systemd-sysusers", "companion.conf"),
    ("systemd-tmpfiles", "--create", "companion.conf"),
    ("udevadm", "control", "--reload"),
    ("systemctl", "daemon-reload"),
    ("systemctl", "enable", SERVICE),
)
LET_GO: tuple[tuple[str, ...], ...] = (("systemctl", "disable", "--now", SERVICE),)
FORGET: tuple[tuple[str, ...], ...] = (("systemctl", "daemon-reload"), ("udevadm", "control", "--reload"))
ENABLED = f"etc/systemd/system/multi-user.target.wants/{SERVICE}"  # the last that taking it up does
LIBRARY = "libsystemd-shared-"
DIRECT_SINCE = 254  # from then on every restart would count as a failure, and bring up the safe mode, but for this
HIDDEN = ("/home/", "/root/")  # folders that the service cannot see


@dataclass(frozen=True)
class Step:
    """Something to do to a system: a command to run, or a file to write (`text`) or to take away."""

    command: tuple[str, ...] = ()
    path: Path = Path()
    text: str | None = None

    def __str__(self) -> str:
        return " ".join(self.command) if self.command else str(self.path)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--root", metavar="DIR", type=Path, default=Path("/"), help="of another system: files only")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language, also of the service (default: en)")


def texts(language: str, program: str, root: Path = Path("/")) -> dict[str, str]:
    """The service's files by their names, for a program, a language and the system that lies under `root`."""
    folder = Path(str(files("companion"))) / "systemd"
    if not folder.is_dir():  # not built into a package: beside it
        folder = folder.parent.parent / "systemd"
    direct = "RestartMode=direct\n" if systemd_of(root) >= DIRECT_SINCE else ""
    told = {"@companion@": program, "@lang@": language, "@restart-mode@\n": direct}
    found = {}
    for name in PLACES:
        found[name] = (folder / name).read_text(encoding="utf-8")
        for mark, text in told.items():
            found[name] = found[name].replace(mark, text)
    return found


def systemd_of(root: Path) -> int:
    """The version of a system's systemd, by the name of its library; 0 where there is none."""
    found = [path for where in ("usr/lib/systemd", "usr/lib/*/systemd") for path in root.glob(f"{where}/{LIBRARY}*.so")]
    versions = [path.stem.removeprefix(LIBRARY).split(".")[0] for path in found]
    return max((int(version) for version in versions if version.isdecimal()), default=0)


def program() -> str:
    """Where this program lies.  Raises Fault where the service could not see it there."""
    path = Path(sys.prefix) / "bin" / "companion"
    if not path.is_file():
        raise Fault(f"{path}: not there; install the companion into an environment of its own (systemd/README.md)")
    if str(path).startswith(HIDDEN):
        raise Fault(f"{path}: the service cannot see home folders; install into /opt (systemd/README.md)")
    return str(path)


def to_install(language: str, root: Path, path: str) -> Iterator[Step]:
    """What is still to be done; nothing of what is as it should be."""
    changed = False
    for name, text in texts(language, path, root).items():
        place = root / PLACES[name]
        if not place.is_file() or place.read_text(encoding="utf-8", errors="replace") != text:
            changed = True
            yield Step(path=place, text=text)
    if root == Path("/") and (changed or not (root / ENABLED).is_symlink()):
        yield from _commands(TAKE_UP)


def to_uninstall(root: Path) -> Iterator[Step]:
    there = [root / place for place in PLACES.values() if (root / place).exists()]
    if not there:
        return
    of_this_system = root == Path("/")
    if of_this_system:
        yield from _commands(LET_GO)
    yield from (Step(path=path) for path in there)
    if of_this_system:
        yield from _commands(FORGET)


def _commands(commands: Sequence[tuple[str, ...]]) -> Iterator[Step]:
    """Where there is no udev, as in a container, there is none to be told."""
    return (Step(command) for command in commands if command[0] != "udevadm" or shutil.which("udevadm"))


def carry_out(steps: Sequence[Step], args: argparse.Namespace, end: str) -> int:
    """Tell each step and do it, but for a dry run."""
    told = words("companion", args.lang)["install"]
    if args.root.exists() and not args.root.is_dir():
        raise Fault(f"--root: {args.root} found; expected the folder of a system")
    if steps and not args.dry_run and args.root == Path("/") and os.geteuid() != 0:
        raise Fault(told["root"])
    for step in steps:
        kind = "run" if step.command else "write" if step.text is not None else "remove"
        print(told[kind].format(what=step), flush=True)
        if not args.dry_run:
            _do(step)
    print(told["dry"] if args.dry_run and steps else told[end] if steps else told["nothing"])
    return 0


def _do(step: Step) -> None:
    try:
        if step.command:
            subprocess.run(step.command, check=True, stdin=subprocess.DEVNULL)
        elif step.text is None:
            step.path.unlink(missing_ok=True)
        else:
            step.path.parent.mkdir(parents=True, exist_ok=True)
            half = step.path.with_name(f".{step.path.name}.new")
            half.write_text(step.text, encoding="utf-8")
            half.replace(step.path)
    except OSError as error:
        raise Fault(f"{step}: {error.strerror or error}") from None
    except subprocess.CalledProcessError as error:
        raise Fault(f"{step}: failed with exit status {error.returncode}; nothing after it was done") from None
