"""The commands.  Each is a module of `companion.commands`, imported only when it is the one asked for."""

from __future__ import annotations

import argparse
import io
import os
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from companion import __version__
from companion.document import Fault

COMMANDS = {
    "play": "watch a table, name and judge what players do, and keep the score",
    "judge": "rule on a written-down game, move by move",
    "score": "score a position as if the game ended there",
    "legal": "list what the player on turn may do",
    "read": "read photographs of a table",
    "follow": "follow a game through a camera's pictures in a folder",
    "simulate": "write pictures of a simulated table on which a game is played, with their truth",
    "screens": "write pictures of every screen of the touchscreen, and say what is amiss with them",
    "calibrate": "calibrate a camera, and make a kit from a real copy",
    "kit": "look a kit over; pack one into a file, and unpack it",
    "print": "write a kit, or the sheets for calibrating, as a PDF to print",
    "games": "list, resume, name and archive the games that are kept",
    "doctor": "try out everything that a game needs: camera, buttons, storage, the machine itself",
    "install": "make a service of it that starts when the device is switched on; uninstall takes it out",
    "uninstall": "take the service out again; games, kits and settings stay",
    "words": "look the words of each language over, for whoever translates them",
    "export": "write a kept game as a record, a table or a score sheet",
}
DONE, NOT_AS_IT_SHOULD_BE, BAD_INPUT, CANNOT_JUDGE = 0, 1, 2, 3


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def overview() -> str:
    lines = [f"  {name:<9} {what}" for name, what in COMMANDS.items()]
    return "\n".join(
        [
            "usage: companion COMMAND [ARGUMENTS]",
            "",
            "Referee and scorekeeper for Garden Dice, Garden Rush and Garden Guests.",
            "",
            *lines,
            "",
            "companion COMMAND --help tells more; companion --version the version.",
        ]
    )


def loaded(name: str) -> ModuleType:
    """The module of a command.  Raises Fault where something is not installed that it needs."""
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(threads, "1")  # the products are small: more threads only wait for each other
    try:
        return import_module(f"companion.commands.{name}")
    except ModuleNotFoundError as missing:
        if missing.name in ("reportlab", "font_roboto"):
            raise Fault(f"{name} needs ReportLab and Roboto: pip install 'garden-companion[print]'") from None
        if missing.name not in ("cv2", "numpy", "PIL"):
            raise
        raise Fault(f"{name} needs OpenCV, numpy and Pillow: pip install 'garden-companion[eye]'") from None


def run(argv: Sequence[str]) -> int:
    match argv:
        case [] | ["-h" | "--help", *_]:
            print(overview())
            return DONE
        case ["--version", *_]:
            print(f"companion {__version__}")
            return DONE
        case [name, *arguments] if name in COMMANDS:
            command = loaded(name)
            parser = Parser(prog=f"companion {name}", description=COMMANDS[name].capitalize() + ".")
            command.arguments(parser)
            status: int = command.run(parser.parse_args(arguments))
            return status
    print(f"companion: {argv[0]!r} is no command; there are {', '.join(COMMANDS)}", file=sys.stderr)
    return BAD_INPUT


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.  Returns its exit status: 0 done, 1 not as it should be, 2 bad input, 3 cannot judge."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed: nobody types there, or reads it
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that has no ő shows a question mark; programs get UTF-8
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
    try:
        status = run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except Fault as fault:
        for line in fault.args:
            complain(line)
        return BAD_INPUT
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        if error.filename is not None:  # of the companion's folder, say: what is named on the command line was tried
            complain(f"{os.fsdecode(error.filename)}: {error.strerror or error}")
            return BAD_INPUT
        complain(f"the output cannot be written: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_INPUT
    except KeyboardInterrupt:
        return 130
    return status


def complain(line: str) -> None:
    """One line on standard error, whatever characters a file's name brings."""
    print("companion: " + "".join(c if c.isprintable() else "?" for c in line), file=sys.stderr)


def program() -> None:
    """Run a command and end with its exit status, without waiting for a look that takes long or a driver that hangs."""
    status = main()
    if threading.active_count() > 1:  # all that was open is closed, but Python would break off in the middle of a call
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    program()
