"""Whole turns as the referee sees them: all that was done between two looks, in one or in several turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from companion.commands import own_kit
from companion.games import load_game
from companion.games.garden_dice.state import Buy, EndTurn, Reroll, Roll, SetDie
from companion.kit import Kit
from companion.referee import Finding, Illegal, Proposed, Waiting, expected_table, reconcile
from companion.referee.sighting import Ground
from companion.rules import Action, Allowed, Game, State, judge
from companion.simulate.players import choose, lying_after, mistaken, random_action
from tests.games.play import random_start
from tests.referee.seen import sight

Player = Callable[[Game, State, Random], Action | None]
PLAYERS: dict[str, Player] = {"random": random_action, "sensible": choose}
MOST_TURNS = 60


class Turn(NamedTuple):
    """What was done in one turn, from the state before it; the dice that lie there at its end."""

    before: State
    actions: tuple[Action, ...]
    after: State
    dice: tuple[int, ...]


class Look(NamedTuple):
    """A table after one turn or several, and what of it can be known."""

    game: Game
    kit: Kit
    state: State  # confirmed
    actions: tuple[Action, ...]  # that have been done since
    after: State | None  # as far as the table tells: without purchases that left no trace; None: they must be told
    table: dict[str, tuple[str, ...]]
    lay: tuple[int, ...]
    dice: tuple[int, ...]


def turns(name: str, seed: int, player: Player, most: int = MOST_TURNS) -> Iterator[Turn]:
    game, random = load_game(name), Random(seed)
    state = before = random_start(game, random)
    actions: list[Action] = []
    dice: tuple[int, ...] = ()
    while most and (action := player(game, state, random)) is not None:
        ruling = judge(game, state, action)
        assert isinstance(ruling, Allowed), f"seed {seed}: {action} is {ruling}"
        actions.append(action)
        state, dice = ruling.state, _dice_after(action, dice)
        if name != "garden-dice" or isinstance(action, EndTurn):
            yield Turn(before, tuple(actions), state, dice)
            before, most = state, most - 1
            actions.clear()


def _dice_after(action: Action, lay: tuple[int, ...]) -> tuple[int, ...]:
    """The dice on the table, ascending: thrown, or one of them turned by the sun."""
    if isinstance(action, Roll | Reroll):
        return tuple(sorted(action.dice))
    if isinstance(action, SetDie):
        dice = list(lay)
        dice[dice.index(action.origin)] = action.to
        return tuple(sorted(dice))
    return lay


def looks(name: str, seed: int, player: Player, at_once: int = 1) -> Iterator[Look]:
    """A look after every so many turns.

    Of several Garden Dice turns at once the first one's roll was seen before: nobody could know its dice else.
    """
    game, kit = load_game(name), own_kit(name)
    lay: tuple[int, ...] = ()
    for together in _together(game, turns(name, seed, player), at_once):
        if name != "garden-dice" and game.expected(together[0].before) == game.expected(together[-1].after):
            continue
        state, actions = together[0].before, tuple(a for turn in together for a in turn.actions)
        if name == "garden-dice" and at_once > 1:
            rolled = judge(game, state, actions[0])
            assert isinstance(rolled, Allowed)
            state, actions, lay = rolled.state, actions[1:], _dice_after(actions[0], ())
        after = as_far_as_seen(game, state, actions)
        table = dict(expected_table(game, together[-1].after, kit))
        yield Look(game, kit, state, actions, after, table, lay, together[-1].dice)
        lay = together[-1].dice


def _together(game: Game, played: Iterator[Turn], at_once: int) -> Iterator[list[Turn]]:
    """So many turns with a trace, each with those before it that left none; Garden Dice shows at least a roll."""
    waiting: list[Turn] = []
    traces = 0
    for turn in played:
        waiting.append(turn)
        traces += game.name == "garden-dice" or game.expected(turn.before) != game.expected(turn.after)
        if traces == at_once:
            yield waiting
            waiting, traces = [], 0


def as_far_as_seen(game: Game, state: State, actions: tuple[Action, ...]) -> State | None:
    """The state after what left a trace; a Garden Dice turn whose dice are not all accounted for is not over yet.

    None where an earlier turn of several may not end before purchases are told.
    """
    if game.name != "garden-dice":
        return _followed(game, state, actions)
    seen = list(actions)
    for place_of_buy in [i for i, action in enumerate(actions) if isinstance(action, Buy)][::-1]:
        without = [*seen[:place_of_buy], *seen[place_of_buy + 1 :]]
        if _placeable(game, state, without):
            seen = without
    ends = [i for i, action in enumerate(seen) if isinstance(action, EndTurn)]
    for end in ends[:-1]:
        if _followed(game, state, tuple(seen[: end + 1])) is None:
            return None
    before_end = _followed(game, state, tuple(seen[:-1]))
    assert before_end is not None
    return before_end if before_end.turn.dice else _followed(game, before_end, (EndTurn(),))


def _placeable(game: Game, state: State, actions: list[Action]) -> bool:
    """Whether all that shows could have been done without a purchase; ends of turns aside."""
    for action in actions:
        ruling = judge(game, state, action)
        if isinstance(ruling, Allowed):
            state = ruling.state
        else:
            return isinstance(action, EndTurn)
    return True


def _followed(game: Game, state: State, actions: tuple[Action, ...]) -> State | None:
    for action in actions:
        ruling = judge(game, state, action)
        if not isinstance(ruling, Allowed):
            return None
        state = ruling.state
    return state


def seen_at(look: Look) -> Finding:
    return reconcile(look.game, look.kit, look.state, sight(look.table, look.dice), lay=look.lay)


def told(game: Game, state: State) -> Any:
    """All of a position that its table can tell, whatever dice it took and in whatever order it came about.

    In Garden Guests a whole round may leave no trace: which player of a team is next is not told.
    """
    written = game.write_position(state)
    match game.name:
        case "garden-dice":
            players = [
                {key: sorted(v) if isinstance(v, list) else v for key, v in player.items()}
                for player in written["players"]
            ]
            turn = written["turn"]
            in_turn = (turn["player"], turn["rolled"], len(turn["dice"]), sorted(turn["bought"]))
            return written | {"turn": in_turn, "players": players}
        case "garden-guests":
            spaces = {at: {**piece, "guests": None} for at, piece in written["spaces"].items()}
            out = [team["out"] for team in written["teams"]]
            return written | {"spaces": spaces, "teams": out, "next_player": None, "turn": written["turn"]["team"]}
    return written


def verdict(look: Look, finding: Finding) -> str:
    """In words: whether a proposal is right, at once or among what it offers to tap, and whether it stands alone.

    `alike` are wrong ones of which the table, with dice and markers, looks as it does after what was done.  Dice that
    are left where a turn was over were spent without a trace: that is right as far as it goes.
    """
    if not isinstance(finding, Proposed):
        kind = type(finding).__name__.lower()
        return "right, asked" if kind == "asked" and look.after is None else kind
    truth = None if look.after is None else told(look.game, look.after)
    best = told(look.game, finding.best.state)
    if best == truth:
        kind = "right"
    elif finding.dice_left and truth is not None and best | {"turn": None} == truth | {"turn": None}:
        kind = "right as far as it goes"
    elif any(told(look.game, other.state) == truth for other in (*finding.ways, *finding.alternatives)):
        kind = "offered"
    else:
        kind = "wrong"
    if kind != "right" and expected_table(look.game, finding.best.state, look.kit) == look.table:
        kind += ", alike"
    return f"{kind}, clear" if finding.clear else kind


# Mistakes


def illegal_looks(
    name: str, seed: int, player: Player, share: float = 0.25
) -> Iterator[tuple[Look, Action, list[str]]]:
    """Now and then a table on which a turn was begun by the rules and ended with a mistake, and the clauses it breaks.

    The game itself goes on as if it had been put back.
    """
    game, kit, random = load_game(name), own_kit(name), Random(seed)
    lay: tuple[int, ...] = ()
    for turn in turns(name, seed, player):
        state = turn.before
        done = [action for action in turn.actions if not isinstance(action, Buy | EndTurn)]
        keep = random.randint(1, len(done)) if name == "garden-dice" else 0
        begun = _followed(game, state, tuple(done[:keep]))
        if random.random() < share and begun is not None and (mistake := mistaken(game, begun, random)) is not None:
            requires = game.rules[type(mistake)].requires
            broken = [clause for clause, holds in requires.items() if holds(begun, mistake) is False]
            places = Ground.of(game, kit).spaces
            after = lying_after(game, begun, mistake)
            table = dict(expected_table(game, begun, kit)) | {at: after.get(place, ()) for place, at in places.items()}
            dice = turn.dice if name == "garden-dice" else ()
            for action in done[:keep]:
                dice = _dice_after(action, lay if isinstance(action, Roll) else dice)
            yield Look(game, kit, state, tuple(done[:keep]), None, table, lay, dice), mistake, broken
        lay = turn.dice


def called(look: Look, finding: Finding, broken: list[str]) -> str:
    """Whether a mistake was called by a clause that it breaks; `waiting` is told so once it has stood for a while."""
    if isinstance(finding, Illegal | Waiting):
        waiting = ", waiting" if isinstance(finding, Waiting) else ""
        return ("called" if finding.clause in broken else f"called by another clause: {finding.clause}") + waiting
    if isinstance(finding, Proposed):
        after = expected_table(look.game, finding.best.state, look.kit)
        places = Ground.of(look.game, look.kit).spaces.values()
        return "a legal way to it" if all(after[at] == look.table[at] for at in places) else "PROPOSED"
    return type(finding).__name__.lower()
