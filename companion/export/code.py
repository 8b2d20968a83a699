"""A record as a text for a QR code: its JSON, compressed, in the letters that such codes hold best.

The letters are those of RFC 9285 (base 45): three of them for two bytes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any

from companion.document import MOST_BYTES, Fault, parse_json

BEGINS = "GARDEN1:"
MOST_LETTERS = 4296  # of a QR code of version 40, the largest, with the least correction of errors
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
VALUE = {letter: value for value, letter in enumerate(LETTERS)}


def as_code(record: dict[str, Any]) -> str | None:
    """The text for a QR code; None where the record is too long for any."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    code = BEGINS + "".join(_lettered(zlib.compress(text.encode(), 9)))
    return code if len(code) <= MOST_LETTERS else None


def read_code(code: str) -> Any:
    """The record that `as_code` wrote.  Raises Fault."""
    letters = code.strip("\r\n")
    try:
        if not letters.startswith(BEGINS):
            raise ValueError
        content = bytes(_bytes_of(letters.removeprefix(BEGINS)))
        reader = zlib.decompressobj()
        text = reader.decompress(content, MOST_BYTES)
        if not reader.eof:
            raise ValueError
        return parse_json(text.decode())
    except (KeyError, ValueError, OverflowError, zlib.error):
        raise Fault(f"a code that cannot be read; expected {BEGINS} and what follows it, whole") from None


def _lettered(content: bytes) -> Iterator[str]:
    for at in range(0, len(content), 2):
        pair = content[at : at + 2]
        value = int.from_bytes(pair, "big")
        for _ in range(len(pair) + 1):
            yield LETTERS[value % 45]
            value //= 45


def _bytes_of(letters: str) -> Iterator[int]:
    for at in range(0, len(letters), 3):
        group = letters[at : at + 3]
        value = sum(VALUE[letter] * 45**place for place, letter in enumerate(group))
        yield from value.to_bytes(len(group) - 1, "big")
