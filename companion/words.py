"""The texts of each package in each language: `words.pot` (English), `words.XX.po`, `forms.XX.toml`, beside its code.

Standard library only.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

from companion.catalogue import Entry, faults, missing, read_catalogue, texts
from companion.document import Fault, Field
from companion.rules import FIRST_LANGUAGE

TEMPLATE = "words.pot"
_POINT = re.compile(r"(?<=\d)\.(?=\d)")


@cache
def words(package: str, language: str) -> Mapping[str, Any]:
    """The texts of a package, a game's or the companion's own, in a language; those that it lacks in English.

    A file that cannot be read is no reason not to play: `word_faults` tells what is wrong with it.
    """
    catalogue: Mapping[str, Entry] = {}
    forms = _forms(package, FIRST_LANGUAGE)
    if language != FIRST_LANGUAGE:
        with suppress(Fault):
            catalogue = _catalogue(package, f"words.{language}.po")
        with suppress(Fault):
            forms = {**forms, **_forms(package, language)}
    table = texts(_catalogue(package, TEMPLATE), catalogue)
    return {**table, "forms": forms} if forms else table


def numbers(text: str, language: str) -> str:
    """A text of numbers, such as "2.5 × 3.0", as a language writes them."""
    return _POINT.sub(words("companion", language)["number"]["point"], text)


def filled(text: str, language: str, /, **facts: Any) -> str:
    """A text with what it is filled in with; numbers that are no whole ones as its language writes them."""
    return _Filling(language).vformat(text, (), facts)


class _Filling(Formatter):
    """Fills texts in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        told = format(value, format_spec)
        return numbers(told, self.language) if isinstance(value, float) else told


@cache
def _catalogue(package: str, name: str) -> Mapping[str, Entry]:
    """A catalogue that lies in a package, empty where there is none.  Raises Fault where it cannot be read."""
    page = files(package).joinpath(name)
    try:
        return read_catalogue(page.read_bytes()) if page.is_file() else {}
    except Fault as fault:
        raise Fault(f"{page}, {fault}") from None
    except OSError as error:
        raise Fault(f"{page}: {error.strerror or error}") from None


def _forms(package: str, language: str) -> Mapping[str, Mapping[str, str]]:
    """Other forms of names, by form and name: each language has its own.  Raises Fault where they cannot be read."""
    page = files(package).joinpath(f"forms.{language}.toml")
    try:
        document = Field(tomllib.loads(page.read_text(encoding="utf-8")) if page.is_file() else {})
        tables = document.keys().items()
        return {form: {name: word.text() for name, word in names.keys().items()} for form, names in tables}
    except (Fault, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Fault(f"{page}: {error}") from None
    except OSError as error:
        raise Fault(f"{page}: {error.strerror or error}") from None


def word_faults(package: str, language: str) -> list[str]:
    """Why texts of a package are told in English, a line each with the file and the line in it; not what is missing."""
    found = []
    page = files(package).joinpath(f"words.{language}.po")
    old = files(package).joinpath(f"words.{language}.toml")
    if old.is_file():
        found.append(f"{old}: read no more; copy {TEMPLATE} to {page.name} and put its texts there")
    try:
        _forms(package, language)
    except Fault as fault:
        found.append(str(fault))
    try:
        catalogue = _catalogue(package, page.name)
    except Fault as fault:
        return [*found, str(fault)]
    return [*found, *(f"{page}, {fault}" for fault in faults(_catalogue(package, TEMPLATE), catalogue))]


def languages_of(package: str) -> set[str]:
    """The languages that a package has a file of words for: a catalogue, or one that is read no more."""
    names = (path.name.split(".") for path in files(package).iterdir())
    return {name[1] for name in names if len(name) == 3 and name[0] == "words" and name[2] in ("po", "toml")}


def words_missing(package: str, language: str) -> tuple[list[str], int]:
    """The keys of the texts of a package that a language does not tell, and of how many."""
    try:
        catalogue = _catalogue(package, f"words.{language}.po")
    except Fault:
        catalogue = {}
    template = _catalogue(package, TEMPLATE)
    return missing(template, catalogue), len(template)
