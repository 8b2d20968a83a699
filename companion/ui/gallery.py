"""Every screen, one after the other, in some themes: photographed, and measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kivy.clock import Clock
from kivy.core.window import Window

from companion.ui.app import TouchApp
from companion.ui.measuring import faults_of

FRAMES = 3  # until what was changed is laid out and drawn


@dataclass(frozen=True)
class Photograph:
    """A screen to be taken; `prepare` brings the app to where it is to be seen."""

    name: str
    prepare: Callable[[TouchApp], None]


def hang(
    app: TouchApp,
    photographs: Iterable[Photograph],
    themes: Iterable[str],
    folder: Path | None,
) -> list[str]:
    """Take every photograph in every theme, as `NAME-WIDTHxHEIGHT-THEME.png` in `folder`; None: only measure.

    Returns what is wrong with the screens, a line each.
    """
    found: list[str] = []
    steps = _steps(app, list(photographs), list(themes), folder, found)

    def go_on(_: float) -> None:
        if next(steps, "end") == "end":
            app.stop()

    app.bind(on_start=lambda _: Clock.schedule_interval(go_on, 0))
    app.run()
    return found


def _steps(
    app: TouchApp, photographs: list[Photograph], themes: list[str], folder: Path | None, found: list[str]
) -> Iterator[None]:
    """A step for each frame that is drawn."""
    for photograph in photographs:
        photograph.prepare(app)
        for theme in themes:
            app.wear(theme)
            yield from [None] * FRAMES
            name = f"{photograph.name}-{Window.width}x{Window.height}-{theme}"
            if folder is not None:
                _write(folder / f"{name}.png")
            if theme == themes[0]:  # colours change no sizes
                yield from _measure(app, name, found)


def _measure(app: TouchApp, name: str, found: list[str]) -> Iterator[None]:
    """What is shown, and the pages that stand behind it."""
    found += [f"{name}: {fault}" for fault in faults_of(app.screen, app.look)]
    body = app.screen.ids.get("body")
    for page in range(1, int(getattr(body, "pages", 1))):
        body.page = page
        yield from [None] * FRAMES
        found += [f"{name}, page {page + 1}: {fault}" for fault in faults_of(app.screen, app.look)]
    if getattr(body, "page", 0):
        body.page = 0


def _write(path: Path) -> None:
    """Kivy puts a number into the names of what it writes; here each has its own."""
    Path(Window.screenshot(name=str(path))).replace(path)
