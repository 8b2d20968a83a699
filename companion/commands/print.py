"""`companion print`: a kit's boards and pieces, and the sheets for calibrating, as a PDF that is true to scale."""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration.draw import own_drawings
from calibration.kit_pages import Drawings, board_pages, check_pictures, piece_pages
from calibration.paper import PAPERS, Pages
from calibration.sheet_pages import sheet_pages
from companion.account import words
from companion.commands import counted, own_kit
from companion.document import Fault, write_whole
from companion.games import NAMES
from companion.kit import Kit, load_kit
from companion.rules import LANGUAGES

PARTS = ("boards", "pieces", "sheets")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="OUT.pdf", type=Path, help="the PDF to write")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--kit", metavar="DIR", type=Path, help="the kit to print")
    which.add_argument("--game", choices=NAMES, help="print the project's own kit of a game (default: garden-dice)")
    parser.add_argument(
        "--only", choices=PARTS, action="append", help="only boards, pieces, or the sheets for calibrating (may repeat)"
    )
    parser.add_argument("--copies", type=counted, metavar="N", help="so many of each piece (default: as in the box)")
    parser.add_argument("--paper", choices=tuple(PAPERS), default="a4", help="default: a4")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of what people read (default: en)")


def run(args: argparse.Namespace) -> int:
    if args.file.suffix.lower() != ".pdf":
        raise Fault(f"{args.file} found; expected a name that ends in .pdf")
    parts = args.only or PARTS
    kit = load_kit(args.kit) if args.kit else own_kit(args.game or NAMES[0])
    said = words("calibration", args.lang)["sheets"]
    pages = Pages(PAPERS[args.paper], kit.name if parts != ["sheets"] else said["title"], said)
    drawings = {} if args.kit else {kit.folder / image: sheet for image, sheet in own_drawings(kit.game).items()}
    content = printed(pages, kit, parts, args.copies, drawings)
    write_whole(args.file, content)
    print(said["written"].format(file=args.file))
    return 0


def printed(
    pages: Pages, kit: Kit, parts: list[str] | tuple[str, ...], copies: int | None, drawings: Drawings
) -> bytes:
    if "boards" in parts or "pieces" in parts:
        check_pictures(kit)
    if "boards" in parts:
        for board in kit.boards:
            board_pages(pages, kit, board, drawings)
    if "pieces" in parts:
        piece_pages(pages, kit, copies, drawings)
    if "sheets" in parts:
        sheet_pages(pages)
    return pages.finish()
