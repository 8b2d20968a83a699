"""Games that play themselves: a start dealt by chance, and then one action after another.

Players act at random by the rules, with some sense, or, on request, against the rules.

All chance comes from the `random.Random` that is handed in: the same seed gives the same game.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from random import Random
from typing import Any

from companion.change import Pieces
from companion.document import Fault, Field
from companion.kit import Kit
from companion.rules import Action, Allowed, Game, Refused, State, judge, legal_actions

VEGETABLES = ("carrot", "eggplant", "tomato", "broccoli", "potato")
SEATS = {"garden-dice": (2, 4), "garden-rush": (2, 2), "garden-guests": (2, 6)}


def header(game: Game, players: int, options: Mapping[str, Any], random: Random, kit: Kit) -> dict[str, Any]:
    """What a record without `start` says of a new game."""
    least, most = SEATS[game.name]
    if not least <= players <= most:
        raise Fault(f"--players: {players} found; {game.name} is for {least}" + (f" to {most}" if most > least else ""))
    seating = game.seating(kit)
    if players not in seating.counts:
        known = " or ".join(map(str, seating.counts)) or "nobody"
        raise Fault(f"--players: {players} found; the kit {kit.name} is for {known}")
    dealt = (
        tuple(random.sample([v for v in VEGETABLES for _ in range(12)], len(seating.dealt))) if seating.dealt else ()
    )
    seats = seating.header(players, seating.sides[: seating.counts[players][0]], dealt)
    return seats | ({"options": dict(options)} if options else {})


def start(game: Game, players: int, options: Mapping[str, Any], random: Random, kit: Kit) -> State:
    """A new game on the boards of a kit."""
    return game.set_up(Field(header(game, players, options, random, kit)), kit)


def random_action(game: Game, state: State, random: Random) -> Action | None:
    """A legal action with all that chance decides; None when the game is over."""
    chosen: Action | None = _module(game, "").random_action(state, random)
    return chosen


def choose(game: Game, state: State, random: Random) -> Action | None:
    """A legal action that a player of some sense might choose; None when the game is over."""
    chosen: Action | None = _module(game, "sense.").choose(state, random)
    return chosen


def mistaken(game: Game, state: State, random: Random) -> Action | None:
    """An action that a player might carry out by mistake: it shows on the table, and a clause forbids it.

    Each clause that comes to mind is as likely as the others.  None where no mistake does, or all look like something
    that is allowed.
    """
    rulings = (judge(game, state, action) for action in legal_actions(game, state))
    allowed = [game.expected(state), *(game.expected(done.state) for done in rulings if isinstance(done, Allowed))]
    by_clause: dict[str, list[Action]] = {}
    for action in _module(game, "mistakes.").conceivable(state, random):
        ruling = judge(game, state, action)
        if isinstance(ruling, Refused):
            by_clause.setdefault(ruling.clause, []).append(action)
    for clause in random.sample(list(by_clause), len(by_clause)):
        for action in random.sample(by_clause[clause], len(by_clause[clause])):
            if lying_after(game, state, action) not in allowed:
                return action
    return None


def lying_after(game: Game, state: State, action: Action) -> Mapping[str, Pieces]:
    """By the game's places, what lies there after an action that `mistaken` gave: as if nothing forbade it."""
    table: Mapping[str, Pieces] = _module(game, "mistakes.").lying_after(game.rules[type(action)], state, action)
    return table


def _module(game: Game, part: str) -> Any:
    return import_module(f"{__package__}.{part}{game.name.replace('-', '_')}")
