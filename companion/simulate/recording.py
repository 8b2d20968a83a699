"""A simulated game on disk, in the form of recorded games: frames, the truth of each, what was tapped, what was done.

Every picture is whole or not there; of the other files every line is.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2

from companion.document import Fault
from companion.rules import Game, State
from companion.simulate.camera import FRAMES_A_SECOND, Shot
from companion.simulate.living import Told

TRUTH, INPUTS, START, ACTIONS, RECORD = "truth.jsonl", "inputs.jsonl", "start.json", "actions.json", "record.json"
VIDEO, CODEC = "video.avi", "MJPG"  # Motion JPEG: OpenCV brings it on every platform, and each frame stands alone
UNDER_WAY = "under-way-"  # how the name of a file begins that is not whole yet
OURS = re.compile(rf"({UNDER_WAY}.*|\d{{6}}\.jpg|truth\.jsonl|inputs\.jsonl|(start|actions|record)\.json|video\.avi)")
VIDEO_QUALITY = 92


class Recording:
    """Writes shots into a folder; `finish` closes what was recorded so far, also when it ends early."""

    def __init__(self, folder: Path, game: Game, start: State, jpeg: int, inputs: bool, video: bool) -> None:
        self.folder, self.game, self.jpeg = folder, game, jpeg
        self.frames = 0
        self._start = game.write_position(start)
        self._turns: list[dict[str, Any]] = []
        self._acting: Any = None
        self._written: tuple[State, Mapping[str, Any]] = (start, self._start)
        self._with_inputs, self._with_video = inputs, video
        self._video: cv2.VideoWriter | None = None
        self._lines: dict[str, Any] = {}

    def begin(self, force: bool) -> None:
        """Make the folder, or with `force` empty it of what an earlier recording left.  Raises Fault."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            there = sorted(path.name for path in self.folder.iterdir())
            if there and not force:
                raise Fault(f"{self.folder}: is not empty ({there[0]}); --force writes over an earlier recording")
            for name in filter(OURS.fullmatch, there):
                (self.folder / name).unlink()
            self._whole(START, _json(self._start))
            for name in (TRUTH, INPUTS) if self._with_inputs else (TRUTH,):
                self._lines[name] = (self.folder / name).open("ab", buffering=0)
        except OSError as error:
            raise self._fault(error) from None

    def add(self, shot: Shot) -> None:
        """A frame with its truth.  Raises Fault where the disk refuses."""
        name = f"{shot.frame.name}.jpg"
        try:
            if self._with_video:
                self._onto_video(shot)
            else:
                _, content = cv2.imencode(".jpg", shot.frame.pixels, [cv2.IMWRITE_JPEG_QUALITY, self.jpeg])
                self._whole(name, content.tobytes())
            if shot.told.tapped and self._with_inputs:
                tapped = [self.game.write_action(action) for action in shot.told.tapped]
                self._line(INPUTS, {"frame": name, "actions": tapped})
            self._line(TRUTH, self._truth(name, shot))
        except OSError as error:
            raise self._fault(error) from None
        self._note(shot.told)
        self.frames += 1

    def finish(self) -> None:
        """What was done, by turns and as a record for `companion judge`.  Raises Fault where the disk refuses."""
        actions = [action for turn in self._turns for action in turn.pop("all")]
        record = {"format": 1, "game": self.game.name, "start": self._start, "actions": actions}
        try:
            self._whole(ACTIONS, _json(self._turns))
            self._whole(RECORD, _json(record))
            if self._video is not None:
                self._video.release()
                os.replace(self.folder / (UNDER_WAY + VIDEO), self.folder / VIDEO)
            for stream in self._lines.values():
                stream.close()
        except OSError as error:
            raise self._fault(error) from None

    def _truth(self, name: str, shot: Shot) -> dict[str, Any]:
        told, scene = shot.told, shot.scene
        if told.state is not self._written[0]:
            self._written = (told.state, self.game.write_position(told.state))
        truth: dict[str, Any] = {"frame": name, "kind": told.moment.kind, "position": self._written[1]}
        truth["dice"] = list(told.dice) or None
        truth |= {key: scene[key] for key in ("light", "boards", "spaces", "hidden")}
        if told.done:
            truth["done"] = [self.game.write_action(action) for action in told.done]
        if told.wrong:
            wrong = told.wrong
            truth["mistake"] = {"action": self.game.write_action(wrong.action), "clauses": [wrong.clause]}
        return truth

    def _note(self, told: Told) -> None:
        """Actions by turns: the roll that begins one apart; that a turn ends goes without saying."""
        for actor, action in zip(told.actors, told.done, strict=True):
            written = self.game.write_action(action)
            if actor != self._acting:
                self._acting = actor
                self._turns.append({"roll": None, "actions": [], "all": []})
            turn = self._turns[-1]
            turn["all"].append(written)
            if written["do"] == "roll":
                turn["roll"] = written["dice"]
            elif written["do"] != "end-turn":
                turn["actions"].append(written)

    def _onto_video(self, shot: Shot) -> None:
        if self._video is None:
            height, width = shot.frame.pixels.shape[:2]
            path = str(self.folder / (UNDER_WAY + VIDEO))
            codec = cv2.VideoWriter.fourcc(*CODEC)
            self._video = cv2.VideoWriter(path, cv2.CAP_OPENCV_MJPEG, codec, FRAMES_A_SECOND, (width, height))
            self._video.set(cv2.VIDEOWRITER_PROP_QUALITY, VIDEO_QUALITY)
        if not self._video.isOpened():
            raise OSError(0, "no video can be written there")
        self._video.write(shot.frame.pixels)

    def _whole(self, name: str, content: bytes) -> None:
        """A file that is there with all its content or not at all."""
        under_way = self.folder / (UNDER_WAY + name)
        try:
            under_way.write_bytes(content)
            os.replace(under_way, self.folder / name)
        except OSError:
            under_way.unlink(missing_ok=True)
            raise

    def _line(self, name: str, value: Any) -> None:
        """A line more, or none where the disk has no room for all of it."""
        stream, content = self._lines[name], _json(value)
        end = stream.tell()
        if stream.write(content) != len(content):
            os.ftruncate(stream.fileno(), end)
            raise OSError(0, "No space left on device")

    def _fault(self, error: OSError) -> Fault:
        return Fault(f"{self.folder}: cannot be written: {error.strerror or error}")


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode()
