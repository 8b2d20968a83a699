"""Steps of calibrating in the middle of something, for looking at their screens without a camera."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from calibration.dialogue import (
    CUT,
    FLAT,
    TAKEN,
    Benches,
    BoardStand,
    CameraStand,
    CheckStand,
    Copy,
    Handle,
    Job,
    Kind,
    LensStand,
    Outline,
    PiecesStand,
    Said,
    Stand,
)
from calibration.findings import cannot_be, hard
from companion.commands import own_kit
from companion.games import NAMES
from companion.kit import Kit
from companion.observation import Frame
from companion.simulate.practice import SHEETS, sheet_picture
from companion.ui.view.workbench import Desk
from companion.vision.picture import decode

AS_IT_IS = Desk()
KIT = "garden-dice-1"
SEEN = ("111110", "111100", "011100", "111000", "110000", "000000", "000000", "000000")  # column by column
SEEN_CELLS = tuple(tuple(column[row] == "1" for column in SEEN) for row in range(6))
LYING = {"2,2": ("tomato/seed", "disc/blue"), "3,4": ("carrot/vegetable", "disc/red"), "4,4": ("rabbit", "disc/green")}


@dataclass(frozen=True, eq=False)
class DemoBench:
    """A stand, how the screen stands, the game it is about, and the picture of its kit, or the sheet, that is seen."""

    stand: Stand
    desk: Desk = AS_IT_IS
    game: str = "garden-dice"
    image: str = "board.png"


def benches() -> Benches:
    boards = {"board": True}
    dice = Copy(KIT, "Own copy 1", "garden-dice", boards, 12, 19, dice_mm=16.0)
    three = {"board": True, "trampoline": True, "track": True}
    rush = Copy("garden-rush-1", "Own copy 1", "garden-rush", three, 17, 17, True, "2026-11-30", arrow=5)
    return Benches("2026-11-30", 0.31, (dice, rush), NAMES, "picamera2")


def demo_benches() -> Mapping[str, DemoBench]:
    return dict(_all())


def _all() -> Iterator[tuple[str, DemoBench]]:
    least: dict[str, Any] = {"least_views": 8, "least_covered": 0.7, "least_tilted": 3, "most_residual_px": 0.6}
    view = Said("view", {"name": 5, "corners": 44, "covered": 40}, True)
    lens = LensStand(Job("lens"), views=5, covered=SEEN_CELLS, tilted=1, residual_px=0.72, last=view, **least)
    yield "lens", DemoBench(lens, image="chart")
    all_cells = tuple((True,) * 8 for _ in range(6))
    passed = LensStand(Job("lens"), views=9, covered=all_cells, tilted=4, residual_px=0.31, passed=True, **least)
    yield "lens-passed", DemoBench(passed, image="chart")
    steps = (Said("exposure-fixed", {}, True), Said("cast", {"red": 12, "blue": -9}, False))
    camera = CameraStand(Job("camera"), steps=steps, fixed=True)
    yield "camera-step", DemoBench(camera, image="colours")
    yield from _board()
    yield from _pieces()
    yield from _check()
    waits = LensStand(Job("lens"), busy="reading", trouble="camera-absent", **least)
    yield "lens-waits", DemoBench(waits, image="")


def _board() -> Iterator[tuple[str, DemoBench]]:
    job, inset = Job("board", KIT, "board"), ((0.1, 0.08), (0.93, 0.1), (0.9, 0.94), (0.07, 0.9))
    measured = Said("board-measured", {"name": "001", "measured": "416.1 × 416.0"}, True)
    size = (416.1, 416.0)
    taken = BoardStand(
        job, pictures=2, enough=5, size_mm=size, outlines=(Outline(inset, "fine"),), last=measured,
        findings=(hard("no-lens"),),
    )  # fmt: skip
    yield "board", DemoBench(taken)
    none = Said("board-no-board", {"name": "001"}, False)
    yield "board-none", DemoBench(BoardStand(job, enough=5, last=none))
    handles = tuple(Handle(str(number), at) for number, at in enumerate(inset, 1))
    by_hand = BoardStand(job, shows=TAKEN, by_hand=True, handles=handles, outlines=(Outline(inset, "fine"),), last=none)
    yield "board-corners", DemoBench(by_hand, Desk(handle="2"))
    yield "board-size", DemoBench(BoardStand(job, pictures=1, enough=5), Desk("size", "416×4"))
    for game in ("garden-dice", "garden-guests"):
        kit = own_kit(game)
        group = "plots" if game == "garden-dice" else "map"
        kinds = tuple(dict.fromkeys(_kind(space.kind, space.tags) for space in kit.spaces if space.kind != "track"))
        laid = BoardStand(
            job, shows=FLAT, laid=True, pictures=5, enough=5, size_mm=kit.boards[0].size_mm,
            groups=("plots", "track") if game == "garden-dice" else ("map",), group=group, kinds={group: kinds},
            are={space.id: (_group(space.kind), 0) for space in kit.spaces if space.board == "board"},
            doubtful=() if game == "garden-dice" else ("-1,0", "2,1"), outlines=tuple(_outlines(kit, ("-1,0", "2,1"))),
            handles=(Handle("first", (0.21, 0.21)), Handle("last", (0.79, 0.79))),
        )  # fmt: skip
        name = game.removeprefix("garden-")
        yield f"board-{name}", DemoBench(laid, game=game)
        if game == "garden-guests":
            yield "board-kind", DemoBench(laid, Desk("kind", space="-1,0"), game)


def _kind(kind: str, tags: Mapping[str, Any]) -> Kind:
    if kind == "plot":
        return Kind("star", "yes" if tags["star"] else "")
    return Kind(kind, str(tags.get("flower") or tags.get("team") or ""))


def _group(kind: str) -> str:
    return {"plot": "plots", "track": "track"}.get(kind, "map")


def _outlines(kit: Kit, doubtful: tuple[str, ...]) -> Iterator[Outline]:
    board = kit.boards[0]
    for space in kit.spaces:
        (x, y), (w, h) = space.at_mm, space.size_mm
        corners = ((x - w / 2, y - h / 2), (x + w / 2, y - h / 2), (x + w / 2, y + h / 2), (x - w / 2, y + h / 2))
        shares = tuple((cx / board.size_mm[0], cy / board.size_mm[1]) for cx, cy in corners)
        state = "doubt" if space.id in doubtful else "plain" if space.kind == "track" else "fine"
        yield Outline(shares, state, space.id)


def _pieces() -> Iterator[tuple[str, DemoBench]]:
    job, names = Job("pieces", KIT), [piece.name for piece in own_kit("garden-dice").pieces]
    classes = {name: number < 4 for number, name in enumerate(names)}
    kept = Said("piece", {"piece": names[3], "width": 40.1, "height": 40.0}, True)
    stand = PiecesStand(job, classes=classes, piece=names[4], shape="square", height_mm=2.0, sheet=True, last=kept)
    yield "pieces", DemoBench(stand, image="teaching")
    cut = PiecesStand(
        job, shows=CUT, classes=classes, piece=names[4], shape="square", height_mm=2.0, cut=4, size_mm=(40.2, 40.1),
        findings=(hard("no-lens-height"),),
    )  # fmt: skip
    yield "pieces-cut", DemoBench(cut, image="pieces/tomato-seed.png")
    yield "pieces-list", DemoBench(stand, Desk("pieces"), image="pieces/tomato-seed.png")


def _check() -> Iterator[tuple[str, DemoBench]]:
    job = Job("check", KIT)
    pairs = (("bird", "rabbit", 16.2), ("squash/seed", "eggplant/seed", 17.9))
    alike = tuple(hard("alike", one=one, other=other, levels=levels) for one, other, levels in pairs)
    yield "check", DemoBench(CheckStand(job, photographs=2, least=5, right=270, unsure=2, findings=alike))
    yield "check-findings", DemoBench(CheckStand(job, least=5, findings=alike), Desk("findings"))
    refused = (cannot_be("wrong-claims", count=3, spaces=680),)
    stand = CheckStand(job, photographs=5, least=5, right=677, errors=3, findings=refused, accepted=False)
    yield "check-refused", DemoBench(stand)
    kit = own_kit("garden-dice")
    read = {space.id: LYING.get(space.id, ()) for space in kit.spaces}
    outlines = tuple(
        Outline(each.corners, "bad" if each.space == "2,2" else "fine" if each.space in LYING else "plain", each.space)
        for each in _outlines(kit, ())
    )
    waits = CheckStand(
        job, shows=TAKEN, photographs=2, least=5, read=read, waits=True, wrong=frozenset({"2,2"}), outlines=outlines
    )
    yield "check-photograph", DemoBench(waits, Desk(space="2,2"))


@cache
def picture_of(demo: DemoBench) -> Any:
    """(height, width, 3) uint8 BGR; None where there is none."""
    if demo.image in SHEETS:
        return sheet_picture(demo.image)
    if not demo.image:
        return None
    frame = decode((own_kit(demo.game).folder / demo.image).read_bytes())
    return frame.pixels if isinstance(frame, Frame) else None
