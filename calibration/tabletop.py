"""What goes with our own kits and is no board or piece of theirs: laid out in mm, with the icons of the kits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.icons import Icon
from calibration.kit_pages import places, register
from calibration.paper import GREY, Colour, Pages
from calibration.sheet import Sheet, rounded

Draw = Callable[[Pages, float, float], None]  # draws onto a page, around a middle in mm
INK: Colour = (62, 48, 36)
CREAM: Colour = (252, 248, 234)


@dataclass(frozen=True)
class Told:
    """What is said on paper, in one language: `texts` of these pages, `names` of pieces as the game has them."""

    texts: Mapping[str, Any]
    names: Mapping[str, str]


@dataclass(frozen=True)
class Card:
    """Something to be cut out, the same size on both sides; without a back it is printed on one."""

    face: Draw
    back: Draw | None = None


def card_pages(
    pages: Pages, cards: Sequence[Card], size_mm: tuple[float, float], words: tuple[str, str], across: bool = False
) -> None:
    """Cards of one size in rows; `words` are for the pages of faces and of backs, which follow each other."""
    paper = pages.paper.across() if across else pages.paper
    spots = places(paper, size_mm)
    for begin in range(0, len(cards), len(spots)):
        on_page = list(zip(cards[begin : begin + len(spots)], spots, strict=False))
        pages.begin(words[0], across)
        if two_sided := any(card.back for card, _ in on_page):
            register(pages)
        for card, (x, y) in on_page:
            card.face(pages, x, y)
            pages.box(x - size_mm[0] / 2, y - size_mm[1] / 2, *size_mm, edge=GREY)
        if two_sided:
            pages.begin(words[1], across)
            register(pages)
            for card, (x, y) in on_page:
                if card.back:
                    card.back(pages, paper.width_mm - x, y)


def plate(pages: Pages, x: float, y: float, size_mm: tuple[float, float], colour: Colour, corner: float = 2.0) -> None:
    """A box around a middle with round corners."""
    outline = rounded(*size_mm, corner) + np.array([x, y])
    pages.polygon([(float(px), float(py)) for px, py in outline], colour)


def icon(
    pages: Pages, draw: Icon, x: float, y: float, radius_mm: float, faint_on: Colour | None = None, turn_deg: float = 0
) -> None:
    """An icon around a middle; `faint_on` a ground it hardly stands out from, where a piece is to be laid."""
    sheet = Sheet(2, 2, 100)
    draw(sheet.pen.at(1, 1, 1, turn_deg))
    name = "-".join(map(str, ("icon", draw.__name__, *(faint_on or ()), round(turn_deg))))
    outlines = [(rings, _towards(colour, faint_on)) for rings, colour in sheet.outlines()]
    pages.drawing(name, outlines, x - radius_mm, y - radius_mm, larger=radius_mm)


def _towards(colour: Colour, ground: Colour | None) -> Colour:
    if ground is None:
        return colour
    r, g, b = (round(0.3 * own + 0.7 * other) for own, other in zip(colour, ground, strict=True))
    return r, g, b


def die(pages: Pages, x: float, y: float, side_mm: float, value: int | None = None) -> None:
    """A die around a middle; without a value, one that may show any."""
    plate(pages, x, y, (side_mm, side_mm), INK, 0.22 * side_mm)
    plate(pages, x, y, (side_mm - 0.7, side_mm - 0.7), CREAM, 0.2 * side_mm)
    if value == 6:
        for dx in (-0.24, 0.24):
            for dy in (-0.27, 0, 0.27):
                plate(pages, x + dx * side_mm, y + dy * side_mm, (0.17 * side_mm,) * 2, INK, 0.085 * side_mm)
