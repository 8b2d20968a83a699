"""What is known of a kit's spaces and pieces by their looks, learned from its pictures when the kit is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from companion.kit import Kit, Space
from companion.vision.bare import BARE_LARGE, BARE_SMALL, Bare, bare_of, least_sign
from companion.vision.sight import BoardKnowledge, know_board
from companion.vision.templates import Group, learn_groups

Array = np.ndarray[Any, Any]

BASE_SHARE = 0.6  # of the largest piece that fits a space: smaller ones do not lie on it by themselves
FITS = 1.25  # a piece may be this much larger than its space
TOPS = ("disc", "marker")  # the families of classes that kits have for what lies on other pieces
TOP_SHARE = 0.8  # in a kit without them: a piece this much smaller than another may lie on it, unless it is a tall one


@dataclass(frozen=True, eq=False)
class PieceKnowledge:
    """All that is known of a kit's spaces and pieces by their looks.  Built once for a kit."""

    groups: tuple[Group, ...]
    bares: dict[str, Bare]  # by space
    boards: dict[str, BoardKnowledge]
    bases: dict[str, tuple[int, ...]]  # by space: the groups that may lie on it by themselves
    tops: dict[int, tuple[int, ...]]  # by group: the groups that may lie on it
    largest: dict[str, float]  # by space: how wide the largest piece is that fits, mm
    crowds: frozenset[str]  # the spaces that several small pieces may crowd
    signs: dict[str, float]  # by space: how unlike its bare self it looks at least when a piece lies on it, 0…1

    def number_of(self, name: str) -> int:
        """The number of a class's group."""
        return self._numbers[name]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, group in enumerate(self.groups) for name in group.names}

    def group_of(self, name: str) -> Group:
        return self.groups[self.number_of(name)]


def _base_groups(space: Space, groups: tuple[Group, ...]) -> tuple[int, ...]:
    """The groups that may lie on a space by themselves: those that fit it, save those much smaller than the largest."""
    fitting = [k for k, g in enumerate(groups) if min(g.size_mm) <= FITS * min(space.size_mm)]
    largest = max((groups[k].reach_mm for k in fitting), default=0.0)
    return tuple(k for k in fitting if groups[k].reach_mm >= BASE_SHARE * largest)


def _top_groups(base: Group, groups: tuple[Group, ...]) -> tuple[int, ...]:
    """The groups that may lie on another: of the families that do, where the kit has such; else by their size."""
    named = [j for j, top in enumerate(groups) if any(name.partition("/")[0] in TOPS for name in top.names)]
    return tuple(
        j
        for j in named or range(len(groups))
        if groups[j].reach_mm <= TOP_SHARE * base.reach_mm and groups[j].height_mm <= groups[j].reach_mm
    )


def learn_pieces(kit: Kit, boards: Mapping[str, Array], pieces: Mapping[str, Array]) -> PieceKnowledge:
    """What is to be known of a kit, from its pictures (BGR or BGRA uint8) by board id and by piece class."""
    groups = learn_groups(kit, pieces)
    by_board = {board.id: (board, np.ascontiguousarray(boards[board.id][..., :3])) for board in kit.boards}
    largest = max(max(space.size_mm) for space in kit.spaces)
    bares = {}
    for space in kit.spaces:
        board, picture = by_board[space.board]
        side = BARE_LARGE if max(space.size_mm) > 0.6 * largest else BARE_SMALL
        bares[space.id] = bare_of(picture, board, space, side)
    known = {
        id: know_board(picture, board, [s for s in kit.spaces if s.board == id])
        for id, (board, picture) in by_board.items()
    }
    tops = {k: _top_groups(base, groups) for k, base in enumerate(groups)}
    bases = {space.id: _base_groups(space, groups) for space in kit.spaces}
    signs = {
        id: min(
            (least_sign(bares[id], groups[k].pictures, groups[k].masks, groups[k].reach_mm) for k in on), default=1.0
        )
        for id, on in bases.items()
    }
    widest = {id: max((groups[k].reach_mm for k in on), default=1.0) for id, on in bases.items()}
    crowds = frozenset(id for id, on in bases.items() if on and widest[id] < BASE_SHARE * groups[0].reach_mm)
    return PieceKnowledge(groups, bares, known, bases, tops, widest, crowds, signs)
