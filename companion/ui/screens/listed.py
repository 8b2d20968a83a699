"""Screens that are a list of texts and of things to tap: what else there is, what was done unseen, what may be done."""

from __future__ import annotations

from pathlib import Path

from kivy.app import App
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.screenmanager import Screen
from kivy.uix.widget import Widget

from companion.kit import Space
from companion.ui.parts import Key
from companion.ui.showing import Showing
from companion.ui.theme import THEMES
from companion.ui.view.asking import answer
from companion.ui.view.telling import tellable


class ListScreen(Screen):
    """A title and below it whatever it is filled with; `back` leaves it."""

    title = StringProperty()

    def fill(self, title: str, widgets: list[Widget]) -> None:
        self.title = title
        self.ids.body.fill(widgets)


class MoreScreen(ListScreen):
    """All that is not on the table's screen itself."""

    def show(self, showing: Showing) -> None:
        app, words = App.get_running_app(), showing.teller.common["touch"]
        deeds = {"redo": app.redo, "tell": lambda: app.open("tell")}
        if showing.kit.dice is not None:
            deeds["dice"] = lambda: app.open("dice")
        deeds |= {"theme": self._wear_next, "language": self._speak_next, "end": lambda: app.open("end")}
        self.fill(words["more"], [Key(text=words[name], deed=deed) for name, deed in deeds.items()])

    def _wear_next(self) -> None:
        app, names = App.get_running_app(), list(THEMES)
        app.wear(names[(names.index(app.look.theme.name) + 1) % len(names)])

    def _speak_next(self) -> None:
        app = App.get_running_app()
        app.speak(app.languages[(app.languages.index(app.showing.teller.language) + 1) % len(app.languages)])


class EndScreen(ListScreen):
    """Asks before it ends the companion."""

    def show(self, showing: Showing) -> None:
        app, words = App.get_running_app(), showing.teller.common["touch"]
        sure = Key(text=words["end"], role="main", deed=app.end)
        self.fill(words["really"], [Factory.Words(text=words["is-kept"]), sure])


class TellScreen(ListScreen):
    """What nobody could see was done: every action that is legal now."""

    def show(self, showing: Showing) -> None:
        app, words = App.get_running_app(), showing.teller.common
        choices = tellable(showing.game.table.log.session.state, showing.teller)
        keys = [Key(text=each.text, deed=lambda event=each.event: app.do(event)) for each in choices]
        self.fill(words["touch"]["tell"], keys or [Factory.Words(text=words["account"]["nothing-legal"])])


class AskScreen(ListScreen):
    """What may be done on a space that was tapped."""

    def show(self, showing: Showing, space: Space | None = None) -> None:
        words = showing.teller.common
        if space is None:
            self.fill(words["touch"]["ask"], [Factory.Words(text=words["touch"]["tap-a-space"])])
            return
        place = showing.teller.game.place(space)
        told = answer(str(place), showing.game.table.log.session.state, showing.kit, showing.teller)
        self.fill(words["touch"]["ask"], [Factory.Words(text=text) for text in told])


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
