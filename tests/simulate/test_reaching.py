"""Hands: what they touch, in which order, and how they come and go."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.simulate.reaching import Arm, touches
from companion.simulate.setting import Setting, random_setting
from tests.simulate.plays import SMALL, own_kit

PIECES = ["carrot/double", "carrot/single", "tomato/double", "tomato/single", "mole", "disc/blue", "disc/red"]
TABLES = st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from(PIECES), max_size=3).map(tuple))


@given(TABLES, TABLES)
def test_touches_lead_from_one_table_to_the_other(before: dict, after: dict) -> None:
    table = {space: tuple(pieces) for space, pieces in before.items()}
    touched = list(touches(before, after, last="f"))
    for touch in touched:
        assert touch.pieces != table.get(touch.space, ()), "nothing is touched for nothing"
        table[touch.space] = touch.pieces
    assert {s: p for s, p in table.items() if p} == {s: p for s, p in after.items() if p}
    order = [touch.space == "f" for touch in touched]
    assert order == sorted(order), "the score track has its turn at the end"


@given(TABLES, TABLES)
def test_a_space_is_cleared_before_other_pieces_come_to_it(before: dict, after: dict) -> None:
    table = {space: tuple(pieces) for space, pieces in before.items()}
    for touch in touches(before, after):
        there = Counter(table.get(touch.space, ()))
        lost, gained = there - Counter(touch.pieces), Counter(touch.pieces) - there
        kinds = [sorted(piece.partition("/")[0] for piece in part.elements()) for part in (lost, gained)]
        assert not lost or not gained or kinds[0] == kinds[1] or len(kinds[0]) == len(kinds[1]) == 1, (
            "taken and put at once only where pieces are turned over"
        )
        table[touch.space] = touch.pieces


def test_a_hedge_is_resupplied_token_by_token() -> None:
    """Garden Rush: the third token is placed, the others slide, the trampoline's comes after them, one is drawn."""
    before = {"cell": (), "h3": ("tomato/double",), "h4": ("potato/double",), "h5": ("mole",), "t": ("carrot/double",)}
    after = {
        "cell": ("tomato/single",),
        "h3": ("potato/double",),
        "h4": ("mole",),
        "h5": ("carrot/double",),
        "t": ("broccoli/double",),
    }
    assert [(touch.space, touch.pieces[:1]) for touch in touches(before, after)] == [
        ("h3", ()),
        ("cell", ("tomato/single",)),
        ("h4", ()),
        ("h3", ("potato/double",)),
        ("h5", ()),
        ("h4", ("mole",)),
        ("t", ()),
        ("h5", ("carrot/double",)),
        ("t", ("broccoli/double",)),
    ]


def test_a_tile_whose_other_side_has_another_name_is_turned_with_one_touch() -> None:
    before, after = {"1,1": ("sundial", "disc/red")}, {"1,1": ("scarecrow", "disc/red")}
    assert [touch.pieces for touch in touches(before, after)] == [("scarecrow", "disc/red")]


def a_setting() -> Setting:
    return random_setting(own_kit("garden-dice"), 4, SMALL, ["office"], np.random.default_rng(4))


@pytest.mark.parametrize("seat", range(4))
def test_a_hand_comes_from_out_of_view_and_goes_there(seat: int) -> None:
    setting = a_setting()
    arm, target = Arm(setting, setting.seats[seat], pace_mm=100.0), (30.0, -40.0)
    places = [arm.at_mm for _ in arm.reach(target)]
    assert places[-1] == pytest.approx(target) and not arm.is_out
    assert np.hypot(*np.diff(places, axis=0).T).max() <= 1.5 * 100 + 50
    back = [arm.at_mm for _ in arm.leave()]
    assert arm.is_out and len(back) >= 1
    shoulder = np.array(setting.seats[seat].at_mm)
    ways = np.hypot(*(shoulder - [*places, *back]).T)
    assert ways.max() < 2 * np.hypot(*(shoulder - target)), "a hand is never behind its shoulder"
    assert (np.diff(ways) > 0).sum() == len(back), "it comes nearer all the way in, and goes all the way out"
    assert np.hypot(*(shoulder - back[-1])) < np.hypot(*(shoulder - target)), "it is drawn back to its own side"
    seen = setting.camera.project(np.array([arm.at_mm]), arm.height_mm)[0]
    assert (seen >= 0).all() and (seen <= SMALL).all(), "the last frame that shows it, shows it"
