"""Hedge and trampoline as one row of tokens, from the hedge's far end to the trampoline.

Whoever takes a token leaves the others in their order, and what is drawn joins the row at its end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from companion.change import Change
from companion.games.garden_rush.board import SIDE
from companion.games.garden_rush.state import TOKENS, State
from companion.games.garden_rush.table import TRAMPOLINE

UNSEEN_DRAW = 2.2  # price of a token that was drawn and cannot be seen
LATER_DRAWS, WITH_TOOLS = 3, 6  # after those of a part of an action, that may have covered them up
OUT_OF_ORDER = {"trowel", "weedkiller", "toolbox"}  # bonuses that change the row in other ways


def _places(arrow: int) -> tuple[str, ...]:
    columns = range(1, SIDE + 1) if arrow == SIDE else range(SIDE, 0, -1)
    return (*(f"hedge-{column}" for column in columns), TRAMPOLINE)


def _token(change: Change, place: str) -> str | None:
    """The token that lies on hedge or trampoline, where it is seen."""
    sight = change.seen.get(place)
    token = sight.pieces[0].partition("/")[0] if sight and sight.pieces else None
    return token if token in TOKENS else None


def rows_drawn(change: Change, state: State) -> Iterator[tuple[tuple[str, ...], float]]:
    """Tokens that may have been drawn one after the other: those from the hedge's far end to the trampoline.

    The last of them are what the last part of the action drew; earlier parts drew those before.
    """
    tokens = [_token(change, place) for place in _places(state.board.arrow)]
    if tokens[-1] is None or change.doubtful(TRAMPOLINE):
        yield from (((token,), UNSEEN_DRAW * (tokens[-1] is None)) for token in TOKENS)
    later = WITH_TOOLS if state.options.tools else LATER_DRAWS
    for end in range(len(tokens), len(tokens) - later, -1):
        row = tokens[:end]
        known = row[max((i + 1 for i, token in enumerate(row) if token is None), default=0) :]
        if known:
            yield tuple(str(token) for token in known), 0.0


def may_become(state: State, due: Collection[str], most: int, change: Change) -> bool:
    """Whether the row seen may come of the state's by taking up to `most` tokens more; true where that is not plain."""
    row = (*(state.hedge if state.board.arrow == SIDE else state.hedge[::-1]), state.trampoline)
    seen: list[str | None] = []  # None: any token
    for place in _places(state.board.arrow):
        token = None if place in change.vague else _token(change, place)
        if token is None and place not in change.vague:
            return True  # a gap
        seen.append(token)
    if None in row or not OUT_OF_ORDER.isdisjoint(due):
        return True
    return any(_is_left_of(seen[: len(seen) - taken], row) for taken in range(most + 1))


def _is_left_of(part: Sequence[str | None], row: Sequence[str | None]) -> bool:
    """Whether the part is what is left of the row when some are taken."""
    rest = iter(row)
    return all(any(token in (None, other) for other in rest) for token in part)
