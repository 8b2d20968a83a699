"""Kits and calibration: what there is, and each step with what the camera shows, how far it is, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.screenmanager import Screen

from calibration.dialogue import Move
from companion.ui.parts import LETTERS_IN_A_ROW, Key, Part, grid, key_of, row
from companion.ui.photo_widget import Point
from companion.ui.screens.listed import ListScreen
from companion.ui.view.beds import Beds, BedsView, KeepBeds
from companion.ui.view.copies import Change, CopyView, Edit, PutAside, Rename, Titling, lengthened, title_keyboard
from companion.ui.view.kits import EditBeds, Kits, NewCopy
from companion.ui.view.taps import Go, Tap
from companion.ui.view.workbench import ARROWS, BAD, DOUBT, GOOD, HEAD, Bench, Desk, Line, Work

LOOKS_A_SECOND = 10
AS_IT_IS = Desk()
KINDS = {GOOD: "Good", DOUBT: "Doubt", BAD: "Notice", HEAD: "Heading"}


def line_of(line: Line) -> Part:
    part: Part = Factory.get(KINDS.get(line.grade, "Words"))(
        text=f"{line.sign} {line.text}" if line.sign else line.text
    )
    return part


class KitsScreen(ListScreen):
    """The camera, the copies, and a new one."""

    def show(self) -> None:
        app = App.get_running_app()
        view: Kits = app.house.kits(app.language)
        found: list[Part] = [Factory.Notice(text=view.notice)] if view.notice else []
        for section in view.sections:
            found += [Factory.Heading(text=section.name), *map(line_of, section.lines)]
            found += [row(key_of(tap, self._take) for tap in section.taps)] if section.taps else []
        self.fill(app.words["kits"], found)

    def _take(self, to: Work | NewCopy | EditBeds | Edit) -> None:
        app = App.get_running_app()
        match to:
            case EditBeds(folder):
                app.open("beds", beds=app.house.beds(folder))
            case Edit():
                app.open("copy", edit=to)
            case NewCopy(game):
                app.keep(lambda: app.house.new_copy(game, app.language), app.work)
            case Work(job):
                app.work(job)


class CopyScreen(ListScreen):
    """A copy by itself: its name, what no picture tells of it, and how it is put aside."""

    def show(self, edit: Edit) -> None:
        app = App.get_running_app()
        view: CopyView = app.house.copy_view(edit, app.language)
        lines: list[Part] = [Factory.Words(text=line) for line in view.lines]
        rows = [grid((key_of(tap, self._take) for tap in taps), len(taps)) for taps in view.rows if taps]
        last = [key_of(view.main, self._take, "main")] if view.main else []
        self._edit = edit
        self.fill(view.title, [*lines, *rows, *last])

    def _take(self, to: Change | Titling | Edit) -> None:
        app = App.get_running_app()
        match to:
            case Titling():
                app.open("title", titling=to)
            case Edit():
                app.open("copy", edit=to)
            case PutAside():
                app.keep(lambda: app.house.change_copy(to, app.language), lambda _: self._leave())
            case _:
                app.keep(lambda: app.house.change_copy(to, app.language), lambda _: self.show(self._edit))

    def _leave(self) -> None:
        """Nothing of the copy is gone back to."""
        app = App.get_running_app()
        app.open("home")
        app.open("kits")


class TitleScreen(ListScreen):
    """A copy's name as it is typed; a keyboard does as well."""

    def show(self, titling: Titling) -> None:
        app = App.get_running_app()
        self._titling = titling
        view = title_keyboard(titling, app.language)
        letters = grid((key_of(tap, self.show) for tap in view.letters), LETTERS_IN_A_ROW)
        last = grid((*(key_of(tap, self.show) for tap in view.signs), key_of(view.done, self._done, "main")), 3)
        self.fill(f"{view.title} {view.text}", [letters, last])

    def type(self, sign: str) -> None:
        """A sign from a keyboard; none: take the last away."""
        self.show(lengthened(self._titling, sign))

    def _done(self, to: Rename) -> None:
        app = App.get_running_app()
        app.keep(lambda: app.house.change_copy(to, app.language), lambda _: app.back())


class BedsScreen(ListScreen):
    """The shapes of a copy's beds."""

    def show(self, beds: Beds) -> None:
        app = App.get_running_app()
        view: BedsView = app.house.beds_view(beds, app.language)
        taps = (*view.numbers, view.drop) if view.drop is not None else view.numbers
        after = row([*(key_of(tap, self.show) for tap in taps), key_of(view.keep, self._keep, "main")])
        veggies = [key_of(tap, self.show) for tap in view.veggies]
        cells = [list(map(self._cell, taps)) for taps in view.cells]
        above: list[Part] = []
        if app.look.is_upright:
            above = [row(veggies)]
        else:  # beside the cells, so that all of the shape is seen at once
            cells = [[*keys, veggie] for keys, veggie in zip(cells, veggies, strict=True)]
        self.fill(view.title, [*above, after, *map(row, cells), Factory.Faint(text=view.how)])

    def _cell(self, tap: Tap[Beds]) -> Key:
        key = key_of(tap, self.show)
        key.font_name, key.least_px = "DejaVuSans", App.get_running_app().look.touch_px
        return key

    def _keep(self, to: KeepBeds) -> None:
        app = App.get_running_app()
        app.keep(lambda: app.house.keep_beds(to.beds), lambda _: app.back())


class CalibrateScreen(Screen):
    """A step of calibrating, looked at anew a few times in a second."""

    title = StringProperty()
    main_text = StringProperty()
    has_picture = BooleanProperty(True)
    main = ObjectProperty(None, allownone=True)

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._desk = Desk()
        self._bench: Bench | None = None
        self._picture = -1
        self._clock: Any = None

    def show(self, desk: Desk = AS_IT_IS) -> None:
        self._desk, self._bench, self._picture = desk, None, -1
        self.ids.photo.blit(None)
        self._draw()

    def on_enter(self, *_: object) -> None:
        self._clock = Clock.schedule_interval(self._look, 1 / LOOKS_A_SECOND)

    def on_pre_leave(self, *_: object) -> None:
        if self._clock is not None:
            self._clock.cancel()
        App.get_running_app().house.rest()

    def _look(self, *_: object) -> None:
        """Draw what has changed; but not while a finger is on a key, which would be gone below it."""
        self._draw(any(isinstance(widget, Key) and widget.state == "down" for widget in self.walk()))

    def _draw(self, leaves_keys: bool = False) -> None:
        app = App.get_running_app()
        bench: Bench | None = app.house.bench(self._desk, app.language)
        if bench is None:
            return
        number, pixels = app.house.bench_picture()
        if number != self._picture and bench.has_picture:
            self._picture = number
            self.ids.photo.blit(pixels)
        self.ids.photo.show(bench)
        if leaves_keys:
            return
        before, self._bench = self._bench, bench
        if before is None or _beside(before) != _beside(bench):
            self._fill(bench, before)

    def _fill(self, bench: Bench, before: Bench | None) -> None:
        app = App.get_running_app()
        framed = app.framed_text
        self.title, self.has_picture = bench.title, bench.has_picture
        self.main, self.main_text = bench.main, bench.main.text if bench.main is not None else ""
        rows: list[Part] = [
            row(map(self._key, taps)) if bench.has_picture else grid(map(self._key, taps), len(taps))
            for taps in bench.taps
        ]
        page = self.ids.body.page if before is not None and before.title == bench.title else 0
        self.ids.body.fill([*map(line_of, bench.lines), *rows])
        self.ids.body.page = min(page, self.ids.body.pages - 1)
        app.frame_text(framed)

    def _key(self, tap: Tap[Any]) -> Key:
        key = key_of(tap, self.take)
        if tap.text in ARROWS.values():
            key.font_name, key.least_px = "DejaVuSans", App.get_running_app().look.touch_px
        elif not self.has_picture:  # there is room for large ones
            key.least_px = App.get_running_app().look.thumb_px
        return key

    def take(self, to: Any) -> None:
        """A deed is done, another step begun; or the screen stands otherwise."""
        app = App.get_running_app()
        match to:
            case Desk():
                self._desk = to
                self._draw()
            case Work(job):
                app.work(job)
            case Go():
                app.errand(to)
            case _:
                app.house.deed(to)
                if (self._desk.mode == "size" and not isinstance(to, Move)) or self._desk.mode == "pieces":
                    self._desk = Desk()
                self._draw()

    def press_main(self) -> None:
        if self.main is not None:
            self.take(self.main.to)

    def tapped(self, space: str) -> None:
        if self._bench is not None and space in self._bench.spaces:
            self.take(self._bench.spaces[space])

    def dragged(self, handle: str, to: Point) -> None:
        self._desk = Desk(self._desk.mode, handle=handle, near=self._desk.near)
        self.take(Move(handle, to))

    def nudge(self, way: str) -> bool:
        """Move the chosen handle by a little; whether one is chosen."""
        moves = self._bench.nudges if self._bench is not None else {}
        if way in moves:
            self.take(moves[way])
        return bool(moves)


def _beside(bench: Bench) -> tuple[object, ...]:
    """What stands beside the picture."""
    return bench.title, bench.lines, bench.main, bench.taps, bench.has_picture


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
