"""How the touchscreen looks: its colours, and its sizes in millimetres.  Nothing here needs Kivy."""

from __future__ import annotations

import math
from dataclasses import dataclass

Colour = tuple[float, float, float, float]  # red, green, blue, opacity, 0…1

MM_AN_INCH = 25.4
CAPITAL = 1456 / 2048  # the height of Roboto's capitals, of its size
TEXT_MM, LARGE_MM = 4.0, 5.0  # the height of capitals: of all text; of scores and of what is proposed
TOUCH_MM, THUMB_MM = 9.0, 13.0  # the least height and width of what is tapped; of what is tapped all the time
GAP_MM = 1.5


def colour(hexadecimal: str) -> Colour:
    red, green, blue = (int(hexadecimal[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return red, green, blue, 1.0


@dataclass(frozen=True)
class Theme:
    """Colours by what they are for.  What they say is also said by a word or a shape."""

    name: str
    paper: Colour  # behind everything
    sheet: Colour  # behind a group of things
    ink: Colour
    faint: Colour  # what matters less
    line: Colour
    key: Colour  # what can be tapped
    key_ink: Colour
    main: Colour  # the one that is most likely wanted
    main_ink: Colour
    good: Colour
    doubt: Colour
    bad: Colour
    framed: Colour  # around what the buttons would press


LIGHT = Theme(
    "light",
    paper=colour("f4f1e8"),
    sheet=colour("ffffff"),
    ink=colour("1f2a24"),
    faint=colour("55605a"),
    line=colour("c9c8bb"),
    key=colour("dfe6d6"),
    key_ink=colour("1f2a24"),
    main=colour("1f6b3a"),
    main_ink=colour("ffffff"),
    good=colour("1f6b3a"),
    doubt=colour("8a5a00"),
    bad=colour("b3261e"),
    framed=colour("0b57d0"),
)
DARK = Theme(
    "dark",
    paper=colour("161b18"),
    sheet=colour("212823"),
    ink=colour("eef2ea"),
    faint=colour("a9b3ab"),
    line=colour("3c463f"),
    key=colour("364239"),
    key_ink=colour("eef2ea"),
    main=colour("8fd6a0"),
    main_ink=colour("10240f"),
    good=colour("8fd6a0"),
    doubt=colour("f2b84b"),
    bad=colour("ff8a80"),
    framed=colour("8ab4ff"),
)
CONTRAST = Theme(
    "contrast",
    paper=colour("000000"),
    sheet=colour("000000"),
    ink=colour("ffffff"),
    faint=colour("ffffff"),
    line=colour("ffffff"),
    key=colour("1c1c1c"),
    key_ink=colour("ffffff"),
    main=colour("ffe600"),
    main_ink=colour("000000"),
    good=colour("6dff8b"),
    doubt=colour("ffe600"),
    bad=colour("ff9a9a"),
    framed=colour("00e5ff"),
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST)}


@dataclass(frozen=True)
class Look:
    """A theme on a screen of so many pixels and inches across."""

    theme: Theme
    width_px: int
    height_px: int
    inches: float

    @property
    def px_per_mm(self) -> float:
        return math.hypot(self.width_px, self.height_px) / (self.inches * MM_AN_INCH)

    @property
    def is_upright(self) -> bool:
        return self.height_px > self.width_px

    def mm(self, length_mm: float) -> float:
        """A length in px."""
        return length_mm * self.px_per_mm

    @property
    def text_px(self) -> float:
        """The size of letters whose capitals are TEXT_MM high."""
        return math.ceil(self.mm(TEXT_MM / CAPITAL))

    @property
    def large_px(self) -> float:
        return math.ceil(self.mm(LARGE_MM / CAPITAL))

    @property
    def touch_px(self) -> float:
        return math.ceil(self.mm(TOUCH_MM))

    @property
    def thumb_px(self) -> float:
        return math.ceil(self.mm(THUMB_MM))

    @property
    def gap_px(self) -> float:
        return self.mm(GAP_MM)


def contrast(one: Colour, other: Colour) -> float:
    """How well one colour stands out from another, 1 to 21, by the relative luminance of WCAG 2."""

    def luminance(shade: Colour) -> float:
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade[:3])
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
