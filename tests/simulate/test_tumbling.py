"""Dice that roll: they slow down, stay above the table, and come to rest as they will lie."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from companion.simulate.things import StandingDie
from companion.simulate.tumbling import Tumbling, corners_of

DICE = st.builds(
    StandingDie, st.integers(1, 6), st.tuples(st.floats(-300, 300), st.floats(-300, 300)), st.floats(0, 360)
)
FROM = st.tuples(st.floats(-600, 600), st.floats(-600, 600))


def tumbling(die: StandingDie, start: tuple[float, float], left: float, base_mm: float = 0.0) -> np.ndarray:
    return corners_of(Tumbling(die, start, left, 0.1, base_mm), left)


@given(DICE, FROM, st.floats(0, 1), st.floats(0, 5))
def test_a_die_stays_a_cube_above_what_it_rolls_on(die: StandingDie, start: tuple, left: float, base: float) -> None:
    corners = tumbling(die, start, left, base)
    assert corners[:, 2].min() >= base - 1e-6
    sides = np.linalg.norm(corners[[1, 2, 3, 0, 5, 6, 7, 4]] - corners[[0, 1, 2, 3, 4, 5, 6, 7]], axis=1)
    assert np.allclose(sides, 16.0)
    assert np.allclose(np.linalg.norm(corners[4:] - corners[:4], axis=1), 16.0)


@given(DICE, FROM)
def test_it_comes_to_rest_where_it_lies(die: StandingDie, start: tuple) -> None:
    corners = tumbling(die, start, 0.0)
    assert np.allclose(corners[:4, 2], 0.0) and np.allclose(corners[4:, 2], 16.0)
    assert np.allclose(corners[:, :2].mean(axis=0), die.at_mm)
    # Its top left corner is turned clockwise as seen from above, y running down.
    angle = np.radians(die.turn_deg)
    c, s = np.cos(angle), np.sin(angle)
    assert np.allclose(corners[4, :2] - die.at_mm, [-8 * c + 8 * s, -8 * s - 8 * c])


@given(DICE, FROM)
def test_it_slows_down(die: StandingDie, start: tuple) -> None:
    places = np.array([tumbling(die, start, left).mean(axis=0)[:2] for left in np.linspace(1, 0, 9)])
    ways = np.hypot(*np.diff(places, axis=0).T)
    assert np.allclose(places[0], start)
    assert (np.diff(ways) <= 1e-9).all()
