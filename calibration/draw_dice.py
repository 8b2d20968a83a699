"""Garden Dice: a field of six by six plots, a score track around it, tiles and discs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from calibration import icons
from calibration.icons import GREEN, WHITE
from calibration.kit_file import BOARD_PX_PER_MM, INK, Kit, middle_of, token
from calibration.marks import COLOURS, GREYS, pebbles, sign
from calibration.sheet import Array, Colour, Pen, Sheet, ring, rounded, shaded, star

DICE_SIDE, DICE_PITCH, PLOT_PITCH, PLOT, TILE, DISC = 416.0, 15.5, 48.0, 45.0, 40.0, 14.4
# Figures are shades of a disc's own colour, in rings around its middle: so the eye looks for that colour, however the
# disc is turned, and a fingertip has no rings.  No tile has one of these colours on its paper.
DISCS: Mapping[str, tuple[Colour, str]] = {
    "blue": ((35, 85, 185), "ring"),
    "yellow": ((250, 205, 30), "dot"),
    "green": ((60, 175, 70), "core"),  # brighter than any leaf
    "red": ((212, 24, 58), "target"),  # bluer than a tomato
}
# Seeds lie in dark soil, vegetables on pale paper in a broad frame, specials on plain grounds: light and dark are left
# where a lamp is mirrored.  None is like the earth of the plots.
SOIL: Colour = (62, 44, 34)
TILE_PAPER: Mapping[str, Colour] = {
    "squash": (255, 214, 180),
    "carrot": (176, 208, 250),
    "tomato": (164, 220, 232),
    "artichoke": (250, 250, 246),
    "eggplant": (214, 240, 170),
    "bird": (150, 196, 120),
    "rabbit": (232, 150, 130),
    "sundial": (24, 90, 104),
    "scarecrow": (72, 46, 122),
    "rock": (250, 205, 120),
}
FRAMES: Mapping[str, Colour] = {
    "squash": (110, 56, 28),
    "carrot": (30, 64, 130),
    "tomato": (14, 82, 100),
    "artichoke": (96, 58, 118),
    "eggplant": (58, 28, 92),
}
# The paper of a packet of seeds, and the outline of the window in it.
PACKETS: Mapping[str, tuple[Colour, Array]] = {
    "squash": ((250, 242, 224), ring(40)),
    "carrot": ((190, 236, 200), rounded(1.7, 2.1, 0.8)),
    "tomato": ((138, 98, 198), ring(8, 22.5) * 1.08),
    "artichoke": ((70, 150, 160), ring(4) * [1.15, 1.25]),
    "eggplant": ((236, 140, 190), rounded(2, 1.9, 0.3)),
}
MARKERS = (7, 10, 12, 24)  # no other board has these numbers; white in one piece, for three dots are a die's
VALUES = {"squash": 1, "carrot": 2, "tomato": 3, "artichoke": 4, "eggplant": 5}


def garden_dice(folder: Path | None, packing: int = 9) -> Kit:
    dice = {"count": 4, "size_mm": 16, "faces": "pips"}
    kit = Kit(folder, "garden-dice", "Garden Dice, own print", tables={"dice": dice}, packing=packing)
    sheet = Sheet(DICE_SIDE, DICE_SIDE, BOARD_PX_PER_MM, (205, 222, 168))
    pen, middle = sheet.pen, DICE_SIDE / 2
    _dice_track(kit, pen)
    pen.box(middle, middle, 6 * PLOT_PITCH + 10, 6 * PLOT_PITCH + 10, (140, 105, 70), 8)
    for row in range(1, 7):
        for column in range(1, 7):
            x, y = middle + (column - 3.5) * PLOT_PITCH, middle + (row - 3.5) * PLOT_PITCH
            on_star = row + column >= 10
            _plot(pen.at(x, y), row, column, on_star)
            kit.space("board", f"{row},{column}", "plot", (x, y), PLOT, row=row, column=column, star=on_star)
    for i in range(1, 7):
        along = middle + (i - 3.5) * PLOT_PITCH
        pen.text(along, 47, str(i), 9, (165, 45, 40))
        pen.text(47, along, str(i), 9, INK)
    _gate(pen.at(66, 37, 0.75))
    near, far = 40.5, DICE_SIDE - 40.5
    for number, at in zip(MARKERS, ((near, near), (far, near), (far, far), (near, far)), strict=True):
        sign(kit, "board", pen, number, at, 18.0)
    pebbles(pen.at(70, far), GREYS)
    pebbles(pen.at(DICE_SIDE - 130, far), COLOURS)
    pen.text(middle, far, "GARDEN  DICE", 9, GREEN)
    kit.board("board", sheet, (DICE_SIDE, DICE_SIDE))
    for name, value in VALUES.items():
        kit.piece(f"{name}/seed", _seed_tile(name, value), TILE, 2.0, "square")
        kit.piece(f"{name}/vegetable", _vegetable_tile(name, value), TILE, 2.0, "square")
    for name, icon in icons.SPECIALS.items():
        tile = token(TILE, TILE_PAPER[name], shaded(TILE_PAPER[name], 0.6), corner=0)
        icon(middle_of(tile, TILE, 0.42))
        kit.piece(name, tile, TILE, 2.0, "square")
    for name, (colour, mark) in DISCS.items():
        kit.piece(f"disc/{name}", disc(colour, mark), DISC, 5.0, "disc")
    kit.write()
    return kit


def _dice_track(kit: Kit, pen: Pen) -> None:
    """Spaces 0 to 99 clockwise around the edge from the top left corner."""
    start = DICE_SIDE / 2 - 12.5 * DICE_PITCH
    for score in range(100):
        side, step = divmod(score, 25)
        along, edge = start + step * DICE_PITCH, start + 25 * DICE_PITCH
        x, y = [(along, start), (edge, along), (DICE_SIDE - along, edge), (start, DICE_SIDE - along)][side]
        tens = score % 10 == 0
        paper: Colour = (214, 120, 70) if tens else (250, 238, 205) if score % 5 == 0 else (252, 250, 240)
        pen.box(x, y, DICE_PITCH - 0.8, DICE_PITCH - 0.8, INK, 2.5)
        pen.box(x, y, DICE_PITCH - 1.8, DICE_PITCH - 1.8, paper, 2)
        pen.text(x, y, str(score), 4.6, WHITE if tens else INK)
        kit.space("board", f"track-{score}", "track", (x, y), DICE_PITCH, score=score)


def _plot(pen: Pen, row: int, column: int, on_star: bool) -> None:
    """Earth with furrows, never twice the same."""
    random = np.random.default_rng([row, column])
    tone = 1 + 0.08 * ((row * 2 + column * 3) % 5 - 2) / 2
    earth = shaded((168, 128, 88), tone)
    pen.box(0, 0, PLOT, PLOT, shaded(earth, 0.8), 3)
    pen.box(0, 0, PLOT - 1.6, PLOT - 1.6, earth, 2.5)
    for y in (-13.5, -4.5, 4.5, 13.5):
        wave = [(x, y + float(random.uniform(-1, 1))) for x in np.linspace(-18, 18, 8)]
        pen.line(wave, 1.2, shaded(earth, 0.86))
    for x, y in random.uniform(-19, 19, (9, 2)):
        pen.circle(
            float(x), float(y), float(random.uniform(0.5, 1.1)), shaded(earth, float(random.choice([0.65, 1.25])))
        )
    if on_star:
        pen.polygon(star(5, 0.42) * 15, (110, 75, 30))
        pen.polygon(star(5, 0.42) * 13, (250, 210, 70))


def _gate(pen: Pen) -> None:
    """The garden gate, at the track's beginning."""
    for x in (-8, -3, 2, 7):
        pen.box(x, 0, 3, 16, (150, 100, 60), 1)
    pen.line([(-10, -3), (9, -3)], 2, (110, 70, 40))
    pen.line([(-10, 4), (9, 4)], 2, (110, 70, 40))


def _vegetable_tile(name: str, value: int) -> Sheet:
    sheet = token(TILE, FRAMES[name], FRAMES[name], corner=0)
    sheet.pen.box(TILE / 2, TILE / 2, TILE - 6, TILE - 6, TILE_PAPER[name], 1.5)
    icons.VEGETABLES[name](sheet.pen.at(22.5, 22, 14))
    sheet.pen.text(8.2, 9, str(value), 6.5, INK)
    return sheet


def _seed_tile(name: str, value: int) -> Sheet:
    """A packet in dark soil, its value on the packet: a pale one on the soil was taken for a black die's dot."""
    sheet = token(TILE, SOIL, shaded(SOIL, 0.7), corner=0)
    paper, window = PACKETS[name]
    icons.seed_packet(sheet.pen.at(21, 20.4, 18.9), paper)
    sheet.pen.text(21, 7.4, str(value), 5, INK)
    here = sheet.pen.at(21, 25.2)
    here.polygon(window * 11.3, shaded(paper, 0.6))
    here.polygon(window * 10.5, TILE_PAPER[name])
    icons.VEGETABLES[name](here.at(0, 0, 8.9))
    return sheet


def disc(colour: Colour, mark: str) -> Sheet:
    """A player's disc: a figure as well as a colour, in shades of it, for white and black would dull it from afar."""
    sheet = token(DISC, colour, shaded(colour, 0.72), "disc")
    pen = middle_of(sheet, DISC)
    match mark:
        case "ring":
            pen.circle(0, 0, 0.55, shaded(colour, 1.45))
            pen.circle(0, 0, 0.36, colour)
        case "dot":
            pen.circle(0, 0, 0.36, shaded(colour, 0.62))
        case "core":
            pen.circle(0, 0, 0.5, shaded(colour, 1.7))
        case _:
            pen.circle(0, 0, 0.7, shaded(colour, 1.2))
            pen.circle(0, 0, 0.44, shaded(colour, 0.7))
    return sheet
