"""How often the referee says what of random play, and how long it takes.  `make benchmark` prints it; nothing fails."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from companion.games import NAMES
from companion.referee import Finding, Illegal, Proposed, Waiting, expected_table, reconcile
from tests.referee.seen import sight
from tests.referee.trials import Case, cases, halves, look, meddlings, plainly, verdict, with_one_misread, with_unsure

SEEDS = range(1000, 1008)


def told(title: str, counts: Counter[str]) -> None:
    total = sum(counts.values())
    shares = "; ".join(f"{kind} {count}" for kind, count in counts.most_common())
    print(f"\n{title}: {total} tables; {shares}")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("title", "seen"),
    [
        ("plain", plainly),
        ("four places unsure", with_unsure(4)),
        ("one misread at 0.6", with_one_misread(0.6)),
    ],
)
def test_actions(name: str, title: str, seen: Callable) -> None:  # type: ignore[type-arg]
    counts: Counter[str] = Counter()
    seconds: list[float] = []
    for seed in SEEDS:
        random = Random(seed)
        for case in cases(name, seed):
            observation = seen(case, random)
            begun = time.perf_counter()
            finding = look(case, observation)
            seconds.append(time.perf_counter() - begun)
            hidden = ", hidden" if any(space in observation.unsure for space in case.changed) else ""
            counts[verdict(case, finding) + hidden] += 1
    told(f"{name}, {title}", counts)
    seconds.sort()
    middle, late, last = (1000 * seconds[int(share * (len(seconds) - 1))] for share in (0.5, 0.99, 1.0))
    print(f"  {middle:.1f} ms in the median, 99 % within {late:.1f}, all within {last:.1f}")


def kind_of(case: Case, table: dict[str, tuple[str, ...]], finding: Finding) -> str:
    if isinstance(finding, Proposed):
        after = expected_table(case.game, finding.best.state, case.kit)
        looks_so = all(after[space] == table[space] for space in case.places)
        return "a legal way to it" if looks_so else "WRONG"
    if isinstance(finding, Illegal | Waiting):
        return f"{type(finding).__name__.lower()} {finding.clause}"
    return type(finding).__name__.lower()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("title", "tried"), [("meddled with", meddlings), ("half done", halves)])
def test_what_is_no_action(name: str, title: str, tried: Callable) -> None:  # type: ignore[type-arg]
    told(f"{name}, {title}", Counter(kind_of(*case) for case in tried(name, SEEDS)))


@pytest.mark.parametrize("name", NAMES)
def test_a_table_that_lies_as_it_should(name: str) -> None:
    seconds = []
    for case in list(cases(name, 1000))[:50]:
        seen = sight(case.table, case.dice)
        begun = time.perf_counter()
        reconcile(case.game, case.kit, case.after, seen, lay=case.dice)
        seconds.append(time.perf_counter() - begun)
    print(f"\n{name}, unchanged: {1000 * sorted(seconds)[len(seconds) // 2]:.2f} ms in the median")
