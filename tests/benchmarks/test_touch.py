"""What the touchscreen takes of a core: until its first frame, while nothing happens, with the camera, by touches."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
IDLE_S = 10
PROGRAM = f"""
import time
from pathlib import Path
from sys import argv
from companion.commands.demo import DemoHouse
from companion.rules import LANGUAGES
from companion.ui.theme import LIGHT
from companion.ui.window import open_window

home = Path(argv[1])
house = DemoHouse(home / "games")
showing = house.put_on_the_table("proposed", "en")
open_window(home / "kivy", (1280, 720))
import numpy as np
from kivy.clock import Clock
from kivy.core.window import Window
from companion.ui.app import TouchApp
from companion.ui.screens.camera import CameraScreen

uploads, textures, upload = [], set(), CameraScreen._upload

def counted(screen, pixels):
    upload(screen, pixels)
    uploads.append(max(pixels.shape))
    textures.add(id(screen.texture))

CameraScreen._upload = counted
pictures = np.random.default_rng(1).integers(0, 255, (2, 480, 640, 3), np.uint8)
house.picture = lambda: pictures[int(time.monotonic() * 10) % 2]
app = TouchApp(house, LIGHT, 7.0, LANGUAGES, "en", showing)

def drawn(_):
    Window.unbind(on_flip=drawn)
    print(f"first frame after {{time.process_time():.2f}} s of its core")
    measure("a table on which nothing happens", lambda: app.open("camera"))

def measure(what, then):
    begun = time.process_time()
    def told(_):
        print(f"{{what}}: {{100 * (time.process_time() - begun) / {IDLE_S}:.1f}} % of a core")
        then()
        if then is not app.stop:
            measure("the camera at 640 x 480", app.stop)
    Clock.schedule_once(told, {IDLE_S})

Window.bind(on_flip=drawn)
app.run()
house.close()
print(f"pictures uploaded: {{len(uploads)}}, textures: {{len(textures)}}, widest: {{max(uploads)}} px")
"""

NEW_GAME = """
import argparse
import time
from pathlib import Path
from sys import argv
from companion.commands import play
from companion.commands.house import House
from companion.ui.window import open_window

open_window(Path(argv[1]) / "kivy", (800, 480))
from tests.ui.touchscreen import DemoHouse, Touchscreen

screen = Touchscreen(DemoHouse(Path(argv[1]) / "games"))
parser = argparse.ArgumentParser()
play.arguments(parser)
with House(parser.parse_args(["--camera", "simulated", "--seed", "3"])) as house:
    house.watch = lambda: None  # the eye is measured elsewhere
    screen.app.house = house
    screen.app.watch(None)
    screen.frames()
    core, clock, touches = time.process_time(), time.monotonic(), ("New game", "4", "Begin")
    for text in touches:
        key = next(key for key in screen.there() if key.text == text)
        begun = time.process_time()
        screen.touch(key)
        print(f"{text}: shown after {1000 * (time.process_time() - begun):.0f} ms of a core")
    spent = f"{time.process_time() - core:.2f} s of a core, {time.monotonic() - clock:.2f} s"
    print(f"a new game for four, {len(touches)} touches: {spent}; then {screen.app.screen.turn}")
"""


def test_what_a_new_game_takes(tmp_path: Path) -> None:
    home = {"COMPANION_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    environment = {"SDL_VIDEODRIVER": "offscreen", **os.environ, **home}
    command = [sys.executable, "-c", NEW_GAME, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    print("\n" + done.stdout)
    assert done.stdout.endswith("then Blue is on turn.\n")


def test_what_the_touchscreen_takes(tmp_path: Path) -> None:
    environment = {"SDL_VIDEODRIVER": "offscreen", **os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    print("\n" + done.stdout)
    assert done.stdout.count("of a core") == 2
    found = re.search(r"pictures uploaded: (\d+), textures: (\d+), widest: (\d+) px", done.stdout)
    assert found is not None
    uploads, textures, widest_px = map(int, found.groups())
    assert 0 < uploads <= 10 * IDLE_S + 2 and textures == 1 and widest_px <= 640
