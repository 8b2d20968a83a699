"""Watches a table picture by picture: when it is still it is read, as often as that pays, and never while it moves.

What was read is kept until something there looks otherwise.  Time is counted in pictures; there is no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

from companion.kit import Kit
from companion.observation import Calibration, Die, Frame, NotSeen, Observation
from companion.vision.change import Change, Memory, alike, carried, cells_of, glance_at
from companion.vision.cover import (
    Clear,
    change_in,
    clear_of_things,
    covered,
    light_changed,
    may_have_moved,
    surroundings,
    under_things,
)
from companion.vision.gather import gathered, nothing_new
from companion.vision.glance import Glance, shrink_by, small
from companion.vision.learned import Knowledge
from companion.vision.look import faces_of, look
from companion.vision.relit import OTHERWISE, left_unexplained, may_have_left

Array = np.ndarray[Any, Any]

WORTH_A_GUESS = 0.5  # the chance of what lies on a space, below which nothing can be told of it
ENOUGH, MOST_READS = 2, 4  # reads of a table that changed: so many must agree, and so many are tried where some do not
STAYS = 8  # still pictures after which something that covers the table is looked at more closely,
STANDS = 25  # after which what stands there by itself is taken to belong there for now,
RESTS = 80  # and after which so is what reaches in from the picture's edge: no arm lies as still for as long
TRIES = frozenset({1, 3, 6, 10})  # still pictures at which boards that are not found are searched for,
TRY_AGAIN = 10  # and from then on each so many


@dataclass(frozen=True)
class Sighting:
    """What is known of a table after a picture.

    `state` is `moving`, `hidden` (something covers the board), `settled` or `lost`; `light` is set where the light has
    changed.  `observation` is what was read last, and `fresh` says that it was with this picture; `done` that another
    picture of the same still table would tell no more.  By `changed_at` each space has looked the same since that
    picture, but for its light; by `otherwise_at` something else is surely there since then; by `clear_at` it was last
    seen with nothing above it.
    """

    picture: int  # counted from 1
    state: str
    light: bool = False
    observation: Observation | None = None
    fresh: bool = False
    done: bool = False
    changed_at: Mapping[str, int] = field(default_factory=dict)
    otherwise_at: Mapping[str, int] = field(default_factory=dict)
    clear_at: Mapping[str, int] = field(default_factory=dict)
    advice: str = ""  # where it is lost: what to do,
    error: str = ""  # and why, a key of the words for what is not seen


class Watch:
    """Sees pictures of one camera over one kit's table, in their order."""

    def __init__(self, kit: Kit, known: Knowledge, calibration: Calibration | None = None) -> None:
        self.kit, self.known, self.calibration = kit, known, calibration
        self._glance = Glance()
        self._sighting = Sighting(0, "moving")
        self._settled: Observation | None = None  # the table as it was read last with nothing above it,
        self._before: Observation | None = None  # and as it was before it last moved
        self._reads: list[Observation] = []  # of the still table
        self._stills: list[Array] = []
        self._still = 0
        self._clear: Memory | None = None  # how it looked where nothing reached in from the picture's edge,
        self._since_clear: Clear | None = None  # and what of the picture differs from that
        self._covered: Change | None = None  # how the table looked when something covered it last
        self._moved_beside = False  # since it was read last
        self._cells: Array | None = None  # of the light that was last told
        self._within: Array | None = None  # where motion matters

    def see(self, frame: Frame) -> Sighting:
        """What a picture tells.  It is not kept longer than the table lies still."""
        before = self._sighting
        self._sighting = replace(before, picture=before.picture + 1, fresh=False, light=False)
        motion = self._glance.see(frame.pixels, self._within, frame.small)
        if motion.moving or motion.light:
            self._moved_beside = False
            if before.state == "settled":
                self._covered = None
            self._before, self._reads, self._stills, self._still = self._settled, [], [], 0
            self._told("moving" if motion.moving else before.state, done=False)
            if motion.moving and before.picture:
                return self._sighting
        elif motion.beside:
            self._moved_beside = self.kit.dice is not None
        elif self._moved_beside:  # dice may have come to rest there
            self._reads, self._stills, self._moved_beside = [], [], False
            self._told(before.state, done=False)
        self._still += 1
        if not self._sighting.done and self._pays():
            self._read(frame.pixels)
        return self._sighting

    def _told(self, state: str, **more: Any) -> None:
        self._sighting = replace(self._sighting, state=state, **more)

    def _pays(self) -> bool:
        """Whether another look at the still table may tell more."""
        match self._sighting.state:
            case "hidden":
                return self._still in (1, STAYS, STANDS, RESTS)
            case "lost":
                return self._still in TRIES or self._still % TRY_AGAIN == 0
        return True

    # Reading

    def _read(self, pixels: Array) -> None:
        """One more read of a table that lies still."""
        before, change, hides = self._before, None, False
        if before is not None:
            change = change_in(before.memory, pixels)
            self._since_clear = self._clear_of(before.memory, pixels)
            if change is not None and self._still < STAYS and self._is_covered(before.memory, change):
                hides = True
                if not may_have_moved(before.memory, change):
                    self._hidden(change)
                    return
        seen = look(Frame(self._averaged(pixels)), self.calibration, self.kit, self.known, before)
        if hides and before is not None and (isinstance(seen, NotSeen) or seen.memory.view is before.memory.view):
            self._hidden(change)
            return
        if isinstance(seen, NotSeen):
            self._told("lost", advice=seen.advice, error=seen.error)
            return
        self._reads.append(seen)
        self._gather(pixels, seen, self._change(pixels, seen, change))

    def _clear_of(self, memory: Memory, pixels: Array) -> Clear | None:
        """How the table looked where nothing reached in, and what differs; None where the boards lie elsewhere."""
        if self._clear is None or self._clear.view is not memory.view:
            return None
        change = change_in(self._clear, pixels)
        return None if change is None else (self._clear, change)

    def _averaged(self, pixels: Array) -> Array:
        """The picture; once some reads did not agree, the mean of those of the table lying still."""
        if len(self._stills) < MOST_READS:
            self._stills.append(pixels)
        if len(self._reads) < ENOUGH:
            return pixels
        return np.asarray(np.mean(self._stills, axis=0, dtype=np.float32).round(), np.uint8)

    def _change(self, pixels: Array, seen: Observation, change: Change | None) -> Change | None:
        """What differs from the table before, also where the boards have been moved since."""
        before = self._before
        if before is None or seen.memory.view is before.memory.view:
            return change
        if seen.memory.view.poses.keys() != before.memory.view.poses.keys():
            return None
        return change_in(carried(before.memory, seen.memory.view, self.kit), pixels)

    def _gather(self, pixels: Array, seen: Observation, change: Change | None) -> None:
        """Take the reads so far together, and settle on them once enough agree."""
        before = self._before
        left = {} if change is None else left_unexplained(seen.memory.regions, change)
        relit = frozenset(space for space, badly in left.items() if badly <= 1)
        if before is not None:
            relit -= may_have_left(self.kit, before.spaces, relit, left)
        changed = frozenset(space.id for space in self.kit.spaces) if change is None else change.spaces - relit
        kept, most = self._dice_kept(pixels, seen), self.kit.dice.count if self.kit.dice else None
        now = gathered(before, self._reads, changed, relit, kept, most)
        if before is not None and change is not None and self._covered is not None:
            earlier = self._covered if self._still < RESTS else None
            now = nothing_new(now, before, under_things(seen.memory, change, self.kit, earlier, self._since_clear))
        if before is not None:  # it is no matter of light where something else is read
            changed |= relit & now.unsure.keys() & before.spaces.keys()
            relit -= changed
        if change is not None and self._hides(seen.memory, change, relit, now):
            self._hidden(change)
            return
        as_before = before is not None and not changed and not relit and now.dice == before.dice
        if not as_before and len(self._reads) < ENOUGH:
            return
        number = self._sighting.picture
        since = number - self._still + 1
        doubt = bool(changed & now.unsure.keys()) or bool(now.unsure_dice) or self._some_missing(now)
        self._told(
            "settled",
            observation=self._settle(now, pixels),
            fresh=True,
            done=as_before or not doubt or len(self._reads) >= MOST_READS,
            light=self._light(pixels),
            changed_at={**self._sighting.changed_at, **dict.fromkeys(changed, since)},
            otherwise_at={
                **self._sighting.otherwise_at,
                **{at: since for at, badly in left.items() if badly >= OTHERWISE},
            },
            clear_at={**self._sighting.clear_at, **dict.fromkeys(now.spaces, number)},
        )

    def _some_missing(self, now: Observation) -> bool:
        """Whether some of a throw's dice are seen and some are not."""
        return self.kit.dice is not None and 0 < len(now.dice) + len(now.unsure_dice) < self.kit.dice.count

    def _hides(self, memory: Memory, change: Change, relit: frozenset[str], now: Observation) -> bool:
        """Whether spaces that cannot be told are covered by something that is no piece."""
        unsure = (change.spaces - relit) & now.unsure.keys()
        likely = {space for space, guess in now.guesses.items() if guess.confidence >= WORTH_A_GUESS}
        blind = frozenset(space for space in unsure if now.unsure[space] == "hidden" or space not in likely)
        return bool(unsure) and self._is_covered(memory, change, blind if self._still < STANDS else None)

    def _is_covered(self, memory: Memory, change: Change, unsure: frozenset[str] | None = None) -> bool:
        if self._still >= RESTS:
            return False
        return covered(memory, change, self.kit, unsure, self._covered, self._since_clear)

    def _hidden(self, change: Change | None) -> None:
        self._covered = change
        self._told("hidden")

    def _settle(self, now: Observation, pixels: Array) -> Observation:
        """Remember the table so, with small pictures of the dice that it has now."""
        view = now.memory.view
        dice = faces_of(pixels, view, self.kit, (*now.dice, *now.unsure_dice))
        self._settled = replace(now, memory=replace(now.memory, dice=dice))
        memory = self._settled.memory
        self._clear = memory if self._clear is None else clear_of_things(self._clear, memory, pixels, self.kit)
        shape = small(pixels).shape
        self._within = surroundings(view, self.kit, (shape[0], shape[1]), shrink_by(pixels))
        return self._settled

    def _dice_kept(self, pixels: Array, seen: Observation) -> tuple[Die, ...]:
        """The dice that lie as they lay and look as they did: what they show is known."""
        before = self._settled
        if before is None or not before.dice or seen.memory.view is not before.memory.view:
            return ()
        now = faces_of(pixels, before.memory.view, self.kit, before.dice)
        return tuple(compress(before.dice, alike(before.memory.dice[: len(now)], now)))

    def _light(self, pixels: Array) -> bool:
        """Whether the light is another than when that was last told."""
        cells = cells_of(glance_at(pixels))
        changed = self._cells is not None and light_changed(self._cells, cells)
        if self._cells is None or changed:
            self._cells = cells
        return changed
