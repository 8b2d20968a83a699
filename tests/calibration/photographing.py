"""Printed sheets and made-up copies on a simulated table, photographed through a lens that is known."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2

from calibration.kit_file import toml_of
from calibration.marked_sheets import TEACHING, teaching_cells
from calibration.paper import PAPERS, Pages
from calibration.sheet_pages import sheet_pages
from companion.kit import Kit, load_kit
from companion.simulate.lying import BoardLies, Lying, Placements
from companion.simulate.optics import Camera, hung
from companion.simulate.render import Room, render
from companion.simulate.room import Light, Sensor
from companion.simulate.surfaces import Surface
from companion.words import words

Array = np.ndarray[Any, Any]

SHEETS = ("chart", "colours", "rulers", "teaching")
A4_MM = (210.0, 297.0)
SIZE_PX, FOCAL_PX, CENTRE_PX = (1280, 960), 1010.0, (652.0, 470.0)
BENT = (-0.11, 0.04, 0.0005, -0.0004, 0.0)
CLEAN = Sensor(exposure=0.75, vignette=0.1, blur_px=0.55)


@cache
def sheet_picture(name: str) -> Array:
    """A calibration sheet as printed on A4: (height, width, 3) BGR at some 6 px/mm."""
    pages = Pages(PAPERS["a4"], "sheets", words("calibration", "en")["sheets"])
    sheet_pages(pages)
    page = pypdfium2.PdfDocument(BytesIO(pages.finish()))[SHEETS.index(name)]
    return np.asarray(page.render(scale=150 / 72).to_numpy())[..., :3].copy()


def flat_kit(folder: Path, boards: dict[str, tuple[Array, tuple[float, float]]]) -> Kit:
    """A kit of nothing but flat pictures, each with its size in mm."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (picture, _) in boards.items():
        cv2.imwrite(str(folder / f"{name}.png"), picture)
    document = {
        "format": 1,
        "game": "paper",
        "name": "paper",
        "board": [{"id": n, "image": f"{n}.png", "size_mm": list(size)} for n, (_, size) in boards.items()],
        "space": [
            {"board": next(iter(boards)), "id": "any", "kind": "any", "at_mm": [20.0, 20.0], "size_mm": [10.0, 10.0]}
        ],
    }
    (folder / "kit.toml").write_text(toml_of(document), encoding="utf-8")
    return load_kit(folder)


def sheet_kit(folder: Path, *names: str) -> Kit:
    return flat_kit(folder, {name: (sheet_picture(name), A4_MM) for name in names})


def teaching_kit(folder: Path, own: Kit) -> Kit:
    """The teaching sheet as a board whose spaces are its cells, with the pieces of another kit."""
    left, top = (A4_MM[0] - TEACHING.size_mm[0]) / 2, 10 + (A4_MM[1] - 10 - 24 - TEACHING.size_mm[1]) / 2
    spaces = [
        {"board": "teaching", "id": f"{i}", "kind": "cell", "at_mm": [left + x, top + y], "size_mm": [50.0, 50.0]}
        for i, (x, y) in enumerate(teaching_cells())
    ]
    pieces = []
    for piece in own.pieces:
        image = piece.image.relative_to(own.folder)
        (folder / image).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(piece.image, folder / image)
        row = {"class": piece.name, "image": str(image), "size_mm": list(piece.size_mm)}
        pieces.append({**row, "height_mm": piece.height_mm, "shape": piece.shape})
    cv2.imwrite(str(folder / "teaching.png"), sheet_picture("teaching"))
    board = {"id": "teaching", "image": "teaching.png", "size_mm": list(A4_MM)}
    document = {"format": 1, "game": "paper", "name": "sheet", "board": [board], "space": spaces, "piece": pieces}
    (folder / "kit.toml").write_text(toml_of(document), encoding="utf-8")
    return load_kit(folder)


def laid_out(
    kit: Kit, names: Sequence[str], camera: Camera, seed: int = 1, sensor: Sensor = CLEAN, light: Light | None = None
) -> list[Array]:
    """Photographs of pieces on the teaching sheet, a dozen on each, none quite straight."""
    random = np.random.default_rng(seed)
    pictures = []
    for begin in range(0, len(names), len(kit.spaces)):
        spaces = {}
        for space, name in zip(kit.spaces, names[begin : begin + len(kit.spaces)], strict=False):
            x, y = (float(value) for value in random.uniform(-1.5, 1.5, 2))
            spaces[space.id] = (Lying(name, (x, y), float(random.uniform(-3, 3))),)
        pictures.append(photographed(kit, camera, sensor=sensor, light=light, seed=seed + begin, spaces=spaces))
    return pictures


def camera_at(
    target_mm: tuple[float, float] = (0.0, 0.0),
    distance_mm: float = 480.0,
    tilt_deg: float = 0.0,
    towards_deg: float = 0.0,
    roll_deg: float = 0.0,
    size_px: tuple[int, int] = SIZE_PX,
) -> Camera:
    """The one camera, hung somewhere; it leans `towards` a way, and what lies upright stays so but for `roll`."""
    scale = size_px[0] / SIZE_PX[0]
    centre = (CENTRE_PX[0] * scale, CENTRE_PX[1] * scale)
    return hung(
        size_px, FOCAL_PX * scale, target_mm, distance_mm, tilt_deg, towards_deg, roll_deg - towards_deg, centre, BENT
    )


def photographed(
    kit: Kit,
    camera: Camera,
    lies: Sequence[BoardLies] | None = None,
    sensor: Sensor = CLEAN,
    light: Light | None = None,
    seed: int = 1,
    spaces: Any = None,
    surface: Surface | None = None,
) -> Array:
    """A photograph (height, width, 3) uint8 BGR of boards on the table, where nothing else lies."""
    lies = lies or [BoardLies(kit.boards[0].id, (0.0, 0.0), 0.0, 0.3)]
    room = Room(surface or Surface(), light=light or Light(shadow_strength=0.2), sensor=sensor)
    return render(kit, Placements(tuple(lies), spaces or {}), [], camera, room, np.random.default_rng(seed))[0]


def chart_cameras(count: int = 14) -> list[Camera]:
    """Views everywhere in the picture, near and far, straight and tilted."""
    random = np.random.default_rng(3)
    cameras = []
    for i in range(count):
        across = ((i % 4) - 1.5) / 1.5 + 0.35 * (i // 12)  # from the 13th on beside where it was
        down = (i // 4 % 3) - 1
        tilt = (0.0, 22.0, 32.0)[i % 3]
        target = (165 * across, 125 * down)
        distance = float(random.uniform(430, 560))
        cameras.append(camera_at(target, distance, tilt, float(random.uniform(0, 360)), float(random.uniform(-15, 15))))
    return cameras


def write(folder: Path, pictures: Sequence[Array]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number, picture in enumerate(pictures):
        cv2.imwrite(str(folder / f"{number:03}.png"), picture)
    return folder
