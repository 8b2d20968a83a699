"""Reading the spaces: what lies on each, from a photograph, where the boards lie in it, and the kit's pictures."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import cv2
import numpy as np

from companion.kit import Kit
from companion.observation import Reading
from companion.vision.claims import BUSY, Claim, Study, study
from companion.vision.guess import Cover
from companion.vision.knowledge import PieceKnowledge, is_crowd, learn_pieces
from companion.vision.light import Light
from companion.vision.rectify import Photo, halve
from companion.vision.sight import Sight, look, noise_of
from companion.vision.view import View

__all__ = ["PieceKnowledge", "learn_pieces", "read_spaces"]

Array = np.ndarray[Any, Any]

LEAST_GAIN = -0.3  # of a claim that keeps a space from being read as bare
PLAIN = 0.62  # the worst block of a bare space
MORE_THERE = 0.87  # the worst block beside a piece on a space where several may lie
CLEARLY_PLAIN = 0.5  # of a space that is bare whatever else might explain it


def read_spaces(
    pixels: Array, view: View, known: PieceKnowledge, kit: Kit, only: Collection[str] | None = None
) -> tuple[dict[str, Reading], dict[str, str]]:
    """What lies on every space of the kit (or on those named by `only`), once each: as read, or why it is unsure.

    `pixels` is (height, width, 3) uint8 BGR.
    """
    photo = Photo((pixels, halve(pixels)))
    noise = noise_of(pixels)
    readings: dict[str, Reading] = {}
    unsure: dict[str, str] = {}
    light: Light | None = None
    for board in sorted(kit.boards, key=lambda board: -board.size_mm[0] * board.size_mm[1]):
        spaces = [s for s in kit.spaces if s.board == board.id and (only is None or s.id in only)]
        if board.id not in view.poses:
            unsure.update({space.id: "board-not-found" for space in spaces})
        elif spaces:
            sight = look(photo, view, board, spaces, known.boards[board.id], noise, light)
            light = light or sight.light
            _read_board(sight, known, readings, unsure)
    return readings, unsure


def _strength(found: list[Claim]) -> float:
    """How clearly the best claim stands: its weakest point in units of what it takes; above 1 it is to be believed."""
    best = found[0]
    rival = next((c for c in found if c.pieces != best.pieces and c.told_from != best.told_from), None)
    points = [
        (best.gain + 0.6) / 0.25,
        max((best.bare - best.cost) / 0.25, 0.5 * best.bare / max(best.cost, 0.02)),
        (0.9 - best.cost) / 0.3,
        best.lead / (0.05 + 0.1 * best.told),
        best.top_margin / 0.08,
        (1.1 - best.around) / 0.4,
    ]
    if rival is not None:
        points.append((best.gain - rival.gain) / 0.04)
    return float(min(points))


def _settled(found: Study, known: PieceKnowledge) -> dict[int, float]:
    """The spaces whose best claim is to be believed, with its strength; no piece stands on two spaces."""
    strong = {k: _strength(claims) for k, claims in found.claims.items()}
    settled: dict[int, float] = {}
    for k in sorted((k for k in strong if strong[k] >= 1), key=lambda k: -found.claims[k][0].gain):
        claim = found.claims[k][0]
        foot = np.array(claim.foot_mm)
        taken = any(
            np.hypot(*(foot - found.claims[j][0].foot_mm)) < claim.radius_mm + found.claims[j][0].radius_mm * 0.5
            for j in settled
        )
        if not taken:
            settled[k] = strong[k]
    return settled


def _left_over(found: Study, k: int, settled: Collection[int]) -> tuple[float, float]:
    """A space's worst block where no settled piece of another space stands in its view, and the share that is clear."""
    sight, side = found.sight, found.maps.shape[1]
    space = sight.spaces[k]
    size = max(space.size_mm)
    clear = np.ones((side, side), np.float32)
    if settled:
        claims = [found.claims[j][0] for j in settled]
        foot, head = np.array([claim.foot_mm for claim in claims]), np.array([claim.head_mm for claim in claims])
        radius = np.array([claim.radius_mm for claim in claims])
        near = np.hypot(*(foot - space.at_mm).T) < radius + np.hypot(*(head - foot).T) + size
        count = int(near.sum())
        cover = Cover(foot[near], head[near], radius[near] * 1.1 + 0.5, np.ones(count, bool))
        clear[cover.hides(np.tile(space.at_mm, (count, 1)), np.zeros(count), size, side).any(0)] = 0
    k_px = max(3, round(0.29 * side))
    weight = cv2.blur(clear, (k_px, k_px), borderType=cv2.BORDER_CONSTANT)
    mean = cv2.blur(found.maps[k] * clear, (k_px, k_px), borderType=cv2.BORDER_CONSTANT) / (weight + 1e-3)
    return float((mean * (weight > 0.6)).max()), float(clear.mean())


def _alone(claim: Claim) -> float:
    """How clearly a claim stands by itself, with no regard to others: above 1 it is to be believed."""
    return min((claim.bare - claim.cost) / 0.3, (0.8 - claim.cost) / 0.35)


def _beside(claims: list[Claim]) -> Claim | None:
    """A piece of another class that lies beside the best one on the same space."""
    best = claims[0]
    for claim in claims[1:]:
        apart = float(np.hypot(*np.subtract(claim.foot_mm, best.foot_mm)))
        if claim.pieces != best.pieces and apart > 0.8 * (claim.radius_mm + best.radius_mm) and _alone(claim) > 1:
            return claim
    return None


def _read_board(sight: Sight, known: PieceKnowledge, readings: dict[str, Reading], unsure: dict[str, str]) -> None:
    found = study(sight, known)
    settled = _settled(found, known)
    for k, space in enumerate(found.sight.spaces):
        if not found.seen[k]:
            unsure[space.id] = "out-of-view"
            continue
        claims = found.claims.get(k, [])
        if k in settled:
            crowd = is_crowd(known, space)
            beside = _beside(claims) if crowd else None
            if beside:
                pieces = tuple(sorted((*claims[0].pieces, *beside.pieces)))
                readings[space.id] = Reading(pieces, _confidence(min(settled[k], _alone(beside))))
            elif crowd and _left_over(found, k, settled)[0] > MORE_THERE:
                unsure[space.id] = "doubt"  # something else is beside what was found
            else:
                readings[space.id] = Reading(claims[0].pieces, _confidence(settled[k]))
            continue
        worst, clear = float(found.worst[k]), 1.0
        if worst > BUSY:
            worst, clear = _left_over(found, k, settled)
        plain = min(PLAIN, 0.8 * float(found.signs[k]))
        no_other = not claims or claims[0].gain < LEAST_GAIN
        if (clear > 0.35 and worst < min(CLEARLY_PLAIN, 0.65 * found.signs[k])) or (
            clear > 0.6 and no_other and min(worst, float(found.sharp[k]) + 0.2) < plain
        ):
            readings[space.id] = Reading((), _confidence(plain / max(worst, 0.05)))
        else:
            unsure[space.id] = "hidden" if not claims or claims[0].cost > 0.6 else "doubt"


def _confidence(strength: float) -> float:
    """The chance that a reading is right, by how clearly it stands."""
    return float(1 - 0.02 * np.exp(-1.5 * (max(strength, 1.0) - 1)))
