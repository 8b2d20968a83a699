"""Test kits with flat art: words alone, nearly one colour, hexagonal tiles, half the size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from calibration.kit_file import Kit, middle_of, token
from calibration.sheet import Colour, Pen, Sheet, ring, shaded, star
from tests.vision.kit_layouts import DICE_TILES, FLOWERS, RUSH_TOKENS, TEAMS, cells, hexes, plots


def words(folder: Path) -> None:
    """Garden Rush in black letters on white."""
    paper, ink = (250, 249, 244), (28, 28, 30)
    kit = Kit(folder, "garden-rush", "words alone", top={"arrow": 1}, packing=1)
    w, h = 196.0, 410.0
    sheet = Sheet(w, h, 4.0, paper)
    for name, kind, x, y, tags in cells(w, h, 34, 24):
        sheet.pen.box(x, y, 32, 32, ink)
        sheet.pen.box(x, y, 31.3, 31.3, paper)
        below = tags.get("tool", "") if kind == "cell" else f"hedge {tags['column']}"
        sheet.pen.text(x, y, below, 4.6, ink)
        kit.space("board", name, kind, (x, y), 32.0, **tags)
    sheet.pen.text(w / 2, 7, "the blue garden lies here, five rows away from the hedge", 3.0, ink, 0.1)
    sheet.pen.text(w / 2, h - 7, "pink: place a token, harvest a bed, then it is blue's turn", 3.0, ink, 0.1)
    sheet.pen.text(6, h / 2, "<", 8, ink)
    kit.board("board", sheet, (w, h))
    spring = Sheet(46, 46, 5.0, paper)
    spring.pen.box(23, 23, 44, 44, ink)
    spring.pen.box(23, 23, 43, 43, paper)
    spring.pen.text(23, 5, "TRAMPOLINE", 3.6, ink)
    spring.pen.text(23, 42, "next token", 3.0, ink)
    kit.board("trampoline", spring, (46, 46))
    kit.space("trampoline", "trampoline", "trampoline", (23, 23), 32.0)
    track = Sheet(250, 60, 4.0, paper)
    for score in range(45):
        x, y = 19 + 15 * (score % 15), 14 + 16 * (score // 15)
        track.pen.text(x, y, str(score), 5, ink)
        if score in (6, 13, 24, 31, 40):
            track.pen.text(x, y + 5.5, "bonus", 2.6, ink)
        more = {"bonus": True} if score in (6, 13, 24, 31, 40) else {}
        kit.space("track", f"track-{score}", "track", (x, y), 15.0, score=score, **more)
    track.pen.line([(2, 2), (248, 2)], 0.8, ink)
    kit.board("track", track, (250, 60))
    for name in RUSH_TOKENS:
        what, _, side = name.partition("/")
        piece = Sheet(28, 28, 6.0, ink)
        piece.pen.box(14, 14, 27, 27, paper)
        piece.pen.text(14, 11 if side else 14, what, min(5.2, 30 / len(what)), ink)
        if side:
            piece.pen.text(14, 20, {"double": "x 2", "single": "x 1"}[side], 5.6, ink)
        kit.piece(name, piece, 28.0, 3.0, "square")
    for name, letter in (("pink", "P"), ("blue", "B")):
        gnome = token(12.0, paper if letter == "P" else ink, ink, "disc")
        gnome.pen.text(6, 6, letter, 6, ink if letter == "P" else paper)
        kit.piece(f"gnome/{name}", gnome, 12.0, 16.0, "disc")
    kit.write()


def one_colour(folder: Path) -> None:
    """Garden Guests in shades of one grey green."""
    tone: Colour = (146, 152, 138)
    kit = Kit(folder, "garden-guests", "nearly one colour", packing=1)
    corner, w, h = 18.0, 330.0, 312.0
    sheet = Sheet(w, h, 4.0, tone)
    for x, y, r in np.random.default_rng(9).uniform(0, 1, (60, 3)):
        sheet.pen.ellipse(
            float(x) * w, float(y) * h, 5 + 16 * float(r), 2, shaded(tone, 0.96 + 0.1 * float(r)), 57 * float(r)
        )
    for q, r, x, y in hexes(4, corner):
        at = (w / 2 + x, h / 2 + y)
        pen = sheet.pen.at(*at)
        pen.polygon(ring(6, 30) * (corner - 0.4), shaded(tone, 0.8))
        pen.polygon(ring(6, 30) * (corner - 1.4), shaded(tone, 1.0 + 0.05 * ((q - r) % 3 - 1)))
        kind, tags = _guest_kind(q, r, 4)
        match kind:
            case "flower":
                _grey_flower(pen, tags["flower"], 7.0, shaded(tone, 0.84), shaded(tone, 1.14))
            case "pedestal":
                pen.circle(0, 0, 12, shaded(tone, 1.18))
                _grey_flower(pen, tags["flower"], 10.0, shaded(tone, 0.82), shaded(tone, 1.0))
            case "home":
                pen.polygon(
                    ring(4, 45 if tags["side"] else 0) * 11,
                    shaded(tone, {"black": 0.7, "gold": 1.2, "teal": 0.88}[tags["team"]]),
                )
            case _:
                pen.circle(0, 0, 8, shaded(tone, 0.8))
        kit.space("board", f"{q},{r}", kind, at, 30.0, q=q, r=r, **tags)
    sheet.pen.text(58, 16, "Quiet Garden", 9, shaded(tone, 0.76))
    sheet.pen.polygon(star(4, 0.3) * 12 + [w - 24, h - 22], shaded(tone, 0.78))
    kit.board("board", sheet, (w, h))
    for team, gain in (("black", 0.62), ("gold", 1.3), ("teal", 0.82)):
        colour = shaded(tone, gain)
        stone = token(15.0, colour, shaded(colour, 0.9), "disc")
        middle_of(stone, 15.0).polygon(ring(3, -90) * 0.5, shaded(colour, 1.15))
        kit.piece(f"stone/{team}", stone, 15.0, 4.0, "disc")
        guest = token(20.0, colour, shaded(colour, 1.15), "disc")
        middle_of(guest, 20.0).circle(0, 0, 0.55, shaded(colour, 0.88))
        middle_of(guest, 20.0).box(0, 0, 0.5, 0.5, shaded(colour, 1.2))
        kit.piece(f"guest/{team}", guest, 20.0, 6.0, "disc")
    for flower in FLOWERS:
        marker = token(15.0, shaded(tone, 1.12), shaded(tone, 0.9), "hex")
        _grey_flower(middle_of(marker, 15.0), flower, 0.62, shaded(tone, 0.72), shaded(tone, 1.0))
        kit.piece(f"marker/{flower}", marker, 15.0, 2.0, "hex")
    kit.write()


def _guest_kind(q: int, r: int, radius: int) -> tuple[str, dict[str, Any]]:
    """An invented map: homes on the rim, mushrooms at its corners and in the middle."""
    s = -q - r
    if max(abs(q), abs(r), abs(s)) == radius:
        if sorted(map(abs, (q, r, s)))[0] == 0:
            return "mushroom", {}
        number = {(True, False, False): 0, (False, True, False): 1, (False, False, True): 2}[
            abs(q) == radius, abs(r) == radius, abs(s) == radius
        ]
        return "home", {"team": TEAMS[number], "side": int((q, r, s)[number] > 0)}
    if (q, r) == (0, 0):
        return "mushroom", {}
    return "pedestal" if (q * q + 2 * r + q) % 6 == 0 else "flower", {"flower": FLOWERS[(q + 2 * r * r + r) % 4]}


def _grey_flower(pen: Pen, flower: str, size: float, dark: Colour, pale: Colour) -> None:
    here = pen.at(0, 0, size)
    match flower:
        case "daisy":
            for i in range(6):
                here.at(0, 0, 1, 60 * i).ellipse(0, -0.62, 0.2, 0.36, dark)
        case "rose":
            here.circle(0, 0, 0.9, dark)
            here.circle(0, 0, 0.55, pale)
            here.circle(0, 0, 0.28, dark)
        case "sunflower":
            here.polygon(star(10, 0.6), dark)
            here.circle(0, 0, 0.3, pale)
        case _:
            here.polygon([(-0.7, -0.9), (0, -0.2), (0.7, -0.9), (0.5, 0.6), (-0.5, 0.6)], dark)


def hexagons(folder: Path) -> None:
    """A game that nobody knows, with tiles of six sides and pawns."""
    kit = Kit(folder, "honeycomb", "hexagonal tiles", packing=1)
    corner, w, h = 21.0, 300.0, 268.0
    sheet = Sheet(w, h, 4.0, (30, 34, 58))
    for i in range(34):
        sheet.pen.line([(9.0 * i, 0), (9.0 * i - 60, h)], 1.2, (38, 44, 72))
    for q, r, x, y in hexes(3, corner):
        at = (w / 2 + x, h / 2 + y)
        lane = (q - r) % 3
        sheet.pen.at(*at).polygon(ring(6, 30) * (corner - 0.6), (212, 160, 52))
        sheet.pen.at(*at).polygon(ring(6, 30) * (corner - 2), ((244, 226, 178), (232, 200, 132), (250, 240, 214))[lane])
        sheet.pen.text(at[0], at[1], f"{chr(68 + q)}{r + 4}", 5, (190, 140, 60))
        kit.space("board", f"{q},{r}", "cell", at, 36.0, q=q, r=r)
    sheet.pen.polygon([(8, 8), (40, 8), (8, 40)], (220, 80, 60))
    sheet.pen.circle(w - 22, 22, 12, (90, 180, 190))
    kit.board("board", sheet, (w, h))
    inks: dict[str, Colour] = {"coral": (226, 92, 76), "mint": (96, 190, 150), "violet": (128, 90, 180)}
    for ink_name, ink in inks.items():
        for name in ("bars", "rings", "bolt", "dots"):
            tile = token(36.0, (250, 250, 250), ink, "hex")
            _sign(middle_of(tile, 36.0, 0.55), name, ink)
            kit.piece(f"{name}/{ink_name}", tile, 36.0, 3.0, "hex")
    for name, colour in (("white", (240, 240, 240)), ("grey", (120, 122, 128)), ("ink", (36, 36, 40))):
        pawn = token(16.0, colour, shaded(colour, 0.75), "disc")
        kit.piece(f"pawn/{name}", pawn, 16.0, 8.0, "disc")
    kit.write()


def _sign(pen: Pen, name: str, ink: Colour) -> None:
    match name:
        case "bars":
            for y in (-0.4, 0.0, 0.4):
                pen.line([(-0.6, y), (0.6, y)], 0.16, ink)
        case "rings":
            for radius, colour in ((0.62, ink), (0.4, (250, 250, 250)), (0.2, ink)):
                pen.circle(0, 0, radius, colour)
        case "bolt":
            pen.polygon([(0.1, -0.75), (-0.5, 0.1), (-0.05, 0.1), (-0.15, 0.75), (0.5, -0.15), (0.05, -0.15)], ink)
        case _:
            for x, y in ((-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1)):
                pen.circle(0.36 * x, 0.36 * y, 0.14, ink)


def half_size(folder: Path) -> None:
    """Garden Dice as a travel edition: everything half as large, in flat bold shapes on dark blue."""
    kit = Kit(
        folder, "garden-dice", "half the size", tables={"dice": {"count": 4, "size_mm": 10, "faces": "pips"}}, packing=1
    )
    side, pitch = 212.0, 8.0
    night: Colour = (26, 40, 78)
    sheet = Sheet(side, side, 6.0, night)
    start = side / 2 - 12.5 * pitch
    for score in range(100):
        part, step = divmod(score, 25)
        along, edge = start + step * pitch, start + 25 * pitch
        x, y = [(along, start), (edge, along), (side - along, edge), (start, side - along)][part]
        sheet.pen.box(x, y, 7.4, 7.4, (70, 96, 150) if score % 2 else (110, 140, 190))
        if score % 5 == 0:
            sheet.pen.text(x, y, str(score), 3, (255, 255, 255))
        kit.space("board", f"track-{score}", "track", (x, y), pitch, score=score)
    hues: tuple[Colour, ...] = ((64, 84, 136), (54, 70, 118))
    for name, x, y, tags in plots(side / 2 - 69, side / 2 - 69, 23):
        sheet.pen.box(x, y, 22, 22, hues[(tags["row"] + tags["column"]) % 2])
        if tags["star"]:
            sheet.pen.circle(x, y, 5, (240, 200, 90))
        kit.space("board", name, "plot", (x, y), 22.0, **tags)
    sheet.pen.polygon([(16, 16), (30, 16), (16, 30)], (240, 200, 90))
    sheet.pen.text(side / 2, 22, "travel size", 6, (200, 214, 240))
    kit.board("board", sheet, (side, side))
    papers: tuple[Colour, ...] = ((246, 244, 236), (250, 214, 96), (120, 206, 200), (240, 128, 110), (190, 160, 226))
    for number, name in enumerate(DICE_TILES):
        tile = Sheet(20.0, 20.0, 8.0, papers[number % 5])
        _bold(middle_of(tile, 20.0), number)
        kit.piece(name, tile, 20.0, 1.5, "square")
    for name, colour in (
        ("blue", (60, 120, 220)),
        ("yellow", (250, 214, 60)),
        ("green", (70, 190, 100)),
        ("red", (230, 60, 60)),
    ):
        kit.piece(f"disc/{name}", token(8.0, colour, shaded(colour, 0.8), "disc"), 8.0, 3.0, "disc")
    kit.write()


def _bold(pen: Pen, number: int) -> None:
    ink: Colour = (30, 34, 52)
    match number // 5:
        case 0:
            pen.polygon(ring(3 + number, -90) * 0.66, ink)
        case 1:
            pen.polygon(ring(3 + number - 5, -90) * 0.7, ink)
            pen.polygon(ring(3 + number - 5, -90) * 0.4, (250, 250, 250))
        case _:
            for i in range(number - 8):
                pen.at(0, 0, 1, 360 / (number - 8) * i).line([(0, 0), (0, -0.7)], 0.2, ink)
