"""The scores of a game; the values are worked out by hand, the laws are held over random play."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.account import Teller, sides, standing
from companion.commands import own_kit
from companion.document import Fault, Field
from companion.export.code import MOST_LETTERS, as_code, read_code
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES
from companion.session import Session, write_record
from companion.simulate.players import choose, start
from companion.ui.view.gains import Gain
from companion.ui.view.scores import Scores, Write, scores
from tests.games.play import play
from tests.ui.tables import DICE

games = pytest.mark.parametrize("name", NAMES)
seeds = st.integers(0, 2**32 - 1)


def session_of(position: dict[str, Any], *actions: dict[str, Any]) -> Session:
    game = load_game(position["game"])
    session = Session.begin(game, game.read_position(Field(position), own_kit(game.name)))
    for written in actions:
        session, ruling = session.submit(game.read_action(Field(written), session.state))
        assert session.actions and game.write_action(session.actions[-1]) == written, ruling
    return session


def view_of(session: Session, language: str = "en") -> Scores:
    return scores(session, Teller(session.game, language))


def test_a_turn_with_what_it_brought() -> None:
    """A harvested carrot is worth 2; a star doubles another's squash; the harvester gets a point for that."""
    board = {
        "6,5": {"piece": "carrot/vegetable", "owner": "blue"},
        "6,6": {"piece": "squash/vegetable", "owner": "green"},
    }
    played = session_of({**DICE, "board": board}, {"do": "harvest", "at": "6,5", "die": 4}, {"do": "end-turn"})
    view = view_of(played)
    assert view.names == ("Blue", "Green")
    (turn,) = view.turns
    assert turn.name == "Blue" and len(turn.lines) == 2
    assert turn.gains == (  # 6,5 is a star itself
        Gain("Blue", 4, "star", "6,5"),
        Gain("Green", 2, "star", "6,6"),
        Gain("Blue", 1, "an opponent's tile", "6,6"),
    )
    assert turn.totals == (17, 9)
    assert view.series == ((12, 17), (7, 9))
    assert [(source.text, source.points) for source in view.sources] == [
        ("at the start", (12, 7)),
        ("star", (4, 2)),
        ("an opponent's tile", (1, 0)),
        ("together", (17, 9)),
    ]
    assert view.ending == () and view.heading == "The score, if the game ended now"
    assert [tap.to for tap in view.taps] == [Write("json"), Write("csv"), Write("png")]


def test_the_ending_is_told_bonus_by_bonus() -> None:
    harvest = ["squash", "carrot", "tomato", "artichoke", "eggplant", "eggplant", "eggplant"]
    players = [
        {"colour": "blue", "score": 20, "seeds": ["tomato", "carrot"], "harvested": harvest},
        {"colour": "green", "score": 35, "sun": True},
    ]
    position = {**DICE, "players": players, "board": {}, "supply": {}, "over": True, "turn": {"player": "blue"}}
    view = view_of(session_of(position))
    # Blue: 20 - 5 + 15 + 10 (three eggplants); Green: 35 + 5
    assert [(told.heading, told.lines, told.totals) for told in view.ending] == [
        ("track", ("Blue +20", "Green +35"), (20, 35)),
        ("unplanted seeds", ("Blue -5: a seed that was never planted",), (15, 35)),
        ("sets", ("Blue +15: a set of all five",), (30, 35)),
        ("collections", ("Blue +10: 3 of a kind: eggplant",), (40, 35)),
        ("unused sun", ("Green +5: the sun was not used",), (40, 40)),
        ("Equal points", ("Blue: value harvested 25", "Green: value harvested 0"), (40, 40)),
        ("Winner: Blue", view.ending[-1].lines, (40, 40)),
    ]
    assert view.verdict == "Winner: Blue"
    shared = view_of(session_of({**position, "options": {"tie_break": "shared"}}), "hu")
    assert [told.heading for told in shared.ending][-1] == "Győztes: kék, zöld"
    assert "Egyenlő pontszám" not in [told.heading for told in shared.ending]


def test_points_put_right_are_a_source_of_their_own() -> None:
    session = session_of(DICE)
    richer = {**DICE, "players": [{**DICE["players"][0], "score": 15}, DICE["players"][1]]}
    session, faults = session.take_table(session.game.read_position(Field(richer), None))
    assert not faults
    view = view_of(session)
    assert view.turns[0].name == "" and view.turns[0].gains == (Gain("Blue", 3, "put right", ""),)
    assert view.record is None  # a record cannot say that the table was taken as it is
    assert view.taps[0].note == "from where the table was last taken as it is"


@games
@given(seed=seeds, plies=st.integers(0, 150))
def test_the_points_add_up(name: str, seed: int, plies: int) -> None:
    """Over the sources and over the turns, to the score; the chart ends where the score stands."""
    begun, played = play(name, seed, plies)
    session, _ = Session.begin(load_game(name), begun).submit_all([ply.action for ply in played])
    view = view_of(session)
    totals = tuple(standing(session.game, session.state).values())
    *rows, total = view.sources or [None]
    assert tuple(map(sum, zip(*(row.points for row in rows if row), strict=True))) in (totals, ())
    assert total is None or total.points == totals
    assert tuple(line[-1] for line in view.series) == totals
    gained: Counter[str] = Counter(dict(zip(view.names, standing(session.game, session.start).values(), strict=False)))
    for turn in view.turns:
        for gain in turn.gains:
            gained[gain.name] += gain.points
        assert turn.totals == tuple(gained[name] for name in view.names)[: len(turn.totals)]
    assert sum(len(turn.lines) for turn in view.turns) == len(session.entries)


@given(seed=seeds, plies=st.integers(0, 400))
def test_bonuses_one_by_one_are_what_the_score_adds_up(seed: int, plies: int) -> None:
    begun, played = play("garden-dice", seed, plies)
    state, game = played[-1].after.state if played else begun, load_game("garden-dice")
    added: Counter[tuple[str, str]] = Counter()
    for bonus in game.bonuses(state):
        added[bonus.player, bonus.item] += bonus.points
        assert bonus.clause in Teller(game, "en").clauses
    for side, entry in sides(game.score(state)).items():
        assert [added[side, item] for item in ("unplanted", "sets", "collections", "sun")] == [
            entry[item] for item in ("unplanted", "sets", "collections", "sun")
        ]


@games
def test_a_whole_game_is_told_to_its_end_and_fits_a_code(name: str) -> None:
    game, random = load_game(name), Random(3)
    session = Session.begin(game, start(game, 2, {}, random, own_kit(name)))
    while (action := choose(game, session.state, random)) is not None:
        session, _ = session.submit(action)
    assert game.over(session.state)
    for language in LANGUAGES:
        view = view_of(session, language)
        assert view.ending[-1].heading == view.verdict
        final = tuple(entry["total"] for entry in sides(game.score(session.state)).values() if "total" in entry)
        assert view.ending[-1].totals == final
        assert view.result.splitlines()[-1] == view.verdict and "{" not in view.result
    assert view.record is not None and len(view.record) <= MOST_LETTERS
    assert read_code(view.record) == write_record(session)


def test_a_code_that_is_not_whole_is_a_fault_and_too_long_a_record_has_none() -> None:
    code = as_code({"format": 1, "actions": []})
    assert code is not None
    for text in (code[:-3], code[:-1], code + "0", code + "é", "GARDEN1:", "GARDEN1::::", "GARDEN2:" + code[8:]):
        with pytest.raises(Fault, match="a code that cannot be read"):
            read_code(text)
    random = Random(1)
    long = {"actions": [random.randbytes(30).hex() for _ in range(200)]}  # 6000 bytes of chance cannot be compressed
    assert as_code(long) is None


def test_a_code_is_judged_like_the_record_that_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from companion.__main__ import main

    view = view_of(session_of(DICE, {"do": "water", "at": "2,2", "die": 4}))
    assert view.record is not None
    path = tmp_path / "code.txt"
    path.write_text(view.record + "\n", encoding="utf-8")
    assert main(["judge", str(path)]) == 0
    assert "Blue waters the artichoke" in capsys.readouterr().out
