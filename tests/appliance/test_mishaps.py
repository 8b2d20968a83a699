"""Faults of the program itself, planted in the eye, in the referee and in what is shown: no game ends by them."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.document import Fault
from companion.live import Ended, Eye, Inbox, Looked, Lookout
from companion.mishaps import PAUSES, QUIET, Mishaps, held_back
from companion.observation import Frame, NotSeen
from companion.pulse import Pulse
from companion.rules import LANGUAGES
from companion.table import Shown
from companion.ui.view import News
from companion.ui.view.health import BAD, Readings, health
from companion.ui.view.news import news_of
from companion.vision.watch import Sighting
from tests.appliance.device import HARVESTED, LAST_DIE, Device, pictures
from tests.appliance.test_faults import kept

pytestmark = pytest.mark.mishaps
Make = Callable[..., Device]
Log = list[logging.LogRecord]
READING = {"en": "Reading the table failed, and is tried again", "hu": "Nem sikerült leolvasni az asztalt"}
JUDGING = {"en": "Judging what was seen failed, and is tried again", "hu": "Nem sikerült elbírálni, mi látszik"}
ENDED = {"en": "The part that watches the table has ended", "hu": "Hiba miatt leállt az asztal figyelése"}


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Device] = []

    def device(language: str = "en", count: int = 900) -> Device:
        made.append(Device(tmp_path, [pictures(count)], language))
        return made[-1]

    yield device
    for one in made:
        one.close()


def breaks(*_: object) -> Any:
    raise IndexError("planted")


def until(device: Device, says: str, most: int = 200) -> int:
    """How many looks it takes until the sight says so."""
    return next(number for number in range(1, most) if device.looks().startswith(says))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_eye_that_breaks_is_told_and_made_anew_and_the_game_goes_on(language: str, make: Make, mishaps: Log) -> None:
    device = make(language)
    still = device.looks(2)
    device.seat.lay |= HARVESTED
    device.looks(1)
    well, device.see = device.see, breaks
    assert device.looks().startswith(READING[language])
    device.presses("confirm")  # what was seen before stands no more
    assert device.done == kept(device) == []
    device.see = well
    until(device, still)
    device.presses("confirm")
    assert device.done == kept(device) == ["harvest", "end-turn"]
    device.presses("undo")
    assert device.done == kept(device) == []
    assert len(mishaps) == 1 and mishaps[0].exc_info is not None and device.following.mishaps == 1


def test_while_the_eye_is_broken_actions_are_told_by_hand_and_taken_back(make: Make) -> None:
    device = make()
    device.looks(2)
    device.see = breaks
    device.looks(3)
    assert READING["en"] in " ".join(device.screen.split())
    for key in ("t", *"harvest 6,1 4", "enter"):
        device.display.press(key)
    assert device.done == kept(device) == ["harvest", "end-turn"], device.screen
    device.looks(3)
    device.presses("undo")
    assert device.done == kept(device) == []


def test_one_that_breaks_again_and_again_is_tried_less_often_and_the_health_screen_tells(
    make: Make, mishaps: Log
) -> None:
    device = make()
    tries: list[int] = []
    looks = [0]

    def see() -> Sighting:
        tries.append(looks[0])
        raise IndexError("planted")

    device.see = see
    for looks[0] in range(400):
        device.looks()
    assert [after - before - 1 for before, after in pairwise(tries)][:8] == [*PAUSES, PAUSES[-1]]
    assert len(mishaps) == 1, "told once for each place"
    item = next(item for item in health(Readings(faults=device.following.mishaps), "en").items if "faults" in item.name)
    assert item.state == BAD and item.to_do.startswith("Write a failure file")
    assert len(device.following.tracebacks) == 1 and "IndexError: planted" in device.following.tracebacks[0]
    assert max(after - before for before, after in pairwise(device.pulsed)) < 15, "it is alive: it is not begun anew"


def test_it_is_made_anew_and_earlier_faults_are_forgotten_after_quiet() -> None:
    made: list[int] = []
    told: list[bool] = []
    broken = {1, 60}  # of all that it is asked to look at

    def anew() -> Callable[[Frame], Sighting]:
        made.append(len(told))
        return lambda frame: breaks() if len(told) in broken else Sighting(len(told), "moving")

    mishaps = Mishaps("the eye")
    eye = Eye(anew, mishaps)
    while len(told) < 70:
        told.append(isinstance(eye(Frame(np.zeros((4, 4, 3), np.uint8))), NotSeen))
    assert QUIET < 57 and [number for number, amiss in enumerate(told) if amiss] == [1, 2, 60, 61]
    assert made == [0, 3, 62] and mishaps.count == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_referee_that_breaks_on_a_picture(
    language: str, make: Make, mishaps: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = make(language)
    still = device.looks(2)
    device.seat.lay |= HARVESTED
    calm = device.seat.table.shown.sighting
    device.seat.picture += 1
    seen = device.seat.settles().sighting
    device.see = lambda: seen
    with monkeypatch.context() as patched:
        patched.setattr("companion.evidence.reconcile", breaks)
        assert device.looks(2).startswith(JUDGING[language])
        device.presses("confirm")
        assert device.done == kept(device) == []
    assert calm.picture < seen.picture
    until(device, still)
    device.presses("confirm")
    assert device.done == kept(device) == ["harvest", "end-turn"]
    assert len(mishaps) == 1


def test_a_referee_that_breaks_after_a_step_was_kept(make: Make, mishaps: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is on disk, so it is shown as done: pressed again, nothing is done twice."""
    device = make()
    device.seat.lay |= HARVESTED
    device.looks(2)
    with monkeypatch.context() as patched:
        patched.setattr("companion.evidence.reconcile", breaks)
        for _ in range(3):
            device.presses("confirm")
        assert device.done == kept(device) == ["harvest", "end-turn"]
        assert JUDGING["en"] in " ".join(device.screen.split())
        score = device.display.view.sides
    device.looks(5)
    assert device.display.view.sides == score and device.done == kept(device) == ["harvest", "end-turn"]
    assert len(mishaps) == 1


def test_what_cannot_be_shown_is_left_out(make: Make, mishaps: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    device = make()
    device.looks(2)
    device.seat.lay |= HARVESTED

    def news(shown: Shown, *more: Any) -> News:
        return breaks() if shown.finding is not None else news_of(shown, *more)

    with monkeypatch.context() as patched:
        patched.setattr("companion.ui.view.news_of", news)
        assert device.looks(1).startswith(JUDGING["en"])
    assert len(mishaps) == 1 and device.done == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_the_thread_itself_ends_it_is_told_and_the_watchdog_hears_nothing_any_more(
    language: str, make: Make, mishaps: Log
) -> None:
    """Without a service the game goes on by hand; with one the companion is begun anew."""
    device = make(language)
    device.looks(2)
    device.inbox.put(Ended(IndexError("planted")))
    device._round()
    assert device.display.view.sight.startswith(ENDED[language]) and device.display.status is None
    for key in ("t", *"harvest 6,1 4", "enter"):
        device.display.press(key)
    assert device.done == kept(device) == ["harvest", "end-turn"]
    for _ in range(600):
        device.clock.wait(1.0)
        device._round()
    assert device.clock.now_s - device.pulsed[-1] > 400
    assert len(mishaps) == 1


def test_a_screen_that_is_drawn_is_not_drawn_over(capsys: pytest.CaptureFixture[str]) -> None:
    """The log is told once the terminal is given back."""
    told: list[str] = []

    class Journal(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(self.format(record))

    log, journal = logging.getLogger("companion"), Journal()
    others, log.handlers = log.handlers, [journal]
    try:
        with held_back():
            log.handlers.remove(journal)
            Mishaps("the eye").met(IndexError("planted"))
            assert told == []
            log.handlers.append(journal)
    finally:
        log.handlers = others
    assert len(told) == 1 and "the eye broke" in told[0]


def test_nothing_is_broken_by_a_picture_that_is_merely_not_seen(make: Make, mishaps: Log) -> None:
    device = make()
    device.following.meet(Looked("", NotSeen("board-not-found", "")))
    assert device.following.mishaps == 0 and mishaps == [] and LAST_DIE["rolled"]


# Whether it is missed


class Film:
    """A camera that gives so many pictures, then comes to its end, or breaks."""

    def __init__(self, pictures: int, end: Exception | None = None) -> None:
        self._left, self._end = pictures, end

    def read(self) -> Frame | None:
        self._left -= 1
        if self._left < 0 and self._end is not None:
            raise self._end
        return Frame(np.zeros((4, 4, 3), np.uint8)) if self._left >= 0 else None

    def close(self) -> None:
        """Nothing is open."""


def fails(error: Exception) -> Callable[[Frame], Sighting]:
    def see(frame: Frame) -> Sighting:
        raise error

    return see


@pytest.mark.parametrize(
    ("film", "see", "is_missed"),
    [
        (Film(3), lambda frame: Sighting(1, "moving"), False),
        (Film(3), fails(Fault("kit.toml: cannot be read")), False),
        (Film(3, Fault("the folder is gone")), lambda frame: Sighting(1, "moving"), False),
        (Film(3), fails(IndexError("planted")), True),
        (Film(3, IndexError("planted")), lambda frame: Sighting(1, "moving"), True),
    ],
    ids=["no more pictures", "an eye that cannot be made", "a camera that cannot be read", "an eye, dead", "a camera"],
)
def test_what_has_ended_in_order_is_not_missed_by_the_watchdog_and_what_broke_is(
    film: Film, see: Callable[[Frame], Sighting], is_missed: bool
) -> None:
    """An hour during which table and screen are alive."""
    now_s, pings = [0.0], list[float]()
    pulse = Pulse(lambda line: pings.append(now_s[0]), now_s=lambda: now_s[0])
    inbox = Inbox()
    lookout = Lookout(film, see, inbox, None, alive=pulse.beat, rests=pulse.rest)
    for _ in range(4):
        lookout.taken()
    lookout._watch()
    assert isinstance(inbox.take(0)[-1], Ended)
    for now_s[0] in range(1, 3600):
        pulse.beat("table")
        pulse.beat("screen")
        pulse.ping()
    assert (3600 - pings[-1] > 3000) is is_missed
    inbox.close()


def test_a_look_that_ends_after_its_game_was_put_away_makes_nobody_wait_for_the_next() -> None:
    """As when the eye learns a kit: it is waited for by nobody, and what it says comes into no other game."""
    told: list[str] = []
    inbox = Inbox()

    def see(frame: Frame) -> Sighting:
        lookout._closed.set()
        told.clear()
        inbox.close()
        return Sighting(1, "moving")

    lookout = Lookout(Film(9), see, inbox, None, alive=told.append, rests=told.append)
    lookout._watch()
    assert told == []


def test_what_comes_in_after_the_end_gets_into_no_file(tmp_path: Path) -> None:
    """A file that is opened then has the number of what rang before: it might be the next game's."""
    inbox = Inbox()
    numbers = {inbox._bell, inbox._button}
    inbox.close()
    with ExitStack() as stack:
        files = [stack.enter_context((tmp_path / str(number)).open("wb")) for number in range(8)]
        assert numbers <= {file.fileno() for file in files}
        inbox.put(Ended())
        inbox.close()
        assert all(os.fstat(file.fileno()).st_size == 0 for file in files)
