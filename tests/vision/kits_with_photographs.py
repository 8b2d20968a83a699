"""Test kits with textured art: photographs, and wood on wood."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration import icons
from calibration.kit_file import Kit, middle_of, token
from calibration.sheet import Colour, Pen, Sheet, shaded, star
from tests.vision.kit_layouts import DICE_TILES, RUSH_TOKENS, cells, plots

Array = np.ndarray[Any, Any]
Generator = np.random.Generator


def _clouds(random: Generator, height: int, width: int, coarse: float) -> Array:
    """Noise of several sizes: (height, width) float32, about -1 to 1."""
    total = np.zeros((height, width), np.float32)
    size, weight = coarse, 1.0
    while size >= 1:
        small = random.standard_normal((int(height / size) + 2, int(width / size) + 2)).astype(np.float32)
        total += weight * cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
        size, weight = size / 2.2, weight * 0.62
    return np.asarray(total / total.std() * 0.5)


def _ground(random: Generator, height: int, width: int, colours: tuple[Colour, Colour], coarse: float) -> Array:
    share = np.clip(0.5 + 0.5 * _clouds(random, height, width, coarse), 0, 1)[..., None]
    one, other = (np.array(colour[::-1], np.float32) for colour in colours)
    grain = 1 + 0.12 * _clouds(random, height, width, 3)[..., None]
    return np.asarray((one * share + other * (1 - share)) * grain)


def _fruit(
    random: Generator, picture: Array, at: tuple[float, float], radii: tuple[float, float], colour: Array
) -> None:
    """A shaded, mottled body with its shadow, in place; px."""
    height, width = picture.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    angle = random.uniform(0, np.pi)
    dx, dy = x - at[0], y - at[1]
    shadow = np.exp(-1.5 * (((dx - 0.3 * radii[0]) / radii[0]) ** 2 + ((dy - 0.35 * radii[0]) / radii[0]) ** 2))
    picture *= 1 - 0.5 * shadow[..., None]
    u = (dx * np.cos(angle) + dy * np.sin(angle)) / radii[0]
    v = (-dx * np.sin(angle) + dy * np.cos(angle)) / radii[1]
    inside = 1 - u * u - v * v
    lit = 0.35 + 0.65 * np.clip(np.sqrt(np.maximum(inside, 0)) * 0.8 - 0.45 * (dx + dy) / sum(radii), 0, 1.3)
    bands = 1 + 0.18 * np.sin(random.uniform(2, 9) * v * 2 + 2 * _clouds(random, height, width, 20))
    gloss = np.exp(-14 * ((u + 0.35) ** 2 + (v + 0.3) ** 2))
    body = colour * (lit * bands)[..., None] + 120 * gloss[..., None]
    edge = np.clip(inside * min(radii) * 0.5, 0, 1)[..., None]
    picture += (body - picture) * edge


def _snapshot(seed: int, colour: Colour, count: int, size_px: int = 200) -> Array:
    """A photograph of so many things of a colour on some ground: (size, size, 3) uint8 BGR."""
    random = np.random.default_rng([seed, 71])
    tones: list[tuple[Colour, Colour]] = [((90, 70, 48), (140, 110, 80)), ((60, 84, 40), (120, 140, 70))]
    picture = _ground(random, size_px, size_px, tones[seed % 2], 60)
    picture *= 1 + 0.25 * np.linspace(-1, 1, size_px)[None, :, None] * (1 if seed % 3 else -1)
    for i in range(count):
        wide = size_px * (0.34 if count == 1 else random.uniform(0.1, 0.16))
        at = (size_px / 2, size_px / 2) if count == 1 else tuple(random.uniform(0.2, 0.8, 2) * size_px)
        tone = np.array(colour[::-1], np.float32) * random.uniform(0.85, 1.15)
        _fruit(random, picture, (float(at[0]), float(at[1])), (wide, wide * (0.55 + 0.09 * (seed + i) % 0.45)), tone)
    soft = cv2.GaussianBlur(np.clip(picture, 0, 255), (0, 0), 0.8) + random.normal(0, 3, picture.shape)
    return np.asarray(np.clip(soft, 0, 255), np.uint8)


def _onto(sheet: Sheet, picture: Array) -> None:
    """Fill a sheet with a picture."""
    h, w = sheet.pen.canvas.shape[:2]
    sheet.pen.canvas[..., :3] = cv2.resize(picture, (w, h), interpolation=cv2.INTER_LINEAR)
    sheet.pen.canvas[..., 3] = 255


def photo(folder: Path) -> None:
    """Garden Dice with photographs for art; the track is a block beside the plots."""
    kit = Kit(
        folder, "garden-dice", "photographs", tables={"dice": {"count": 4, "size_mm": 14, "faces": "pips"}}, packing=1
    )
    w, h = 484.0, 316.0
    random = np.random.default_rng(3)
    sheet = Sheet(w, h, 4.0)
    art = _ground(random, 632, 968, ((58, 92, 38), (128, 150, 84)), 140)
    beds = _ground(random, 632, 968, ((74, 52, 36), (128, 98, 70)), 50)
    place = np.zeros((632, 968, 1), np.float32)
    for _, x, y, _ in plots(20, 20, 46):
        cv2.rectangle(place, (int(2 * x - 42), int(2 * y - 42)), (int(2 * x + 42), int(2 * y + 42)), 1.0, -1)
    share = np.asarray(cv2.GaussianBlur(place, (0, 0), 2.5))[..., None]
    art = art * (1 - share) + beds * share
    for _ in range(40):  # pebbles along the edges
        at = (float(random.uniform(0, 968)), float(random.choice([14, 618])))
        tone = random.uniform(90, 200, 3).astype(np.float32) * 0.4 + 90
        radius = float(random.uniform(7, 13))
        _fruit_in_a_corner(random, art, at, radius, tone)
    _onto(sheet, np.clip(art, 0, 255).astype(np.uint8))
    for name, x, y, tags in plots(20, 20, 46):
        if tags["star"]:
            sheet.pen.polygon(star(6, 0.5) * 10 + [x, y], (226, 196, 120))
        kit.space("board", name, "plot", (x, y), 43.0, **tags)
    for score in range(100):
        x, y = 326 + 14.4 * (score % 10), 92 + 14.4 * (score // 10)
        sheet.pen.circle(x, y, 6.6, (232, 222, 196) if score % 5 else (170, 120, 70))
        sheet.pen.text(x, y, str(score), 4, (50, 40, 30))
        kit.space("board", f"track-{score}", "track", (x, y), 14.0, score=score)
    sheet.pen.text(392, 52, "Kitchen Garden", 12, (245, 240, 220))
    kit.board("board", sheet, (w, h))
    tones: dict[str, Colour] = {
        "squash": (220, 150, 50),
        "carrot": (226, 104, 40),
        "tomato": (196, 48, 40),
        "artichoke": (120, 140, 92),
        "eggplant": (84, 48, 98),
        "bird": (90, 120, 160),
        "rabbit": (170, 150, 130),
        "sundial": (196, 184, 150),
        "scarecrow": (210, 180, 80),
        "rock": (128, 126, 124),
    }
    for number, name in enumerate(DICE_TILES):
        tile = Sheet(40.0, 40.0, 5.0)
        seed = name.endswith("/seed")
        _onto(tile, _snapshot(number, tones[name.split("/")[0]], 7 if seed else 1))
        if seed:
            tile.pen.box(20, 36, 40, 8, (236, 230, 214))
        kit.piece(name, tile, 40.0, 2.4, "square")
    for name, colour in (
        ("blue", (60, 90, 140)),
        ("yellow", (214, 176, 90)),
        ("green", (86, 124, 74)),
        ("red", (158, 62, 52)),
    ):
        disc = token(13.0, colour, shaded(colour, 0.8), "disc")
        for i in range(4):
            middle_of(disc, 13.0).at(0, 0, 1, 11 + 3 * i).line(
                [(-0.7, 0.35 * (i - 1.5)), (0.7, 0.35 * (i - 1.5))], 0.05, shaded(colour, 0.8)
            )
        kit.piece(f"disc/{name}", disc, 13.0, 4.0, "disc")
    kit.write()


def _fruit_in_a_corner(random: Generator, art: Array, at: tuple[float, float], radius: float, tone: Array) -> None:
    """A small thing on a large picture, without working through all of it."""
    x, y, reach = int(at[0]), int(at[1]), int(3 * radius)
    part = art[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach]
    inside = (at[0] - max(0, x - reach), at[1] - max(0, y - reach))
    _fruit(random, part, inside, (radius, radius * 0.8), tone)


def own_colour(folder: Path) -> None:
    """Garden Rush with wooden tokens on a wooden board: only thin drawings tell them apart."""
    wood: Colour = (196, 158, 112)
    kit = Kit(folder, "garden-rush", "the board's own colour", top={"arrow": 5}, packing=1)
    w, h = 226.0, 470.0
    random = np.random.default_rng(12)
    sheet = Sheet(w, h, 4.0)
    _onto(sheet, _planed(random, 2 * int(h), 2 * int(w), wood))
    for name, kind, x, y, tags in cells(w, h, 40, 28):
        sheet.pen.box(x, y, 37, 37, shaded(wood, 0.7), 2)
        sheet.pen.box(x, y, 36, 36, shaded(wood, 0.97), 2)
        if "tool" in tags:
            icon = _scored(icons.TOOL_SPACES[tags["tool"]], 30.0, shaded(wood, 0.97), 4.0 * 4, (90, 90, 90))
            _paste(sheet, icon, x, y, 4.0)
        kit.space("board", name, kind, (x, y), 38.0, **tags)
    sheet.pen.text(30, 14, "upper", 6, shaded(wood, 0.6))
    sheet.pen.polygon([(w - 16, h / 2 - 6), (w - 4, h / 2), (w - 16, h / 2 + 6)], shaded(wood, 0.55))
    kit.board("board", sheet, (w, h))
    spring = Sheet(52, 52, 4.0)
    _onto(spring, _planed(random, 208, 208, wood))
    spring.pen.circle(26, 26, 24, shaded(wood, 0.75))
    spring.pen.circle(26, 26, 23, shaded(wood, 0.98))
    spring.pen.polygon([(26, 1), (31, 6), (21, 6)], shaded(wood, 0.5))
    spring.pen.text(9, 47, "T", 6, shaded(wood, 0.5))
    kit.board("trampoline", spring, (52, 52))
    kit.space("trampoline", "trampoline", "trampoline", (26, 26), 38.0)
    track = Sheet(200, 96, 4.0)
    _onto(track, _planed(random, 384, 800, wood))
    for score in range(50):
        x, y = 19 + 18 * (score % 10), 12 + 18 * (score // 10)
        track.pen.circle(x, y, 7.5, shaded(wood, 0.6))
        track.pen.circle(x, y, 7, shaded(wood, 1.04))
        track.pen.text(x, y, str(score), 4.6, shaded(wood, 0.5))
        kit.space("track", f"track-{score}", "track", (x, y), 16.0, score=score)
    kit.board("track", track, (200, 96))
    drawn = {**icons.VEGETABLES, **icons.TOOLS}
    for number, name in enumerate(RUSH_TOKENS):
        what, _, side = name.partition("/")
        piece = Sheet(33.0, 33.0, 5.0)
        _onto(piece, _planed(np.random.default_rng(number), 165, 165, wood))
        icon = _scored(drawn[what], 26.0 if side != "double" else 21.0, wood, 5.0 * 4)
        _paste(piece, icon, 16.5 if side != "double" else 19.0, 16.5, 5.0)
        if side == "double":
            piece.pen.line([(4, 4), (4, 29)], 1.4, shaded(wood, 0.5))
        kit.piece(name, piece, 33.0, 4.0, "square")
    for name, gain in (("pink", 1.2), ("blue", 0.6)):
        gnome = token(13.0, shaded(wood, gain), shaded(wood, gain * 0.85), "disc")
        kit.piece(f"gnome/{name}", gnome, 13.0, 24.0, "disc")
    kit.write()


def _planed(random: Generator, height: int, width: int, wood: Colour) -> Array:
    """A planed board's face: (height, width, 3) uint8 BGR."""
    small = random.standard_normal((max(4, height // 2), max(2, width // 40))).astype(np.float32)
    streaks = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    tone = 1 + 0.035 * streaks + 0.015 * random.standard_normal((height, width))
    return np.asarray(np.clip(tone[..., None] * np.array(wood[::-1]), 0, 255), np.uint8)


def _scored(
    icon: Callable[[Pen], None], size: float, wood: Colour, px_per_mm: float, back: Colour = (245, 240, 230)
) -> Array:
    """A drawing burnt into the wood: its brightness alone, weak.  (n, n, 4) uint8."""
    sheet = Sheet(size, size, px_per_mm / 4)
    icon(sheet.pen.at(size / 2, size / 2, size * 0.46))
    canvas = sheet.pen.canvas
    grey = cv2.cvtColor(np.ascontiguousarray(canvas[..., :3]), cv2.COLOR_BGR2GRAY).astype(np.float32)
    gain = 0.55 + 0.4 * grey / 255
    toned = gain[..., None] * np.array(wood[::-1], np.float32)
    return np.dstack([toned.astype(np.uint8), canvas[..., 3]])


def _paste(sheet: Sheet, icon: Array, x: float, y: float, px_per_mm: float) -> None:
    """Lay a drawing at the sheet's own fine scale onto it, around a point."""
    h, w = icon.shape[:2]
    left, top = round(x * px_per_mm * 4 - w / 2), round(y * px_per_mm * 4 - h / 2)
    part = sheet.pen.canvas[top : top + h, left : left + w]
    share = icon[..., 3:] / 255.0
    part[..., :3] = np.rint(part[..., :3] * (1 - share) + icon[..., :3] * share)
