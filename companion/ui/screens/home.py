"""Before a game: the first screen, the games that are kept, and a new one as it is put together."""

from __future__ import annotations

from typing import Any

from kivy.app import App
from kivy.factory import Factory

from companion.ui.parts import LETTERS_IN_A_ROW, Key, Part, grid, key_of, row
from companion.ui.screens.listed import ListScreen
from companion.ui.view.naming import Keyboard, Naming, begun, typed
from companion.ui.view.new_game import Begin, Draft, NewGame, Seat
from companion.ui.view.taps import Go


class HomeScreen(ListScreen):
    """One tap, and the last game goes on."""

    def show(self) -> None:
        app = App.get_running_app()
        view = app.house.home(app.language)
        found: list[Part] = [Factory.Notice(text=text) for text in view.notices]
        if view.empty:
            found.append(Factory.Words(text=view.empty))
        if view.resume:
            found.append(_large(key_of(view.resume, app.errand, "main")))
        there = [tap for tap in view.taps if not isinstance(tap.to, Go) or tap.to.screen in app.names]
        found.append(grid((_large(key_of(tap, app.errand)) for tap in there), 2))
        found += [key_of(tap, app.errand) for tap in view.others]
        found.append(grid((_large(key_of(tap, app.errand)) for tap in view.languages), len(view.languages)))
        self.fill(app.words["home"], found)


class PastScreen(ListScreen):
    """Every game that is kept, with what can be done with it."""

    def show(self) -> None:
        app = App.get_running_app()
        view = app.house.past(app.language)
        found: list[Part] = [Factory.Words(text=view.empty)] if view.empty else []
        for game in view.games:
            found += [Factory.Heading(text=game.name), *(Factory.Words(text=line) for line in game.lines)]
            found.append(row(key_of(tap, app.errand) for tap in game.taps))
        self.fill(app.words["past"], found)


class NewScreen(ListScreen):
    """A game as it is put together; `draft` is what was chosen so far."""

    def show(self, draft: Draft | None = None) -> None:
        app = App.get_running_app()
        view: NewGame = app.house.new_game(draft, app.language)
        begin: list[Part] = [_large(key_of(view.begin, self._take, "main"))] if view.begin else []
        wrong: list[Part] = [Factory.Notice(text=text) for text in (*view.wrong, *view.notices)]
        found = [*wrong, self._row(view.kits), *begin]
        if view.players or view.teams:
            found.append(Factory.Heading(text=app.words["players"]))
        found += [self._row(taps) for taps in (view.players, view.teams) if taps]
        for seat in view.seats:
            found.append(Factory.Heading(text=f"{seat.name} ({seat.note})" if seat.note else seat.name))
            found.append(row([*(key_of(tap, self._take) for tap in seat.taps), self._name_key(view, seat)]))
        found += [self._row(view.more)] if view.more else []
        for dealt in view.dealt:
            found += [Factory.Heading(text=dealt.name), self._row(dealt.taps)]
        for rule in view.rules:
            found += [
                Factory.Heading(text=rule.name),
                self._row(rule.taps),
                Factory.Faint(text=f"{rule.clause}: {rule.why}"),
            ]
        found += [Factory.Words(text=line) for line in view.start]
        page = self.ids.body.page if draft is not None else 0
        self.fill(app.words["new"], [*found, *([key_of(view.begin, self._take, "main")] if view.begin else [])])
        self.ids.body.page = min(page, self.ids.body.pages - 1)

    def _row(self, taps: Any) -> Part:
        return row(key_of(tap, self._take) for tap in taps)

    def _name_key(self, view: NewGame, seat: Seat) -> Key:
        app = App.get_running_app()
        naming = begun(view.draft, seat.side)
        return Key(text=app.words["name"], deed=lambda: self._type(naming))

    def _type(self, naming: Naming) -> None:
        app = App.get_running_app()
        app.stay(draft=naming.draft)
        app.open("name", naming=naming)

    def _take(self, to: Draft | Begin) -> None:
        if isinstance(to, Begin):
            App.get_running_app().begin(to)
        else:
            self.show(to)


class NameScreen(ListScreen):
    """A player's own name, by letters to tap; a keyboard does as well."""

    def show(self, naming: Naming) -> None:
        app = App.get_running_app()
        self._naming = naming
        view: Keyboard = app.house.keyboard(naming, app.language)
        letters = grid((key_of(tap, self.show) for tap in view.letters), LETTERS_IN_A_ROW)
        last = grid((*(key_of(tap, self.show) for tap in view.signs), key_of(view.done, self._done, "main")), 4)
        self.fill(f"{view.title} {view.text}", [letters, last])

    def type(self, sign: str) -> None:
        """A sign from a keyboard; none: take the last away."""
        self.show(typed(self._naming, sign))

    def _done(self, draft: Draft) -> None:
        app = App.get_running_app()
        app.back()
        app.screen.show(draft)


def _large(key: Key) -> Key:
    key.least_px = App.get_running_app().look.thumb_px
    return key
