"""How likely a claim is right: what tells for it and against it, weighed by what was learned from photographs.

What is seen of a space is a row of figures; a small network (one hidden layer) turns them into log-odds.  Its weights
were fitted to rendered photographs of many kits, where the truth is known, as tests/vision/fit_chances.py does it; what
was otherwise stands in docs/vision.md.  Figures are held where more would tell nothing that is sure to hold in other
rooms and with other cameras.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from companion.vision.claims import Claim, Study

Array = np.ndarray[Any, Any]

ALWAYS = 0.0003  # of readings are wrong however clear they look: no chance is higher than without these
NO_RIVAL = (1.5, 1.0, 1.0)  # gain, of the whole space and cost by which a claim without rivals is before them
# What no clearness elsewhere makes up for, and the chance that is left: a base of which a part as large as a disc is
# not explained, another class in the same place, another claim on the same space that do as well.
UNEXPLAINED, SAME_COST, SAME_GAIN, DOUBTFUL = 0.38, 0.02, 0.02, 0.9


@dataclass(frozen=True, eq=False)
class Network:
    """Figures (n, inputs) to log-odds (n,): each figure by its spread about its mean."""

    mean: Array
    spread: Array
    hidden: Array  # (inputs, units)
    hidden_bias: Array
    out: Array  # (units,)
    out_bias: Array

    MOST_SPREADS = 4.0

    def log_odds(self, figures: Array) -> Array:
        scaled = np.clip((figures - self.mean) / self.spread, -self.MOST_SPREADS, self.MOST_SPREADS)
        return np.asarray(np.tanh(scaled @ self.hidden + self.hidden_bias) @ self.out + self.out_bias)


@cache
def network() -> Network:
    text = files("companion.vision").joinpath("chances.json").read_text(encoding="utf-8")
    return Network(**{key: np.array(value) for key, value in json.loads(text).items()})


def log_odds(found: Study, rows: Sequence[int]) -> dict[int, float]:
    """Of the first claim on each of the spaces `rows` being right, by its figures."""
    return dict(zip(rows, network().log_odds(figures(found, rows)).tolist(), strict=True)) if rows else {}


def chances(found: Study, odds: Mapping[int, float]) -> dict[int, float]:
    """The chance that the first claim on each space is right, by its log-odds."""
    sure = {k: (1 - ALWAYS) / (1 + math.exp(-min(max(value, -30.0), 30.0))) for k, value in odds.items()}
    return {k: _held(found.claims[k], chance) for k, chance in sure.items()}


def _held(claims: Sequence[Claim], chance: float) -> float:
    best, rival = claims[0], _rival(claims)
    unexplained = best.holds and len(best.pieces) == 1 and best.worst > UNEXPLAINED
    equal = rival is not None and best.gain - rival.gain < SAME_GAIN
    return min(chance, DOUBTFUL) if unexplained or equal or best.margin < SAME_COST else chance


def _rival(claims: Sequence[Claim]) -> Claim | None:
    """The next claim on what the first one is about: what lies wholly beside that is none."""
    best = claims[0]
    return next((claim for claim in claims if claim.pieces != best.pieces and not beside(best, claim)), None)


def beside(one: Claim, other: Claim) -> bool:
    return math.dist(one.foot_mm, other.foot_mm) > 0.8 * (one.radius_mm + other.radius_mm)


def figures(found: Study, rows: Sequence[int]) -> Array:
    """What tells for the first claim on each of the spaces `rows`: (n, inputs of the network)."""
    sight = found.sight
    px_per_mm = float(sight.view.matrix[0, 0]) / max(float(sight.camera[2]), 1.0)
    bare = found.maps[list(rows)].mean((1, 2), dtype=float)
    return np.array([list(_of_claim(found, k, px_per_mm, float(bare[i])).values()) for i, k in enumerate(rows)], float)


def _of_claim(found: Study, k: int, px_per_mm: float, bare: float) -> dict[str, float]:
    """`bare` is how badly the bare space explains all of it."""
    claims, space = found.claims[k], found.sight.spaces[k]
    best, rival = claims[0], _rival(claims)
    gain, whole, cost = NO_RIVAL
    if rival is not None:
        gain, whole, cost = best.gain - rival.gain, rival.whole - best.whole, rival.cost - best.cost
    near, apart = min(max(best.nearer, -1.0), 0.5), min(best.apart, 20.0)
    off = max(abs(best.foot_mm[i] - space.at_mm[i]) / space.size_mm[i] for i in (0, 1))
    alone = float(len(best.pieces) == 1)
    return {
        "near": min(near, 0.4),
        "nearer, in deviations": math.log1p(_between(near * apart, 0, 10)),
        "off its own picture, in deviations": math.log1p(min((0.5 - near) * apart, 10)),
        "before other tops": min(_between(best.top_margin, -0.5, 1.0), 0.25),
        "with a top": 1.0 - alone,
        "before other classes": _between(best.margin, -0.05, 0.15),
        "just before other classes": min(best.margin, 0.04),
        "before the rival: gain": _between(gain, -0.2, 0.4),
        "before the rival: whole": _between(whole, -0.1, 0.15),
        "before the rival: cost": _between(cost, -0.2, 0.2),
        "off the middle": off,
        "square": float(best.around == 0.0),
        "better than bare: whole": _between(bare - best.whole, -0.2, 0.3),
        "better than bare: times": min(best.bare / max(best.cost, 0.02), 3.5),
        "better than bare": _between(best.bare - best.cost, 0, 0.5),
        "gain": _between(best.gain, -1.0, 0.15),
        "cost": max(best.cost, 0.3),
        "cost of the base": max(best.base_cost, 0.3),
        "cost of the whole space": max(best.whole, 0.28),
        "worst": max(best.worst, 0.42),
        "strange around": max(best.around, 0.3),
        "worst without a top": max(alone * (best.worst - 0.2), 0.2),
        "noise": math.log(found.sight.fine_sigma[k]),
        "size": math.log(px_per_mm * best.radius_mm),
    }


def _between(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
