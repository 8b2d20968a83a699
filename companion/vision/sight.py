"""One board in one photograph, under the light that falls on it, and how far its spaces look bare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from companion.kit import Board, Space
from companion.vision.fitting import POSE, basis_of, halved, misfit, planar, relit, roughness, shrunk, smoothed, solve
from companion.vision.light import Light, board_grid, light_of, seen_cells, shrink, spread_out
from companion.vision.rectify import Photo, cut
from companion.vision.view import View

Array = np.ndarray[Any, Any]

BARE_LARGE, BARE_SMALL = 24, 16  # px a side of a bare space; both with a whole half
MOST_LEVEL = 252.0  # of a saturated pixel
OFF_PX = 0.3  # by how much a picture that was aligned may be off
ROUGH_MOST = 400.0  # levels²: no more variance than this comes from being off
LOOSE_COST = 0.04  # for each factor e by which a pixel's variance is larger: what fits anything tells little
SMOOTHED = 0.5  # of the noise is left in a mean of 3 × 3 px
BOX_VARIANCE = 2 / 3  # px², of a mean of 3 × 3 px
MODEL_SIGMA = 8.0  # levels of 255 by which a print differs from its picture under an even light


@dataclass(frozen=True, eq=False)
class Bare:
    """What a space looks like with nothing on it, over a square of its longer side."""

    picture: Array  # (3, side, side) float32
    small: Array  # at half the side
    basis: Array  # (POSE + LIGHT, 3 · half side²): see fitting
    rough: Array  # (side, side)
    size_mm: float


@dataclass(frozen=True, eq=False)
class BoardKnowledge:
    """A board's picture by light cells, and where on it no piece is expected (1) or may lie (0)."""

    printed: Array
    plain: Array
    half: Array  # the picture by half light cells, (3, 2 · rows, 2 · columns) float32
    half_rough: Array  # its roughness (2 · rows, 2 · columns)


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
    fine = planar(cv2.GaussianBlur(seen.astype(np.float32), (0, 0), 0.6))
    small = halved(fine[None])
    return Bare(fine, small[0], basis_of(small)[0], roughness(fine[None])[0], size)


def know_board(picture: Array, board: Board, spaces: Sequence[Space]) -> BoardKnowledge:
    """What the light is taken from: a board's picture (BGR uint8) and where its spaces are."""
    rows, columns, cell = board_grid(board)
    plain = np.ones((rows, columns), np.float32)
    for space in spaces:
        (x, y), (w, h) = space.at_mm, space.size_mm
        left, right = (max(0, round((x + way * w / 2) / cell)) for way in (-1, 1))
        above, below = (max(0, round((y + way * h / 2) / cell)) for way in (-1, 1))
        plain[above:below, left:right] = 0
    half = planar(cv2.resize(picture, (2 * columns, 2 * rows), interpolation=cv2.INTER_AREA).astype(np.float32))
    return BoardKnowledge(shrink(picture, board), plain, half, roughness(half[None])[0])


@dataclass(frozen=True, eq=False)
class Sight:
    """One board in one photograph, and its spaces that are to be read."""

    photo: Photo
    view: View
    board: str
    spaces: tuple[Space, ...]
    at: Array  # (N, 2) mm, the spaces' centres
    gain: Array  # (N, 3) of the light there
    veil: Array  # (N, 3)
    most: Array  # (N, 3) what a saturated pixel stands for there, in levels of the print
    sigma: Array  # (N,) the spread of a pixel to be expected, in levels of the print
    fine_sigma: Array  # (N,) the same for a mean of 3 × 3 px
    camera: Array  # (3,) mm, its height positive
    light: Light
    strange: Array  # by half light cells: how badly the bare board explains the photograph, 0…1
    blur_mm2: float = 0.0  # by how much more the photograph is blurred than the pictures: variance

    def blurred(self, pictures: Array, px_mm: float) -> Array:
        """Pictures (n, 3, side, side) of `px_mm` mm a px as blurred as the photograph."""
        share = float(np.clip(self.blur_mm2 / (BOX_VARIANCE * px_mm * px_mm), -0.5, 1.5))
        return pictures + share * (smoothed(pictures) - pictures)

    def cut(self, centre: Array, turn: Array, height: Array, size_mm: float, side: int, space: Array) -> Array:
        """Patches (n, 3, side, side) as they would look under the light of the kit's pictures; `space` (n,) whose."""
        n = len(space)
        seen = cut(self.photo, self.view, self.board, centre, turn, height, size_mm, side).reshape(n * side, side, 3)
        gain = 1 / self.gain[space]
        veil = self.veil[space] * gain
        out = np.empty((n, 3, side, side), np.float32)
        for c in range(3):
            np.multiply(cv2.extractChannel(seen, c).reshape(n, side, side), gain[:, c, None, None], out=out[:, c])
            out[:, c] -= veil[:, c, None, None]
        return out

    def lean(self, at: Array, low_mm: Array | float, high_mm: Array | float) -> Array:
        """How far points (N, 2) at height `high_mm` appear shifted on the plane at `low_mm`: (N, 2) mm."""
        share = (np.asarray(high_mm) - low_mm) / np.maximum(self.camera[2] - high_mm, 1.0)
        return np.asarray((at - self.camera[:2]) * np.broadcast_to(share, (len(at),))[:, None])


def noise_of(pixels: Array) -> float:
    """The photograph's noise, one standard deviation in levels, from how much neighbours in a row bend."""
    part = pixels[5::11, :, 1].astype(np.float32)
    bend = part[:, 4:] - 2 * part[:, 2:-2] + part[:, :-4]
    return float(np.median(np.abs(bend))) / (0.6745 * 6**0.5)


def _strange(fine: Array, known: BoardKnowledge, light: Light, noise: float) -> Array:
    """How badly the bare board explains what is seen, by half light cells: 0…1."""
    gain, veil = planar(light.gain).repeat(2, 1).repeat(2, 2), planar(light.veil).repeat(2, 1).repeat(2, 2)
    off = smoothed(planar(fine) - veil - gain * known.half) / gain
    grain = SMOOTHED * noise / gain.mean(0)
    variance = (1.5 * MODEL_SIGMA) ** 2 + grain * grain + np.minimum(OFF_PX**2 * known.half_rough, 2 * ROUGH_MOST)
    return np.asarray(misfit(off[None], variance)[0])


def look(
    photo: Photo,
    view: View,
    board: Board,
    spaces: Sequence[Space],
    known: BoardKnowledge,
    noise: float,
    like: Light | None = None,
) -> Sight:
    """Take the light from the board, for reading these spaces of it; `like` is that on a larger board beside it."""
    fine, seen, inside = seen_cells(photo.levels[0], view, board)
    light = light_of(seen, inside, known.printed, known.plain, board_grid(board)[2], like)
    at = np.array([space.at_mm for space in spaces], float).reshape(-1, 2)
    gain, veil = light.at(at)
    grain = noise / gain.mean(1)
    sigma = np.sqrt(MODEL_SIGMA**2 + grain**2).astype(np.float32)
    fine_sigma = np.sqrt(MODEL_SIGMA**2 + (SMOOTHED * grain) ** 2).astype(np.float32)
    most = ((MOST_LEVEL - veil) / gain).astype(np.float32)
    strange = _strange(fine, known, light, noise)
    return Sight(
        photo,
        view,
        board.id,
        tuple(spaces),
        at,
        gain,
        veil,
        most,
        sigma,
        fine_sigma,
        view.camera_mm(board.id),
        light,
        strange,
    )


def _extra_blur(left: Array, pictures: Array, variance: Array) -> tuple[float, float]:
    """How much of the change by a mean of 3 × 3 px is in what is left of pictures: two sums to divide."""
    change = smoothed(pictures) - pictures
    left = smoothed(left)  # as for the picture's own misfit
    change = smoothed(change)
    weight = ((1 - misfit(left, variance)) ** 2)[:, None]
    return float((weight * left * change).sum()), float((weight * change * change).sum())


def compare_bare(sight: Sight, bares: Mapping[str, Bare]) -> tuple[Array, Array, Sight]:
    """How badly each space looks like itself when bare: misfits (N, BARE_LARGE, BARE_LARGE) in 0…1.

    Then the same with smooth changes of light left out, and the sight with its blur measured.
    """
    out = np.zeros((len(sight.spaces), BARE_LARGE, BARE_LARGE), np.float32)
    sharp = np.zeros_like(out)
    mine = [bares[space.id] for space in sight.spaces]
    makes: dict[tuple[float, int], list[int]] = {}
    for k, bare in enumerate(mine):
        makes.setdefault((bare.size_mm, bare.picture.shape[1]), []).append(k)
    laid = []
    grains = []
    along, across = 0.0, 1e-3
    for (size, side), numbers in makes.items():
        rows = np.array(numbers)
        zero = np.zeros(len(rows))
        seen = sight.cut(sight.at[rows], zero, zero, size, side, rows)
        small = np.array([mine[k].small for k in numbers])
        basis = np.array([mine[k].basis for k in numbers])
        most = sight.most[rows][..., None, None]
        off = (halved(seen) - np.minimum(small, most)).reshape(len(rows), 3, -1)
        left, sigma = off, sight.sigma[rows]
        for _ in range(2):
            weight = (1 - misfit(left, (sigma * sigma)[:, None])) ** 2
            amounts = solve(off, basis, weight, sigma)
            left = off - (amounts[:, None] @ basis).reshape(off.shape)
        pose = (amounts[:, None, :POSE] @ basis[:, :POSE]).reshape(small.shape).repeat(2, 2).repeat(2, 3)
        fine = np.array([mine[k].picture for k in numbers])
        px_mm = size / side
        left = seen - np.minimum(relit(fine, amounts[:, POSE:]) + pose, most)
        rough = np.array([mine[k].rough for k in numbers])
        variance = (sight.fine_sigma[rows] ** 2)[:, None, None] + np.minimum(OFF_PX**2 * rough, ROUGH_MOST)
        grains.append(np.median(np.abs(smoothed(left)).mean(1), (1, 2)) * 1.25 * sight.gain[rows].mean(1))
        u, v = _extra_blur(left, fine, variance)
        along, across = along + u * BOX_VARIANCE * px_mm**2, across + v
        laid.append((rows, fine, amounts, pose, seen, most, px_mm, variance))
    grain = float(np.quantile(np.concatenate(grains), 0.3)) / sight.gain.mean(1)
    sight = replace(
        sight,
        blur_mm2=float(np.clip(along / across, -1.0, 4.0)),
        fine_sigma=np.clip(np.sqrt(MODEL_SIGMA**2 + grain * grain), sight.fine_sigma, sight.sigma).astype(np.float32),
    )
    for rows, fine, amounts, pose, seen, most, px_mm, variance in laid:
        moved = relit(sight.blurred(fine, px_mm), amounts[:, POSE:]) + pose
        left = smoothed(seen - np.minimum(moved, most))
        variance = np.maximum(variance, (sight.fine_sigma[rows] ** 2)[:, None, None])
        wide = (np.arange(BARE_LARGE) * fine.shape[2]) // BARE_LARGE
        out[rows] = misfit(left, variance)[:, wide[:, None], wide]
        level = shrunk(left, 3)
        spread = spread_out(3, fine.shape[2])
        even = spread @ level @ spread.T
        sharp[rows] = misfit(left - even, variance)[:, wide[:, None], wide]
    return out, sharp, sight


def worst_blocks(bad: Array) -> Array:
    """The mean misfit of the worst block of each bare space's map (N, side, side): (N,)."""
    n, side, _ = bad.shape
    k = max(3, round(0.29 * side))
    sums = np.zeros((n, side + 1, side + 1), np.float32)
    np.cumsum(np.cumsum(bad, 1), 2, out=sums[:, 1:, 1:])
    blocks = sums[:, k:, k:] - sums[:, :-k, k:] - sums[:, k:, :-k] + sums[:, :-k, :-k]
    return np.asarray(blocks.max((1, 2)) / (k * k))


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
