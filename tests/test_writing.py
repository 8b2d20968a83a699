"""Files that commands write: as a whole, or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from companion.document import replace_file

FULL = """
import resource, signal, sys
from pathlib import Path
from companion.document import replace_file
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    replace_file(Path(sys.argv[1]), bytes(5000))
except OSError:
    sys.exit(7)
"""
ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("before", [None, b"the game of last week"])
def test_where_the_disk_is_full_what_was_there_stays(before: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    if before is not None:
        path.write_bytes(before)
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], cwd=ROOT, check=False)
    assert done.returncode == 7
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == ({path.name: before} if before else {})


def test_what_is_written_is_there_and_a_link_still_leads_to_it(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "game.json")
    replace_file(tmp_path / "link.json", b"{}")
    assert (tmp_path / "game.json").read_bytes() == b"{}"
    assert (tmp_path / "link.json").is_symlink()


def test_a_device_is_written_to_and_not_replaced() -> None:
    replace_file(Path("/dev/null"), b"{}")
    assert not Path("/dev/null").is_file()
