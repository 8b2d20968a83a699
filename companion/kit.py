"""A kit: all that is known of one physical copy of a game.  `kit.toml` is checked at the border.

Millimetres count from the top left corner of a board's picture, x right, y down.  Pictures are named, not opened, here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from companion.document import (
    Fault,
    Field,
    Form,
    Key,
    flag,
    format_1,
    integer,
    load_text,
    many,
    mapping,
    not_newer,
    one_of,
    shown,
)

MOST_MM = 3000.0
SHAPES = ("square", "disc", "hex")
TRACK = "track"  # the kind of the spaces on which scores are shown
MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Board:
    id: str
    image: Path
    size_mm: tuple[float, float]


@dataclass(frozen=True)
class Space:
    """A place where pieces may lie; `tags` hold what its kind has besides (row, column, star, score, flower…)."""

    id: str
    board: str
    kind: str
    at_mm: tuple[float, float]
    size_mm: tuple[float, float]
    tags: Mapping[str, Any]


@dataclass(frozen=True)
class Piece:
    """A kind of piece; `name` is its class, as `tomato/seed`."""

    name: str
    image: Path
    size_mm: tuple[float, float]
    height_mm: float
    shape: str


@dataclass(frozen=True)
class Marker:
    """A printed ArUco marker."""

    board: str
    dictionary: str
    id: int
    at_mm: tuple[float, float]
    size_mm: float


@dataclass(frozen=True)
class Dice:
    count: int
    size_mm: float
    faces: str


@dataclass(frozen=True)
class Kit:
    folder: Path
    game: str
    name: str
    boards: tuple[Board, ...]
    spaces: tuple[Space, ...]
    pieces: tuple[Piece, ...]
    markers: tuple[Marker, ...]
    dice: Dice | None
    patterns: Mapping[str, tuple[tuple[tuple[int, int], ...], ...]]  # vegetable: shapes of (row, column) cells
    arrow: int | None  # the hedge column at the arrow, where the kit says it

    def of_kind(self, kind: str) -> tuple[Space, ...]:
        return tuple(space for space in self.spaces if space.kind == kind)


def _word(field: Field) -> str:
    return field.text(longest=80)


def _millimetres(field: Field) -> float:
    return field.number(-MOST_MM, MOST_MM)


def _length(field: Field) -> float:
    return field.number(0.1, MOST_MM)


def _pair(read: Any) -> Any:
    return many(read, 2, 2)


def _picture(folder: Path) -> Any:
    def read(field: Field) -> Path:
        name = field.text()
        parts = PurePosixPath(name)
        if parts.is_absolute() or ".." in parts.parts or "\\" in name or ":" in name or "\0" in name:
            raise field.fault("a picture inside the kit's folder")
        if not folder.joinpath(name).resolve().is_relative_to(folder.resolve()):
            raise field.fault("a picture inside the kit's folder")
        if not folder.joinpath(name).is_file():
            raise field.fault("a picture that is there")
        return folder / name

    return read


# Which tags a kind of space has, and how each is read; another game's kinds may carry any.
_AXIAL = {"q": integer(-99, 99), "r": integer(-99, 99)}
_CELL = {"row": integer(1, 5), "column": integer(1, 5)}
TAGS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("garden-dice", "plot"): {"row": integer(1, 6), "column": integer(1, 6), "star": flag},
    ("garden-dice", TRACK): {"score": integer(0, 999)},
    ("garden-rush", "cell"): {"garden": one_of(("pink", "blue")), **_CELL},
    ("garden-rush", "hedge"): {"column": integer(1, 5)},
    ("garden-rush", TRACK): {"score": integer(0, 999)},
    ("garden-guests", "flower"): {"flower": _word, **_AXIAL},
    ("garden-guests", "pedestal"): {"flower": _word, **_AXIAL},
    ("garden-guests", "home"): {"team": _word, "side": integer(0, 1), **_AXIAL},
    ("garden-guests", "mushroom"): _AXIAL,
}
OPTIONAL_TAGS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("garden-rush", "cell"): {"tool": one_of(("place", "harvest", "move", "flip"))},
    ("garden-rush", TRACK): {"bonus": flag},
}
_OWN_KEYS = ("board", "id", "kind", "at_mm", "size_mm", "near")


def _space(game: str) -> Any:
    def read(field: Field) -> Space:
        keys = field.keys()
        for name in ("board", "id", "kind", "at_mm", "size_mm"):
            if name not in keys:
                raise Fault(f"{field.where}: {shown(name)} is missing")
        kind = _word(keys["kind"])
        wanted, also = TAGS.get((game, kind), {}), OPTIONAL_TAGS.get((game, kind), {})
        tags: dict[str, Any] = {}
        for name, value in keys.items():
            if name in _OWN_KEYS:
                continue
            tags[name] = wanted[name](value) if name in wanted else also[name](value) if name in also else value.value
        for name in wanted:
            if name not in tags:
                raise Fault(f"{field.where}: a {kind} needs {shown(name)}")
        if "near" in keys:
            tags["near"] = many(_word)(keys["near"])
        return Space(
            _word(keys["id"]),
            _word(keys["board"]),
            kind,
            _pair(_millimetres)(keys["at_mm"]),
            _pair(_length)(keys["size_mm"]),
            tags,
        )

    return read


def _table(make: Any, **keys: Key) -> Form:
    return Form(make, {name.rstrip("_"): key for name, key in keys.items()})


def _form(folder: Path, game: str) -> Form:
    board = _table(Board, id=Key(_word), image=Key(_picture(folder)), size_mm=Key(_pair(_length)))
    piece = Form(
        Piece,
        {
            "class": Key(_word, attribute="name"),
            "image": Key(_picture(folder)),
            "size_mm": Key(_pair(_length)),
            "height_mm": Key(lambda f: f.number(0, 200)),
            "shape": Key(one_of(SHAPES)),
        },
    )
    marker = _table(
        Marker,
        board=Key(_word),
        dictionary=Key(_word),
        id=Key(integer(0, 9999)),
        at_mm=Key(_pair(_millimetres)),
        size_mm=Key(_length),
    )
    dice = _table(Dice, count=Key(integer(1, 20)), size_mm=Key(_length), faces=Key(one_of(("pips",)), default="pips"))
    shape = many(many(integer(0, 9), 2, 2), 1, 25)
    return Form(
        lambda format, **values: Kit(folder, **values),
        {
            "format": Key(format_1),
            "game": Key(_word),
            "name": Key(_word),
            "board": Key(many(board.read, 1, 20), attribute="boards"),
            "space": Key(many(_space(game), 1, 2000), attribute="spaces"),
            "piece": Key(many(piece.read, 0, 200), default=[], attribute="pieces"),
            "marker": Key(many(marker.read, 0, 500), default=[], attribute="markers"),
            "dice": Key(dice.read, default=None),
            "patterns": Key(mapping(_word, many(shape, 0, 20)), default={}),
            "arrow": Key(integer(1, 5), default=None),
        },
    )


def _check_names(kit: Kit) -> None:
    """Names that stand twice or name nothing, and spaces that lie beside their board."""
    boards = {board.id: board for board in kit.boards}
    for what, names in (
        ("board", [b.id for b in kit.boards]),
        ("space", [s.id for s in kit.spaces]),
        ("piece", [p.name for p in kit.pieces]),
    ):
        if twice := next((name for i, name in enumerate(names) if name in names[:i]), None):
            raise Fault(f"{what}: {shown(twice)} stands twice")
    ids = {space.id for space in kit.spaces}
    things: tuple[Space | Marker, ...] = (*kit.spaces, *kit.markers)
    for thing in things:
        what = "space" if isinstance(thing, Space) else "marker"
        if thing.board not in boards:
            raise Fault(
                f"{what} {shown(thing.id)}: board {shown(thing.board)} found; expected one of {', '.join(boards)}"
            )
        if not all(0 <= at <= size for at, size in zip(thing.at_mm, boards[thing.board].size_mm, strict=True)):
            raise Fault(f"{what} {shown(thing.id)}: at_mm {shown(list(thing.at_mm))} lies beside its board")
    for space in kit.spaces:
        for name in space.tags.get("near", ()):
            if name not in ids:
                raise Fault(f"space {shown(space.id)}: near {shown(name)} is no space of this kit")


def load_kit(folder: Path) -> Kit:
    """Read and check `kit.toml` in `folder`.  Raises Fault with file, key and value in one line."""
    path = folder / "kit.toml"
    try:
        try:
            document = tomllib.loads(load_text(path, MOST_BYTES))
        except tomllib.TOMLDecodeError as error:
            raise Fault(f"no valid TOML: {error}") from None
        except RecursionError:
            raise Fault("nested too deep for a kit") from None
        game = document.get("game")
        kit: Kit = _form(folder, game if isinstance(game, str) else "").read(not_newer(Field(document)))
        _check_names(kit)
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    return kit
