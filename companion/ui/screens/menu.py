"""Something chosen one tap after the other, on the board or beside it: what was done unseen, what is put right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.screenmanager import Screen

from companion.kit import Space
from companion.table import Tell
from companion.ui.board_widget import Overlay
from companion.ui.parts import Part, key_of
from companion.ui.view.choosing import Chooser, Menu, Picked


class BoardScreen(Screen):
    """The board, and beside it a title and whatever it is filled with."""

    title = StringProperty()

    def fill(self, title: str, parts: list[Part], overlay: Overlay) -> None:
        app = App.get_running_app()
        self.title = title
        self.ids.board.show(app.showing.view, app.showing.kit, overlay)
        self.ids.body.fill(parts)

    def tapped(self, space: Space) -> None:
        """A space of the board was tapped."""


class TellScreen(BoardScreen):
    """An action that nobody could see, told part by part."""

    def show(self, picked: Picked | None = None) -> None:
        app = App.get_running_app()
        showing = app.showing
        state = showing.game.table.log.session.state
        chooser: Chooser[Any] = Chooser(
            state, showing.kit, showing.teller, lambda action: Tell((action,)), lambda to: to
        )
        self._menu: Menu[Any] = chooser.menu(picked or Picked())
        keys: list[Part] = [key_of(tap, self._take) for tap in self._menu.taps]
        nothing = [] if keys else [Factory.Words(text=showing.teller.common["account"]["nothing-legal"])]
        lines: list[Part] = [Factory.Words(text=line) for line in self._menu.lines]
        self.fill(self._menu.title, [*lines, *keys, *nothing], Overlay(tappable=frozenset(self._menu.spaces)))

    def tapped(self, space: Space) -> None:
        if space.id in self._menu.spaces:
            self._take(self._menu.spaces[space.id])

    def _take(self, to: Any) -> None:
        app = App.get_running_app()
        if isinstance(to, Picked):
            app.open("tell", picked=to)
        else:
            app.do(to)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
