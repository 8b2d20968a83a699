"""The score sheet as a picture: who has what for what, who won, and how the points grew."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageDraw

from companion.account import Teller, sides, standing
from companion.export.lettering import Colour, Lettering
from companion.session import Session

WIDTH, MARGIN, ROW, CHART = 1200, 60, 58, 420  # pixels
HEAD = 150
PAPER, INK, SOFT, LINE, LEAF = (252, 250, 244), (44, 48, 42), (122, 126, 116), (222, 219, 207), (58, 107, 62)
WHITE = (255, 255, 255)
COLOURS: Mapping[str, Colour] = {
    "blue": (45, 108, 190),
    "yellow": (214, 165, 20),
    "green": (62, 148, 78),
    "red": (200, 62, 56),
    "pink": (218, 100, 156),
    "black": (58, 58, 64),
    "gold": (196, 150, 40),
    "teal": (28, 138, 138),
}
LAST = ("total", "tie")  # these items come last, in this order; a tie is no part of the sum
OTHERS: Sequence[Colour] = ((120, 90, 170), (200, 110, 50), (90, 120, 140), (150, 70, 100))


@dataclass(frozen=True)
class Sheet:
    """What stands on the sheet, in words."""

    title: str
    subtitle: str
    heading: str  # final score, or the score so far
    columns: Sequence[tuple[str, Colour]]
    rows: Sequence[tuple[str, Sequence[str]]]
    total: int | None  # which of the rows is the sum of those above it
    verdict: str
    course: Sequence[Sequence[int]]  # for each column its points after each entry, the start first


def sheet_of(session: Session, teller: Teller, title: str, subtitle: str) -> Sheet:
    score = session.game.score(session.state)
    over = session.game.over(session.state)
    entries, labels = sides(score), teller.words["score"]
    keys = [key for key in labels if any(key in entry for entry in entries.values())]
    keys.sort(key=lambda key: LAST.index(key) if key in LAST else -1)
    heading, *_, verdict = teller.score(score, over)
    totals = [standing(session.game, state) for state in session.states]
    return Sheet(
        title,
        subtitle,
        heading,
        [(teller.name(side), colour_of(side, number)) for number, side in enumerate(entries)],
        [(labels[key], [_shown(teller, entry.get(key)) for entry in entries.values()]) for key in keys],
        keys.index("total") if "total" in keys else None,
        verdict,
        [[total[side] for total in totals] for side in entries if side in totals[0]],
    )


def colour_of(side: str, number: int) -> Colour:
    return COLOURS.get(side) or OTHERS[number % len(OTHERS)]


def _shown(teller: Teller, value: Any) -> str:
    """A value of the score sheet; a minus sign as it is printed."""
    if value is None or isinstance(value, bool):
        return str(teller.common["account"]["unknown" if value is None else "yes" if value else "no"])
    return str(value).replace("-", "−")


def as_png(sheet: Sheet, system_fonts: bool = True) -> bytes:
    """The picture, as wide as `WIDTH` and as high as it needs to be."""
    charted = len(sheet.course) > 0 and len(sheet.course[0]) > 2
    table = HEAD + 70 + ROW * (len(sheet.rows) + 1)
    height = table + 110 + (CHART if charted else 0)
    picture = Image.new("RGB", (WIDTH, height), PAPER)
    draw = ImageDraw.Draw(picture)
    letters = Lettering(draw, system_fonts)
    _head(draw, letters, sheet)
    _table(draw, letters, sheet)
    letters.write(MARGIN, table + 56, letters.fitting(sheet.verdict, 32, WIDTH - 2 * MARGIN, True), 32, LEAF, bold=True)
    if charted:
        _chart(draw, letters, sheet, table + 120)
    content = io.BytesIO()
    picture.save(content, "PNG", optimize=True)
    return content.getvalue()


def _head(draw: ImageDraw.ImageDraw, letters: Lettering, sheet: Sheet) -> None:
    draw.rectangle((0, 0, WIDTH, HEAD - 20), LEAF)
    room = WIDTH - 2 * MARGIN
    letters.write(MARGIN, 66, letters.fitting(sheet.title, 44, room, bold=True), 44, WHITE, bold=True)
    letters.write(MARGIN, 106, letters.fitting(sheet.subtitle, 24, room), 24, (214, 228, 210))


def _table(draw: ImageDraw.ImageDraw, letters: Lettering, sheet: Sheet) -> None:
    """A row for each item, a column for each player; the total in bold under a line."""
    first = 400
    wide = (WIDTH - MARGIN - first) / len(sheet.columns)
    foot = HEAD + 50
    letters.write(MARGIN, foot, letters.fitting(sheet.heading, 24, first - MARGIN - 20), 24, SOFT)
    for number, (name, colour) in enumerate(sheet.columns):
        right = first + wide * (number + 1)
        draw.rounded_rectangle((right - wide + 16, foot - 34, right, foot + 14), 10, colour)
        name = letters.fitting(name, 26, wide - 50, bold=True)
        letters.write(right - (wide - 16) / 2, foot, name, 26, WHITE, bold=True, align="m")
    for place, (label, values) in enumerate(sheet.rows):
        line, total = foot + ROW * (place + 1), place == sheet.total
        if place > 0:
            rule = (INK, 3) if total else (LINE, 2)
            draw.line((MARGIN, line - 40, WIDTH - MARGIN, line - 40), *rule)
        size, colour = (32 if total else 26), SOFT if sheet.total is not None and place > sheet.total else INK
        letters.write(MARGIN, line, letters.fitting(label, size, first - MARGIN, total), size, colour, bold=total)
        for number, value in enumerate(values):
            right = first + wide * (number + 1)
            letters.write(right - (wide - 16) / 2, line, value, size, colour, bold=total, align="m")


def _chart(draw: ImageDraw.ImageDraw, letters: Lettering, sheet: Sheet, top: float) -> None:
    """The points of each player over the game, left to right, each line ending in its number."""
    left, right, bottom = MARGIN + 60, WIDTH - MARGIN - 90, top + CHART - 90
    values = [value for line in sheet.course for value in line]
    low, step = min(0, *values), _step(max(values) - min(0, *values))
    high = max(low + step, -(-max(values) // step) * step)

    def at(number: int, value: float) -> tuple[float, float]:
        entries = len(sheet.course[0]) - 1
        return left + (right - left) * number / entries, bottom - (bottom - top) * (value - low) / (high - low)

    for value in range(-(-low // step) * step, high + 1, step):
        height = at(0, value)[1]
        draw.line((left, height, right, height), LINE, 2)
        letters.write(left - 14, height + 7, str(value), 20, SOFT, align="r")
    for (_, colour), line in zip(sheet.columns, sheet.course, strict=True):
        corners = [at(number, value) for number, value in enumerate(line)]
        draw.line(corners, colour, 5, joint="curve")
        x, y = corners[-1]
        draw.ellipse((x - 8, y - 8, x + 8, y + 8), colour)
    for foot, number in _apart([(at(0, line[-1])[1], number) for number, line in enumerate(sheet.course)]):
        colour = sheet.columns[number][1]
        letters.write(right + 20, foot + 9, str(sheet.course[number][-1]), 26, colour, bold=True)


def _step(span: int) -> int:
    """Between the lines of the chart: 1, 2 or 5 with noughts, for about five lines."""
    step = 1
    while span > 6 * step:
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return step


def _apart(feet: list[tuple[float, int]], least: float = 28.0) -> list[tuple[float, int]]:
    """Heights moved down until no two are nearer than `least`."""
    placed: list[tuple[float, int]] = []
    for foot, number in sorted(feet):
        placed.append((max(foot, placed[-1][0] + least) if placed else foot, number))
    return placed
