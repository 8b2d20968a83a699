"""The boards of any game, drawn from the kit's own pictures, with the pieces as they lie and marked where need be.

What differs is framed, each kind of news in a colour and with a sign of its own; what should lie there shines through.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from kivy.clock import Clock
from kivy.graphics import Color, Ellipse, Line, Rectangle
from kivy.graphics.scissor_instructions import ScissorPop, ScissorPush
from kivy.properties import BooleanProperty, ObjectProperty
from kivy.uix.widget import Widget

from companion.kit import Kit, Piece, Space
from companion.ui.board_layout import BoardLayout, enlarged, is_numbered, lay_out
from companion.ui.pictures import letters, outlined, picture
from companion.ui.theme import Colour
from companion.ui.view import View
from companion.ui.view.shapes import ILLEGAL, MARK_SIGNS, PROPOSED, UNDONE, UNSURE

BADGE_MM, DASH_MM = 3.0, 4.0
GHOST = 0.4  # how much is seen of what should lie there and does not
ON_TOP = 0.22  # how far what lies on another piece is drawn beside its middle, so that both are seen: of its size
LABEL, MAP_LABEL = 0.9, 0.75  # how large the numbers of rows and columns are, of the smallest space
NEAR = 1.25  # how large the smallest space is from near: of a fingertip
WHITE, BLACK = (1.0, 1.0, 1.0, 1.0), (0.1, 0.1, 0.1, 1.0)


@dataclass(frozen=True)
class Overlay:
    """What is drawn over a board besides its view, by the kit's spaces.

    `tappable` can be tapped; `ways` are lines from space to space, each with whether it is barred; `arrows` lead from a
    space (empty: from nowhere) to another, with a text there; `stops` are arrows that lead nowhere; `after` is what
    would lie there then; `table` lies there in place of everything.
    """

    chosen: str = ""
    tappable: frozenset[str] = frozenset()
    arrows: tuple[tuple[str, str, str], ...] = ()
    stops: tuple[tuple[str, str], ...] = ()
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    table: Mapping[str, tuple[str, ...]] | None = None
    ways: tuple[tuple[tuple[str, ...], bool], ...] = ()


class BoardWidget(Widget):
    """Shows a view's table.  `on_space` comes with the kit's space that was tapped.

    With `comes_near` a board whose spaces are smaller than a fingertip is first shown from near where it is tapped, and
    a space is picked with the second tap; `come_near` does so too, and `step_back` shows all of it again.
    """

    look = ObjectProperty()
    comes_near = BooleanProperty(False)
    is_near = BooleanProperty(False)
    __events__ = ("on_space",)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._kit: Kit | None = None
        self._view: View | None = None
        self._overlay = Overlay()
        self._layout = BoardLayout((), (), 1.0, {})
        self._near = ""  # the space around which it is looked at from near
        self._pieces: dict[str, Piece] = {}
        self._redraw = Clock.create_trigger(self._draw)
        self.bind(pos=self._redraw, size=self._redraw, look=self._redraw)

    def show(self, view: View, kit: Kit, overlay: Overlay = Overlay()) -> None:
        if kit is not self._kit:
            self._kit, self._pieces = kit, {piece.name: piece for piece in kit.pieces}
        if view is not self._view or overlay != self._overlay:
            self._view, self._overlay = view, overlay
            self.step_back()

    def come_near(self, space: str) -> None:
        """Show it from near around a space; all of it for none."""
        self._near, self.is_near = space, bool(space)
        self._redraw()

    def step_back(self) -> None:
        """Show all of it."""
        self.come_near("")

    @property
    def is_too_small(self) -> bool:
        """Whether a fingertip is wider than what there is of each space to be tapped, as it is shown now."""
        return self._layout.apart_px < float(self.look.touch_px)

    def place_of(self, space: str) -> tuple[float, float]:
        """The middle of a space in the window."""
        x, y = self._layout.at_px(next(each for each in self._layout.spaces if each.id == space))
        return self.x + x, self.top - y

    def on_touch_down(self, touch: Any) -> bool:
        return bool(self.collide_point(*touch.pos))

    def on_touch_up(self, touch: Any) -> bool:
        if touch.is_mouse_scrolling or not (self.collide_point(*touch.pos) and self.collide_point(*touch.opos)):
            return False
        at = (touch.x - self.x, self.top - touch.y)
        comes = self.comes_near and not self.is_near and self.is_too_small
        space = self._layout.nearest(*at) if comes else self._layout.space_at(*at)
        if space is not None and comes:
            self.come_near(space.id)
        elif space is not None:
            self.dispatch("on_space", space)
        return True

    def on_space(self, space: Space) -> None:
        """A space was tapped."""

    # Drawing

    def _draw(self, *_: object) -> None:
        self.canvas.clear()
        if self._kit is None or self._view is None or self.look is None or min(self.size) < 1:
            return
        room = self.look.text_px if is_numbered(self._kit) else 0.0
        self._layout = lay_out(self._kit, self._view.table, self.size, room)
        if self._near:
            around = self._layout.at_px(next(space for space in self._layout.spaces if space.id == self._near))
            self._layout = enlarged(self._layout, NEAR * self.look.touch_px, around, self.size)
        with self.canvas:
            left, bottom = self.to_window(*self.pos)
            ScissorPush(x=round(left), y=round(bottom), width=round(self.width), height=round(self.height))
            for placed in self._layout.boards:
                self._draw_board(placed.board, placed.crop_mm, placed.at_px)
            for at, text in self._layout.labels.items():
                self._draw_label(text, *at)
            for space in self._layout.spaces:
                self._draw_space(space, self._view)
            for space in self._layout.spaces:  # after all pieces: none covers a mark
                mark = self._view.marks.get(space.id)
                if mark is not None and self._overlay.table is None:
                    self._draw_mark(space, mark)
            self._draw_overlay({space.id: space for space in self._layout.spaces})
            ScissorPop()

    def _draw_overlay(self, spaces: dict[str, Space]) -> None:
        over, theme = self._overlay, self.look.theme
        for id in (*over.tappable, over.chosen):
            if id in spaces:
                self._frame(spaces[id], theme.framed)
        for way, barred in over.ways:
            self._draw_way([self._middle(spaces[id]) for id in way if id in spaces], barred)
        lines = [*over.arrows, *((origin, at, "×") for origin, at in over.stops)]
        for number, (origin, at, _) in enumerate(lines):
            if at in spaces and origin in spaces and origin != at:
                shade = theme.good if number < len(over.arrows) else theme.bad
                self._arrow(self._middle(spaces[origin]), self._middle(spaces[at]), shade)
        for _, at, text in lines:  # no arrow covers what is written
            if at in spaces and text:
                self._badge(text, *self._middle(spaces[at]), self._letter_px(spaces[at]))

    def _draw_way(self, places: list[tuple[float, float]], barred: bool) -> None:
        """From middle to middle; a barred one is broken, and crossed out in its middle."""
        if len(places) < 2:
            return
        theme, dash = self.look.theme, self.look.mm(DASH_MM)
        for shade, width in ((theme.sheet, 0.9), (theme.bad if barred else theme.good, 0.5)):
            Color(*shade)
            for (x, y), (to_x, to_y) in pairwise(places):
                count = max(1, round(math.hypot(to_x - x, to_y - y) / dash)) if barred else 1
                for number in range(0, 2 * count - 1, 2) if barred else (0,):
                    begin, end = (number / (2 * count), (number + 1) / (2 * count)) if barred else (0.0, 1.0)
                    points = [
                        x + begin * (to_x - x),
                        y + begin * (to_y - y),
                        x + end * (to_x - x),
                        y + end * (to_y - y),
                    ]
                    Line(points=points, width=self.look.mm(width), cap="none" if barred else "round")
        if barred:
            self._badge("×", *places[(len(places) - 1) // 2], self.look.text_px)

    def _arrow(self, start: tuple[float, float], end: tuple[float, float], colour: Colour) -> None:
        """From one middle to another; a light edge lifts it off the board."""
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        short = self.look.mm(BADGE_MM)  # what is written at its end stays free
        end = (end[0] - short * math.cos(angle), end[1] - short * math.sin(angle))
        barb = self.look.mm(2)
        tips = [
            (end[0] - barb * math.cos(angle + turn), end[1] - barb * math.sin(angle + turn)) for turn in (0.5, -0.5)
        ]
        for shade, width in ((self.look.theme.sheet, 0.8), (colour, 0.45)):
            Color(*shade)
            Line(points=(*start, *end), width=self.look.mm(width))
            Line(points=(*tips[0], *end, *tips[1]), width=self.look.mm(width))

    def _draw_board(self, board: str, crop: tuple[float, ...], at_px: tuple[float, float]) -> None:
        assert self._kit is not None
        drawn = next(each for each in self._kit.boards if each.id == board)
        scale = self._layout.px_per_mm
        whole = picture(drawn.image, round(drawn.size_mm[0] * scale), round(drawn.size_mm[1] * scale))
        across, down = whole.width / drawn.size_mm[0], whole.height / drawn.size_mm[1]
        width, height = crop[2] - crop[0], crop[3] - crop[1]
        part = whole.get_region(crop[0] * across, whole.height - crop[3] * down, width * across, height * down)
        Color(1, 1, 1)
        Rectangle(
            texture=part,
            pos=(self.x + at_px[0], self.top - at_px[1] - height * scale),
            size=(width * scale, height * scale),
        )

    def _draw_label(self, text: str, x: float, y: float) -> None:
        """A row's or a column's number: beside the board, or on it, where it has to stand out from its art."""
        largest = MAP_LABEL if self._layout.is_map else LABEL
        size = min(self.look.text_px, largest * self._layout.step_px)
        if not self._layout.is_map:
            self._write(text, self.x + x, self.top - y, size, self.look.theme.faint)
            return
        texture = outlined(text, round(size))
        Color(*WHITE)
        Rectangle(
            texture=texture,
            pos=(self.x + x - texture.width / 2, self.top - y - texture.height / 2),
            size=texture.size,
        )

    def _draw_space(self, space: Space, view: View) -> None:
        x, y = self._middle(space)
        over, lies = self._overlay, view.table[space.id]
        if over.table is not None:
            lies = over.table.get(space.id, ())
        elif not lies:
            for piece in view.should.get(space.id, ()):
                self._draw_piece(piece, x, y, GHOST)
        for number, name in enumerate(over.after.get(space.id, lies)):
            aside = ON_TOP * min(space.size_mm) * self._layout.px_per_mm if number else 0.0
            self._draw_piece(name, x + aside, y - aside)
            if (letter := view.letters.get(name)) is not None:
                self._badge(letter, x + aside, y - aside, self._letter_px(space))
        if over.table is None and (count := view.counts.get(space.id, 0)) > 1:
            aside = 0.28 * min(space.size_mm) * self._layout.px_per_mm
            self._badge(str(count), x - aside, y + aside, self._letter_px(space))

    def _draw_piece(self, name: str, x: float, y: float, opacity: float = 1.0) -> None:
        piece, scale = self._pieces[name], self._layout.px_per_mm
        width, height = (side * scale for side in piece.size_mm)
        Color(1, 1, 1, opacity)
        texture = picture(piece.image, round(width), round(height))
        Rectangle(texture=texture, pos=(x - width / 2, y - height / 2), size=(width, height))

    def _letter_px(self, space: Space) -> float:
        """As high as all text, where the space has room for it."""
        return min(float(self.look.text_px), 0.8 * min(space.size_mm) * self._layout.px_per_mm)

    def _badge(self, text: str, x: float, y: float, size_px: float) -> None:
        """A text that can be read on whatever lies below it."""
        wide = 0.55 * size_px
        Color(*BLACK[:3], 0.75)
        Ellipse(pos=(x - wide, y - wide), size=(2 * wide, 2 * wide))
        self._write(text, x, y, 0.95 * size_px, WHITE)

    def _write(self, text: str, x: float, y: float, size_px: float, colour: Colour) -> None:
        texture = letters(text, round(size_px))
        Color(*colour)
        Rectangle(texture=texture, pos=(x - texture.width / 2, y - texture.height / 2), size=texture.size)

    def _draw_mark(self, space: Space, mark: str) -> None:
        left, bottom, width, height = self._box(space)
        if mark == UNSURE:
            self._hatch(left, bottom, width, height)
            return
        theme = self.look.theme
        shade = {PROPOSED: theme.good, ILLEGAL: theme.bad, UNDONE: theme.framed}.get(mark, theme.doubt)
        self._frame(space, shade)
        size = 0.8 * self._letter_px(space)
        Color(*shade)
        corner = (left + 0.15 * width, bottom + 0.85 * height)  # half beside the space: what lies there stays visible
        Ellipse(pos=(corner[0] - size / 2, corner[1] - size / 2), size=(size, size))
        self._write(MARK_SIGNS[mark], *corner, 0.9 * size, theme.sheet)

    def _frame(self, space: Space, colour: Colour) -> None:
        """A frame that stands out on any board."""
        left, bottom, width, height = self._box(space)
        thick = min(self.look.mm(0.5), 0.05 * width)
        for shade, line in ((self.look.theme.sheet, 1.9 * thick), (colour, thick)):
            Color(*shade)
            Line(rounded_rectangle=(left, bottom, width, height, 0.12 * width), width=line)

    def _box(self, space: Space) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of a space in the window."""
        x, y = self._middle(space)
        width, height = (side * self._layout.px_per_mm for side in space.size_mm)
        return x - width / 2, y - height / 2, width, height

    def _hatch(self, left: float, bottom: float, width: float, height: float) -> None:
        """Strokes from lower left to upper right, cut at the space's edges."""
        Color(*self.look.theme.sheet[:3], 0.45)
        Rectangle(pos=(left, bottom), size=(width, height))
        Color(*self.look.theme.doubt)
        step = max(4.0, self.look.mm(1.4))
        offset = step / 2 - height
        while offset < width:
            start = (left + max(0.0, offset), bottom + max(0.0, -offset))
            end = (left + min(width, offset + height), bottom + min(height, width - offset))
            Line(points=(*start, *end), width=max(1.0, self.look.mm(0.2)))
            offset += step

    def _middle(self, space: Space) -> tuple[float, float]:
        x, y = self._layout.at_px(space)
        return self.x + x, self.top - y
