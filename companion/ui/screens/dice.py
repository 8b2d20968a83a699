"""The dice as they were rolled, told by tapping their faces."""

from __future__ import annotations

from pathlib import Path

from kivy.app import App
from kivy.lang import Builder
from kivy.properties import NumericProperty, StringProperty
from kivy.uix.screenmanager import Screen

from companion.table import TellDice
from companion.ui.parts import DieFace, Key
from companion.ui.showing import Showing


class FaceKey(Key):
    """A face of a die, to be tapped."""

    value = NumericProperty(1)


class DiceScreen(Screen):
    """Once as many are told as the kit has, or `done` is tapped, the table's screen goes on with them."""

    title, done_text = StringProperty(), StringProperty()
    count = NumericProperty(0)

    def show(self) -> None:
        showing: Showing = App.get_running_app().showing
        words = showing.teller.common
        self.title, self.done_text = words["view"]["dice-asked"], words["touch"]["done"]
        self._most = showing.kit.dice.count if showing.kit.dice else 1
        self._told: list[int] = []
        self._show_told()
        if not self.ids.faces.children:
            for value in range(1, 7):
                self.ids.faces.add_widget(FaceKey(value=value, deed=lambda value=value: self.add(value)))

    def add(self, value: int) -> None:
        self._told.append(value)
        self._show_told()
        if len(self._told) >= self._most:
            self.finish()

    def take_back(self) -> None:
        self._told = self._told[:-1]
        self._show_told()

    def finish(self) -> None:
        App.get_running_app().do(TellDice(tuple(self._told)))

    def _show_told(self) -> None:
        self.count = len(self._told)
        self.ids.told.clear_widgets()
        for value in self._told:
            self.ids.told.add_widget(DieFace(value=value))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
