"""A table on which calibrating can be gone through without a camera, a printer or a copy: what each step asks for lies
there, printed by nobody and photographed through a lens that bends a little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from calibration.dialogue import BOARD, CAMERA, CHECK, LENS, PIECES, Stand
from calibration.kit_file import toml_of
from calibration.marked_sheets import (
    CHART_SQUARE_MM,
    CHART_SQUARES,
    COLOURS,
    PATCH_MM,
    PATCHES,
    RULER,
    TEACHING,
    MarkedSheet,
    chart,
    marker_modules,
    patch_places,
    teaching_cells,
)
from companion.games import load_game
from companion.kit import Kit, Piece, load_kit
from companion.observation import Frame
from companion.rules import Allowed, State, judge
from companion.simulate.knobs import Knobs
from companion.simulate.laying import laid, stacks
from companion.simulate.lying import BoardLies, Lying, Placements
from companion.simulate.optics import Camera, hung
from companion.simulate.players import choose, start
from companion.simulate.render import Room, render
from companion.simulate.room import Glare, Light, Sensor
from companion.simulate.setting import boards_apart, corners_of
from companion.simulate.surfaces import Surface

Array = np.ndarray[Any, Any]

SIZE_PX = (1280, 960)
LARGE_PX = (2048, 1536)  # where details count
FOCAL, CENTRE, BENT = 0.789, (0.509, 0.49), (-0.11, 0.04, 0.0005, -0.0004, 0.0)  # by the width; by width and height
SENSOR = Sensor(exposure=0.75, vignette=0.1, blur_px=0.55)
PAPER_MM, PX_PER_MM = (210.0, 297.0), 6.0
TABLE = Surface("carpet")  # every board of ours stands out from it
SHEETS = {"chart": None, "colours": COLOURS, "rulers": RULER, "teaching": TEACHING}
NEAREST_MM = 200.0  # that the camera comes
RULED_MM = 300.0  # a board whose longer side is shorter is too small beside the ruler sheet: its size is typed
SEVERAL = 4  # pieces of a kind that are laid out at once
LAMPS = ((0.0, 0.3), (-0.25, -0.25), (0.25, -0.2), (0.2, 0.25))  # where one is mirrored, by the board's size
PLIES = 9  # actions between two photographs of a game


class PracticeCamera:
    """See `companion.live.Camera`.  `asks` tells how far the step has come: what it waits for is what is seen next.

    What lies still is drawn once.  Its settings are those of `calibration.camera.Adjustable`; they count in the step in
    which they are set, everywhere else they are right.
    """

    def __init__(self, kit: Kit, asks: Callable[[], Stand | None]) -> None:
        self._kit, self._asks = kit, asks
        self._folder = TemporaryDirectory(prefix="practice-")
        self._views = 0
        self._knobs = Knobs()
        self.ranges, self.metadata = self._knobs.ranges, self._knobs.metadata
        self.adjust, self.automatic = self._knobs.adjust, self._knobs.automatic
        self._key: tuple[Any, ...] = ()
        self._drawn: Array | None = None
        self._closed = False

    def read(self) -> Frame | None:
        stand = self._asks()
        if self._closed or stand is None:
            return None
        key = self._key_of(stand)
        if key != self._key or self._drawn is None:
            self._key, self._drawn = key, self._draw(key, stand)
        self._views += 1
        seen = self._knobs.taken(self._drawn) if key == (CAMERA,) else self._drawn
        return Frame(seen, f"{self._views:06}", about=self._knobs.metadata())

    def close(self) -> None:
        self._closed = True
        self._folder.cleanup()

    def _key_of(self, stand: Stand) -> tuple[Any, ...]:
        match stand.job.step:
            case "lens":
                return (LENS, self._views)
            case "board":
                return (BOARD, getattr(stand, "pictures", 0))
            case "pieces":
                return (PIECES, getattr(stand, "piece", ""), getattr(stand, "shape", ""))
            case "check":
                return (CHECK, getattr(stand, "photographs", 0))
        return (CAMERA,)

    def _draw(self, key: tuple[Any, ...], stand: Stand) -> Array:
        match key:
            case ("lens", int(number)):
                sheet = self._sheet("chart")
                return _photographed(sheet, _chart_view(number), Placements((_lies("chart"),), {}), number)
            case ("board", int(number)):
                return self._board(stand.job.board, number)
            case ("pieces", str(piece), _):
                return self._pieces(piece)
            case ("check", int(number)):
                return self._game(number)
        return _photographed(self._sheet("colours"), _camera(distance_mm=430), Placements((_lies("colours"),), {}), 1)

    def _board(self, name: str, number: int) -> Array:
        """First with the ruler sheet on it, then with a lamp mirrored in it, each time elsewhere."""
        board = next(board for board in self._kit.boards if board.id == name)
        picture = cv2.imread(str(board.image))
        assert picture is not None
        things = {name: (picture, board.size_mm), "rulers": (sheet_picture("rulers"), PAPER_MM)}
        kit = self._flat_kit(f"board-{name}", things)
        w, h = board.size_mm
        lies, (low, high) = [_lies(name)], (np.array([-w, -h]) / 2, np.array([w, h]) / 2)
        if number == 0 and min(w, h) > max(PAPER_MM):
            lies.append(BoardLies("rulers", (-20.0, 30.0), 9.0, 0.6))
        elif number == 0 and max(w, h) > RULED_MM:  # there is more room beside it
            lies.append(BoardLies("rulers", (-(w + PAPER_MM[0]) / 2 - 15, 0.0), 3.0))
            low, high = (
                np.minimum(low, [-w / 2 - PAPER_MM[0] - 30, -PAPER_MM[1] / 2]),
                np.maximum(high, PAPER_MM[1] / 2),
            )
        middle = (low + high) / 2
        camera = _camera((float(middle[0]), float(middle[1])), _far(high - low), 7, 40 + 110 * number, 2 - number, True)
        at = LAMPS[number % len(LAMPS)]
        glare = Glare((at[0] * w, at[1] * h), (0.14 * w, 0.1 * h), 0.5)
        light = Light(cast=(1.05, 1.0, 0.92), gradient=(0.2, 0.1), glares=(glare,) if number else ())
        return _photographed(kit, camera, Placements(tuple(lies), {}), number, light)

    def _pieces(self, name: str) -> Array:
        piece = next((piece for piece in self._kit.pieces if piece.name == name), None)
        kit = self._teaching(piece)
        random = np.random.default_rng(len(name))
        cells = {
            space.id: (Lying(name, tuple(random.uniform(-1.5, 1.5, 2)), float(random.uniform(-3, 3))),)
            for space in kit.spaces[: SEVERAL if piece is not None else 0]
        }
        camera = _camera((5, 8), 410, 6, 30, 2, True)
        light = Light(cast=(1.05, 1.0, 0.92), gradient=(0.2, 0.1), shadow_strength=0.2)
        return _photographed(kit, camera, Placements((_lies("teaching"),), cells), 5, light)

    def _game(self, number: int) -> Array:
        """A game that goes on from photograph to photograph."""
        game, random = load_game(self._kit.game), Random(7)
        state = start(game, min(game.seating(self._kit).counts), {}, random, self._kit)
        for _ in range(PLIES * (number + 1)):
            action = choose(game, state, random)
            ruling = judge(game, state, action) if action is not None else None
            state = ruling.state if isinstance(ruling, Allowed) else state
        return position_photographed(self._kit, state, number)[0]

    # Sheets

    def _sheet(self, name: str) -> Kit:
        return self._flat_kit(name, {name: (sheet_picture(name), PAPER_MM)})

    def _teaching(self, piece: Piece | None) -> Kit:
        kit = self._sheet("teaching")
        left, top = ((paper - sheet) / 2 for paper, sheet in zip(PAPER_MM, TEACHING.size_mm, strict=True))
        any_space = kit.spaces[0]
        spaces = tuple(
            replace(any_space, id=str(number), at_mm=(left + x, top + y), size_mm=(50.0, 50.0))
            for number, (x, y) in enumerate(teaching_cells())
        )
        return replace(kit, spaces=spaces, pieces=(piece,) if piece is not None else ())

    def _flat_kit(self, name: str, boards: Mapping[str, tuple[Array, tuple[float, float]]]) -> Kit:
        """A kit of nothing but flat pictures."""
        folder = Path(self._folder.name) / name
        if not (folder / "kit.toml").exists():
            folder.mkdir(parents=True, exist_ok=True)
            for board, (picture, _) in boards.items():
                cv2.imwrite(str(folder / f"{board}.png"), picture)
            first = next(iter(boards))
            document = {
                "format": 1,
                "game": "paper",
                "name": name,
                "board": [{"id": b, "image": f"{b}.png", "size_mm": list(size)} for b, (_, size) in boards.items()],
                "space": [{"board": first, "id": "any", "kind": "any", "at_mm": [9.0, 9.0], "size_mm": [9.0, 9.0]}],
            }
            (folder / "kit.toml").write_text(toml_of(document), encoding="utf-8")
        return load_kit(folder)


def position_photographed(kit: Kit, state: State, number: int) -> tuple[Array, dict[str, Any]]:
    """A table on which a position lies, from another side with each number, and its truth as `render` tells it."""
    spaces, noise = {space.id: space for space in kit.spaces}, np.random.default_rng(number)
    found = stacks(load_game(kit.game), kit, state)
    lying = {id: laid(kit, spaces[id], names, noise) for id, names in found.items()}
    boards = boards_apart(kit, np.random.default_rng(3))
    corners = corners_of(kit, boards)
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle = tuple(float(value) for value in (low + high) / 2)
    camera = _camera((middle[0], middle[1]), _far(high - low), 8 + number, 50 * number, 0, True)
    return _rendered(kit, camera, Placements(boards, lying), number, Light(shadow_strength=0.2))


def _lies(board: str) -> BoardLies:
    return BoardLies(board, (0.0, 0.0), 0.0, 0.3)


def _far(size_mm: Array) -> float:
    """From how high all of it is in the picture, with some room."""
    shape = LARGE_PX[0] / LARGE_PX[1]
    return max(NEAREST_MM, float(1.15 * max(size_mm[0], shape * size_mm[1]) * FOCAL + 25))


def _camera(
    target_mm: tuple[float, float] = (0.0, 0.0),
    distance_mm: float = 480.0,
    tilt_deg: float = 0.0,
    towards_deg: float = 0.0,
    roll_deg: float = 0.0,
    large: bool = False,
) -> Camera:
    width, height = LARGE_PX if large else SIZE_PX
    centre = (CENTRE[0] * width, CENTRE[1] * height)
    roll = roll_deg - towards_deg
    return hung((width, height), FOCAL * width, target_mm, distance_mm, tilt_deg, towards_deg, roll, centre, BENT)


def _chart_view(number: int) -> Camera:
    """Views everywhere in the picture, near and far, straight and tilted, none where one was before."""
    random = np.random.default_rng(number)
    across, down = ((number % 4) - 1.5) / 1.5, (number // 4 % 3) - 1
    tilt = (0.0, 22.0, 32.0)[number % 3]
    target = (165 * across + 25 * (number // 12 % 3), 125 * down)
    towards, roll = float(random.uniform(0, 360)), float(random.uniform(-15, 15))
    return _camera(target, float(random.uniform(430, 560)), tilt, towards, roll)


def _photographed(kit: Kit, camera: Camera, lies: Placements, seed: int, light: Light | None = None) -> Array:
    return _rendered(kit, camera, lies, seed, light or Light(shadow_strength=0.2))[0]


def _rendered(kit: Kit, camera: Camera, lies: Placements, seed: int, light: Light) -> tuple[Array, dict[str, Any]]:
    room = Room(surface=TABLE, light=light, sensor=SENSOR)
    return render(kit, lies, [], camera, room, np.random.default_rng(seed))


def sheet_picture(name: str) -> Array:
    """A sheet for calibrating on white A4, as far as a camera looks at it: (height, width, 3) uint8 BGR."""
    width, height = (round(side * PX_PER_MM) for side in PAPER_MM)
    paper = np.full((height, width, 3), 255, np.uint8)
    if name == "chart":
        w, h = (round(count * CHART_SQUARE_MM * PX_PER_MM) for count in CHART_SQUARES)
        grey = chart().generateImage((w, h), marginSize=0, borderBits=1)
        top, left = (height - h) // 2, (width - w) // 2
        paper[top : top + h, left : left + w] = grey[..., None]
        return paper
    sheet = SHEETS[name]
    assert sheet is not None
    _print_markers(paper, sheet)
    if name == "colours":
        for (x, y), colour in zip(patch_places(), PATCHES, strict=True):
            _fill(paper, sheet, (x, y), PATCH_MM, colour[::-1])
    return paper


def _print_markers(paper: Array, sheet: MarkedSheet) -> None:
    for number, at in sheet.markers.items():
        modules = marker_modules(number)
        step = sheet.marker_mm / len(modules)
        for row, column in np.argwhere(modules):
            x = at[0] - sheet.marker_mm / 2 + (column + 0.5) * step
            y = at[1] - sheet.marker_mm / 2 + (row + 0.5) * step
            _fill(paper, sheet, (x, y), step, (0, 0, 0))


def _fill(paper: Array, sheet: MarkedSheet, at_mm: tuple[float, float], side_mm: float, colour: Any) -> None:
    """A square on a sheet that lies in the middle of its paper."""
    margin = [(whole - part) / 2 for whole, part in zip(PAPER_MM, sheet.size_mm, strict=True)]
    left, top = (round((place - side_mm / 2 + edge) * PX_PER_MM) for place, edge in zip(at_mm, margin, strict=True))
    right, low = (round((place + side_mm / 2 + edge) * PX_PER_MM) for place, edge in zip(at_mm, margin, strict=True))
    paper[top:low, left:right] = colour
