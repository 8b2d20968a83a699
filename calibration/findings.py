"""What is found wrong with a kit, or with what one is to be made of: values, told in words elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

CANNOT_BE, HARD, NOT_ENTERED = "cannot-be", "hard-to-read", "not-entered"


@dataclass(frozen=True)
class Finding:
    """`key` names its sentence in the words of this package, `facts` fill it in."""

    grade: str  # CANNOT_BE | HARD | NOT_ENTERED
    key: str
    facts: Mapping[str, Any]


def cannot_be(key: str, **facts: Any) -> Finding:
    return Finding(CANNOT_BE, key, facts)


def hard(key: str, **facts: Any) -> Finding:
    return Finding(HARD, key, facts)


def not_entered(key: str, **facts: Any) -> Finding:
    return Finding(NOT_ENTERED, key, facts)


def worst(findings: Iterable[Finding]) -> list[Finding]:
    """Those that cannot be first, else as they were."""
    order = (CANNOT_BE, HARD, NOT_ENTERED)
    return sorted(findings, key=lambda finding: order.index(finding.grade))
