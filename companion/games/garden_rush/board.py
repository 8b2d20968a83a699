"""The board: cells, tool spaces, beds, bonus spaces.  All of it is data of the kit; what nobody entered is None."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

COLOURS = ("pink", "blue")
VEGGIES = ("carrot", "eggplant", "tomato", "broccoli", "potato")
TOOL_SPACES = ("place", "harvest", "move", "flip")
SIDE = 5
CELLS = tuple(f"{row},{column}" for row in range(1, SIDE + 1) for column in range(1, SIDE + 1))
CELL = {name: cell for cell, name in enumerate(CELLS)}  # a cell is its place in this list
CORNERS = frozenset(("1,1", "1,5", "5,1", "5,5"))

Shape = tuple[tuple[int, int], ...]  # (row away from the hedge, column to the owner's right)


def column_of(cell: int) -> int:
    return cell % SIDE + 1


def mask_of(cells: Iterable[int]) -> int:
    """A set of cells as a number, a bit for each."""
    mask = 0
    for cell in cells:
        mask |= 1 << cell
    return mask


def cells_of(mask: int) -> tuple[int, ...]:
    return tuple(cell for cell in range(len(CELLS)) if mask >> cell & 1)


ALL_CELLS = mask_of(CELL[name] for name in CELLS if name not in CORNERS)


@dataclass(frozen=True, slots=True)
class Ground:
    """What is printed in one garden."""

    cells: int = ALL_CELLS  # as a mask
    tools: tuple[str | None, ...] | None = None  # by cell


@dataclass(frozen=True, slots=True)
class Board:
    pink: Ground = Ground()
    blue: Ground = Ground()
    bonus_spaces: tuple[int, ...] | None = None
    open_spaces: tuple[int, ...] = ()  # track spaces of which nobody entered whether they are bonus spaces
    patterns: tuple[tuple[Shape | None, ...] | None, ...] = (None,) * len(VEGGIES)  # in the order of VEGGIES
    arrow: int = SIDE  # the hedge's column next to the trampoline

    def ground(self, colour: str) -> Ground:
        return self.pink if colour == "pink" else self.blue

    def has(self, colour: str, cell: int) -> bool:
        return bool(self.ground(colour).cells >> cell & 1)

    def beds(self, colour: str, veggie: str, mirror: bool) -> frozenset[int]:
        """The beds of the shapes entered for a vegetable, wherever they fit in the garden, as masks."""
        shapes = self.patterns[VEGGIES.index(veggie)] or ()
        return _beds(shapes, self.ground(colour).cells, colour == "blue", mirror)

    def shape_of(self, colour: str, veggie: str, bed: int, mirror: bool) -> int | None:
        """Which of the vegetable's shapes a bed is, counted from 1; None where it is none that was entered."""
        for number, shape in enumerate(self.patterns[VEGGIES.index(veggie)] or (), 1):
            if bed in _beds((shape,), self.ground(colour).cells, colour == "blue", mirror):
                return number
        return None

    def lacks_shapes(self, veggie: str) -> bool:
        shapes = self.patterns[VEGGIES.index(veggie)]
        return not shapes or None in shapes

    def not_entered(self) -> tuple[str, ...]:
        """What nobody entered of this copy, by the keys that rulings name it by."""
        shapes = (f"patterns.{veggie}" for veggie in VEGGIES if self.lacks_shapes(veggie))
        bonuses = ("bonus_spaces",) if self.bonus_spaces is None or self.open_spaces else ()
        tools = (f"tools.{colour}" for colour in COLOURS if self.ground(colour).tools is None)
        return (*shapes, *bonuses, *tools)


@lru_cache(maxsize=256)
def _beds(shapes: tuple[Shape | None, ...], cells: int, reversed_columns: bool, mirror: bool) -> frozenset[int]:
    found: set[int] = set()
    for shape in shapes:
        ways = [] if shape is None else [_reversed(shape) if reversed_columns else shape]
        if mirror:
            ways += [_reversed(way) for way in ways]
        found.update(
            mask for way in ways for turned in _turns(way) for mask in _everywhere(turned) if mask & ~cells == 0
        )
    return frozenset(found)


def _reversed(shape: Shape) -> Shape:
    return tuple((row, -column) for row, column in shape)


def _turns(shape: Shape) -> Iterator[Shape]:
    for _ in range(4):
        yield shape
        shape = tuple((column, -row) for row, column in shape)


def _everywhere(shape: Shape) -> Iterator[int]:
    """The shape shifted to every place of the square that it fits in."""
    top, left = min(row for row, _ in shape), min(column for _, column in shape)
    height, width = max(row for row, _ in shape) - top, max(column for _, column in shape) - left
    for down in range(SIDE - height):
        for right in range(SIDE - width):
            yield mask_of((row - top + down) * SIDE + column - left + right for row, column in shape)
