"""The display in a terminal: what is seen and found is shown, what is pressed is done."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from companion.document import Fault
from companion.live import Looked, Message, Pressed
from companion.table import Redo, Tell, TellDice, Undo
from companion.ui.keeping import Keeping, of_the_disk
from companion.ui.keyboard import DOWN, HUNG_UP, UP
from companion.ui.layout import Texts, choices_text, page, screen
from companion.ui.showing import Showing
from companion.ui.text_board import drawn, legend
from companion.ui.view import View
from companion.ui.view.asking import answer
from companion.ui.view.shapes import CHOOSE, CONFIRM, TAKE
from companion.ui.view.typed import SPELLED, read_action, read_correction, read_dice

GONE = 129  # the exit status of what loses its terminal: as if SIGHUP had ended it
BUTTONS = {"confirm": "c", "undo": "u", "menu": "m"}
PROMPTS = {"d": "dice", "t": "tell", "k": "correct", "?": "ask", "/": "ask"}


class Screen(Protocol):
    """Keys to read and lines to draw; see `companion.ui.keyboard.Terminal`."""

    @property
    def size(self) -> tuple[int, int]: ...

    def fileno(self) -> int: ...

    def pressed(self) -> list[str]: ...

    def draw(self, lines: Sequence[str]) -> None: ...


@dataclass(frozen=True)
class Page:
    """A text in front of the screen, from a line on."""

    title: str
    texts: tuple[str, ...]
    first: int = 0


class Display:
    """A game on a screen.  `press` and `meet` change what `lines` shows; `run` waits for both."""

    def __init__(self, showing: Showing, title: str) -> None:
        self._showing, self._title = showing, title
        self._words = showing.teller.common["terminal"]
        self._prompt = ""  # what is being asked for, a key of the words,
        self._typed = ""  # and what has been typed so far
        self._page: Page | None = None
        self._quitting = False
        self._lines: list[str] = []  # on the screen
        self._came: deque[Message] = deque()  # and is to be taken up yet
        self._drawn: View | None = None  # what the board was drawn of

    @property
    def view(self) -> View:
        return self._showing.view

    @property
    def status(self) -> int | None:
        return self._showing.status

    # Showing

    def lines(self, rows: int, columns: int) -> list[str]:
        if self._page is not None:
            page_lines, more = page(self._page.title, self._page.texts, rows, columns, self._page.first)
            return [*page_lines, self._words["page-more" if more else "page"][:columns]]
        showing = self._showing
        if self._drawn is not self.view:
            self._drawn, self._board = self.view, drawn(self.view, showing.kit, showing.teller)
        texts = Texts(self._title, tuple(self._board), self._bottom(), showing.told)
        return screen(self.view, texts, showing.teller, rows, columns)

    def _bottom(self) -> str:
        if self._quitting:
            return str(self._words["really"])
        return f"{self._words[self._prompt]} {self._typed}_" if self._prompt else str(self._words["keys"])

    # What happens

    def run(self, screen: Screen) -> int:
        """Show it until somebody or something makes an end.  Returns the exit status."""
        inbox = self._showing.game.inbox
        while self._showing.status is None:
            try:
                self._lines = self.lines(*screen.size)
                screen.draw(self._lines)
                ready, _, _ = select.select([screen.fileno(), inbox.fileno()], [], [], 1.0)  # the size may change
            except OSError:
                return GONE
            if screen.fileno() in ready:
                for key in screen.pressed():
                    self._waited_for(partial(self.press, key), screen)
            self._came.extend(inbox.take(0))
            while self._came:
                message = self._came.popleft()
                deed = partial(self.meet, message)
                if isinstance(message, Looked):  # what is seen may be confirmed by itself
                    self._waited_for(deed, screen, self._showing.waits_s)
                else:
                    self._waited_for(deed, screen)
        return self._showing.status

    def _waited_for(self, deed: Callable[[], None], screen: Screen, disk_s: Callable[[], float] = of_the_disk) -> None:
        """Do it, and say so where it takes long: what is pressed until it is done does not count."""
        keeping = Keeping()
        keeping.do(deed, disk_s=disk_s)
        if not keeping.is_busy:
            return
        with suppress(OSError):
            screen.draw([*self._lines[:-1], self._words["saving"]])
        keeping.wait()
        keeping.take_up()
        if select.select([screen.fileno()], [], [], 0)[0] and HUNG_UP in screen.pressed():
            self._showing.status = GONE
        came = self._showing.game.inbox.take(0)
        self._came.extend(message for message in came if not isinstance(message, Pressed))

    def meet(self, message: Message) -> None:
        if isinstance(message, Pressed):
            self._button(message.button)
        else:
            self._showing.meet(message)

    def _button(self, button: str) -> None:
        """The panel's buttons stand for keys; what was being typed or read is left first."""
        if self._page is not None or self._prompt or self._quitting:
            self._page, self._prompt, self._quitting = None, "", False
        else:
            self.press(BUTTONS[button])

    def press(self, key: str) -> None:
        if key == HUNG_UP:
            self._showing.status = GONE
        elif self._page is not None:
            self._turn_page(key)
        elif self._quitting:
            self._quitting = False
            if key.lower() in self._words["yes"]:
                self._showing.status = 0
        elif self._prompt:
            self._type(key)
        else:
            self._showing.notices = ()
            self._command(key)

    def _command(self, key: str) -> None:
        match key:
            case "c" | "C" | "enter":
                self._tap(CONFIRM)
            case "=":
                self._tap(TAKE)
            case "u" | "U":
                self._showing.do(Undo())
            case "r" | "R":
                self._showing.do(Redo())
            case "h" | "H":
                self._open(self._words["help-title"], self._help())
            case "m" | "M":
                self._open(self.view.news.headline or self.view.turn, self._all())
            case "q" | "Q":
                self._quitting = True
            case "d" | "t" | "k" | "?" | "/":
                self._prompt, self._typed = PROMPTS[key], ""
            case _ if key.isdecimal():
                self._tap(CHOOSE, int(key))

    def _tap(self, role: str, number: int = 1) -> None:
        """Of the choices of a role the one with this number."""
        choices = [choice for choice in self.view.news.choices if choice.role == role]
        if 1 <= number <= len(choices):
            self._showing.do(choices[number - 1].event)
        else:
            self._showing.notices = (self._words["nothing-to-" + role],)

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
        session, teller = self._showing.game.table.log.session, self._showing.teller
        try:
            match prompt:
                case "dice":
                    self._showing.do(TellDice(read_dice(text, teller)))
                case "tell":
                    self._showing.do(Tell((read_action(text, session.state, teller),)))
                case "correct":
                    self._showing.do(read_correction(text, session, self._showing.kit, teller))
                case "ask":
                    self._open(text, answer(text, session.state, self._showing.kit, teller))
        except Fault as fault:
            self._showing.notices = tuple(fault.args)

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
        spelled = [f"  {do} {keys}".rstrip() for do, keys in SPELLED[self._showing.teller.game.name].items()]
        return [
            *self._words["help"].strip().splitlines(),
            "",
            self._words["spelled"],
            *spelled,
            "",
            self._words["letters"],
            *(f"  {line}" for line in legend(self._showing.kit, self._showing.teller)),
        ]

    def _all(self) -> list[str]:
        """Everything that is to be said, and the game so far."""
        view = self.view
        told = [*view.notices, *view.news.lines, *choices_text(view.news.choices), *view.result]
        session = self._showing.game.table.log.session
        told += ["", self._words["so-far"]]
        for number, (entry, met) in enumerate(zip(session.entries, session.states, strict=False), 1):
            told.append(f"{number:>4}  {self._entry(entry, met)}")
        return told

    def _entry(self, entry: object, met: object) -> str:
        if hasattr(entry, "position"):
            return self._showing.teller.common_words("table-taken")
        return self._showing.teller.action(met, entry)
