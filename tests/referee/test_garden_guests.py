"""Garden Guests as the referee sees it, on the project's own map; worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from companion.commands import own_kit
from companion.document import Field
from companion.games import load_game
from companion.observation import Observation, Reading
from companion.referee import Finding, Illegal, Proposed, Unexplained, Waiting, expected_table, reconcile
from companion.rules import State
from tests.referee.seen import sight

GAME, KIT = load_game("garden-guests"), own_kit("garden-guests")
FLOWER = {space.id: space.tags.get("flower") for space in KIT.spaces}
KIND = {space.id: space.kind for space in KIT.spaces}
LINE = ("1,1", "0,2", "-1,2", "-1,3")  # from pedestal to pedestal over two flowers


def position(spaces: dict[str, Any], counted: bool = False, **changes: Any) -> State:
    cards: dict[str, Any] = (
        {"hands": [5], "deck": 40, "discards": 0}
        if counted
        else {
            "hands": None,
            "deck": None,
            "discards": None,
        }
    )
    teams = [
        {"team": "black", "collection": [1, 3], "guests": 10, "stones": 35, **cards},
        {"team": "gold", "collection": [4, 2], "guests": 10, "stones": 35, **cards},
    ]
    document = {"game": "garden-guests", "teams": teams, "spaces": spaces, "turn": {"team": "black", "player": 0}}
    return GAME.read_position(Field(document | changes), KIT)


def colony(team: str, guests: int, safe: bool = False) -> dict[str, Any]:
    return {"team": team, "guests": guests, "safe": safe}


def marked(team: str, at: str) -> tuple[str, str]:
    return f"guest/{team}", f"marker/{FLOWER[at]}"


def found(state: State, changes: dict[str, tuple[str, ...]], **how: Any) -> Finding:
    return reconcile(GAME, KIT, state, sight(expected_table(GAME, state, KIT) | changes, **how))


def written(finding: Finding) -> list[dict[str, Any]]:
    assert isinstance(finding, Proposed)
    return [GAME.write_action(action) for action in finding.best.actions]


def test_the_map_is_as_these_tests_take_it() -> None:
    near = GAME.read_position(Field(GAME.write_position(position({}))), KIT).board.near
    assert [KIND[at] for at in LINE] == ["pedestal", "flower", "flower", "pedestal"]
    assert all(there in near[here] for here, there in pairwise(LINE))


def test_what_should_lie_on_the_table() -> None:
    state = position({LINE[0]: colony("black", 3), LINE[1]: {"team": "gold", "stone": True}, "2,2": colony("gold", 1)})
    table = expected_table(GAME, state, KIT)
    assert {space: pieces for space, pieces in table.items() if pieces} == {
        LINE[0]: marked("black", LINE[0]),
        LINE[1]: ("stone/gold",),
        "2,2": marked("gold", "2,2"),
    }


def test_guests_under_a_marker_are_assumed_to_be_the_fewest() -> None:
    """Knocking off two takes three; up to the ten that are left can lie there."""
    state = position({LINE[0]: colony("gold", 2)})
    finding = found(state, {LINE[0]: marked("black", LINE[0])})
    assert written(finding) == [{"do": "colony", "at": LINE[0], "guests": 3}]
    assert isinstance(finding, Proposed) and finding.clear
    assert finding.best.assumed == ("guests",)
    what, options = finding.open[0]
    assert what == "guests"
    assert [GAME.write_action(option)["guests"] for option in options] == list(range(3, 11))


def path_laid() -> tuple[State, dict[str, tuple[str, ...]]]:
    state = position({LINE[0]: colony("black", 3), LINE[3]: colony("black", 1)})
    stones = dict.fromkeys(LINE[1:3], ("stone/black",))
    return state, stones | {LINE[0]: ("guest/black",), LINE[3]: ("guest/black",)}


def test_a_path_is_told_from_colony_to_colony() -> None:
    state, seen = path_laid()
    finding = found(state, seen)
    (action,) = written(finding)
    assert action["do"] == "path"
    assert action["spaces"] in (list(LINE), list(LINE[::-1]))
    assert isinstance(finding, Proposed) and finding.clear


def test_a_path_with_a_stone_out_of_sight_does_not_stand_clear() -> None:
    state, seen = path_laid()
    finding = found(state, seen, unsure=(LINE[1],))
    assert isinstance(finding, Proposed) and not finding.clear


def test_where_one_stone_cannot_be_told_it_must_show_that_something_lies_there() -> None:
    state, seen = path_laid()
    observed = sight(expected_table(GAME, state, KIT) | seen, unsure=(LINE[1],))
    finding = reconcile(GAME, KIT, state, observed, otherwise={LINE[1]})
    assert isinstance(finding, Proposed) and finding.clear
    hidden = sight(expected_table(GAME, state, KIT) | seen, unsure=LINE[1:3])
    finding = reconcile(GAME, KIT, state, hidden, otherwise={*LINE[1:3]})
    assert not (isinstance(finding, Proposed) and finding.clear)


def guessed(state: State, at: str, guess: Reading) -> Observation:
    seen = sight(expected_table(GAME, state, KIT), unsure=(at,))
    return replace(seen, guesses={at: guess})


def test_a_guess_counts_for_more_where_something_else_seems_to_lie() -> None:
    """Of twenty rivals of a guess at 0.8 each is worth a hundredth, and so is what lay there."""
    state = position({LINE[0]: colony("gold", 2)})
    seen = guessed(state, LINE[0], Reading(marked("black", LINE[0]), 0.8))
    alike, otherwise = (reconcile(GAME, KIT, state, seen, otherwise=at) for at in ((), {LINE[0]}))
    assert isinstance(alike, Proposed) and not alike.clear
    assert isinstance(otherwise, Proposed) and otherwise.clear
    assert written(otherwise) == [{"do": "colony", "at": LINE[0], "guests": 3}]


def test_a_guess_with_a_rival_does_not_stand_clear() -> None:
    state = position({LINE[0]: colony("gold", 2)})
    rivals = {("stone/black",): 0.15}
    finding = reconcile(
        GAME, KIT, state, guessed(state, LINE[0], Reading(marked("black", LINE[0]), 0.8, rivals)), otherwise={LINE[0]}
    )
    assert isinstance(finding, Proposed) and not finding.clear


def test_a_stone_that_is_only_likely_is_not_passed_over() -> None:
    """Without it the line would be whole, too; but something likely speaks against that."""
    state, seen = path_laid()
    near = state.board.near
    beside = next(at for at in near[LINE[1]] if at in near[LINE[0]] and KIND[at] == "flower" and at not in LINE)
    observed = sight(expected_table(GAME, state, KIT) | seen, unsure=(beside,))
    finding = reconcile(GAME, KIT, state, replace(observed, guesses={beside: Reading(("stone/black",), 0.9)}))
    assert isinstance(finding, Proposed)
    assert beside in written(finding)[0]["spaces"]


def test_stones_that_are_no_line_yet_are_waited_for() -> None:
    state, _ = path_laid()
    finding = found(state, {LINE[2]: ("stone/black",)})
    assert isinstance(finding, Waiting)
    assert finding.clause == "path.ends"
    wanting = [at for at, pieces in finding.to_do.items() if pieces == ("stone/black",)]
    assert len(wanting) == 1 and state.board is not None
    assert {LINE[0], LINE[2]} <= {*state.board.near[wanting[0]]}
    assert {at: finding.to_do[at] for at in (LINE[0], LINE[3])} == dict.fromkeys((LINE[0], LINE[3]), ("guest/black",))


def test_markers_still_on_their_colonies_are_waited_for() -> None:
    state, seen = path_laid()
    finding = found(state, {at: seen[at] for at in LINE[1:3]})
    assert isinstance(finding, Waiting)
    assert finding.clause == "path.secure"
    assert finding.to_do == {LINE[0]: ("guest/black",), LINE[3]: ("guest/black",)}


def test_a_team_that_drew_cards_is_inferred_from_the_next_ones_move() -> None:
    finding = found(position({}), {LINE[0]: marked("gold", LINE[0])})
    assert written(finding) == [{"do": "collect"}, {"do": "colony", "at": LINE[0], "guests": 1}]


def test_where_cards_are_counted_the_card_is_asked() -> None:
    finding = found(position({}, counted=True), {LINE[0]: marked("gold", LINE[0])})
    assert isinstance(finding, Proposed) and not finding.clear
    what, options = finding.open[0]
    assert what == "collect"
    assert sorted(GAME.write_action(option)["card"] for option in options) == [1, 3]


def test_what_is_illegal_is_told_with_the_clause() -> None:
    state = position({LINE[0]: colony("gold", 1, safe=True), LINE[1]: {"team": "gold", "stone": True}})
    mushroom = next(space.id for space in KIT.spaces if space.kind == "mushroom")
    seen: dict[str, tuple[dict[str, tuple[str, ...]], str]] = {
        "a safe colony knocked off": ({LINE[0]: marked("black", LINE[0])}, "path.safe"),
        "a colony on a flower": ({LINE[2]: ("guest/black",)}, "colony.space"),
        "a stone taken off": ({LINE[1]: ()}, "path.permanent"),
        "a stone on a mushroom": ({mushroom: ("stone/black",)}, "path.flowers-only"),
    }
    for what, (changes, clause) in seen.items():
        finding = found(state, changes)
        assert isinstance(finding, Illegal), what
        assert finding.clause == clause, what
        before = expected_table(GAME, state, KIT)
        assert finding.put_back == {space: before[space] for space in changes}, what


def test_nobody_is_accused_after_several_turns_that_nobody_confirmed() -> None:
    """A colony on a flower is none; but after two turns that are only inferred, who knows."""
    pedestals = [at for at in KIND if KIND[at] == "pedestal" and at != LINE[2]]
    after_one = {pedestals[0]: marked("black", pedestals[0]), LINE[2]: ("guest/gold",)}
    finding = found(position({}), after_one)
    assert isinstance(finding, Illegal) and finding.clause == "colony.space"
    after_three = {
        pedestals[0]: marked("black", pedestals[0]),
        pedestals[1]: marked("gold", pedestals[1]),
        LINE[2]: ("guest/black",),
    }
    assert isinstance(found(position({}), after_three), Unexplained)
