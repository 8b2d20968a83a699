"""How the device is, in words, from plain values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.document import Fault
from companion.ui.view.health import BAD, FINE, LIMITS, UNKNOWN, WATCH, Bundle, Item, Readings, health
from companion.vision import look
from tests.ui.touchscreen import Touchscreen

WELL = Readings(
    "imx708", 10.0, 180.0, 9.0, 0.3, {"confirm": False, "undo": True}, 52.0, 20_000.0, "1.0.0", 900.0, "steady"
)


def items(readings: Readings, language: str = "en") -> dict[str, Item]:
    return {item.name: item for item in health(readings, language).items}


def test_all_is_well() -> None:
    view = health(WELL, "en")
    assert (view.state, view.headline) == (FINE, "Everything is fine.")
    assert [(item.name, item.measured) for item in view.items] == [
        ("camera", "imx708"),
        ("pictures a second", "10.0"),
        ("light", "180 of 255"),
        ("focus", "9.0"),
        ("place of the board", "0.3 px off"),
        ("temperature", "52 °C"),
        ("room on the disk", "20000 MB"),
        ("free memory", "900 MB"),
        ("power supply", "steady"),
        ("buttons", "2"),
        ("version", "1.0.0"),
    ]
    assert {(item.state, item.sign, item.to_do) for item in view.items} == {(FINE, "OK", "")}
    assert view.buttons == (("confirm", False), ("take back", True))
    assert view.bundle.to == Bundle()


def test_what_cannot_be_measured_is_neither_fine_nor_bad() -> None:
    view = health(Readings(), "en")
    assert {(item.state, item.to_do) for item in view.items} == {(UNKNOWN, "Cannot be measured here.")}
    assert (view.state, view.headline) == (UNKNOWN, "Nothing can be measured here.") and view.buttons == ()


@pytest.mark.parametrize(
    ("name", "row", "to_watch", "too_bad"),
    [
        ("frames_a_second", "pictures a second", 3.0, 0.5),
        ("light", "light", 40.0, 15.0),
        ("focus", "focus", 2.0, 1.2),
        ("residual_px", "place of the board", 1.0, float("inf")),
        ("temperature_c", "temperature", 75.0, 85.0),
        ("disk_free_mb", "room on the disk", 100.0, 0.0),
        ("memory_free_mb", "free memory", 100.0, 20.0),
        ("saving_s", "saving a step", 1.0, 2.0),
        ("power", "power supply", "was-low", "low"),
    ],
)
def test_what_is_amiss_with_what_to_do(name: str, row: str, to_watch: Any, too_bad: Any) -> None:
    for value, state in ((to_watch, WATCH), (too_bad, BAD)):
        readings = replace(WELL, **{name: value})
        assert health(readings, "en").state == state
        item = items(readings)[row]
        assert item.state == state and item.to_do and item.measured
        assert [other for other in health(readings, "en").items if other.state != FINE] == [item]


def test_what_is_wrong_stands_first_then_what_is_to_be_watched() -> None:
    """In the order in which they stand when all is well: light and power are bad, focus and memory worth watching."""
    readings = replace(WELL, light=15.0, power="low", focus=2.0, memory_free_mb=100.0)
    view = health(readings, "en")
    assert [item.name for item in view.items] == [
        *("light", "power supply", "focus", "free memory"),
        *("camera", "pictures a second", "place of the board", "temperature", "room on the disk", "buttons", "version"),
    ]
    unknown = health(Readings(temperature_c=75.0), "en").items  # what nobody can measure is nothing to see to
    assert [item.name for item in unknown][:3] == ["temperature", "camera", "pictures a second"]


def test_which_buttons_are_down_is_told_in_words() -> None:
    assert health(WELL, "en").pressed == "Confirm: – · Take back: pressed"
    assert health(WELL, "hu").pressed == "Megerősítés: – · Visszavétel: lenyomva"
    assert health(replace(WELL, buttons={}), "en").pressed == health(replace(WELL, buttons=None), "en").pressed == ""


def test_a_button_is_shown_pressed_for_as_long_as_it_is(screen: Touchscreen) -> None:
    """On the screen it is measured anew while somebody looks, and the page that is looked at stays."""
    from companion.ui.parts import Words

    def told() -> list[str]:
        screen.frames(15)  # half a second at most
        return [label.text for label in screen.app.screen.walk() if isinstance(label, Words)]

    house, before = screen.app.house, screen.app.house.readings
    for down in (False, True, False):
        house.readings = replace(WELL, buttons={"confirm": down, "undo": False})
        if screen.app.screen.name != "health":
            screen.app.open("health")
        assert f"Confirm: {'pressed' if down else '–'} · Take back: –" in told()
    body = screen.app.screen.ids.body
    body.page = 1
    assert "OK Buttons: 2" in told()
    house.readings = replace(house.readings, buttons={"confirm": False, "undo": True})
    assert "OK Buttons: 2" in told() and body.page == 1
    screen.app.open("home")
    house.readings = before


def test_what_cannot_be_measured_any_more_is_told_and_ends_nothing(
    screen: Touchscreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> None:
        raise Fault("the panel: no such chip")

    screen.app.open("health")
    screen.frames(2)
    monkeypatch.setattr(screen.app.house, "pressed", gone)
    screen.frames(15)
    assert screen.app.screen.name == "said"
    assert "the panel: no such chip" in [getattr(widget, "text", "") for widget in screen.app.screen.walk()]
    screen.app.open("home")


def test_no_camera_is_bad_and_no_buttons_are_not() -> None:
    assert items(replace(WELL, camera=""))["camera"].state == BAD
    assert items(replace(WELL, camera=""), "hu")["kamera"].measured == "nincs"


def test_tenths_are_written_as_the_language_does() -> None:
    readings = replace(WELL, residual_px=1.25, temperature_c=61.0, version="1.2.3")
    assert items(readings)["place of the board"].measured == "1.2 px off"
    assert items(readings, "hu")["a tábla helye"].measured == "eltérés: 1,2 px"
    assert items(readings, "hu")["hőmérséklet"].measured == "61 °C"
    assert items(readings, "hu")["változat"].measured == "1.2.3"  # no number
    assert items(replace(WELL, buttons={}))["buttons"].state == FINE


def test_what_is_bad_is_what_the_eye_cannot_read() -> None:
    assert (LIMITS["light"].bad, LIMITS["focus"].bad) == (look.DARK, look.SHARP)


def test_every_state_has_its_own_sign() -> None:
    found = {state: row.sign for value, state in ((9.0, FINE), (2.0, WATCH), (1.0, BAD), (None, UNKNOWN))
             for row in [items(replace(WELL, focus=value))["focus"]] if row.state == state}  # fmt: skip
    assert set(found) == {FINE, WATCH, BAD, UNKNOWN} and len(set(found.values())) == 4


@pytest.mark.parametrize(
    ("language", "name", "slowed"), [("en", "speed", "slowed down"), ("hu", "sebesség", "lelassítva")]
)
def test_a_processor_that_is_slowed_down_is_told_with_what_to_do(language: str, name: str, slowed: str) -> None:
    """Where nobody can tell there is no row."""
    rows = [items(Readings(slowed=is_so), language) for is_so in (None, False, True)]
    assert name not in rows[0] and rows[1][name].state == FINE and not rows[1][name].to_do
    assert (rows[2][name].state, rows[2][name].measured) == (WATCH, slowed) and rows[2][name].to_do
