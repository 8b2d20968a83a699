"""The spaces of a board from a few places on it: a template for each game, to be laid onto a copy.

A layout is a TOML file in mm of the board's picture.  docs/calibrating.md shows one for each game.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from companion.document import Fault, Field, Form, Key, integer, load_text, many, mapping, one_of
from companion.kit import MOST_MM, Kit

Row = dict[str, Any]
Point = tuple[float, float]
CORNERS = {(1, 1), (1, 5), (5, 1), (5, 5)}  # cells that a Garden Rush garden has not


def _mm(field: Field) -> float:
    return field.number(-MOST_MM, MOST_MM)


def _length(field: Field) -> float:
    return field.number(0.1, MOST_MM)


_point = many(_mm, 2, 2)


def _word(field: Field) -> str:
    return field.text(80)


def _score(field: Field) -> int:
    text = field.text(4)
    if not text.isdecimal():
        raise field.fault("a score, as 25")
    return int(text)


def _table(**keys: Key) -> Any:
    return Form(dict, keys).read


_TRACK = _table(at_mm=Key(mapping(_score, _point)), size_mm=Key(_length), bonus=Key(many(integer(0, 999)), default=[]))
_GRID = {"first_mm": Key(_point), "size_mm": Key(_length)}
_EXAMPLE = _table(
    kind=Key(one_of(("flower", "pedestal", "home", "mushroom", "none"))),
    flower=Key(_word, default=None),
    team=Key(_word, default=None),
)
_FORMS: Mapping[str, Mapping[str, Key]] = {
    "garden-dice": {
        "plots": Key(_table(**_GRID, last_mm=Key(_point)), default=None),
        "stars": Key(many(_word, 0, 36), default=[]),
        "track": Key(_TRACK, default=None),
    },
    "garden-rush": {
        "gardens": Key(
            mapping(
                lambda field: field.one_of(("pink", "blue")),
                _table(
                    **_GRID,
                    across_mm=Key(_point),
                    down_mm=Key(_point),
                    tools=Key(mapping(_word, one_of(("place", "harvest", "move", "flip"))), default={}),
                ),
            ),
            default={},
        ),
        "hedge": Key(_table(**_GRID, last_mm=Key(_point)), default=None),
        "trampoline": Key(_table(at_mm=Key(_point), size_mm=Key(_length)), default=None),
        "track": Key(_TRACK, default=None),
    },
    "garden-guests": {
        "map": Key(_table(origin_mm=Key(_point), q_mm=Key(_point), r_mm=Key(_point), size_mm=Key(_length))),
        "examples": Key(mapping(_word, _EXAMPLE)),
    },
}


def load_layout(path: Path, game: str) -> dict[str, Any]:
    """Raises Fault with file, key and value in one line."""
    if game not in _FORMS:
        raise Fault(f"--layout: there is no template for {game}; --like KIT takes the spaces of another kit")
    try:
        layout = read_layout(Field(tomllib.loads(load_text(path))), game)
    except tomllib.TOMLDecodeError as error:
        raise Fault(f"{path}: no valid TOML: {error}") from None
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    return layout


def read_layout(document: Field, game: str) -> dict[str, Any]:
    """A layout as a document has it.  Raises Fault with key and value."""
    layout: dict[str, Any] = Form(dict, _FORMS[game]).read(document)
    return layout


def spaces_of(layout: Mapping[str, Any], game: str, board: str) -> list[Row]:
    """The rows of `[[space]]` that a layout says; those of a map of hexagons are traced in its picture instead."""
    rows = {"garden-dice": _garden_dice, "garden-rush": _garden_rush}[game](layout)
    return [{"board": board, **row} for row in rows]


def _row(name: str, kind: str, at: Any, size: float, **tags: Any) -> Row:
    place = [round(float(value), 2) for value in at]
    return {"id": name, "kind": kind, "at_mm": place, "size_mm": [size, size], **tags}


def _garden_dice(layout: Mapping[str, Any]) -> Iterator[Row]:
    if plots := layout["plots"]:
        (x0, y0), (x1, y1) = plots["first_mm"], plots["last_mm"]
        for row in range(1, 7):
            for column in range(1, 7):
                name = f"{row},{column}"
                at = (x0 + (x1 - x0) * (column - 1) / 5, y0 + (y1 - y0) * (row - 1) / 5)
                star = name in layout["stars"]
                yield _row(name, "plot", at, plots["size_mm"], row=row, column=column, star=star)
    if layout["track"]:
        for score, at in _along(layout["track"]["at_mm"]):
            yield _row(f"track-{score}", "track", at, layout["track"]["size_mm"], score=score)


def _garden_rush(layout: Mapping[str, Any]) -> Iterator[Row]:
    for garden, beds in layout["gardens"].items():
        first, across, down = (np.array(beds[key]) for key in ("first_mm", "across_mm", "down_mm"))
        for row in range(1, 6):
            for column in range(1, 6):
                if (row, column) in CORNERS:
                    continue
                at = first + (across - first) * (column - 1) / 4 + (down - first) * (row - 1) / 4
                place = f"{row},{column}"
                tool = {"tool": beds["tools"][place]} if place in beds["tools"] else {}
                name = f"{garden}-{place}"
                yield _row(name, "cell", at, beds["size_mm"], garden=garden, row=row, column=column, **tool)
    if hedge := layout["hedge"]:
        first, last = np.array(hedge["first_mm"]), np.array(hedge["last_mm"])
        for column in range(1, 6):
            at = first + (last - first) * (column - 1) / 4
            yield _row(f"hedge-{column}", "hedge", at, hedge["size_mm"], column=column)
    if trampoline := layout["trampoline"]:
        yield _row("trampoline", "trampoline", trampoline["at_mm"], trampoline["size_mm"])
    if track := layout["track"]:
        for score, at in _along(track["at_mm"]):
            bonus = {"bonus": score in track["bonus"]} if track["bonus"] else {}
            yield _row(f"track-{score}", "track", at, track["size_mm"], score=score, **bonus)


def _along(named: Mapping[int, Point]) -> Iterator[tuple[int, Any]]:
    """Each score and its place: those between two that are named lie evenly on the straight line between them."""
    scores = sorted(named)
    if not scores:
        return
    yield scores[0], np.array(named[scores[0]])
    for low, high in pairwise(scores):
        start, end = np.array(named[low]), np.array(named[high])
        for score in range(low + 1, high + 1):
            yield score, start + (end - start) * (score - low) / (high - low)


def like(kit: Kit, board: str, size_mm: tuple[float, float]) -> list[Row]:
    """The spaces of a board of another kit, on one that may be printed larger or smaller."""
    other = next((each for each in kit.boards if each.id == board), None)
    if other is None:
        raise Fault(f"--like: {kit.folder} has no board {board}; it has {', '.join(b.id for b in kit.boards)}")
    scale = np.array(size_mm) / np.array(other.size_mm)
    rows = []
    for space in kit.spaces:
        if space.board == board:
            at, size = ([round(float(v), 2) for v in np.array(pair) * scale] for pair in (space.at_mm, space.size_mm))
            tags = {key: list(value) if isinstance(value, tuple) else value for key, value in space.tags.items()}
            rows.append({"board": board, "id": space.id, "kind": space.kind, "at_mm": at, "size_mm": size, **tags})
    return rows
