"""Holds the real picamera2 to the contract, on libcamera's virtual camera: `real_picamera2 NAME`.

To be run where that camera is (see docs/appliance.md), one check in a process: the virtual camera may stall when it is
opened anew.  It gives NV12 alone.
"""

from __future__ import annotations

import sys

import libcamera
import vcam  # type: ignore[import-not-found]  # noqa: F401  # first: it fills a gap between picamera2 and the virtual camera
from picamera2 import Picamera2
from picamera2.allocators import LibcameraAllocator

from hardware.camera.exposure import AUTOMATIC
from hardware.camera.pi import PiCamera
from tests.hardware.contract import CONTRACT, Make


def virtual(size_px: tuple[int, int]) -> PiCamera:
    def prepare(camera: Picamera2) -> None:
        camera.allocator = LibcameraAllocator(camera.camera)

    number = next(at for at, found in enumerate(Picamera2.global_camera_info()) if found["Id"] == "Virtual0")
    return PiCamera(size_px, number=number, prepare=prepare, main_format="NV12")


def settings_have_libcameras_names(make: Make) -> None:
    """The virtual camera has none of them: that libcamera knows them is all that can be told of them here."""
    known = set(dir(libcamera.controls))
    assert {*AUTOMATIC, *AUTOMATIC.values(), "AfMode", "LensPosition"} <= known
    assert "NoSuchControl" not in known


REAL = (*CONTRACT, settings_have_libcameras_names)

if __name__ == "__main__":
    next(check for check in REAL if check.__name__ == sys.argv[1])(virtual)
    print("kept")
