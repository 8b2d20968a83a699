"""Dice: drawn ones of many looks before a camera, printed ones that are none, and real photographs."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

cv2 = pytest.importorskip("cv2")

from companion.kit import Dice  # noqa: E402
from companion.vision.dice import Printed, read_dice  # noqa: E402
from companion.vision.view import Pose, View  # noqa: E402

DICE = Dice(6, 16.0, "pips")
PHOTOGRAPHS = Path(__file__).parent.parent / "data" / "dice"
SIDES = {1: (2, 3, 5, 4), 2: (1, 4, 6, 3), 3: (1, 2, 6, 5), 4: (1, 5, 6, 2), 5: (1, 3, 6, 4), 6: (2, 4, 5, 3)}
CORNERS = ((-1, -1), (1, 1), (-1, 1), (1, -1))
PIPS = {1: ((0, 0),), 2: CORNERS[:2], 3: (*CORNERS[:2], (0, 0)), 4: CORNERS, 5: (*CORNERS, (0, 0))}
PIPS[6] = (*CORNERS, (-1, 0), (1, 0))


@dataclass(frozen=True)
class Look:
    """How a set of dice looks: colours BGR, where the pips lie and how large they are, in edges."""

    face: tuple[int, int, int]
    pip: tuple[int, int, int]
    spacing: float = 0.26
    radius: float = 0.1
    rows: float = 1.0  # of a six, how far apart in spacings
    wood: bool = False


LOOKS = {
    "white": Look((225, 235, 238), (25, 25, 28)),
    "wood": Look((110, 165, 205), (30, 45, 62), wood=True),
    "red": Look((40, 35, 190), (240, 240, 240)),
    "black": Look((38, 35, 35), (235, 238, 240), radius=0.09),
    "blue": Look((170, 80, 30), (235, 238, 240), spacing=0.28),
    "yellow": Look((60, 200, 235), (25, 25, 28), spacing=0.24, radius=0.085),
    "close rows": Look((225, 235, 238), (25, 25, 28), rows=0.75),
}


@dataclass(frozen=True)
class Cube:
    value: int
    at_mm: tuple[float, float]
    turn: float = 0.0
    tip: float = 0.0  # radians off its flat side


def turned(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    return cv2.Rodrigues(np.array(axis) * angle)[0]


def view_of(tilt: float, roll: float = 0.0, px_per_mm: float = 1.7, size: tuple[int, int] = (960, 720)) -> View:
    """A camera over a board of 300 × 300 mm."""
    focal = size[0] * 1.1
    turn = turned((1, 0, 0), tilt) @ turned((0, 0, 1), roll)
    middle = np.array([0, 0, focal / px_per_mm]) - turn @ np.array([150.0, 150.0, 0])
    matrix = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1.0]])
    lens = np.array([-0.05, 0.01, 0, 0, 0])
    return View(matrix, lens, {"board": Pose(cv2.Rodrigues(turn)[0].reshape(3), middle)})


def seen(view: View, points: np.ndarray) -> np.ndarray:
    return view.pixels("board", points[:, :2], points[:, 2])


def face_picture(value: int, look: Look, random: np.random.Generator) -> np.ndarray:
    n = 96
    face = np.full((n, n, 3), look.face, np.float32)
    if look.wood:
        grain = cv2.GaussianBlur(random.normal(0, 1, (n, n)).astype(np.float32), (0, 0), sigmaX=12, sigmaY=1.2)
        face *= np.clip(1 + 0.1 * grain / grain.std(), 0.6, 1.4)[..., None]
    for x, y in PIPS[value]:
        x = x * look.rows if value == 6 else x
        centre = (int((0.5 + x * look.spacing) * n * 16), int((0.5 + y * look.spacing) * n * 16))
        cv2.circle(face, centre, int(look.radius * n * 16), tuple(map(float, look.pip)), -1, cv2.LINE_AA, 4)
    inwards = np.minimum(np.arange(n), np.arange(n)[::-1])
    rim = np.minimum(inwards[:, None], inwards) / n
    return face * (1 - 0.25 * np.clip(1 - rim / 0.05, 0, 1))[..., None]


def sides_of(cube: Cube) -> np.ndarray:
    """Corners (5, 4, 3) mm of the top and the four sides, z up."""
    h = DICE.size_mm / 2
    top = np.array([(-h, -h, h), (h, -h, h), (h, h, h), (-h, h, h)])
    side = np.array([(-h, h, h), (h, h, h), (h, h, -h), (-h, h, -h)])
    faces = np.stack([top] + [side @ turned((0, 0, 1), k * np.pi / 2).T for k in range(4)])
    faces = faces @ (turned((0, 0, 1), cube.turn) @ turned((1, 0, 0), cube.tip)).T
    faces[..., 2] -= faces[..., 2].min()
    return faces + np.array([*cube.at_mm, 0])


def draw(picture: np.ndarray, view: View, cube: Cube, look: Look, random: np.random.Generator) -> np.ndarray:
    """Draw a die into a picture (H, W, 3) float32; where its top's centre lies."""
    faces, light = sides_of(cube), np.array([0.3, 0.2, 0.93])
    eye, middle = view.camera_mm("board"), faces.reshape(-1, 3).mean(axis=0)
    for value, corners in zip((cube.value, *SIDES[cube.value]), faces, strict=True):
        out = corners.mean(axis=0) - middle
        out = out / np.linalg.norm(out)
        if out @ (eye - corners.mean(axis=0)) <= 0:
            continue
        face = face_picture(value, look, random) * (0.5 + 0.55 * max(0.0, float(out @ light)))
        places = seen(view, corners)
        corner = np.floor(places.min(axis=0)).astype(int) - 2
        width, height = np.ceil(places.max(axis=0)).astype(int) + 3 - corner
        onto = cv2.getPerspectiveTransform(
            np.array([[0, 0], [95, 0], [95, 95], [0, 95]], np.float32), ((places - corner) * 4).astype(np.float32)
        )
        large = cv2.warpPerspective(face, onto, (width * 4, height * 4), borderMode=cv2.BORDER_REPLICATE)
        mask = np.zeros((height * 4, width * 4), np.float32)
        cv2.fillConvexPoly(mask, np.round((places - corner) * 4).astype(np.int32), 1.0)
        large = cv2.resize(large * mask[..., None], (width, height), interpolation=cv2.INTER_AREA)
        mask = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)[..., None]
        x0, y0 = np.maximum(corner, 0)
        x1, y1 = np.minimum(corner + (width, height), (picture.shape[1], picture.shape[0]))
        part = np.s_[y0 - corner[1] : y1 - corner[1], x0 - corner[0] : x1 - corner[0]]
        picture[y0:y1, x0:x1] = picture[y0:y1, x0:x1] * (1 - mask[part]) + large[part]
    return seen(view, faces[0].mean(axis=0)[None])[0]


def photograph(
    view: View, cubes: list[Cube], look: Look, board: np.ndarray | None = None, seed: int = 1
) -> tuple[np.ndarray, list[np.ndarray]]:
    """What the camera sees of dice on a table, uint8, and where the dice's tops lie."""
    random = np.random.default_rng(seed)
    picture = np.full((720, 960, 3), (95, 120, 90), np.float32)
    corners = seen(view, np.array([[0, 0, 0], [300, 0, 0], [300, 300, 0], [0, 300, 0.0]])).astype(np.float32)
    if board is None:
        cv2.fillConvexPoly(picture, np.round(corners).astype(np.int32), (70.0, 95.0, 140.0))
    else:
        h, w = board.shape[:2]
        onto = cv2.getPerspectiveTransform(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32), corners)
        flat = cv2.warpPerspective(board.astype(np.float32), onto, (960, 720), flags=cv2.INTER_AREA)
        shown = cv2.warpPerspective(np.ones((h, w), np.float32), onto, (960, 720))[..., None]
        picture = picture * (1 - shown) + flat * shown
    eye = view.camera_mm("board")[:2]
    order = sorted(range(len(cubes)), key=lambda n: -float(np.hypot(*(np.array(cubes[n].at_mm) - eye))))
    at = {n: draw(picture, view, cubes[n], look, random) for n in order}
    picture = cv2.GaussianBlur(picture, (0, 0), 0.7) * 0.85 + random.normal(0, 3, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8), [at[n] for n in range(len(cubes))]


SIX = [Cube(value, (40 + 75 * (value % 4), 60 + 45 * value), 0.7 * value) for value in range(1, 7)]


def values_near(dice: tuple, places: list[np.ndarray], within_px: float) -> list[int | None]:
    near = []
    for place in places:
        here = [die.value for die in dice if np.hypot(*(np.array(die.at_px) - place)) < within_px]
        near.append(here[0] if len(here) == 1 else None)
    return near


@pytest.mark.parametrize("tilt", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("name", LOOKS)
def test_six_dice_are_read(name: str, tilt: float) -> None:
    view = view_of(tilt, roll=1.1)
    picture, places = photograph(view, SIX, LOOKS[name])
    dice, unsure = read_dice(picture, view, DICE)
    assert values_near(dice, places, 5) == [1, 2, 3, 4, 5, 6]
    assert len(dice) == 6 and not unsure
    assert all(0.9 < die.confidence <= 1 for die in dice)


@pytest.mark.parametrize("name", ["white", "red", "black"])
def test_dice_that_touch_are_told_apart(name: str) -> None:
    view = view_of(0.2)
    row = [Cube(value, (80 + 16.3 * n, 150 + 3.0 * n), 0.0) for n, value in enumerate((5, 2, 6, 1))]
    picture, places = photograph(view, row, LOOKS[name])
    dice, _ = read_dice(picture, view, DICE)
    assert values_near(dice, places, 5) == [5, 2, 6, 1]
    assert len(dice) == 4


@pytest.mark.parametrize("size_mm", [13.0, 16.0])
def test_printed_faces_are_no_dice(size_mm: float) -> None:
    board = np.full((900, 900, 3), (70, 110, 80), np.uint8)
    side = round(size_mm * 3)
    for value in range(1, 7):
        face = cv2.resize(face_picture(value, LOOKS["white"], np.random.default_rng(0)), (side, side))
        board[60 : 60 + side, 130 * value : 130 * value + side] = np.clip(face, 0, 255).astype(np.uint8)
    printed = {"board": Printed(board, (300.0, 300.0))}
    view = view_of(0.25, roll=0.4)
    picture, places = photograph(view, SIX[:3], LOOKS["white"], board)
    dice, unsure = read_dice(picture, view, DICE, printed)
    assert values_near(dice, places, 5) == [1, 2, 3]
    assert len(dice) == 3 and not unsure


@pytest.mark.parametrize("px_per_mm", [0.5, 0.6, 0.7])
def test_numbers_printed_small_are_no_dice(px_per_mm: float) -> None:
    """A lens blurs a 0 into a dot; the board's own picture shows it sharp."""
    board = np.full((900, 900, 3), (60, 110, 80), np.uint8)
    for k, number in enumerate("086590138608"):
        x = 70 * k + 40
        cv2.rectangle(board, (x, 300), (x + 46, 346), (215, 225, 232), -1)
        cv2.putText(board, number, (x + 12, 334), cv2.FONT_HERSHEY_DUPLEX, 1.0, (30, 30, 30), 3, cv2.LINE_AA)
        cv2.rectangle(board, (x, 500), (x + 46, 546), (90, 170, 230), -1)
        cv2.putText(board, number, (x + 16, 530), cv2.FONT_HERSHEY_DUPLEX, 0.6, (30, 30, 30), 2, cv2.LINE_AA)
    view = view_of(0.2, roll=0.4, px_per_mm=px_per_mm)
    picture, _ = photograph(view, [], LOOKS["white"], board)
    assert read_dice(picture, view, DICE, {"board": Printed(board, (300.0, 300.0))}) == ((), ())


@pytest.mark.parametrize("radius", [5, 6])
def test_dots_that_go_on_are_no_dice(radius: int) -> None:
    """Five of eight dots in a square lie as a die's do, on a tile of which no board's picture tells."""
    board = np.full((900, 900, 3), (90, 120, 150), np.uint8)
    for k in range(4):
        middle, turn = np.array([170 + 190 * k, 450]), 0.3 * k + 0.1
        cv2.circle(board, tuple(middle.tolist()), 52, (225, 225, 225), -1, cv2.LINE_AA)
        for x, y in ((-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1)):
            off = 18 * np.array([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)])
            cv2.circle(
                board, tuple(np.round(middle + off).astype(int).tolist()), radius, (60, 140, 60), -1, cv2.LINE_AA
            )
    view = view_of(0.2)
    picture, _ = photograph(view, [], LOOKS["white"], board)
    assert not read_dice(picture, view, DICE)[0]


def test_a_die_that_does_not_lie_flat_is_unsure() -> None:
    view = view_of(0.0)
    cubes = [Cube(4, (100, 150), 0.3, 0.6), Cube(5, (200, 150), 1.2, 0.6), SIX[0], Cube(2, (60, 240), 1.4)]
    picture, places = photograph(view, cubes, LOOKS["red"])
    dice, unsure = read_dice(picture, view, DICE)
    assert values_near(dice, places, 8) == [None, None, 1, 2]
    assert len(dice) == 2
    assert {die.reason for die in unsure} <= {"on edge", "unclear"}


@pytest.mark.parametrize("name", ["white", "red", "yellow"])
@pytest.mark.parametrize("value", [1, 2, 3])
def test_a_die_of_few_pips_that_leans_is_unsure(value: int, name: str) -> None:
    """Of one to three pips no stretch tells that a die stands on an edge, but the face beside them is seen too."""
    view = view_of(0.1, roll=0.5)
    cubes = [Cube(value, (110, 150), 0.4, 0.75), Cube(4, (210, 150), 1.2)]
    picture, places = photograph(view, cubes, LOOKS[name])
    dice, unsure = read_dice(picture, view, DICE)
    assert values_near(dice, places, 12) == [None, 4]
    assert len(dice) == 1
    assert [die.reason for die in unsure if np.hypot(*(np.array(die.at_px) - places[0])) < 16]


def test_a_pip_printed_beside_a_flat_die_leaves_it_told() -> None:
    board = np.full((900, 900, 3), (225, 235, 238), np.uint8)
    for k in range(12):  # dots as large and dark as pips, all round where the die lies
        at = (round(450 + 42 * np.cos(k * np.pi / 6)), round(450 + 42 * np.sin(k * np.pi / 6)))
        cv2.circle(board, at, 5, (25, 25, 28), -1, cv2.LINE_AA)
    view = view_of(0.0)
    picture, places = photograph(view, [Cube(3, (150, 150), 0.3)], LOOKS["red"], board)
    dice, _ = read_dice(picture, view, DICE, {"board": Printed(board, (300.0, 300.0))})
    assert values_near(dice, places, 5) == [3]
    assert len(dice) == 1


def test_a_dot_in_a_spot_is_no_die() -> None:
    """A die of one fills its square: a dot in a round spot as wide as a die does not."""
    view = view_of(0.2)
    board = np.full((900, 900, 3), (120, 190, 130), np.uint8)
    for k, wide in enumerate((15, 18, 21, 24)):
        cv2.circle(board, (180 + 180 * k, 450), wide, (110, 118, 135), -1, cv2.LINE_AA)
        cv2.circle(board, (180 + 180 * k, 450), 6, (205, 208, 214), -1, cv2.LINE_AA)
    picture, _ = photograph(view, [], LOOKS["white"], board)
    assert not read_dice(picture, view, DICE)[0]


def test_a_die_at_the_edge_of_the_picture_is_unsure() -> None:
    view = view_of(0.0)
    at = view.pixels("board", np.array([[150.0, 150.0]]), 16.0)[0]
    picture, _ = photograph(view, [Cube(5, (150, 150))], LOOKS["white"])
    cut = round(float(at[1])) - 11
    lower = replace(view, matrix=view.matrix - np.array([[0, 0, 0], [0, 0, cut], [0, 0, 0]]))
    dice, unsure = read_dice(np.ascontiguousarray(picture[cut:]), lower, DICE)
    assert not dice
    assert [die.reason for die in unsure] == ["out of the picture"]


def test_a_kit_without_dice_has_none() -> None:
    view = view_of(0.2)
    picture, _ = photograph(view, SIX, LOOKS["white"])
    assert read_dice(picture, view, None) == ((), ())


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(1, 200))
def test_noise_of_any_size_shows_no_dice(seed: int, height: int, width: int) -> None:
    picture = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    assert not read_dice(picture, None, None)[0]
    assert not read_dice(picture, view_of(0.2), DICE)[0]


@pytest.mark.parametrize("edge_px", [None, 13.0, 17.0])
@pytest.mark.parametrize("row", (PHOTOGRAPHS / "labels.jsonl").read_text().splitlines(), ids=lambda row: row[11:20])
def test_real_photographs_without_a_board(row: str, edge_px: float | None) -> None:
    """As they were taken, and made so small that the dice's edges are as long as told."""
    label = json.loads(row)
    picture = cv2.imread(str(PHOTOGRAPHS / label["image"]))
    by = edge_px / float(np.median([die["size_px"] for die in label["dice"]])) if edge_px else 1.0
    dice, _ = read_dice(cv2.resize(picture, None, fx=by, fy=by, interpolation=cv2.INTER_AREA), None, None)
    for die in label["dice"]:
        assert values_near(dice, [by * np.array(die["at_px"])], 0.4 * by * die["size_px"]) == [die["value"]]
    assert len(dice) == len(label["dice"])


@pytest.mark.parametrize("value", [1, 2, 3])
def test_a_die_before_another_is_no_side_of_it(value: int) -> None:
    """Two dice that touch, one behind the other as the camera looks: the nearer one lies where a side would be seen."""
    view = view_of(0.55)
    near = np.array([150.0, 60.0])
    away = (near - view.camera_mm("board")[:2]) / np.hypot(*(near - view.camera_mm("board")[:2]))
    behind, turn = near + 16.3 * away, float(np.arctan2(away[1], away[0]))
    row = [Cube(value, (float(near[0]), float(near[1])), turn), Cube(5, (float(behind[0]), float(behind[1])), turn)]
    picture, places = photograph(view, row, LOOKS["white"])
    dice, _ = read_dice(picture, view, DICE)
    assert values_near(dice, places, 5) == [value, 5]
    assert len(dice) == 2


@pytest.mark.parametrize("name", ["white", "yellow", "red"])
def test_the_side_of_a_die_seen_aslant_is_no_second_die(name: str) -> None:
    view = view_of(0.75, roll=0.0)
    cubes = [Cube(value, (60 + 60 * (value % 4), 70 + 90 * (value // 4)), 0.0) for value in range(1, 7)]
    picture, places = photograph(view, cubes, LOOKS[name])
    dice, _ = read_dice(picture, view, DICE)
    assert all(min(np.hypot(*(np.array(die.at_px) - place)) for place in places) < 5 for die in dice)
    assert all(value in (None, cube.value) for value, cube in zip(values_near(dice, places, 5), cubes, strict=True))
    assert len(dice) >= 4
