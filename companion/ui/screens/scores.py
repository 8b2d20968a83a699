"""The scores: how the game ended, the points over the turns as a chart, what they were for, and turn by turn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import segno
from kivy.app import App
from kivy.factory import Factory
from kivy.graphics import Color, Ellipse, Line, Rectangle
from kivy.graphics.texture import Texture
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ListProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.image import Image
from kivy.uix.widget import Widget

from companion.ui.parts import Key, Part, key_of, row
from companion.ui.pictures import letters
from companion.ui.screens.listed import ListScreen
from companion.ui.view.scores import Scores
from companion.ui.view.wording import capital

CORNERS = {0: 0, 1: 4, 2: 3, 3: 5}  # of the marks on a line: a disc, a square, a triangle, a pentagon
HEIGHT_MM = 42
CODE_MM = 58


class Chart(Widget):
    """A line for each side over the turns; each has a mark and a letter of its own besides its colour."""

    series = ListProperty()
    letters = ListProperty()
    look = ObjectProperty()

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.bind(pos=self._draw, size=self._draw, series=self._draw, look=self._draw)

    def set_wide(self, width: float) -> None:
        """Take a width, and the height that goes with it, at once."""
        self.width = width

    def _draw(self, *_: object) -> None:
        self.canvas.clear()
        most = max((max(line) for line in self.series), default=0)
        least = min(0, min((min(line) for line in self.series), default=0))
        if self.look is None or most == least:
            return
        theme, edge = self.look.theme, self.look.mm(8)
        wide, high = self.width - 2.2 * edge, self.height - edge
        with self.canvas:
            for value in (least, most):
                y = self.y + edge / 2 + high * (value - least) / (most - least)
                Color(*theme.line)
                Line(points=(self.x + edge, y, self.x + edge + wide, y), width=1)
                self._write(str(value), self.x + edge / 2, y, theme.faint)
            lines = [
                [
                    (
                        self.x + edge + wide * at / max(1, len(line) - 1),
                        self.y + edge / 2 + high * (value - least) / (most - least),
                    )
                    for at, value in enumerate(line)
                ]
                for line in self.series
            ]
            for number, points in enumerate(lines):
                self._line(points, number)
            for number, y in _apart([points[-1][1] for points in lines], self.look.text_px):
                self._write(self.letters[number], self.x + edge + wide + self.look.mm(4), y, theme.ink)

    def _line(self, points: list[tuple[float, float]], number: int) -> None:
        """No colour tells the sides apart: a mark of its own stands where a line bends."""
        Color(*self.look.theme.ink)
        Line(points=[part for point in points for part in point], width=self.look.mm(0.3))
        bends = [here for before, here, after in zip(points, points[1:], points[2:], strict=False)
                 if after[1] - here[1] != here[1] - before[1]]  # fmt: skip
        size = self.look.mm(2.6)
        for x, y in [*bends, points[-1]]:
            Ellipse(pos=(x - size / 2, y - size / 2), size=(size, size), segments=CORNERS[number % 4] or 30)

    def _write(self, text: str, x: float, y: float, colour: Any) -> None:
        texture = letters(text, round(self.look.text_px))
        Color(*colour)
        Rectangle(texture=texture, pos=(x - texture.width / 2, y - texture.height / 2), size=texture.size)


def _apart(heights: list[float], least: float) -> Iterator[tuple[int, float]]:
    """Each with its number, from the lowest up, none nearer to the one below than `least`."""
    below = -math.inf
    for number, height in sorted(enumerate(heights), key=lambda pair: pair[1]):
        below = max(height, below + least)
        yield number, below


class PointsLine(BoxLayout):
    """A line of a table: what it is, and at its right the points of each side below each other."""

    text = StringProperty()
    points = ListProperty()
    bold = BooleanProperty(False)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        for points in self.points:
            self.add_widget(Factory.Points(text=points, bold=self.bold))

    def set_wide(self, width: float) -> None:
        """Take a width, and the height that goes with it, at once."""
        columns = self.children[:-1]
        label = self.ids.label
        label.set_wide(width - sum(column.width + self.spacing for column in columns))
        self.width, self.height = width, label.height


class ScoresScreen(ListScreen):
    """`game` is the number of a kept game; without one, the game on the table."""

    def show(self, game: int | None = None) -> None:
        app = App.get_running_app()
        view: Scores = app.house.scores(game, app.language)
        found: list[Part] = [Factory.Heading(text=view.heading), Factory.Words(text=view.verdict)]
        if view.series and len(view.series[0]) > 1:
            found.append(Chart(series=[list(line) for line in view.series], letters=list(view.letters), look=app.look,
                               size_hint_y=None, height=app.look.mm(HEIGHT_MM)))  # fmt: skip
        found += self._ending(view)
        found += self._table(view)
        for turn in view.turns:
            gains = ", ".join(f"{gain.name} {gain.points:+d}" for gain in turn.gains)
            found += [
                Factory.Heading(text=f"{turn.name} {gains}".strip()),
                *(Factory.Faint(text=line) for line in turn.lines),
            ]
        export = [key_of(tap, lambda to: self._write_file(game, to)) for tap in view.taps]
        codes = [Key(text=app.words["code"], deed=lambda: app.open("code", text=view.result, record=view.record))]
        found.append(row([*codes, *export]))
        self.fill(app.words["scores"], found)

    def _table(self, view: Scores) -> Iterator[Part]:
        """What points were for, with a column for each side."""
        if not view.sources:
            return
        key = [f"{letter} {name}" for letter, name in zip(view.letters, view.names, strict=True)]
        yield PointsLine(text=", ".join(key), points=list(view.letters), bold=True)
        *rows, total = view.sources
        yield from (PointsLine(text=capital(row.text), points=[f"{by:+d}" for by in row.points]) for row in rows)
        yield PointsLine(text=capital(total.text), points=list(map(str, total.points)), bold=True)

    def _ending(self, view: Scores) -> Iterator[Part]:
        """The bonuses one after the other, with the points so far."""
        for told in view.ending:
            totals = " · ".join(f"{name} {total}" for name, total in zip(view.names, told.totals, strict=False))
            yield Factory.Heading(text=told.heading)
            yield from (Factory.Words(text=line) for line in told.lines)
            if totals:
                yield Factory.Large(text=totals)

    def _write_file(self, game: int | None, to: Any) -> None:
        app = App.get_running_app()
        app.keep(lambda: app.house.write(game, to, app.language), lambda told: app.open("said", text=told))


class Code(Image):
    """A QR code, as large as its place."""

    def set_wide(self, width: float) -> None:
        """Take a width, and the height that goes with it, at once."""
        self.width = width


class CodeScreen(ListScreen):
    """The result as a QR code for a telephone; where it fits, the whole game as another."""

    def show(self, text: str, record: str | None = None) -> None:
        app = App.get_running_app()
        found: list[Part] = [Factory.Words(text=app.words["code-holds"])]
        found.append(Code(texture=_code(text), fit_mode="contain", size_hint_y=None, height=app.look.mm(CODE_MM)))
        if record is not None:
            found.append(Key(text=app.words["whole-game"], deed=lambda: app.open("code", text=record)))
        self.fill(app.words["code"], found)


def _code(text: str) -> Texture:
    """A QR code with the rim that a reader needs, a pixel for each of its squares."""
    rows = [bytes(0 if dark else 255 for dark in line) for line in segno.make(text, micro=False).matrix_iter(border=4)]
    texture = Texture.create(size=(len(rows[0]), len(rows)), colorfmt="luminance", mipmap=False)
    texture.mag_filter = "nearest"
    texture.blit_buffer(b"".join(reversed(rows)), colorfmt="luminance")
    return texture


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
