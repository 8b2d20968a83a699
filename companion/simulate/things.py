"""Things on a simulated table: dice, hands with their forearms, cups and cards, drawn where they lie."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from companion.simulate.canvas import (
    Canvas,
    Picture,
    cast_shadow,
    hull_of,
    paint_on_quad,
    paint_picture,
    paint_prism,
    picture_of,
    placed,
    polygon_mask,
    shaded,
)
from companion.simulate.surfaces import noise_field, to_linear

Array = np.ndarray[Any, Any]
Generator = np.random.Generator
Bgr = tuple[int, int, int]

HIDING = -1  # who is seen where a hand or something that belongs to no kit covers the view

PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
BESIDE = {1: (2, 3), 2: (3, 1), 3: (1, 2), 4: (2, 1), 5: (1, 3), 6: (3, 2)}  # faces to the right and to the front
DICE_COLOURS: tuple[tuple[Bgr, Bgr], ...] = (
    ((245, 247, 248), (25, 25, 25)),
    ((235, 240, 242), (30, 30, 190)),
    ((35, 30, 190), (245, 245, 245)),
    ((190, 215, 232), (40, 45, 60)),
    ((40, 38, 38), (240, 240, 240)),
    ((150, 80, 30), (240, 240, 240)),
    ((70, 130, 40), (240, 240, 240)),
    ((60, 190, 240), (30, 30, 30)),
)


@dataclass(frozen=True)
class StandingDie:
    """A die whose middle is above a point of the table, on whatever lies there; `look` counts DICE_COLOURS."""

    value: int
    at_mm: tuple[float, float]
    turn_deg: float = 0.0
    size_mm: float = 16.0
    look: int = 0


@dataclass(frozen=True)
class Hand:
    """A hand whose fingertips reach a point, coming from a side; `seed` decides its shape, skin and sleeve."""

    at_mm: tuple[float, float]
    from_deg: float
    seed: int = 0
    height_mm: float = 30.0
    mirrored: bool = False


@dataclass(frozen=True)
class Beside:
    """A cup, a card or a pad of paper beside the boards."""

    kind: str
    at_mm: tuple[float, float]
    turn_deg: float = 0.0
    seed: int = 0


@lru_cache(maxsize=64)
def die_face(value: int, look: int) -> Picture:
    """One face of a die with rounded corners, 64 px."""
    body, pips = DICE_COLOURS[look]
    n, fine = 64, 4
    big = np.full((n * fine, n * fine, 3), body, np.uint8)
    radius = 0.098 if look % 2 else 0.085
    if value == 1 and look == 0:
        pips, radius = (40, 40, 200), 0.13  # many white dice have a large red one
    for x, y in PIPS[value]:
        at = (round((0.5 + 0.255 * x) * n * fine), round((0.5 + 0.255 * y) * n * fine))
        cv2.circle(big, at, round(radius * n * fine), pips, -1, cv2.LINE_AA)
    alpha = np.zeros((n * fine, n * fine), np.uint8)
    corner = round(0.13 * n * fine)
    cv2.rectangle(alpha, (corner, 0), (n * fine - 1 - corner, n * fine - 1), 255, -1)
    cv2.rectangle(alpha, (0, corner), (n * fine - 1, n * fine - 1 - corner), 255, -1)
    for cx in (corner, n * fine - 1 - corner):
        for cy in (corner, n * fine - 1 - corner):
            cv2.circle(alpha, (cx, cy), corner, 255, -1, cv2.LINE_AA)
    whole = cv2.resize(np.dstack([big, alpha]), (n, n), interpolation=cv2.INTER_AREA)
    return picture_of(whole, (1.0, 1.0))


def paint_die(canvas: Canvas, die: StandingDie, base_mm: float, owner: int) -> None:
    """A die standing on its foot: shadow, rounded body, the faces that the camera sees."""
    half = die.size_mm / 2
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    foot = placed(square * 0.94, die.at_mm, die.turn_deg)
    cast_shadow(canvas, foot, base_mm, die.size_mm)
    corners = placed(square, die.at_mm, die.turn_deg)
    camera = canvas.camera
    low, high = camera.project(corners, base_mm), camera.project(corners, base_mm + die.size_mm)
    body = to_linear(np.array([[DICE_COLOURS[die.look][0]]], np.uint8))[0, 0]
    rounding = 0.1
    middle = np.vstack([low, high]).mean(axis=0)
    shape = hull_of(middle + (np.vstack([low, high]) - middle) * (1 - rounding))
    radius = rounding * np.hypot(*(hull_of(np.vstack([low, high])) - middle).T).mean()
    ring = np.linspace(0, 2 * np.pi, 9)[:-1]
    circle = radius * np.stack([np.cos(ring), np.sin(ring)], axis=1)
    whole = hull_of((shape[:, None] + circle[None]).reshape(-1, 2))
    window = canvas.window(whole)
    if window is None:
        return
    canvas.blend(window, body * np.float32(0.75), polygon_mask(whole, window), owner)
    right, front = BESIDE[die.value]
    towards = camera.place_mm[:2] - np.array(die.at_mm)
    sun = -np.array(canvas.light.shadow)
    for i, value in enumerate((7 - front, right, front, 7 - right)):  # top edge, right, bottom, left
        normal = placed(np.array([[(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)][i]]), (0, 0), die.turn_deg)[0]
        if float(normal @ towards) > half:
            gain = 0.62 + 0.25 * float(normal @ sun) / max(1.0, float(np.hypot(*sun)))
            j = (i + 1) % 4
            quad = np.array([high[i], high[j], low[j], low[i]])
            paint_on_quad(canvas, die_face(value, die.look), quad, owner, shaded(gain))
    paint_on_quad(canvas, die_face(die.value, die.look), high, owner)


SKINS: tuple[Bgr, ...] = ((150, 180, 225), (120, 155, 210), (95, 130, 190), (60, 90, 140), (40, 60, 95), (28, 40, 62))
SLEEVES: tuple[Bgr, ...] = (
    (60, 45, 40),
    (150, 90, 40),
    (50, 50, 160),
    (200, 200, 200),
    (70, 110, 60),
    (90, 160, 200),
    (40, 40, 44),
)
HAND_PX_PER_MM = 1.6
HAND_MM = (190.0, 620.0)  # the sprite: fingertips at the top, the elbow at the bottom


@lru_cache(maxsize=16)
def hand_picture(seed: int) -> Picture:
    """A hand and forearm seen from above, pointing up, shaded by a relief of round limbs."""
    random = np.random.default_rng([seed, 11])
    width, height = round(HAND_MM[0] * HAND_PX_PER_MM), round(HAND_MM[1] * HAND_PX_PER_MM)
    relief = np.zeros((height, width), np.float32)
    nails: list[tuple[Array, Array, float]] = []
    middle = np.array([HAND_MM[0] / 2, 0.0])
    size = random.uniform(0.88, 1.1)
    curl = random.uniform(0.55, 1.0, 4) if random.random() < 0.6 else np.array([1.0, *random.uniform(0.35, 0.55, 3)])
    knuckles = [(-28, 88), (-9, 82), (10, 84), (27, 92)]
    lengths = [72, 80, 74, 58]
    spread = random.uniform(0.5, 1.6)
    for (kx, ky), length, share, fan in zip(knuckles, lengths, curl, (-9, -2, 5, 13), strict=True):
        angle = np.radians(fan * spread + random.uniform(-4, 4))
        start, way = middle + np.array([kx, ky]) * size, np.array([np.sin(angle), -np.cos(angle)])
        points = [start - way * 6, start + way * length * 0.5 * share * size, start + way * length * share * size]
        for a, b, ra, rb in zip(points, points[1:], (9.8, 8.8), (8.8, 7.6), strict=False):
            _limb(relief, a, b, ra * size, rb * size, 12.0)
        nails.append((points[2], way, 4.6 * size))
    thumb = [np.array([-36, 142]), np.array([-54, 112]), np.array([-58 + random.uniform(0, 18), 80])]
    for a, b, ra, rb in zip(thumb, thumb[1:], (14, 11), (11, 9), strict=False):
        _limb(relief, middle + a * size, middle + b * size, ra * size, rb * size, 9.0)
    for x0, x1 in ((-26, -20), (-9, -7), (9, 7), (25, 20)):
        _limb(
            relief, middle + np.array([x0, 92]) * size, middle + np.array([x1, 165]) * size, 13 * size, 16 * size, 12.0
        )
    wrist = middle + np.array([0, 185]) * size
    elbow = np.array([middle[0] + random.uniform(-18, 18), HAND_MM[1] + 30])
    _limb(relief, middle + np.array([0, 160]) * size, wrist, 27 * size, 24 * size, 4.0)
    _limb(relief, wrist, elbow, 25 * size, 40 * size, 2.0)
    sleeve_from = (185 + random.uniform(5, 190)) * size if random.random() < 0.8 else 1e4
    if sleeve_from < HAND_MM[1]:
        share = sleeve_from / HAND_MM[1]
        cuff = wrist + (elbow - wrist) * share
        _limb(relief, cuff, elbow, 34 * size, 50 * size, 6.0)
    return _lit_hand(relief, nails, sleeve_from, random)


def _limb(relief: Array, a_mm: Array, b_mm: Array, ra_mm: float, rb_mm: float, base_mm: float) -> None:
    """Raise the relief by a rounded limb between two points; radii change along it."""
    k = HAND_PX_PER_MM
    most = max(ra_mm, rb_mm) + 1
    low = np.maximum(np.floor((np.minimum(a_mm, b_mm) - most) * k), 0).astype(int)
    high = np.minimum(np.ceil((np.maximum(a_mm, b_mm) + most) * k), [relief.shape[1], relief.shape[0]]).astype(int)
    y, x = np.mgrid[low[1] : high[1], low[0] : high[0]].astype(np.float32) / k
    along = b_mm - a_mm
    t = np.clip(((x - a_mm[0]) * along[0] + (y - a_mm[1]) * along[1]) / float(along @ along), 0, 1)
    away = (x - a_mm[0] - t * along[0]) ** 2 + (y - a_mm[1] - t * along[1]) ** 2
    radius = ra_mm + (rb_mm - ra_mm) * t
    top = np.where(away < radius**2, base_mm + np.sqrt(np.maximum(radius**2 - away, 0)), 0).astype(np.float32)
    part = relief[low[1] : high[1], low[0] : high[0]]
    np.maximum(part, top, out=part)


def _lit_hand(relief: Array, nails: list[tuple[Array, Array, float]], sleeve_from: float, random: Generator) -> Picture:
    """The relief with skin, nails, sleeve and light from above and one side."""
    height, width = relief.shape
    soft = cv2.GaussianBlur(relief, (0, 0), 3.0)
    gx, gy = cv2.Sobel(soft, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(soft, cv2.CV_32F, 0, 1, scale=0.125)
    gx, gy = gx * HAND_PX_PER_MM, gy * HAND_PX_PER_MM
    upright = 1 / np.sqrt(1 + gx * gx + gy * gy)
    angle = random.uniform(0, 2 * np.pi)
    shade = upright * (0.85 - 0.25 * (gx * np.cos(angle) + gy * np.sin(angle)))
    shade = 0.3 + 0.7 * np.clip(shade, 0, 1.15)
    skin = np.array(SKINS[int(random.integers(len(SKINS)))], np.float32)
    mottled = _tiled(noise_field(random, 512, 9, 9), height, width)
    colour = skin * (1 + 0.03 * mottled)[..., None]
    colour[..., 2] *= 1 + 0.04 * _tiled(noise_field(random, 512, 24, 24), height, width)
    for at, way, radius in nails:
        centre = ((at - way * 1.0) * HAND_PX_PER_MM).round().astype(int)
        axes = (round(radius * HAND_PX_PER_MM), round(1.4 * radius * HAND_PX_PER_MM))
        turned = float(np.degrees(np.arctan2(way[0], -way[1])))
        cv2.ellipse(
            colour, tuple(centre.tolist()), axes, turned, 0, 360, tuple((skin * 1.1 + 12).tolist()), -1, cv2.LINE_AA
        )
    row = round(sleeve_from * HAND_PX_PER_MM)
    if row < height:
        weave = _tiled(noise_field(random, 512, 0.8, 5), height, width)
        folds = _tiled(noise_field(random, 512, 60, 14), height, width)
        fabric = np.array(SLEEVES[int(random.integers(len(SLEEVES)))], np.float32)
        if random.random() < 0.35:  # striped
            fabric = fabric * np.where(np.arange(height) // 9 % 2, 1.0, 0.6)[:, None, None].astype(np.float32)
        cloth = fabric * (1 + 0.05 * weave + 0.09 * folds)[..., None]
        colour[row:] = cloth[row:]
    alpha = cv2.GaussianBlur((relief > 0).astype(np.uint8) * 255, (0, 0), 0.8)
    pixels = np.clip(colour * shade[..., None], 0, 255).astype(np.uint8)
    return picture_of(np.dstack([pixels, alpha]), HAND_MM)


def _tiled(field: Array, height: int, width: int) -> Array:
    return np.tile(field, (-(-height // len(field)), -(-width // len(field))))[:height, :width]


def paint_hand(canvas: Canvas, hand: Hand, owner: int = HIDING) -> None:
    """A hand over the table, with its wide shadow."""
    picture = hand_picture(hand.seed)
    turn = hand.from_deg + 180
    # The tip of the second finger, a little below the sprite's top edge, is what reaches the point.
    tip = placed(np.array([[0.0, -HAND_MM[1] / 2 + 20]]), (0, 0), turn)[0]
    at = (hand.at_mm[0] - float(tip[0]), hand.at_mm[1] - float(tip[1]))
    under = np.array(at) + np.array(canvas.light.shadow) * hand.height_mm
    _shadow_of_picture(canvas, picture, (float(under[0]), float(under[1])), turn, hand)
    paint_picture(canvas, picture, at, turn, hand.height_mm, owner, flip=hand.mirrored)


def _shadow_of_picture(canvas: Canvas, picture: Picture, at: tuple[float, float], turn: float, hand: Hand) -> None:
    half = np.array(picture.size_mm) / 2
    box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half * ([-1, 1] if hand.mirrored else [1, 1])
    corners = canvas.camera.project(placed(box, at, turn), 2.0)
    sigma = min(40.0, max(1.5, canvas.light.softness * hand.height_mm * 0.35 * canvas.camera.scale(np.array(at))))
    window = canvas.window(corners, 2 * sigma)
    if window is None:
        return
    less = 4  # the shadow is soft: a quarter of the resolution will do
    rows, columns = window
    size = (max(1, (columns.stop - columns.start) // less), max(1, (rows.stop - rows.start) // less))
    ratio = [size[0] / (columns.stop - columns.start), size[1] / (rows.stop - rows.start)]
    h, w = picture.alpha.shape
    source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    warp = cv2.getPerspectiveTransform(source, ((corners - [columns.start, rows.start]) * ratio).astype(np.float32))
    mask = cv2.GaussianBlur(cv2.warpPerspective(picture.alpha, warp, size), (0, 0), max(0.6, sigma / less))
    whole = cv2.resize(mask, (columns.stop - columns.start, rows.stop - rows.start))
    canvas.darken(window, whole, min(0.9, canvas.light.shadow_strength * 1.2))


@lru_cache(maxsize=24)
def _card(seed: int, paper: bool) -> Picture:
    """The back or face of a playing card, or a written sheet of paper."""
    random = np.random.default_rng([seed, 23])
    w, h = (420, 560) if paper else (252, 352)
    sheet = np.full((h, w, 3), (238, 242, 244), np.uint8)
    ink = tuple(int(value) for value in random.integers(20, 190, 3))
    if paper:
        for y in range(40, h - 30, 26):
            x = 30
            while x < w * random.uniform(0.5, 0.95):
                step = int(random.integers(8, 34))
                cv2.line(sheet, (x, y + int(random.integers(-2, 3))), (x + step, y), (70, 50, 40), 2, cv2.LINE_AA)
                x += step + 8
    elif seed % 2:
        cv2.rectangle(sheet, (14, 14), (w - 15, h - 15), ink, -1)
        for k in range(-h, w, 22):
            cv2.line(sheet, (k, 14), (k + h, h - 15), (230, 235, 235), 2, cv2.LINE_AA)
        cv2.rectangle(sheet, (0, 0), (w - 1, h - 1), (238, 242, 244), 26)
    else:
        cv2.circle(sheet, (w // 2, h // 2), 70, ink, -1, cv2.LINE_AA)
        cv2.putText(sheet, str(seed % 10), (14, 52), cv2.FONT_HERSHEY_DUPLEX, 1.6, ink, 3, cv2.LINE_AA)
    return picture_of(sheet, (148.0, 197.0) if paper else (63.0, 88.0))


def _ring(radius_mm: float, points: int = 28) -> Array:
    angle = np.linspace(0, 2 * np.pi, points, endpoint=False)
    return np.asarray(radius_mm * np.stack([np.cos(angle), np.sin(angle)], axis=1))


@lru_cache(maxsize=8)
def _drink(seed: int) -> tuple[Picture, Array]:
    """The top of a cup with something in it, and the cup's colour (3,) linear."""
    random = np.random.default_rng([seed, 31])
    body = random.choice([[235, 238, 240], [60, 60, 190], [170, 110, 50], [50, 50, 52], [120, 190, 220]])
    drink = random.choice([[20, 35, 60], [40, 90, 150], [190, 200, 205]])
    top = np.zeros((240, 240, 4), np.uint8)
    cv2.circle(top, (120, 120), 118, (*body.tolist(), 255), -1, cv2.LINE_AA)
    cv2.circle(top, (120, 120), 104, (*(body * 0.55).astype(int).tolist(), 255), -1, cv2.LINE_AA)
    cv2.circle(top, (120, 124), 96, (*drink.tolist(), 255), -1, cv2.LINE_AA)
    return picture_of(top, (82.0, 82.0)), to_linear(np.array([[body]], np.uint8))[0, 0]


def paint_beside(canvas: Canvas, thing: Beside, owner: int = HIDING) -> None:
    if thing.kind == "cup":
        top, body = _drink(thing.seed)
        foot = placed(_ring(40.0), thing.at_mm, 0)
        cast_shadow(canvas, foot, 0, 88.0)
        paint_prism(canvas, foot, 0, 88.0, body, owner)
        paint_picture(canvas, top, thing.at_mm, thing.turn_deg, 88.0, owner)
        return
    picture = _card(thing.seed, thing.kind == "paper")
    foot = placed(picture.outline_mm, thing.at_mm, thing.turn_deg)
    thick = 0.5 if thing.kind == "paper" else 0.6 + thing.seed % 3 * 4.0  # a card, or a pile of them
    cast_shadow(canvas, foot, 0, max(1.5, thick))
    paint_prism(canvas, foot, 0, thick, np.full(3, 0.6, np.float32), owner)
    paint_picture(canvas, picture, thing.at_mm, thing.turn_deg, thick, owner)
