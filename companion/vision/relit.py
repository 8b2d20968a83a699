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
