"""`companion kit`: what cannot be is told in plain lines, and an archive from anybody does no harm."""

from __future__ import annotations

import json
import random
import shutil
import stat
import tomllib
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.kit_file import toml_of
from companion.__main__ import main
from companion.words import words

KITS = Path(__file__).parents[2] / "calibration" / "kits"
GAMES = ("garden-dice", "garden-guests", "garden-rush")
BAD_KITS = 200
Document = dict[str, Any]
Random = random.Random


def document_of(game: str) -> Document:
    return tomllib.loads((KITS / game / "kit.toml").read_text(encoding="utf-8"))


def copied(game: str, folder: Path, change: Callable[[Document], None] | None = None) -> Path:
    """A copy of one of our kits, its document changed."""
    shutil.copytree(KITS / game, folder)
    document = document_of(game)
    if change:
        change(document)
    (folder / "kit.toml").write_text(toml_of(document), encoding="utf-8")
    return folder


def findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]]]:
    status = main(["kit", "check", str(folder), "--json"])
    return status, json.loads(capsys.readouterr().out)["findings"]


def row_of(document: Document, table: str, key: str, name: str) -> dict[str, Any]:
    return next(row for row in document[table] if row[key] == name)


@pytest.mark.parametrize("game", GAMES)
def test_our_own_kits_are_sound(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert findings(KITS / game, capsys) == (0, [])


def test_both_languages_say_everything() -> None:
    english, hungarian = words("calibration", "en"), words("calibration", "hu")
    assert {key: set(table) for key, table in english.items()} == {key: set(table) for key, table in hungarian.items()}


def moved(document: Document) -> None:
    row_of(document, "space", "id", "2,3")["at_mm"] = row_of(document, "space", "id", "2,4")["at_mm"]


def stretched(document: Document) -> None:
    row_of(document, "piece", "class", "bird")["size_mm"] = [40, 30]


def lost(document: Document) -> None:
    document["space"] = [space for space in document["space"] if space["id"] != "3,3"]


def misnamed(document: Document) -> None:
    row_of(document, "piece", "class", "tomato/seed")["class"] = "tomatoe/seed"


def without_markers(document: Document) -> None:
    del document["marker"]


def without_dice(document: Document) -> None:
    del document["dice"]


@pytest.mark.parametrize(
    ("change", "status", "keys"),
    [
        (moved, 1, ["overlap", "out-of-line"]),
        (stretched, 1, ["stretched"]),
        (lost, 1, ["no-space"]),
        (misnamed, 1, ["unknown-piece", "no-piece"]),
        (without_dice, 0, ["no-dice"]),
    ],
)
def test_what_cannot_be_is_told(
    change: Callable[[Document], None],
    status: int,
    keys: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    told, found = findings(copied("garden-dice", tmp_path / "kit", change), capsys)
    assert (told, [finding["key"] for finding in found]) == (status, keys)
    assert all("{" not in finding["text"] for finding in found)


def test_places_beside_the_board_are_of_the_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mat with places for what a player has, and one for the supply, on a board of their own."""

    def change(document: Document) -> None:
        document["board"].append({"id": "mat", "image": "board.png", "size_mm": [416, 416]})
        for x, kind, tags in ((60, "mat", {"colour": "blue", "holds": "seed"}), (160, "supply", {"holds": "carrot"})):
            space = {"board": "mat", "id": f"{kind}-1", "kind": kind, "at_mm": [x, 60], "size_mm": [44, 44]}
            document["space"].append(space | tags)

    status, found = findings(copied("garden-dice", tmp_path / "kit", change), capsys)
    assert status == 0 and not [finding for finding in found if finding["grade"] == "cannot-be"]


def test_a_home_on_one_side_alone_and_a_flower_of_another_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(document: Document) -> None:
        for space in document["space"]:
            if space.get("team") == "gold":
                space["side"] = 1
        row_of(document, "space", "kind", "flower")["flower"] = "dasiy"

    status, found = findings(copied("garden-guests", tmp_path / "kit", change), capsys)
    assert status == 1
    assert {finding["key"] for finding in found} == {"one-side", "flower-once", "no-piece"}


def test_two_pieces_of_nearly_one_picture_are_told_and_in_the_order_of_likeness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied("garden-dice", tmp_path / "kit")
    picture = cv2.imread(str(folder / "pieces" / "rabbit.png"))
    assert picture is not None
    cv2.imwrite(str(folder / "pieces" / "bird.png"), cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE))
    dotted = picture.copy()
    cv2.circle(dotted, (100, 100), 45, (255, 255, 255), -1)
    cv2.imwrite(str(folder / "pieces" / "rock.png"), dotted)
    status, found = findings(folder, capsys)
    assert status == 0  # hard, but it can be
    assert found[0]["key"] == "same" and {found[0]["one"], found[0]["other"]} == {"bird", "rabbit"}
    assert found[0]["levels"] < 5


def test_a_board_that_looks_the_same_turned_around(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied("garden-dice", tmp_path / "kit", without_markers)
    picture = cv2.imread(str(folder / "board.png"))
    assert picture is not None
    halves = np.rot90(picture, 2).copy()
    halves[: len(picture) // 2] = picture[: len(picture) // 2]
    cv2.imwrite(str(folder / "board.png"), halves)
    status, found = findings(folder, capsys)
    assert status == 0
    assert [(finding["key"], finding["degrees"]) for finding in found] == [("same-turned", 180)]


# Bad kits. Each way spoils a sound one so that no reader may take it, and gives what the line must name.


def no_picture(random: Random, document: Document, folder: Path) -> str:
    row = random.choice(document["piece"] + document["board"])
    (folder / row["image"]).unlink()
    return str(row["image"])


def picture_of_noise(random: Random, document: Document, folder: Path) -> str:
    row = random.choice(document["piece"] + document["board"])
    (folder / row["image"]).write_bytes(random.randbytes(1000))
    return str(row["image"])


def huge_picture(random: Random, document: Document, folder: Path) -> str:
    """The head of a PNG that says 50,000 × 50,000."""
    row = random.choice(document["piece"] + document["board"])
    content = bytearray((folder / row["image"]).read_bytes())
    content[16:24] = (50_000).to_bytes(4, "big") * 2
    content[29:33] = zlib.crc32(bytes(content[12:29])).to_bytes(4, "big")
    (folder / row["image"]).write_bytes(bytes(content))
    return str(row["image"])


def path_trick(random: Random, document: Document, folder: Path) -> str:
    row = random.choice(document["piece"] + document["board"])
    row["image"] = random.choice(["../board.png", "/etc/passwd", "pieces/../../x.png", "C:\\x.png", "a\\..\\b.png"])
    return "image"


def no_number(random: Random, document: Document, folder: Path) -> str:
    row, key = random.choice([(r, "size_mm") for r in document["piece"]] + [(r, "at_mm") for r in document["space"]])
    row[key][random.randrange(2)] = random.choice([float("nan"), float("inf"), -float("inf"), -5000, 1e308, "5", True])
    return key


def overlapping(random: Random, document: Document, folder: Path) -> str:
    one, other = random.sample([s for s in document["space"] if s["board"] == document["board"][0]["id"]], 2)
    one["at_mm"] = [other["at_mm"][0] + 1, other["at_mm"][1]]
    return str(one["id"])


def wrong_size(random: Random, document: Document, folder: Path) -> str:
    row = random.choice([r for r in document["piece"] if r["shape"] != "hex"] + document["board"])
    row["size_mm"] = [row["size_mm"][0] * random.uniform(1.1, 4), row["size_mm"][1]]
    return str(row.get("image"))


def missing_key(random: Random, document: Document, folder: Path) -> str:
    row = random.choice([document, *document["piece"], *document["board"], *document["space"]])
    key = random.choice([k for k in row if k in ("format", "game", "name", "id", "image", "size_mm", "kind", "shape")])
    del row[key]
    return str(key)


def unknown_key(random: Random, document: Document, folder: Path) -> str:
    random.choice([document, *document["piece"], *document["board"]])["hight_mm"] = 2
    return "hight_mm"


def name_twice(random: Random, document: Document, folder: Path) -> str:
    one, other = random.sample(document["space"], 2)
    one["id"] = other["id"]
    return str(one["id"])


WAYS = (
    no_picture,
    picture_of_noise,
    huge_picture,
    path_trick,
    no_number,
    overlapping,
    wrong_size,
    missing_key,
    unknown_key,
    name_twice,
)


def test_two_hundred_bad_kits_are_each_told_in_a_line_that_names_file_and_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = Random(61)
    for number in range(BAD_KITS):
        game, way = GAMES[number % 3], WAYS[number % len(WAYS)]
        folder = tmp_path / "kit"
        shutil.copytree(KITS / game, folder)
        document = document_of(game)
        named = way(chance, document, folder)
        text = toml_of(document).replace("NaN", "nan").replace("-Infinity", "-inf").replace("Infinity", "inf")
        (folder / "kit.toml").write_text(text, encoding="utf-8")
        status = main(["kit", "check", str(folder)])
        out, err = capsys.readouterr()
        assert status in (1, 2), (number, way.__name__, out)
        assert "Traceback" not in err
        lines = (out if status == 1 else err).splitlines()
        assert any(named in line for line in lines), (number, way.__name__, named, lines)
        if status == 2:
            assert len(lines) == 1 and str(folder / "kit.toml") in lines[0], lines
        shutil.rmtree(folder)


# Packing


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("game", GAMES)
def test_a_kit_comes_out_as_it_went_in_and_nothing_else_goes_along(game: str, tmp_path: Path) -> None:
    folder = copied(game, tmp_path / "kit")
    before = files_of(folder)
    (folder / "notes.txt").write_text("mine")
    assert main(["kit", "pack", str(folder), str(tmp_path / "a.zip")]) == 0
    assert main(["kit", "pack", str(folder), str(tmp_path / "b.zip")]) == 0
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    assert main(["kit", "unpack", str(tmp_path / "a.zip"), str(tmp_path / "new")]) == 0
    assert files_of(tmp_path / "new") == before


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, file = copied("garden-rush", tmp_path / "kit"), tmp_path / "kit.zip"
    file.write_text("precious")
    assert main(["kit", "pack", str(folder), str(file)]) == 2
    assert file.read_text() == "precious"
    file.unlink()
    main(["kit", "pack", str(folder), str(file)])
    before = files_of(folder)
    assert main(["kit", "unpack", str(file), str(folder)]) == 2
    assert files_of(folder) == before
    assert "is there already" in capsys.readouterr().err


def test_a_link_is_not_packed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copied("garden-rush", tmp_path / "kit")
    (folder / "board.png").rename(folder / "real.png")
    (folder / "board.png").symlink_to(folder / "real.png")
    assert main(["kit", "pack", str(folder), str(tmp_path / "kit.zip")]) == 2
    assert "a link found" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kit"]


def linked(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


def of_a_device(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFCHR | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("entry", "content"),
    [
        ("../escaped.png", b"x"),
        ("pieces/../../escaped.png", b"x"),
        ("/tmp/escaped.png", b"x"),
        ("C:/escaped.png", b"x"),
        ("..\\escaped.png", b"x"),
        ("pieces//double.png", b"x"),
        ("./board2.png", b"x"),
        (".hidden.png", b"x"),
        ("run.py", b"print(1)"),
        ("kit.TOML", b"twice but for case"),
        ("pieces/new\nline.png", b"x"),
        ("a/b/c/d/e.png", b"x"),
        (linked("link.png"), b"/etc/passwd"),
        (of_a_device("device.png"), b""),
        ("bomb.png", None),
    ],
    ids=lambda value: getattr(value, "filename", value) if not isinstance(value, bytes) else "",
)
def test_an_archive_with_a_trick_in_it_leaves_nothing_behind(
    entry: str | zipfile.ZipInfo, content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, inside = tmp_path / "kit.zip", tmp_path / "inside"
    inside.mkdir()
    main(["kit", "pack", str(KITS / "garden-rush"), str(file)])
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(entry, bytes(80 * 1024 * 1024) if content is None else content)
    capsys.readouterr()
    assert main(["kit", "unpack", str(file), str(inside / "new")]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1 and str(file) in err
    assert list(inside.iterdir()) == [] and sorted(path.name for path in tmp_path.iterdir()) == ["inside", "kit.zip"]


def test_a_damaged_archive_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kit.zip"
    main(["kit", "pack", str(KITS / "garden-rush"), str(file)])
    whole, chance = file.read_bytes(), Random(5)
    for _ in range(40):
        spoilt = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
        for _ in range(20):
            spoilt[chance.randrange(len(spoilt))] ^= chance.randrange(1, 256)
        file.write_bytes(bytes(spoilt))
        capsys.readouterr()
        status = main(["kit", "unpack", str(file), str(tmp_path / "new")])
        lines = capsys.readouterr().err.splitlines()
        if status == 0:  # what was spoilt says nothing, as a date
            assert files_of(tmp_path / "new") == files_of(KITS / "garden-rush")
            shutil.rmtree(tmp_path / "new")
        else:
            assert status == 2 and len(lines) == 1
        assert [path.name for path in tmp_path.iterdir()] == ["kit.zip"]


def test_a_kit_that_is_none_is_not_unpacked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kit.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("kit.toml", 'format = 1\ngame = "garden-dice"\n')
    assert main(["kit", "unpack", str(file), str(tmp_path / "new")]) == 2
    assert str(file) in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["kit.zip"]
