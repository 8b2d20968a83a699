"""Whether a kit is read right: photographs whose truth is known, counted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.document import Fault, Field, load_text, many, mapping, parse_json
from companion.observation import Observation

LEAST_PHOTOGRAPHS = 5


@dataclass(frozen=True)
class Tally:
    photographs: int = 0
    unread: int = 0
    right: int = 0
    wrong: int = 0
    unsure: int = 0

    def plus(self, seen: Observation, wrong: Collection[str]) -> Tally:
        return Tally(
            self.photographs + 1,
            self.unread,
            self.right + len(seen.spaces) - len(wrong),
            self.wrong + len(wrong),
            self.unsure + len(seen.unsure),
        )

    def with_unread(self) -> Tally:
        return replace(self, unread=self.unread + 1)

    def facts(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in ("photographs", "unread", "right", "wrong", "unsure")}


def truth_beside(photograph: Path) -> Mapping[str, tuple[str, ...]] | None:
    """What lies where by the JSON file beside a photograph, by space; one that is not named is bare.  Raises Fault."""
    path = photograph.with_suffix(".json")
    if not path.exists():
        return None
    try:
        fields = Field(parse_json(load_text(path))).keys()
        if "spaces" not in fields:
            raise Fault('"spaces" is missing')
        spaces: dict[str, tuple[str, ...]] = mapping(lambda f: f.text(80), many(lambda f: f.text(80)))(fields["spaces"])
    except Fault as fault:
        raise Fault(f"{path}: {fault}") from None
    return spaces


def wrong_by(seen: Observation, truth: Mapping[str, Any]) -> list[str]:
    """The spaces of which something else was claimed than what lies there."""
    return [space for space, reading in seen.spaces.items() if reading.pieces != tuple(truth.get(space, ()))]
