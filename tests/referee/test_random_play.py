"""What the referee says of random play, over many seeds: never a wrong claim, and mostly the right one."""

from __future__ import annotations

from random import Random

import pytest

from companion.games import NAMES, load_game
from companion.referee import Illegal, Proposed, Undone, Unexplained, Waiting, expected_table, reconcile
from companion.referee.candidates import Earlier
from companion.rulebook import rulebook
from tests.referee.seen import sight
from tests.referee.trials import (
    cases,
    halves,
    meddlings,
    plainly,
    verdicts,
    with_one_misread,
    with_unsure,
)

games = pytest.mark.parametrize("name", NAMES)
SEEDS = range(3)


def share(counts: dict[str, int], *kinds: str) -> float:
    return sum(count for kind, count in counts.items() if kind.startswith(kinds)) / sum(counts.values())


@games
def test_a_table_seen_plainly_is_explained_by_what_was_done(name: str) -> None:
    counts = verdicts(name, SEEDS, plainly)
    assert not any(kind.startswith(("illegal", "wrong, clear")) for kind in counts)
    assert share(counts, "right", "offered") >= 0.98


@games
def test_what_stands_clearly_alone_is_right_where_places_are_out_of_sight(name: str) -> None:
    """A bonus out of sight is added when it is seen; else nothing clear is wrong, and nobody is accused."""
    counts = verdicts(name, SEEDS, with_unsure(4))
    assert not any(kind.startswith("illegal") for kind in counts)
    assert counts["wrong, clear"] == 0
    seen = {kind: count for kind, count in counts.items() if not kind.endswith("hidden")}
    assert share(seen, "right", "offered") >= 0.97


@games
@pytest.mark.parametrize("confidence", [0.5, 0.7])
def test_one_misread_space_of_low_confidence_does_not_mislead(name: str, confidence: float) -> None:
    counts = verdicts(name, SEEDS, with_one_misread(confidence))
    assert not any(kind.startswith(("illegal", "wrong, clear", "right, clear")) for kind in counts)
    assert share(counts, "right", "offered") >= 0.93


@games
def test_pieces_that_were_meddled_with_are_never_a_legal_proposal_that_does_not_look_so(name: str) -> None:
    for case, table, finding in meddlings(name, SEEDS):
        if isinstance(finding, Proposed):
            after = expected_table(case.game, finding.best.state, case.kit)
            assert [space for space in case.places if after[space] != table[space]] == []


@games
def test_what_is_to_be_put_back_is_all_that_the_legal_part_does_not_explain(name: str) -> None:
    clauses = rulebook(load_game(name), "en")
    found = [(case, table, f) for case, table, f in meddlings(name, SEEDS) if isinstance(f, Illegal)]
    assert found
    for case, table, finding in found:
        should = expected_table(case.game, finding.best.state, case.kit)
        wrong = {space: should[space] for space in case.places if table[space] != should[space]}
        assert finding.put_back == wrong
        assert finding.clause in clauses


@games
def test_nobody_is_accused_in_the_middle_of_an_action(name: str) -> None:
    findings = [finding for _, _, finding in halves(name, SEEDS)]
    assert not any(isinstance(finding, Illegal | Unexplained) for finding in findings)
    waiting = sum(isinstance(finding, Waiting) for finding in findings)
    assert waiting >= (0.5 if name == "garden-guests" else 0.9) * len(findings)  # stones by an old path are one already


@games
def test_pieces_put_back_are_an_undo(name: str) -> None:
    """Unless what was done can be done backwards."""
    findings = []
    for case in cases(name, 1):
        earlier = (Earlier(case.before, (case.action,)),)
        seen = sight(case.table_before, case.dice)
        findings.append(reconcile(case.game, case.kit, case.after, seen, earlier, case.dice))
    undone = [finding for finding in findings if isinstance(finding, Undone)]
    assert all(finding.steps == 1 for finding in undone)
    assert all(isinstance(finding, Undone | Proposed) for finding in findings)
    assert len(undone) >= 0.8 * len(findings)


@games
def test_a_table_that_lies_as_it_should_is_unchanged(name: str) -> None:
    random = Random(5)
    for case in list(cases(name, 2))[:40]:
        unsure = random.sample(case.places, 5)
        seen = sight(case.table_before, case.dice, unsure)
        finding = reconcile(case.game, case.kit, case.before, seen, lay=case.dice)
        assert type(finding).__name__ == "Unchanged"
        assert finding.markers == ()
