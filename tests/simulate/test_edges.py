"""Rims and cracks: where a piece's edge catches a lamp's light, and where it keeps light off what is beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from companion.commands import own_kit
from companion.kit import Kit
from companion.simulate.edges import Make
from companion.simulate.lying import BoardLies, Lying, Placements
from companion.simulate.optics import hung
from companion.simulate.render import Room, render
from companion.simulate.room import Light, Sensor
from companion.simulate.surfaces import Surface

Array = np.ndarray[Any, Any]
FROM_THE_LEFT = Light(shadow=(0.8, 0.0), shadow_strength=0.6)
CLEAN = Sensor(0.6, 0.0, 0.3, shot=0, read=0.0005, jpeg=100)
DISC = "disc/yellow"


@pytest.fixture(scope="module")
def kit() -> Kit:
    return own_kit("garden-dice")


def photographed(kit: Kit, light: Light, make: Make) -> Array:
    """The grey of a disc alone on a board, from straight above: (480, 480), the disc in its middle."""
    space = next(space for space in kit.spaces if space.id == "3,3")
    camera = hung((480, 480), 3000, (0.0, 0.0), 1000, 0, 0, 0)  # 3 px per mm
    middle = np.array(kit.boards[0].size_mm) / 2
    x, y = (middle - space.at_mm).tolist()
    placements = Placements((BoardLies("board", (x, y)),), {"3,3": (Lying(DISC),)})
    room = Room(Surface("plain", 0), light, CLEAN, make=make)
    return render(kit, placements, (), camera, room, np.random.default_rng(0))[0].mean(2)


def ring(kit: Kit, grey: Array, low: float, high: float, turn_deg: float) -> float:
    """The mean grey between two distances from the middle, in radii of the disc, where it is seen in one way."""
    piece = next(piece for piece in kit.pieces if piece.name == DISC)
    y, x = (np.mgrid[:480, :480] - 239.5) / (3 * piece.size_mm[0] / 2 * 1000 / (1000 - piece.height_mm - 2))
    away, angle = np.hypot(x, y), np.degrees(np.arctan2(y, x))
    off = np.abs((angle - turn_deg + 180) % 360 - 180)
    return float(grey[(away > low) & (away < high) & (off < 30)].mean())


@pytest.mark.parametrize("printed", [True, False])
def test_a_rim_is_bright_towards_the_lamp_and_dark_away_from_it(kit: Kit, printed: bool) -> None:
    flat = photographed(kit, FROM_THE_LEFT, Make())
    rimmed = photographed(kit, FROM_THE_LEFT, Make(rim_mm=1.5, printed=printed))
    left, right = (ring(kit, rimmed, 0.88, 0.95, way) / ring(kit, flat, 0.88, 0.95, way) for way in (180, 0))
    assert left > 1.05 * right
    assert ring(kit, rimmed, 0.0, 0.6, 0) == pytest.approx(ring(kit, flat, 0.0, 0.6, 0), abs=2)


def test_a_crack_is_dark_all_around_and_nothing_else_is(kit: Kit) -> None:
    light = Light(shadow_strength=0.0)
    plain, cracked = (photographed(kit, of, Make()) for of in (light, replace(light, occlusion=0.7)))
    for way in (0, 90, 180, -90):
        assert ring(kit, cracked, 1.1, 1.2, way) < 0.93 * ring(kit, plain, 1.1, 1.2, way)
        assert ring(kit, cracked, 3.0, 3.5, way) == pytest.approx(ring(kit, plain, 3.0, 3.5, way), abs=1.5)
        assert ring(kit, cracked, 0.0, 0.6, way) == pytest.approx(ring(kit, plain, 0.0, 0.6, way), abs=1.5)
