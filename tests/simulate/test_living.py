"""A game on a simulated table: what is seen keeps to what is told, and nothing changes without a hand."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from random import Random

import numpy as np
import pytest

from companion.rules import Allowed, Refused, judge
from companion.simulate.living import MISTAKE, Life, Told
from companion.simulate.moods import CALM, LIVELY
from companion.simulate.setting import Setting, corners_of, in_view
from companion.simulate.slips import mistake
from companion.simulate.table import HAND, SETTLED
from tests.referee.trials import expected_table
from tests.simulate.plays import SMALL, a_play, all_told

GAMES = ("garden-dice", "garden-rush", "garden-guests")
games = pytest.mark.parametrize("name", GAMES)


def pieces(told: Told) -> dict[str, list[str]]:
    return {space: [lying.piece for lying in pile] for space, pile in told.moment.scene.placements.spaces.items()}


@games
def test_a_settled_table_shows_the_position(name: str) -> None:
    play = a_play(name, seed=3, turns=8, mood=LIVELY, mistakes=0.2)
    for told in all_told(play):
        if told.moment.kind == SETTLED:
            seen = {
                space: tuple(dict.fromkeys(pile)) for space, pile in pieces(told).items()
            }  # of like pieces on each other the camera sees one
            table = expected_table(play.game, told.state, play.kit)
            assert seen == {space: pile for space, pile in table.items() if pile}
            assert not told.moment.scene.hands and not told.moment.scene.tumbling


@games
def test_pieces_change_only_under_a_hand(name: str) -> None:
    life = Life(a_play(name, seed=5, turns=6, mood=LIVELY, mistakes=0.3), SMALL)
    before, changes = None, 0
    for told in life.told():
        scene = told.moment.scene
        if before is not None and scene.placements.spaces is not before.placements.spaces:
            spaces = {*scene.placements.spaces, *before.placements.spaces}
            changed = [s for s in spaces if scene.placements.spaces.get(s) != before.placements.spaces.get(s)]
            assert len(changed) == 1
            assert scene.hands and before.hands
            point = np.array(life.table.point_of(changed[0]))
            assert np.hypot(*(point - scene.hands[0].at_mm)) < 15
            changes += 1
        before = scene
    assert changes >= 4


def test_dice_show_what_was_rolled_apart_and_in_view() -> None:
    life = Life(a_play("garden-dice", seed=8, turns=7, mood=LIVELY), SMALL)
    rolled = None
    for told in life.told():
        for action in told.done:
            written = life.play.game.write_action(action)
            rolled = tuple(written["dice"]) if written["do"] in ("roll", "reroll") else rolled
            if written["do"] == "set-die":
                rolled = told.dice
        if told.moment.kind == SETTLED:
            assert told.dice == (rolled or ())
            assert (
                not told.dice
                or Counter(told.dice) == Counter(told.state.turn.dice + told.state.turn.spent)
                or (
                    not told.state.turn.rolled  # the dice of the turn before lie there yet
                )
            )
        dice = told.moment.scene.dice
        if dice:
            assert in_view(life.setting.camera, np.array([die.at_mm for die in dice]), 16.0)
        places = [np.array(die.at_mm) for die in dice]
        assert all(np.hypot(*(a - b)) > 16 * 2**0.5 for i, a in enumerate(places) for b in places[:i])
    assert rolled is not None


@games
def test_what_is_done_lies_still_for_half_a_second(name: str) -> None:
    told = all_told(a_play(name, seed=9, turns=6, mood=CALM))
    runs = [(kind, len(list(run))) for kind, run in groupby(each.moment.kind for each in told)]
    assert all(length >= 5 for kind, length in runs if kind == SETTLED)
    assert any(kind == HAND for kind, _ in runs)


@games
def test_what_is_told_as_done_is_the_game(name: str) -> None:
    play = a_play(name, seed=11, turns=9, mood=LIVELY)
    state, game = play.start, play.game
    for told in all_told(play):
        for action in told.done:
            ruling = judge(game, state, action)
            assert isinstance(ruling, Allowed)
            state = ruling.state
        if told.done:
            assert game.write_position(told.state) == game.write_position(state)


@games
def test_the_same_seed_gives_the_same_moments(name: str) -> None:
    def looks() -> list[str]:
        life = Life(a_play(name, seed=2, turns=3, mood=LIVELY, mistakes=0.5), SMALL)
        return [f"{told.moment.kind} {told.moment.scene} {told.done}" for told in life.told()]

    assert looks() == looks()


@games
def test_mistakes_are_illegal_seen_and_put_back(name: str) -> None:
    play = a_play(name, seed=1, turns=8, mistakes=0.9)
    told = all_told(play)
    wrong = {id(each.wrong): each for each in told if each.wrong}
    assert len(wrong) >= 3
    for each in wrong.values():
        assert each.moment.kind == MISTAKE
        assert judge(play.game, each.state, each.wrong.action) == Refused(each.wrong.clause)
        expected = expected_table(play.game, each.state, play.kit)
        seen = {space: tuple(dict.fromkeys(pile)) for space, pile in pieces(each).items()}
        assert seen != {space: pile for space, pile in expected.items() if pile}
    runs = [len(list(run)) for is_wrong, run in groupby(each.moment.kind == MISTAKE for each in told) if is_wrong]
    assert min(runs) >= 5


def test_purchases_and_cards_are_tapped_once_each() -> None:
    tapped = Counter(type(action).__name__ for told in all_told(a_play("garden-dice", 4, 9)) for action in told.tapped)
    done = Counter(type(action).__name__ for told in all_told(a_play("garden-dice", 4, 9)) for action in told.done)
    assert tapped["Buy"] == done["Buy"] > 0
    assert set(tapped) <= {"Buy", "SetDie"}
    cards = [action for told in all_told(a_play("garden-guests", 4, 9)) for action in told.tapped]
    assert {type(action).__name__ for action in cards} >= {"Collect"}


def test_no_mistake_where_the_game_is_over() -> None:
    play = a_play("garden-dice", seed=1, turns=1)
    over = play.start._replace(over=True)
    assert mistake(play.game, over, (), Random(1)) is None


@pytest.mark.parametrize("name", ["garden-dice", "garden-rush"])
def test_a_shoved_board_stays_in_view_and_keeps_its_pieces(name: str) -> None:
    mood = LIVELY.__class__(bump=1.0, onto_board=0.0)
    life = Life(a_play(name, seed=6, turns=4, mood=mood), SMALL)
    lies = []
    for told in life.told():
        placements = told.moment.scene.placements
        if not lies or placements.boards != lies[-1]:
            lies.append(placements.boards)
            assert in_view(life.setting.camera, corners_of(life.play.kit, placements.boards))
    assert len(lies) > 3
    ends = (lies[0][0], lies[-1][0])
    assert isinstance(life.setting, Setting) and ends[0].board == ends[1].board
