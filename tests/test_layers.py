"""Who may import whom: the table of docs/design.md, held strictly.

A module that stands in no layer is a fault too: a new package first takes its line here.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("companion", "calibration", "hardware")  # where one lies outside companion/, its layer is the same

# Layer: what it may import of ours, besides itself. The longest name that fits a module is its layer.
NOUNS = {"document", "change", "rules", "kit", "observation"}
SAID = {"calibration.dialogue", "calibration.findings"}  # plain values
EVERYTHING = {"*"}
MAY_IMPORT: dict[str, set[str]] = {
    "": set(),  # companion/__init__.py: the version
    "document": set(),
    "change": set(),
    "rules": {"document", "change"},
    "rulebook": {"document", "rules"},
    "kit": {"document"},
    "observation": {"document"},
    "catalogue": {"document"},
    "words": {"document", "rules", "catalogue"},
    "account": {"document", "rules", "rulebook", "words"},
    "games": NOUNS,
    "session": NOUNS,
    "store": NOUNS | {"session"},
    "referee": NOUNS,
    "export": {"document", "rules", "session", "account"},
    "config": {"document"},
    "vision": {"config", "document", "kit", "observation"},
    "simulate": NOUNS | {"games"},
    "simulate.practice": NOUNS | {"games", "simulate", "calibration", "calibration.dialogue"},
    "hardware": {"config", "document", "observation"},
    "calibration": {"document", "kit", "observation", "vision", "hardware"} | SAID,
    "calibration.findings": set(),
    "calibration.dialogue": {"calibration.findings"},
    "evidence": NOUNS | {"session", "referee", "vision"},
    "table": NOUNS | {"session", "store", "referee", "vision", "evidence"},
    "mishaps": set(),
    "live": {"document", "mishaps", "rules", "observation", "vision"},
    "ui.view": NOUNS | {"rulebook", "session", "store", "referee", "words", "account", "export", "table"} | SAID,
    "ui": {"document", "kit", "words", "account", "ui.view", "table", "live"} | SAID,
    "pulse": set(),
    "commands": EVERYTHING,
    "__main__": EVERYTHING,
}

LOADS_BY_NAME = {"companion.games", "companion.simulate.players"}  # a module for each game

# Layer: what it may import that is neither ours nor in the standard library. Not named: nothing.
PICTURES = {"cv2", "numpy"}
MAY_USE: dict[str, set[str]] = {
    "observation": {"numpy"},
    "vision": PICTURES | {"PIL"},
    "export": {"PIL"},
    "simulate": PICTURES,
    "calibration": PICTURES,
    "calibration.paper": {"font_roboto", "reportlab"},
    "hardware": {"numpy"},
    "hardware.camera": PICTURES,
    "table": {"numpy"},
    "ui": {"kivy", "PIL", "segno"},
    "ui.view": set(),
}
INSIDE_A_CLASS = {"picamera2", "libcamera", "gpiozero", "lgpio"}  # only in hardware, and only when the class is used

# A ruling depends on its arguments alone: no clock, no chance, no machine.
PURE = {"document", "change", "rules", "rulebook", "kit", "catalogue", "words", "account", "games", "referee"}
IMPURE = {"random", "secrets", "uuid", "time", "datetime", "socket", "subprocess", "threading", "asyncio"}


def fitting(name: str, layers: dict[str, set[str]]) -> str:
    """The longest of `layers` that `name` lies in, or `?`."""
    found = [layer for layer in layers if layer and (name == layer or name.startswith(layer + "."))]
    return max(found, key=len, default="" if name == "" else "?")


def imported(tree: ast.Module, module: str, is_package: bool) -> Iterator[tuple[str, bool, bool]]:
    """Each import: its full name, whether it is a `from` import, and whether it runs when the module is loaded."""
    inside = {
        id(node)
        for f in ast.walk(tree)
        if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(f)
    }
    here = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(tree):
        at_load = id(node) not in inside
        if isinstance(node, ast.Import):
            yield from ((alias.name, False, at_load) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((f"{start}.{alias.name}", True, at_load) for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "__import__",
            "import_module",
            "importlib.import_module",
        ):
            yield ("(a name made at run time)", False, at_load)


def faults(module: str, source: str, is_package: bool = False) -> list[str]:
    """What a module imports and may not."""
    own = module.removeprefix("companion").removeprefix(".")
    layer = fitting(own, MAY_IMPORT)
    if layer == "?":
        return [f"{module} stands in no layer"]
    wrong = []
    for name, from_import, at_load in imported(ast.parse(source), module, is_package):
        top = name.split(".")[0]
        if top in PACKAGES:
            wrong += _ours(own, layer, name.removeprefix("companion").removeprefix("."), from_import)
        elif top in INSIDE_A_CLASS:
            if layer != "hardware" or at_load:
                wrong.append(name)
        elif top == "(a name made at run time)":
            if MAY_IMPORT[layer] != EVERYTHING and module not in LOADS_BY_NAME:
                wrong.append(name)
        elif top not in sys.stdlib_module_names:
            if top not in MAY_USE.get(fitting(own, MAY_USE), set()):
                wrong.append(name)
        elif layer in PURE and top in IMPURE:
            wrong.append(name)
    return [f"{module} -> {name}" for name in wrong]


def _ours(own: str, layer: str, name: str, from_import: bool) -> list[str]:
    """Whether module `own` may import `name`, both without `companion.`."""
    target = fitting(name, MAY_IMPORT)
    if target == "?" and from_import and "." not in name:
        target = ""  # from companion import __version__
    if MAY_IMPORT[layer] != EVERYTHING and target not in ("", layer) and target not in MAY_IMPORT[layer]:
        return [name]
    game, other = own.split(".")[1:2], name.split(".")[1:2]
    if layer == target == "games" and game and game != other:
        return [f"{name} (another game)"]
    return []


def modules() -> list[tuple[str, Path]]:
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [(".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), p) for p in paths]


@pytest.mark.parametrize(("module", "path"), modules(), ids=[name for name, _ in modules()])
def test_imports_keep_to_the_layers(module: str, path: Path) -> None:
    assert faults(module, path.read_text(encoding="utf-8"), path.name == "__init__.py") == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("companion.rules", "import companion.games"),
        ("companion.rules", "from companion import kit"),
        ("companion.rules", "from companion.session import Session"),
        ("companion.rules", "import numpy as np"),
        ("companion.rules", "def late():\n    import numpy"),
        ("companion.rules", "if TYPE_CHECKING:\n    from companion.games import GAMES"),
        ("companion.document", "from . import rules"),
        ("companion.kit", "from .rules import Game"),
        ("companion.account", "from companion.games import GAMES"),
        ("companion.games.garden_dice.clauses", "from random import Random"),
        ("companion.games.garden_dice.clauses", "import time"),
        ("companion.games.garden_dice.clauses", "from companion.simulate import garden_dice"),
        ("companion.games.garden_dice.clauses", "from companion.games.garden_rush import state"),
        ("companion.games.garden_dice.clauses", "from ..garden_rush import state"),
        ("companion.games.garden_dice.clauses", "from .. import garden_rush"),
        ("companion.games.garden_dice.clauses", "import importlib\nimportlib.import_module('cv2')"),
        ("companion.games.garden_dice.clauses", "__import__('cv2')"),
        ("companion.session", "from companion.table import Table"),
        ("companion.referee", "import companion.vision.dice"),
        ("companion.vision.pieces", "from companion.rules import Game"),
        ("companion.vision.pieces", "import kivy"),
        ("companion.simulate.garden_dice", "from companion.vision import look"),
        ("companion.hardware.panel", "import cv2"),
        ("companion.hardware.panel", "import gpiozero"),
        ("hardware.camera", "class Picamera:\n    from picamera2 import Picamera2"),
        ("companion.table", "def later():\n    from picamera2 import Picamera2"),
        ("companion.table", "from hardware.camera import Webcam"),
        ("companion.ui.view", "from kivy.app import App"),
        ("companion.ui.view", "import companion.vision"),
        ("companion.ui.text_board", "from companion.rules import judge"),
        ("companion.ui.app", "from calibration import board"),
        ("companion.ui.view.workbench", "from calibration.board import Flattening"),
        ("companion.commands.judge", "import cv2"),
        ("companion.utils", "import os"),
    ],
)
def test_what_is_planted_is_found(module: str, source: str) -> None:
    assert len(faults(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("companion.rules", "import json\nfrom companion.document import Fault"),
        (
            "companion.games.garden_dice.clauses",
            "from . import state\nfrom .state import Move\nfrom companion import kit",
        ),
        ("companion.games.garden_dice.clauses", "from companion.games.garden_dice.state import Move"),
        ("companion.simulate.garden_rush", "from random import Random\nfrom companion.games import garden_rush"),
        ("companion.vision.board", "import cv2\nimport numpy as np\nfrom companion.observation import Frame"),
        ("companion.hardware.camera", "import cv2\nclass Picamera:\n    def __init__(self):\n        import picamera2"),
        ("companion.ui.screens.calibration", "import kivy\nfrom calibration.dialogue import Job"),
        ("companion.commands.judge", "import time\nfrom companion import __version__, account\nimport companion.table"),
    ],
)
def test_what_is_allowed_is_let_be(module: str, source: str) -> None:
    assert faults(module, source) == []


def test_the_core_runs_on_the_standard_library_alone() -> None:
    """Loaded without site-packages, and without the modules of a camera or a screen."""
    core = [
        name
        for name, _ in modules()
        if fitting(name.removeprefix("companion.").removeprefix("companion"), MAY_IMPORT) in PURE
    ]
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {', '.join(core)}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
