"""The project's own kits: what `calibration.draw` makes is what is kept, loads without fault and plays its game."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.alike import NEARLY_SAME, look_alikes
from calibration.draw import draw_all
from calibration.marked_sheets import PATCHES
from companion.document import Field
from companion.games import load_game
from companion.games.garden_guests.board import kit_board, write_board
from companion.kit import Board, Kit, load_kit

ROOT = Path(__file__).parent.parent
KITS = ROOT / "calibration" / "kits"
CALIBRATION = ROOT / "calibration"
GAMES = ("garden-dice", "garden-rush", "garden-guests")
MOST_BYTES = 600_000
Array = np.ndarray[Any, Any]


def kit_of(game: str) -> Kit:
    return load_kit(KITS / game)


def picture(path: Path) -> Array:
    """(height, width, 3) float32; transparent parts are grey."""
    pixels = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    assert pixels is not None, path
    if pixels.shape[2] == 3:
        return pixels.astype(np.float32)
    share = pixels[..., 3:].astype(np.float32) / 255
    return np.asarray(pixels[..., :3] * share + 128 * (1 - share), np.float32)


def data(name: str) -> Any:
    return json.loads((CALIBRATION / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kits")
    draw_all(folder, packing=1)
    return folder


@pytest.mark.parametrize("game", GAMES)
def test_the_kept_kit_is_the_drawn_one(game: str, drawn: Path) -> None:
    """To the last letter in `kit.toml`; pictures may differ where another OpenCV smooths an edge otherwise."""
    kept = {path.relative_to(KITS / game) for path in (KITS / game).rglob("*") if path.is_file()}
    assert kept == {path.relative_to(drawn / game) for path in (drawn / game).rglob("*") if path.is_file()}
    assert (KITS / game / "kit.toml").read_bytes() == (drawn / game / "kit.toml").read_bytes()
    for path in kept - {Path("kit.toml")}:
        one, other = picture(KITS / game / path), picture(drawn / game / path)
        assert one.shape == other.shape and np.abs(one - other).mean() < 1, path


@pytest.mark.parametrize("game", GAMES)
def test_a_kit_is_small_and_its_pictures_fit_its_sizes(game: str) -> None:
    kit = kit_of(game)
    assert (kit.game, sum(path.stat().st_size for path in kit.folder.rglob("*") if path.is_file()) < MOST_BYTES) == (
        game,
        True,
    )
    boards, pieces = [(b.image, b.size_mm) for b in kit.boards], [(p.image, p.size_mm) for p in kit.pieces]
    for image, size_mm in boards + pieces:
        height, width = picture(image).shape[:2]
        scale = width / size_mm[0]
        assert scale == pytest.approx(height / size_mm[1], rel=0.01)
        assert 3.5 <= scale <= 6


@pytest.mark.parametrize("game", GAMES)
def test_spaces_lie_on_their_boards_and_not_on_each_other(game: str) -> None:
    kit = kit_of(game)
    boards = {board.id: board for board in kit.boards}
    for space in kit.spaces:
        for at, size, whole in zip(space.at_mm, space.size_mm, boards[space.board].size_mm, strict=True):
            assert at - size / 2 >= 0 and at + size / 2 <= whole, space.id
    for i, space in enumerate(kit.spaces):
        for other in kit.spaces[:i]:
            if space.board == other.board:
                away = np.abs(np.subtract(space.at_mm, other.at_mm))
                assert max(away) >= 0.8 * min(space.size_mm[0], other.size_mm[0]), (space.id, other.id)


def bare_board(kit: Kit, board: Board) -> Array:
    """A board at 1 px/mm with its spaces greyed out, as one sees it under many pieces."""
    width, height = (round(size) for size in board.size_mm)
    small = cv2.resize(picture(board.image), (width, height), interpolation=cv2.INTER_AREA)
    for space in kit.spaces:
        if space.board == board.id and space.kind != "track":
            (x, y), (w, h) = space.at_mm, space.size_mm
            small[round(y - h / 2) : round(y + h / 2), round(x - w / 2) : round(x + w / 2)] = 128
    return np.asarray(small)


@pytest.mark.parametrize("game", GAMES)
def test_no_board_looks_the_same_turned_around(game: str) -> None:
    kit = kit_of(game)
    for board in kit.boards:
        bare = bare_board(kit, board)
        for quarters in (1, 2, 3):
            turned = np.rot90(bare, quarters)
            if turned.shape == bare.shape:
                differs = np.abs(turned - bare).max(axis=2) > 60
                assert differs.sum() > 60, (board.id, quarters)  # mm²


@pytest.mark.parametrize("game", GAMES)
def test_pieces_differ_in_shape_and_not_only_in_colour(game: str) -> None:
    """In shades of grey with light and contrast taken out, turned by quarters, no two look alike."""
    looks = {}
    for piece in kit_of(game).pieces:
        small = cv2.resize(picture(piece.image).mean(axis=2), (40, 40), interpolation=cv2.INTER_AREA)
        middle = small[5:35, 5:35]
        looks[piece.name, piece.size_mm] = (middle - middle.mean()) / (middle.std() + 1e-6)
    names = list(looks)
    for i, one in enumerate(names):
        for other in names[:i]:
            if one[1] == other[1]:  # others differ in size
                alike = max(float((looks[one] * np.rot90(looks[other], k)).mean()) for k in range(4))
                assert alike < 0.93, (one, other, alike)


@pytest.mark.parametrize("game", GAMES)
def test_no_two_pieces_are_less_than_twice_as_far_apart_as_is_hard_to_read(game: str) -> None:
    kit = kit_of(game)
    pictures = {piece.image: cv2.imread(str(piece.image), cv2.IMREAD_UNCHANGED) for piece in kit.pieces}
    closest = look_alikes(kit, pictures)[0]
    assert closest.levels > 2 * NEARLY_SAME, closest


# What may lie on a bare space of a kind, by the beginnings of its class.
LIE_ON = {
    "plot": ("squash", "carrot", "tomato", "artichoke", "eggplant", "bird", "rabbit", "sundial", "scarecrow", "rock"),
    "track": ("disc", "gnome"),
    "cell": ("carrot", "eggplant", "tomato", "broccoli", "potato", "trowel", "weedkiller", "hose", "toolbox", "mole"),
    "hedge": ("trowel", "weedkiller", "hose", "toolbox"),
    "flower": ("stone",),
    "pedestal": ("guest",),
    "home": ("guest",),
}


@pytest.mark.parametrize("game", GAMES)
def test_pieces_stand_out_from_the_spaces_they_lie_on(game: str) -> None:
    """By the same measure as from each other: a part of the bare board as large as the piece is taken for a piece."""
    kit = kit_of(game)
    looks = {piece.image: cv2.imread(str(piece.image), cv2.IMREAD_UNCHANGED) for piece in kit.pieces}
    boards = {board.id: (cv2.imread(str(board.image)), board.size_mm[0]) for board in kit.boards}
    told_by = ("flower", "garden", "tool", "team", "star", "bonus")
    kinds = {(space.kind, *map(space.tags.get, told_by)): space for space in kit.spaces}
    for space in kinds.values():
        lying = [piece for piece in kit.pieces if piece.name.startswith(LIE_ON.get(space.kind, ("nothing",)))]
        pixels, width_mm = boards[space.board]
        scale = pixels.shape[1] / width_mm
        for piece in lying:
            middle, half = np.array(space.at_mm) * scale, piece.size_mm[0] / 2 * scale
            (left, top), (right, low) = (np.rint(middle + way * half).astype(int) for way in (-1, 1))
            bare = replace(piece, name="bare", image=Path("bare"))
            pair = replace(kit, pieces=(piece, bare))
            closest = look_alikes(pair, {**looks, bare.image: pixels[top:low, left:right]})[0]
            assert closest.levels > 2 * NEARLY_SAME, (space.id, closest)


def test_a_disc_stands_out_from_every_part_of_the_tile_it_lies_on() -> None:
    """By the same measure: else a red one on a tomato, a green one on an artichoke, is not seen."""
    kit = kit_of("garden-dice")
    looks = {piece.image: cv2.imread(str(piece.image), cv2.IMREAD_UNCHANGED) for piece in kit.pieces}
    discs = [piece for piece in kit.pieces if piece.shape == "disc"]
    for tile in (piece for piece in kit.pieces if piece.shape == "square"):
        scale = looks[tile.image].shape[1] / tile.size_mm[0]
        side, step = round(discs[0].size_mm[0] * scale), round(6 * scale)
        places = range(0, looks[tile.image].shape[0] - side + 1, step)
        for top, left in ((top, left) for top in places for left in places):
            part = replace(discs[0], name="part", image=Path("part"))
            pictures = {**looks, part.image: looks[tile.image][top : top + side, left : left + side]}
            pairs = look_alikes(replace(kit, pieces=(*discs, part)), pictures)
            closest = next(pair for pair in pairs if "part" in (pair.one, pair.other))
            assert closest.levels > 1.5 * NEARLY_SAME, (tile.name, closest)


@pytest.mark.parametrize("game", GAMES)
def test_the_markers_in_a_boards_picture_are_those_of_its_kit(game: str) -> None:
    """Read by OpenCV alone, each of them lies where `kit.toml` says, upright, and no piece comes onto it."""
    kit = kit_of(game)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    for board in kit.boards:
        pixels = cv2.imread(str(board.image))
        scale = pixels.shape[1] / board.size_mm[0]
        corners, ids, _ = detector.detectMarkers(pixels)
        numbers = [] if ids is None else np.ravel(ids).tolist()
        found = {n: (four.reshape(4, 2) + 0.5) / scale for n, four in zip(numbers, corners, strict=True)}
        own = {marker.id: marker for marker in kit.markers if marker.board == board.id}
        assert found.keys() == own.keys()
        assert len(own) == {"board": 4, "track": 0, "trampoline": 0}[board.id]
        for number, marker in own.items():
            square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * marker.size_mm / 2
            assert np.abs(found[number] - square - marker.at_mm).max() < 0.3  # mm


def test_no_two_boards_have_a_marker_in_common() -> None:
    numbers = [marker.id for game in GAMES for marker in kit_of(game).markers]
    assert len(numbers) == len(set(numbers)) == 4 + 4 + 4


@pytest.mark.parametrize("game", GAMES)
def test_every_large_board_shows_six_greys_and_six_colours(game: str) -> None:
    """As the patches of the sheet of colours: somewhere on the board is an even spot of each."""
    pixels = cv2.imread(str(kit_of(game).boards[0].image))
    for patch in PATCHES[:12]:
        colour = np.array(patch[::-1])
        near = cv2.inRange(pixels, colour - 2, colour + 2)
        spot = cv2.erode(near, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (24, 24)))  # 6 mm across
        assert spot.any(), patch


def test_garden_dice_has_what_the_rules_name() -> None:
    kit = kit_of("garden-dice")
    assert [space.tags["score"] for space in kit.of_kind("track")] == list(range(100))
    stars = {space.id for space in kit.of_kind("plot") if space.tags["star"]}
    assert stars == {"4,6", "5,5", "5,6", "6,4", "6,5", "6,6"}
    assert all(space.id == f"{space.tags['row']},{space.tags['column']}" for space in kit.of_kind("plot"))
    assert len(kit.of_kind("plot")) == 36 and len(kit.pieces) == 19
    assert kit.dice is not None and kit.dice.count == 4


def test_garden_rush_agrees_with_its_players_board() -> None:
    kit, board = kit_of("garden-rush"), data("garden-rush.json")
    tools: dict[str, dict[str, str]] = {"pink": {}, "blue": {}}
    for cell in kit.of_kind("cell"):
        if "tool" in cell.tags:
            tools[cell.tags["garden"]][f"{cell.tags['row']},{cell.tags['column']}"] = cell.tags["tool"]
    assert tools == board["tools"]
    assert [space.tags["score"] for space in kit.of_kind("track") if space.tags["bonus"]] == board["bonus_spaces"]
    assert json.loads(json.dumps(kit.patterns)) == board["patterns"]
    assert kit.arrow == board["arrow"]
    assert len(kit.of_kind("cell")) == 42


def test_garden_guests_agrees_with_its_players_map() -> None:
    assert write_board(kit_board(kit_of("garden-guests"))) == {
        name: {**space, "near": sorted(space["near"])} for name, space in data("garden-guests.json").items()
    }


@pytest.mark.parametrize("turns", [1, 2])
def test_a_turn_by_a_third_maps_the_meadow_onto_itself_with_the_teams_exchanged(turns: int) -> None:
    """Which flower becomes which is the same all over the map; so with the teams and their sides."""
    spaces = {tuple(map(int, name.split(","))): tags for name, tags in data("garden-guests.json").items()}
    teams, flowers = set(), set()
    for (q, r), tags in spaces.items():
        for _ in range(turns):
            q, r = -q - r, q  # by 120 degrees about 0,0
        there = spaces[q, r]
        assert there["kind"] == tags["kind"]
        if "team" in tags:
            teams.add((tags["team"], tags["side"], there["team"], there["side"]))
        if "flower" in tags:
            flowers.add((tags["flower"], there["flower"]))
    assert len(teams) == 6 and all(team != other and side == opposite for team, side, other, opposite in teams)
    assert len({(other, side) for _, _, other, side in teams}) == 6  # one to one
    assert len(flowers) == len({before for before, _ in flowers}) == len({after for _, after in flowers}) == 4


@pytest.mark.parametrize(
    ("game", "header"),
    [
        ("garden-dice", {"players": ["blue", "red"]}),
        (
            "garden-rush",
            {"players": ["pink", "blue"], "draw": ["carrot", "tomato", "potato", "carrot", "broccoli", "eggplant"]},
        ),
        ("garden-guests", {"players": 5, "teams": ["black", "gold", "teal"]}),
    ],
)
def test_a_game_is_set_up_with_its_kit(game: str, header: dict[str, Any]) -> None:
    load_game(game).set_up(Field(header), kit_of(game))
