"""What cannot be in a kit, and what it does not say: by its `kit.toml` alone, without opening a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from calibration.findings import Finding, cannot_be, hard, not_entered
from companion.kit import Kit, Space

Array = np.ndarray[Any, Any]

OVERLAP = 0.8  # of the way from middle to middle at which two spaces would just touch; nearer, they lie on each other
OUT_OF_LINE = 0.3  # of a space's size: so far a space may lie from where its row and column, or q and r, put it
OVER_THE_EDGE = 0.25  # of a space's size that may lie beyond its board
TOO_LARGE = 1.25  # a piece may be this much larger than the space it lies on

SIDES = {"garden-dice": ("seed", "vegetable"), "garden-rush": ("double", "single")}
VEGETABLES = {
    "garden-dice": ("squash", "carrot", "tomato", "artichoke", "eggplant"),
    "garden-rush": ("carrot", "eggplant", "tomato", "broccoli", "potato"),
}
OTHERS = {
    "garden-dice": ("bird", "rabbit", "sundial", "scarecrow", "rock"),
    "garden-rush": ("trowel", "weedkiller", "hose", "toolbox", "mole", "gnome/pink", "gnome/blue"),
}
ALSO = {"garden-dice": ("sun", "disc/blue", "disc/yellow", "disc/green", "disc/red")}
KINDS = {
    "garden-dice": ("plot", "track", "mat", "supply"),
    "garden-rush": ("cell", "hedge", "trampoline", "track"),
    "garden-guests": ("flower", "pedestal", "home", "mushroom"),
}
CORNERS = {(1, 1), (1, 5), (5, 1), (5, 5)}  # cells that a Garden Rush garden has not


def lint(kit: Kit) -> list[Finding]:
    """All that is found, in the order in which the kit names things."""
    return [*_overlaps(kit), *_over_the_edge(kit), *_out_of_line(kit), *_sizes(kit), *_markers(kit), *_of_the_game(kit)]


def _overlaps(kit: Kit) -> Iterator[Finding]:
    for board in kit.boards:
        spaces = [space for space in kit.spaces if space.board == board.id]
        at, size = np.array([s.at_mm for s in spaces]), np.array([s.size_mm for s in spaces])
        for i, space in enumerate(spaces):
            ways = np.abs(at[:i] - at[i]) / ((size[:i] + size[i]) / 2)
            for j in np.nonzero(ways.max(axis=1) < OVERLAP)[0]:
                yield cannot_be("overlap", space=space.id, other=spaces[j].id, at_mm=list(space.at_mm))


def _over_the_edge(kit: Kit) -> Iterator[Finding]:
    sizes = {board.id: board.size_mm for board in kit.boards}
    for space in kit.spaces:
        for at, size, whole in zip(space.at_mm, space.size_mm, sizes[space.board], strict=True):
            if max(size / 2 - at, at + size / 2 - whole) > OVER_THE_EDGE * size:
                yield cannot_be("over-the-edge", space=space.id, at_mm=list(space.at_mm), size_mm=list(space.size_mm))
                break


def _out_of_line(kit: Kit) -> Iterator[Finding]:
    """Spaces in rows and columns lie on a grid: a straight, even one, however it is turned."""
    for spaces, tags in _grids(kit):
        places = [(*(float(space.tags[tag]) for tag in tags), 1.0) for space in spaces]
        if len(spaces) < 4 or np.linalg.matrix_rank(np.array(places)) < 3:
            continue
        at = np.array([space.at_mm for space in spaces])
        for space, (x, y), away in zip(spaces, *_nearly(np.array(places), at), strict=True):
            if away > OUT_OF_LINE * min(space.size_mm):
                expected = [round(float(x), 1), round(float(y), 1)]
                yield cannot_be("out-of-line", space=space.id, at_mm=list(space.at_mm), expected=expected)


def _nearly(places: Array, at: Array) -> tuple[Array, Array]:
    """Where an even grid has its spaces, (N, 2) mm, and how far each lies off it; single ones that do count little."""
    weight = np.ones((len(at), 1))
    for _ in range(20):
        grid = np.linalg.lstsq(places * weight, at * weight, rcond=None)[0]
        away = np.linalg.norm(at - places @ grid, axis=1)
        weight = 1 / np.sqrt(np.maximum(away, 0.5))[:, None]
    return places @ grid, away


def _grids(kit: Kit) -> Iterator[tuple[Sequence[Space], tuple[str, str]]]:
    if kit.game == "garden-guests":
        yield [s for s in kit.spaces if "q" in s.tags and "near" not in s.tags], ("q", "r")
    if kit.game == "garden-dice":
        yield kit.of_kind("plot"), ("row", "column")
    if kit.game == "garden-rush":
        for garden in ("pink", "blue"):
            yield [s for s in kit.of_kind("cell") if s.tags["garden"] == garden], ("row", "column")


def _sizes(kit: Kit) -> Iterator[Finding]:
    widest = max(min(space.size_mm) for space in kit.spaces)
    for piece in kit.pieces:
        if min(piece.size_mm) > TOO_LARGE * widest:
            yield cannot_be("fits-nowhere", piece=piece.name, size_mm=list(piece.size_mm), widest=widest)
        if piece.shape != "hex" and max(piece.size_mm) > 1.5 * min(piece.size_mm):
            yield hard("not-even", piece=piece.name, size_mm=list(piece.size_mm), shape=piece.shape)


def _markers(kit: Kit) -> Iterator[Finding]:
    told = Counter((marker.dictionary, marker.id) for marker in kit.markers)
    for (dictionary, number), count in told.items():
        if count > 1:
            yield cannot_be("marker-twice", id=number, dictionary=dictionary)
    for marker in kit.markers:
        for space in kit.spaces:
            reach = np.add(space.size_mm, marker.size_mm) / 2
            if space.board == marker.board and (np.abs(np.subtract(space.at_mm, marker.at_mm)) < 0.9 * reach).all():
                yield hard("marker-covered", id=marker.id, space=space.id)


def _of_the_game(kit: Kit) -> Iterator[Finding]:
    if kit.game not in KINDS:
        return
    for space in kit.spaces:
        if space.kind not in KINDS[kit.game]:
            yield cannot_be("kind", space=space.id, kind=space.kind, known=", ".join(KINDS[kit.game]))
    yield from _classes(kit)
    rules = {"garden-dice": _garden_dice, "garden-rush": _garden_rush, "garden-guests": _garden_guests}
    yield from rules[kit.game](kit)


def _classes(kit: Kit) -> Iterator[Finding]:
    """Pieces that the game needs and the kit has not, and those that the game has not."""
    if kit.game == "garden-guests":
        teams = sorted({str(space.tags["team"]) for space in kit.of_kind("home")})
        flowers = sorted({str(space.tags["flower"]) for space in kit.spaces if "flower" in space.tags})
        needed = [f"{what}/{team}" for team in teams for what in ("stone", "guest")]
        needed += [f"marker/{flower}" for flower in flowers]
    else:
        needed = [f"{name}/{side}" for name in VEGETABLES[kit.game] for side in SIDES[kit.game]]
        needed += OTHERS[kit.game]
    known, found = [*needed, *ALSO.get(kit.game, ())], {piece.name for piece in kit.pieces}
    for name in needed:
        if name not in found:
            yield not_entered("no-piece", piece=name)
    for piece in kit.pieces:
        if piece.name not in known:
            near = get_close_matches(piece.name, known, n=1)
            yield cannot_be("unknown-piece", piece=piece.name, nearest=near[0] if near else known[0])


def _places(kit: Kit, kind: str, wanted: set[tuple[int, int]], garden: str | None = None) -> Iterator[Finding]:
    """Places by row and column that are missing, stand twice, or should not be."""
    spaces = [space for space in kit.of_kind(kind) if garden is None or space.tags["garden"] == garden]
    found = Counter((space.tags["row"], space.tags["column"]) for space in spaces)
    where = f"{garden} " if garden else ""
    for row, column in sorted(wanted - found.keys()):
        yield cannot_be("no-space", kind=kind, place=f"{where}{row},{column}")
    for space in spaces:
        if (at := (space.tags["row"], space.tags["column"])) not in wanted or found[at] > 1:
            yield cannot_be("no-such-place", kind=kind, space=space.id, place=f"{where}{at[0]},{at[1]}")


def _track(kit: Kit, first: int) -> Iterator[Finding]:
    scores = Counter(space.tags["score"] for space in kit.of_kind("track"))
    if not scores:
        yield not_entered("no-track")
        return
    for score in range(first, max(scores) + 1):
        if scores[score] != 1:
            yield cannot_be("track", score=score, count=scores[score])


def _garden_dice(kit: Kit) -> Iterator[Finding]:
    yield from _places(kit, "plot", {(row, column) for row in range(1, 7) for column in range(1, 7)})
    yield from _track(kit, 0)
    if not any(space.tags["star"] for space in kit.of_kind("plot")):
        yield not_entered("no-stars")
    if not any(piece.name.startswith("disc/") for piece in kit.pieces):
        yield not_entered("no-piece", piece="disc/…")
    if kit.dice is None:
        yield not_entered("no-dice")


def _garden_rush(kit: Kit) -> Iterator[Finding]:
    cells = {(row, column) for row in range(1, 6) for column in range(1, 6)} - CORNERS
    for garden in ("pink", "blue"):
        yield from _places(kit, "cell", cells, garden)
    columns = Counter(space.tags["column"] for space in kit.of_kind("hedge"))
    for column in range(1, 6):
        if columns[column] != 1:
            yield cannot_be("hedge", column=column, count=columns[column])
    if len(kit.of_kind("trampoline")) != 1:
        yield cannot_be("trampoline", count=len(kit.of_kind("trampoline")))
    yield from _track(kit, 1)
    for name in VEGETABLES["garden-rush"]:
        if not kit.patterns.get(name):
            yield not_entered("no-patterns", piece=name)
    for name in kit.patterns.keys() - set(VEGETABLES["garden-rush"]):
        yield cannot_be("unknown-pattern", name=name, known=", ".join(VEGETABLES["garden-rush"]))
    if not any("bonus" in space.tags for space in kit.of_kind("track")):
        yield not_entered("no-bonus")
    if not any("tool" in cell.tags for cell in kit.of_kind("cell")):
        yield not_entered("no-tools")


def _garden_guests(kit: Kit) -> Iterator[Finding]:
    meadow = [space for space in kit.spaces if "q" in space.tags]
    for (q, r), count in Counter((space.tags["q"], space.tags["r"]) for space in meadow).items():
        if count > 1:
            yield cannot_be("place-twice", place=f"{q},{r}", count=count)
    sides: dict[str, set[int]] = {}
    for home in kit.of_kind("home"):
        sides.setdefault(home.tags["team"], set()).add(home.tags["side"])
    for team, found in sides.items():
        if found != {0, 1}:
            yield cannot_be("one-side", team=team, side=min(found))
    if len(sides) < 2:
        yield cannot_be("teams", count=len(sides))
    flowers = Counter(space.tags["flower"] for space in meadow if "flower" in space.tags)
    for flower, count in flowers.items():
        if count == 1:
            yield hard("flower-once", flower=flower)
