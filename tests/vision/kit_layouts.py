"""Where the spaces of the test kits lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from calibration import icons

Array = np.ndarray[Any, Any]
Generator = np.random.Generator
Tags = Mapping[str, Any]

VEGETABLES = {"squash": 1, "carrot": 2, "tomato": 3, "artichoke": 4, "eggplant": 5}
DICE_TILES = (*(f"{name}/{side}" for name in VEGETABLES for side in ("seed", "vegetable")), *icons.SPECIALS)
RUSH_VEGGIES = ("carrot", "eggplant", "tomato", "broccoli", "potato")
RUSH_TOKENS = (*(f"{name}/{side}" for name in RUSH_VEGGIES for side in ("double", "single")), *icons.TOOLS)
FLOWERS = ("daisy", "rose", "sunflower", "tulip")
TEAMS = ("black", "gold", "teal")


def plots(left: float, top: float, pitch: float) -> Iterator[tuple[str, float, float, dict[str, Any]]]:
    for row in range(1, 7):
        for column in range(1, 7):
            tags = {"row": row, "column": column, "star": (row * column) % 5 == 1}
            yield f"{row},{column}", left + (column - 0.5) * pitch, top + (row - 0.5) * pitch, tags


def cells(w: float, h: float, pitch: float, gap: float) -> Iterator[tuple[str, str, float, float, dict[str, Any]]]:
    """The hedge and both gardens of Garden Rush: id, kind, x, y, tags."""
    tools = {(2, 2): "move", (2, 4): "place", (4, 2): "harvest", (4, 4): "flip"}
    for column in range(1, 6):
        x = w / 2 + (column - 3) * pitch
        yield f"hedge-{column}", "hedge", x, h / 2, {"column": column}
        for garden, way in (("pink", 1), ("blue", -1)):
            for row in range(1, 6):
                if row in (1, 5) and column in (1, 5):
                    continue
                tags: dict[str, Any] = {"garden": garden, "row": row, "column": column}
                if (row, column) in tools:
                    tags["tool"] = tools[row, column]
                y = h / 2 + way * (gap + (row - 0.5) * pitch)
                yield f"{garden}-{row},{column}", "cell", x, y, tags


def hexes(radius: int, corner: float) -> Iterator[tuple[int, int, float, float]]:
    """Axial q, r and the place of hexagons with their corners up, around the origin."""
    for r in range(-radius, radius + 1):
        for q in range(max(-radius, -radius - r), min(radius, radius - r) + 1):
            yield q, r, float(np.sqrt(3)) * corner * (q + r / 2), 1.5 * corner * r
