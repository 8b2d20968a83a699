"""Garden Rush followed though the trampoline is not found: what was drawn is not made up, and shows in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from companion.evidence import NOT_FOUND
from companion.games import NAMES, load_game
from companion.observation import BoardSight
from companion.referee import Proposed, expected_table
from companion.store.reading import Games
from companion.store.shelf import Shelf
from companion.table import Seen, Shown, Table
from companion.vision.watch import Sighting
from tests.referee.seen import sight
from tests.referee.test_garden_rush import GAME, KIT, RESUPPLIED, position, written

CORNERS = ((0.0, 0.0), (900.0, 0.0), (900.0, 900.0), (0.0, 900.0))
SPACES = [space.id for space in KIT.spaces]


def looked(table: Table, picture: int, lies: Mapping[str, tuple[str, ...]], found: bool) -> Shown:
    """A hand goes out, and the table lies so; each space was last seen to change with the first picture."""
    lying = expected_table(GAME, position(), KIT) | lies
    seen = sight(lying, unsure=() if found else ["trampoline"])
    seen = replace(seen, unsure=dict.fromkeys(seen.unsure, NOT_FOUND), boards={"pink": BoardSight(CORNERS, 0.3)})
    changed = {space: picture if space in lies else 1 for space in SPACES}
    if not found:
        changed["trampoline"] = 1
    table.step(Seen(Sighting(picture - 1, "moving", observation=table.shown.sighting.observation)))
    return table.step(Seen(Sighting(picture, "settled", False, seen, True, True, changed)))


def test_a_token_on_a_board_that_is_not_found_is_not_the_one_that_lay_there(tmp_path: Path) -> None:
    """The trampoline held a carrot; pink took the tomato, and another one was drawn."""
    shelf = Shelf(tmp_path, Games(NAMES, load_game), lambda: 0.0)
    with shelf.begin(GAME, position()) as log:
        table = Table(KIT, log)
        looked(table, 2, {}, True)
        hedge = {space: pieces for space, pieces in RESUPPLIED.items() if space != "trampoline"}
        placed = {**hedge, "pink-4,3": ("tomato/double",)}
        finding = looked(table, 4, placed, False).finding
        assert isinstance(finding, Proposed) and not finding.clear
        assert written(finding)[0] | {"draw": []} == {"do": "place", "from": 3, "to": "4,3", "draw": []}
        drawn = {way.actions[0].draw for way in (finding.best, *finding.ways, *finding.alternatives)}
        assert drawn == {("carrot",), ("tomato",), ("broccoli",)}

        # Blue takes the potato: what was drawn for pink lies on the hedge now, and the trampoline is found again.
        pushed = {"hedge-4": ("carrot/double",), "hedge-5": ("tomato/double",), "trampoline": ("broccoli/double",)}
        finding = looked(table, 6, placed | pushed | {"blue-1,4": ("potato/double",)}, True).finding
        assert isinstance(finding, Proposed) and finding.clear
        assert written(finding) == [
            {"do": "place", "from": 3, "to": "4,3", "draw": ["tomato"]},
            {"do": "place", "from": 4, "to": "1,4", "draw": ["broccoli"]},
        ]
