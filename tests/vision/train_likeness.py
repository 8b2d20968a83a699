"""Train the networks that tell how like a photograph is to a drawing: companion/vision/likeness.npz and rivals.npz.

    pip install torch
    python -m tests.vision.train_likeness 90 12 likeness
    python -m tests.vision.train_likeness 90 12 rivals

renders and reads 12 harsh photographs each of 90 kits with art at random (tests/vision/random_kits.py), and of our own,
the six odd ones and the same in other colours; trains on them, most of the time with light added that nobody drew, so
that more than the renderer's own is borne; then fits how much the scores count to other photographs of the kits whose
art is not at random.  Some hours on two processors.  To be run again when drawings change, or what is compared; the
second after the first, for it learns from what that leaves in doubt.  PyTorch is needed for this alone.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from companion.commands import own_kit
from companion.kit import Kit, load_kit
from companion.vision.alternatives import explanations
from companion.vision.board import find_boards
from companion.vision.chances import chances, log_odds
from companion.vision.claims import Study
from companion.vision.drawn import WINDOW, Windows, windows
from companion.vision.knowledge import PieceKnowledge
from companion.vision.learned import knowledge_of
from companion.vision.likeness import (
    LEAST_ODDS,
    MOST_ODDS,
    MOST_SCORE,
    PLANES,
    SETTLED,
    SPARSE,
    STEPS,
    Asked,
    is_first,
    left_of,
    likeliest,
    network,
    planes_of,
    rivals_of_each,
    scored,
    shares,
    side_by_side,
)
from companion.vision.moved import moved
from companion.vision.pieces import CLEAR, HOPELESS, studies
from companion.vision.residue import misfit_of
from tests.vision.fit_chances import GAMES, photographed, placed, recoloured
from tests.vision.other_kits import draw_other_kits
from tests.vision.random_kits import random_kit

Array = np.ndarray[Any, Any]
SEED, OTHER_SEED, WEIGH_SEED = 30001, 30005, 888888
WIDTHS, KERNELS, UNITS = (20, 28, 40), (5, 3, 3), 32
EPOCHS, BATCH, RATE = 24, 96, 4e-3
ASKED, MOST_ASKED, OTHERS = 10, 16, 6  # spaces of a board that are taken, asked for rivals, taken though settled
WRONG = 6  # explanations of a space that are wrong, of which it is trained at a time
LIT = 0.6  # of the batches have light added
OFTEN = 3  # times that a space of a kit whose art is not at random counts


@dataclass(frozen=True, eq=False)
class Example:
    """A space, and all that was asked of it: drawings, what they leave, and which explanations are right."""

    left: Array  # (n, 3, px) int8, half levels
    drawn: Array  # (n, 3, px) uint8
    telling: Array  # (n, px) uint8, of 255
    blur: Array  # (n,)
    sigma: Array  # (n,)
    right: Array  # (n,) bool
    odds: Array  # (n,) by its figures, of the first claim, 0 for all others; or the scores of the other network
    first: Array  # (n,) bool
    often: int = 1


def examples(kit: Kit, count: int, seed: int, often: int, of: str) -> Iterator[Example]:
    """Of `count` harsh photographs of a kit, for the network `of` that name."""
    known, random = knowledge_of(kit), np.random.default_rng(seed)
    for number in range(count):
        pixels, truth = photographed(kit, seed, number, harsh=True)
        view = find_boards(pixels, known.boards, kit, None)
        if view is not None and placed(view, truth, kit):
            for found in studies(pixels, view, known.pieces, kit):
                yield from (_of_rivals if of == "rivals" else _of_all)(found, truth, known.pieces, often, random)


def _asked(found: Study, truth: dict[str, Any], random: np.random.Generator) -> tuple[dict[int, float], list[int]]:
    """The odds of first claims, and some spaces in view that would be compared."""
    odds = log_odds(found, list(found.claims))
    likely = chances(found, odds)
    seen = [k for k in odds if HOPELESS < likely[k] < CLEAR and found.sight.spaces[k].id not in truth["hidden"]]
    return odds, random.permutation(seen).tolist()


def _of_all(
    found: Study, truth: dict[str, Any], known: PieceKnowledge, often: int, random: np.random.Generator
) -> Iterator[Example]:
    odds, spaces = _asked(found, truth, random)
    for k in spaces[:ASKED]:
        asked = explanations(found, known, [k])
        seen = windows(found, known, asked)
        misfit = misfit_of(left_of(seen)[..., ::SPARSE], seen.sigma).mean(1)
        some = likeliest(found, known, asked, misfit)
        asked, seen = [asked[row] for row in some], seen.rows(some)
        first = np.array([is_first(found, k, one) for _, one in asked])
        before = first * np.clip(odds[k], LEAST_ODDS, MOST_ODDS)
        yield _example(seen, _right(found, truth, known, asked), before, first, often)


def _of_rivals(
    found: Study, truth: dict[str, Any], known: PieceKnowledge, often: int, random: np.random.Generator
) -> Iterator[Example]:
    """Of all spaces that stay in doubt, and of some others."""
    odds, spaces = _asked(found, truth, random)
    others = 0
    for k in spaces[:MOST_ASKED]:
        asked, scores = scored(found, known, explanations(found, known, [k]), odds)
        others += shares(asked, scores, network().none)[k][0][1] >= SETTLED
        if others <= OTHERS or shares(asked, scores, network().none)[k][0][1] < SETTLED:
            best = rivals_of_each(asked, scores, {k})
            laid = moved(found, known, [asked[row] for row in best])
            before, first = np.clip(scores[best], -MOST_SCORE, MOST_SCORE), np.zeros(len(best), bool)
            seen = side_by_side(found, known, laid)
            yield _example(seen, _right(found, truth, known, laid), before, first, often)


def _right(found: Study, truth: dict[str, Any], known: PieceKnowledge, asked: Asked) -> Array:
    """Which explanations of one space are right (n,); where pieces may crowd, one of those that lie there will do."""
    space = found.sight.spaces[asked[0][0]].id
    lies, crowd = tuple(truth["spaces"].get(space, ())), space in known.crowds
    return np.array([one.pieces == lies or (crowd and bool(one.pieces) and one.pieces[0] in lies) for _, one in asked])


def _example(seen: Windows, right: Array, before: Array, first: Array, often: int) -> Example:
    n = len(right)
    return Example(
        np.clip(np.rint(left_of(seen) / 2), -127, 127).astype(np.int8),
        np.clip(np.rint(seen.drawn), 0, 255).astype(np.uint8).reshape(n, 3, -1),
        np.rint(seen.telling * 255).astype(np.uint8).reshape(n, -1),
        seen.blur,
        seen.sigma,
        right,
        before,
        first,
        often,
    )


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs = PLANES
        for number, (width, kernel) in enumerate(zip(WIDTHS, KERNELS, strict=True)):
            layers += [nn.Conv2d(inputs, width, kernel, STEPS[number], 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
            layers += [nn.MaxPool2d(2)] if number == 1 else []
            inputs = width
        self.convolved = nn.Sequential(*layers)
        self.told = nn.Sequential(nn.Linear(2 * inputs, UNITS), nn.ReLU(), nn.Linear(UNITS, 1))
        self.none = nn.Parameter(torch.zeros(1))
        self.first = nn.Parameter(torch.tensor(0.7))

    def forward(self, planes: Tensor) -> Tensor:
        x = self.convolved(planes)
        told: Tensor = self.told(torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1))[:, 0]
        return told


def loss_of(scores: Tensor, none: Tensor, right: Tensor, owner: Tensor) -> Tensor:
    """By space: how unlikely the right explanations are, or that none is right where none of them is."""
    n = int(owner.max()) + 1
    most = torch.full((n,), -30.0).scatter_reduce(0, owner, scores, "amax").maximum(none).detach()
    share = torch.exp(scores - most[owner])
    rest = torch.exp(none - most)
    good = torch.zeros(n).index_add(0, owner, share * right)
    any_right = torch.zeros(n).index_add(0, owner, right.float()) > 0
    return torch.log(rest.index_add(0, owner, share)) - torch.log(torch.where(any_right, good, rest) + 1e-12)


def _batch(some: list[Example], random: np.random.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Planes turned one way, right, odds and owners; of each space the first few explanations and some others."""
    kept = []
    for one in some:
        keep = one.right | one.first
        keep[random.permutation(np.flatnonzero(~keep))[:WRONG]] = True
        kept.append(np.flatnonzero(keep))
    owner = np.repeat(np.arange(len(some)), [len(rows) for rows in kept])

    def of(name: str) -> Array:
        return np.concatenate([getattr(one, name)[rows] for one, rows in zip(some, kept, strict=True)])

    left, drawn = 2 * of("left").astype(np.float32), of("drawn").astype(np.float32)
    telling, sigma = of("telling").astype(np.float32) / 255, of("sigma")
    if random.random() < LIT:
        left = _lit(left, drawn, sigma, owner, random)
    turn, flip = int(random.integers(4)), random.random() < 0.5
    colours = random.permutation(3) if random.random() < 0.5 else np.arange(3)

    def turned(planes: Array) -> Array:
        square = np.rot90(planes.reshape(len(planes), -1, WINDOW, WINDOW), turn, (2, 3))
        return np.ascontiguousarray(square[..., ::-1] if flip else square)

    drawn, left = turned(drawn[:, colours]), turned(left[:, colours]).reshape(len(left), 3, -1)
    seen = Windows(drawn, drawn, turned(telling)[:, 0], of("blur"), sigma)
    planes = torch.from_numpy(planes_of(seen, left)).permute(0, 3, 1, 2)
    return planes, torch.from_numpy(of("right")), torch.from_numpy(of("odds")).float(), torch.from_numpy(owner)


def _lit(left: Array, drawn: Array, sigma: Array, owner: Array, random: np.random.Generator) -> Array:
    """What is left (n, 3, px) under a light that nobody drew, alike for all explanations of a space: a slope, the edge
    of a shadow, a spot of it, a rim's, a glint; by a camera that mixes colours otherwise, with more noise."""
    n = int(owner.max()) + 1
    x, y = (of.ravel() for of in np.meshgrid(*[np.linspace(-1, 1, WINDOW)] * 2))

    def some(low: float, high: float, share: float = 1.0) -> Array:
        """A number for each space; nothing for those beyond a share of them."""
        return (random.uniform(low, high, n) * (random.random(n) < share))[:, None]

    def along() -> Array:
        angle = some(0, 2 * np.pi)
        return np.cos(angle) * x + np.sin(angle) * y

    def spot() -> Array:
        return np.exp(-((x - some(-1, 1)) ** 2 + (y - some(-1, 1)) ** 2) / (2 * some(0.12, 0.7) ** 2))

    shadow = some(0, 0.35, 0.3) / (1 + np.exp(-(along() - some(-1, 1)) / some(0.04, 0.6)))
    off_x, off_y = x - some(-0.4, 0.4, 0.5), y - some(-0.4, 0.4, 0.5)
    rim = some(-0.25, 0.6, 0.6) * np.exp(-(((np.hypot(off_x, off_y) - some(0.25, 0.85)) / some(0.03, 0.16)) ** 2))
    rim *= 1 + some(-1, 1) * np.cos(np.arctan2(off_y, off_x) - some(0, 2 * np.pi))
    factor = along() * some(0, 0.15, 0.5) - shadow - spot() * some(0, 0.3, 0.2) - rim
    glint = spot() * some(0, 45, 0.2)
    tint = 1 + random.uniform(-0.075, 0.075, (n, 3, 1))
    slope, add = (
        ((of - of.mean(1, keepdims=True))[:, None] * tint).astype(np.float32)[owner] for of in (factor, glint)
    )
    mixed = random.uniform(-0.07, 0.07, (n, 3, 3)) * (random.random((n, 1, 1)) < 0.4)
    mixed[:, range(3), range(3)] -= mixed.sum(2)  # grey stays as it is
    seen = left + drawn
    left = left + slope * drawn + add + mixed.astype(np.float32)[owner] @ (seen - seen.mean(2, keepdims=True))
    noise = (some(0, 0.6, 0.4)[owner] * sigma[:, None]).astype(np.float32)[..., None]
    return np.asarray(left + noise * random.standard_normal(left.shape, np.float32))


def trained(seen: list[Example]) -> Net:
    torch.manual_seed(0)
    random, net = np.random.default_rng(5), Net().to(memory_format=torch.channels_last)
    pool = np.repeat(np.arange(len(seen)), [one.often for one in seen])
    optimiser = torch.optim.AdamW(net.parameters(), weight_decay=5e-3)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=EPOCHS * (len(pool) // BATCH) + 1)
    for epoch in range(EPOCHS):
        order, total = random.permutation(pool), 0.0
        for start in range(0, len(pool) - BATCH + 1, BATCH):
            planes, right, odds, owner = _batch([seen[k] for k in order[start : start + BATCH]], random)
            loss = loss_of(net(planes) + net.first * odds, net.none, right, owner).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            rates.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / (len(pool) // BATCH):.4f}", flush=True)
    return net.eval()


def _planes(one: Example) -> Tensor:
    drawn = one.drawn.astype(np.float32).reshape(-1, 3, WINDOW, WINDOW)
    telling = one.telling.astype(np.float32).reshape(-1, WINDOW, WINDOW) / 255
    planes = planes_of(Windows(drawn, drawn, telling, one.blur, one.sigma), 2 * one.left.astype(np.float32))
    return torch.from_numpy(planes).permute(0, 3, 1, 2)


def weighed(net: Net, seen: list[Example]) -> dict[str, Array]:
    """How much scores, odds, being first and there being none count, fitted to photographs not trained on."""
    with torch.no_grad():
        scores = torch.cat([net(_planes(one)) for one in seen])
    right, odds, first = (
        torch.from_numpy(np.concatenate([getattr(one, name) for one in seen])) for name in ("right", "odds", "first")
    )
    owner = torch.from_numpy(np.repeat(np.arange(len(seen)), [len(one.right) for one in seen]))
    counts = torch.tensor([0.0, float(net.first), float(net.none), 0.0], requires_grad=True)
    optimiser = torch.optim.LBFGS([counts], max_iter=60)

    def step() -> Tensor:
        optimiser.zero_grad()
        together = torch.exp(counts[0]) * scores + counts[1] * odds.float() + counts[3] * first
        loss = loss_of(together, counts[2], right, owner).mean()
        loss.backward()
        return loss

    optimiser.step(step)
    scale, odds_count, none, first_bias = (float(value) for value in counts)
    told = net.told
    return {
        "hidden": told[0].weight.detach().numpy().T,
        "hidden_bias": told[0].bias.detach().numpy(),
        "out": told[2].weight.detach().numpy()[0] * np.exp(scale),
        "out_bias": told[2].bias.detach().numpy()[0] * np.exp(scale),
        "none": np.array(none),
        "first": np.array(odds_count),
        "first_bias": np.array(first_bias),
    }


def convolutions(net: Net) -> dict[str, Array]:
    """Kernels and biases, with what the layers after them do to each output."""
    layers, out = list(net.convolved), dict[str, Array]()
    pairs = [(a, b) for a, b in pairwise(layers) if isinstance(a, nn.Conv2d)]
    for number, (kernel, norm) in enumerate(pairs):
        assert isinstance(norm, nn.BatchNorm2d) and norm.running_var is not None and norm.running_mean is not None
        gain = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
        out[f"kernel{number}"] = (kernel.weight.detach() * gain[:, None, None, None]).numpy().transpose(2, 3, 1, 0)
        out[f"bias{number}"] = (norm.bias - norm.running_mean * gain).detach().numpy()
    return out


def main(kits: int, count: int, of: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        drawn = [*map(own_kit, GAMES), *map(load_kit, draw_other_kits(folder / "odd").values())]
        seen: list[Example] = []
        for number in range(kits):
            kit = random_kit(drawn[number % len(drawn)], folder / f"random-{number}", number)
            seen += examples(kit, count, SEED, 1, of)
        for number, kit in enumerate(drawn):
            seen += examples(kit, count, OTHER_SEED, OFTEN, of)
            seen += examples(recoloured(kit, folder / f"other-{number}", number), count, OTHER_SEED, OFTEN, of)
        net = trained(seen)
        held = [one for kit in drawn for one in examples(kit, max(1, count // 3), WEIGH_SEED, 1, of)]
        values = convolutions(net) | weighed(net, held)
    path = Path("companion") / "vision" / f"{of}.npz"
    np.savez_compressed(path, **{name: value.astype(np.float16) for name, value in values.items()})


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
