"""How well and how fast the eye reads, in full.  `make benchmark` runs and prints this; nothing here fails.

Over the path-traced photographs beside the project, where they are at hand, and over photographs of our own and of
six odd kits drawn and taken by the project itself.  EYE_PICTURES says how many of each kit (default 20).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import cv2
import numpy as np
import pytest

from companion.commands import own_kit
from companion.kit import Kit, load_kit
from companion.observation import Frame, Observation
from companion.vision.learned import knowledge_of
from companion.vision.look import look
from tests.vision.accuracy import Tally
from tests.vision.other_kits import KITS, draw_other_kits
from tests.vision.photographs import photographs

SHARED = Path(__file__).parents[3] / "shared"
PICTURES = int(os.environ.get("EYE_PICTURES", "20"))
SEED = 424242
GAMES = ("garden-dice", "garden-rush", "garden-guests")


@pytest.fixture(scope="module", autouse=True)
def companion_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    cv2.setNumThreads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPANION_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def report(title: str, tally: Tally) -> None:
    print(f"\n{title}")
    for line in (*tally.lines(), *tally.notes):
        print(f"  {line}")


@pytest.mark.parametrize("game", GAMES)
def test_path_traced_photographs(game: str) -> None:
    """With times: a photograph with nothing known of it, and the same again; as multiples of its decoding."""
    folder = SHARED / "kits" / f"{game}-alder"
    if not folder.is_dir():
        pytest.skip("the path-traced photographs are not at hand")
    kit = load_kit(folder)
    known, tally = knowledge_of(kit), Tally()
    first, again = [], []
    for path in sorted((SHARED / "scenes").glob(f"{game}-alder-*.jpg")):
        content = np.frombuffer(path.read_bytes(), np.uint8)
        begun = time.perf_counter()
        pixels = cv2.imdecode(content, cv2.IMREAD_COLOR)
        decoded = time.perf_counter()
        seen = look(Frame(pixels), None, kit, known)
        looked = time.perf_counter()
        if isinstance(seen, Observation):
            look(Frame(pixels), None, kit, known, seen)
            again.append((time.perf_counter() - looked) / (decoded - begun))
        first.append((looked - decoded) / (decoded - begun))
        tally.add(path.stem, kit, seen, json.loads(path.with_suffix(".json").read_text()), pixels.shape[1])
    report(f"{game}, path-traced", tally)
    print(f"  time / decoding: first look median {median(first):.1f}, nothing moved median {median(again):.2f}")


@pytest.mark.parametrize("name", [*GAMES, *KITS])
def test_photographs_of_our_own(name: str, tmp_path: Path) -> None:
    kit: Kit = own_kit(name) if name in GAMES else load_kit(draw_other_kits(tmp_path)[name])
    begun = time.perf_counter()
    known, tally = knowledge_of(kit), Tally()
    print(f"\n{name}: learned in {time.perf_counter() - begun:.1f} s")
    for number, (pixels, truth) in enumerate(photographs(kit, PICTURES, SEED)):
        tally.add(str(number), kit, look(Frame(pixels), None, kit, known), truth, pixels.shape[1])
    report(f"{name}, {PICTURES} rendered photographs", tally)
