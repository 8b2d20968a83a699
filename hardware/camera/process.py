"""The process that has a camera: it gives a picture when it is asked for one, in memory that both sides see.

A picture is asked for with one message, a JSON list of what the camera is to be told first: settings to be fixed, null
for none, or `RELIT`.  It is answered with one message, JSON with the picture's shape or with a fault, and not touched
again until the next is asked for.  When the other side goes, however it goes, this process ends.
"""

from __future__ import annotations

import json
import mmap
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

import numpy as np

from companion.observation import Frame
from hardware.camera import BROKEN, CameraFault, Device

PATIENCE_S = 4.0  # for a picture
MOST_BYTES = 65536  # of a message
RELIT = "relit"  # the light on the table is another


def serve(make: Callable[[], Device], link: socket.socket) -> int:
    """Drive the device that `make` makes until `link` closes.  Returns the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started this process
    Thread(target=_end_with, args=(link,), daemon=True).start()
    try:
        device = make()
    except CameraFault as fault:
        link.recv(1)  # a fault is an answer, too: one that is sent unasked is lost when this process ends
        return _fail(link, fault)
    try:
        _answer(device, link)
    except CameraFault as fault:
        return _fail(link, fault)
    except Exception as error:  # whatever drivers raise
        return _fail(link, CameraFault(BROKEN, f"the camera broke: {error}"))
    finally:
        device.close()
    return 0


def _end_with(link: socket.socket) -> None:
    """End this process when the other side is gone, even while a driver hangs."""
    gone = select.poll()
    gone.register(link, select.POLLHUP | select.POLLRDHUP)
    gone.poll()
    os._exit(0)


def _answer(device: Device, link: socket.socket) -> None:
    memory: mmap.mmap | None = None
    while asked := link.recv(MOST_BYTES):
        for told in json.loads(asked):
            if told == RELIT:
                device.relit()
            else:
                device.adjust(told)
        frame = device.next(PATIENCE_S)
        arrays = [frame.pixels] if frame.small is None else [frame.pixels, frame.small]
        size = sum(array.nbytes for array in arrays)
        handles: list[int] = []
        if memory is None or len(memory) < size:
            handles = [os.memfd_create("camera")]
            os.ftruncate(handles[0], size)
            memory = mmap.mmap(handles[0], size)
        at = 0
        for array in arrays:
            np.frombuffer(memory, np.uint8, array.nbytes, at)[:] = array.ravel()
            at += array.nbytes
        socket.send_fds(link, [json.dumps({**_about(frame), "ranges": device.ranges()}).encode()], handles)
        for handle in handles:
            os.close(handle)


def _about(frame: Frame) -> dict[str, object]:
    small = None if frame.small is None else frame.small.shape
    return {"shape": frame.pixels.shape, "small": small, "about": dict(frame.about)}


def _fail(link: socket.socket, fault: CameraFault) -> int:
    with suppress(OSError):  # nobody is there any more
        link.send(json.dumps({"fault": fault.reason, "text": str(fault)}).encode())
    return 1


def main(arguments: list[str]) -> int:
    """`KIND NUMBER WIDTH HEIGHT FOCUS LINK`."""
    kind, number, width, height, focus, handle = arguments
    link = socket.socket(fileno=int(handle))
    size_px = (int(width), int(height))

    def make() -> Device:
        if kind == "v4l2":
            from hardware.camera.v4l2 import V4l2

            return V4l2(int(number), size_px)
        from hardware.camera.pi import PiCamera

        return PiCamera(size_px, float(focus) if focus else None, int(number))

    return serve(make, link)


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))  # without waiting for threads of a driver that hang
