"""Players of Garden Guests who know the rules and a little of what they want."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from companion.games.garden_guests.legal import actions
from companion.games.garden_guests.paths import new_spaces
from companion.games.garden_guests.state import WILD, Action, BuildColony, Collect, LayPath, PassFlowers, State

APPETITE = {Collect: 3, PassFlowers: 1, BuildColony: 3, LayPath: 5}  # how readily a kind of action is chosen
NAMES_CARDS = 0.5  # of the actions that play cards, how many say which
WANDERS = 0.3  # of the paths, how many take a step more than they need
PLAYS_A_WILD = 0.1  # of the cards


def random_action(state: State, random: Random) -> Action | None:
    """A legal next action, at times with the cards that pay for it; None once the game is over."""
    by_kind: dict[type, list[Action]] = {}
    for action in actions(state):
        by_kind.setdefault(type(action), []).append(action)
    if not by_kind:
        return None
    kinds = list(by_kind)
    kind = random.choices(kinds, [APPETITE[kind] for kind in kinds])[0]
    return _in_full(state, random.choice(by_kind[kind]), random)


def _in_full(state: State, action: Action, random: Random) -> Action:
    """The action as somebody might carry it out: by a longer way, with cards named."""
    if isinstance(action, LayPath) and random.random() < WANDERS:
        action = _wandering(state, action, random)
    if state.board is None or random.random() >= NAMES_CARDS:
        return action
    flower = {space.id: space.flower for space in state.board.spaces}
    if isinstance(action, LayPath):
        return replace(action, cards=_cards([flower[space] for space in new_spaces(state, action)], random))
    if isinstance(action, BuildColony):
        wanted = flower[action.at] or random.choice(state.board.flowers)
        return replace(action, cards=_cards([wanted] * (action.guests or 0), random), guests=None)
    return action


def _cards(flowers: Sequence[str | None], random: Random) -> tuple[str, ...]:
    cards = [WILD if flower is None or random.random() < PLAYS_A_WILD else flower for flower in flowers]
    random.shuffle(cards)
    return tuple(cards)


def _wandering(state: State, path: LayPath, random: Random) -> LayPath:
    """One step of the path led round over an empty flower space, where there is one and the hand allows."""
    near, spaces = (state.board.near, state.board.by_id) if state.board else ({}, {})
    places = list(range(1, len(path.spaces)))
    random.shuffle(places)
    for i in places:
        round_about = [
            space
            for space in near[path.spaces[i - 1]]
            if space in near[path.spaces[i]] and space not in path.spaces and state.at(space) is None
            if spaces[space].kind == "flower"
        ]
        if round_about:
            longer = LayPath((*path.spaces[:i], random.choice(round_about), *path.spaces[i:]))
            affordable = state.hand is None or len(new_spaces(state, longer)) <= state.hand
            return longer if affordable else path
    return path
