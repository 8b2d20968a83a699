"""The map: data of a kit or of a position, never code.  Which space touches which is said, not reckoned."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from companion.document import Choice, Fault, Field, Form, Key, integer, many
from companion.kit import Kit

MOST_SPACES = 2000
Ways = Mapping[str, tuple[str, ...]]  # spaces, with those that they touch
TOUCHING = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))  # axial steps


@dataclass(frozen=True, slots=True)
class Space:
    """A hexagon of the board; only flowers and pedestals have a flower, only homes a team and a side."""

    id: str
    kind: str  # flower | pedestal | home | mushroom
    near: tuple[str, ...]
    flower: str | None = None
    team: str | None = None
    side: int | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """All spaces, by id.  What the searches need is worked out once."""

    spaces: tuple[Space, ...]
    by_id: Mapping[str, Space] = field(init=False, repr=False, compare=False)
    near: Ways = field(init=False, repr=False, compare=False)
    homes: Mapping[tuple[str, int], frozenset[str]] = field(init=False, repr=False, compare=False)
    ways: Mapping[str, Ways] = field(init=False, repr=False, compare=False)  # by team

    def __post_init__(self) -> None:
        by_id = {space.id: space for space in self.spaces}
        near = {space.id: tuple(other for other in space.near if other in by_id) for space in self.spaces}
        homes: dict[tuple[str, int], set[str]] = {}
        for space in self.spaces:
            if space.team is not None and space.side is not None:
                homes.setdefault((space.team, space.side), set()).add(space.id)
        ways = {}
        for team in dict.fromkeys(team for team, _ in homes):
            usable = {s.id for s in self.spaces if s.kind in ("flower", "pedestal") or s.team == team}
            ways[team] = _ways(near, usable, homes.get((team, 1), set()))
        for name, value in {
            "by_id": by_id,
            "near": near,
            "homes": {key: frozenset(ids) for key, ids in homes.items()},
            "ways": ways,
        }.items():
            object.__setattr__(self, name, value)

    @property
    def teams(self) -> tuple[str, ...]:
        return tuple(self.ways)

    @property
    def flowers(self) -> tuple[str, ...]:
        return tuple(sorted({space.flower for space in self.spaces if space.flower is not None}))


def _ways(near: Ways, usable: Set[str], goals: Collection[str]) -> Ways:
    """The spaces that a team might ever use; those nearest to the goals stand last, where a search looks first."""
    far = dict.fromkeys(sorted(goals), 0)
    for here in (queue := list(far)):
        for there in near[here]:
            if there in usable and there not in far:
                far[there] = far[here] + 1
                queue.append(there)
    return {
        here: tuple(sorted(usable & set(near[here]), key=lambda x: (-far.get(x, MOST_SPACES), x))) for here in usable
    }


def _word(field: Field) -> str:
    return field.text(longest=80)


def _near(field: Field) -> tuple[str, ...]:
    return tuple(sorted(many(_word)(field)))


def _form(kind: str, **keys: Key) -> Form:
    """A space lacks only its id when it is read: that is its key in the board."""
    return Form(
        lambda **values: partial(Space, kind=kind, **values),
        {**keys, "near": Key(_near, default=[])},
        fixed={"kind": kind},
    )


_FLOWER = Key(_word)
_FORMS = {
    "flower": _form("flower", flower=_FLOWER),
    "pedestal": _form("pedestal", flower=_FLOWER),
    "home": _form("home", team=Key(_word), side=Key(integer(0, 1))),
    "mushroom": _form("mushroom"),
}


def board_of(spaces: Iterable[Space]) -> Board:
    return Board(tuple(sorted(spaces, key=lambda space: space.id)))


def read_board(field: Field) -> Board:
    fields = field.keys()
    if len(fields) > MOST_SPACES:
        raise Fault(f"{field.where}: {len(fields)} spaces found; expected {MOST_SPACES} at most")
    read = Choice("kind", _FORMS).read
    return board_of(read(entry)(id=_word(Field(name, entry.where))) for name, entry in fields.items())


def write_board(board: Board) -> dict[str, Any]:
    return {space.id: _FORMS[space.kind].write(space) for space in board.spaces}


def kit_board(kit: Kit) -> Board:
    """Spaces touch where their axial distance is 1; one that lists `near` says it itself, for its neighbours too."""
    spaces = [space for space in kit.spaces if space.kind in _FORMS]
    ids = {space.id for space in spaces}
    by_place = {(s.tags["q"], s.tags["r"]): s.id for s in spaces if "near" not in s.tags}
    touching: dict[str, set[str]] = {space.id: set() for space in spaces}
    for space in spaces:
        if "near" in space.tags:
            found = {name for name in space.tags["near"] if name in ids}
        else:
            q, r = space.tags["q"], space.tags["r"]
            found = {by_place[q + dq, r + dr] for dq, dr in TOUCHING if (q + dq, r + dr) in by_place}
        touching[space.id] |= found
        for name in found:
            touching[name].add(space.id)
    return board_of(
        Space(
            space.id,
            space.kind,
            tuple(sorted(touching[space.id])),
            space.tags.get("flower"),
            space.tags.get("team"),
            space.tags.get("side"),
        )
        for space in spaces
    )
