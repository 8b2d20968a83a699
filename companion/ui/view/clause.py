"""A clause of the rulebook as it is shown: its words, and a worked example that can be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.account import Teller
from companion.change import Pieces
from companion.document import Fault, Field
from companion.kit import Kit
from companion.referee import expected_table
from companion.rulebook import Example
from companion.rules import Action, Allowed, Refused, State, judge
from companion.ui.view.places import all_spaces


@dataclass(frozen=True)
class Worked:
    """A worked example: what it shows, and what is done in it, a sentence for each action.

    `table` is by the kit's spaces what lies there before the last action; None where the example has a board of its
    own that is not the kit's.  `spaces` are those that the last action is about.
    """

    caption: str
    lines: tuple[str, ...]
    table: Mapping[str, Pieces] | None
    spaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Said:
    """A clause: what it says, and an example of it."""

    id: str
    title: str
    text: str
    example: Worked | None


def said(id: str, kit: Kit, teller: Teller) -> Said:
    """A clause with the example in which it forbids something, else with its first."""
    clause = teller.clauses[id]
    examples = sorted(clause.examples, key=lambda example: example.expect.get("refused") != id)
    worked = next((found for example in examples if (found := _worked(example, kit, teller))), None)
    return Said(id, clause.title, clause.text, worked)


def _worked(example: Example, kit: Kit, teller: Teller) -> Worked | None:
    """None for an example without actions: it is about the final score."""
    if not example.play:
        return None
    met, lines = _played(example, None, teller)
    table, spaces = None, tuple[str, ...]()
    try:
        on_kit, _ = _played(example, kit, teller)
        if not teller.game.faults(on_kit) and _ruled(example, on_kit, teller) == _ruled(example, met, teller):
            table = expected_table(teller.game, on_kit, kit)
            spaces = all_spaces(_last(example, on_kit, teller), on_kit, kit, teller.game)
    except Fault:
        pass  # it names spaces that this copy does not have
    return Worked(example.caption, lines, table, spaces)


def _played(example: Example, kit: Kit | None, teller: Teller) -> tuple[State, tuple[str, ...]]:
    """The position before the last action, and a sentence for each.  Raises Fault."""
    game, lines = teller.game, []
    state = game.read_position(Field(example.start), kit)
    for number, written in enumerate(example.play, 1):
        action = game.read_action(Field(written), state)
        game.check_action(state, action)
        lines.append(teller.action(state, action))
        ruling = judge(game, state, action)
        if number < len(example.play) and isinstance(ruling, Allowed):
            state = ruling.state
    return state, tuple(lines)


def _last(example: Example, met: State, teller: Teller) -> Action:
    return teller.game.read_action(Field(example.play[-1]), met)


def _ruled(example: Example, met: State, teller: Teller) -> object:
    """What the example comes to: its clause where it is refused."""
    ruling = judge(teller.game, met, _last(example, met, teller))
    return ruling.clause if isinstance(ruling, Refused) else type(ruling)
