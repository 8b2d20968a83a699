"""Garden Guests: a meadow of hexagons, stones, guests and markers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from calibration import icons
from calibration.icons import BLACK
from calibration.kit_file import BOARD_PX_PER_MM, INK, Kit, middle_of, token
from calibration.sheet import Colour, Pen, Sheet, ring, shaded

HEX = 19.2  # from a space's middle to its corner
TEAM: Mapping[str, Colour] = {"black": (44, 44, 50), "gold": (222, 168, 36), "teal": (24, 138, 140)}
MEADOW: Mapping[str, Colour] = {
    "daisy": (150, 190, 120),
    "rose": (222, 172, 168),
    "sunflower": (176, 150, 108),
    "tulip": (164, 196, 214),
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
    icons.sunflower(sheet.pen.at(22, 22, 13))
    icons.tulip(sheet.pen.at(w - 22, 22, 13))
    icons.rose(sheet.pen.at(22, h - 22, 13))
    kit.board("board", sheet, (w, h))
    for team, colour in TEAM.items():
        kit.piece(f"stone/{team}", _stone(colour), 15.0, 5.0, "disc")
        kit.piece(f"guest/{team}", _guest(colour), 19.0, 6.0, "disc")
    for flower in sorted({tags["flower"] for tags in spaces.values() if "flower" in tags}):
        marker = token(15.0, shaded(MEADOW[flower], 0.9), INK, "hex")
        icons.FLOWERS[flower](middle_of(marker, 15.0, 0.31))
        kit.piece(f"marker/{flower}", marker, 15.0, 2.0, "hex")
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


def _stone(colour: Colour) -> Sheet:
    """A stepping stone: cracked, without a face."""
    sheet = token(15.0, colour, shaded(colour, 0.7), "disc")
    pale = shaded(colour, 0.62 if sum(colour) > 250 else 2.4)
    middle_of(sheet, 15.0).line([(-0.5, -0.35), (-0.1, -0.05), (0.05, 0.45)], 0.12, pale)
    middle_of(sheet, 15.0).line([(-0.1, -0.05), (0.5, -0.2)], 0.12, pale)
    return sheet


def _guest(colour: Colour) -> Sheet:
    """A guest: a face under a wide hat's brim."""
    sheet = token(19.0, shaded(colour, 0.85), shaded(colour, 0.6), "disc")
    pen = middle_of(sheet, 19.0)
    pen.circle(0, 0, 0.62, (246, 226, 196))
    pen.polygon([(-0.62, -0.1), (0.62, -0.1), (0.4, -0.62), (-0.4, -0.62)], colour)
    for x in (-0.22, 0.22):
        pen.circle(x, 0.14, 0.09, BLACK)
    pen.line([(-0.2, 0.38), (0.2, 0.38)], 0.09, (170, 60, 50))
    return sheet
