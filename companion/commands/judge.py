"""`companion judge`: rule on a written-down game, up to the first action that is not legal."""

from __future__ import annotations

import argparse
import json
from typing import Any

from companion.account import Teller, ruling_json
from companion.commands import common_arguments, kit_of, load_record
from companion.document import Fault
from companion.rules import Action, Allowed, Game, Refused, Ruling, State, judge
from companion.session import Record

STATUS = {True: 0, False: 1, None: 3}


def arguments(parser: argparse.ArgumentParser) -> None:
    common_arguments(parser, "RECORD")


def run(args: argparse.Namespace) -> int:
    record = load_record(args.file, kit_of(args))
    teller = Teller(record.game, args.lang)
    try:
        rulings, state = judged(record)
    except Fault as fault:
        raise Fault(f"{args.file}: {fault}") from None
    legal = verdict(rulings[-1][2]) if rulings else True
    if args.json:
        print(json.dumps(as_json(record.game, rulings, state, legal, teller), ensure_ascii=False))
    else:
        print("\n".join(account(record, rulings, state, legal, teller)))
    return STATUS[legal]


def verdict(ruling: Ruling) -> bool | None:
    return True if isinstance(ruling, Allowed) else False if isinstance(ruling, Refused) else None


def judged(record: Record) -> tuple[list[tuple[State, Action, Ruling]], State]:
    """Each action with the state it met and its ruling, up to the first not legal; and the last state."""
    rulings: list[tuple[State, Action, Ruling]] = []
    state = record.start
    for number, action in enumerate(record.actions):
        try:
            record.game.check_action(state, action)
            ruling = judge(record.game, state, action)
        except Fault as fault:
            raise Fault(f"actions[{number}].{fault}") from None
        rulings.append((state, action, ruling))
        if not isinstance(ruling, Allowed):
            break
        state = ruling.state
    return rulings, state


def as_json(
    game: Game, rulings: list[tuple[State, Action, Ruling]], state: State, legal: bool | None, teller: Teller
) -> dict[str, Any]:
    return {
        "legal": legal,
        "rulings": [ruling_json(game, act, ruling, teller.ruling(met, act, ruling)) for met, act, ruling in rulings],
        "position": game.write_position(state),
        "result": game.score(state),
    }


def account(
    record: Record, rulings: list[tuple[State, Action, Ruling]], state: State, legal: bool | None, teller: Teller
) -> list[str]:
    """The game told to people: an action a paragraph, then where it stands."""
    lines: list[str] = []
    for number, (met, action, ruling) in enumerate(rulings, 1):
        first, *others = teller.lines(met, action, ruling)
        lines += [f"{number:>3}. {first}", *(f"     {line}" for line in others)]
    left = len(record.actions) - len(rulings)
    if left:
        lines += ["", teller.common_words("unread", count=left)]
    key = "all-legal" if legal else "not-judged" if legal is None else "illegal"
    lines += ["", teller.common_words(key, count=len(rulings), number=len(rulings))]
    return [*lines, "", *teller.score(record.game.score(state), record.game.over(state))]
