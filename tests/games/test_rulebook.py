"""The rulebooks' own examples, and that every clause is kept: for every game, in every language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.document import Field
from companion.games import NAMES, load_game
from companion.rulebook import Example, rulebook
from companion.rules import LANGUAGES, Allowed, Game, Refused, Scored, Unsettled, clauses_of, judge

CLAUSES: dict[str, list[str]] = json.loads((Path(__file__).parents[1] / "data" / "clauses.json").read_text())
BOOKS = [pytest.param(load_game(name), language, id=f"{name}-{language}") for name in NAMES for language in LANGUAGES]
CASES = [
    pytest.param(load_game(name), example, id=f"{name}-{language}:{example.line}:{example.clause}")
    for name in NAMES
    for language in LANGUAGES
    for clause in rulebook(load_game(name), language).values()
    for example in clause.examples
]


def agrees(expected: Any, found: Any) -> bool:
    """Whether `found` has all that `expected` says; null says that a key is absent or null."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(agrees(value, found.get(key)) for key, value in expected.items())
    return bool(expected == found)


def ruled(game: Game, example: Example) -> Any:
    """The ruling on the example's last action; the ones before it must be legal."""
    state = game.read_position(Field(example.start), None)
    assert game.faults(state) == []
    for number, document in enumerate(example.play, 1):
        action = game.read_action(Field(document), state)
        game.check_action(state, action)
        ruling = judge(game, state, action)
        if number < len(example.play):
            assert isinstance(ruling, Allowed), f"action {number} of the example: {ruling}"
            state = ruling.state
    return ruling


@pytest.mark.parametrize(("game", "example"), CASES)
def test_example(game: Game, example: Example) -> None:
    """What the rulebook says of a worked case is what the code says."""
    expect = example.expect
    assert expect, "an example must say what comes of it"
    if "score" in expect:
        score = game.score(game.read_position(Field(example.start), None))
        assert agrees(expect["score"], score), score
        return
    ruling = ruled(game, example)
    if "refused" in expect:
        assert ruling == Refused(expect["refused"])
    elif "missing" in expect:
        assert isinstance(ruling, Unsettled) and list(ruling.missing) == expect["missing"], ruling
    else:
        assert isinstance(ruling, Allowed), ruling
        fired = clauses_of(ruling)
        points: dict[str, int] = {}
        for event in ruling.events:
            if isinstance(event, Scored):
                points[event.player] = points.get(event.player, 0) + event.points
        assert agrees(expect.get("then", {}), game.write_position(ruling.state)), game.write_position(ruling.state)
        assert points == expect.get("points", points)
        assert set(expect.get("fires", [])) <= set(fired), fired
        assert not set(expect.get("quiet", [])) & set(fired), fired


@pytest.mark.parametrize(("game", "language"), BOOKS)
def test_every_clause_of_the_rules_has_its_place(game: Game, language: str) -> None:
    """Each clause stands in the rulebook with title, text and source; none is missing, none invented."""
    book = rulebook(game, language)
    assert sorted(book) == sorted(CLAUSES[game.name])
    assert [clause.id for clause in book.values() if not (clause.title and clause.text and clause.source)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_is_code_or_informative(name: str) -> None:
    game = load_game(name)
    coded = {clause for rule in game.rules.values() for clause in (*rule.requires, *rule.then)}
    coded |= {*game.closing, *game.clauses_within}
    assert coded | game.informative == set(CLAUSES[name])
    assert coded & game.informative == set()


@pytest.mark.parametrize(("game", "language"), BOOKS)
def test_every_option_is_told_under_its_clause(game: Game, language: str) -> None:
    names = {option.name for option in game.options}
    told = {
        (clause.id, name) for clause in rulebook(game, language).values() for name in clause.options if name in names
    }
    assert {(option.clause, option.name) for option in game.options} <= told


@pytest.mark.parametrize(("game", "language"), BOOKS)
def test_every_requirement_is_seen_to_refuse_and_every_effect_to_happen(game: Game, language: str) -> None:
    """Examples break each requirement; each effect that breaks nothing happens in one under its own heading."""
    book = rulebook(game, language)
    refusing = {e.expect.get("refused") for c in book.values() for e in c.examples}
    missing_by = {
        ruling.clause
        for clause in book.values()
        for e in clause.examples
        if "missing" in e.expect and isinstance(ruling := ruled(game, e), Unsettled)
    }
    requirements = {clause for rule in game.rules.values() for clause in rule.requires}
    assert requirements - refusing - missing_by == set()
    effects = {clause for rule in game.rules.values() for clause in rule.then} | set(game.closing)
    unseen = [clause for clause in effects - requirements if not any(fires(game, e) for e in book[clause].examples)]
    assert unseen == []


def fires(game: Game, example: Example) -> bool:
    if "score" in example.expect or {"refused", "missing"} & example.expect.keys():
        return False
    ruling = ruled(game, example)
    return isinstance(ruling, Allowed) and example.clause in clauses_of(ruling)


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_are_the_same_in_every_language(name: str) -> None:
    game = load_game(name)
    by_language = [
        [(e.clause, e.start, e.play, e.expect) for c in rulebook(game, language).values() for e in c.examples]
        for language in LANGUAGES
    ]
    assert all(examples == by_language[0] for examples in by_language)


@pytest.mark.parametrize("name", NAMES)
def test_the_clauses_are_those_of_the_rules_text(name: str) -> None:
    """Where the rules that this project was written from are at hand, their ids are the rulebook's."""
    rules = Path(__file__).parents[3] / "shared" / "rules" / f"{name}.md"
    if not rules.is_file():
        pytest.skip("the rules' text is not at hand")
    text = rules.read_text(encoding="utf-8").split("## Worked examples")[0]
    assert [clause for clause in CLAUSES[name] if f"`{clause}`" not in text] == []
