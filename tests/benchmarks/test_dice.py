"""How dice of every width are read on a table whose boards are known.  `make benchmark` prints it; nothing fails.

Rendered photographs of 640 to 1640 pixels' width, of our own kits and of the six odd ones, with dice of 12 to 18 mm on
and beside the boards, one in five of them against another; DICE_PICTURES says how many of each kit (default 20).
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.commands import own_kit
from companion.kit import Dice, Kit, load_kit
from companion.observation import Die, UnsureDie
from companion.simulate.optics import random_camera
from companion.simulate.render import Placements, Room, render
from companion.simulate.room import random_light, random_sensor
from companion.simulate.setting import boards_apart, corners_of
from companion.simulate.surfaces import random_surface
from companion.simulate.things import StandingDie
from companion.vision.dice import Printed, read_dice
from companion.vision.top_plane import Plane
from companion.vision.view import View, pose_of_corners
from tests.vision.other_kits import KITS, draw_other_kits
from tests.vision.photographs import Wanted, random_dice, random_pieces

PICTURES = int(os.environ.get("DICE_PICTURES", "20"))
SEED = 77
SIZES_PX = ((640, 480), (960, 720), (1280, 960), (1640, 1232))
WIDTHS_PX = (0, 10, 12, 14, 16, 18, 20, 24, 28, 34, 1000)
TOLD = ("right", "unsure", "missed", "wrong")
Array = np.ndarray[Any, Any]


def with_neighbours(dice: Sequence[StandingDie], random: np.random.Generator) -> list[StandingDie]:
    """The same with one in five put against the one before it, where there is room."""
    laid = list(dice)
    for n in range(1, len(laid)):
        if random.random() < 0.2:
            one = laid[n - 1]
            angle = math.radians(one.turn_deg + 90 * int(random.integers(4)))
            off = one.size_mm * np.array([random.uniform(1.0, 1.03), random.uniform(-0.3, 0.3)])
            x, y = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]) @ off
            at = (one.at_mm[0] + float(x), one.at_mm[1] + float(y))
            rest = [die for k, die in enumerate(laid) if k not in (n, n - 1)]
            if all(math.dist(at, die.at_mm) > 1.45 * one.size_mm for die in rest):
                laid[n] = replace(laid[n], at_mm=at, turn_deg=one.turn_deg)
    return laid


def tables(kit: Kit) -> Iterator[tuple[Array, dict[str, Any], Dice]]:
    """Photographs with their truths and what dice lie there; in one of 16 lie none."""
    for number in range(PICTURES):
        random = np.random.default_rng([SEED, number])
        boards = boards_apart(kit, random)
        corners = corners_of(kit, boards)
        middle, span = (corners.min(axis=0) + corners.max(axis=0)) / 2, float(np.ptp(corners, axis=0).max())
        dice = Dice(5, float(random.choice([12.0, 14.0, 16.0, 18.0])), "pips")
        placements = Placements(boards, random_pieces(kit, random, Wanted()))
        laid = with_neighbours(random_dice(replace(kit, dice=dice), placements, random, Wanted()), random)
        size = SIZES_PX[int(random.integers(len(SIZES_PX)))]
        camera = random_camera(random, middle + 1.05 * (corners - middle), size, 35.0, (0.5, 0.97))
        light = random_light(random, middle, span)
        room = Room(random_surface(random), light, random_sensor(random, light.name))
        pixels, truth = render(kit, placements, laid if random.random() > 1 / 16 else (), camera, room, random)
        yield pixels, truth, dice


def view_of(kit: Kit, truth: dict[str, Any]) -> View:
    matrix, lens = np.array(truth["camera"]["K"]), np.array(truth["camera"]["dist"])
    corners = {board: np.array(seen) for board, seen in truth["boards"].items()}
    return View(matrix, lens, {b.id: pose_of_corners(b, corners[b.id], matrix, lens) for b in kit.boards})


def widths_px(view: View, at_px: Array, size_mm: float) -> Array:
    """How wide the top faces of dice are that are seen at points (N, 2) px: (N,)."""
    plane = Plane(view, next(iter(view.poses)), size_mm, size_mm)
    axes = plane.axes(plane.to_mm(at_px), np.zeros(len(at_px)))
    return np.asarray(np.sqrt(np.abs(np.linalg.det(axes))))


def how(die: dict[str, Any], width_px: float, dice: Sequence[Die], unsure: Sequence[UnsureDie]) -> str:
    near = [other.value for other in dice if math.dist(other.at_px, die["at_px"]) < 0.5 * width_px]
    if near:
        return "right" if near == [die["value"]] else "wrong"
    return "unsure" if any(math.dist(u.at_px, die["at_px"]) < 0.7 * width_px for u in unsure) else "missed"


def printed_of(kit: Kit) -> dict[str, Printed]:
    """The boards' pictures at two pixels a millimetre."""
    found = {}
    for board in kit.boards:
        width, height = (round(2 * mm) for mm in board.size_mm)
        picture = cv2.imread(str(board.image))
        assert picture is not None
        small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
        found[board.id] = Printed(small, board.size_mm)
    return found


def test_dice_by_width(tmp_path: Path) -> None:
    cv2.setNumThreads(1)
    drawn = draw_other_kits(tmp_path)
    counts, beside = {low: Counter[str]() for low in WIDTHS_PX[:-1]}, Counter[str]()
    for name in ("garden-dice", "garden-rush", "garden-guests", *KITS):
        kit = load_kit(drawn[name]) if name in drawn else own_kit(name)
        printed = printed_of(kit)
        for pixels, truth, dice in tables(kit):
            view = view_of(kit, truth)
            told, unsure = read_dice(pixels, view, dice, printed)
            places = np.array([die["at_px"] for die in truth["dice"]]).reshape(-1, 2)
            widths = widths_px(view, places, dice.size_mm)
            for die, width in zip(truth["dice"], widths, strict=True):
                if die["visible"]:
                    counts[max(low for low in WIDTHS_PX[:-1] if low <= width)][how(die, width, told, unsure)] += 1
            for kind, found in (("dice", told), ("unsure", unsure)):
                away = (np.hypot(*(places - other.at_px).T) > widths for other in found)
                beside[kind] += sum(bool(apart.all()) for apart in away)
    print(f"\ndice by their width, {PICTURES} photographs of each of {3 + len(KITS)} kits")
    for low, high in pairwise(WIDTHS_PX):
        told_so = ", ".join(f"{kind} {counts[low][kind]}" for kind in TOLD)
        print(f"  {low} to {high} px: {counts[low].total()} in view, {told_so}")
    print(f"  where none lies: told as dice {beside['dice']}, as unsure {beside['unsure']}")
