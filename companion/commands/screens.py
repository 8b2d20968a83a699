"""`companion screens`: pictures of every screen of the touchscreen, with demo data, and whether anything is amiss."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from companion.commands.demo import ILL, SCENES, WELL, DemoHouse
from companion.commands.demo_benches import demo_benches
from companion.config import THEMES
from companion.document import Fault, nearest
from companion.rules import LANGUAGES
from companion.ui.theme import THEMES as LOOKS
from companion.ui.view.copies import Edit, Titling
from companion.ui.view.steps import AtSpace
from companion.ui.window import open_window

LIKE_OTHERS = ("lens-passed", "lens-waits", "board-none", "board-guests", "check-refused")  # nothing new is seen there
BENCHES = tuple(name for name in demo_benches() if name not in LIKE_OTHERS)
SIZES = ((800, 480), (1280, 720), (720, 1280), (1920, 1080))
SCREENS: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {  # name: scene (none: no table), screen, and what about
    "home": ("calm", "home", {}),
    "otherwise": ("proposed", "otherwise", {}),
    "otherwise-illegal": ("illegal", "otherwise", {}),
    "past": ("calm", "past", {}),
    "new": ("calm", "new", {}),
    "more": ("calm", "more", {}),
    "dice": ("calm", "dice", {}),
    "tell": ("calm", "tell", {}),
    "tell-rush": ("rush-calm", "tell", {}),
    "tell-guests": ("guests-calm", "tell", {}),
    "ask": ("calm", "ask", {}),
    "ask-plot": ("calm", "ask", {"about": "2,2"}),
    "ask-chain": ("chain", "ask", {"about": "4,5", "first": True}),
    "ask-cell": ("rush-calm", "ask", {"about": "pink-3,3"}),
    "ask-flower": ("guests-calm", "ask", {"about": "-4,2"}),
    "ask-near": ("guests-calm", "ask", {"near": "-4,2"}),
    "correct": ("calm", "correct", {}),
    "correct-plot": ("calm", "correct", {"step": AtSpace("2,2")}),
    "rulebook": ("calm", "rulebook", {}),
    "rulebook-found": ("calm", "rulebook", {"query": "er"}),
    "clause": ("calm", "clause", {"id": "harvest.chain"}),
    "search": ("calm", "search", {}),
    "health": ("calm", "health", {}),
    "health-ill": ("calm", "health", {}),
    "scores": ("played", "scores", {}),
    "scores-over": ("over", "scores", {}),
    "code": ("calm", "code", {"text": "Garden Dice\nBlue 96, Green 7"}),
    "camera": ("calm", "camera", {}),
    "name": ("", "name", {}),
    "ask-ways": ("guests-ways", "ask", {"about": "-4,2"}),
    "end": ("calm", "end", {}),
    "saving": ("proposed", "table", {}),
    "said": ("calm", "said", {"text": "/media/usb/game-3.json"}),
    "kits": ("", "kits", {}),
    "beds": ("", "beds", {}),
    "copy": ("", "copy", {"edit": Edit("garden-rush-1")}),
    "copy-dice": ("", "copy", {"edit": Edit("garden-dice-1")}),
    "copy-aside": ("", "copy", {"edit": Edit("garden-dice-1", True)}),
    "title": ("", "title", {"titling": Titling("garden-dice-1", "Nagyi példánya")}),
    **{f"calibrate-{name}": ("", "calibrate", {"bench": name}) for name in demo_benches() if name not in LIKE_OTHERS},
}
NAMES = (*(f"table-{scene}" for scene in SCENES), *SCREENS)  # of the pictures
INCHES = 7.0


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="OUT_DIR", type=Path, help="where the pictures go")
    parser.add_argument("--size", metavar="WxH", action="append", type=_size, help="only this size (again: these)")
    parser.add_argument("--theme", choices=THEMES, action="append", help="only this theme")
    parser.add_argument("--lang", choices=LANGUAGES, action="append", help="only this language")
    parser.add_argument("--only", metavar="SCREEN", action="append", help="only these, as the pictures are named")


def run(args: argparse.Namespace) -> int:
    """Returns 1 where a text is cut, things overlap or a key is too small."""
    try:
        args.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Fault(f"{args.folder}: cannot be written: {error.strerror or error}") from None
    for name in args.only or ():
        if name not in NAMES:
            raise Fault(f"--only: {name!r} found; expected one of {', '.join(NAMES)}{nearest(name, NAMES)}")
    sizes = args.size or list(SIZES)
    if len(sizes) > 1:
        return max((_in_a_process_of_its_own(size, args) for size in sizes), key=abs)  # below 0: a signal ended it
    os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")  # no window is needed to take pictures
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory()))
        open_window(home, sizes[0])
        from companion.ui.app import TouchApp
        from companion.ui.gallery import Photograph, hang

        languages, themes = args.lang or LANGUAGES, args.theme or THEMES
        house = DemoHouse(home / "games")
        stack.callback(house.close)
        photographs = [Photograph(name, prepare) for name, prepare in _all(house, languages)]
        wanted = [each for each in photographs if not args.only or each.name.rpartition("-")[0] in args.only]
        app = TouchApp(house, LOOKS[themes[0]], INCHES, LANGUAGES, languages[0])
        faults = hang(app, wanted, themes, args.folder)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def _in_a_process_of_its_own(size: tuple[int, int], args: argparse.Namespace) -> int:
    """A window that has no screen cannot take another size."""
    options = [("--theme", args.theme), ("--lang", args.lang), ("--only", args.only)]
    more = [word for option, values in options for value in values or () for word in (option, value)]
    command = [sys.executable, "-m", "companion", "screens", str(args.folder), "--size", f"{size[0]}x{size[1]}", *more]
    return subprocess.run(command, check=False).returncode


def _all(house: DemoHouse, languages: Sequence[str]) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Names, and how the app comes to show them."""
    for language in languages:
        for name in NAMES:
            yield f"{name}-{language}", partial(open_demo, house, language, name)


def demo_name(screen: str) -> str:
    """The name in `NAMES` of a screen that is asked for: that itself, or the first picture of such a screen.

    Raises Fault.
    """
    found = [name for name in NAMES if name == screen] or [name for name in NAMES if name.startswith(f"{screen}-")]
    if not found:
        raise Fault(f"--screen: {screen!r} found; expected one of {', '.join(NAMES)}{nearest(screen, NAMES)}")
    return found[0]


def open_demo(house: DemoHouse, language: str, name: str, app: Any) -> None:
    """Show the screen of a name in `NAMES` on an app of this house."""
    scene, screen, about = SCREENS[name] if name in SCREENS else (name.removeprefix("table-"), "table", {})
    house.close()
    house.readings = ILL if name == "health-ill" else WELL
    app.language = language
    app.watch(house.put_on_the_table(scene, language) if scene else None)
    app.speak(language)
    if screen == "name":
        about = {"naming": house.naming()}
    if screen == "beds":
        about = {"beds": house.beds("garden-rush-1")}
    if screen == "calibrate":
        about = {"desk": house.lay_out(about["bench"])}
    app.open(screen, **about)
    app.say_that_it_saves(name == "saving")


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not all(side.isdecimal() and 320 <= int(side) <= 4096 for side in (width, height)):
        raise argparse.ArgumentTypeError(f"{text!r} found; expected WIDTHxHEIGHT, each from 320 to 4096")
    return int(width), int(height)
