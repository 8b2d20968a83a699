"""`companion play`: a game played by the rules from a seed, judged and told move by move."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from companion.account import Teller
from companion.commands import counted, kit_to_play_with
from companion.commands.games import shelf
from companion.document import Fault
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES, Allowed
from companion.session import Session, write_record
from companion.simulate.players import SEATS, random_action, start
from companion.store.log import Log

MOST_TURNS = 500


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", choices=NAMES, help="the game (default: the kit's, else garden-dice)")
    parser.add_argument("--players", type=int, metavar="N", help="how many play (default: as few as can)")
    parser.add_argument("--kit", metavar="DIR", type=Path, help="the kit of a copy; without it the project's own")
    parser.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same game (default: by chance)")
    parser.add_argument(
        "--turns", type=counted, metavar="N", default=MOST_TURNS, help=f"end after N turns (default: {MOST_TURNS})"
    )
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], help="a house rule, e.g. tools=true"
    )
    parser.add_argument("--record", metavar="FILE", type=Path, help="write the game down, for companion judge")
    parser.add_argument("--keep", action="store_true", help="keep the game, for companion games and companion export")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language (default: en)")


def run(args: argparse.Namespace) -> int:
    kit = kit_to_play_with(args)
    game = load_game(kit.game)
    seed = args.seed if args.seed is not None else SystemRandom().randrange(10_000)
    random = Random(seed)
    players = args.players if args.players is not None else SEATS[game.name][0]
    session = Session.begin(game, start(game, players, house_rules(args.option), random, kit))
    teller = Teller(game, args.lang)
    print(teller.common_words("seed", game=game.name, seed=seed))
    if args.keep:
        with shelf().begin(game, session.start, kit=str(kit.folder)) as log:
            session = told(session, random, teller, args.turns, log)
            print("\n" + teller.common_words("kept", number=log.number))
    else:
        session = told(session, random, teller, args.turns)
    print("\n" + "\n".join(teller.score(game.score(session.state), game.over(session.state))))
    if args.record:
        write(args.record, session)
    return 0


def house_rules(options: list[str]) -> dict[str, Any]:
    """`NAME=VALUE` pairs; a value is JSON, or else a word."""
    rules = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise Fault(f"--option: {option!r} found; expected NAME=VALUE")
        try:
            rules[name] = json.loads(value)
        except ValueError:
            rules[name] = value
    return rules


def told(session: Session, random: Random, teller: Teller, most_turns: int, log: Log | None = None) -> Session:
    """Play on, telling each action once it is safe in the log; a blank line where another player's turn begins."""
    game, turns, acting = session.game, 0, None
    while (action := random_action(game, session.state, random)) is not None:
        before = session.state
        if (player := teller.acting(before, action)) != acting:
            if turns == most_turns:
                print("\n" + teller.common_words("stopped", count=turns))
                break
            turns, acting = turns + 1, player
            print()
        session, ruling = session.submit(action)
        if log:
            log.confirm(action)
        print("\n  ".join(teller.lines(before, action, ruling)))
        if not isinstance(ruling, Allowed):
            raise AssertionError(f"a random action was not legal: {action}")
    return session


def write(path: Path, session: Session) -> None:
    try:
        path.write_text(json.dumps(write_record(session), ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise Fault(f"{path}: cannot be written: {error.strerror or error}") from None
