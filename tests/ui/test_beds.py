"""The shapes of beds as they are tapped."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

from companion.account import Teller
from companion.commands import own_kit
from companion.commands.house import House
from companion.games import load_game
from companion.kit import load_kit
from companion.ui.view.beds import BARE, FULL, Beds, BedsView, beds_view, toggled, without, written
from tests.ui.test_house import asked

NOTHING = Beds("ours", {"carrot": (), "tomato": (((0, 0),), ((0, 0), (0, 2)))}, "carrot")


def shown(beds: Beds) -> BedsView:
    return beds_view(beds, Teller(load_game("garden-rush"), "en"))


def drawn(beds: Beds) -> list[str]:
    return ["".join(tap.text for tap in row) for row in shown(beds).cells]


def tapped(beds: Beds, *cells: tuple[int, int]) -> Beds:
    for row, column in cells:
        beds = shown(beds).cells[row][column].to
    return beds


def test_a_shape_is_tapped_cell_by_cell_with_gaps() -> None:
    beds = tapped(NOTHING, (1, 1), (1, 3), (2, 2))
    assert drawn(beds) == [BARE * 5, BARE + FULL + BARE + FULL + BARE, BARE * 2 + FULL + BARE * 2, BARE * 5, BARE * 5]
    assert written(beds)["carrot"] == [[[0, 0], [0, 2], [1, 1]]]  # from the corner on
    assert written(tapped(beds, (2, 2)))["carrot"] == [[[0, 0], [0, 2]]]
    assert "carrot" not in written(tapped(NOTHING, (0, 0), (0, 0)))  # no cells are no shape


def test_further_shapes_are_added_and_taken_away() -> None:
    view = shown(NOTHING)
    assert [tap.text for tap in view.veggies] == ["carrot: 0", "tomato: 2"]
    tomato = view.veggies[1]
    new = next(tap.to for tap in shown(tomato.to).numbers if tap.text == "+")
    beds = tapped(new, (4, 4))
    assert [tap.text for tap in shown(beds).numbers] == ["1", "2", "3", "+"]
    assert written(beds)["tomato"] == [[[0, 0]], [[0, 0], [0, 2]]]  # the third is the first, elsewhere: once is enough
    assert without(tomato.to).shapes["tomato"] == (((0, 0), (0, 2)),)
    assert shown(NOTHING).drop is None
    assert toggled(without(without(tomato.to)), (0, 1)).shapes["tomato"] == (((0, 1),),)


def test_shapes_are_kept_in_the_kit(own_home: Path) -> None:
    folder = own_home / "kits" / "garden-rush-1"
    copytree(own_kit("garden-rush").folder, folder)
    with House(asked()) as house:
        before = house.beds("garden-rush-1")
        assert dict(before.shapes) == dict(load_kit(folder).patterns)
        house.keep_beds(tapped(without(before), (3, 3)))
    kept = load_kit(folder)
    assert kept.patterns["carrot"] == (  # the first is gone, the second has a cell more
        ((0, 0), (1, 0), (2, 0), (3, 3)),
        ((0, 0), (1, 0), (2, 0), (2, 1), (3, 1)),
    )
    assert kept.patterns["tomato"] == before.shapes["tomato"]
    assert kept.spaces == load_kit(own_kit("garden-rush").folder).spaces
