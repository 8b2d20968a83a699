"""What a step of calibrating keeps in the end, and what it says to it: the same for the command and the screen."""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calibration.acceptance import LEAST_PHOTOGRAPHS, Tally
from calibration.alike import picture_findings
from calibration.camera import Step
from calibration.findings import CANNOT_BE, Finding, cannot_be, hard, worst
from calibration.kit_making import keep, replaced
from calibration.lens import Lens
from calibration.lint import lint
from calibration.pieces import Cutting
from calibration.profile import Profile, load_profile, profile_text
from companion.document import Fault, write_whole
from companion.kit import Kit

Array = np.ndarray[Any, Any]
Row = dict[str, Any]

UNFINISHED = ("no-piece", "no-dice")  # no fault of a kit that is still being made
TO_COME = ("no-space", "hedge", "trampoline")  # nor are these of spaces on a board that is not there yet
ACCEPTANCE = "acceptance.json"


def passes(findings: Iterable[Finding]) -> bool:
    return not any(finding.grade == CANNOT_BE for finding in findings)


def today() -> str:
    return datetime.date.today().isoformat()


def keep_lens(path: Path, found: Lens, camera: str, settings: Mapping[str, float] | None = None) -> None:
    """Write a camera's profile; how it was set stays where it is the same camera's.  Raises Fault."""
    fixed = settings or _fixed_before(path, camera)
    profile = Profile(found.calibration, today(), camera, round(found.residual_px, 3), found.views, fixed)
    write_whole(path, profile_text(profile).encode())


def _fixed_before(path: Path, camera: str) -> Mapping[str, float]:
    try:
        before = load_profile(path)
    except Fault:  # there is none, or it is written anew now
        return {}
    return before.settings if before.camera == camera else {}


def settings_of(steps: Iterable[Step]) -> dict[str, float]:
    """What was fixed, by name."""
    return {name: value for step in steps for name, value in step.settings.items()}


def keep_settings(path: Path, steps: Iterable[Step]) -> None:
    """Add what was fixed to a camera's profile.  Raises Fault."""
    settings = settings_of(steps)
    if not path.exists():
        raise Fault(f"{path}: no such profile; calibrate the lens first")
    before = load_profile(path)
    profile = Profile(before.lens, before.made, before.camera, before.residual_px, before.views, settings)
    write_whole(path, profile_text(profile).encode())


def keep_board(
    folder: Path, document: Row, board: str, picture: Array, size_mm: tuple[float, float], rows: Sequence[Row]
) -> tuple[Kit, list[Finding]]:
    """A board with its spaces, in the place of what the kit had of it; the kit, and what there is to say.

    Raises Fault.
    """
    if not rows:
        raise Fault(f"board {board}: has no spaces yet; --layout FILE or --like KIT says where they are")
    size = [round(side, 1) for side in size_mm]
    image = f"{board}.png"
    document["space"] = [*(row for row in document["space"] if row["board"] != board), *rows]
    document["board"] = replaced(document["board"], [{"id": board, "image": image, "size_mm": size}], "id")
    kit = keep(folder, document, {image: picture})
    return kit, so_far(kit)


def keep_pieces(folder: Path, document: Row, cutting: Cutting) -> tuple[list[Row], list[Finding]]:
    """What was cut out, in the place of what the kit had of it; the new rows, and what there is to say.

    Raises Fault.
    """
    new, pictures = cutting.rows(document["piece"])
    if not new:
        return [], []
    document["piece"] = replaced(document["piece"], new, "class")
    return new, so_far(keep(folder, document, pictures))


def so_far(kit: Kit) -> list[Finding]:
    """What is wrong with a kit that is still being made, and hard about it."""
    kinds = {space.kind for space in kit.spaces}
    found = [finding for finding in (*lint(kit), *picture_findings(kit)) if finding.key not in UNFINISHED]
    return [one for one in found if one.key not in TO_COME or one.facts.get("kind", one.key) in kinds]


def whole(kit: Kit) -> list[Finding]:
    return worst([*lint(kit), *picture_findings(kit)])


def checked(kit: Kit, total: Tally, seen: Collection[str]) -> list[Finding]:
    """All there is to say of a kit with which photographs were read; it is accepted where nothing cannot be.

    `seen` are the boards that were found in any of them.
    """
    found = whole(kit)
    if total.photographs < LEAST_PHOTOGRAPHS:
        found.append(cannot_be("few-photographs", count=total.photographs, least=LEAST_PHOTOGRAPHS))
    if total.wrong:
        found.append(cannot_be("wrong-claims", count=total.wrong, spaces=total.right + total.wrong))
    if total.unread:
        found.append(hard("unread", count=total.unread))
    if total.photographs:
        found += [hard("board-unseen", board=board.id) for board in kit.boards if board.id not in seen]
    return found


def keep_acceptance(folder: Path, total: Tally, accepted: bool) -> None:
    """Raises Fault."""
    made = {"date": today(), "accepted": accepted, **total.facts()}
    write_whole(folder / ACCEPTANCE, (json.dumps(made, indent=1) + "\n").encode())
