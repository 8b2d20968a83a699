"""Counting what the eye claims against the truth: right, wrong, unsure; boards, dice, confidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from companion.kit import Kit
from companion.observation import NotSeen, Observation

Array = np.ndarray[Any, Any]
WIDTH_PX = 1300  # corners are compared at this width of the picture
NEAR = 0.5  # of a die's edge: a die claimed nearer to a true one is that one


@dataclass
class Tally:
    """Counts over pictures; `notes` names every failure."""

    pictures: int = 0
    not_seen: int = 0
    with_wrong_claims: int = 0
    boards: int = 0
    boards_found: int = 0
    corner_errors_px: list[float] = field(default_factory=list)
    spaces: int = 0
    wrong: int = 0
    unsure: int = 0
    occupied: int = 0
    occupied_wrong: int = 0
    occupied_unsure: int = 0
    dice: int = 0
    dice_right: int = 0
    dice_wrong: int = 0
    dice_invented: int = 0
    readings: list[tuple[float, bool, bool]] = field(default_factory=list)  # confidence, right, occupied
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, kit: Kit, seen: Observation | NotSeen, truth: dict[str, Any], width_px: int) -> None:
        self.pictures += 1
        self.boards += len(truth["boards"])
        if isinstance(seen, NotSeen):
            self.not_seen += 1
            self.notes.append(f"{name}: {seen.error}")
            return
        for board, corners in truth["boards"].items():
            self._add_board(f"{name} {board}", seen, board, np.array(corners), WIDTH_PX / width_px)
        wrong = self.wrong
        hidden = set(truth["hidden"])
        for space in kit.spaces:
            if space.id not in hidden:
                self._add_space(f"{name} {space.id}", seen, space.id, tuple(truth["spaces"].get(space.id, ())))
        self.with_wrong_claims += self.wrong > wrong
        if kit.dice:
            self._add_dice(name, seen, truth)

    def _add_board(self, where: str, seen: Observation, board: str, corners: Array, scale: float) -> None:
        if board not in seen.boards:
            self.notes.append(f"{where}: not found")
            return
        self.boards_found += 1
        error = float(np.linalg.norm(np.array(seen.boards[board].corners_px) - corners, axis=1).max()) * scale
        self.corner_errors_px.append(error)
        if error > 2:
            self.notes.append(f"{where}: corners {error:.1f} px off")

    def _add_space(self, where: str, seen: Observation, space: str, truth: tuple[str, ...]) -> None:
        occupied = bool(truth)
        self.spaces += 1
        self.occupied += occupied
        if space in seen.unsure:
            self.unsure += 1
            self.occupied_unsure += occupied
            self.notes.append(f"{where}: unsure, {seen.unsure[space]} (it is {list(truth)})")
            return
        reading = seen.spaces[space]
        right = reading.pieces == truth
        self.readings.append((reading.confidence, right, occupied))
        if not right:
            self.wrong += 1
            self.occupied_wrong += occupied
            self.notes.append(f"{where}: WRONG {list(reading.pieces)} for {list(truth)}, {reading.confidence:.4f}")

    def _add_dice(self, name: str, seen: Observation, truth: dict[str, Any]) -> None:
        places = [die["at_px"] for die in truth["dice"]]
        near = max(8.0, NEAR * 0.02 * WIDTH_PX)
        for die in truth["dice"]:
            if die["visible"]:
                claimed = [d.value for d in seen.dice if math.dist(d.at_px, die["at_px"]) < near]
                self.dice += 1
                self.dice_right += claimed == [die["value"]]
                self.dice_wrong += bool(claimed) and claimed != [die["value"]]
                if claimed != [die["value"]]:
                    self.notes.append(f"{name}: die {die['value']} at {die['at_px']} read as {claimed or 'nothing'}")
        for found in seen.dice:
            if all(math.dist(found.at_px, place) >= near for place in places):
                self.dice_invented += 1
                self.notes.append(f"{name}: WRONG a die {found.value} at {found.at_px} that is none")

    def lines(self) -> Iterator[str]:
        """The figures, a line each."""
        errors = self.corner_errors_px or [math.nan]
        within = sum(error <= 2 for error in self.corner_errors_px)
        yield f"pictures {self.pictures}, not read {self.not_seen}, with a wrong claim {self.with_wrong_claims}"
        yield (
            f"boards {self.boards}, found {self.boards_found}, corners within 2 px {within}, "
            f"median {np.median(errors):.2f} px, worst {max(errors):.2f} px"
        )
        yield f"spaces in view {self.spaces}: wrong {self.wrong}, unsure {self.unsure}"
        yield f"of the occupied {self.occupied}: wrong {self.occupied_wrong}, unsure {self.occupied_unsure}"
        yield f"dice in view {self.dice}: right {self.dice_right}, wrong {self.dice_wrong}"
        yield f"dice invented {self.dice_invented}"
        yield from self._confidence()

    def _confidence(self) -> Iterator[str]:
        for low, high in ((0.9, 0.99), (0.99, 0.999), (0.999, 1.0001)):
            inside = [(c, right) for c, right, _ in self.readings if low <= c < high]
            if inside:
                share = sum(right for _, right in inside) / len(inside)
                mean = sum(c for c, _ in inside) / len(inside)
                bounds = f"{low} to {min(high, 1):g}"
                yield f"confidence {bounds}: {len(inside)} readings, {mean:.4f} said, {share:.4f} right"
        losses = [-math.log(max(c if right else 1 - c, 1e-6)) for c, right, _ in self.readings]
        if losses:
            yield f"log-loss {sum(losses) / len(losses):.5f} over {len(losses)} readings"
