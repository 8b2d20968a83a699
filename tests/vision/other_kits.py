"""Six kits as unlike the others as kits may be: what is tuned to one kind of art fails on these.

folders = draw_other_kits(tmp_path)     # {"photo": Path, "words": Path, …}
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.vision.kits_with_flat_art import half_size, hexagons, one_colour, words
from tests.vision.kits_with_photographs import own_colour, photo

KITS: dict[str, Callable[[Path], None]] = {
    "photo": photo,
    "words": words,
    "one-colour": one_colour,
    "hexagons": hexagons,
    "own-colour": own_colour,
    "half-size": half_size,
}


def draw_other_kits(folder: Path) -> dict[str, Path]:
    """All six into folders below `folder`, by name."""
    drawn = {}
    for name, draw in KITS.items():
        draw(folder / name)
        drawn[name] = folder / name
    return drawn
