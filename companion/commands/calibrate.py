"""`companion calibrate`: a camera, its lens, and a real copy of a game, from pictures in a folder or from a camera."""

from __future__ import annotations

import argparse
import datetime
import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from calibration.camera import Adjustable, Step, check_colours, fix_exposure, fix_focus
from calibration.findings import CANNOT_BE, Finding
from calibration.lens import Lens, Views, chessboard, judged, solve
from calibration.profile import Profile, load_profile, profile_text
from companion.account import words
from companion.commands.cameras import camera_of, source
from companion.commands.kit import as_json, in_words
from companion.commands.print import write_whole
from companion.document import Fault
from companion.observation import Frame, NotSeen
from companion.rules import LANGUAGES

MOST_FRAMES = 2000  # of a camera that never shows what is wanted


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="WHAT", required=True)
    lens = _action(actions, "lens", "the lens, from views of the printed chart")
    lens.add_argument("--out", metavar="FILE", type=Path, required=True, help="the camera's profile to write")
    lens.add_argument(
        "--chessboard", metavar="CxR", type=inner_corners, help="views of a chessboard with so many inner corners"
    )
    lens.add_argument("--name", metavar="CAMERA", default="", help="the camera's name, for the profile")
    camera = _action(actions, "camera", "exposure, white balance and focus, and the colours of the printed sheet")
    camera.add_argument("--out", metavar="FILE", type=Path, help="the camera's profile to add the settings to")


def _action(actions: Any, name: str, what: str) -> argparse.ArgumentParser:
    action: argparse.ArgumentParser = actions.add_parser(name, help=what, description=f"Calibrate {what}.")
    where = action.add_mutually_exclusive_group(required=True)
    where.add_argument("--from", dest="folder", metavar="FOLDER", type=Path, help="pictures that were taken before")
    where.add_argument("--camera", metavar="CAMERA", type=source, help="v4l2:N, folder:DIR")
    action.add_argument("--json", action="store_true", help="print JSON, for programs")
    action.add_argument("--lang", choices=LANGUAGES, default="en", help="language of what people read (default: en)")
    return action


def inner_corners(text: str) -> tuple[int, int]:
    """Of a chessboard, across and down."""
    found = re.fullmatch(r"([0-9]{1,2})x([0-9]{1,2})", text)
    if not found or min(int(found[1]), int(found[2])) < 3:
        raise argparse.ArgumentTypeError(f"{text!r} found; expected inner corners across x down, as 8x6")
    return int(found[1]), int(found[2])


def run(args: argparse.Namespace) -> int:
    return {"lens": lens, "camera": camera}[args.action](args)


def camera_for(args: argparse.Namespace) -> Any:
    return camera_of(source(f"folder:{args.folder}") if args.folder else args.camera)


def frames(args: argparse.Namespace) -> Iterator[Frame]:
    """The pictures that can be looked at; a folder's each once."""
    with closing(camera_for(args)) as camera:
        for _ in range(MOST_FRAMES):
            frame = camera.read()
            if frame is None:
                return
            if isinstance(frame, NotSeen):
                tell(args, {"error": frame.error}, words("calibration", args.lang)["calibrate"]["unreadable"])
                continue
            yield frame


def tell(args: argparse.Namespace, line: dict[str, Any], text: str) -> None:
    """One thing that happened: a line of JSON, or in words."""
    print(json.dumps(line, ensure_ascii=False) if args.json else text, flush=True)


def verdict(args: argparse.Namespace, findings: list[Finding]) -> int:
    """Tell findings, and whether it passes: the exit status."""
    for finding, text in zip(findings, in_words(findings, args.lang), strict=True):
        tell(args, as_json(finding, args.lang), text)
    passed = not any(finding.grade == CANNOT_BE for finding in findings)
    tell(args, {"passed": passed}, words("calibration", args.lang)["calibrate"]["passed" if passed else "failed"])
    return 0 if passed else 1


# The lens


def lens(args: argparse.Namespace) -> int:
    said = words("calibration", args.lang)["calibrate"]
    views = Views(chessboard(*args.chessboard) if args.chessboard else None)
    for frame in frames(args):
        seen = views.add(frame.name, frame.pixels)
        line = {"view": seen.name, "corners": seen.corners, "covered": round(seen.covered, 3), "fault": seen.fault}
        facts = {"name": seen.name, "corners": seen.corners, "covered": round(100 * seen.covered)}
        tell(args, line, said["view" if not seen.fault else f"view-{seen.fault}"].format(**facts))
        if not args.folder and views.enough():
            break
    found = solve(views)
    findings = judged(views, found)
    if found is not None:
        _tell_lens(args, found)
    status = verdict(args, findings)
    if found is not None and status == 0:
        name = args.name or ("" if args.folder else f"{args.camera.kind}:{args.camera.place}")
        today = datetime.date.today().isoformat()
        profile = Profile(found.calibration, today, name, round(found.residual_px, 3), found.views)
        write_whole(args.out, profile_text(profile).encode())
        tell(args, {"written": str(args.out)}, said["written"].format(file=args.out))
    return status


def _tell_lens(args: argparse.Namespace, found: Lens) -> None:
    focal, residual = round(found.calibration.focal_px, 1), round(found.residual_px, 3)
    line = {"focal_px": focal, "residual_px": residual, "views": found.views, "covered": round(found.covered, 3)}
    said = words("calibration", args.lang)["calibrate"]["lens"]
    tell(args, line, said.format(focal=focal, residual=residual, views=found.views, covered=round(100 * found.covered)))


# The camera


def camera(args: argparse.Namespace) -> int:
    steps: list[Step] = []
    with closing(camera_for(args)) as device:
        if hasattr(device, "adjust"):
            steps += steps_of(device)
        frame = device.read()
        while isinstance(frame, NotSeen):
            frame = device.read()
        steps.append(Step("no-frames", False) if frame is None else check_colours(frame.pixels))
    for step in steps:
        text = words("calibration", args.lang)["steps"][step.key].format(**step.facts)
        tell(args, {"step": step.key, "passed": step.passed, **step.facts, **step.settings}, text)
    passed = all(step.passed for step in steps)
    if args.out and passed:
        settings = {name: value for step in steps for name, value in step.settings.items()}
        before = load_profile(args.out) if args.out.exists() else None
        if before is None:
            raise Fault(f"{args.out}: no such profile; calibrate the lens first")
        profile = Profile(before.lens, before.made, before.camera, before.residual_px, before.views, settings)
        write_whole(args.out, profile_text(profile).encode())
    return 0 if passed else 1


def steps_of(device: Adjustable) -> list[Step]:
    return [fix_exposure(device), fix_focus(device)]
