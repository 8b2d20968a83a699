"""Outlines of pieces on white paper, drawn here and so known: where they end, and how they are turned."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.piece_outline import PX_PER_MM, hex_turn, outlined
from calibration.pieces import Cut, Cutting

SIDE_PX = 250


@pytest.mark.parametrize("turn_deg", [-9.0, -2.0, 0.0, 4.0, 12.0])
@pytest.mark.parametrize("corner_up", [True, False])
def test_a_hexagon_says_how_it_is_turned(turn_deg: float, corner_up: bool) -> None:
    angles = np.radians(np.arange(6) * 60 + (30 if corner_up else 0) + turn_deg)
    hull = 100 + 35 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert hex_turn(hull) == pytest.approx(turn_deg, abs=0.3)


def test_a_dark_rim_round_white_belongs_to_the_piece() -> None:
    """A square of 20 mm with a rim of 0.8 mm: the rim's inner edge is as steep as its outer one."""
    half, rim = round(10 * PX_PER_MM), round(0.8 * PX_PER_MM)
    light = np.ones((SIDE_PX, SIDE_PX, 3), np.float32)
    middle = SIDE_PX // 2
    light[middle - half : middle + half, middle - half : middle + half] = 0.12
    light[middle - half + rim : middle + half - rim, middle - half + rim : middle + half - rim] = 0.97
    hull = outlined(cv2.GaussianBlur(light, (0, 0), 1.2))
    assert hull is not None
    assert np.ptp(hull, axis=0) / PX_PER_MM == pytest.approx([20.0, 20.0], abs=0.3)


@pytest.mark.parametrize(("greys", "kept"), [((120, 130, 140), 130), ((120, 140), 120), ((120,), 120)])
def test_of_three_and_more_copies_the_colour_of_all_is_kept_and_of_fewer_the_sharpest(
    greys: tuple[int, ...], kept: int
) -> None:
    cutting = Cutting(["disc"], None, "disc", 0.0)
    for number, grey in enumerate(greys):
        picture = np.full((60, 60, 4), (grey, grey, grey, 255), np.uint8)
        cutting.cuts.setdefault("disc", []).append(Cut(picture, (12.0, 12.0), 9.0 - number))
    _, pictures = cutting.rows([])
    assert abs(float(pictures["pieces/disc.png"][30, 30, 0]) - kept) <= 1
