"""`companion calibrate`: a camera, its lens, and a real copy of a game, from pictures in a folder or from a camera."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from calibration.acceptance import Tally, truth_beside, wrong_by
from calibration.board import ENOUGH_PICTURES, Flattening
from calibration.camera import Adjustable, Step, check_colours, fix_exposure, fix_focus
from calibration.findings import Finding, hard, worst
from calibration.kit_making import begun
from calibration.layout import like, load_layout, spaces_of
from calibration.lens import Lens, Views, chessboard, judged, solve
from calibration.map_tracing import traced
from calibration.pieces import Cutting
from calibration.profile import has_changed, load_profile
from calibration.steps import checked, keep_acceptance, keep_board, keep_lens, keep_pieces, keep_settings, passes
from companion.commands.cameras import camera_of, source
from companion.commands.kit import as_json, in_words
from companion.commands.read import content_of, expanded
from companion.document import Fault
from companion.games import NAMES
from companion.kit import SHAPES, load_kit
from companion.observation import Frame, NotSeen, Observation
from companion.rules import LANGUAGES
from companion.vision.eye import Eye
from companion.words import filled, numbers, words

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
    board = _action(actions, "board", "a board of an own copy, from pictures of it empty")
    making_arguments(board)
    board.add_argument("--board", metavar="ID", default="board", help="which of the kit's boards (default: board)")
    board.add_argument("--game", choices=NAMES, help="the game, for a new kit")
    board.add_argument("--name", help="the copy's name, for a new kit")
    board.add_argument(
        "--size", metavar="WxH", type=millimetres, help="in mm (default: by the ruler sheet in a picture)"
    )
    board.add_argument(
        "--corners", metavar="X,Y", nargs=4, type=place, help="in px of the first picture, from the top left one on"
    )
    board.add_argument(
        "--turn", type=int, choices=(0, 90, 180, 270), default=0, help="clockwise, to have the first picture upright"
    )
    spaces = board.add_mutually_exclusive_group()
    spaces.add_argument("--layout", metavar="FILE", type=Path, help="where its spaces are, a TOML file")
    spaces.add_argument("--like", metavar="DIR", type=Path, help="another kit whose spaces it has")
    pieces = _action(actions, "pieces", "pieces of an own copy, from pictures of them on the printed teaching sheet")
    making_arguments(pieces)
    pieces.add_argument(
        "--classes",
        metavar="LIST",
        type=classes,
        required=True,
        help="what lies in the cells, row by row and sheet by sheet: tomato/seed,tomato/vegetable*3,-,bird",
    )
    pieces.add_argument("--shape", choices=SHAPES, default="square", help="of all of them (default: square)")
    pieces.add_argument("--height", metavar="MM", type=height, default=2.0, help="of all of them (default: 2)")
    check = actions.add_parser("check", help="read photographs with a kit, and say how much was right")
    check.add_argument("kit", metavar="KIT", type=Path, help="the kit's folder")
    check.add_argument(
        "--from",
        dest="folder",
        metavar="FOLDER",
        type=Path,
        required=True,
        help="photographs; NAME.json says what is right",
    )
    check.add_argument("--camera-profile", metavar="FILE", type=Path, help="the camera's calibrated lens")
    check.add_argument("--json", action="store_true", help="print JSON, for programs")
    check.add_argument("--lang", choices=LANGUAGES, default="en", help="language of what people read (default: en)")


def making_arguments(action: argparse.ArgumentParser) -> None:
    action.add_argument("--out", metavar="KIT", type=Path, required=True, help="the kit's folder, new or begun before")
    action.add_argument("--camera-profile", metavar="FILE", type=Path, help="the camera's calibrated lens")


def millimetres(text: str) -> tuple[float, float]:
    """A size in mm, WxH."""
    found = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]+)?)x([0-9]{1,4}(?:\.[0-9]+)?)", text)
    if not found or min(float(found[1]), float(found[2])) < 10:
        raise argparse.ArgumentTypeError(f"{text!r} found; expected WIDTHxHEIGHT in mm, as 416x416")
    return float(found[1]), float(found[2])


def classes(text: str) -> list[str]:
    """Classes in the order of the cells; `NAME*3` is three of a kind, `-` an empty cell."""
    order: list[str] = []
    for entry in text.split(","):
        name, _, count = entry.strip().partition("*")
        if not re.fullmatch(r"-|[\w-]+(?:/[\w-]+)?", name) or not re.fullmatch(r"[1-9][0-9]?|", count):
            raise argparse.ArgumentTypeError(f"{entry!r} found; expected a class, as tomato/seed or tomato/seed*3")
        order += [name] * int(count or 1)
    return order


def height(text: str) -> float:
    found = re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]+)?", text)
    if not found or float(text) > 100:
        raise argparse.ArgumentTypeError(f"{text!r} found; expected a height in mm, 0 to 100")
    return float(text)


def place(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"(-?[0-9]{1,5}(?:\.[0-9]+)?),(-?[0-9]{1,5}(?:\.[0-9]+)?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} found; expected X,Y in px")
    return float(found[1]), float(found[2])


def _action(actions: Any, name: str, what: str) -> argparse.ArgumentParser:
    action: argparse.ArgumentParser = actions.add_parser(name, help=what, description=f"Calibrate {what}.")
    where = action.add_mutually_exclusive_group(required=True)
    where.add_argument("--from", dest="folder", metavar="FOLDER", type=Path, help="pictures that were taken before")
    where.add_argument("--camera", metavar="CAMERA", type=source, help="v4l2:N, folder:DIR, video:FILE")
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
    return {"lens": lens, "camera": camera, "board": board, "pieces": pieces, "check": check}[args.action](args)


def camera_for(args: argparse.Namespace) -> Any:
    return camera_of(source(f"folder:{args.folder}") if args.folder else args.camera, fixed={})


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
    passed = passes(findings)
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
        findings += _changed(args.out, found)
    status = verdict(args, findings)
    if found is not None and status == 0:
        keep_lens(args.out, found, args.name or ("" if args.folder else f"{args.camera.kind}:{args.camera.place}"))
        tell(args, {"written": str(args.out)}, said["written"].format(file=args.out))
    return status


def _changed(path: Path, found: Lens) -> list[Finding]:
    """Whether the lens is another than the one of the profile that is there already: the camera, or its zoom, is."""
    if not path.exists():
        return []
    before = load_profile(path)
    return [hard("lens-changed", day=before.made or "?")] if has_changed(before, found.calibration) else []


def _tell_lens(args: argparse.Namespace, found: Lens) -> None:
    focal, residual = round(found.calibration.focal_px, 1), round(found.residual_px, 3)
    line = {"focal_px": focal, "residual_px": residual, "views": found.views, "covered": round(found.covered, 3)}
    said = words("calibration", args.lang)["calibrate"]["lens"]
    facts = {"focal": focal, "residual": residual, "views": found.views, "covered": round(100 * found.covered)}
    tell(args, line, filled(said, args.lang, **facts))


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
        text = filled(words("calibration", args.lang)["steps"][step.key], args.lang, **step.facts)
        tell(args, {"step": step.key, "passed": step.passed, **step.facts, **step.settings}, text)
    passed = all(step.passed for step in steps)
    if args.out and passed:
        keep_settings(args.out, steps)
    return 0 if passed else 1


def steps_of(device: Adjustable) -> list[Step]:
    return [fix_exposure(device), fix_focus(device)]


# A board


def board(args: argparse.Namespace) -> int:
    said = words("calibration", args.lang)["calibrate"]
    document = begun(args.out, args.game, args.name)
    game, lens = document["game"], load_profile(args.camera_profile).lens if args.camera_profile else None
    layout = load_layout(args.layout, game) if args.layout else None
    flat = Flattening(lens, args.size, args.corners, args.turn)
    for frame in frames(args):
        key, facts = flat.add(frame.name, frame.pixels)
        tell(
            args, {"picture": frame.name, "found": key, **facts}, said[f"board-{key}"].format(name=frame.name, **facts)
        )
        if not args.folder and len(flat.pictures) >= ENOUGH_PICTURES:
            break
    if not passes(problems := flat.problems()):
        return verdict(args, problems)
    picture, size_mm = flat.picture(), flat.size_mm
    assert size_mm is not None
    own = [row for row in document["space"] if row["board"] == args.board]
    try:
        if layout is not None and game == "garden-guests":
            own, doubtful = traced(picture, size_mm, layout, args.board)
            problems += [hard("confirm", spaces=", ".join(doubtful))] if doubtful else []
        elif layout is not None:
            own = spaces_of(layout, game, args.board)
        elif args.like:
            own = like(load_kit(args.like), args.board, size_mm)
    except Fault as fault:
        raise Fault(f"{args.layout}: {fault}" if args.layout else str(fault)) from None
    kit, found = keep_board(args.out, document, args.board, picture, size_mm, own)
    size = list(next(board.size_mm for board in kit.boards if board.id == args.board))
    line = {"board": args.board, "size_mm": size, "pictures": len(flat.pictures), "spaces": len(own)}
    tell(args, line, said["board"].format(**(line | {"size_mm": numbers(f"{size[0]:g} × {size[1]:g}", args.lang)})))
    return verdict(args, worst([*problems, *found]))


# Pieces


def pieces(args: argparse.Namespace) -> int:
    said = words("calibration", args.lang)["calibrate"]
    document = begun(args.out, None, None)
    profile = load_profile(args.camera_profile).lens if args.camera_profile else None
    cutting = Cutting(args.classes, profile, args.shape, args.height)
    for frame in frames(args):
        if cutting.complete:
            break
        key, count = cutting.add(frame.name, frame.pixels)
        line = {"picture": frame.name, "found": key, "pieces": count}
        tell(args, line, said[f"pieces-{key}"].format(name=frame.name, count=count))
    problems = cutting.problems()
    new, found = keep_pieces(args.out, document, cutting)
    if not new:
        return verdict(args, problems)
    for row in new:
        facts = {"piece": row["class"], "width": row["size_mm"][0], "height": row["size_mm"][1]}
        tell(args, facts, filled(said["piece"], args.lang, **facts))
    return verdict(args, worst([*problems, *found]))


# The check


def check(args: argparse.Namespace) -> int:
    """Photographs are read; what is right stands beside them, or a person says which spaces are not."""
    said = words("calibration", args.lang)["calibrate"]
    kit = load_kit(args.kit)
    profile = load_profile(args.camera_profile).lens if args.camera_profile else None
    eye = Eye(kit, profile)
    total, boards = Tally(), set[str]()
    for path in expanded([args.folder]):
        seen, _ = eye.read(content_of(path))
        if isinstance(seen, NotSeen):
            total = total.with_unread()
            tell(args, {"image": path.name, "error": seen.error}, f"{path.name}: {seen.advice}")
            continue
        truth = truth_beside(path)
        wrong = wrong_by(seen, truth) if truth is not None else asked(args, path.name, seen)
        total = total.plus(seen, wrong)
        boards |= set(seen.boards)
        facts = {"name": path.name, "right": len(seen.spaces) - len(wrong), "unsure": len(seen.unsure)}
        text = said["checked"].format(**facts, wrong=", ".join(wrong) or "-")
        tell(args, {"image": path.name, **facts, "wrong": wrong}, text)
    counts = total.facts()
    tell(args, dict(counts), said["accuracy"].format(**counts))
    status = verdict(args, checked(kit, total, boards))
    keep_acceptance(args.kit, total, status == 0)
    return status


def asked(args: argparse.Namespace, name: str, seen: Observation) -> list[str]:
    """The spaces that a person calls wrong; in a terminal only."""
    if not sys.stdin.isatty():
        raise Fault(f"{name}: nothing says what is right; expected {Path(name).stem}.json beside it, or a terminal")
    said = words("calibration", args.lang)["calibrate"]
    for space, reading in seen.spaces.items():
        if reading.pieces:
            print(f"  {space}: {' + '.join(reading.pieces)}")
    while True:
        wrong = input(said["which-wrong"].format(name=name)).split()
        if strange := [space for space in wrong if space not in seen.spaces]:
            print(said["no-such-space"].format(spaces=", ".join(strange)))
            continue
        return wrong
