"""Where the companion keeps what it keeps: one folder."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """`$COMPANION_HOME`, else the user's data folder by the XDG base directory rules.  It need not exist yet."""
    if own := os.environ.get("COMPANION_HOME"):
        return Path(own)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "garden-companion"
