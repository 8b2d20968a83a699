"""The table: the board as it lies, whose turn it is, the score, and what happened, to be confirmed or taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.screenmanager import Screen
from kivy.uix.widget import Widget

from companion.ui.board_layout import lay_out
from companion.ui.parts import DieFace, Further, Key, Part, Words, grid
from companion.ui.pictures import picture
from companion.ui.screens.listed import ListScreen
from companion.ui.showing import Showing
from companion.ui.view import Choice, News, Side, View
from companion.ui.view.shapes import CALM, CONFIRM, DICE, ILLEGAL
from companion.ui.view.wording import capital

SIGNS = {"settled": "✓", "moving": "…", "hidden": "◐", "lost": "!", "": "…"}
AFTERWARDS = {"scores": "main", "new": "plain"}  # what is gone on with once a game is over
LEAST_BOARD, MOST_BOARD = 0.25, 0.43  # of the screen's longer side


class SideChip(BoxLayout):
    """A player's or a team's letter on its own piece, its points, and what the last step brought."""

    letter, points, gain, name = (StringProperty() for _ in range(4))
    acts = BooleanProperty(False)
    piece = ObjectProperty(None, allownone=True)  # the texture of its piece


class TableScreen(Screen):
    """Shows a `Showing`, and tells it what was tapped."""

    turn, sight, sight_sign, undo_text, confirm_text = (StringProperty() for _ in range(5))
    can_confirm = BooleanProperty(False)
    board_share = NumericProperty(MOST_BOARD)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._view: View | None = None
        self._told: tuple[str, ...] = ()
        self._confirm: Choice | None = None
        self.bind(size=self._share)

    def show(self) -> None:
        showing: Showing = App.get_running_app().showing
        if showing.view is self._view and showing.told == self._told:
            return
        view, self._told, words = showing.view, showing.told, showing.teller.common
        self._view = view
        self.turn, self.sight, self.sight_sign = view.turn, view.sight, SIGNS.get(view.sight_state, "?")
        self._confirm = next((choice for choice in view.news.choices if choice.role == CONFIRM), None)
        self.can_confirm = self._confirm is not None
        self.confirm_text = capital(self._confirm.text if self._confirm else words["view"]["confirm"])
        self.undo_text = capital(words["view"]["undo"])
        self.ids.board.show(view, showing.kit)
        self._share()
        self._fill(self.ids.sides, [self._chip(side, showing) for side in view.sides])
        self._fill(self.ids.dice, list(_dice(view)))
        self.ids.body.fill(*self._body(view, showing))

    def confirm(self) -> None:
        if self._confirm is not None:
            App.get_running_app().do(self._confirm.event)

    def _widen_keys(self) -> None:
        """Each key as wide as its word needs."""
        for row in (self.ids.first, self.ids.second):
            for key in row.children:
                key.size_hint_x = key.natural_px
            wide = sum(key.natural_px for key in row.children) + row.spacing * (len(row.children) - 1)
            row.size_hint_x = 1 if App.get_running_app().look.is_upright else wide

    def _share(self, *_: object) -> None:
        """As much of the screen's longer side for the board as its shape needs."""
        app = App.get_running_app()
        if self._view is None or app is None or min(self.size) < 2:
            return
        self._widen_keys()
        kit, long, short = app.showing.kit, max(self.size), min(self.size)
        high = short if app.look.is_upright else short - app.look.thumb_px
        layout = lay_out(kit, self._view.table, (long, high))
        across = 1 if app.look.is_upright else 0
        used = sum(placed.crop_mm[across + 2] - placed.crop_mm[across] for placed in layout.boards) * layout.px_per_mm
        self.board_share = min(MOST_BOARD, max(LEAST_BOARD, 1.12 * used / long))

    def _fill(self, box: Widget, widgets: list[Widget]) -> None:
        box.clear_widgets()
        for widget in widgets:
            box.add_widget(widget)

    def _chip(self, side: Side, showing: Showing) -> SideChip:
        size = round(App.get_running_app().look.touch_px)
        image = next((piece.image for piece in showing.kit.pieces if piece.name.endswith(f"/{side.side}")), None)
        return SideChip(
            letter=side.letter,
            name=side.name,
            points="" if side.points is None else str(side.points),
            gain=f"{side.gain:+d}" if side.gain else "",
            acts=side.on_turn,
            piece=picture(image, size, size) if image else None,
        )

    def _body(self, view: View, showing: Showing) -> tuple[list[Part], Further | None]:
        """What is new and must be seen, and what may be tapped about it; where nothing is, what may be done now."""
        words = showing.teller.common
        machine = showing.machine if view.news.kind != CALM else ()  # it must not push away what is to be confirmed
        told = [text for text in showing.told if text not in machine]
        found: list[Part] = [_notice(text) for text in told]
        if view.sight_state != "settled":
            found.append((Factory.Notice if view.sight_state == "lost" else Factory.Faint)(text=capital(view.sight)))
        if not view.sight_state:  # the eye learns the kit before it tells of the first picture
            found.append(Factory.Faint(text=capital(words["terminal"]["learning"]) + "."))
        notices = [_notice(text) for text in (*view.notices, *machine) if text not in told]
        if view.result:
            return [*found, *self._over(view), *notices], None
        if view.news.kind == CALM:
            return [*found, *self._calm(view, words["view"]["may"]), *notices], None
        found += [Factory.Heading(text=view.news.headline), *self._happened(view.news)]
        if view.news.asks == DICE:
            found.append(Key(text=words["touch"]["dice"], deed=lambda: App.get_running_app().open("dice")))
        return found, self._further(view, notices, words["touch"])

    def _further(self, view: View, notices: Iterable[Words], words: Mapping[str, str]) -> Further:
        """What may have happened instead, and more about it: as far as there is room, else all of it a tap away."""

        def named(hidden: Sequence[Part]) -> str:
            if view.news.kind == ILLEGAL:
                return words["why-not"]
            return words["otherwise" if any(isinstance(part, Key) for part in hidden) else "in-detail"]

        key = Key(deed=lambda: App.get_running_app().open("otherwise"), role="quiet")
        return Further(tuple(about(view, notices)), key, named)

    def _happened(self, news: News) -> Iterator[Part]:
        """What happened, in large letters; where it may not be, what to put back."""
        short = news.lines[: news.short]
        if news.kind != ILLEGAL:
            yield from (Factory.Large(text=line) for line in short)
            return
        _, put_back, *pieces = news.lines[news.short :]
        yield from (Factory.Words(text=line) for line in short)
        yield Factory.Heading(text=put_back)
        yield from (Factory.Words(text=line) for line in pieces)

    def _over(self, view: View) -> list[Part]:
        """Who has won, large; what it was for stands with the scores."""
        app = App.get_running_app()
        *sheet, verdict = view.result
        keys = [Key(text=app.words[name], deed=partial(app.open, name), role=role) for name, role in AFTERWARDS.items()]
        lines: list[Part] = [Factory.Words(text=line.strip()) for line in sheet[1:]]
        return [Factory.Large(text=verdict), *keys, *lines]

    def _calm(self, view: View, may: str) -> list[Part]:
        found = [Factory.Words(text=view.last)] if view.last else []
        found += [Factory.Heading(text=may), *(Factory.Words(text=line) for line in view.may)] if view.may else []
        held = [(side.name, " · ".join(side.holds)) for side in view.sides if side.holds]
        return found + [Factory.Faint(text=f"{name}: {holds}") for name, holds in held]


class OtherwiseScreen(ListScreen):
    """What may have happened instead of what is proposed, a tap each, and more about it; gone where that is over."""

    def show(self) -> None:
        showing: Showing = App.get_running_app().showing
        view = showing.view
        self._news = view.news
        parts: list[Part] = [Factory.Faint(text=line) for line in view.news.lines[: view.news.short]]
        keys: list[Key] = []  # that stand together
        for part in about(view, map(_notice, (*view.notices, *showing.machine))):
            if isinstance(part, Key):
                keys.append(part)
                continue
            parts += [*_columns(keys), part]
            keys = []
        parts += _columns(keys)
        self.fill(view.news.headline, parts)

    def show_news(self) -> None:
        """Another picture came: what was asked about may be no more."""
        app = App.get_running_app()
        if app.showing.view.news != self._news:
            app.open("table")


def about(view: View, notices: Iterable[Words]) -> Iterator[Words | Key]:
    """What may have happened instead, a tap each, and more about it; why not, before that, where it may not be."""
    lines = [Factory.Words(text=line) for line in view.news.lines[view.news.short :]]
    if view.news.kind == ILLEGAL:
        yield lines[0]
    yield from (_key(choice) for choice in view.news.choices if choice.role != CONFIRM)
    yield from notices
    if view.news.kind != ILLEGAL:
        yield from lines
    if view.last:
        yield Factory.Faint(text=view.last)


def _columns(keys: list[Key]) -> list[Part]:
    return [grid(keys, min(2, len(keys)), folds=True)] if keys else []


def _notice(text: str) -> Words:
    notice: Words = Factory.Notice(text=text)
    return notice


def _key(choice: Choice) -> Key:
    return Key(text=capital(choice.text), deed=lambda: App.get_running_app().do(choice.event))


def _dice(view: View) -> list[DieFace]:
    """Those that are left, then those that are spent."""
    left = [DieFace(value=value) for value in view.dice]
    return left + [DieFace(value=value, is_spent=True) for value in view.spent]


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
