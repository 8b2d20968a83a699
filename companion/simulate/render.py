"""Photographs of a simulated table, with their truth: boards, pieces, dice, hands and what else lies about.

    picture, truth = render(kit, placements, dice, camera, room, random)

The bare table with its boards is kept from one picture to the next as long as camera, boards and light stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.kit import Board, Kit, Piece
from companion.simulate.canvas import (
    TABLE,
    Canvas,
    Finish,
    Picture,
    cast_shadow,
    paint_picture,
    paint_prism,
    picture_file,
    placed,
    random_finish,
    shrunk,
)
from companion.simulate.edges import Make, occlude, paint_rim
from companion.simulate.lying import BoardLies, Loose, Placements, on_table
from companion.simulate.optics import Camera, Generator, at_height, plane_map
from companion.simulate.room import Light, Sensor, developed
from companion.simulate.surfaces import Surface, surface_seen, to_linear
from companion.simulate.things import (
    HIDING,
    Beside,
    Hand,
    StandingDie,
    paint_beside,
    paint_die,
    paint_hand,
)

Array = np.ndarray[Any, Any]

BOARD_OWNER = 1
FIRST_SPACE_OWNER = 2
HIDDEN_SHARE = 0.25  # a space or piece of which so much is out of view counts as hidden
DIE_SEEN_SHARE = 0.75  # of its top face, for a die to count as visible
OUTSIDE = -2  # who is seen beyond the edge of the picture
GRID = np.stack(np.meshgrid(*[(np.arange(9) - 4) / 9.0] * 2), axis=-1).reshape(-1, 2)  # of a square with side 1
DISC_GRID = GRID * np.sqrt(1 - 2 * GRID[:, ::-1] ** 2)  # the same drawn into a disc
CARDBOARD = np.array([0.32, 0.4, 0.45], np.float32)


@dataclass(frozen=True)
class Room:
    surface: Surface = field(default_factory=Surface)
    light: Light = field(default_factory=Light)
    sensor: Sensor = field(default_factory=Sensor)
    hands: tuple[Hand, ...] = ()
    things: tuple[Beside, ...] = ()
    make: Make = field(default_factory=Make)


@dataclass(frozen=True, eq=False)
class Standing:
    """A piece with its place in the room."""

    piece: Piece
    picture: Picture
    at_mm: tuple[float, float]
    turn_deg: float
    base_mm: float
    owner: int

    @property
    def top_mm(self) -> float:
        return self.base_mm + self.piece.height_mm

    @property
    def radius_mm(self) -> float:
        return min(self.piece.size_mm) / 2

    def outline(self) -> Array:
        return placed(self.picture.outline_mm, self.at_mm, self.turn_deg)


def _picture(piece: Piece) -> Picture:
    return picture_file(piece.image, piece.size_mm, piece.shape)


@dataclass(frozen=True, eq=False)
class StillLife:
    """A table painted with all that lies on it, as yet without hands."""

    canvas: Canvas
    groups: Mapping[str, Sequence[Standing]]  # by space
    dice: Sequence[StandingDie]
    bases_mm: Sequence[float]  # the heights that the dice stand at


def render(
    kit: Kit,
    placements: Placements,
    dice: Sequence[StandingDie],
    camera: Camera,
    room: Room,
    random: Generator,
) -> tuple[Array, dict[str, Any]]:
    """A photograph, (height, width, 3) uint8 BGR, and its truth in the form of the scenes' truth files.

    Dice stand on whatever lies under them.  `random` is for the sensor's noise and the pieces' small differences.
    """
    life = paint(kit, placements, dice, camera, room, lambda piece: random_finish(random))
    canvas = life.canvas
    for hand in room.hands:
        paint_hand(canvas, hand)
    truth = truth_of(kit, placements, life, room)
    return developed(canvas.linear, camera, room.light, room.sensor, glossy(canvas), random), truth


def glossy(canvas: Canvas) -> Array:
    """Where glare shows: on what lies on the table, (height, width) uint8; as good as any where there is no glare."""
    return np.asarray((canvas.owner > 0) * np.uint8(255)) if canvas.light.glares else canvas.owner


def paint(
    kit: Kit,
    placements: Placements,
    dice: Sequence[StandingDie],
    camera: Camera,
    room: Room,
    finish_of: Callable[[Standing], Finish],
) -> StillLife:
    """The table with boards, pieces, piles, dice and things, each piece with a finish of its own."""
    canvas = _bare_canvas(kit, placements, camera, room)
    groups = standing_pieces(kit, placements)
    piles = [_pile(kit, loose) for loose in placements.loose]
    flat = [standing for group in (*groups.values(), *piles) for standing in group]
    bases = [_under(die, flat, kit, placements) for die in dice]
    first_die = FIRST_SPACE_OWNER + len(kit.spaces)
    jobs: list[tuple[float, Any]] = []
    foot = camera.place_mm[:2]
    for group in (*groups.values(), *piles):
        away = float(np.hypot(*(np.array(group[0].at_mm) - foot)))
        finishes = [finish_of(standing) for standing in group]
        jobs.append((away, partial(_paint_group, canvas, group, finishes, room.make)))
    for i, (die, (base, on)) in enumerate(zip(dice, bases, strict=True)):
        away = float(np.hypot(*(np.array(die.at_mm) - foot)))
        if on is not None:  # it stands on a piece: painted after it
            away = min(away, float(np.hypot(*(np.array(on.at_mm) - foot))) - 0.01)
        jobs.append((away, partial(paint_die, canvas, die, base, first_die + i)))
    for thing in room.things:
        away = float(np.hypot(*(np.array(thing.at_mm) - foot)))
        jobs.append((away, partial(paint_beside, canvas, thing)))
    for _, job in sorted(jobs, key=lambda job: -job[0]):  # what is nearer to the camera's foot leans over the rest
        job()
    return StillLife(canvas, groups, dice, [base for base, _ in bases])


def standing_pieces(kit: Kit, placements: Placements) -> dict[str, list[Standing]]:
    """The pieces of each space where they stand, each on top of those of its space that it overlaps."""
    boards, lies = {board.id: board for board in kit.boards}, {lie.board: lie for lie in placements.boards}
    pieces = {piece.name: piece for piece in kit.pieces}
    pictures = {piece.name: _picture(piece) for piece in kit.pieces}
    groups = {}
    for number, space in enumerate(kit.spaces):
        if not placements.spaces.get(space.id) or space.board not in lies:
            continue
        board, lie = boards[space.board], lies[space.board]
        group: list[Standing] = []
        for lying in placements.spaces[space.id]:
            piece = pieces[lying.piece]
            x, y = on_table(board, lie, np.array([space.at_mm]) + lying.offset_mm)[0]
            reach = min(piece.size_mm) / 2
            under = [s.top_mm for s in group if np.hypot(s.at_mm[0] - x, s.at_mm[1] - y) < 0.98 * (s.radius_mm + reach)]
            base = max(under, default=lie.thick_mm)
            at = (float(x), float(y))
            turn, owner = lie.turn_deg + lying.turn_deg, FIRST_SPACE_OWNER + number
            group.append(Standing(piece, pictures[piece.name], at, turn, base, owner))
        groups[space.id] = group
    return groups


def _pile(kit: Kit, loose: Loose) -> list[Standing]:
    piece = next(piece for piece in kit.pieces if piece.name == loose.piece)
    pile = []
    for i in range(loose.count):
        # Nobody piles things up straight: a shift and a turn that follow from the count alone.
        x, y = loose.at_mm[0] + 0.8 * ((i * 7) % 5 - 2), loose.at_mm[1] + 0.8 * ((i * 3) % 5 - 2)
        turn = loose.turn_deg + 5 * ((i * 11) % 7 - 3)
        pile.append(Standing(piece, _picture(piece), (x, y), turn, i * piece.height_mm, HIDING))
    return pile


def _under(
    die: StandingDie, pieces: Sequence[Standing], kit: Kit, placements: Placements
) -> tuple[float, Standing | None]:
    """The height that a die stands at, and the piece that it stands on."""
    base, on = 0.0, None
    for lie in placements.boards:
        board = next(board for board in kit.boards if board.id == lie.board)
        inside = placed(np.array([die.at_mm]) - lie.at_mm, (0, 0), -lie.turn_deg)[0]
        if (np.abs(inside) < np.array(board.size_mm) / 2 + die.size_mm * 0.3).all():
            base = max(base, lie.thick_mm)
    for piece in pieces:
        away = np.hypot(piece.at_mm[0] - die.at_mm[0], piece.at_mm[1] - die.at_mm[1])
        if away < piece.radius_mm + 0.3 * die.size_mm and piece.top_mm > base:
            base, on = piece.top_mm, piece
    return base, on


def _paint_group(canvas: Canvas, group: Sequence[Standing], finishes: Sequence[Finish], make: Make) -> None:
    for standing, finish in zip(group, finishes, strict=True):
        picture, piece = standing.picture, standing.piece
        outline = standing.outline()
        thin_card = piece.shape != "disc" and piece.height_mm <= 2.6
        side = CARDBOARD if thin_card and not make.dyed else picture.rim * np.float32(0.9)
        occlude(canvas, outline, standing.base_mm, piece.height_mm)
        cast_shadow(canvas, outline, standing.base_mm, max(0.8, piece.height_mm))
        paint_prism(canvas, outline, standing.base_mm, piece.height_mm, side, standing.owner)
        at, turn = standing.at_mm, standing.turn_deg
        paint_picture(canvas, picture, at, turn, standing.top_mm, standing.owner, finish)
        if make.rim_mm:
            paint_rim(canvas, outline, standing.top_mm, piece.height_mm, side, make, standing.owner)


def _bare_canvas(kit: Kit, placements: Placements, camera: Camera, room: Room) -> Canvas:
    boards = {board.id: board for board in kit.boards}
    lies = tuple((boards[lie.board].image, boards[lie.board].size_mm, lie) for lie in placements.boards)
    linear, owner = _bare(lies, camera, room.surface, room.light)
    return Canvas(linear.copy(), owner.copy(), camera, room.light)


@lru_cache(maxsize=2)
def _bare(
    boards: tuple[tuple[Path, tuple[float, float], BoardLies], ...], camera: Camera, surface: Surface, light: Light
) -> tuple[Array, Array]:
    """The table and its boards: reflected light (height, width, 3) float32 and owners (height, width) int16."""
    width, height = camera.size_px
    canvas = Canvas(surface_seen(surface, camera), np.zeros((height, width), np.int16), camera, light)
    for image, size_mm, lie in boards:
        _paint_board(canvas, image, size_mm, lie)
    return canvas.linear, canvas.owner


def _paint_board(canvas: Canvas, image: Path, size_mm: tuple[float, float], lie: BoardLies) -> None:
    """A board's picture, exact through the lens at every pixel."""
    picture, camera = picture_file(image, size_mm, "square"), canvas.camera
    w, h = size_mm
    outline = placed(picture.outline_mm, lie.at_mm, lie.turn_deg)
    cast_shadow(canvas, outline, 0, max(1.0, lie.thick_mm))
    dense = np.vstack(
        [np.linspace(a, b, 24, endpoint=False) for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True)]
    )
    paint_prism(canvas, dense, 0, lie.thick_mm, CARDBOARD, BOARD_OWNER)
    window = canvas.window(camera.project(dense, lie.thick_mm), 3)
    if window is None:
        return
    texture = shrunk(picture, max(camera.scale(point, lie.thick_mm) for point in outline))
    px = np.array([(texture.shape[1] - 2) / w, (texture.shape[0] - 2) / h])
    angle = np.radians(lie.turn_deg)
    back = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    # Table to picture: turn back, to the top left corner, to pixels with the transparent edge of one.
    onto = np.hstack([back, (np.array(size_mm) / 2 - back @ np.array(lie.at_mm))[:, None]]) * px[:, None]
    onto[:, 2] += 0.5
    whole = onto @ np.vstack([at_height(camera, lie.thick_mm), [0, 0, 1]])
    maps = cv2.convertMaps(cv2.transform(plane_map(camera)[window], whole), None, cv2.CV_16SC2)  # type: ignore[call-overload]
    seen = cv2.remap(texture, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    canvas.blend(window, to_linear(seen)[..., :3], seen[..., 3], BOARD_OWNER)


def truth_of(kit: Kit, placements: Placements, life: StillLife, room: Room) -> dict[str, Any]:
    """What a picture shows, in the form of the scenes' truth files; `hidden` and `visible` as the canvas is now."""
    canvas, groups = life.canvas, life.groups
    camera = canvas.camera
    boards, lies = {board.id: board for board in kit.boards}, {lie.board: lie for lie in placements.boards}
    corners = {}
    for name, lie in lies.items():
        w, h = boards[name].size_mm
        on = on_table(boards[name], lie, np.array([[0, 0], [w, 0], [w, h], [0, h]]))
        corners[name] = camera.project(on, lie.thick_mm).round(2).tolist()
    hidden = _hidden(kit, boards, lies, groups, canvas)
    return {
        "game": kit.game,
        "image": "",
        "light": room.light.name,
        "tilt_deg": round(camera.tilt_deg, 1),
        "hand": bool(room.hands),
        "boards": corners,
        "spaces": {name: told(group) for name, group in groups.items()},
        "hidden": hidden,
        "dice": [
            _die_truth(die, base, FIRST_SPACE_OWNER + len(kit.spaces) + i, canvas)
            for i, (die, base) in enumerate(zip(life.dice, life.bases_mm, strict=True))
        ],
        "camera": {"K": camera.matrix.tolist(), "dist": list(camera.distortion)},
    }


def told(group: Sequence[Standing]) -> list[str]:
    """The classes as a camera from above can tell them: a pile of like things once, things side by side in order."""
    names: list[str] = []
    for standing in group:
        if not names or names[-1] != standing.piece.name:
            names.append(standing.piece.name)
    return sorted(names) if len({standing.base_mm for standing in group}) == 1 else names


def _hidden(
    kit: Kit,
    boards: Mapping[str, Board],
    lies: Mapping[str, BoardLies],
    groups: Mapping[str, Sequence[Standing]],
    canvas: Canvas,
) -> list[str]:
    """The spaces of which too little is seen, or of one of whose pieces."""
    own, looks, heights = [], [], []
    for number, space in enumerate(kit.spaces):
        if space.board not in lies:
            continue
        lie = lies[space.board]
        own.append(FIRST_SPACE_OWNER + number)
        looks.append(on_table(boards[space.board], lie, np.array(space.at_mm) + GRID * np.array(space.size_mm)))
        heights.append(lie.thick_mm)
    grounds = len(own)
    for standing in (standing for group in groups.values() for standing in group):
        # On the disc within its outline: no corner of another's, nor its own blurred edge.
        points = placed(DISC_GRID * np.array(standing.piece.size_mm), standing.at_mm, standing.turn_deg)
        own.append(standing.owner)
        looks.append(points)
        heights.append(standing.top_mm)
    whose = _whose(canvas, np.stack(looks), np.array(heights))
    seen = whose == np.array(own)[:, None]
    seen[:grounds] |= (whose[:grounds] == TABLE) | (whose[:grounds] == BOARD_OWNER)
    short = seen.mean(axis=1) <= 1 - HIDDEN_SHARE
    names = {owner - FIRST_SPACE_OWNER for owner, is_short in zip(own, short, strict=True) if is_short}
    return [kit.spaces[number].id for number in sorted(names)]


def _whose(canvas: Canvas, points_mm: Array, heights_mm: Array) -> Array:
    """Who is seen at points (N, P, 2) of heights (N,): (N, P), OUTSIDE where that is not in the picture."""
    height, width = canvas.owner.shape
    each = np.repeat(heights_mm, points_mm.shape[1])
    at = np.rint(canvas.camera.project(points_mm.reshape(-1, 2), each)).astype(int)
    inside = (at >= 0).all(axis=1) & (at[:, 0] < width) & (at[:, 1] < height)
    whose = np.full(len(at), OUTSIDE)
    whose[inside] = canvas.owner[at[inside, 1], at[inside, 0]]
    return whose.reshape(points_mm.shape[:2])


def _die_truth(die: StandingDie, base_mm: float, owner: int, canvas: Canvas) -> dict[str, Any]:
    top = base_mm + die.size_mm
    at = canvas.camera.project(np.array([die.at_mm]), top)[0]
    face = placed(GRID * die.size_mm, die.at_mm, die.turn_deg)
    visible = (_whose(canvas, face[None], np.array([top])) == owner).mean() >= DIE_SEEN_SHARE
    return {"value": die.value, "at_px": at.round(1).tolist(), "visible": bool(visible)}
