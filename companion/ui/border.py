"""What breaks where nothing was pressed: in the layout, in what is drawn, on a screen's own clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kivy.base import ExceptionHandler, ExceptionManager


class Border(ExceptionHandler):  # type: ignore[misc]
    """Kivy asks it before it lets an error end its loop."""

    def __init__(self, app: Any) -> None:
        super().__init__()
        self._app = app

    def handle_exception(self, exception: BaseException) -> int:
        """A fault of the program is told by the app; whoever wants an end gets it."""
        if not isinstance(exception, Exception):
            return int(ExceptionManager.RAISE)
        self._app.broke(exception)
        return int(ExceptionManager.PASS)


@contextmanager
def guarded(app: Any) -> Iterator[None]:
    """While it runs."""
    border = Border(app)
    ExceptionManager.add_handler(border)
    try:
        yield
    finally:
        ExceptionManager.remove_handler(border)
