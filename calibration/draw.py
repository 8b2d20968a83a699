"""Draws the project's own kits: `python -m calibration.draw [FOLDER]` writes a folder for each of the three games.

Plain and readable: pieces differ in shape as well as in colour, and no board looks the same turned around.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from calibration.draw_dice import garden_dice
from calibration.draw_guests import garden_guests
from calibration.draw_rush import garden_rush

HERE = Path(__file__).parent


def draw_all(folder: Path, packing: int = 9) -> None:
    """All three kits into folders below `folder`; `packing`, 0 to 9, is how hard PNG tries to be small."""
    meadow = json.loads((HERE / "garden-guests.json").read_text(encoding="utf-8"))
    beds = json.loads((HERE / "garden-rush.json").read_text(encoding="utf-8"))
    garden_dice(folder / "garden-dice", packing)
    garden_rush(folder / "garden-rush", beds, packing)
    garden_guests(folder / "garden-guests", meadow, packing)


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "kits")
