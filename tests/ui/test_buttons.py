"""The panel's buttons and what is to be known of the machine, on a screen, in lines, and on the panel itself."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from companion.commands.following import Following, light_of
from companion.commands.narrating import Narrator
from companion.live import Looked, Noticed, Pressed
from companion.observation import NotSeen
from companion.table import Seen
from companion.ui.keyboard import ESCAPE
from companion.ui.terminal import Display
from companion.vision.watch import Sighting
from tests.ui.tables import Seat

Sit = Callable[..., Seat]
LAST_DIE = {"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3]}


def text(display: Display) -> str:
    return "\n".join(display.lines(24, 80))


def pressed(display: Display, *buttons: str) -> None:
    for button in buttons:
        display.meet(Pressed(button))


def test_two_buttons_do_what_the_keys_do(sit: Sit) -> None:
    seat = sit("garden-dice", turn=LAST_DIE)
    seat.settles({"6,1": []})
    display = seat.display()
    pressed(display, "confirm")
    assert [seat.game.write_action(action)["do"] for action in seat.log.session.actions] == ["harvest", "end-turn"]
    pressed(display, "undo")
    assert seat.log.session.actions == ()
    pressed(display, "menu")
    assert "The game so far:" in text(display)
    pressed(display, "confirm")  # what was opened is left first, and nothing else happens
    assert "The game so far:" not in text(display) and seat.log.session.actions == ()
    display.press("t")
    pressed(display, "undo")
    display.press(ESCAPE)
    assert seat.log.session.actions == ()


def test_pressed_while_the_companion_was_busy(sit: Sit) -> None:
    """Confirm is pressed three times before anybody takes it up: it is meant once, for what was shown then."""
    seat = sit("garden-dice", turn=LAST_DIE)
    seat.settles({"6,1": []})
    display = seat.display()
    for message in (Pressed("confirm"), Noticed("no-panel"), Pressed("confirm"), Pressed("undo")):
        seat.inbox.put(message)
    for message in seat.inbox.take(0):
        display.meet(message)
    assert [seat.game.write_action(action)["do"] for action in seat.log.session.actions] == ["harvest", "end-turn"]


@pytest.mark.parametrize(("language", "says"), [("en", "The confirm button sticks"), ("hu", "A megerősítő gomb")])
def test_a_stuck_button_is_told_until_it_is_free(language: str, says: str, sit: Sit) -> None:
    display = sit("garden-rush").display(language)
    display.meet(Noticed("confirm-stuck"))
    display.press("h")
    display.press(ESCAPE)
    assert says in text(display)
    display.meet(Noticed("confirm-stuck", over=True))
    assert says not in text(display)


def test_lights_tell_what_is_to_be_confirmed_and_what_is_wrong(sit: Sit) -> None:
    seat = sit("garden-dice", turn=LAST_DIE)
    assert light_of(seat.table.shown) == ""
    assert light_of(seat.settles({"6,1": []})) == "right"
    assert light_of(seat.moves()) == ""
    assert light_of(seat.settles({"6,1": ["carrot/vegetable", "disc/blue"]})) == ""
    assert light_of(seat.settles({"5,6": ["tomato/seed", "disc/blue"]})) == "wrong"


def test_without_a_screen_the_buttons_alone_will_do(sit: Sit, capsys: pytest.CaptureFixture[str]) -> None:
    seat = sit("garden-dice", turn=LAST_DIE)
    following = Following(seat.table, confirms=False)
    lights: list[str] = []
    following.lights = lights.append
    seat.settles({"6,1": []})
    narrator = Narrator(following, seat.teller(), as_json=True)
    for button in ("confirm", "menu", "undo"):
        following.inbox.put(Pressed(button))
        for message in following.inbox.take(0):
            assert narrator.take_in(message) is None
    following.inbox.put(Noticed("undo-stuck"))
    narrator.take_in(following.inbox.take(0)[0])
    following.close()
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    first, second = [line for line in told if "confirmed" in line]
    assert [action["do"] for action in first["proposal"]] == ["harvest", "end-turn"]
    assert second["undo"] == 1
    assert told[-1] == {"machine": "undo-stuck"}
    assert seat.log.session.actions == ()
    assert lights[0] == "" and len(lights) == 3


@pytest.mark.parametrize(
    ("language", "says"),
    [("en", "The camera is cut off. Check its cable"), ("hu", "A kamera megszakadt. Nézd meg a kábelét")],
)
def test_a_camera_that_is_gone_is_told_and_nothing_can_be_confirmed(language: str, says: str, sit: Sit) -> None:
    seat = sit("garden-dice", turn=LAST_DIE)
    following = Following(seat.table, confirms=False)
    seat.settles({"6,1": []})
    gone = Looked("", NotSeen("camera-gone", "the cable is out"))
    assert [line["error"] for line, _ in (*following.meet(gone), *following.meet(gone))] == ["camera-gone"]
    display = seat.display(language)
    assert says in display.view.sight
    pressed(display, "confirm")
    assert seat.log.session.actions == ()
    seat.waits(1)
    seat.settles({"6,1": []})  # it is back, and so is what it saw
    assert says not in seat.display(language).view.sight
    pressed(seat.display(language), "confirm")
    assert len(seat.log.session.actions) == 2
    following.close()


def test_without_a_first_picture_the_reason_is_told(sit: Sit) -> None:
    seat = sit("garden-rush")
    seat.table.step(Seen(Sighting(0, "lost", error="camera-absent")))
    assert seat.view().sight.startswith("No camera is found. Plug its cable in")
