"""A board of which the edge is lost in some pictures: it is found there by what the other pictures show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.board import Flattening
from calibration.edges import found_corners
from calibration.finding_again import found_again
from calibration.flatten import Straight, straightened, without_lens
from companion.commands import own_kit
from companion.kit import Board
from companion.observation import Calibration
from companion.simulate.optics import Camera
from tests.calibration.copied_kit import TABLE, empty_boards, glaring
from tests.calibration.photographing import (
    BENT,
    CENTRE_PX,
    FOCAL_PX,
    SIZE_PX,
    camera_at,
    flat_kit,
    photographed,
)

Array = np.ndarray[Any, Any]
LENS = Calibration(SIZE_PX, FOCAL_PX, CENTRE_PX, BENT)


def track_and_picture() -> tuple[Board, Array]:
    """The score track of Garden Rush: dark all round, pale spaces in rows, alike but for their numbers."""
    board = next(board for board in own_kit("garden-rush").boards if board.id == "track")
    picture = cv2.imread(str(board.image))
    assert picture is not None
    return board, picture


def photo_of(picture: Array, size_mm: tuple[float, float], camera: Camera, folder: Path) -> Straight:
    """On a carpet, a lamp mirrored in it across one of its sides."""
    table = flat_kit(folder, {"board": (picture, size_mm)})
    lamp = glaring(-0.22 * size_mm[0], 0.15 * size_mm[1], size_mm[0])
    return straightened("", photographed(table, camera, light=lamp, surface=TABLE), LENS)


@pytest.mark.parametrize("roll_deg", [3.0, 178.0])
def test_a_board_is_found_to_a_pixel_and_a_half_without_its_edge(roll_deg: float, tmp_path: Path) -> None:
    """Also where it lies the other way round: its own top left corner comes first."""
    board, picture = track_and_picture()
    camera = camera_at((6, 0), 250, 8, 0, roll_deg, (1600, 1200))
    photo = photo_of(picture, board.size_mm, camera, tmp_path)
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(board.size_mm) / 2
    corners = without_lens(camera.project(half, 0.3), (1600, 1200), LENS)
    cv2.polylines(photo.pixels, [np.rint(corners).astype(np.int32)], True, (90, 90, 90), 25)  # no edge left
    seen = found_corners(photo)
    assert isinstance(seen, str) or np.abs(seen - corners).max() > 5
    found = found_again(photo, picture)
    assert found is not None
    assert np.linalg.norm(found - corners, axis=1).max() < 1.5


def test_another_board_and_one_that_is_cut_off_are_not_found(tmp_path: Path) -> None:
    board, picture = track_and_picture()
    cut = photo_of(picture, board.size_mm, camera_at((90, 0), 250, size_px=(1600, 1200)), tmp_path / "cut")
    assert found_again(cut, picture) is None
    for game in ("garden-dice", "garden-guests"):
        other = own_kit(game).boards[0]
        print_of = cv2.imread(str(other.image))
        assert print_of is not None
        photo = photo_of(print_of, other.size_mm, camera_at((0, 0), 700, size_px=(1600, 1200)), tmp_path / game)
        assert found_again(photo, picture) is None
    blank = Straight("", np.full((600, 800, 3), 128, np.uint8), {})
    assert found_again(blank, picture) is None


def test_a_picture_without_a_clear_edge_is_used_with_what_it_alone_tells(tmp_path: Path) -> None:
    """Five pictures on a carpet, the lamp elsewhere in each; that with white paper beside the board is from afar.

    In one no edge is found, in that with the paper it is found some millimetres off: the board is white as paper tells
    all the same, and lies where its print does, to half a millimetre.
    """
    board, print_of = track_and_picture()
    folder, more = empty_boards(board, tmp_path)
    assert more[0] == "--size"
    flat = Flattening(LENS, board.size_mm, None)
    for path in sorted(folder.iterdir()):
        pixels = cv2.imread(str(path))
        assert pixels is not None
        flat.add(path.name, pixels)
    assert flat.problems() == []
    made = cv2.resize(flat.picture(), print_of.shape[1::-1], interpolation=cv2.INTER_AREA)
    grey = [cv2.cvtColor(each, cv2.COLOR_BGR2GRAY).astype(np.float32) for each in (made, print_of)]
    per_mm = print_of.shape[1] / board.size_mm[0]
    height, width = grey[0].shape
    for rows in (slice(0, height // 2), slice(height // 2, None)):
        for columns in (slice(0, width // 3), slice(width // 3, 2 * width // 3), slice(2 * width // 3, None)):
            (x, y), _ = cv2.phaseCorrelate(*(each[rows, columns] for each in grey))
            assert np.hypot(x, y) < 0.5 * per_mm
