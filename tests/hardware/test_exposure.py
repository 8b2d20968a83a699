"""Exposure and white balance: found, then held to the last digit, and found anew only in another light."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hardware.camera.exposure import HELD, LOOSE, Exposure
from hardware.camera.pi import PiCamera
from tests.hardware import picamera2_stand_in as stand_in

Faults = Callable[..., None]
ALL = ("AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains")


@pytest.fixture(autouse=True)
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    monkeypatch.setitem(sys.modules, "picamera2", stand_in)
    monkeypatch.setattr(stand_in, "FAULTS", stand_in.Faults())
    return lambda **changes: monkeypatch.setattr(stand_in, "FAULTS", replace(stand_in.FAULTS, **changes))


def taken(camera: PiCamera, count: int) -> list[dict[str, float]]:
    """What some pictures say of themselves, with their brightness."""
    frames = [camera.next(1.0) for _ in range(count)]
    return [{**frame.about, "level": float(frame.pixels.mean())} for frame in frames]


def exposures(told: list[dict[str, float]]) -> set[float]:
    return {one["exposure_us"] for one in told}


def test_it_is_found_and_then_does_not_move_by_a_digit() -> None:
    camera = PiCamera((640, 480))
    finding = taken(camera, 60)
    assert finding[0]["held"] == 0 and finding[-1]["held"] == 1
    assert finding[-1]["exposure_us"] == pytest.approx(9_000, rel=0.02)
    assert len(exposures(finding)) > 5 and len(exposures(taken(camera, 100))) == 1


def test_light_that_wavers_does_not_move_it_though_the_sight_says_so(faults: Faults) -> None:
    """A cloud, a lamp that is dimmed a little: the picture changes, and the camera does not."""
    camera = PiCamera((640, 480))
    before = taken(camera, 60)[-1]
    for light in (0.8, 1.3, 1.0):
        faults(light=light)
        camera.relit()
        told = taken(camera, 30)
        assert exposures(told) == {before["exposure_us"]} and {one["held"] for one in told} == {1.0}
        assert told[-1]["level"] == pytest.approx(light * before["level"], rel=0.02)


@pytest.mark.parametrize("light", [0.2, 3.0])
def test_in_another_light_it_is_found_anew_once_the_sight_says_so(light: float, faults: Faults) -> None:
    camera = PiCamera((640, 480))
    before = taken(camera, 60)[-1]
    faults(light=light)
    assert exposures(taken(camera, 60)) == {before["exposure_us"]}  # nobody has said that it is another
    camera.relit()
    told = taken(camera, 80)
    assert min(one["held"] for one in told) == 0 and told[-1]["held"] == 1
    assert told[-1]["exposure_us"] == pytest.approx(9_000 / light, rel=0.02)
    assert told[-1]["level"] == pytest.approx(before["level"], rel=0.05)
    camera.relit()  # said once more, for the picture did change
    assert exposures(taken(camera, 60)) == {told[-1]["exposure_us"]}


BY_HAND = {"exposure_us": 12_000.0, "gain": 3.0, "red_gain": 2.1, "blue_gain": 1.4}


def test_what_is_fixed_by_hand_is_not_found_anew_in_any_light(faults: Faults) -> None:
    camera = PiCamera((640, 480))
    taken(camera, 60)
    camera.adjust(BY_HAND)
    assert [taken(camera, 60)[-1][name] for name in (*BY_HAND, "held")] == [*BY_HAND.values(), 1.0]
    faults(light=0.2)
    camera.relit()
    for told in taken(camera, 80):
        assert BY_HAND.items() <= told.items() and told["held"] == 1
    camera.adjust(None)
    told = taken(camera, 80)[-1]
    assert told["held"] == 1 and told["exposure_us"] == pytest.approx(9_000 / 0.2, rel=0.02)


def test_what_is_not_fixed_by_hand_is_still_found(faults: Faults) -> None:
    camera = PiCamera((640, 480))
    camera.adjust({"red_gain": 2.1, "blue_gain": 1.4, "focus_dioptres": 2.5})
    before = taken(camera, 60)[-1]
    assert before["held"] == 1 and before["exposure_us"] == pytest.approx(9_000, rel=0.02)
    faults(light=0.2)
    camera.relit()
    told = taken(camera, 80)
    assert told[-1]["held"] == 1 and told[-1]["exposure_us"] == pytest.approx(9_000 / 0.2, rel=0.02)
    assert {(one["red_gain"], one["blue_gain"], one["focus_dioptres"]) for one in told} == {(2.1, 1.4, 2.5)}


def test_the_focus_may_be_moved_while_the_exposure_is_held() -> None:
    camera = PiCamera((640, 480))
    before = taken(camera, 60)[-1]
    camera.adjust({"focus_dioptres": 2.5})
    told = taken(camera, 30)
    assert exposures(told) == {before["exposure_us"]} and {one["held"] for one in told} == {1.0}
    assert told[-1]["focus_dioptres"] == 2.5


def test_what_was_fixed_by_hand_and_does_not_show_is_not_called_held(faults: Faults) -> None:
    faults(deaf=True)
    camera = PiCamera((640, 480))
    camera.adjust(BY_HAND)
    told = taken(camera, 160)
    assert not any(one.get("held") for one in told) and "held" not in told[-1]


def test_a_camera_that_takes_no_setting_is_found_out_by_its_pictures(faults: Faults) -> None:
    """It was asked, and did not refuse: that is no sign that it holds."""
    faults(deaf=True)
    camera = PiCamera((640, 480))
    assert not any(one.get("held") for one in taken(camera, 120))
    assert "held" not in taken(camera, 1)[0]
    assert len(exposures(taken(camera, 60))) > 1


def test_a_camera_without_such_settings_is_asked_for_none(faults: Faults) -> None:
    faults(lacks=tuple(stand_in.CONTROLS))
    camera = PiCamera((640, 480))
    assert all("held" not in one for one in taken(camera, 60))
    assert stand_in.Picamera2.last.set == {}


# On metadata alone


def metadata(exposure_us: float, gains: tuple[float, float] = (1.5, 2.0)) -> dict[str, Any]:
    return {"ExposureTime": exposure_us, "AnalogueGain": 1.0, "ColourGains": gains}


def test_what_is_asked_for_is_what_was_seen() -> None:
    exposure = Exposure(ALL)
    asked = [exposure.meet(metadata(5000), 100.0) for _ in range(8)]
    assert asked[:7] == [{}] * 7
    assert asked[7] == {"AeEnable": False, "AwbEnable": False} | metadata(5000)


def test_a_lamp_that_flickers_is_held_after_a_while_all_the_same() -> None:
    exposure = Exposure(ALL)
    asked = [exposure.meet(metadata(5000 if picture % 2 else 6000), 100.0) for picture in range(100)]
    assert [bool(one) for one in asked] == [False] * 99 + [True]


def test_white_balance_that_creeps_is_not_held() -> None:
    exposure = Exposure(ALL)
    for _ in range(8):
        exposure.meet(metadata(5000), 100.0)
    for picture in range(36):  # three times asked, and each time it goes on by itself
        asked = exposure.meet(metadata(5000, (1.5 + 0.0001 * picture, 2.0)), 100.0)
    assert exposure.state == LOOSE
    assert asked == {"AeEnable": True, "AwbEnable": True}  # half held would be worse than not at all


def test_a_camera_that_says_nothing_of_its_settings_is_not_waited_for_for_ever() -> None:
    exposure = Exposure(ALL)
    assert not any(exposure.meet({"SensorTimestamp": picture}, 100.0) for picture in range(120))
    assert exposure.state == LOOSE


def test_what_lands_late_is_asked_for_again() -> None:
    exposure = Exposure(ALL)
    for _ in range(8):
        exposure.meet(metadata(5000), 100.0)
    asked = [exposure.meet(metadata(5000 + picture), 100.0) for picture in range(12)]
    assert asked[-1] == {"AeEnable": False, "AwbEnable": False} | metadata(5000)
    for _ in range(12):
        exposure.meet(metadata(5000), 100.0)
    assert exposure.state == HELD


def test_a_camera_that_has_only_some_of_them() -> None:
    exposure = Exposure(("AeEnable", "ExposureTime"))
    asked = [exposure.meet({"ExposureTime": 5000}, 100.0) for _ in range(8)]
    assert asked[-1] == {"AeEnable": False, "ExposureTime": 5000}
