"""A game's rulebook: documentation, help screen and test.  Standard library only."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from companion.document import Fault, parse_json
from companion.rules import FIRST_LANGUAGE, Game


@dataclass(frozen=True)
class Example:
    """A worked case printed under a clause."""

    clause: str
    line: int
    caption: str  # the sentences right before it
    start: Any  # the position, as JSON
    play: tuple[Any, ...]  # actions, as JSON; the last is the one ruled on
    expect: Mapping[str, Any]  # refused | missing | then, points, fires | score


@dataclass(frozen=True)
class Clause:
    """One rule, in our words, with where the printed rulebook says it and the options that change it."""

    id: str
    title: str
    text: str
    source: str
    options: tuple[str, ...]
    examples: tuple[Example, ...]
    section: str = ""


_HEADING = re.compile(r"^### ([a-z]+\.[a-z0-9-]+) · (.+)$")
_OPTION = re.compile(r"`([a-z0-9_]+)`")
_VERDICTS = ("refused", "missing", "then", "points", "fires", "quiet", "score")


def merged(base: Any, patch: Any) -> Any:
    """`base` with `patch` laid over it: objects key by key, null takes a key out, all else replaces (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    made = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            made.pop(key, None)
        else:
            made[key] = merged(made.get(key), value)
    return made


def _example(clause: str, line: int, caption: str, block: list[str], base: Any) -> Example:
    """Read `key: JSON` lines; an indented line continues the one before."""
    entries: list[tuple[str, str]] = []
    for text in block:
        if text[:1].isspace() and entries:
            entries[-1] = (entries[-1][0], entries[-1][1] + " " + text.strip())
        else:
            key, _, value = text.partition(":")
            entries.append((key, value))
    try:
        values = [(key, parse_json(value)) for key, value in entries]
    except Fault as fault:
        raise ValueError(f"line {line}: {fault}") from None
    given: Any = next((v for k, v in values if k == "given"), {})
    play = tuple(v for k, v in values if k == "play")
    expect = {k: v for k, v in values if k in _VERDICTS}
    if unknown := {k for k, _ in values} - {"given", "play", *_VERDICTS}:
        raise ValueError(f"line {line}: unknown key {unknown}")
    return Example(clause, line, caption, merged(base, given), play, expect)


def read_rulebook(markdown: str) -> dict[str, Clause]:
    """Read `## section` and `### id · title` headings, their text, `>` lines (source, then options) and fenced blocks.

    A ```base block is the position that the ```example blocks below it start from, changed by their `given`.  Lines
    right before an example, with no blank line between, are its caption; all else is the clause's text.
    """
    clauses: dict[str, Clause] = {}
    base: Any = {}
    block: list[str] = []
    fence, start, current, title, caption, section = "", 0, "", "", "", ""
    paragraph: list[str] = []
    text: list[str] = []
    notes: list[str] = []
    examples: list[Example] = []

    def close() -> None:
        if current:
            options = tuple(dict.fromkeys(_OPTION.findall(" ".join(notes[1:]))))
            source = notes[0].partition(":")[2].strip() if notes else ""
            words = " ".join(text + paragraph)
            clauses[current] = Clause(current, title, words, source, options, tuple(examples), section)

    for number, line in enumerate(markdown.splitlines(), 1):
        if fence and line == "```":
            if fence == "base":
                base = json.loads("\n".join(block))
            elif fence == "example":
                examples.append(_example(current, start, caption, block, base))
            fence = ""
        elif fence:
            block.append(line)
        elif line.startswith("```"):
            fence, start, block = line[3:].strip() or "text", number, []
            caption, paragraph = " ".join(paragraph), []
        elif line.startswith("#"):
            close()
            current, text, paragraph, notes, examples = "", [], [], [], []
            section = line.removeprefix("## ") if line.startswith("## ") else section
            if found := _HEADING.match(line):
                current, title = found.groups()
                if current in clauses:
                    raise ValueError(f"line {number}: clause {current} stands twice")
        elif line.startswith(">"):
            notes.append(line[1:].strip())
        elif line.strip():
            paragraph.append(line.strip())
        else:
            text, paragraph = text + paragraph, []
    close()
    return clauses


@cache
def rulebook(game: Game, language: str) -> Mapping[str, Clause]:
    """The clauses of a game in a language of `LANGUAGES`, by id; those that it lacks in the first."""
    page = files(game.package).joinpath(f"rulebook.{language}.md")
    found = read_rulebook(page.read_text(encoding="utf-8")) if page.is_file() else {}
    return found if language == FIRST_LANGUAGE else {**rulebook(game, FIRST_LANGUAGE), **found}
