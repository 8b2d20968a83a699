"""A copy of a game by itself: what it is called, what no picture tells of it, and how it is put aside.

Draw the title, the lines, the rows of taps and `main`.  A tap comes to a change of the copy; to a `Titling`, a name
that is being typed; or to an `Edit`, the same screen as it stands then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.dialogue import Copy
from companion.ui.view.naming import BEGIN_A_WORD, Keyboard
from companion.ui.view.taps import Tap
from companion.ui.view.wording import copy_name
from companion.words import words

ENDS = (1, 5)  # the columns of the hedge at which its arrow may be
LEAST_MM, MOST_MM = 8.0, 40.0  # of a die
LONGEST = 24


@dataclass(frozen=True)
class Edit:
    """The copy's own screen; `leaves`: it is asked whether the copy is to be put aside."""

    folder: str
    leaves: bool = False


@dataclass(frozen=True)
class Titling:
    """What is typed of a copy's name."""

    folder: str
    text: str


@dataclass(frozen=True)
class Rename:
    folder: str
    name: str


@dataclass(frozen=True)
class SetArrow:
    """The hedge's arrow is at this column."""

    folder: str
    column: int


@dataclass(frozen=True)
class SetDice:
    folder: str
    size_mm: float


@dataclass(frozen=True)
class PutAside:
    """Move the copy with all its pictures out of the way; nothing is deleted."""

    folder: str


Change = Rename | SetArrow | SetDice | PutAside
To = Change | Titling | Edit


@dataclass(frozen=True)
class CopyView:
    title: str
    lines: tuple[str, ...]
    rows: tuple[tuple[Tap[To], ...], ...]
    main: Tap[To] | None = None


def copy_view(copy: Copy, edit: Edit, aside: str, language: str) -> CopyView:
    """`aside` is the folder that copies are put aside into."""
    told, name = words("companion", language)["copy"], copy_name(copy.name, copy.game, language)
    if edit.leaves:
        # Two folders' names say where; a whole path is one word, and may be wider than the screen.
        lines = (told["really"].format(folder="/".join(Path(aside).parts[-2:])), told["then"])
        return CopyView(name, lines, (), Tap(told["aside"], PutAside(copy.folder)))
    rows = [] if copy.fault else list(_rows(copy, name, told))
    return CopyView(name, tuple(_lines(copy, told)), (*rows, (Tap(told["aside"], replace(edit, leaves=True)),)))


def _lines(copy: Copy, told: dict[str, str]) -> Iterator[str]:
    if copy.fault:
        yield copy.fault
    if copy.arrow is not None:
        yield told["arrow"].format(column=copy.arrow)
    if copy.dice_mm is not None:
        yield told["dice"].format(mm=copy.dice_mm)


def _rows(copy: Copy, name: str, told: dict[str, str]) -> Iterator[tuple[Tap[To], ...]]:
    yield (Tap(told["rename"], Titling(copy.folder, name)),)
    if copy.arrow is not None:
        other = next(column for column in ENDS if column != copy.arrow)
        yield (Tap(told["other-end"], SetArrow(copy.folder, other)),)
    if copy.dice_mm is not None:
        sizes = ((told["smaller"], copy.dice_mm - 1), (told["larger"], copy.dice_mm + 1))
        yield tuple(Tap(text, SetDice(copy.folder, mm)) for text, mm in sizes if LEAST_MM <= mm <= MOST_MM)


def lengthened(titling: Titling, sign: str) -> Titling:
    """With one sign more, as far as there is room; no sign: without the last one."""
    if not sign:
        return replace(titling, text=titling.text[:-1])
    if len(sign) != 1 or not (sign.isalnum() or sign in " -") or (sign == " " and titling.text[-1:] in BEGIN_A_WORD):
        return titling
    large = titling.text[-1:] in BEGIN_A_WORD
    return replace(titling, text=(titling.text + (sign.upper() if large else sign))[:LONGEST])


def title_keyboard(titling: Titling, language: str) -> Keyboard:
    common = words("companion", language)
    told = common["new"]
    letters = tuple(Tap(sign, lengthened(titling, sign)) for sign in f"{common['letters']['all']}1234567890")
    signs = (Tap(told["blank"], lengthened(titling, " ")), Tap(told["erase"], lengthened(titling, "")))
    done = Tap(told["done"], Rename(titling.folder, titling.text.strip(" -")))
    return Keyboard(common["copy"]["name"], titling.text, letters, signs, done)
