"""`companion read` as people and programs use it: what it prints, what it makes of files that are no photographs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.__main__ import main
from companion.commands import own_kit
from tests.vision.photographs import Wanted, photographs

Array = np.ndarray[Any, Any]
KIT = own_kit("garden-dice")
EASY = Wanted(size_px=(1100, 825), most_tilt_deg=6, hands=0.0, light="overcast")


@pytest.fixture(scope="module", autouse=True)
def companion_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What is learned of the kit is kept for these tests alone."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPANION_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def taken() -> tuple[Array, dict[str, Any]]:
    """A photograph of our own Garden Dice, (825, 1100, 3) BGR, and its truth."""
    return next(iter(photographs(KIT, 1, 3, EASY)))


@pytest.fixture(scope="module")
def photo(taken: tuple[Array, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("photos") / "table.jpg"
    cv2.imwrite(str(path), taken[0], [cv2.IMWRITE_JPEG_QUALITY, 92])
    return path


def read(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, list[dict[str, Any]], str]:
    status = main(["read", *map(str, arguments), "--kit", str(KIT.folder), "--json"])
    printed = capsys.readouterr()
    return status, [json.loads(line) for line in printed.out.splitlines()], printed.err


def test_every_space_stands_in_one_place_and_nothing_is_claimed_wrongly(
    photo: Path, taken: tuple[Array, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    status, [seen], errors = read(capsys, photo)
    truth = taken[1]
    assert (status, errors) == (0, "")
    assert seen["image"] == "table.jpg"
    assert seen["spaces"].keys() | seen["unsure"].keys() == {space.id for space in KIT.spaces}
    assert seen["spaces"].keys() & seen["unsure"].keys() == set()
    corners = np.array(seen["boards"]["board"]["corners_px"]) - np.array(truth["boards"]["board"])
    assert np.linalg.norm(corners, axis=1).max() < 2
    wrong = {
        space: (reading["pieces"], truth["spaces"].get(space, []))
        for space, reading in seen["spaces"].items()
        if space not in truth["hidden"] and reading["pieces"] != truth["spaces"].get(space, [])
    }
    assert wrong == {}
    assert len(seen["unsure"]) <= 0.1 * len(KIT.spaces)
    assert 0 < seen["elapsed_ms"]["decode"] < seen["elapsed_ms"]["total"]


@pytest.mark.parametrize("way", ["grey", "alpha", "16 bit", "turned by EXIF"])
def test_unusual_pictures_are_read(
    way: str, taken: tuple[Array, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pixels, path = taken[0], tmp_path / "unusual.png"
    match way:
        case "grey":
            cv2.imwrite(str(path), cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY))
        case "alpha":
            cv2.imwrite(str(path), cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA))
        case "16 bit":
            cv2.imwrite(str(path), pixels.astype(np.uint16) * 257)
        case _:
            path = tmp_path / "turned.jpg"
            path.write_bytes(
                with_orientation(cv2.imencode(".jpg", cv2.rotate(pixels, cv2.ROTATE_90_CLOCKWISE))[1].tobytes(), 8)
            )
    status, [seen], _ = read(capsys, path)
    assert status == 0
    corners = np.array(seen["boards"]["board"]["corners_px"]) - np.array(taken[1]["boards"]["board"])
    assert np.linalg.norm(corners, axis=1).max() < 2


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    """A JPEG with an EXIF block that says how to turn it."""
    tiff = (
        b"MM\x00*\x00\x00\x00\x08"
        + b"\x00\x01"
        + b"\x01\x12\x00\x03\x00\x00\x00\x01"
        + bytes([0, orientation, 0, 0])
        + bytes(4)
    )
    block = b"Exif\x00\x00" + tiff
    return jpeg[:2] + b"\xff\xe1" + (len(block) + 2).to_bytes(2, "big") + block + jpeg[2:]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "unreadable"),
        (b"no picture at all", "unreadable"),
        ("truncated", "unreadable"),
        ("tiny", "unreadable"),
        ("100 megapixels", "too-large"),
        ("black", "too-dark"),
        ("no board", "board-not-found"),
        ("out of focus", "blurred"),
    ],
    ids=str,
)
def test_what_cannot_be_read_gets_its_error_and_advice(
    content: str | bytes, error: str, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.jpg"
    noise = np.random.default_rng(4).integers(0, 255, (600, 800, 3), np.uint8)
    match content:
        case bytes():
            path.write_bytes(content)
        case "truncated":
            path.write_bytes(photo.read_bytes()[:3000])
        case "tiny":
            cv2.imwrite(str(path), noise[:20, :20])
        case "100 megapixels":
            cv2.imwrite(str(path), np.zeros((10_000, 10_000), np.uint8))
        case "black":
            cv2.imwrite(str(path), noise // 60)
        case "no board":
            cv2.imwrite(str(path), noise)
        case "out of focus":
            cv2.imwrite(str(path), cv2.GaussianBlur(cv2.imread(str(photo)), (0, 0), 40))
    status, [seen], errors = read(capsys, path)
    assert (status, errors) == (1, "")
    assert seen["image"] == "bad.jpg"
    assert seen["error"] == error
    assert seen["advice"].endswith(".")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.jpg", "--kit", "KIT"], "nowhere.jpg: cannot be read"),
        (["PHOTO", "nowhere.jpg", "--kit", "KIT"], "nowhere.jpg: cannot be read"),
        (["PHOTO"], "--kit DIR is needed"),
        (["PHOTO", "--kit", "nowhere"], "kit.toml: cannot be read"),
        (["PHOTO", "PHOTO", "--kit", "KIT", "--overlay", "out.jpg"], "--overlay: 2 photographs found; expected 1"),
        (["PHOTO", "--kit", "KIT", "--camera-profile", "nowhere.toml"], "nowhere.toml: cannot be read"),
    ],
)
def test_bad_arguments_give_one_line_and_status_2(
    arguments: list[str], told: str, photo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"PHOTO": str(photo), "KIT": str(KIT.folder)}
    status = main(["read", *(places.get(argument, argument) for argument in arguments)])
    printed = capsys.readouterr()
    assert status == 2
    assert told in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_folder_is_read_in_order_of_names(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("b.jpg", "a.jpg"):
        (tmp_path / name).write_bytes(b"no picture")
    (tmp_path / "notes.txt").write_text("not a photograph")
    status, seen, _ = read(capsys, tmp_path)
    assert status == 1
    assert [line["image"] for line in seen] == ["a.jpg", "b.jpg"]


def test_the_overlay_is_a_picture_of_the_same_size(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = tmp_path / "drawn.jpg"
    status, _, _ = read(capsys, photo, "--overlay", drawn)
    assert status == 0
    before, after = cv2.imread(str(photo)), cv2.imread(str(drawn))
    assert after.shape == before.shape
    assert np.abs(after.astype(int) - before.astype(int)).max() > 100


def test_people_read_it_in_words(
    photo: Path, taken: tuple[Array, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["read", str(photo), "--kit", str(KIT.folder)])
    printed = capsys.readouterr().out
    assert status == 0
    assert printed.startswith("table.jpg: board\n")
    assert any("disc/" in line for line in printed.splitlines())
