"""The nouns that eye and head share: what a camera gives and what is seen in it.

Pixels count from the top left pixel's centre (0, 0), x right, y down, in the picture as it was given.
Board coordinates are millimetres from the top left corner of the board's picture, x right, y down, z up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Frame:
    """A picture from a camera: `pixels` is (height, width, 3) uint8 in the order blue, green, red.

    `small` is the same view in grey, (h, w) uint8, where the camera made it; `about` is what the camera says of the
    picture: `rate` (pictures a second), `exposure_us`, `gain`, `red_gain`, `blue_gain`, `lux`, `focus`,
    `focus_dioptres`, `stamp_ns`, `held` (1: exposure and white balance are fixed; 0: they are being found).
    """

    pixels: np.ndarray[Any, Any]
    name: str = ""
    small: np.ndarray[Any, Any] | None = None
    about: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Calibration:
    """A lens: the camera matrix's focal length and principal point in px, and OpenCV's k1, k2, p1, p2, k3."""

    size_px: tuple[int, int]  # width, height that the figures are for
    focal_px: float
    centre_px: Point
    distortion: tuple[float, float, float, float, float]


@dataclass(frozen=True)
class BoardSight:
    """Where a board lies: the corners of its printed picture, top left, top right, bottom right, bottom left."""

    corners_px: tuple[Point, Point, Point, Point]
    residual_px: float


@dataclass(frozen=True)
class Reading:
    """What lies on a space, from the bottom up, and the probability that all of it is right.

    Of a guess `others` has what else may lie there, and how likely each is.
    """

    pieces: tuple[str, ...]
    confidence: float
    others: Mapping[tuple[str, ...], float] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Die:
    value: int
    at_px: Point  # the centre of its top face
    confidence: float


@dataclass(frozen=True)
class UnsureDie:
    """`value` is what it shows most likely, where that can be said at all."""

    at_px: Point
    reason: str
    value: int | None = None


@dataclass(frozen=True)
class Observation:
    """Every space of the kit stands in exactly one of `spaces` and `unsure` (with the reason).

    Of some that are unsure `guesses` has what lies there most likely, and how likely: nothing to claim, but something
    to weigh.
    """

    boards: Mapping[str, BoardSight]
    spaces: Mapping[str, Reading]
    unsure: Mapping[str, str]
    dice: tuple[Die, ...] = ()
    unsure_dice: tuple[UnsureDie, ...] = ()
    guesses: Mapping[str, Reading] = field(default_factory=dict)
    memory: Any = field(default=None, repr=False, compare=False)  # what a later look at the same table starts from


@dataclass(frozen=True)
class NotSeen:
    """Why a whole picture cannot be read, and what to do about it."""

    error: str  # board-not-found | too-dark | blurred | unreadable | too-large
    advice: str
