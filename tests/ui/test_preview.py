"""The camera on a screen: small, in one texture, no picture twice; and what is asked stands before what lasts."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion.commands import own_kit, play
from companion.commands.house import House
from companion.live import Noticed
from companion.observation import Frame
from companion.vision.overlay import preview
from tests.ui.touchscreen import DemoHouse, Touchscreen


@pytest.mark.parametrize(
    ("taken", "shown"), [((1080, 1920), (360, 640)), ((1920, 1080), (640, 360)), ((240, 320), (240, 320))]
)
def test_a_preview_is_at_most_640_wide_and_high(taken: tuple[int, int], shown: tuple[int, int]) -> None:
    """Heights and widths, in pixels; what is smaller stays as it is."""
    frame = Frame(np.zeros((*taken, 3), np.uint8))
    assert preview(frame, None, own_kit("garden-dice"), 640).shape == (*shown, 3)


def test_a_picture_is_drawn_onto_once(own_home: Path) -> None:
    parser = argparse.ArgumentParser()
    play.arguments(parser)
    house = House(parser.parse_args(["--camera", "simulated", "--seed", "3"]))
    table = SimpleNamespace(shown=SimpleNamespace(sighting=SimpleNamespace(state="moving", observation=None)))
    following: Any = SimpleNamespace(frame=Frame(np.full((480, 640, 3), 7, np.uint8)), table=table)
    assert house.picture() is None
    house._following, house._kit = following, own_kit("garden-dice")
    first = house.picture()
    assert first[0, 0].tolist() == [7, 7, 7] and house.picture() is first
    following.frame = Frame(np.full((480, 640, 3), 9, np.uint8))
    assert house.picture()[0, 0].tolist() == [9, 9, 9]


def test_the_camera_takes_one_texture_and_each_picture_once(
    screen: Touchscreen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As often as it is asked for; blue, green, red in, red, green, blue on the screen."""
    from companion.ui.screens import camera

    assert camera.FRAMES_A_SECOND <= 10
    before, demo = screen.app.house, DemoHouse(tmp_path)
    screen.app.house = demo
    screen.app.watch(demo.put_on_the_table("calm", "en"))
    pictures = [np.full((360, 640, 3), (10, 20, number), np.uint8) for number in range(5)]
    newest = [pictures[0]]
    monkeypatch.setattr(demo, "picture", lambda: newest[0])
    uploaded: list[int] = []
    upload = camera.CameraScreen._upload

    def counted(self: Any, pixels: Any) -> None:
        uploaded.append(int(pixels[0, 0, 2]))
        upload(self, pixels)

    monkeypatch.setattr(camera.CameraScreen, "_upload", counted)
    screen.app.open("camera")
    textures = set()
    for picture in pictures:
        newest[0] = picture
        for _ in range(3):
            screen.app.screen._draw(0.1)
            textures.add(id(screen.app.screen.texture))
    assert uploaded == [0, 1, 2, 3, 4] and len(textures) == 1
    assert tuple(screen.app.screen.texture.pixels[:3]) == (4, 20, 10)
    screen.app.watch(None)
    demo.close()
    screen.app.house = before


@pytest.mark.parametrize(
    ("language", "scene", "shown", "known"),
    [
        ("en", "camera-moved", "Blue harvests the carrot on 6,1 with a 4.", "The camera hangs otherwise"),
        ("hu", "camera-moved", "A kék leszedi a répát egy 4-essel: 6,1.", "A kamera máshogy áll"),
        ("en", "camera-changed", "Blue waters the artichoke seed on 2,2 with a 2.", "The pictures have another shape"),
        ("hu", "camera-changed", "A kék megöntözi az articsókavetőmagot egy 2-essel: 2,2.", "A képek más alakúak"),
    ],
)
def test_what_is_to_be_known_of_the_machine_pushes_nothing_away_that_is_asked(
    screen: Touchscreen, language: str, scene: str, shown: str, known: str
) -> None:
    """What Confirm would confirm stands on the first page; the rest a tap away, and at once when nothing is asked."""
    from companion.ui.parts import Words

    def texts() -> list[str]:
        return [label.text for label in screen.app.screen.walk() if isinstance(label, Words)]

    house = screen.app.house
    house.close()
    screen.app.watch(house.put_on_the_table(scene, language))
    screen.frames()
    assert shown in texts() and not any(text.startswith(known) for text in texts())
    screen.app.open("otherwise")
    screen.frames()
    pages = screen.app.screen.ids.body
    found = []
    for page in range(pages.pages):
        pages.page = page
        screen.frames(1)
        found += texts()
    assert any(text.startswith(known) for text in found)
    house.close()
    screen.app.watch(house.put_on_the_table("calm", language))
    screen.app.showing.meet(Noticed(scene))
    screen.app.screen.show()
    screen.frames()
    assert texts()[0].startswith(known)
    screen.app.speak("en")
