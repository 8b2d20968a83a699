"""Plays a kept game by seed until it is killed: `child.py FOLDER NUMBER SEED STEP`.

Each step that was confirmed is told by a byte on standard output, once the log has said that it is safe.
"""

import os
import sys
from pathlib import Path

from tests.store.steps import shelf, steps, take


def play(folder: Path, number: int, seed: int, first: int) -> None:
    with shelf(folder).open(number) as log:
        os.write(1, b"+")
        for step, _ in steps(log.session, seed, first):
            take(log, step)
            os.write(1, b".")


if __name__ == "__main__":
    play(Path(sys.argv[1]), *map(int, sys.argv[2:]))
