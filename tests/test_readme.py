"""What README.md, CONTRIBUTING.md and docs/ tell people to type works, and prints what they say it prints.

A ```console block holds commands (`$ …`), each followed by what it prints; a line `...` stands for any lines, and
`$ echo $?` for the exit status of the command before. A fenced block whose language is followed by a name is that file.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shlex import split

import pytest

from companion.__main__ import COMMANDS, main

ROOT = Path(__file__).parent.parent
OTHERS = ("README.md", "CONTRIBUTING.md", "hardware/README.md", "systemd/README.md")
PAGES = [*(ROOT / name for name in OTHERS), *sorted((ROOT / "docs").glob("*.md"))]
APT = "sudo apt install python3 python3-venv make git"

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def blocks(page: Path) -> Iterator[tuple[str, list[str]]]:
    """The fenced blocks: what stands after the fence, and the lines."""
    fence, lines = None, []
    for line in page.read_text(encoding="utf-8").splitlines():
        if fence is None and line.startswith("```"):
            fence, lines = line[3:].strip(), []
        elif line == "```":
            assert fence is not None
            yield fence, lines
            fence = None
        else:
            lines.append(line)
    assert fence is None, "a block is not closed"


def commands(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each command of a console block, and what it prints."""
    command, printed = "", ""
    for line in lines:
        if line.startswith("$ "):
            if command:
                yield command, printed
            command, printed = line[2:], ""
        else:
            printed += line + "\n"
    yield command, printed


def run(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    try:
        status = main(split(command.replace("make play ARGS=", "companion play ").replace('"', ""))[1:])
    except SystemExit as exit:  # from --help
        status = int(exit.code or 0)
    out, err = capsys.readouterr()
    return status, out + err


def matches(printed: str, said: str) -> bool:
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in said.splitlines())
    return re.fullmatch(pattern, printed) is not None


@pages
def test_the_commands_print_what_the_page_says(
    page: Path, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status = 0
    for fence, lines in blocks(page):
        language, _, name = fence.partition(" ")
        if name:
            Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        if language != "console":
            continue
        for command, said in commands(lines):
            if command == "echo $?":
                assert f"{status}\n" == said
            elif command.startswith(("companion ", "make play ARGS=")):
                status, printed = run(command, capsys)
                assert not said or matches(printed, said), f"{command} prints:\n{printed}"
            else:
                assert command == APT or command in MAKE, f"{command} is not tried out"


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


MAKE = {f"make {target}" for target in make_targets()}


@pages
def test_named_commands_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"`companion ([a-z]+)", text)) <= set(COMMANDS)
    assert {f"make {target}" for target in re.findall(r"`make ([a-z]+)", text)} <= MAKE


@pages
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `companion ([a-z]+)", text, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize(
    ("version", "venv_works", "said"),
    [
        ("", False, f"Python 3.11 or later is needed, found: none. Run: {APT}"),
        ("3.10", True, f"Python 3.11 or later is needed, found: 3.10. Run: {APT}"),
        ("3.12", False, f"Python's venv is missing. Run: {APT}"),
    ],
)
def test_make_says_what_apt_must_bring(version: str, venv_works: bool, said: str, tmp_path: Path) -> None:
    """With a stand-in for Python that answers make's questions as one of these would."""
    python = tmp_path / "python"
    new_enough = version == "3.12"
    python.write_text(
        "#!/bin/sh\n"
        'case "$2" in\n'
        f"  *ensurepip*) exit {0 if venv_works else 1} ;;\n"
        f"  *sys.exit*) exit {0 if new_enough else 1} ;;\n"
        f'  *print*) echo "{version}" ;;\n'
        "  *) exit 99 ;;\n"
        "esac\n",
        encoding="utf-8",
    )
    python.chmod(0o755)
    outer = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}  # of the make that runs these tests
    done = subprocess.run(
        ["make", "setup", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in outer},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert done.stderr.splitlines()[0] == said
    assert done.stdout == ""
