"""Exposure and white balance: found by the camera, and then held, so that a picture changes where the table does.

Nothing is believed because it was asked for: held is what the metadata of later pictures show.  No clock: time is
counted in pictures.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from typing import Any

FINDING, ASKED, HELD, LOOSE = "finding", "asked", "held", "loose"  # loose: the camera cannot be held
AUTOMATIC = {"ExposureTime": "AeEnable", "AnalogueGain": "AeEnable", "ColourGains": "AwbEnable"}  # libcamera's names
STILL, ALIKE = 8, 0.02  # pictures over which nothing changes by more than that: it is found
MOST = 100  # pictures after which it is held as it is: some lamps never let it come to rest
LANDS, SAME = 12, 4  # pictures until a setting must show, and over which it must then be the same to the last digit
TRIES = 3
OTHER_LIGHT = 1.6  # times as bright, or as dark, as when it was found: then it is found anew

Settings = Mapping[str, Any]


class Exposure:
    """Handed the metadata of each picture it answers with what the camera is to be asked for."""

    def __init__(self, controls: Collection[str]) -> None:
        """`controls` are those that the camera has, by libcamera's names."""
        self._can = [name for name, automatic in AUTOMATIC.items() if {name, automatic} <= set(controls)]
        self.state = FINDING if self._can else LOOSE
        self._asked: dict[str, Any] = {}
        self._shown: deque[list[float]] = deque(maxlen=STILL)
        self._pictures = self._tries = 0
        self._level = 0.0  # of the picture when it was found
        self._is_relit = False

    def relit(self) -> None:
        """Who looks at the table says that its light is another; whether by enough, the next picture tells."""
        self._is_relit = True

    def meet(self, metadata: Settings, level: float) -> Settings:
        """After a picture with this metadata, `level` its mean grey value: what to ask for, mostly nothing."""
        self._pictures += 1
        match self.state:
            case "finding":
                return self._find(metadata, level)
            case "asked":
                return self._check(metadata)
            case "held" if self._is_relit:
                self._is_relit = False
                darker, lighter = sorted((level + 1, self._level + 1))
                return self._anew() if lighter > OTHER_LIGHT * darker else {}
        return {}

    def _find(self, metadata: Settings, level: float) -> Settings:
        now = self._values(metadata)
        self._shown.append(now)
        if not now and self._pictures >= MOST:
            self.state = LOOSE  # nothing is told of them: nothing could be believed
        still = len(self._shown) == STILL and all(_alike(before, now) for before in self._shown)
        if not now or not (still or self._pictures >= MOST):
            return {}
        self._asked = self._automatically(False) | {name: metadata[name] for name in self._can}
        self._level, self._tries = level, 0
        return self._ask()

    def _ask(self) -> Settings:
        self.state, self._pictures = ASKED, 0
        self._tries += 1
        self._shown.clear()
        return self._asked

    def _check(self, metadata: Settings) -> Settings:
        """What a camera sets by itself creeps about where it already was: near is no sign that it is held."""
        self._shown.append(self._values(metadata))
        if self._pictures < LANDS:
            return {}
        last = list(self._shown)[-SAME:]
        if all(one == last[-1] for one in last) and _alike(self._values(self._asked), last[-1]):
            self.state = HELD
        elif self._tries < TRIES:
            return self._ask()
        else:
            self.state = LOOSE
            return self._automatically(True)
        return {}

    def _anew(self) -> Settings:
        self.state, self._pictures = FINDING, 0
        self._shown.clear()
        return self._automatically(True)

    def _automatically(self, does: bool) -> dict[str, Any]:
        return {AUTOMATIC[name]: does for name in self._can}

    def _values(self, settings: Settings) -> list[float]:
        """The settings as plain numbers; none where one of them is not told."""
        if any(settings.get(name) is None for name in self._can):
            return []
        found: list[float] = []
        for name in self._can:
            value = settings[name]
            found += map(float, value) if isinstance(value, tuple | list) else [float(value)]
        return found


def _alike(one: list[float], other: list[float]) -> bool:
    return len(one) == len(other) and all(
        abs(a - b) <= ALIKE * max(abs(b), 1e-6) for a, b in zip(one, other, strict=True)
    )
