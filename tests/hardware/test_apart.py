"""A camera in a process of its own: pictures come over, and however it fails it is told and ended."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from companion.observation import Frame
from hardware.camera import CameraFault
from hardware.camera.apart import Apart, of_device

ROOT = Path(__file__).parent.parent.parent
MOST_S = 60.0  # that a process may take here to begin
Begin = Callable[..., Apart]


@pytest.fixture
def begin() -> Iterator[Begin]:
    begun: list[Apart] = []

    def camera(how: str, after: int = 0) -> Apart:
        begun.append(Apart([sys.executable, "-m", "tests.hardware.faulty_camera", how, str(after)]))
        return begun[-1]

    yield camera
    for feed in begun:
        feed.kill()


def next_of(feed: Apart) -> Frame:
    frame = feed.next(MOST_S)
    assert frame is not None
    return frame


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_pictures_come_over_as_they_are(begin: Begin) -> None:
    feed = begin("works")
    for number in (1, 2, 3):
        frame = next_of(feed)
        assert frame.pixels.shape == (48, 64, 3) and (frame.pixels == number).all()
        assert frame.small is not None and frame.small.shape == (12, 16) and (frame.small == number).all()
        assert frame.about == {"rate": 30.0}


def test_a_picture_is_not_touched_by_the_next(begin: Begin) -> None:
    feed = begin("works")
    first, second = next_of(feed), next_of(feed)
    assert (first.pixels == 1).all() and (second.pixels == 2).all()


def test_that_the_light_is_another_is_told_with_the_next_picture(begin: Begin) -> None:
    """The camera counts on by a hundred where it is told so."""
    feed = begin("works")
    next_of(feed)
    feed.relit()
    assert (next_of(feed).pixels == 102).all()
    assert (next_of(feed).pixels == 103).all()  # told once


def test_what_is_set_comes_to_the_camera_and_shows_in_its_pictures(begin: Begin) -> None:
    feed = begin("works")
    assert feed.ranges == {}
    next_of(feed)
    assert feed.ranges == {"gain": (1.0, 16.0)}
    feed.adjust({"gain": 2.5})
    assert next_of(feed).about == {"rate": 30.0, "gain": 2.5}
    feed.adjust(None)
    assert next_of(feed).about == {"rate": 30.0}


def test_setting_a_camera_that_has_gone_is_told(begin: Begin) -> None:
    feed = begin("is killed", 0)
    with pytest.raises(CameraFault):
        next_of(feed)
    feed.adjust({"gain": 2.0})
    with pytest.raises(CameraFault) as fault:
        next_of(feed)
    assert fault.value.reason == "camera-gone"


def test_why_there_is_no_camera_is_told_though_it_was_to_be_set(begin: Begin) -> None:
    feed = begin("busy")
    feed.adjust({"gain": 2.0})
    feed.relit()
    with pytest.raises(CameraFault) as fault:
        next_of(feed)
    assert fault.value.reason == "camera-busy"


def test_all_that_a_camera_is_told_comes_in_its_order(begin: Begin) -> None:
    feed = begin("works")
    for settings in ({"gain": 2.0}, None, {"gain": 3.0}, {"red_gain": 1.5}):
        feed.adjust(settings)
    assert next_of(feed).about == {"rate": 30.0, "gain": 3.0, "red_gain": 1.5}


def test_pictures_may_become_larger(begin: Begin) -> None:
    feed = begin("grows", 1)
    assert next_of(feed).pixels.shape == (48, 64, 3)
    assert next_of(feed).pixels.shape == (480, 640, 3)


@pytest.mark.parametrize(
    ("how", "reason", "text"),
    [
        ("busy", "camera-busy", "another program has it"),
        ("is killed", "camera-gone", "the camera's process has ended"),
        ("is pulled", "camera-gone", "the cable is out"),
        ("breaks", "camera-broken", "the camera broke: a driver's own fault"),
    ],
)
def test_what_fails_is_told(how: str, reason: str, text: str, begin: Begin) -> None:
    feed = begin(how, 2)
    with pytest.raises(CameraFault) as fault:
        list(iter(lambda: next_of(feed), None))
    assert (fault.value.reason, str(fault.value)) == (reason, text)


@pytest.mark.parametrize("how", ["hangs", "is pulled", "works"])
def test_it_can_be_killed_whatever_it_is_doing(how: str, begin: Begin) -> None:
    feed = begin(how, 1)
    next_of(feed)
    with suppress(CameraFault):
        feed.next(0)  # it has been asked for another
    feed.kill()
    assert not is_running(feed.pid)


def test_it_ends_with_whoever_started_it() -> None:
    """A companion that is killed leaves no process behind that holds the camera, even one that hangs."""
    code = (
        "import sys\n"
        "from hardware.camera.apart import Apart\n"
        "feed = Apart([sys.executable, '-m', 'tests.hardware.faulty_camera', 'hangs', '1'])\n"
        f"assert feed.next({MOST_S}) is not None\n"
        "assert feed.next(0) is None\n"
        "print(feed.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        camera = int(parent.stdout.readline())
        handle = os.pidfd_open(camera)
        os.kill(parent.pid, signal.SIGKILL)
        assert select.select([handle], [], [], MOST_S)[0] == [handle]  # it can be read from once the process has ended
        os.close(handle)


def test_a_process_that_cannot_be_started() -> None:
    with pytest.raises(CameraFault, match="the camera's process cannot be started: No such file") as fault:
        Apart(["/nowhere/python"])
    assert fault.value.reason == "camera-broken"


def test_a_webcam_that_is_not_there() -> None:
    feed = of_device("v4l2", 63, (640, 480))
    with pytest.raises(CameraFault, match="there is no /dev/video63") as fault:
        feed.next(MOST_S)
    assert fault.value.reason == "camera-absent"
    feed.kill()


def test_picamera2_where_it_is_not_installed() -> None:
    feed = of_device("picamera2", 0, (640, 480))
    with pytest.raises(CameraFault) as fault:
        feed.next(MOST_S)
    assert fault.value.reason in ("camera-missing", "camera-absent")
    feed.kill()
