"""Kits with art at random on the layouts of others: no two alike, so that nothing is fitted to one kind of art.

    kit = random_kit(own_kit("garden-dice"), folder, seed=5)

Sizes, shapes and places stay as they are.  Pieces that are alike in the original may be so here: of a row of classes
some differ from the one before by a detail, a colour or its brightness alone.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit, load_kit

Array = np.ndarray[Any, Any]
Generator = np.random.Generator

LETTERS = "ABCDEFGHKLMNPRSTUVXYZ0123456789?&#"


def random_kit(like: Kit, folder: Path, seed: int) -> Kit:
    """A kit in a new folder, its boards and pieces drawn anew."""
    random = np.random.default_rng(seed)
    shutil.copytree(like.folder, folder)
    place = like.folder
    for board in like.boards:
        path = folder / board.image.relative_to(place)
        cv2.imwrite(str(path), _board(_read(path), random))
    before: Array | None = None
    style = _style(random)
    for piece in like.pieces:
        path = folder / piece.image.relative_to(place)
        picture = _read(path)
        alpha = picture[..., 3:] if picture.shape[2] == 4 else np.full((*picture.shape[:2], 1), 255, np.uint8)
        plain = piece.name.startswith("disc/")
        art = _face(alpha.shape[:2], plain, style, before, random)
        before = art
        cv2.imwrite(str(path), np.concatenate([art, alpha], 2))
    return load_kit(folder)


def _read(path: Path) -> Array:
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    return cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR) if picture.ndim == 2 else picture


def _style(random: Generator) -> dict[str, Any]:
    """What a kit's pieces have in common: few or many colours, their ground, how rough it is."""
    return {
        "palette": [_colour(random, random.uniform(0.1, 1.0)) for _ in range(int(random.integers(2, 9)))],
        "ground": _colour(random, random.uniform(0, 0.7)) if random.random() < 0.6 else None,
        "edge": _colour(random, 0.5) if random.random() < 0.5 else None,
        "rough": random.uniform(0, 18) * (random.random() < 0.5),
        "like": random.choice([0.0, 0.15, 0.5]),
    }


def _colour(random: Generator, strength: float) -> Array:
    hsv = np.uint8([[[random.integers(180), 255 * strength, random.integers(25, 256)]]])
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(float)


def _texture(shape: tuple[int, int], random: Generator, levels: float) -> Array:
    """Cloudy differences of brightness and colour, as wood, paper or a photograph have them."""
    out = np.zeros((*shape, 3), np.float32)
    for share in (0.5, 0.2, 0.06, 0.02):
        rows, columns = (max(2, round(n / (share * max(shape)))) for n in shape)
        grain = random.normal(0, 1, (rows, columns, 1)) + 0.5 * random.normal(0, 1, (rows, columns, 3))
        out += cv2.resize(grain.astype(np.float32), shape[::-1], interpolation=cv2.INTER_CUBIC) * share**0.3
    return out * levels


def _board(picture: Array, random: Generator) -> Array:
    """The board's own drawing in other colours, with a texture or shapes over it."""
    colours = picture[..., :3]
    hsv = cv2.cvtColor(colours, cv2.COLOR_BGR2HSV).astype(float)
    hue, strength, power = random.uniform(0, 180), random.uniform(0, 1.5), np.exp(random.normal(0, 0.5))
    h, s, v = (hsv[..., 0] + hue) % 180, np.clip(hsv[..., 1] * strength, 0, 255), 255 * (hsv[..., 2] / 255) ** power
    out = cv2.cvtColor(np.stack([h, s, v], -1).astype(np.uint8), cv2.COLOR_HSV2BGR).astype(np.float32)
    if random.random() < 0.6:
        out += _texture(out.shape[:2], random, random.uniform(4, 45))
    for _ in range(int(random.integers(0, 60)) * (random.random() < 0.4)):
        _mark(out, random.uniform(0, 1, 2) * out.shape[1::-1], 0.03 * max(out.shape), _colour(random, 0.7), random)
    return np.clip(out, 0, 255).astype(np.uint8)


def _face(shape: tuple[int, int], plain: bool, style: dict[str, Any], before: Array | None, random: Generator) -> Array:
    """A piece's upper face (height, width, 3) uint8."""
    height, width = shape
    if plain:
        out = np.full((height, width, 3), _colour(random, random.uniform(0.4, 1.0)), np.float32)
        if random.random() < 0.4:
            cv2.circle(out, (width // 2, height // 2), round(0.3 * width), (out[0, 0] * 0.8).tolist(), -1, cv2.LINE_AA)
        return np.clip(out, 0, 255).astype(np.uint8)
    palette = style["palette"]
    if before is not None and random.random() < style["like"]:
        out = cv2.resize(before, (width, height)).astype(np.float32)
        if random.random() < 0.3:
            return np.clip(out * random.uniform(0.7, 1.3) + random.uniform(-25, 25, 3), 0, 255).astype(np.uint8)
        marks = 1
    else:
        ground = style["ground"] if style["ground"] is not None else palette[int(random.integers(len(palette)))]
        out = np.full((height, width, 3), ground, np.float32) + _texture((height, width), random, style["rough"])
        if style["edge"] is not None:
            thick = round(0.05 * width)
            cv2.rectangle(out, (thick, thick), (width - thick, height - thick), style["edge"].tolist(), thick)
        marks = int(random.integers(1, 5))
    for _ in range(marks):
        at = (random.uniform(0.25, 0.75, 2)) * (width, height)
        _mark(out, at, random.uniform(0.15, 0.38) * width, palette[int(random.integers(len(palette)))], random)
    return np.clip(out, 0, 255).astype(np.uint8)


def _mark(out: Array, at: Array, size: float, colour: Array, random: Generator) -> None:
    """A blot, a shape, a stroke or a letter."""
    x, y, tone = int(at[0]), int(at[1]), colour.tolist()
    match int(random.integers(4)):
        case 0:
            axes = (max(1, int(size * random.uniform(0.4, 1))), max(1, int(size * random.uniform(0.4, 1))))
            cv2.ellipse(out, (x, y), axes, float(random.uniform(0, 180)), 0, 360, tone, -1, cv2.LINE_AA)
        case 1:
            angles = np.sort(random.uniform(0, 2 * np.pi, int(random.integers(3, 9))))
            reach = size * random.uniform(0.5, 1.1, len(angles))
            points = at + np.stack([np.cos(angles), np.sin(angles)], 1) * reach[:, None]
            cv2.fillPoly(out, [points.round().astype(np.int32)], tone, cv2.LINE_AA)
        case 2:
            points = (at + random.normal(0, 0.7 * size, (3, 2))).round().astype(np.int32)
            cv2.polylines(out, [points], False, tone, max(1, int(0.2 * size)), cv2.LINE_AA)
        case _:
            letter = str(random.choice(list(LETTERS)))
            scale, thick = size / 14, max(1, int(size / 6))
            cv2.putText(out, letter, (int(x - 0.6 * size), int(y + 0.6 * size)), 0, scale, tone, thick, cv2.LINE_AA)
