"""The simulated table: pictures keep to their truth, as an independent reckoning with OpenCV finds it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.kit import Kit, load_kit
from companion.simulate.lying import BoardLies, Lying, Placements
from companion.simulate.optics import Camera, hung, random_camera
from companion.simulate.render import Room, render
from companion.simulate.room import LIGHTS, Light, Sensor, random_light, random_sensor
from companion.simulate.surfaces import SURFACES, Surface
from companion.simulate.things import Beside, Hand, StandingDie
from tests.vision.other_kits import KITS, draw_other_kits
from tests.vision.photographs import Wanted, photograph, photographs

ROOT = Path(__file__).parent.parent.parent
Array = np.ndarray[Any, Any]
SMALL = (640, 480)
CLEAN = Room(Surface("plain", 0), Light(shadow_strength=0.0), Sensor(0.9, 0.0, 0.4, shot=0, read=0.0005, jpeg=100))


@pytest.fixture(scope="module")
def dice_kit() -> Kit:
    return load_kit(ROOT / "calibration" / "kits" / "garden-dice")


@pytest.fixture(scope="module")
def other_kits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kit]:
    folders = draw_other_kits(tmp_path_factory.mktemp("kits"))
    return {name: load_kit(folder) for name, folder in folders.items()}


def leaning(size_px: tuple[int, int] = SMALL) -> Camera:
    """A camera that leans by 25°, turned, with a bent lens."""
    return hung(size_px, 0.9 * size_px[0], (0, 0), 740, 25, 40, 100, distortion=(-0.06, 0.02, 0, 0, 0))


def shot(
    kit: Kit,
    spaces: dict[str, tuple[Lying, ...]] | None = None,
    dice: tuple[StandingDie, ...] = (),
    camera: Camera | None = None,
    room: Room = CLEAN,
    seed: int = 0,
    turn_deg: float = 10.0,
) -> tuple[Array, dict[str, Any]]:
    placements = Placements((BoardLies("board", (0, 0), turn_deg),), spaces or {})
    return render(kit, placements, dice, camera or leaning(), room, np.random.default_rng(seed))


def seen_at(kit: Kit, truth: dict[str, Any], points_mm: Array, height_mm: float) -> Array:
    """Where points (N, 2) above the board appear: through the truth's corners and lens alone.  (N, 2) px."""
    matrix, lens = np.array(truth["camera"]["K"]), np.array(truth["camera"]["dist"])
    w, h = kit.boards[0].size_mm
    flat = np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], dtype=float)
    found, rotation, translation = cv2.solvePnP(flat, np.array(truth["boards"]["board"]), matrix, lens)
    assert found
    lifted = np.column_stack([points_mm, np.full(len(points_mm), -height_mm)])
    return np.asarray(cv2.projectPoints(lifted, rotation, translation, matrix, lens)[0]).reshape(-1, 2)


def test_the_board_lies_where_its_corners_say(dice_kit: Kit) -> None:
    """Taken back to the board's plane through corners and lens, the photograph is the board's picture."""
    camera = leaning((1280, 960))
    photo, truth = shot(dice_kit, camera=camera)
    w, h = (round(size) for size in dice_kit.boards[0].size_mm)
    grid = np.stack(np.meshgrid(np.arange(w) + 0.5, np.arange(h) + 0.5), axis=-1).reshape(-1, 2)
    at = seen_at(dice_kit, truth, grid, 0.0).astype(np.float32).reshape(h, w, 2)
    back = cv2.cvtColor(cv2.remap(photo, at[..., 0], at[..., 1], cv2.INTER_LINEAR), cv2.COLOR_BGR2GRAY)
    board = cv2.imread(str(dice_kit.boards[0].image), cv2.IMREAD_GRAYSCALE)
    assert board is not None
    flat = cv2.resize(board, (w, h), interpolation=cv2.INTER_AREA)
    here = cv2.matchTemplate(back, flat, cv2.TM_CCOEFF_NORMED)[0, 0]
    assert here > 0.97
    inner = np.ascontiguousarray(flat[4:-4, 4:-4])
    around = cv2.matchTemplate(back, inner, cv2.TM_CCOEFF_NORMED)  # a millimetre aside it is worse
    assert divmod(int(np.argmax(around)), around.shape[1]) == (4, 4)
    shift, _ = cv2.phaseCorrelate(back.astype(np.float32), flat.astype(np.float32))
    assert np.hypot(shift[0], shift[1]) < 0.1  # mm


def test_a_piece_is_seen_on_its_space_at_its_height(dice_kit: Kit) -> None:
    camera = leaning((1280, 960))
    still = replace(CLEAN, sensor=replace(CLEAN.sensor, read=0.0))  # in black print noise is seen most
    empty, _ = shot(dice_kit, camera=camera, room=still)
    lying = (Lying("tomato/vegetable", (2.0, -1.0), 90), Lying("disc/blue", (8.0, 6.0)))
    taken, truth = shot(dice_kit, {"2,5": lying}, camera=camera, room=still)
    assert truth["spaces"] == {"2,5": ["tomato/vegetable", "disc/blue"]} and truth["hidden"] == []
    space = next(space for space in dice_kit.spaces if space.id == "2,5")
    differs = np.abs(taken.astype(int) - empty).max(axis=2) > 12
    middle = seen_at(dice_kit, truth, np.array([space.at_mm]) + [8.0, 6.0], 7.0)[0]
    box = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]]) + [2.0, -1.0] + np.array(space.at_mm)
    around = np.vstack([seen_at(dice_kit, truth, box, height) for height in (0.0, 2.0)])
    hull = cv2.convexHull(around.astype(np.float32)).reshape(-1, 2)
    allowed = np.zeros(differs.shape, np.uint8)
    cv2.fillConvexPoly(allowed, np.rint(hull).astype(np.int32), 1)
    cv2.circle(allowed, (round(middle[0]), round(middle[1])), 24, 1, -1)
    assert (differs & (cv2.dilate(allowed, np.ones((5, 5), np.uint8)) == 0)).sum() == 0
    assert differs[allowed > 0].mean() > 0.9
    # The disc's top: a blue ring around its middle, where its height says.
    blue, _, red = taken[round(middle[1]) + 7, round(middle[0])].astype(int)
    assert blue > red + 30


def test_piles_and_neighbours_are_told_as_a_camera_can(dice_kit: Kit) -> None:
    spaces = {
        "1,1": (Lying("rabbit"), Lying("disc/red"), Lying("disc/red", (1, 0)), Lying("disc/red")),
        "track-7": (Lying("disc/yellow", (0, -7.3)), Lying("disc/green", (0, 7.3))),
        "track-9": (Lying("disc/yellow"), Lying("disc/green")),
    }
    _, truth = shot(dice_kit, spaces)
    assert truth["spaces"] == {
        "1,1": ["rabbit", "disc/red"],
        "track-7": ["disc/green", "disc/yellow"],
        "track-9": ["disc/yellow", "disc/green"],
    }


@pytest.mark.parametrize("value", range(1, 7))
def test_a_die_shows_its_pips_at_its_place(dice_kit: Kit, value: int) -> None:
    camera = hung((1280, 960), 1500, (0, 0), 500, 20, value * 60)
    photo, truth = shot(dice_kit, {}, (StandingDie(value, (20, -30), 33, look=2),), camera)
    die = truth["dice"][0]
    assert (die["value"], die["visible"]) == (value, True)
    x, y = (round(part) for part in die["at_px"])
    patch = photo[y - 40 : y + 41, x - 40 : x + 41].min(axis=2)  # white pips on red: bright in every colour
    reach = np.hypot(*np.mgrid[-40:41, -40:41])
    pips, _, stats, _ = cv2.connectedComponentsWithStats(((patch > 130) & (reach < 23)).astype(np.uint8))
    assert sum(area > 15 for area in stats[1:pips, cv2.CC_STAT_AREA]) == value


def test_dice_stand_on_what_lies_under_them(dice_kit: Kit) -> None:
    def height_of(spaces: dict[str, tuple[Lying, ...]], at: tuple[float, float]) -> Array:
        camera = leaning()
        _, truth = shot(dice_kit, spaces, (StandingDie(3, at),), camera, turn_deg=0.0)
        candidates = [camera.project(np.array([at]), height + 16.0)[0] for height in (0.0, 2.0, 4.0)]
        return np.asarray(np.abs(np.array(candidates) - truth["dice"][0]["at_px"]).max(axis=1) < 0.06)

    plot = next(space for space in dice_kit.spaces if space.id == "3,3")
    at = (plot.at_mm[0] - 208.0, plot.at_mm[1] - 208.0)
    assert height_of({}, (-230.0, 0.0)).tolist() == [True, False, False]
    assert height_of({}, at).tolist() == [False, True, False]
    assert height_of({"3,3": (Lying("rock"),)}, at).tolist() == [False, False, True]


@pytest.mark.parametrize("order", [1, -1])
def test_what_stands_nearer_leans_over_what_stands_behind(dice_kit: Kit, order: int) -> None:
    """Seen from above the middle, the near red die's top covers the foot of the white one behind it."""
    camera = hung((1280, 960), 700, (0, 0), 200)
    dice = (StandingDie(1, (60, 0), 0, 30, 2), StandingDie(1, (95.5, 0), 0, 30, 0))[::order]
    photo, _ = shot(dice_kit, {}, dice, camera, turn_deg=0.0)
    x, y = camera.project(np.array([[84.0, 11.0]]), 2.0)[0].round().astype(int)
    blue, green, red = photo[y, x].astype(int)
    assert red > 2 * green and red > 2 * blue


def test_what_a_hand_covers_is_hidden(dice_kit: Kit) -> None:
    free, before = shot(dice_kit, {"3,3": (Lying("rock"),)})
    room = replace(CLEAN, hands=(Hand((0, 0), 90, 2),))
    covered, truth = shot(dice_kit, {"3,3": (Lying("rock"),)}, room=room)
    assert before["hidden"] == [] and not before["hand"]
    assert truth["hand"] and truth["spaces"] == before["spaces"]
    assert 3 < len(truth["hidden"]) < 60
    changed = np.abs(covered.astype(int) - free).max(axis=2) > 20
    for space in dice_kit.spaces:
        x, y = seen_at(dice_kit, truth, np.array([space.at_mm]), 0.0)[0].round().astype(int)
        if space.id in truth["hidden"]:
            assert changed[max(0, y - 12) : y + 13, max(0, x - 12) : x + 13].mean() > 0.2, space.id


def test_what_lies_beyond_the_edge_or_behind_a_cup_is_hidden(dice_kit: Kit) -> None:
    near = hung(SMALL, 600, (0, 0), 300)
    _, truth = shot(dice_kit, camera=near)
    assert "3,3" not in truth["hidden"] and "track-0" in truth["hidden"] and "1,1" in truth["hidden"]
    cup = replace(CLEAN, things=(Beside("cup", (-48, 0)),))
    _, truth = shot(dice_kit, room=cup, turn_deg=0.0)
    assert "3,3" in truth["hidden"] and "6,6" not in truth["hidden"]


def test_a_die_out_of_sight_is_not_visible(dice_kit: Kit) -> None:
    room = replace(CLEAN, hands=(Hand((0, 0), 90, 2),))
    dice = (StandingDie(6, (60, 0)), StandingDie(2, (-90, -90)), StandingDie(1, (2000, 0)))
    _, truth = shot(dice_kit, {}, dice, room=room)
    assert [die["visible"] for die in truth["dice"]] == [False, True, False]


def test_the_same_seed_gives_the_same_picture(dice_kit: Kit) -> None:
    wanted = Wanted(size_px=SMALL)
    one, truth = photograph(dice_kit, 5, 3, wanted)
    again, same = photograph(dice_kit, 5, 3, wanted)
    other, _ = photograph(dice_kit, 6, 3, wanted)
    assert (one == again).all() and truth == same
    assert (one != other).any()


@pytest.mark.parametrize("surface", SURFACES)
def test_every_table_and_light_gives_a_picture(dice_kit: Kit, surface: str) -> None:
    random = np.random.default_rng(SURFACES.index(surface))
    for name in LIGHTS:
        light = random_light(random, np.zeros(2), 400, name)
        room = Room(Surface(surface, 1), light, random_sensor(random, name))
        photo, truth = shot(dice_kit, {"1,1": (Lying("bird"),)}, room=room)
        assert photo.shape == (480, 640, 3) and photo.dtype == np.uint8 and truth["light"] == name
        assert 8 < photo.mean() < 235 and photo.std() > 4


@pytest.mark.parametrize("size_px", [(641, 479), (1640, 1232), (330, 250)])
def test_any_size_of_picture_will_do(dice_kit: Kit, size_px: tuple[int, int]) -> None:
    photo, _ = photograph(dice_kit, 1, 0, Wanted(size_px, light="lamp-glare"))
    assert photo.shape == (size_px[1], size_px[0], 3)


def test_random_cameras_keep_the_board_in_view() -> None:
    random = np.random.default_rng(2)
    corners = np.array([[-200, -100], [200, -100], [200, 100], [-200, 100]], dtype=float)
    tilts = []
    for _ in range(60):
        camera = random_camera(random, corners, SMALL)
        seen = camera.project(corners)
        assert (seen > -0.5).all() and (seen < np.array(SMALL) - 0.5).all()
        assert np.ptp(seen, axis=0).max() > 200
        tilts.append(camera.tilt_deg)
    assert max(tilts) <= 35 and max(tilts) > 20 and min(tilts) < 5


def test_a_camera_agrees_with_opencv() -> None:
    camera = leaning()
    random = np.random.default_rng(0)
    points, heights = random.uniform(-200, 200, (50, 2)), random.uniform(0, 60, 50)
    expected, _ = cv2.projectPoints(
        np.column_stack([points, -heights]),
        np.array(camera.rotation),
        np.array(camera.translation),
        camera.matrix,
        np.array(camera.distortion),
    )
    np.testing.assert_allclose(camera.project(points, heights), np.asarray(expected).reshape(-1, 2), atol=1e-9)


@pytest.mark.parametrize("name", KITS)
def test_other_kits_load_and_are_photographed(other_kits: dict[str, Kit], name: str) -> None:
    kit = other_kits[name]
    names, spaces = {piece.name for piece in kit.pieces}, {space.id for space in kit.spaces}
    laid: set[str] = set()
    for photo, truth in photographs(kit, 4, 1, Wanted(size_px=SMALL, cut_off=0.0)):
        assert photo.shape == (480, 640, 3)
        assert set(truth["boards"]) == {board.id for board in kit.boards}
        corners = np.array(list(truth["boards"].values())).reshape(-1, 2)
        assert (corners > -1).all() and (corners < SMALL).all()
        assert set(truth["spaces"]) <= spaces and set(truth["hidden"]) <= spaces
        assert all(0 < len(pieces) <= 4 and set(pieces) <= names for pieces in truth["spaces"].values())
        laid |= set().union(*truth["spaces"].values())
    assert len(laid) > len(names) / 2
