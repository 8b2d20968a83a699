"""A camera that is kept going, on a clock that the test turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from companion.observation import Frame, NotSeen
from hardware.camera import CameraFault
from hardware.camera.tended import Tended

Step = Frame | CameraFault | None  # what a feed gives; None: nothing comes while it is waited for


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> None:
        self.now_s += seconds


class Feed:
    """Gives what it is told to, and then nothing any more."""

    def __init__(self, clock: Clock, steps: list[Step]) -> None:
        self._clock, self._steps = clock, steps
        self.killed = self.was_relit = False
        self.ranges = {"gain": (1.0, 16.0)}
        self.asked: list[Mapping[str, float] | None] = []

    def next(self, wait_s: float) -> Frame | None:
        assert not self.killed
        step = self._steps.pop(0) if self._steps else None
        if step is None:
            self._clock.wait(wait_s)
        if isinstance(step, CameraFault):
            raise step
        return step

    def relit(self) -> None:
        self.was_relit = True

    def adjust(self, settings: Mapping[str, float] | None) -> None:
        self.asked.append(None if settings is None else dict(settings))

    def kill(self) -> None:
        self.killed = True


def picture(value: int) -> Frame:
    return Frame(np.random.default_rng(value).integers(0, 255, (48, 64, 3), np.uint8))


def pictures(count: int, first: int = 0) -> list[Step]:
    return [picture(first + number) for number in range(count)]


def gone() -> CameraFault:
    return CameraFault("camera-gone", "the cable is out")


class Camera:
    """A tended camera whose feeds are given one after another; a fault in their place: it cannot be begun."""

    def __init__(self, *feeds: list[Step] | CameraFault, fixed: Mapping[str, float] | None = None) -> None:
        self.clock = Clock()
        self.begun: list[Feed] = []
        self.begun_at_s: list[float] = []
        self._feeds = list(feeds)
        self.tended = Tended(self._begin, self.clock, self.clock.wait, fixed)

    def _begin(self) -> Feed:
        self.begun_at_s.append(self.clock.now_s)
        feed = self._feeds.pop(0) if len(self._feeds) > 1 else self._feeds[0]
        if isinstance(feed, CameraFault):
            raise feed
        self.begun.append(Feed(self.clock, list(feed)))
        return self.begun[-1]

    def told(self, count: int) -> list[str]:
        """The names of pictures, and the reasons where there are none."""
        read = [self.tended.read() for _ in range(count)]
        return [answer.error if isinstance(answer, NotSeen) else answer.name if answer else "" for answer in read]


def test_pictures_are_counted_through() -> None:
    camera = Camera([*pictures(2), gone()], pictures(2, 10))
    assert camera.told(5) == ["000001", "000002", "camera-gone", "000003", "000004"]
    assert [feed.killed for feed in camera.begun] == [True, False]


def test_that_the_light_is_another_is_handed_on_and_harmless_without_a_camera() -> None:
    camera = Camera(gone(), pictures(2))
    camera.tended.relit()
    assert camera.told(2) == ["camera-gone", "000001"]
    camera.tended.relit()
    assert camera.begun[0].was_relit


def test_a_camera_that_is_begun_again_is_set_as_it_was() -> None:
    camera = Camera([*pictures(2), gone()], [*pictures(2, 10), gone()], pictures(2, 20), fixed={"gain": 2.0})
    assert camera.tended.ranges() == {}
    camera.told(2)
    assert camera.tended.ranges() == {"gain": (1.0, 16.0)}
    camera.tended.adjust({"exposure_us": 9000.0})
    camera.told(3)
    camera.tended.automatic()
    camera.told(3)
    assert [feed.asked for feed in camera.begun] == [
        [{"gain": 2.0}, {"exposure_us": 9000.0}],
        [{"gain": 2.0, "exposure_us": 9000.0}, None],
        [],
    ]


def test_what_the_camera_says_of_its_last_picture() -> None:
    told = replace(picture(1), about={"gain": 3.0})
    camera = Camera([told, gone()], pictures(1, 5))
    assert camera.tended.metadata() == {}
    camera.told(1)
    assert camera.tended.metadata() == {"gain": 3.0}


def test_a_stall_is_told_and_the_camera_begun_again() -> None:
    camera = Camera(pictures(3), pictures(3, 10))
    assert camera.told(6) == ["000001", "000002", "000003", "camera-stalled", "000004", "000005"]
    assert camera.begun[0].killed
    assert 6 < camera.begun_at_s[1] - camera.begun_at_s[0] < 8


def test_a_camera_that_takes_long_to_begin_is_given_its_time() -> None:
    camera = Camera([None] * 60 + pictures(1))  # twelve seconds
    assert camera.told(1) == ["000001"]
    camera = Camera([None] * 90 + pictures(1), pictures(1))
    assert camera.told(2) == ["camera-stalled", "000001"]


def test_a_camera_that_is_absent_for_30_s_comes_back_by_itself() -> None:
    absent = CameraFault("camera-absent", "no camera is connected")
    camera = Camera(*[absent] * 6, pictures(40))
    told = camera.told(40)
    first = told.index("000001")
    assert set(told[:first]) == {"camera-absent"}
    assert camera.begun_at_s[-1] - camera.begun_at_s[0] < 40
    pauses = [round(after - before, 3) for before, after in pairwise(camera.begun_at_s)]
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0]  # longer and longer, and never for good


def test_the_reader_never_waits_for_long() -> None:
    """Whatever the camera does: somebody must be able to end it, and to see that it is tended."""
    camera = Camera(gone())
    for _ in range(50):
        before_s = camera.clock.now_s
        camera.tended.read()
        assert camera.clock.now_s - before_s <= 1.5


def test_after_a_quiet_while_earlier_failures_are_forgotten() -> None:
    camera = Camera(gone(), gone(), [*pictures(60), gone()], pictures(1))
    told = camera.told(70)
    assert told.count("000060") == 1
    assert camera.begun_at_s[3] - camera.begun_at_s[2] == pytest.approx(0.5)


def test_a_frozen_picture_is_noticed_and_a_still_table_is_not_one() -> None:
    frozen = picture(1)
    camera = Camera([frozen] * 200, pictures(5, 10))
    told = camera.told(40)
    assert told.index("camera-frozen") == 30 and told[31] == "000031"
    noise = np.random.default_rng(0)
    still = [Frame((frozen.pixels // 2 + noise.integers(0, 2, (48, 64, 3))).astype(np.uint8)) for _ in range(200)]
    assert "camera-frozen" not in Camera(list(still)).told(200)


def test_a_black_picture_is_no_frozen_one() -> None:
    """With the cap on, or in a dark room: that is told by who looks at it."""
    black = Frame(np.zeros((48, 64, 3), np.uint8))
    assert "camera-frozen" not in Camera([black] * 200).told(200)


def test_closed_it_gives_nothing_and_has_ended_the_camera() -> None:
    camera = Camera(pictures(3))
    camera.told(1)
    camera.tended.close()
    assert camera.tended.read() is None and camera.begun[0].killed


def test_closed_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    camera = Camera(pictures(1))
    camera.told(1)
    waits: list[Callable[[], None]] = [camera.tended._closed.set]
    wait = camera.clock.wait
    monkeypatch.setattr(camera.clock, "wait", lambda seconds: (wait(seconds), waits and waits.pop()()))
    assert camera.tended.read() is None
    assert camera.clock.now_s < 101
