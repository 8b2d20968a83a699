"""The shell around a running game, with tables as an eye might report them: what is shown, done and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.commands import own_kit
from companion.document import Field
from companion.games import NAMES, load_game
from companion.observation import BoardSight, Die, Observation, Reading, UnsureDie
from companion.referee import Asked, Illegal, Proposed, Unchanged, Undone, Unexplained, Waiting, expected_table
from companion.rules import Action, State
from companion.store.reading import Games
from companion.store.shelf import Shelf
from companion.table import PATIENCE, Confirm, Correct, Done, Redo, Seen, Shown, Table, TakeTable, Tell, TellDice, Undo
from companion.vision.watch import Sighting
from tests.referee.seen import sight

GAME, KIT = load_game("garden-dice"), own_kit("garden-dice")
BLUE = "disc/blue"
START: dict[str, Any] = {
    "game": "garden-dice",
    "options": {"must_spend": "off"},
    "players": [
        {"colour": "blue", "seeds": ["tomato"], "sundial": True},
        {"colour": "green", "critter": True},
    ],
    "supply": {"squash": 3, "carrot": 3, "tomato": 3, "artichoke": 3, "eggplant": 3},
    "board": {
        "2,2": {"piece": "artichoke/seed", "owner": "blue"},
        "2,3": {"piece": "tomato/seed", "owner": "blue"},
        "6,1": {"piece": "carrot/vegetable", "owner": "blue"},
    },
    "turn": {"player": "blue", "rolled": True, "dice": [2, 3, 4, 5]},
}
PLACE = {"do": "place", "piece": "tomato", "at": "3,2", "dice": [2, 3]}
PLACED = {"3,2": ("tomato/seed", BLUE)}


def position(**changes: Any) -> State:
    return GAME.read_position(Field(START | changes), KIT)


class Played:
    """A table at which pictures follow one another."""

    def __init__(self, folder: Path, start: State) -> None:
        self.shelf = Shelf(folder, Games(NAMES, load_game), lambda: 0.0)
        self.log = self.shelf.begin(GAME, start)
        self.table = Table(KIT, self.log)
        self.picture = 0
        self.changed_at: dict[str, int] = {}
        self.lay: dict[str, Sequence[str]] = {}
        self.dice: tuple[int, ...] = (2, 3, 4, 5)

    def settles(self, unsure: Sequence[str] = (), dice: Sequence[int] | None = None, **more: Any) -> Shown:
        """The table is read anew as it lies."""
        self.picture += 1
        table = expected_table(GAME, self.log.session.start, KIT) | self.lay
        self.dice = self.dice if dice is None else tuple(dice)
        return self.sees(observation(table, self.dice, unsure, **more), True)

    def sees(self, seen: Observation, fresh: bool = False, state: str = "settled", done: bool = True) -> Shown:
        self.picture += not fresh
        before = self.table.shown.sighting.observation
        if fresh:
            told = {**seen.spaces, **{space: Reading((reason,), 0) for space, reason in seen.unsure.items()}}
            old = {**before.spaces, **before.unsure} if before else {}
            self.changed_at |= {space: self.picture for space in told if old.get(space) != told[space]}
        sighting = Sighting(self.picture, state, False, seen, fresh, done, dict(self.changed_at))
        return self.table.step(Seen(sighting))

    def waits(self, pictures: int) -> Shown:
        """Nothing changes for some pictures."""
        for _ in range(pictures):
            seen = self.table.shown.sighting.observation
            assert seen is not None
            shown = self.sees(seen)
        return shown


def observation(
    table: dict[str, Sequence[str]],
    dice: Sequence[int],
    unsure: Sequence[str],
    doubtful_dice: Sequence[int] = (),
    x: float = 1000.0,
) -> Observation:
    corners = ((0.0, 0.0), (900.0, 0.0), (900.0, 900.0), (0.0, 900.0))
    at = [(x, 100.0 * number) for number in range(len(dice) + len(doubtful_dice))]
    told = tuple(Die(value, place, 0.999) for value, place in zip(dice, at, strict=False))
    untold = tuple(
        UnsureDie(place, "unclear", value) for value, place in zip(doubtful_dice, at[len(dice) :], strict=True)
    )
    return replace(
        sight(table, unsure=unsure), boards={"board": BoardSight(corners, 0.3)}, dice=told, unsure_dice=untold
    )


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    game = Played(tmp_path, position())
    yield game
    game.log.close()


def written(actions: Sequence[Action]) -> list[dict[str, Any]]:
    return [GAME.write_action(action) for action in actions]


def kept(played: Played) -> list[dict[str, Any]]:
    """The actions as another program finds them on disk."""
    return written(played.shelf.look(played.log.number).session.actions)


def test_a_move_is_proposed_and_counts_once_it_is_confirmed(played: Played) -> None:
    assert isinstance(played.settles().finding, Unchanged)
    played.lay = PLACED
    shown = played.settles()
    assert isinstance(shown.finding, Proposed) and shown.finding.clear and shown.firm
    assert written(shown.finding.best.actions) == [PLACE]
    assert kept(played) == []
    shown = played.table.step(Confirm())
    assert [written(done.actions) for done in shown.done] == [[PLACE]]
    assert kept(played) == [PLACE]
    assert isinstance(shown.finding, Unchanged)
    assert played.table.step(Confirm()).done == ()


@pytest.mark.parametrize("state", ["moving", "hidden", "lost"])
def test_nothing_is_said_while_the_table_is_not_at_rest(played: Played, state: str) -> None:
    played.settles()
    table = expected_table(GAME, played.log.session.state, KIT) | PLACED
    shown = played.sees(observation(table, (2, 3, 4, 5), ()), state=state)
    assert shown.finding is None and not shown.firm


@pytest.mark.parametrize(("unsure", "at_once"), [((), True), (("5,3",), True), (("5,3", "5,4"), False)])
def test_while_a_hand_may_be_over_the_board_a_clear_move_waits_for_a_longer_look(
    played: Played, unsure: tuple[str, ...], at_once: bool
) -> None:
    """Two spaces that cannot be told since just now may lie under a hand that stopped; one may lie in a reflection."""
    first = played.settles().sighting.observation
    assert first is not None
    for _ in range(2):  # the second is the first still one: it is read, and another must agree
        played.sees(first, state="moving")
    seen = observation(expected_table(GAME, played.log.session.start, KIT) | PLACED, played.dice, unsure)
    shown = played.sees(seen, True, done=False)
    assert isinstance(shown.finding, Proposed) and shown.finding.clear
    assert shown.firm == at_once
    assert played.sees(seen, True).firm, "the longer look is over"


def test_undo_and_redo_by_touch(played: Played) -> None:
    played.settles()
    played.lay = PLACED
    played.settles()
    played.table.step(Confirm())
    shown = played.table.step(Undo())
    assert shown.done == (Done((), played.log.session.states[0], undone=1),) or shown.done[0].undone == 1
    assert kept(played) == []
    assert isinstance(shown.finding, Proposed)  # the piece lies there still
    played.table.step(Redo())
    assert kept(played) == [PLACE]


def test_a_piece_taken_back_by_hand_is_an_undo_once_it_is_confirmed(played: Played) -> None:
    played.settles()
    played.lay = PLACED
    played.settles()
    played.table.step(Confirm())
    played.lay = {}
    shown = played.settles()
    assert isinstance(shown.finding, Undone)
    assert kept(played) == [PLACE]
    shown = played.table.step(Confirm())
    assert shown.done[0].undone == 1
    assert kept(played) == []


def test_what_is_told_waits_until_it_is_possible(tmp_path: Path) -> None:
    played = Played(tmp_path, position(turn={"player": "blue"}))
    played.settles(dice=())
    buy = GAME.read_action(Field({"do": "buy", "kind": "squash", "die": 5}), played.log.session.start)
    shown = played.table.step(Tell((buy,)))
    assert (shown.waiting, shown.done) == ((buy,), ())
    played.settles(dice=(2, 3, 4, 5))
    shown = played.table.step(Confirm())
    assert [entry["do"] for entry in kept(played)] == ["roll", "buy"]
    assert [written(done.actions)[0]["do"] for done in shown.done] == ["roll", "buy"]
    assert shown.waiting == ()
    played.log.close()


def test_dice_that_cannot_be_read_are_asked_for_and_told(tmp_path: Path) -> None:
    played = Played(tmp_path, position(turn={"player": "blue"}))
    played.settles(dice=())
    played.lay = PLACED
    shown = played.settles()
    shown = played.settles(dice=(), doubtful_dice=())
    assert isinstance(shown.finding, Asked) and shown.finding.what == "dice"
    shown = played.table.step(TellDice((2, 3, 4, 5)))
    assert isinstance(shown.finding, Proposed)
    played.table.step(Confirm())
    assert [entry["do"] for entry in kept(played)] == ["roll", "place"]
    played.log.close()


def test_a_purchase_that_is_told_asks_for_the_dice_where_not_all_are_seen(tmp_path: Path) -> None:
    played = Played(tmp_path, position(turn={"player": "blue"}))
    assert isinstance(played.settles(dice=(5, 5, 2)).finding, Unchanged)
    buy = GAME.read_action(Field({"do": "buy", "kind": "tomato", "die": 5}), played.log.session.state)
    shown = played.table.step(Tell((buy,)))
    assert isinstance(shown.finding, Asked)
    assert (shown.finding.what, shown.waiting) == ("dice", (buy,))
    played.table.step(TellDice((5, 5, 2, 2)))
    played.table.step(Confirm())
    assert [entry["do"] for entry in kept(played)] == ["roll", "buy"]
    played.log.close()


def test_what_is_told_confirms_no_roll_of_which_a_die_was_made_up(tmp_path: Path) -> None:
    """A six would make a piece on 1,6 legal; that a purchase with the five is told says nothing of it."""
    played = Played(tmp_path, position(turn={"player": "blue"}))
    played.settles(dice=(1, 2, 5))
    buy = GAME.read_action(Field({"do": "buy", "kind": "squash", "die": 5}), played.log.session.state)
    played.table.step(Tell((buy,)))
    played.lay = {"1,6": ("tomato/seed", BLUE)}
    for _ in range(3):
        shown = played.settles(dice=(1, 2, 5))
    assert not kept(played)
    assert shown.waiting == (buy,)
    played.log.close()


def test_a_die_in_doubt_counts_where_what_was_done_with_it_fits(tmp_path: Path) -> None:
    played = Played(tmp_path, position(turn={"player": "blue"}))
    played.settles(dice=())
    shown = played.settles(dice=(2, 4, 5), doubtful_dice=(3,))
    assert not (isinstance(shown.finding, Proposed) and shown.finding.clear)  # a roll alone speaks for nothing
    played.lay = PLACED
    shown = played.settles(doubtful_dice=(3,))
    assert isinstance(shown.finding, Proposed) and shown.finding.clear
    assert written(shown.finding.best.actions) == [{"do": "roll", "dice": [2, 3, 4, 5]}, PLACE]
    played.log.close()


def test_a_space_that_looks_as_it_did_still_holds_what_it_held(played: Played) -> None:
    """The artichoke cannot be told, but nothing there has changed."""
    played.settles(unsure=["2,2"])
    played.lay = PLACED
    shown = played.settles(unsure=["2,2"])
    assert isinstance(shown.finding, Proposed) and shown.finding.clear
    assert written(shown.finding.best.actions) == [PLACE]


def test_a_space_that_looks_otherwise_and_cannot_be_told_is_not_taken_for_what_it_was(played: Played) -> None:
    """Who knows what lies on the carrot's plot now: nothing can be told there, later either."""
    played.settles()
    assert isinstance(played.settles(unsure=["6,1"]).finding, Unchanged)
    played.lay = PLACED
    shown = played.settles(unsure=["6,1"])
    assert isinstance(shown.finding, Proposed)
    played.table.step(Confirm())
    played.lay = {**PLACED, "6,1": ()}
    shown = played.settles()
    assert isinstance(shown.finding, Proposed)
    assert [entry["do"] for entry in written(shown.finding.best.actions)] == ["harvest"]


def likely(space: str, *pieces: str) -> dict[str, Any]:
    """Of a space nothing is claimed, but this is likely."""
    guess = Reading(pieces, 0.82, {(): 0.002, pieces[:1]: 0.05})
    return {"unsure": {space: "doubt"}, "guesses": {space: guess}}


def with_guess(played: Played, space: str, *pieces: str) -> Shown:
    """The table settles as it lies, but for a space of which that is likely."""
    played.picture += 1
    seen = observation(expected_table(GAME, played.log.session.start, KIT) | played.lay, played.dice, (space,))
    return played.sees(replace(seen, **likely(space, *pieces)), True)


def test_what_surely_went_against_the_rules_is_called_though_where_it_came_to_is_only_likely(tmp_path: Path) -> None:
    """A seed left its plot, which no rule allows; that it lies on another now is likely, and is said as well."""
    played = Played(tmp_path, position(turn={"player": "blue", "rolled": True, "dice": [2], "spent": [3, 4, 5]}))
    played.settles()
    played.lay = {"2,2": ()}
    finding = with_guess(played, "5,5", "artichoke/seed", BLUE).finding
    assert isinstance(finding, Illegal) and finding.clause == "place.fixed"
    assert [GAME.write_action(action)["to"] for action in finding.best.actions] == ["5,5"]
    assert finding.put_back == {"2,2": ("artichoke/seed", BLUE), "5,5": ()}


def test_nobody_is_accused_of_what_is_only_likely_beside_a_legal_action(played: Played) -> None:
    """The carrot was harvested; that a seed of green's lies somewhere, which blue may not place, is only likely."""
    played.settles()
    played.lay = {"6,1": ()}
    finding = with_guess(played, "5,5", "squash/seed", "disc/green").finding
    assert not isinstance(finding, Illegal | Waiting)


def test_a_chain_half_turned_over_is_told_as_broken_only_after_a_good_while(tmp_path: Path) -> None:
    played = Played(tmp_path, position(players=[{"colour": "blue"}, {"colour": "green"}]))
    played.settles()
    played.lay = {"2,2": ("artichoke/vegetable", BLUE)}
    shown = played.settles()
    assert isinstance(shown.finding, Waiting)
    shown = played.waits(PATIENCE - 1)
    assert isinstance(shown.finding, Waiting)
    shown = played.waits(1)
    assert isinstance(shown.finding, Illegal) and shown.finding.clause == "water.chain"
    assert shown.finding.put_back == {"2,2": ("artichoke/seed", BLUE)}
    played.log.close()


def test_clearing_the_table_is_no_move(tmp_path: Path) -> None:
    board = {f"{row},{row}": {"piece": "rock"} for row in range(1, 7)}
    played = Played(tmp_path, position(board=board))
    played.settles()
    played.lay = {f"{row},{row}": () for row in range(1, 6)}
    shown = played.settles()
    assert isinstance(shown.finding, Unexplained)
    assert set(shown.finding.differing) == {"1,1", "2,2", "3,3", "4,4", "5,5"}
    played.log.close()


def test_an_earlier_action_is_put_right(played: Played) -> None:
    played.settles()
    played.lay = PLACED
    played.settles()
    played.table.step(Confirm())
    other = GAME.read_action(Field(PLACE | {"at": "2,3"}), played.log.session.start)
    assert played.table.step(Correct(0, (other,))).refused != ()
    assert kept(played) == [PLACE]
    assert played.table.step(Correct(0, ())).refused == ()
    assert kept(played) == []


def test_the_table_is_taken_as_it_is(played: Played) -> None:
    played.settles()
    played.lay = {"5,1": ("rock",)}
    played.settles()
    taken = position(board={**START["board"], "5,1": {"piece": "rock"}})
    shown = played.table.step(TakeTable(taken))
    assert shown.faults == () and isinstance(shown.finding, Unchanged)
    assert shown.session.state == taken


def test_what_cannot_be_is_not_taken(played: Played) -> None:
    played.settles()
    seeds = position(players=[{"colour": "blue", "seeds": ["tomato"] * 9}, {"colour": "green"}])
    shown = played.table.step(TakeTable(seeds))
    assert shown.faults != ()
    assert shown.session.entries == ()


def test_what_is_told_after_a_proposal_says_that_it_is_so(tmp_path: Path) -> None:
    turn = {"player": "blue", "rolled": True, "spent": [2, 3, 4, 5]}
    played = Played(tmp_path, position(turn=turn))
    played.settles()
    shown = played.settles(dice=(1, 1, 6, 6))
    assert isinstance(shown.finding, Proposed)
    buy = GAME.read_action(Field({"do": "buy", "kind": "carrot", "die": 6}), shown.finding.best.state)
    shown = played.table.step(Tell((buy,)))
    assert [entry["do"] for entry in kept(played)] == ["end-turn", "roll", "buy"]
    assert shown.waiting == () and shown.session.state.turn.player == "green"
    played.log.close()


def test_what_is_told_and_fits_nowhere_confirms_nothing(tmp_path: Path) -> None:
    turn = {"player": "blue", "rolled": True, "spent": [2, 3, 4, 5]}
    played = Played(tmp_path, position(turn=turn))
    played.settles()
    played.settles(dice=(1, 1, 6, 6))
    buy = GAME.read_action(Field({"do": "buy", "kind": "carrot", "die": 5}), played.log.session.start)
    assert played.table.step(Tell((buy,))).waiting == (buy,)
    assert kept(played) == []
    played.log.close()


def test_what_was_told_before_the_first_sight_is_not_taken_back_where_it_cannot_be_seen(played: Played) -> None:
    played.table.step(Tell((GAME.read_action(Field(PLACE), played.log.session.start),)))
    played.lay = PLACED
    assert isinstance(played.settles(unsure=["3,2"]).finding, Unchanged)


WATERED = {"2,3": ("tomato/vegetable", BLUE)}
HARVESTED: dict[str, tuple[str, ...]] = {"6,1": ()}


def moves(played: Played) -> None:
    """A hand comes and goes."""
    seen = played.table.shown.sighting.observation
    assert seen is not None
    played.sees(seen, state="moving")


def test_which_die_was_spent_shows_in_the_end_and_what_was_seen_on_the_way_counts(played: Played) -> None:
    """The tomato takes a 3, 4 or 5; (2, 3) are the coordinates of 3,2; the carrot is left what is left."""
    played.settles()
    clear = []
    for done in (WATERED, PLACED, HARVESTED):
        moves(played)
        played.lay = {**played.lay, **done}
        finding = played.settles().finding
        assert isinstance(finding, Proposed)
        clear.append(finding.clear)
    assert clear == [False, False, True]
    played.table.step(Confirm())
    water, place, harvest, end = kept(played)
    assert (water["do"], water["at"], place, harvest["do"], end["do"]) == ("water", "2,3", PLACE, "harvest", "end-turn")
    assert sorted((water["die"], harvest["die"])) == [4, 5]


@pytest.mark.parametrize("corner", ["1,3", "2,1"])
def test_a_piece_seen_on_its_way_went_that_way(tmp_path: Path, corner: str) -> None:
    """From 1,1 a bird gets to 2,3 by either corner; but it was seen to lie on one of them."""
    bird = {"piece": "bird", "owner": "blue"}
    played = Played(
        tmp_path, position(board={"1,1": bird}, turn={"player": "blue", "rolled": True, "dice": [3, 3, 3, 3]})
    )
    played.settles(dice=(3, 3, 3, 3))
    lies = ("bird", BLUE)
    for came, went in ((corner, "1,1"), ("2,3", corner)):
        moves(played)
        played.lay = {**played.lay, came: lies, went: ()}
        finding = played.settles().finding
    assert isinstance(finding, Proposed)
    assert [action["to"] for action in written(finding.best.actions)] == [corner, "2,3"]
    played.log.close()


def test_what_is_told_tells_which_of_several_dice_was_spent(tmp_path: Path) -> None:
    """The artichoke takes a 4 or a 5; who buys an eggplant with the 5 has spent the 4."""
    played = Played(tmp_path, position(turn={"player": "blue"}))
    played.settles(dice=())
    played.lay = {"2,2": ("artichoke/vegetable", BLUE), **WATERED}
    finding = played.settles(dice=(2, 3, 4, 5)).finding
    assert isinstance(finding, Proposed) and not finding.clear
    buy = GAME.read_action(Field({"do": "buy", "kind": "eggplant", "die": 5}), played.log.session.start)
    played.table.step(Tell((buy,)))
    assert [(entry["do"], entry.get("die")) for entry in kept(played)] == [("roll", None), ("water", 4), ("buy", 5)]
    played.log.close()


def test_a_purchase_that_was_overlooked_in_an_earlier_turn_is_put_in_there(tmp_path: Path) -> None:
    """Blue ended a turn with a 4 left and held no carrot; but now it places one with 3 and 4, and has no other die."""
    turn = {"player": "blue", "rolled": True, "dice": [4], "spent": [2, 3, 5]}
    played = Played(tmp_path, position(turn=turn, players=[{"colour": "blue"}, {"colour": "green"}]))
    played.settles(dice=(2, 3, 4, 5))
    end, roll = {"do": "end-turn"}, {"do": "roll", "dice": [1, 1, 1, 1]}
    rolled = {"do": "roll", "dice": [1, 1, 3, 4]}
    for written_so in (end, roll, end, rolled):
        played.table.step(Tell((GAME.read_action(Field(written_so), played.log.session.state),)))
    played.lay = {"3,4": ("carrot/seed", BLUE), "2,3": ("tomato/seed", BLUE)}
    finding = played.settles(dice=(1, 1, 3, 4)).finding
    assert isinstance(finding, Proposed) and finding.best.amends is not None and not finding.clear
    played.table.step(Confirm())
    place = {"do": "place", "piece": "carrot", "at": "3,4", "dice": [3, 4]}
    assert kept(played) == [{"do": "buy", "kind": "carrot", "die": 4}, end, roll, end, rolled, place]
    assert isinstance(played.table.shown.finding, Unchanged)
    played.log.close()
