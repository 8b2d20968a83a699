"""`companion doctor`: everything that a game needs is tried out, on a Raspberry Pi or not, and the remedy told."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from companion.commands import own_kit
from companion.commands.cameras import Source, source, source_set
from companion.commands.checkup import checkup
from companion.config import config
from companion.document import Fault
from companion.games import NAMES
from companion.kit import Kit, load_kit
from companion.rules import LANGUAGES
from companion.ui.view.health import BAD, Item
from companion.ui.view.wording import copy_name
from companion.words import filled, words
from hardware.mount import LENSES, SIZES_PX, mount

BUTTONS_S = 60.0  # without a press: then nobody is trying the buttons any more


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--camera", metavar="CAMERA", type=source, help="which camera to try (default: what is set)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--buttons", action="store_true", help="try the buttons: what is pressed is told")
    what.add_argument("--mount", action="store_true", help="how high a camera must hang over a board")
    what.add_argument("--acceptance", action="store_true", help="what to try on a Raspberry Pi that nothing else can")
    what.add_argument("--safe-mode", action="store_true", help="what the service shows when it could not be started")
    parser.add_argument("--kit", metavar="DIR", type=Path, help="with --mount: for this kit (default: our own)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each check")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language (default: en)")


def run(args: argparse.Namespace) -> int:
    told = words("companion", args.lang)["doctor"]
    if args.kit and not args.mount:
        raise Fault("--kit: it goes with --mount alone")
    if args.mount:
        kits = [load_kit(args.kit)] if args.kit else [own_kit(name) for name in NAMES]
        return mounts(kits, args.lang, args.json)
    if args.acceptance:
        return acceptance(told, args.json)
    if args.buttons:
        return buttons(told)
    if args.safe_mode:
        print(told["safe-mode"] + "\n", flush=True)
    return checks(args.camera, args.lang, told, args.json)


def checks(camera: Source | None, language: str, told: Any, as_json: bool) -> int:
    """Each check in a line, its remedy below where it needs one.  Returns 1 where something is bad."""
    items = checkup(lambda: camera or source_set(config().camera), language)
    states = []
    for key, item in items:
        states.append(item.state)
        if as_json:
            print(json.dumps({"check": key} | asdict(item), ensure_ascii=False), flush=True)
        else:
            _line(item)
    if not as_json:
        print("\n" + told["verdict"]["bad" if BAD in states else "fine"])
    return 1 if BAD in states else 0


def _line(item: Item) -> None:
    print(f"{item.sign:<9} {item.name}{': ' if item.measured else ''}{item.measured}", flush=True)
    if item.to_do:
        print(f"{'':<9} {item.to_do}", flush=True)


# The buttons


def buttons(told: Any) -> int:
    """What is pressed is told until both buttons were, or nobody presses any.  Returns 1 where one was not."""
    from hardware.panel import Panel

    pressed: Queue[str] = Queue()
    panel = Panel(config().panel, pressed.put)
    panel.start()
    try:
        print(told["press"], flush=True)
        return 0 if not list(_missing(pressed, told["pressed"])) else 1
    finally:
        panel.close()


def _missing(pressed: Queue[str], told: Any, wait_s: float = BUTTONS_S) -> Iterator[str]:
    missing = {"confirm", "undo", "menu"}
    while missing:
        try:
            press = pressed.get(timeout=wait_s)
        except Empty:
            break
        print(told[press], flush=True)
        missing.discard(press)
    for press in sorted(missing):
        print(told["never"].format(button=told[press]), flush=True)
        yield press


# The camera's mount


def mounts(kits: list[Kit], language: str, as_json: bool) -> int:
    """For each kit's boards and each camera the height, and how fine it is seen from there."""
    told = words("companion", language)["doctor"]
    for kit in kits:
        table_mm = table_of(kit)
        if not as_json:
            kit_name = copy_name(kit.name, kit.game, language)
            print(told["table"].format(kit=kit_name, wide=max(table_mm), tall=min(table_mm)))
        for lens in LENSES:
            found = mount(lens, table_mm, SIZES_PX[lens.name])
            wide, tall = found.seen_mm
            if as_json:
                line = {"kit": kit.name, "camera": lens.name, "height_mm": round(found.height_mm)}
                line |= {"seen_mm": [round(wide), round(tall)], "px_per_mm": round(found.px_per_mm, 2)}
                print(json.dumps(line, ensure_ascii=False))
            else:
                seen = {"height": found.height_mm / 10, "wide": wide / 10, "tall": tall / 10, "px": found.px_per_mm}
                print(filled(told["mount"], language, camera=lens.name, **seen))
    return 0


def table_of(kit: Kit) -> tuple[float, float]:
    """The sides of what a kit's boards take up, one beside the other along their shorter sides."""
    long = max(max(board.size_mm) for board in kit.boards)
    return long, sum(min(board.size_mm) for board in kit.boards)


# What only a Raspberry Pi can show


def acceptance(told: Any, as_json: bool) -> int:
    """The list of what to try on a Raspberry Pi, each with what should be seen there."""
    if not as_json:
        print(told["acceptance"]["about"] + "\n")
    for number, step in enumerate(told["acceptance"]["steps"].values(), 1):
        if as_json:
            print(json.dumps({"step": number} | step, ensure_ascii=False))
        else:
            print(f"[ ] {number:>2}. {step['try']}\n        {step['see']}")
    return 0
