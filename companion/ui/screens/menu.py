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
from companion.table import Event, Tell
from companion.ui.board_widget import Overlay
from companion.ui.parts import Part, grid, key_of
from companion.ui.view.choosing import NOTHING_YET, Chooser, Menu, Picked
from companion.ui.view.clause import Worked
from companion.ui.view.corrections import corrections
from companion.ui.view.steps import Start, Step
from companion.ui.view.wording import place_name

IN_A_ROW = 6  # names of spaces beside each other


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


def example_of(worked: Worked | None) -> Overlay:
    """A worked example on the board, with the spaces framed that it is about."""
    if worked is None:
        return Overlay()
    return Overlay(table=worked.table, tappable=frozenset(worked.spaces))


class MenuScreen(BoardScreen):
    """Shows a `Menu`: a space that can be tapped, or a key, comes to an event or to the next step."""

    def show_menu(self, menu: Menu[Any], nothing: str = "") -> None:
        self._menu, showing = menu, App.get_running_app().showing
        lines: list[Part] = [Factory.Words(text=line) for line in menu.lines]
        names = {place_name(showing.teller, space, showing.kit) for space in menu.spaces}
        named = [tap for tap in menu.taps if tap.text in names]
        keys: list[Part] = [key_of(tap, self.take) for tap in menu.taps if tap not in named]
        keys += [grid((key_of(tap, self.take) for tap in named), IN_A_ROW)] if named else []  # who has buttons alone
        empty: list[Part] = [Factory.Words(text=nothing)] if nothing and not (keys or lines) else []
        self.fill(menu.title, [*lines, *keys, *empty], Overlay(tappable=frozenset(menu.spaces)))

    def tapped(self, space: Space) -> None:
        if space.id in self._menu.spaces:
            self.take(self._menu.spaces[space.id])

    def take(self, to: Any) -> None:
        """An event is done; a step is shown in the place of this one."""
        app = App.get_running_app()
        if isinstance(to, Event):
            app.do(to)
        else:
            app.open(self.name, step=to)


class TellScreen(MenuScreen):
    """An action that nobody could see, told part by part."""

    def show(self, step: Picked = NOTHING_YET) -> None:
        showing = App.get_running_app().showing
        state = showing.game.table.log.session.state
        chooser = Chooser[Any](state, showing.kit, showing.teller, lambda action: Tell((action,)), lambda to: to)
        self.show_menu(chooser.menu(step), showing.teller.common["account"]["nothing-legal"])


class CorrectScreen(MenuScreen):
    """A space, a die, a score, a turn, an action that was missed or was another."""

    def show(self, step: Step | None = None) -> None:
        showing = App.get_running_app().showing
        session = showing.game.table.log.session
        self.show_menu(corrections(step or Start(), session, showing.kit, showing.teller))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
