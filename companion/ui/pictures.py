"""A kit's pictures as textures, each as large as it is drawn: larger ones would flicker, and fill a small memory."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kivy.core.text import Label as CoreLabel
from kivy.graphics.texture import Texture
from PIL import Image

BOLD = "Roboto"
MOST_PX = 2048  # the side of a texture that every graphics chip takes


@lru_cache(maxsize=200)
def picture(path: Path, width_px: int, height_px: int) -> Texture:
    """A picture in a size; its first row is at the bottom, as Kivy counts."""
    with Image.open(path) as opened:
        small = opened.convert("RGBA").resize(
            (min(max(1, width_px), MOST_PX), min(max(1, height_px), MOST_PX)), Image.Resampling.BOX
        )
    texture = Texture.create(size=small.size, colorfmt="rgba")
    texture.blit_buffer(small.transpose(Image.Transpose.FLIP_TOP_BOTTOM).tobytes(), colorfmt="rgba")
    return texture


@lru_cache(maxsize=200)
def letters(text: str, size_px: int) -> Texture:
    """A short text in white, to be coloured when it is drawn."""
    label = CoreLabel(text=text, font_size=size_px, font_name=BOLD, bold=True)
    label.refresh()
    return label.texture


@lru_cache(maxsize=200)
def outlined(text: str, size_px: int) -> Texture:
    """A short text in white with a dark edge, to be read on whatever lies below it."""
    edge = {"outline_width": max(1, round(size_px / 12)), "outline_color": (0.1, 0.1, 0.1, 1)}
    label = CoreLabel(text=text, font_size=size_px, font_name=BOLD, bold=True, **edge)
    label.refresh()
    return label.texture
