"""What lies where on a table: boards, pieces on their spaces, piles beside the boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.kit import Board
from companion.simulate.canvas import placed

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class BoardLies:
    """Where a board lies on the table: the middle of its picture, turned clockwise."""

    board: str
    at_mm: tuple[float, float]
    turn_deg: float = 0.0
    thick_mm: float = 2.0


@dataclass(frozen=True)
class Lying:
    """A piece on a space: how far from the space's middle in the board's frame, and how it is turned."""

    piece: str
    offset_mm: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0


@dataclass(frozen=True)
class Loose:
    """A pile of pieces on the bare table."""

    piece: str
    at_mm: tuple[float, float]
    turn_deg: float = 0.0
    count: int = 1


@dataclass(frozen=True)
class Placements:
    """What lies where: the boards on the table, pieces by space from the bottom up, piles beside the boards."""

    boards: tuple[BoardLies, ...]
    spaces: Mapping[str, tuple[Lying, ...]]
    loose: tuple[Loose, ...] = ()


def on_table(board: Board, lies: BoardLies, points_mm: Array) -> Array:
    """Points (N, 2) of a board's picture in the table's frame."""
    return placed(points_mm - np.array(board.size_mm) / 2, lies.at_mm, lies.turn_deg)
