"""Games at a table that an eye might report, without a camera: for what is shown of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from companion.account import Teller
from companion.commands import own_kit
from companion.document import Field
from companion.games import NAMES, load_game
from companion.live import Inbox, Looked
from companion.observation import BoardSight, Die
from companion.referee import expected_table
from companion.rules import State
from companion.simulate.players import start
from companion.store.reading import Games
from companion.store.shelf import Shelf
from companion.table import Seen, Shown, Table
from companion.ui.showing import Showing
from companion.ui.terminal import Display
from companion.ui.view import View, present
from companion.vision.watch import Sighting
from tests.referee.seen import sight

CORNERS = ((0.0, 0.0), (900.0, 0.0), (900.0, 900.0), (0.0, 900.0))
DICE: dict[str, Any] = {
    "game": "garden-dice",
    "options": {"must_spend": "off"},
    "players": [
        {"colour": "blue", "score": 12, "seeds": ["tomato"], "harvested": ["squash"], "sun": True},
        {"colour": "green", "score": 7},
    ],
    "supply": {"squash": 3, "carrot": 3, "tomato": 3, "artichoke": 3, "eggplant": 3},
    "board": {
        "2,2": {"piece": "artichoke/seed", "owner": "blue"},
        "6,1": {"piece": "carrot/vegetable", "owner": "blue"},
        "4,4": {"piece": "rabbit", "owner": "green", "discs": 2},
    },
    "turn": {"player": "blue", "rolled": True, "dice": [2, 3, 4, 5]},
}
SACK = {"carrot": 10, "eggplant": 11, "tomato": 10, "broccoli": 11, "potato": 9}
RUSH: dict[str, Any] = {
    "game": "garden-rush",
    "players": [
        {"colour": "pink", "score": 5, "garden": {"3,3": "tomato/double", "3,4": "carrot/single"}},
        {"colour": "blue", "score": 3, "garden": {"2,2": "potato/single"}},
    ],
    "hedge": ["carrot", "eggplant", "tomato", "broccoli", "potato"],
    "trampoline": "potato",
    "sack": SACK,
    "turn": {"player": "pink"},
}
GUESTS: dict[str, Any] = {
    "game": "garden-guests",
    "teams": [
        {"team": "black", "collection": [1, 3], "guests": 10, "stones": 30, "hands": [5, 6], "deck": 36},
        {"team": "gold", "collection": [4, 2], "guests": 9, "stones": 35, "hands": [4, 5], "deck": 40},
    ],
    "turn": {"team": "black", "player": 0},
    "next_player": {"black": 1, "gold": 0},
}
STARTS = {"garden-dice": DICE, "garden-rush": RUSH, "garden-guests": GUESTS}


class Seat:
    """A game that is followed from tables laid out by hand."""

    def __init__(self, folder: Path, name: str, **changes: Any) -> None:
        self.game, self.kit = load_game(name), own_kit(name)
        written = {**STARTS[name], **changes}
        if name == "garden-guests":  # the board is the kit's
            fresh = self.game.write_position(start(self.game, 4, {}, Random(1), self.kit))
            written = {"board": fresh["board"], **written}
        position = self.game.read_position(Field(written), self.kit)
        assert not self.game.faults(position), self.game.faults(position)
        self.log = Shelf(folder, Games(NAMES, load_game), lambda: 0.0).begin(self.game, position)
        self.table, self.inbox = Table(self.kit, self.log), Inbox()
        self.picture = self.agreed = 0
        self.lay: dict[str, Sequence[str]] = {}
        self.dice: tuple[int, ...] = (*written["turn"].get("dice", ()), *written["turn"].get("spent", ()))
        self.settles()

    @property
    def state(self) -> State:
        return self.log.session.state

    def teller(self, language: str = "en") -> Teller:
        return Teller(self.game, language)

    def settles(
        self,
        lay: Mapping[str, Sequence[str]] | None = None,
        dice: Sequence[int] | None = None,
        unsure: Sequence[str] = (),
    ) -> Shown:
        """The table is read with other pieces on some spaces, for good."""
        self.picture += 1
        self.lay |= lay or {}
        self.dice = self.dice if dice is None else tuple(dice)
        table = expected_table(self.game, self.log.session.start, self.kit) | self.lay
        seen = sight(table, unsure=unsure)
        at = [(1000.0, 100.0 * number) for number in range(len(self.dice))]
        told = tuple(Die(value, place, 0.999) for value, place in zip(self.dice, at, strict=True))
        boards = {board.id: BoardSight(CORNERS, 0.3) for board in self.kit.boards}
        changed = dict.fromkeys([*self.lay, *unsure], self.picture)
        sighting = Sighting(
            self.picture, "settled", False, replace(seen, boards=boards, dice=told), True, True, changed
        )
        return self.table.step(Seen(sighting))

    def moves(self, state: str = "moving", advice: str = "") -> Shown:
        self.picture += 1
        return self.table.step(Seen(Sighting(self.picture, state, advice=advice)))

    def waits(self, pictures: int) -> Shown:
        """Nothing changes for some pictures."""
        for _ in range(pictures):
            self.picture += 1
            sighting = replace(self.table.shown.sighting, picture=self.picture, fresh=False)
            shown = self.table.step(Seen(sighting))
        return shown

    def view(self, language: str = "en") -> View:
        return present(self.table.shown, self.kit, self.teller(language))

    def display(self, language: str = "en", resumed: bool = False) -> Display:
        return Display(Showing(self, self.kit, self.teller(language), resumed), "The game")

    def close(self) -> None:
        self.log.close()
        self.inbox.close()

    # What a display asks of a game

    def meet(self, looked: Looked) -> None:
        raise AssertionError("there is no camera")

    def broke(self, error: Exception, what: str = "") -> None:
        raise error

    def agree(self) -> None:
        self.agreed += 1
