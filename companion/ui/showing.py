"""A game on some screen: what comes in is taken up, what is tapped is done, and what is shown is worked out anew."""

from __future__ import annotations

from typing import Protocol

from companion.account import Teller
from companion.document import Fault
from companion.kit import Kit
from companion.live import Ended, Inbox, Looked, Message, Noticed, Stopped
from companion.table import Event, Shown, Table
from companion.ui.view import View, present
from companion.ui.view.shapes import CALM


class Game(Protocol):
    """A game that is being followed."""

    table: Table
    inbox: Inbox

    def meet(self, looked: Looked) -> object: ...

    def agree(self) -> None: ...

    def broke(self, error: Exception, what: str = ...) -> None: ...


class Showing:
    """A game and its `view`.  `meet` and `do` change it, `status` is the exit status once an end is made."""

    def __init__(self, game: Game, kit: Kit, teller: Teller, resumed: bool = False) -> None:
        self.game, self.kit, self.teller = game, kit, teller
        self.status: int | None = None
        self.notices: tuple[str, ...] = ()  # what came of the last that was done
        self._resumed = resumed
        self._ended = ""
        self._machine: tuple[str, ...] = ()  # what is to be known about it, keys of the words
        self._shown: Shown | None = None  # what was worked out last
        self.look()

    @property
    def view(self) -> View:
        return self._view

    @property
    def told(self) -> tuple[str, ...]:
        """What is to be said besides the view."""
        told = [*self.notices, *self.machine, self._ended]
        if self._resumed and self._view.news.kind != CALM:
            told.append(self.teller.common["view"]["differs-since"])
        return tuple(filter(None, told))

    @property
    def machine(self) -> tuple[str, ...]:
        """What of that is to be known about the machine: it lasts, and can wait until nothing is asked."""
        return tuple(self.teller.common["machine"][key] for key in self._machine)

    def waits_s(self) -> float:
        """For how long the disk has been waited for; 0 where it is not."""
        return self.game.table.log.waits_s

    def meet(self, message: Message) -> bool:
        """Take in what came; whether that changes what is shown."""
        match message:
            case Looked():
                self.game.meet(message)
            case Ended(None):
                self._ended = self.teller.common["terminal"]["ended"]
            case Ended(Fault() as fault):
                self._ended = str(fault)
            case Ended(Exception() as error):  # the service begins the companion anew then: see `companion.pulse`
                self.game.broke(error, "eye-ended")
            case Noticed(key, over):
                self._machine = (*(known for known in self._machine if known != key), *([] if over else [key]))
            case Stopped(status):
                self.status = status
        return self.look() or not isinstance(message, Looked)

    def do(self, event: Event) -> None:
        """Let it happen; what cannot be is told."""
        try:
            self.game.table.step(event)
        except Fault as fault:
            reason = getattr(fault, "reason", None)
            self.notices = (self.teller.common["not-kept"][reason] if reason else str(fault),)
            return
        except Exception as error:  # a fault of the referee ends no game; whether it was done the game shows
            self._broke(error)
            return
        self.look()
        self.notices = self._view.notices
        self.game.agree()

    def speak(self, teller: Teller) -> None:
        """Go on in another language."""
        self.teller, self.notices, self._shown = teller, (), None
        self.look()

    def look(self) -> bool:
        """Work out anew what is shown, where something of it has changed; whether it has."""
        shown = self.game.table.shown
        if self._shown is not None and _looks_alike(self._shown, shown):
            return False
        self._shown = shown
        try:
            self._view = present(shown, self.kit, self.teller)
        except Exception as error:
            if shown.sighting.state == "lost":
                raise  # it is the game itself that cannot be shown
            self._broke(error)
            return True
        if self._view.news.kind == CALM and self._view.news.headline:
            self._resumed = False
        return True

    def _broke(self, error: Exception) -> None:
        """What broke is told, and the game is shown without what was seen."""
        self.game.broke(error)
        self._shown = None
        self.look()


def _looks_alike(one: Shown, other: Shown) -> bool:
    """Whether a screen shows the same: the next picture of a still table changes nothing."""

    def counts(shown: Shown) -> tuple[object, ...]:
        sighting = shown.sighting
        return (
            (sighting.state, sighting.light, sighting.advice, sighting.error, bool(sighting.picture)),
            (shown.firm, shown.refused, shown.faults, shown.fallen, shown.waiting),
        )

    return (
        one.session is other.session
        and one.finding is other.finding
        and one.sighting.observation is other.sighting.observation
        and counts(one) == counts(other)
    )
