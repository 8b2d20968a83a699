"""What waits for the disk is done in a thread of its own, so that whoever shows the game can say so meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import Thread
from typing import Any, TypeVar

PROMPT_S = 0.3  # what is done by then was no wait
LOOK_S = 0.02  # between two looks whether it is the disk that is waited for

Result = TypeVar("Result")


def of_the_disk() -> float:
    """What a deed waits for, where it does little else than to write: the disk, from its begin on."""
    return inf


def waited_for(deed: Callable[[], Result], says: Callable[[bool], None], disk_s: Callable[[], float]) -> Result:
    """What a deed results in; meanwhile `says` is called as by `Keeping`.  Raises what it raises."""
    results: list[Result] = []
    keeping = Keeping(says)
    keeping.do(deed, results.append, disk_s)
    keeping.wait()
    keeping.take_up()
    return results[0]


class Keeping:
    """One deed at a time, one thread beside that which shows the game: only one of the two touches it."""

    def __init__(self, says: Callable[[bool], None] = lambda waits: None) -> None:
        """`says` is called with True once something is waited for, and with False once it is done."""
        self._says = says
        self._thread: Thread | None = None
        self._then: Callable[[Any], None] = lambda result: None
        self._result: Any = None
        self._error: BaseException | None = None
        self._is_told = False

    @property
    def is_busy(self) -> bool:
        """Something was begun, and is not taken up yet."""
        return self._thread is not None

    def do(
        self,
        deed: Callable[[], Any],
        then: Callable[[Any], None] = lambda result: None,
        disk_s: Callable[[], float] = of_the_disk,
    ) -> None:
        """Do it, then go on with its result: at once where it is done soon, else once that is taken up.

        While something else is waited for nothing happens: whoever presses again wants nothing more.  Raises what the
        deed raises, as `take_up` does.

        `disk_s` tells for how long the deed has waited for the disk.  As long as it works it is as if it were done
        here: nothing is said, and what is pressed waits.
        """
        if self.is_busy:
            return
        self._then, self._result, self._error = then, None, None
        self._thread = Thread(target=self._run, args=(deed,), name="keeping")
        self._thread.start()
        self._thread.join(PROMPT_S)
        while self._thread.is_alive() and disk_s() < PROMPT_S:
            self._thread.join(LOOK_S)
        if not self.take_up():
            self._is_told = True
            self._says(True)

    def take_up(self) -> bool:
        """Go on with what is done by now; whether nothing is waited for."""
        if self._thread is None:
            return True
        if self._thread.is_alive():
            return False
        self._thread = None
        if self._is_told:
            self._is_told = False
            self._says(False)
        if self._error is not None:
            raise self._error
        self._then(self._result)
        return True

    def wait(self) -> None:
        """Until it is done, however long that takes."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, deed: Callable[[], Any]) -> None:
        try:
            self._result = deed()
        except BaseException as error:  # it is for the other thread
            self._error = error
