"""Boards are found where they lie, on kits of any art; what is no board is not found; and they are found again."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

cv2 = pytest.importorskip("cv2")

from companion.kit import Kit, load_kit  # noqa: E402
from companion.observation import Calibration  # noqa: E402
from companion.vision.board import BoardKnowledge, find_boards, learn_board, verify_boards  # noqa: E402
from companion.vision.geometry import (  # noqa: E402
    Geometry,
    corners_mm,
    geometry_of,
    motions,
    moved,
    on_table,
    placed_motions,
    project,
    scale_of,
    spin,
    view_of,
)
from companion.vision.hypotheses import begin, thumb_worths  # noqa: E402
from companion.vision.markers import marked_outlines  # noqa: E402
from companion.vision.plane import placements_of_corners  # noqa: E402
from companion.vision.refine import Photograph  # noqa: E402
from companion.vision.rivals import plainer  # noqa: E402
from companion.vision.verdict import look_at, placed_at, turned_placement, verdict_of  # noqa: E402
from companion.vision.view import View  # noqa: E402
from tests.vision.other_kits import KITS, draw_other_kits  # noqa: E402
from tests.vision.photographs import Wanted, photograph  # noqa: E402

Array = np.ndarray[Any, Any]
ROOT = Path(__file__).parent.parent.parent
OWN = ("garden-dice", "garden-rush", "garden-guests")
PLAIN = Wanted(size_px=(960, 720), hands=0.0, cut_off=0.0, most_tilt_deg=25.0)
MOST_OFF_PX = 2.0  # at a width of 1300 px


def learn(kit: Kit) -> dict[str, BoardKnowledge]:
    pictures = {board.id: cv2.imread(str(board.image), cv2.IMREAD_UNCHANGED) for board in kit.boards}
    return {board.id: learn_board(board, kit.spaces, pictures[board.id]) for board in kit.boards}


def off_px(view: View, kit: Kit, truth: dict[str, Any], width: int) -> dict[str, float]:
    """How far the worst corner of each board that was found lies off, in px at a width of 1300."""
    found = [board for board in kit.boards if board.id in view.poses]
    away = {board.id: view.corners(board) - np.array(truth["boards"][board.id]) for board in found}
    return {name: float(np.hypot(*each.T).max()) * 1300 / width for name, each in away.items()}


@pytest.fixture(scope="module")
def kits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kit]:
    own = {name: load_kit(ROOT / "calibration" / "kits" / name) for name in OWN}
    others = draw_other_kits(tmp_path_factory.mktemp("kits"))
    return own | {name: load_kit(folder) for name, folder in others.items()}


@pytest.fixture(scope="module")
def dice_kit(kits: dict[str, Kit]) -> tuple[Kit, dict[str, BoardKnowledge], Array, dict[str, Any]]:
    pixels, truth = photograph(kits["garden-dice"], 11, 0, PLAIN)
    return kits["garden-dice"], learn(kits["garden-dice"]), pixels, truth


@pytest.mark.parametrize("name", [*OWN, *KITS])
def test_all_boards_of_a_kit_are_found(kits: dict[str, Kit], name: str) -> None:
    kit = kits[name]
    known = learn(kit)
    for number in range(2):
        pixels, truth = photograph(kit, 11, number, PLAIN)
        view = find_boards(pixels, known, kit, None)
        assert view is not None
        off = off_px(view, kit, truth, pixels.shape[1])
        assert set(off) == set(truth["boards"])
        assert max(off.values()) < MOST_OFF_PX, off


def test_a_board_of_like_spaces_is_not_taken_for_itself_upside_down(kits: dict[str, Kit]) -> None:
    kit = kits["garden-rush"]
    pixels, truth = photograph(kit, 888, 11, Wanted())  # half a turn and a space off, the track looks much the same
    view = find_boards(pixels, learn(kit), kit, None)
    assert view is not None
    assert max(off_px(view, kit, truth, pixels.shape[1]).values()) < MOST_OFF_PX


def test_an_upside_down_picture_turns_the_corners(dice_kit: Any) -> None:
    kit, known, pixels, truth = dice_kit
    view = find_boards(np.ascontiguousarray(pixels[::-1, ::-1]), known, kit, None)
    assert view is not None
    height, width = pixels.shape[:2]
    expected = np.array([width - 1, height - 1]) - np.array(truth["boards"]["board"])
    assert np.abs(view.corners(kit.boards[0]) - expected).max() < MOST_OFF_PX * width / 1300


def test_what_is_no_board_is_not_found(kits: dict[str, Kit], dice_kit: Any) -> None:
    kit, known, *_ = dice_kit
    random = np.random.default_rng(5)
    assert find_boards(np.full((480, 640, 3), 120, np.uint8), known, kit, None) is None
    assert find_boards(random.integers(0, 256, (480, 640, 3), dtype=np.uint8), known, kit, None) is None
    another, _ = photograph(kits["garden-guests"], 11, 0, PLAIN)
    assert find_boards(another, known, kit, None) is None


def test_a_grey_picture_does_as_well(dice_kit: Any) -> None:
    kit, known, pixels, truth = dice_kit
    view = find_boards(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), known, kit, None)
    assert view is not None and max(off_px(view, kit, truth, pixels.shape[1]).values()) < MOST_OFF_PX


def test_a_calibrated_lens_is_kept(dice_kit: Any) -> None:
    kit, known, pixels, truth = dice_kit
    height, width = pixels.shape[:2]
    matrix, distortion = np.array(truth["camera"]["K"]), truth["camera"]["dist"]
    lens = Calibration((width, height), matrix[0, 0], (matrix[0, 2], matrix[1, 2]), tuple(distortion))
    view = find_boards(pixels, known, kit, lens)
    assert view is not None
    assert np.allclose(view.matrix, matrix) and np.allclose(view.distortion, distortion)
    assert max(off_px(view, kit, truth, width).values()) < MOST_OFF_PX


def test_boards_that_lie_still_are_the_same_view(dice_kit: Any) -> None:
    kit, known, pixels, _ = dice_kit
    view = find_boards(pixels, known, kit, None)
    assert view is not None
    noise = np.random.default_rng(3).normal(0, 3, pixels.shape)
    again = np.clip(pixels + noise, 0, 255).astype(np.uint8)
    assert verify_boards(again, known, kit, view) is view


@pytest.mark.parametrize("shift", [(2, -1), (-5, 6), (8, 5)])
def test_boards_that_moved_a_little_are_followed(dice_kit: Any, shift: tuple[int, int]) -> None:
    kit, known, pixels, _ = dice_kit
    view = find_boards(pixels, known, kit, None)
    assert view is not None
    step = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], float)
    moved_view = verify_boards(cv2.warpAffine(pixels, step, pixels.shape[1::-1]), known, kit, view)
    assert moved_view is not None and moved_view is not view
    board = kit.boards[0]
    assert np.abs(moved_view.corners(board) - view.corners(board) - shift).max() < 1.0


def test_boards_that_are_gone_are_not_verified(dice_kit: Any) -> None:
    kit, known, pixels, _ = dice_kit
    view = find_boards(pixels, known, kit, None)
    assert view is not None
    assert verify_boards(np.ascontiguousarray(pixels[::-1, ::-1]), known, kit, view) is None
    assert verify_boards(np.full_like(pixels, 90), known, kit, view) is None


def test_markers_show_a_board_whose_outline_is_lost(dice_kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cv2.aruco")
    kit, known, _, _ = dice_kit
    board = kit.boards[0]
    picture = cv2.resize(cv2.imread(str(board.image)), None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
    monkeypatch.setattr("companion.vision.hypotheses.outlines", lambda small: iter(()))
    monkeypatch.setattr("companion.vision.hypotheses.matched_outlines", lambda *_: iter(()))
    place = np.array([[0.8, -0.3, 260.0], [0.3, 0.8, 40.0]])
    frame = cv2.warpAffine(picture, place, (1200, 1000), borderValue=(90, 110, 120))
    assert find_boards(frame, known, replace(kit, markers=()), None) is None
    view = find_boards(frame, known, kit, None)
    assert view is not None
    height, width = picture.shape[:2]
    edges = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    corners = edges @ place[:, :2].T + place[:, 2]
    assert np.abs(view.corners(board) - corners).max() < MOST_OFF_PX


@pytest.mark.parametrize(("shown", "placed"), [((0, 1, 2, 3), True), ((0, 1), False), ((2,), False)])
def test_markers_at_one_side_alone_do_not_say_where_a_board_lies(shown: tuple[int, ...], placed: bool) -> None:
    """In a small, noisy picture, with those of the others hidden: what they would say of the far side is far off."""
    kit = load_kit(ROOT / "calibration" / "kits" / "garden-dice")
    board = kit.boards[0]
    picture = cv2.imread(str(board.image))
    per_mm = picture.shape[1] / board.size_mm[0]
    hidden = [marker for number, marker in enumerate(kit.markers) if number not in shown]
    for marker in hidden:
        x, y = (round(at * per_mm) for at in marker.at_mm)
        cv2.circle(picture, (x, y), 50, (90, 120, 160), -1)
    place = np.array([[0.26, -0.08, 200.0], [0.08, 0.26, 40.0]])
    small = cv2.warpAffine(picture, place, (820, 616), flags=cv2.INTER_AREA, borderValue=(90, 110, 120))
    noise = np.random.default_rng(3).normal(0, 3, small.shape[:2])
    grey = np.clip(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY) + noise, 0, 255).astype(np.uint8)
    found = dict(marked_outlines(grey, kit.boards, kit.markers))
    assert (board.id in found) == placed
    if placed:
        end = picture.shape[0]
        corners = np.array([[0, 0], [end, 0], [end, end], [0, end]]) @ place[:, :2].T + place[:, 2]
        assert np.abs(found[board.id] - corners).max() < MOST_OFF_PX


def test_what_is_learned_can_be_kept_in_a_file(dice_kit: Any) -> None:
    kit, known, pixels, _ = dice_kit
    kept = pickle.loads(pickle.dumps(known))
    one, other = find_boards(pixels, known, kit, None), find_boards(pixels, kept, kit, None)
    assert one is not None and other is not None
    assert np.array_equal(one.corners(kit.boards[0]), other.corners(kit.boards[0]))


def leaning() -> Geometry:
    rotation, _ = cv2.Rodrigues(np.array([0.3, -0.2, 1.0]))
    distortion = np.array([-0.05, 0.02, 0.001, -0.002, 0.01])
    places = np.array([[0, 0, 0], [0.3, 200, 30.0]])
    return Geometry(1000.0, (640.0, 480.0), distortion, rotation, np.array([-100, -50, 700.0]), places)


@pytest.mark.parametrize("board", range(2))
@pytest.mark.parametrize("parameter", range(14))
def test_projection_changes_as_its_derivatives_say(board: int, parameter: int) -> None:
    geometry, points = leaning(), np.array([[10, 20], [300, 200], [80, 50.0]]).T
    step = np.zeros(14)
    step[parameter] = 1e-6
    changed = [moved(geometry, sign * step) for sign in (1, -1)]
    after, before = (project(each, on_table(each, board, points)).pixels for each in changed)
    at = project(geometry, on_table(geometry, board, points))
    placed = placed_motions(geometry, at, 1) * board  # a further board's placement moves no other
    motion = np.concatenate([motions(geometry, at, 5), placed])[parameter]
    assert np.allclose((after - before) / 2e-6, (at.by_plane * motion).sum(axis=1), rtol=1e-4, atol=1e-3)


def test_a_view_and_its_geometry_are_the_same() -> None:
    geometry, points = leaning(), np.array([[5, 9], [80, 50.0]])
    view = view_of(geometry, ["one", "other"], [0.0, 0.0])
    for same in (geometry, geometry_of(view, ["one", "other"])):
        seen = project(same, on_table(same, 1, points.T)).pixels
        assert np.allclose(view.pixels("other", points), seen.T)


@pytest.mark.parametrize("corner", range(4))
def test_one_corner_and_parts_of_its_sides_place_a_board(corner: int) -> None:
    geometry, size = leaning(), (90.0, 50.0)
    every = corners_mm(size)
    at, after, before = (every[(corner + step) % 4] for step in (0, 1, -1))
    seen = np.array([at, at + 0.6 * (after - at), at + 0.7 * (before - at)])
    pixels = project(geometry, on_table(geometry, 1, seen.T)).pixels.T
    truth = on_table(geometry, 1, every.T).T
    apart = []
    for placement in placements_of_corners(geometry, pixels[None], size):
        placed = on_table(replace(geometry, placements=np.array([[0, 0, 0], placement])), 1, every.T).T
        apart += [np.abs(np.roll(placed, turn, axis=0) - truth).max() for turn in (0, 2)]  # turns are told later
    assert min(apart) < 1e-3


@pytest.mark.parametrize("seed", range(6))
def test_any_outline_gives_a_board_before_the_camera_or_none(dice_kit: Any, seed: int) -> None:
    kit, known, pixels, _ = dice_kit
    search = begin(pixels, known, None)
    random = np.random.default_rng(seed)
    for corners in random.uniform(-500, 1500, (60, 4, 2)):
        geometry = search.geometry(kit.boards[0].size_mm, corners)
        if geometry is not None:
            depths = corners_mm(kit.boards[0].size_mm) @ geometry.rotation[2, :2] + geometry.translation[2]
            assert (depths > 0).all()
            assert scale_of(geometry, 0, kit.boards[0].size_mm) > 0


@pytest.mark.parametrize(("right", "down", "quarters"), [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 2)])
def test_a_board_a_space_off_or_upside_down_is_put_right(
    kits: dict[str, Kit], right: int, down: int, quarters: int
) -> None:
    """Rows of spaces look like themselves a space on: what shows beside them tells."""
    kit = kits["garden-rush"]
    known = learn(kit)
    pixels, truth = photograph(kit, 11, 0, PLAIN)
    view = find_boards(pixels, known, kit, None)
    assert view is not None
    names = ["board", "track"]
    geometry, boards = geometry_of(view, names), [known[name] for name in names]
    track = turned_placement(geometry.placements[1], boards[1].size_mm, quarters)
    track[1:] += spin(track[0]) @ (boards[1].pitch_mm * np.array([right, down]))
    wrong, photo = placed_at(geometry, 1, track), Photograph.of(pixels)
    found = plainer(photo, boards, wrong, 1, verdict_of(look_at(photo, boards[1], wrong, 1, 0)))
    assert found is not None
    off = view_of(found[0], names, [0.0, 0.0]).corners(kit.boards[2]) - np.array(truth["boards"]["track"])
    assert np.hypot(*off.T).max() < MOST_OFF_PX


def test_however_many_outlines_there_are_each_is_compared() -> None:
    """A cluttered or damaged picture has thousands; what one is worth hardly depends on its neighbours."""
    kit = load_kit(ROOT / "calibration" / "kits" / "garden-rush")
    known = learn(kit)
    random = np.random.default_rng(5)
    search = begin(random.integers(0, 255, (480, 640, 3), np.uint8), known, None)
    square = np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 100.0], [0.0, 100.0]])
    outlines = square + random.uniform(0, 300, (5000, 1, 2))
    worths = thumb_worths(search, known["board"], outlines)
    assert worths.shape == (5000, 2)
    for at in (0, 1234, 4999):
        assert worths[at] == pytest.approx(thumb_worths(search, known["board"], outlines[at : at + 1])[0], abs=0.01)
