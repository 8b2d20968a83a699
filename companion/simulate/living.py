"""A game played on a simulated table, moment by moment, as a camera would see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

import numpy as np

from companion.kit import Kit
from companion.rules import Action, Allowed, Game, State, judge
from companion.simulate.happenings import at_times
from companion.simulate.laying import spaces_of, stacks
from companion.simulate.moods import STILL_FRAMES, USUAL, Mood
from companion.simulate.reaching import Arm
from companion.simulate.setting import Seat, random_setting
from companion.simulate.slips import Mistake, mistake
from companion.simulate.table import SETTLED, Moment, Table

Choose = Callable[[Game, State, Random], Action | None]
MISTAKE = "mistake"
TAPPED = ("buy", "collect", "pass", "colony", "set-die")  # what no camera sees, or not all of it
THROWN = ("roll", "reroll")


@dataclass(frozen=True)
class Play:
    """Who plays what, and how."""

    game: Game
    kit: Kit
    start: State
    choose: Choose
    random: Random  # of the players
    seed: int  # of the table and all that happens there
    mood: Mood = USUAL
    mistakes: float = 0.0  # before how many of the actions something illegal is done, and put back
    turns: int | None = None  # after so many it ends


@dataclass(frozen=True, eq=False)
class Told:
    """A moment with what is known of it: the position, the dice that lie still, what is wrong on the table.

    `done` are the actions since the moment before, `actors` who did each, `tapped` those that no camera could see.
    """

    moment: Moment
    state: State
    dice: tuple[int, ...]
    done: tuple[Action, ...] = ()
    actors: tuple[Any, ...] = ()
    tapped: tuple[Action, ...] = ()
    wrong: Mistake | None = None


class _Step(NamedTuple):
    action: Action
    written: Mapping[str, Any]
    before: State
    after: State


class Life:
    """Plays a game on a table of its own; `told` yields the moments, the same for the same seeds."""

    def __init__(self, play: Play, size_px: tuple[int, int]) -> None:
        self.play = play
        self.random = np.random.default_rng(play.seed)
        position = play.game.write_position(play.start)
        self._actors = _actors(position)
        self.setting = random_setting(play.kit, len(self._actors), size_px, play.mood.lights, self.random)
        self.table = Table(play.game, play.kit, self.setting, play.mood, play.start, self.random)
        self._slips = Random(f"{play.seed} mistakes")
        self._state = play.start
        self._places = spaces_of(play.game, play.kit)

    def told(self) -> Iterator[Told]:
        """The moments of the whole game."""
        yield from self._as_it_is(self.table.rest())
        turns, acting = 0, None
        step = self._next(self._state)
        while step is not None:
            if (actor := self._actor(step.before)) != acting:
                if turns == self.play.turns:
                    break
                turns, acting = turns + 1, actor
            if self._slips.random() < self.play.mistakes:
                yield from self._mistaken()
            group = [step]
            step = self._next(step.after)
            while step is not None and self._goes_on(group[-1], step):
                group.append(step)
                step = self._next(step.after)
            yield from self._carry_out(group)
            yield from self._as_it_is(at_times(self.table))

    def _next(self, state: State) -> _Step | None:
        game = self.play.game
        action = self.play.choose(game, state, self.play.random)
        if action is None:
            return None
        ruling = judge(game, state, action)
        if not isinstance(ruling, Allowed):
            raise ValueError(f"a player did what is not legal: {action}")
        return _Step(action, game.write_action(action), state, ruling.state)

    def _actor(self, state: State) -> Any:
        return _acting(self.play.game.write_position(state)["turn"])

    def _goes_on(self, one: _Step, other: _Step) -> bool:
        """Whether the hand stays in for the next action, which must be the same player's and seen."""
        return (
            self._actor(one.before) == self._actor(other.before)
            and self._is_seen(one)
            and self._is_seen(other)
            and self.random.random() < self.play.mood.goes_on
        )

    def _is_seen(self, step: _Step) -> bool:
        return step.written["do"] not in (*THROWN, *TAPPED) and self._stacks(step.before) != self._stacks(step.after)

    def _stacks(self, state: State) -> dict[str, tuple[str, ...]]:
        return stacks(self.play.game, self.play.kit, state)

    # Telling

    def _as_it_is(self, moments: Iterator[Moment], **known: Any) -> Iterator[Told]:
        for moment in moments:
            yield self._tell(moment, **known)

    def _tell(self, moment: Moment, **known: Any) -> Told:
        return Told(moment, self._state, self.table.lying, **known)

    # Acting

    def _carry_out(self, group: list[_Step]) -> Iterator[Told]:
        """Actions of one player, done by a hand that stays in until the last."""
        table, actor = self.table, self._actor(group[0].before)
        arm = table.arm(self._seat(actor))
        done: list[_Step] = []
        for step in group:
            yield from self._as_it_is(self._done_by(arm, step))
            self._state = step.after
            done.append(step)
            if not arm.is_out:
                yield self._tell(table.held(arm), **self._news(done, actor))
        if not arm.is_out:
            yield from self._as_it_is(table.leave(arm))
        tapped = tuple(step.action for step in group if step.written["do"] in TAPPED)
        for moment in table.rest():
            yield self._tell(moment, tapped=tapped, **self._news(done, actor))
            tapped = ()

    def _done_by(self, arm: Arm, step: _Step) -> Iterator[Moment]:
        table = self.table
        match step.written["do"]:
            case "roll" | "reroll":
                yield from table.gather_dice(arm)
                yield from table.throw(arm, step.written["dice"])
            case "set-die":
                yield from table.turn_die(arm, table.lying.index(step.written["from"]), step.written["to"])
            case _:
                yield from table.change_to(arm, self._stacks(step.after))

    def _news(self, done: list[_Step], actor: Any) -> dict[str, Any]:
        """What has been done and was not told yet."""
        actions = tuple(step.action for step in done)
        done.clear()
        return {"done": actions, "actors": (actor,) * len(actions)}

    def _seat(self, actor: Any) -> Seat:
        return self.setting.seats[self._actors.get(actor, 0)]

    def _mistaken(self) -> Iterator[Told]:
        """Something illegal is done, lies there for a while, and is put back."""
        table, right = self.table, self.table.stacks()
        wrong = mistake(self.play.game, self._state, table.lying, self._slips)
        if wrong is None:
            return
        shown = {self._places[place]: pieces for place, pieces in wrong.table.items() if place in self._places}
        changed = {
            space: pieces
            for place, space in self._places.items()
            if (pieces := shown.get(space, ())) != self.play.game.expected(self._state).get(place, ())
        }
        arm = table.arm(self._seat(self._actor(self._state)))
        yield from self._as_it_is(table.change_to(arm, {**right, **changed}))
        yield from self._as_it_is(table.leave(arm))
        for moment in table.rest(STILL_FRAMES + int(self.random.integers(3, 8))):
            yield self._tell(replace(moment, kind=MISTAKE if moment.kind == SETTLED else moment.kind), wrong=wrong)
        yield from self._as_it_is(table.change_to(arm, right))
        yield from self._as_it_is(table.leave(arm))
        yield from self._as_it_is(table.rest())


def _actors(position: Mapping[str, Any]) -> dict[Any, int]:
    """The players round the table, each with the number of the seat."""
    if "players" in position:
        return {player["colour"]: seat for seat, player in enumerate(position["players"])}
    teams = position["teams"]
    most = max(len(team["hands"] or [0]) for team in teams)
    actors = [(team["team"], n) for n in range(most) for team in teams if n < len(team["hands"] or [0])]
    return {actor: seat for seat, actor in enumerate(actors)}


def _acting(turn: Mapping[str, Any]) -> Any:
    return (turn["team"], turn["player"]) if "team" in turn else turn["player"]
