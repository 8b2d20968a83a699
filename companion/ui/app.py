"""The touchscreen.  What comes in is taken up a few times in a second, what is tapped is done, one screen is shown.

Its window must be open before this is imported (`companion.ui.window`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.window import Window
from kivy.factory import Factory
from kivy.properties import BooleanProperty, ObjectProperty
from kivy.uix.screenmanager import NoTransition, Screen, ScreenManager
from kivy.uix.widget import Widget

from calibration.dialogue import Job
from companion.account import Teller
from companion.document import Fault
from companion.kit import Space
from companion.live import Message, Noticed, Pressed, Stopped
from companion.table import Event, Redo, Undo
from companion.ui.house import House
from companion.ui.keeping import Keeping
from companion.ui.keys import pressed
from companion.ui.parts import Key, none_vanishing
from companion.ui.screens import ABOUT, SCREENS, WITHOUT_A_GAME
from companion.ui.showing import Showing
from companion.ui.theme import THEMES, Look, Theme
from companion.ui.view.new_game import Begin
from companion.ui.view.shapes import ASKED, CALM, CONFIRM, ILLEGAL, UNEXPLAINED
from companion.ui.view.taps import Archive, Errand, Go, Resume, Speak
from companion.words import words

TAKEN_EVERY_S = 0.1
SOUNDS = {ILLEGAL: "illegal", UNEXPLAINED: "question", ASKED: "question"}
ROOTS = ("table", "home")  # nothing is gone back to from there
LAST_RESORTS = ("home", "said")  # where these cannot be shown there is nothing to tell it on
BROKEN = 1  # the exit status where no screen can be shown any more
MOST_IN_VAIN = 10  # faults while another is told, after which that is so


def touch_words(language: str) -> Any:
    """The touchscreen's own words."""
    return words("companion", language)["touch"]


class TouchApp(App):
    """A house on a touchscreen, with a game on the table or without.

    `confirm_button` and `undo_button` are what the two buttons do; `status` is the exit status in the end.
    """

    look = ObjectProperty(rebind=True)
    words = ObjectProperty({}, rebind=True)
    has_back = BooleanProperty(False)  # there is a screen to go back to

    def __init__(
        self,
        house: House,
        theme: Theme,
        inches: float,
        languages: tuple[str, ...],
        language: str,
        showing: Showing | None = None,
        sound: Callable[[str], None] = lambda name: None,
    ) -> None:
        super().__init__()
        self._sound = sound
        self._news = CALM  # the kind that was heard last
        self.house, self.languages, self.language, self.showing = house, languages, language, showing
        self.names = tuple(SCREENS)
        self.status: int | None = None  # once an end is made
        self._noticed: dict[str, Noticed] = {}  # of the machine, by what it is about
        self._inches = inches
        self._keeping = Keeping(self.say_that_it_saves)
        self._came: deque[Message] = deque()  # of the table, and is to be taken up yet
        self._changed: list[bool] = []  # whether what was taken up since is to be shown
        self._in_vain = 0  # faults while another was told
        self._is_deaf = False  # to buttons that were pressed while it saved
        self._framed: Key | None = None  # what a button would press
        self._uses_buttons = False
        self._path: list[tuple[str, dict[str, Any]]] = []  # the screens that are gone back to
        self.words = touch_words(language)
        self.look = Look(theme, Window.width, Window.height, inches)

    def build(self) -> Widget:
        Window.clearcolor = self.look.theme.paper
        Window.bind(on_resize=self._resized, on_key_down=self._key, on_touch_down=self._touched)
        self._screens = ScreenManager(transition=NoTransition())
        self._saving = Factory.Saving()
        self.watch(self.showing)
        Clock.schedule_interval(self._take, TAKEN_EVERY_S)
        return self._screens

    def watch(self, showing: Showing | None) -> None:
        """Go on with a game and watch its table once it is shown; without one, with the first screen."""
        self.showing = showing
        self._came.clear()
        if showing is not None:
            for message in self._noticed.values():
                showing.meet(message)
        self.open("table" if showing else "home")
        if showing:
            Clock.schedule_once(lambda _: self.tried(self.house.watch), 0)

    # Screens

    @property
    def screen(self) -> Screen:
        return self._screens.current_screen

    @property
    def openable(self) -> tuple[str, ...]:
        """The screens that can be shown by their names alone, with the game on the table or without."""
        return tuple(name for name in self.names if name not in ABOUT) if self.showing else WITHOUT_A_GAME

    def open(self, name: str, **about: Any) -> None:
        """Show a screen; `about` is handed to its `show`."""
        if not self._screens.has_screen(name):
            self._screens.add_widget(SCREENS[name](name=name))
        self._path = [] if name in ROOTS else [*self._path, (name, about)]
        self.has_back = name != "home" or self.showing is not None
        self._screens.current = name
        self.frame(None)
        self.tried(lambda: self.screen.show(**about), name in LAST_RESORTS)

    def stay(self, **about: Any) -> None:
        """Whoever comes back to this screen finds it so."""
        self._path = [*self._path[:-1], (self._screens.current, about)]

    def back(self) -> None:
        """To the screen before this one."""
        self._path = self._path[:-1]
        name, about = self._path.pop() if self._path else ("table" if self.showing else "home", {})
        self.open(name, **about)

    def ask(self, space: Space, is_small: bool) -> None:
        """Tapped on the board: what may be done there?  Of small spaces the one that is meant is tapped from near."""
        self.open("ask", **{"near" if is_small else "about": space.id})

    def errand(self, to: Errand) -> None:
        """What was tapped on a screen that is not about the game on the table."""
        match to:
            case Resume(number):
                self._play(lambda: self.house.resume(number, self.language))
            case Archive(number):
                self.keep(lambda: self.house.archive(number), lambda _: self.screen.show())
            case Speak(language):
                self.speak(language)
            case Go(screen, None):
                self.open(screen)
            case Go(screen, game):
                self.open(screen, game=game)

    def begin(self, begin: Begin) -> None:
        self._play(lambda: self.house.begin(begin, self.language))

    def work(self, job: Job) -> None:
        """Go through a step of calibrating; the game on the table is put away for it."""
        self.showing = None
        self.keep(self.house.finish, lambda _: self._work(job))

    def _work(self, job: Job) -> None:
        if self._path and self._path[-1][0] == "calibrate":  # one step is gone on to from another: back leads past both
            self._path.pop()
        self.house.work(job)
        self.open("calibrate")

    def _play(self, put_on_the_table: Callable[[], Showing]) -> None:
        """Another game; where that cannot be, none is on the table any more."""
        if not self._keeping.is_busy:
            self.showing = None
            self.keep(put_on_the_table, self.watch)

    def keep(self, deed: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do what the disk may have to be waited for, then go on; why it cannot be is said."""
        self.tried(lambda: self._keeping.do(deed, then))

    @property
    def is_saving(self) -> bool:
        return self._keeping.is_busy

    def say_that_it_saves(self, waits: bool) -> None:
        """Above everything else; until it is over nothing that is pressed counts."""
        if waits:
            Window.add_widget(self._saving)
        else:
            Window.remove_widget(self._saving)

    def on_stop(self) -> None:
        self._keeping.wait()

    def tried(self, deed: Callable[[], object], is_needed: bool = False) -> None:
        """Do it; why it cannot be is said, and what broke on it; without what `is_needed` an end is made."""
        try:
            deed()
        except Fault as fault:
            if self._screens.current != "said":
                self.open("said", text="\n".join(map(str, fault.args)))
        except Exception as error:  # a fault of the program on one screen takes no other away
            self.broke(error, is_needed)

    def broke(self, error: Exception, is_needed: bool = False) -> None:
        """A fault of the program on the screen that is shown: it is told, and gone home from there.

        Where the table cannot be shown its game is put away; where there is nothing to tell it on an end is made, and
        the service begins the companion anew.
        """
        self.house.broke(error)
        self._in_vain = self._in_vain + 1 if self._screens.current == "said" else 0
        if is_needed or self._in_vain > MOST_IN_VAIN:
            self.status = BROKEN
            self.stop()
            return
        if self._screens.current == "table":
            self.showing = None
        self._path = []
        self.open("said", text=self.words["broke"])

    # What is tapped

    def do(self, event: Event) -> None:
        """Let it happen, and show the table with what came of it."""
        if self.showing is None or self._keeping.is_busy:
            return
        showing, log = self.showing, self.showing.game.table.log
        entries = log.session.entries

        def done(_: object) -> None:
            if log.session.entries != entries:
                self._sound("confirmed")
            self.open("table")

        self.keep(lambda: showing.do(event), done)

    def undo(self) -> None:
        self.do(Undo())

    def redo(self) -> None:
        self.do(Redo())

    def end(self) -> None:
        """Make an end; the game is kept."""
        self.stop()

    def speak(self, language: str) -> None:
        """Go on in another language."""
        self.language = language
        with none_vanishing():
            self.words = touch_words(language)
        if self.showing is not None:
            self.showing.speak(Teller(self.showing.teller.game, language, self.showing.teller.own))
        self.screen.show()

    def wear(self, theme: str) -> None:
        """Go on in other colours."""
        with none_vanishing():
            self.look = Look(THEMES[theme], Window.width, Window.height, self._inches)
        Window.clearcolor = self.look.theme.paper

    # What comes in

    def _take(self, _: float) -> None:
        """Kivy's clock asks no more where this raises."""
        self.tried(self._take_up)

    def _take_up(self) -> None:
        if self._keeping.is_busy:
            self._is_deaf = True
            self.tried(self._keeping.take_up)
            self.house.alive(table=not self._keeping.is_busy)
            return
        came = [message for message in self.house.inbox.take(0) if not (self._is_deaf and isinstance(message, Pressed))]
        self._is_deaf = False
        self._changed += [self._met(message) for message in came]
        if self.showing is not None:
            self._take_in(self.showing)
        if self.status is not None:
            self.stop()
        elif not self.is_saving:
            self._show_what_is_new()
        self.house.alive(table=not self._keeping.is_busy)

    def _take_in(self, showing: Showing) -> None:
        """What comes from the table; some of it is confirmed by itself, and the disk may have to be waited for."""
        self._came.extend(showing.game.inbox.take(0))
        while self._came and not self._keeping.is_busy:
            self._keeping.do(partial(showing.meet, self._came.popleft()), self._changed.append, showing.waits_s)
        self.status = showing.status if showing.status is not None else self.status

    def _show_what_is_new(self) -> None:
        changed, self._changed = any(self._changed), []
        if not changed:
            return
        if self._screens.current == "table":
            self.screen.show()
            self._frame_what_is_new()
        elif self._screens.current == "otherwise":
            self.screen.show_news()
        if self.showing is not None:
            self._sound_what_is_new(self.showing.view.news.kind)

    def _sound_what_is_new(self, news: str) -> None:
        if news != self._news and news in SOUNDS:
            self._sound(SOUNDS[news])
        self._news = news

    def _met(self, message: Message) -> bool:
        """What the machine tells, whatever is on the table; whether that changes what is shown."""
        match message:
            case Pressed("confirm"):
                self.confirm_button()
            case Pressed("undo"):
                self.undo_button()
            case Pressed("menu"):
                self.open("more" if self.showing else "home")
            case Stopped(status):
                self.status = status
            case Noticed(key):
                self._noticed[key] = message
                return self.showing is not None and self.showing.meet(message)
        return False

    def _resized(self, _: object, width: int, height: int) -> None:
        with none_vanishing():
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
        self.step(1)

    def step(self, by: int) -> None:
        """Frame the next thing that can be pressed, or the one before."""
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

    @property
    def framed_text(self) -> str:
        """What stands on the key that the buttons would press; empty where none is framed."""
        return str(self._framed.text) if self._framed is not None else ""

    def frame_text(self, text: str) -> None:
        """Frame the key with this text, where there is one: keys that were put in anew keep their frame."""
        if text:
            self.frame(next((key for key in self._keys() if key.text == text), None))

    def _use_buttons(self) -> None:
        """From the first press on they are shown what they would press; it may have gone meanwhile."""
        if not self._uses_buttons:
            self._uses_buttons = True
            self._frame_what_is_new()
        if self._framed is not None and self._framed not in list(self._keys()):
            self.frame(None)

    def _frame_what_is_new(self) -> None:
        """What is proposed is one press away."""
        if self._uses_buttons and self.showing is not None and self._screens.current == "table":
            proposed = any(choice.role == CONFIRM for choice in self.showing.view.news.choices)
            self.frame(self.screen.ids.confirm if proposed else None)

    def _keys(self) -> Iterator[Key]:
        """What can be pressed on this screen, in the order in which the buttons come to it."""
        keys = [widget for widget in self.screen.walk() if isinstance(widget, Key) and not widget.disabled]
        yield from sorted(keys, key=lambda key: key.rank)

    def _touched(self, *_: object) -> bool:
        self._uses_buttons = False
        self.frame(None)
        return self._keeping.is_busy

    def _key(self, _: object, key: int, scancode: int, sign: str | None, modifiers: list[str]) -> bool:
        return pressed(self, key, sign or "", modifiers)
