"""Every state of sight and every kind of news, in all three games and both languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from companion.games import NAMES
from companion.table import PATIENCE, Confirm
from tests.ui.tables import Seat

Sit = Callable[..., Seat]
Lay = Mapping[str, Sequence[str]]

SIGHTS = {
    "settled": ("the table lies still", "nyugalomban az asztal"),
    "moving": ("something moves", "valami mozog"),
    "hidden": ("something covers the board", "valami eltakarja a táblát"),
    "lost": ("the board is not found. Go on.", "nem látszik a tábla. Go on."),
}
ONE_DIE: dict[str, Any] = {"turn": {"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]}}
TWO_DICE: dict[str, Any] = {"turn": {"player": "blue", "rolled": True, "dice": [4, 5], "spent": [2, 3]}}
NO_DICE: dict[str, Any] = {"turn": {"player": "blue"}}
HARVESTED: Lay = {"6,1": ()}
PLACED: Lay = {"pink-4,5": ("potato/double",), "trampoline": ("carrot/double",)}  # then carrots have come up
COLONY: Lay = {"-4,2": ("guest/black", "marker/sunflower")}  # a pedestal with a sunflower
KINDS: tuple[tuple[str, str, dict[str, Any], Lay, str, str], ...] = (
    ("garden-dice", "calm", ONE_DIE, {}, "The table lies as the game says.", "Az asztal egyezik az állással."),
    ("garden-rush", "calm", {}, {}, "The table lies as the game says.", "Az asztal egyezik az állással."),
    ("garden-guests", "calm", {}, {}, "The table lies as the game says.", "Az asztal egyezik az állással."),
    ("garden-dice", "proposed", ONE_DIE, HARVESTED, "Is this what happened?", "Ez történt?"),
    ("garden-rush", "proposed", {}, PLACED, "Is this what happened?", "Ez történt?"),
    ("garden-guests", "proposed", {}, COLONY, "Is this what happened?", "Ez történt?"),
    # Only a 4 and a 5 are left, and they name 4,5 and 5,4.
    ("garden-dice", "illegal", TWO_DICE, {"5,6": ("tomato/seed", "disc/blue")}, "NOT ALLOWED", "NEM SZABAD"),
    # Nothing came up from the trampoline where a token was taken.
    (
        *("garden-rush", "illegal", {}),
        *({"hedge-3": (), "pink-4,3": ("tomato/double",)}, "NOT ALLOWED", "NEM SZABAD"),
    ),
    # A colony is founded on a pedestal, and 0,2 is a flower.
    ("garden-guests", "illegal", {}, {"0,2": ("guest/black",)}, "NOT ALLOWED", "NEM SZABAD"),
    (
        *("garden-dice", "unexplained", ONE_DIE),
        {"3,3": ("squash/vegetable", "disc/green"), "5,1": ("eggplant/seed", "disc/green")},
        *("No move explains what lies here:", "Egyik lépés sem magyarázza, ami itt van:"),
    ),
    (
        *("garden-rush", "unexplained", {}),
        {"pink-1,2": ("carrot/single",), "blue-5,4": ("eggplant/single",), "blue-4,4": ("mole",)},
        *("No move explains what lies here:", "Egyik lépés sem magyarázza, ami itt van:"),
    ),
    (
        *("garden-guests", "unexplained", {}),
        {"-4,0": ("guest/gold",), "4,0": ("guest/black",), "0,0": ("guest/gold",)},
        *("No move explains what lies here:", "Egyik lépés sem magyarázza, ami itt van:"),
    ),
    (
        *("garden-dice", "asked", NO_DICE, {"2,2": ("artichoke/vegetable", "disc/blue")}),
        *("Which dice were rolled?", "Mit mutattak a dobott kockák?"),
    ),
)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("name", NAMES)
def test_what_can_be_seen_is_told(sit: Sit, name: str, sight: str) -> None:
    seat = sit(name)
    if sight != "settled":
        seat.moves(sight, "Go on." if sight == "lost" else "")
    for language, told in zip(("en", "hu"), SIGHTS[sight], strict=True):
        view = seat.view(language)
        assert (view.sight, view.sight_state) == (told, sight)
        assert view.news.kind == "calm"  # nothing is claimed but of a table that lies still


@pytest.mark.parametrize(("name", "kind", "changes", "lay", "english", "hungarian"), KINDS)
def test_what_happened_is_told(
    sit: Sit, name: str, kind: str, changes: dict[str, Any], lay: Lay, english: str, hungarian: str
) -> None:
    seat = sit(name, **changes)
    seat.settles(lay)
    seat.waits(PATIENCE + 1)  # nothing is held against anybody before
    for language, headline in (("en", english), ("hu", hungarian)):
        view = seat.view(language)
        assert (view.news.kind, view.news.headline) == (kind, headline), view.news
        assert set(view.marks) == (set(lay) if kind != "calm" else set()), view.news
        assert set(view.marks.values()) <= {kind}


@pytest.mark.parametrize(
    ("name", "changes", "lay"),
    [("garden-dice", TWO_DICE, HARVESTED), ("garden-rush", {}, PLACED), ("garden-guests", {}, COLONY)],
)
def test_what_was_taken_back_is_told(sit: Sit, name: str, changes: dict[str, Any], lay: Lay) -> None:
    seat = sit(name, **changes)
    before = {space: seat.view().table[space] for space in lay}
    seat.settles(lay)
    seat.table.step(Confirm())
    seat.settles(before)
    told = ("Taken back? It lies as before the last step.", "Visszavétel? Úgy áll, mint az utolsó lépés előtt.")
    for language, headline in zip(("en", "hu"), told, strict=True):
        assert (seat.view(language).news.kind, seat.view(language).news.headline) == ("undone", headline)
