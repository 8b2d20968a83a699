"""Files at the border: JSON and TOML read, every fault with where, what was found and expected; files written whole.

A `Form` is one table for both ways: it reads a JSON object into a dataclass and writes it back.
Standard library only; everything that reads a file may import this.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

MOST_BYTES = 2 * 1024 * 1024  # a long game is under 200 kB; more than this is no record
REQUIRED: Any = object()


class Fault(Exception):
    """What is wrong with a file, in a line each: where, what was found, what was expected."""


def shown(value: Any) -> str:
    """The value as it stands in the file, shortened to fit a line."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 64:
        return "a huge number"
    if isinstance(value, dict | list) and len(value) > 12:
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 60 else text[:57] + "..."


def nearest(found: str, known: Iterable[str]) -> str:
    """`; did you mean X?`, or nothing where no known word is near."""
    near = get_close_matches(found[:80], list(known), n=1, cutoff=0.6)
    return f"; did you mean {shown(near[0])}?" if near else ""


@dataclass(frozen=True, slots=True)
class Field:
    """A value in a document and where it stands."""

    value: Any
    where: str = ""

    def fault(self, expected: str) -> Fault:
        return Fault(f"{self.where or 'the document'}: {shown(self.value)} found; expected {expected}")

    def at(self, key: str | int) -> str:
        step = f"[{key}]" if isinstance(key, int) else key
        return f"{self.where}{'' if isinstance(key, int) or not self.where else '.'}{step}"

    def keys(self, known: Collection[str] | None = None) -> Mapping[str, Field]:
        """The fields of an object; `known` are the only keys allowed."""
        if not isinstance(self.value, dict):
            raise self.fault("an object")
        for key in self.value:
            if known is not None and key not in known:
                raise Fault(f"{self.where or 'the document'}: unknown key {shown(key)}{nearest(key, known)}")
        return {k: Field(v, self.at(shown(k)[1:-1])) for k, v in self.value.items()}

    def items(self, least: int = 0, most: int = 1000) -> list[Field]:
        """The entries of a list of `least` to `most`."""
        if not isinstance(self.value, list):
            raise self.fault("a list")
        if not least <= len(self.value) <= most:
            count = f"{least}" if least == most else f"{least} to {most}"
            raise Fault(f"{self.where}: {len(self.value)} entries found; expected {count}")
        return [Field(v, self.at(i)) for i, v in enumerate(self.value)]

    def text(self, longest: int = 200) -> str:
        if not isinstance(self.value, str) or not self.value or len(self.value) > longest:
            raise self.fault(f"a text of 1 to {longest} characters")
        return self.value

    def one_of(self, known: Collection[str]) -> str:
        if not isinstance(self.value, str) or self.value not in known:
            hint = nearest(self.value, known) if isinstance(self.value, str) else ""
            raise self.fault(f"one of {', '.join(known)}{hint}")
        return self.value

    def integer(self, least: int, most: int) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not least <= self.value <= most:
            raise self.fault(f"a whole number from {least} to {most}")
        return self.value

    def number(self, least: float, most: float) -> float:
        """A finite number, whole or not."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not least <= self.value <= most:
            raise self.fault(f"a number from {least:g} to {most:g}")
        return float(self.value)

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.fault("true or false")
        return self.value


Reader = Callable[[Field], Any]


# Readers are functions of a Field; these make one.


def flag(field: Field) -> bool:
    return field.flag()


def integer(least: int, most: int) -> Reader:
    return lambda field: field.integer(least, most)


def number(least: float, most: float) -> Reader:
    return lambda field: field.number(least, most)


def text(field: Field) -> str:
    return field.text()


def one_of(known: Collection[str]) -> Reader:
    return lambda field: field.one_of(known)


def format_1(field: Field) -> int:
    """The `format` of a file: the only one there is so far."""
    if field.value != 1 or isinstance(field.value, bool):
        raise field.fault("1, the only format this version reads")
    return 1


def not_newer(document: Field) -> Field:
    """The document itself.  Raises Fault where a newer version made it, whatever else may be strange in it then."""
    made = document.value.get("format") if isinstance(document.value, dict) else None
    if isinstance(made, int) and made > 1:
        raise Fault(f"format: {shown(made)} found, made by a newer version; this one reads 1")
    return document


def many(read: Reader, least: int = 0, most: int = 1000) -> Reader:
    """A list, read into a tuple."""
    return lambda field: tuple(read(entry) for entry in field.items(least, most))


def maybe(read: Reader) -> Reader:
    """`null` or what `read` reads."""
    return lambda field: None if field.value is None else read(field)


def mapping(key: Reader, read: Reader) -> Reader:
    """An object whose keys are data, read into a dict."""
    return lambda field: {key(Field(k, value.where)): read(value) for k, value in field.keys().items()}


def plain(value: Any) -> Any:
    """How a value is written: tuples as lists, all else as it is."""
    return [plain(v) for v in value] if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Key:
    """One key of an object: how it is read and written, and its default as it would stand in the file."""

    read: Reader
    write: Callable[[Any], Any] = plain
    default: Any = REQUIRED
    omit_none: bool = False  # leave the key out when the value is None
    attribute: str = ""  # of the dataclass, where it is not the key itself


@dataclass(frozen=True)
class Form:
    """The JSON form of a dataclass, both ways."""

    make: Callable[..., Any]
    keys: Mapping[str, Key]
    fixed: Mapping[str, Any] = field(default_factory=dict)  # keys written with one value, as `do` of an action

    def read(self, field: Field) -> Any:
        fields = field.keys((*self.fixed, *self.keys))
        for name, value in self.fixed.items():
            if name in fields:
                fields[name].one_of((value,))
        values = {}
        for name, key in self.keys.items():
            if name in fields:
                found = fields[name]
            elif key.default is REQUIRED:
                raise Fault(f"{field.where or 'the document'}: {shown(name)} is missing")
            else:
                found = Field(key.default, field.at(name))
            absent = found.value is None and key.default is None
            values[key.attribute or name] = None if absent else key.read(found)
        return self.make(**values)

    def write(self, thing: Any) -> dict[str, Any]:
        written = dict(self.fixed)
        for name, key in self.keys.items():
            value = getattr(thing, key.attribute or name)
            if not (key.omit_none and value is None):
                written[name] = None if value is None else key.write(value)
        return written


@dataclass(frozen=True)
class Choice:
    """Objects of several forms told apart by one key, as actions are by `do`."""

    by: str
    forms: Mapping[str, Form]

    def read(self, field: Field) -> Any:
        fields = field.keys()
        if self.by not in fields:
            raise Fault(f"{field.where or 'the document'}: {shown(self.by)} is missing")
        return self.forms[fields[self.by].one_of(self.forms)].read(field)

    def write(self, thing: Any) -> dict[str, Any]:
        return next(form for form in self.forms.values() if form.make is type(thing)).write(thing)


def parse_json(text: str) -> Any:
    """Parse strict JSON: no NaN, no key twice, no nesting beyond what Python can hold."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) < len(found):
            twice = next(k for i, (k, _) in enumerate(found) if k in dict(found[:i]))
            raise Fault(f"the key {shown(twice)} stands twice in one object")
        return made

    def constant(name: str) -> Any:
        raise Fault(f"{name} is no number of JSON")

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise Fault(f"no valid JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise Fault("nested too deep for a position or a record") from None
    except ValueError:  # a number of more digits than Python will read
        raise Fault("a number of more digits than any game needs") from None


def is_endless(path: Path) -> bool:
    """Whether who reads there may wait for ever: a pipe or a device, or a link to one."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def load_text(path: Path, most_bytes: int = MOST_BYTES, may_be_a_pipe: bool = False) -> str:
    """The text of a file, refused with one line where it cannot be a document of ours."""
    if is_endless(path) and not may_be_a_pipe:
        raise Fault("no file, but a pipe or a device")
    try:
        with path.open("rb") as stream:
            content = stream.read(most_bytes + 1)
    except OSError as error:
        raise Fault(f"cannot be read: {error.strerror or error}") from None
    if len(content) > most_bytes:
        raise Fault(f"larger than {most_bytes // 1024 // 1024} MiB: no position or record is")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault(f"no UTF-8 text: byte {error.start} is {content[error.start]:#04x}") from None


def replace_file(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all: where the disk is full what was there before stays.  Raises OSError."""
    if path.exists() and not path.is_file():  # a pipe, a terminal
        path.write_bytes(content)
        return
    path = path.resolve()
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """The same.  Raises Fault."""
    try:
        replace_file(path, content)
    except OSError as error:
        raise Fault(f"{path}: cannot be written: {error.strerror or error}") from None
