"""Players of Garden Rush who know the rules and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from companion.games.garden_rush import GAME
from companion.games.garden_rush.board import CELLS, COLOURS, SIDE, VEGGIES, cells_of
from companion.games.garden_rush.bonuses import in_view_at_the_opponent
from companion.games.garden_rush.legal import legal_openings
from companion.games.garden_rush.nesting import due, extended
from companion.games.garden_rush.openings import beds_to_harvest, openings
from companion.games.garden_rush.state import (
    TOKENS,
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
)
from companion.rules import Allowed, Ruling, Unsettled, judge

MOST_TRIES = 12  # at a bonus, before it is let go
TAKES_A_BONUS = 0.8
HARVESTS = 0.7  # where a bed stands complete


def random_action(state: State, random: Random) -> Action | None:
    """A legal next action with its bonuses and all that is drawn; None once the game is over."""
    if state.over:
        return None
    begun = legal_openings(state)
    harvests = [action for action in begun if isinstance(action, Harvest)]
    placings = [action for action in begun if not isinstance(action, Harvest)]
    if not begun:
        return Stuck(random.choice(("pass", "lose")) if state.options.stuck == "ask" else None)
    chosen = harvests if harvests and (not placings or random.random() < HARVESTS) else placings
    action, ruling = drawn(state, random.choice(chosen), random)
    while isinstance(ruling, Allowed) and (bonuses := due(ruling)) and random.random() < TAKES_A_BONUS:
        found = _with_a_bonus(state, action, ruling.state, random.choice(bonuses), random)
        if found is None:
            break
        action, ruling = found
    return action


def drawn(state: State, action: Action, random: Random) -> tuple[Action, Ruling]:
    """The action with one token after the other drawn from the sack for it, as many as it needs."""
    ruling = judge(GAME, state, action)
    while isinstance(ruling, Unsettled) and ruling.missing == ("draw",):
        left = [count - action.draw.count(token) for token, count in zip(TOKENS, state.sack, strict=True)]
        action = replace(action, draw=(*action.draw, *random.choices(TOKENS, left)))
        ruling = judge(GAME, state, action)
    return action, ruling


def _with_a_bonus(
    state: State, action: Action, after: State, bonus: str, random: Random
) -> tuple[Action, Ruling] | None:
    """The action with a bonus of this kind at its end; None where none was found that may be done."""
    acting = after._replace(turn=state.turn, over=False)
    tries = list(ways(acting, bonus, random))
    for tried in random.sample(tries, min(MOST_TRIES, len(tries))):
        longer, ruling = drawn(state, extended(action, tried), random)
        if isinstance(ruling, Allowed):
            return longer, ruling
    return None


def ways(state: State, bonus: str, random: Random) -> Iterator[Action]:
    """Ways to use a bonus, not all of them legal."""
    cells = range(len(CELLS))
    planted = [cell for cell in cells if state.own.garden[cell]]
    match bonus:
        case "place":
            yield from (action for action in openings(state) if not isinstance(action, Harvest))
        case "harvest":
            yield from (Harvest(cells_of(bed)) for bed in sorted(beds_to_harvest(state)))
        case "move":
            yield from (Move(source, to) for source in planted for to in cells if state.own.garden[to] is None)
        case "flip":
            yield from (Flip(colour, cell) for colour in COLOURS for cell in cells if state.player(colour).garden[cell])
        case "trowel":
            swapped = random.randint(1, SIDE - 1)
            for source in (swapped, swapped + 1):
                yield from (Trowel((swapped, swapped + 1), Place(source, cell)) for cell in cells)
                yield from (Trowel((swapped, swapped + 1), Mole(source, cell)) for cell in cells)
        case "weedkiller":
            yield from (Weedkiller(veggie) for veggie in VEGGIES if veggie in state.hedge)
        case "hose":
            yield from (Hose(column) for column in range(1, SIDE + 1))
        case "toolbox":
            if borrowed := [right.bonus for right in in_view_at_the_opponent(state)]:
                yield from (Toolbox(use) for use in ways(state, random.choice(borrowed), random))
        case "move-mole":
            moles = [cell for cell in planted if state.own.garden[cell] == "mole"]
            yield from (MoveMole(source, to) for source in moles for to in cells)
