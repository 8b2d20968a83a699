"""How well and how fast the eye reads, in full.  `make benchmark` runs and prints this; nothing here fails.

Over the path-traced photographs beside the project, where they are at hand, and over photographs of our own and of
six odd kits drawn and taken by the project itself.  EYE_PICTURES says how many of each kit (default 20).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.commands import own_kit
from companion.kit import Kit, load_kit
from companion.observation import Frame, Observation
from companion.vision.learned import Knowledge, knowledge_of
from companion.vision.look import look
from tests.vision.accuracy import Tally
from tests.vision.other_kits import KITS, draw_other_kits
from tests.vision.photographs import Wanted, photographs

SHARED = Path(__file__).parents[3] / "shared"
PICTURES = int(os.environ.get("EYE_PICTURES", "20"))
SEED = 424242
GAMES = ("garden-dice", "garden-rush", "garden-guests")
LOOKS = ("first look", "nothing moved", "one space changed")
REPEATS = 3
Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module", autouse=True)
def companion_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    cv2.setNumThreads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPANION_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def report(title: str, tally: Tally) -> None:
    print(f"\n{title}")
    clear = sum(confidence >= 0.99 for confidence, _, occupied in tally.readings if occupied)
    read = sum(occupied for _, _, occupied in tally.readings)
    print(f"  confidence 0.99 and more: {clear} of {read} occupied spaces that were read, of {tally.occupied} in view")
    for line in (*tally.lines(), *tally.notes):
        print(f"  {line}")


def milliseconds(work: Callable[[], Any]) -> float:
    """The shortest of a few runs, by the processor's own time: other work on the machine only adds to it."""

    def once() -> float:
        begun = time.process_time()
        work()
        return (time.process_time() - begun) * 1000

    return min(once() for _ in range(REPEATS))


def painted_over(pixels: Array, seen: Observation, kit: Kit, random: np.random.Generator) -> Array | None:
    """The photograph with one space covered by what another of its size and board shows: a bare one where it is taken,
    a taken one where it is bare.  None where there are no two such spaces."""
    spaces = [space for space in kit.spaces if space.id in seen.spaces]
    pairs = [
        (to, by)
        for to in spaces
        for by in spaces
        if (to.board, to.kind, to.size_mm) == (by.board, by.kind, by.size_mm)
        and bool(seen.spaces[to.id].pieces) != bool(seen.spaces[by.id].pieces)
    ]
    if not pairs:
        return None
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    to, by = (
        seen.memory.view.pixels(space.board, space.at_mm + half * space.size_mm).astype(np.float32)
        for space in pairs[int(random.integers(len(pairs)))]
    )
    moved = cv2.warpPerspective(pixels, cv2.getPerspectiveTransform(by, to), pixels.shape[1::-1])
    mask = cv2.fillConvexPoly(np.zeros(pixels.shape[:2], np.uint8), np.round(to).astype(np.int32), 1)
    return np.where(mask[..., None] > 0, moved, pixels)


def ratios(content: Array, kit: Kit, known: Knowledge, seen: Observation, random: np.random.Generator) -> list[float]:
    """How long three looks take, in times of the photograph's decoding: see LOOKS."""
    pixels = cv2.imdecode(content, cv2.IMREAD_COLOR)
    decoding = milliseconds(lambda: cv2.imdecode(content, cv2.IMREAD_COLOR))
    first = milliseconds(lambda: look(Frame(pixels), None, kit, known))
    again = milliseconds(lambda: look(Frame(pixels), None, kit, known, seen))
    other = painted_over(pixels, seen, kit, random)
    one = milliseconds(lambda: look(Frame(other), None, kit, known, seen)) if other is not None else np.nan
    decoding = min(decoding, milliseconds(lambda: cv2.imdecode(content, cv2.IMREAD_COLOR)))
    return [first / decoding, again / decoding, one / decoding]


def test_path_traced_photographs() -> None:
    """With times: a photograph with nothing known of it, the same again, and again with one space changed."""
    if not (SHARED / "scenes").is_dir():
        pytest.skip("the path-traced photographs are not at hand")
    random, together, times = np.random.default_rng(SEED), Tally(), []
    for game in GAMES:
        kit = load_kit(SHARED / "kits" / f"{game}-alder")
        known, tally, own_times = knowledge_of(kit), Tally(), []
        for path in sorted((SHARED / "scenes").glob(f"{game}-alder-*.jpg")):
            content = np.frombuffer(path.read_bytes(), np.uint8)
            pixels = cv2.imdecode(content, cv2.IMREAD_COLOR)
            seen = look(Frame(pixels), None, kit, known)
            truth = json.loads(path.with_suffix(".json").read_text())
            for of in (tally, together):
                of.add(path.stem, kit, seen, truth, pixels.shape[1])
            if isinstance(seen, Observation):
                own_times.append(ratios(content, kit, known, seen, random))
        report(f"{game}, path-traced", tally)
        print_times(own_times)
        times += own_times
    report("path-traced, all together", together)
    print_times(times)


def print_times(times: list[list[float]]) -> None:
    medians = [f"{name} {of:.2f}" for name, of in zip(LOOKS, np.nanmedian(times, axis=0), strict=True)]
    print(f"  time / decoding, median of {len(times)}: {', '.join(medians)}")


@pytest.mark.parametrize("name", [*GAMES, *KITS])
@pytest.mark.parametrize("harsh", [False, True])
def test_photographs_of_our_own(name: str, harsh: bool, tmp_path: Path) -> None:
    kit: Kit = own_kit(name) if name in GAMES else load_kit(draw_other_kits(tmp_path)[name])
    begun = time.perf_counter()
    known, tally = knowledge_of(kit), Tally()
    print(f"\n{name}: learned in {time.perf_counter() - begun:.1f} s")
    for number, (pixels, truth) in enumerate(photographs(kit, PICTURES, SEED, Wanted(harsh=harsh))):
        tally.add(str(number), kit, look(Frame(pixels), None, kit, known), truth, pixels.shape[1])
    report(f"{name}, {PICTURES} {'harsh ' if harsh else ''}rendered photographs", tally)
