"""The eye as the command uses it: photographs' bytes in, observations with their times out."""

from __future__ import annotations

import time
from pathlib import Path

from companion.document import Fault
from companion.kit import Kit
from companion.observation import Calibration, Frame, NotSeen, Observation
from companion.vision.dice import read_dice
from companion.vision.learned import knowledge_of
from companion.vision.look import look
from companion.vision.overlay import draw
from companion.vision.picture import decode, encode


class Eye:
    """Looks at photographs of one kit's table, or at dice alone where there is no kit."""

    def __init__(self, kit: Kit | None, calibration: Calibration | None) -> None:
        self.kit = kit
        self.calibration = calibration
        self.known = knowledge_of(kit) if kit else None

    def read(self, content: bytes) -> tuple[Observation | NotSeen, dict[str, float]]:
        """What is seen in a file's bytes, and the milliseconds that it took: `total`, and `decode` as part of it."""
        begun = time.perf_counter()
        frame = decode(content)
        decoded = time.perf_counter()
        seen = frame if isinstance(frame, NotSeen) else self.look(frame)
        ended = time.perf_counter()
        return seen, {"total": (ended - begun) * 1000, "decode": (decoded - begun) * 1000}

    def look(self, frame: Frame) -> Observation | NotSeen:
        if self.kit is None or self.known is None:
            dice, unsure = read_dice(frame.pixels, None, None)
            return Observation({}, {}, {}, dice, unsure)
        return look(frame, self.calibration, self.kit, self.known)

    def draw(self, content: bytes, seen: Observation | NotSeen, path: Path) -> None:
        """Write the photograph with what was seen drawn onto it.  Raises Fault where it cannot be written."""
        frame = decode(content)
        if isinstance(frame, NotSeen):
            raise Fault(f"{path}: not written, for the photograph is {frame.error}")
        try:
            path.write_bytes(encode(draw(frame, seen, self.kit), path.suffix))
        except OSError as error:
            raise Fault(f"{path}: cannot be written: {error.strerror or error}") from None
