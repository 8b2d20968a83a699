"""How well our own kits are read in small pictures, from the drawings and from printed sheets.  Nothing here fails.

OWN_KIT_PICTURES says how many pictures of all games together are taken of the kits as they are drawn (default 60; the
goal is no wrong claim in 2,000), and a third as many of the kits as they come out of the printer; OWN_KIT_SEED takes
other pictures.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from companion.commands import own_kit
from companion.kit import Kit
from companion.observation import Frame
from companion.vision.learned import knowledge_of
from companion.vision.look import look
from tests.calibration.printed_kit import printed_kit
from tests.vision.accuracy import Tally
from tests.vision.photographs import Wanted, photograph

GAMES = ("garden-dice", "garden-rush", "garden-guests")
PICTURES = int(os.environ.get("OWN_KIT_PICTURES", "60"))
SEED = int(os.environ.get("OWN_KIT_SEED", "20261201"))
SIZE_PX = (820, 616)


@pytest.fixture(scope="module", autouse=True)
def companion_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    cv2.setNumThreads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPANION_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def tally_of(shown: Kit, read: Kit, count: int, seed: int) -> Tally:
    """What is claimed in pictures of one kit by what is known of another."""
    known, tally = knowledge_of(read), Tally()
    for number in range(count):
        pixels, truth = photograph(shown, seed, number, Wanted(size_px=SIZE_PX))
        tally.add(str(number), read, look(Frame(pixels), None, read, known), truth, SIZE_PX[0])
    return tally


def report(title: str, tally: Tally) -> None:
    wrong = [note for note in tally.notes if "unsure" not in note]
    print("", title, *(f"  {line}" for line in (*tally.lines(), *wrong)), sep="\n", flush=True)


@pytest.mark.parametrize("game", GAMES)
def test_as_drawn(game: str) -> None:
    kit, count = own_kit(game), PICTURES // len(GAMES)
    report(f"{game}, {count} pictures", tally_of(kit, kit, count, SEED))


@pytest.mark.parametrize("game", GAMES)
def test_as_printed(game: str, tmp_path: Path) -> None:
    count = PICTURES // len(GAMES) // 3
    tally = tally_of(printed_kit(game, tmp_path / "printed"), own_kit(game), count, SEED + 1)
    report(f"{game} as printed, {count} pictures", tally)
