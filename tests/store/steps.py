"""A game's steps at random: confirming, undoing, redoing, correcting, taking the table as it is.  All by seed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from companion.games import NAMES, load_game
from companion.session import Session
from companion.simulate.players import random_action
from companion.store.log import Log
from companion.store.reading import Games
from companion.store.shelf import Shelf
from tests.games.play import random_start

GAMES = Games(NAMES, load_game)
Step = tuple[str, tuple[Any, ...]]


def shelf(folder: Path) -> Shelf:
    return Shelf(folder, GAMES, now=lambda: 1_700_000_000)


def begun(name: str, seed: int) -> Session:
    game = load_game(name)
    return Session.begin(game, random_start(game, Random(f"{name} {seed}")))


def random_step(session: Session, random: Random) -> Step:
    """The name of a method of `Log`, and what it is handed."""
    chance, history = random.random(), session.history
    action = random_action(session.game, session.state, random)
    if history.done and (chance < 0.08 or action is None):
        return "undo", ()
    if history.undone and chance < 0.14:
        return "redo", ()
    if history.entries and chance < 0.18:
        at = random.randrange(len(history.entries))
        return "correct", (at, random_action(session.game, session.states[at], random))
    if chance < 0.20:
        return "take_table", (random.choice(session.states),)
    return "confirm", (action,)


def stepped(session: Session, step: Step) -> Session:
    """What a step makes of a session in memory."""
    match step:
        case "undo", ():
            return session.undo()
        case "redo", ():
            return session.redo()
        case "correct", (at, action):
            return session.correct(at, [action]).session
        case "take_table", (position,):
            return session.take_table(position)[0]
        case _, (action,):
            return session.submit(action)[0]
    raise AssertionError(step)


def steps(session: Session, seed: int, first: int = 0) -> Iterator[tuple[Step, Session]]:
    """Each step and the session after it, for ever; step n depends on the seed, n and the session alone."""
    number = first
    while True:
        step = random_step(session, Random(f"{seed} {number}"))
        session, number = stepped(session, step), number + 1
        yield step, session


def take(log: Log, step: Step) -> None:
    getattr(log, step[0])(*step[1])


def played(folder: Path, name: str, seed: int, count: int) -> tuple[Log, list[Session]]:
    """A game kept in a folder after some steps, still open, and the sessions up to there."""
    session = begun(name, seed)
    log = shelf(folder).begin(session.game, session.start)
    sessions = [session]
    for (step, after), _ in zip(steps(session, seed), range(count), strict=False):
        take(log, step)
        sessions.append(after)
    return log, sessions
