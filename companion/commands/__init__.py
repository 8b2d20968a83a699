"""What the commands share: their common arguments, and files read with their faults told."""

from __future__ import annotations

import argparse
from functools import cache
from importlib.resources import files
from pathlib import Path

from companion.document import Fault, Field, load_text, parse_json
from companion.export.code import BEGINS, read_code
from companion.games import NAMES, load_game
from companion.kit import Kit, load_kit
from companion.rules import LANGUAGES, Game, State
from companion.session import Record, read_position, read_record

MOST_FAULTS = 20


def common_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("file", metavar=what, type=Path, help=f"the {what.lower()}, a JSON file")
    parser.add_argument("--kit", metavar="DIR", type=Path, help="the kit of the copy that was played with")
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of what people read (default: en)")


@cache
def own_kit(name: str) -> Kit:
    """The project's own kit of a game."""
    return load_kit(Path(str(files("calibration"))) / "kits" / name)


def kit_of(args: argparse.Namespace) -> Kit | None:
    return load_kit(args.kit) if args.kit else None


def kit_to_play_with(args: argparse.Namespace) -> Kit:
    """The kit of `--kit`, else the project's own of `--game`; of a game that can be played."""
    kit = kit_of(args) or own_kit(args.game or NAMES[0])
    name = args.game or kit.game
    if kit.game != name:
        raise Fault(f"--kit: {args.kit} is a kit of {kit.game}, not of {name}")
    if name not in NAMES:
        raise Fault(f"--kit: {args.kit} is a kit of {name}; games that can be played: {', '.join(NAMES)}")
    return kit


def counted(text: str) -> int:
    """A number of turns, 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} found; expected 1 or more")
    return int(text)


def _fits(kit: Kit | None, name: object) -> None:
    """Raise a Fault where the kit is of another game than the document."""
    if kit and name in NAMES and kit.game != name:
        raise Fault(f"a game of {name}, but the kit {kit.folder} is of {kit.game}")


def _check(game: Game, state: State, where: str) -> None:
    """Raise a Fault that lists all that cannot be in a position."""
    faults = game.faults(state)
    if len(faults) > MOST_FAULTS:
        faults = [*faults[: MOST_FAULTS - 1], f"and {len(faults) - MOST_FAULTS + 1} faults more"]
    if faults:
        raise Fault(*(f"{where}{fault}" for fault in faults))


def _document(path: Path) -> Field:
    """A JSON file, or what a QR code of a record says."""
    try:
        text = load_text(path, may_be_a_pipe=True)
        return Field(read_code(text) if text.startswith(BEGINS) else parse_json(text))
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None


def load_position(path: Path, kit: Kit | None) -> tuple[Game, State]:
    document = _document(path)
    try:
        _fits(kit, document.keys().get("game", Field(None)).value)
        game, state = read_position(document, NAMES, load_game, kit)
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    _check(game, state, f"{path}: ")
    return game, state


def load_record(path: Path, kit: Kit | None) -> Record:
    document = _document(path)
    try:
        _fits(kit, document.keys().get("game", Field(None)).value)
        record = read_record(document, NAMES, load_game, kit)
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    _check(record.game, record.start, f"{path}: start.")
    return record
