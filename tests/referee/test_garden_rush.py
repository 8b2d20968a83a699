"""Garden Rush as the referee sees it, worked out by hand."""

from __future__ import annotations

from typing import Any

from companion.commands import own_kit
from companion.document import Field
from companion.games import load_game
from companion.referee import Earlier, Finding, Illegal, Proposed, Waiting, expected_table, reconcile
from companion.rules import Allowed, State, judge
from tests.referee.seen import sight

GAME, KIT = load_game("garden-rush"), own_kit("garden-rush")

# The kit's tool spaces lie elsewhere: these are the rulebook's test board.
BASE: dict[str, Any] = {
    "game": "garden-rush",
    "board": {
        "tools": {
            "pink": {"2,2": "place", "2,4": "harvest", "4,2": "move", "4,4": "flip"},
            "blue": {"2,2": "place", "2,4": "harvest", "4,2": "move", "4,4": "flip"},
        },
        "bonus_spaces": [12],
        "patterns": {"carrot": [[[0, 0], [0, 1]]], "broccoli": [[[0, 0], [1, 0], [1, 1]]], "potato": [[[0, 0]]]},
    },
    "players": [
        {"colour": "pink", "score": 4, "garden": {"3,2": "carrot/single", "3,3": "carrot/double"}},
        {"colour": "blue", "score": 2, "garden": {"5,4": "tomato/single"}},
    ],
    "hedge": ["carrot", "eggplant", "tomato", "broccoli", "potato"],
    "trampoline": "carrot",
    "sack": {"carrot": 5, "tomato": 5, "broccoli": 5},
    "turn": {"player": "pink"},
}


def position(**changes: Any) -> State:
    return GAME.read_position(Field(BASE | changes), None)


def found(state: State, changes: dict[str, tuple[str, ...]], earlier: tuple[Earlier, ...] = ()) -> Finding:
    table = expected_table(GAME, state, KIT) | changes
    return reconcile(GAME, KIT, state, sight(table), earlier)


def written(finding: Finding) -> list[dict[str, Any]]:
    assert isinstance(finding, Proposed)
    return [GAME.write_action(action) for action in finding.best.actions]


def after(state: State, document: dict[str, Any]) -> State:
    ruling = judge(GAME, state, GAME.read_action(Field(document), state))
    assert isinstance(ruling, Allowed)
    return ruling.state


RESUPPLIED = {
    "hedge-3": ("broccoli/double",),
    "hedge-4": ("potato/double",),
    "hedge-5": ("carrot/double",),
    "trampoline": ("tomato/double",),
}


def test_what_should_lie_on_the_table() -> None:
    table = expected_table(GAME, position(), KIT)
    assert {space: pieces for space, pieces in table.items() if pieces} == {
        "pink-3,2": ("carrot/single",),
        "pink-3,3": ("carrot/double",),
        "blue-5,4": ("tomato/single",),
        "hedge-1": ("carrot/double",),
        "hedge-2": ("eggplant/double",),
        "hedge-3": ("tomato/double",),
        "hedge-4": ("broccoli/double",),
        "hedge-5": ("potato/double",),
        "trampoline": ("carrot/double",),
        "track-4": ("gnome/pink",),
        "track-2": ("gnome/blue",),
    }


def test_a_placing_is_told_with_what_was_drawn() -> None:
    finding = found(position(), RESUPPLIED | {"pink-4,3": ("tomato/double",)})
    assert written(finding) == [{"do": "place", "from": 3, "to": "4,3", "draw": ["tomato"]}]
    assert isinstance(finding, Proposed) and finding.clear


def test_a_harvest_scores_its_bed() -> None:
    finding = found(position(), {"pink-3,2": (), "pink-3,3": ("carrot/single",)})
    assert written(finding) == [{"do": "harvest", "cells": ["3,2", "3,3"]}]
    assert isinstance(finding, Proposed)
    assert [(scored.player, scored.points) for scored in finding.best.points] == [("pink", 2)]


def test_a_token_placed_and_harvested_at_once_shows_on_the_hedge_alone() -> None:
    """The potato on the harvest space is a bed of its own: nothing of it stays in the garden."""
    finding = found(position(), {"hedge-5": ("carrot/double",), "trampoline": ("tomato/double",)})
    assert written(finding) == [
        {"do": "place", "from": 5, "to": "2,4", "bonus": {"do": "harvest", "cells": ["2,4"]}, "draw": ["tomato"]}
    ]


def test_both_players_turns_are_put_in_order() -> None:
    """Pink placed the tomato, blue the broccoli that lay on column 3 then."""
    seen = {
        "pink-4,3": ("tomato/double",),
        "blue-1,3": ("broccoli/double",),
        "hedge-3": ("potato/double",),
        "hedge-4": ("carrot/double",),
        "hedge-5": ("tomato/double",),
        "trampoline": ("broccoli/double",),
    }
    assert written(found(position(), seen)) == [
        {"do": "place", "from": 3, "to": "4,3", "draw": ["tomato"]},
        {"do": "place", "from": 3, "to": "1,3", "draw": ["broccoli"]},
    ]


def test_a_bonus_taken_later_replaces_the_last_action() -> None:
    """The tomato lies on the flip space; its bonus turns blue's tomato over."""
    met = position()
    action = GAME.read_action(Field({"do": "place", "from": 3, "to": "4,4", "draw": ["tomato"]}), met)
    state = after(met, {"do": "place", "from": 3, "to": "4,4", "draw": ["tomato"]})
    finding = found(state, {"blue-5,4": ("tomato/double",)}, (Earlier(met, (action,)),))
    assert isinstance(finding, Proposed) and finding.best.replaces_last
    assert written(finding) == [
        {
            "do": "place",
            "from": 3,
            "to": "4,4",
            "bonus": {"do": "flip", "garden": "blue", "cell": "5,4"},
            "draw": ["tomato"],
        }
    ]


def test_the_wrong_side_up_is_told() -> None:
    finding = found(position(), RESUPPLIED | {"pink-4,3": ("tomato/single",)})
    assert isinstance(finding, Illegal)
    assert finding.clause == "place.column"
    assert finding.put_back == {
        "pink-4,3": (),
        "hedge-3": ("tomato/double",),
        "hedge-4": ("broccoli/double",),
        "hedge-5": ("potato/double",),
        "trampoline": ("carrot/double",),
    }


def test_a_bed_of_no_shape_is_told() -> None:
    state = position(
        players=[
            {"colour": "pink", "garden": {"3,2": "carrot/single", "4,3": "carrot/single"}},
            {"colour": "blue", "score": 2},
        ]
    )
    finding = found(state, {"pink-3,2": (), "pink-4,3": ()})
    assert isinstance(finding, Illegal)
    assert finding.clause == "harvest.pattern"


def test_a_token_moved_without_a_right_to_is_told() -> None:
    finding = found(position(), {"pink-3,2": (), "pink-5,2": ("carrot/single",)})
    assert isinstance(finding, Illegal)
    assert finding.clause == "turn.one"


def test_the_resupply_is_waited_for() -> None:
    finding = found(position(), {"pink-4,3": ("tomato/double",), "hedge-3": ()})
    assert isinstance(finding, Waiting)
    assert finding.clause == "place.resupply"


def test_a_hidden_trampoline_leaves_the_draw_open() -> None:
    state = position()
    table = expected_table(GAME, state, KIT) | RESUPPLIED | {"pink-4,3": ("tomato/double",)}
    finding = reconcile(GAME, KIT, state, sight(table, unsure=("trampoline",)))
    assert isinstance(finding, Proposed) and not finding.clear
    draws = [GAME.write_action(way.actions[0])["draw"] for way in (finding.best, *finding.ways)]
    assert sorted(draws) == [["broccoli"], ["carrot"], ["tomato"]]
