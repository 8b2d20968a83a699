"""Garden Rush: two gardens with a hedge between, a trampoline, a score track, tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calibration import icons
from calibration.icons import BLACK, ORANGE, WHITE, Icon
from calibration.kit_file import BOARD_PX_PER_MM, INK, Kit, middle_of, token
from calibration.marks import COLOURS, GREYS, pebbles, sign
from calibration.sheet import Colour, Pen, Sheet, shaded, star

CELL_PITCH, CELL, TOKEN = 39.0, 37.0, 32.0
RUSH_W, RUSH_H = 218.0, 476.0
MARKERS = (4, 5, 6, 9)  # no other board has these numbers
# The grounds of a vegetable's tokens, pale of the single side and deep of the double one.  Which is whose was chosen so
# that the two tokens that look most alike to the eye are as far apart as these colours allow.
GROUNDS: Mapping[str, tuple[Colour, Colour]] = {
    "carrot": ((220, 244, 240), (40, 130, 130)),
    "eggplant": ((253, 240, 190), (232, 190, 70)),
    "tomato": ((240, 228, 204), (190, 160, 116)),
    "broccoli": ((216, 232, 246), (104, 158, 208)),
    "potato": ((234, 222, 244), (160, 128, 190)),
}
# Of tools they stand out from the beds most.
TOOL_GROUND: Colour = (250, 250, 248)
MOLE_GROUND: Colour = (250, 232, 160)
TOOL_INK: Mapping[str, Colour] = {
    "place": (60, 130, 60),
    "harvest": (185, 120, 30),
    "move": (50, 95, 165),
    "flip": (150, 60, 130),
}
BED: Mapping[str, Colour] = {"pink": (196, 140, 128), "blue": (140, 150, 172)}


def garden_rush(folder: Path | None, data: Mapping[str, Any], packing: int = 9) -> Kit:
    """`data` is the board that the game's own players use: tools, bonus spaces, patterns, arrow."""
    kit = Kit(folder, "garden-rush", "Garden Rush, own print", top={"arrow": data["arrow"]}, packing=packing)
    sheet = Sheet(RUSH_W, RUSH_H, BOARD_PX_PER_MM, (196, 214, 160))
    pen = sheet.pen
    pen.box(RUSH_W / 2, RUSH_H * 0.75 + 6, RUSH_W - 8, RUSH_H / 2 - 32, (226, 196, 180), 10)
    pen.box(RUSH_W / 2, RUSH_H * 0.25 - 6, RUSH_W - 8, RUSH_H / 2 - 32, (188, 202, 214), 10)
    for garden in ("pink", "blue"):
        _garden(kit, pen, garden, data["tools"][garden])
    _hedge(kit, pen, int(data["arrow"]))
    near, far, low = 31.0, RUSH_W - 31.0, RUSH_H - 33.5
    for number, at in zip(MARKERS, ((near, 33.5), (far, 33.5), (far, low), (near, low)), strict=True):
        sign(kit, "board", pen, number, at, 20.0)
    inner = RUSH_H / 2 - 48.5
    icons.daisy(pen.at(near, inner, 12))
    icons.rose(pen.at(far, RUSH_H - inner, 12))
    for x, y, size in ((far - 13, RUSH_H - inner - 12, 5), (far + 13, RUSH_H - inner + 12, 6)):
        icons.rose(pen.at(x, y, size))
    pebbles(pen.at(far - 6, inner - 12), COLOURS, 2)
    pebbles(pen.at(near - 6, RUSH_H - inner - 12), GREYS, 2)
    kit.board("board", sheet, (RUSH_W, RUSH_H))
    _trampoline(kit)
    _rush_track(kit, data["bonus_spaces"])
    for name, grounds in GROUNDS.items():
        for count, side in ((2, "double"), (1, "single")):
            kit.piece(f"{name}/{side}", _veggie_token(grounds, icons.VEGETABLES[name], count), TOKEN, 4.0, "square")
    for name, icon in icons.TOOLS.items():
        paper = MOLE_GROUND if name == "mole" else TOOL_GROUND
        tool = token(TOKEN, paper, shaded(paper, 0.42), corner=5.0)
        icon(middle_of(tool, TOKEN, 0.4))
        kit.piece(name, tool, TOKEN, 4.0, "square")
    for name, colour in (("pink", (225, 90, 150)), ("blue", (45, 105, 200))):
        gnome = token(12.0, colour, shaded(colour, 0.7), "disc")
        if name == "pink":
            middle_of(gnome, 12.0).circle(0, 0, 0.4, WHITE)
        else:
            middle_of(gnome, 12.0).line([(-0.45, 0), (0.45, 0)], 0.3, WHITE)
        kit.piece(f"gnome/{name}", gnome, 12.0, 20.0, "disc")
    kit.tables["patterns"] = dict(data["patterns"])
    kit.write()
    return kit


def _garden(kit: Kit, pen: Pen, garden: str, tools: Mapping[str, str]) -> None:
    """Rows count from the hedge; pink lies below it, blue above."""
    way = 1 if garden == "pink" else -1
    for row in range(1, 6):
        for column in range(1, 6):
            if row in (1, 5) and column in (1, 5):
                continue
            x = RUSH_W / 2 + (column - 3) * CELL_PITCH
            y = RUSH_H / 2 + way * (29 + (row - 0.5) * CELL_PITCH)
            bed = shaded(BED[garden], 1 + 0.05 * ((row + 2 * column) % 3 - 1))
            pen.box(x, y, CELL, CELL, shaded(bed, 0.7), 3)
            pen.box(x, y, CELL - 1.6, CELL - 1.6, bed, 2.5)
            for line in (-12, -4, 4, 12):
                pen.line(
                    [(x - 15 + (row * column) % 4, y + line), (x + 15 - (row + column) % 5, y + line)],
                    1,
                    shaded(bed, 0.92),
                )
            tags: dict[str, Any] = {"garden": garden, "row": row, "column": column}
            if tool := tools.get(f"{row},{column}"):
                tags["tool"] = tool
                pen.circle(x, y, 13, TOOL_INK[tool])
                icons.TOOL_SPACES[tool](pen.at(x, y, 10.5, 0 if way > 0 else 180))
            kit.space("board", f"{garden}-{row},{column}", "cell", (x, y), CELL, **tags)


def _hedge(kit: Kit, pen: Pen, arrow: int) -> None:
    middle, half = RUSH_H / 2, RUSH_W / 2
    pen.box(half, middle, RUSH_W - 6, 46, (38, 92, 52), 12)
    random = np.random.default_rng(5)
    for x, y in random.uniform(-1, 1, (160, 2)):
        green = shaded((58, 128, 70), float(random.uniform(0.75, 1.25)))
        pen.ellipse(half + 103 * float(x), middle + 19.5 * float(y), 2.6, 1.3, green, float(random.uniform(0, 180)))
    for column in range(1, 6):
        x = half + (column - 3) * CELL_PITCH
        pen.box(x, middle, CELL - 1, CELL - 1, (20, 60, 34), 3)
        pen.box(x, middle, CELL - 3, CELL - 3, (120, 178, 120), 2.5)
        pen.text(x, middle, str(column), 9, (74, 132, 80))
        kit.space("board", f"hedge-{column}", "hedge", (x, middle), CELL - 1, column=column)
    end = 1 if arrow == 5 else -1
    pen.polygon(
        [
            (half + end * (half - 11), middle - 7),
            (half + end * (half - 1), middle),
            (half + end * (half - 11), middle + 7),
        ],
        WHITE,
    )


def _trampoline(kit: Kit) -> None:
    """Too small for signs, as the track is; it is looked for on the plane of the other boards."""
    side = 54.0
    sheet = Sheet(side, side, BOARD_PX_PER_MM, (64, 60, 92))
    pen = sheet.pen.at(side / 2, side / 2)
    pen.circle(0, 0, 24.5, (240, 232, 215))
    pen.circle(0, 0, 22, (52, 56, 66))
    for i in range(16):
        pen.at(0, 0, 1, 22.5 * i).line([(0, -21), (0, -24)], 1.2, BLACK)
    # A token hides the middle: the corners say which way it lies.
    sheet.pen.polygon([(0, 0), (13, 0), (0, 13)], ORANGE)
    sheet.pen.box(side - 5, 5, 5, 5, WHITE)
    sheet.pen.circle(5.5, side - 5.5, 3.2, (120, 190, 90))
    kit.board("trampoline", sheet, (side, side))
    kit.space("trampoline", "trampoline", "trampoline", (side / 2, side / 2), 36.0)


def _rush_track(kit: Kit, bonus: Sequence[int]) -> None:
    """Spaces 0 to 47 in four rows, there and back like a snake; a pale end says which way it lies, however small."""
    pitch, columns, rows, start = 17.0, 12, 4, 32.0
    w, h = start + columns * pitch + 8, rows * pitch + 18
    sheet = Sheet(w, h, BOARD_PX_PER_MM, (96, 66, 52))
    pen = sheet.pen
    pen.box(start / 2 - 1, h / 2, start - 8, h - 10, (178, 206, 150), 4)
    icons.tomato(pen.at(start / 2 - 1, 26, 10.5))
    pen.polygon([(start / 2 - 9, 48), (start / 2 + 7, 48), (start / 2 - 1, 66)], (150, 44, 40))
    for score in range(columns * rows):
        row, step = divmod(score, columns)
        column = step if row % 2 == 0 else columns - 1 - step
        x, y = start + (column + 0.5) * pitch, 9 + (row + 0.5) * pitch
        earns = score in bonus
        paper: Colour = (244, 190, 66) if earns else (247, 243, 230)
        pen.box(x, y, pitch - 1.2, pitch - 1.2, paper, 2.5)
        pen.text(x, y - (1.5 if earns else 0), str(score), 5, INK)
        if earns:
            pen.polygon(star(6, 0.6) * 2.4 + [x, y + 5], (170, 60, 40))
        kit.space("track", f"track-{score}", "track", (x, y), pitch, score=score, bonus=earns)
    kit.board("track", sheet, (w, h))


def _veggie_token(grounds: tuple[Colour, Colour], icon: Icon, count: int) -> Sheet:
    """One vegetable large on a pale ground, or two smaller ones on a deep one with a pale path between them."""
    pale, deep = grounds
    sheet = token(TOKEN, pale if count == 1 else deep, shaded(deep, 0.62), corner=2.5)
    pen = middle_of(sheet, TOKEN)
    if count == 1:
        icon(pen.at(0, 0, 0.84))
        return sheet
    pen.polygon([(-0.92, 0.92), (-0.92, 0.5), (0.5, -0.92), (0.92, -0.92), (0.92, -0.5), (-0.5, 0.92)], pale)
    icon(pen.at(-0.38, -0.36, 0.54))
    icon(pen.at(0.38, 0.36, 0.54))
    return sheet
