"""Garden Rush: the dearest bed, and tokens where they come nearest to completing one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random

from companion.games.garden_rush.board import VEGGIES, mask_of
from companion.games.garden_rush.legal import legal_openings
from companion.games.garden_rush.nesting import due, extended
from companion.games.garden_rush.state import Action, Player, State, Stuck, veggie_of
from companion.rules import Allowed, Ruling
from companion.simulate.garden_rush import drawn, ways

PROMISE = 0.6  # of a bed that stands complete, of its points; of an incomplete one by how much of it stands
DOUBLE = 0.3  # of a token that may be harvested twice
OTHER = 0.5  # of what the other player has
MOST_TRIES = 20  # at each bonus
MOST_BONUSES = 3  # in one turn

Done = tuple[Action, Ruling]


def choose(state: State, random: Random) -> Action | None:
    """The opening and the bonuses that leave the position worth most; None once the game is over."""
    if state.over:
        return None
    colour = state.own.colour
    best = _best((drawn(state, opening, random) for opening in legal_openings(state)), colour)
    if best is None:
        return Stuck("pass" if state.options.stuck == "ask" else None)
    for _ in range(MOST_BONUSES):
        longer = _best(_with_bonuses(state, *best, random), colour)
        if longer is None or _worth_after(longer, colour) <= _worth_after(best, colour):
            break
        best = longer
    return best[0]


def _with_bonuses(state: State, action: Action, ruling: Ruling, random: Random) -> Iterable[Done]:
    """The action with one bonus more that it has earned, in some of the ways to use it."""
    if not isinstance(ruling, Allowed):
        return
    acting = ruling.state._replace(turn=state.turn, over=False)
    for bonus in due(ruling):
        tries = list(ways(acting, bonus, random))
        for tried in random.sample(tries, min(MOST_TRIES, len(tries))):
            yield drawn(state, extended(action, tried), random)


def _best(found: Iterable[Done], colour: str) -> Done | None:
    """Of those that are legal the one that leaves the position worth most to a player."""
    legal = (done for done in found if isinstance(done[1], Allowed))
    return max(legal, key=lambda done: _worth_after(done, colour), default=None)


def _worth_after(done: Done, colour: str) -> float:
    ruling = done[1]
    assert isinstance(ruling, Allowed), "only what is legal is weighed"
    state = ruling.state
    own = state.player(colour)
    other = next(player for player in state.players if player is not own)
    return _share(state, own) - OTHER * _share(state, other)


def _share(state: State, player: Player) -> float:
    """Points, and what the garden promises."""
    planted: dict[str, int] = dict.fromkeys(VEGGIES, 0)
    doubles = 0
    for cell, piece in enumerate(player.garden):
        if veggie := veggie_of(piece):
            planted[veggie] |= mask_of((cell,))
            doubles += str(piece).endswith("/double")
    beds = (state.board.beds(player.colour, veggie, state.options.mirror) for veggie in VEGGIES)
    return player.score + DOUBLE * doubles + sum(map(_promise, beds, planted.values()))


@lru_cache(maxsize=20_000)
def _promise(beds: frozenset[int], planted: int) -> float:
    """Of one vegetable: the bed that is worth most as it stands."""
    parts = (((bed & planted).bit_count(), bed.bit_count()) for bed in beds)
    return max((PROMISE * size * (there / size) ** 2 for there, size in parts), default=0.0)
