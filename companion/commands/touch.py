"""A game on the touchscreen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.commands.following import Following
from companion.config import ScreenSettings, home
from companion.kit import Kit
from companion.rules import LANGUAGES
from companion.ui.showing import Showing
from companion.ui.theme import THEMES
from companion.ui.window import open_window
from companion.vision.overlay import preview

WIDEST_PX = 640  # of the camera's picture on the screen


def touched(showing: Showing, following: Following, settings: ScreenSettings, begin: Callable[[], None]) -> int:
    """On the touchscreen until an end is made; `begin` is called once it is there.  Returns the exit status."""
    open_window(home() / "kivy", settings.size_px, settings.rotation)
    from companion.ui.app import TouchApp  # Kivy is loaded only where there is a window for it

    app = TouchApp(showing, THEMES[settings.theme], settings.inches, LANGUAGES, lambda: seen(following, showing.kit))
    app.bind(on_start=lambda _: begin())
    app.run()
    return showing.status or 0


def seen(following: Following, kit: Kit) -> Any:
    """The newest picture, with what was read of the still table drawn onto it; None before the first."""
    frame, sighting = following.frame, following.table.shown.sighting
    if frame is None:
        return None
    return preview(frame, sighting.observation if sighting.state == "settled" else None, kit, WIDEST_PX)
