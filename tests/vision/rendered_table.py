"""A rendered table of which one photograph after another can be taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import companion.simulate.render as rendering
import tests.vision.photographs as taking
from companion.kit import Kit
from companion.simulate.lying import Placements
from companion.simulate.render import Room, render
from companion.simulate.things import StandingDie

Array = np.ndarray[Any, Any]
EASY = taking.Wanted(size_px=(1100, 825), most_tilt_deg=6, hands=0.0, light="overcast", fill=(0.4, 0.4), things=0.0)


@contextmanager
def pieces_alike() -> Iterator[None]:
    """All pieces are printed alike: one of them must look the same in each photograph of the table."""
    alike = rendering.random_finish(np.random.default_rng(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendering, "random_finish", lambda random: alike)
        yield


class Table:
    """A rendered table of which more photographs can be taken from the same camera."""

    def __init__(self, kit: Kit, seed: int = 12, wanted: taking.Wanted = EASY) -> None:
        self.kit = kit
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(taking, "render", self._keep)
            self.photo, self.truth = taking.photograph(kit, seed, 0, wanted)

    def _keep(
        self, kit: Any, placements: Placements, dice: list[StandingDie], camera: Any, room: Room, random: Any
    ) -> Any:
        self.placements, self.dice, self.camera, self.room = placements, dice, camera, room
        return render(kit, placements, dice, camera, room, random)

    def again(self, seed: int = 5, **other: Any) -> tuple[Array, dict[str, Any]]:
        """Another photograph, with the noise of a seed; `other` placements, dice or room."""
        chosen = {"placements": self.placements, "dice": self.dice, "room": self.room} | other
        random = np.random.default_rng(seed)
        return render(self.kit, chosen["placements"], chosen["dice"], self.camera, chosen["room"], random)
