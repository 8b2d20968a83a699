"""What a webcam sets by itself: found by it, then held where it lets itself be held, found anew in another light."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hardware.camera import v4l2 as module
from hardware.camera.v4l2 import V4l2
from hardware.camera.webcam_settings import Held
from tests.hardware import webcam_stand_in as stand_in
from tests.hardware.webcam_stand_in import (
    AUTO_EXPOSURE,
    AUTO_FOCUS,
    AUTO_WHITE,
    BY_HAND,
    EXPOSURE,
    FOCUS,
    LEVEL,
    RIGHT,
    WHITE,
    Capture,
)

Faults = Callable[..., None]
AUTOMATIC = {AUTO_EXPOSURE: 3.0, AUTO_WHITE: 1.0, AUTO_FOCUS: 1.0}
LONG = 600  # pictures, a minute of play


@pytest.fixture(autouse=True)
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    monkeypatch.setattr(stand_in, "FAULTS", stand_in.Faults())
    return lambda **changes: monkeypatch.setattr(stand_in, "FAULTS", replace(stand_in.FAULTS, **changes))


def watched(held: Held, webcam: Capture, count: int) -> list[str]:
    """How it stood after each of some pictures."""
    states = []
    for _ in range(count):
        webcam.grab()
        held.meet(webcam.retrieve()[1])
        states.append(held.state)
    return states


def begun() -> tuple[Held, Capture]:
    webcam = Capture(0, 0)
    return Held(webcam), webcam


def level(webcam: Capture) -> float:
    return float(webcam.retrieve()[1].mean())


def is_right(webcam: Capture) -> bool:
    """Well exposed, no colour cast, and sharp."""
    return all(webcam.now[setting] == pytest.approx(right, rel=0.05) for setting, right in RIGHT.items())


def test_it_is_found_and_then_does_not_move_by_a_digit() -> None:
    held, webcam = begun()
    states = watched(held, webcam, 60)
    assert (states[0], states[-1]) == ("finding", "held")
    assert webcam.switches == BY_HAND and is_right(webcam)
    now = dict(webcam.now)
    assert set(watched(held, webcam, LONG)) == {"held"} and webcam.now == now


def test_left_alone_it_would_move() -> None:
    """The stand-in does what real ones do: else nothing here would show anything."""
    webcam = Capture(0, 0)
    shown = set()
    for _ in range(100):
        webcam.grab()
        shown.add(webcam.now[EXPOSURE])
    assert len(shown) > 50


def test_light_that_wavers_does_not_move_it_and_another_light_does(faults: Faults) -> None:
    held, webcam = begun()
    watched(held, webcam, 60)
    before = webcam.now[EXPOSURE]
    for light in (0.8, 1.3):
        faults(light=light)
        held.relit()
        assert set(watched(held, webcam, 30)) == {"held"} and webcam.now[EXPOSURE] == before
    faults(light=0.2)
    assert set(watched(held, webcam, 60)) == {"held"} and webcam.now[EXPOSURE] == before  # nobody has said so yet
    held.relit()
    states = watched(held, webcam, 80)
    assert states[0] == "finding" and states[-1] == "held"
    assert webcam.now[EXPOSURE] == pytest.approx(5 * RIGHT[EXPOSURE], rel=0.05)
    assert level(webcam) == pytest.approx(LEVEL, rel=0.05)


@pytest.mark.parametrize("switch", [AUTO_EXPOSURE, AUTO_WHITE])
def test_one_that_goes_back_to_where_it_was_last_set_is_told_where_to_stay(switch: int, faults: Faults) -> None:
    faults(goes_back=(switch,))
    held, webcam = begun()
    assert watched(held, webcam, 150)[-1] == "held"
    assert is_right(webcam)


@pytest.mark.parametrize(
    "fault",
    [
        {"goes_back": (AUTO_EXPOSURE,), "says_old": True},  # nobody can tell it where it should stay
        {"goes_back": (AUTO_FOCUS,)},  # all would be blurred
        {"refuses": (AUTO_EXPOSURE,)},
        {"refuses": (AUTO_WHITE,)},
        {"refuses": (AUTO_FOCUS,)},
        {"lacks": (AUTO_EXPOSURE,)},
    ],
)
def test_one_that_cannot_be_held_as_it_was_goes_on_by_itself_and_is_not_called_held(
    fault: dict[str, object], faults: Faults
) -> None:
    faults(**fault)
    held, webcam = begun()
    assert watched(held, webcam, LONG)[-1] == "loose" and "held" not in watched(held, webcam, 10)
    there = {switch: on for switch, on in AUTOMATIC.items() if switch not in stand_in.FAULTS.lacks}
    assert {switch: webcam.switches[switch] for switch in there} == there
    watched(held, webcam, 30)
    assert is_right(webcam)


def test_a_camera_that_has_only_some_of_them(faults: Faults) -> None:
    faults(lacks=(AUTO_WHITE, AUTO_FOCUS))
    held, webcam = begun()
    assert watched(held, webcam, 60)[-1] == "held"
    assert webcam.now[EXPOSURE] == pytest.approx(RIGHT[EXPOSURE], rel=0.05)


def test_one_that_was_left_by_hand_is_found_anew() -> None:
    """A camera's process may be killed at any time, and a webcam remembers."""
    stand_in.FAULTS = stand_in.Faults(left_by_hand=True)
    held, webcam = begun()
    assert webcam.switches == AUTOMATIC
    assert watched(held, webcam, 60)[-1] == "held" and is_right(webcam)


def test_one_that_varies_the_aperture_as_well(faults: Faults) -> None:
    faults(aperture=True, left_by_hand=True)
    held, webcam = begun()
    assert webcam.switches[AUTO_EXPOSURE] == 0.0
    assert watched(held, webcam, 60)[-1] == "held" and is_right(webcam)


def test_a_hand_that_comes_just_then_is_waited_for() -> None:
    """Half the picture is dark while it is looked at whether the camera holds: it is tried again."""
    held, webcam = begun()
    hand = 0
    for _ in range(200):
        webcam.grab()
        picture = webcam.retrieve()[1]
        hand = hand + 1 if held.state == "asked" or 0 < hand < 40 else 0
        if 0 < hand < 40 and held._tries == 1:
            picture = picture.copy()
            picture[:, :64] = 20
        held.meet(picture)
    assert held.state == "held" and is_right(webcam)


def test_a_lamp_that_flickers_is_held_after_a_while_all_the_same(faults: Faults) -> None:
    held, webcam = begun()
    states = []
    for number in range(160):
        faults(light=1.0 + 0.04 * (-1) ** number)
        states += watched(held, webcam, 1)
    assert states[50] == "finding" and states[-1] == "held"


def test_let_go_it_finds_them_by_itself_again_and_freed_it_is_found_anew() -> None:
    held, webcam = begun()
    watched(held, webcam, 60)
    held.free()
    states = watched(held, webcam, 60)
    assert (states[0], states[-1]) == ("finding", "held")
    held.let_go()
    assert webcam.switches == AUTOMATIC


# With the driver


@pytest.fixture
def driven(monkeypatch: pytest.MonkeyPatch) -> Iterator[V4l2]:
    monkeypatch.setattr(module.cv2, "VideoCapture", Capture)
    monkeypatch.setattr(Path, "exists", lambda path: str(path) == "/dev/video0")
    webcam = V4l2(0, (128, 96))
    yield webcam
    webcam.close()


def test_pictures_say_whether_it_is_held(driven: V4l2) -> None:
    told = [driven.next(60.0).about["held"] for _ in range(100)]
    assert (told[0], told[-1]) == (0.0, 1.0)
    driven.relit()
    assert driven.next(60.0).about["held"] == 1.0  # as bright as before
    driven.adjust(None)
    assert 0.0 in [driven.next(60.0).about["held"] for _ in range(5)]
    driven.adjust({"gain": 3.0})  # webcams mean each its own by such numbers
    assert driven.ranges() == {}


def test_closed_it_is_left_as_other_programs_expect_it(driven: V4l2) -> None:
    for _ in range(100):
        driven.next(60.0)
    assert Capture.last.switches == BY_HAND
    driven.close()
    driven._thread.join(60)
    assert Capture.last.switches == AUTOMATIC


def test_one_that_cannot_be_held_says_nothing_of_it(faults: Faults, driven: V4l2) -> None:
    faults(refuses=(AUTO_EXPOSURE,))
    told = [driven.next(60.0).about for _ in range(260)]
    assert "held" not in told[-1] and not any(one.get("held") for one in told)
    assert np.isfinite(told[-1]["rate"])


def test_what_is_said_in_numbers_is_video4linux_own() -> None:
    """V4L2_EXPOSURE_AUTO 0, MANUAL 1, SHUTTER_PRIORITY 2, APERTURE_PRIORITY 3, as linux/v4l2-controls.h has them."""
    held, webcam = begun()
    watched(held, webcam, 60)
    assert webcam.set_by_us[0] == (AUTO_EXPOSURE, 3.0)
    assert {(AUTO_EXPOSURE, 1.0), (AUTO_WHITE, 0.0), (AUTO_FOCUS, 0.0)} <= set(webcam.set_by_us)
    assert not {setting for setting, _ in webcam.set_by_us} & {EXPOSURE, WHITE, FOCUS}
