"""Files from strangers, spoilt at random for as long as is wanted: whatever comes, the companion answers in order.

    python -m tests.fuzzing KIND [--seconds 600] [--seed 1]

KIND is one of `kinds.KINDS`.  Every try is made by the seed and its number alone.  What was tried when something broke
stays in the folder that is named at the start; the exit status is 1 then.
"""

from __future__ import annotations

import shutil
import signal
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzzing.kinds import KINDS, Broken

MOST_S, LONGEST_S = 60, 1800  # of a processor, for one input, and until it is through on a busy machine


@dataclass
class Count:
    tries: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    broken: dict[int, str] = field(default_factory=dict)  # by the number of the try


@contextmanager
def limited() -> Iterator[None]:
    """No input may take for ever."""

    def too_long(number: int, frame: object) -> None:
        raise Broken(f"no answer within {MOST_S} s of a processor, or {LONGEST_S} s")

    before = {each: signal.signal(each, too_long) for each in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, MOST_S)
    signal.alarm(LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for each, handler in before.items():
            signal.signal(each, handler)


def one(kind: str, seed: int, number: int, folder: Path) -> str:
    """What came of a try.  Raises whatever the companion let through."""
    with limited():
        return KINDS[kind](Random(f"{kind} {seed} {number}"), folder)


def fuzz(kind: str, seed: int, folder: Path, more: Callable[[int], bool]) -> Count:
    """Try on as long as `more` of the number of tries says so."""
    count = Count()
    while more(count.tries):
        try:
            count.answers[one(kind, seed, count.tries, folder)] += 1
        except (Exception, SystemExit) as error:
            count.broken[count.tries] = "".join(traceback.format_exception(error))
            kept = folder / f"broken-{kind}-{count.tries}"
            kept.mkdir()
            for path in folder.iterdir():
                if path.is_file():
                    shutil.copy(path, kept)
                elif (path / "kit.toml").is_file():
                    shutil.copy(path / "kit.toml", kept / f"{path.name}.toml")
        count.tries += 1
    return count
