"""The rulebook: its clauses by section, found by words, with the house rules that are in force.

Draw each section as a heading and its clauses: title large, id small, text, source.  `title_hits` and `text_hits` are
the letters (from, up to) that a search has found, `excerpt` the words around the first of them.  A clause's `forces`
are the house rules about it, those that are `changed` from the book marked.  A tap on a clause shows `clause.said`,
with its example.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from unicodedata import combining, normalize

from companion.account import Teller
from companion.rulebook import Clause
from companion.ui.view.wording import option_label

Hits = tuple[tuple[int, int], ...]
AROUND = 30  # letters of an excerpt before what was found, and after it


@dataclass(frozen=True)
class Force:
    """A house rule, as it is played; `changed` where that is not as in the book."""

    name: str
    value: str
    changed: bool


@dataclass(frozen=True)
class Entry:
    id: str
    title: str
    text: str
    source: str
    forces: tuple[Force, ...]
    title_hits: Hits
    text_hits: Hits

    @property
    def excerpt(self) -> tuple[str, Hits]:
        """The words around what was found first in the text, and where it stands in them; nothing where nothing is."""
        if not self.text_hits:
            return "", ()
        start, end = self.text_hits[0]
        begin = max(0, self.text.rfind(" ", 0, max(0, start - AROUND)) + 1) if start > AROUND else 0
        after = self.text.find(" ", end + AROUND)
        stop = len(self.text) if after < 0 else after
        before = "… " if begin else ""
        shift = len(before) - begin
        part = f"{before}{self.text[begin:stop]}{' …' if stop < len(self.text) else ''}".replace("\n", " ")
        return part, tuple((at + shift, to + shift) for at, to in self.text_hits if to <= stop)


@dataclass(frozen=True)
class Section:
    title: str
    clauses: tuple[Entry, ...]


@dataclass(frozen=True)
class Rulebook:
    sections: tuple[Section, ...]
    found: str  # how many clauses a search has found; empty where nothing is searched


def rulebook(teller: Teller, options: Mapping[str, Any], query: str = "") -> Rulebook:
    """The clauses in which all words of `query` stand; `options` are those of a position, the book's left out."""
    wanted = [_bare(word)[0] for word in query.split()]
    entries = [
        (clause, entry) for clause in teller.clauses.values() if (entry := _entry(clause, teller, options, wanted))
    ]
    sections = tuple(
        Section(title, tuple(entry for _, entry in group))
        for title, group in groupby(entries, key=lambda pair: pair[0].section)
    )
    told = teller.common["rulebook"]
    key = "found" if entries else "nothing"
    return Rulebook(sections, told[key].format(count=len(entries), query=query.strip()) if wanted else "")


def _entry(clause: Clause, teller: Teller, options: Mapping[str, Any], wanted: list[str]) -> Entry | None:
    """None where not all words are found in it."""
    everything = " ".join(_bare(text)[0] for text in (clause.id, clause.title, clause.text))
    if not all(word in everything for word in wanted):
        return None
    forces = tuple(_forces(clause, teller, options))
    hits = _hits(clause.title, wanted), _hits(clause.text, wanted)
    return Entry(clause.id, clause.title, clause.text, clause.source, forces, *hits)


def _forces(clause: Clause, teller: Teller, options: Mapping[str, Any]) -> Iterator[Force]:
    for option in teller.game.options:
        if option.clause == clause.id or option.name in clause.options:
            value, words = options.get(option.name, option.default), teller.words["options"][option.name]
            yield Force(words["name"], option_label(words, value), value != option.default)


def _hits(text: str, wanted: list[str]) -> Hits:
    """Where the words stand, from the first on, none within another."""
    bare, letters = _bare(text)
    found = sorted((letters[at], letters[at + len(word) - 1] + 1) for word in wanted for at in _all_places(bare, word))
    apart: list[tuple[int, int]] = []
    for start, end in found:
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return tuple(apart)


def _all_places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _bare(text: str) -> tuple[str, list[int]]:
    """Without accents and capitals, and for each of its letters the place in the text where it comes from."""
    bare, letters = "", []
    for place, letter in enumerate(text):
        for sign in normalize("NFD", letter.casefold()):
            if not combining(sign):
                bare += sign
                letters.append(place)
    return bare, letters
