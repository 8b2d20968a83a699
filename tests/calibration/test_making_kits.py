"""`companion calibrate`: a kit made from photographs of a copy alone reads other photographs of it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.board import Flattening
from calibration.combining import combined
from calibration.edges import found_corners
from calibration.flatten import Flat, straightened, without_lens
from calibration.layout import load_layout, spaces_of
from calibration.map_tracing import traced
from companion.__main__ import main
from companion.commands import own_kit
from companion.commands.read import content_of
from companion.kit import Board, Kit, load_kit
from companion.observation import Calibration, Observation
from companion.simulate.lying import BoardLies
from companion.simulate.optics import Camera
from companion.vision.eye import Eye
from tests.calibration.copied_kit import BIG_PX, ROOM, empty_boards, layout_of, lens_profile
from tests.calibration.photographing import (
    A4_MM,
    BENT,
    CENTRE_PX,
    FOCAL_PX,
    SIZE_PX,
    camera_at,
    flat_kit,
    laid_out,
    photographed,
    sheet_picture,
    teaching_kit,
    write,
)
from tests.vision.kits_with_photographs import photo
from tests.vision.photographs import Wanted, write_photographs

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lens_profile(tmp_path_factory.mktemp("camera") / "camera.toml")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Kit:
    """A made-up copy of Garden Dice that looks like photographs, and unlike the project's own kit."""
    folder = tmp_path_factory.mktemp("copy") / "copy"
    photo(folder)
    return load_kit(folder)


def calibrate(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[dict[str, Any]]]:
    status = main(["calibrate", *map(str, arguments), "--json"])
    return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def keys(lines: Sequence[dict[str, Any]]) -> set[str]:
    return {line["key"] for line in lines if "key" in line}


def read_all(kit: Kit, folder: Path) -> tuple[int, int, int]:
    """Claims that are right, claims that are wrong, and spaces that are not told."""
    eye, right, wrong, unsure = Eye(kit, None), 0, 0, 0
    for path in sorted(folder.glob("*.jpg")):
        seen, _ = eye.read(content_of(path))
        assert isinstance(seen, Observation), path
        truth = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["spaces"]
        good = sum(list(reading.pieces) == truth.get(space, []) for space, reading in seen.spaces.items())
        right, wrong, unsure = right + good, wrong + len(seen.spaces) - good, unsure + len(seen.unsure)
    return right, wrong, unsure


def test_a_copy_is_calibrated_from_photographs_alone_and_then_read(
    copy: Kit, profile: Path, tmp_path: Path, own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit, lens = tmp_path / "kit", ("--camera-profile", profile)
    (tmp_path / "layout.toml").write_text(layout_of(copy, "board"))
    boards, _ = empty_boards(copy.boards[0], tmp_path)
    new = ("--game", "garden-dice", "--name", "Ours", "--layout", tmp_path / "layout.toml")
    status, lines = calibrate(capsys, "board", "--from", boards, "--out", kit, *new, *lens)
    assert status == 0, lines
    made = load_kit(kit)
    assert made.boards[0].size_mm == pytest.approx(copy.boards[0].size_mm, rel=0.003)
    places = {space.id: space.at_mm for space in copy.spaces}
    assert {space.id for space in made.spaces} == set(places)
    assert all(space.at_mm == pytest.approx(places[space.id], abs=0.1) for space in made.spaces)

    sheet = teaching_kit(tmp_path / "sheet", copy)
    camera = camera_at((5, 8), 410, 6, 30, 2, BIG_PX)
    tiles = [piece.name for piece in copy.pieces if piece.shape == "square"]
    discs = [piece.name for piece in copy.pieces if piece.shape == "disc" for _ in range(2)]
    for shape, height, names in (("square", 2, tiles), ("disc", 5, discs)):
        folder = write(tmp_path / shape, laid_out(sheet, names, camera, light=ROOM))
        what = ("--classes", ",".join(names), "--shape", shape, "--height", height)
        status, lines = calibrate(capsys, "pieces", "--from", folder, "--out", kit, *what, *lens)
        assert status == 0, lines
    made = load_kit(kit)
    sizes = {piece.name: piece.size_mm for piece in copy.pieces}
    assert {piece.name for piece in made.pieces} == set(sizes)
    assert all(piece.size_mm == pytest.approx(sizes[piece.name], abs=0.9) for piece in made.pieces)
    assert {piece.size_mm for piece in made.pieces if piece.shape == "square"} == {made.pieces[0].size_mm}

    photographs = tmp_path / "photographs"
    write_photographs(copy, 5, 3, photographs, Wanted(hands=0.0, most_tilt_deg=25, light="overcast"))
    status, lines = calibrate(capsys, "check", kit, "--from", photographs)
    told = next(line for line in lines if "photographs" in line)
    right, wrong, unsure = read_all(copy, photographs)
    claims = told["right"] + told["wrong"]
    assert told["unread"] == 0 and claims + told["unsure"] == 5 * len(copy.spaces) == right + wrong + unsure
    assert told["right"] >= right - 0.01 * 5 * len(copy.spaces), (told, right, unsure)
    assert told["wrong"] <= wrong + 1, lines  # a kit from pictures is a little softer than the print
    kept = json.loads((kit / "acceptance.json").read_text())
    assert (status, kept["accepted"]) == ((0, True) if told["wrong"] == 0 else (1, False))


def test_a_board_that_cannot_be_is_told_and_nothing_is_kept(
    copy: Kit, profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = cv2.imread(str(copy.boards[0].image))
    assert picture is not None
    table = flat_kit(tmp_path / "table", {"board": (picture, copy.boards[0].size_mm)})
    whole = write(tmp_path / "whole", [photographed(table, camera_at(distance_mm=700, size_px=BIG_PX))])
    cut = write(tmp_path / "cut", [photographed(table, camera_at((210, 0), 700, size_px=BIG_PX))])
    new = ("--game", "garden-dice", "--like", own_kit("garden-dice").folder)
    status, lines = calibrate(capsys, "board", "--from", whole, "--out", tmp_path / "kit", *new, "--size", "484x316")
    assert status == 1 and "no-lens" in keys(lines)  # this one bends a board's sides too much to do without it
    new = (*new, "--camera-profile", profile)
    for folder, found, key in ((whole, {"no-ruler"}, "no-size"), (cut, {"cut-off", "no-board"}, "no-board")):
        status, lines = calibrate(capsys, "board", "--from", folder, "--out", tmp_path / "kit", *new)
        assert status == 1 and key in keys(lines) and lines[0]["found"] in found
    assert not (tmp_path / "kit").exists()
    status, lines = calibrate(capsys, "board", "--from", whole, "--out", tmp_path / "kit", *new, "--size", "484x316")
    assert status == 0 and {"one-picture", "no-white"} <= keys(lines)


@pytest.mark.parametrize("game", ["garden-dice", "garden-rush", "garden-guests"])
def test_a_board_is_found_by_its_edge_and_never_by_what_is_printed_on_it(game: str, tmp_path: Path) -> None:
    """To a pixel and a half where all of it is in the picture, and not at all where some of it is not."""
    lens = Calibration(SIZE_PX, FOCAL_PX, CENTRE_PX, BENT)
    board = own_kit(game).boards[0]
    picture = cv2.imread(str(board.image))
    assert picture is not None
    table = flat_kit(tmp_path / "table", {"board": (picture, board.size_mm)})
    w, h = np.array(board.size_mm) / 2
    found = 0
    for target in ((0.0, 0.0), (200.0, 0.0), (0.0, 170.0), (170.0, 120.0)):
        camera = camera_at(target, 760, size_px=BIG_PX)
        corners = camera.project(np.array([[-w, -h], [w, -h], [w, h], [-w, h]]), 0.3)
        whole = (corners > 5).all() and (corners < np.array(BIG_PX) - 6).all()
        seen = found_corners(straightened("", photographed(table, camera), lens))
        assert isinstance(seen, str) or whole, target
        if not isinstance(seen, str):
            assert np.abs(seen - without_lens(corners, BIG_PX, lens)).max() < 1.5
            found += 1
    assert found >= 2


def shots_of(board: Board, folder: Path, cameras: Sequence[Camera]) -> tuple[list[Array], list[Array]]:
    """Photographs of an empty board, and its corners (4, 2) px in each."""
    picture = cv2.imread(str(board.image))
    assert picture is not None
    table = flat_kit(folder, {"board": (picture, board.size_mm)})
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(board.size_mm) / 2
    shots = [photographed(table, camera, seed=number) for number, camera in enumerate(cameras)]
    return shots, [camera.project(half, 0.3) for camera in cameras]


CAMERAS = [camera_at((4 * i, 3), 720, 7, 90 * i, 2 - i, (1600, 1200)) for i in range(4)]


def told_of(shots: Sequence[Array], corners: Sequence[Array], size_mm: tuple[float, float]) -> Flattening:
    flat = Flattening(Calibration(SIZE_PX, FOCAL_PX, CENTRE_PX, BENT), size_mm, None)
    for number, (shot, four) in enumerate(zip(shots, corners, strict=True)):
        flat.add(f"{number}.png", shot, [(float(x), float(y)) for x, y in four])
    return flat


@pytest.mark.parametrize("odd", [0, 2])
def test_a_picture_that_contradicts_the_others_is_left_out_and_named(odd: int, tmp_path: Path) -> None:
    """Also where it is the first one: its corners lie 6 mm inside the board's."""
    board = own_kit("garden-dice").boards[0]
    shots, corners = shots_of(board, tmp_path, CAMERAS)
    right = told_of(shots, corners, board.size_mm).picture().astype(float)
    inside = corners[odd].mean(axis=0) + (corners[odd] - corners[odd].mean(axis=0)) * (1 - 12 / board.size_mm[0])
    wrong = [inside if number == odd else four for number, four in enumerate(corners)]
    flat = told_of(shots, wrong, board.size_mm)
    odd_ones = [finding for finding in flat.problems() if finding.key == "odd-picture"]
    assert [finding.facts["picture"] for finding in odd_ones] == [f"{odd}.png"]
    made = cv2.resize(flat.picture(), right.shape[1::-1], interpolation=cv2.INTER_AREA).astype(float)
    assert np.abs(made - right).mean() < 3


def test_a_frame_of_another_shape_than_the_board_is_not_taken_for_it(tmp_path: Path) -> None:
    """A track whose brown edge is the table's brown: the spaces on it are three by one, the board is not."""
    spaces = np.full((240, 720, 3), (210, 230, 235), np.uint8)
    table = flat_kit(tmp_path, {"board": (spaces, (192.0, 64.0))})
    shot = photographed(table, camera_at((10, 5), 300, 12, 60, 3, (1600, 1200)))
    lens = Calibration(SIZE_PX, FOCAL_PX, CENTRE_PX, BENT)
    assert Flattening(lens, (192.0, 64.0), None).add("0.png", shot)[0] == "used"
    assert Flattening(lens, (218.0, 82.0), None).add("0.png", shot)[0] == "other-shape"


def test_light_is_told_by_what_reflects_it_and_not_by_what_is_dark() -> None:
    """A dark green board with a few red spots, less red light in two of three pictures: the first tells their red."""
    picture = np.full((400, 400, 3), (40, 70, 18), np.uint8)
    spots = np.zeros((400, 400), np.uint8)
    for x in range(50, 400, 100):
        for y in range(50, 400, 100):
            cv2.circle(spots, (x, y), 22, (1,), -1)
    picture[spots > 0] = (60, 50, 190)
    bluish = picture.copy()
    bluish[..., 2] = (picture[..., 2] / 1.3).astype(np.uint8)
    bare = np.ones((400, 400), np.uint8)
    made = combined([Flat(picture, bare), Flat(bluish, bare), Flat(bluish, bare)], 2.0)
    inside = cv2.erode(spots, np.ones((15, 15), np.uint8)) > 0
    assert np.abs(made[inside].mean(axis=0) - (60, 50, 190)).max() < 4


def test_two_pictures_that_contradict_each_other_make_no_board(tmp_path: Path) -> None:
    dice, guests = (own_kit(game).boards[0] for game in ("garden-dice", "garden-guests"))
    one, here = shots_of(dice, tmp_path / "one", CAMERAS[:1])
    other, there = shots_of(guests, tmp_path / "other", CAMERAS[1:2])
    flat = told_of([*one, *other], [*here, *there], dice.size_mm)
    assert [f.grade for f in flat.problems() if f.key == "contradict"] == ["cannot-be"]
    assert not {"contradict", "odd-picture"} & {f.key for f in told_of(one, here, dice.size_mm).problems()}


def test_a_bright_line_along_a_boards_faint_edge_is_not_its_edge(tmp_path: Path) -> None:
    """White squares 8 mm inside the edge, as of a score track, on a board whose edge hardly shows on the wood."""
    random = np.random.default_rng(4)
    picture = np.full((1296, 1296, 3), (80, 146, 100), np.uint8) + random.integers(0, 9, (1296, 1296, 1), np.uint8)
    for step in range(24, 1250, 48):
        for x, y in ((step, 24), (step, 1224), (24, step), (1224, step)):
            picture[y : y + 44, x : x + 44] = (236, 240, 238)
    table = flat_kit(tmp_path, {"board": (picture, (432.0, 432.0))})
    lens = Calibration(SIZE_PX, FOCAL_PX, CENTRE_PX, BENT)
    half = np.array([[-216.0, -216], [216, -216], [216, 216], [-216, 216]])
    for camera in CAMERAS:
        found = found_corners(straightened("", photographed(table, camera), lens))
        wanted = without_lens(camera.project(half, 0.3), (1600, 1200), lens)
        assert not isinstance(found, str)
        assert np.linalg.norm(found - wanted, axis=1).max() < 4 * camera.scale(np.zeros(2))  # half way to the line


def test_given_corners_and_a_turn_say_which_way_is_up(
    copy: Kit, profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = cv2.imread(str(copy.boards[0].image))
    assert picture is not None
    table = flat_kit(tmp_path / "table", {"board": (picture, copy.boards[0].size_mm)})
    camera = camera_at(distance_mm=700, size_px=BIG_PX)
    shot = write(tmp_path / "shot", [photographed(table, camera, [BoardLies("board", (0.0, 0.0), 90.0, 0.0)])])
    corners = camera.project(np.array([[158.0, -242], [158, 242], [-158, 242], [-158, -242]]))
    new = ("--game", "garden-dice", "--like", own_kit("garden-dice").folder, "--size", "484x316")
    ways = (("--turn", 270), ("--corners", *(f"{x:.2f},{y:.2f}" for x, y in corners)))
    for number, way in enumerate(ways):
        kit = tmp_path / f"kit-{number}"
        status, lines = calibrate(
            capsys, "board", "--from", shot, "--out", kit, *new, "--camera-profile", profile, *way
        )
        assert status == 0, lines
        made = cv2.imread(str(kit / "board.png"))
        assert made is not None
        small = [cv2.resize(p, (60, 60), interpolation=cv2.INTER_AREA).astype(float) for p in (made, picture)]
        assert np.corrcoef(small[0].ravel(), small[1].ravel())[0, 1] > 0.97


def test_pieces_that_are_not_there_are_told_and_the_kit_stays_whole(
    copy: Kit, profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kit = tmp_path / "kit"
    kit.mkdir()
    for path in (own_kit("garden-dice").folder / "kit.toml", *own_kit("garden-dice").folder.rglob("*.png")):
        to = kit / path.relative_to(own_kit("garden-dice").folder)
        to.parent.mkdir(exist_ok=True)
        to.write_bytes(path.read_bytes())
    before = (kit / "kit.toml").read_bytes()
    table = flat_kit(tmp_path / "table", {"rulers": (sheet_picture("rulers"), A4_MM)})
    other = write(tmp_path / "other", [photographed(table, camera_at(distance_mm=420))])
    base = ("--out", kit, "--camera-profile", profile)
    status, lines = calibrate(capsys, "pieces", "--from", other, "--classes", "bird", *base)
    assert status == 1 and lines[0]["found"] == "no-sheet" and "no-pieces" in keys(lines)
    assert (kit / "kit.toml").read_bytes() == before

    sheet = teaching_kit(tmp_path / "sheet", copy)
    laid = write(tmp_path / "laid", laid_out(sheet, ["bird", "rock"], camera_at(distance_mm=420, size_px=BIG_PX)))
    status, lines = calibrate(capsys, "pieces", "--from", laid, "--classes", "bird,rock,rabbit", *base)
    assert status == 1
    assert [(line["cell"], line["piece"]) for line in lines if line.get("key") == "cell-empty"] == [(3, "rabbit")]
    names = [row["class"] for row in tomllib.loads((kit / "kit.toml").read_text(encoding="utf-8"))["piece"]]
    assert len(names) == 19  # in the place of those that were there
    status, lines = calibrate(capsys, "pieces", "--from", laid, "--classes", ",".join(["bird*12", "rock"]), *base)
    assert "more-layings" in keys(lines)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[plots]\nfirst_mm = [1, 2]\nlast_mm = [3]\nsize_mm = 45", "plots.last_mm"),
        ("[plots]\nfirst_mm = [1, 2]\nlast_mm = [nan, 3]\nsize_mm = 45", "plots.last_mm"),
        ("[plot]\n", "plot"),
        ("[track]\nat_mm = {x = [1, 2]}\nsize_mm = 15", "track.at_mm"),
        ("stars = [", "TOML"),
        ("", "has no spaces"),
    ],
)
def test_a_bad_layout_is_one_line(
    text: str, named: str, copy: Kit, profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = cv2.imread(str(copy.boards[0].image))
    assert picture is not None
    table = flat_kit(tmp_path / "table", {"board": (picture, copy.boards[0].size_mm)})
    shot = write(tmp_path / "shot", [photographed(table, camera_at(distance_mm=700, size_px=BIG_PX))])
    (tmp_path / "layout.toml").write_text(text)
    new = ("--game", "garden-dice", "--layout", tmp_path / "layout.toml", "--size", "484x316")
    new = (*new, "--camera-profile", profile)
    assert main(["calibrate", "board", "--from", str(shot), "--out", str(tmp_path / "kit"), *map(str, new)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and named in lines[0]
    assert not (tmp_path / "kit").exists()


@pytest.mark.parametrize("game", ["garden-dice", "garden-rush", "garden-guests"])
def test_the_layouts_in_the_documentation_can_be_read(game: str, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "calibrating.md").read_text(encoding="utf-8")
    name = f"layout-{game.removeprefix('garden-')}.toml"
    found = re.search(rf"```toml {name}\n(.*?)```", text, re.DOTALL)
    assert found is not None
    (tmp_path / name).write_text(found[1], encoding="utf-8")
    layout = load_layout(tmp_path / name, game)
    spaces = {"garden-dice": 136, "garden-rush": 26}
    if game in spaces:
        assert len(spaces_of(layout, game, "board")) == spaces[game]


def test_a_garden_rush_board_from_its_template() -> None:
    own = own_kit("garden-rush")
    at = {space.id: space.at_mm for space in own.spaces}
    pitch = 39.0
    gardens = []
    for garden, way in (("pink", 1), ("blue", -1)):
        x, y = at[f"{garden}-1,3"]
        first = (x - 2 * pitch * way, y)
        tools = {
            f"{s.tags['row']},{s.tags['column']}": s.tags["tool"]
            for s in own.of_kind("cell")
            if s.tags["garden"] == garden and "tool" in s.tags
        }
        step = np.subtract(at[f"{garden}-2,3"], at[f"{garden}-1,3"])
        across = np.subtract(at[f"{garden}-1,4"], at[f"{garden}-1,3"])
        first = tuple(np.array(at[f"{garden}-1,3"]) - 2 * across)
        gardens.append(
            {
                "first_mm": first,
                "across_mm": tuple(np.array(first) + 4 * across),
                "down_mm": tuple(np.array(first) + 4 * step),
                "size_mm": 37.0,
                "tools": tools,
            }
        )
    layout = {
        "gardens": dict(zip(("pink", "blue"), gardens, strict=True)),
        "hedge": {"first_mm": at["hedge-1"], "last_mm": at["hedge-5"], "size_mm": 37.0},
        "trampoline": None,
        "track": None,
    }
    rows = {row["id"]: row for row in spaces_of(layout, "garden-rush", "board")}
    assert set(rows) == {space.id for space in own.spaces if space.board == "board"}
    for space in own.spaces:
        if space.board == "board":
            assert rows[space.id]["at_mm"] == pytest.approx(space.at_mm, abs=0.2)
            tags = {key: value for key, value in rows[space.id].items() if key in space.tags}
            assert tags == dict(space.tags)


def test_a_map_of_hexagons_is_traced_from_a_few_that_are_named(tmp_path: Path) -> None:
    """Two spaces of each kind are named; all others are told as they are, or handed over to be confirmed."""
    own = own_kit("garden-guests")
    at = {space.id: space.at_mm for space in own.spaces}
    (tmp_path / "layout.toml").write_text(layout_of(own, "board"))
    layout = load_layout(tmp_path / "layout.toml", "garden-guests")
    picture = cv2.imread(str(own.boards[0].image))
    assert picture is not None
    rows, doubtful = traced(picture, own.boards[0].size_mm, layout, "board")
    found = {row["id"]: row for row in rows}
    wrong = {
        space.id
        for space in own.spaces
        if space.id not in found
        or any(found[space.id].get(key) != space.tags.get(key) for key in ("flower", "team", "q", "r"))
        or found[space.id]["kind"] != space.kind
    }
    wrong |= set(found) - set(at)
    for team in {space.tags["team"] for space in own.of_kind("home")}:  # which of its two sides is 0 is all the same
        sides = {(s.tags["side"], found[s.id]["side"]) for s in own.of_kind("home") if s.tags["team"] == team}
        assert sides in ({(0, 0), (1, 1)}, {(0, 1), (1, 0)})
    assert wrong <= set(doubtful)
    assert len(doubtful) <= 0.1 * len(at), doubtful
