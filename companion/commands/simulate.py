"""`companion simulate`: a game played on a table that isn't there, as a camera would see it, with its truth."""

from __future__ import annotations

import argparse
import re
import signal
import sys
import time
from pathlib import Path
from random import Random, SystemRandom
from threading import Event
from typing import TYPE_CHECKING

from companion.commands import counted, kit_to_play_with
from companion.document import Fault
from companion.games import NAMES, load_game
from companion.simulate.moods import CALM, LIVELY, USUAL
from companion.simulate.players import SEATS, choose, start

if TYPE_CHECKING:
    from companion.simulate.camera import SimulatedCamera
    from companion.simulate.recording import Recording

LEAST_PX, MOST_PX = 64, 4096
TOLD_EVERY_S = 2.0


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="OUT_DIR", type=Path, help="where frames and truth go; new or empty")
    parser.add_argument("--game", choices=NAMES, help="the game (default: the kit's, else garden-dice)")
    parser.add_argument("--kit", metavar="DIR", type=Path, help="the kit of a copy; without it the project's own")
    parser.add_argument("--players", type=int, metavar="N", help="how many play (default: as few as can)")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="the same seed gives the same frames (default: by chance)"
    )
    parser.add_argument("--turns", type=counted, metavar="N", help="end after N turns (default: the whole game)")
    parser.add_argument(
        "--size", type=sized, metavar="WxH", default=(1280, 960), help="of the frames, in pixels (default: 1280x960)"
    )
    parser.add_argument(
        "--mistakes", type=share, metavar="SHARE", default=0.0, help="how often players do something illegal (0 to 1)"
    )
    mood = parser.add_mutually_exclusive_group()
    mood.add_argument("--calm", dest="mood", action="store_const", const=CALM, help="nothing happens but the game")
    mood.add_argument("--lively", dest="mood", action="store_const", const=LIVELY, help="lamps, cups, elbows, doubts")
    parser.add_argument("--inputs", action="store_true", help="also write inputs.jsonl: what players would tap")
    parser.add_argument("--video", action="store_true", help="one video (Motion JPEG in AVI) in place of the frames")
    parser.add_argument("--force", action="store_true", help="write over an earlier recording in OUT_DIR")
    parser.set_defaults(mood=USUAL)


def sized(text: str) -> tuple[int, int]:
    """A picture's size, WxH."""
    found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", text)
    if not found or not all(LEAST_PX <= int(side) <= MOST_PX for side in found.groups()):
        raise argparse.ArgumentTypeError(f"{text!r} found; expected WIDTHxHEIGHT, {LEAST_PX} to {MOST_PX} each")
    return int(found[1]), int(found[2])


def share(text: str) -> float:
    """A part of a whole."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} found; expected a number from 0 to 1")
    return value


def run(args: argparse.Namespace) -> int:
    try:
        from companion.simulate.camera import SimulatedCamera  # OpenCV is loaded only where it is needed
        from companion.simulate.living import Play
        from companion.simulate.recording import Recording
    except ImportError:
        raise Fault("simulate needs OpenCV and numpy: pip install 'garden-companion[eye]'") from None
    kit = kit_to_play_with(args)
    game = load_game(kit.game)
    seed = args.seed if args.seed is not None else SystemRandom().randrange(10_000)
    random = Random(seed)
    players = args.players if args.players is not None else SEATS[game.name][0]
    begun = start(game, players, {}, random, kit)
    play = Play(game, kit, begun, choose, random, abs(seed), args.mood, args.mistakes, args.turns)
    camera = SimulatedCamera(play, args.size)
    recording = Recording(args.folder, game, begun, camera.life.setting.sensor.jpeg, args.inputs, args.video)
    recording.begin(args.force)
    print(f"{game.name}, seed {seed}", file=sys.stderr)
    return _recorded(camera, recording)


def _recorded(camera: SimulatedCamera, recording: Recording) -> int:
    """Everything that the camera sees, written down; what there is when somebody has had enough stays whole."""
    begun = told = time.monotonic()
    enough = Event()
    before = signal.signal(signal.SIGINT, lambda number, frame: enough.set())  # after a frame, not in the middle of it
    try:
        for shot in camera.shots():
            recording.add(shot)
            if enough.is_set():
                break
            if time.monotonic() - told > TOLD_EVERY_S:
                told = time.monotonic()
                print(f"{recording.frames} frames, {recording.frames / (told - begun):.0f} a second", file=sys.stderr)
    finally:
        signal.signal(signal.SIGINT, before)
        camera.close()
    recording.finish()
    print(f"{recording.folder}: {recording.frames} frames", file=sys.stderr)
    return 130 if enough.is_set() else 0
