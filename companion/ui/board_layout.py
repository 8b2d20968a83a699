"""Where the boards of a kit lie on a part of the screen: only where pieces may lie, as large as there is room.

Pixels count from the part's top left corner, x right, y down.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from companion.kit import Kit, Space

MARGIN = 0.12  # around the outermost spaces, of a space's size
GAP = 0.3  # between boards, of a space's size
BESIDE = 0.85  # how far beside a map's outermost spaces their numbers stand, of a step between two spaces
REACH = 0.75  # how far beside a space's middle it is still meant, of its size

Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Placed:
    """A part of a board's picture (`crop_mm`), and where its top left corner lies."""

    board: str
    crop_mm: Box
    at_px: tuple[float, float]


@dataclass(frozen=True)
class BoardLayout:
    """`labels` are the numbers of columns and rows, by the place of their middle; those of a map stand on its board."""

    boards: tuple[Placed, ...]
    spaces: tuple[Space, ...]
    px_per_mm: float
    labels: Mapping[tuple[float, float], str]
    is_map: bool = False

    @property
    def step_px(self) -> float:
        """How large the smallest space is."""
        return self.px_per_mm * min((min(space.size_mm) for space in self.spaces), default=0.0)

    @property
    def apart_px(self) -> float:
        """How far apart the two nearest spaces' middles are: as wide as the place is in which each can be tapped."""
        places = [self.at_px(space) for space in self.spaces]
        return min((math.dist(one, other) for one, other in combinations(places, 2)), default=math.inf)

    def at_px(self, space: Space) -> tuple[float, float]:
        """The middle of a space."""
        placed = next(placed for placed in self.boards if placed.board == space.board)
        return _on_screen(placed, self.px_per_mm, space.at_mm)

    def space_at(self, x_px: float, y_px: float) -> Space | None:
        """The nearest space, where one is near."""
        nearest = self.nearest(x_px, y_px)
        return nearest if nearest is not None and self._away(nearest, x_px, y_px) <= REACH else None

    def nearest(self, x_px: float, y_px: float) -> Space | None:
        """The space that is nearest to a place; None where there are none."""
        return min(self.spaces, key=lambda space: self._away(space, x_px, y_px), default=None)

    def _away(self, space: Space, x_px: float, y_px: float) -> float:
        """How far a space's middle is from a place, of its size."""
        x, y = self.at_px(space)
        return math.hypot(x - x_px, y - y_px) / (max(space.size_mm) * self.px_per_mm)


def enlarged(
    layout: BoardLayout, step_px: float, around: tuple[float, float], size_px: tuple[float, float]
) -> BoardLayout:
    """A layout made so large that its smallest space is `step_px`, with a place of it in the middle of the part.

    No further than to the part's edge is any of it moved: what can be seen of the boards is.
    """
    times = max(1.0, step_px / layout.step_px)

    def moved(axis: int) -> float:
        ends = [
            (p.at_px[axis], p.at_px[axis] + layout.px_per_mm * (p.crop_mm[axis + 2] - p.crop_mm[axis]))
            for p in layout.boards
        ]
        low, high = times * min(begin for begin, _ in ends), times * max(end for _, end in ends)
        wanted = size_px[axis] / 2 - times * around[axis]
        return (
            min(max(wanted, size_px[axis] - high), -low)
            if high - low > size_px[axis]
            else (size_px[axis] - low - high) / 2
        )

    by = moved(0), moved(1)
    boards = tuple(replace(p, at_px=(times * p.at_px[0] + by[0], times * p.at_px[1] + by[1])) for p in layout.boards)
    return BoardLayout(boards, layout.spaces, times * layout.px_per_mm, {})


def lay_out(kit: Kit, drawn: Mapping[str, object], size_px: tuple[float, float], label_px: float = 0.0) -> BoardLayout:
    """The boards that have spaces among `drawn`, side by side or one below the other: whichever is larger.

    `label_px` is the room for the numbers of rows and columns, where there are such; those of a map stand beside its
    rows and at the lower ends of its columns, and take less of it.
    """
    spaces = tuple(space for space in kit.spaces if space.id in drawn)
    by_board = {board: [space for space in spaces if space.board == board.id] for board in kit.boards}
    crops = {board.id: _crop(mine, board.size_mm) for board, mine in by_board.items() if mine}
    if not crops or min(size_px) <= label_px:
        return BoardLayout((), (), 1.0, {})
    is_map = any("q" in space.tags for space in spaces)
    left_px, top_px, below_px = (label_px / 2, 0.0, label_px / 2) if is_map else (label_px, label_px, 0.0)
    gap_mm = GAP * max(max(space.size_mm) for space in spaces)
    sizes = [(right - left, bottom - top) for left, top, right, bottom in crops.values()]
    room_px = (size_px[0] - left_px, size_px[1] - top_px - below_px)
    ways = [_scale(sizes, gap_mm, room_px, across) for across in (0, 1)]
    across = 0 if ways[0] >= ways[1] else 1
    scale = ways[across]
    placed = _place(crops, scale, gap_mm, across, (left_px, top_px), room_px)
    labels = _map_labels(placed, spaces, scale) if is_map and label_px else _labels(placed, spaces, scale, label_px)
    return BoardLayout(placed, spaces, scale, labels, is_map)


def is_numbered(kit: Kit) -> bool:
    """Whether its spaces are called by two numbers, which stand beside the boards then."""
    spaces = kit.spaces
    return any("row" in s.tags or ("q" in s.tags and s.id == f"{s.tags['q']},{s.tags['r']}") for s in spaces)


def _crop(spaces: Sequence[Space], size_mm: tuple[float, float]) -> Box:
    margin = MARGIN * max(max(space.size_mm) for space in spaces)
    left, top = (min(s.at_mm[axis] - s.size_mm[axis] / 2 for s in spaces) - margin for axis in (0, 1))
    right, bottom = (max(s.at_mm[axis] + s.size_mm[axis] / 2 for s in spaces) + margin for axis in (0, 1))
    return max(0.0, left), max(0.0, top), min(size_mm[0], right), min(size_mm[1], bottom)


def _scale(sizes: Sequence[tuple[float, float]], gap_mm: float, room_px: tuple[float, float], across: int) -> float:
    """Pixels for a millimetre, with the boards in a row along an axis."""
    along = sum(size[across] for size in sizes) + gap_mm * (len(sizes) - 1)
    beside = max(size[1 - across] for size in sizes)
    return min(room_px[across] / along, room_px[1 - across] / beside)


def _place(
    crops: Mapping[str, Box],
    scale: float,
    gap_mm: float,
    across: int,
    first_px: tuple[float, float],
    room_px: tuple[float, float],
) -> tuple[Placed, ...]:
    """In a row that stands in the middle of the room."""
    lengths = [crop[across + 2] - crop[across] for crop in crops.values()]
    used = scale * (sum(lengths) + gap_mm * (len(lengths) - 1))
    along = first_px[across] + (room_px[across] - used) / 2
    placed = []
    for (board, crop), length in zip(crops.items(), lengths, strict=True):
        width = scale * (crop[3 - across] - crop[1 - across])
        beside = first_px[1 - across] + (room_px[1 - across] - width) / 2
        placed.append(Placed(board, crop, (along, beside) if across == 0 else (beside, along)))
        along += scale * (length + gap_mm)
    return tuple(placed)


def _labels(
    boards: Sequence[Placed], spaces: Sequence[Space], scale: float, label_px: float
) -> dict[tuple[float, float], str]:
    """The numbers of rows beside a board and of columns above it, where each stands for one line of spaces."""
    found: dict[tuple[float, float], str] = {}
    if not label_px:
        return found
    for placed in boards:
        mine = [space for space in spaces if space.board == placed.board]
        for axis, tag in ((0, "column"), (1, "row")):
            lines = {(s.tags.get("garden"), s.tags[tag]): s.at_mm[axis] for s in mine if tag in s.tags}
            places = {(round(at), line) for (_, line), at in lines.items()}
            if axis == 0 and len(places) > len({line for _, line in places}):
                continue  # a column of one garden is another in the next
            for at, line in places:
                x, y = _on_screen(placed, scale, (at, at))
                found[(x, placed.at_px[1] - label_px / 2) if axis == 0 else (placed.at_px[0] - label_px / 2, y)] = str(
                    line
                )
    return found


def _map_labels(boards: Sequence[Placed], spaces: Sequence[Space], scale: float) -> dict[tuple[float, float], str]:
    """The two numbers by which a map's spaces are called: r before each row, q at the lower end of each column."""
    found: dict[tuple[float, float], str] = {}
    for placed in boards:
        mine = [space for space in spaces if space.board == placed.board and "q" in space.tags]
        for tag, along, last in (("r", "q", 0), ("q", "r", -1)):
            lines: dict[int, list[Space]] = {}
            for space in sorted(mine, key=lambda space: int(space.tags[along])):
                lines.setdefault(int(space.tags[tag]), []).append(space)
            for number, line in lines.items():
                if len(line) > 1:
                    end, before = line[last].at_mm, line[1 if last == 0 else -2].at_mm
                    x, y = (a + BESIDE * (a - b) for a, b in zip(end, before, strict=True))
                    found[_on_screen(placed, scale, (x, y))] = str(number)
    return found


def _on_screen(placed: Placed, scale: float, at_mm: tuple[float, float]) -> tuple[float, float]:
    return (
        placed.at_px[0] + (at_mm[0] - placed.crop_mm[0]) * scale,
        placed.at_px[1] + (at_mm[1] - placed.crop_mm[1]) * scale,
    )
