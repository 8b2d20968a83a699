"""A game followed from a camera: what comes in goes to the table, and what is new of it is told in lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from companion.commands.follow import Follower
from companion.commands.telling import Line
from companion.document import Fault
from companion.live import EYE_FAILED, Camera, Eye, Inbox, Looked, Lookout, See
from companion.mishaps import Mishaps
from companion.observation import Frame, NotSeen
from companion.referee import Illegal, Proposed, Unchanged, expected_table
from companion.rules import Action, State
from companion.table import Confirm, Event, Seen, Shown, Table, Tell, Undo
from companion.vision.watch import Sighting

REFEREE_FAILED, EYE_ENDED = "referee-failed", "eye-ended"  # keys of the words for what is not seen
PATIENCE = 20  # frames that simulated players give a companion that nobody helps
BUTTONS: dict[str, Event] = {"confirm": Confirm(), "undo": Undo()}  # where there is no screen


class Following:
    """A table, what looks at it, and how far the two agree."""

    def __init__(self, table: Table, confirms: bool, resumed: int | None = None) -> None:
        """`resumed` is the number of a game that goes on: before it does, it is compared with the table."""
        self.table, self.confirms, self._resumed = table, confirms, resumed
        self.inbox = Inbox()
        self.lights: Callable[[str], None] = lambda told: None  # `right`, `wrong` or nothing, as the table is found
        self.alive: Callable[[str], None] = lambda part: None  # camera and eye say so,
        self.rests: Callable[[str], None] = lambda part: None  # and which of them has nothing to do
        self._follower = Follower(table, confirms)
        self._of_eye, self._of_referee = Mishaps("the eye"), Mishaps("the referee")
        self._lookout: Lookout | None = None
        self._shows = 0  # the frame that was looked at last,
        self._agrees = 0  # and the last with which the game was in step
        self._amiss = ""  # why there is no picture, when that was last told
        self._failed = ""  # why nothing could be written, when that was last told

    def watch(
        self,
        camera: Camera,
        make: Callable[[], See],
        speed: float | None,
        tapped: Callable[[], tuple[Action, ...]] = tuple,
    ) -> None:
        """`make` makes what looks at pictures: now and then anew, where it breaks."""
        self._lookout = Lookout(camera, self.eye(make), self.inbox, speed, tapped, self.alive, self.rests)
        self._lookout.start()

    def eye(self, make: Callable[[], See]) -> Eye:
        """What looks at pictures; what breaks in it is counted here."""
        return Eye(make, self._of_eye)

    @property
    def mishaps(self) -> int:
        """How often eye or referee broke."""
        return self._of_eye.count + self._of_referee.count

    @property
    def tracebacks(self) -> tuple[str, ...]:
        """Of the first time that each of them broke in each place."""
        return (*self._of_eye.texts.values(), *self._of_referee.texts.values())

    @property
    def frame(self) -> Frame | None:
        """The newest picture; None before the first."""
        return self._lookout.frame if self._lookout else None

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Some of the last pictures, the newest last."""
        if self._lookout is None or self._lookout.frame is None:
            return ()
        newest = self._lookout.frame
        return (*(frame for frame in self._lookout.before if frame is not newest), newest)

    @property
    def frames_a_second(self) -> float | None:
        """As many pictures as really are looked at; None where there are none."""
        return self._lookout.frames_a_second if self._lookout else None

    def close(self) -> None:
        if self._lookout:
            self._lookout.close()
        self.inbox.close()

    def waits(self, frame: int) -> bool:
        """Whether what a frame of the simulated table showed first is still to be understood or confirmed.

        Where nobody is there to help, its players do not wait for ever.
        """
        return self._agrees < frame and not (self.confirms and self._shows > frame + PATIENCE)

    def meet(self, looked: Looked) -> list[tuple[Line, State]]:
        """Take in what a frame told; each line comes with the position that it is about."""
        if self._lookout:
            self._lookout.taken()
        try:
            return self._met(looked)
        except Exception as error:  # of the referee: it ends no game
            self.broke(error)
            return self._unseen(looked.frame, NotSeen(REFEREE_FAILED, "The referee broke, and is begun anew."))

    def broke(self, error: Exception, what: str = REFEREE_FAILED) -> None:
        """Something broke at the table: it is told with its traceback, and what was seen until then stands no more."""
        (self._of_eye if what == EYE_ENDED else self._of_referee).met(error)
        self.table.begin_anew(what)
        self.agree()

    def _met(self, looked: Looked) -> list[tuple[Line, State]]:
        state, seen = self.table.log.session.state, looked.seen
        if isinstance(seen, NotSeen):
            return self._unseen(looked.frame, seen)
        if self._of_referee.passes():
            return self._done(looked.frame, [Tell(looked.tapped)] if looked.tapped else [])
        self._amiss = ""
        tapped = [Tell(looked.tapped)] if looked.tapped else []
        lines = [(line, state) for line in self._compared(looked.frame, seen)]
        lines += self._done(looked.frame, [*tapped, Seen(seen)])
        self._shows = int(looked.frame) if looked.frame.isdecimal() else seen.picture
        self.agree()
        self._of_referee.went_well()
        return lines

    def _unseen(self, frame: str, seen: NotSeen) -> list[tuple[Line, State]]:
        """There is no picture: what was seen of the table before stands no more.  It is told once."""
        if seen.error == EYE_FAILED:  # it counts its pictures from 1 again
            self.table.begin_anew(seen.error)
        self.table.step(Seen(Sighting(self.table.shown.sighting.picture, "lost", advice=seen.advice, error=seen.error)))
        self.agree()
        is_told, self._amiss = seen.error == self._amiss, seen.error
        line: Line = {"frame": frame, "error": seen.error, "advice": seen.advice}
        return [] if is_told else [(line, self.table.log.session.state)]

    def press(self, button: str) -> list[tuple[Line, State]]:
        """A button where there is no screen to show what it is about: what stands is confirmed, or the last undone."""
        lines = self._done("", [BUTTONS[button]]) if button in BUTTONS else []
        self.agree()
        return lines

    def _done(self, frame: str, events: list[Event]) -> list[tuple[Line, State]]:
        """What events bring to tell; what could not be kept is not done, and the next frame is another try."""
        state = self.table.log.session.state
        try:
            lines = self._follower.lines(frame, events)
        except Fault as fault:
            line: Line = {"frame": frame, "error": "not-kept", "advice": str(fault)}
            lines = [] if str(fault) == self._failed else [(line, state)]
            self._failed = str(fault)
        return lines

    def _compared(self, frame: str, sighting: Sighting) -> Iterator[Line]:
        """What differs between a game that goes on and the table as it is read for the first time."""
        if self._resumed is None or sighting.state != "settled" or sighting.observation is None:
            return
        session = self.table.log.session
        should = expected_table(session.game, session.state, self.table.kit)
        differs = {
            space: {"should": list(should[space]), "seen": list(reading.pieces)}
            for space, reading in sighting.observation.spaces.items()
            if space in should and reading.pieces != should[space]
        }
        yield {"frame": frame, "resumed": self._resumed, "differs": differs}
        self._resumed = None

    def agree(self) -> None:
        """The game may be in step with the table now."""
        if isinstance(self.table.shown.finding, Unchanged):
            self._agrees = self._shows
        self.lights(light_of(self.table.shown))


def light_of(shown: Shown) -> str:
    """What the panel's lights tell: `right` where something is to be confirmed, `wrong` where it is not allowed."""
    if not shown.firm:
        return ""
    return "right" if isinstance(shown.finding, Proposed) else "wrong" if isinstance(shown.finding, Illegal) else ""
