"""How high a camera hangs over a table so that a board is in the picture, and how fine it is seen from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import radians, tan

MARGIN = 1.15  # of a board's sides: its surroundings, and a camera that hangs a little beside the middle


@dataclass(frozen=True)
class Lens:
    """The angles that a camera sees, along the longer and the shorter side of its picture."""

    name: str
    wide_deg: float
    tall_deg: float


# As Raspberry Pi states them for the whole sensor, as at 1640 × 1232 and 2304 × 1296.
LENSES = (
    Lens("Camera Module 2", 62.2, 48.8),
    Lens("Camera Module 3", 66.0, 41.0),
    Lens("Camera Module 3 Wide", 102.0, 67.0),
)
SIZES_PX: Mapping[str, tuple[int, int]] = {
    "Camera Module 2": (1640, 1232),
    "Camera Module 3": (2304, 1296),
    "Camera Module 3 Wide": (2304, 1296),
}


@dataclass(frozen=True)
class Mount:
    """`height_mm` is from the table to the lens, `seen_mm` what is in the picture from there, across and down."""

    lens: Lens
    height_mm: float
    seen_mm: tuple[float, float]
    px_per_mm: float


def mount(lens: Lens, table_mm: tuple[float, float], size_px: tuple[int, int]) -> Mount:
    """The least height from which all of a table with these sides is seen, its longer side along the picture's."""
    across, down = (2 * tan(radians(angle) / 2) for angle in (lens.wide_deg, lens.tall_deg))
    height_mm = MARGIN * max(max(table_mm) / across, min(table_mm) / down)
    seen_mm = height_mm * across, height_mm * down
    return Mount(lens, height_mm, seen_mm, min(size_px[0] / seen_mm[0], size_px[1] / seen_mm[1]))
