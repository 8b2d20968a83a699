"""Fixed seeds for every test, and which tests need what this machine has not."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # before numpy is loaded: more threads only wait for each other
for desktop in ("DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(desktop, None)  # tests open no window on anybody's desktop

# The same examples on every run. To look for new ones: HYPOTHESIS_PROFILE=explore make test
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is learned of the kits is kept here for all tests: it takes a while."""
    return tmp_path_factory.mktemp("learned")


@pytest.fixture
def own_home(tmp_path: Path, learned: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the companion's own for each test, with what is known of the kits."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "cache").symlink_to(learned)
    monkeypatch.setenv("COMPANION_HOME", str(home))
    return home


class Told(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def mishaps(request: pytest.FixtureRequest) -> Iterator[list[logging.LogRecord]]:
    """What broke and was gone on after: a failure in any test that did not break it on purpose."""
    told, log = Told(), logging.getLogger("companion")
    log.addHandler(told)
    yield told.records
    log.removeHandler(told)
    if not request.node.get_closest_marker("mishaps"):
        assert not told.records, told.format(told.records[0])


MODEL = Path("/proc/device-tree/model")


def on_a_pi() -> bool:
    return MODEL.is_file() and "Raspberry Pi" in MODEL.read_text(encoding="utf-8", errors="replace")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not on_a_pi():
        for item in items:
            if item.get_closest_marker("pi"):
                item.add_marker(pytest.mark.skip(reason="needs a Raspberry Pi"))
