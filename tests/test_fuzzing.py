"""Files from strangers, spoilt at random: a short run of what `python -m tests.fuzzing` does for longer."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.fuzzing import fuzz
from tests.fuzzing.kinds import KINDS, sound_json, told
from tests.fuzzing.spoiling import spoilt

TRIES = {"position": 150, "record": 150, "kit": 30, "packed": 120, "picture": 25}
TAKEN = {"position": "exit status 0", "record": "exit status 0", "kit": "loaded", "packed": "exit status 0"}


@pytest.mark.usefixtures("own_home")
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_comes_is_answered_in_order(kind: str, tmp_path: Path) -> None:
    count = fuzz(kind, 7, tmp_path, lambda tries: tries < TRIES[kind])
    assert count.broken == {}
    taken = TAKEN.get(kind, "decoded")
    assert 0 < count.answers[taken] < TRIES[kind]  # some are still sound, and not all: else little is tried


def test_a_fault_that_is_planted_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.commands.legal.load_position", lambda path, kit: 1 // 0)
    count = fuzz("position", 7, tmp_path, lambda tries: tries < 3)
    assert set(count.broken) == {0, 1, 2} and "ZeroDivisionError" in count.broken[0]
    assert (tmp_path / "broken-position-0" / "position.json").is_file()


def test_a_try_is_made_by_its_seed_alone() -> None:
    sound = sound_json("record")
    first, again, other = (spoilt(Random(seed), sound[0], sound) for seed in (3, 3, 4))
    assert first == again != other


def test_a_command_that_says_nothing_of_a_bad_file_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzzing.kinds.main", lambda arguments: 2)
    with pytest.raises(AssertionError, match="exit status 2"):
        told("judge", "nowhere")
