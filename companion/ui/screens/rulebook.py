"""The rulebook, to be searched, and how the device is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from kivy.app import App
from kivy.clock import Clock, ClockEvent
from kivy.factory import Factory
from kivy.properties import StringProperty
from kivy.utils import escape_markup

from companion.ui.parts import LETTERS_IN_A_ROW, Key, Part, grid, key_of
from companion.ui.screens.listed import ListScreen
from companion.ui.screens.menu import BoardScreen, example_of
from companion.ui.view.clause import said
from companion.ui.view.health import BAD, FINE, WATCH, Health
from companion.ui.view.rulebook import Entry, Hits, Rulebook, rulebook
from companion.ui.view.wording import capital

MEASURED_EVERY_S, FELT_EVERY_S = 1.0, 0.1
GRADES = {FINE: "Good", WATCH: "Doubt", BAD: "Notice"}


class RulebookScreen(ListScreen):
    """The sections; of one its clauses; or those in which a word is found."""

    def show(self, section: str = "", query: str = "") -> None:
        app = App.get_running_app()
        teller = app.showing.teller
        options = teller.game.write_position(app.showing.game.table.log.session.state)["options"]
        view: Rulebook = rulebook(teller, options, query)
        found: list[Part] = [Factory.Words(text=view.found)] if view.found else []
        if not section and not query:
            found.append(Key(text=app.words["search"], role="main", deed=lambda: app.open("search")))
            titles = [each.title for each in view.sections]
            found += [Key(text=title, deed=partial(app.open, "rulebook", section=title)) for title in titles]
        for each in view.sections if section or query else ():
            if section in ("", each.title):
                for clause in each.clauses:
                    found.append(self._clause(clause))
                    found += [
                        Factory.Faint(text=f"{force.name}: {force.value}{' •' if force.changed else ''}")
                        for force in clause.forces
                    ]
        self.fill(section or query or app.words["rulebook"], found)

    def _clause(self, clause: Entry) -> Key:
        app = App.get_running_app()
        excerpt, hits = clause.excerpt
        lines = [marked(clause.title, clause.title_hits), marked(excerpt, hits), escape_markup(clause.id)]
        text = "\n".join(filter(None, lines))
        return Key(text=text, markup=True, halign="left", deed=lambda: app.open("clause", id=clause.id))


def marked(text: str, hits: Hits) -> str:
    """A text in Kivy's markup, with the words in which something was found set off by more than a colour.

    Whole words: Kivy breaks lines where the markup changes, in the middle of a word too.
    """
    parts, at = [], 0
    found = [word.span() for word in re.finditer(r"\w+", text)]
    for start, end in (word for word in found if any(word[0] < hit[1] and hit[0] < word[1] for hit in hits)):
        parts += [escape_markup(text[at:start]), f"[b][u]{escape_markup(text[start:end])}[/u][/b]"]
        at = end
    return "".join([*parts, escape_markup(text[at:])])


class ClauseScreen(BoardScreen):
    """A clause with its worked example, on the board where it has a table."""

    def show(self, id: str) -> None:
        showing = App.get_running_app().showing
        clause = said(id, showing.kit, showing.teller)
        found: list[Part] = [Factory.Words(text=clause.text)]
        if clause.example is not None:
            found.append(Factory.Heading(text=clause.example.caption))
            found += [Factory.Words(text=line) for line in clause.example.lines]
        self.fill(clause.title, found, example_of(clause.example))


class SearchScreen(ListScreen):
    """Letters to tap; a keyboard does as well."""

    typed = StringProperty()

    def show(self) -> None:
        app = App.get_running_app()
        letters = app.showing.teller.common["letters"]["all"]
        keys = (Key(text=letter, deed=lambda letter=letter: self.type(letter)) for letter in letters)
        last = [
            Key(text=app.words["erase"], deed=lambda: self.type("")),
            Key(text=app.words["search"], role="main", deed=self._search),
        ]
        self.fill(self.typed or app.words["search"], [grid(keys, LETTERS_IN_A_ROW), grid(last, 2)])

    def type(self, letter: str) -> None:
        """Add a letter; none: take the last away."""
        self.typed = self.typed + letter if letter else self.typed[:-1]
        self.title = self.typed or App.get_running_app().words["search"]

    def _search(self) -> None:
        if self.typed:
            App.get_running_app().open("rulebook", query=self.typed)


class HealthScreen(ListScreen):
    """Each thing that can be wrong, how it stands, and what to do: measured anew while it is shown."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._view: Health | None = None
        self._pressed: Mapping[str, bool] | None = None
        self._clocks: list[ClockEvent] = []

    def show(self) -> None:
        self._view = None
        self._measure()

    def on_enter(self, *_: object) -> None:
        tried = App.get_running_app().tried  # what breaks here is told like anything else that does
        self._clocks = [
            Clock.schedule_interval(lambda _: tried(self._measure), MEASURED_EVERY_S),
            Clock.schedule_interval(lambda _: tried(self._feel), FELT_EVERY_S),
        ]

    def on_leave(self, *_: object) -> None:
        for clock in self._clocks:
            clock.cancel()

    def _feel(self) -> None:
        """A button is shown pressed for as long as it is."""
        if App.get_running_app().house.pressed() != self._pressed:
            self._measure()

    def _measure(self) -> None:
        """Show what has changed; but not while a finger is on a key, which would be gone below it."""
        app = App.get_running_app()
        if any(isinstance(widget, Key) and widget.state == "down" for widget in self.walk()):
            return
        before, self._view, self._pressed = self._view, app.house.health(app.language), app.house.pressed()
        if self._view == before:
            return
        framed, page = app.framed_text, self.ids.body.page if before is not None else 0
        self._draw(self._view)
        self.ids.body.page = min(page, self.ids.body.pages - 1)
        app.frame_text(framed)

    def _draw(self, view: Health) -> None:
        app = App.get_running_app()
        found: list[Part] = [Factory.Heading(text=view.headline)]
        found += [Factory.Words(text=view.pressed)] if view.pressed else []
        for item in view.items:
            text = f"{item.sign} {capital(item.name)}" + (f": {item.measured}" if item.measured else "")
            found.append(Factory.get(GRADES.get(item.state, "Words"))(text=text))
            found += [Factory.Faint(text=item.to_do)] if item.to_do else []
        found.append(key_of(view.bundle, self._write))
        self.fill(app.words["health"], found)

    def _write(self, _: object) -> None:
        app = App.get_running_app()
        app.keep(lambda: app.house.bundle(app.language), lambda told: app.open("said", text=told))
