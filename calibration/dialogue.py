"""What a person at a screen and a calibration say to each other: deeds one way, how far it has come the other.

Pure values: whoever draws them needs neither a camera nor OpenCV.  Places in a picture are shares of its width and
height, from its top left corner.  Sentences are keys of the words of this package with the facts that fill them in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from calibration.findings import CANNOT_BE, Finding

Point = tuple[float, float]

CAMERA, LENS, BOARD, PIECES, CHECK = "camera", "lens", "board", "pieces", "check"
LIVE, TAKEN, FLAT, CUT = "live", "taken", "flat", "cut"  # which picture belongs to a state


@dataclass(frozen=True)
class Job:
    """One step of calibrating: of a camera, or of a kit, by its folder's name, and one of its boards."""

    step: str
    kit: str = ""
    board: str = ""


# Deeds


@dataclass(frozen=True)
class Take:
    """Take a picture now."""


@dataclass(frozen=True)
class Keep:
    """What was found so far is right: keep it, and go on."""


@dataclass(frozen=True)
class Drop:
    """Throw the last picture away."""


@dataclass(frozen=True)
class Afresh:
    """Throw away all that this step has found, but for what was kept."""


@dataclass(frozen=True)
class ByHand:
    """The corners of the board in the newest picture are put right by hand, or not."""

    wanted: bool


@dataclass(frozen=True)
class Move:
    """A handle is dragged to a place."""

    handle: str
    to: Point


@dataclass(frozen=True)
class Size:
    """The board measures so much; None: by the ruler sheet."""

    size_mm: tuple[float, float] | None


@dataclass(frozen=True)
class Turn:
    """The board's picture is to be turned by a quarter, clockwise."""


@dataclass(frozen=True)
class Lay:
    """The spaces are laid over the board, or its pictures are gone back to."""

    wanted: bool


@dataclass(frozen=True)
class Group:
    """Another group of spaces is to be fitted."""

    name: str


@dataclass(frozen=True)
class Grow:
    """The spaces of the group are so much larger."""

    by_mm: float


@dataclass(frozen=True)
class Mark:
    """A space is of this kind, by the number of the kinds that it may have."""

    space: str
    kind: int


@dataclass(frozen=True)
class Pick:
    """A class of pieces is next."""

    piece: str


@dataclass(frozen=True)
class Form:
    """The pieces have another shape or height."""

    shape: str
    height_mm: float


@dataclass(frozen=True)
class Wrong:
    """What was read on a space is wrong, or right after all."""

    space: str


Deed = Take | Keep | Drop | Afresh | ByHand | Move | Size | Turn | Lay | Group | Grow | Mark | Pick | Form | Wrong


# How far it has come


@dataclass(frozen=True)
class Said:
    """A sentence: a key of `calibrate` or `steps` in the words, and its facts."""

    key: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    passed: bool | None = None


@dataclass(frozen=True)
class Handle:
    name: str
    at: Point


@dataclass(frozen=True)
class Outline:
    """A space, or a board, over the picture; `state`: plain, fine, doubt or bad."""

    corners: tuple[Point, ...]
    state: str = "plain"
    space: str = ""


@dataclass(frozen=True)
class Kind:
    """What a space may be: the tags that say so, and whether that is what it is told by a picture."""

    kind: str
    what: str = ""


@dataclass(frozen=True)
class Stand:
    """What all steps have: `picture` counts what there is to be seen, `shows` says which it is.

    `busy` is a key of what takes a while, `trouble` why there is no picture or what cannot be, in the words of whoever
    met it; `ended` once the camera has no more pictures.  `findings` say why it does not pass, and what is hard.
    """

    job: Job
    shows: str = LIVE
    picture: int = 0
    busy: str = ""
    trouble: str = ""
    ended: bool = False
    last: Said | None = None
    findings: tuple[Finding, ...] = ()
    outlines: tuple[Outline, ...] = ()
    handles: tuple[Handle, ...] = ()
    kept: bool = False

    @property
    def cannot_be(self) -> bool:
        return any(finding.grade == CANNOT_BE for finding in self.findings)


@dataclass(frozen=True)
class CameraStand(Stand):
    steps: tuple[Said, ...] = ()
    fixed: bool = False  # whether the camera could be set


@dataclass(frozen=True)
class LensStand(Stand):
    """`covered` are the cells of the picture, row by row, in which the chart was seen."""

    views: int = 0
    least_views: int = 0
    covered: tuple[tuple[bool, ...], ...] = ()
    least_covered: float = 0.0
    tilted: int = 0
    least_tilted: int = 0
    residual_px: float | None = None
    most_residual_px: float = 0.0
    passed: bool = False


@dataclass(frozen=True)
class BoardStand(Stand):
    """`groups` are the groups of spaces that can be fitted; `kinds` says by the group what its spaces may be."""

    pictures: int = 0
    enough: int = 0
    by_hand: bool = False
    laid: bool = False
    size_mm: tuple[float, float] | None = None
    measured: bool = True
    groups: tuple[str, ...] = ()
    group: str = ""
    kinds: Mapping[str, tuple[Kind, ...]] = field(default_factory=dict)
    are: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)  # space: its group, and which kind it is
    doubtful: tuple[str, ...] = ()


@dataclass(frozen=True)
class PiecesStand(Stand):
    """`classes` say which pieces there are, and whether each has its picture; `cut` how many lie before us cut out."""

    classes: Mapping[str, bool] = field(default_factory=dict)
    piece: str = ""
    shape: str = ""
    height_mm: float = 0.0
    size_mm: tuple[float, float] | None = None
    cut: int = 0
    sheet: bool = False  # whether the teaching sheet is seen now


@dataclass(frozen=True)
class CheckStand(Stand):
    """`read` says what was read in the photograph that waits to be confirmed; `wrong` which of it is not so."""

    photographs: int = 0
    least: int = 0
    right: int = 0
    errors: int = 0
    unsure: int = 0
    read: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    untold: tuple[str, ...] = ()
    wrong: frozenset[str] = frozenset()
    waits: bool = False
    accepted: bool | None = None


@dataclass(frozen=True)
class Copy:
    """A kit in the making: which of its boards and pieces there are, and what came of its check.

    `arrow` and `dice_mm` are what no picture tells, None where the game has no such thing: the hedge's column at its
    arrow, and how large a die is.
    """

    folder: str
    name: str
    game: str
    boards: Mapping[str, bool]
    pieces: int
    all_pieces: int
    accepted: bool | None = None
    day: str = ""
    fault: str = ""
    arrow: int | None = None
    dice_mm: float | None = None


@dataclass(frozen=True)
class Benches:
    """What is calibrated: the camera's lens, the copies, and the games of which a new one can be begun."""

    lens_day: str
    lens_residual_px: float | None
    copies: tuple[Copy, ...]
    games: tuple[str, ...]
    camera: str
    fault: str = ""
