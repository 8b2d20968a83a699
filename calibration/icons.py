"""What stands on boards and pieces, each drawn about the origin within one unit: distinct by shape, not only colour."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.sheet import Colour, Pen, ring, shaded, star

ORANGE, RED, GREEN, LEAF = (240, 120, 20), (205, 40, 35), (60, 130, 50), (95, 165, 60)
PURPLE, BROWN, SAND, STRAW = (95, 45, 120), (120, 80, 50), (205, 165, 105), (235, 200, 90)
BLACK, WHITE, GREY, SKY = (35, 35, 38), (250, 250, 245), (130, 132, 138), (70, 140, 205)
PINK, YELLOW, BLUE, TEAL = (225, 90, 150), (245, 195, 40), (40, 80, 170), (20, 140, 140)


def carrot(pen: Pen) -> None:
    for turn in (-28, 0, 28):
        pen.at(0, -0.42, 1, turn).ellipse(0, -0.28, 0.1, 0.3, LEAF)
    pen.polygon([(-0.34, -0.42), (-0.2, -0.5), (0.2, -0.5), (0.34, -0.42), (0.05, 0.9), (-0.05, 0.9)], ORANGE)
    for y, w in ((-0.2, 0.2), (0.1, 0.14), (0.4, 0.08)):
        pen.line([(-0.28 + 0.2 * (y + 0.2), y), (-0.28 + 0.2 * (y + 0.2) + w, y)], 0.05, (190, 85, 10))


def tomato(pen: Pen) -> None:
    """One that ripens still: a red disc is seen on it."""
    pen.ellipse(0, 0.12, 0.8, 0.7, (230, 80, 38))
    pen.ellipse(-0.3, -0.1, 0.18, 0.12, (250, 150, 110), -30)
    pen.at(0, -0.5).polygon(star(5, 0.35) * 0.42, GREEN)
    pen.line([(0, -0.5), (0.08, -0.85)], 0.1, GREEN)


def squash(pen: Pen) -> None:
    for x, r in ((-0.5, 0.36), (0.5, 0.36), (-0.22, 0.42), (0.22, 0.42), (0, 0.34)):
        pen.ellipse(x, 0.18, r, 0.62, (214, 112, 20) if abs(x) > 0.3 else (238, 140, 30))
        pen.line([(x, -0.2), (x, 0.56)], 0.04, (180, 88, 10))
    pen.line([(0, -0.4), (0.05, -0.65), (0.25, -0.78)], 0.16, (95, 110, 40))


def artichoke(pen: Pen) -> None:
    """A pale one with violet seams: a green disc is seen on it."""
    pen.line([(0, 0.5), (0, 0.92)], 0.2, GREEN)
    bract = [(-0.25, 0.3), (-0.3, 0.02), (-0.16, -0.22), (0, -0.36), (0.16, -0.22), (0.3, 0.02), (0.25, 0.3)]
    for row, (y, count) in enumerate(((-0.6, 1), (-0.36, 2), (-0.1, 3), (0.18, 4), (0.44, 3))):
        tone: Colour = (190 - 14 * row, 204 - 14 * row, 156 - 14 * row)
        for i in range(count):
            here = pen.at((i - (count - 1) / 2) * 0.4, y)
            here.polygon(bract, (92, 66, 120))
            here.at(0, 0.02, 0.82).polygon(bract, tone)


def eggplant(pen: Pen) -> None:
    tilted = pen.at(0, 0, 1, 35)
    tilted.polygon([(-0.2, -0.5), (0.2, -0.5), (0.42, 0.3), (-0.42, 0.3)], PURPLE)
    tilted.ellipse(0, 0.4, 0.44, 0.48, PURPLE)
    tilted.ellipse(-0.18, 0.3, 0.07, 0.32, (150, 100, 175), 10)
    tilted.at(0, -0.52).polygon(star(5, 0.5, 90) * 0.36, GREEN)
    tilted.line([(0, -0.55), (0, -0.9)], 0.13, GREEN)


def broccoli(pen: Pen) -> None:
    pen.polygon([(-0.16, 0.9), (0.16, 0.9), (0.24, 0.1), (-0.24, 0.1)], (150, 190, 95))
    pen.line([(0, 0.4), (-0.45, 0.05)], 0.16, (150, 190, 95))
    pen.line([(0, 0.4), (0.45, 0.05)], 0.16, (150, 190, 95))
    for x, y, r in (
        (-0.52, -0.05, 0.32),
        (0.52, -0.05, 0.32),
        (-0.28, -0.42, 0.34),
        (0.28, -0.42, 0.34),
        (0, -0.15, 0.4),
    ):
        pen.circle(x, y, r, (35, 105, 50))
        pen.circle(x - 0.08, y - 0.08, r * 0.55, (55, 135, 65))


def potato(pen: Pen) -> None:
    skin: Colour = (150, 100, 55)  # dark: a pale one is not told from tools in glare
    for grown, tone in ((0.06, shaded(skin, 0.62)), (0.0, skin)):
        pen.ellipse(-0.2, 0.12, 0.62 + grown, 0.58 + grown, tone, 20)
        pen.ellipse(0.3, -0.14, 0.54 + grown, 0.47 + grown, tone, 20)
    for x, y in ((-0.45, 0.0), (-0.05, 0.36), (0.1, -0.22), (0.55, -0.12), (-0.2, -0.22), (0.35, 0.12)):
        pen.ellipse(x, y, 0.09, 0.055, shaded(skin, 0.55), 30)


def bird(pen: Pen) -> None:
    """A pink one: no disc has its colour."""
    feathers, wing = (222, 104, 160), (164, 54, 112)
    pen.ellipse(0.05, 0.12, 0.6, 0.42, feathers, 15)
    pen.circle(-0.42, -0.32, 0.3, feathers)
    pen.polygon([(-0.68, -0.38), (-0.98, -0.25), (-0.66, -0.2)], ORANGE)
    pen.polygon([(0.45, 0.1), (0.98, -0.1), (0.95, 0.3), (0.5, 0.4)], wing)
    pen.polygon([(-0.15, 0.0), (0.5, 0.0), (0.2, 0.45)], wing)
    pen.circle(-0.48, -0.38, 0.07, BLACK)
    for x in (-0.05, 0.2):
        pen.line([(x, 0.5), (x, 0.85)], 0.07, ORANGE)


def rabbit(pen: Pen) -> None:
    """A white one: a brown one under a disc, in dim light, was taken for a carrot."""
    fur: Colour = (250, 244, 236)
    for x, turn in ((-0.2, -12), (0.2, 12)):
        pen.at(x, -0.5, 1, turn).ellipse(0, -0.1, 0.15, 0.42, fur)
        pen.at(x, -0.5, 1, turn).ellipse(0, -0.1, 0.07, 0.3, (232, 140, 150))
    pen.ellipse(0, 0.5, 0.5, 0.42, fur)
    pen.circle(0, -0.02, 0.4, fur)
    for way in (-1, 1):  # closed: two dark dots on white are a die's
        pen.line([(0.09 * way, -0.06), (0.15 * way, -0.09), (0.22 * way, -0.06)], 0.035, (120, 84, 84))
    pen.polygon([(-0.07, 0.06), (0.07, 0.06), (0, 0.14)], PINK)
    pen.ellipse(0, 0.56, 0.26, 0.3, (226, 210, 202))


def sundial(pen: Pen) -> None:
    pen.circle(0, 0, 0.9, (225, 215, 195))
    for i in range(12):
        pen.at(0, 0, 1, 30 * i).line([(0, -0.72), (0, -0.84)], 0.06, BLACK)
    pen.polygon([(-0.08, 0.25), (0.08, 0.25), (0.55, -0.55)], GREY)
    pen.polygon([(-0.1, 0.3), (-0.1, -0.7), (0.12, 0.25)], (190, 120, 40))


def scarecrow(pen: Pen) -> None:
    """In a pale shirt with patches: in a red one, from afar, it was taken for a tomato."""
    shirt = (246, 232, 196)
    pen.line([(0, -0.2), (0, 0.95)], 0.12, (92, 58, 30))
    for turn in (-24, 0, 24):
        for x in (-0.86, 0.86):
            pen.line([(x, -0.02), (1.16 * x, -0.02 + 0.006 * turn)], 0.05, STRAW)
    pen.line([(-0.85, -0.02), (0.85, -0.02)], 0.2, shirt)
    pen.polygon([(-0.5, -0.1), (0.5, -0.1), (0.38, 0.66), (-0.38, 0.66)], shirt)
    pen.at(-0.16, 0.36, 1, 12).box(0, 0, 0.22, 0.22, (70, 140, 130), 0.03)
    pen.at(0.18, 0.14, 1, -9).box(0, 0, 0.18, 0.18, (196, 110, 60), 0.03)
    pen.circle(0, -0.4, 0.28, (250, 214, 150))
    pen.polygon([(-0.54, -0.53), (0.54, -0.53), (0.22, -0.66), (0.12, -1), (-0.12, -1), (-0.22, -0.66)], (66, 42, 24))
    for x in (-0.1, 0.1):
        pen.circle(x, -0.4, 0.055, BLACK)


def rock(pen: Pen) -> None:
    outline = [(-0.85, 0.45), (-0.6, -0.35), (-0.1, -0.65), (0.45, -0.45), (0.85, 0.2), (0.7, 0.6), (-0.5, 0.65)]
    pen.polygon(outline, (120, 120, 122))
    pen.polygon([(-0.6, -0.35), (-0.1, -0.65), (0.1, -0.1), (-0.3, 0.1)], (165, 165, 165))
    pen.polygon([(0.1, -0.1), (0.45, -0.45), (0.85, 0.2), (0.3, 0.3)], (95, 95, 98))


def seed_packet(pen: Pen, paper: Colour) -> None:
    """A packet with a folded top; a window with what is in it goes onto it."""
    pen.polygon([(-0.84, -0.6), (0.84, -0.6), (0.9, 1), (-0.9, 1)], shaded(paper, 0.65))
    pen.polygon([(-0.78, -0.6), (0.78, -0.6), (0.84, 0.94), (-0.84, 0.94)], paper)
    teeth = [(-0.84 + 0.24 * i, -0.94 if i % 2 else -0.84) for i in range(8)]
    pen.polygon([*teeth, (0.84, -0.5), (-0.84, -0.5)], shaded(paper, 1.42))
    pen.line([(-0.84, -0.52), (0.84, -0.52)], 0.07, shaded(paper, 0.65))


def seeds(pen: Pen) -> None:
    """A packet of any seeds."""
    seed_packet(pen.at(0, 0, 0.9), SAND)
    for x, y, turn in ((-0.28, 0.1, 30), (0.26, 0.02, -35), (0, 0.46, 80)):
        pen.ellipse(x, y, 0.13, 0.21, BROWN, turn)


def sun(pen: Pen) -> None:
    for i in range(12):
        pen.at(0, 0, 1, 30 * i).polygon([(-0.13, -0.62), (0.13, -0.62), (0, -0.98)], (240, 150, 30))
    pen.circle(0, 0, 0.58, YELLOW)
    pen.circle(0, 0, 0.46, (252, 218, 90))
    for x in (-0.18, 0.18):
        pen.circle(x, -0.08, 0.06, BROWN)
    pen.line([(-0.2, 0.14), (-0.08, 0.22), (0.08, 0.22), (0.2, 0.14)], 0.06, BROWN)


def trowel(pen: Pen) -> None:
    pen.polygon([(-0.46, -0.12), (0.46, -0.12), (0.4, 0.42), (0, 0.98), (-0.4, 0.42)], (74, 88, 116))
    pen.polygon([(-0.3, 0), (0, 0), (0, 0.78), (-0.26, 0.38)], (128, 146, 176))
    pen.line([(0, -0.1), (0, -0.4)], 0.14, (74, 88, 116))
    pen.line([(0, -0.5), (0, -0.82)], 0.34, RED)


def weedkiller(pen: Pen) -> None:
    pen.box(0, 0.3, 0.9, 1.2, YELLOW, 0.15)
    pen.box(0, -0.45, 0.4, 0.3, BLACK)
    pen.polygon([(-0.2, -0.6), (0.25, -0.6), (0.25, -0.85), (-0.75, -0.85), (-0.75, -0.7), (-0.2, -0.7)], BLACK)
    pen.line([(-0.25, 0.05), (0.25, 0.55)], 0.14, RED)
    pen.line([(0.25, 0.05), (-0.25, 0.55)], 0.14, RED)


def hose(pen: Pen) -> None:
    for radius, tone in ((0.8, (25, 110, 90)), (0.62, WHITE), (0.54, (25, 110, 90)), (0.34, WHITE)):
        pen.circle(0, 0.05, radius, tone)
    pen.line([(0.6, 0.4), (0.9, 0.85)], 0.16, (25, 110, 90))
    pen.line([(0.84, 0.76), (0.95, 0.93)], 0.26, YELLOW)


def toolbox(pen: Pen) -> None:
    pen.line([(-0.35, -0.35), (-0.35, -0.7), (0.35, -0.7), (0.35, -0.35)], 0.13, BLACK)
    pen.box(0, 0.2, 1.7, 1.1, (190, 45, 45), 0.08)
    pen.box(0, -0.02, 1.7, 0.1, BLACK)
    pen.box(0, 0.02, 0.35, 0.3, STRAW, 0.05)


def mole(pen: Pen) -> None:
    pen.ellipse(0, 0.62, 0.92, 0.32, (110, 75, 45))
    pen.ellipse(0, 0.05, 0.5, 0.68, (60, 52, 55))
    pen.ellipse(0, 0.0, 0.26, 0.2, (225, 150, 150))
    for x in (-0.22, 0.22):
        pen.circle(x, -0.3, 0.07, WHITE)
    for x in (-0.55, 0.55):
        for y in (0.35, 0.5, 0.65):
            pen.line([(x, 0.5), (x * 1.35, y)], 0.09, (230, 165, 160))


def place_tool(pen: Pen) -> None:
    pen.line([(0, 0.8), (0, -0.1)], 0.14, WHITE)
    pen.at(0, -0.05, 1, -50).ellipse(0, -0.38, 0.2, 0.42, WHITE)
    pen.at(0, 0.1, 1, 50).ellipse(0, -0.38, 0.2, 0.42, WHITE)


def harvest_tool(pen: Pen) -> None:
    pen.polygon([(-0.75, -0.05), (0.75, -0.05), (0.5, 0.75), (-0.5, 0.75)], WHITE)
    pen.polygon(np.vstack([ring(72)[36:] * 0.62, ring(72)[36:][::-1] * 0.48]) + [0, -0.05], WHITE)


def move_tool(pen: Pen) -> None:
    pen.box(0, 0, 1.0, 0.26, WHITE)
    for side in (False, True):
        pen.at(0, 0, mirror=side).polygon([(0.4, -0.42), (0.92, 0), (0.4, 0.42)], WHITE)


def flip_tool(pen: Pen) -> None:
    for turn in (0, 180):
        half = pen.at(0, 0, 1, turn)
        arc = ring(72)[38:66]
        half.polygon(np.vstack([arc * 0.78, arc[::-1] * 0.5]), WHITE)
        half.polygon([(0.32, -0.3), (0.98, -0.3), (0.66, 0.14)], WHITE)


def daisy(pen: Pen) -> None:
    for i in range(8):
        pen.at(0, 0, 1, 45 * i).ellipse(0, -0.58, 0.2, 0.38, WHITE)
    pen.circle(0, 0, 0.3, YELLOW)


def rose(pen: Pen) -> None:
    for i in range(5):
        pen.at(0, 0, 1, 72 * i).circle(0, -0.42, 0.44, (190, 25, 45))
    for radius, tone in ((0.55, (150, 15, 35)), (0.42, (215, 45, 65)), (0.26, (140, 10, 30)), (0.14, (225, 70, 85))):
        pen.circle(0.04, 0, radius, tone)


def sunflower(pen: Pen) -> None:
    pen.polygon(star(14, 0.62) * 0.95, (245, 180, 25))
    pen.circle(0, 0, 0.5, (95, 55, 25))
    pen.circle(0, 0, 0.3, (60, 35, 18))


def tulip(pen: Pen) -> None:
    pen.line([(0, 0.2), (0, 0.95)], 0.12, GREEN)
    pen.at(0, 0.85, 1, 40).ellipse(0, -0.3, 0.1, 0.36, LEAF)
    pen.polygon(
        [(-0.5, 0.1), (-0.52, -0.8), (-0.2, -0.4), (0, -0.9), (0.2, -0.4), (0.52, -0.8), (0.5, 0.1)], (235, 95, 160)
    )
    pen.ellipse(0, 0.08, 0.5, 0.3, (235, 95, 160))


def mushroom(pen: Pen) -> None:
    pen.box(0, 0.45, 0.5, 0.9, (235, 225, 205), 0.2)
    pen.polygon(np.vstack([ring(72)[36:] * [0.9, 0.85], [[0.9, 0.1], [-0.9, 0.1]]]), RED)
    for x, y, r in ((-0.45, -0.2, 0.16), (0.1, -0.5, 0.17), (0.5, -0.15, 0.14)):
        pen.circle(x, y, r, WHITE)


Icon = Callable[[Pen], None]
VEGETABLES: dict[str, Icon] = {
    "squash": squash,
    "carrot": carrot,
    "tomato": tomato,
    "artichoke": artichoke,
    "eggplant": eggplant,
    "broccoli": broccoli,
    "potato": potato,
}
SPECIALS: dict[str, Icon] = {
    "bird": bird,
    "rabbit": rabbit,
    "sundial": sundial,
    "scarecrow": scarecrow,
    "rock": rock,
}
TOOLS: dict[str, Icon] = {"trowel": trowel, "weedkiller": weedkiller, "hose": hose, "toolbox": toolbox, "mole": mole}
TOOL_SPACES: dict[str, Icon] = {
    "place": place_tool,
    "harvest": harvest_tool,
    "move": move_tool,
    "flip": flip_tool,
}
FLOWERS: dict[str, Icon] = {"daisy": daisy, "rose": rose, "sunflower": sunflower, "tulip": tulip}
