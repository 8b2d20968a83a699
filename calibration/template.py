"""The layout of a game's board as another kit has it, to be dragged until it fits a copy.

Every group of spaces (plots, a track, a garden, a map) has a few handles, places in mm: where they are says where all
of its spaces are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from calibration.layout import like
from companion.document import plain
from companion.kit import Kit

Row = dict[str, Any]
Layout = dict[str, Any]
Point = tuple[float, float]

FAR = 4  # steps from the middle of a map at which its handles lie: nearer ones would tell less exactly
STRAIGHT_MM = 1.0  # a track's space that lies so near to the line of the others is on it
LEAST_MM = 2.0  # of a space


def template(kit: Kit, board: str, size_mm: tuple[float, float]) -> Layout:
    """A layout (see `calibration.layout`) of a board of `kit`, on one of another size.  Raises Fault."""
    rows = like(kit, board, size_mm)
    return {"garden-dice": _dice, "garden-rush": _rush, "garden-guests": _guests}[kit.game](rows)


def _of_kind(rows: Sequence[Row], kind: str) -> list[Row]:
    return [row for row in rows if row["kind"] == kind]


def _dice(rows: Sequence[Row]) -> Layout:
    plots = {row["id"]: row for row in _of_kind(rows, "plot")}
    first, last = plots["1,1"], plots["6,6"]
    return {
        "plots": {"first_mm": first["at_mm"], "last_mm": last["at_mm"], "size_mm": min(first["size_mm"])},
        "stars": [name for name, row in plots.items() if row["star"]],
        "track": _track(_of_kind(rows, "track")),
    }


def _track(rows: Sequence[Row]) -> Layout | None:
    if not rows:
        return None
    at = {row["score"]: row["at_mm"] for row in rows}
    bonus = [row["score"] for row in rows if row.get("bonus")]
    return {"at_mm": {score: at[score] for score in _turns(at)}, "size_mm": min(rows[0]["size_mm"]), "bonus": bonus}


def _turns(at: Mapping[int, Point]) -> Iterator[int]:
    """The scores between which all others lie evenly on straight lines."""
    scores = sorted(at)
    begin = 0
    yield scores[0]
    while begin < len(scores) - 1:
        end = begin + 1
        while end + 1 < len(scores) and _evenly([at[score] for score in scores[begin : end + 2]]):
            end += 1
        yield scores[end]
        begin = end


def _evenly(places: Sequence[Point]) -> bool:
    found = np.array(places)
    even = np.linspace(found[0], found[-1], len(found))
    return bool((np.linalg.norm(found - even, axis=1) < STRAIGHT_MM).all())


def _rush(rows: Sequence[Row]) -> Layout:
    gardens = {}
    for garden in dict.fromkeys(row["garden"] for row in _of_kind(rows, "cell")):
        cells = {(row["row"], row["column"]): row for row in _of_kind(rows, "cell") if row["garden"] == garden}
        middle = np.array(cells[3, 3]["at_mm"])
        across, down = (np.array(cells[place]["at_mm"]) - middle for place in ((3, 5), (5, 3)))
        gardens[garden] = {
            "first_mm": _point(middle - across - down),
            "across_mm": _point(middle + across - down),
            "down_mm": _point(middle - across + down),
            "size_mm": min(cells[3, 3]["size_mm"]),
            "tools": {f"{r},{c}": row["tool"] for (r, c), row in cells.items() if row.get("tool")},
        }
    hedge = {row["column"]: row for row in _of_kind(rows, "hedge")}
    trampoline = next(iter(_of_kind(rows, "trampoline")), None)
    return {
        "gardens": gardens,
        "hedge": _line(hedge) if hedge else None,
        "trampoline": trampoline and {"at_mm": trampoline["at_mm"], "size_mm": min(trampoline["size_mm"])},
        "track": _track(_of_kind(rows, "track")),
    }


def _line(hedge: Mapping[int, Row]) -> Layout:
    return {"first_mm": hedge[1]["at_mm"], "last_mm": hedge[5]["at_mm"], "size_mm": min(hedge[1]["size_mm"])}


def _guests(rows: Sequence[Row]) -> Layout:
    """Which space is of which kind is told by the copy's own picture."""
    places = np.array([(row["q"], row["r"], 1) for row in rows], float)
    at = np.array([row["at_mm"] for row in rows], float)
    across, down, origin = np.linalg.lstsq(places, at, rcond=None)[0]
    size = min(rows[0]["size_mm"])
    where = {"origin_mm": _point(origin), "q_mm": _point(origin + across), "r_mm": _point(origin + down)}
    return {"map": {**where, "size_mm": size}, "examples": {}}


def _point(place: Any) -> list[float]:
    return [round(float(value), 2) for value in place]


# Handles


def groups(layout: Layout) -> list[str]:
    """The groups of a layout that it has."""
    return list(_groups(layout))


def _groups(layout: Layout) -> dict[str, Layout]:
    named = {key: layout.get(key) for key in ("plots", "hedge", "trampoline", "map", "track")}
    gardens = {f"garden-{name}": garden for name, garden in (layout.get("gardens") or {}).items()}
    return {name: group for name, group in {**gardens, **named}.items() if group}


def group_of(row: Row) -> str:
    """The group that a space is of."""
    kinds = {"plot": "plots", "cell": f"garden-{row.get('garden')}"}
    return kinds.get(row["kind"], row["kind"] if row["kind"] in ("hedge", "trampoline", "track") else "map")


def handles(layout: Layout, group: str) -> dict[str, Point]:
    """The handles of a group, and where they are, in mm."""
    found = _groups(layout)[group]
    if group == "track":
        return {str(score): tuple(at) for score, at in found["at_mm"].items()}
    if group == "map":
        origin = np.array(found["origin_mm"])
        far = {key: origin + FAR * (np.array(found[f"{key}_mm"]) - origin) for key in ("q", "r")}
        return {name: (float(at[0]), float(at[1])) for name, at in {"origin": origin, **far}.items()}
    return {key.removesuffix("_mm"): tuple(at) for key, at in found.items() if key in PLACES}


PLACES = ("first_mm", "last_mm", "across_mm", "down_mm", "at_mm")


def moved(layout: Layout, group: str, handle: str, to_mm: Point) -> Layout:
    """A layout with a handle elsewhere."""
    new: Layout = _copied(layout)
    found = _groups(new)[group]
    to = _point(to_mm)
    if group == "track":
        found["at_mm"][int(handle)] = to
    elif group == "map" and handle == "origin":  # all of it goes along
        by = np.array(to) - np.array(found["origin_mm"])
        found |= {key: _point(np.array(found[key]) + by) for key in ("q_mm", "r_mm", "origin_mm")}
    elif group == "map":
        origin = np.array(found["origin_mm"])
        found[f"{handle}_mm"] = [float(value) for value in origin + (np.array(to) - origin) / FAR]
    else:
        found[f"{handle}_mm"] = to
    return new


def grown(layout: Layout, group: str, by_mm: float) -> Layout:
    """A layout with the spaces of a group larger or smaller."""
    new = _copied(layout)
    found = _groups(new)[group]
    found["size_mm"] = round(max(LEAST_MM, found["size_mm"] + by_mm), 2)
    return new


def _copied(layout: Layout) -> Layout:
    def copied(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: copied(each) for key, each in value.items()}
        return [copied(each) for each in value] if isinstance(value, list | tuple) else value

    found: Layout = copied(layout)
    return found


# What a space may be


def kinds_of(kit: Kit, group: str) -> list[dict[str, Any]]:
    """What the spaces of a group may be, as the tags of `kit` say it; nothing where there is only one thing."""
    if group == "plots":
        return [{"star": False}, {"star": True}]
    if group.startswith("garden-"):
        return [{"tool": None}, *({"tool": tool} for tool in ("place", "harvest", "move", "flip"))]
    if group == "track" and any("bonus" in space.tags for space in kit.of_kind("track")):
        return [{"bonus": False}, {"bonus": True}]
    if group == "map":
        found = [
            {"kind": space.kind, **{key: space.tags[key] for key in ("flower", "team") if space.tags.get(key)}}
            for space in kit.spaces
        ]
        unlike = [kind for number, kind in enumerate(found) if kind not in found[:number]]
        return [*sorted(unlike, key=lambda kind: list(map(str, kind.values()))), {"kind": "none"}]
    return []


def marked(layout: Layout, group: str, space: Row, kind: Mapping[str, Any]) -> Layout:
    """A layout in which a space is of a kind."""
    new = _copied(layout)
    if group == "plots":
        new["stars"] = sorted({*new["stars"], space["id"]} if kind["star"] else {*new["stars"]} - {space["id"]})
    elif group == "track":
        scores = set(new["track"]["bonus"])
        new["track"]["bonus"] = sorted(scores | {space["score"]} if kind["bonus"] else scores - {space["score"]})
    elif group == "map":
        new["examples"][space["id"]] = {"flower": None, "team": None, **kind}
    else:
        tools = new["gardens"][group.removeprefix("garden-")]["tools"]
        tools.pop(f"{space['row']},{space['column']}", None)
        if kind["tool"]:
            tools[f"{space['row']},{space['column']}"] = kind["tool"]
    return new


def is_of(row: Row, kind: Mapping[str, Any]) -> bool:
    """Whether a space is of a kind."""
    return all((row.get(key) or None) == (value or None) for key, value in kind.items())


def written(layout: Layout) -> Any:
    """A layout as JSON, to be read back by `calibration.layout.read_layout`; what it has not is left out."""

    def kept(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(key): kept(each) for key, each in value.items() if each is not None}
        return [kept(each) for each in value] if isinstance(value, list | tuple) else plain(value)

    return kept(layout)
