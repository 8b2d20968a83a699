"""Laying known pictures on patches of a photograph: pose and light are fitted together, outliers count little.

A patch of colours (n, 3, side, side) is explained as `picture + slopes · pose + light`, where light is a change of
gain, veil, their colours, and a slope of brightness, each held near nothing by how much it varies in practice.
Colours come before places throughout: numpy is slow where the last axis is a short one.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# How far things vary: shift (px of the basis pictures), turn (radians), overall gain, overall veil, gain and veil of
# each colour, brightness across the patch.
SHIFT_SD, TURN_SD = 1.0, 0.12
GAIN_SD, VEIL_SD, COLOUR_GAIN_SD, COLOUR_VEIL_SD, RAMP_SD = 0.22, 18.0, 0.06, 5.0, 0.15
POSE, LIGHT = 3, 10
INDEPENDENT = 0.15  # the share of pixels that tell something of their own


def planar(pictures: Array) -> Array:
    """Pictures (..., side, side, 3) with their colours first: (..., 3, side, side)."""
    return np.ascontiguousarray(np.moveaxis(pictures, -1, -3))


def slopes_of(pictures: Array) -> Array:
    """How pictures (n, 3, side, side) change by x and y (per px) and turn (per radian): (n, POSE, 3, side, side)."""
    side = pictures.shape[-1]
    dx, dy = np.gradient(pictures, axis=3), np.gradient(pictures, axis=2)
    at = np.arange(side, dtype=np.float32) - (side - 1) / 2
    return np.stack([dx, dy, dy * at - dx * at[:, None]], 1)


def basis_of(pictures: Array) -> Array:
    """By how much pictures (n, 3, side, side) change, each by one standard deviation: (n, POSE + LIGHT, 3 · side²)."""
    slopes = slopes_of(pictures)
    n, _, side, _ = pictures.shape
    basis = np.zeros((n, POSE + LIGHT, 3, side, side), np.float32)
    basis[:, :3] = slopes * np.array([SHIFT_SD, SHIFT_SD, TURN_SD], np.float32)[:, None, None, None]
    ramp = np.linspace(-1, 1, side, dtype=np.float32)
    basis[:, 3] = pictures * GAIN_SD
    basis[:, 4] = VEIL_SD
    for c in range(3):
        basis[:, 5 + c, c] = pictures[:, c] * COLOUR_GAIN_SD
        basis[:, 8 + c, c] = COLOUR_VEIL_SD
    basis[:, 11] = pictures * ramp * RAMP_SD
    basis[:, 12] = pictures * ramp[:, None] * RAMP_SD
    return basis.reshape(n, POSE + LIGHT, -1)


def products_of(basis: Array) -> Array:
    """The products (n, px, pairs), summed over colours, of every two of a basis (n, k, 3 · px): see `paired`."""
    n, k = basis.shape[:2]
    one, other = np.triu_indices(k)
    by_px = basis.reshape(n, k, 3, -1).transpose(0, 3, 1, 2)
    return np.ascontiguousarray((by_px @ by_px.swapaxes(2, 3))[:, :, one, other], np.float32)


@cache
def _pairs(k: int) -> Array:
    """Which pair of a row stands for each two of k: (k²,) int."""
    number = np.zeros((k, k), int)
    number[np.triu_indices(k)] = np.arange(k * (k + 1) // 2)
    return np.maximum(number, number.T).ravel()


def paired(sums: Array, k: int) -> Array:
    """Sums (n, pairs) over every two of k as matrices (n, k, k)."""
    return sums[:, _pairs(k)].reshape(-1, k, k)


def roughness(pictures: Array) -> Array:
    """The squared change per px (n, side, side) of pictures (n, 3, side, side), a mean over colours.

    What is off by a part of a pixel differs by as much of it.
    """
    soft = smoothed(pictures)
    across, down = np.gradient(soft, axis=3), np.gradient(soft, axis=2)
    return np.asarray((across * across + down * down).mean(1), np.float32)


def misfit(off: Array, variance: Array | float) -> Array:
    """How badly each pixel is explained, 0…1, from what is left (n, 3, ...) and the variance to be expected there."""
    t = np.einsum("nc...,nc...->n...", off, off)
    return np.asarray(t / (t + 12 * variance))


def middle_of(values: Array) -> float:
    """About the median; np.median does much else besides."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def _solved(normal: Array, right: Array) -> Array:
    """Amounts (n, k), each held near nothing, of sums (n, k, k) and (n, k)."""
    return np.asarray(np.linalg.solve(normal + _one(right.shape[1]), right[..., None])[..., 0])


@cache
def _one(k: int) -> Array:
    return np.eye(k, dtype=np.float32)


def solve(off: Array, basis: Array, weight: Array, sigma: Array) -> Array:
    """Amounts (n, k) of each basis picture (n, k, 3 · px) in what is off (n, 3, px), pixels weighted (n, px)."""
    n, k = basis.shape[:2]
    scaled = weight * (INDEPENDENT / (sigma * sigma))[:, None]
    heavy = (basis.reshape(n, k, 3, -1) * scaled[:, None, None]).reshape(n, k, -1)
    return _solved(heavy @ basis.transpose(0, 2, 1), (heavy @ off.reshape(n, -1, 1))[..., 0])


def runs_of(kind: Array) -> list[tuple[int, slice]]:
    """Where each class stands in a sorted row of classes (n,)."""
    starts = [0, *(np.flatnonzero(kind[1:] != kind[:-1]) + 1).tolist(), len(kind)]
    return [(int(kind[a]), slice(a, b)) for a, b in pairwise(starts)]


def solve_known(
    off: Array, basis: Array, products: Array, runs: list[tuple[int, slice]], weight: Array, scale: Array
) -> Array:
    """As `solve`, for rows sorted by class, with the basis (classes, k, 3 · px) and its products by class.

    `weight` (n, px) holds the noise, and `scale` (k,) is by how much each basis picture counts.
    """
    n, k = len(off), basis.shape[1]
    sums, right = np.empty((n, products.shape[2]), np.float32), np.empty((n, k), np.float32)
    heavy = (off * weight[:, None]).reshape(n, -1)
    for kind, rows in runs:
        np.matmul(weight[rows], products[kind], out=sums[rows])
        np.matmul(heavy[rows], basis[kind].T, out=right[rows])
    return _solved(paired(sums, k) * (scale * scale[:, None]), right * scale) * scale


def mixed(amounts: Array, basis: Array, runs: list[tuple[int, slice]]) -> Array:
    """The sum (n, 3, px) of basis pictures (classes, k, 3 · px) by amounts (n, k), rows sorted by class."""
    out = np.empty((len(amounts), basis.shape[2]), np.float32)
    for kind, rows in runs:
        np.matmul(amounts[rows], basis[kind], out=out[rows])
    return out.reshape(len(amounts), 3, -1)


def relit(pictures: Array, amounts: Array) -> Array:
    """Pictures (n, 3, side, side) under light changed by amounts (n, LIGHT), in standard deviations."""
    n, _, side, _ = pictures.shape
    lit = np.empty((n, 3, 3), np.float32)  # by colour: the gain, and how it changes across and down
    lit[:, :, 0] = 1 + amounts[:, :1] * GAIN_SD + amounts[:, 2:5] * COLOUR_GAIN_SD
    lit[:, :, 1:] = amounts[:, None, 8:10] * RAMP_SD
    veil = amounts[:, 1:2] * VEIL_SD + amounts[:, 5:8] * COLOUR_VEIL_SD
    out = lit.reshape(-1, 3) @ _ramps(side)
    out *= pictures.reshape(3 * n, -1)
    out += veil.reshape(-1, 1)
    return np.asarray(out.reshape(pictures.shape))


@cache
def _ramps(side: int) -> Array:
    """Even, across and down: (3, side²)."""
    ramp = np.broadcast_to(np.linspace(-1, 1, side, dtype=np.float32), (side, side))
    return np.stack([np.ones_like(ramp), ramp, ramp.T]).reshape(3, -1)


def shrunk(stack: Array, side: int) -> Array:
    """A stack (..., big, big) averaged down to (..., side, side)."""
    matrix = _shrinking(stack.shape[-1], side)
    return np.asarray(matrix @ (stack @ matrix.T))


@cache
def _shrinking(big: int, side: int) -> Array:
    """The matrix (side, big) that averages so many values down to `side`."""
    edges = np.arange(side + 1) * big / side
    share = np.clip(
        np.minimum(edges[1:, None], np.arange(1, big + 1)) - np.maximum(edges[:-1, None], np.arange(big)), 0, 1
    )
    return np.asarray(share * side / big, np.float32)


def halved(stack: Array) -> Array:
    """A stack (n, 3, side, side) at half its size, averaged."""
    tall = stack[..., ::2, :] + stack[..., 1::2, :]
    return np.asarray((tall[..., ::2] + tall[..., 1::2]) / 4)


def smoothed(stack: Array) -> Array:
    """A stack (..., rows, columns) averaged over 3 × 3 px within each picture, the edges repeated."""
    if not stack.size:
        return stack
    stack = np.ascontiguousarray(stack)
    tall = _with_next(stack, stack.shape[-1])
    for edge, inner in ((0, 1), (-1, -2)):  # rows of the pictures before and after came to these
        np.add(2 * stack[..., edge, :], stack[..., inner, :], out=tall[..., edge, :])
    wide = _with_next(tall, 1)
    for edge, inner in ((0, 1), (-1, -2)):
        np.add(2 * tall[..., edge], tall[..., inner], out=wide[..., edge])
    wide *= np.float32(1 / 9)
    return wide


def _with_next(stack: Array, step: int) -> Array:
    """The sum of each value and those `step` values before and after it, all of a stack as one row: that is quick."""
    out = np.empty_like(stack)
    row, sums = stack.reshape(-1), out.reshape(-1)
    np.add(row[:-step], row[step:], out=sums[step:])
    sums[step:-step] += row[2 * step :]
    return out
