"""A picture from the camera, or of a board, with frames and handles over it that can be tapped and dragged."""

from __future__ import annotations

import math
from typing import Any

from kivy.clock import Clock
from kivy.graphics import Color, Ellipse, Line, Mesh, Rectangle
from kivy.graphics.texture import Texture
from kivy.properties import ObjectProperty
from kivy.uix.widget import Widget

from companion.ui.pictures import letters
from companion.ui.view.workbench import Bench

NEAR = 6.0  # times as large as when all of it is seen
HANDLE_MM, REACH_MM = 2.5, 7.0  # its radius; how far beside its middle a handle is taken hold of
TAP_MM = 2.5  # a finger that moves by less has tapped
Point = tuple[float, float]


class PhotoWidget(Widget):
    """Shows a picture and a `Bench`.  `on_space` comes with a space that was tapped, `on_drag` with a handle's name
    and the place, in shares of the picture, where it was left.
    """

    look = ObjectProperty()
    texture = ObjectProperty(None, allownone=True)
    __events__ = ("on_space", "on_drag")

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._bench: Bench | None = None
        self._held: str | None = None
        self._dragged: Point | None = None
        self._redraw = Clock.create_trigger(self._draw)
        self.bind(pos=self._redraw, size=self._redraw, look=self._redraw)

    def show(self, bench: Bench) -> None:
        if bench != self._bench:
            self._bench = bench
            self._redraw()

    def blit(self, pixels: Any) -> None:
        """Another picture: (height, width, 3) uint8 BGR; None: none."""
        if pixels is None:
            self.texture = None
        else:
            size = (pixels.shape[1], pixels.shape[0])
            if self.texture is None or self.texture.size != size:
                self.texture = Texture.create(size=size, colorfmt="bgr")
                self.texture.flip_vertical()
            self.texture.blit_buffer(pixels.reshape(-1), colorfmt="bgr", bufferfmt="ubyte")
        self._redraw()

    # Where things are

    def _frame(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the whole picture in the window, also where only a part of it is seen."""
        wide, high = self.texture.size if self.texture is not None else (4, 3)
        scale = min(self.width / wide, self.height / high)
        near = self._bench.near if self._bench is not None else None
        if near is None:
            width, height = wide * scale, high * scale
            return self.center_x - width / 2, self.center_y + height / 2, width, height
        width, height = wide * scale * NEAR, high * scale * NEAR
        return self.center_x - near[0] * width, self.center_y + near[1] * height, width, height

    def place_of(self, at: Point) -> Point:
        """A place of the picture, in shares of it, in the window."""
        left, top, width, height = self._frame()
        return left + at[0] * width, top - at[1] * height

    def _at(self, x: float, y: float) -> Point:
        left, top, width, height = self._frame()
        return (x - left) / width, (top - y) / height

    # Touches

    def on_touch_down(self, touch: Any) -> bool:
        if not self.collide_point(*touch.pos) or touch.is_mouse_scrolling:
            return False
        self._held = self._handle_at(*touch.pos)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        if self._held is None:
            return False
        self._dragged = self._within(*self._at(*touch.pos))
        self._redraw()
        return True

    def on_touch_up(self, touch: Any) -> bool:
        held, to, self._held, self._dragged = self._held, self._dragged, None, None
        if touch.is_mouse_scrolling or not self.collide_point(*touch.opos):
            return False
        moved = math.hypot(touch.x - touch.ox, touch.y - touch.oy) > self.look.mm(TAP_MM)
        if held is not None and to is not None and moved:
            self.dispatch("on_drag", held, to)
        elif not moved and (space := self._space_at(*self._at(*touch.pos))) is not None:
            self.dispatch("on_space", space)
        self._redraw()
        return True

    def _within(self, x: float, y: float) -> Point:
        return min(1.0, max(0.0, x)), min(1.0, max(0.0, y))

    def _handle_at(self, x: float, y: float) -> str | None:
        def away(handle: Any) -> float:
            there = self.place_of(handle.at)
            return math.hypot(there[0] - x, there[1] - y)

        nearest = min(self._bench.handles, key=away, default=None) if self._bench is not None else None
        return nearest.name if nearest is not None and away(nearest) <= self.look.mm(REACH_MM) else None

    def _space_at(self, x: float, y: float) -> str | None:
        """The space whose middle is nearest, where that place is in it or hardly beside it."""
        best, least = None, math.inf
        for outline in self._bench.outlines if self._bench is not None else ():
            if outline.space not in self._bench.spaces:  # type: ignore[union-attr]
                continue
            xs, ys = zip(*outline.corners, strict=True)
            middle, reach = (sum(xs) / len(xs), sum(ys) / len(ys)), 0.75 * max(max(xs) - min(xs), max(ys) - min(ys))
            away = math.hypot(middle[0] - x, middle[1] - y)
            if away < min(least, reach):
                best, least = outline.space, away
        return best

    def on_space(self, space: str) -> None:
        """A space was tapped."""

    def on_drag(self, handle: str, to: Point) -> None:
        """A handle was dragged."""

    # Drawing

    def _draw(self, *_: object) -> None:
        self.canvas.clear()
        if self.look is None or min(self.size) < 1:
            return
        left, top, width, height = self._frame()
        low = (max(left, self.x), max(top - height, self.y))
        high = (min(left + width, self.right), min(top, self.top))
        with self.canvas:
            if self.texture is not None and low[0] < high[0] and low[1] < high[1]:
                Color(1, 1, 1)
                u0, v0, du, dv = self._texture_part()
                us = [u0 + (x - left) / width * du for x in (low[0], high[0])]
                vs = [v0 + (top - y) / height * dv for y in (high[1], low[1])]
                Rectangle(
                    texture=self.texture,
                    pos=low,
                    size=(high[0] - low[0], high[1] - low[1]),
                    tex_coords=(us[0], vs[1], us[1], vs[1], us[1], vs[0], us[0], vs[0]),
                )
            if self._bench is not None:
                self._draw_cells(self._bench)
                self._draw_outlines(self._bench)
                self._draw_handles(self._bench)

    def _texture_part(self) -> tuple[float, float, float, float]:
        """Where the picture's top left corner lies in the texture, and how far it reaches, right and down."""
        coords = self.texture.tex_coords  # lower left, lower right, upper right, upper left
        return coords[6], coords[7], coords[2] - coords[0], coords[1] - coords[7]

    def _draw_cells(self, bench: Bench) -> None:
        for row, cells in enumerate(bench.cells):
            for column, covered in enumerate(cells):
                x, y = self.place_of((column / len(cells), (row + 1) / len(bench.cells)))
                right, top = self.place_of(((column + 1) / len(cells), row / len(bench.cells)))
                Color(*self.look.theme.good[:3], 0.35 if covered else 0.0)
                Rectangle(pos=(x, y), size=(right - x, top - y))
                Color(*self.look.theme.sheet[:3], 0.5)
                Line(rectangle=(x, y, right - x, top - y), width=1)

    def _draw_outlines(self, bench: Bench) -> None:
        theme = self.look.theme
        shades = {"fine": theme.good, "doubt": theme.doubt, "bad": theme.bad}
        for outline in bench.outlines:
            corners = [self.place_of(self._now(corner, outline, bench)) for corner in outline.corners]
            if not any(self.collide_point(*corner) for corner in corners):
                continue
            flat = [value for corner in corners for value in corner]
            chosen = outline.space != "" and outline.space == bench.chosen
            shade = theme.framed if chosen else shades.get(outline.state, theme.line)
            if outline.state == "bad":  # crossed out: not by its colour alone
                Color(*shade)
                Line(points=[*flat[0:2], *flat[4:6]], width=self.look.mm(0.3))
                Line(points=[*flat[2:4], *flat[6:8]], width=self.look.mm(0.3))
            if outline.state == "doubt":
                Color(*shade[:3], 0.3)
                Mesh(
                    vertices=[value for x, y in corners for value in (x, y, 0, 0)],
                    indices=list(range(len(corners))),
                    mode="triangle_fan",
                )
            for colour, wide in ((theme.sheet, 0.35), (shade, 0.2 if not chosen else 0.5)):
                Color(*colour)
                Line(points=flat, close=True, width=max(1.0, self.look.mm(wide)))

    def _now(self, corner: Point, outline: Any, bench: Bench) -> Point:
        """A corner of what handles frame goes along with the one that is dragged."""
        if self._held is None or self._dragged is None or outline.space:
            return corner
        held = next((handle.at for handle in bench.handles if handle.name == self._held), None)
        return self._dragged if held == corner else corner

    def _draw_handles(self, bench: Bench) -> None:
        theme, radius = self.look.theme, self.look.mm(HANDLE_MM)
        for handle in bench.handles:
            at = self._dragged if handle.name == self._held and self._dragged is not None else handle.at
            x, y = self.place_of(at)
            if not self.collide_point(x, y):
                continue
            shade = theme.framed if handle.name == bench.chosen else theme.main
            for colour, wide in ((theme.sheet, 0.7), (shade, 0.4)):
                Color(*colour)
                Line(circle=(x, y, radius), width=self.look.mm(wide))
            Line(points=(x - radius, y, x + radius, y), width=1)
            Line(points=(x, y - radius, x, y + radius), width=1)
            if handle.name.isdecimal():
                texture = letters(handle.name, round(0.7 * self.look.text_px))
                dx = dy = 1.6 * radius
                dx = -dx if x + dx + texture.width / 2 > self.right else dx
                dy = -dy if y + dy + texture.height / 2 > self.top else dy
                Color(*theme.sheet[:3], 0.85)
                side = max(texture.size)
                Ellipse(pos=(x + dx - side / 2, y + dy - side / 2), size=(side, side))
                Color(*shade)
                Rectangle(
                    texture=texture, pos=(x + dx - texture.width / 2, y + dy - texture.height / 2), size=texture.size
                )
