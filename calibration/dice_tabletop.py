"""Garden Dice beside the board: a mat for each player, summary cards in both languages, and the suns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calibration import icons
from calibration.draw_dice import DISCS, SOIL, TILE, TILE_PAPER, VALUES, disc
from calibration.paper import Colour, Pages
from calibration.sheet import shaded
from calibration.tabletop import CREAM, INK, Card, Draw, Told, card_pages, die, icon, plate

MAT_MM = (238.0, 168.0)
PITCH_MM, PLACE_MM = 45.0, 41.5
MEADOW: Colour = (226, 236, 204)
CARD_MM = (160.0, 116.0)
GREEN: Colour = (60, 130, 50)
TEXT_MM = 2.75
# What each action of the summary costs: a die of any number, or a 6.
COSTS = {"buy": "1", "place": "11", "water": "1", "harvest": "1", "flip": "6", "move": "1", "take": "116"}
SUN_PAPER: Colour = (120, 190, 232)


def dice_tabletop(pages: Pages, told: Mapping[str, Told], lang: str) -> None:
    """`told` has the words of both languages, for the two sides of the summary cards; all else is in `lang`."""
    words = told[lang].texts["extras"]
    for player in DISCS:
        card_pages(pages, [Card(_mat(player, told[lang]))], MAT_MM, (words["mat"], ""), across=True)
    second = next(name for name in told if name != lang)
    card = Card(_summary(told[lang]), _summary(told[second]))
    card_pages(pages, [card] * 4, CARD_MM, (words["summary"], words["summary-back"]))
    card_pages(pages, [Card(_sun_tile)] * 4, (TILE, TILE), (words["suns"], ""))


def _mat(player: str, told: Told) -> Draw:
    said, (colour, mark) = told.texts["mat"], DISCS[player]

    def draw(pages: Pages, x: float, y: float) -> None:
        left, top = x - MAT_MM[0] / 2, y - MAT_MM[1] / 2
        plate(pages, x, y, MAT_MM, colour, 0)
        plate(pages, x, y, (MAT_MM[0] - 3, MAT_MM[1] - 3), shaded(colour, 1.35), 5)
        plate(pages, x, y, (MAT_MM[0] - 4.4, MAT_MM[1] - 4.4), MEADOW, 4.5)
        pages.drawing(f"disc-{player}", disc(colour, mark).outlines(), left + 7, top + 5)
        pages.text(left + 24, top + 11.5, said["title"], 5.5, shaded(colour, 0.7), font="bold")
        pages.text(left + 24, top + 17, told.names[player], 4, shaded(colour, 0.7))
        _discs(pages, left + MAT_MM[0] - 6.5, top + 12, colour, said["discs"])
        across = [x + (i - 2) * PITCH_MM for i in range(5)]
        rows = [top + 28 + i * 46.5 + PLACE_MM / 2 for i in range(3)]
        for row, name in zip(rows, ("seeds", "harvest", "specials"), strict=True):
            foot = row - PLACE_MM / 2 - 1.5
            pages.text(across[0] - PLACE_MM / 2, foot, said[name], 3.6, INK, font="bold")
            if note := said.get(f"{name}-note"):
                pages.text(across[4] + PLACE_MM / 2, foot, note, 3.0, INK, align="r")
        for place in across:
            _place(pages, place, rows[0], SOIL, icons.seeds)
        for place, (name, value) in zip(across, VALUES.items(), strict=True):
            _place(pages, place, rows[1], TILE_PAPER[name], icons.VEGETABLES[name])
            pages.text(place - 15.5, rows[1] - 12.2, str(value), 5, INK, align="m", font="bold")
        for place, name in zip(across, ("bird", "sundial", "rock"), strict=False):
            _place(pages, place, rows[2], TILE_PAPER[name], icons.SPECIALS[name], said[name])
        _place(pages, across[3], rows[2], SUN_PAPER, icons.sun, said["sun"])
        for dx, dy, size in ((0, -3, 12), (-13, 12, 6), (12, 13, 7)):
            icon(pages, icons.sunflower, across[4] + dx, rows[2] + dy, size)

    return draw


def _place(pages: Pages, x: float, y: float, paper: Colour, what: icons.Icon, name: str = "") -> None:
    """Where a tile is laid: what belongs there stands on it, faintly."""
    pale = _paler(paper)
    plate(pages, x, y, (PLACE_MM, PLACE_MM), shaded(pale, 0.8), 2.5)
    plate(pages, x, y, (PLACE_MM - 1, PLACE_MM - 1), pale, 2.2)
    icon(pages, what, x, y - (2 if name else 0), 13.5, pale)
    if name:
        pages.text(x, y + 17.6, name, 3.2, INK, align="m")


def _paler(colour: Colour) -> Colour:
    r, g, b = (round(0.55 * own + 0.45 * 255) for own in colour)
    return r, g, b


def _discs(pages: Pages, right: float, y: float, colour: Colour, name: str) -> None:
    """Eight rings to lay the discs on, so that one sees at a glance how many are left."""
    for number in range(8):
        x = right - 8 - (7 - number) * 17.4
        for size, tone in ((16.0, shaded(colour, 1.2)), (14.8, _paler(MEADOW))):
            plate(pages, x, y, (size, size), tone, size / 2)
    pages.text(right - 8 * 17.4, y + 1.2, name, 3.0, INK, align="r")


def _summary(told: Told) -> Draw:
    said = told.texts["summary"]

    def draw(pages: Pages, x: float, y: float) -> None:
        width, height = CARD_MM
        left, top = x - width / 2, y - height / 2
        plate(pages, x, y, CARD_MM, (140, 105, 70), 0)
        plate(pages, x, y, (width - 4, height - 4), CREAM, 3)
        for dx, dy, size in ((11, 11, 7), (22, 8, 3.6), (8, 22, 3.6)):
            icon(pages, icons.sunflower, left + width - dx, top + dy, size)
        pages.text(left + 6, top + 10.5, said["title"], 5.2, GREEN, font="bold")
        room = width - 12
        line = pages.paragraph(left + 6, top + 15.6, room - 26, said["roll"], TEXT_MM, INK) + 0.8
        for action, dice in COSTS.items():
            told_so = said["actions"][action]
            line = _action(pages, left + 6, line, room, dice, told_so["name"], told_so["how"])
        for heading, texts in ((said["help"], said["helps"].values()), (said["end"], [said["ends"]])):
            pages.text(left + 6, line + 1, heading, 3.4, GREEN, font="bold")
            line += 4.6
            for text in texts:
                line = pages.paragraph(left + 6, line, room, text, TEXT_MM, INK) + 0.3

    return draw


def _action(pages: Pages, x: float, y: float, room: float, dice: Sequence[str], name: str, how: str) -> float:
    """One thing to do: the dice it costs, its name, and how; where the next one may stand."""
    for number, shown in enumerate(dice):
        die(pages, x + 2.2 + 5 * number, y - 0.6, 4.4, 6 if shown == "6" else None)
    pages.text(x + 17, y, name, 3.1, INK, font="bold")
    return pages.paragraph(x + 17, y + 3.5, room - 17, how, TEXT_MM, INK) + 0.6


def _sun_tile(pages: Pages, x: float, y: float) -> None:
    plate(pages, x, y, (TILE, TILE), shaded(SUN_PAPER, 0.6), 0)
    plate(pages, x, y, (TILE - 2.8, TILE - 2.8), SUN_PAPER, 0)
    icon(pages, icons.sun, x, y, 16)
