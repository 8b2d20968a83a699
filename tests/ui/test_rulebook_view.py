"""The rulebook as it is shown and searched."""

from __future__ import annotations

from unicodedata import normalize

import pytest

from companion.account import Teller
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES
from companion.ui.view.rulebook import Entry, Rulebook, rulebook

games = pytest.mark.parametrize("name", NAMES)
languages = pytest.mark.parametrize("language", LANGUAGES)


def ids(view: Rulebook) -> list[str]:
    return [clause.id for section in view.sections for clause in section.clauses]


@games
@languages
def test_every_clause_stands_in_a_section_in_the_order_of_the_book(name: str, language: str) -> None:
    teller = Teller(load_game(name), language)
    view = rulebook(teller, {})
    assert ids(view) == list(teller.clauses) and view.found == ""
    titles = [section.title for section in view.sections]
    assert all(titles) and len(set(titles)) == len(titles)


def test_the_sections_are_those_of_the_book() -> None:
    english, hungarian = (rulebook(Teller(load_game("garden-dice"), language), {}) for language in LANGUAGES)
    assert english.sections[0].title == "Set-up" and ids(english) == ids(hungarian)
    assert [c.id for c in english.sections[0].clauses] == ["setup.supply", "setup.first", "setup.player"]
    assert len(english.sections) == len(hungarian.sections)


@games
@languages
def test_a_clause_is_found_by_any_of_its_words_with_and_without_accents(name: str, language: str) -> None:
    teller = Teller(load_game(name), language)
    for clause in teller.clauses.values():
        word = max(clause.title.split(), key=len)
        plain = "".join(sign for sign in normalize("NFD", word) if sign.isascii())
        for query in (word, word.upper(), plain, clause.id, f"{clause.id} {word}"):
            view = rulebook(teller, {}, query)
            assert clause.id in ids(view), query
        found = next(c for s in rulebook(teller, {}, word).sections for c in s.clauses if c.id == clause.id)
        assert any(word in found.title[start:end] for start, end in found.title_hits)


def test_what_is_found_is_marked_letter_for_letter() -> None:
    view = rulebook(Teller(load_game("garden-dice"), "hu"), {}, "vetomag")
    hits = [c.text[start:end] for s in view.sections for c in s.clauses for start, end in c.text_hits]
    assert hits and {hit.lower() for hit in hits} == {"vetőmag"}
    assert view.found == f"szabálypontok ezzel: „vetomag”: {len(ids(view))}"
    nothing = rulebook(Teller(load_game("garden-dice"), "en"), {}, "zeppelin")
    assert nothing.sections == () and nothing.found == "No clause says “zeppelin”."


def test_all_words_must_be_there() -> None:
    teller = Teller(load_game("garden-dice"), "en")
    both = set(ids(rulebook(teller, {}, "scarecrow star")))
    assert both == set(ids(rulebook(teller, {}, "scarecrow"))) & set(ids(rulebook(teller, {}, "star")))
    assert "harvest.star" in both and "water.own" not in both


def test_house_rules_in_force_are_marked() -> None:
    view = rulebook(Teller(load_game("garden-dice"), "en"), {"must_spend": "warn"})
    clauses = {clause.id: clause for section in view.sections for clause in section.clauses}
    (force,) = clauses["turn.spend-all"].forces
    assert (force.name, force.value, force.changed) == ("Dice left at the end of a turn", "a reminder only", True)
    assert [(f.value, f.changed) for f in clauses["move.line"].forces] == [("along rows and columns", False)]
    assert clauses["turn.roll"].forces == ()


def test_what_is_found_in_a_text_is_shown_with_the_words_around_it() -> None:
    hits = ((40, 44), (60, 64), (99, 103))
    text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    entry = Entry("a.b", "A", text, "", (), (), hits)
    assert text[40:44] == "nine"
    excerpt, found = entry.excerpt
    assert excerpt == "… three four five six seven eight nine ten eleven twelve thirteen fourteen …"
    assert [excerpt[start:end] for start, end in found] == [text[start:end] for start, end in hits[:2]]
    assert Entry("a.b", "A", text, "", (), (), ()).excerpt == ("", ())
    assert Entry("a.b", "A", "one two", "", (), (), ((0, 3),)).excerpt == ("one two", ((0, 3),))
