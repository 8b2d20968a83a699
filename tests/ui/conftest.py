"""Tables to sit at, cleared when the test is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ui.tables import Seat


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Callable[..., Seat]]:
    seats: list[Seat] = []

    def begun(name: str, **changes: Any) -> Seat:
        seats.append(Seat(tmp_path, name, **changes))
        return seats[-1]

    yield begun
    for seat in seats:
        seat.close()
