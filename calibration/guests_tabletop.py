"""Garden Guests beside the board: each team's deck of flower cards and its two collection cards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibration import icons
from calibration.draw_guests import GUEST_MM, MEADOW, TEAM, guest
from calibration.paper import Colour, Pages
from calibration.sheet import shaded
from calibration.tabletop import CREAM, INK, Card, Draw, Told, card_pages, icon, plate

CARD_MM = (42.0, 60.0)
OF_EACH, WILDS = 12, 4
COLLECTIONS = ((1, 4), (2, 3))  # the two sides of a card
NIGHT: Colour = (92, 62, 78)


def guests_tabletop(pages: Pages, told: Told) -> None:
    words = told.texts["extras"]
    cards = [card for team in TEAM for card in _deck(team, told)]
    card_pages(pages, cards, CARD_MM, (words["cards"], words["card-backs"]))


def _deck(team: str, told: Told) -> Iterator[Card]:
    """52 flower cards, 12 of each flower and 4 that stand for any, and the two collection cards."""
    back = _back(team)
    for flower in MEADOW:
        yield from [Card(_flower(flower, told.names[flower]), back)] * OF_EACH
    yield from [Card(_wild(told.names["wild"]), back)] * WILDS
    for one, other in COLLECTIONS:
        yield Card(_collection(team, one), _collection(team, other))


def _ground(pages: Pages, x: float, y: float, edge: Colour, paper: Colour) -> None:
    width, height = CARD_MM
    plate(pages, x, y, CARD_MM, edge, 0)
    plate(pages, x, y, (width - 4, height - 4), paper, 2.6)


def _flower(flower: str, name: str) -> Draw:
    def draw(pages: Pages, x: float, y: float) -> None:
        paper = MEADOW[flower]
        _ground(pages, x, y, shaded(paper, 0.62), paper)
        plate(pages, x, y - 1.5, (31, 31), shaded(paper, 0.85), 15.5)
        plate(pages, x, y - 1.5, (29.4, 29.4), shaded(paper, 0.72) if flower == "daisy" else CREAM, 14.7)
        icon(pages, icons.FLOWERS[flower], x, y - 1.5, 12)
        icon(pages, icons.FLOWERS[flower], x - 14.2, y - 23.2, 3.6)
        icon(pages, icons.FLOWERS[flower], x + 14.2, y - 23.2, 3.6)
        pages.text(x, y + 22.4, name, 4, INK, align="m", font="bold")

    return draw


def _wild(name: str) -> Draw:
    def draw(pages: Pages, x: float, y: float) -> None:
        _ground(pages, x, y, NIGHT, (240, 215, 150))
        plate(pages, x, y - 1.5, (33, 33), MEADOW["daisy"], 16.5)
        for number, flower in enumerate(icons.FLOWERS.values()):
            turn = np.radians(45 + 90 * number)
            icon(pages, flower, x + 8 * float(np.cos(turn)), y - 1.5 + 8 * float(np.sin(turn)), 6.6)
        pages.text(x, y + 22.4, name, 4, INK, align="m", font="bold")

    return draw


def _back(team: str) -> Draw:
    def draw(pages: Pages, x: float, y: float) -> None:
        colour = TEAM[team]
        _ground(pages, x, y, shaded(colour, 0.75), colour)
        lines = shaded(colour, 1.7 if team == "black" else 0.86)
        for row in range(7):
            for column in range(5 - row % 2):
                at = (x + (column - 2 + 0.5 * (row % 2)) * 7.6, y + (row - 3) * 7.6)
                plate(pages, *at, (3, 3), lines, 1.5)
        plate(pages, x, y, (25, 25), shaded(colour, 0.75), 12.5)
        pages.drawing(f"guest-{team}", guest(team, colour).outlines(), x - 11.4, y - 11.4, larger=22.8 / GUEST_MM)

    return draw


def _collection(team: str, count: int) -> Draw:
    """How many cards are drawn from this side: the number, and as many cards in a fan."""

    def draw(pages: Pages, x: float, y: float) -> None:
        colour = TEAM[team]
        _ground(pages, x, y, colour, CREAM)
        plate(pages, x, y - 12, (20, 20), colour, 10)
        pages.text(x, y - 7.4, str(count), 13, CREAM, align="m", font="bold")
        for number in range(count):
            place = x + (number - (count - 1) / 2) * 8.6
            plate(pages, place, y + 13, (8, 12), shaded(colour, 0.75), 1.4)
            plate(pages, place, y + 13, (7, 11), MEADOW["daisy"], 1.1)
            icon(pages, list(icons.FLOWERS.values())[number], place, y + 13, 2.9)

    return draw
