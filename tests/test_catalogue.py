"""Catalogues: read as gettext reads them, and every fault told with its line."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.catalogue import faults, missing, read_catalogue, texts
from companion.commands.words import packages
from companion.document import Fault

ENGLISH = """
msgctxt "home:new"
msgid "New game"
msgstr ""

#, python-brace-format
msgctxt "home:resume"
msgid "Go on: {name}"
msgstr ""

msgctxt "help"
msgid ""
"one\\n"
"two\\n"
msgstr ""
"""
TEMPLATE = read_catalogue(ENGLISH.encode())
HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
EXPECTED = 'expected msgctxt, msgid or msgstr with a "text"'


def told(catalogue: str) -> object:
    return texts(TEMPLATE, read_catalogue((HEADER + catalogue).encode()))


def test_what_is_not_translated_is_english() -> None:
    english = {"home": {"new": "New game", "resume": "Go on: {name}"}, "help": "one\ntwo\n"}
    assert told("") == texts(TEMPLATE, {}) == english
    swedish = 'msgctxt "home:new"\nmsgid "New game"\nmsgstr "Nytt spel"\n'
    assert told(swedish) == {**english, "home": {"new": "Nytt spel", "resume": "Go on: {name}"}}
    assert missing(TEMPLATE, read_catalogue(swedish.encode())) == ["home:resume", "help"]


def test_comments_marks_and_what_is_out_of_use_are_passed_over() -> None:
    catalogue = """
# by hand
#. a note
#: somewhere.py:12
#| msgid "Another game"
msgctxt "home:new"
msgid "New "
"game"
msgstr "Nytt\\t\\"spel\\""
#, fuzzy
#~ msgctxt "home:gone"
#~ msgid "Gone"
#~ msgstr "Borta"
#, fuzzy, python-brace-format
msgctxt "home:resume"
msgid "Go on: {name}"
msgstr "Nobody has looked at {name}"
msgctxt "help"
msgid "one\\ntwo\\n"
msgstr "ett"
"""
    assert told(catalogue) == {"home": {"new": 'Nytt\t"spel"', "resume": "Go on: {name}"}, "help": "ett"}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_either_end_of_line_and_a_mark_at_the_beginning(end: str) -> None:
    content = ("\ufeff" + HEADER + 'msgctxt "a"\nmsgid "b"\nmsgstr "ő"\n').replace("\n", end).encode()
    assert read_catalogue(content)["a"].told == "ő"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            'msgctxt "home:new"\nmsgid "New"\nmsgstr "Nytt"',
            'line 4: "home:new": the English text is another now: "New game"',
        ),
        ('msgctxt "home:nev"\nmsgid "x"\nmsgstr "y"', 'line 4: unknown key "home:nev"; did you mean "home:new"?'),
        (
            'msgctxt "home:resume"\nmsgid "Go on: {name}"\nmsgstr "Vidare: {nam}"',
            'line 4: "home:resume": {nam} found; expected {name}',
        ),
        (
            'msgctxt "home:resume"\nmsgid "Go on: {name}"\nmsgstr "Vidare"',
            'line 4: "home:resume": nothing to fill in found; expected {name}',
        ),
        (
            'msgctxt "home:resume"\nmsgid "Go on: {name}"\nmsgstr "Vidare: {name"',
            'line 4: "home:resume": "Vidare: {name": expected \'}\' before end of string',
        ),
        (
            'msgctxt "home:new"\nmsgid "New game"\nmsgstr "Nytt}"',
            'line 4: "home:new": "Nytt}": Single \'}\' encountered',
        ),
        (
            'msgctxt "home:resume"\nmsgid "Go on: {name}"\nmsgstr "Vidare: {name:.1f}"',
            'line 4: "home:resume": {name:.1f} found; expected it as in the English text',
        ),
        (
            '#, fuzzy\nmsgctxt "home:new"\nmsgid "New game"\nmsgstr "?"',
            'line 5: "home:new" is marked as fuzzy: look at it, and take the mark away',
        ),
    ],
)
def test_a_text_that_cannot_be_told_is_named_and_told_in_english(line: str, fault: str) -> None:
    found = list(faults(TEMPLATE, read_catalogue((HEADER + line).encode())))
    assert len(found) == 1 and found[0].startswith(fault) and "\n" not in found[0]
    assert told(line) == texts(TEMPLATE, {})


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b'msgctxt "a"\nmsgid "b"\nmsgstr "c\xf5"\n', "line 3: no UTF-8; save the file in that encoding"),
        (HEADER.replace("UTF-8", "ISO-8859-2").encode(), "line 1: the charset ISO-8859-2 found; expected UTF-8"),
        (b'msgctxt "a"\nmsgid "b"\n\nmsgctxt "c"\n', "line 1: an entry without msgstr"),
        (b'\nmsgid "b"\nmsgstr "c"\n', "line 2: an entry without msgctxt"),
        (b'msgctxt "a"\nmsgid "b"\nmsgstr "c"\n' * 2, 'line 4: "a" stands twice, first in line 1'),
        (
            b'msgctxt "a"\nmsgid "b\nmsgstr "c"\n',
            'line 2: "msgid \\"b" found; expected msgctxt, msgid or msgstr with a "text"',
        ),
        (b'"a"\n', 'line 1: "\\"a\\"" found; expected msgctxt, msgid or msgstr with a "text"'),
        (
            b'msgctxt "a"\nmsgid "b"\nmsgid_plural "c"\n',
            "line 3: msgid_plural found, but the texts have no plural forms",
        ),
        (b'msgctxt "a"\nmsgid "b\\q"\n', 'line 2: \\q found; expected one of \\n \\t \\" \\\\'),
        (b"[home]\nnew = 1\n", f'line 1: "[home]" found; {EXPECTED}'),
    ],
)
def test_a_file_that_is_no_catalogue_says_in_which_line(content: bytes, fault: str) -> None:
    with pytest.raises(Fault) as caught:
        read_catalogue(content)
    assert caught.value.args == (fault,)


@pytest.mark.parametrize("package", packages())
@pytest.mark.parametrize("name", ["words.pot", "words.hu.po"])
def test_ours_say_what_another_reader_reads_in_them(package: str, name: str) -> None:
    path = Path(str(files(package).joinpath(name)))
    others = {entry.msgctxt: (entry.msgid, entry.msgstr) for entry in polib.pofile(str(path), encoding="utf-8")}
    ours = {key: (entry.source, entry.told) for key, entry in read_catalogue(path.read_bytes()).items()}
    assert ours == others and len(ours) > 40


line = st.text(st.characters(exclude_categories=("C",)) | st.sampled_from('\n\t"\\#{}'), min_size=1)


@given(st.dictionaries(line, st.tuples(line, line), max_size=5), st.sampled_from([0, 20, 78]))
def test_what_another_program_writes_is_read(entries: dict[str, tuple[str, str]], width: int) -> None:
    written = polib.POFile(wrapwidth=width)
    written.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    for key, (source, translation) in entries.items():
        written.append(polib.POEntry(msgctxt=key, msgid=source, msgstr=translation))
    found = read_catalogue(str(written).encode())
    assert {key: (entry.source, entry.told) for key, entry in found.items()} == entries
