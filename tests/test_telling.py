"""What `companion follow` says of a table in words: what is wrong, by which clause, and what is to lie where."""

from __future__ import annotations

from typing import Any

import pytest

from companion.account import Teller
from companion.commands import own_kit
from companion.commands.telling import told
from tests.test_table import GAME, position

KIT = own_kit(GAME.name)
WATERED: dict[str, Any] = {
    "proposal": [{"do": "water", "at": "2,2", "die": 5}],
    "legal": False,
    "clauses": ["water.chain"],
    "put_back": {"2,2": ["artichoke/seed", "disc/blue"], "3,3": []},
}
HALF: dict[str, Any] = {"unfinished": "water.chain", "to_do": {"2,3": ["tomato/vegetable", "disc/blue"]}}


@pytest.mark.parametrize(
    ("lang", "line", "ending"),
    [
        ("en", WATERED, "To take it back: 2,2: artichoke seed + blue disc; 3,3: –"),
        ("hu", WATERED, "Így lehet visszacsinálni: 2,2: articsókavetőmag + kék korong; 3,3: –"),
        ("en", HALF, "Still to be done: 2,3: tomato + blue disc"),
    ],
)
def test_what_is_amiss_is_told_with_what_is_to_lie_where(lang: str, line: dict[str, Any], ending: str) -> None:
    said = told({"frame": "7"} | line, Teller(GAME, lang), position(), KIT)
    assert said.startswith("7: ") and "water.chain" in said
    assert said.endswith(ending)


@pytest.mark.parametrize(
    ("lang", "marker", "said"),
    [
        (
            "en",
            {"piece": "disc/blue", "at": "track-3", "belongs_at": "track-98"},
            "Blue: the score marker belongs on 98, not on 3.",
        ),
        ("hu", {"piece": "disc/red", "at": None, "belongs_at": "track-0"}, "Piros: a pontjelző helye 0."),
    ],
)
def test_a_marker_is_told_by_its_owner_and_its_number(lang: str, marker: dict[str, Any], said: str) -> None:
    assert told({"frame": "7", "markers": [marker]}, Teller(GAME, lang), position(), KIT) == f"7: {said}"


def test_what_is_not_finished_is_told_with_the_clause_that_it_would_break() -> None:
    said = told({"frame": "7", "unfinished": "water.chain", "to_do": {}}, Teller(GAME, "en"), position(), KIT)
    assert said.startswith("7: Not finished yet; left so it would break water.chain · ")
    assert said.endswith(".")
