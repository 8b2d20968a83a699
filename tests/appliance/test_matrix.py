"""The fault matrix of docs/appliance.md: each row names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent.parent
PARTS = ("Camera", "Panel", "Screen", "Disk", "Process", "Input")


def rows() -> list[list[str]]:
    text = (TESTS.parent / "docs" / "appliance.md").read_text()
    table = text.partition("## What can go wrong")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in re.findall(r"^\| .+", table, re.M)][1:]


def test_every_row_says_what_is_seen_and_names_tests_that_are_there() -> None:
    assert len(rows()) >= 40
    for what, seen, tests in rows():
        named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", tests)
        assert seen and named, what
        for file, name in named:
            assert f"def {name}(" in (TESTS / file).read_text(), f"{what}: {file}::{name}"


def test_every_part_has_its_rows() -> None:
    begun = [match[1] for what, *_ in rows() if (match := re.match(r"\*\*(\w+)\*\*", what))]
    assert begun == list(PARTS)
