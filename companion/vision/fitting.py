"""Laying known pictures on patches of a photograph: pose and light are fitted together, outliers count little.

A patch of colours (n, side, side, 3) is explained as `picture + slopes · pose + light`, where light is a change of
gain, veil, their colours, and a slope of brightness, each held near nothing by how much it varies in practice.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

Array = np.ndarray[Any, Any]

# How far things vary: shift (px of the basis pictures), turn (radians), overall gain, overall veil, gain and veil of
# each colour, brightness across the patch.
SHIFT_SD, TURN_SD = 1.0, 0.12
GAIN_SD, VEIL_SD, COLOUR_GAIN_SD, COLOUR_VEIL_SD, RAMP_SD = 0.22, 18.0, 0.06, 5.0, 0.15
POSE, LIGHT = 3, 10
INDEPENDENT = 0.15  # the share of pixels that tell something of their own


def slopes_of(pictures: Array) -> Array:
    """How pictures (n, side, side, 3) change by x and y (per px) and turn (per radian): (n, 3, side, side, 3)."""
    side = pictures.shape[1]
    dx, dy = np.gradient(pictures, axis=2), np.gradient(pictures, axis=1)
    at = np.arange(side, dtype=np.float32) - (side - 1) / 2
    turn = dy * at[None, None, :, None] - dx * at[None, :, None, None]
    return np.stack([dx, dy, turn], 1)


def basis_of(pictures: Array) -> Array:
    """By how much pictures (n, side, side, 3) change, each by one standard deviation: (n, POSE + LIGHT, side² · 3)."""
    slopes = slopes_of(pictures)
    n, side = pictures.shape[:2]
    basis = np.zeros((n, POSE + LIGHT, side, side, 3), np.float32)
    basis[:, :3] = slopes * np.array([SHIFT_SD, SHIFT_SD, TURN_SD], np.float32)[:, None, None, None]
    ramp = np.linspace(-1, 1, side, dtype=np.float32)
    basis[:, 3] = pictures * GAIN_SD
    basis[:, 4] = VEIL_SD
    for c in range(3):
        basis[:, 5 + c, ..., c] = pictures[..., c] * COLOUR_GAIN_SD
        basis[:, 8 + c, ..., c] = COLOUR_VEIL_SD
    basis[:, 11] = pictures * ramp[None, None, :, None] * RAMP_SD
    basis[:, 12] = pictures * ramp[None, :, None, None] * RAMP_SD
    return basis.reshape(n, POSE + LIGHT, -1)


def roughness(pictures: Array) -> Array:
    """The squared change per px (n, side, side) of pictures (n, side, side, 3), a mean over colours.

    What is off by a part of a pixel differs by as much of it.
    """
    soft = smoothed(pictures)
    across, down = np.gradient(soft, axis=2), np.gradient(soft, axis=1)
    return np.asarray((across * across + down * down).mean(3), np.float32)


def misfit(off: Array, variance: Array | float) -> Array:
    """How badly each pixel is explained, 0…1, from what is left (n, ..., 3) and the variance to be expected there."""
    t = np.einsum("...c,...c->...", off, off) / (12 * variance)
    return np.asarray(t / (1 + t))


def solve(off: Array, basis: Array, weight: Array, sigma: Array) -> Array:
    """Amounts (n, k) of each basis picture (n, k, px · 3) in what is off (n, px, 3), pixels weighted (n, px)."""
    n, k = basis.shape[:2]
    scaled = weight * (INDEPENDENT / (sigma * sigma))[:, None]
    heavy = basis.reshape(n, k, -1, 3) * scaled[:, None, :, None]
    heavy = heavy.reshape(n, k, -1)
    normal = heavy @ basis.transpose(0, 2, 1) + np.eye(k, dtype=np.float32)
    right = heavy @ off.reshape(n, -1, 1)
    return np.linalg.solve(normal, right)[..., 0]


def relit(pictures: Array, amounts: Array) -> Array:
    """Pictures (n, side, side, 3) under light changed by amounts (n, LIGHT), in standard deviations."""
    side = pictures.shape[1]
    ramp = np.linspace(-1, 1, side, dtype=np.float32) * RAMP_SD
    gain = 1 + amounts[:, :1] * GAIN_SD + amounts[:, 2:5] * COLOUR_GAIN_SD
    veil = amounts[:, 1:2] * VEIL_SD + amounts[:, 5:8] * COLOUR_VEIL_SD
    slope = amounts[:, 8, None, None] * ramp[None, None, :] + amounts[:, 9, None, None] * ramp[None, :, None]
    return np.asarray(pictures * (gain[:, None, None] + slope[..., None]) + veil[:, None, None])


def shrunk(stack: Array, side: int) -> Array:
    """A stack (n, big, big, ...) averaged down to (n, side, side, ...)."""
    big = stack.shape[1]
    edges = np.arange(side + 1) * big / side
    share = np.clip(
        np.minimum(edges[1:, None], np.arange(1, big + 1)) - np.maximum(edges[:-1, None], np.arange(big)), 0, 1
    )
    matrix = (share * side / big).astype(np.float32)
    return np.asarray(np.einsum("ai,nij...,bj->nab...", matrix, stack, matrix, optimize=True))


def halved(stack: Array) -> Array:
    """A stack (n, side, side, k) at half its size, averaged."""
    n, side, _, k = stack.shape
    return np.asarray(stack.reshape(n, side // 2, 2, side // 2, 2, k).mean((2, 4)))


def smoothed(stack: Array) -> Array:
    """A stack (n, rows, columns, k) averaged over 3 × 3 px within each picture, the edges repeated."""
    if not len(stack):
        return stack
    n, rows, columns, k = stack.shape
    tall = np.pad(stack, ((0, 0), (1, 1), (0, 0), (0, 0)), mode="edge").reshape(n * (rows + 2), columns, k)
    return cv2.blur(tall, (3, 3), borderType=cv2.BORDER_REPLICATE).reshape(n, rows + 2, columns, k)[:, 1:-1]
