"""Files that are no position and no record: one line that names the file, exit status 2, and nothing else.

300 files are made by seed out of the rulebooks' worked examples. Each way of spoiling a file is one that no reader may
accept: a value of another JSON type, a key or word that no game knows, text that is no JSON, a file that is none.
Positions that can be read but make no sense are not among them.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.__main__ import main
from companion.games import NAMES, load_game
from companion.rulebook import rulebook

SEED = 20240501
FILES = 300
COMMANDS = ("judge", "score", "legal")
ENOUGH_MEMORY = 200 * 1024 * 1024
LARGE = 50 * 1024 * 1024

Place = tuple[Any, Any]  # an object or list, and a key or index in it

# Objects whose keys are data: a strange key there is a matter of sense, not of form.
KEYED_BY_DATA = {"board", "supply", "garden", "sack", "patterns", "tools", "pink", "blue", "spaces", "next_player"}
WORDS = {"game", "do", "piece", "kind", "with", "eat", "veggie"}  # and `colour`, outside garden-guests
NEEDED = {"format", "game", "actions", "do", "players", "teams", "colour"}


# Sound documents to start from


def sound() -> dict[str, list[dict[str, Any]]]:
    """Per kind of file, the documents of all rulebook examples whose actions are all legal."""
    positions, records = [], []
    for game in map(load_game, NAMES):
        for clause in rulebook(game, "en").values():
            for example in clause.examples:
                positions.append(example.start)
                if example.play and not {"refused", "missing"} & example.expect.keys():
                    records.append(
                        {"format": 1, "game": game.name, "start": example.start, "actions": list(example.play)}
                    )
    return {"position": positions, "record": records}


# Ways to spoil a document. Each takes a copy of a sound one and gives the bytes of the file.


def places(document: Any, key: Any = None) -> Iterator[tuple[Place, Any]]:
    """Every value inside: where it is, and the nearest key above it."""
    for at, value in document.items() if isinstance(document, dict) else enumerate(document):
        above = at if isinstance(document, dict) else key
        yield (document, at), above
        if isinstance(value, dict | list):
            yield from places(value, above)


def values(document: Any) -> list[Place]:
    return [place for place, _ in places(document) if place[0][place[1]] is not None]


def put(place: Place, value: Any) -> None:
    place[0][place[1]] = value


def written(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def wrong_type(random: Random, document: Any) -> bytes:
    place = random.choice(values(document))
    others = ({"a": 1}, [[["a"]]], "seven", 7, True)
    put(place, random.choice([v for v in others if type(v) is not type(place[0][place[1]])]))
    return written(document)


def wrong_whole(random: Random, document: Any) -> bytes:
    return written(random.choice([[document], [], "position", 17, None, True]))


def unknown_key(random: Random, document: Any) -> bytes:
    inner = [p[0][p[1]] for p, above in places(document) if above not in KEYED_BY_DATA and isinstance(p[0][p[1]], dict)]
    random.choice([document, *inner])[random.choice(["zucchini", "", "Game", "játékos", "__class__", "\ud800"])] = 1
    return json.dumps(document).encode()


def unknown_word(random: Random, document: Any) -> bytes:
    known = WORDS | ({"colour"} if "players" in document.get("start", document) else set())
    found = [p for p, _ in places(document) if p[1] in known and isinstance(p[0][p[1]], str)]
    put(random.choice(found), random.choice(["zucchini", "", "TOMATO", "x" * 100_000, "\ud800", "a\nb", "\x1b[31m"]))
    return json.dumps(document).encode()


def missing_key(random: Random, document: Any) -> bytes:
    inside = [
        place for place, _ in places(document) if place[1] in NEEDED - {"game"}
    ]  # a start's game may be the record's
    place = random.choice([(document, "game"), *inside])
    del place[0][place[1]]
    return written(document)


def number(random: Random, document: Any) -> bytes:
    """A number beyond every bound, or not whole; anywhere."""
    put(random.choice(values(document)), random.choice([10**30, -(10**30), 10**4000, 1e300, 0.5, -0.0, 2**63]))
    return written(document)


def no_number(random: Random, document: Any) -> bytes:
    put(random.choice(values(document)), "@")
    token = random.choice(["NaN", "Infinity", "-Infinity", "1e999", "9" * 10_000, "01", "+1", "0x1", "1_000", ".5"])
    return written(document).replace(b'"@"', token.encode())


def deep(random: Random, document: Any) -> bytes:
    put(random.choice(values(document)), "@")
    depth = random.choice([60, 990, 3000, 100_000])
    before, after = random.choice([("[", "]"), ('{"a": ', "}")])
    return written(document).replace(b'"@"', (before * depth + "1" + after * depth).encode())


def unclosed(random: Random, document: Any) -> bytes:
    return random.choice([b"[", b'{"game": ', b'{"a": [']) * random.choice([1, 1000, 100_000])


def key_twice(random: Random, document: Any) -> bytes:
    key = random.choice(list(document))
    return f"{{{json.dumps(key)}: {json.dumps(document[key])}, ".encode() + written(document)[1:]


def cut_short(random: Random, document: Any) -> bytes:
    whole = written(document)
    return whole[: random.randrange(1, len(whole))]


def spoilt_text(random: Random, document: Any) -> bytes:
    whole = written(document)
    return random.choice(
        [
            whole + b"}",
            whole + whole,
            whole + b"\0",
            b"\0" + whole,
            b"// a comment\n" + whole,
            whole[:-1] + b",}",
            whole.replace(b'"', b"'"),
            whole.replace(b":", b"=", 1),
            whole.replace(b'"game"', b"game"),
            whole.replace(b'"game"', b'"ga\nme"'),
            b"format = 1\n",
            b"\x89PNG\r\n\x1a\n" + bytes(1000),
            random.randbytes(2000) + b"\xff",
        ]
    )


def not_utf8(random: Random, document: Any) -> bytes:
    whole = written(document)
    at = random.randrange(len(whole))
    spoilt = whole[:at] + random.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xe9 "]) + whole[at:]
    return random.choice([spoilt, whole.decode().encode("utf-16")])


def blank(random: Random, document: Any) -> bytes:
    return random.choice([b"", b" ", b"\n\n", b"\xef\xbb\xbf", b" " * 10_000])


# Files that hold nothing to be read. Each takes the path and gives the one to ask for.


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def missing(path: Path) -> Path:
    return path


def below_a_file(path: Path) -> Path:
    path.write_text("{}")
    return path / "position.json"


def link_to_itself(path: Path) -> Path:
    path.symlink_to(path)
    return path


def name_too_long(path: Path) -> Path:
    return path.with_name("n" * 300 + ".json")


def large_and_empty(path: Path) -> Path:
    with path.open("wb") as stream:
        stream.truncate(LARGE)
    return path


def large_and_sound(path: Path) -> Path:
    path.write_bytes(written(SOUND["position"][0]) + b" " * LARGE)
    return path


def large_text(path: Path) -> Path:
    path.write_bytes(b'{"game": "' + b"a" * LARGE + b'"}')
    return path


SOUND = sound()
NO_FILES = (folder, missing, below_a_file, link_to_itself, name_too_long, large_and_empty, large_and_sound, large_text)
WAYS: tuple[Callable[[Random, Any], bytes], ...] = (
    *(wrong_type, wrong_type, wrong_type, unknown_key, unknown_key, unknown_word, unknown_word, missing_key),
    *(
        number,
        number,
        no_number,
        deep,
        unclosed,
        key_twice,
        cut_short,
        cut_short,
        spoilt_text,
        not_utf8,
        blank,
        wrong_whole,
    ),
)
FILE_NAMES = ("{}.json", "{}", "játék ő {}.json", "%s {{}} {}.json")


def make_spoilt(number: int) -> Callable[[Path], Path]:
    """The file of this number, made in a folder; records and positions by turns."""
    random = Random(SEED + number)
    way = WAYS[number % len(WAYS)]
    kind = ("position", "record")[number // len(WAYS) % 2]
    content = way(random, json.loads(json.dumps(random.choice(SOUND[kind]))))
    name = random.choice(FILE_NAMES).format(f"{kind}-{way.__name__}")

    def make(tmp: Path) -> Path:
        path = tmp / name
        path.write_bytes(content)
        return path

    return make


CASES = [pytest.param(lambda tmp, make=make: make(tmp / "file.json"), id=make.__name__) for make in NO_FILES] + [
    pytest.param(make_spoilt(n), id=f"{n:03}-{WAYS[n % len(WAYS)].__name__}") for n in range(FILES - len(NO_FILES))
]


def assert_refused(status: int, out: str, err: str, path: Path) -> None:
    assert (status, out) == (2, "")
    assert err.count("\n") == 1 and err.endswith("\n"), err
    assert str(path) in err
    assert "Traceback" not in err
    assert err.strip().isprintable()
    assert len(err) < len(str(path)) + 400


@pytest.mark.parametrize("make", CASES)
def test_a_bad_file_is_refused_in_one_line(
    make: Callable[[Path], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make(tmp_path)
    for command in COMMANDS:
        status = main([command, str(path)])
        assert_refused(status, *capsys.readouterr(), path)
    status = main(["judge", str(path), "--json"])
    assert_refused(status, *capsys.readouterr(), path)


def limited(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own that gets no more than `ENOUGH_MEMORY`."""
    return subprocess.run(
        [sys.executable, "-m", "companion", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ENOUGH_MEMORY, ENOUGH_MEMORY)),
    )


SAMPLE = [*CASES[: len(NO_FILES)], *CASES[len(NO_FILES) :: 37]]


@pytest.mark.parametrize(("case", "command"), [(n, COMMANDS[n % len(COMMANDS)]) for n in range(len(SAMPLE))])
def test_a_bad_file_costs_no_memory(case: int, command: str, tmp_path: Path) -> None:
    path = SAMPLE[case].values[0](tmp_path)
    done = limited([command, str(path)])
    assert_refused(done.returncode, done.stdout, done.stderr, path)


@pytest.mark.parametrize("kind", ["position", "record"])
def test_the_documents_to_start_from_are_sound(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else the tests above would show nothing."""
    assert len(SOUND[kind]) > 50
    for document in SOUND[kind]:
        path = tmp_path / "sound.json"
        path.write_bytes(written(document))
        status = main(["judge" if kind == "record" else "score", str(path), "--json"])
        assert status == 0, capsys.readouterr().err


def test_every_game_and_file_kind_is_spoilt_in_every_way() -> None:
    assert set(WAYS) == {WAYS[n % len(WAYS)] for n in range(FILES - len(NO_FILES))}
    assert {document["game"] for document in SOUND["record"]} == set(NAMES)


def test_a_bonus_nested_without_end_is_no_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each part is well formed: an action within an action within an action."""
    start = next(document for document in SOUND["position"] if document["game"] == "garden-rush")
    for depth in (50, 150, 300, 900):
        action = (
            '{"do": "place", "from": 1, "to": "3,3", "bonus": ' * depth + '{"do": "hose", "column": 1}' + "}" * depth
        )
        path = tmp_path / f"nested-{depth}.json"
        path.write_text(
            f'{{"format": 1, "game": "garden-rush", "start": {json.dumps(start)}, "actions": [{action}]}}',
            encoding="utf-8",
        )
        status = main(["judge", str(path)])
        err = capsys.readouterr().err
        assert status in (1, 2, 3)
        if status == 2:
            assert err.count("\n") == 1 and str(path) in err


@pytest.mark.parametrize("kit", ["missing", "empty", "broken"])
def test_a_bad_kit_is_refused_in_one_line(kit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(written(SOUND["record"][0]))
    folder = tmp_path / kit
    if kit != "missing":
        folder.mkdir()
    if kit == "broken":
        folder.joinpath("kit.toml").write_text("format = [", encoding="utf-8")
    status = main(["judge", str(path), "--kit", str(folder)])
    assert_refused(status, *capsys.readouterr(), folder)
