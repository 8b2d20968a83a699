"""Where pieces come to lie: as hands lay them on spaces, and as a position of a game says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from companion.kit import TRACK, Kit, Piece, Space
from companion.rules import Game, State
from companion.simulate.lying import Lying

Generator = np.random.Generator


def laid(kit: Kit, space: Space, names: Sequence[str], random: Generator, unruly: float = 0.0) -> tuple[Lying, ...]:
    """Pieces (from the bottom up) as hands lay them on a space: a little off, a little turned.

    `unruly` is how often one lies far off or turned anyhow.
    """
    pieces = {piece.name: piece for piece in kit.pieces}
    chosen = [pieces[name] for name in names]
    if space.kind == TRACK and len(chosen) > 1:
        return tuple(_side_by_side(kit, space, chosen, random))
    return tuple(_stacked(space, chosen, random, unruly))


def _stacked(space: Space, chosen: Sequence[Piece], random: Generator, unruly: float) -> Iterator[Lying]:
    below: Piece | None = None
    x = y = 0.0
    for piece in chosen:
        size = min(piece.size_mm)
        if below is None or min(below.size_mm) < 1.3 * size:  # the first, or a pile of like ones
            slack = max(0.8, 0.45 * (min(space.size_mm) - size)) if below is None else 0.06 * size
            off = np.clip(random.normal(0, slack / 2, 2), -slack, slack)
            if below is None and random.random() < unruly:
                off = random.uniform(-0.22, 0.22, 2) * size
        else:  # a disc anywhere on a tile
            reach = 0.5 * (min(below.size_mm) - size) * np.sqrt(random.random())
            angle = random.uniform(0, 2 * np.pi)
            off = reach * np.array([np.cos(angle), np.sin(angle)])
        x, y = x + float(off[0]), y + float(off[1])
        yield Lying(piece.name, (x, y), _turn(piece, random, unruly))
        below = piece


def _turn(piece: Piece, random: Generator, unruly: float) -> float:
    if piece.shape == "disc" or random.random() < unruly:
        return float(random.uniform(0, 360))
    step = 60 if piece.shape == "hex" else 90
    return float(step * random.integers(360 // step) + np.clip(random.normal(0, 5), -14, 14))


def _side_by_side(kit: Kit, space: Space, chosen: Sequence[Piece], random: Generator) -> Iterator[Lying]:
    """Score markers beside each other, across the track's run: from the board's edge towards its middle.

    What would lie beyond the edge is moved in, the others with it.
    """
    board = next(board for board in kit.boards if board.id == space.board)
    off = np.array(space.at_mm) - np.array(board.size_mm) / 2
    down = abs(off[1]) / board.size_mm[1] > abs(off[0]) / board.size_mm[0]
    across = np.array([0.0, 1.0]) if down else np.array([1.0, 0.0])
    step = min(chosen[0].size_mm) + 0.6
    first = -0.5 * step * (len(chosen) - 1)
    if len(chosen) > 2:
        room = float(across @ (np.array(board.size_mm) / 2 - np.abs(off))) - 0.5 * step
        outwards = float(np.sign(across @ off)) or 1.0
        first = min(first, room - step * (len(chosen) - 1)) if outwards > 0 else max(first, -room)
    for number, piece in enumerate(chosen):
        at = across * (first + number * step) + random.uniform(-0.3, 0.3, 2) * (1 - across)
        yield Lying(piece.name, (float(at[0]), float(at[1])), float(random.uniform(0, 360)))


def spaces_of(game: Game, kit: Kit) -> dict[str, str]:
    """The kit's spaces by the game's names of them."""
    places = {game.place(space): space.id for space in kit.spaces}
    return {place: space for place, space in places.items() if place is not None}


def track_of(kit: Kit) -> list[str]:
    """The spaces of the score track from the lowest; past the last a marker goes on from the first."""
    return [space.id for space in sorted(kit.of_kind(TRACK), key=lambda space: int(space.tags["score"]))]


def stacks(game: Game, kit: Kit, state: State) -> dict[str, tuple[str, ...]]:
    """What lies on each space that is not empty, from the bottom up, every piece of a stack counted.

    Score markers on one space stand in the order of their class.
    """
    spaces, track = spaces_of(game, kit), track_of(kit)
    heaps = _heaps(game.write_position(state))
    table: dict[str, tuple[str, ...]] = {}
    for place, pieces in game.expected(state).items():
        if place in spaces:
            kind, count = heaps.get(place, ("", 1))
            counts = [count if piece.partition("/")[0] == kind else 1 for piece in pieces]
            table[spaces[place]] = tuple(p for piece, n in zip(pieces, counts, strict=True) for p in [piece] * n)
    if track:
        for piece, score in sorted(game.scores(state).items()):
            at = track[score % len(track)]
            table[at] = (*table.get(at, ()), piece)
    return table


def _heaps(position: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
    """By place: of which kind of piece several may lie on each other there, and how many do."""
    match position["game"]:
        case "garden-dice":
            return {at: ("disc", tile["discs"]) for at, tile in position["board"].items() if tile.get("discs")}
        case "garden-guests":
            return {at: ("guest", piece["guests"]) for at, piece in position["spaces"].items() if piece.get("guests")}
    return {}
