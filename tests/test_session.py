"""Going back and forth in a game, and putting an earlier action right; the laws for all games, by random play."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from companion.document import Fault, Field
from companion.games import NAMES, load_game
from companion.rules import Allowed, Refused
from companion.session import Impossible, Session, TableTaken, read_record, stretches, write_record
from tests.store.steps import begun, steps

all_games = pytest.mark.parametrize("name", NAMES)


def session_of(game_name: str, actions: list[dict[str, Any]], **header: Any) -> Session:
    """A game from the set-up of the rules, every action allowed."""
    written = {"format": 1, "game": game_name, "actions": actions} | header
    record = read_record(Field(written), NAMES, load_game, None)
    session = Session.begin(record.game, record.start)
    for action in record.actions:
        session, ruling = session.submit(action)
        assert isinstance(ruling, Allowed), action
    return session


def action_of(session: Session, **written: Any) -> Any:
    return session.game.read_action(Field(written), session.start)


OPENING = [
    {"do": "roll", "dice": [5, 1, 3, 6]},
    {"do": "buy", "kind": "tomato", "die": 5},
    {"do": "place", "piece": "tomato", "at": "3,1", "dice": [1, 3]},
    {"do": "water", "at": "3,1", "die": 6},
    {"do": "end-turn"},
    {"do": "roll", "dice": [2, 2, 4, 4]},
]


def opening() -> Session:
    """Dice may be left over, so that a turn's end stands whatever was done in the turn."""
    return session_of("garden-dice", OPENING, players=["blue", "red"], options={"must_spend": "warn"})


def written(session: Session) -> list[dict[str, Any]]:
    return [session.game.write_action(action) for action in session.actions]


# Laws


@all_games
@pytest.mark.parametrize("seed", range(4))
def test_any_step_can_be_undone_and_redone(name: str, seed: int) -> None:
    before = begun(name, seed)
    for (way, _), after in islice(steps(before, seed), 120):
        if way not in ("undo", "redo") and after.history != before.history:
            assert after.undo().states == before.states
            assert after.undo().entries == before.entries
            assert after.undo().redo() == after
        before = after


@all_games
@pytest.mark.parametrize("seed", range(4))
def test_undoing_everything_leads_to_the_start_and_redoing_it_back(name: str, seed: int) -> None:
    start = begun(name, seed)
    *_, (_, end) = islice(steps(start, seed), 120)
    session, number = end, 0
    while session.history.done:
        session, number = session.undo(), number + 1
    assert session.states == start.states
    assert session.undo() == session
    for _ in range(number + len(end.history.undone)):
        session = session.redo()
    assert session.redo() == session
    for _ in end.history.undone:
        session = session.undo()
    assert session == end


@all_games
@pytest.mark.parametrize("seed", range(4))
def test_the_states_are_those_of_a_replay(name: str, seed: int) -> None:
    start = begun(name, seed)
    *_, (_, end) = islice(steps(start, seed), 150)
    replayed, fallen = Session.replay(start.game, start.start, end.history)
    assert fallen == ()
    assert replayed == end


@all_games
@pytest.mark.parametrize("seed", range(6))
def test_a_correction_keeps_what_stands_and_names_what_falls(name: str, seed: int) -> None:
    """Each entry after the corrected one either stands, in its order, or fell by a clause of the rulebook."""
    before = begun(name, seed)
    corrections = 0
    for (way, given), after in islice(steps(before, seed), 150):
        if way == "correct":
            at, action = given
            corrections += 1
            correction = before.correct(at, [action])
            assert correction.session == after
            gone = [fallen.at for fallen in correction.fallen]
            kept = [entry for place, entry in enumerate(before.entries) if place > at and place not in gone]
            assert list(after.entries) == [*before.entries[:at], action, *kept]
            for fallen in correction.fallen:
                assert fallen.at > at and before.entries[fallen.at] == fallen.action
                assert not isinstance(fallen.why, Allowed)
        before = after
    assert corrections > 0


@all_games
def test_every_stretch_is_a_record_that_leads_to_the_same_position(name: str) -> None:
    start = begun(name, 3)
    *_, (_, end) = islice(steps(start, 3), 150)
    parts = stretches(end)
    assert len(parts) == 1 + sum(isinstance(entry, TableTaken) for entry in end.entries) > 1
    record = read_record(Field(write_record(end)), NAMES, load_game, None)
    session, rulings = Session.begin(record.game, record.start).submit_all(record.actions)
    assert all(isinstance(ruling, Allowed) for ruling in rulings)
    assert session.game.write_position(session.state) == end.game.write_position(end.state)


# Worked out by hand


def test_a_roll_put_right_keeps_the_rest_where_the_rest_still_holds() -> None:
    """It was 5, 2, 3, 6: no 1 to place the tomato on 3,1 with, and so nothing there to water."""
    session = opening()
    correction = session.correct(0, [action_of(session, do="roll", dice=[5, 2, 3, 6])])
    assert [(fallen.at, fallen.why) for fallen in correction.fallen] == [
        (2, Refused("turn.die-once")),
        (3, Refused("water.own")),
    ]
    assert written(correction.session) == [{"do": "roll", "dice": [5, 2, 3, 6]}, OPENING[1], *OPENING[4:]]
    assert correction.session.undo().states == session.states


def test_what_never_happened_is_struck_out_and_what_was_forgotten_put_in() -> None:
    session = opening()
    watered = session.correct(3, [])
    assert watered.fallen == () and written(watered.session) == [*OPENING[:3], *OPENING[4:]]
    back = watered.session.correct(2, [session.actions[2], session.actions[3]])
    assert back.fallen == () and written(back.session) == OPENING


def test_a_correction_that_is_not_allowed_changes_nothing() -> None:
    session = opening()
    correction = session.correct(3, [action_of(session, do="water", at="3,1", die=2)])
    assert correction.session is session
    assert not isinstance(correction.rulings[-1], Allowed)
    with pytest.raises(Fault, match="expected an entry from 1 to 6"):
        session.correct(6, [])


def test_several_actions_are_one_step_and_stand_or_fall_together() -> None:
    session = opening()
    for _ in range(3):
        session = session.undo()
    assert len(session.entries) == 3
    later = [action_of(session, **action) for action in OPENING[3:]]
    done, rulings = session.submit_all(later)
    assert written(done) == OPENING and len(rulings) == 3
    assert written(done.undo()) == OPENING[:3]
    same, rulings = session.submit_all([*later, later[0]])
    assert same is session and isinstance(rulings[-1], Refused)
    assert session.submit_all([]) == (session, ())


def test_a_new_action_ends_what_could_be_redone() -> None:
    session = opening().undo()
    other, _ = session.submit(action_of(session, do="roll", dice=[6, 6, 6, 1]))
    assert other.redo() == other


def test_a_drawn_token_that_the_sack_does_not_hold_is_told_as_a_value() -> None:
    position = {
        "game": "garden-rush",
        "players": [{"colour": "pink"}, {"colour": "blue"}],
        "board": {"tools": {"pink": {}, "blue": {}}, "bonus_spaces": [], "patterns": {}},
        "hedge": ["carrot", "eggplant", "tomato", "broccoli", "potato"],
        "trampoline": "potato",
        "sack": {"tomato": 1, "carrot": 1},
        "turn": {"player": "pink"},
    }
    moves = [
        {"do": "place", "from": 1, "to": "3,3", "draw": ["tomato"]},
        {"do": "place", "from": 1, "to": "3,3", "draw": ["carrot"]},
    ]
    session = session_of("garden-rush", moves, start=position)
    correction = session.correct(0, [action_of(session, **(moves[0] | {"draw": ["carrot"]}))])
    (fallen,) = correction.fallen
    assert isinstance(fallen.why, Impossible) and "the sack holds none" in fallen.why.text


def test_the_table_is_taken_as_it_is_or_refused_with_all_that_cannot_be() -> None:
    session = opening()
    there = session.game.write_position(session.state)
    there["players"][0]["score"] = 12
    position = session.game.read_position(Field(there), None)
    after, faults = session.take_table(position)
    assert faults == [] and after.state == position and after.undo().states == session.states
    assert write_record(after)["start"]["players"][0]["score"] == 12 and write_record(after)["actions"] == []
    assert write_record(after, 0)["actions"] == OPENING
    there["board"]["7,7"] = {"piece": "rock"}
    there["supply"]["tomato"] = 99
    same, faults = session.take_table(session.game.read_position(Field(there), None))
    assert same is session and len(faults) >= 1


def test_a_correction_before_a_taken_table_leaves_what_comes_after_it() -> None:
    session, _ = opening().take_table(opening().state)
    session, _ = session.submit(action_of(session, do="buy", kind="carrot", die=2))
    correction = session.correct(0, [action_of(session, do="roll", dice=[5, 2, 3, 6])])
    assert [fallen.at for fallen in correction.fallen] == [2, 3]
    assert correction.session.state == session.state
