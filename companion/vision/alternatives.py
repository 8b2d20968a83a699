"""All that may explain a space of which the claims leave doubt: the claims, and what they leave out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from companion.vision.claims import Claim, Explanation, Lying, Study
from companion.vision.faces import INSIDE, SIDE, Faces, faces_at
from companion.vision.guess import Cover, Guess, align
from companion.vision.knowledge import PieceKnowledge
from companion.vision.rectify import turned
from companion.vision.spots import BEYOND, spots_on
from companion.vision.templates import Group
from companion.vision.tops import spotted_each

Array = np.ndarray[Any, Any]

OTHERS = 5  # claims on a space that are taken up; to the best of each group all is added that is like it
FEW = 4  # classes of a group, of which all are taken up, however they are turned
TRIED, NEXT = 6, 3  # classes of larger groups that are laid in its place, and those kept that do best there
NEXT_TOPS = 2  # classes of what may lie on it, where it explains least


@dataclass(frozen=True)
class Place:
    """Where a piece of a group may lie on a space, and what was seen on it; nothing where none of the group was."""

    space: int
    base: Lying
    top: Lying | None = None
    claimed: bool = False  # whether something on it was claimed


def nearest(found: Study, known: PieceKnowledge, rows: Sequence[int]) -> list[tuple[int, Explanation]]:
    """What is claimed of spaces `rows`, and what is most like the first claims: other classes in their places, and the
    same with nothing on them, or with what may be."""
    out: dict[tuple[int, Explanation], None] = {}
    by_group: dict[int, list[Place]] = {}
    for k in rows:
        out.update({(k, one): None for one in _claimed(_distinct(found.claims[k]))})
        first = found.claims[k][0]
        place = Place(k, first.base, first.top, first.claimed_top is not None)
        by_group.setdefault(known.number_of(first.base.name), []).append(place)
    for number, places in sorted(by_group.items()):
        bases, _ = _bases(found, known, known.groups[number], places)
        for place, some, unseen in zip(places, bases, _unseen(found, known, number, places), strict=True):
            for base in some:
                tops = [*_tops_seen(place, known), *unseen] if base == place.base else [place.top] * place.claimed
                out.update({(place.space, Explanation(base, top)): None for top in (None, *tops)})
    return list(out)


def _unseen(found: Study, known: PieceKnowledge, number: int, places: Sequence[Place]) -> list[list[Lying]]:
    """What may lie, and where, on bases of one group on which nothing is claimed."""
    base, tops = known.groups[number], [list[Lying]() for _ in places]
    alone = [row for row, place in enumerate(places) if not place.claimed]
    some = [places[row] for row in alone]
    for top in (known.groups[of] for of in known.tops[number] if alone):
        tops_of = _plain_tops if top.even else _pictured_tops
        for row, lying in tops_of(found, known, base, top, some):
            tops[alone[row]].append(lying)
    return tops


def _distinct(claims: Sequence[Claim]) -> list[Claim]:
    """The best claim of each kind."""
    return list({claim.pieces: claim for claim in reversed(claims)}.values())[::-1]


def _claimed(claims: Sequence[Claim]) -> list[Explanation]:
    return [*(Explanation(claim.base, claim.claimed_top) for claim in claims[:OTHERS]), Explanation(None)]


def explanations(found: Study, known: PieceKnowledge, rows: Sequence[int]) -> list[tuple[int, Explanation]]:
    """All that is worth comparing with spaces `rows` on which there are claims; bare is always among it."""
    out: dict[tuple[int, Explanation], None] = {}
    by_group: dict[int, list[Place]] = {}
    for k in rows:
        claims = _distinct(found.claims[k])
        out.update({(k, one): None for one in _claimed(claims)})
        for number, place in _places(found, known, k, claims).items():
            by_group.setdefault(number, []).append(place)
    for number, places in sorted(by_group.items()):
        out.update(dict.fromkeys(_of_group(found, known, number, places)))
    return list(out)


def _places(found: Study, known: PieceKnowledge, k: int, claims: Sequence[Claim]) -> dict[int, Place]:
    """By group where a piece of it may lie on a space: as its best claim has it, else where the best of all has one."""
    places: dict[int, Place] = {}
    for claim in claims:
        place = Place(k, claim.base, claim.top, claim.claimed_top is not None)
        places.setdefault(known.number_of(claim.base.name), place)
    best = claims[0].base
    for number in known.bases[found.sight.spaces[k].id]:
        group = known.groups[number]
        places.setdefault(number, Place(k, replace(best, name=group.names[0], height_mm=group.height_mm)))
    return places


def _of_group(
    found: Study, known: PieceKnowledge, number: int, places: Sequence[Place]
) -> Iterator[tuple[int, Explanation]]:
    """Everything of one group in its places."""
    group = known.groups[number]
    bases, faces = _bases(found, known, group, places)
    for place, tops, some in zip(places, _tops(found, known, number, places, faces), bases, strict=True):
        for base in some:
            yield place.space, Explanation(base)
            for top in tops if faces is None or base == place.base else tops[:1]:
                yield place.space, Explanation(base, top)
        if place.claimed and place.top:  # what is seen best is the piece on top: the other is below it, or none is
            for base in _named(group, place.base) if len(group.names) <= FEW else (place.base,):
                yield place.space, Explanation(replace(base, at_mm=place.top.at_mm), place.top)
            alone = _lowered(found, place.top, known.group_of(place.top.name).height_mm)
            yield place.space, Explanation(alone, wide_mm=group.reach_mm)


def _bases(
    found: Study, known: PieceKnowledge, group: Group, places: Sequence[Place]
) -> tuple[list[list[Lying]], Faces | None]:
    """Of each place its own piece and the others of the group that may lie there; all faces, if these were compared."""
    few = group.even or len(group.names) <= FEW
    faces = None if few else faces_at(found.sight, group, *_arrays(places))
    clear = faces and faces.where_clear(_hidden(found, known, group, places))
    others = _next(found, group, places, clear) if clear else [_named(group, place.base) for place in places]
    return [list(dict.fromkeys((place.base, *some))) for place, some in zip(places, others, strict=True)], faces


def _hidden(found: Study, known: PieceKnowledge, group: Group, places: Sequence[Place]) -> Array:
    """What is hidden of the middles of pieces' faces by what was seen on them: (n, SIDE, SIDE) bool."""
    _, at, turn, height = _arrays(places)
    tops = [place.top or place.base for place in places]
    foot = np.array([top.at_mm for top in tops])
    head = foot + found.sight.lean(foot, height, np.array([top.height_mm for top in tops]))
    radius = np.array([known.group_of(top.name).reach_mm / 2 for top in tops])
    cover = Cover(foot, head, radius, np.array([place.top is not None for place in places]))
    return cover.hides(at, turn, INSIDE[group.shape] * group.reach_mm, SIDE)


def _lowered(found: Study, lying: Lying, height_mm: float) -> Lying:
    """A piece that lies lower, where it is seen in the same place."""
    x, y = (lying.at_mm + found.sight.lean(np.array([lying.at_mm]), height_mm, lying.height_mm)[0]).tolist()
    return replace(lying, at_mm=(x, y), height_mm=height_mm)


def _named(group: Group, base: Lying) -> list[Lying]:
    return [replace(base, name=name) for name in group.names]


def _arrays(places: Sequence[Place]) -> tuple[Array, Array, Array, Array]:
    """Spaces (n,), where pieces lie (n, 2) mm, their turns (n,) and heights (n,)."""
    bases = [place.base for place in places]
    return (
        np.array([place.space for place in places], int),
        np.array([base.at_mm for base in bases], float),
        np.array([base.turn for base in bases]),
        np.array([base.height_mm for base in bases]),
    )


def _next(found: Study, group: Group, places: Sequence[Place], faces: Faces) -> list[list[Lying]]:
    """Of each place the likeliest classes by their faces, each laid there as it fits best."""
    best = [(row, kind, turn) for row, some in enumerate(faces.best(TRIED)) for kind, turn in some]
    rows, kind, turn = (np.array(of) for of in zip(*best, strict=True))
    space, at, base_turn, height = (of[rows] for of in _arrays(places))
    laid = align(found.sight, group, Guess(space, kind, at, base_turn + turn, height), rounds=2)
    out: list[list[Lying]] = [[] for _ in places]
    for i in np.argsort(laid.cost).tolist():
        if len(out[rows[i]]) < NEXT:
            x, y = laid.centre[i].tolist()
            out[rows[i]].append(Lying(group.names[kind[i]], (x, y), float(laid.turn[i]), float(height[i])))
    return out


def _tops(
    found: Study, known: PieceKnowledge, number: int, places: Sequence[Place], faces: Faces | None
) -> list[list[Lying]]:
    """All that may lie on bases, where it would lie; what was seen there comes first."""
    tops: list[list[Lying]] = [_tops_seen(place, known) for place in places]
    for top in (known.groups[of] for of in known.tops[number]):
        more: Iterable[tuple[int, Lying]] = ()
        if top.even:
            more = _plain_tops(found, known, known.groups[number], top, places)
            rows = list(range(len(places)))
        elif rows := [row for row, place in enumerate(places) if not place.claimed]:
            few = faces and faces.rows(rows)
            more = _pictured_tops(found, known, known.groups[number], top, [places[row] for row in rows], few)
        for i, lying in more:
            tops[rows[i]].append(lying)
    return [list(dict.fromkeys(some)) for some in tops]


def _tops_seen(place: Place, known: PieceKnowledge) -> list[Lying]:
    """What was seen on a base, claimed or not, and the other classes that it may be of."""
    if place.top is None:
        return []
    group = known.group_of(place.top.name)
    return [place.top, *(() if group.even else _named(group, place.top))]


def _plain_tops(
    found: Study, known: PieceKnowledge, base: Group, top: Group, places: Sequence[Place]
) -> Iterator[tuple[int, Lying]]:
    """Pieces of plain colours, each where it would lie, by the rows of places: where its colour stands out from what is
    around, and where it explains what the piece below it leaves."""
    space, at, _, height = _arrays(places)
    height = height + top.height_mm
    reach = (base.reach_mm - top.reach_mm) / 2 + BEYOND * top.reach_mm
    standing_out = spotted_each(found.sight, top, space, at, height, reach)
    explaining, _ = spots_on(found, known, base, top, [(place.space, place.base) for place in places])
    for row, some in [*enumerate(standing_out.tolist()), *enumerate(explaining.tolist())]:
        for name, (x, y) in zip(top.names, some, strict=True):
            yield row, Lying(name, (x, y), 0.0, float(height[row]))


def _pictured_tops(
    found: Study,
    known: PieceKnowledge,
    base: Group,
    top: Group,
    places: Sequence[Place],
    faces: Faces | None = None,
) -> Iterator[tuple[int, Lying]]:
    """The likeliest pieces with pictures on them, by the rows of places: where their colours explain what the pieces
    below leave, and where these explain least, if their faces were compared."""
    space, _, _, height = _arrays(places)
    height = height + top.height_mm
    at, gained = spots_on(found, known, base, top, [(place.space, place.base) for place in places])
    spots = [at[np.arange(len(places)), gained.argmax(1)]]
    if faces is not None:
        spots.append(_worst_spots(base, top, places, faces))
    for spot in spots:
        best = faces_at(found.sight, top, space, spot, np.zeros(len(places)), height).best(NEXT_TOPS)
        for row, some in enumerate(best):
            for kind, angle in some:
                yield row, Lying(top.names[kind], (float(spot[row, 0]), float(spot[row, 1])), angle, float(height[row]))


def _worst_spots(base: Group, top: Group, places: Sequence[Place], faces: Faces) -> Array:
    """Where bases explain least of what is as wide as a top: (n, 2) mm."""
    _, at, turn, _ = _arrays(places)
    kinds = [base.names.index(place.base.name) for place in places]
    left = faces.left[np.arange(len(places)), kinds, 0]
    wide = int(np.clip(round(0.8 * top.reach_mm / faces.px_mm), 1, SIDE))
    mean = _mean_of(wide) @ left @ _mean_of(wide).T
    y, x = np.divmod(mean.reshape(len(mean), -1).argmax(1), mean.shape[2])
    off = (np.stack([x, y], 1) + wide / 2 - SIDE / 2) * faces.px_mm
    return np.asarray(at + turned(off[:, None], turn)[:, 0])


@cache
def _mean_of(wide: int) -> Array:
    """The matrix (SIDE − wide + 1, SIDE) of means over so many px."""
    at = np.arange(SIDE - wide + 1)[:, None]
    px = np.arange(SIDE)
    return np.asarray(((px >= at) & (px < at + wide)) / wide, np.float32)
