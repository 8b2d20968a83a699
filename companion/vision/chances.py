"""How likely a reading is right: what tells for it and against it, weighed by what was learned from photographs.

What is seen of a space is a row of figures; a small network (one hidden layer) turns them into log-odds.  Its weights
were fitted to rendered photographs of many kits, where the truth is known: `python -m tests.vision.fit_chances`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from companion.vision.claims import Claim, Study

Array = np.ndarray[Any, Any]

ALWAYS = 0.0003  # of readings are wrong however clear they look: no chance is higher than without these
FAR = 1.5  # of gain: as far as a rival may be behind


@dataclass(frozen=True, eq=False)
class Network:
    """Figures (n, inputs) to log-odds (n,): each figure by its spread around its mean, no more than so many of them."""

    mean: Array
    spread: Array
    hidden: Array  # (inputs, units)
    hidden_bias: Array
    out: Array  # (units,)
    out_bias: float

    MOST_SPREADS = 4.0

    def log_odds(self, figures: Array) -> Array:
        scaled = np.clip((figures - self.mean) / self.spread, -self.MOST_SPREADS, self.MOST_SPREADS)
        return np.asarray(np.tanh(scaled @ self.hidden + self.hidden_bias) @ self.out + self.out_bias)

    def chances(self, figures: Array) -> Array:
        odds = np.clip(self.log_odds(figures), -30, 30)
        return np.asarray((1 - ALWAYS) / (1 + np.exp(-odds)))


@cache
def network(name: str) -> Network:
    """The one for `claims`, or for `bare` spaces."""
    text = files("companion.vision").joinpath("chances.json").read_text(encoding="utf-8")
    return Network(**{key: np.array(value) for key, value in json.loads(text)[name].items()})


def claim_figures(found: Study, rows: Sequence[int]) -> Array:
    """What tells for the first claim on each of the spaces `rows`: (n, figures)."""
    sight = found.sight
    focal = float(sight.view.matrix[0, 0])
    px_per_mm = focal / max(float(sight.camera[2]), 1.0)
    return np.array([_of_claim(found, k, px_per_mm) for k in rows], float)


def _of_claim(found: Study, k: int, px_per_mm: float) -> list[float]:
    claims, sight = found.claims[k], found.sight
    best, space = claims[0], sight.spaces[k]
    rival = next((claim for claim in claims if claim.pieces != best.pieces), None)
    off = float(np.max(np.abs(np.subtract(best.foot_mm, space.at_mm)) / space.size_mm))
    apart = min(best.apart, 40.0)
    return [
        float(np.clip(best.nearer, -1, 1)),
        float(np.log1p(apart)),
        float(np.clip(best.nearer, -1, 1)) * min(apart, 20.0),
        float(np.clip(best.top_margin, -0.5, 1.0)),
        float(len(best.pieces) > 1),
        best.gain,
        best.bare,
        best.cost,
        best.base_cost,
        best.whole,
        float(found.maps[k].mean()) - best.whole,
        best.worst,
        best.around,
        float(best.around == 0.0),
        *_before(best, rival),
        off,
        float(np.log(sight.sigma[k])),
        float(np.log(sight.fine_sigma[k])),
        float(np.log(max(sight.gain[k].mean(), 0.02))),
        sight.blur_mm2,
        float(np.log(px_per_mm * best.radius_mm)),
        float(found.worst[k]),
    ]


def _before(best: Claim, rival: Claim | None) -> list[float]:
    """How far the best claim is before the next other one."""
    if rival is None:
        return [FAR, 1.0, 1.0, 0.0, 0.0]
    return [
        float(np.clip(best.gain - rival.gain, -FAR, FAR)),
        rival.whole - best.whole,
        rival.cost - best.cost,
        float(rival.pieces[0] == best.pieces[0]),
        float(rival.pieces[0] != best.pieces[0] and rival.pieces[1:] == best.pieces[1:] != ()),
    ]
