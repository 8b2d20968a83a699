"""`companion export`: a kept game as a record, as a table, or as the score sheet's picture."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from companion.account import Teller
from companion.commands.games import TITLES, shelf, words
from companion.document import Fault, write_whole
from companion.export.plies import as_csv
from companion.export.summary import date
from companion.rules import LANGUAGES
from companion.session import Session, stretches, write_record
from companion.store.shelf import Kept

FORMATS = ("json", "csv", "png")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help="its number or its name (default: the latest)")
    parser.add_argument(
        "--format", choices=FORMATS, help="a record, a table or the score sheet (default: as FILE ends)"
    )
    parser.add_argument("--to", metavar="FILE", type=Path, help="where to write it (default: standard output)")
    parser.add_argument("--part", metavar="N", type=int, help="which part of a game whose table was taken as it is")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of what people read (default: en)")


def run(args: argparse.Namespace) -> int:
    form = args.format or (args.to.suffix.lower().removeprefix(".") if args.to else FORMATS[0])
    if form not in FORMATS:
        raise Fault(f"--to: {args.to} found; expected a name that ends in .json, .csv or .png (or --format)")
    number = shelf().find(args.game) if args.game else shelf().latest()
    if number is None:
        raise Fault("no games are kept yet, none can be exported")
    kept = shelf().look(number)
    if not kept.whole:
        print(words(Teller(kept.session.game, args.lang), "not-whole", number=number), file=sys.stderr)
    content = written(kept, form, args)
    if args.to is None:
        if form == "png" and sys.stdout.isatty():
            raise Fault("--to FILE is needed: a picture is nothing for a terminal")
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return 0
    write_whole(args.to, content)
    return 0


def written(kept: Kept, form: str, args: argparse.Namespace) -> bytes:
    """The game in one of the `FORMATS`."""
    session = kept.session
    teller = Teller(session.game, args.lang, kept.about.names)
    if form == "csv":
        return as_csv(session, teller).encode()
    if form == "png":
        return picture(kept, teller)
    part = part_of(session, args.part, teller)
    return (json.dumps(write_record(session, part - 1), ensure_ascii=False) + "\n").encode()


def part_of(session: Session, asked: int | None, teller: Teller) -> int:
    """Which part, from 1: a record cannot say that the table was taken as it is, so each part is one of its own."""
    parts = len(stretches(session))
    if asked is not None and not 1 <= asked <= parts:
        raise Fault(f"--part: {asked} found; expected 1 to {parts}")
    if asked is None and parts > 1:
        print(teller.common["export"]["parts"].format(part=parts, parts=parts), file=sys.stderr)
    return asked or parts


def picture(kept: Kept, teller: Teller) -> bytes:
    try:
        from companion.export.score_sheet import as_png, sheet_of  # Pillow is loaded only where it is needed
    except ImportError:
        raise Fault("the score sheet needs Pillow: pip install 'garden-companion[eye]'") from None
    title = TITLES[kept.session.game.name]
    count = words(teller, "actions", count=len(kept.session.actions))
    about = [title if kept.about.name else "", date(kept.about.touched), count]
    subtitle = " · ".join(part for part in about if part)
    return as_png(sheet_of(kept.session, teller, kept.about.name or title, subtitle))
