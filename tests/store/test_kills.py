"""A companion killed while it confirms.  `make benchmark ARGS=tests/benchmarks/test_kills.py` kills it 500 times."""

from pathlib import Path

import pytest

from companion.games import NAMES
from tests.store.kills import kill


@pytest.mark.parametrize("name", NAMES)
def test_nothing_confirmed_is_lost_and_nothing_made_up(name: str, tmp_path: Path) -> None:
    count = kill(tmp_path, 4, 11, name)
    assert count.kills == 4 and count.confirmed >= 4
    assert (count.lost, count.invented) == (0, 0)
