"""Garden Dice as the referee sees it, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.commands import own_kit
from companion.document import Field
from companion.games import load_game
from companion.observation import Reading
from companion.referee import (
    Asked,
    Earlier,
    Finding,
    Illegal,
    Misplaced,
    Proposed,
    Unchanged,
    Undone,
    Unexplained,
    Waiting,
    expected_table,
    reconcile,
)
from companion.rules import State
from tests.referee.seen import sight

GAME, KIT = load_game("garden-dice"), own_kit("garden-dice")
BLUE = "disc/blue"

BASE: dict[str, Any] = {
    "game": "garden-dice",
    "players": [
        {"colour": "blue", "score": 7, "seeds": ["tomato"], "sun": True, "sundial": True},
        {"colour": "green", "score": 7, "critter": True, "sundial": True},
    ],
    "supply": {"squash": 3, "carrot": 3, "tomato": 3, "artichoke": 3, "eggplant": 3},
    "board": {
        "2,2": {"piece": "artichoke/seed", "owner": "blue"},
        "2,3": {"piece": "tomato/seed", "owner": "green"},
        "2,4": {"piece": "squash/seed", "owner": "blue"},
        "3,3": {"piece": "eggplant/seed", "owner": "green"},
        "5,5": {"piece": "rabbit", "owner": "blue", "discs": 2},
        "6,1": {"piece": "carrot/vegetable", "owner": "blue"},
        "6,2": {"piece": "squash/vegetable", "owner": "green"},
    },
    "turn": {"player": "blue"},
}
ROLLED = {"player": "blue", "rolled": True, "dice": [2, 3, 4, 5]}
ALONE = {  # tiles of blue without neighbours
    "2,2": {"piece": "artichoke/seed", "owner": "blue"},
    "6,1": {"piece": "carrot/vegetable", "owner": "blue"},
}
BIRD_HELD = {"colour": "blue", "score": 7, "critter": True}


def position(turn: dict[str, Any] | None = None, **changes: Any) -> State:
    return GAME.read_position(Field(BASE | {"turn": turn or BASE["turn"]} | changes), KIT)


def changed(state: State, **spaces: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The table of a state with other pieces on some plots, written r2c3 for 2,3."""
    return expected_table(GAME, state, KIT) | {f"{name[1]},{name[3]}": pieces for name, pieces in spaces.items()}


def found(state: State, dice: tuple[int, ...] = (), lay: tuple[int, ...] = (), **spaces: tuple[str, ...]) -> Finding:
    return reconcile(GAME, KIT, state, sight(changed(state, **spaces), dice), lay=lay)


def written(finding: Finding) -> list[dict[str, Any]]:
    assert isinstance(finding, Proposed)
    return [GAME.write_action(action) for action in finding.best.actions]


def test_what_should_lie_on_the_table() -> None:
    """The tile and a disc; of a critter with two discs one is seen; markers side by side, in the order of their class.

    107 points on a track of 0 to 99 stand on its eighth space.
    """
    players = [BASE["players"][0] | {"score": 107}, BASE["players"][1]]
    table = expected_table(GAME, position(players=players), KIT)
    assert {space: pieces for space, pieces in table.items() if pieces} == {
        "2,2": ("artichoke/seed", "disc/blue"),
        "2,3": ("tomato/seed", "disc/green"),
        "2,4": ("squash/seed", "disc/blue"),
        "3,3": ("eggplant/seed", "disc/green"),
        "5,5": ("rabbit", "disc/blue"),
        "6,1": ("carrot/vegetable", "disc/blue"),
        "6,2": ("squash/vegetable", "disc/green"),
        "track-7": ("disc/blue", "disc/green"),
    }
    assert len(table) == 136


def test_a_whole_turn_is_explained_with_its_roll_and_its_end() -> None:
    """A 5 waters the artichoke and with it tomato and squash; 3 and 2 place the tomato; the 4 harvests two tiles."""
    state = position()
    finding = found(
        state,
        dice=(5, 4, 3, 2),
        lay=(1, 1, 1, 1),
        r2c2=("artichoke/vegetable", "disc/blue"),
        r2c3=("tomato/vegetable", "disc/green"),
        r2c4=("squash/vegetable", "disc/blue"),
        r3c2=("tomato/seed", "disc/blue"),
        r6c1=(),
        r6c2=(),
    )
    actions = written(finding)
    assert actions[0] == {"do": "roll", "dice": [2, 3, 4, 5]}
    assert actions[-1] == {"do": "end-turn"}
    done = {action["do"]: action for action in actions[1:-1]}
    assert done["place"] == {"do": "place", "piece": "tomato", "at": "3,2", "dice": [2, 3]}
    assert (done["water"]["at"], done["harvest"]["at"]) == ("2,2", "6,1")
    assert sorted((done["water"]["die"], done["harvest"]["die"])) == [4, 5]
    assert isinstance(finding, Proposed) and finding.clear and finding.dice_left == ()
    # carrot 2 and 1 for the opponent's tile, squash 1
    assert sorted((scored.player, scored.points) for scored in finding.best.points) == [
        ("blue", 1),
        ("blue", 2),
        ("green", 1),
    ]
    assert finding.markers == (
        Misplaced("disc/blue", "track-7", "track-10"),
        Misplaced("disc/green", "track-7", "track-8"),
    )


def test_a_roll_alone_is_a_proposal() -> None:
    finding = found(position(), dice=(1, 6, 6, 2), lay=(1, 1, 1, 1))
    assert written(finding) == [{"do": "roll", "dice": [1, 2, 6, 6]}]
    assert isinstance(finding, Proposed) and finding.clear and finding.dice_left == (1, 2, 6, 6)


def test_the_dice_of_the_last_turn_are_no_roll() -> None:
    assert isinstance(found(position(), dice=(1, 1, 1, 2), lay=(1, 1, 1, 2)), Unchanged)


def test_dice_that_are_gone_are_asked_for() -> None:
    finding = found(position(), lay=(1, 1, 1, 2), r6c1=(), r6c2=())
    assert isinstance(finding, Asked)
    assert finding.what == "dice"


def test_a_seed_that_nobody_was_seen_to_buy_was_bought_with_a_die_left() -> None:
    finding = found(position(ROLLED), dice=(2, 3, 4, 5), lay=(2, 3, 4, 5), r4c2=("eggplant/seed", "disc/blue"))
    assert written(finding) == [
        {"do": "buy", "kind": "eggplant", "die": 5},
        {"do": "place", "piece": "eggplant", "at": "4,2", "dice": [2, 4]},
    ]
    assert isinstance(finding, Proposed) and finding.dice_left == (3,)
    assert [GAME.write_action(action)["kind"] for action in finding.offers] == ["squash", "carrot", "tomato"]


def test_the_same_action_with_another_die_is_offered_not_chosen() -> None:
    """The squash may have been watered with any of the four dice."""
    finding = found(position(ROLLED), dice=(2, 3, 4, 5), lay=(2, 3, 4, 5), r2c4=("squash/vegetable", "disc/blue"))
    assert isinstance(finding, Proposed) and not finding.clear
    ways = [finding.best, *finding.ways]
    assert sorted(GAME.write_action(way.actions[0])["die"] for way in ways) == [2, 3, 4, 5]
    assert finding.alternatives == ()


def test_a_critter_that_was_placed_elsewhere_and_moved_on_with_the_last_die_is_offered() -> None:
    """A bird lies on 2,3: placed there with 2 and 3, or on 2,1 or 1,3 with the 1 and moved on with the third die."""
    state = position(ROLLED | {"dice": [1, 2, 3], "spent": [6]}, players=[BIRD_HELD, BASE["players"][1]], board={})
    finding = found(state, (1, 2, 3, 6), (1, 2, 3, 6), r2c3=("bird", BLUE))
    assert [action["at"] for action in written(finding)] == ["2,3"]
    assert isinstance(finding, Proposed) and finding.clear and finding.dice_left == (1,)
    (other,) = finding.alternatives
    assert [GAME.write_action(action)["do"] for action in other.actions] == ["place", "move", "end-turn"]
    assert expected_table(GAME, other.state, KIT)["2,3"] == ("bird", BLUE)


@pytest.mark.parametrize("dice", [(1, 1, 3), (3, 4, 5), (2, 4, 4)])
def test_a_critter_that_no_dice_could_place_where_it_lies_is_never_told_as_clear(dice: tuple[int, ...]) -> None:
    """It may have been placed elsewhere and moved on, or on 2,3 against the rules: nobody saw which."""
    state = position(ROLLED | {"dice": [*dice], "spent": [6]}, players=[BIRD_HELD, BASE["players"][1]], board={})
    finding = found(state, (*dice, 6), (*dice, 6), r2c3=("bird", BLUE))
    assert isinstance(finding, Proposed) and not finding.clear


def test_a_turn_that_still_owes_dice_is_no_offence_when_the_next_player_rolls() -> None:
    """What was bought nobody saw: it is asked."""
    state = position({"player": "blue", "rolled": True, "dice": [5], "spent": [2, 3, 4]})
    finding = found(state, dice=(1, 1, 2, 6), lay=(2, 3, 4, 5))
    assert isinstance(finding, Asked)
    assert (finding.what, finding.dice_left) == ("dice-left", (5,))
    assert len(finding.offers) == 5


def test_the_next_players_roll_ends_a_turn() -> None:
    state = position({"player": "blue", "rolled": True, "dice": [5], "spent": [2, 3, 4]}, options={"must_spend": "off"})
    finding = found(state, dice=(1, 1, 2, 6), lay=(2, 3, 4, 5))
    assert written(finding) == [{"do": "end-turn"}, {"do": "roll", "dice": [1, 1, 2, 6]}]


BLUE, GREEN = "disc/blue", "disc/green"
TWO_DICE = {"player": "blue", "rolled": True, "dice": [2, 3], "spent": [4, 5]}
LAST_DIE = {"player": "blue", "rolled": True, "dice": [3], "spent": [2, 4, 5]}


@pytest.mark.parametrize(
    ("turn", "spaces", "clauses"),
    [
        (ROLLED, {"r1c6": ("tomato/seed", BLUE)}, {"place.coordinates"}),
        (ROLLED, {"r3c3": ("tomato/seed", BLUE)}, {"place.empty"}),
        (TWO_DICE, {"r3c2": ("tomato/vegetable", BLUE)}, {"place.side", "turn.die-once"}),
        (ROLLED, {"r3c2": ("bird", BLUE)}, {"place.held"}),
        (LAST_DIE, {"r2c2": ("artichoke/vegetable", BLUE), "r2c3": ("tomato/vegetable", GREEN),
                    "r2c4": ("squash/vegetable", BLUE)}, {"water.value"}),
        (ROLLED, {"r3c3": ("eggplant/vegetable", GREEN)}, {"water.own"}),
        (ROLLED, {"r3c3": ()}, {"harvest.own"}),
        (ROLLED, {"r2c2": ("artichoke/vegetable", BLUE), "r2c3": ("tomato/vegetable", GREEN),
                  "r2c4": ("squash/vegetable", BLUE), "r3c3": ("eggplant/vegetable", GREEN)},
         {"water.stop", "water.own"}),
        (ROLLED, {"r5c5": ("bird", BLUE)}, {"flip.six"}),
        (LAST_DIE, {"r5c5": (), "r4c4": ("rabbit", BLUE)}, {"move.line"}),
        (LAST_DIE, {"r5c5": (), "r1c5": ("rabbit", BLUE)}, {"move.distance"}),
        (ROLLED, {"r2c4": (), "r1c4": ("squash/seed", BLUE)}, {"place.fixed"}),
    ],
)  # fmt: skip
def test_what_is_illegal_is_told_with_a_clause_that_is_broken(
    turn: dict[str, Any], spaces: dict[str, tuple[str, ...]], clauses: set[str]
) -> None:
    state = position(turn)
    dice = tuple(turn["dice"]) + tuple(turn.get("spent", ()))
    finding = found(state, dice, dice, **spaces)
    assert isinstance(finding, Illegal)
    assert finding.clause in clauses
    plots = {f"{name[1]},{name[3]}" for name in spaces}
    before = expected_table(GAME, state, KIT)
    assert finding.put_back.items() <= {plot: before[plot] for plot in plots}.items()


def test_a_chain_half_turned_over_is_waited_for() -> None:
    finding = found(position(ROLLED), (2, 3, 4, 5), (2, 3, 4, 5), r2c2=("artichoke/vegetable", BLUE))
    assert isinstance(finding, Waiting)
    assert finding.clause == "water.chain"
    assert finding.to_do == {"2,3": ("tomato/vegetable", GREEN), "2,4": ("squash/vegetable", BLUE)}


def test_what_no_action_looks_like_is_unexplained() -> None:
    finding = found(position(ROLLED), (2, 3, 4, 5), (2, 3, 4, 5), r2c2=("eggplant/seed", BLUE), r6c1=("rock",))
    assert isinstance(finding, Unexplained)
    assert finding.differing == {
        "2,2": (("artichoke/seed", BLUE), ("eggplant/seed", BLUE)),
        "6,1": (("carrot/vegetable", BLUE), ("rock",)),
    }


UNDER_DICE = ("1,5", "4,1", "4,4", "6,5")


@pytest.mark.parametrize(
    ("spaces", "clause"),
    [
        ({"r6c1": (), "r6c3": ("carrot/vegetable", BLUE)}, "place.fixed"),
        ({"r6c1": (), "r2c2": ("artichoke/vegetable", BLUE)}, None),
    ],
    ids=["moved", "watered-and-harvested"],
)
def test_dice_that_lie_on_plots_are_no_reason_to_find_no_explanation(
    spaces: dict[str, tuple[str, ...]], clause: str | None
) -> None:
    """What lies under each of four dice nobody can tell; those plots look otherwise than before the roll."""
    state = position(ROLLED | {"dice": [2, 3, 4, 5]}, board=ALONE)
    seen = sight(changed(state, **spaces), (2, 3, 4, 5), UNDER_DICE)
    finding = reconcile(GAME, KIT, state, seen, lay=(2, 3, 4, 5), otherwise=UNDER_DICE)
    assert isinstance(finding, Illegal if clause else Proposed)
    assert finding.best.clauses == (clause,) if clause else finding.best.legal


def test_pieces_put_back_are_an_undo_of_the_whole_step() -> None:
    before = position(ROLLED)
    placed = found(before, (2, 3, 4, 5), (2, 3, 4, 5), r3c2=("tomato/seed", BLUE))
    assert isinstance(placed, Proposed)
    earlier = [Earlier(before, placed.best.actions)]
    seen = sight(expected_table(GAME, before, KIT), (2, 3, 4, 5))
    finding = reconcile(GAME, KIT, placed.best.state, seen, earlier, (2, 3, 4, 5))
    assert isinstance(finding, Undone)
    assert finding.steps == 1


def test_a_critter_taken_off_after_the_next_roll_is_no_undo() -> None:
    """Blue placed a bird on 1,2; green rolled. With 6, but neither 1 nor 2, green may not remove it."""
    before, threw = position(ROLLED | {"dice": [1, 2]}, players=[BIRD_HELD, BASE["players"][1]]), (3, 4, 5, 6)
    placed = found(before, r1c2=("bird", BLUE))
    assert isinstance(placed, Proposed)
    rolled = found(placed.best.state, threw, (1, 2, 3, 4))
    assert isinstance(rolled, Proposed)
    earlier = [Earlier(placed.best.state, rolled.best.actions), Earlier(before, placed.best.actions)]
    finding = reconcile(GAME, KIT, rolled.best.state, sight(expected_table(GAME, before, KIT), threw), earlier, threw)
    assert isinstance(finding, Illegal)
    assert finding.clause == "remove.coordinates"
    assert finding.put_back == {"1,2": ("bird", BLUE)}


def test_a_wrong_score_marker_is_pointed_out_and_nothing_else() -> None:
    state = position()
    table = expected_table(GAME, state, KIT) | {"track-7": ("disc/green",), "track-9": ("disc/blue",)}
    finding = reconcile(GAME, KIT, state, sight(table))
    assert isinstance(finding, Unchanged)
    assert finding.markers == (Misplaced("disc/blue", "track-9", "track-7"),)


def test_a_marker_that_is_seen_twice_has_left_where_it_stood() -> None:
    """Blue harvests the carrot for 2 points; on 7, beside green's marker, blue's is still read. It is no undo."""
    before = position(ROLLED, board={"2,2": ALONE["2,2"]})
    state = position(ROLLED, board=ALONE)
    seen = sight(changed(state, r6c1=()) | {"track-9": (BLUE,)}, (2, 3, 4, 5))
    assert seen.spaces["track-7"].pieces == (BLUE, "disc/green")
    finding = reconcile(GAME, KIT, state, seen, [Earlier(before, ())], (2, 3, 4, 5))
    assert isinstance(finding, Proposed) and not finding.markers
    assert finding.best.clauses[-1:] == ("harvest.chain",)
    assert sum(scored.points for scored in finding.best.points) == 2


def test_a_marker_that_stands_wrong_hides_no_offence() -> None:
    """Blue's marker stands wrong for long; that makes nothing else likelier than a seed taken off."""
    state = position(ROLLED | {"dice": [2, 3], "spent": [4, 5]}, board=ALONE)
    markers = {"track-7": ("disc/green",), "track-3": (BLUE,)}
    finding = reconcile(GAME, KIT, state, sight(changed(state, r2c2=()) | markers, (2, 3, 4, 5)), lay=(2, 3, 4, 5))
    assert isinstance(finding, Illegal) and finding.clause == "harvest.own"
    assert finding.put_back == {"2,2": ("artichoke/seed", BLUE)}
    assert finding.markers == (Misplaced(BLUE, "track-3", "track-7"),)


def test_a_plot_that_is_harvested_and_planted_anew_leaves_no_question() -> None:
    alone = {"6,1": BASE["board"]["6,1"]}
    state = position({"player": "blue", "rolled": True, "dice": [1, 3, 6], "spent": [5]}, board=alone)
    finding = found(state, dice=(1, 3, 5, 6), lay=(1, 3, 5, 6), r6c1=("tomato/seed", "disc/blue"))
    assert isinstance(finding, Proposed) and finding.clear
    assert [(action["do"], action["at"]) for action in written(finding)[:2]] == [("harvest", "6,1"), ("place", "6,1")]


@pytest.mark.parametrize(
    ("guess", "piece"),
    [
        (Reading(("sundial",), 0.36, {("sundial", BLUE): 0.1, (): 0.01}), "sundial"),
        (Reading(("tomato/seed", "disc/green"), 0.5, {("tomato/seed", "disc/red"): 0.2, (): 0.001}), "tomato"),
    ],
    ids=["below-one-half", "disc-of-another-colour"],
)
def test_of_what_may_lie_on_a_plot_the_likeliest_that_may_be_is_proposed(guess: Reading, piece: str) -> None:
    """That nothing lies there is less likely than either; and on a tile the eye may take one colour for another."""
    state = position(turn=ROLLED)
    seen = replace(sight(expected_table(GAME, state, KIT), (2, 3, 4, 5), unsure=("3,2",)), guesses={"3,2": guess})
    finding = reconcile(GAME, KIT, state, seen, lay=(2, 3, 4, 5), otherwise={"3,2"})
    assert isinstance(finding, Proposed) and not finding.clear
    assert written(finding) == [{"do": "place", "piece": piece, "at": "3,2", "dice": [2, 3]}]
