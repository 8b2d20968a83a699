"""Draws the project's own kits: `python -m calibration.draw [FOLDER]` writes a folder for each of the three games.

Plain and readable: pieces differ in shape as well as in colour, and no board looks the same turned around.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibration.draw_dice import garden_dice
from calibration.draw_guests import garden_guests
from calibration.draw_rush import garden_rush
from calibration.sheet import Sheet

HERE = Path(__file__).parent


def draw_all(folder: Path, packing: int = 9) -> None:
    """All three kits into folders below `folder`; `packing`, 0 to 9, is how hard PNG tries to be small."""
    garden_dice(folder / "garden-dice", packing)
    garden_rush(folder / "garden-rush", _data("garden-rush"), packing)
    garden_guests(folder / "garden-guests", _data("garden-guests"), packing)


def own_drawings(game: str) -> Mapping[str, Sheet]:
    """What the pictures of our own kit of a game are made from, by their names, to be printed at any size."""
    match game:
        case "garden-dice":
            return garden_dice(None).drawings
        case "garden-rush":
            return garden_rush(None, _data(game)).drawings
        case _:
            return garden_guests(None, _data(game)).drawings


def _data(game: str) -> Any:
    """What the game's own players use: a board's tools, bonus spaces and patterns, or a map."""
    return json.loads((HERE / f"{game}.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "kits")
