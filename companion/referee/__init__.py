"""From the last confirmed position and the table as seen to what was done, and whether it may be."""

from companion.referee.candidates import Earlier
from companion.referee.findings import (
    Amendment,
    Asked,
    Explanation,
    Finding,
    Illegal,
    Misplaced,
    Proposed,
    Unchanged,
    Undone,
    Unexplained,
    Waiting,
)
from companion.referee.reconcile import reconcile
from companion.referee.sighting import expected_table

__all__ = [
    "Amendment",
    "Asked",
    "Earlier",
    "Explanation",
    "Finding",
    "Illegal",
    "Misplaced",
    "Proposed",
    "Unchanged",
    "Undone",
    "Unexplained",
    "Waiting",
    "expected_table",
    "reconcile",
]
