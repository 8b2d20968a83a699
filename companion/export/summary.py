"""A game in a line: what it is called, how far it is, who is next or who has won."""

from __future__ import annotations

import time

from companion.account import Teller, sides, standing
from companion.session import Session


def title(game: str) -> str:
    """What a game is called, in every language."""
    return game.replace("-", " ").title()


def points(session: Session, teller: Teller) -> str:
    """Everybody's points; where none are counted, who plays."""
    game, state = session.game, session.state
    totals = standing(game, state)
    told = [f"{teller.name(side)} {total}" for side, total in totals.items()]
    return ", ".join(told or map(teller.name, sides(game.score(state))))


def where(session: Session, teller: Teller) -> str:
    """Whose turn it is; once it is over, who has won."""
    words, game = teller.common["games"], session.game
    if not game.over(session.state):
        turn = game.write_position(session.state)["turn"]
        return str(words["next"].format(name=teller.name(turn.get("team") or turn["player"])))
    winners = ", ".join(map(teller.name, game.score(session.state)["winners"]))
    return str(words["over"].format(names=winners)) if winners else str(words["over-without"])


def date(clock: int) -> str:
    """A time as the wall clock shows it; nothing of one that no calendar has."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(clock))
    except (OverflowError, ValueError, OSError):
        return ""
