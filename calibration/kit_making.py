"""A kit in the making: a folder that is a sound kit after every step, so that the work may stop and go on later."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.kit_file import toml_of
from companion.document import Fault, load_text, replace_file
from companion.kit import Kit, load_kit

Array = np.ndarray[Any, Any]
Row = dict[str, Any]
ORDER = ("format", "game", "name", "arrow", "board", "space", "piece", "marker", "dice", "patterns")
DICE = {"count": 4, "size_mm": 16, "faces": "pips"}  # as most have them; other sizes are put right by hand


def begun(folder: Path, game: str | None, name: str | None) -> Row:
    """The document of the kit in a folder, or of a new one.  Raises Fault."""
    path = folder / "kit.toml"
    if not path.exists():
        if game is None:
            raise Fault(f"--game: a new kit needs one; {folder} holds none yet")
        dice = {"dice": dict(DICE)} if game == "garden-dice" else {}
        return {"format": 1, "game": game, "name": name or folder.name, "board": [], "space": [], "piece": []} | dice
    load_kit(folder)
    document = tomllib.loads(load_text(path, 4 * 1024 * 1024))
    if game is not None and document["game"] != game:
        raise Fault(f"--game: {folder} is a kit of {document['game']}, not of {game}")
    return {"board": [], "space": [], "piece": [], **document}


def replaced(rows: Sequence[Row], new: Sequence[Row], key: str) -> list[Row]:
    """Rows with new ones in place of those of the same name, the others as they were."""
    by_name = {row[key]: row for row in new}
    kept = [by_name.pop(row[key], row) for row in rows]
    return [*kept, *by_name.values()]


def keep(folder: Path, document: Row, pictures: Mapping[str, Array]) -> Kit:
    """Write pictures (BGR or BGRA, by their name in the kit) and then the document, each whole or not at all.

    Raises Fault, and leaves the document as it was, where it would be no sound kit.
    """
    ordered = {key: document[key] for key in ORDER if document.get(key) not in (None, [], {})}
    try:
        for name, picture in pictures.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, cv2.imencode(".png", picture)[1].tobytes())
        with tempfile.TemporaryDirectory(dir=folder, prefix=".kit-") as trial:
            for row in (*ordered.get("board", ()), *ordered.get("piece", ())):
                copy = Path(trial) / row["image"]
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.touch()
            (Path(trial) / "kit.toml").write_text(toml_of(ordered), encoding="utf-8")
            try:
                load_kit(Path(trial))
            except Fault as fault:
                raise Fault(str(fault).replace(trial, str(folder))) from None
        replace_file(folder / "kit.toml", toml_of(ordered).encode())
    except OSError as error:
        raise Fault(f"{folder}: cannot be written: {error.strerror or error}") from None
    return load_kit(folder)
