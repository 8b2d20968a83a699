"""Screens that are a list of texts and of things to tap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from kivy.app import App
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.screenmanager import Screen

from companion.ui.parts import Key, Part, grid
from companion.ui.theme import THEMES


class ListScreen(Screen):
    """A title and below it whatever it is filled with."""

    title = StringProperty()

    def fill(self, title: str, parts: Sequence[Part]) -> None:
        self.title = title
        self.ids.body.fill(list(parts))


class MoreScreen(ListScreen):
    """All that is not on the table's screen itself."""

    def show(self) -> None:
        app = App.get_running_app()
        dice = ["dice"] if app.showing.kit.dice is not None else []
        deeds: dict[str, Callable[[], None]] = {name: partial(app.open, name) for name in ("tell", *dice, "correct")}
        deeds["redo"] = app.redo
        deeds |= {name: partial(app.open, name) for name in ("scores", "rulebook", "health")}
        deeds |= {"theme": self._wear_next, "to-home": partial(app.open, "home"), "end": partial(app.open, "end")}
        keys = [Key(text=app.words[name], deed=deed, least_px=app.look.thumb_px) for name, deed in deeds.items()]
        self.fill(app.words["more"], [grid(keys, 3)])

    def _wear_next(self) -> None:
        app, names = App.get_running_app(), list(THEMES)
        app.wear(names[(names.index(app.look.theme.name) + 1) % len(names)])


class EndScreen(ListScreen):
    """Asks before it ends the companion."""

    def show(self) -> None:
        app = App.get_running_app()
        sure = Key(text=app.words["end"], role="main", deed=app.end, least_px=app.look.thumb_px)
        self.fill(app.words["really"], [Factory.Words(text=app.words["is-kept"]), sure])


class SaidScreen(ListScreen):
    """What came of something, in words."""

    def show(self, text: str) -> None:
        self.fill("", [Factory.Words(text=line) for line in text.splitlines()])


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
