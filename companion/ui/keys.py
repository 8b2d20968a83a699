"""What the keys of a keyboard do on the touchscreen."""

from __future__ import annotations

from typing import Any

from companion.ui.view.shapes import CONFIRM

PRESS, ON, BEFORE = (13, 271, 32), (9, 275, 274), (276, 273)  # enter, space; tab, arrows
ERASE = 8
TYPED = {"search": "", "name": " -", "title": " -0123456789"}  # where letters are typed, and which other signs
ARROWS = {276: "left", 273: "up", 274: "down", 275: "right"}
BACK = (27, ERASE)  # escape


def pressed(app: Any, key: int, sign: str, modifiers: list[str]) -> bool:
    """Whether a key means something on the screen that `app` shows: then it is done."""
    if app.is_saving:
        return True
    letter, screen = sign.lower(), app.screen.name
    if screen in TYPED and (key == ERASE or letter.isalpha() or (letter and letter in TYPED[screen])):
        app.screen.type("" if key == ERASE else letter)
    elif screen == "calibrate" and key in ARROWS and app.screen.nudge(ARROWS[key]):
        pass
    elif key in PRESS:
        app.confirm_button()
    elif key in BEFORE or (key in ON and "shift" in modifiers):
        app.step(-1)
    elif key in ON:
        app.step(1)
    elif key in BACK:
        app.back()
    else:
        return _letter(app, sign)
    return True


def _letter(app: Any, sign: str) -> bool:
    """The keys of the terminal's display, where they make sense here."""
    if app.showing is None:
        return False
    choices = [choice for choice in app.showing.view.news.choices if choice.role != CONFIRM]
    match sign:
        case "c":
            app.open("table")
            app.screen.confirm()
        case "u":
            app.undo()
        case "r":
            app.redo()
        case _ if sign.isdecimal() and 1 <= int(sign) <= len(choices):
            app.do(choices[int(sign) - 1].event)
        case _:
            return False
    return True
