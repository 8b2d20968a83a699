"""What is printed on a board, and so is no die: the inside of a face, compared with the board's own picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np

from companion.vision.top_plane import Plane
from companion.vision.view import View

Array = np.ndarray[Any, Any]

STEP = 0.07  # between samples, in edges of a die
INSIDE = 6  # samples from a face's middle to where they are compared: its pips, and nothing that lies round the die
SHIFTED = 2  # samples by which print may lie off
SIDE = 2 * INSIDE + 1
LENS_PX = 0.7  # blur of a camera's pictures, one deviation
ALIKE = 0.75  # correlation from which print explains what is seen: dice on print reach 0.65, print as seen 0.95
BESIDE = 0.6  # of a face's samples round one pip
BUSY = 8.0  # spread, in grey levels, of print that may look like a pip
PLAINEST = 2.0  # spread, in grey levels, of print that explains anything


@dataclass(frozen=True, eq=False)
class Printed:
    """A board's own picture, BGR, and its size."""

    picture: Array
    size_mm: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Prints:
    """The boards' pictures by their ids, against a grey picture (H, W) uint8 in which dice have edges of `size_mm`."""

    grey: Array
    view: View
    printed: Mapping[str, Printed]
    size_mm: float

    def explain(self, at_px: Array) -> Array:
        """Whether a board's picture shows what is seen at points (N, 2) px: (N,) bool."""
        found = np.zeros(len(at_px), bool)
        for rows, board, places in self._patches(at_px, 1.0):
            at = self.view.pixels(board, places.reshape(-1, 2))
            known = _softened(self._known(board, places), _steps(at.reshape(places.shape)))
            found[rows] |= _alike(known, _at(self.grey, at, places.shape)) > ALIKE
        return found

    def busy(self, at_px: Array) -> Array:
        """Whether so much is printed round points (N, 2) px that dots seen there tell nothing: (N,) bool."""
        found = np.zeros(len(at_px), bool)
        for rows, board, places in self._patches(at_px, BESIDE):
            found[rows] |= self._known(board, places).std(axis=(1, 2)) > BUSY
        return found

    def _patches(self, at_px: Array, wide: float) -> Iterator[tuple[Array, str, Array]]:
        """Which of points (N, 2) px lie on a board, which that is, and the samples (M, side, side, 2) mm round them."""
        line = np.arange(-INSIDE - SHIFTED, INSIDE + SHIFTED + 1) * STEP * wide * self.size_mm
        grid = np.stack(np.meshgrid(line, line), axis=-1)
        for board, own in self.printed.items():
            if board in self.view.poses and len(at_px):
                at_mm = Plane(self.view, board, 0.0, self.size_mm).to_mm(at_px)
                rows = np.flatnonzero(((at_mm > 0) & (at_mm < own.size_mm)).all(axis=1))
                if len(rows):
                    yield rows, board, at_mm[rows, None, None] + grid

    def _known(self, board: str, places: Array) -> Array:
        """Grey levels (M, side, side) of a board's picture at places (M, side, side, 2) mm."""
        own = self.printed[board]
        height, width = own.picture.shape[:2]
        return _at(own.picture, places.reshape(-1, 2) * [width, height] / own.size_mm - 0.5, places.shape)


def _at(picture: Array, points: Array, shape: tuple[int, ...]) -> Array:
    """Grey levels (N, side, side) of a picture, grey or BGR, at points (N × side², 2) px; `shape` begins so."""
    x, y = (np.ascontiguousarray(of).reshape(-1, shape[2]) for of in points.astype(np.float32).T)
    seen = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return (seen if picture.ndim == 2 else cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY)).reshape(shape[:3])


def _steps(at: Array) -> Array:
    """How far apart samples (M, side, side, 2) px lie in the middle of each patch: (M,) px."""
    middle = at.shape[1] // 2
    steps: Array = np.linalg.norm(at[:, middle, middle + 1] - at[:, middle, middle - 1], axis=1) / 2
    return steps


def _softened(known: Array, step_px: Array) -> Array:
    """Patches (M, side, side) of a picture as sharp as a camera shows them whose samples lie so far apart (M,)."""
    off = np.arange(known.shape[1])
    near = np.exp(-0.5 * ((off[:, None] - off) * step_px[:, None, None] / LENS_PX) ** 2)
    near /= near.sum(axis=2, keepdims=True)
    soft: Array = near @ known @ near.transpose(0, 2, 1)
    return soft


def _alike(known: Array, seen: Array) -> Array:
    """How alike patches (N, side, side) are but for light, and for a little shift: correlations (N,)."""
    inner = _uneven(known[:, SHIFTED:-SHIFTED, SHIFTED:-SHIFTED].reshape(-1, 1, SIDE**2))
    windows = np.lib.stride_tricks.sliding_window_view(seen, (SIDE, SIDE), axis=(1, 2))
    shifted = _uneven(windows.reshape(len(seen), -1, SIDE**2))
    spread = np.einsum("nks,nks->nk", shifted, shifted) * np.einsum("nks,nks->nk", inner, inner)
    alike: Array = (np.einsum("nks,njs->nk", shifted, inner) / np.sqrt(spread + 1.0)).max(axis=1)
    return np.where(inner.std(axis=(1, 2)) < PLAINEST, 0.0, alike)


def _uneven(patches: Array) -> Array:
    """Patches (N, K, samples) without what light does: it rises or bends over a whole patch."""
    rest = patches.astype(np.float32)
    uneven: Array = rest - (rest @ _smooth()) @ _smooth().T
    return uneven


@cache
def _smooth() -> Array:
    line = np.linspace(-1, 1, SIDE)
    x, y = (of.reshape(-1) for of in np.meshgrid(line, line))
    return np.linalg.qr(np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1))[0].astype(np.float32)
