"""What no picture tells of a copy of Garden Rush: the shapes of the beds, tapped cell by cell.

Draw the shapes of the vegetable that is chosen, below them the cells of one, row by row, as its garden's owner sees
them, the hedge on the far side; the vegetables above, or one beside each row.  Every tap but `keep` carries the
shapes as they are then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from companion.account import Teller
from companion.ui.view.taps import Tap

SIDE = 5
MOST_SHAPES = 9
FULL, BARE = "■", "□"
Cell = tuple[int, int]
Shape = tuple[Cell, ...]


@dataclass(frozen=True)
class Beds:
    """The shapes of each vegetable of a kit, and the one that is being tapped: one more than there are is a new one."""

    kit: str
    shapes: Mapping[str, tuple[Shape, ...]]
    veggie: str
    number: int = 0


@dataclass(frozen=True)
class KeepBeds:
    """Put these shapes into the kit."""

    beds: Beds


@dataclass(frozen=True)
class BedsView:
    title: str
    how: str
    veggies: tuple[Tap[Beds], ...]
    numbers: tuple[Tap[Beds], ...]
    cells: tuple[tuple[Tap[Beds], ...], ...]
    drop: Tap[Beds] | None
    keep: Tap[KeepBeds]


def beds_view(beds: Beds, teller: Teller) -> BedsView:
    told = teller.common["bench"]
    shapes = beds.shapes[beds.veggie]
    new = [Tap("+", replace(beds, number=len(shapes)), chosen=beds.number == len(shapes))]
    numbers = [Tap(str(n + 1), replace(beds, number=n), chosen=n == beds.number) for n in range(len(shapes))]
    shape = shapes[beds.number] if beds.number < len(shapes) else ()
    return BedsView(
        told["beds"],
        told["beds-how"],
        tuple(
            Tap(
                f"{teller.name(veggie)}: {len(known)}",
                replace(beds, veggie=veggie, number=0),
                "",
                veggie == beds.veggie,
            )
            for veggie, known in beds.shapes.items()
        ),
        tuple(numbers + (new if len(shapes) < MOST_SHAPES else [])),
        tuple(
            tuple(Tap(FULL if (row, column) in shape else BARE, toggled(beds, (row, column))) for column in range(SIDE))
            for row in range(SIDE)
        ),
        Tap(told["drop-bed"], without(beds)) if shape else None,
        Tap(told["keep"], KeepBeds(beds)),
    )


def toggled(beds: Beds, cell: Cell) -> Beds:
    """With a cell in the shape, or out of it; a shape without cells is none."""
    shapes = list(beds.shapes[beds.veggie])
    if beds.number >= len(shapes):
        shapes.append(())
    shape = set(shapes[beds.number]) ^ {cell}
    shapes[beds.number] = tuple(sorted(shape))
    return _with(beds, tuple(each for each in shapes if each))


def without(beds: Beds) -> Beds:
    shapes = beds.shapes[beds.veggie]
    return _with(replace(beds, number=0), tuple(each for number, each in enumerate(shapes) if number != beds.number))


def _with(beds: Beds, shapes: tuple[Shape, ...]) -> Beds:
    return replace(beds, shapes={**beds.shapes, beds.veggie: shapes}, number=min(beds.number, len(shapes)))


def written(beds: Beds) -> dict[str, list[list[list[int]]]]:
    """The shapes as a kit has them: from the first row and column on, each once."""
    found = {}
    for veggie, shapes in beds.shapes.items():
        moved = dict.fromkeys(map(_from_the_corner, shapes))
        if moved:
            found[veggie] = [[list(cell) for cell in shape] for shape in moved]
    return found


def _from_the_corner(shape: Shape) -> Shape:
    top, left = min(row for row, _ in shape), min(column for _, column in shape)
    return tuple((row - top, column - left) for row, column in shape)
