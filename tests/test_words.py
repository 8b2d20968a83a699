"""Everything that people read exists in every language: the same keys, filled in with the same facts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Any

import pytest

from companion.games import NAMES, load_game
from companion.rules import LANGUAGES
from companion.words import word_faults, words, words_missing

PACKAGES = ["companion", "calibration", *(load_game(name).package for name in NAMES)]
packages = pytest.mark.parametrize("package", PACKAGES)


def texts(table: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, str]]:
    """Every text with its key; not the forms of words, which are each language's own."""
    for key, value in table.items():
        if isinstance(value, dict) and key != "forms":
            yield from texts(value, f"{within}{key}.")
        elif isinstance(value, str):
            yield within + key, value


def facts(text: str) -> set[str]:
    return {name.partition("[")[0] for _, name, _, _ in Formatter().parse(text) if name}


@packages
def test_every_language_has_the_same_texts(package: str) -> None:
    first, *others = (dict(texts(words(package, language))) for language in LANGUAGES)
    for other in others:
        assert first.keys() == other.keys()
        assert all(first.values()) and all(other.values())


@packages
def test_a_text_tells_the_same_facts_in_every_language(package: str) -> None:
    first, *others = (dict(texts(words(package, language))) for language in LANGUAGES)
    for other in others:
        differing = {
            key: (facts(first[key]), facts(other[key])) for key in first if facts(first[key]) != facts(other[key])
        }
        assert not differing


@packages
def test_nothing_is_told_in_english_for_want_of_hungarian(package: str) -> None:
    assert words_missing(package, "hu")[0] == word_faults(package, "hu") == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_house_rule_and_each_of_its_values_has_words(name: str, language: str) -> None:
    game = load_game(name)
    told = words(game.package, language)["options"]
    assert {option.name for option in game.options} == told.keys()
    for option in game.options:
        assert {json.dumps(value).strip('"') for value in option.values} == told[option.name].keys() - {"name"}
