"""Reading spaces: a small kit drawn here, photographed by a plain camera with light, noise and a known view."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.kit import Board, Kit, Piece, Space
from companion.vision.light import Cells, Light, board_grid, light_of
from companion.vision.pieces import PieceKnowledge, learn_pieces, read_spaces
from companion.vision.rectify import Photo, cut
from companion.vision.view import Pose, View, pose_of_corners

Array = np.ndarray[Any, Any]
Boards = dict[str, Array]

BOARD = Board("board", Path("board.png"), (300.0, 220.0))
TILE_MM, DISC_MM, TILE_HIGH, DISC_HIGH = 40.0, 16.0, 2.0, 5.0
COLOURS = {"blue": (190, 90, 40), "yellow": (40, 190, 230), "green": (70, 140, 50), "red": (50, 40, 190)}
PX = 4  # per mm of the pictures


def _board_picture() -> Array:
    picture = np.full((int(BOARD.size_mm[1]) * PX, int(BOARD.size_mm[0]) * PX, 3), (80, 160, 110), np.uint8)
    for row in range(3):
        for column in range(4):
            x, y = int((45 + 55 * column - 23) * PX), int((60 + 52 * row - 23) * PX)
            cv2.rectangle(picture, (x, y), (x + 46 * PX, y + 46 * PX), (50, 80, 110), -1)
            cv2.rectangle(picture, (x, y), (x + 46 * PX, y + 46 * PX), (30, 45, 60), 3)
    for k in range(12):
        x = int((20 + 22 * k - 8) * PX)
        cv2.rectangle(picture, (x, 7 * PX), (x + 16 * PX, 23 * PX), (215, 235, 240), -1)
        cv2.rectangle(picture, (x, 7 * PX), (x + 16 * PX, 23 * PX), (60, 60, 60), 2)
        cv2.putText(picture, str(k), (x + 12, 19 * PX), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (40, 40, 40), 3)
    cv2.rectangle(picture, (0, 0), (picture.shape[1] - 1, picture.shape[0] - 1), (30, 70, 45), 14)
    cv2.circle(picture, (275 * PX, 120 * PX), 50, (60, 200, 240), -1)
    return picture


def _tile(name: str) -> Array:
    side = int(TILE_MM * PX)
    ground = {"leaf": (205, 235, 215), "sun": (170, 215, 245)}.get(name, (215, 220, 228))
    tile = np.full((side, side, 3), ground, np.uint8)
    cv2.rectangle(tile, (4, 4), (side - 5, side - 5), (60, 60, 160), 5)
    cv2.putText(tile, name[0].upper(), (10, 45), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (20, 20, 20), 4)
    if name == "leaf":
        cv2.ellipse(tile, (85, 90), (55, 25), 35, 0, 360, (60, 150, 60), -1)
    elif name == "sun":
        cv2.circle(tile, (85, 90), 38, (40, 160, 250), -1)
    elif name == "house":
        cv2.rectangle(tile, (50, 80), (120, 140), (90, 90, 180), -1)
        cv2.fillPoly(tile, [np.array([[40, 82], [130, 82], [85, 35]])], (60, 60, 60))
    else:
        cv2.line(tile, (40, 130), (130, 50), (200, 90, 60), 18)
        cv2.circle(tile, (110, 120), 18, (60, 60, 60), -1)
    return tile


def _disc(colour: tuple[int, int, int]) -> Array:
    side = int(DISC_MM * PX)
    disc = np.zeros((side, side, 4), np.uint8)
    cv2.circle(disc, (side // 2, side // 2), side // 2 - 1, (*colour, 255), -1, cv2.LINE_AA)
    return disc


TILES = ("leaf", "sun", "house", "rake")


def _kit() -> Kit:
    plots = [
        Space(f"{r},{c}", "board", "plot", (45 + 55 * c, 60 + 52 * r), (46, 46), {}) for r in range(3) for c in range(4)
    ]
    track = [Space(f"track-{k}", "board", "track", (20 + 22 * k, 15), (16, 16), {}) for k in range(12)]
    tiles = [Piece(name, Path(name), (TILE_MM, TILE_MM), TILE_HIGH, "square") for name in TILES]
    discs = [Piece(f"disc/{name}", Path(name), (DISC_MM, DISC_MM), DISC_HIGH, "disc") for name in COLOURS]
    return Kit(Path("."), "any", "test", (BOARD,), (*plots, *track), (*tiles, *discs), (), None, {}, None)


@dataclass(frozen=True, eq=False)
class Table:
    kit: Kit
    boards: Boards
    pictures: Boards
    known: PieceKnowledge


@pytest.fixture(scope="module")
def table() -> Table:
    kit = _kit()
    boards = {"board": _board_picture()}
    pictures = {name: _tile(name) for name in TILES} | {f"disc/{n}": _disc(c) for n, c in COLOURS.items()}
    return Table(kit, boards, pictures, learn_pieces(kit, boards, pictures))


def _view(tilt_deg: float = 12.0, turn_deg: float = 20.0) -> View:
    turn = cv2.Rodrigues(np.array([0.0, 0.0, np.radians(turn_deg)]))[0]
    tilt = cv2.Rodrigues(np.array([np.radians(tilt_deg), 0.0, 0.0]))[0]
    whole = tilt @ turn
    middle = whole @ np.array([BOARD.size_mm[0] / 2, BOARD.size_mm[1] / 2, 0.0])
    place = np.array([0.0, 0.0, 560.0]) - middle
    matrix = np.array([[1150.0, 0, 639.5], [0, 1150.0, 479.5], [0, 0, 1]])
    return View(matrix, np.array([-0.02, 0.01, 0, 0, 0]), {"board": Pose(cv2.Rodrigues(whole)[0].reshape(3), place)})


def _lay(
    photo: Array, view: View, picture: Array, at: tuple[float, float], size: float, turn: float, high: float
) -> None:
    """Paint a piece's upper face into a photograph."""
    corner = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * size / 2
    c, s = np.cos(turn), np.sin(turn)
    points = corner @ np.array([[c, s], [-s, c]]) + np.array(at)
    seen = view.pixels("board", points, high).astype(np.float32)
    n = picture.shape[0]
    flat = np.array([[-0.5, -0.5], [n - 0.5, -0.5], [n - 0.5, n - 0.5], [-0.5, n - 0.5]], np.float32)
    warp = cv2.getPerspectiveTransform(flat, seen)
    size_px = (photo.shape[1], photo.shape[0])
    small = cv2.GaussianBlur(picture, (0, 0), 0.8)
    alpha = picture[..., 3] if picture.shape[2] == 4 else np.full(picture.shape[:2], 255, np.uint8)
    cover = cv2.warpPerspective(alpha, warp, size_px, flags=cv2.INTER_AREA)[..., None] / 255.0
    painted = cv2.warpPerspective(small[..., :3], warp, size_px, flags=cv2.INTER_LINEAR)
    photo[:] = (photo * (1 - cover) + painted * cover).astype(np.uint8)


def _photograph(table: Table, view: View, pieces: dict[str, tuple[str, ...]], seed: int = 3) -> Array:
    """The table with `pieces` on its spaces, under uneven warm light with noise: (960, 1280, 3) uint8."""
    random = np.random.default_rng(seed)
    photo = np.full((960, 1280, 3), (60, 75, 95), np.uint8)
    picture = table.boards["board"]
    corners = np.array([[0, 0], [picture.shape[1], 0], [picture.shape[1], picture.shape[0]], [0, picture.shape[0]]])
    warp = cv2.getPerspectiveTransform((corners - 0.5).astype(np.float32), view.corners(BOARD).astype(np.float32))
    cv2.warpPerspective(
        cv2.GaussianBlur(picture, (0, 0), 0.8), warp, (1280, 960), photo, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT
    )
    by_id = {space.id: space for space in table.kit.spaces}
    for id, names in pieces.items():
        (x, y), high = by_id[id].at_mm, 0.0
        for name in names:
            disc = name.startswith("disc")
            size, thick = (DISC_MM, DISC_HIGH) if disc else (TILE_MM, TILE_HIGH)
            off = random.uniform(-6, 6, 2) if disc and high else random.uniform(-1.5, 1.5, 2)
            high += thick
            _lay(photo, view, table.pictures[name], (x + off[0], y + off[1]), size, random.uniform(0, 6.28), high)
    ramp = np.linspace(1.0, 0.72, 1280)[None, :, None] * np.array([0.72, 0.86, 1.0])
    noisy = photo * ramp + 6 + random.normal(0, 3.0, photo.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


SET = {
    "0,0": ("leaf", "disc/blue"),
    "0,2": ("sun",),
    "1,1": ("house", "disc/yellow"),
    "1,3": ("rake", "disc/red"),
    "2,0": ("sun", "disc/green"),
    "2,2": ("house",),
    "track-3": ("disc/red",),
    "track-8": ("disc/blue",),
}


def _judge(
    table: Table, photo: Array, view: View, truth: dict[str, tuple[str, ...]]
) -> tuple[int, list[str], list[str]]:
    readings, unsure = read_spaces(photo, view, table.known, table.kit)
    assert set(readings) | set(unsure) == {space.id for space in table.kit.spaces}
    assert not set(readings) & set(unsure)
    wrong = [id for id, reading in readings.items() if reading.pieces != truth.get(id, ())]
    return len(readings) - len(wrong), wrong, list(unsure)


@pytest.mark.parametrize("seed", [3, 4, 5])
@pytest.mark.parametrize(("tilt", "turn"), [(0.0, 0.0), (12.0, 20.0), (25.0, 200.0)])
def test_reads_what_lies_on_the_spaces(table: Table, seed: int, tilt: float, turn: float) -> None:
    view = _view(tilt, turn)
    right, wrong, unsure = _judge(table, _photograph(table, view, SET, seed), view, SET)
    assert not wrong
    assert len(unsure) <= 2, unsure
    assert right >= 22


def test_corners_that_are_a_little_off_do_not_mislead(table: Table) -> None:
    view = _view()
    off = view.corners(BOARD) + np.random.default_rng(7).normal(0, 0.7, (4, 2))
    near = replace(view, poses={"board": pose_of_corners(BOARD, off, view.matrix, view.distortion)})
    _, wrong, unsure = _judge(table, _photograph(table, view, SET), near, SET)
    assert not wrong
    assert len(unsure) <= 3, unsure


def test_an_empty_board_is_empty(table: Table) -> None:
    view = _view()
    right, wrong, unsure = _judge(table, _photograph(table, view, {}), view, {})
    assert (right, wrong, unsure) == (24, [], [])


def test_a_hand_is_no_piece(table: Table) -> None:
    view = _view()
    photo = _photograph(table, view, SET)
    for id in ("1,1", "1,2"):
        space = next(s for s in table.kit.spaces if s.id == id)
        x, y = view.pixels("board", np.array([space.at_mm]))[0].round().astype(int)
        cv2.circle(photo, (int(x), int(y)), 60, (120, 150, 205), -1)
    readings, unsure = read_spaces(photo, view, table.known, table.kit)
    assert {"1,1", "1,2"} <= set(unsure)
    assert all(reading.pieces == SET.get(id, ()) for id, reading in readings.items())


def test_two_discs_side_by_side_on_a_space_are_both_told(table: Table) -> None:
    view = _view()
    photo = _photograph(table, view, SET)
    x, y = next(space.at_mm for space in table.kit.spaces if space.id == "track-5")
    for name, way in (("disc/red", -1), ("disc/blue", 1)):
        at = (x + way * (DISC_MM / 2 + 0.3), y)
        _lay(photo, view, table.pictures[name], at, DISC_MM, 0.0, DISC_HIGH)
    readings, unsure = read_spaces(photo, view, table.known, table.kit)
    # In doubt is allowed, one of the two alone is not.
    assert "track-5" in unsure or readings["track-5"].pieces == ("disc/blue", "disc/red")
    assert all(readings[id].pieces == () for id in ("track-1", "track-10"))


def test_a_disc_hides_no_more_than_it_covers(table: Table) -> None:
    """The same tile with a disc on each of its corners in turn: the tile is told, or in doubt, never another one."""
    view = _view()
    corner = TILE_MM / 2 - DISC_MM / 2 - 1
    told = 0
    for tile in TILES:
        for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            photo = _photograph(table, view, {"1,1": (tile,)})
            x, y = next(space.at_mm for space in table.kit.spaces if space.id == "1,1")
            at = (x + dx * corner, y + dy * corner)
            _lay(photo, view, table.pictures["disc/green"], at, DISC_MM, 0.0, TILE_HIGH + DISC_HIGH)
            readings, unsure = read_spaces(photo, view, table.known, table.kit, only={"1,1"})
            if "1,1" not in unsure:
                assert readings["1,1"].pieces == (tile, "disc/green")
                told += 1
    assert told >= 12


def test_what_is_not_there_is_told(table: Table) -> None:
    view = _view()
    photo = _photograph(table, view, SET)
    readings, unsure = read_spaces(photo, replace(view, poses={}), table.known, table.kit)
    assert not readings and set(unsure.values()) == {"board-not-found"}
    narrow = photo[:, :640]
    _, unsure = read_spaces(np.ascontiguousarray(narrow), view, table.known, table.kit)
    assert "out-of-view" in unsure.values()


def test_only_what_is_asked_is_read(table: Table) -> None:
    view = _view()
    readings, unsure = read_spaces(_photograph(table, view, SET), view, table.known, table.kit, only={"0,0", "0,1"})
    assert set(readings) | set(unsure) == {"0,0", "0,1"}


def test_a_space_is_read_alone_as_among_all(table: Table) -> None:
    """In the light that is known of the board: on tiles, on the track, bare, and at its edge."""
    view, lights = _view(), dict[str, Light]()
    photo = _photograph(table, view, SET)
    read_spaces(photo, view, table.known, table.kit, lights=lights)
    for id in ("0,0", "0,2", "2,2", "track-3", "track-8", "track-0", "1,2"):
        readings, unsure = read_spaces(photo, view, table.known, table.kit, only={id}, lights=dict(lights))
        assert not unsure
        assert readings[id].pieces == SET.get(id, ())


def test_knowledge_survives_storage(table: Table) -> None:
    again: PieceKnowledge = pickle.loads(pickle.dumps(table.known))
    view = _view()
    photo = _photograph(table, view, SET)
    assert read_spaces(photo, view, again, table.kit) == read_spaces(photo, view, table.known, table.kit)


def test_the_light_is_found_in_spite_of_pieces(table: Table) -> None:
    view = _view()
    cells = Cells(_photograph(table, view, SET), view, BOARD)
    of_board = table.known.boards["board"]
    light = light_of(cells.seen, cells.inside, of_board.printed, of_board.plain, board_grid(BOARD)[2])
    blue, _, red = light.gain.mean((0, 1))
    assert blue / red == pytest.approx(0.72, abs=0.1)
    assert light.spread < 15


def test_patches_are_upright(table: Table) -> None:
    view = _view(25, 130)
    photo = np.zeros((960, 1280, 3), np.uint8)
    _lay(photo, view, _tile("house"), (100, 100), TILE_MM, 0.7, TILE_HIGH)
    patch = cut(
        Photo((photo,)), view, "board", np.array([[100.0, 100.0]]), np.array([0.7]), np.array([TILE_HIGH]), TILE_MM, 40
    )[0]
    wanted = cv2.resize(_tile("house"), (40, 40), interpolation=cv2.INTER_AREA)
    assert np.abs(patch[2:-2, 2:-2].astype(float) - wanted[2:-2, 2:-2]).mean() < 12
