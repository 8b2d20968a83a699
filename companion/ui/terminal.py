"""The display in a terminal: what is seen and found is shown, what is pressed is done."""

from __future__ import annotations

import select
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from companion.account import Teller
from companion.document import Fault
from companion.kit import Kit
from companion.live import Ended, Inbox, Looked, Stopped
from companion.table import Event, Redo, Shown, Table, Tell, TellDice, Undo
from companion.ui.board import drawn, legend
from companion.ui.keyboard import DOWN, HUNG_UP, UP
from companion.ui.layout import Texts, choices_text, page, screen
from companion.ui.view import View, present
from companion.ui.view.asking import answer
from companion.ui.view.shapes import CALM, CHOOSE, CONFIRM, TAKE
from companion.ui.view.typed import SPELLED, read_action, read_correction, read_dice

GONE = 129  # the exit status of what loses its terminal: as if SIGHUP had ended it
PROMPTS = {"d": "dice", "t": "tell", "k": "correct", "?": "ask", "/": "ask"}


class Screen(Protocol):
    """Keys to read and lines to draw; see `companion.ui.keyboard.Terminal`."""

    @property
    def size(self) -> tuple[int, int]: ...

    def fileno(self) -> int: ...

    def pressed(self) -> list[str]: ...

    def draw(self, lines: Sequence[str]) -> None: ...


class Game(Protocol):
    """A game that is being followed."""

    table: Table
    inbox: Inbox

    def meet(self, looked: Looked) -> object: ...

    def agree(self) -> None: ...


@dataclass(frozen=True)
class Page:
    """A text in front of the screen, from a line on."""

    title: str
    texts: tuple[str, ...]
    first: int = 0


class Display:
    """A game on a screen.  `press` and `meet` change what `lines` shows; `run` waits for both."""

    def __init__(self, game: Game, kit: Kit, teller: Teller, title: str, resumed: bool = False) -> None:
        self._game, self._kit, self._teller, self._title = game, kit, teller, title
        self._words = teller.common["terminal"]
        self._resumed = resumed
        self._prompt = ""  # what is being asked for, a key of the words,
        self._typed = ""  # and what has been typed so far
        self._page: Page | None = None
        self._quitting = False
        self._notices: tuple[str, ...] = ()  # until the next key
        self._ended = ""
        self.status: int | None = None
        self._shown: Shown | None = None  # what was worked out last
        self._look()

    @property
    def view(self) -> View:
        return self._view

    # Showing

    def lines(self, rows: int, columns: int) -> list[str]:
        if self._page is not None:
            page_lines, more = page(self._page.title, self._page.texts, rows, columns, self._page.first)
            return [*page_lines, self._words["page-more" if more else "page"][:columns]]
        notices = (*self._notices, *([self._ended] if self._ended else []))
        if self._resumed and self._view.news.kind != CALM:
            notices = (*notices, self._teller.common["view"]["differs-since"])
        texts = Texts(self._title, tuple(self._board), self._bottom(), notices)
        return screen(self._view, texts, self._teller, rows, columns)

    def _bottom(self) -> str:
        if self._quitting:
            return str(self._words["really"])
        return f"{self._words[self._prompt]} {self._typed}_" if self._prompt else str(self._words["keys"])

    def _look(self) -> None:
        """Work out anew what is shown, where something of it has changed."""
        shown = self._game.table.shown
        if self._shown is not None and _looks_alike(self._shown, shown):
            return
        self._shown = shown
        self._view = present(shown, self._kit, self._teller)
        self._board = drawn(self._view, self._kit, self._teller)
        if self._view.news.kind == CALM and self._view.news.headline:
            self._resumed = False

    # What happens

    def run(self, screen: Screen) -> int:
        """Show it until somebody or something makes an end.  Returns the exit status."""
        while self.status is None:
            try:
                screen.draw(self.lines(*screen.size))
                ready, _, _ = select.select(
                    [screen.fileno(), self._game.inbox.fileno()], [], [], 1.0
                )  # the size may change meanwhile
            except OSError:
                return GONE
            if screen.fileno() in ready:
                for key in screen.pressed():
                    self.press(key)
            for message in self._game.inbox.take(0):
                self.meet(message)
        return self.status

    def meet(self, message: Looked | Ended | Stopped) -> None:
        match message:
            case Looked():
                self._game.meet(message)
            case Ended(None):
                self._ended = self._words["ended"]
            case Ended(Fault() as fault):
                self._ended = str(fault)
            case Ended(error) if error is not None:
                raise error
            case Stopped(status):
                self.status = status
        self._look()

    def press(self, key: str) -> None:
        if key == HUNG_UP:
            self.status = GONE
        elif self._page is not None:
            self._turn_page(key)
        elif self._quitting:
            self._quitting = False
            if key.lower() in self._words["yes"]:
                self.status = 0
        elif self._prompt:
            self._type(key)
        else:
            self._notices = ()
            self._command(key)
        self._look()

    def _command(self, key: str) -> None:
        match key:
            case "c" | "C" | "enter":
                self._tap(CONFIRM)
            case "=":
                self._tap(TAKE)
            case "u" | "U":
                self._do(Undo())
            case "r" | "R":
                self._do(Redo())
            case "h" | "H":
                self._open(self._words["help-title"], self._help())
            case "m" | "M":
                self._open(self._view.news.headline or self._view.turn, self._all())
            case "q" | "Q":
                self._quitting = True
            case "d" | "t" | "k" | "?" | "/":
                self._prompt, self._typed = PROMPTS[key], ""
            case _ if key.isdecimal():
                self._tap(CHOOSE, int(key))

    def _tap(self, role: str, number: int = 1) -> None:
        """Of the choices of a role the one with this number."""
        choices = [choice for choice in self._view.news.choices if choice.role == role]
        if 1 <= number <= len(choices):
            self._do(choices[number - 1].event)
        else:
            self._notices = (self._words["nothing-to-" + role],)

    def _do(self, event: Event) -> None:
        """Let it happen; what cannot be is told."""
        try:
            self._game.table.step(event)
        except Fault as fault:
            reason = getattr(fault, "reason", None)
            self._notices = (self._teller.common["not-kept"][reason] if reason else str(fault),)
            return
        self._look()
        self._notices = self._view.notices
        self._game.agree()

    # Typing

    def _type(self, key: str) -> None:
        match key:
            case "escape":
                self._prompt = ""
            case "backspace":
                self._typed = self._typed[:-1]
            case "enter":
                prompt, self._prompt = self._prompt, ""
                if self._typed.strip():
                    self._said(prompt, self._typed.strip())
            case _ if len(key) == 1:
                self._typed += key

    def _said(self, prompt: str, text: str) -> None:
        """What was typed is done, or answered."""
        session, teller = self._game.table.log.session, self._teller
        try:
            match prompt:
                case "dice":
                    self._do(TellDice(read_dice(text, teller)))
                case "tell":
                    self._do(Tell((read_action(text, session.state, teller),)))
                case "correct":
                    self._do(read_correction(text, session, self._kit, teller))
                case "ask":
                    self._open(text, answer(text, session.state, self._kit, teller))
        except Fault as fault:
            self._notices = tuple(fault.args)

    # Pages

    def _open(self, title: str, texts: Iterable[str]) -> None:
        self._page = Page(title, tuple(texts))

    def _turn_page(self, key: str) -> None:
        assert self._page is not None
        if key in (" ", DOWN):
            self._page = Page(self._page.title, self._page.texts, self._page.first + 10)
        elif key == UP:
            self._page = Page(self._page.title, self._page.texts, max(0, self._page.first - 10))
        else:
            self._page = None

    def _help(self) -> list[str]:
        """Keys, how actions are typed, and what the board's letters mean."""
        spelled = [f"  {do} {keys}".rstrip() for do, keys in SPELLED[self._teller.game.name].items()]
        return [
            *self._words["help"].strip().splitlines(),
            "",
            self._words["spelled"],
            *spelled,
            "",
            self._words["letters"],
            *(f"  {line}" for line in legend(self._kit, self._teller)),
        ]

    def _all(self) -> list[str]:
        """Everything that is to be said, and the game so far."""
        view = self._view
        told = [*view.notices, *view.news.lines, *choices_text(view.news.choices), *view.result]
        session = self._game.table.log.session
        told += ["", self._words["so-far"]]
        for number, (entry, met) in enumerate(zip(session.entries, session.states, strict=False), 1):
            told.append(f"{number:>4}  {self._entry(entry, met)}")
        return told

    def _entry(self, entry: object, met: object) -> str:
        if hasattr(entry, "position"):
            return self._teller.common_words("table-taken")
        return self._teller.action(met, entry)


def _looks_alike(one: Shown, other: Shown) -> bool:
    """Whether a screen shows the same: the next picture of a still table changes nothing."""

    def counts(shown: Shown) -> tuple[object, ...]:
        sighting = shown.sighting
        return (
            (sighting.state, sighting.light, sighting.advice, bool(sighting.picture)),
            (shown.firm, shown.refused, shown.faults, shown.fallen, shown.waiting),
        )

    return (
        one.session is other.session
        and one.finding is other.finding
        and one.sighting.observation is other.sighting.observation
        and counts(one) == counts(other)
    )
