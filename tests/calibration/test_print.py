"""`companion print`: the pages, rasterised and measured as a printed sheet would be."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2
import pytest

from companion.__main__ import main
from companion.kit import load_kit
from companion.observation import Frame
from companion.vision.learned import knowledge_of
from companion.vision.look import look
from tests.calibration.printed_kit import art_of, pages_of, printed_kit
from tests.vision.accuracy import Tally
from tests.vision.photographs import Wanted, photograph

KITS = Path(__file__).parents[2] / "calibration" / "kits"
DPI = 200
PX_PER_MM = DPI / 25.4
FLAP_MM = 8.0
Array = np.ndarray[Any, Any]


def printed(folder: Path, *arguments: str, px_per_mm: float = PX_PER_MM) -> list[Array]:
    """The pages as pictures (height, width, 3) BGR at 200 dots an inch, or so many pixels a millimetre."""
    file = folder / "out.pdf"
    assert main(["print", str(file), *arguments]) == 0
    return pages_of(file, px_per_mm)


def found_markers(
    picture: Array, dictionary: int = cv2.aruco.DICT_5X5_100, px_per_mm: float = PX_PER_MM
) -> dict[int, Array]:
    """By number the corners (4, 2) in mm on the page."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(dictionary), parameters)
    corners, ids, _ = detector.detectMarkers(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))
    numbers = [] if ids is None else np.ravel(ids).tolist()
    return {n: (c.reshape(4, 2) + 0.5) / px_per_mm for n, c in zip(numbers, corners, strict=True)}


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
        parts = [art_of(page, PX_PER_MM) for page in pages[columns * row : columns * (row + 1)]]
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


@pytest.mark.parametrize("own", [True, False])
def test_boards_are_true_to_scale_and_their_markers_lie_where_the_kit_says(own: bool, tmp_path: Path) -> None:
    """Within 0.2 mm, drawn from our own drawings or from the pictures of somebody's kit."""
    if own:
        kit, what = load_kit(KITS / "garden-rush"), ["--game", "garden-rush"]
    else:
        shutil.copytree(KITS / "garden-rush", tmp_path / "kit")
        kit, what = load_kit(tmp_path / "kit"), ["--kit", str(tmp_path / "kit")]
    fine = 14.0  # px/mm: edges are found to a pixel or two
    pages = printed(tmp_path, *what, "--only", "boards", px_per_mm=fine)
    arts = [art_of(page, fine) for page in pages]
    # The gardens on three sheets, each a third of 476 mm less the flap further down; then trampoline and track.
    starts = [(0, 0), (0, 156), (0, 312), (0, 0), (0, 0)]
    for art, size in zip(arts, [(218, 164)] * 3 + [(54, 54), (244, 86)], strict=True):
        assert np.array(art.shape[1::-1]) / fine == pytest.approx(size, abs=0.2)
    seen: dict[int, Array] = {}
    for art, start in zip(arts, starts, strict=True):
        seen |= {n: four + start for n, four in found_markers(art, cv2.aruco.DICT_4X4_50, fine).items()}
    assert set(seen) == {marker.id for marker in kit.markers}
    for marker in kit.markers:
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * marker.size_mm / 2
        assert np.abs(seen[marker.id] - square - marker.at_mm).max() < 0.2


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


def words_on(file: Path) -> list[str]:
    document = pypdfium2.PdfDocument(file)
    return [document[i].get_textpage().get_text_range() for i in range(len(document))]


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_players_have_mats_as_large_as_their_tiles_need(paper: str, tmp_path: Path) -> None:
    """Four mats, each a page, with a place of 41.5 mm for each of five seeds, five harvests, four specials."""
    pages = printed(tmp_path, "--game", "garden-dice", "--only", "extras", "--paper", paper)
    said = words_on(tmp_path / "out.pdf")
    for page, text, colour in zip(pages[:4], said[:4], ("blue", "yellow", "green", "red"), strict=True):
        mat = art_of(page, PX_PER_MM)
        assert np.array(mat.shape[1::-1]) / PX_PER_MM == pytest.approx(
            (238, 168), abs=0.3
        )  # with half the line to cut along
        assert all(word in text.lower() for word in (colour, "seeds", "harvest", "sun", "rock"))
        assert pieces_of_size(mat, 41.5) == 14
    assert pieces_of_size(pages[-1], 40.0) == 4  # suns


def pieces_of_size(picture: Array, side_mm: float) -> int:
    """How many squares of a size with an edge of their own are to be seen."""
    edges = cv2.dilate(cv2.Canny(picture, 12, 30), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    sizes = [np.array(cv2.boundingRect(c)) / PX_PER_MM for c in contours]
    found = {
        (round(x / 5), round(y / 5)) for x, y, w, h in sizes if abs(w - side_mm) < 0.45 and abs(h - side_mm) < 0.45
    }
    return len(found)


def test_summary_cards_are_in_both_languages_back_to_back(tmp_path: Path) -> None:
    for lang, first, second in (("en", "Buy a seed", "Vetőmag vásárlása"), ("hu", "Vetőmag vásárlása", "Buy a seed")):
        file = tmp_path / f"{lang}.pdf"
        assert main(["print", str(file), "--game", "garden-dice", "--only", "extras", "--lang", lang]) == 0
        faces, backs = [[text.count(words) for text in words_on(file)] for words in (first, second)]
        assert sum(faces) == sum(backs) == 4  # a card for each player
        assert [0, *faces[:-1]] == backs  # the back is on the next page
        content = file.read_bytes()
        assert content.count(b"/Type /Font\n") + content.count(b"/Type /Font ") == content.count(b"/FontFile2") > 0


def test_the_text_of_a_summary_card_stays_on_the_card(tmp_path: Path) -> None:
    """Between the cards, and in the wooden frame around each, stands nothing; in Hungarian, which is longer."""
    file = tmp_path / "out.pdf"
    assert (
        main(["print", str(file), "--game", "garden-dice", "--only", "extras", "--lang", "hu", "--paper", "letter"])
        == 0
    )
    numbers = [i for i, text in enumerate(words_on(file)) if "Vetőmag vásárlása" in text or "Buy a seed" in text]
    assert len(numbers) == 4
    for page in pages_of(file, PX_PER_MM, numbers[:2]):
        cards = pieces_on(page)
        assert len(cards) == 2
        for x, y, w, h in cards:
            assert (w / PX_PER_MM, h / PX_PER_MM) == pytest.approx((160, 116), abs=0.4)
            frame = page[y + h - round(1.8 * PX_PER_MM) : y + h - 4, x + 20 : x + w - 20]
            assert frame.std(axis=(0, 1)).max() < 2


def test_the_pattern_guide_shows_every_shape_of_the_kit(tmp_path: Path) -> None:
    """A white field for each space of each bed, and on it what each brings."""
    page = printed(tmp_path, "--game", "garden-rush", "--only", "extras")[0]
    beds = [shape for shapes in load_kit(KITS / "garden-rush").patterns.values() for shape in shapes]
    assert len(beds) == 15
    assert pieces_of_size(page, 8.5) == sum(map(len, beds))
    text = words_on(tmp_path / "out.pdf")[0]
    assert [text.count(f"{n} p") for n in (1, 2, 3, 4, 5)] == [
        sum(len(bed) == n for bed in beds) for n in (1, 2, 3, 4, 5)
    ]


def test_each_team_has_its_deck_and_two_collection_cards(tmp_path: Path) -> None:
    """12 of each of four flowers and 4 wild ones; the sides of a collection card add up to five."""
    file = tmp_path / "out.pdf"
    assert main(["print", str(file), "--game", "garden-guests", "--only", "extras"]) == 0
    said = words_on(file)
    for flower in ("daisy", "rose", "sunflower", "tulip"):
        assert sum(len(re.findall(rf"\b{flower}\b", text)) for text in said[::2]) == 3 * 12
        assert not any(re.search(rf"\b{flower}\b", text) for text in said[1::2])
    assert sum(text.count("wild") for text in said[::2]) == 3 * 4
    face, back = pages_of(file, PX_PER_MM, [0, 1])
    for (x, y, w, h), (u, v, a, b) in zip(pieces_on(face), pieces_on(back[:, ::-1]), strict=True):
        assert abs(x + w / 2 - u - a / 2) / PX_PER_MM < 0.2 and abs(y + h / 2 - v - b / 2) / PX_PER_MM < 0.2
    alone = [re.findall(r"^[1-4](?: [1-4])*\r?$", text, re.M) for text in said]
    counts = [["".join(map("".join, side)).count(str(n)) for n in (1, 2, 3, 4)] for side in (alone[::2], alone[1::2])]
    assert counts == [[3, 3, 0, 0], [0, 0, 3, 3]]


def test_extras_go_with_our_own_kits_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--kit", str(KITS / "garden-rush"), "--only", "extras"]
    assert main(["print", str(tmp_path / "out.pdf"), *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_what_was_printed_is_read(tmp_path: Path, own_home: Path) -> None:
    """A kit cut and glued from its printed sheets is photographed, and read as the kit that was printed."""
    printed_one = printed_kit("garden-rush", tmp_path / "printed")
    kit = load_kit(KITS / "garden-rush")
    pixels, truth = photograph(printed_one, 5, 0, Wanted(light="overcast", hands=0, things=0, cut_off=0))
    tally = Tally()
    tally.add("printed", kit, look(Frame(pixels), None, kit, knowledge_of(kit)), truth, pixels.shape[1])
    assert (tally.boards_found, tally.wrong) == (3, 0)
    assert tally.occupied > 15 and tally.unsure <= 3


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
