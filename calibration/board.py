"""A board from several pictures of it, one by one: each is told as what it is, good ones are laid over each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.combining import Agreed, agreed, combined
from calibration.edges import found_corners
from calibration.finding_again import found_again
from calibration.findings import Finding, cannot_be, hard
from calibration.flatten import (
    STRETCHED,
    UNEVEN,
    Flat,
    Straight,
    flattened,
    measured_mm,
    paper_white,
    px_per_mm,
    straightened,
    stretched,
    turned_like,
    whitened,
    without_lens,
)
from companion.observation import Calibration

Array = np.ndarray[Any, Any]
Point = tuple[float, float]

ENOUGH_PICTURES = 5
COARSE_PX_PER_MM = 1.5


@dataclass(frozen=True, eq=False)
class Shown:
    """What the pictures of a board show together: `odd` are the names of those that do not show it as most do."""

    agreed: Agreed
    whites: Sequence[Array | None]  # of the pictures that were compared
    odd: Sequence[str]


class Flattening:
    """The good pictures of one board."""

    def __init__(
        self,
        lens: Calibration | None,
        size_mm: tuple[float, float] | None,
        corners_px: list[Point] | None,
        turn_deg: int = 0,
    ) -> None:
        """`corners_px` are those in the first picture; a size that is not given is measured by the ruler sheet."""
        self.lens, self.size_mm = lens, size_mm
        self.measured = size_mm is None
        self.pictures: list[Flat] = []
        self._given, self._turn = corners_px, turn_deg // 90
        self._waiting: list[tuple[Straight, Array, bool]] = []  # seen before the size was known; whether by a person
        self._sizes: list[tuple[float, float, float]] = []
        self._scale = 0.0
        self._whites: list[Array | None] = []
        self._names: list[str] = []  # of the pictures
        self._photos: list[Straight | None] = []  # of the pictures whose corners no person told
        self._unfound: deque[Straight] = deque(maxlen=ENOUGH_PICTURES)  # a camera may go on for ever
        self._shown: Shown | None = None  # by as many pictures as there are

    def add(self, name: str, pixels: Array, corners_px: list[Point] | None = None) -> tuple[str, dict[str, Any]]:
        """Look at a picture (height, width, 3) BGR: what it is good for, and what was measured.

        `corners_px` are those of the board in this picture, where they need not be looked for.
        """
        photo = straightened(name, pixels, self.lens)
        first = not self.pictures and not self._waiting
        self._given = corners_px or self._given
        told = self._given is not None
        if self._given is not None:
            given = np.array(self._given, float)
            own: Array | str = without_lens(given, (pixels.shape[1], pixels.shape[0]), self.lens)
            self._given = None
        else:
            own = found_corners(photo)
            if first and not isinstance(own, str):
                own = np.roll(own, self._turn, axis=0)
            if not isinstance(own, str) and self._is_another_shape(photo, own, first):
                own = "other-shape"
        if isinstance(own, str):
            self._unfound.append(photo)
            self._shown = None
            return own, {}
        size = measured_mm(photo, own) if self.measured else None
        if size is not None:
            self._sizes.append(size)
        self._waiting.append((photo, own, told))
        size_mm = self._settled_size()
        if size_mm is None:
            return "no-ruler", {}
        facts = {"measured": f"{size[0]:.1f} × {size[1]:.1f}"} if size is not None else {}
        self._take_in(size_mm)
        return ("measured" if facts else "used"), facts

    def _is_another_shape(self, photo: Straight, corners: Array, upright: bool) -> bool:
        """Whether what was found is too wide or too high for the board's size: a frame printed on it, mostly."""
        if self.size_mm is None or self.lens is None:
            return False
        ways = (self.size_mm,) if upright else (self.size_mm, self.size_mm[::-1])
        return min(stretched(corners, (w, h), photo, self.lens) for w, h in ways) > STRETCHED

    def _settled_size(self) -> tuple[float, float] | None:
        if self.measured and self._sizes:
            width, height, _ = (float(np.median(values)) for values in zip(*self._sizes, strict=True))
            return width, height
        return self.size_mm

    def _take_in(self, size_mm: tuple[float, float]) -> None:
        """Flatten what waits; the first picture says which way is up and how fine the board's picture is."""
        if self.size_mm is None:
            self.size_mm = size_mm
        for photo, corners, told in self._waiting:
            if not self.pictures:
                self._scale = px_per_mm(corners, self.size_mm)
            else:
                corners = turned_like(photo, corners, self.pictures[0], self.size_mm)
            flat, white = self._upright(photo, corners)
            self._whites.append(white)
            self.pictures.append(flat)
            self._names.append(photo.name)
            self._photos.append(None if told else photo)
            self._shown = None
        self._waiting = []

    def _upright(self, photo: Straight, corners: Array) -> tuple[Flat, Array | None]:
        """The board flat and white, and what white is in the picture, where there is paper in it."""
        assert self.size_mm is not None
        flat, white = flattened(photo, corners, self.size_mm, self._scale), paper_white(photo)
        return Flat(whitened(flat.pixels, white), flat.bare), white

    def problems(self) -> list[Finding]:
        """Why there is no board's picture yet, or what is doubtful about it."""
        found = []
        if self._waiting and self.size_mm is None:
            found.append(cannot_be("no-size"))
        elif not self.pictures:
            found.append(cannot_be("no-board"))
        if self.measured and self._sizes:
            uneven = max(size[2] for size in self._sizes)
            if uneven > 2 * UNEVEN:
                found.append(cannot_be("uneven", percent=round(100 * uneven, 1)))
        if self.lens is None:
            found.append(hard("no-lens"))
        if len(self.pictures) == 1:
            found.append(hard("one-picture"))
        if self.pictures and self._scale < COARSE_PX_PER_MM:
            found.append(hard("far-camera", scale=round(self._scale, 1)))
        if self.pictures and all(white is None for white in self._together().whites):
            found.append(hard("no-white"))
        if len(self.pictures) > 1:
            found += self._odd()
        return found

    def _odd(self) -> list[Finding]:
        """The pictures that do not show the board as most do."""
        shown = self._together()
        if not shown.agreed.decided:
            return [cannot_be("contradict", pictures=", ".join(self._names))]
        return [hard("odd-picture", picture=name) for name in shown.odd]

    def _together(self) -> Shown:
        if self._shown is None:
            most = agreed(self.pictures, self._scale)
            shown = Shown(most, self._whites, [self._names[number] for number in most.odd])
            alone = len(most.kept) < 2  # one picture may have been found at a frame printed on the board
            self._shown = shown if alone or not most.decided else self._with_those_found_again(shown)
        return self._shown

    def _with_those_found_again(self, shown: Shown) -> Shown:
        """Pictures in which the edge was not found, or found elsewhere, are looked at by what the others show.

        Corners that a person told are not: who reads that they contradict can take them anew.
        """
        kept, odd = shown.agreed.kept, shown.agreed.odd
        flats, whites, names = [self.pictures[n] for n in kept], [self._whites[n] for n in kept], []
        for photo in [*(self._photos[n] for n in odd), *self._unfound]:
            corners = None if photo is None else found_again(photo, shown.agreed.flats[0].pixels)
            if photo is None or corners is None or self._is_another_shape(photo, corners, True):
                continue
            flat, white = self._upright(photo, corners)
            flats.append(flat)
            whites.append(white)
            names.append(photo.name)
        if not names:
            return shown
        again = agreed(flats, self._scale)
        if not set(range(len(kept))) <= set(again.kept):
            return shown
        back = {names[number - len(kept)] for number in again.kept if number >= len(kept)}
        return Shown(again, whites, [name for name in shown.odd if name not in back])

    def picture(self) -> Array:
        """The board, flat: (height, width, 3) uint8 BGR."""
        shown = self._together()
        kept = shown.agreed.kept
        known = [place for place, number in enumerate(kept) if shown.whites[number] is not None]
        return combined(shown.agreed.flats, self._scale, known[0] if known else 0)
