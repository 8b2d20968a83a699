"""What strangers' files are handed to, a try at a time: positions, records, kits, packed kits, pictures."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import tomllib
import warnings
import zipfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from random import Random

import cv2
import numpy as np

from calibration.kit_file import toml_of
from calibration.packing import pack
from companion.__main__ import main
from companion.commands import own_kit
from companion.document import Fault
from companion.games import NAMES
from companion.kit import load_kit
from companion.observation import NotSeen
from companion.vision.eye import Eye
from companion.vision.picture import decode
from tests.fuzzing.spoiling import amiss, spoilt
from tests.test_bad_files import SOUND, written


class Broken(AssertionError):
    """The companion did not answer in order."""


def told(*arguments: str) -> int:
    """The exit status of a command, which must be one of those that there are, and told as it has to be."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(arguments)
    said = err.getvalue()
    if status not in (0, 1, 2, 3) or "Traceback" in said or (status == 2 and not said.startswith("companion: ")):
        raise Broken(f"{arguments}: exit status {status}, {said[:300]!r}")
    return status


@cache
def sound_json(kind: str) -> tuple[bytes, ...]:
    """Laid out in lines, and not: what moves lines about needs some."""
    return tuple(
        text
        for document in SOUND[kind]
        for text in (written(document), json.dumps(document, indent=1, ensure_ascii=False).encode())
    )


def spoilt_json(random: Random, kind: str) -> bytes:
    if random.random() < 0.4:
        return spoilt(random, random.choice(sound_json(kind)), sound_json(kind))
    game = random.choice(NAMES)
    one, other = (random.choice([found for found in SOUND[kind] if found["game"] == game]) for _ in "12")
    return json.dumps(amiss(random, one, other)).encode()


def spoilt_toml(random: Random, name: str) -> bytes:
    text = sound_kits()[name]
    if random.random() < 0.4:
        return spoilt(random, text, list(sound_kits().values()))
    other = tomllib.loads(sound_kits()[random.choice(NAMES)].decode())
    try:
        return toml_of(amiss(random, tomllib.loads(text.decode()), other)).encode()
    except (AttributeError, TypeError, ValueError):  # TOML cannot say it
        return spoilt(random, text, [text])


def try_position(random: Random, folder: Path) -> str:
    path = folder / "position.json"
    path.write_bytes(spoilt_json(random, "position"))
    statuses = {told(command, str(path), "--json") for command in ("legal", "score")}
    return f"exit status {max(statuses)}"


def try_record(random: Random, folder: Path) -> str:
    path = folder / "record.json"
    path.write_bytes(spoilt_json(random, "record"))
    return f"exit status {told('judge', str(path), *random.choice(((), ('--json',), ('--lang', 'hu'))))}"


@cache
def sound_kits() -> dict[str, bytes]:
    return {name: (own_kit(name).folder / "kit.toml").read_bytes() for name in NAMES}


def try_kit(random: Random, folder: Path) -> str:
    """A `kit.toml` beside sound pictures: loaded, looked over, and what it is used for where it is loaded."""
    name = random.choice(NAMES)
    kit = folder / name
    if not kit.is_dir():
        shutil.copytree(own_kit(name).folder, kit)
    (kit / "kit.toml").write_bytes(spoilt_toml(random, name))
    position = folder / "position.json"
    position.write_bytes(random.choice(sound_json("position")))
    told("legal", str(position), "--kit", str(kit), "--json")
    try:
        load_kit(kit)
    except Fault:
        return f"exit status {told('kit', 'check', str(kit))}"
    told("doctor", "--mount", "--kit", str(kit), "--json")
    if random.random() < 0.02:  # it takes a while to learn what a kit looks like
        (folder / "table.jpg").write_bytes(sound_pictures()[0])
        told("read", str(folder / "table.jpg"), "--kit", str(kit), "--json")
        return "read"
    return f"exit status {told('kit', 'check', str(kit))}" if random.random() < 0.1 else "loaded"


@cache
def sound_archives() -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as made:
        for name in NAMES:
            pack(own_kit(name).folder, Path(made) / f"{name}.kit.zip")
        return tuple(path.read_bytes() for path in sorted(Path(made).iterdir()))


def try_packed(random: Random, folder: Path) -> str:
    """An archive, spoilt as a whole, or made anew of spoilt files under names of all kinds."""
    path, into = folder / "packed.kit.zip", folder / "into" / "kit"
    shutil.rmtree(into.parent, ignore_errors=True)
    into.parent.mkdir()
    content = random.choice(sound_archives())
    if random.random() < 0.5:
        path.write_bytes(spoilt(random, content, sound_archives()))
    else:
        with (
            warnings.catch_warnings(action="ignore"),  # of names that come twice
            zipfile.ZipFile(io.BytesIO(content)) as old,
            zipfile.ZipFile(path, "w") as new,
        ):
            for entry in old.infolist():
                inside = old.read(entry)
                name = (
                    entry.filename if random.random() < 0.95 else random.choice(NAMES_OF_ENTRIES).format(folder=folder)
                )
                new.writestr(name, inside if random.random() < 0.9 else spoilt(random, inside, [inside]))
    status = told("kit", "unpack", str(path), str(into))
    left = {one.relative_to(into.parent).parts[0] for one in into.parent.rglob("*")}
    if left != ({"kit"} if status == 0 else set()):
        raise Broken(f"exit status {status}, and left behind: {left}")
    if (folder / "outside").exists():
        raise Broken("something was written outside of the kit's folder")
    return f"exit status {status}"


NAMES_OF_ENTRIES = (
    "../outside",
    "../../outside",
    "{folder}/outside",
    "a/../../../outside",
    "C:\\x.png",
    ".x",
    "kit.py",
)


@cache
def sound_pictures() -> tuple[bytes, ...]:
    """Of a table and of noise, in every kind of file that is read."""
    board = cv2.imread(str(own_kit("garden-rush").boards[0].image))
    table = cv2.copyMakeBorder(cv2.resize(board, (480, 360)), 60, 60, 80, 80, cv2.BORDER_CONSTANT, value=(70, 90, 110))
    noise = np.random.default_rng(1).integers(0, 256, (96, 128, 3), np.uint8)
    endings = (".jpg", ".png", ".bmp", ".webp", ".tiff")
    return tuple(cv2.imencode(ending, one)[1].tobytes() for one in (table, noise) for ending in endings)


@cache
def eye() -> Eye:
    return Eye(own_kit("garden-rush"), None)


def try_picture(random: Random, folder: Path) -> str:
    """Decoded as a camera's folder is; one in five of those that are pictures is also read."""
    content = spoilt(random, random.choice(sound_pictures()), sound_pictures())
    (folder / "picture").write_bytes(content)
    seen = decode(content)
    if isinstance(seen, NotSeen):
        return seen.error
    if seen.pixels.dtype != np.uint8 or seen.pixels.ndim != 3 or seen.pixels.shape[2] != 3:
        raise Broken(f"a picture of {seen.pixels.dtype} {seen.pixels.shape}")
    if random.random() >= 0.2:
        return "decoded"
    looked = eye().look(seen)
    return looked.error if isinstance(looked, NotSeen) else "read"


Try = Callable[[Random, Path], str]
KINDS: dict[str, Try] = {
    "position": try_position,
    "record": try_record,
    "kit": try_kit,
    "packed": try_packed,
    "picture": try_picture,
}
