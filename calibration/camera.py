"""Setting a camera once and for all: exposure and white balance settle and are fixed, the focus is swept and fixed.

What a camera can do is behind one small interface; the settings have the camera's own names and units.  Each step is a
value that says whether it passed, and every setting is believed only where the camera's metadata show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import cv2
import numpy as np

from calibration.marked_sheets import COLOURS, PATCH_MM, PATCHES, patch_places
from calibration.sheet_finding import found_sheet
from companion.observation import Frame, NotSeen

Array = np.ndarray[Any, Any]

SETTLING, FOCUS = ("exposure_us", "gain", "red_gain", "blue_gain"), "focus_dioptres"
STILL, STILL_FRAMES, MOST_FRAMES = 0.02, 4, 60  # a change that is none, so many frames long, within so many
NEAR_NOTHING = 0.5  # below it a change is held against this: a lens set to 0 dioptres need not say 0 to the last digit
LANDS_WITHIN = 12  # frames: a setting shows in the metadata some frames after it was asked for
SWEEP_STEPS, SWEEPS = 9, 3
SHARPER = 1.3  # the best place of a sweep is this much sharper than its worst, or there is nothing to focus on
WHITE = (170.0, 247.0)  # levels of the whitest patch
MOST_CAST = 0.08  # by how much red or blue of a grey patch may differ from green


class Adjustable(Protocol):
    """A camera whose settings can be read and fixed, as those of `hardware.camera` are read."""

    def read(self) -> Frame | NotSeen | None: ...

    def metadata(self) -> Mapping[str, float]:
        """What the last frame was taken with: SETTLING and FOCUS, those that the camera has."""
        ...

    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """What can be set, from where to where."""
        ...

    def adjust(self, settings: Mapping[str, float]) -> None:
        """Fix these; what is not named stays as it is."""
        ...

    def automatic(self) -> None:
        """Find exposure and white balance by itself, as before anything was fixed."""
        ...


@dataclass(frozen=True)
class Step:
    """What came of one step: `key` names its sentence."""

    key: str
    passed: bool
    facts: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, float] = field(default_factory=dict)


def fix_exposure(camera: Adjustable) -> Step:
    """Wait until exposure and white balance stand still, then fix them as they are."""
    can = [name for name in SETTLING if name in camera.ranges()]
    if not can:
        return Step("exposure-not-adjustable", False)
    camera.automatic()
    before, still = None, 0
    for _ in range(MOST_FRAMES):
        if camera.read() is None:
            break
        now = {name: camera.metadata()[name] for name in can if name in camera.metadata()}
        still = still + 1 if before and _alike(before, now) else 0
        before = now
        if still >= STILL_FRAMES:
            return _fixed(camera, now, "exposure-fixed", holds=True)
    return Step("exposure-never-settled", False, {"frames": MOST_FRAMES})


def _alike(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    return all(abs(one[name] - other[name]) <= STILL * max(abs(one[name]), NEAR_NOTHING) for name in one)


def _fixed(camera: Adjustable, settings: Mapping[str, float], key: str, holds: bool = False) -> Step:
    """Ask for settings, and wait until the metadata show them; with `holds` they must then stay to the last digit.

    What a camera sets by itself creeps about where it already was: that it is near is no sign that it is fixed.
    """
    camera.adjust(settings)
    shown: list[Mapping[str, float]] = []
    for _ in range(LANDS_WITHIN):
        if camera.read() is None:
            break
        shown.append({name: camera.metadata().get(name, float("nan")) for name in settings})
        if not holds and _alike(settings, shown[-1]):
            return Step(key, True, settings=dict(settings))
    last = shown[-STILL_FRAMES:]
    if holds and len(last) == STILL_FRAMES and _alike(settings, last[-1]) and all(one == last[-1] for one in last):
        return Step(key, True, settings=dict(settings))
    now = shown[-1] if shown else {}
    off = [n for n in settings if n not in now or not _alike({n: settings[n]}, {n: now[n]})]
    moving = [n for n in settings if len({one[n] for one in last}) > 1]
    wrong = (off or moving or list(settings))[0]
    return Step("not-taken", False, {"setting": wrong, "asked": settings[wrong], "shown": now.get(wrong)})


def fix_focus(camera: Adjustable) -> Step:
    """Sweep the focus, ever finer, to where the picture is sharpest, and fix it there."""
    if FOCUS not in camera.ranges():
        return Step("focus-not-adjustable", True)
    low, high = camera.ranges()[FOCUS]
    best, worst, sharpest = low, np.inf, 0.0
    for _ in range(SWEEPS):
        for place in np.linspace(low, high, SWEEP_STEPS):
            step = _fixed(camera, {FOCUS: float(place)}, "focus-fixed")
            frame = camera.read() if step.passed else None
            if not isinstance(frame, Frame):
                return Step("not-taken", False, step.facts) if not step.passed else Step("no-frames", False)
            sharp = sharpness(frame.pixels)
            worst = min(worst, sharp)
            if sharp > sharpest:
                best, sharpest = float(place), sharp
        around = (high - low) / (SWEEP_STEPS - 1)
        low, high = max(camera.ranges()[FOCUS][0], best - around), min(camera.ranges()[FOCUS][1], best + around)
    if sharpest <= SHARPER * worst:
        return Step("nothing-to-focus-on", False, {"sharper": round(sharpest / max(worst, 1e-6), 2)})
    return _fixed(camera, {FOCUS: best}, "focus-fixed")


def sharpness(pixels: Array) -> float:
    """How much fine detail a picture (height, width, 3) uint8 has."""
    grey = cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 1.0)
    return float(np.percentile(np.abs(cv2.Laplacian(grey, cv2.CV_32F)), 98))


def check_colours(pixels: Array) -> Step:
    """Exposure and white balance by the sheet of colours, wherever it lies in a picture (height, width, 3) BGR."""
    place = found_sheet(pixels, COLOURS)
    if place is None:
        return Step("no-colours", False)
    centres = cv2.perspectiveTransform(np.array([patch_places()]), place)[0]
    side = np.linalg.norm(
        np.diff(cv2.perspectiveTransform(np.array([[(0.0, 0.0), (PATCH_MM, 0.0)]]), place)[0], axis=0)
    )
    reach = max(2, round(0.3 * float(side)))
    seen = np.array([_mean(pixels, x, y, reach) for x, y in centres])
    greys = [i for i, patch in enumerate(PATCHES) if len(set(patch)) == 1]
    white = seen[greys[0]]
    blue, red = (float(np.mean([seen[i][c] / max(seen[i][1], 1.0) for i in greys[1:4]])) - 1 for c in (0, 2))
    facts = {"white": round(float(white.mean())), "red": round(100 * red), "blue": round(100 * blue)}
    if not WHITE[0] <= float(white.mean()) or float(white.max()) > WHITE[1]:
        return Step("too-bright" if float(white.max()) > WHITE[1] else "too-dim", False, facts)
    if max(abs(blue), abs(red)) > MOST_CAST:
        return Step("cast", False, facts)
    return Step("colours-right", True, facts)


def _mean(pixels: Array, x: float, y: float, reach: int) -> Array:
    part = pixels[max(0, round(y) - reach) : round(y) + reach + 1, max(0, round(x) - reach) : round(x) + reach + 1]
    return np.asarray(part.reshape(-1, 3).mean(axis=0)) if part.size else np.zeros(3)
