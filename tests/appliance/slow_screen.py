"""A touchscreen whose disk stands still while a step is confirmed: `slow_screen.py FOLDER GATE HOW`, below slow_disk.c.

HOW is `tapped`, or `seen`: then it is confirmed by itself, with the next picture.

As long as GATE is there nothing gets onto the disk.  Everything is pressed again meanwhile, by finger, by button and by
key.  Prints in JSON what was shown and done before, meanwhile and afterwards; `GATE.png` is how it looked meanwhile.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

FRAMES = 60


def main(folder: Path, gate: Path, how: str) -> None:
    from companion.ui.window import open_window

    open_window(folder / "kivy", (800, 480))
    from kivy.base import EventLoop
    from kivy.core.window import Window

    from companion.live import Looked, Pressed
    from companion.table import Confirm
    from companion.vision.watch import Sighting
    from tests.ui.touchscreen import DemoHouse, Touchscreen

    house = DemoHouse(folder / "games")
    screen = Touchscreen(house)
    app = screen.app
    pulsed: list[bool] = []
    house.alive = lambda table=True: pulsed.append(table)  # type: ignore[method-assign]
    app.watch(house.put_on_the_table("proposed", "en"))
    screen.frames()
    log = app.showing.game.table.log

    def seen() -> dict[str, Any]:
        saving = app._saving
        return {
            "saving": saving.children[0].text if saving in Window.children else "",
            "steps": len(log.session.history.done),
            "notices": list(app.showing.told),
            "headline": app.showing.view.news.headline,
        }

    told: dict[str, Any] = {"before": seen()}
    gate.touch()
    begun_s = time.monotonic()
    if how == "tapped":
        screen.tap(app.screen.ids.confirm)
    else:
        game = app.showing.game
        game.meet = lambda looked: game.table.step(Confirm())
        game.inbox.put(Looked("1", Sighting(1, "settled")))
        while not seen()["saving"]:
            EventLoop.idle()
    told["answered_s"] = time.monotonic() - begun_s
    pulsed.clear()
    longest_s = 0.0
    for number in range(FRAMES):
        if number in (20, 40):
            screen.tap(app.screen.ids.confirm)
            house.inbox.put(Pressed("confirm"))
            Window.dispatch("on_key_down", 13, 40, "\r", [])
        begun_s = time.monotonic()
        EventLoop.idle()
        longest_s = max(longest_s, time.monotonic() - begun_s)
    told |= {"meanwhile": seen(), "longest_s": longest_s, "pulsed": pulsed[:]}
    Window.screenshot(name=str(gate) + ".png")
    pulsed.clear()
    gate.unlink()
    screen.frames(30)
    told |= {"afterwards": seen(), "alive": pulsed[-1]}
    screen.frames(30)
    told["at_last"] = seen()
    print(json.dumps(told))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
