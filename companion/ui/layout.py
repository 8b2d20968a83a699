"""A screen of text: a view's parts laid out in so many rows and columns, no line longer than the screen is wide."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.account import Teller
from companion.ui.view import Choice, Side, View
from companion.ui.view.shapes import CONFIRM, TAKE

LEAST_ROWS, LEAST_COLUMNS = 20, 60
GAP = 2
ASCII = str.maketrans({"·": "-", "–": "-", "→": ">", "…": "...", "×": "x", "„": '"', "”": '"', "−": "-"})


@dataclass(frozen=True)
class Texts:
    """What a screen shows besides the view."""

    title: str
    board: tuple[str, ...]
    keys: str
    notices: tuple[str, ...] = ()


def screen(view: View, texts: Texts, teller: Teller, rows: int, columns: int) -> list[str]:
    """The lines of a screen, from the top: the title, board and sides, what is new, the keys."""
    if rows < LEAST_ROWS or columns < LEAST_COLUMNS:
        small = teller.common["terminal"]["too-small"].format(rows=LEAST_ROWS, columns=LEAST_COLUMNS)
        return [line[:columns] for line in textwrap.wrap(small, columns)][:rows]
    lines = [_title(f"{texts.title} · {view.turn}", view.sight, columns)]
    lines += _side_by_side(texts.board, _panel(view, teller, columns - _width(texts.board) - GAP), columns)
    room = rows - len(lines) - 2
    news = _news(view, texts.notices, teller, room, columns)
    lines += ["─" * columns, *news]
    lines += [""] * (rows - 1 - len(lines))
    return [line[:columns].rstrip() for line in [*lines[: rows - 1], texts.keys]]


def _width(lines: Iterable[str]) -> int:
    return max(map(len, lines), default=0)


def _title(left: str, right: str, columns: int) -> str:
    """What matters on the left; the state of sight at the right, as much of it as there is room for."""
    room = columns - len(left) - 2
    if len(right) > room:
        right = right[: max(0, room - 1)] + "…" if room > 1 else ""
    return left[:columns] + right.rjust(columns - len(left)) if len(left) < columns else left[:columns]


def _side_by_side(board: Sequence[str], panel: Sequence[str], columns: int) -> list[str]:
    width, most = _width(board), max(len(board), len(panel))
    left = [*board, *[""] * (most - len(board))]
    right = [*panel, *[""] * (most - len(panel))]
    return [(f"{one:<{width + GAP}}" + other)[:columns] for one, other in zip(left, right, strict=True)][
        : max(len(board), 13)
    ]


def _panel(view: View, teller: Teller, width: int) -> list[str]:
    """Scores, dice, and what may be done."""
    words, lines = teller.common["view"], []
    for side in view.sides:
        lines += _wrapped([_side(side)], width)
        lines += _wrapped([" · ".join(side.holds)] if side.holds else [], width, "    ")
    if view.dice or view.spent:
        lines.append(words["dice"].format(dice=" ".join(map(str, view.dice)) or "–"))
        if view.spent:
            lines[-1] += " · " + words["spent"].format(dice=" ".join(map(str, view.spent)))
    if view.may:
        lines += [words["may"], *_wrapped(view.may, width, "  ")]
    return lines


def _side(side: Side) -> str:
    mark = ">" if side.on_turn else " "
    points = "" if side.points is None else f" {side.points}"
    return f"{mark} {side.name}{points}" + (f" ({side.gain:+d})" if side.gain else "")


def _news(view: View, notices: Sequence[str], teller: Teller, room: int, columns: int) -> list[str]:
    """What is to be said and what may be tapped; where there is not room for all of it, the words are cut."""
    told = [*view.result] or [line for line in (view.last, view.news.headline, *view.news.lines) if line]
    told = [*notices, *told, *(notice for notice in view.notices if notice not in notices)]
    choices = _wrapped(list(choices_text(view.news.choices)), columns, "    ", first="")
    lines = _wrapped(told, columns, "  ", first="")
    left = max(1, room - len(choices))
    if len(lines) > left:
        lines = [*lines[: left - 1], teller.common["terminal"]["more"]]
    return [*lines, *choices][:room]


def choices_text(choices: Sequence[Choice]) -> Iterable[str]:
    """Each with the key that stands for it."""
    number = 0
    for choice in choices:
        if choice.role == CONFIRM:
            key = "c"
        elif choice.role == TAKE:
            key = "="
        else:
            number += 1
            key = str(number)
        yield f"[{key}] {choice.text}"


def _wrapped(texts: Iterable[str], width: int, later: str = "", first: str | None = None) -> list[str]:
    """Texts in lines; each but the first of a text is indented."""
    begin = later if first is None else first
    return [
        line
        for text in texts
        for line in textwrap.wrap(text, max(8, width), initial_indent=begin, subsequent_indent=later)
    ]


def page(title: str, texts: Iterable[str], rows: int, columns: int, first: int = 0) -> tuple[list[str], bool]:
    """A page of a longer text from its line `first`, and whether there is more of it."""
    lines = [line for text in texts for line in (textwrap.wrap(text, columns, subsequent_indent="  ") or [""])]
    room = max(1, rows - 2)
    shown = [title[:columns], *lines[first : first + room]]
    return [*shown, *[""] * (rows - 1 - len(shown))], first + room < len(lines)


def plain(text: str, is_utf8: bool) -> str:
    """Without what a terminal cannot show, or would obey."""
    if not is_utf8:
        text = unicodedata.normalize("NFKD", text.translate(ASCII).replace("─", "-"))
        text = "".join(sign for sign in text if not unicodedata.combining(sign))
        text = text.encode("ascii", "replace").decode("ascii")
    return "".join(sign if sign.isprintable() else "?" for sign in text)
