"""The players or teams of a game: who is on turn, their points, what lies in front of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from companion.account import Teller, sides, standing
from companion.kit import Kit
from companion.session import Session
from companion.ui.view.shapes import Side
from companion.ui.view.wording import initial


def sides_of(session: Session, teller: Teller) -> Iterator[Side]:
    """In seat order.  Once the game is over the points are those that it ends with, not those of the track."""
    game, state = session.game, session.state
    final = {side: entry.get("total") for side, entry in sides(game.score(state)).items()} if game.over(state) else {}
    position = game.write_position(state)
    now = standing(game, state)
    done = session.history.done
    before = standing(game, session.states[done[-1].at]) if done else now
    turn = position["turn"]
    for entry in position.get("players") or position["teams"]:
        side = entry.get("colour") or entry["team"]
        on_turn = not game.over(state) and side == (turn.get("team") or turn["player"])
        gain = now.get(side, 0) - before.get(side, 0)
        holds = tuple(_holds(teller, entry))
        points = final.get(side, now.get(side))
        yield Side(teller.name(side), on_turn, points, gain, holds, initial(teller, side), side)


def letters_of(kit: Kit, teller: Teller) -> dict[str, str]:
    """By piece the letter of whose it is, for those that can be somebody's."""
    sides = teller.game.seating(kit).sides
    owners = {piece.name: piece.name.partition("/")[2] for piece in kit.pieces}
    return {piece: initial(teller, side) for piece, side in owners.items() if side in sides}


def _holds(teller: Teller, entry: Mapping[str, Any]) -> Iterator[str]:
    """What lies in front of somebody."""
    for key, label in teller.common["holds"].items():
        match entry.get(key):
            case True:
                yield label
            case False | None | []:
                pass
            case [*items] if all(isinstance(item, int) for item in items):
                yield f"{label} {'+'.join(map(str, items))}"
            case [*items]:
                yield f"{label} {len(items)}"
            case count:
                yield f"{label} {count}"
