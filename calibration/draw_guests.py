"""Garden Guests: a meadow of hexagons, stones, guests and markers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from calibration import icons
from calibration.icons import BLACK
from calibration.kit_file import BOARD_PX_PER_MM, INK, Kit, middle_of, token
from calibration.marks import COLOURS, GREYS, pebbles, sign
from calibration.sheet import Colour, Pen, Sheet, ring, shaded

HEX = 19.2  # from a space's middle to its corner
STONE_MM, GUEST_MM, MARKER_MM = 18.0, 24.0, 17.0  # under a marker the colour of its guest is still seen
TEAM: Mapping[str, Colour] = {"black": (44, 44, 50), "gold": (222, 168, 36), "teal": (24, 138, 140)}
# Small as they are, stones are told by colour from afar: farther apart in brightness than the teams are.
STONE: Mapping[str, Colour] = {"black": (28, 28, 32), "gold": (250, 204, 70), "teal": (60, 196, 196)}
TEAL_DENTS: Colour = (4, 70, 76)
COLLAR: Mapping[str, Colour] = {"black": (20, 20, 24), "gold": (250, 204, 70), "teal": (56, 196, 196)}  # under a marker
# The side of a stack has the colour of its rims: of dark brown ones gold stacks were taken for black.
RIM: Mapping[str, Colour] = {"black": (20, 20, 24), "gold": (160, 100, 16), "teal": (56, 196, 196)}
MEADOW: Mapping[str, Colour] = {
    "daisy": (150, 190, 120),
    "rose": (222, 172, 168),
    "sunflower": (176, 156, 210),  # gold stones stand out from it
    "tulip": (164, 196, 214),
}
MARKERS = (13, 26, 27, 31)  # no other board has these numbers
MARKER: Mapping[str, Colour] = {
    "daisy": (90, 150, 80),
    "rose": (250, 226, 226),
    "sunflower": (134, 104, 186),  # not dark: a dark one was not seen on a black guest
    "tulip": (110, 160, 210),
}
SPARE_MM = 14.0
GUESTS_TITLE_MM = 20.0


def garden_guests(folder: Path | None, spaces: Mapping[str, Mapping[str, Any]], packing: int = 9) -> Kit:
    """`spaces` is the map that the game's own players use: id (axial `q,r`), kind, flower, team, side."""
    kit = Kit(folder, "garden-guests", "Garden Guests, own print", packing=packing)
    axial = {name: tuple(int(part) for part in name.split(",")) for name in spaces}
    flat = {name: (np.sqrt(3) * HEX * (q + r / 2), 1.5 * HEX * r) for name, (q, r) in axial.items()}
    low = np.array(list(flat.values())).min(axis=0) - [np.sqrt(3) / 2 * HEX, HEX] - SPARE_MM
    low[1] -= GUESTS_TITLE_MM
    high = np.array(list(flat.values())).max(axis=0) + [np.sqrt(3) / 2 * HEX, HEX] + SPARE_MM
    w, h = (round(float(value), 1) for value in high - low)
    sheet = Sheet(w, h, BOARD_PX_PER_MM, (92, 62, 78))
    for i, (name, tags) in enumerate(spaces.items()):
        q, r = axial[name]
        x, y = (float(value) for value in np.array(flat[name]) - low)
        _guest_space(sheet.pen.at(x, y), tags, i)
        more = {key: tags[key] for key in ("flower", "team", "side") if key in tags}
        kit.space("board", name, tags["kind"], (x, y), 32.0, q=q, r=r, **more)
    sheet.pen.text(w / 2, 16, "GARDEN  GUESTS", 10, (240, 215, 150))
    near, right, low = 32.0, w - 32.0, h - 32.0
    for x, y, size in ((w / 2 - 78, 18, 10), (w / 2 + 78, 18, 10), (near, near + 30, 8)):
        icons.sunflower(sheet.pen.at(x, y, size))
    for number, at in zip(MARKERS, ((near, near), (right, near), (right, low), (near, low)), strict=True):
        sign(kit, "board", sheet.pen, number, at, 24.0)
    pebbles(sheet.pen.at(near - 12, low - 58), GREYS, 2)
    pebbles(sheet.pen.at(right, low - 58), COLOURS, 2)
    kit.board("board", sheet, (w, h))
    for team, colour in TEAM.items():
        kit.piece(f"stone/{team}", _stone(team), STONE_MM, 5.0, "disc")
        kit.piece(f"guest/{team}", guest(team, colour), GUEST_MM, 6.0, "disc")
    for flower in sorted({tags["flower"] for tags in spaces.values() if "flower" in tags}):
        marker = token(MARKER_MM, MARKER[flower], INK, "hex")
        icons.FLOWERS[flower](middle_of(marker, MARKER_MM, 0.38))
        kit.piece(f"marker/{flower}", marker, MARKER_MM, 2.0, "hex")
    kit.write()
    return kit


def _guest_space(pen: Pen, tags: Mapping[str, Any], number: int) -> None:
    hexagon, inner = ring(6, 30) * HEX, ring(6, 30) * (HEX - 1.1)
    pen.polygon(hexagon, (58, 38, 50))
    match tags["kind"]:
        case "flower":
            pen.polygon(inner, shaded(MEADOW[tags["flower"]], 1 + 0.04 * (number % 3 - 1)))
            for i in range(3):
                turn = 120 * i + 37 * (number % 5)
                away = 9.2
                x, y = away * np.cos(np.radians(turn)), away * np.sin(np.radians(turn))
                icons.FLOWERS[tags["flower"]](pen.at(float(x), float(y), 4.4, 11.0 * (number % 7)))
        case "pedestal":
            pen.polygon(inner, MEADOW[tags["flower"]])
            pen.circle(0, 0, 15, (110, 100, 95))
            pen.circle(0, 0, 13.6, (238, 232, 220))
            icons.FLOWERS[tags["flower"]](pen.at(0, 0, 11))
        case "home":
            colour = TEAM[tags["team"]]
            pen.polygon(inner, shaded(colour, 0.75))
            pen.polygon(ring(6, 30) * (HEX - 4), colour)
            pen.polygon(
                [(-8, 8), (-8, -1), (0, -9), (8, -1), (8, 8)], shaded(colour, 1.6 if tags["team"] != "gold" else 1.25)
            )
            pen.box(0, 4, 4.5, 8, shaded(colour, 0.6))
        case _:
            pen.polygon(inner, (112, 128, 90))
            icons.mushroom(pen.at(0, 0, 12.5))


def _stone(team: str) -> Sheet:
    """A stepping stone, without a face: with a pale middle, with a dark rim worn into it, or with three dark dents.

    Where a lamp is mirrored colours are nearly grey: large pale and dark parts are what is left.
    """
    colour = STONE[team]
    sheet = token(STONE_MM, colour, shaded(colour, 0.5), "disc")
    pen = middle_of(sheet, STONE_MM)
    match team:
        case "black":
            pen.circle(0, 0, 0.44, (235, 235, 238))
        case "gold":  # without its broad rim it was not seen on meadows as bright as itself
            pen.circle(0, 0, 1, (84, 48, 10))
            pen.circle(0, 0, 0.74, colour)
            pen.circle(0, 0, 0.5, shaded(colour, 0.94))
        case _:  # dark where the black one is pale: in haze it was taken for that one
            pen.circle(0, 0, 1, TEAL_DENTS)
            pen.circle(0, 0, 0.86, colour)
            for turn in (0, 120, 240):
                pen.at(0, 0, 1, turn).ellipse(0, -0.38, 0.32, 0.28, TEAL_DENTS)
    return sheet


def guest(team: str, colour: Colour) -> Sheet:
    """A guest: a face under a bowler, a straw hat's wide brim, or a cap with a tuft."""
    sheet = token(GUEST_MM, COLLAR[team], RIM[team], "disc")
    pen = middle_of(sheet, GUEST_MM)
    pen.circle(0, 0, 0.78, shaded(colour, 0.75))
    pen.circle(0, 0.05, 0.62, (246, 226, 196))
    match team:
        case "black":
            pen.polygon(np.vstack([ring(40)[20:] * [0.46, 0.62], [[0.46, 0], [-0.46, 0]]]) + [0, -0.16], (24, 24, 28))
            pen.line([(-0.72, -0.18), (0.72, -0.18)], 0.13, (24, 24, 28))
            pen.line([(-0.4, -0.3), (0.4, -0.3)], 0.1, (206, 62, 58))
        case "gold":
            pen.ellipse(0, -0.3, 0.84, 0.2, (150, 96, 20))
            pen.ellipse(0, -0.33, 0.8, 0.16, (250, 214, 96))
            pen.ellipse(0, -0.48, 0.42, 0.3, (250, 214, 96))
            pen.line([(-0.4, -0.36), (0.4, -0.36)], 0.1, (150, 96, 20))
        case _:
            pen.polygon([(-0.6, -0.1), (0.6, -0.1), (0.3, -0.56), (0, -0.66), (-0.3, -0.56)], (232, 250, 244))
            for x in (-0.34, 0, 0.34):
                pen.line([(x, -0.14), (0.5 * x, -0.55)], 0.09, (14, 96, 98))
            pen.circle(0, -0.7, 0.17, (232, 250, 244))
    for x in (-0.22, 0.22):
        pen.circle(x, 0.12, 0.09, BLACK)
    pen.line([(-0.2, 0.38), (0.2, 0.38)], 0.09, (170, 60, 50))
    return sheet
