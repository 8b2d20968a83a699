"""Spoiling files at random, by seed: their bytes, their words and numbers, or what they say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

LONG = 300  # bytes of a file that are taken out, doubled or moved at once, at most
NUMBERS = ("0", "-1", "1", "2", "7", "255", "65536", "-0", "1e9", "1e-9", "0.5", "99999999999999999999", "nan", "inf")
WORDS = (
    *('""', '"a"', '"../x.png"', '"/etc/passwd"', '"ő"', '"\\u0000"', "[]", "{}", "null", "true", "false", "[[]]"),
    *("[", "]", "{", "}", '"', ",", ":", "=", "#", "\n", "\0", "\\", "[[", "]]", "'''", '"""'),
)
NUMBER = re.compile(rb"-?\d+(\.\d+)?")
TEXT = re.compile(rb'"[^"\n]{0,200}"')


# Spoiling bytes


def spoilt(random: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """The bytes of a file, changed in one to six places; of `others` parts are taken."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        content = random.choice(CHANGES)(random, content, random.choice(others))
    return content


def _part(random: Random, content: bytes) -> tuple[int, int]:
    start = random.randrange(len(content) + 1)
    return start, min(len(content), start + random.randrange(1, LONG))


def _flipped(random: Random, content: bytes, other: bytes) -> bytes:
    at = random.randrange(len(content)) if content else 0
    return content[:at] + bytes([random.randrange(256)]) + content[at + 1 :]


def _without(random: Random, content: bytes, other: bytes) -> bytes:
    start, end = _part(random, content)
    return content[:start] + content[end:]


def _doubled(random: Random, content: bytes, other: bytes) -> bytes:
    start, end = _part(random, content)
    return content[:end] + content[start:end] * random.choice((1, 1, 2, 50)) + content[end:]


def _mixed(random: Random, content: bytes, other: bytes) -> bytes:
    (start, end), at = _part(random, other), random.randrange(len(content) + 1)
    return content[:at] + other[start:end] + content[at + random.choice((0, end - start)) :]


def _cut(random: Random, content: bytes, other: bytes) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _said(random: Random, content: bytes, other: bytes) -> bytes:
    at = random.randrange(len(content) + 1)
    return content[:at] + random.choice((*NUMBERS, *WORDS)).encode() + content[at:]


def _renumbered(random: Random, content: bytes, other: bytes) -> bytes:
    return _replaced(random, content, NUMBER, [number.encode() for number in NUMBERS])


def _reworded(random: Random, content: bytes, other: bytes) -> bytes:
    theirs = [found.group() for found in TEXT.finditer(other)] or [b'"a"']
    return _replaced(random, content, TEXT, [random.choice(theirs), random.choice(WORDS).encode()])


def _replaced(random: Random, content: bytes, what: re.Pattern[bytes], by: Sequence[bytes]) -> bytes:
    found = list(what.finditer(content))
    if not found:
        return content
    one = random.choice(found)
    return content[: one.start()] + random.choice(by) + content[one.end() :]


def _lines_moved(random: Random, content: bytes, other: bytes) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    line = lines.pop(random.randrange(len(lines)))
    for _ in range(random.choice((0, 1, 2))):
        lines.insert(random.randrange(len(lines) + 1), line)
    return b"".join(lines)


Change = Callable[[Random, bytes, bytes], bytes]
OF_TEXT: tuple[Change, ...] = (_renumbered, _renumbered, _reworded, _reworded, _lines_moved, _said)
CHANGES: tuple[Change, ...] = (_flipped, _without, _doubled, _mixed, _cut, *OF_TEXT)


# Spoiling documents: what is made so can still be parsed


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every object or list in a document with each key or index in it."""
    for key, value in list(document.items() if isinstance(document, dict) else enumerate(document)):
        yield document, key
        if isinstance(value, dict | list):
            yield from places(value)


def amiss(random: Random, document: Any, other: Any) -> Any:
    """A document with one to four values that come from elsewhere in it or `other`, are strange, or are gone."""
    document = deepcopy(document)
    theirs = list(places(other))
    for _ in range(random.choice((1, 1, 2, 4))):
        inside, key = random.choice(list(places(document)) or [([None], 0)])
        here, there = random.choice(theirs)
        alike = [(its, name) for its, name in theirs if name == key]
        match random.choice(("gone", "theirs", "theirs", "strange", "strange", "more", "near")):
            case "gone":
                del inside[key]
            case "theirs":
                here, there = random.choice(alike or [(here, there)])
                inside[key] = deepcopy(here[there])
            case "strange":
                inside[key] = deepcopy(random.choice(STRANGE))
            case "more" if isinstance(inside, list):
                inside.insert(random.randrange(len(inside) + 1), deepcopy(here[there]))
            case "more":
                inside[str(there)] = deepcopy(here[there])
            case _ if isinstance(inside[key], int | float):
                inside[key] += random.choice((-1, 1, 10, -0.5))
    return document


STRANGE = (0, 1, -1, 3, 99, 2**63, 1e308, -0.5, True, "", "ő", "a/b", "1,1", "blue", [], {}, [[]], [1, 1], {"a": []})
