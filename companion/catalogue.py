"""Catalogues of texts: gettext's `.po` files.  An entry has a context (its key), an English text and a translation.

`words.pot` is the template: every key with its English text.  `words.XX.po` tells it in language XX.  A key says
where a text stands in a nested table, as "health:to-do:camera".  Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from companion.document import Fault, nearest, shown

BETWEEN = ":"  # the parts of a key
_LINE = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s*)?"([^"\\]*(?:\\.[^"\\]*)*)"')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


@dataclass(slots=True)
class Entry:
    """One text: its key, the English it was translated from, the translation, and the line where it begins."""

    line: int
    parts: dict[str, str] = field(default_factory=dict)  # by gettext's keyword
    fuzzy: bool = False  # a guess by a program, which nobody has looked at

    @property
    def key(self) -> str:
        return self.parts["msgctxt"]

    @property
    def source(self) -> str:
        return self.parts["msgid"]

    @property
    def told(self) -> str:
        return "" if self.fuzzy else self.parts["msgstr"]


def read_catalogue(content: bytes) -> dict[str, Entry]:
    """The entries of a catalogue by key, in its order.  Raises Fault with `line N: ...` where it is none."""
    entries: dict[str, Entry] = {}
    for entry in _entries(_decoded(content)):
        if set(entry.parts) == {"msgid", "msgstr"} and not entry.source:
            _check_header(entry)
            continue
        if lacking := [part for part in ("msgctxt", "msgid", "msgstr") if part not in entry.parts]:
            raise Fault(f"line {entry.line}: an entry without {' and '.join(lacking)}")
        if entry.key in entries:
            first = entries[entry.key].line
            raise Fault(f"line {entry.line}: {shown(entry.key)} stands twice, first in line {first}")
        entries[entry.key] = entry
    return entries


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Fault(f"line {line}: no UTF-8; save the file in that encoding") from None


def _check_header(header: Entry) -> None:
    found = re.search(r"charset=([\w-]+)", header.told)
    if found and found[1].lower() not in ("utf-8", "charset"):
        raise Fault(f"line {header.line}: the charset {found[1]} found; expected UTF-8")


def _entries(text: str) -> Iterator[Entry]:
    entry, part, fuzzy = Entry(0), "", False
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line.startswith("#"):
            fuzzy = not line.startswith("#~") and (fuzzy or (line.startswith("#,") and "fuzzy" in line))
        elif line:
            found = _LINE.fullmatch(line)
            if not found or not (found[1] or part):
                raise Fault(f'line {number}: {shown(line)} found; expected msgctxt, msgid or msgstr with a "text"')
            part, begun = found[1] or part, bool(found[1])
            if part not in ("msgctxt", "msgid", "msgstr"):
                raise Fault(f"line {number}: {part} found, but the texts have no plural forms")
            if begun and (part in entry.parts or "msgstr" in entry.parts):
                yield entry
                entry = Entry(0)
            if not entry.parts:
                entry, fuzzy = Entry(number, fuzzy=fuzzy), False
            entry.parts[part] = entry.parts.get(part, "") + _unescaped(found[2], number)
    if entry.parts:
        yield entry


def _unescaped(text: str, number: int) -> str:
    def sign(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPED:
            raise Fault(f"line {number}: \\{found[1]} found; expected one of " + " ".join("\\" + e for e in _ESCAPED))
        return _ESCAPED[found[1]]

    return _ESCAPE.sub(sign, text) if "\\" in text else text


def facts(text: str) -> set[str]:
    """The names that a text is filled in with.  Raises ValueError where its braces do not match."""
    return {re.split(r"[.\[]", name)[0] for _, name, _, _ in Formatter().parse(text) if name is not None}


def unfit(entry: Entry, template: Mapping[str, Entry]) -> str:
    """Why an entry cannot be told, in a line; nothing where it can, or where nobody has translated it yet."""
    if entry.key not in template:
        return f"unknown key {shown(entry.key)}{nearest(entry.key, template)}"
    if entry.source != template[entry.key].source:
        return f"{shown(entry.key)}: the English text is another now: {shown(template[entry.key].source)}"
    if not entry.told or ("{" not in entry.told + entry.source and "}" not in entry.told):
        return ""
    try:
        found, expected = facts(entry.told), facts(entry.source)
    except ValueError as error:
        return f"{shown(entry.key)}: {shown(entry.told)}: {error}"
    if found != expected:
        return f"{shown(entry.key)}: {_named(found)} found; expected {_named(expected)}"
    if not _has_names(template) and (strange := _ways(entry.told) - _ways(entry.source)):
        return f"{shown(entry.key)}: {_named(strange)} found; expected it as in the English text"
    return ""


def _has_names(template: Mapping[str, Entry]) -> bool:
    """Whether these are a game's: what stands behind the colon of `{piece:form}` is then one of its forms of names."""
    return next(iter(template)).startswith("names" + BETWEEN)


def _ways(text: str) -> set[str]:
    """What a text is filled in with, and how: `value:.1f`."""
    return {f"{name}:{spec}" if spec else name for _, name, spec, _ in Formatter().parse(text) if name is not None}


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "nothing to fill in"


def faults(template: Mapping[str, Entry], catalogue: Mapping[str, Entry]) -> Iterator[str]:
    """What keeps entries from being told, a line each: where in the file, and what."""
    for entry in catalogue.values():
        if entry.fuzzy:
            yield f"line {entry.line}: {shown(entry.key)} is marked as fuzzy: look at it, and take the mark away"
        elif why := unfit(entry, template):
            yield f"line {entry.line}: {why}"


def missing(template: Mapping[str, Entry], catalogue: Mapping[str, Entry]) -> list[str]:
    """The keys of what is told in English: not translated, or not so that it can be told."""
    return [key for key in template if not _told(key, template, catalogue)]


def _told(key: str, template: Mapping[str, Entry], catalogue: Mapping[str, Entry]) -> str:
    entry = catalogue.get(key)
    return entry.told if entry and not unfit(entry, template) else ""


def texts(template: Mapping[str, Entry], catalogue: Mapping[str, Entry]) -> dict[str, Any]:
    """The nested table of all texts: as the catalogue has them, else in English."""
    table: dict[str, Any] = {}
    for key, entry in template.items():
        within, (*tables, last) = table, key.split(BETWEEN)
        for name in tables:
            within = within.setdefault(name, {})
        within[last] = _told(key, template, catalogue) or entry.source
    return table
