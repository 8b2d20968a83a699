"""`companion games`: the games that are kept; going on with one, naming it, putting it in the archive."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from companion.account import Teller, sides
from companion.config import home
from companion.document import Fault
from companion.export.summary import date, points, title, where
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES
from companion.session import Impossible, TableTaken
from companion.store.log import Log
from companion.store.reading import Games
from companion.store.shelf import Kept, Shelf

TITLES = {name: title(name) for name in NAMES}


def shelf() -> Shelf:
    """The companion's own games."""
    return Shelf(home() / "games", Games(NAMES, load_game))


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also those in the archive")
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    language(parser, "en")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="with one game")
    for name, what in (
        ("resume", "go on with a game, and take it out of the archive"),
        ("name", "give a game a name"),
        ("archive", "put a game in the archive"),
    ):
        action = actions.add_parser(name, help=what, description=what.capitalize() + ".")
        action.add_argument("game", metavar="GAME", help="its number or its name")
        if name == "name":
            action.add_argument("name", metavar="NAME", help="the new name")
        language(action, argparse.SUPPRESS)  # so that what was said before the action stands


def language(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument("--lang", choices=LANGUAGES, default=default, help="language of what people read (default: en)")


def run(args: argparse.Namespace) -> int:
    if args.action is None:
        return listed(args)
    number = shelf().find(args.game)
    if args.action == "resume":
        return resumed(number, args.lang)
    with shelf().open(number) as log:
        teller = Teller(log.session.game, args.lang)
        if args.action == "name":
            log.name(args.name)
        else:
            log.archive()
        told = mended(log, teller)
    key = "named" if args.action == "name" else "put-away"
    print("\n".join([*told, words(teller, key, number=number, name=log.about.name)]))
    return 0


def listed(args: argparse.Namespace) -> int:
    """Every game a line, the one that goes on marked; of one that cannot be read, why."""
    found = list(shelf().all())
    kept = [game for game in found if isinstance(game, Kept)]
    shown = [game for game in kept if args.all or not game.about.archived]
    latest = shelf().latest()
    if args.json:
        print(json.dumps({"games": [as_json(game, latest) for game in shown]}, ensure_ascii=False))
    else:
        lines = [f"{'*' if game.number == latest else ' '} {line(game, args.lang)}" for game in shown]
        none = Teller(load_game(NAMES[0]), args.lang)
        print("\n".join(lines) or words(none, "all-archived" if kept else "none"))
    if faults := [game for game in found if isinstance(game, Fault)]:
        raise Fault(*(str(fault) for fault in faults))
    return 0


def words(teller: Teller, key: str, **facts: Any) -> str:
    return str(teller.common["games"][key].format(**facts))


def line(kept: Kept, lang: str) -> str:
    """Number, name, game, points, how far, who is next or who has won, and when it was last touched."""
    session, about = kept.session, kept.about
    teller = Teller(session.game, lang, about.names)
    told = [
        about.name,
        TITLES[session.game.name],
        points(session, teller),
        words(teller, "actions", count=len(session.actions)),
        where(session, teller),
        words(teller, "archived") if about.archived else "",
        date(about.touched),
    ]
    return f"{kept.number:>3}  " + " · ".join(part for part in told if part)


def as_json(kept: Kept, latest: int | None) -> dict[str, Any]:
    session, about = kept.session, kept.about
    return {
        "number": kept.number,
        "name": about.name,
        "game": session.game.name,
        "players": list(sides(session.game.score(session.state))),
        "actions": len(session.actions),
        "over": session.game.over(session.state),
        "archived": about.archived,
        "latest": kept.number == latest,
        "begun": about.begun,
        "touched": about.touched,
    }


def resumed(number: int, lang: str) -> int:
    """Make a game the one that goes on, and tell where it stands."""
    with shelf().resume(number) as log:
        session = log.session
        teller = Teller(session.game, lang, log.about.names)
        told = mended(log, teller)
    told += [words(teller, "goes-on", number=number), line(shelf().look(number), lang).strip()]
    if session.entries:
        last = session.entries[-1]
        taken = isinstance(last, TableTaken)
        action = teller.common_words("table-taken") if taken else teller.action(session.states[-2], last)
        told.append(words(teller, "last", action=action))
    told += teller.score(session.game.score(session.state), session.game.over(session.state))
    print("\n".join(told))
    return played_on(number, lang) if sys.stdin.isatty() and sys.stdout.isatty() else 0


def played_on(number: int, lang: str) -> int:
    """At the table, where there is a terminal to follow it in."""
    from companion.commands import play  # which tells games by this module

    parser = argparse.ArgumentParser()
    play.arguments(parser)
    return play.run(parser.parse_args(["--resume", str(number), "--lang", lang]))


def mended(log: Log, teller: Teller) -> list[str]:
    """What had to be done to open a game, in words."""
    lines = []
    if found := log.mended:
        key = "mended" if found.saved == found.lines else "mended-in-part"
        lines.append(words(teller, key, **asdict(found)))
    for gone in log.fallen:
        why = gone.why.text if isinstance(gone.why, Impossible) else teller.refusal(gone.why)
        lines.append(words(teller, "fallen", number=gone.at + 1, action=teller.action(gone.met, gone.action), why=why))
    return lines
