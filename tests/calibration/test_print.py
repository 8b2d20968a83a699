"""`companion print`: the pages, rasterised and measured as a printed sheet would be."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2
import pytest

from companion.__main__ import main
from companion.kit import load_kit

KITS = Path(__file__).parents[2] / "calibration" / "kits"
DPI = 200
PX_PER_MM = DPI / 25.4
FLAP_MM = 8.0
Array = np.ndarray[Any, Any]


def printed(folder: Path, *arguments: str) -> list[Array]:
    """The pages as pictures (height, width, 3) BGR at 200 dots an inch."""
    file = folder / "out.pdf"
    assert main(["print", str(file), *arguments]) == 0
    document = pypdfium2.PdfDocument(file)
    return [np.asarray(document[i].render(scale=DPI / 72).to_numpy())[..., :3] for i in range(len(document))]


def found_markers(picture: Array, dictionary: int = cv2.aruco.DICT_5X5_100) -> dict[int, Array]:
    """By number the corners (4, 2) in mm on the page."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(dictionary), parameters)
    corners, ids, _ = detector.detectMarkers(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))
    assert ids is not None
    return {int(i): (c.reshape(4, 2) + 0.5) / PX_PER_MM for i, c in zip(np.ravel(ids), corners, strict=True)}


@pytest.mark.parametrize(("paper", "size_mm"), [("a4", (210.0, 297.0)), ("letter", (215.9, 279.4))])
def test_the_sheets_for_calibrating_are_true_to_scale(paper: str, size_mm: tuple[float, float], tmp_path: Path) -> None:
    chart, colours, rulers, teaching = printed(tmp_path, "--only", "sheets", "--paper", paper)
    assert np.array(chart.shape[1::-1]) / PX_PER_MM == pytest.approx(size_mm, abs=0.2)
    for page in (chart, colours, rulers, teaching):
        assert ruler_mm(page) == pytest.approx(100, rel=0.002)
    board = cv2.aruco.CharucoBoard((7, 9), 26, 19.5, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100))
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(cv2.cvtColor(chart, cv2.COLOR_BGR2GRAY))
    assert ids is not None and len(ids) == 48
    places = dict(zip(np.ravel(ids).tolist(), corners.reshape(-1, 2) / PX_PER_MM, strict=True))
    assert places[5] - places[0] == pytest.approx([130, 0], abs=0.2)  # five squares of 26 mm
    assert places[42] - places[0] == pytest.approx([0, 182], abs=0.2)  # seven
    assert {len(found_markers(page)) for page in (colours, rulers)} == {4}
    apart = {number: four.mean(axis=0) for number, four in found_markers(rulers).items()}
    assert apart[42] - apart[40] == pytest.approx([150, 200], abs=0.2)
    assert len(found_markers(teaching)) == 8
    patch = colours[round((colours.shape[0] / PX_PER_MM - 44) * PX_PER_MM) :, :].min()  # the ruler is black
    assert patch < 60


def ruler_mm(page: Array) -> float:
    """From the first to the last of the marks of ten millimetres above the page's foot."""
    height = page.shape[0] / PX_PER_MM
    row = round((height - 24 + 6 + 4.3) * PX_PER_MM)  # where only these reach
    dark = 255 - page[row - 2 : row + 3, : round(115 * PX_PER_MM)].mean(axis=(0, 2))
    marks = np.flatnonzero(dark > 60)
    groups = np.split(marks, np.flatnonzero(np.diff(marks) > 1) + 1)
    middles = [float(np.average(group, weights=dark[group])) for group in groups]
    assert len(middles) == 11
    return (middles[-1] - middles[0]) / PX_PER_MM


def art_of(page: Array) -> Array:
    """A sheet's share of a board: what is not white, between the marks around it."""
    body = page[: round(page.shape[0] - 24 * PX_PER_MM)]
    full = (body.min(axis=2) < 245).astype(np.uint8)
    solid = cv2.morphologyEx(full, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8))  # marks are thin
    left, top, width, height = cv2.boundingRect(cv2.findNonZero(solid))
    return body[top : top + height, left : left + width]


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_sheets_of_a_board_join_to_the_board(paper: str, tmp_path: Path) -> None:
    """Each sheet is laid onto the flap of the one before, which shows triangles there that go under."""
    kit = load_kit(KITS / "garden-dice")
    pages = printed(tmp_path, "--only", "boards", "--paper", paper)
    columns = 3
    flap = round(FLAP_MM * PX_PER_MM)
    assert len(pages) == 6
    whole: list[Array] = []
    for row in range(2):
        parts = [art_of(page) for page in pages[columns * row : columns * (row + 1)]]
        joined = np.hstack([*(part[:, :-flap] for part in parts[:-1]), parts[-1]])
        whole.append(joined if row == 1 else joined[:-flap])
    board = np.vstack(whole)
    assert np.array(board.shape[1::-1]) / PX_PER_MM == pytest.approx(
        kit.boards[0].size_mm,
        abs=0.9,  # a pixel on either side of each sheet
    )
    original = cv2.imread(str(kit.boards[0].image))
    assert original is not None
    small = [cv2.resize(p, (416, 416), interpolation=cv2.INTER_AREA).astype(float) for p in (board, original)]
    assert np.abs(small[0] - small[1]).mean() < 4


def test_markers_of_a_kit_are_printed_where_it_says(tmp_path: Path) -> None:
    folder = tmp_path / "kit"
    shutil.copytree(KITS / "garden-rush", folder)
    text = (folder / "kit.toml").read_text(encoding="utf-8")
    places = {3: (14.0, 14.0), 7: (203.0, 15.0), 11: (15.0, 461.0)}
    for number, at in places.items():
        text += (
            f'\n[[marker]]\nboard = "board"\ndictionary = "4X4_50"\nid = {number}\nat_mm = {list(at)}\nsize_mm = 14\n'
        )
    (folder / "kit.toml").write_text(text, encoding="utf-8")
    seen: dict[int, Array] = {}
    for page in printed(tmp_path, "--kit", str(folder), "--only", "boards")[:4]:
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        known = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
        corners, ids, _ = cv2.aruco.ArucoDetector(known, parameters).detectMarkers(page)
        for number, four in zip(np.ravel(ids) if ids is not None else [], corners, strict=True):
            seen[int(number)] = four.reshape(4, 2) / PX_PER_MM
    assert set(seen) == set(places)
    for four in seen.values():
        assert np.linalg.norm(np.roll(four, 1, axis=0) - four, axis=1) == pytest.approx([14] * 4, abs=0.2)


def test_backs_lie_behind_their_faces(tmp_path: Path) -> None:
    """Turned over the long edge, the back's outline meets the face's, and it is the back that belongs there."""
    kit = load_kit(KITS / "garden-rush")
    looks = {p.name: cv2.resize(cv2.imread(str(p.image)), (24, 24)).astype(float)[4:20, 4:20] for p in kit.pieces}
    pages = printed(tmp_path, "--game", "garden-rush", "--only", "pieces")  # the last has the gnomes
    pairs: set[tuple[str, str]] = set()
    for face, back in zip(pages[:-1:2], pages[1::2], strict=True):
        for (x, y, w, h), (u, v, a, b) in zip(pieces_on(face), pieces_on(back[:, ::-1]), strict=True):
            assert abs(x + w / 2 - u - a / 2) / PX_PER_MM < 0.2 and abs(y + h / 2 - v - b / 2) / PX_PER_MM < 0.2
            assert (w / PX_PER_MM, h / PX_PER_MM) == pytest.approx((32, 32), abs=0.4)
            turned = back[:, ::-1][v : v + b, u : u + a][:, ::-1]
            pairs.add((named(face[y : y + h, x : x + w], looks), named(turned, looks)))
    vegetables = {
        (f"{name}/double", f"{name}/single") for name in ("carrot", "eggplant", "tomato", "broccoli", "potato")
    }
    assert pairs == vegetables | {(tool, "mole") for tool in ("trowel", "weedkiller", "hose", "toolbox")}


def pieces_on(page: Array) -> list[tuple[int, int, int, int]]:
    """Boxes around what is printed above the foot, by rows: x, y, width, height in px."""
    body = page[: round(page.shape[0] - 24 * PX_PER_MM)]
    full = (body.min(axis=2) < 245).astype(np.uint8)
    contours, _ = cv2.findContours(full, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    boxes = [tuple(cv2.boundingRect(c)) for c in contours if cv2.contourArea(c) > (20 * PX_PER_MM) ** 2]
    return sorted(boxes, key=lambda box: (round(box[1] / 50), box[0]))


def named(picture: Array, looks: dict[str, Array]) -> str:
    small = cv2.resize(picture, (24, 24), interpolation=cv2.INTER_AREA).astype(float)[4:20, 4:20]
    return min(looks, key=lambda name: float(np.abs(looks[name] - small).mean()))


def test_a_box_has_as_many_pieces_as_the_game_and_every_font_goes_along(tmp_path: Path) -> None:
    file = tmp_path / "out.pdf"
    assert main(["print", str(file), "--game", "garden-guests", "--lang", "hu", "--only", "pieces"]) == 0
    document = pypdfium2.PdfDocument(file)
    count = 0
    for i in range(len(document)):
        page = np.asarray(document[i].render(scale=1).to_numpy())[..., :3]
        body = (page[: round(page.shape[0] - 24 * 72 / 25.4)].min(axis=2) < 225).astype(np.uint8)
        number, _, stats, _ = cv2.connectedComponentsWithStats(body)
        count += sum(1 for k in range(1, number) if stats[k, cv2.CC_STAT_AREA] > 500)
    assert count == 3 * (35 + 15) + 4 * 4  # stones, guests; markers
    assert "Garden Guests" in document[0].get_textpage().get_text_range() and "„tényleges”" in (
        document[0].get_textpage().get_text_range()
    )
    content = file.read_bytes()
    assert content.count(b"/Type /Font\n") + content.count(b"/Type /Font ") == content.count(b"/FontFile2") > 0


def test_what_cannot_be_printed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "kit"
    shutil.copytree(KITS / "garden-rush", folder)
    (folder / "board.png").write_bytes(b"no picture")
    for file, kit in ((tmp_path / "nowhere" / "out.pdf", KITS / "garden-rush"), (tmp_path / "out.pdf", folder)):
        assert main(["print", str(file), "--kit", str(kit)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["kit"]


def test_a_name_that_is_no_pdfs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", str(tmp_path / "kit.txt")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(tmp_path.iterdir())
