"""A screen measured: is every text whole and large enough, nothing in another's way, everything tapped large enough?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from kivy.core.text import Label as CoreLabel
from kivy.uix.label import Label
from kivy.uix.widget import Widget

from companion.ui.board_widget import BoardWidget
from companion.ui.parts import DieFace, Key
from companion.ui.theme import Look

MARKUP = re.compile(r"\[/?[a-z]+\]")
SLACK_PX = 1.5  # what rounding to whole pixels may cost


def faults_of(screen: Widget, look: Look) -> list[str]:
    """What is wrong with a screen as it is laid out; nothing where all is well.

    The spaces of a board are as large as the board lets them be, and are not held to the least size of a key.
    """
    shown = [widget for widget in screen.walk() if _is_shown(widget)]
    found = [fault for widget in shown for fault in _faults(widget, look)]
    for one, other in combinations(shown, 2):
        if not _above(one, other) and not _above(other, one) and _overlap(one, other) > SLACK_PX:
            found.append(f"{_name(one)} lies over {_name(other)}")
    return found


def _is_shown(widget: Widget) -> bool:
    """What is drawn and not only there to hold others."""
    if widget.opacity == 0 or min(widget.size) <= 0:
        return False
    return isinstance(widget, DieFace | BoardWidget | Key) or (isinstance(widget, Label) and bool(widget.text))


def _faults(widget: Widget, look: Look) -> Iterator[str]:
    left, bottom = widget.to_window(widget.x, widget.y)
    if left < -SLACK_PX or bottom < -SLACK_PX:
        yield f"{_name(widget)} lies outside the window"
    if left + widget.width > look.width_px + SLACK_PX or bottom + widget.height > look.height_px + SLACK_PX:
        yield f"{_name(widget)} lies outside the window"
    if isinstance(widget, Key) and min(widget.size) < look.touch_px - SLACK_PX:
        yield f"{_name(widget)} is {widget.width:.0f} × {widget.height:.0f} px; {look.touch_px:.0f} is the least"
    if isinstance(widget, Label):
        yield from _faults_of_text(widget, look)


def bare(label: Label) -> str:
    """The text of a label as it is read: without its markup."""
    if not label.markup:
        return str(label.text)
    text = MARKUP.sub("", label.text)
    for escaped, sign in (("&bl;", "["), ("&br;", "]"), ("&amp;", "&")):
        text = text.replace(escaped, sign)
    return text


def _faults_of_text(label: Label, look: Look) -> Iterator[str]:
    if label.font_size < look.text_px - SLACK_PX:
        yield f"{_name(label)} is {label.font_size:.0f} px high; {look.text_px:.0f} is the least"
    if label.texture_size[0] > label.width + SLACK_PX or label.texture_size[1] > label.height + SLACK_PX:
        yield f"{_name(label)} is cut"
    core = CoreLabel(font_name=label.font_name, font_size=label.font_size, bold=label.bold)
    room = label.width - 2 * label.padding[0] if label.text_size[0] else label.width
    for word in bare(label).split():
        if core.get_extents(word)[0] > room + SLACK_PX:
            yield f"{_name(label)}: {word!r} is wider than its place"


def _above(one: Widget, other: Widget) -> bool:
    """Whether one holds the other."""
    while other.parent is not None and other.parent is not other:
        other = other.parent
        if other is one:
            return True
    return False


def _overlap(one: Widget, other: Widget) -> float:
    """By how many pixels two widgets lie over each other, the lesser of width and height."""
    (a, b), (c, d) = one.to_window(*one.pos), other.to_window(*other.pos)
    across = min(a + one.width, c + other.width) - max(a, c)
    up = min(b + one.height, d + other.height) - max(b, d)
    return float(min(across, up))


def _name(widget: Widget) -> str:
    text = getattr(widget, "text", "")
    return f"{type(widget).__name__} {text[:40]!r}" if text else type(widget).__name__
