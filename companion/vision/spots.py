"""Where pieces would lie on others: where their colours explain most of what those leave of the photograph.

A disc of the colour of the grass on a picture of grass is no spot that stands out; but the grass that it hides is
missing there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import cv2
import numpy as np

from companion.vision.claims import Explanation, Lying, Study
from companion.vision.drawn import WIDER, WINDOW, windows
from companion.vision.knowledge import PieceKnowledge
from companion.vision.residue import SPARSE, light_on, misfit_of
from companion.vision.templates import Group
from companion.vision.tops import LEAST_SQUARE

Array = np.ndarray[Any, Any]

COLOURS = 3  # of a picture that tell where it may lie
SHADES = (0.7, 1.35)  # of its colour, in the light on what it lies on
OVERLOOKED = 0.18  # of what a base leaves where a plain piece would lie: so much more it would explain, it may be there
BEYOND = 0.1  # of its width: so far over the edge of what it lies on a piece may lie


def spots_on(
    found: Study, known: PieceKnowledge, group: Group, top: Group, bases: Sequence[tuple[int, Lying]]
) -> tuple[Array, Array]:
    """Where each class of what may lie on bases of one group would lie: where its colours explain most of what these
    leave.  (n, classes, 2) mm, and how much of it, a mean over what it would hide (n, classes), below 1."""
    seen = windows(found, known, [(k, Explanation(base)) for k, base in bases])
    n, px_mm = len(bases), WIDER * group.reach_mm / WINDOW
    flat, drawn = (of.reshape(n, 3, -1) for of in (seen.seen, seen.drawn))
    gain, veil = light_on(flat, drawn, seen.sigma, SPARSE)
    lit = flat - veil
    before = misfit_of(lit - gain * drawn, seen.sigma)
    at, height = np.array([base.at_mm for _, base in bases]), np.array([base.height_mm for _, base in bases])
    lean = found.sight.lean(at, height, height + top.height_mm)
    inside, places = _disc(top.reach_mm / px_mm), (np.arange(WINDOW) - (WINDOW - 1) / 2) * px_mm
    x, y = (places - lean[:, k, None] for k in (0, 1))
    reach = (group.reach_mm - top.reach_mm) / 2 + BEYOND * top.reach_mm + px_mm / 2
    far = np.hypot(x[:, None], y[:, :, None]) > reach
    out, gained, rows = np.empty((n, len(top.names), 2)), np.empty((n, len(top.names))), np.arange(n)
    for kind, colours in enumerate(_palettes(top)):
        after = np.min([_misfit_of_colour(lit, gain * colour[:, None], seen.sigma) for colour in colours], 0)
        more = (before - after).reshape(n, WINDOW, WINDOW).astype(np.float32)
        of_disc = [cv2.filter2D(one, -1, inside, borderType=cv2.BORDER_CONSTANT) for one in more]
        clear = np.where(far, -np.inf, of_disc).reshape(n, -1)
        best = clear.argmax(1)
        row, column = np.divmod(best, WINDOW)
        out[:, kind] = at + np.stack([x[rows, column], y[rows, row]], 1)
        gained[:, kind] = clear[rows, best]
    return out, gained


def overlooked(found: Study, known: PieceKnowledge, rows: Iterable[int]) -> set[int]:
    """The spaces, of those on which nothing is claimed to lie on the base, where a plain piece would explain more."""
    by_group: dict[int, list[tuple[int, Lying]]] = {}
    for k in rows:
        base = found.claims[k][0].base
        by_group.setdefault(known.number_of(base.name), []).append((k, base))
    out: set[int] = set()
    for number, bases in by_group.items():
        for top in (known.groups[of] for of in known.tops[number] if known.groups[of].even):
            _, gained = spots_on(found, known, known.groups[number], top, bases)
            out |= {k for (k, _), most in zip(bases, gained.max(1).tolist(), strict=True) if most > OVERLOOKED}
    return out


def _misfit_of_colour(lit: Array, shown: Array, sigma: Array) -> Array:
    """How badly a colour (n, 3, 1) in whatever shade does for each of what is seen (n, 3, px): (n, px) 0…1."""
    square = np.maximum((shown * shown).sum(1), LEAST_SQUARE)
    shade = np.clip((lit * shown).sum(1) / square, *SHADES)[:, None]
    return misfit_of(lit - shade * shown, sigma)


@cache
def _palettes(group: Group) -> list[Array]:
    """Of each class its colours (k, 3) float32: one where all of it looks alike, else a few."""
    if group.even:
        return [colour[None].astype(np.float32) for colour in group.colours]
    until = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 1.0)
    palettes = []
    for picture, mask in zip(group.pictures, group.masks, strict=True):
        pixels = np.ascontiguousarray(picture[:, mask > 0.5].T, np.float32)
        cv2.setRNGSeed(0)
        palettes.append(cv2.kmeans(pixels, COLOURS, np.zeros(0, np.int32), until, 3, cv2.KMEANS_PP_CENTERS)[2])
    return palettes


def _disc(wide_px: float) -> Array:
    """The weights, 1 together, of the px of a round piece so many px wide."""
    half = int(np.ceil(wide_px / 2))
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    inside = np.clip(wide_px / 2 + 0.5 - np.hypot(x, y), 0, 1)
    return np.asarray(inside / inside.sum(), np.float32)
