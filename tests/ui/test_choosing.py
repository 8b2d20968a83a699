"""Actions told by taps; values worked out by hand, laws held over random play."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.account import Teller
from companion.commands import own_kit
from companion.document import Field
from companion.games import NAMES, load_game
from companion.rules import LANGUAGES, Action, Allowed, State, judge, legal_actions
from companion.ui.view.choosing import Chooser, Menu, Picked
from tests.games.play import play
from tests.ui.tables import DICE, GUESTS, RUSH
from tests.ui.test_dispute import colonies, state_of

games = pytest.mark.parametrize("name", NAMES)
seeds = st.integers(0, 2**32 - 1)


def chooser(name: str, state: State, language: str = "en") -> Chooser[Any]:
    """What a tap carries is the whole action, or what is picked so far."""
    return Chooser(
        state, own_kit(name), Teller(load_game(name), language), lambda action: action, lambda picked: picked
    )


def texts(menu: Menu[Any]) -> list[str]:
    return [tap.text for tap in menu.taps]


def tapped(menu: Menu[Any], text: str) -> Any:
    return next(tap.to for tap in menu.taps if tap.text == text)


def test_a_throw_is_told_die_by_die_in_any_order() -> None:
    choose = chooser("garden-dice", state_of(DICE, turn={"player": "blue"}))
    menu = choose.menu(Picked())
    assert menu.title == "What was done?" and texts(menu) == ["roll"]
    to = tapped(menu, "roll")
    for value in ("5", "1", "6", "1"):
        menu = choose.menu(to)
        assert texts(menu) == ["1", "2", "3", "4", "5", "6"]
        to = tapped(menu, value)
    assert load_game("garden-dice").write_action(to) == {"do": "roll", "dice": [5, 1, 6, 1]}


def test_a_purchase_is_three_taps_and_a_space_may_be_tapped_on_the_board() -> None:
    choose = chooser("garden-dice", state_of(DICE))
    first = choose.menu(Picked())
    assert texts(first) == ["buy", "place", "water", "harvest", "reroll: sun", "set die", "Blue ends the turn."]
    kinds = choose.menu(tapped(first, "buy"))
    assert texts(kinds) == ["squash", "carrot", "tomato", "artichoke", "eggplant"]
    dice = choose.menu(tapped(kinds, "tomato"))
    assert texts(dice)[0] == "Blue buys a tomato seed with a 3." and len(dice.taps) == 3
    plots = choose.menu(tapped(first, "place"))
    assert set(plots.spaces) == {"2,3", "3,2", "2,4", "4,2", "2,5", "5,2", "3,4", "4,3", "3,5", "5,3", "4,5", "5,4"}
    placed = load_game("garden-dice").write_action(plots.spaces["2,5"])
    assert placed == {"do": "place", "piece": "tomato", "at": "2,5", "dice": [2, 5]}
    hungarian = chooser("garden-dice", state_of(DICE), "hu").menu(Picked())
    assert hungarian.title == "Mi történt?" and texts(hungarian)[0] == "vétel"


def test_what_came_out_of_the_sack_is_asked_and_then_the_bonus() -> None:
    kit = own_kit("garden-rush")
    tool = next(s for s in kit.of_kind("cell") if s.tags.get("tool") == "flip" and s.tags["garden"] == "pink")
    choose = chooser("garden-rush", state_of(RUSH))
    menu = choose.menu(Picked())
    while tool.id not in menu.spaces:
        menu = choose.menu(menu.taps[0].to)
    drawn = choose.menu(menu.spaces[tool.id])
    assert drawn.title == "And then?" and texts(drawn) == ["carrot", "eggplant", "tomato", "broccoli", "potato"]
    bonus = choose.menu(tapped(drawn, "broccoli"))
    assert bonus.title == "And its bonus?" and texts(bonus)[0] == "no bonus"
    plain = load_game("garden-rush").write_action(tapped(bonus, "no bonus"))
    assert plain["draw"] == ["broccoli"] and "bonus" not in plain
    flipped = load_game("garden-rush").write_action(bonus.taps[1].to)
    assert flipped["bonus"]["do"] == "flip" and "turns over" in bonus.taps[1].text


def test_a_path_is_told_space_by_space() -> None:
    lying = colonies()
    one, other = lying
    choose = chooser("garden-guests", state_of(GUESTS, spaces=lying))
    menu = choose.menu(Picked())
    to = choose.menu(tapped(menu, "path")).taps
    assert {tap.text for tap in to} == {f"path: {one}", f"path: {other}"}
    board = load_game("garden-guests").write_position(choose.state)["board"]
    picked = next(tap.to for tap in to if tap.text == f"path: {one}")
    step = choose.menu(picked)
    near = {at for at in board[one]["near"] if board[at]["kind"] == "flower"}
    assert set(texts(step)) == set(step.spaces) == near  # no path without a new stone
    random = Random(5)
    while isinstance(picked, Picked):  # wherever it wanders it comes to the other colony
        picked = random.choice(choose.menu(picked).taps).to
    assert isinstance(judge(load_game("garden-guests"), choose.state, picked), Allowed)
    assert {picked.spaces[0], picked.spaces[-1]} == {one, other}


def test_what_cannot_be_judged_is_not_offered_and_it_is_said_why() -> None:
    """Whether a player is stuck who might harvest a tomato, if its shapes were entered."""
    players = [{"colour": "pink", "garden": {"3,3": "tomato/double"}}, {"colour": "blue"}]
    position = {**RUSH, "players": players, "hedge": [None] * 5, "trampoline": None, "board": {"patterns": {}}}
    state = load_game("garden-rush").read_position(Field(position), None)
    menu = chooser("garden-rush", state).menu(Picked())
    assert menu.taps == ()
    assert any("A bed shape is not entered: tomato." in line for line in menu.lines)


@games
@settings(max_examples=25)
@given(seed=seeds, plies=st.integers(0, 80), language=st.sampled_from(LANGUAGES))
def test_whatever_is_tapped_comes_to_an_allowed_action_or_back(name: str, seed: int, plies: int, language: str) -> None:
    begun, played = play(name, seed, plies)
    state, random = (played[-1].after.state if played else begun), Random(seed)
    choose = chooser(name, state, language)
    menu = choose.menu(Picked())
    for _ in range(40):
        if not menu.taps:
            break
        assert all(tap.text and "{" not in tap.text for tap in menu.taps)
        assert len(set(texts(menu))) == len(menu.taps), texts(menu)
        assert all(to in [tap.to for tap in menu.taps] for to in menu.spaces.values())
        to = random.choice(menu.taps).to
        if not isinstance(to, Picked):
            assert isinstance(judge(load_game(name), state, to), Allowed)
            break
        menu = choose.menu(to)


def all_told(choose: Chooser[Any], picked: Picked) -> list[Action]:
    """All that can be told, but for what is drawn and for bonuses: the actions as they were before."""
    if picked.action is not None:
        return [picked.action]
    found: list[Action] = []
    for tap in choose.menu(picked).taps:
        found += all_told(choose, tap.to) if isinstance(tap.to, Picked) else [tap.to]
    return found


@games
@settings(max_examples=25)
@given(seed=seeds, plies=st.integers(0, 40))
def test_every_legal_action_can_be_told(name: str, seed: int, plies: int) -> None:
    game = load_game(name)
    begun, played = play(name, seed, plies)
    state = played[-1].after.state if played else begun
    told = all_told(chooser(name, state), Picked())
    legal = [action for action in legal_actions(game, state) if "spaces" not in game.write_action(action)]
    assert not [action for action in legal if action not in told]
    assert len(told) == len(set(told))
