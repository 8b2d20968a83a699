"""What the screens are put together from: words, keys to tap, dice, and texts that may be longer than the screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Ellipse, InstructionGroup
from kivy.lang import Builder
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.label import Label
from kivy.uix.widget import Widget

PIPS = {  # in thirds of the face, from its middle
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, 1), (1, 1), (-1, -1), (1, -1)),
    5: ((-1, 1), (1, 1), (0, 0), (-1, -1), (1, -1)),
    6: ((-1, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (1, -1)),
}


class Words(Label):
    """A text as high as it needs to be for its width."""

    def set_wide(self, width: float) -> None:
        """Take a width, and the height that goes with it, at once."""
        self.width = width
        self.texture_update()

    def split(self, height: float) -> tuple[Words, Words] | None:
        """The lines that fit into a height and those that do not; None where that would not be two texts."""
        lines = wrapped(self.text, self)
        fitting = int(height * len(lines) / max(self.height, 1))
        if not 0 < fitting < len(lines):
            return None
        return type(self)(text=" ".join(lines[:fitting])), type(self)(text=" ".join(lines[fitting:]))


def wrapped(text: str, label: Label) -> list[str]:
    """A text in lines as wide as a label, in its letters."""
    core = CoreLabel(font_name=label.font_name, font_size=label.font_size, bold=label.bold)
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and core.get_extents(longer)[0] <= label.width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


class Key(ButtonBehavior, Label):
    """What can be tapped.  `role`: main, the one most likely wanted; plain; quiet, without a ground of its own."""

    role = StringProperty("plain")
    is_framed = BooleanProperty(False)  # the buttons would press it
    rank = NumericProperty(0)  # the buttons come to a lower one first
    deed = ObjectProperty(None, allownone=True)  # called when it is tapped

    def set_wide(self, width: float) -> None:
        """Take a width, and the height that goes with it, at once."""
        self.width = width
        self.texture_update()

    @property
    def natural_px(self) -> float:
        """The width of its text in one line, with what stays free beside it."""
        core = CoreLabel(font_name=self.font_name, font_size=self.font_size, bold=self.bold)
        return float(core.get_extents(self.text)[0] + 2 * self.padding[0])

    def on_release(self) -> None:
        if self.deed is not None:
            self.deed()


class DieFace(Widget):
    """A die from above; crossed out where it is spent."""

    value = NumericProperty(1)
    is_spent = BooleanProperty(False)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._pips = InstructionGroup()
        self.canvas.add(self._pips)  # in the colour that the layout ends with
        self.bind(pos=self._draw, size=self._draw, value=self._draw)
        self._draw()

    def _draw(self, *_: object) -> None:
        self._pips.clear()
        third, wide = self.width * 0.27, self.width * 0.2
        for x, y in PIPS.get(int(self.value), ()):
            at = (self.center_x + x * third - wide / 2, self.center_y + y * third - wide / 2)
            self._pips.add(Ellipse(pos=at, size=(wide, wide)))


class Roll(BoxLayout):
    """Texts and keys one below the other; what does not fit stands on further pages, and no line is cut.

    `fill` puts in others, and begins at the first page.
    """

    page = NumericProperty(0)
    pages = NumericProperty(1)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._widgets: list[Words | Key] = []
        self._split: list[list[Words | Key]] = [[]]
        self._lay = Clock.create_trigger(self._lay_out, -1)
        self.bind(size=self._lay, page=self._show)

    def fill(self, widgets: list[Words | Key]) -> None:
        self._widgets, self.page = widgets, 0
        self._lay_out()

    def turn(self, by: int) -> None:
        self.page = min(self.pages - 1, max(0, self.page + by))

    def _lay_out(self, *_: object) -> None:
        """On one page where that is enough, else on several, with keys beside them."""
        if min(self.size) < 2:
            return
        self._split = list(self._split_into_pages(self.width))
        if len(self._split) > 1:
            self._split = list(self._split_into_pages(self.width - self.ids.up.width - self.spacing))
        self.pages = len(self._split)
        self.page = min(self.page, self.pages - 1)
        self._show()

    def _split_into_pages(self, width: float) -> Iterator[list[Words | Key]]:
        page: list[Words | Key] = []
        left, waiting = self.height, deque(self._widgets)
        while waiting:
            widget = waiting.popleft()
            widget.set_wide(width)
            if widget.height <= left:
                page.append(widget)
                left -= widget.height + self.spacing
            elif isinstance(widget, Words) and (halves := widget.split(left)) is not None:
                waiting.extendleft(reversed(halves))
            elif page:
                yield page
                page, left = [], self.height
                waiting.appendleft(widget)
            else:  # higher than a page: it is shown as far as there is room
                page, left = [widget], 0
        yield page

    def _show(self, *_: object) -> None:
        column = self.ids.column
        column.clear_widgets()
        for widget in self._split[int(self.page)]:
            column.add_widget(widget)
        column.add_widget(Widget())


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
