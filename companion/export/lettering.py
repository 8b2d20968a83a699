"""Letters on a picture, in whatever font this machine has; ő and ű stand in all of them."""

from __future__ import annotations

from functools import cache
from unicodedata import normalize

from PIL import ImageDraw, ImageFont

Colour = tuple[int, int, int]  # red, green, blue
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

# By name: Pillow looks in the folders where a system keeps its fonts.  Each has the letters of Hungarian.
FONTS = {
    False: ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "FreeSans.ttf", "Arial.ttf"),
    True: ("DejaVuSans-Bold.ttf", "NotoSans-Bold.ttf", "LiberationSans-Bold.ttf", "FreeSansBold.ttf", "Arial_Bold.ttf"),
}
ACUTE, DIAERESIS, DOUBLE_ACUTE = "\u0301", "\u0308", "\u030b"
PLAIN = str.maketrans({"–": "-", "→": ">", "−": "-", "·": "·", "ı": "i"})


@cache
def system_font(size: int, bold: bool) -> ImageFont.FreeTypeFont | None:
    for name in FONTS[bold]:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return None


@cache
def pillows_font(size: int) -> Font:
    """Pillow's own: it has unaccented letters alone."""
    return ImageFont.load_default(size)


class Lettering:
    """Writes on a picture.  Positions and sizes in pixels; `anchor` as Pillow has it (`ls`: left, on the line)."""

    def __init__(self, draw: ImageDraw.ImageDraw, system: bool = True) -> None:
        """Without `system` only Pillow's own font is used."""
        self.draw, self.system = draw, system

    def _font(self, size: int, bold: bool) -> Font | None:
        return system_font(size, bold) if self.system else None

    def width(self, text: str, size: int, bold: bool = False) -> float:
        if font := self._font(size, bold):
            return font.getlength(text)
        return pillows_font(size).getlength(_bare(text))

    def fitting(self, text: str, size: int, width: float, bold: bool = False) -> str:
        """The text, cut off with dots where it is wider."""
        if self.width(text, size, bold) <= width:
            return text
        while text and self.width(text + "...", size, bold) > width:
            text = text[:-1]
        return text.rstrip() + "..."

    def write(
        self, x: float, y: float, text: str, size: int, colour: Colour, bold: bool = False, align: str = "l"
    ) -> None:
        """With its foot at `y`; `align` is l, m or r of `x`."""
        if font := self._font(size, bold):
            self.draw.text((x, y), text, colour, font, anchor=f"{align}s")
            return
        x -= self.width(text, size) * {"l": 0.0, "m": 0.5, "r": 1.0}[align]
        font_of_pillow, stroke = pillows_font(size), 1 if bold else 0
        bare = _bare(text)
        self.draw.text((x, y), bare, colour, font_of_pillow, anchor="ls", stroke_width=stroke, stroke_fill=colour)
        at = 0
        for letter in normalize("NFD", text.translate(PLAIN)):
            if letter in (ACUTE, DIAERESIS, DOUBLE_ACUTE):
                middle = x + font_of_pillow.getlength(bare[:at]) - font_of_pillow.getlength(bare[at - 1]) / 2
                top = y - font_of_pillow.getbbox(bare[at - 1], anchor="ls")[1] * -1
                self._accent(letter, middle, top, size, colour)
            elif at < len(bare) and letter == bare[at]:
                at += 1

    def _accent(self, accent: str, x: float, top: float, size: int, colour: Colour) -> None:
        """Drawn over the middle of a letter whose top is at `top`."""
        thick = max(1, round(size / 14))
        low, high = top - size * 0.06, top - size * 0.2
        if accent == DIAERESIS:
            for dot in (x - size * 0.11, x + size * 0.11):
                self.draw.ellipse((dot - thick, low - 2 * thick, dot + thick, low), colour)
            return
        for start in (x,) if accent == ACUTE else (x - size * 0.09, x + size * 0.09):
            self.draw.line((start - size * 0.03, low, start + size * 0.08, high), colour, thick)


def _bare(text: str) -> str:
    """As Pillow's own font can show it."""
    decomposed = normalize("NFD", text.translate(PLAIN))
    return "".join(letter for letter in decomposed if letter not in (ACUTE, DIAERESIS, DOUBLE_ACUTE))
