"""`companion print`: boards, pieces and what lies beside them, and the sheets for calibrating: a PDF true to scale."""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration.dice_tabletop import dice_tabletop
from calibration.draw import own_drawings
from calibration.guests_tabletop import guests_tabletop
from calibration.kit_pages import board_pages, check_pictures, piece_pages
from calibration.paper import PAPERS, Pages
from calibration.rush_tabletop import rush_tabletop
from calibration.sheet_pages import sheet_pages
from calibration.tabletop import Told
from companion.commands import counted, own_kit
from companion.document import Fault, write_whole
from companion.games import NAMES, load_game
from companion.kit import Kit, load_kit
from companion.rules import LANGUAGES
from companion.words import words

PARTS = ("boards", "pieces", "extras", "sheets")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="OUT.pdf", type=Path, help="the PDF to write")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--kit", metavar="DIR", type=Path, help="the kit to print")
    which.add_argument("--game", choices=NAMES, help="print the project's own kit of a game (default: garden-dice)")
    parser.add_argument(
        "--only",
        choices=PARTS,
        action="append",
        help="only boards, pieces, extras (mats, cards, guide) or the sheets for calibrating (may repeat)",
    )
    parser.add_argument("--copies", type=counted, metavar="N", help="so many of each piece (default: as in the box)")
    parser.add_argument("--paper", choices=tuple(PAPERS), default="a4", help="default: a4")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of what people read (default: en)")


def run(args: argparse.Namespace) -> int:
    if args.file.suffix.lower() != ".pdf":
        raise Fault(f"{args.file} found; expected a name that ends in .pdf")
    if args.kit and "extras" in (args.only or ()):
        raise Fault("--only: extras found; expected boards, pieces or sheets, for extras go with our own kits alone")
    parts = [part for part in args.only or PARTS if part != "extras" or not args.kit]
    kit = load_kit(args.kit) if args.kit else own_kit(args.game or NAMES[0])
    said = words("calibration", args.lang)["sheets"]
    pages = Pages(PAPERS[args.paper], kit.name if parts != ["sheets"] else said["title"], said)
    drawings = {} if args.kit else {kit.folder / image: sheet for image, sheet in own_drawings(kit.game).items()}
    if "boards" in parts or "pieces" in parts:
        check_pictures(kit)
    if "boards" in parts:
        for board in kit.boards:
            board_pages(pages, kit, board, drawings)
    if "pieces" in parts:
        piece_pages(pages, kit, args.copies, drawings)
    if "extras" in parts:
        extra_pages(pages, kit, args.lang)
    if "sheets" in parts:
        sheet_pages(pages)
    write_whole(args.file, pages.finish())
    print(said["written"].format(file=args.file))
    return 0


def extra_pages(pages: Pages, kit: Kit, lang: str) -> None:
    """What lies beside the board of a kit of our own: mats and summaries, the pattern guide, or the cards."""
    package = load_game(kit.game).package
    told = {name: Told(words("calibration", name), words(package, name)["names"]) for name in LANGUAGES}
    match kit.game:
        case "garden-dice":
            dice_tabletop(pages, told, lang)
        case "garden-rush":
            rush_tabletop(pages, told[lang], kit)
        case _:
            guests_tabletop(pages, told[lang])
