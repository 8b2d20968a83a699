"""The same as `test_cut_text`, on a screen that hangs upright."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.touchscreen import measured


@pytest.mark.usefixtures("screen")
def test_no_screen_has_cut_or_overlapping_text(tmp_path: Path) -> None:
    measured("720x1280", tmp_path)
