"""How often the referee names whole turns, and calls mistakes.  `make benchmark` prints it; nothing fails.

60 games of each kind, seeds 1000 to 1059, never looked at while the referee was built.  `TURN_GAMES=6` plays fewer.
"""

from __future__ import annotations

import os
import time
from collections import Counter

import pytest

from companion.games import NAMES
from tests.referee.turns import PLAYERS, called, illegal_looks, looks, seen_at, verdict

SEEDS = range(1000, 1000 + int(os.environ.get("TURN_GAMES", "60")))
MOST_NAMED = 12  # failures

games = pytest.mark.parametrize("name", NAMES)
players = pytest.mark.parametrize("player", PLAYERS)


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / max(1, whole):.1f} %)"


@games
@players
@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_turns(name: str, player: str, at_once: int) -> None:
    counts: Counter[str] = Counter()
    failed: list[str] = []
    seconds: list[float] = []
    for seed in SEEDS:
        for number, look in enumerate(looks(name, seed, PLAYERS[player], at_once)):
            begun = time.process_time()
            finding = seen_at(look)
            seconds.append(time.process_time() - begun)
            kind = verdict(look, finding)
            counts[kind] += 1
            if not kind.startswith("right") and "alike" not in kind:
                failed.append(f"seed {seed}, look {number}: {kind}")
    total = sum(counts.values())
    alike = sum(count for kind, count in counts.items() if "alike" in kind)
    right = sum(count for kind, count in counts.items() if kind.startswith("right"))
    offered = sum(count for kind, count in counts.items() if kind.startswith("offered"))
    seconds.sort()
    middle, late, last = (1000 * seconds[int(part * (len(seconds) - 1))] for part in (0.5, 0.99, 1.0))
    print(f"\n{name}, {player} play, {at_once} at once: {total} looks; {dict(counts.most_common())}")
    print(f"  right at first {share(right, total)}; of what can be told apart {share(right, total - alike)}")
    print(f"  not right and nobody could tell {share(alike, total)}; offered {share(offered, total)}")
    print(f"  {middle:.0f} ms in the median, 99 % within {late:.0f}, all within {last:.0f}")
    print("".join(f"  {failure}\n" for failure in failed[:MOST_NAMED]), end="")


@games
@players
def test_mistakes(name: str, player: str) -> None:
    counts: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for seed in SEEDS:
        for look, _, broken in illegal_looks(name, seed, PLAYERS[player]):
            kind = called(look, seen_at(look), broken)
            counts[kind] += 1
            if kind not in ("called", "called, waiting", "a legal way to it"):
                failed[f"{broken[0]}: {kind}"] += 1
    legal = counts["a legal way to it"]
    right = counts["called"] + counts["called, waiting"]
    print(
        f"\n{name}, {player} play with mistakes: {share(right, sum(counts.values()) - legal)} called by what they break"
    )
    print(f"  {counts['called, waiting']} of them at first waited for; {legal} more look like something allowed")
    print("".join(f"  {failure} {count}\n" for failure, count in failed.most_common(MOST_NAMED)), end="")
