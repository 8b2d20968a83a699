"""`companion legal`: all that the player on turn may do."""

from __future__ import annotations

import argparse
import json

from companion.account import Teller
from companion.commands import common_arguments, kit_of, load_position
from companion.document import Field


def arguments(parser: argparse.ArgumentParser) -> None:
    common_arguments(parser, "POSITION")


def run(args: argparse.Namespace) -> int:
    game, state = load_position(args.file, kit_of(args))
    listed = game.legal(state)
    if args.json:
        print(json.dumps(listed, ensure_ascii=False))
        return 0
    teller = Teller(game, args.lang)
    told = [teller.action(state, game.read_action(Field(action), state)) for action in listed["actions"]]
    told += teller.paths(listed.get("paths", []))
    print("\n".join(told or [teller.common_words("nothing-legal")]))
    return 0
