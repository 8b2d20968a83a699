"""The settings: what stands in config.toml is what is used, and what is wrong there is told in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.config import CameraSettings, Config, PanelSettings, ScreenSettings, config
from companion.document import Fault


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path))
    return tmp_path / "config.toml"


def test_without_a_file_everything_is_at_its_default(file: Path) -> None:
    assert config() == Config()
    assert not file.exists()


def test_the_format_may_be_named(file: Path) -> None:
    file.write_text("format = 1\n")
    assert config() == Config()


def test_an_empty_file_says_nothing_either(file: Path) -> None:
    file.write_text("")
    assert config() == Config()


def test_what_stands_there_is_used_and_the_rest_stays(file: Path) -> None:
    file.write_text(
        '[screen]\ntheme = "dark"\n[camera]\nsource = "v4l2:0"\nsize_px = [1280, 960]\nfocus_dioptres = 2\n'
        "[panel]\nwanted = true\nundo_pin = 22\nbuzzer_pin = 18\nhold_s = 2\n"
    )
    found = config()
    assert found.screen == ScreenSettings(theme="dark")
    assert found.camera == CameraSettings("v4l2:0", (1280, 960), 2.0)
    assert found.panel == PanelSettings(wanted=True, undo_pin=22, buzzer_pin=18, hold_s=2.0)
    assert found.panel.pins == {"confirm_pin": 17, "undo_pin": 22, "buzzer_pin": 18}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[pannel]", 'the document: unknown key "pannel"; did you mean "panel"?'),
        ("[panel]\nundo_pn = 3", 'panel: unknown key "undo_pn"; did you mean "undo_pin"?'),
        ("[panel]\nxyz = 3", 'panel: unknown key "xyz"'),
        ("[panel]\nundo_pin = 28", "panel.undo_pin: 28 found; expected a BCM number of the header, 2 to 27"),
        ("[panel]\nconfirm_pin = 1", "panel.confirm_pin: 1 found; expected a BCM number of the header, 2 to 27"),
        ('[panel]\nconfirm_pin = "17"', 'panel.confirm_pin: "17" found; expected a whole number from 0 to 99'),
        (
            "[panel]\nundo_pin = 17",
            "panel.undo_pin: 17 found, but confirm_pin has it; each needs its own",
        ),
        (
            "[panel]\nright_led_pin = 5\nbuzzer_pin = 5",
            "panel.buzzer_pin: 5 found, but right_led_pin has it; each needs its own",
        ),
        ("[panel]\nhold_s = 0", "panel.hold_s: 0 found; expected a number from 0.3 to 10"),
        ("[camera]\nsize_px = [640]", "camera.size_px: 1 entries found; expected 2"),
        ("panel = 3", "panel: 3 found; expected an object"),
        ("[panel", "no valid TOML: Expected ']' at the end of a table declaration (at end of document)"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_place(text: str, told: str, file: Path) -> None:
    file.write_text(text)
    with pytest.raises(Fault) as fault:
        config()
    assert str(fault.value) == f"{file}: {told}"


def test_a_file_that_is_no_text(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Fault, match="no UTF-8 text"):
        config()
