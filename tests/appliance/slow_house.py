"""A touchscreen whose disk stands still while files are made: `slow_house.py FOLDER GATE DEED`, below slow_disk.c.

DEED is `game`, `copy` or `size`: a game is begun, a copy of one, or it is told how large a copy's dice are.  As long as
GATE is there nothing gets onto the disk, and the same is pressed again by finger, by button and by key.  Prints in JSON
what was on the screen and in the folder before, meanwhile and afterwards; `GATE.png` is how it looked meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

COPY = "garden-dice-1"
FRAMES = 60
DEEDS = {  # the keys that lead there, and the one that does it
    "game": (("New game",), "Begin"),
    "copy": (("Kits and calibration",), "Garden Rush"),
    "size": (("Kits and calibration", "More"), "Larger dice"),
}


def main(folder: Path, gate: Path, deed: str) -> None:
    os.environ["COMPANION_HOME"] = str(folder)
    from companion.ui.window import open_window

    open_window(folder / "kivy", (800, 480))
    from kivy.base import EventLoop
    from kivy.core.window import Window

    from calibration.workshop import Workshop
    from companion.commands import own_kit, play
    from companion.commands.house import House
    from companion.live import Pressed
    from tests.ui.touchscreen import Touchscreen

    shutil.copytree(own_kit("garden-dice").folder, folder / "kits" / COPY)
    parser = argparse.ArgumentParser()
    play.arguments(parser)
    house = House(parser.parse_args(["--camera", "simulated", "--seed", "3"]))
    house.watch = lambda: None  # type: ignore[method-assign]
    Workshop.start = lambda workshop: None  # type: ignore[method-assign]
    screen = Touchscreen(house)
    app = screen.app
    app.watch(None)
    ways, last = DEEDS[deed]
    for text in ways:
        screen.touch(screen.key(text))
    key = screen.key(last)

    def seen() -> dict[str, Any]:
        saving = app._saving
        return {
            "saving": saving.children[0].text if saving in Window.children else "",
            "screen": app.screen.name,
            "games": len(list(folder.glob("games/*.game"))),
            "copies": sorted(path.parent.name for path in folder.glob("calibrating/*/notes.json")),
            "size_mm": tomllib.loads((folder / "kits" / COPY / "kit.toml").read_text())["dice"]["size_mm"],
        }

    told: dict[str, Any] = {"before": seen()}
    gate.touch()
    screen.tap(key)
    for number in range(FRAMES):
        if number in (20, 40):
            screen.tap(key)
            house.inbox.put(Pressed("confirm"))
            Window.dispatch("on_key_down", 13, 40, "\r", [])
        EventLoop.idle()
    told["meanwhile"] = seen()
    Window.screenshot(name=str(gate) + ".png")
    gate.unlink()
    screen.frames(30)
    told["afterwards"] = seen()
    print(json.dumps(told))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
