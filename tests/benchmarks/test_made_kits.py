"""How well a kit that `companion calibrate` made reads, beside the copy's own kit.  Nothing here fails.

Copies are our own kits and, where they are at hand, the three beside the project.  Each is calibrated from rendered
photographs alone: its boards empty, its pieces laid out; then both kits read the same photographs of games.
MADE_KIT_PICTURES says how many of each copy (default 10).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from companion.commands import own_kit
from companion.kit import Kit, load_kit
from companion.observation import Frame
from companion.vision.learned import knowledge_of
from companion.vision.look import look
from tests.calibration.copied_kit import copied, lens_profile
from tests.vision.accuracy import Tally
from tests.vision.photographs import Wanted, photograph

SHARED = Path(__file__).parents[3] / "shared" / "kits"
GAMES = ("garden-dice", "garden-rush", "garden-guests")
PICTURES = int(os.environ.get("MADE_KIT_PICTURES", "10"))
SEED = 20_261_202


@pytest.fixture(scope="module", autouse=True)
def companion_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    cv2.setNumThreads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPANION_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def compared(copy: Kit, made: Kit) -> None:
    tallies, known = (Tally(), Tally()), [knowledge_of(kit) for kit in (copy, made)]
    for number in range(PICTURES):
        pixels, truth = photograph(copy, SEED, number, Wanted())
        for kit, learned, tally in zip((copy, made), known, tallies, strict=True):
            tally.add(str(number), kit, look(Frame(pixels), None, kit, learned), truth, pixels.shape[1])
    print(f"\n{copy.name}, {PICTURES} photographs")
    for what, tally in zip(("its own kit", "the kit that was made"), tallies, strict=True):
        right = sum(right for _, right, _ in tally.readings)
        print(f"  by {what}: {right} of {tally.spaces} spaces right, {tally.wrong} wrong, {tally.unsure} not told")
        print(*(f"    {note}" for note in tally.notes if "WRONG" in note), sep="\n", flush=True)


@pytest.mark.parametrize("game", GAMES)
def test_our_own_copies(game: str, tmp_path: Path) -> None:
    compared(own_kit(game), copied(own_kit(game), tmp_path, lens_profile(tmp_path / "camera.toml")))


@pytest.mark.parametrize("game", GAMES)
def test_copies_beside_the_project(game: str, tmp_path: Path) -> None:
    if not (SHARED / f"{game}-alder").is_dir():
        pytest.skip("the kits beside the project are not at hand")
    copy = load_kit(SHARED / f"{game}-alder")
    compared(copy, copied(copy, tmp_path, lens_profile(tmp_path / "camera.toml")))
