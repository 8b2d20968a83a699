"""The project's own kits: what `calibration.draw` makes is what is kept, loads without fault and plays its game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.draw import draw_all
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
                same_figure = {one[0].split("/")[0], other[0].split("/")[0]} & {"stone", "guest"}
                assert alike < 0.93 or same_figure, (one, other, alike)


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
