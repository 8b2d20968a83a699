"""A player at the screen of a game that is followed in a benchmark, who knows what was done and taps what is needed.

Asked for dice that could not be seen, or where others were supposed, the player tells them. A proposal is confirmed
where it, or one of its alternatives, is right. Where nothing that is right was said before the next hand comes, the
table is taken as it is and counted as a thread that was lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.commands.follow import Follower
from companion.referee import Asked, Explanation, Proposed
from companion.rules import Game, State
from companion.table import Confirm, Event, TakeTable, TellDice

Line = dict[str, Any]
Same = Callable[[State, State], bool]


@dataclass
class Person:
    """Taps at the table of a follower; counts each kind of tap."""

    game: Game
    follower: Follower
    same: Same  # whether two states come to the same
    in_step: Same  # whether two states look the same on the table
    told_dice: int = 0  # rolls of which the dice were asked for, and told
    confirmed: int = 0  # proposals that were right and not clear
    chosen: int = 0  # those of which another way was
    other_dice: int = 0  # those of which the dice that are left were put right by hand afterwards
    lost: int = 0  # tables that had to be taken as they were

    def taps(self, frame: str, truth: Line, reached: State, last: bool) -> list[Line]:
        """What is told after a picture of the table lying still, `last` where the next hand comes after it."""
        lines: list[Line] = []
        while (event := self._tap(truth, reached)) is not None:
            more = [line for line, _ in self.follower.lines(frame, [event])]
            lines += more
            if not more:
                break
        state = self.follower.table.shown.session.state
        if truth.get("mistake"):
            return lines
        if any(line.get("confirmed") for line in lines) and self._left(state) != self._left(reached):
            self.other_dice += 1
            lines.append(self._takes(frame, reached))
        elif last and not self.in_step(state, reached):
            self.lost += 1
            lines.append(self._takes(frame, reached))
        return lines

    def _takes(self, frame: str, reached: State) -> Line:
        self.follower.table.step(TakeTable(reached))
        return {"frame": frame, "taken": True, "position": self.game.write_position(reached)}

    def _tap(self, truth: Line, reached: State) -> Event | None:
        shown = self.follower.table.shown
        if not shown.firm or truth.get("mistake"):
            return None
        match shown.finding:
            case Asked(what="dice") if truth.get("dice"):
                self.told_dice += 1
                return TellDice(tuple(truth["dice"]))
            case Asked(best=Explanation() as best) if best.actions and self.same(best.state, reached):
                self.confirmed += 1
                return Confirm()
            case Proposed(best=best) if truth.get("dice") and self._rolled(best) not in (None, sorted(truth["dice"])):
                self.told_dice += 1
                return TellDice(tuple(truth["dice"]))
            case Proposed(best=best, alternatives=alternatives, ways=ways):
                found = (best, *alternatives, *ways)
                right = [number for number, way in enumerate(found) if self.same(way.state, reached)]
                if right:
                    choice = min(right, key=lambda number: self._left(found[number].state) != self._left(reached))
                    self.confirmed += not choice
                    self.chosen += bool(choice)
                    return Confirm(choice)
        return None

    def _left(self, state: State) -> list[int]:
        return sorted(self.game.dice_left(state))

    def _rolled(self, best: Explanation) -> list[int] | None:
        """The dice that a proposal says were rolled last, ascending; None where it tells of none."""
        rolls = [self.game.write_action(action) for action in best.actions if self.game.throws(action)]
        return sorted(rolls[-1]["dice"]) if rolls else None
