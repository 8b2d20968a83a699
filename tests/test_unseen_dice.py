"""Games followed though dice are in doubt or not seen: what is borne in mind, what is asked, what counts in the end.

Nothing that only may have been rolled is confirmed, and nobody is accused for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.document import Field
from companion.observation import Observation
from companion.referee import Asked, Illegal, Proposed, Unchanged, Unexplained, expected_table, may_accuse
from companion.table import Confirm, Shown, Tell
from tests.test_table import BLUE, GAME, KIT, PLACE, PLACED, Played, kept, observation, position, written

END = {"do": "end-turn"}
ELSEWHERE = 400.0  # where dice lie that were thrown again


@pytest.fixture
def unrolled(tmp_path: Path) -> Iterator[Played]:
    """Blue is to roll; no dice lie there."""
    game = Played(tmp_path, position(turn={"player": "blue"}))
    game.settles(dice=())
    yield game
    game.log.close()


def bought(kind: str, die: int) -> dict[str, Any]:
    return {"do": "buy", "kind": kind, "die": die}


def table_with(played: Played, dice: Sequence[int]) -> Observation:
    return observation(expected_table(GAME, played.log.session.start, KIT) | played.lay, dice, ())


def tell(played: Played, *actions: dict[str, Any]) -> Shown:
    """Players tap what they did, one after the other."""
    for action in actions:
        shown = played.table.step(Tell((GAME.read_action(Field(action), played.log.session.start),)))
    return shown


def moves(played: Played) -> None:
    """A hand comes in and goes out again."""
    seen = played.table.shown.sighting.observation
    assert seen is not None
    played.sees(seen, state="moving")


def lies(played: Played, dice: Sequence[int], **more: Any) -> Shown:
    """The table after a hand was there."""
    moves(played)
    return played.settles(dice=dice, **more)


def done(shown: Shown) -> list[dict[str, Any]]:
    assert isinstance(shown.finding, Proposed)
    return written(shown.finding.best.actions)


def clear(shown: Shown) -> bool:
    return isinstance(shown.finding, Proposed) and shown.finding.clear


@pytest.mark.parametrize(("shows", "seems"), [(4, 1), (1, 6), (6, 4), (2, 3)])
def test_a_die_that_seems_to_show_something_else_comes_out_in_the_end(unrolled: Played, shows: int, seems: int) -> None:
    """2 and 3 place the tomato, whatever the die in doubt shows; with the 5 it must name the sundial's plot."""
    unrolled.lay = PLACED
    shown = lies(unrolled, (2, 3, 5), doubtful_dice=(seems,))
    assert isinstance(shown.finding, Proposed) and not shown.finding.clear
    assert done(shown)[-1] == PLACE
    unrolled.lay = PLACED | {f"5,{shows}": ("sundial", BLUE)}
    shown = lies(unrolled, (2, 3, 5), doubtful_dice=(seems,))
    assert done(shown)[0] == {"do": "roll", "dice": sorted((2, 3, 5, shows))}
    assert [action["do"] for action in done(shown)] == ["roll", "place", "place", "end-turn"]
    assert not kept(unrolled)


@pytest.mark.parametrize("hidden", [0, 1, 3])
def test_a_die_that_was_hidden_and_is_seen_again_is_no_roll(tmp_path: Path, hidden: int) -> None:
    """Blue's turn is over, and its dice lie there still; one was out of sight when the table was looked at last."""
    lay = (1, 6, 6, 6)
    played = Played(tmp_path, position(turn={"player": "blue", "rolled": True, "dice": [*lay]}))
    played.settles(dice=lay)
    tell(played, END)
    seen = table_with(played, lay)
    moves(played)
    played.sees(replace(seen, dice=(*seen.dice[:hidden], *seen.dice[hidden + 1 :])), fresh=True)
    moves(played)
    assert isinstance(played.settles(dice=lay).finding, Unchanged)
    assert kept(played) == [END]
    played.log.close()


@pytest.mark.parametrize("missing", [2, 4, 5])
def test_purchases_that_are_told_tell_what_a_die_showed_that_was_not_seen(unrolled: Played, missing: int) -> None:
    """Of Blue's roll 2, 3, 5 are seen.  The next roll is not taken for Blue's, nor are its purchases Green's."""
    assert isinstance(lies(unrolled, (2, 3, 5)).finding, Unchanged)
    kinds = {2: "carrot", 3: "tomato", 4: "artichoke", 5: "eggplant"}
    purchases = [bought("squash" if die == 2 else kinds[die], die) for die in (2, 3, 5)]
    purchases.append(bought(kinds[missing], missing))
    shown = tell(unrolled, *purchases)
    assert isinstance(shown.finding, Asked) and shown.finding.what == "dice"
    assert not kept(unrolled)
    lies(unrolled, (1, 1, 4, 6), x=ELSEWHERE)
    unrolled.table.step(Confirm())
    first, *bought_since, end, last = kept(unrolled)
    assert first == {"do": "roll", "dice": sorted((2, 3, 5, missing))}
    assert bought_since == purchases
    assert (end, last) == (END, {"do": "roll", "dice": [1, 1, 4, 6]})


def test_a_roll_of_which_a_die_was_not_seen_is_not_confirmed_with_the_next(unrolled: Played) -> None:
    """Nobody tells what Blue did: that a roll lies there again does not make it Blue's."""
    lies(unrolled, (2, 3, 5))
    shown = lies(unrolled, (1, 1, 4, 6), x=ELSEWHERE)
    assert not (isinstance(shown.finding, Proposed) and shown.finding.clear)


def test_what_is_told_was_done_with_dice_that_are_not_left_for_what_is_seen_next(unrolled: Played) -> None:
    """3 and 2 place the tomato and the 4 buys a carrot: it is the unseen die that harvested."""
    unrolled.lay = PLACED
    lies(unrolled, (2, 3, 4))
    tell(unrolled, bought("carrot", 4))
    unrolled.lay = PLACED | {"6,1": ()}
    shown = lies(unrolled, (2, 3, 4))
    actions = {action["do"]: action for action in done(shown)}
    assert actions["buy"] == bought("carrot", 4)
    rolled = list(actions["roll"]["dice"])
    for die in (2, 3, 4):
        rolled.remove(die)
    assert rolled == [actions["harvest"]["die"]] and rolled[0] >= 2


def test_dice_that_make_no_difference_any_more_are_assumed_and_said_to_be(unrolled: Played) -> None:
    """2 and 3 place the tomato; the 4 and the unseen die water and harvest, whatever that shows."""
    unrolled.lay = PLACED
    lies(unrolled, (2, 3, 4))
    watered = dict.fromkeys(("2,3", "3,2"), ("tomato/vegetable", BLUE))
    unrolled.lay = {"2,2": ("artichoke/vegetable", BLUE), **watered, "6,1": ()}
    shown = lies(unrolled, (2, 3, 4))
    assert isinstance(shown.finding, Proposed) and not shown.finding.clear
    shown = lies(unrolled, (1, 1, 4, 6), x=ELSEWHERE)
    assert isinstance(shown.finding, Proposed) and shown.finding.clear
    assert "dice" in shown.finding.best.assumed
    unrolled.table.step(Confirm())
    assert [action["do"] for action in kept(unrolled)][-2:] == ["end-turn", "roll"]


def test_with_its_last_die_a_turn_is_over_and_the_same_dice_may_be_thrown_again(tmp_path: Path) -> None:
    turn = {"player": "blue", "rolled": True, "dice": [5], "spent": [2, 3, 4]}
    played = Played(tmp_path, position(turn=turn))
    played.settles()
    shown = tell(played, bought("squash", 5))
    assert kept(played) == [bought("squash", 5), END]
    assert isinstance(shown.finding, Unchanged)
    assert isinstance(lies(played, (2, 3, 4, 5)).finding, Unchanged)
    assert done(lies(played, (5, 4, 3, 2), x=ELSEWHERE)) == [{"do": "roll", "dice": [2, 3, 4, 5]}]
    played.log.close()


def test_what_is_told_waits_where_other_dice_lie_there_than_those_of_the_turn(tmp_path: Path) -> None:
    """Nobody knows what happened since Blue's roll, but the dice are thrown anew: the purchase may be Green's."""
    played = Played(tmp_path, position())
    played.settles()
    played.lay = {"4,4": ("rock",), "5,1": ("rock",), "6,6": ("rock",)}
    assert isinstance(lies(played, (1, 5, 6, 6), x=ELSEWHERE).finding, Unexplained)
    shown = tell(played, bought("squash", 5))
    assert not kept(played)
    assert [GAME.write_action(action) for action in shown.waiting] == [bought("squash", 5)]
    played.log.close()


def test_nobody_is_accused_of_not_rolling_while_not_all_dice_are_seen(unrolled: Played) -> None:
    """The tomato cannot lie on 5,6 without a roll: but there is one, of which a single die is seen."""
    lies(unrolled, (6,))
    unrolled.lay = {"5,6": ("tomato/seed", BLUE)}
    shown = lies(unrolled, (6,))
    assert not isinstance(shown.finding, Illegal)
    assert isinstance(shown.finding, Asked) and shown.finding.what == "dice"


def test_what_was_likely_before_a_mistake_is_so_again_once_it_is_put_back(tmp_path: Path) -> None:
    """Which die harvested the carrot nobody knows; rocks that lie there for a while change nothing about that."""
    played = Played(tmp_path, position())
    played.settles()
    played.lay = {"6,1": ()}
    before = lies(played, (2, 3, 4, 5))
    assert isinstance(before.finding, Proposed) and not before.finding.clear
    played.lay = {"6,1": (), "1,1": ("rock",), "4,4": ("rock",)}
    lies(played, (2, 3, 4, 5))
    played.lay = {"6,1": ()}
    assert done(lies(played, (2, 3, 4, 5))) == done(before)
    played.lay = {"6,1": (), **PLACED}
    assert [action["do"] for action in done(lies(played, (2, 3, 4, 5)))] == ["harvest", "place"]
    played.log.close()


def test_who_errs_is_not_told_by_which_die_would_make_it_right(tmp_path: Path) -> None:
    """The 2 or the 4 harvested the carrot; only the 4 waters a tomato.  That it stays tells."""
    turn = {"player": "blue", "rolled": True, "dice": [2, 4], "spent": [3, 5]}
    played = Played(tmp_path, position(turn=turn))
    played.settles()
    played.lay = {"6,1": ()}
    assert not clear(lies(played, (2, 3, 4, 5)))
    played.lay = {"6,1": (), "2,3": ("tomato/vegetable", BLUE)}
    shown = lies(played, (2, 3, 4, 5))
    assert [(action["do"], action.get("die")) for action in done(shown)][:2] == [("harvest", 2), ("water", 4)]
    assert not clear(shown)
    played.lay = {"6,1": ()}
    assert [action["do"] for action in done(lies(played, (2, 3, 4, 5)))] == ["harvest"]
    played.lay = {"6,1": (), "2,3": ("tomato/vegetable", BLUE)}
    assert not clear(lies(played, (2, 3, 4, 5)))
    assert clear(lies(played, (1, 1, 4, 6), x=ELSEWHERE))
    played.log.close()


def test_a_critter_that_was_placed_and_moved_in_one_go_is_found_once_its_dice_would_be_left(tmp_path: Path) -> None:
    """The bird on 1,4 was placed elsewhere with two of 1, 2, 4 and moved there with the third: none is left.

    What is bought with a 4 after the next roll is Green's, though of Blue's dice a 4 is not confirmed to be spent.
    """
    turn = {"player": "blue", "rolled": True, "dice": [1, 2, 4], "spent": [6]}
    players = [{"colour": "blue", "critter": True}, {"colour": "green", "seeds": ["carrot"]}]
    played = Played(tmp_path, position(turn=turn, players=players, options={}))
    played.settles(dice=(1, 2, 4, 6))
    played.lay = {"1,4": ("bird", BLUE)}
    lies(played, (1, 2, 4, 6))
    shown = lies(played, (1, 4, 5, 5), x=ELSEWHERE)
    assert isinstance(shown.finding, Asked) and (shown.finding.what, shown.finding.dice_left) == ("dice-left", (2,))
    tell(played, bought("artichoke", 4))
    assert not kept(played)
    for side in ("seed", "vegetable"):
        played.lay = {"1,4": ("bird", BLUE), "1,5": (f"carrot/{side}", "disc/green")}
        shown = lies(played, (1, 4, 5, 5), x=ELSEWHERE)
    actions = [action["do"] for action in done(shown)]
    assert actions[:6] == ["place", "move", "end-turn", "roll", "buy", "place"], "the purchase was told first"
    assert sorted(actions[6:]) == ["end-turn", "water"]
    assert not clear(shown) and not kept(played)
    played.log.close()


def test_a_die_that_is_read_only_later_was_not_thrown_later(unrolled: Played) -> None:
    """Of 2, 2, 3, 5 one is in doubt until Blue's turn is over: that is one roll, and the next has other dice."""
    lies(unrolled, (5, 3, 2), doubtful_dice=(2,))
    unrolled.lay = PLACED | {"5,2": ("sundial", BLUE)}
    shown = lies(unrolled, (5, 3, 2, 2))
    assert [action["do"] for action in done(shown)] == ["roll", "place", "place", "end-turn"]
    assert done(shown)[0] == {"do": "roll", "dice": [2, 2, 3, 5]}
    shown = unrolled.table.step(Confirm())
    assert isinstance(shown.finding, Unchanged)
    assert done(lies(unrolled, (1, 1, 4, 6), x=ELSEWHERE)) == [{"do": "roll", "dice": [1, 1, 4, 6]}]


@pytest.mark.parametrize(("seen", "may"), [((2, 3, 4, 5), True), ((2, 3, 5), False)])
def test_nobody_is_accused_after_a_roll_of_which_a_die_was_not_seen(
    unrolled: Played, seen: tuple[int, ...], may: bool
) -> None:
    """What was done tells of a die that it may have been a 4; what comes after it may still have been another's."""
    unrolled.lay = PLACED
    lies(unrolled, seen)
    unrolled.lay = PLACED | {"5,4": ("sundial", BLUE)}
    lies(unrolled, seen)
    finding = lies(unrolled, (1, 1, 4, 6), x=ELSEWHERE).finding
    assert isinstance(finding, Proposed)
    illegal = replace(finding.best, actions=(*finding.best.actions, finding.best.actions[-1]))
    assert may_accuse(GAME, illegal) == may
