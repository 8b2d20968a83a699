"""Photographs of any kit with pieces, dice, hands, tables, lights and cameras at random, each with its truth.

    for pixels, truth in photographs(load_kit(folder), 100, seed=1): …

What lies on a space follows how the games use spaces of its kind; it need not be reachable by play.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit, Space, load_kit
from companion.simulate.edges import random_make
from companion.simulate.laying import laid
from companion.simulate.lying import Loose, Lying, Placements, on_table
from companion.simulate.optics import random_camera
from companion.simulate.render import Room, render
from companion.simulate.room import random_light, random_sensor
from companion.simulate.setting import boards_apart, corners_of, overlap
from companion.simulate.surfaces import random_surface
from companion.simulate.things import DICE_COLOURS, Beside, Hand, StandingDie

Array = np.ndarray[Any, Any]
Generator = np.random.Generator


@dataclass(frozen=True)
class Wanted:
    """How the photographs should be; the defaults take everything as it comes."""

    size_px: tuple[int, int] = (1280, 960)
    most_tilt_deg: float = 35.0
    filled: tuple[float, float] = (0.75, 0.97)  # how much of the picture the boards take
    light: str | None = None  # one of room.LIGHTS
    hands: float = 0.25  # how often there is one
    things: float = 0.6  # how often cups, cards, piles lie about
    dice: int | None = None  # None: as many as the kit has
    fill: tuple[float, float] = (0.1, 0.8)  # how many of the spaces are taken
    unruly: float = 0.04  # how often a piece lies far off or turned anyhow
    cut_off: float = 0.04  # how often a part of a board lies beyond the picture's edge
    harsh: bool = False  # whether pieces have rims and keep light off what is beside them, and cameras may be noisy


def photographs(
    kit: Kit, count: int, seed: int, wanted: Wanted | None = None
) -> Iterator[tuple[Array, dict[str, Any]]]:
    """`count` photographs, (height, width, 3) uint8 BGR, with their truths; the n-th depends on seed and n alone."""
    for number in range(count):
        yield photograph(kit, seed, number, wanted or Wanted())


def photograph(kit: Kit, seed: int, number: int, wanted: Wanted) -> tuple[Array, dict[str, Any]]:
    random = np.random.default_rng([seed, number])
    boards = boards_apart(kit, random)
    corners = corners_of(kit, boards)
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    span = float(np.ptp(corners, axis=0).max())
    spaces = random_pieces(kit, random, wanted)
    taken = [cv2.minAreaRect(board.astype(np.float32)) for board in np.split(corners, len(boards))]
    some = random.random() < wanted.things
    loose = tuple(_piles(kit, middle, span, taken, random)) if some and kit.pieces else ()
    things = tuple(_things(middle, span, taken, random)) if some else ()
    placements = Placements(boards, spaces, loose)
    dice = random_dice(kit, placements, random, wanted)
    inner = middle + (corners - middle) * (0.8 if random.random() < wanted.cut_off else 1.03)
    camera = random_camera(random, inner, wanted.size_px, wanted.most_tilt_deg, wanted.filled)
    light = random_light(random, middle, span, wanted.light)
    hands = (_hand(corners, middle, random),) if random.random() < wanted.hands else ()
    room = Room(random_surface(random), light, random_sensor(random, light.name), hands, things)
    if wanted.harsh:  # by chances of its own: all else is the same without
        room = _harsh(room, np.random.default_rng([seed, number, 1]))
    return render(kit, placements, dice, camera, room, random)


def _harsh(room: Room, random: Generator) -> Room:
    """The same with pieces of some make, cracks that light does not reach, and what a camera makes of little light."""
    sensor, dim = room.sensor, room.light.name == "dim"
    noisier = float(random.uniform(1, 3.2)) if dim else float(np.exp(random.uniform(-0.5, 0.8)))
    exposure = sensor.exposure * (float(random.uniform(1, 2.2)) if dim else 1.0)
    sensor = replace(sensor, exposure=exposure, shot=sensor.shot * noisier**2, read=sensor.read * noisier)
    light = replace(room.light, occlusion=float(random.uniform(0, 0.75)))
    return replace(room, light=light, sensor=sensor, make=random_make(random))


def random_pieces(kit: Kit, random: Generator, wanted: Wanted) -> dict[str, tuple[Lying, ...]]:
    fill = random.uniform(*wanted.fill)
    spaces = {}
    for space in kit.spaces:
        share = min(fill, 0.06) if space.kind == "track" else fill
        if random.random() < share:
            names = _stack(kit, space, random)
            if names:
                spaces[space.id] = laid(kit, space, names, random, wanted.unruly)
    return spaces


def _stack(kit: Kit, space: Space, random: Generator) -> list[str]:
    """What may lie on a space, from the bottom up."""
    names = [piece.name for piece in kit.pieces]

    def any_of(*beginnings: str) -> list[str]:
        fitting = [name for name in names if name.startswith(beginnings)]
        return [str(random.choice(fitting))] if fitting else []

    match kit.game, space.kind:
        case "garden-dice", "track":
            return [*any_of("disc/"), *(any_of("disc/") if random.random() < 0.08 else [])]
        case "garden-dice", "plot":
            tile = str(random.choice([name for name in names if not name.startswith(("disc/", "sun"))]))
            if tile == "rock" or random.random() < 0.08:
                return [tile]
            return [tile, *any_of("disc/") * (int(random.integers(1, 4)) if tile == "rabbit" else 1)]
        case "garden-rush", "track":
            both = [name for name in names if name.startswith("gnome/")]
            return both if random.random() < 0.1 else any_of("gnome/")
        case "garden-rush", kind:
            single = kind == "cell"
            fitting = [
                n for n in names if not n.startswith("gnome/") and (single or not n.endswith(("/single", "mole")))
            ]
            return [str(random.choice(fitting))]
        case "garden-guests", "mushroom":
            return []
        case "garden-guests", "home":
            return any_of("guest/")
        case "garden-guests", _:
            if random.random() < 0.5:
                return any_of("stone/")
            guests = any_of("guest/") * int(random.integers(1, 4))
            return [*guests, *(any_of("marker/") if random.random() < 0.35 else [])]
    return _any_stack(kit, space, random)


def _any_stack(kit: Kit, space: Space, random: Generator) -> list[str]:
    """In a game that nobody knows: a piece that fits, and at times a smaller one on it."""
    room = 1.15 * min(space.size_mm)
    fitting = [piece for piece in kit.pieces if max(piece.size_mm) <= room]
    if not fitting:
        return []
    below = fitting[int(random.integers(len(fitting)))]
    smaller = [piece for piece in fitting if max(piece.size_mm) <= 0.6 * min(below.size_mm)]
    if smaller and random.random() < 0.5:
        return [below.name, smaller[int(random.integers(len(smaller)))].name]
    return [below.name]


def random_dice(kit: Kit, placements: Placements, random: Generator, wanted: Wanted) -> list[StandingDie]:
    """Dice on and beside the first board, none on another die or half on a piece."""
    count = wanted.dice if wanted.dice is not None else kit.dice.count if kit.dice else 0
    size = kit.dice.size_mm if kit.dice else 16.0
    corners = corners_of(kit, placements.boards[:1])
    low, high = corners.min(axis=0) - 60, corners.max(axis=0) + 60
    look = int(random.integers(len(DICE_COLOURS)))
    taken = _circles(kit, placements)
    dice: list[StandingDie] = []
    for _ in range(count):
        for _ in range(200):
            x, y = (float(value) for value in random.uniform(low, high))
            if all(np.hypot(x - cx, y - cy) > radius + 0.75 * size for cx, cy, radius in taken):
                dice.append(StandingDie(int(random.integers(1, 7)), (x, y), float(random.uniform(0, 360)), size, look))
                taken.append((x, y, 0.75 * size))
                break
    return dice


def _circles(kit: Kit, placements: Placements) -> list[tuple[float, float, float]]:
    """Around every piece and pile that lies on the table: x, y, radius in mm."""
    boards, pieces = {board.id: board for board in kit.boards}, {piece.name: piece for piece in kit.pieces}
    lies = {lie.board: lie for lie in placements.boards}
    spaces = {space.id: space for space in kit.spaces}
    found = [(*loose.at_mm, 0.7 * max(pieces[loose.piece].size_mm)) for loose in placements.loose]
    for name, pile in placements.spaces.items():
        space = spaces[name]
        for lying in pile:
            at = np.array([space.at_mm]) + lying.offset_mm
            x, y = on_table(boards[space.board], lies[space.board], at)[0]
            found.append((float(x), float(y), 0.7 * max(pieces[lying.piece].size_mm)))
    return found


def _beside(
    middle: Array, span: float, radius: float, taken: list[Any], random: Generator
) -> tuple[float, float] | None:
    """A free point beside the boards for something of a radius; it is taken then."""
    for _ in range(60):
        x, y = (float(value) for value in middle + random.uniform(-0.75, 0.75, 2) * span)
        rectangle = ((x, y), (2 * radius, 2 * radius), 0.0)
        if not any(overlap(rectangle, other, 4.0) for other in taken):
            taken.append(rectangle)
            return x, y
    return None


def _things(middle: Array, span: float, taken: list[Any], random: Generator) -> Iterator[Beside]:
    radii = {"cup": 42.0, "card": 55.0, "paper": 125.0}
    for _ in range(int(random.integers(1, 4))):
        kind = str(random.choice(["cup", "card", "card", "paper"]))
        at = _beside(middle, span, radii[kind], taken, random)
        if at is not None:
            yield Beside(kind, at, float(random.uniform(0, 360)), int(random.integers(12)))


def _piles(kit: Kit, middle: Array, span: float, taken: list[Any], random: Generator) -> Iterator[Loose]:
    for _ in range(int(random.integers(0, 6))):
        piece = kit.pieces[int(random.integers(len(kit.pieces)))]
        at = _beside(middle, span, 0.75 * max(piece.size_mm), taken, random)
        if at is not None:
            count = 1 if piece.height_mm > 10 else int(random.integers(1, 6))
            yield Loose(piece.name, at, float(random.uniform(0, 360)), count)


def _hand(corners: Array, middle: Array, random: Generator) -> Hand:
    """A hand that reaches somewhere over the boards, from about the side where it does."""
    share = random.uniform(0.1, 0.9, 2)
    low, high = corners.min(axis=0), corners.max(axis=0)
    at = low + share * (high - low)
    out = at - middle
    # `from_deg` counts clockwise from upwards, as a hand points.
    towards = float(np.degrees(np.arctan2(out[0], -out[1]))) + float(random.normal(0, 35))
    height = float(random.uniform(10, 55))
    return Hand((float(at[0]), float(at[1])), towards, int(random.integers(12)), height, bool(random.random() < 0.5))


def write_photographs(kit: Kit, count: int, seed: int, folder: Path, wanted: Wanted | None = None) -> None:
    """Photographs with their truth files beside them, as a folder of scenes."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (pixels, truth) in enumerate(photographs(kit, count, seed, wanted)):
        name = f"{kit.folder.name}-{seed:02}{number:03}"
        cv2.imwrite(str(folder / f"{name}.jpg"), pixels, [cv2.IMWRITE_JPEG_QUALITY, 95])
        (folder / f"{name}.json").write_text(json.dumps({**truth, "image": f"{name}.jpg"}, indent=1), encoding="utf-8")


if __name__ == "__main__":  # python -m tests.vision.photographs KIT COUNT SEED FOLDER
    write_photographs(load_kit(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
