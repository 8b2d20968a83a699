"""Which spaces differ by their light alone: under a reflection, in a shadow's rim, beside something new.

Light changes smoothly over a space, and what is printed and lies on it shows through: its picture is the earlier one,
brighter or darker, with a slope of light laid over it.  A piece that came, went or was changed for another leaves
something of its own size that this does not explain.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit
from companion.observation import Reading
from companion.vision.change import Change, Regions

Array = np.ndarray[Any, Any]

EXPLAINED = 0.85  # of what a space shows, by its earlier picture in another light, where nothing else changed there
LEFT, PART = 0.4, 5  # what at most is left of it then, in a part so many times smaller across than the space
OTHERWISE = 1.8  # times as much left as that, from which it surely shows something else
AS_WIDE = 0.9  # as the widest of some pieces: what is no less wide lies beside it, not on it


def left_unexplained(regions: Regions, change: Change) -> dict[str, float]:
    """How badly each space that changed is explained by its earlier picture in another light.

    Up to 1 it looks as it did; from OTHERWISE on something else is there.  A space of which little can be seen, as a
    bare one of a single colour, is never explained well.  Those out of the picture are left out.
    """
    numbers = [number for number, space in enumerate(regions.spaces) if space.id in change.spaces]
    owner = regions.owner.ravel()
    of_any = np.flatnonzero(np.isin(owner, numbers))
    of_any = of_any[np.argsort(owner[of_any], kind="stable")]
    starts = np.searchsorted(owner[of_any], numbers)
    ends = np.append(starts[1:], len(of_any))
    return {
        regions.spaces[number].id: _left(of_any[start:end], change)
        for number, start, end in zip(numbers, starts, ends, strict=False)
        if end > start
    }


def may_have_left(
    kit: Kit, known: Mapping[str, Reading], relit: Collection[str], left: Mapping[str, float]
) -> frozenset[str]:
    """Those of the `relit` spaces from beside which a piece may have gone: their own pictures do not tell.

    Pieces of one width lie side by side where they crowd, and those that a space has no room for lie on what is next
    to it, where now something else is.  `known` is what lay on the spaces, `left` how badly their earlier pictures
    explain them.
    """
    wide = {piece.name: max(piece.size_mm) for piece in kit.pieces}
    places = {space.id: space for space in kit.spaces}
    otherwise = [places[space] for space, badly in left.items() if badly >= OTHERWISE]
    found: set[str] = set()
    for space in (places[id] for id in relit if id in known):
        widths = [wide[piece] for piece in known[space.id].pieces]
        out_mm = sum(width for width in widths if width >= AS_WIDE * max(widths)) - min(space.size_mm)
        for other in otherwise:
            apart_mm = np.abs(np.subtract(space.at_mm, other.at_mm)) - np.add(space.size_mm, other.size_mm) / 2
            if other.board == space.board and apart_mm.max() < out_mm:
                found.add(space.id)
    return frozenset(found)


def _left(where: Array, change: Change) -> float:
    """`where` are the places (n,) of a space's pixels in the glance."""
    rows, columns = np.divmod(where, change.glance.shape[1])
    slope = np.stack([np.ones(len(where)), rows - rows.mean(), columns - columns.mean()], 1)
    shown = np.concatenate([of.reshape(-1, 3)[where] for of in (change.expected, change.glance)], axis=1, dtype=float)
    shown -= slope @ np.linalg.lstsq(slope, shown, rcond=None)[0]
    before, now = shown[:, :3], shown[:, 3:]
    gain = (before * now).sum(0) / np.maximum((before**2).sum(0), 1e-6)
    left = ((now - gain * before) ** 2).sum(1)
    image = np.zeros((np.ptp(rows) + 1, np.ptp(columns) + 1), np.float32)
    image[rows - rows.min(), columns - columns.min()] = left
    across = max(3, round(len(where) ** 0.5 / PART))
    most = cv2.boxFilter(image, -1, (across, across))[rows - rows.min(), columns - columns.min()].max()
    return max(float(left.mean()) / (1 - EXPLAINED), float(most) / LEFT) / max(float((now**2).sum(1).mean()), 1e-6)
