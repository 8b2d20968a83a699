"""Touches every key of a screen that is turned, where the panel shows it: `turned.py FOLDER ROTATION`.

The panel never turns.  What stands on it is read back as pixels, and a finger comes as SDL hands it over from a
touch panel, in shares of the panel; on a Raspberry Pi without a desktop that is where the kernel's events arrive.
Prints in JSON, for a finger and for a mouse, by the key that is seen there the keys that were pressed; and the size of
the screen as it is laid out.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

PANEL = (800, 480)
COLOURS = {
    "red": (1, 0, 0),
    "green": (0, 1, 0),
    "blue": (0, 0, 1),
    "pink": (1, 0, 1),
    "sun": (1, 1, 0),
    "sky": (0, 1, 1),
}
AT = {
    "red": (0.02, 0.05),
    "green": (0.6, 0.1),
    "blue": (0.1, 0.4),
    "pink": (0.7, 0.55),
    "sun": (0.3, 0.8),
    "sky": (0.8, 0.86),
}
FINGER_DOWN, FINGER_UP, BUTTON_DOWN, BUTTON_UP = 0x700, 0x701, 0x401, 0x402  # SDL's types of events


class Finger(ctypes.Structure):
    """SDL_TouchFingerEvent."""

    _fields_ = (
        ("type", ctypes.c_uint32),
        ("timestamp", ctypes.c_uint32),
        ("touch", ctypes.c_int64),
        ("finger", ctypes.c_int64),
        *((name, ctypes.c_float) for name in ("x", "y", "dx", "dy", "pressure")),
        ("window", ctypes.c_uint32),
        ("rest", ctypes.c_uint32 * 8),  # an event is larger
    )


class Button(ctypes.Structure):
    """SDL_MouseButtonEvent."""

    _fields_ = (
        ("type", ctypes.c_uint32),
        ("timestamp", ctypes.c_uint32),
        ("window", ctypes.c_uint32),
        ("which", ctypes.c_uint32),
        *((name, ctypes.c_uint8) for name in ("button", "state", "clicks", "padding")),
        *((name, ctypes.c_int32) for name in ("x", "y")),
        ("rest", ctypes.c_uint32 * 8),
    )


def presses(x: float, y: float) -> dict[str, list[ctypes.Structure]]:
    """Down and up again at a place of the panel, in shares of it."""
    at_px = round(x * PANEL[0]), round(y * PANEL[1])
    return {
        "finger": [Finger(what, 0, 1, 1, x, y, 0.0, 0.0, 1.0, 0) for what in (FINGER_DOWN, FINGER_UP)],
        "mouse": [Button(what, 0, 0, 0, 1, what == BUTTON_DOWN, 1, 0, *at_px) for what in (BUTTON_DOWN, BUTTON_UP)],
    }


def sdl() -> Any:
    """The library that the window is drawn with."""
    found = re.search(r"\S*libSDL2-2\S*", Path("/proc/self/maps").read_text())
    assert found is not None
    return ctypes.CDLL(found.group())


def main(folder: str, rotation: int) -> None:
    from companion.ui.window import open_window

    open_window(Path(folder), PANEL, rotation)
    from kivy.base import EventLoop, runTouchApp
    from kivy.core.window import Window
    from kivy.graphics.opengl import GL_RGB, GL_UNSIGNED_BYTE, glReadPixels
    from kivy.uix.button import Button as Key
    from kivy.uix.floatlayout import FloatLayout

    touched: list[str] = []
    root = FloatLayout()
    for name, (x, y) in AT.items():
        key = Key(size_hint=(0.15, 0.1), pos_hint={"x": x, "y": y}, background_normal="", background_down="")
        key.background_color = (*COLOURS[name], 1)
        key.bind(on_press=lambda _, name=name: touched.append(name))
        root.add_widget(key)
    runTouchApp(root, embedded=True)

    def frames(count: int = 5) -> None:
        for _ in range(count):
            EventLoop.idle()
            Window.mainloop()  # what SDL has for it

    frames()
    content = glReadPixels(0, 0, *PANEL, GL_RGB, GL_UNSIGNED_BYTE)
    panel = np.frombuffer(content, np.uint8).reshape(PANEL[1], PANEL[0], 3)[::-1]  # from the bottom up
    found: dict[str, dict[str, list[str]]] = {"finger": {}, "mouse": {}}
    library = sdl()
    for name, colour in COLOURS.items():
        rows, columns = np.nonzero((panel == np.array(colour) * 255).all(axis=2))
        x, y = (columns.mean() + 0.5) / PANEL[0], (rows.mean() + 0.5) / PANEL[1]
        for by, events in presses(x, y).items():
            touched.clear()
            for event in events:
                assert library.SDL_PushEvent(ctypes.byref(event)) == 1
                frames()
            found[by][name] = list(touched)
    print(json.dumps({**found, "screen": [Window.width, Window.height]}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
