"""The same as `child`, but every step is done on a touchscreen, drawn off screen.

A step is told once the screen says no more that it saves it.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from companion.table import Correct, Redo, TakeTable, Tell, Undo
from tests.store.steps import Step, shelf, steps
from tests.ui.touchscreen import DemoHouse, Seated, Touchscreen, showing_of


def event_of(step: Step) -> Any:
    match step:
        case "undo", ():
            return Undo()
        case "redo", ():
            return Redo()
        case "correct", (at, action):
            return Correct(at, (action,))
        case "take_table", (position,):
            return TakeTable(position)
        case _, (action,):
            return Tell((action,))
    raise AssertionError(step)


def play(folder: Path, number: int, seed: int, first: int) -> None:
    """Play a kept game by seed from step `first` until it is killed; each step is told by a byte on standard output."""
    from companion.ui.window import open_window

    with tempfile.TemporaryDirectory() as own, shelf(folder).open(number) as log:
        open_window(Path(own) / "kivy", (800, 480))
        screen = Touchscreen(DemoHouse(Path(own)))
        screen.app.watch(showing_of(Seated(log)))
        screen.frames(2)
        os.write(1, b"+")
        for step, _ in steps(log.session, seed, first):
            screen.app.do(event_of(step))
            screen.frames(1)
            os.write(1, b".")
