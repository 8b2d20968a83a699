"""A board of an own copy on the screen: its pictures, its corners by hand, its size typed, its spaces laid over it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from calibration.dialogue import (
    Afresh,
    BoardStand,
    ByHand,
    Drop,
    Group,
    Grow,
    Job,
    Keep,
    Kind,
    Lay,
    Mark,
    Size,
    Take,
    Turn,
)
from companion.ui.view.taps import Tap
from companion.ui.view.workbench import ARROWS, BAD, DOUBT, GOOD, Bench, Desk, Line, To, Told, Work, nudges

DIGITS = ("12345", "67890")
GROWS_MM = 0.5
SIZE = re.compile(r"([0-9]{2,4}(?:[.,][0-9]+)?)×([0-9]{2,4}(?:[.,][0-9]+)?)")
LONGEST = 15  # of what is typed


def board_bench(stand: BoardStand, desk: Desk, told: Told) -> Bench:
    if stand.by_hand:
        return _corners(stand, desk, told)
    if desk.mode == "size":
        return _size(stand, desk, told)
    if stand.laid:
        return _kinds(stand, desk, told) if desk.mode == "kind" else _spaces(stand, desk, told)
    return _pictures(stand, told)


# Pictures


def _pictures(stand: BoardStand, told: Told) -> Bench:
    size = told.numbers(_size_text(stand))
    lines = [
        Line(told["board-first"] if stand.pictures == 0 else told["board-more"]),
        Line(told["pictures"].format(count=stand.pictures, enough=stand.enough), GOOD if stand.pictures else BAD),
        Line(told["size"].format(size=size), GOOD) if size else Line(told["no-size"], BAD),
        *told.last(stand),
        *map(told.finding, (finding for finding in stand.findings if finding.key not in ("no-board", "no-size"))),
    ]
    take = Tap[To](told["take"], Take())
    lay = Tap[To](told["spaces"], Lay(True))
    can_lay = stand.pictures > 0 and stand.size_mm is not None
    is_enough = can_lay and stand.pictures >= stand.enough
    rows: list[tuple[Tap[To], ...]] = [(take if is_enough else lay,)] if can_lay else []
    rows.append((Tap[To](told["by-hand"], ByHand(True)), Tap[To](told["type-size"], Desk("size"))))
    if stand.pictures:
        rows.append((Tap[To](told["turn"], Turn()), Tap[To](told["drop"], Drop()), Tap[To](told["afresh"], Afresh())))
    return Bench(
        told.board(stand.job.board),
        tuple(lines),
        lay if is_enough else take,
        tuple(rows),
        outlines=stand.outlines,
    )


def _size_text(stand: BoardStand) -> str:
    return "" if stand.size_mm is None else f"{stand.size_mm[0]:.1f} × {stand.size_mm[1]:.1f}"


def read_size(text: str) -> tuple[float, float] | None:
    """A size in mm as it is typed, with either sign before the tenths; None where it is none."""
    found = SIZE.fullmatch(text)
    if found is None:
        return None
    width, height = (float(side.replace(",", ".")) for side in found.groups())
    return (width, height) if min(width, height) >= 10 else None


def _size(stand: BoardStand, desk: Desk, told: Told) -> Bench:
    typed = read_size(desk.text)
    rows = [tuple(Tap[To](sign, replace(desk, text=(desk.text + sign)[:LONGEST])) for sign in row) for row in DIGITS]
    between = (str(told.common["number"]["point"]), "×")
    signs = [Tap[To](sign, replace(desk, text=(desk.text + sign)[:LONGEST])) for sign in between]
    rows.append((*signs, Tap[To](told["erase"], replace(desk, text=desk.text[:-1]))))
    rows.append((Tap[To](told["by-ruler"], Size(None)),))
    main = Tap[To](told["take-size"], Size(typed)) if typed is not None else None
    line = Line(desk.text or told["size-how"])
    return Bench(told["type-size"], (line,), main, tuple(rows), has_picture=False)


# Corners


def _corners(stand: BoardStand, desk: Desk, told: Told) -> Bench:
    lines = () if desk.handle else (Line(told["corners-how"]), *told.last(stand))
    rows = [*_handles(stand, desk, told, told["corner"]), (Tap[To](told["leave"], ByHand(False)),)]
    return _with_handles(Bench(told["by-hand"], lines, Tap(told["right"], Keep()), tuple(rows)), stand, desk)


def _handles(stand: BoardStand, desk: Desk, told: Told, name: str) -> Iterator[tuple[Tap[To], ...]]:
    """Keys that choose a handle, and those that move the chosen one: dragging does it as well."""
    names = [handle.name for handle in stand.handles]
    after = names[(names.index(desk.handle) + 1) % len(names)] if desk.handle in names else names[0]
    chosen = told.words["handle"].get(after, after)
    near = Tap[To](told["far"] if desk.near else told["near"], replace(desk, near=not desk.near))
    first = Tap[To](name.format(name=chosen), replace(desk, handle=after))
    yield (first, near) if desk.handle in names else (first,)
    if moves := nudges(stand.handles, desk.handle, desk.near):
        yield tuple(Tap[To](ARROWS[key], move) for key, move in moves.items())


def _with_handles(made: Bench, stand: BoardStand, desk: Desk) -> Bench:
    at = next((handle.at for handle in stand.handles if handle.name == desk.handle), None)
    return replace(
        made,
        outlines=stand.outlines,
        handles=stand.handles,
        chosen=desk.handle,
        near=at if desk.near else None,
        nudges=nudges(stand.handles, desk.handle, desk.near),
    )


# Spaces


def _spaces(stand: BoardStand, desk: Desk, told: Told) -> Bench:
    lines = [Line(told["spaces-how"])] if not desk.handle else []
    if stand.kinds.get(stand.group) and not desk.handle:
        lines.append(Line(told["kinds-how"]))
    if "map" in stand.groups and all(kind is None for _, kind in stand.are.values()):
        lines.append(Line(told["name-some"], DOUBT))
    if stand.doubtful:
        lines.append(Line(told["doubtful"].format(count=len(stand.doubtful)), DOUBT))
    if stand.kept:
        lines = [Line(told["kept"], GOOD), *map(told.finding, stand.findings), *lines]
    groups = tuple(
        Tap[To](told.words["group"].get(name, name), Group(name), chosen=name == stand.group) for name in stand.groups
    )
    sizes = (Tap[To](told["smaller"], Grow(-GROWS_MM)), Tap[To](told["larger"], Grow(GROWS_MM)))
    rows = [groups] if len(groups) > 1 else []
    rows += [*_handles(stand, desk, told, told["handle-of"]), sizes]
    if stand.kinds.get(stand.group):
        rows.append((Tap[To](told["next-space"], _next_space(stand, desk)),))
    rows.append((Tap[To](told["turn"], Turn()), Tap[To](told["pictures-again"], Lay(False))))
    main: Tap[To] = Tap(told["keep"], Keep())
    if stand.kept:
        rows.append((main,))
        main = Tap(told["pieces"], Work(Job("pieces", stand.job.kit)))
    chosen = Desk("kind", near=desk.near)
    spaces: dict[str, To] = {
        space: replace(chosen, space=space) for space, (group, _) in stand.are.items() if stand.kinds.get(group)
    }
    count = sum(kind is not None or group != "map" for group, kind in stand.are.values())
    title = told["spaces-of"].format(count=count)
    return _with_handles(Bench(title, tuple(lines), main, tuple(rows), spaces=spaces), stand, desk)


def _next_space(stand: BoardStand, desk: Desk) -> Desk:
    """The first that is doubtful; else the one after the one that was chosen."""
    own = [space for space, (group, _) in stand.are.items() if group == stand.group]
    waiting = [space for space in stand.doubtful if space != desk.space] or own
    after = waiting[(waiting.index(desk.space) + 1) % len(waiting)] if desk.space in waiting else waiting[0]
    return Desk("kind", space=after, near=desk.near)


def _kinds(stand: BoardStand, desk: Desk, told: Told) -> Bench:
    """What a space is, to be told."""
    group, now = stand.are.get(desk.space, (stand.group, None))
    kinds = stand.kinds.get(group, ())
    rows = [
        tuple(
            Tap[To](kind_text(kind, told), Mark(desk.space, number), chosen=number == now)
            for number, kind in list(enumerate(kinds))[at : at + 2]
        )
        for at in range(0, len(kinds), 2)
    ]
    rows.append((Tap[To](told["next-space"], _next_space(stand, desk)),))
    main = Tap[To](told["done"], Desk(space=desk.space, near=desk.near))
    line = Line(told["what-is"].format(space=desk.space), DOUBT if desk.space in stand.doubtful else GOOD)
    spaces: dict[str, To] = {
        space: replace(desk, space=space) for space, (other, _) in stand.are.items() if stand.kinds.get(other)
    }
    made = Bench(told["spaces"], (line,), main, tuple(rows), spaces=spaces)
    at = next((outline.corners for outline in stand.outlines if outline.space == desk.space), None)
    near = (at[0][0] / 2 + at[2][0] / 2, at[0][1] / 2 + at[2][1] / 2) if at and desk.near else None
    return replace(made, outlines=stand.outlines, chosen=desk.space, near=near)


def kind_text(kind: Kind, told: Told) -> str:
    """What a space may be, in words."""
    names = told.words["kind"]
    if kind.kind in ("star", "bonus"):
        return str(names[kind.kind if kind.what else f"no-{kind.kind}"])
    if kind.kind == "tool":
        return str(names["tool"][kind.what] if kind.what else names["no-tool"])
    name = told.teller.name(kind.what) if told.teller is not None and kind.what else kind.what
    return str(names[kind.kind]).format(name=name)
