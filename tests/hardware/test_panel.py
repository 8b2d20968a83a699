"""The panel on gpiozero's own stand-in for pins."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from companion.commands.panel import panel_of
from companion.config import PanelSettings
from companion.document import Fault
from companion.live import Inbox, Noticed, Pressed
from hardware import panel as module
from hardware.panel import Panel, header_chip

SETTINGS = PanelSettings(right_led_pin=5, wrong_led_pin=6, buzzer_pin=13)


@pytest.fixture
def factory() -> Iterator[Any]:
    from gpiozero.pins.mock import MockFactory

    made = MockFactory()
    yield made
    made.reset()


def test_presses_are_told_as_they_are_looked_at(factory: Any) -> None:
    told: list[str] = []
    panel = Panel(SETTINGS, told.append, factory)
    confirm, undo = factory.pin(17), factory.pin(27)
    for at_s, act in (
        (0.0, lambda: None),
        (0.1, confirm.drive_low),
        (0.2, lambda: None),
        (0.3, confirm.drive_high),
        (0.4, undo.drive_low),
        (0.5, lambda: None),
        (1.6, lambda: None),
        (1.7, undo.drive_high),
        (1.8, lambda: None),
    ):
        act()
        panel.look(at_s)
    assert told == ["confirm", "menu"]
    undo.drive_low()
    assert panel.levels == {"confirm": False, "undo": True}
    panel.close()


def test_it_looks_by_itself(factory: Any) -> None:
    """Pressed until somebody noticed: how long that takes is the machine's affair."""
    told: Queue[str] = Queue()
    panel = Panel(PanelSettings(hold_s=0.3), told.put, factory)
    panel.start()
    factory.pin(27).drive_low()
    first = told.get(timeout=30)
    panel.close()
    # where the thread began after the button went down it was down from the start, and sticks
    assert first in ("menu", "undo-stuck")


def test_lights_and_buzzer(factory: Any) -> None:
    panel = Panel(SETTINGS, print, factory)
    lights = []
    for told in ("right", "wrong", "", "right"):
        panel.show(told)
        lights.append((factory.pin(5).state, factory.pin(6).state))
    assert lights == [(1, 0), (0, 1), (0, 0), (1, 0)]
    panel.close()


def test_without_lights_there_is_nothing_to_light(factory: Any) -> None:
    panel = Panel(PanelSettings(), print, factory)
    panel.show("wrong")
    panel.close()
    Panel(PanelSettings(), print, factory).close()  # and its pins are free again


def test_a_pin_that_is_taken_is_told_and_the_others_are_given_back(factory: Any) -> None:
    from gpiozero import LED

    other = LED(27, pin_factory=factory)
    with pytest.raises(Fault, match=r"^panel\.undo_pin: pin 27 cannot be used: .*; has another program got it\?$"):
        Panel(PanelSettings(), print, factory)
    other.close()
    Panel(PanelSettings(), print, factory).close()


@pytest.mark.parametrize(
    ("labels", "chip"),
    [
        ({"gpiochip0": "pinctrl-rp1", "gpiochip10": "gpio-brcmstb@107d508500"}, 0),  # a Pi 5, new kernel
        ({"gpiochip0": "gpio-brcmstb@107d508500", "gpiochip4": "pinctrl-rp1"}, 4),  # and an older one
        ({"gpiochip0": "pinctrl-bcm2711", "gpiochip1": "raspberrypi-exp-gpio"}, 0),
        ({"gpiochip0": "pinctrl-bcm2835"}, 0),
        ({"gpiochip0": "INT34C5:00"}, None),  # a laptop
        ({}, None),
    ],
)
def test_the_chip_of_the_header_is_found_by_its_label(labels: dict[str, str], chip: int | None, tmp_path: Path) -> None:
    for name in labels:
        (tmp_path / name).touch()
    assert header_chip(tmp_path, lambda path: labels[path.name]) == chip


def test_what_is_no_chip_has_no_label(tmp_path: Path) -> None:
    (tmp_path / "gpiochip0").touch()
    assert header_chip(tmp_path) is None


def test_without_lgpio_nothing_else_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "header_chip", lambda: 0)
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    with pytest.raises(Fault, match="lgpio is missing, and nothing else will do: sudo apt install python3-lgpio"):
        Panel(PanelSettings(), print)


# Joined to the inbox


def test_a_machine_without_pins_says_nothing_unless_a_panel_is_wanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "header_chip", lambda: None)
    inbox = Inbox()
    assert panel_of(PanelSettings(), inbox) is None
    assert (inbox.take(0), capsys.readouterr().err) == ([], "")
    assert panel_of(PanelSettings(wanted=True), inbox) is None
    assert inbox.take(0) == [Noticed("no-panel")]
    assert capsys.readouterr().err.splitlines() == [
        "companion: panel: this machine has no pins of a Raspberry Pi, or they may not be used: be in the group gpio"
    ]
    monkeypatch.setattr(module, "header_chip", lambda: 0)
    assert panel_of(PanelSettings(wanted=False), inbox) is None
    assert (inbox.take(0), capsys.readouterr().err) == ([], "")
    inbox.close()


def test_what_is_pressed_comes_before_the_rest_and_once() -> None:
    from companion.commands.panel import joined

    inbox = Inbox()
    press = joined(inbox)
    inbox.put(Noticed("no-panel"))
    for told in ("confirm", "undo-stuck", "confirm", "undo", "undo-freed"):
        press(told)
    assert inbox.take(0) == [
        Pressed("confirm"),
        Noticed("no-panel"),
        Noticed("undo-stuck"),
        Noticed("undo-stuck", over=True),
    ]
    press("undo")
    assert inbox.take(0) == [Pressed("undo")]
    inbox.close()
