"""What a screen shows of each kind of finding, in three games and two languages; the values are worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.table import PATIENCE, Confirm, Tell, Undo
from companion.ui.view import View
from companion.ui.view.shapes import CHOOSE, CONFIRM, TAKE
from tests.ui.tables import Seat

Sit = Callable[..., Seat]


def turn(**changes: Any) -> dict[str, Any]:
    return {"player": "blue", "rolled": True, "dice": [4], "spent": [1, 2, 3], **changes}


def roles(view: View) -> list[tuple[str, str]]:
    return [(choice.role, choice.text) for choice in view.news.choices]


# Garden Dice


def test_whose_turn_it_is_with_which_dice_and_what_they_can_do(sit: Sit) -> None:
    view = sit("garden-dice", turn=turn(dice=[4, 4], spent=[1, 2])).view()
    assert view.turn == "Blue is on turn."
    assert (view.dice, view.spent) == ((4, 4), (1, 2))
    # A 4 buys what costs no more, waters the artichoke, harvests the carrot; two of them name 4,4, where the rabbit is.
    assert view.may == ("buy: squash, carrot, tomato, artichoke", "water: 2,2", "harvest: 6,1")
    blue, green = view.sides
    assert (blue.name, blue.on_turn, blue.points, blue.gain) == ("Blue", True, 12, 0)
    assert blue.holds == ("seeds 1", "harvested 1", "sun")
    assert (green.name, green.on_turn, green.points, green.holds) == ("Green", False, 7, ())
    assert view.news.headline == "The table lies as the game says."
    assert view.counts["4,4"] == 2 and view.marks == {}


def test_a_proposal_with_its_points_is_confirmed_and_then_the_gain_shows(sit: Sit) -> None:
    seat = sit("garden-dice", turn=turn())
    seat.settles({"6,1": []})
    view = seat.view()
    assert view.news.kind == "proposed" and view.news.headline == "Is this what happened?"
    assert view.news.lines[:3] == (
        "Blue harvests the carrot on 6,1 with a 4.",
        "Blue ends the turn.",
        "points: Blue +2",
    )
    assert "harvest.score" in view.news.lines[3] and view.news.lines[3].startswith("clauses: ")
    assert roles(view)[0] == (CONFIRM, "confirm")
    assert view.marks == {"6,1": "proposed"} and view.table["6,1"] == ()
    seat.table.step(view.news.choices[0].event)
    view = seat.view()
    assert view.turn == "Green is on turn." and view.may == ("roll the dice",)
    assert (view.sides[0].points, view.sides[0].gain) == (14, 2)
    assert view.last == "Last: Blue ends the turn."


def test_the_same_in_hungarian(sit: Sit) -> None:
    seat = sit("garden-dice", turn=turn())
    seat.settles({"6,1": []})
    view = seat.view("hu")
    assert view.turn == "Soron: kék."
    assert view.news.headline == "Ez történt?"
    assert "pontok: kék +2" in view.news.lines
    assert roles(view)[0] == (CONFIRM, "megerősítés")


def test_dice_that_are_left_are_offered_as_purchases(sit: Sit) -> None:
    seat = sit("garden-dice", turn=turn(dice=[1, 4], spent=[2, 3]))
    seat.settles({"6,1": []})
    view = seat.view()
    assert "Not accounted for: dice 1. Bought something?" in view.news.lines
    offers = [choice for choice in view.news.choices if isinstance(choice.event, Tell)]
    assert [offer.text for offer in offers] == ["Blue buys a squash seed with a 1."]
    seat.table.step(Confirm())
    seat.table.step(offers[0].event)
    did = [seat.game.write_action(action)["do"] for action in seat.log.session.actions]
    assert did == ["harvest", "buy", "end-turn"]  # a turn ends with its last die


def test_something_illegal_with_its_clause_and_what_to_put_back(sit: Sit) -> None:
    seat = sit("garden-dice", turn=turn(dice=[4, 5], spent=[2, 3]))
    seat.settles({"5,6": ["tomato/seed", "disc/blue"]})
    view = seat.view()
    assert (view.news.kind, view.news.headline) == ("illegal", "NOT ALLOWED")
    assert view.news.lines[1].startswith("place.coordinates · The dice name the plot: ")
    assert view.news.lines[2:] == ("To take it back:", "5,6: empty")
    assert [role for role, _ in roles(view)] == [TAKE]
    assert view.marks == {"5,6": "illegal"}
    assert seat.view("hu").news.headline == "NEM SZABAD"


def test_what_nothing_explains_may_be_taken_as_it_is(sit: Sit) -> None:
    seat = sit("garden-dice", turn=turn())
    seat.settles({"3,3": ["squash/vegetable", "disc/green"], "5,1": ["eggplant/seed", "disc/green"]})
    view = seat.view()
    assert (view.news.kind, view.news.headline) == ("unexplained", "No move explains what lies here:")
    assert view.news.lines == ("3,3: empty, seen: squash, green disc", "5,1: empty, seen: eggplant seed, green disc")
    assert roles(view) == [(TAKE, "take the table as it is")]
    seat.table.step(view.news.choices[0].event)
    position = seat.game.write_position(seat.state)
    assert position["board"]["3,3"] == {"piece": "squash/vegetable", "owner": "green", "discs": 1}
    assert (position["supply"]["squash"], position["supply"]["eggplant"]) == (2, 2)
    assert seat.view().last == "Last: The table is taken as it is." and seat.view().news.kind == "calm"


def test_dice_that_nobody_saw_are_asked_for(sit: Sit) -> None:
    seat = sit("garden-dice", turn={"player": "blue"})
    seat.settles({"2,2": ["artichoke/vegetable", "disc/blue"]})
    view = seat.view()
    assert (view.news.kind, view.news.headline) == ("asked", "Which dice were rolled?")
    assert view.news.lines == ("2,2: artichoke seed, blue disc, seen: artichoke, blue disc",)


def test_pieces_put_back_are_an_undo(sit: Sit) -> None:
    seat = sit("garden-dice", turn=turn(dice=[4, 5], spent=[2, 3]))
    seat.settles({"6,1": []})
    seat.table.step(Confirm())
    seat.settles({"6,1": ["carrot/vegetable", "disc/blue"]})
    view = seat.view()
    assert (view.news.kind, view.news.headline) == ("undone", "Taken back? It lies as before the last step.")
    assert roles(view)[0] == (CONFIRM, "take back")
    seat.table.step(view.news.choices[0].event)
    assert seat.log.session.actions == ()


def test_a_marker_on_a_wrong_space_is_pointed_out(sit: Sit) -> None:
    seat = sit("garden-dice", turn=turn())
    track = {space.tags["score"]: space.id for space in seat.kit.of_kind("track")}
    seat.settles({track[12]: [], track[13]: ["disc/blue"]})
    assert seat.view().notices == ("Blue: the score marker belongs on 12, not on 13.",)
    assert seat.view("hu").notices == ("Kék: a pontjelző helye 12, nem 13.",)
    seat.settles({track[13]: []})
    assert seat.view().notices == ("Blue: the score marker belongs on 12.",)  # it is seen nowhere


def test_hands_a_lost_board_and_spaces_in_doubt(sit: Sit) -> None:
    seat = sit("garden-dice", turn=turn())
    seat.moves("hidden")
    assert (seat.view().sight, seat.view().news.kind) == ("something covers the board", "calm")
    seat.moves("lost", "Move the camera back.")
    assert seat.view().sight == "the board is not found. Move the camera back."
    seat.settles({"6,1": []}, unsure=["1,1"])
    assert seat.view().marks == {"1,1": "unsure", "6,1": "proposed"}


def test_what_is_told_and_cannot_be_is_refused_by_its_clause(sit: Sit) -> None:
    seat = sit("garden-dice", turn=turn())
    too_dear = seat.game.read_action(field({"do": "harvest", "at": "2,2", "die": 4}), seat.state)
    seat.table.step(Tell((too_dear,)))
    refused, waiting = seat.view().notices
    assert refused.startswith("NOT ALLOWED · harvest.") and waiting == "Told, to be done later: harvest"
    assert seat.view("hu").notices[1] == "Bemondva, később következik: aratás"


def test_the_end_brings_the_score_sheet(sit: Sit) -> None:
    seat = sit("garden-dice", over=True)
    view = seat.view()
    assert (view.turn, view.may) == ("The game is over.", ())
    assert view.result[0] == "Final score" and view.result[-1] == "Winner: Blue"


def test_the_points_at_the_end_are_those_that_decide(sit: Sit) -> None:
    """Of two seeds that were not planted the second takes 5 of the points on the track."""
    players = [{"colour": "blue", "score": 33, "seeds": ["tomato", "squash"]}, {"colour": "green", "score": 30}]
    view = sit("garden-dice", over=True, players=players).view()
    assert [(side.name, side.points) for side in view.sides] == [("Blue", 28), ("Green", 30)]
    assert view.result[-1] == "Winner: Green"
    begun = sit("garden-dice", players=players).view()
    assert [side.points for side in begun.sides] == [33, 30]


def field(value: Any) -> Any:
    from companion.document import Field

    return Field(value)


# Garden Rush


def test_a_token_placed_and_the_hedge_resupplied(sit: Sit) -> None:
    seat = sit("garden-rush")
    placed = seat.game.read_action(field({"do": "place", "from": 5, "to": "4,5", "draw": ["carrot"]}), seat.state)
    after, _ = replace(seat.log.session).submit(placed)
    table = seat.game.expected(after.state)
    names = [space.id for space in seat.kit.spaces if seat.game.place(space)]
    places = {space.id: seat.game.place(space) for space in seat.kit.spaces}
    seat.settles({name: list(table.get(str(places[name]), ())) for name in names})
    view = seat.view()
    assert view.news.lines[0] == "Pink takes token 5 of the hedge and places a double potato on 4,5."
    assert roles(view)[0] == (CONFIRM, "confirm")
    assert view.table["trampoline"] == ("carrot/double",)
    assert seat.view("hu").news.headline == "Ez történt?"


def test_what_is_not_finished_is_no_offence_until_it_stays_so(sit: Sit) -> None:
    seat = sit("garden-rush")
    seat.settles({"hedge-3": [], "pink-4,3": ["tomato/double"]})
    view = seat.view()
    assert view.news.kind == "unfinished"
    assert view.news.lines[-1] == "left so it would break place.resupply"
    seat.waits(PATIENCE + 1)
    assert (seat.view().news.kind, seat.view().news.lines[1].split(" ")[0]) == ("illegal", "place.resupply")


# Garden Guests


def test_how_many_guests_came_can_be_told_with_one_tap(sit: Sit) -> None:
    seat = sit("garden-guests")
    pedestal = seat.kit.of_kind("pedestal")[0]
    seat.settles({pedestal.id: ["guest/black", f"marker/{pedestal.tags['flower']}"]})
    view = seat.view()
    assert view.turn == "Black, player 1 is on turn."
    assert view.news.lines[0] == f"Black builds a colony of 1 guest on {pedestal.id}."
    assert view.news.lines[-1] == "supposed: the number of guests"
    assert [side.points for side in view.sides] == [None, None]
    two = view.news.choices[1]
    assert (two.role, two.text) == (CHOOSE, f"Black builds a colony of 2 guests on {pedestal.id}.")
    seat.table.step(two.event)
    assert seat.view().counts[pedestal.id] == 2
    assert seat.view("hu").turn == "Soron: arany, 1. játékos."


def test_undo_and_an_earlier_action_put_right(sit: Sit) -> None:
    seat = sit("garden-guests")
    collected = seat.game.read_action(field({"do": "collect", "card": 3}), seat.state)
    seat.table.step(Tell((collected,)))
    assert seat.view().turn == "Gold, player 1 is on turn."
    seat.table.step(Undo())
    assert seat.view().turn == "Black, player 1 is on turn."
