"""What the driver of the Pi's camera keeps to, on the stand-in as on the real picamera2.  It needs no pytest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hardware.camera.pi import PiCamera

Make = Callable[[tuple[int, int]], PiCamera]


def pictures_are_as_asked(make: Make) -> None:
    camera = make((1280, 720))
    frames = [camera.next(5.0) for _ in range(6)]
    camera.close()
    for frame in frames:
        assert (frame.pixels.shape, frame.pixels.dtype) == ((720, 1280, 3), np.uint8)
        assert frame.pixels.flags.c_contiguous


def each_is_newer(make: Make) -> None:
    camera = make((1280, 720))
    stamps = [camera.next(5.0).about["stamp_ns"] for _ in range(6)]
    camera.close()
    assert stamps == sorted(set(stamps))


def more_are_given_than_there_are_buffers(make: Make) -> None:
    camera = make((1280, 720))
    assert len([camera.next(5.0) for _ in range(20)]) == 20
    camera.close()


def held_is_what_the_metadata_show(make: Make) -> None:
    camera = make((1280, 720))
    told = [camera.next(5.0).about for _ in range(60)]
    camera.close()
    held = [one.get("exposure_us") for one in told if one.get("held") == 1]
    assert len(set(held)) <= 1 and None not in held
    assert held or all("held" not in one for one in told[-1:])  # where it cannot be, nothing is said of it


CONTRACT = (
    pictures_are_as_asked,
    each_is_newer,
    more_are_given_than_there_are_buffers,
    held_is_what_the_metadata_show,
)
