"""`companion legal`: all that the player on turn may do."""

from __future__ import annotations

import argparse
import json

from companion.account import Teller
from companion.commands import common_arguments, kit_of, load_position
from companion.rules import legal_actions


def arguments(parser: argparse.ArgumentParser) -> None:
    common_arguments(parser, "POSITION")


def run(args: argparse.Namespace) -> int:
    game, state = load_position(args.file, kit_of(args))
    if args.json:
        print(json.dumps(game.legal(state), ensure_ascii=False))
        return 0
    teller = Teller(game, args.lang)
    told = [teller.action(state, action) for action in legal_actions(game, state)]
    told += teller.paths(game.legal(state).get("paths", []))
    print("\n".join(told or [teller.common_words("nothing-legal")]))
    return 0
