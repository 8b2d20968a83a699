"""What drawings leave of a photograph once each colour has found the light in which they do best."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

GAIN_PULL, VEIL_PULL = 600.0, 20.0  # levels² and px: how strongly gain is held to 1, veil to 0
SPARSE = 3  # every so many pixels tell gain and veil as well as all do
OUTLYING = 12.0  # times the variance of a px: what is off by more counts little


def light_on(seen: Array, drawn: Array, sigma: Array, every: int = 1) -> tuple[Array, Array]:
    """The gain and veil of each colour that bring drawings nearest to what is seen: (n, 3, 1) each.

    `seen` and `drawn` are (n, 3, px), `sigma` (n,) the spread of a px; `every` so many px tell as well as all do.
    """
    seen, drawn = (np.ascontiguousarray(x[..., ::every]) for x in (seen, drawn))
    gain, veil = _light_on(seen, drawn, seen - drawn, sigma, every)
    return _light_on(seen, drawn, seen - gain * drawn - veil, sigma, every)


def _light_on(seen: Array, drawn: Array, off: Array, sigma: Array, every: int) -> tuple[Array, Array]:
    """The same, where so much (n, 3, px) was left before: what is off by far counts little."""
    variance = OUTLYING * (sigma * sigma)[:, None, None]
    weight = (variance / (variance + np.einsum("ncp,ncp->np", off, off)[:, None])) ** 2
    total = weight.sum(2, keepdims=True)
    middle, of_seen = (((weight @ x.swapaxes(1, 2)) / total).swapaxes(1, 2) for x in (drawn, seen))
    heavy = weight * (drawn - middle)
    both, own = (np.einsum("ncp,ncp->nc", heavy, x)[..., None] for x in (seen, drawn))
    pull = total * GAIN_PULL
    gain = np.clip((both + pull) / (own + pull), 0.6, 1.6)
    veil = np.clip((of_seen - gain * middle) * (total / (total + VEIL_PULL / every)), -40, 40)
    return gain, veil


def misfit_of(left: Array, sigma: Array) -> Array:
    """How badly drawings do, px by px, that leave so much (n, 3, px): (n, px) 0…1."""
    square = np.einsum("ncp,ncp->np", left, left)
    return np.asarray(square / (square + OUTLYING * (sigma * sigma)[:, None]))
