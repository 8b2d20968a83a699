"""Kivy set up for one screen: before anything else of it is imported."""

from __future__ import annotations

import logging
import os
import re
from ctypes import CDLL, c_char_p
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from companion.document import Fault

FRAMES_A_SECOND = 30  # at most; nothing is drawn where nothing changes
NEEDED = ("kivy", "PIL", "segno")
SCREENS = Path("/dev/dri")  # what the system can draw on without a desktop
FINGERS = ("fingerdown", "fingermotion", "fingerup")
DESKTOPS = ("DISPLAY", "WAYLAND_DISPLAY")
UNSEEN = ("offscreen", "dummy")  # what SDL falls back to where a desktop that is named is not there


def shows_on_a_desktop() -> bool:
    """Whether there is a desktop here, and all that a window on it needs."""
    return any(map(os.environ.get, DESKTOPS)) and all(map(find_spec, NEEDED))


def open_window(home: Path, size_px: tuple[int, int] | None, rotation: int = 0) -> None:
    """Open the window.  Where there is no desktop it fills the screen; `size_px` is of a window on a desktop.

    Kivy keeps its own files under `home`; it leaves arguments, the root logger and standard error alone.  Raises Fault
    where something is not installed or no window can be opened.
    """
    if not all(map(find_spec, NEEDED)):
        raise Fault("--display: touch needs Kivy, Pillow and segno: pip install 'garden-companion[screen]'")
    has_desktop = any(map(os.environ.get, (*DESKTOPS, "SDL_VIDEODRIVER")))
    if not has_desktop and not any(SCREENS.glob("card*")):  # SDL would draw where nobody sees it
        raise Fault("--display: touch found, but there is neither a desktop nor a screen here; use terminal or none")
    os.environ |= {"KIVY_WINDOW": "sdl2", "KIVY_TEXT": "sdl2"}  # the others end the process where they do not work
    os.environ |= {"KIVY_NO_ARGS": "1", "KIVY_NO_FILELOG": "1", "KIVY_LOG_MODE": "PYTHON", "KIVY_HOME": str(home)}
    os.environ["SDL_TOUCH_MOUSE_EVENTS"] = "0"  # a finger is a finger: as a mouse too it would tap twice
    home.mkdir(parents=True, exist_ok=True)
    logging.getLogger("kivy").propagate = False  # it tells of every provider that it does not find
    logging.getLogger("kivy").addHandler(logging.NullHandler())
    from kivy.config import Config

    for name, _ in Config.items("input"):
        Config.remove_option("input", name)
    Config.set("input", "mouse", "mouse,disable_multitouch")  # fingers come from the window itself: see below
    settings: dict[str, object] = {"multisamples": 0, "maxfps": FRAMES_A_SECOND, "rotation": rotation, "resizable": 1}
    settings |= {"fullscreen": 0} if has_desktop else {"fullscreen": "auto", "show_cursor": 0}
    if size_px:
        settings |= {"width": size_px[0], "height": size_px[1]}
    for key, value in settings.items():
        Config.set("graphics", key, value)
    Config.set("kivy", "exit_on_escape", 0)
    _window()


def _window() -> None:
    try:
        from kivy.core.window import Window
    except Exception as error:  # whatever the graphics of this machine raise
        raise Fault(f"--display: touch found, but no window can be opened: {error}; use terminal or none") from None
    if Window is None or (_driver() in UNSEEN and "SDL_VIDEODRIVER" not in os.environ):
        raise Fault("--display: touch found, but no window can be opened here; use terminal or none")
    if not isinstance(Window._win, Touched):  # twice, and a finger would be two
        Window._win = Touched(Window._win)


def _driver() -> str:
    """What SDL draws by; empty where that cannot be told."""
    library = re.search(r"/\S*libSDL2-2\S*", Path("/proc/self/maps").read_text())
    if library is None:
        return ""
    driver = CDLL(library.group()).SDL_GetCurrentVideoDriver
    driver.restype = c_char_p
    return (driver() or b"").decode()


class Touched:
    """SDL's window, of which fingers count too.

    On Linux Kivy drops what SDL tells of them (kivy#2818) and expects the kernel's devices to be read besides.  From
    SDL they come once, as shares of what is drawn, with a desktop and without; Kivy turns them with the screen.
    """

    def __init__(self, window: Any) -> None:
        self._window = window

    def __getattr__(self, name: str) -> Any:
        return getattr(self._window, name)

    def poll(self) -> Any:
        """The next event: False where there is none, None where it is nobody's."""
        from kivy.core.window.window_sdl2 import SDL2MotionEventProvider

        event = self._window.poll()
        if event and event[0] in FINGERS:
            SDL2MotionEventProvider.q.appendleft(event)
        return event
