"""Motion told from small pictures: what moves against noise and against light."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from companion.vision.glance import Glance, Motion

Array = np.ndarray[Any, Any]

STILL, MOVING, LIGHT = Motion(False), Motion(True), Motion(False, True)


def table() -> Array:
    """A picture with some texture, (240, 320, 3) float."""
    random = np.random.default_rng(3)
    coarse = random.uniform(60, 180, (16, 20, 3)).astype(np.float32)
    return cv2.resize(coarse, (320, 240), interpolation=cv2.INTER_CUBIC)


def taken(picture: Array, seed: int, noise: float = 4.0) -> Array:
    """As a camera takes it: (240, 320, 3) uint8."""
    grain = np.random.default_rng(seed).normal(0, noise, picture.shape)
    return np.asarray((picture + grain).clip(0, 255), np.uint8)


def seen(pictures: list[Array]) -> list[Motion]:
    glance = Glance()
    return [glance.see(picture) for picture in pictures]


@pytest.mark.parametrize("noise", [0.0, 2.0, 5.0, 10.0])
def test_noise_is_no_motion(noise: float) -> None:
    assert seen([taken(table(), seed, noise) for seed in range(8)]) == [MOVING] + 7 * [STILL]


@pytest.mark.parametrize("noise", [2.0, 5.0])
def test_a_die_that_comes_to_lie_there_is_motion(noise: float) -> None:
    with_die = table()
    with_die[100:108, 200:208] = (235, 240, 240)
    pictures = [table(), table(), with_die, with_die]
    assert seen([taken(p, n, noise) for n, p in enumerate(pictures)]) == [MOVING, STILL, MOVING, STILL]


@pytest.mark.parametrize("gain", [0.7, 1.25])
def test_a_lamp_that_is_switched_is_light_and_no_motion(gain: float) -> None:
    pictures = [table(), table(), table() * gain, table() * gain]
    assert seen([taken(p, n, 2.0) for n, p in enumerate(pictures)]) == [MOVING, STILL, LIGHT, STILL]


def test_light_that_drifts_is_no_motion() -> None:
    pictures = [table() * (1 + 0.004 * n) for n in range(20)]
    assert MOVING not in seen([taken(p, n, 2.0) for n, p in enumerate(pictures)])[1:]


def test_what_creeps_is_noticed() -> None:
    """A finger that goes on by half a pixel a picture."""
    pictures = []
    for n in range(12):
        moved = table()
        cv2.circle(moved, (round(16 * (80 + n / 2)), 16 * 120), 16 * 12, (120, 160, 220), -1, shift=4)
        pictures.append(taken(moved, n, 2.0))
    assert seen(pictures)[1:].count(MOVING) >= 1


def test_motion_elsewhere_than_where_it_matters_is_beside() -> None:
    within = np.zeros((240, 320), bool)
    within[60:180, 80:240] = True
    glance = Glance()
    glance.see(taken(table(), 0), within)
    beside, inside = table(), table()
    beside[5:40, 5:60] = 20
    inside[100:120, 100:120] = 20
    assert glance.see(taken(beside, 1), within) == Motion(False, beside=True)
    assert glance.see(taken(beside, 2), within) == STILL
    assert glance.see(taken(inside, 3), within) == MOVING
