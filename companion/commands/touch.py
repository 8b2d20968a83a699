"""The companion on a touchscreen: the game that is asked for, or the first screen."""

from __future__ import annotations

import argparse

from companion.commands.house import House
from companion.commands.play import stopping
from companion.config import config, home
from companion.pulse import Pulse, notifier
from companion.rules import LANGUAGES
from companion.ui.theme import THEMES
from companion.ui.window import open_window


def touched(args: argparse.Namespace) -> int:
    """On the touchscreen until an end is made.  Returns the exit status."""
    settings = config().screen
    pulse = Pulse(notifier())
    with House(args, pulse) as house, stopping(house.inbox):
        showing = house.asked_for(args.lang)
        open_window(home() / "kivy", settings.size_px, settings.rotation)
        from companion.ui.app import TouchApp  # Kivy is loaded only where there is a window for it

        app = TouchApp(house, THEMES[settings.theme], settings.inches, LANGUAGES, args.lang, showing)
        app.bind(on_start=lambda _: pulse.ready())
        app.run()
        pulse.ending()
        return app.status or 0
