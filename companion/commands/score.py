"""`companion score`: the itemised score of a position, as if the game ended there."""

from __future__ import annotations

import argparse
import json

from companion.account import Teller
from companion.commands import common_arguments, kit_of, load_position


def arguments(parser: argparse.ArgumentParser) -> None:
    common_arguments(parser, "POSITION")


def run(args: argparse.Namespace) -> int:
    game, state = load_position(args.file, kit_of(args))
    score = game.score(state)
    if args.json:
        print(json.dumps(score, ensure_ascii=False))
    else:
        print("\n".join(Teller(game, args.lang).score(score, game.over(state))))
    return 0
