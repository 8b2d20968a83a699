"""Turns seen at once, and turns of which something left no trace."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from companion.document import Field
from companion.games import NAMES
from companion.referee import Amendment, Asked, Earlier, Illegal, Proposed, Undone, Waiting, reconcile
from companion.rules import Allowed, State, judge
from tests.referee import test_garden_dice as dice
from tests.referee import test_garden_guests as guests
from tests.referee import test_garden_rush as rush
from tests.referee.seen import sight
from tests.referee.turns import PLAYERS, looks, seen_at, verdict

BLUE, GREEN = "disc/blue", "disc/green"
OFF = {"must_spend": "off"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("player", "at_once"), [("sensible", 1), ("random", 1), ("sensible", 2)])
def test_turns_of_a_game_are_named(name: str, player: str, at_once: int) -> None:
    """What is wrong looks like what is right, or was asked; nobody is accused."""
    told = [verdict(look, seen_at(look)) for look in islice(looks(name, 1, PLAYERS[player], at_once), 6)]
    assert not any(kind.startswith(("illegal", "waiting")) for kind in told)
    assert not any(kind.startswith("wrong") and "alike" not in kind for kind in told)
    assert sum(kind.startswith("right") for kind in told) >= (len(told) + 1) // 2


# Garden Dice


def test_a_seed_that_was_placed_watered_and_harvested_shows_on_the_score_track_alone() -> None:
    """The marker stands 3 farther on, as for a tomato; the plot is a guess, so it does not stand alone."""
    state = dice.position()
    table = dice.changed(state) | {"track-7": (GREEN,), "track-10": (BLUE,)}
    finding = reconcile(dice.GAME, dice.KIT, state, sight(table, (2, 3, 4, 5)), lay=(1, 1, 1, 1))
    actions = dice.written(finding)
    assert [action["do"] for action in actions] == ["roll", "place", "water", "harvest", "end-turn"]
    assert actions[1]["piece"] == "tomato"
    assert isinstance(finding, Proposed) and not finding.clear
    assert finding.markers == ()


def test_the_next_turn_lies_there_already_and_this_one_owes_dice() -> None:
    """Blue placed with 2 and 3; on what 4 and 5 were spent is asked before green's turn is told."""
    table = dice.changed(dice.position(dice.ROLLED), r3c2=("tomato/seed", BLUE), r6c6=("sundial", GREEN))
    seen = sight(table, (1, 2, 6, 6))
    finding = reconcile(dice.GAME, dice.KIT, dice.position(dice.ROLLED), seen, lay=(2, 3, 4, 5))
    assert isinstance(finding, Asked)
    assert (finding.what, finding.dice_left) == ("dice-left", (4, 5))
    assert finding.best is not None
    assert [dice.GAME.write_action(action)["at"] for action in finding.best.actions] == ["3,2"]


def test_one_die_that_shows_something_else_may_be_the_suns_or_the_next_players() -> None:
    state = dice.position(dice.ROLLED, options=OFF)
    finding = reconcile(dice.GAME, dice.KIT, state, sight(dice.changed(state), (2, 3, 4, 6)), lay=(2, 3, 4, 5))
    assert isinstance(finding, Proposed) and not finding.clear
    told = [finding.best, *finding.alternatives]
    first = {dice.GAME.write_action(explanation.actions[0])["do"] for explanation in told}
    assert {"set-die", "end-turn"} <= first


def after(state: State, *actions: dict[str, Any]) -> tuple[State, list[Earlier]]:
    """The state after actions, and each as a step, the latest first."""
    steps: list[Earlier] = []
    for written in actions:
        action = dice.GAME.read_action(Field(written), state)
        steps.insert(0, Earlier(state, (action,)))
        ruling = judge(dice.GAME, state, action)
        assert isinstance(ruling, Allowed)
        state = ruling.state
    return state, steps


def test_a_piece_that_went_where_nobody_can_tell_was_not_taken_back_if_something_is_there_now() -> None:
    """A bird was placed on 5,4 and is gone from there; of 3,4, where a 2 or 3 takes it, only the looks have changed."""
    blue, green = dice.BASE["players"]
    begun = dice.position(dice.ROLLED, players=[blue | {"critter": True}, green], options=OFF)
    state, steps = after(begun, {"do": "place", "piece": "bird", "at": "5,4", "dice": [4, 5]})
    seen = sight(dice.changed(state, r5c4=()), (2, 3, 4, 5), unsure=("3,4",))
    alike, otherwise = (
        reconcile(dice.GAME, dice.KIT, state, seen, steps, (2, 3, 4, 5), otherwise=at) for at in ((), {"3,4"})
    )
    assert isinstance(alike, Undone)
    assert [(action["do"], action["to"]) for action in dice.written(otherwise)] == [("move", "3,4")]


def test_a_tile_that_is_gone_was_harvested_if_the_marker_says_so() -> None:
    """A tomato was placed on 3,2 and is gone again, watered and harvested with a 4 and a 5: blue has 7 + 3."""
    state, steps = after(
        dice.position(dice.ROLLED, options=OFF), {"do": "place", "piece": "tomato", "at": "3,2", "dice": [2, 3]}
    )
    table = dice.changed(state, r3c2=())
    scored = {"track-7": ("disc/green",), "track-10": (BLUE,)}
    back, harvested = (
        reconcile(dice.GAME, dice.KIT, state, sight(table | with_, (2, 3, 4, 5)), steps, (2, 3, 4, 5))
        for with_ in ({}, scored)
    )
    assert isinstance(back, Undone)
    assert isinstance(harvested, Proposed) and harvested.clear
    assert [action["do"] for action in dice.written(harvested)] == ["water", "harvest", "end-turn"]


@pytest.mark.parametrize(("eggplants", "clear"), [(0, True), (3, False)])
def test_which_die_was_spent_is_asked_only_where_it_makes_a_difference(eggplants: int, clear: bool) -> None:
    """A carrot was harvested with the 4 or the 5; the other is left.  Only an eggplant costs more than a 4."""
    supply = dice.BASE["supply"] | {"eggplant": eggplants}
    board = {plot: tile for plot, tile in dice.BASE["board"].items() if tile["piece"] != "rabbit"}
    turn = {"player": "blue", "rolled": True, "dice": [4, 5], "spent": [2, 3]}
    state = dice.position(turn, supply=supply, board=board, options=OFF)
    finding = dice.found(state, (2, 3, 4, 5), (2, 3, 4, 5), r6c1=(), r6c2=())
    assert isinstance(finding, Proposed)
    assert [action["do"] for action in dice.written(finding)] == ["harvest"]
    assert finding.clear == clear


def test_a_seed_may_have_been_bought_with_a_die_left_in_an_earlier_turn() -> None:
    """Blue ended a turn with 2 and 4 left.  Now a 6 turned the rabbit over, 3 and 4 placed a carrot, a 1 buys none."""
    begun = dice.position({"player": "blue", "rolled": True, "dice": [2, 4], "spent": [3, 5]}, options=OFF)
    end = {"do": "end-turn"}
    state, steps = after(begun, end, {"do": "roll", "dice": [1, 1, 1, 1]}, end)
    table = dice.changed(state, r3c4=("carrot/seed", BLUE), r5c5=("bird", BLUE))
    seen = sight(table, (1, 3, 4, 6))
    finding = reconcile(dice.GAME, dice.KIT, state, seen, steps, (1, 1, 1, 1), amend=True)
    assert isinstance(finding, Proposed)
    assert sorted(action["do"] for action in dice.written(finding)) == ["flip", "place", "roll"]
    amends = finding.best.amends
    assert isinstance(amends, Amendment)
    assert amends.back == 3
    assert [dice.GAME.write_action(action) for action in amends.actions] == [
        {"do": "buy", "kind": "carrot", "die": 2},
        end,
    ]
    unasked = reconcile(dice.GAME, dice.KIT, state, seen, steps, (1, 1, 1, 1))
    assert getattr(unasked, "best", None) is None or unasked.best.amends is None  # type: ignore[union-attr]


# Garden Guests


def test_cards_may_have_been_drawn_in_a_round_that_left_no_trace() -> None:
    """With one card black cannot lay two stones; whether both teams collected before nobody saw."""
    state = guests.position(
        {"1,1": guests.colony("black", 1), "-1,3": guests.colony("black", 1)},
        teams=[
            {"team": team, "collection": [1, 3], "guests": 10, "stones": 35, "hands": [1], "deck": 40}
            for team in ("black", "gold")
        ],
    )
    first, *stones, last = guests.LINE
    changes = dict.fromkeys(stones, ("stone/black",)) | dict.fromkeys((first, last), ("guest/black",))
    finding = guests.found(state, changes)
    assert [action["do"] for action in guests.written(finding)] == ["collect", "collect", "path"]
    assert isinstance(finding, Proposed) and not finding.clear


def test_stones_that_lead_to_no_colony_want_an_end() -> None:
    state = guests.position({"1,1": guests.colony("black", 1), "-1,3": guests.colony("black", 1)})
    finding = guests.found(state, {"1,2": ("stone/black",)})
    assert isinstance(finding, Waiting)
    assert finding.clause == "path.ends"


# Garden Rush


def test_a_mole_on_a_tool_space_breaks_its_clause_once_the_hedge_is_resupplied() -> None:
    hedge = ["carrot", "eggplant", "tomato", "broccoli", "hose"]
    state = rush.position(options={"tools": True}, hedge=hedge)
    changes = {"blue-2,2": ("mole",), "hedge-5": ("carrot/double",), "trampoline": ("tomato/double",)}
    finding = rush.found(state, changes)
    assert isinstance(finding, Illegal)
    assert finding.clause == "tool.mole"


def test_a_marker_that_was_moved_on_to_another_score_keeps_a_proposal_from_standing_alone() -> None:
    """Harvesting the two carrots gives 2 points: 4 and 2 are 6.  A gnome on 8 tells of something else."""
    state = rush.position()
    changes: dict[str, tuple[str, ...]] = {"pink-3,2": (), "pink-3,3": ("carrot/single",)}
    for score, clear in ((4, True), (6, True), (8, False)):
        markers: dict[str, tuple[str, ...]] = {f"track-{n}": () for n in (4, 6, 8)}
        finding = rush.found(state, changes | markers | {f"track-{score}": ("gnome/pink",)})
        assert isinstance(finding, Proposed)
        assert finding.clear == clear
