"""How far the spaces of a board look bare: compared with their own pictures, quickly all of them, some exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from companion.kit import Board, Space
from companion.vision.fitting import (
    COLOUR_GAIN_SD,
    GAIN_SD,
    INDEPENDENT,
    POSE,
    basis_of,
    halved,
    misfit,
    planar,
    relit,
    roughness,
    shrunk,
    smoothed,
    solve,
)
from companion.vision.light import spread_out
from companion.vision.sight import BOX_VARIANCE, MODEL_SIGMA, OFF_PX, ROUGH_MOST, Sight

Array = np.ndarray[Any, Any]

BARE_LARGE, BARE_SMALL = 24, 16  # px a side of a bare space; both with a whole half
FIT_SIGMA = 10.0  # levels of the print, what the first fit expects to be left
SETTLED = 0.4  # the worst block of a space that is not looked at closer after it,
MOST_EFFORT = 9.0  # if it took so little: most pieces are far from being the space under another light
ROUNDS = 2  # of fitting, in which what does not fit counts less
SHOWN = 0.2  # of a space's own detail: less is none,
SURE_DETAIL = 11.0  # if what is not seen of it is so many times the spread of a pixel
SAMPLE = 6  # of those that are, of each size, to measure the photograph's blur


@dataclass(frozen=True, eq=False)
class Bare:
    """What a space looks like with nothing on it, over a square of its longer side."""

    size_mm: float
    picture: Array  # (3, side, side) float32
    rough: Array  # (side, side)
    change: Array  # (3, side, side) by a mean of 3 × 3 px, and then smoothed: how a blur shows
    small: Array  # the picture at half the side
    small_rough: Array  # (half side, half side)
    basis: Array  # (POSE + LIGHT, 3 · half side²): see fitting
    fit: Array  # (POSE + LIGHT, 3 · half side²) leads from what is off to amounts of the basis
    detail: Array  # (3 · half side²) what the small picture is beside smooth changes, over its squares
    strength: Array  # () levels: the root of those squares


def bare_of(picture: Array, board: Board, space: Space, side: int) -> Bare:
    """A space as it is printed on a board's picture (BGR uint8)."""
    scale = picture.shape[1] / board.size_mm[0]
    size = max(space.size_mm)
    step = size * scale / side
    wide = size * scale * 1.2
    x, y = space.at_mm[0] * scale, space.at_mm[1] * scale
    left, top = max(0, int(x - wide)), max(0, int(y - wide))
    part = picture[top : int(y + wide) + 2, left : int(x + wide) + 2]
    if step > 1.5:
        part = cv2.blur(part, (int(step + 0.5), int(step + 0.5)))
    matrix = np.array(
        [
            [step, 0, x - size * scale / 2 - left + step / 2 - 0.5],
            [0, step, y - size * scale / 2 - top + step / 2 - 0.5],
        ]
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    seen = cv2.warpAffine(part, matrix, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return _bare(size, planar(cv2.GaussianBlur(seen.astype(np.float32), (0, 0), 0.6)))


def _bare(size_mm: float, picture: Array) -> Bare:
    """All that a space is compared by, of its picture (3, side, side)."""
    rough, small = roughness(picture[None]), halved(picture[None])
    basis = basis_of(small)[0]
    share = np.float32(INDEPENDENT / FIT_SIGMA**2)
    fit = np.linalg.solve(share * (basis @ basis.T) + np.eye(len(basis), dtype=np.float32), share * basis)
    spread = spread_out(3, small.shape[-1])
    detail = (small - spread @ shrunk(small, 3) @ spread.T).ravel()
    square = (detail * detail).sum()
    change = smoothed(smoothed(picture[None]) - picture[None])[0]
    return Bare(
        size_mm,
        picture,
        rough[0],
        change,
        small[0],
        halved(rough)[0],
        basis,
        fit,
        detail / (square + 1),
        np.sqrt(square),
    )


@dataclass(frozen=True, eq=False)
class Alike:
    """The bare pictures of spaces of one size, stacked; see `Bare`.  `rows` (n,) are the spaces' numbers."""

    size_mm: float
    rows: Array
    picture: Array
    rough: Array
    change: Array
    small: Array
    small_rough: Array
    basis: Array
    fit: Array
    detail: Array
    strength: Array

    @property
    def side(self) -> int:
        return int(self.picture.shape[-1])

    def few(self, which: Array) -> Alike:
        stacks = {name: value[which] for name, value in vars(self).items() if name != "size_mm"}
        return replace(self, **stacks)


@lru_cache(maxsize=16)
def _by_size(bares: tuple[Bare, ...]) -> tuple[Alike, ...]:
    """Bare spaces by their sizes.  Stacking them takes longer than comparing them: it is done once for each board."""
    sizes: dict[tuple[float, int], list[int]] = {}
    for k, bare in enumerate(bares):
        sizes.setdefault((bare.size_mm, bare.picture.shape[1]), []).append(k)
    return tuple(_stacked([bares[k] for k in numbers], np.array(numbers)) for numbers in sizes.values())


def _stacked(bares: Sequence[Bare], rows: Array) -> Alike:
    stacks = {name: np.array([vars(bare)[name] for bare in bares]) for name in vars(bares[0]) if name != "size_mm"}
    return Alike(size_mm=bares[0].size_mm, rows=rows, **stacks)


@dataclass(frozen=True, eq=False)
class _First:
    """Bare spaces laid on a photograph linearly, whatever lies on them."""

    bares: Alike
    seen: Array  # (n, 3, side, side)
    off: Array  # (n, 3, half side²) by how much it differs from the small pictures
    left: Array  # the same after the fit
    shown: Array  # (n,) how much of the space's detail is seen: 1 all of it
    glare: Array  # (n,) the share that is blown out
    effort: Array  # (n,) how far pose and light had to be changed, as a sum of squared standard deviations


def _first(sight: Sight, bares: Alike) -> _First:
    zero = np.zeros(len(bares.rows))
    seen = sight.cut(sight.at[bares.rows], zero, zero, bares.size_mm, bares.side, bares.rows)
    most = sight.most[bares.rows][..., None, None]
    small = halved(seen)
    off = (small - np.minimum(bares.small, most)).reshape(len(seen), 3, -1)
    flat = off.reshape(len(off), -1)
    amounts = (bares.fit @ flat[..., None]).swapaxes(1, 2)
    left = off - (amounts @ bares.basis).reshape(off.shape)
    shifted = (amounts[..., :POSE] @ bares.basis[:, :POSE])[:, 0]
    shown = 1 + np.einsum("ij,ij->i", flat - shifted, bares.detail)
    glare = (small >= most).all(1).mean((1, 2))
    return _First(bares, seen, off, left, shown, glare, (amounts * amounts).sum((1, 2)))


def _small_misfits(sight: Sight, first: _First) -> Array:
    bares, half = first.bares, first.bares.side // 2
    own = (sight.fine_sigma[bares.rows] ** 2)[:, None, None]
    variance = own + np.minimum(OFF_PX**2 * bares.small_rough, ROUGH_MOST)
    return misfit(first.left.reshape(-1, 3, half, half), variance)


@dataclass(frozen=True, eq=False)
class _Fit:
    """Bare spaces laid on a photograph as well as they fit, by their fine pictures."""

    bares: Alike
    gain: Array  # (n, 3) by which their pictures were relit
    left: Array  # (n, 3, side, side), means of 3 × 3 px


def _laid(sight: Sight, bares: Alike, seen: Array, off: Array) -> _Fit:
    """Fit bare spaces again, with what does not fit counting little; `off` (n, 3, px) are the small pictures."""
    sigma = sight.sigma[bares.rows]
    amounts = np.zeros((len(off), bares.basis.shape[1]), np.float32)
    for k in range(ROUNDS):
        left = off - (amounts[:, None] @ bares.basis).reshape(off.shape) if k else off
        weight = (1 - misfit(left, (sigma * sigma)[:, None])) ** 2
        amounts = solve(off, bares.basis, weight, sigma)
    pose = (amounts[:, None, :POSE] @ bares.basis[:, :POSE]).reshape(bares.small.shape).repeat(2, 2).repeat(2, 3)
    moved = relit(bares.picture, amounts[:, POSE:]) + pose
    gain = 1 + amounts[:, POSE, None] * GAIN_SD + amounts[:, POSE + 2 : POSE + 5] * COLOUR_GAIN_SD
    return _Fit(bares, gain, smoothed(seen - np.minimum(moved, sight.most[bares.rows][..., None, None])))


def _fine_variance(sight: Sight, bares: Alike) -> Array:
    own = (sight.fine_sigma[bares.rows] ** 2)[:, None, None]
    return np.asarray(own + np.minimum(OFF_PX**2 * bares.rough, ROUGH_MOST))


def _measure_grain(sight: Sight, first: Sequence[_First]) -> Sight:
    """The sight with the noise that is left in what looks most as it should."""
    grains = [_middle(np.abs(one.left[..., ::3]).mean(1)) * 1.25 * sight.gain[one.bares.rows].mean(1) for one in first]
    grain = float(np.quantile(np.concatenate(grains), 0.3)) / sight.gain.mean(1)
    fine_sigma = np.clip(np.sqrt(MODEL_SIGMA**2 + grain * grain), sight.fine_sigma, sight.sigma)
    return replace(sight, fine_sigma=fine_sigma.astype(np.float32))


def _middle(values: Array) -> Array:
    """The medians of rows (n, m); np.median does much else besides."""
    count = values.shape[1]
    few = [(count - 1) // 2, count // 2]
    return np.asarray(np.partition(values, few, 1)[:, few].mean(1))


def _measure_blur(sight: Sight, laid: Sequence[_Fit]) -> Sight:
    """The sight with how much more the photograph is blurred than the pictures, from how far that change is in it."""
    along, across = 0.0, 1e-3
    for fit in laid:
        change = fit.bares.change
        weight = ((1 - misfit(fit.left, _fine_variance(sight, fit.bares))) ** 2)[:, None] * change
        along += float(np.vdot(weight, fit.left)) * BOX_VARIANCE * (fit.bares.size_mm / fit.bares.side) ** 2
        across += float(np.vdot(weight, change))
    return replace(sight, blur_mm2=float(np.clip(along / across, -1.0, 4.0)))


def compare_bare(sight: Sight, bares: Mapping[str, Bare]) -> tuple[Array, Array, Sight]:
    """How badly each space looks like itself when bare: misfits (N, BARE_LARGE, BARE_LARGE) in 0…1.

    Then the same with smooth changes of light left out, and the sight with its noise and blur measured.  All are
    compared by their small pictures after one linear fit; those that are not clearly bare then are, by their fine ones.
    """
    n = len(sight.spaces)
    first = [_first(sight, alike) for alike in _by_size(tuple(bares[space.id] for space in sight.spaces))]
    sight = _measure_grain(sight, first)
    out = np.zeros((n, BARE_LARGE, BARE_LARGE), np.float32)
    laid = []
    missing, glare = np.zeros(n, bool), np.zeros(n)
    for one in first:
        told = (1 - one.shown) * one.bares.strength > SURE_DETAIL * sight.sigma[one.bares.rows]
        missing[one.bares.rows] = (one.shown < SHOWN) & told
        glare[one.bares.rows] = one.glare
        bad = _small_misfits(sight, one)
        out[one.bares.rows] = _wide(bad)
        settled = (worst_blocks(bad) < SETTLED) & (one.effort < MOST_EFFORT)
        few = np.flatnonzero(settled)[:: max(1, int(settled.sum()) // SAMPLE)]
        few = np.concatenate([np.flatnonzero(~settled), few])
        laid.append(_laid(sight, one.bares.few(few), one.seen[few], one.off[few]))
    sharp = out.copy()
    sight = replace(_measure_blur(sight, laid), missing=missing, glare=glare)
    for fit in laid:
        out[fit.bares.rows], sharp[fit.bares.rows] = _misfits(sight, fit)
    return out, sharp, sight


def _misfits(sight: Sight, fit: _Fit) -> tuple[Array, Array]:
    """Misfits (n, BARE_LARGE, BARE_LARGE) of bare spaces, and those with smooth changes of light left out."""
    bares = fit.bares
    share = sight.blur_share(bares.size_mm / bares.side)
    left = fit.left - (share * fit.gain)[..., None, None] * bares.change
    variance = _fine_variance(sight, bares)
    spread = spread_out(3, bares.side)
    even = spread @ shrunk(left, 3) @ spread.T
    return _wide(misfit(left, variance)), _wide(misfit(left - even, variance))


def _wide(maps: Array) -> Array:
    """Maps (n, side, side) with BARE_LARGE px a side."""
    side = maps.shape[1]
    if side == BARE_LARGE:
        return maps
    wide = (np.arange(BARE_LARGE) * side) // BARE_LARGE
    return np.asarray(maps[:, wide[:, None], wide])


def worst_blocks(bad: Array) -> Array:
    """The mean misfit of the worst block of each bare space's map (N, side, side): (N,)."""
    side = bad.shape[1]
    k = max(3, round(0.29 * side))
    at = np.arange(side) - np.arange(side - k + 1)[:, None]
    mean = ((at >= 0) & (at < k)).astype(np.float32) / np.float32(k)
    return np.asarray((mean @ (bad @ mean.T)).max((1, 2)))


def least_sign(bare: Bare, pictures: Array, masks: Array, size_mm: float) -> float:
    """How badly a bare space explains the least visible of pieces that lie in its middle: the worst block, 0…1.

    `pictures` (n, 3, k, k) and `masks` (n, k, k) of pieces `size_mm` wide.
    """
    side = bare.picture.shape[1]
    wide = min(side, max(2, round(size_mm / bare.size_mm * side / 2) * 2))
    edge = (side - wide) // 2
    laid = np.repeat(bare.picture[None], len(pictures), 0)
    here = slice(edge, edge + wide)
    alpha = shrunk(masks, wide)[:, None] if wide <= masks.shape[1] else np.ones((len(masks), 1, wide, wide))
    seen = np.array(
        [[cv2.resize(plane, (wide, wide), interpolation=cv2.INTER_AREA) for plane in picture] for picture in pictures]
    )
    laid[..., here, here] = alpha * seen + (1 - alpha) * laid[..., here, here]
    off = (halved(laid) - bare.small).reshape(len(laid), 3, -1)
    basis = np.repeat(bare.basis[None], len(laid), 0)
    left, sigma = off, np.full(len(laid), MODEL_SIGMA, np.float32)
    for _ in range(2):
        amounts = solve(off, basis, (1 - misfit(left, MODEL_SIGMA**2)) ** 2, sigma)
        left = off - (amounts[:, None] @ basis).reshape(off.shape)
    bad = misfit(left, MODEL_SIGMA**2).reshape(len(laid), side // 2, side // 2).astype(np.float32)
    return float(worst_blocks(bad).min()) if len(bad) else 1.0
