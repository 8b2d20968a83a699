"""A map of hexagons read off a board's picture: which spaces there are, of what kind, with which flower.

A few spaces are named by a person; all others are told by which of these they look like.  What is named stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import cv2
import numpy as np

from companion.document import Fault

Array = np.ndarray[Any, Any]
Place = tuple[int, int]  # q, r
Row = dict[str, Any]

SIDE_PX, RINGS, BINS = 48, 6, 6
CLEARLY = 1.35  # times as far the next kind must be, for a space to be told without asking
UNLIKE_MOST, UNLIKE_ANY = 0.35, 0.55  # from the nearest that is named: to be confirmed, and no space at all
NEIGHBOURS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
MOST_PLACES = 1500


def traced(
    picture: Array, size_mm: tuple[float, float], layout: Mapping[str, Any], board: str
) -> tuple[list[Row], list[str]]:
    """The rows of `[[space]]`, and the ids of those to be confirmed.  `picture` is the flat board, BGR."""
    lattice = layout["map"]
    places = dict(places_of(layout, size_mm))
    examples = {_place(name): tags for name, tags in layout["examples"].items()}
    for place in examples:
        if place not in places:
            raise Fault(f'examples "{place[0]},{place[1]}": lies beside the board')
    looks = {place: _look(picture, at, lattice["size_mm"], size_mm) for place, at in places.items()}
    kinds: dict[tuple[Any, ...], list[Array]] = {}
    for place, tags in examples.items():
        kinds.setdefault(_kind(tags), []).append(looks[place])
    told: dict[Place, tuple[Any, ...]] = {}
    doubtful = []
    for place, look in looks.items():
        if place in examples:
            told[place] = _kind(examples[place])
            continue
        far = sorted((min(float(np.linalg.norm(look - one)) for one in each), kind) for kind, each in kinds.items())
        if far[0][0] > UNLIKE_ANY:
            continue
        told[place] = far[0][1]
        unclear = far[0][0] > UNLIKE_MOST or (len(far) > 1 and far[1][0] < CLEARLY * far[0][0])
        if unclear and told[place][0] != "none":
            doubtful.append(f"{place[0]},{place[1]}")
    sides, unsettled = _sides({place: kind for place, kind in told.items() if kind[0] == "home"})
    rows = [
        _row(board, place, places[place], lattice["size_mm"], kind, sides.get(place))
        for place, kind in told.items()
        if kind[0] != "none"
    ]
    return rows, [*doubtful, *(f"{q},{r}" for q, r in unsettled)]


def places_of(layout: Mapping[str, Any], size_mm: tuple[float, float]) -> Iterator[tuple[Place, Array]]:
    """Every place of a map's lattice on a board, and its middle (2,) mm.  Raises Fault."""
    lattice = layout["map"]
    origin, across, down = (np.array(lattice[key]) for key in ("origin_mm", "q_mm", "r_mm"))
    yield from _places(origin, across - origin, down - origin, size_mm, lattice["size_mm"])


def _place(name: str) -> Place:
    q, _, r = name.partition(",")
    try:
        return int(q), int(r)
    except ValueError:
        raise Fault(f'examples "{name}": expected a place, as "0,-2"') from None


def _places(origin: Array, across: Array, down: Array, size_mm: Any, cell_mm: float) -> Iterator[tuple[Place, Array]]:
    """Every place of the lattice whose space lies wholly on the board."""
    if abs(np.linalg.det(np.stack([across, down]))) < 1:
        raise Fault("map: origin_mm, q_mm and r_mm lie on one line")
    far = int(2 * max(size_mm) / min(np.linalg.norm(across), np.linalg.norm(down))) + 1
    count = 0
    for r in range(-far, far + 1):
        for q in range(-far, far + 1):
            at = origin + q * across + r * down
            if (at >= 0.45 * cell_mm).all() and (at <= np.array(size_mm) - 0.45 * cell_mm).all():
                count += 1
                if count > MOST_PLACES:
                    raise Fault(f"map: more than {MOST_PLACES} places; are q_mm and r_mm right?")
                yield (q, r), at


def _kind(tags: Mapping[str, Any]) -> tuple[Any, ...]:
    return tags["kind"], tags["flower"] or "", tags["team"] or ""


def _row(board: str, place: Place, at: Array, size: float, kind: tuple[Any, ...], side: int | None) -> Row:
    what, flower, team = kind
    more = {"flower": flower} if flower else {}
    if team:
        more |= {"team": team, "side": side or 0}
    at_mm = [round(float(value), 2) for value in at]
    name = f"{place[0]},{place[1]}"
    return {
        "board": board,
        "id": name,
        "kind": what,
        "at_mm": at_mm,
        "size_mm": [size, size],
        "q": place[0],
        "r": place[1],
        **more,
    }


def _look(picture: Array, at_mm: Array, cell_mm: float, size_mm: tuple[float, float]) -> Array:
    """What a space looks like whichever way it is turned: colours by the distance from its middle, and how often."""
    scale = np.array(picture.shape[1::-1]) / size_mm
    x, y = (np.array(at_mm) * scale - 0.5).tolist()
    side = cell_mm * float(scale.mean())
    patch = cv2.getRectSubPix(picture, (max(8, round(side)),) * 2, (x, y))
    toned = cv2.cvtColor(cv2.resize(patch, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2LAB)
    row, column = np.mgrid[:SIDE_PX, :SIDE_PX] - (SIDE_PX - 1) / 2
    away = np.hypot(row, column) / (SIDE_PX / 2)
    levels = toned.astype(np.float32) / 255
    rings = [levels[(away >= i / RINGS) & (away < (i + 1) / RINGS)] for i in range(RINGS)]
    means = np.concatenate([np.concatenate([ring.mean(axis=0), ring.std(axis=0)]) for ring in rings])
    inside = levels[away < 0.95]
    return np.concatenate([2 * means, *(_counted(inside[:, c], (0.2, 0.8) if c else (0.0, 1.0)) for c in range(3))])


def _counted(values: Array, between: tuple[float, float]) -> Array:
    """How often values fall into each of BINS; one between the middles of two counts for both, by how near it is."""
    low, high = between
    at = np.clip((values - low) / (high - low) * BINS - 0.5, 0, BINS - 1)
    first = np.minimum(at.astype(int), BINS - 2)
    share = at - first
    counts = np.bincount(first, 1 - share, BINS) + np.bincount(first + 1, share, BINS)
    return np.asarray(counts / len(values))


def _sides(homes: Mapping[Place, tuple[Any, ...]]) -> tuple[dict[Place, int], list[Place]]:
    """Each team's homes lie on two sides, apart: 0 the upper one, 1 the other; and those of any third part."""
    sides: dict[Place, int] = {}
    unsettled: list[Place] = []
    for team in set(homes.values()):
        left = {place for place, kind in homes.items() if kind == team}
        parts = []
        while left:
            part, queue = set(), [min(left, key=lambda place: (place[1], place[0]))]
            while queue:
                here = queue.pop()
                if here in left:
                    left.remove(here)
                    part.add(here)
                    queue += [(here[0] + dq, here[1] + dr) for dq, dr in NEIGHBOURS]
            parts.append(part)
        for number, part in enumerate(parts):
            sides |= dict.fromkeys(part, min(number, 1))
            if number > 1:
                unsettled += sorted(part)
    return sides, unsettled
