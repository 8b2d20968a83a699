"""Random play as the referee sees it, and how often it says what.  Tests ask for what must be; a benchmark prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

from companion.commands import own_kit
from companion.document import Field
from companion.games import load_game
from companion.kit import Kit
from companion.observation import Observation
from companion.referee import Finding, Proposed, expected_table, reconcile
from companion.referee.sighting import Ground
from companion.rules import Allowed, Game, State, judge
from tests.games.play import play
from tests.referee.seen import misread, sight

Table = dict[str, tuple[str, ...]]
OUT_OF_SIGHT = {  # of the written position
    "garden-guests": ("teams", "next_player"),
    "garden-dice": (),
    "garden-rush": (),
}


class Case(NamedTuple):
    """An action that changed the table: the states, the tables, and the dice that lay there all the time."""

    game: Game
    kit: Kit
    before: State
    action: Any
    after: State
    table_before: Table
    table: Table
    dice: tuple[int, ...]

    @property
    def places(self) -> list[str]:
        return list(Ground.of(self.game, self.kit).spaces.values())

    @property
    def changed(self) -> list[str]:
        return [space for space in self.places if self.table[space] != self.table_before[space]]


def cases(name: str, seed: int, plies: int = 100) -> Iterator[Case]:
    """The actions of a random game that can be seen; in Garden Dice within turns whose roll is confirmed."""
    game, kit = load_game(name), own_kit(name)
    for before, action, ruling in play(name, seed, plies)[1]:
        dice = before.turn.dice + before.turn.spent if name == "garden-dice" else ()
        if name == "garden-dice" and not before.turn.rolled:
            continue
        after = _turn_ended(game, ruling.state)
        tables = [dict(expected_table(game, state, kit)) for state in (before, after)]
        places = Ground.of(game, kit).spaces.values()
        if any(tables[0][space] != tables[1][space] for space in places):
            yield Case(game, kit, before, action, after, tables[0], tables[1], dice)


def _turn_ended(game: Game, state: State) -> State:
    """A Garden Dice turn whose dice are used up ends with the last."""
    if game.name != "garden-dice" or not state.turn.rolled or state.turn.dice:
        return state
    ended = judge(game, state, game.read_action(Field({"do": "end-turn"}), state))
    assert isinstance(ended, Allowed)
    return ended.state


def told(game: Game, state: State) -> Any:
    """All of a position that its table can tell, whatever the order in which it came about."""
    written = game.write_position(state)
    match game.name:
        case "garden-dice":
            turn = {key: sorted(v) if isinstance(v, list) else v for key, v in written["turn"].items()}
            players = [
                {key: sorted(v) if isinstance(v, list) else v for key, v in player.items()}
                for player in written["players"]
            ]
            return written | {"turn": turn, "players": players}
        case "garden-guests":
            spaces = {at: {**piece, "guests": None} for at, piece in written["spaces"].items()}
            out = [team["out"] for team in written["teams"]]
            return written | {"spaces": spaces, "teams": out}
    return written


def verdict(case: Case, finding: Finding) -> str:
    """In words: whether a proposal is right, at once or among what it offers to tap, and whether it stands alone."""
    name = type(finding).__name__.lower()
    if not isinstance(finding, Proposed):
        return name
    truth = told(case.game, case.after)
    if told(case.game, finding.best.state) == truth:
        name = "right"
    elif any(told(case.game, other.state) == truth for other in (*finding.ways, *finding.alternatives)):
        name = "offered"
    else:
        name = "wrong"
    return f"{name}, clear" if finding.clear else name


def look(case: Case, observation: Observation) -> Finding:
    return reconcile(case.game, case.kit, case.before, observation, lay=case.dice)


# Ways to see an action.  Each gives the observation and whether a place that changed is out of sight.


def plainly(case: Case, random: Random) -> Observation:
    return sight(case.table, case.dice)


def with_unsure(number: int) -> Callable[[Case, Random], Observation]:
    def seen(case: Case, random: Random) -> Observation:
        return sight(case.table, case.dice, random.sample(case.places, number))

    return seen


def with_one_misread(confidence: float) -> Callable[[Case, Random], Observation]:
    """Any place, changed or not, is read as any piece, or as empty."""

    def seen(case: Case, random: Random) -> Observation:
        space = random.choice(case.places)
        wrong = [(), *((piece.name,) for piece in case.kit.pieces)]
        pieces = random.choice([pieces for pieces in wrong if pieces != case.table[space]])
        return misread(sight(case.table, case.dice), space, pieces, confidence)

    return seen


def verdicts(name: str, seeds: Iterable[int], seen: Callable[[Case, Random], Observation]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for seed in seeds:
        random = Random(seed)
        for case in cases(name, seed):
            observation = seen(case, random)
            hidden = ", hidden" if any(space in observation.unsure for space in case.changed) else ""
            counts[verdict(case, look(case, observation)) + hidden] += 1
    return counts


# Changes that no rule makes


def meddled(case: Case, random: Random) -> Table:
    """The table with a piece moved, taken away, added, or two exchanged."""
    table = dict(case.table_before)
    filled = [space for space in case.places if table[space]]
    empty = [space for space in case.places if not table[space]]
    if not filled or not empty:
        return table
    one, other = random.choice(filled), random.choice(empty)
    match random.choice(("move", "take", "add", "exchange")):
        case "move":
            table[one], table[other] = (), table[one]
        case "take":
            table[one] = ()
        case "add":
            table[other] = table[one]
        case _:
            other = random.choice(filled)
            table[one], table[other] = table[other], table[one]
    return table


def meddlings(name: str, seeds: Iterable[int]) -> Iterator[tuple[Case, Table, Finding]]:
    for seed in seeds:
        random = Random(seed)
        for case in list(cases(name, seed))[::3]:
            table = meddled(case, random)
            if table != case.table_before:
                yield case, table, look(case, sight(table, case.dice))


# Actions of several steps, half done


def half_done(case: Case, random: Random) -> Table | None:
    """The table in the middle of an action of several steps; None where it has none, or a bonus."""
    action = case.action
    if len(case.changed) < 2 or getattr(action, "bonus", None) is not None:
        return None
    if hasattr(action, "origin"):  # a piece that moves is in the hand
        made = [space for space in case.changed if not case.table[space]]
    elif hasattr(action, "source"):
        return _placing_half_done(case, random)
    else:
        made = random.sample(case.changed, random.randint(1, len(case.changed) - 1))
    return {space: case.table[space] if space in made else before for space, before in case.table_before.items()}


def _placing_half_done(case: Case, random: Random) -> Table | None:
    """A token taken from the hedge; laid down; or the hedge closed up and nothing drawn yet."""
    supply = {space for space in case.table if space.startswith(("hedge", "trampoline"))}
    if not case.table[f"hedge-{case.action.source}"]:
        return None  # the sack is empty: nothing is resupplied
    laid = {space: case.table_before[space] if space in supply else pieces for space, pieces in case.table.items()}
    taken = {f"hedge-{case.action.source}": ()}
    return random.choice((case.table_before | taken, laid | taken, case.table | {"trampoline": ()}))


def halves(name: str, seeds: Iterable[int]) -> Iterator[tuple[Case, Table, Finding]]:
    for seed in seeds:
        random = Random(seed)
        for case in cases(name, seed):
            if table := half_done(case, random):
                yield case, table, look(case, sight(table, case.dice))
