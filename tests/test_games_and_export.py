"""`companion games` and `companion export`, as they are typed."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from companion.__main__ import main
from companion.account import Teller
from companion.commands.games import shelf
from companion.document import Field
from companion.export.lettering import Lettering
from companion.export.score_sheet import as_png, sheet_of
from companion.games import load_game
from companion.store.log import Log
from tests.store.steps import begun, steps, take

DICE = load_game("garden-dice")
# Yellow harvests over green and red: the dispute of docs/records.md. Yellow +7, green +9, red +2.
DISPUTE = {
    "game": "garden-dice",
    "options": {"must_spend": "warn"},
    "players": [
        {"colour": "yellow", "score": 10},
        {"colour": "green", "score": 12},
        {"colour": "red", "score": 8},
    ],
    "supply": {"squash": 3, "carrot": 5, "tomato": 6, "artichoke": 7, "eggplant": 7},
    "board": {
        "3,5": {"piece": "tomato/vegetable", "owner": "yellow"},
        "3,4": {"piece": "squash/vegetable", "owner": "yellow"},
        "4,5": {"piece": "carrot/vegetable", "owner": "green"},
        "5,5": {"piece": "squash/vegetable", "owner": "green"},
        "4,6": {"piece": "squash/vegetable", "owner": "red"},
        "4,4": {"piece": "scarecrow", "owner": "green"},
    },
    "turn": {"player": "yellow", "rolled": True, "dice": [3], "spent": [2, 6, 6]},
}
HARVEST = {"do": "harvest", "at": "3,5", "die": 3}
END = {"do": "end-turn"}


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def dispute(*actions: dict[str, Any], name: str = "") -> Log:
    start = DICE.read_position(Field(DISPUTE), None)
    log = shelf().begin(DICE, start, name=name)
    for action in actions:
        log.confirm(DICE.read_action(Field(action), start))
    return log


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    try:
        status = main(argv)
    except SystemExit as exit:
        status = int(exit.code or 0)
    out, err = capsys.readouterr()
    return status, out, err


# companion games


def test_games_are_listed_named_archived_and_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "games") == (0, "No games are kept yet.\n", "")
    dispute(HARVEST).close()
    dispute(name="Second").close()
    _, out, _ = run(capsys, "games")
    first, second = out.splitlines()
    assert first.startswith("    1  Garden Dice · Yellow 17, Green 21, Red 10 · actions: 1 · next: Yellow · ")
    assert second.startswith("*   2  Second · Garden Dice · Yellow 10, Green 12, Red 8 · actions: 0 · next: Yellow · ")
    assert run(capsys, "games", "name", "1", "Őszi kert") == (0, "Game 1 is now called Őszi kert.\n", "")
    status, out, _ = run(capsys, "games", "resume", "Őszi kert")
    assert status == 0
    assert out.splitlines()[0] == "Game 1 goes on."
    assert "Last: Yellow harvests the tomato on 3,5 with a 3." in out
    assert "Yellow: track 17" in out
    assert run(capsys, "games")[1].startswith("*   1  Őszi kert")
    assert run(capsys, "games", "archive", "1")[0] == 0
    assert run(capsys, "games")[1].startswith("*   2  Second")
    assert len(run(capsys, "games", "--all")[1].splitlines()) == 2
    assert run(capsys, "games", "resume", "1")[0] == 0
    assert run(capsys, "games")[1].startswith("*   1  Őszi kert")


def test_games_are_listed_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    dispute(HARVEST, name="Sunday").close()
    status, out, _ = run(capsys, "games", "--json")
    (game,) = json.loads(out)["games"]
    assert status == 0 and game.pop("begun") <= game.pop("touched")
    assert game == {
        "number": 1,
        "name": "Sunday",
        "game": "garden-dice",
        "players": ["yellow", "green", "red"],
        "actions": 1,
        "over": False,
        "archived": False,
        "latest": True,
    }


def test_games_speak_hungarian(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "games", "--lang", "hu")[1] == "Még nincs elmentett játék.\n"
    dispute(HARVEST).close()
    assert "sárga 17, zöld 21, piros 10 · 1 lépés · következik: sárga" in run(capsys, "games", "--lang", "hu")[1]
    for argv in (["games", "--lang", "hu", "resume", "1"], ["games", "resume", "1", "--lang", "hu"]):
        assert "A legutóbbi lépés: A sárga" in run(capsys, *argv)[1]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["games", "resume", "5"], 'companion: "5": no such game\n'),
        (["games", "resume", "Sonday"], 'companion: "Sonday": no such game; did you mean "Sunday"?\n'),
        (["games", "resume", "twice"], 'companion: "twice": 2 games have this name; say 2 or 3\n'),
        (["games", "name", "1", "12"], "companion: '12' found; expected a name of 1 to 80 characters"),
        (["games", "name", "1", "a\nb"], "companion: 'a\\nb' found; expected a name of 1 to 80 characters"),
        (["games", "forget", "1"], "companion games: argument ACTION: invalid choice: 'forget'"),
        (["export", "1", "--to", "x.pdf"], "companion: --to: x.pdf found; expected a name that ends in .json"),
        (["export", "1", "--part", "2"], "companion: --part: 2 found; expected 1 to 1\n"),
        (["export", "1", "--to", "no/such/folder.csv"], "companion: no/such/folder.csv: cannot be written: "),
    ],
)
def test_what_cannot_be_is_told_in_a_line(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("Sunday", "twice", "twice"):
        dispute(name=name).close()
    status, out, err = run(capsys, *argv)
    assert (status, out) == (2, "") and err.startswith(said) and err.count("\n") == 1


def test_a_damaged_game_is_mended_when_it_is_resumed_and_that_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    log = dispute(HARVEST, END)
    log.close()
    content = bytearray(log.path.read_bytes())
    content[content.index(b"harvest")] ^= 1
    log.path.write_bytes(content)
    status, out, _ = run(capsys, "games", "resume", "1")
    assert status == 0
    assert out.splitlines()[0] == (
        "0001.game was damaged and is put aside as 0001.game.damaged; all 3 lines found in it could be saved."
    )
    assert "actions: 2" in out


def test_a_game_that_cannot_be_read_does_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    dispute(name="whole").close()
    dispute().close()
    shelf().path(2).write_bytes(b"")
    status, out, err = run(capsys, "games")
    assert status == 2 and "whole" in out and err.endswith("0002.game: damaged; nothing can be read\n")
    assert run(capsys, "export")[0] == 0


# companion export


@pytest.mark.parametrize("name", ["garden-dice", "garden-rush", "garden-guests"])
def test_an_exported_record_is_judged_legal_to_the_same_position(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Steps at random, the table taken as it is among them: each part is a record, without a kit."""
    session = begun(name, 6)
    with shelf().begin(session.game, session.start) as log:
        for (step, _), _ in zip(steps(session, 6), range(80), strict=False):
            take(log, step)
        end = log.session
    parts = [entry for entry in end.entries if type(entry).__name__ == "TableTaken"]
    for part in range(1, len(parts) + 2):
        assert run(capsys, "export", "--part", str(part), "--to", "part.json") == (0, "", "")
        status, out, _ = run(capsys, "judge", "part.json", "--json")
        assert status == 0 and json.loads(out)["legal"] is True
    assert json.loads(out)["position"] == json.loads(json.dumps(end.game.write_position(end.state)))
    status, out, err = run(capsys, "export")
    assert json.loads(out) == json.loads(Path("part.json").read_text(encoding="utf-8"))
    assert ("--part 1 is the first" in err) == bool(parts)


def test_a_table_of_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    with dispute(HARVEST, END) as log:
        log.take_table(log.session.start)
    status, out, _ = run(capsys, "export", "--format", "csv")
    assert status == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == [
        *("ply", "player", "action", "clauses"),
        *("points Yellow", "points Green", "points Red"),
        *("total Yellow", "total Green", "total Red"),
    ]
    assert [row["ply"] for row in rows] == ["1", "2", "3"]
    assert [row["player"] for row in rows] == ["Yellow", "Yellow", ""]
    assert rows[0]["action"] == "Yellow harvests the tomato on 3,5 with a 3."
    assert {"harvest.score", "harvest.scarecrow"} <= set(rows[0]["clauses"].split())
    assert [rows[0][f"points {who}"] for who in ("Yellow", "Green", "Red")] == ["7", "9", "2"]
    assert [rows[0][f"total {who}"] for who in ("Yellow", "Green", "Red")] == ["17", "21", "10"]
    assert [rows[1][f"points {who}"] for who in ("Yellow", "Green", "Red")] == ["0", "0", "0"]
    assert rows[2]["action"] == "The table is taken as it is." and rows[2]["total Yellow"] == "10"
    _, out, _ = run(capsys, "export", "--format", "csv", "--lang", "hu")
    assert out.startswith("sorszám,játékos,lépés,szabálypontok,sárga pontjai,")


def test_what_is_undone_is_not_exported(capsys: pytest.CaptureFixture[str]) -> None:
    with dispute(HARVEST, END) as log:
        log.undo()
    assert json.loads(run(capsys, "export")[1])["actions"] == [HARVEST]


def sheet(title: str, lang: str = "hu") -> Any:
    with dispute(HARVEST, END) as log:
        return sheet_of(log.session, Teller(DICE, lang), title, "")


def test_what_stands_on_the_score_sheet() -> None:
    """Blue's column of docs/records.md is tested there; here the totals with the sun and the course of the points."""
    drawn = sheet("Őszi kert", "en")
    assert [name for name, _ in drawn.columns] == ["Yellow", "Green", "Red"]
    assert drawn.rows[0] == ("track", ["17", "21", "10"])
    assert drawn.total is not None and drawn.rows[drawn.total] == ("total", ["17", "21", "10"])
    assert drawn.verdict == "In front: Green"
    assert drawn.course == [[10, 17, 17], [12, 21, 21], [8, 10, 10]]


@pytest.mark.parametrize("form", [["--to", "sheet.png"], ["--format", "png", "--to", "sheet"]])
def test_the_score_sheet_is_a_picture(form: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    dispute(HARVEST, END).close()
    assert run(capsys, "export", "1", *form) == (0, "", "")
    with Image.open(form[-1]) as picture:
        picture.load()
        assert picture.format == "PNG" and picture.width == 1200
        colours = {colour for _, colour in picture.getcolors(1 << 20)}
        assert {(214, 165, 20), (62, 148, 78), (200, 62, 56)} <= colours  # yellow, green, red


@pytest.mark.parametrize("system", [True, False])
def test_every_letter_of_hungarian_looks_different(system: bool) -> None:
    """In the machine's font and in Pillow's own, which has no accents: they are drawn."""
    from PIL import ImageDraw

    seen = set()
    for letter in "oóöőuúüűaáeéiíOÓÖŐUÚÜŰAÁEÉIÍ":
        picture = Image.new("L", (60, 70), 255)
        Lettering(ImageDraw.Draw(picture), system).write(10, 55, letter, 40, 0)  # type: ignore[arg-type]
        seen.add(picture.tobytes())
    assert len(seen) == 28


def test_a_sheet_with_long_names_and_one_without_points_can_be_drawn() -> None:
    assert as_png(sheet("ő" * 80), system_fonts=False).startswith(b"\x89PNG")
    session = begun("garden-guests", 2)
    assert as_png(sheet_of(session, Teller(session.game, "hu"), "x", "y")).startswith(b"\x89PNG")
