"""`companion read`: photographs in, what lies on the table out."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.document import Fault
from companion.kit import load_kit
from companion.observation import Calibration, NotSeen, Observation

ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp")
MOST_BYTES = 256 * 1024 * 1024


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("photos", metavar="PHOTO", nargs="+", type=Path, help="photographs, or folders of them")
    parser.add_argument("--kit", metavar="DIR", type=Path, help="the kit of the copy on the table")
    parser.add_argument("--dice", action="store_true", help="read dice alone; no kit is needed")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a photo, for programs")
    parser.add_argument("--overlay", metavar="OUT.jpg", type=Path, help="draw what was seen onto the (only) photograph")
    parser.add_argument("--camera-profile", metavar="FILE", type=Path, help="a calibrated lens, a TOML file")


def run(args: argparse.Namespace) -> int:
    if not args.kit and not args.dice:
        raise Fault("read: --kit DIR is needed to know the boards and pieces (or --dice for dice alone)")
    kit = load_kit(args.kit) if args.kit else None
    calibration = load_profile(args.camera_profile) if args.camera_profile else None
    photos = list(expanded(args.photos))
    if args.overlay and len(photos) != 1:
        raise Fault(f"--overlay: {len(photos)} photographs found; expected 1")
    from companion.vision.eye import Eye  # OpenCV is loaded only where it is needed

    eye = Eye(kit, calibration)
    told, unread = time.monotonic(), 0
    for number, photo in enumerate(photos, 1):
        seen, elapsed_ms = eye.read(content_of(photo))
        unread += isinstance(seen, NotSeen)
        written = observation_json(photo.name, seen, elapsed_ms)
        print(json.dumps(written) if args.json else in_words(written), flush=True)
        if args.overlay:
            eye.draw(content_of(photo), seen, args.overlay)
        if len(photos) > 1 and time.monotonic() - told > 1:
            told = time.monotonic()
            print(f"{number} of {len(photos)} read", file=sys.stderr)
    return 1 if unread else 0


def expanded(paths: list[Path]) -> Iterator[Path]:
    """The photographs named, those of a folder by name."""
    for path in paths:
        if not path.exists():
            raise Fault(f"{path}: cannot be read: no such file or folder")
        if not path.is_dir():
            yield path
            continue
        inside = sorted(entry for entry in path.iterdir() if entry.suffix.lower() in ENDINGS)
        if not inside:
            raise Fault(f"{path}: no photographs in this folder")
        yield from inside


def content_of(photo: Path) -> bytes:
    """The file's bytes; none of one that cannot be read, which the eye then calls unreadable."""
    try:
        with photo.open("rb") as stream:
            return stream.read(MOST_BYTES)
    except OSError:
        return b""


def load_profile(path: Path) -> Calibration:
    """The lens of a camera's profile.  Raises Fault."""
    from calibration.profile import load_profile as load  # OpenCV is loaded only where it is needed

    return load(path).lens


def observation_json(name: str, seen: Observation | NotSeen, elapsed_ms: dict[str, float]) -> dict[str, Any]:
    """An observation as outside programs read it."""
    timing = {"elapsed_ms": {key: round(value, 1) for key, value in elapsed_ms.items()}}
    if isinstance(seen, NotSeen):
        return {"image": name, "error": seen.error, "advice": seen.advice} | timing
    return {
        "image": name,
        "boards": {
            board: {
                "corners_px": [[round(x, 2), round(y, 2)] for x, y in sight.corners_px],
                "residual_px": round(sight.residual_px, 2),
            }
            for board, sight in seen.boards.items()
        },
        "spaces": {
            space: {"pieces": list(reading.pieces), "confidence": round(reading.confidence, 5)}
            for space, reading in seen.spaces.items()
        },
        "unsure": dict(seen.unsure),
        "unsure_dice": [{"at_px": _rounded(die.at_px), "reason": die.reason} for die in seen.unsure_dice],
        "dice": [
            {"value": die.value, "at_px": _rounded(die.at_px), "confidence": round(die.confidence, 4)}
            for die in seen.dice
        ],
    } | timing


def _rounded(point: tuple[float, float]) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]


def in_words(written: dict[str, Any]) -> str:
    """The same for people: what lies where, what is in doubt."""
    if "error" in written:
        return f"{written['image']}: {written['error']}. {written['advice']}"
    lines = [f"{written['image']}: {', '.join(written['boards']) or 'no board looked for'}"]
    lines += [
        f"  {space}: {' + '.join(reading['pieces'])} ({reading['confidence']:.1%})"
        for space, reading in written["spaces"].items()
        if reading["pieces"]
    ]
    lines += [f"  {space}: not sure, {reason}" for space, reason in written["unsure"].items()]
    if written["dice"]:
        lines.append("  dice: " + ", ".join(str(die["value"]) for die in written["dice"]))
    lines += [f"  a die is not sure: {die['reason']}" for die in written["unsure_dice"]]
    return "\n".join(lines)
