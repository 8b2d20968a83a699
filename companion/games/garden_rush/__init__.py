"""Garden Rush: two gardens, a hedge between them, and a race of gnomes."""

from __future__ import annotations

from dataclasses import replace

from companion.games.garden_rush import asking, choosing, suggest, table
from companion.games.garden_rush.bonuses import use_the_bonus
from companion.games.garden_rush.faults import faults
from companion.games.garden_rush.forms import (
    check_action,
    read_action,
    read_position,
    sack_after,
    seating,
    set_up,
    write_action,
    write_position,
)
from companion.games.garden_rush.legal import legal
from companion.games.garden_rush.openings import openings
from companion.games.garden_rush.scoring import score
from companion.games.garden_rush.state import OPTIONS
from companion.games.garden_rush.telling import facts_of
from companion.games.garden_rush.turn import CLOSING, RULES
from companion.rules import Game

GAME: Game = Game(
    name="garden-rush",
    package=__package__,
    options=OPTIONS,
    rules=RULES,
    closing=CLOSING,
    clauses_within={
        "setup.draw": set_up,
        "setup.tools": sack_after,
        "bonus.order": use_the_bonus,
        "bonus.place": use_the_bonus,
        "bonus.harvest": use_the_bonus,
    },
    informative=frozenset({"setup.first", "setup.double"}),
    seating=seating,
    set_up=set_up,
    read_position=read_position,
    write_position=write_position,
    faults=faults,
    read_action=read_action,
    write_action=write_action,
    check_action=check_action,
    actions=openings,
    legal=legal,
    score=score,
    over=lambda state: state.over,
    place=table.place,
    expected=table.expected,
    relaid=table.relaid,
    scores=table.scores,
    suggest=lambda state, change: suggest.suggest(GAME, state, change),
    describe=facts_of,
    not_entered=lambda state: state.board.not_entered(),
    asked=asking.asked,
    answers=asking.answers,
    besides=choosing.besides,
    extras=choosing.extras,
    shape=lambda actions: tuple(replace(action, draw=()) for action in actions),
    grown=lambda state, action, change: suggest.grown(GAME, state, action, change),
)
