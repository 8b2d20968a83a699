"""The touchscreen.  What comes in is taken up a few times in a second, what is tapped is done, one screen is shown.

Its window must be open before this is imported (`companion.ui.window`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.window import Window
from kivy.properties import ObjectProperty
from kivy.uix.screenmanager import NoTransition, Screen, ScreenManager
from kivy.uix.widget import Widget

from companion.account import Teller
from companion.kit import Space
from companion.live import Message, Pressed
from companion.table import Event, Redo, Undo
from companion.ui.parts import Key
from companion.ui.screens import SCREENS
from companion.ui.showing import Showing
from companion.ui.theme import THEMES, Look, Theme
from companion.ui.view.shapes import CONFIRM

TAKEN_EVERY_S = 0.1
PRESS, ON, BEFORE, BACK = (13, 271, 32), (9, 275, 274), (276, 273), (27, 8)  # enter, space; tab, arrows; escape
Picture = Callable[[], Any]  # what the camera sees: (height, width, 3) uint8 blue, green, red; None where nothing


class TouchApp(App):
    """A `Showing` on a touchscreen.  `confirm_button` and `undo_button` are what the two buttons do."""

    look = ObjectProperty()
    words = ObjectProperty({})

    def __init__(
        self,
        showing: Showing,
        theme: Theme,
        inches: float,
        languages: tuple[str, ...],
        picture: Picture = lambda: None,
    ) -> None:
        super().__init__()
        self.showing, self.languages, self.picture = showing, languages, picture
        self._inches = inches
        self._framed: Key | None = None  # what a button would press
        self._uses_buttons = False
        self._path: list[str] = []  # the screens that are gone back to
        self.words = showing.teller.common["touch"]
        self.look = Look(theme, Window.width, Window.height, inches)

    def build(self) -> Widget:
        Window.clearcolor = self.look.theme.paper
        Window.bind(on_resize=self._resized, on_key_down=self._key, on_touch_down=self._touched)
        self._screens = ScreenManager(transition=NoTransition())
        self.open("table")
        Clock.schedule_interval(self._take, TAKEN_EVERY_S)
        return self._screens

    # Screens

    @property
    def screen(self) -> Screen:
        return self._screens.current_screen

    def open(self, name: str, **about: Any) -> None:
        """Show a screen; `about` is handed to its `show`."""
        if not self._screens.has_screen(name):
            self._screens.add_widget(SCREENS[name](name=name))
        if name == "table":
            self._path = []
        elif self._screens.current and self._screens.current != name:
            self._path.append(self._screens.current)
        self._screens.current = name
        self.frame(None)
        self.screen.show(self.showing, **about)

    def back(self) -> None:
        self.open(self._path.pop() if self._path else "table")

    def ask(self, space: Space) -> None:
        """Tapped on the board: what may be done there?"""
        self.open("ask", space=space)

    # What is tapped

    def do(self, event: Event) -> None:
        """Let it happen, and show the table with what came of it."""
        self.showing.do(event)
        self.open("table")

    def undo(self) -> None:
        self.do(Undo())

    def redo(self) -> None:
        self.do(Redo())

    def end(self) -> None:
        """Make an end; the game is kept."""
        self.showing.status = 0
        self.stop()

    def speak(self, language: str) -> None:
        """Go on in another language."""
        self.showing.speak(Teller(self.showing.teller.game, language))
        self.words = self.showing.teller.common["touch"]
        self.screen.show(self.showing)

    def wear(self, theme: str) -> None:
        """Go on in other colours."""
        self.look = Look(THEMES[theme], Window.width, Window.height, self._inches)
        Window.clearcolor = self.look.theme.paper

    # What comes in

    def _take(self, _: float) -> None:
        changed = [self._met(message) for message in self.showing.game.inbox.take(0)]
        if self.showing.status is not None:
            self.stop()
        elif any(changed) and self._screens.current == "table":
            self.screen.show(self.showing)
            self._frame_what_is_new()

    def _met(self, message: Message) -> bool:
        """Whether what came changes what is shown."""
        if isinstance(message, Pressed):
            match message.button:
                case "confirm":
                    self.confirm_button()
                case "undo":
                    self.undo_button()
                case "menu":
                    self.open("more")
            return False
        return self.showing.meet(message)

    def _resized(self, _: object, width: int, height: int) -> None:
        self.look = Look(self.look.theme, width, height, self._inches)

    # Two buttons, and keys

    def confirm_button(self) -> None:
        """Press what is framed; where nothing is, frame the first thing."""
        self._use_buttons()
        if self._framed is None:
            self.frame(next(self._keys(), None))
        else:
            self._framed.dispatch("on_release")

    def undo_button(self) -> None:
        """Frame the next thing that can be pressed; where something is to be confirmed, the next is to take back."""
        self._step(1)

    def _step(self, by: int) -> None:
        self._use_buttons()
        keys = list(self._keys())
        if keys:
            at = keys.index(self._framed) if self._framed in keys else -1 if by > 0 else 0
            self.frame(keys[(at + by) % len(keys)])

    def frame(self, key: Key | None) -> None:
        """Show what the buttons would press."""
        if self._framed is not None:
            self._framed.is_framed = False
        self._framed = key
        if key is not None:
            key.is_framed = True

    def _use_buttons(self) -> None:
        """From the first press on they are shown what they would press; it may have gone meanwhile."""
        if not self._uses_buttons:
            self._uses_buttons = True
            self._frame_what_is_new()
        if self._framed is not None and self._framed not in list(self._keys()):
            self.frame(None)

    def _frame_what_is_new(self) -> None:
        """What is proposed is one press away."""
        if self._uses_buttons and self._screens.current == "table":
            proposed = any(choice.role == CONFIRM for choice in self.showing.view.news.choices)
            self.frame(self.screen.ids.confirm if proposed else None)

    def _keys(self) -> Iterator[Key]:
        """What can be pressed on this screen, in the order in which the buttons come to it."""
        keys = [widget for widget in self.screen.walk() if isinstance(widget, Key) and not widget.disabled]
        yield from sorted(keys, key=lambda key: key.rank)

    def _touched(self, *_: object) -> None:
        self._uses_buttons = False
        self.frame(None)

    def _key(self, _: object, key: int, scancode: int, sign: str | None, modifiers: list[str]) -> bool:
        if key in PRESS:
            self.confirm_button()
        elif key in BEFORE or (key in ON and "shift" in modifiers):
            self._step(-1)
        elif key in ON:
            self._step(1)
        elif key in BACK:
            self.back()
        else:
            return self._letter(sign or "")
        return True

    def _letter(self, sign: str) -> bool:
        """The keys of the terminal's display, where they make sense here."""
        choices = [choice for choice in self.showing.view.news.choices if choice.role != CONFIRM]
        match sign:
            case "c":
                self.open("table")
                self.screen.confirm()
            case "u":
                self.undo()
            case "r":
                self.redo()
            case _ if sign.isdecimal() and 1 <= int(sign) <= len(choices):
                self.do(choices[int(sign) - 1].event)
            case _:
                return False
        return True
