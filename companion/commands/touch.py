"""The companion on a touchscreen: the game that is asked for, or the first screen."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from companion.commands.demo import SCENES, DemoHouse
from companion.commands.house import House
from companion.commands.play import stopping
from companion.commands.screens import demo_name, open_demo
from companion.config import config, home
from companion.document import Fault, nearest
from companion.pulse import Pulse, notifier
from companion.rules import LANGUAGES
from companion.ui.showing import Showing
from companion.ui.theme import THEMES
from companion.ui.window import open_window


def touched(args: argparse.Namespace) -> int:
    """On the touchscreen until an end is made.  Returns the exit status."""
    settings = config().screen
    pulse = Pulse(notifier())
    with ExitStack() as stack:
        house, showing = _demo(args, stack) if args.demo else _house(args, pulse, stack)
        stack.enter_context(stopping(house.inbox))
        open_window(home() / "kivy", settings.size_px, settings.rotation)
        from companion.ui.app import TouchApp  # Kivy is loaded only where there is a window for it
        from companion.ui.border import guarded
        from companion.ui.sounds import player

        sound = player(home() / "sounds") if settings.sounds else lambda name: None
        app = TouchApp(house, THEMES[settings.theme], settings.inches, LANGUAGES, args.lang, showing, sound)
        if args.screen is not None:
            show = opened(args, app)
            app.bind(on_start=lambda _: show())
        app.bind(on_start=lambda _: pulse.ready())
        try:
            with guarded(app):
                app.run()
        finally:
            app.on_stop()  # before the game is put away, however it ends
        pulse.ending()
        return app.status or 0


def opened(args: argparse.Namespace, app: Any) -> Callable[[], None]:
    """What shows the screen that is asked for.  Raises Fault where there is none of that name."""
    if args.screen in app.openable and (args.game or not args.demo):
        return partial(app.open, args.screen)
    if args.demo:
        return partial(open_demo, app.house, args.lang, demo_name(args.screen), app)
    known = ", ".join(app.openable) + ("" if app.showing else ", or a game besides")
    raise Fault(f"--screen: {args.screen!r} found; expected one of {known}{nearest(args.screen, app.openable)}")


def _house(args: argparse.Namespace, pulse: Pulse, stack: ExitStack) -> tuple[Any, Showing | None]:
    house = stack.enter_context(House(args, pulse))
    return house, house.asked_for(args.lang)


def _demo(args: argparse.Namespace, stack: ExitStack) -> tuple[Any, Showing | None]:
    """A scene of the game that is named."""
    house = DemoHouse(Path(stack.enter_context(TemporaryDirectory())))
    stack.callback(house.close)
    game = args.game or "garden-dice"
    scene = next(name for name, scene in SCENES.items() if scene.position["game"] == game)
    return house, house.put_on_the_table(scene, args.lang)
