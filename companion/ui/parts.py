"""What the screens are put together from: words, keys to tap, dice, and texts that may be longer than the screen."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ListProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.label import Label
from kivy.uix.stacklayout import StackLayout
from kivy.uix.widget import Widget

from companion.ui.theme import Look
from companion.ui.view.taps import Tap
from companion.ui.view.wording import capital

LETTERS = "Roboto"
LETTERS_IN_A_ROW = 12  # of what is typed on, where there is room for so many
LEAST_ROLL_MM = 20.0  # narrower than that no text is laid out: it would be a page for each word
FOLDED_MM = 55.0  # the least width of a column of long texts
SIGNS = str.maketrans({"→": "›"})  # what Roboto does not have
PIPS = {  # in thirds of the face, from its middle
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, 1), (1, 1), (-1, -1), (1, -1)),
    5: ((-1, 1), (1, 1), (0, 0), (-1, -1), (1, -1)),
    6: ((-1, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (1, -1)),
}


@contextmanager
def none_vanishing() -> Iterator[None]:
    """While a property changes that many widgets follow: those that were taken off are cleared away before.

    Kivy asks a widget that is collected in between for what is bound to it, and ends in a ReferenceError.
    """
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Words(Label):
    """A text as high as it needs to be for its width."""

    def on_text(self, _: object, text: str) -> None:
        self.text = drawable(text)

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


def drawable(text: str) -> str:
    """A text in signs that the letters on the screen have."""
    return text.translate(SIGNS)


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
    least_px = NumericProperty(0)  # how high it is at least; 0: as high as is needed to hit it
    row_px = NumericProperty(0)  # how high the others beside it are
    rank = NumericProperty(0)  # the buttons come to a lower one first
    deed = ObjectProperty(None, allownone=True)  # called when it is tapped

    def set_wide(self, width: float) -> None:
        """Take a width, and the height that goes with it, at once."""
        self.width = width
        self.texture_update()

    @property
    def natural_px(self) -> float:
        """The width of its longest line, with what stays free beside it."""
        core = CoreLabel(font_name=self.font_name, font_size=self.font_size, bold=self.bold)
        return float(max(core.get_extents(line)[0] for line in self.text.split("\n")) + 2 * self.padding[0] + 1)

    def on_text(self, _: object, text: str) -> None:
        if self.font_name == LETTERS:
            self.text = drawable(text)

    def on_release(self) -> None:
        if self.deed is not None:
            App.get_running_app().tried(self.deed)


class KeyRow(StackLayout):
    """Keys beside each other, in further rows where one is not wide enough."""

    def set_wide(self, width: float) -> None:
        """Take a width, and the height that goes with it, at once."""
        left, high, height = width, 0.0, 0.0
        for key in reversed(self.children):
            key.set_wide(min(width, max(key.natural_px, key.least_px or key.height)))
            if key.width > left + 0.5:
                left, height, high = width, height + high + self.spacing[1], 0.0
            left, high = left - key.width - self.spacing[0], max(high, key.height)
        self.width, self.height = width, height + high


class KeyLine(StackLayout):
    """Keys in columns of one width, one row of them: they fill the width where there are as many as columns."""

    columns = NumericProperty(1)

    def set_wide(self, width: float) -> None:
        """Take a width, and the height that goes with it, at once."""
        wide = (width - self.spacing[0] * (self.columns - 1)) / self.columns - 0.01
        for key in self.children:
            key.row_px = 0
            key.set_wide(wide)
        high = max((key.height for key in self.children), default=0.0)
        for key in self.children:
            key.row_px = high
        self.width, self.height = width, high


@dataclass(frozen=True, eq=False)
class KeyGrid:
    """Keys in even columns: at most so many, as far as none is too narrow for its text."""

    keys: tuple[Key, ...]
    most: int
    folds: bool = False  # a text that is too long for its column takes several lines

    def lines(self, width: float) -> Iterator[KeyLine]:
        look = App.get_running_app().look
        widest = look.mm(FOLDED_MM) if self.folds else max(self._needs_px(key, look) for key in self.keys)
        columns = max(1, min(self.most, int((width + look.gap_px) / (widest + look.gap_px))))
        for first in range(0, len(self.keys), columns):
            line = KeyLine(columns=columns)
            for key in self.keys[first : first + columns]:
                if key.parent is not None:  # in a line of another width
                    key.parent.remove_widget(key)
                key.size_hint_x = None
                line.add_widget(key)
            yield line

    def _needs_px(self, key: Key, look: Look) -> float:
        return max(key.natural_px, key.least_px or look.touch_px)


class DieFace(Widget):
    """A die from above; crossed out where it is spent."""

    value = NumericProperty(1)
    is_spent = BooleanProperty(False)

    pips = ListProperty([(0, 0, 0)] * 6)  # left, bottom and width of each; those that are not there have no width

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.bind(pos=self._place, size=self._place, value=self._place)
        self._place()

    def _place(self, *_: object) -> None:
        third, wide = self.width * 0.27, self.width * 0.2
        places = [
            (self.center_x + x * third - wide / 2, self.center_y + y * third - wide / 2, wide)
            for x, y in PIPS.get(int(self.value), ())
        ]
        self.pips = places + [(0, 0, 0)] * (6 - len(places))


Part = Words | Key | KeyRow | KeyGrid


def grid(keys: Iterable[Key], most: int, folds: bool = False) -> KeyGrid:
    """Keys in even columns, at most so many; `folds`: rather with texts in several lines than in fewer columns."""
    return KeyGrid(tuple(keys), most, folds)


def row(keys: Iterable[Key]) -> KeyRow:
    """Keys beside each other, each as wide as its text."""
    made = KeyRow()
    for key in keys:
        key.size_hint_x = None
        made.add_widget(key)
    return made


def key_of(tap: Tap[Any], take: Callable[[Any], None], role: str = "plain") -> Key:
    """A tap to be tapped: `take` gets what it comes to."""
    text = capital(tap.text) + (f"\n{tap.note}" if tap.note else "")
    return Key(text=f"• {text}" if tap.chosen else text, bold=tap.chosen, role=role, deed=lambda: take(tap.to))


@dataclass(frozen=True, eq=False)
class Further:
    """What is shown as far as there is room; `key` leads to what is not, and `named` names it by that."""

    parts: tuple[Words | Key, ...]
    key: Key
    named: Callable[[Sequence[Words | Key]], str]


class Roll(BoxLayout):
    """Texts and keys one below the other; what does not fit stands on further pages, and no line is cut.

    `fill` puts in others, and begins at the first page.
    """

    page = NumericProperty(0)
    pages = NumericProperty(1)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._all: list[Part] = []  # that must be shown
        self._further: Further | None = None
        self._split: list[list[Any]] = [[]]
        self._lay = Clock.create_trigger(self._lay_out, -1)
        self.bind(size=self._lay, page=self._show)

    def on_kv_post(self, _: Widget) -> None:
        self._paging = self.ids.paging.__self__  # the layout's name alone would not keep it

    def fill(self, widgets: list[Part], further: Further | None = None) -> None:
        """Show these, and of what is further as much as leaves them on as few pages as they need alone."""
        self._all, self._further, self.page = widgets, further, 0
        self._lay_out()

    def turn(self, by: int) -> None:
        self.page = min(self.pages - 1, max(0, self.page + by))

    def _lay_out(self, *_: object) -> None:
        """On one page where that is enough, else on several, with keys beside them."""
        if self.width < App.get_running_app().look.mm(LEAST_ROLL_MM) or self.height < 2:
            return  # it has not been given its place yet
        narrow = self.width - self.ids.up.width - self.spacing
        shown = [*self._all, *self._fitting(narrow)]
        self._split = list(self._split_into_pages(shown, self.width))
        if len(self._split) > 1:
            self._split = list(self._split_into_pages(shown, narrow))
        self._show_keys(len(self._split) > 1)
        self.pages = len(self._split)
        self.page = min(self.page, self.pages - 1)
        self._show()

    def _show_keys(self, needed: bool) -> None:
        if needed and self._paging.parent is None:
            self.add_widget(self._paging)
        elif not needed and self._paging.parent is not None:
            self.remove_widget(self._paging)

    def _fitting(self, narrow: float) -> list[Part]:
        """Of what is further all, or what fits below the rest together with the key that leads to all of it."""
        further = self._further
        if further is None:
            return []
        key, everything = further.key, [*self._all, *further.parts]
        if len(list(self._split_into_pages(everything, self.width))) == 1:
            return list(further.parts)
        key.text = further.named(further.parts)
        pages = len(list(self._split_into_pages([*self._all, key], self.width)))
        if pages > 1 and len(list(self._split_into_pages(everything, narrow))) <= pages:
            return list(further.parts)
        fitting = self._count_fitting(further) if pages == 1 else 0
        key.text = further.named(further.parts[fitting:])
        return [*further.parts[:fitting], key]

    def _count_fitting(self, further: Further) -> int:
        """How many of the further parts there is room for on one page, above their key."""
        left, count = self.height - further.key.height, 0
        for part in self._all:
            left -= getattr(part, "height", 0) + self.spacing
        for part in further.parts:
            part.set_wide(self.width)
            left -= part.height + self.spacing
            if left < 0:
                break
            count += 1
        return count

    def _split_into_pages(self, parts: Sequence[Part], width: float) -> Iterator[list[Any]]:
        page: list[Any] = []
        left, waiting = self.height, deque[Any](parts)
        while waiting:
            widget = waiting.popleft()
            if isinstance(widget, KeyGrid):
                waiting.extendleft(reversed(list(widget.lines(width))))
                continue
            widget.set_wide(width)
            if widget.height <= left:
                page.append(widget)
                left -= widget.height + self.spacing
            elif isinstance(widget, Words) and (halves := widget.split(left)) is not None:
                waiting.extendleft(reversed(halves))
            elif page:
                waiting.appendleft(widget)
                if len(page) > 1 and isinstance(page[-1], Words) and page[-1].bold:  # no heading stands at the foot
                    waiting.appendleft(page.pop())
                yield page
                page, left = [], self.height
            else:  # higher than a page: it is shown as far as there is room
                page, left = [widget], 0
        yield page

    def _show(self, *_: object) -> None:
        column = self.ids.column
        column.clear_widgets()
        for widget in self._split[int(self.page)]:
            column.add_widget(widget)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
