"""Fuzzes for some time, and tells what came of it."""

from __future__ import annotations

import argparse
import faulthandler
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.fuzzing import fuzz
from tests.fuzzing.kinds import KINDS

MOST_BYTES = 3 << 30  # of memory: an input that wants more is a fault


def run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    folder = Path(tempfile.mkdtemp(prefix=f"fuzzing-{args.kind}-"))
    print(f"{args.kind}: in {folder}", flush=True)
    end_s = time.monotonic() + args.seconds
    count = fuzz(args.kind, args.seed, folder, lambda tries: time.monotonic() < end_s)
    for number, text in count.broken.items():
        print(f"--- try {number}\n{text}")
    answers = ", ".join(f"{answer} {times}" for answer, times in count.answers.most_common())
    print(f"{args.kind}: {count.tries} tries, {len(count.broken)} broken; {answers}")
    if not count.broken:
        shutil.rmtree(folder)
    return 1 if count.broken else 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
