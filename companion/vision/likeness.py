"""How like a photograph is to what an explanation draws: a small convolutional network, the same for every kit.

It sees a window of the photograph beside the drawing of it (see `drawn`) and gives a score; of all explanations of a
space, and that none of them is right, each has its share by the scores.  It was trained on rendered photographs of kits
with art at random, of our own and of the odd kits of the tests (tests/vision/train_likeness.py), and learns nothing of
the kit it is asked about.  What stays in doubt is shown to another as well, which was trained on pieces without rims
and cracks: the two seldom make the same mistake.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from companion.vision.alternatives import explanations, nearest
from companion.vision.claims import Explanation, Study
from companion.vision.drawn import Windows, windows
from companion.vision.knowledge import PieceKnowledge
from companion.vision.residue import SPARSE, light_on, misfit_of

Array = np.ndarray[Any, Any]

STEPS = (3, 1, 1)  # of the convolutions; the largest of 2 × 2 px is taken after the second
POOLED_AFTER = 1
AT_ONCE = 12  # explanations that are scored, for all that is worked out of them to stay in the processor's cache
MOST = 4  # explanations of a space by pieces of a group that are weighed
PLAIN = 0.97  # the share of a likely claim among what is nearest to it, from which nothing else is compared
LEAST_ODDS, MOST_ODDS = -3.0, 6.0  # of a claim by its figures: no more is believed of them
NEAR = 6.0  # of score: explanations of a space that are so far behind its best are not asked about again
# Of the score that none is right, where all that may lie there was compared and is asked about again: when the networks
# were trained, the truth was missing more often, and drawings were laid worse than they are now.
NONE_LESS = 3.0
HELD = 0.9  # of scores of what is asked about again: it would not be, had it been clear


@dataclass(frozen=True, eq=False)
class Network:
    kernels: tuple[Array, ...]  # (k, k, inputs, outputs) float32
    biases: tuple[Array, ...]
    hidden: Array  # (2 · outputs of the last, units)
    hidden_bias: Array
    out: Array  # (units,)
    out_bias: Array
    none: Array  # () the score of there being another explanation
    first: Array  # () by how much the log-odds count that its figures give the first claim on a space,
    first_bias: Array  # () and what it has before all others

    def scores(self, seen: Windows, left: Array) -> Array:
        """How well each of n explanations fits that leave so much of what is seen, (n, 3, px): (n,)."""
        x = _framed_planes(seen, left)
        for number, (kernel, bias) in enumerate(zip(self.kernels, self.biases, strict=True)):
            x = _convolved(_framed(x) if number else x, kernel, bias, STEPS[number])
            if number == POOLED_AFTER:
                x = np.maximum(x[:, ::2], x[:, 1::2])
                x = np.maximum(x[:, :, ::2], x[:, :, 1::2])
        pooled = np.concatenate([x.mean((1, 2)), x.max((1, 2))], 1)
        return np.asarray(np.maximum(pooled @ self.hidden + self.hidden_bias, 0) @ self.out + self.out_bias)


@dataclass(frozen=True, eq=False)
class Drawings:
    """Explanations beside what they should explain, under the light in which each does best."""

    seen: Windows
    gain: Array  # (n, 3, 1)
    veil: Array  # (n, 3, 1)
    odds: Array  # (n,) by its figures where it is the first claim on its space, not a number elsewhere

    def rows(self, which: Array | slice) -> Drawings:
        return Drawings(self.seen.rows(which), self.gain[which], self.veil[which], self.odds[which])

    def scores(self, network: Network) -> Array:
        """How well each does, and how much its figures tell for it: (n,)."""
        parts = (self.rows(slice(first, first + AT_ONCE)) for first in range(0, len(self.odds), AT_ONCE))
        told = [network.scores(part.seen, _left(part.seen, part.gain, part.veil)) for part in parts]
        return np.asarray(np.concatenate(told) + np.nan_to_num(network.first * self.odds + network.first_bias))


def planes_of(seen: Windows, left: Array) -> Array:
    """What the network is given: (n, side, side, 11) float32."""
    return _framed_planes(seen, left)[:, 1:-1, 1:-1]


def _framed_planes(seen: Windows, left: Array) -> Array:
    """The same with a px of nothing all around, as it is first convolved: (n, side + 2, side + 2, 11)."""
    n, _, side, _ = seen.drawn.shape
    out = np.zeros((n, side + 2, side + 2, 11), np.float32)
    planes, left = out[:, 1:-1, 1:-1].transpose(0, 3, 1, 2), left.reshape(seen.drawn.shape)
    sigma = seen.sigma[:, None, None, None]
    np.multiply(left, np.float32(1 / 64), out=planes[:, :3])
    np.tanh(left * (1 / (3 * sigma)), out=planes[:, 3:6])
    np.multiply(seen.drawn - np.float32(128), np.float32(1 / 96), out=planes[:, 6:9])
    planes[:, 9:10] = np.clip(np.log(seen.blur), -2, 2)[:, None, None, None]
    planes[:, 10:] = np.clip(np.log(sigma / 8), -1, 3)
    return out


def left_of(windows: Windows) -> Array:
    """What drawings leave of what is seen once each colour has found its gain and veil: (n, 3, px)."""
    return _left(windows, *light_of(windows))


def _left(windows: Windows, gain: Array, veil: Array, every: int = 1) -> Array:
    """What is left of every so many pixels under a gain and veil (n, 3, 1): (n, 3, px)."""
    seen, drawn = (x.reshape(len(x), 3, -1)[..., ::every] for x in (windows.seen, windows.drawn))
    return np.asarray(seen - gain * drawn - veil)


def light_of(windows: Windows) -> tuple[Array, Array]:
    seen, drawn = (x.reshape(len(x), 3, -1) for x in (windows.seen, windows.drawn))
    return light_on(seen, drawn, windows.sigma, SPARSE)


def _framed(x: Array) -> Array:
    """Pictures (n, h, w, inputs) with a px of nothing all around."""
    n, high, wide, inputs = x.shape
    out = np.zeros((n, high + 2, wide + 2, inputs), np.float32)
    out[:, 1:-1, 1:-1] = x
    return out


def _convolved(framed: Array, kernel: Array, bias: Array, step: int) -> Array:
    """Framed pictures (n, h, w, inputs) by kernels; nothing below 0."""
    k, _, inputs, outputs = kernel.shape
    n, high, wide, _ = framed.shape
    far, down, right, deep = framed.strides
    h, w = ((side - k) // step + 1 for side in (high, wide))
    views = as_strided(framed, (n, h, w, k, k, inputs), (far, down * step, right * step, down, right, deep))
    out = views.reshape(n * h * w, -1) @ kernel.reshape(-1, outputs)
    out += bias
    return np.asarray(np.maximum(out, 0, out=out).reshape(n, h, w, outputs))


@cache
def networks() -> tuple[Network, Network]:
    """The one that is asked of everything, and the one that is asked of what stays in doubt."""
    return _network("likeness.npz"), _network("likeness-plain.npz")


def _network(file: str) -> Network:
    with as_file(files("companion.vision").joinpath(file)) as path, np.load(path) as kept:
        layers = range(len(STEPS))
        kernels, biases = (tuple(kept[f"{name}{k}"].astype(np.float32) for k in layers) for name in ("kernel", "bias"))
        singles = ("hidden", "hidden_bias", "out", "out_bias", "none", "first", "first_bias")
        rest = {name: kept[name].astype(np.float32) for name in singles}
    return Network(kernels, biases, **rest)


def compared(
    found: Study, known: PieceKnowledge, odds: Mapping[int, float], likely: Collection[int] = ()
) -> dict[int, list[tuple[Explanation, float]]]:
    """Of each of some spaces: what may lie there with the chance of it, the likeliest first.

    `odds`, by space, are those of the first claim by its figures.  Where that is `likely`, all else that may lie there
    is compared only if the first claim does not stand out among what is nearest to it.
    """
    told = _shares(found, known, nearest(found, known, [k for k in odds if k in likely]), odds)
    plain = {k: ways for k, ways in told.items() if ways[0][1] >= PLAIN and is_first(found, k, ways[0][0])}
    rest = [k for k in odds if k not in plain]
    return {**plain, **_shares(found, known, explanations(found, known, rest), odds, again=True)}


def _shares(
    found: Study,
    known: PieceKnowledge,
    asked: list[tuple[int, Explanation]],
    odds: Mapping[int, float],
    again: bool = False,
) -> dict[int, list[tuple[Explanation, float]]]:
    """As `compared`, of the spaces of explanations that are asked about; what stays in doubt is asked about `again`."""
    if not asked:
        return {}
    seen = windows(found, known, asked)
    gain, veil = light_of(seen)
    some = likeliest(found, known, asked, misfit_of(_left(seen, gain, veil, SPARSE), seen.sigma).mean(1))
    asked = [asked[row] for row in some]
    drawings = Drawings(seen.rows(some), gain[some], veil[some], _odds_of_first(found, asked, odds))
    first, second = networks()
    scores = drawings.scores(first)
    out: dict[int, list[tuple[Explanation, float]]] = {}
    space = np.array([k for k, _ in asked])
    for k in dict.fromkeys(space.tolist()):
        own = np.flatnonzero(space == k)
        explained = [asked[i][1] for i in own]
        out[k] = _weighed(explained, scores[own], float(first.none))
        if again and out[k][0][1] < PLAIN:
            near = own[scores[own] > scores[own].max() - NEAR]
            scores[near] = (scores[near] + drawings.rows(near).scores(second)) / 2
            none = float(first.none + second.none) / 2 - NONE_LESS
            out[k] = _weighed(explained, HELD * scores[own], HELD * none)
    return out


def _odds_of_first(found: Study, asked: Sequence[tuple[int, Explanation]], odds: Mapping[int, float]) -> Array:
    """Of explanations that are the first claim on a space its odds by its figures, of others not a number: (n,)."""
    of = [np.clip(odds[k], LEAST_ODDS, MOST_ODDS) if is_first(found, k, one) else np.nan for k, one in asked]
    return np.array(of, np.float32)


def _weighed(asked: list[Explanation], scores: Array, none: float) -> list[tuple[Explanation, float]]:
    """The chances of explanations of one space by their scores and that of there being another, the likeliest first."""
    most = max(float(scores.max()), none)
    share = np.exp(scores - most)
    return _by_pieces(asked, share / (share.sum() + np.exp(none - most)))


def likeliest(found: Study, known: PieceKnowledge, asked: Sequence[tuple[int, Explanation]], misfit: Array) -> Array:
    """The rows that are weighed: first claims and what may lie on them, bare spaces, and the MOST of each group that do
    best.

    Those with bases of one group have windows of one size; others cannot be compared by their misfits.
    """
    of = [(k, known.number_of(one.base.name) if one.base else -1) for k, one in asked]
    ranks: dict[tuple[int, int], int] = {}
    some = []
    for row in np.argsort(misfit).tolist():
        ranks[of[row]] = ranks.get(of[row], 0) + 1
        k, one = asked[row]
        if ranks[of[row]] <= MOST or is_first(found, k, one) or _lies_on_first(found, k, one):
            some.append(row)
    return np.sort(some)


def _lies_on_first(found: Study, k: int, one: Explanation) -> bool:
    """Whether an explanation has something on the first claim on a space, which claims nothing there."""
    claim = found.claims[k][0]
    return claim.claimed_top is None and one.top is not None and one.base == claim.base


def is_first(found: Study, k: int, one: Explanation) -> bool:
    """Whether an explanation is the first claim on a space."""
    claim = found.claims[k][0]
    return one.base == claim.base and one.top == claim.claimed_top


def _by_pieces(asked: list[Explanation], share: Array) -> list[tuple[Explanation, float]]:
    """Of those with the same pieces the likeliest, with the chance of all of them."""
    chance: dict[tuple[str, ...], float] = {}
    for one, part in zip(asked, share, strict=True):
        chance[one.pieces] = chance.get(one.pieces, 0.0) + float(part)
    best = {asked[i].pieces: asked[i] for i in np.argsort(share)}
    return sorted(((best[pieces], part) for pieces, part in chance.items()), key=lambda told: -told[1])
