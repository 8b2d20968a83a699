"""Every screen there is, drawn and measured: no text is cut, none lies over another.

All sizes have one of two shapes, and everything is in millimetres: the others are these with finer pixels.  The upright
shape has a file of its own, for both to be measured at once.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.touchscreen import measured


@pytest.mark.usefixtures("screen")
def test_no_screen_has_cut_or_overlapping_text(tmp_path: Path) -> None:
    measured("800x480", tmp_path)
