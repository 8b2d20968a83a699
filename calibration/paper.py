"""Pages of a PDF, drawn in millimetres from the top left corner of the paper, x right, y down; true to scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import font_roboto
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import FILL_EVEN_ODD, Canvas

POINTS_PER_MM = 72 / 25.4
MARGIN_MM, FOOT_MM = 10.0, 24.0  # what printers leave white, and the room for the ruler under a page
RULER_MM = 100
LINE_MM = 0.15
GREY, BLACK, WHITE = (150, 150, 150), (0, 0, 0), (255, 255, 255)
Colour = tuple[int, int, int]  # red, green, blue
Point = tuple[float, float]
Outlines = tuple[Sequence[Sequence[Point]], Colour]  # rings that are filled with a colour, holes where they overlap
FORM_BOX = (-10, -10, 3010, 3010)  # mm: no drawing reaches beyond


@dataclass(frozen=True)
class Paper:
    name: str
    width_mm: float
    height_mm: float

    @property
    def usable_mm(self) -> tuple[float, float]:
        """What a page can hold between its margins and above its ruler."""
        return self.width_mm - 2 * MARGIN_MM, self.height_mm - MARGIN_MM - FOOT_MM

    def across(self) -> Paper:
        return Paper(self.name, self.height_mm, self.width_mm)


PAPERS = {"a4": Paper("a4", 210.0, 297.0), "letter": Paper("letter", 215.9, 279.4)}


class Pages:
    """A PDF in the making.  Each page has a ruler, by which to see that it was printed at 100 %."""

    def __init__(self, paper: Paper, title: str, words: Mapping[str, Any]) -> None:
        """`words` are the sentences of the sheets, in one language."""
        for name, file in (("text", font_roboto.Roboto), ("bold", font_roboto.RobotoBold)):
            pdfmetrics.registerFont(TTFont(name, file))
        self.paper, self.words = paper, words
        self.page = paper
        self._content = BytesIO()
        size = (paper.width_mm * POINTS_PER_MM, paper.height_mm * POINTS_PER_MM)
        self._canvas = Canvas(self._content, size, invariant=1, initialFontName="text")
        self._canvas.setTitle(title)
        self._begun = False
        self._images: dict[Path, ImageReader] = {}
        self._forms: set[str] = set()

    def begin(self, what: str, across: bool = False) -> None:
        """A new page, with its ruler and a line that says what it is."""
        if self._begun:
            self._canvas.showPage()
        self._begun = True
        self.page = self.paper.across() if across else self.paper
        self._canvas.setPageSize((self.page.width_mm * POINTS_PER_MM, self.page.height_mm * POINTS_PER_MM))
        foot = self.page.height_mm - FOOT_MM
        self._ruler(MARGIN_MM, foot + 6)
        self.text(MARGIN_MM, foot + 19, self.words["ruler"].format(mm=RULER_MM), 2.6, GREY)
        room = self.page.width_mm - 2 * MARGIN_MM - RULER_MM - 8
        self.paragraph(MARGIN_MM + RULER_MM + 8, foot + 9, room, what, 3.2)

    def _ruler(self, x: float, y: float) -> None:
        self.line((x, y), (x + RULER_MM, y))
        for mm in range(RULER_MM + 1):
            self.line((x + mm, y), (x + mm, y + (5 if mm % 10 == 0 else 3.5 if mm % 5 == 0 else 2)))
            if mm % 10 == 0:
                self.text(x + mm, y + 8.5, str(mm), 2.4, align="m")

    def finish(self) -> bytes:
        self._canvas.save()
        return self._content.getvalue()

    # What can be drawn

    def _at(self, x: float, y: float) -> Point:
        return x * POINTS_PER_MM, (self.page.height_mm - y) * POINTS_PER_MM

    def line(self, start: Point, end: Point, width: float = LINE_MM, colour: Colour = BLACK) -> None:
        self._canvas.setStrokeColorRGB(*(value / 255 for value in colour))
        self._canvas.setLineWidth(width * POINTS_PER_MM)
        self._canvas.line(*self._at(*start), *self._at(*end))

    def polygon(
        self, points: Sequence[Point], fill: Colour | None = None, edge: Colour | None = None, width: float = LINE_MM
    ) -> None:
        path = self._canvas.beginPath()
        path.moveTo(*self._at(*points[0]))
        for point in points[1:]:
            path.lineTo(*self._at(*point))
        path.close()
        if fill:
            self._canvas.setFillColorRGB(*(value / 255 for value in fill))
        if edge:
            self._canvas.setStrokeColorRGB(*(value / 255 for value in edge))
            self._canvas.setLineWidth(width * POINTS_PER_MM)
        self._canvas.drawPath(path, stroke=int(edge is not None), fill=int(fill is not None))

    def box(
        self, x: float, y: float, w: float, h: float, fill: Colour | None = None, edge: Colour | None = None
    ) -> None:
        """A box from its top left corner."""
        self.polygon([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], fill, edge)

    def ring(self, x: float, y: float, rx: float, ry: float, colour: Colour = GREY) -> None:
        self._canvas.setStrokeColorRGB(*(value / 255 for value in colour))
        self._canvas.setLineWidth(LINE_MM * POINTS_PER_MM)
        (left, low), (right, high) = self._at(x - rx, y + ry), self._at(x + rx, y - ry)
        self._canvas.ellipse(left, low, right, high)

    def text(
        self,
        x: float,
        y: float,
        letters: str,
        size: float,
        colour: Colour = BLACK,
        align: str = "l",
        font: str = "text",
    ) -> None:
        """Letters of so many mm with their foot at `y`; `align` is l, m or r of `x`."""
        self._canvas.setFillColorRGB(*(value / 255 for value in colour))
        self._canvas.setFont(font, size * POINTS_PER_MM)
        draw = {"l": self._canvas.drawString, "m": self._canvas.drawCentredString, "r": self._canvas.drawRightString}
        draw[align](*self._at(x, y), letters)

    def paragraph(self, x: float, y: float, width: float, letters: str, size: float, colour: Colour = BLACK) -> float:
        """Lines broken to a width; where the next one would stand."""
        line = ""
        for word in [*letters.split(), ""]:
            longer = f"{line} {word}".strip()
            if word and pdfmetrics.stringWidth(longer, "text", size) <= width:
                line = longer
                continue
            self.text(x, y, line, size, colour)
            y, line = y + 1.35 * size, word
        return y

    def picture(
        self, path: Path, x: float, y: float, size_mm: tuple[float, float], part: tuple[Point, Point] | None = None
    ) -> None:
        """A picture with its top left corner at a place; of it only `part`, two corners on the page."""
        (left, low), width, height = self._at(x, y + size_mm[1]), size_mm[0] * POINTS_PER_MM, size_mm[1] * POINTS_PER_MM
        self._canvas.saveState()
        self._clip(part)
        if path not in self._images:
            self._images[path] = ImageReader(str(path))
        self._canvas.drawImage(self._images[path], left, low, width, height, mask="auto")
        self._canvas.restoreState()

    def drawing(
        self,
        name: str,
        outlines: Iterable[Outlines],
        x: float,
        y: float,
        part: tuple[Point, Point] | None = None,
        larger: float = 1.0,
    ) -> None:
        """Filled outlines in mm with their origin at a place, kept by a name and asked for once; `part` as above."""
        if name not in self._forms:
            self._forms.add(name)
            self._canvas.beginForm(name, *FORM_BOX)
            for rings, colour in outlines:
                self._fill_rings(rings, colour)
            self._canvas.endForm()
        self._canvas.saveState()
        self._clip(part)
        left, top = self._at(x, y)
        self._canvas.transform(larger * POINTS_PER_MM, 0, 0, -larger * POINTS_PER_MM, left, top)
        self._canvas.doForm(name)
        self._canvas.restoreState()

    def _fill_rings(self, rings: Sequence[Sequence[Point]], colour: Colour) -> None:
        path = self._canvas.beginPath()
        for (x, y), *others in rings:
            path.moveTo(x, y)
            for point in others:
                path.lineTo(*point)
            path.close()
        self._canvas.setFillColorRGB(*(value / 255 for value in colour))
        self._canvas.drawPath(path, stroke=0, fill=1, fillMode=FILL_EVEN_ODD)

    def _clip(self, part: tuple[Point, Point] | None) -> None:
        if part:
            (x0, y0), (x1, y1) = self._at(*part[0]), self._at(*part[1])
            path = self._canvas.beginPath()
            path.rect(x0, y1, x1 - x0, y0 - y1)
            self._canvas.clipPath(path, stroke=0, fill=0)
