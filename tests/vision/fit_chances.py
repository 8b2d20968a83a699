"""Fit the network that tells how likely a claim is right: companion/vision/chances.json.

    python -m tests.vision.fit_chances 60 companion/vision/chances.json [KIT ...]

renders and reads so many photographs of each of our own kits, of the six odd ones and of kits named besides, and fewer
of the same in other colours, with the boards where the eye finds them; an hour or less.  To be run again when what the
figures are made of changes: claims, guesses, fitting.  What it prints is measured on other photographs.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.commands import own_kit
from companion.kit import Kit, load_kit
from companion.vision.board import find_boards
from companion.vision.chances import Network, figures
from companion.vision.claims import Study
from companion.vision.learned import Knowledge, knowledge_of
from companion.vision.pieces import SURE, studies
from companion.vision.view import View
from tests.vision.other_kits import draw_other_kits
from tests.vision.photographs import Wanted, photograph

Array = np.ndarray[Any, Any]
GAMES = ("garden-dice", "garden-rush", "garden-guests")
FIT_SEED, HELD_SEED = 30001, 30002
UNITS, STEPS, RATE, DECAY = 14, 1500, 0.02, 2e-4
MOST_OFF_PX = 3.0  # of a board's corners: the eye knows when it is farther off
SIZES_PX = ((1280, 960), (1280, 960), (1536, 864), (1640, 1232), (1024, 768), (820, 616))


def labelled(found: Study, truth: dict[str, Any], known: Knowledge) -> tuple[Array, Array]:
    """Figures (n, inputs) of all first claims, and whether each is right (n,)."""
    rows = list(found.claims)
    right = []
    for k in rows:
        space, pieces = found.sight.spaces[k], found.claims[k][0].pieces
        lies = tuple(truth["spaces"].get(space.id, ()))
        right.append(pieces == lies or (space.id in known.pieces.crowds and pieces[0] in lies))
    return figures(found, rows), np.array(right, bool)


def placed(view: View, truth: dict[str, Any], kit: Kit) -> bool:
    boards = [board for board in kit.boards if board.id in view.poses and board.id in truth["boards"]]
    return all(np.abs(view.corners(b) - np.array(truth["boards"][b.id])).max() < MOST_OFF_PX for b in boards)


def photographed(kit: Kit, seed: int, number: int, harsh: bool = False) -> tuple[Array, dict[str, Any]]:
    """A photograph as a file of one of some sizes holds it, and its truth."""
    size = SIZES_PX[number % len(SIZES_PX)]
    pixels, truth = photograph(kit, seed, number, Wanted(size_px=size, harsh=harsh))
    _, content = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 75 + number * 7 % 22])
    return cv2.imdecode(content, cv2.IMREAD_COLOR), truth


def claims_of(kit: Kit, count: int, seed: int) -> tuple[Array, Array]:
    known, parts = knowledge_of(kit), []
    for number in range(count):
        pixels, truth = photographed(kit, seed, number)
        view = find_boards(pixels, known.boards, kit, None)
        if view is not None and placed(view, truth, kit):
            seen = studies(pixels, view, known.pieces, kit)
            parts += [labelled(found, truth, known) for found in seen if found.claims]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def fitted(told: Array, right: Array) -> Network:
    """A network by Adam's method on all at once, its weights held near nothing."""
    random = np.random.default_rng(0)
    mean, spread = told.mean(0), told.std(0) + 1e-3
    scaled = np.clip((told - mean) / spread, -Network.MOST_SPREADS, Network.MOST_SPREADS)
    inputs = told.shape[1]
    weights = [
        random.normal(0, inputs**-0.5, (inputs, UNITS)),
        np.zeros(UNITS),
        random.normal(0, 0.3, UNITS),
        np.zeros(()),
    ]
    first, second = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    for step in range(1, STEPS + 1):
        units = np.tanh(scaled @ weights[0] + weights[1])
        odds = np.clip(units @ weights[2] + weights[3], -30, 30)
        off = (1 / (1 + np.exp(-odds)) - right) / len(right)
        back = np.outer(off, weights[2]) * (1 - units * units)
        slopes = [scaled.T @ back + DECAY * weights[0], back.sum(0), units.T @ off + DECAY * weights[2], off.sum()]
        rate = RATE * min(1.0, (STEPS - step) / (0.3 * STEPS) + 0.02)
        for k, slope in enumerate(slopes):
            first[k] = 0.9 * first[k] + 0.1 * slope
            second[k] = 0.999 * second[k] + 0.001 * slope**2
            unbiased = np.sqrt(second[k] / (1 - 0.999**step)) + 1e-8
            weights[k] = weights[k] - rate * first[k] / (1 - 0.9**step) / unbiased
    return Network(mean, spread, *weights)


def write(network: Network, path: Path) -> None:
    path.write_text(json.dumps({name: np.round(value, 5).tolist() for name, value in vars(network).items()}) + "\n")


def recoloured(kit: Kit, folder: Path, seed: int) -> Kit:
    """A copy of a kit whose pictures have other hues, more or less of them, and other greys."""
    random = np.random.default_rng(seed)
    hue, colour, power = int(random.integers(30, 150)), random.uniform(0.5, 1.3), random.uniform(0.7, 1.4)
    shutil.copytree(kit.folder, folder)
    for path in folder.rglob("*.png"):
        picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        hsv = cv2.cvtColor(picture[..., :3], cv2.COLOR_BGR2HSV).astype(float)
        h, s, v = (hsv[..., 0] + hue) % 180, np.clip(hsv[..., 1] * colour, 0, 255), 255 * (hsv[..., 2] / 255) ** power
        changed = cv2.cvtColor(np.stack([h, s, v], -1).astype(np.uint8), cv2.COLOR_HSV2BGR)
        cv2.imwrite(str(path), np.dstack([changed, picture[..., 3:]]))
    return load_kit(folder)


def main(count: int, path: Path, folders: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        odd = [load_kit(folder) for folder in draw_other_kits(Path(scratch)).values()]
        kits = [*map(own_kit, GAMES), *odd, *map(load_kit, folders)]
        others = [recoloured(kit, Path(scratch) / f"other-{number}", number) for number, kit in enumerate(kits)]
        parts = [claims_of(kit, count, FIT_SEED) for kit in kits]
        parts += [claims_of(kit, max(1, count // 3), FIT_SEED) for kit in others]
        network = fitted(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))
        write(network, path)
        for kit in kits:
            told, right = claims_of(kit, max(1, count // 3), HELD_SEED)
            sure = network.log_odds(told) > np.log(SURE / (1 - SURE))
            wrong = int((sure & ~right).sum())
            print(f"{kit.folder.name}: {len(right)} claims, {right.sum()} right; {sure.sum()} sure, {wrong} wrong")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
