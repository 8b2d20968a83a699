"""A table that was not understood does not end a game: what is done next is named with what was done there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from companion.referee import Proposed, Unexplained
from tests.test_table import BLUE, PLACE, PLACED, Played, position, written


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    game = Played(tmp_path, position())
    yield game
    game.log.close()


@pytest.mark.parametrize(
    "misread",
    [
        {"2,2": ("tomato/seed", BLUE), "2,3": ("artichoke/seed", BLUE)},
        {"2,2": ("bird", "disc/green"), "6,6": ("eggplant/vegetable", BLUE)},
    ],
    ids=["exchanged", "of-nowhere"],
)
def test_what_is_done_after_a_table_that_was_not_understood_is_named_with_what_was_done_there(
    played: Played, misread: dict[str, Sequence[str]]
) -> None:
    """2 and 3 place the tomato while two plots are misread; 4 and 5 place the sundial."""
    played.settles()
    played.lay = PLACED | misread
    assert isinstance(played.settles().finding, Unexplained)
    seen = played.table.shown.sighting.observation
    assert seen is not None
    played.sees(seen, state="moving")
    played.lay = PLACED | {"5,4": ("sundial", BLUE)}
    finding = played.settles().finding
    assert isinstance(finding, Proposed) and finding.clear
    sundial = {"do": "place", "piece": "sundial", "at": "5,4", "dice": [4, 5]}
    assert written(finding.best.actions) == [PLACE, sundial, {"do": "end-turn"}]
