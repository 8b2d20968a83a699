"""A kit made with `companion calibrate` from rendered photographs of a copy alone: boards empty, pieces laid out.

Of the copy's own kit nothing is handed over but what a person would measure with a ruler, or tap on the screen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.profile import Profile, profile_text
from companion.__main__ import main
from companion.kit import Board, Kit, Piece, Space, load_kit
from companion.observation import Calibration
from companion.simulate.lying import BoardLies
from companion.simulate.room import Glare, Light
from companion.simulate.surfaces import Surface
from tests.calibration.photographing import (
    A4_MM,
    BENT,
    CENTRE_PX,
    FOCAL_PX,
    SIZE_PX,
    camera_at,
    flat_kit,
    laid_out,
    photographed,
    sheet_picture,
    teaching_kit,
    write,
)

Array = np.ndarray[Any, Any]

BIG_PX = (2560, 1920)
ROOM = Light(cast=(1.08, 1.0, 0.87), gradient=(0.25, 0.2), shadow_strength=0.3)
TABLE = Surface("carpet")  # boards are laid on a table of another colour
LAMPS = ((-0.22, 0.15), (0.22, -0.17), (0.0, 0.3), (-0.25, -0.25))  # where one is mirrored, by the board's size
RULED_MM = 300.0  # a board whose longer side is shorter is too small beside the ruler sheet: its size is typed
EXAMPLES = 2  # of each kind of space of a map


def lens_profile(path: Path) -> Path:
    """The profile of the one camera, its lens as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(profile_text(Profile(Calibration(SIZE_PX, FOCAL_PX, CENTRE_PX, BENT))), encoding="utf-8")
    return path


# What a person would measure, or say


def layout_of(copy: Kit, board: str) -> str:
    """A layout of one of its boards, as docs/calibrating.md tells how to write one."""
    spaces = [space for space in copy.spaces if space.board == board]
    return "\n".join({"garden-dice": _dice, "garden-rush": _rush, "garden-guests": _guests}[copy.game](copy, spaces))


def _dice(copy: Kit, spaces: Sequence[Space]) -> Iterator[str]:
    at = {space.id: list(space.at_mm) for space in spaces}
    plots = [space for space in spaces if space.kind == "plot"]
    yield f"stars = {json.dumps([space.id for space in plots if space.tags['star']])}"
    yield f"[plots]\nfirst_mm = {at['1,1']}\nlast_mm = {at['6,6']}\nsize_mm = {plots[0].size_mm[0]}"
    yield from _track(spaces)


def _track(spaces: Sequence[Space]) -> Iterator[str]:
    """Where the track begins, turns and ends."""
    track = sorted((s for s in spaces if s.kind == "track"), key=lambda s: int(s.tags["score"]))
    if not track:
        return
    at = np.array([space.at_mm for space in track])
    steps = np.diff(at, axis=0)
    turns = [i + 1 for i, bend in enumerate(np.abs(np.diff(steps, axis=0)).max(axis=1)) if bend > 0.05]
    ends = [0, *turns, len(track) - 1]
    places = ", ".join(f"{track[i].tags['score']} = {[round(float(v), 3) for v in at[i]]}" for i in ends)
    yield f"[track]\nat_mm = {{{places}}}\nsize_mm = {track[0].size_mm[0]}"
    bonus = [space.tags["score"] for space in track if space.tags.get("bonus")]
    if bonus:
        yield f"bonus = {bonus}"


def _rush(copy: Kit, spaces: Sequence[Space]) -> Iterator[str]:
    at = {space.id: np.array(space.at_mm) for space in spaces}
    for garden, cells in groupby((s for s in spaces if s.kind == "cell"), lambda s: s.tags["garden"]):
        own = {(s.tags["row"], s.tags["column"]): s for s in cells}
        here = {place: np.array(space.at_mm) for place, space in own.items()}
        across, down = (here[3, 5] - here[3, 1]), (here[5, 3] - here[1, 3])
        first = here[3, 3] - (across + down) / 2
        tools = ", ".join(f'"{r},{c}" = "{s.tags["tool"]}"' for (r, c), s in own.items() if "tool" in s.tags)
        yield f"[gardens.{garden}]\nfirst_mm = {first.tolist()}\nacross_mm = {(first + across).tolist()}"
        yield f"down_mm = {(first + down).tolist()}\nsize_mm = {own[3, 3].size_mm[0]}\ntools = {{{tools}}}"
    if "hedge-1" in at:
        size = next(space.size_mm[0] for space in spaces if space.kind == "hedge")
        yield f"[hedge]\nfirst_mm = {at['hedge-1'].tolist()}\nlast_mm = {at['hedge-5'].tolist()}\nsize_mm = {size}"
    for space in spaces:
        if space.kind == "trampoline":
            yield f"[trampoline]\nat_mm = {list(space.at_mm)}\nsize_mm = {space.size_mm[0]}"
    yield from _track(spaces)


def _guests(copy: Kit, spaces: Sequence[Space]) -> Iterator[str]:
    """Three middles, and a few spaces of each kind by name; one place beside the map is none."""
    at = {space.id: space.at_mm for space in spaces}
    yield f"[map]\norigin_mm = {list(at['0,0'])}\nq_mm = {list(at['1,0'])}\nr_mm = {list(at['0,1'])}"
    yield f"size_mm = {spaces[0].size_mm[0]}\n[examples]"
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for space in spaces:
        kinds.setdefault((space.kind, space.tags.get("flower", ""), space.tags.get("team", "")), []).append(space.id)
    for (kind, flower, team), names in kinds.items():
        more = f', flower = "{flower}"' * bool(flower) + f', team = "{team}"' * bool(team)
        yield from (f'"{name}" = {{kind = "{kind}"{more}}}' for name in names[:EXAMPLES])
    beside = next((name for name in places_beside(copy)), None)
    if beside is not None:
        yield f'"{beside}" = {{kind = "none"}}'


def places_beside(copy: Kit) -> Iterator[str]:
    """Places of a map's lattice, wholly on the board, that are no spaces."""
    at = {space.id: space.at_mm for space in copy.spaces}
    origin, across, down = (np.array(at[key]) for key in ("0,0", "1,0", "0,1"))
    half = copy.spaces[0].size_mm[0] / 2
    for r in range(-9, 10):
        for q in range(-12, 13):
            place = origin + q * (across - origin) + r * (down - origin)
            inside = (place > half).all() and (place < np.array(copy.boards[0].size_mm) - half).all()
            if inside and f"{q},{r}" not in at:
                yield f"{q},{r}"


# What the camera sees


def glaring(x: float, y: float, wide_mm: float = 420.0) -> Light:
    """A lamp mirrored in a board, by the board's width: the camera is nearer to a smaller one."""
    return replace(ROOM, glares=(Glare((x, y), (wide_mm / 7, wide_mm / 9.3), 0.5),))


def empty_boards(board: Board, folder: Path) -> tuple[Path, list[str]]:
    """The empty board with the ruler sheet on it where that fits, and with a lamp mirrored in it; what to say of it."""
    picture = cv2.imread(str(board.image))
    assert picture is not None
    table = flat_kit(folder / "table", {"board": (picture, board.size_mm), "rulers": (sheet_picture("rulers"), A4_MM)})
    lying = board.size_mm[1] > board.size_mm[0]
    wide, tall = sorted(board.size_mm, reverse=True) if lying else board.size_mm
    lies = BoardLies("board", (0.0, 0.0), 91.0 if lying else 1.0, 2.0)
    away = max(220.0, 1.22 * max(wide / SIZE_PX[0], tall / SIZE_PX[1]) * FOCAL_PX)
    ruled = max(wide, tall) >= RULED_MM
    beside = (0.0, 0.0) if ruled else (wide / 2 + 130, 20.0)
    sheet = BoardLies("rulers", (beside[0] - 20.0, beside[1] + 30.0), 17.0, 2.3 if ruled else 0.1)
    far = away if ruled else max(away, 620.0)
    camera = camera_at((beside[0] / 2, 5), far, 7, 30, 2, BIG_PX)
    pictures, white = [], photographed(table, camera, [lies, sheet], light=ROOM, surface=TABLE)
    for i, (x, y) in enumerate(LAMPS):
        camera = camera_at((6, 0), away, 8, 120 * i, 3 - i, BIG_PX)
        lamp = glaring(x * wide, y * tall, wide)
        pictures.append(photographed(table, camera, [lies], light=lamp, seed=i, surface=TABLE))
    pictures = [white, *pictures] if ruled else [*pictures, white]  # the first says how fine the board is kept
    size = [] if ruled else ["--size", f"{board.size_mm[0]:g}x{board.size_mm[1]:g}"]
    return write(folder / "boards", pictures), [*size, *(["--turn", "270"] if lying else [])]


def piece_layings(copy: Kit, folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Pieces of one shape and height on the teaching sheet, with what to say of them."""
    sheet = teaching_kit(folder / "sheet", copy)
    camera = camera_at((5, 8), 410, 6, 30, 2, BIG_PX)

    def alike(piece: Piece) -> tuple[str, float]:
        return piece.shape, piece.height_mm

    for (shape, height), pieces in groupby(sorted(copy.pieces, key=alike), alike):
        several = 1 if shape == "square" else 3
        names = [piece.name for piece in pieces for _ in range(several)]
        pictures = write(folder / f"{shape}-{height:g}", laid_out(sheet, names, camera, light=ROOM))
        yield pictures, ["--classes", ",".join(names), "--shape", shape, "--height", f"{height:g}"]


def copied(copy: Kit, folder: Path, profile: Path) -> Kit:
    """A kit made from photographs of a copy."""
    made, lens = folder / "kit", ["--camera-profile", str(profile)]
    for board in copy.boards:
        layout = folder / f"layout-{board.id}.toml"
        layout.parent.mkdir(parents=True, exist_ok=True)
        layout.write_text(layout_of(copy, board.id), encoding="utf-8")
        pictures, more = empty_boards(board, folder / board.id)
        new = ["--game", copy.game, "--board", board.id, "--layout", str(layout)]
        assert main(["calibrate", "board", "--from", str(pictures), "--out", str(made), *new, *more, *lens]) == 0
    for pictures, what in piece_layings(copy, folder):
        assert main(["calibrate", "pieces", "--from", str(pictures), "--out", str(made), *what, *lens]) == 0
    return load_kit(made)
