"""Garden Guests: two or three teams of beetles lay stone paths across a garden, from home to home."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.document import Fault, Field, nearest, shown
from companion.games.garden_guests import asking, board, choosing, endings, setting_up, state, suggest, table
from companion.games.garden_guests.cards import pays
from companion.games.garden_guests.clauses import CLOSING, RULES
from companion.games.garden_guests.faults import faults
from companion.games.garden_guests.legal import actions, legal, unknown
from companion.games.garden_guests.scoring import score
from companion.games.garden_guests.state import Action, BuildColony, Collect, Colony, LayPath, PassFlowers, State
from companion.kit import Kit
from companion.rules import Game, Seating


def seating(kit: Kit | None) -> Seating:
    """As many teams as the map has homes for; without a map any two or three."""
    homes = [space.tags["team"] for space in kit.of_kind("home")] if kit else ["A", "B", "C"]
    teams = tuple(dict.fromkeys(homes))
    return Seating(teams, setting_up.counts(len(teams)), teams=True)


def set_up(header: Field, kit: Kit | None) -> State:
    return setting_up.set_up(header, board.kit_board(kit) if kit else None)


def read_position(field: Field, kit: Kit | None) -> State:
    """The map is the kit's where there is one; colonies at home are safe whatever the file says."""
    found = state.read_position(field)
    if kit:
        found = replace(found, board=board.kit_board(kit))
    if found.board:
        homes = {space.id for space in found.board.spaces if space.kind == "home"}
        at_home = {at: piece for at, piece in found.spaces if at in homes and isinstance(piece, Colony)}
        found = found.with_pieces({at: piece._replace(safe=True) for at, piece in at_home.items()})
    return endings.with_blocked(found)


def check_action(state: State, action: Action) -> None:
    """Spaces and flowers that the map does not have."""
    if state.board is None or isinstance(action, Collect | PassFlowers):
        return
    spaces, where = ((action.at,), "at") if isinstance(action, BuildColony) else (action.spaces, "spaces")
    for space in spaces:
        if space not in state.board.by_id:
            raise Fault(f"{where}: {shown(space)} found; no such space{nearest(space, state.board.by_id)}")
    known = (*state.board.flowers, "wild")
    for card in action.cards or ():
        if card not in known:
            raise Fault(f"cards: {shown(card)} found; expected one of {', '.join(known)}{nearest(card, known)}")


def describe(state: State, action: Action) -> tuple[str, Mapping[str, Any]]:
    """`player` is the team, as in all games; `seat` tells its players apart, counted from 1."""
    who = {"player": state.turn.team}
    match action:
        case Collect(None):
            return "collect-unseen", who
        case Collect(card):
            return "collect", {**who, "card": card}
        case BuildColony(at, cards, guests):
            count = guests if cards is None else len(cards)
            return ("colony", {**who, "at": at}) if count is None else ("colony-of", {**who, "at": at, "count": count})
        case LayPath(spaces):
            return "path", {**who, "ends": (spaces[0], spaces[-1])}
        case PassFlowers(card, to):
            return "pass", {**who, "count": card, "seat": to + 1}


GAME: Game = Game(
    name="garden-guests",
    package=__name__,
    options=state.OPTIONS,
    rules=RULES,
    closing=CLOSING,
    clauses_within={
        "setup.hand": setting_up.hands,
        "setup.collection": setting_up.collections,
        "turn.one-action": endings.pass_the_turn,
        "wild.any": pays,
        "end.check": endings.win_by_connecting,
    },
    informative=frozenset({"setup.first", "setup.seats", "turn.silence"}),
    seating=seating,
    set_up=set_up,
    read_position=read_position,
    write_position=state.write_position,
    faults=faults,
    read_action=state.read_action,
    write_action=state.write_action,
    check_action=check_action,
    actions=actions,
    legal=legal,
    score=score,
    over=lambda state: state.over,
    place=table.place,
    expected=table.expected,
    relaid=table.relaid,
    scores=table.scores,
    suggest=lambda state, change: suggest.suggest(GAME, state, change),
    describe=describe,
    asked=asking.asked,
    reach=asking.reach,
    openly=asking.openly,
    answers=asking.answers,
    besides=choosing.besides,
    further=choosing.further,
    unknown=unknown,
)
