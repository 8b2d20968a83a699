"""Train the network that tells how like a photograph is to a drawing: companion/vision/likeness.npz.

    pip install torch
    python -m tests.vision.train_likeness 90 12 companion/vision/likeness.npz

renders and reads 12 harsh photographs each of 90 kits with art at random (tests/vision/random_kits.py), and of our own,
the six odd ones and the same in other colours; trains on them, most of the time with light added that nobody drew, so
that more than the renderer's own is borne; then fits how much the scores count to other photographs of the kits whose
art is not at random.  Some hours on two processors.  To be run again when drawings change, or what is compared.
PyTorch is needed for this alone.
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
from companion.vision.chances import log_odds
from companion.vision.claims import Study
from companion.vision.drawn import windows
from companion.vision.learned import Knowledge, knowledge_of
from companion.vision.likeness import LEAST_ODDS, MOST_ODDS, SPARSE, STEPS, is_first, left_of, likeliest, planes_of
from companion.vision.pieces import studies
from companion.vision.residue import misfit_of
from tests.vision.fit_chances import GAMES, photographed, placed, recoloured
from tests.vision.other_kits import draw_other_kits
from tests.vision.random_kits import random_kit

Array = np.ndarray[Any, Any]
SEED, OTHER_SEED, WEIGH_SEED = 30001, 30005, 888888
WIDTHS, KERNELS, UNITS = (20, 28, 40), (5, 3, 3), 32
EPOCHS, BATCH, RATE = 24, 96, 4e-3
LIT = 0.6  # of the batches have light added
OFTEN = 3  # times that a space of a kit whose art is not at random counts


@dataclass(frozen=True, eq=False)
class Example:
    """A space, and all that was asked of it: the planes that the network is given, and which explanations are right."""

    planes: Array  # (n, side, side, 11) float16
    right: Array  # (n,) bool
    odds: Array  # (n,) by its figures, of the first claim; 0 for all others
    first: Array  # (n,) bool
    often: int


def examples(kit: Kit, count: int, seed: int, often: int) -> Iterator[Example]:
    known = knowledge_of(kit)
    for number in range(count):
        pixels, truth = photographed(kit, seed, number, harsh=True)
        view = find_boards(pixels, known.boards, kit, None)
        if view is not None and placed(view, truth, kit):
            for found in studies(pixels, view, known.pieces, kit):
                yield from _of_study(found, truth, known, often)


def _of_study(found: Study, truth: dict[str, Any], known: Knowledge, often: int) -> Iterator[Example]:
    odds = log_odds(found, list(found.claims))
    for k, value in odds.items():
        space = found.sight.spaces[k].id
        if space in truth["hidden"]:
            continue
        asked = explanations(found, known.pieces, [k])
        seen = windows(found, known.pieces, asked)
        left = left_of(seen)
        some = likeliest(found, known.pieces, asked, misfit_of(left[..., ::SPARSE], seen.sigma).mean(1))
        asked, seen, left = [asked[row] for row in some], seen.rows(some), left[some]
        lies, crowd = tuple(truth["spaces"].get(space, ())), space in known.pieces.crowds
        right = [one.pieces == lies or (crowd and bool(one.pieces) and one.pieces[0] in lies) for _, one in asked]
        first = np.array([is_first(found, k, one) for _, one in asked])
        planes = planes_of(seen, left).astype(np.float16)
        yield Example(planes, np.array(right), first * np.clip(value, LEAST_ODDS, MOST_ODDS), first, often)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs = 11
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
    parts = []
    for number, one in enumerate(some):
        keep = one.right | one.first
        keep[random.permutation(np.flatnonzero(~keep))[:6]] = True
        parts.append((one.planes[keep], one.right[keep], one.odds[keep], np.full(keep.sum(), number)))
    planes, right, odds, owner = (np.concatenate(part) for part in zip(*parts, strict=True))
    planes = np.rot90(planes, int(random.integers(4)), (1, 2))
    planes = planes[:, :, ::-1] if random.random() < 0.5 else planes
    colours = random.permutation(3) if random.random() < 0.5 else np.arange(3)
    planes = planes[..., [*colours, *colours + 3, *colours + 6, 9, 10]]
    moved = np.ascontiguousarray(planes.transpose(0, 3, 1, 2), np.float32)
    return torch.from_numpy(moved), torch.from_numpy(right), torch.from_numpy(odds).float(), torch.from_numpy(owner)


def _lit(planes: Tensor, owner: Tensor, random: np.random.Generator) -> Tensor:
    """The same under a light that nobody drew, alike for all explanations of a space: a slope, the edge of a shadow, a
    spot of it, a rim's, a glint; and more noise."""
    n, side = int(owner.max()) + 1, planes.shape[-1]
    x, y = np.meshgrid(*[np.linspace(-1, 1, side)] * 2)

    def some(low: float, high: float, share: float = 1.0) -> Array:
        """A number for each space; nothing for those beyond a share of them."""
        return (random.uniform(low, high, n) * (random.random(n) < share))[:, None, None]

    def along() -> Array:
        angle = some(0, 2 * np.pi)
        return np.cos(angle) * x + np.sin(angle) * y

    def spot() -> Array:
        return np.exp(-((x - some(-1, 1)) ** 2 + (y - some(-1, 1)) ** 2) / (2 * some(0.12, 0.7) ** 2))

    shadow = some(0, 0.35, 0.3) / (1 + np.exp(-(along() - some(-1, 1)) / some(0.04, 0.6)))
    rim = some(-0.25, 0.6, 0.6) * np.exp(-(((np.hypot(x, y) - some(0.25, 0.85)) / some(0.03, 0.16)) ** 2))
    rim *= 1 + some(-1, 1) * np.cos(np.arctan2(y, x) - some(0, 2 * np.pi))
    factor = along() * some(0, 0.15, 0.5) - shadow - spot() * some(0, 0.3, 0.2) - rim
    glint = spot() * some(0, 45, 0.2)
    tint = 1 + random.uniform(-0.075, 0.075, (n, 3, 1, 1))
    of_space = [
        torch.from_numpy((of - of.mean((1, 2), keepdims=True))[:, None] * tint).float() for of in (factor, glint)
    ]
    sigma = 8 * torch.exp(planes[:, 10:11])  # as `planes_of` writes it, and the drawing, and what it leaves
    left = planes[:, :3] * 64 + of_space[0][owner] * (planes[:, 6:9] * 96 + 128) + of_space[1][owner]
    noise = torch.from_numpy(some(0, 0.6, 0.4)).float()[owner][:, None] * sigma
    left = left + noise * torch.from_numpy(random.standard_normal(left.shape)).float()
    return torch.cat([left / 64, torch.tanh(left / (3 * sigma)), planes[:, 6:]], 1)


def trained(seen: list[Example]) -> Net:
    torch.manual_seed(0)
    random, net = np.random.default_rng(5), Net()
    pool = np.repeat(np.arange(len(seen)), [one.often for one in seen])
    optimiser = torch.optim.AdamW(net.parameters(), weight_decay=5e-3)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=EPOCHS * (len(pool) // BATCH) + 1)
    for epoch in range(EPOCHS):
        order, total = random.permutation(pool), 0.0
        for start in range(0, len(pool) - BATCH + 1, BATCH):
            planes, right, odds, owner = _batch([seen[k] for k in order[start : start + BATCH]], random)
            if random.random() < LIT:
                planes = _lit(planes, owner, random)
            loss = loss_of(net(planes) + net.first * odds, net.none, right, owner).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            rates.step()
            total += float(loss)
        print(f"epoch {epoch}: loss {total / (len(pool) // BATCH):.4f}", flush=True)
    return net.eval()


def weighed(net: Net, seen: list[Example]) -> dict[str, Array]:
    """How much scores, odds, being first and there being none count, fitted to photographs not trained on."""
    with torch.no_grad():
        scores = torch.cat([net(torch.from_numpy(one.planes.transpose(0, 3, 1, 2).astype(np.float32))) for one in seen])
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


def main(kits: int, count: int, path: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        drawn = [*map(own_kit, GAMES), *map(load_kit, draw_other_kits(folder / "odd").values())]
        seen: list[Example] = []
        for number in range(kits):
            kit = random_kit(drawn[number % len(drawn)], folder / f"random-{number}", number)
            seen += examples(kit, count, SEED, 1)
        for number, kit in enumerate(drawn):
            seen += examples(kit, count, OTHER_SEED, OFTEN)
            seen += examples(recoloured(kit, folder / f"other-{number}", number), count, OTHER_SEED, OFTEN)
        net = trained(seen)
        held = [one for kit in drawn for one in examples(kit, max(1, count // 3), WEIGH_SEED, 1)]
        values = convolutions(net) | weighed(net, held)
    np.savez_compressed(path, **{name: value.astype(np.float16) for name, value in values.items()})


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
