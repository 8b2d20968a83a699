"""Pictures from files' bytes: decoded to (height, width, 3) uint8 in the order blue, green, red."""

from __future__ import annotations

import math
import warnings
from io import BytesIO
from typing import Any

import cv2
import numpy as np
from PIL import Image

from companion.observation import Frame, NotSeen

UNREADABLE = NotSeen("unreadable", "The file is no picture, or it is damaged: take the photo again.")
TOO_LARGE = NotSeen("too-large", "More than 64 megapixels: make the picture smaller first.")
LEAST_SIDE_PX = 64
MOST_MEGAPIXELS = 64


def megapixels(content: bytes) -> float:
    """What the file's head says of its size, before anything is decoded; 0 where it says nothing."""
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(BytesIO(content)) as picture:
            width, height = picture.size
    except Image.DecompressionBombError:
        return math.inf
    except (OSError, ValueError, SyntaxError):
        return 0.0
    return width * height / 1e6


def decode(content: bytes, name: str = "") -> Frame | NotSeen:
    """The picture in a file's bytes; grey, alpha, 16 bit and EXIF-rotated ones too.  NotSeen where there is none."""
    if not content:
        return UNREADABLE
    if megapixels(content) > MOST_MEGAPIXELS:
        return TOO_LARGE
    try:
        pixels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return UNREADABLE
    if pixels is None or min(pixels.shape[:2]) < LEAST_SIDE_PX:
        return UNREADABLE
    return Frame(pixels, name)


def encode(pixels: np.ndarray[Any, Any], ending: str) -> bytes:
    """A picture (height, width, 3) uint8 BGR as the bytes of a file with such an ending; JPEG where it is unknown."""
    if ending.lower() == ".png":
        return cv2.imencode(".png", pixels)[1].tobytes()
    return cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
