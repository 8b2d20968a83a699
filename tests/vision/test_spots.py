"""Discs on pictures of their own colour: they stand out from nothing, and still they are not to be overlooked."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from companion.vision.claims import Claim, Study
from companion.vision.knowledge import learn_pieces
from companion.vision.pieces import read_spaces, studies
from companion.vision.spots import spots_on
from tests.vision import test_pieces
from tests.vision.test_pieces import COLOURS, DISC_HIGH, DISC_MM, PX, TILE_HIGH, TILE_MM, TILES, Table

Array = np.ndarray[Any, Any]
OFF_MM = ((-9.0, -7.0), (8.0, 3.0), (0.0, 0.0), (-4.0, 9.0), (7.0, -9.0))
SPACE = "1,1"


def _meadow(seed: int) -> Array:
    """Grass as in a photograph, in light and dark greens, with a bright blossom somewhere."""
    random, side = np.random.default_rng(seed), int(TILE_MM * PX)
    cloudy = sum(
        cv2.resize(random.normal(0, 1, (k, k, 1)), (side, side), interpolation=cv2.INTER_CUBIC)[..., None] / (1 + k / 9)
        for k in (4, 9, 22)
    )
    meadow = np.array(COLOURS["green"]) * (1 + 0.3 * cloudy)
    blossom = random.uniform(0.3, 0.7, 2) * side
    cv2.circle(meadow, (int(blossom[0]), int(blossom[1])), side // 9, (170, 210, 190), -1)
    return np.clip(meadow, 0, 255).astype(np.uint8)


def _table(tiles: dict[str, Array], colours: dict[str, tuple[int, int, int]]) -> Table:
    kit, boards = test_pieces._kit(), {"board": test_pieces._board_picture()}
    pictures = tiles | {f"disc/{name}": test_pieces._disc(colour) for name, colour in colours.items()}
    return Table(kit, boards, pictures, learn_pieces(kit, boards, pictures))


@pytest.fixture(scope="module")
def meadows() -> Table:
    return _table({name: _meadow(seed) for seed, name in enumerate(TILES)}, COLOURS)


def _photograph(table: Table, tile: str, off_mm: tuple[float, float]) -> tuple[Array, Any, tuple[float, float]]:
    """A tile with a green disc so far off the middle of its space, the view, and where the disc lies."""
    view = test_pieces._view()
    photo = test_pieces._photograph(table, view, {SPACE: (tile,)})
    x, y = next(space.at_mm for space in table.kit.spaces if space.id == SPACE)
    at = (x + off_mm[0], y + off_mm[1])
    test_pieces._lay(photo, view, table.pictures["disc/green"], at, DISC_MM, 0.0, TILE_HIGH + DISC_HIGH)
    return photo, view, at


def _of_tile(found: Study, k: int, tile: str) -> Claim | None:
    return next((claim for claim in found.claims[k] if claim.pieces[0] == tile), None)


@pytest.mark.parametrize("tile", TILES)
def test_a_disc_lies_where_what_it_hides_is_missing(meadows: Table, tile: str) -> None:
    known, near = meadows.known, 0
    for off_mm in OFF_MM:
        photo, view, at = _photograph(meadows, tile, off_mm)
        (found,) = studies(photo, view, known, meadows.kit, only={SPACE})
        claim = _of_tile(found, 0, tile)
        if claim is None:
            continue
        base, disc = known.group_of(tile), known.group_of("disc/green")
        (spots,), _ = spots_on(found, known, base, disc, [(0, claim.base)])
        near += float(np.hypot(*(spots[disc.names.index("disc/green")] - at))) < 0.2 * DISC_MM
    assert near >= len(OFF_MM) - 1


@pytest.mark.parametrize("tile", TILES)
def test_no_disc_is_overlooked_on_a_picture_of_its_colour(meadows: Table, tile: str) -> None:
    for off_mm in OFF_MM:
        photo, view, _ = _photograph(meadows, tile, off_mm)
        readings, unsure = read_spaces(photo, view, meadows.known, meadows.kit, only={SPACE})
        # In doubt is allowed, the tile alone or another one is not.
        assert SPACE in unsure or readings[SPACE].pieces == (tile, "disc/green")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("off_mm", OFF_MM)
def test_a_disc_may_be_as_black_as_can_be(off_mm: tuple[float, float]) -> None:
    """No shade of black is any other colour: nothing is divided by what it has."""
    tiles = {name: test_pieces._tile(name) for name in TILES}
    table = _table(tiles, COLOURS | {"green": (0, 0, 0)})
    photo, view, at = _photograph(table, "leaf", off_mm)
    (found,) = studies(photo, view, table.known, table.kit, only={SPACE})
    claim = _of_tile(found, 0, "leaf")
    assert claim is not None
    base, disc = table.known.group_of("leaf"), table.known.group_of("disc/green")
    (spots,), _ = spots_on(found, table.known, base, disc, [(0, claim.base)])
    assert float(np.hypot(*(spots[disc.names.index("disc/green")] - at))) < 0.2 * DISC_MM
    readings, unsure = read_spaces(photo, view, table.known, table.kit, only={SPACE})
    assert SPACE in unsure or readings[SPACE].pieces == ("leaf", "disc/green")
