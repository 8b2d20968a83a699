"""The clauses about cards: to collect, to pass, to play.  Only cards that are played are named; others are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from companion.games.garden_guests.faults import HAND
from companion.games.garden_guests.state import WILD, BuildColony, Collect, LayPath, PassFlowers, State, Team
from companion.rules import Allowed, Happened, Missing, Ruling


def dealt(team: Team, player: int, cards: int) -> Team:
    """The team with that many cards more, or fewer, in a player's hand; hands that nobody counts stay so."""
    if team.hands is None:
        return team
    return team._replace(hands=tuple(hand + cards if i == player else hand for i, hand in enumerate(team.hands)))


def discarded(team: Team, cards: int) -> Team:
    return team if team.discards is None else team._replace(discards=team.discards + cards)


def flipped(team: Team, card: int) -> Team:
    return team._replace(collection=tuple(5 - face if face == card else face for face in team.collection))


# Collect flowers


def a_card_shows_it(state: State, action: Collect | PassFlowers) -> bool | Missing:
    team = state.mover
    if action.card is not None:
        return action.card in team.collection or (team.unseen and Missing(("card",)))
    uncounted = team.hands is None and team.deck is None
    return uncounted or Missing(("card",))


def reshuffle_the_discards(state: State, action: Collect) -> Ruling:
    """Before the draw: to draw the rest of the deck first comes to the same number of cards."""
    team = state.mover
    if action.card is None or team.deck is None or action.card <= team.deck or team.discards == 0:
        return Allowed(state)
    deck = None if team.discards is None else team.deck + team.discards
    state = state.with_team(team._replace(deck=deck, discards=0))
    return Allowed(state, (Happened("reshuffled", ("collect.reshuffle",), {"team": team.name}),))


def draw_and_flip(state: State, action: Collect) -> Ruling:
    if action.card is None:
        return Allowed(state.with_team(state.mover._replace(unseen=True)))
    team = flipped(state.mover, action.card)
    drawn = action.card if team.deck is None else min(action.card, team.deck)
    if team.deck is not None:
        team = team._replace(deck=team.deck - drawn)
    facts = {"team": team.name, "count": drawn, "face": 5 - action.card}
    state = state.with_team(dealt(team, state.turn.player, drawn))
    return Allowed(state, (Happened("drew", ("collect.card",), facts),))


def collector_keeps_fifteen(state: State, action: Collect) -> Ruling:
    return _keep_fifteen(state, state.turn.player, "collect.limit")


def _keep_fifteen(state: State, player: int, clause: str) -> Ruling:
    team = state.mover
    surplus = team.hands[player] - HAND if team.hands is not None else 0
    if surplus <= 0:
        return Allowed(state)
    facts = {"team": team.name, "count": surplus}
    state = state.with_team(discarded(dealt(team, player, -surplus), surplus))
    return Allowed(state, (Happened("surplus", (clause, "cards.discard"), facts),))


# Pass flowers


def to_a_teammate(state: State, action: PassFlowers) -> bool | Missing:
    """Where hands are not counted, the turns still tell of some of the players."""
    team = state.mover
    if team.hands is not None:
        return action.to != state.turn.player and action.to < len(team.hands)
    most = 3 if len(state.teams) == 2 else 2
    if action.to == state.turn.player or action.to >= most:
        return False
    return action.to <= max(state.turn.player, team.next_player) or Missing(("hands",))


def no_more_than_the_hand(state: State, action: PassFlowers) -> bool:
    return in_hand(state, action.card)


def hand_over_and_flip(state: State, action: PassFlowers) -> Ruling:
    team = dealt(dealt(state.mover, state.turn.player, -action.card), action.to, action.card)
    facts = {"team": team.name, "count": action.card, "seat": action.to + 1, "face": 5 - action.card}
    return Allowed(state.with_team(flipped(team, action.card)), (Happened("passed", ("pass.card",), facts),))


def receiver_keeps_fifteen(state: State, action: PassFlowers) -> Ruling:
    return _keep_fifteen(state, action.to, "pass.limit")


# Play cards


def in_hand(state: State, count: int) -> bool:
    return state.hand is None or count <= state.hand


def pays(cards: Sequence[str], flowers: Sequence[str]) -> bool:
    """A card for each flower, of that flower; a wild stands for any."""
    wanted = Counter(flowers)
    named = Counter(card for card in cards if card != WILD)
    return len(cards) == len(flowers) and all(count <= wanted[flower] for flower, count in named.items())


def with_wilds(action: BuildColony | LayPath, *clauses: str) -> tuple[str, ...]:
    """The clauses of an event, and the one about wilds where one is played."""
    return (*clauses, "wild.any") if action.cards and WILD in action.cards else clauses


def play(state: State, count: int) -> Ruling:
    """Cards leave the hand for the team's own discards."""
    team = state.mover
    if team.hands is None and team.discards is None:
        return Allowed(state)
    facts = {"team": team.name, "count": count}
    state = state.with_team(discarded(dealt(team, state.turn.player, -count), count))
    return Allowed(state, (Happened("discarded", ("cards.discard",), facts),))
