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
from companion.referee.reconcile import may_accuse, reconcile
from companion.referee.sighting import expected_table
from companion.referee.supposed import Supposed

__all__ = [
    "Amendment",
    "Asked",
    "Earlier",
    "Explanation",
    "Finding",
    "Illegal",
    "Misplaced",
    "Proposed",
    "Supposed",
    "Unchanged",
    "Undone",
    "Unexplained",
    "Waiting",
    "expected_table",
    "may_accuse",
    "reconcile",
]
