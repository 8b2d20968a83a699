"""A kit on its way to disk, and the blank pieces that pictures go onto."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.sheet import Colour, Pen, Sheet, ring

BOARD_PX_PER_MM = 4.0
PIECE_PX_PER_MM = 5.0
INK: Colour = (62, 48, 36)


@dataclass
class Kit:
    """A kit on its way to disk: tables for `kit.toml` and the pictures beside it.

    Without a folder nothing is written, and the drawings are kept, by the names of their pictures: to be printed.
    """

    folder: Path | None
    game: str
    name: str
    top: dict[str, Any] = field(default_factory=dict)
    boards: list[dict[str, Any]] = field(default_factory=list)
    spaces: list[dict[str, Any]] = field(default_factory=list)
    pieces: list[dict[str, Any]] = field(default_factory=list)
    markers: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    packing: int = 9  # how hard PNG tries: 0 to 9
    drawings: dict[str, Sheet] = field(default_factory=dict)

    def _keep(self, image: str, sheet: Sheet) -> None:
        if self.folder is None:
            self.drawings[image] = sheet
        else:
            sheet.save(self.folder / image, self.packing)

    def board(self, name: str, sheet: Sheet, size_mm: tuple[float, float]) -> None:
        self._keep(f"{name}.png", sheet)
        self.boards.append({"id": name, "image": f"{name}.png", "size_mm": list(size_mm)})

    def space(self, board: str, name: str, kind: str, at: Sequence[float], size: float, **tags: Any) -> None:
        where = [round(float(value), 2) for value in at]
        self.spaces.append({"board": board, "id": name, "kind": kind, "at_mm": where, "size_mm": [size, size], **tags})

    def piece(self, name: str, sheet: Sheet, size: float, height: float, shape: str) -> None:
        image = f"pieces/{name.replace('/', '-')}.png"
        self._keep(image, sheet)
        row = {"class": name, "image": image, "size_mm": [size, size], "height_mm": height, "shape": shape}
        self.pieces.append(row)

    def marker(self, board: str, dictionary: str, number: int, at: Sequence[float], size: float) -> None:
        where = [round(float(value), 2) for value in at]
        row = {"board": board, "dictionary": dictionary, "id": number, "at_mm": where, "size_mm": size}
        self.markers.append(row)

    def write(self) -> None:
        top = {"format": 1, "game": self.game, "name": self.name, **self.top}
        lists = {"board": self.boards, "space": self.spaces, "piece": self.pieces, "marker": self.markers}
        if self.folder is not None:
            (self.folder / "kit.toml").write_text(toml_of({**top, **lists, **self.tables}), encoding="utf-8")


def toml_of(document: Mapping[str, Any]) -> str:
    """A kit's document as TOML: its plain values, then its lists of tables, then its tables."""
    lists = {
        key: rows for key, rows in document.items() if isinstance(rows, list) and rows and isinstance(rows[0], dict)
    }
    tables = {key: row for key, row in document.items() if isinstance(row, dict)}
    lines = [f"{key} = {_toml(value)}" for key, value in document.items() if key not in lists and key not in tables]
    for header, rows in lists.items():
        for row in rows:
            lines += ["", f"[[{header}]]", *(f"{key} = {_toml(value)}" for key, value in row.items())]
    for header, row in tables.items():
        lines += ["", f"[{header}]", *(f"{key} = {_toml(value)}" for key, value in row.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """A string, number, flag or list as TOML writes it; JSON writes these alike."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def token(size: float, paper: Colour, edge: Colour, shape: str = "square", corner: float = 2.0) -> Sheet:
    """A blank piece with an edge in its own colour; transparent outside its outline."""
    if shape == "square" and corner == 0:
        sheet = Sheet(size, size, PIECE_PX_PER_MM, edge)
    else:
        sheet = Sheet(size, size, PIECE_PX_PER_MM)
    middle = sheet.pen.at(size / 2, size / 2, size / 2)
    match shape:
        case "disc":
            middle.circle(0, 0, 1, edge)
            middle.circle(0, 0, 0.88, paper)
        case "hex":
            middle.polygon(ring(6, 30), edge)
            middle.polygon(ring(6, 30) * 0.86, paper)
        case _:
            middle.box(0, 0, 2, 2, edge, 2 * corner / size)
            middle.box(0, 0, 1.86, 1.86, paper, 1.7 * corner / size)
    return sheet


def middle_of(sheet: Sheet, size: float, scale: float = 0.5) -> Pen:
    return sheet.pen.at(size / 2, size / 2, size * scale)
