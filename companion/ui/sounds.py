"""Three short sounds, so that nobody needs to look up from the table: confirmed, not allowed, a question."""

from __future__ import annotations

import math
import wave
from collections.abc import Callable, Sequence
from pathlib import Path

from kivy.core.audio import SoundLoader

RATE = 22_050  # samples a second
LOUDNESS = 0.35
SOUND_CARDS = Path("/dev/snd")
CONFIRMED, ILLEGAL, QUESTION = "confirmed", "illegal", "question"
TONES: dict[str, Sequence[tuple[float, float]]] = {  # hertz and seconds, one after the other
    CONFIRMED: ((660, 0.09), (990, 0.14)),
    ILLEGAL: ((220, 0.18), (165, 0.28)),
    QUESTION: ((520, 0.12), (520, 0.05), (700, 0.16)),
}


def player(folder: Path) -> Callable[[str], None]:
    """What plays a sound by its name; nothing is heard where there is nothing to hear it with."""
    if not SOUND_CARDS.is_dir():  # SDL would complain on standard error
        return lambda name: None
    folder.mkdir(parents=True, exist_ok=True)
    for name, tones in TONES.items():
        _write(folder / f"{name}.wav", tones)
    sounds = {name: SoundLoader.load(str(folder / f"{name}.wav")) for name in TONES}

    def play(name: str) -> None:
        if sounds[name] is not None:
            sounds[name].play()

    return play


def _write(path: Path, tones: Sequence[tuple[float, float]]) -> None:
    """Sine tones of 16 bits, each swelling and fading so that none clicks."""
    samples = bytearray()
    for hertz, seconds in tones:
        count = int(RATE * seconds)
        for at in range(count):
            swell = min(1.0, at / 200, (count - at) / 200)
            value = LOUDNESS * swell * math.sin(2 * math.pi * hertz * at / RATE)
            samples += int(32767 * value).to_bytes(2, "little", signed=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(bytes(samples))
