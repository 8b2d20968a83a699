"""What the pieces of a kit look like: upright pictures for close comparison, and a learned space for a first guess.

Pieces of one size, height and shape make a group.  Colours are blue, green, red in 0…255 as float32, as printed.
A group's fine picture covers exactly the piece, `side` pixels wide; its coarse picture is a round window of
`COARSE` pixels, taken at every turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit, Piece
from companion.vision.fitting import basis_of, misfit, planar, products_of, roughness, shrunk, smoothed

Array = np.ndarray[Any, Any]

FINE_MOST, FINE_LEAST = 32, 16  # px a side
FINE_SHARE = 580  # px for the whole length of the longest board, by which a piece's fine picture is measured
SMALL = 12  # px a side of the pictures that are aligned
COARSE_SHARE = 0.56  # of the fine picture's side
TURNS = 36  # 10 degrees apart
ALIKE = 4  # classes that are told apart from each one closely
AXES = 48  # of the learned space
SAME_VARIANCE = 100.0  # levels²: two pictures that differ by no more than this look the same
SAMPLES = 7200  # augmented pictures a group


@dataclass(frozen=True, eq=False)
class Learned:
    """A space in which round windows of a picture lie near the points of their class and turn, in spite of the camera.

    A window (3 · px,) has its colours first.
    """

    px: Array  # (2, px) int: rows and columns of a window's px
    axes: Array  # (3 · px, k)
    origin: Array  # (k,) where the mean of all classes lies along them
    products: Array  # (k + 2, classes · turns): of which squared distances to the points are made, see guess
    colour: Array  # (3,) of the mean

    @classmethod
    def of(cls, window: Array, mean: Array, axes: Array, points: Array) -> Learned:
        square = np.einsum("ij,ij->i", points, points)[:, None]
        products = np.ascontiguousarray(np.concatenate([-2 * points, np.ones_like(square), square], 1).T)
        return cls(np.array(np.nonzero(window)), axes, mean @ axes, products, mean.reshape(3, -1).mean(1))


@dataclass(frozen=True, eq=False)
class Group:
    """Pieces of one size, height and shape."""

    names: tuple[str, ...]
    size_mm: tuple[float, float]
    height_mm: float
    shape: str
    side: int
    pictures: Array  # (classes, 3, side, side) float32
    masks: Array  # (classes, side, side) float32 in 0…1
    change: Array  # by a mean of 3 × 3 px: how a blur shows in the pictures
    small: Array  # (classes, 3, SMALL²)
    small_masks: Array  # (classes, SMALL²)
    rough: Array  # (classes, side, side) roughness of the pictures
    small_rough: Array  # (classes, SMALL²) of the small ones
    basis: Array  # (classes, POSE + LIGHT, 3 · SMALL²): see fitting
    products: Array  # (classes, SMALL², pairs) of every two of the basis
    alike: Array  # (classes, up to ALIKE) int: the classes that look most alike
    crossed: Array  # (side², pairs): the products, px by px, of every two pictures, summed over colours
    coarse: int  # px a side of the coarse window
    windows: Learned  # of `coarse` px
    clean: Array  # (classes · TURNS, 3, px / 2): what the points stand for, every other pixel of the window
    clean_rough: Array  # (classes · TURNS, px / 2) their roughness
    even: bool  # all turns look nearly alike

    @property
    def turns(self) -> int:
        """At which each class is a point of the learned space."""
        return len(self.clean) // len(self.names)

    @property
    def reach_mm(self) -> float:
        return max(self.size_mm)

    @property
    def colours(self) -> Array:
        """The mean colour of each class: (classes, 3)."""
        return np.asarray((self.pictures * self.masks[:, None]).sum((2, 3)) / self.masks.sum((1, 2))[:, None])


def flat(picture: Array) -> tuple[Array, Array]:
    """Colours (h, w, 3) and opacity (h, w) in 0…1, float32, of a BGR or BGRA uint8 picture.

    Under full transparency the colours are the outline's, so that shrinking does not bleed.
    """
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    colours = picture[..., :3].astype(np.float32)
    if picture.shape[2] == 3:
        return colours, np.ones(picture.shape[:2], np.float32)
    alpha = picture[..., 3].astype(np.float32) / 255
    k = max(3, picture.shape[0] // 8 * 2 + 1)
    near = cv2.blur(colours * alpha[..., None], (k, k)) / (cv2.blur(alpha, (k, k)) + 1e-3)[..., None]
    return colours * alpha[..., None] + near * (1 - alpha[..., None]), alpha


def _shrunk(picture: Array, side: int) -> Array:
    return cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)


def _turned(colours: Array, turn: float, shift: tuple[float, float], side: int) -> Array:
    """A fine picture seen in a coarse window of `side` px, turned (radians) and shifted (window px)."""
    half = (colours.shape[0] - 1) / 2
    zoom = colours.shape[0] / side
    cos, sin = np.cos(turn) * zoom, np.sin(turn) * zoom
    middle = (side - 1) / 2
    x0 = half - cos * (middle + shift[0]) - sin * (middle + shift[1])
    y0 = half + sin * (middle + shift[0]) - cos * (middle + shift[1])
    matrix = np.array([[cos, sin, x0], [-sin, cos, y0]])
    return cv2.warpAffine(
        colours, matrix, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )


def _augmented(picture: Array, random: np.random.Generator, tops: Sequence[Array], spot: float) -> Array:
    """What a camera may make of a coarse picture (side, side, 3): light, veil, blur, noise, a disc lying on it."""
    side = picture.shape[0]
    out = picture.copy()
    if tops and random.random() < 0.7:
        colour = tops[int(random.integers(len(tops)))]
        y, x = np.mgrid[:side, :side]
        at = random.uniform(0.2, 0.8, 2) * side
        out[(x - at[0]) ** 2 + (y - at[1]) ** 2 < (spot * side / 2) ** 2] = colour
    ramp = np.linspace(-1, 1, side, dtype=np.float32) * random.normal(0, 0.06)
    gain = np.exp(random.normal(0, 0.2) + random.normal(0, 0.08, 3)) * (1 + ramp)[:, None]
    out = out * (gain[:, None] if random.random() < 0.5 else gain[None]) + random.normal(0, 15) + random.normal(0, 6, 3)
    out = cv2.GaussianBlur(out.astype(np.float32), (0, 0), random.uniform(0.2, 0.8))
    return np.asarray(out + random.normal(0, random.uniform(3, 14), out.shape).astype(np.float32))


def _round_window(side: int) -> Array:
    y, x = np.mgrid[:side, :side] - (side - 1) / 2
    return np.asarray(np.hypot(x, y) <= side * 0.47)


def _coarse_space(
    fine: Array, coarse: int, tops: Sequence[Array], spot: float, turns: int, aside_px: float
) -> tuple[Learned, Array, Array]:
    """The learned space of windows of `coarse` px that may be off by so many px, what its points stand for, and the
    roughness of that.

    Its directions tell classes and turns apart in spite of the camera.  Linear
    discriminant analysis; every class at every turn is a class of its own.
    """
    random = np.random.default_rng(20240)
    window = _round_window(coarse)
    soft = [cv2.GaussianBlur(f, (0, 0), fine.shape[1] / coarse * 0.5) for f in fine]
    steps = [2 * np.pi * t / turns for t in range(turns)]
    whole = np.array([_turned(f, s, (0, 0), coarse) for f in soft for s in steps])
    rough = roughness(planar(whole))[:, window]
    clean = whole[:, window].reshape(len(whole), -1)
    each = max(1, SAMPLES // len(clean))
    within = np.zeros((clean.shape[1],) * 2)
    for k, row in enumerate(clean):
        c, t = divmod(k, turns)
        off = []
        for _ in range(each):
            turn = steps[t] + random.uniform(-0.5, 0.5) * 2 * np.pi / max(turns, TURNS // 2)
            shift = tuple(random.uniform(-aside_px, aside_px, 2))
            seen = _turned(soft[c], turn, shift, coarse)
            off.append(_augmented(seen, random, tops, spot)[window].ravel() - row)
        rows = np.array(off)
        within += rows.T @ rows
    within /= len(clean) * each
    within += np.eye(len(within)) * (0.02 * np.trace(within) / len(within) + 4)
    mean = clean.mean(0)
    root = np.linalg.cholesky(within)
    whitened = np.linalg.solve(root, (clean - mean).T).T
    _, _, vt = np.linalg.svd(whitened, full_matrices=False)
    axes = np.linalg.solve(root.T, vt[:AXES].T)
    points = ((clean - mean) @ axes).astype(np.float32)
    by_colour = np.arange(len(mean)).reshape(-1, 3).T.ravel()
    mean, axes = (np.ascontiguousarray(of[by_colour], np.float32) for of in (mean, axes))
    learned = Learned.of(window, mean, axes, points)
    return learned, clean.reshape(len(clean), -1, 3), rough


def _alike(pictures: Array, masks: Array) -> Array:
    """For each class the others that look most like it: (classes, up to ALIKE) int."""
    n = len(pictures)
    apart = np.full((n, n), np.inf)
    for a in range(n):
        bad = misfit(pictures - pictures[a], SAME_VARIANCE)
        apart[a] = (bad * masks).sum((1, 2))
        apart[a, a] = np.inf
    return np.argsort(apart, 1)[:, : min(ALIKE, n - 1)]


def _group(pieces: list[Piece], pictures: Mapping[str, Array], side: int, tops: Sequence[Array], spot: float) -> Group:
    coarse = round(COARSE_SHARE * side / 2) * 2
    flats = [flat(pictures[piece.name]) for piece in pieces]
    fine = np.array([_shrunk(colours, side) for colours, _ in flats])
    masks = np.array([_shrunk(alpha, side) for _, alpha in flats])
    window = _round_window(coarse)
    turned = [_turned(f, 1.9, (0, 0), coarse)[window] - _turned(f, 0, (0, 0), coarse)[window] for f in fine]
    even = pieces[0].shape == "disc" and float(np.sqrt(np.mean(np.square(turned)))) < 6
    learned, clean, rough = _coarse_space(fine, coarse, tops, spot, 1 if even else TURNS, 0.6)
    first = pieces[0]
    soft = planar(np.array([cv2.GaussianBlur(f, (0, 0), 0.7) for f in fine]))
    small = shrunk(soft, SMALL)
    basis = basis_of(small)
    return Group(
        tuple(piece.name for piece in pieces),
        first.size_mm,
        first.height_mm,
        first.shape,
        side,
        soft,
        masks,
        smoothed(soft) - soft,
        small.reshape(len(small), 3, -1),
        shrunk(masks, SMALL).reshape(len(small), -1),
        roughness(soft),
        roughness(small).reshape(len(small), -1),
        basis,
        products_of(basis),
        _alike(soft, masks),
        products_of(soft.reshape(1, len(soft), -1))[0],
        coarse,
        learned,
        np.ascontiguousarray(clean[:, ::2].swapaxes(1, 2), np.float32),
        np.ascontiguousarray(rough[:, ::2]),
        even,
    )


def _mean_colour(picture: Array) -> Array:
    colours, alpha = flat(picture)
    return np.asarray((colours * alpha[..., None]).sum((0, 1)) / alpha.sum())


def learn_groups(kit: Kit, pictures: Mapping[str, Array]) -> tuple[Group, ...]:
    """The groups of a kit's pieces, from their pictures by class (BGR or BGRA uint8), the largest first."""
    by_make: dict[tuple[tuple[float, float], float, str], list[Piece]] = {}
    for piece in kit.pieces:
        by_make.setdefault((piece.size_mm, piece.height_mm, piece.shape), []).append(piece)
    makes = sorted(by_make.items(), key=lambda item: -max(item[0][0]))
    longest = max(max(board.size_mm) for board in kit.boards)
    groups = []
    for (size, _, _), pieces in makes:
        smaller = [p for p in kit.pieces if max(p.size_mm) <= 0.8 * max(size)]
        tops = [_mean_colour(pictures[p.name]) for p in smaller]
        spot = max((max(p.size_mm) for p in smaller), default=0.0) / max(size)
        side = int(np.clip(round(max(size) / longest * FINE_SHARE / 2) * 2, FINE_LEAST, FINE_MOST))
        groups.append(_group(pieces, pictures, side, tops, spot))
    return tuple(groups)
