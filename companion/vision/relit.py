"""Which spaces differ by their light alone: under a reflection, in a shadow's rim, beside something new.

Light changes smoothly over a space, and what is printed and lies on it shows through: its picture is the earlier one,
brighter or darker, with a slope of light laid over it.  A piece that came, went or was changed for another leaves
something of its own size that this does not explain.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from companion.vision.change import Change, Regions

Array = np.ndarray[Any, Any]

EXPLAINED = 0.85  # of what a space shows, by its earlier picture in another light, where nothing else changed there
LEFT, PART = 0.4, 5  # what at most is left of it then, in a part so many times smaller across than the space
OTHERWISE = 1.8  # times as much left as that, from which it surely shows something else


def left_unexplained(regions: Regions, change: Change) -> dict[str, float]:
    """How badly each space that changed is explained by its earlier picture in another light.

    Up to 1 it looks as it did; from OTHERWISE on something else is there.  A space of which little can be seen, as a
    bare one of a single colour, is never explained well.
    """
    numbers = {space.id: number for number, space in enumerate(regions.spaces)}
    return {space: _left(regions.owner == numbers[space], change) for space in change.spaces}


def _left(where: Array, change: Change) -> float:
    """`where` is (h, w) bool of the glance."""
    rows, columns = np.nonzero(where)
    slope = np.stack([np.ones(len(rows)), rows - rows.mean(), columns - columns.mean()], 1)
    shown, left = 0.0, np.zeros(len(rows))
    for before, now in zip(change.expected[where].T.astype(float), change.glance[where].T.astype(float), strict=True):
        shown += (_beyond(slope, now) ** 2).mean()
        left += _beyond(np.column_stack([slope, before]), now) ** 2
    part = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    image = np.zeros(where[part].shape, np.float32)
    image[where[part]] = left
    across = max(3, round(len(rows) ** 0.5 / PART))
    most = float(cv2.boxFilter(image, -1, (across, across))[where[part]].max())
    return max(float(left.mean()) / (1 - EXPLAINED), most / LEFT) / max(shown, 1e-6)


def _beyond(known: Array, values: Array) -> Array:
    """What of values (n,) is no sum of the columns of `known` (n, k)."""
    return np.asarray(values - known @ np.linalg.lstsq(known, values, rcond=None)[0])
