"""The clauses of the turn and of the end, and the tables of whole turns."""

from __future__ import annotations

from collections.abc import Mapping

from companion.document import Fault
from companion.games.garden_rush.board import VEGGIES
from companion.games.garden_rush.bonuses import OPTIONAL_BONUS, PARTS
from companion.games.garden_rush.openings import openings
from companion.games.garden_rush.scoring import winners
from companion.games.garden_rush.state import Action, Harvest, Mole, Place, State, Stuck, veggie_of
from companion.rules import Allowed, Effect, Happened, Missing, Rule, Unsettled, objection

POINTS_TO_END = 40


def the_game_goes_on(state: State, action: Action) -> bool:
    return not state.over


def one_place_or_one_harvest(state: State, action: Action) -> bool:
    return isinstance(action, Place | Mole | Harvest | Stuck)


def begin(state: State, action: Action) -> Allowed:
    return Allowed(state._replace(draws=action.draw) if action.draw else state)


# Being stuck


def nothing_can_be_done(state: State, action: Stuck) -> bool | Missing:
    objections = [objection(PARTS[type(opening)], state, opening) for opening in openings(state)]
    if None in objections:
        return False
    if state.options.stuck != "ask" and action.ruling not in (None, state.options.stuck):
        return False
    missing = [what for answer in objections if isinstance(answer, Unsettled) for what in answer.missing]
    planted = {veggie_of(piece) for piece in state.own.garden}
    missing += [f"patterns.{veggie}" for veggie in VEGGIES if veggie in planted and state.board.lacks_shapes(veggie)]
    if _ruling(state, action) is None:
        missing.append("ruling")
    return Missing(tuple(dict.fromkeys(missing))) if missing else True


def _ruling(state: State, action: Stuck) -> str | None:
    return action.ruling if state.options.stuck == "ask" else state.options.stuck


def lose_or_pass(state: State, action: Stuck) -> Allowed:
    loses = _ruling(state, action) == "lose"
    told = Happened("stuck-loses" if loses else "stuck-passes", ("turn.stuck",), {"player": state.own.colour})
    return Allowed(state._replace(over=True, lost=state.own.colour) if loses else state, (told,))


# What follows every turn


def reach_forty(state: State, action: Action) -> Allowed:
    if state.over or state.own.score < POINTS_TO_END:
        return Allowed(state)
    told = Happened("forty-reached", ("end.forty",), {"player": state.own.colour, "points": state.own.score})
    return Allowed(state._replace(triggered=True), (told,))


def end_after_the_second_player(state: State, action: Action) -> Allowed:
    if state.over or not (state.triggered or state.final_turn):
        return Allowed(state)
    if state.turn == 0:
        told = Happened("one-more-turn", ("end.last-turn",), {"player": state.opponent.colour})
        return Allowed(state._replace(final_turn=True), (told,))
    return Allowed(state._replace(over=True), (Happened("last-turn-over", ("end.last-turn",)),))


def name_the_winner(state: State, action: Action) -> Allowed:
    if not state.over:
        return Allowed(state)
    told = Happened("won" if len(winners(state)) == 1 else "shared", ("end.winner",), {"players": winners(state)})
    return Allowed(state, (told,))


def pass_the_turn(state: State, action: Action) -> Allowed:
    if state.draws:
        given = len(action.draw)
        raise Fault(f"draw: {given} tokens given; expected {given - len(state.draws)}, as many as are drawn")
    turn = state.turn if state.over else 1 - state.turn
    state = state._replace(turn=turn, due=(), kept=None, triggered=False)
    return Allowed(state, () if state.over else (Happened("turn-passed", ("turn.one",), {"player": state.own.colour}),))


STUCK = Rule(
    requires={"turn.stuck": nothing_can_be_done},
    then={"turn.stuck": lose_or_pass, **OPTIONAL_BONUS},
)


def _whole(part: Rule) -> Rule:
    """The rule of a part of a turn where it is the whole turn."""
    return Rule(
        requires={"end.last-turn": the_game_goes_on, "turn.one": one_place_or_one_harvest, **part.requires},
        then={"turn.one": begin, **part.then},
    )


RULES: Mapping[type, Rule] = {kind: _whole(part) for kind, part in {**PARTS, Stuck: STUCK}.items()}

CLOSING: Mapping[str, Effect] = {
    "end.forty": reach_forty,
    "end.last-turn": end_after_the_second_player,
    "end.winner": name_the_winner,
    "turn.one": pass_the_turn,
}
