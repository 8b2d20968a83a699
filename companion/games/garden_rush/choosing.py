"""Garden Rush: actions that are told by choosing, beside those that `legal` lists."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from companion.games.garden_rush.board import CELLS, COLOURS, SIDE, VEGGIES, cells_of
from companion.games.garden_rush.bonuses import in_view_at_the_opponent
from companion.games.garden_rush.nesting import due, extended
from companion.games.garden_rush.openings import beds_to_harvest, openings
from companion.games.garden_rush.state import (
    Action,
    Flip,
    Harvest,
    Hose,
    Mole,
    Move,
    MoveMole,
    Place,
    State,
    Stuck,
    Toolbox,
    Trowel,
    Weedkiller,
    veggie_of,
)
from companion.games.garden_rush.turn import RULES
from companion.rules import Allowed, Refused, objection


def besides(state: State) -> Iterator[Action]:
    """That the player is stuck, unless something can be done."""
    if not isinstance(objection(RULES[Stuck], state, Stuck()), Refused):
        yield Stuck()


def extras(state: State, action: Action, ruling: Allowed) -> Iterator[Action]:
    """An allowed action with each bonus that its last part has earned, in every way; not all of them are legal."""
    acting = ruling.state._replace(turn=state.turn, over=False)
    for bonus in due(ruling):
        yield from (extended(action, way) for way in _ways(acting, bonus))


def _ways(state: State, bonus: str) -> Iterator[Action]:
    cells = range(len(CELLS))
    planted = [cell for cell in cells if state.own.garden[cell]]
    match bonus:
        case "place":
            yield from (opening for opening in openings(state) if not isinstance(opening, Harvest))
        case "harvest":
            yield from (Harvest(cells_of(bed)) for bed in sorted(beds_to_harvest(state), key=cells_of))
        case "move":
            yield from (Move(source, to) for source in planted for to in cells if state.own.garden[to] is None)
        case "flip":
            veggies = ((colour, c) for colour in COLOURS for c in cells if veggie_of(state.player(colour).garden[c]))
            yield from (Flip(colour, cell) for colour, cell in veggies)
        case "trowel":
            for one, cell, source in product(range(1, SIDE), cells, (0, 1)):
                yield Trowel((one, one + 1), Place(one + source, cell))
                yield Trowel((one, one + 1), Mole(one + source, cell))
        case "weedkiller":
            yield from (Weedkiller(veggie) for veggie in VEGGIES if veggie in state.hedge)
        case "hose":
            yield from (Hose(column) for column in range(1, SIDE + 1))
        case "toolbox":
            borrowed = dict.fromkeys(right.bonus for right in in_view_at_the_opponent(state))
            yield from (Toolbox(use) for other in borrowed for use in _ways(state, other))
        case "move-mole":
            moles = [cell for cell in planted if state.own.garden[cell] == "mole"]
            yield from (MoveMole(mole, to) for mole in moles for to in cells)
